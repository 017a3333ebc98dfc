// Children: height and vocabulary depend on each other, until the age is known.

{
  const children = DATA.children;
  const AGES = unique(children.map((child) => child.age)).sort((a, b) => a - b);

  const squares = (group) => {
    const x = group.map((child) => exact(child.height));
    const y = group.map((child) => exact(child.vocabulary));
    return [scatter(x, x), scatter(x, y), scatter(y, y)];
  };
  const ofAge = (age) => children.filter((child) => child.age === age);
  const byAge = new Map(AGES.map((age) => [age, squares(ofAge(age))]));
  const overall = correlation(squares(children));
  const within = correlation([0, 1, 2].map((i) => sumOf([...byAge.values()].map((S) => S[i]))));

  const redraw = drawing("independence-plot", (width, height) => {
    const age = chosen("independence-age");
    const [x, y] = scales(width, height, rangeOf("height"), rangeOf("vocabulary"));
    const across = [x, ticksOf(...rangeOf("height")), "height, cm"];
    const up = [y, ticksOf(...rangeOf("vocabulary")), "known words"];
    const dots = children.map((child) => {
      const isIn = age === "all" || child.age === age;
      const kind = isIn ? { class: "dot", r: 5 } : { class: "dot faint", r: 3.5 };
      const dot = drawn("circle", { ...kind, cx: x(child.height), cy: y(child.vocabulary) });
      dot.style.fill = shade(child.age);
      return dot;
    });
    // Those of the chosen age lie on top.
    dots.sort((a, b) => b.classList.contains("faint") - a.classList.contains("faint"));
    show("independence-plot", axes(width, height, across, up), dots);
    const whose = age === "all" ? "all children" : `children of ${age} among all`;
    byId("independence-plot").setAttribute("aria-label", `Height and vocabulary of ${whose}`);
  });

  function rangeOf(column) {
    const values = children.map((child) => Number(child[column]));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return [low - (high - low) / 20, high + (high - low) / 20];
  }

  const shade = (age) => mixed(AGES.indexOf(age) / (AGES.length - 1));

  function update() {
    const age = chosen("independence-age");
    const tile = (name, r, n) => {
      const parts = [element("span", {}, name), element("b", {}, places(r, 3))];
      return element("div", {}, parts, note(several(n, "child", "children")));
    };
    show(
      "independence-tiles",
      tile("over all", overall, children.length),
      tile("within ages", within, children.length),
      age === "all" ? [] : tile(`age ${age}`, correlation(byAge.get(age)), ofAge(age).length),
    );
    redraw();
  }

  const label = (value, checked) => {
    const given = { type: "radio", name: "independence-age", value, checked, oninput: update };
    const shown = element("span", {}, value);
    if (AGES.includes(value)) shown.style.borderBottomColor = shade(value);
    return element("label", {}, element("input", given), shown);
  };
  byId("independence-ages").append(label("all", true), ...AGES.map((age) => label(age, false)));
  const rows = [...byAge].map(([age, S]) => [
    age, String(ofAge(age).length), places(correlation(S), 3),
  ]);
  show("independence-table", table(["age", "children", "r"], rows));
  update();
}
