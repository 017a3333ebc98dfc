// The tabs: arrow keys move between them, and the address says which one is open.

{
  const tabs = [...document.querySelectorAll('[role="tab"]')];

  const select = (tab) => {
    for (const one of tabs) {
      const isSelected = one === tab;
      one.setAttribute("aria-selected", isSelected);
      one.tabIndex = isSelected ? 0 : -1;
      byId(one.getAttribute("aria-controls")).hidden = !isSelected;
    }
  };

  const open = (tab) => {
    location.hash = tab.id.replace("tab-", "");
    select(tab);
  };

  const fromAddress = () => select(byId(`tab-${location.hash.slice(1)}`) ?? tabs[0]);

  const STEPS = { ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, Home: () => 0, End: () => -1 };

  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const next = tabs.at(step(i) % tabs.length);
      open(next);
      next.focus();
    });
  }

  addEventListener("hashchange", fromAddress);
  fromAddress();
}
