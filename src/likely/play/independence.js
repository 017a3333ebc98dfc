// Children: height and vocabulary depend on each other, until the age is known.

{
  const children = DATA.children.map(({ age, height, vocabulary }) => ({ age, height, vocabulary }));
  const AGES = unique(children.map((child) => child.age)).sort((a, b) => a - b);

  const squares = (group) => {
    const [x, y] = ["height", "vocabulary"].map((column) => group.map((child) => exact(child[column])));
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
      const dot = drawn("circle", { class: isIn ? "dot" : "dot faint", r: isIn ? 5 : 3.5, cx: x(child.height), cy: y(child.vocabulary) });
      dot.style.fill = shade(child.age);
      return dot;
    });
    // Those of the chosen age lie on top.
    dots.sort((a, b) => b.classList.contains("faint") - a.classList.contains("faint"));
    show("independence-plot", axes(width, height, across, up), dots);
    const whose = age === "all" ? `all ${children.length} children` : `children of ${age} among all`;
    byId("independence-plot").setAttribute("aria-label", `Height and vocabulary of ${whose}`);
  });

  function rangeOf(column) {
    const values = children.map((child) => Number(child[column]));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return [low - (high - low) / 20, high + (high - low) / 20];
  }

  const shade = (age) => `color-mix(in srgb, var(--c0) ${(100 * AGES.indexOf(age)) / (AGES.length - 1)}%, var(--c1))`;

  function update() {
    const age = chosen("independence-age");
    const tile = (name, value, note) => element("div", {}, element("span", {}, name), element("b", {}, places(value, 3)), element("small", {}, note));
    show(
      "independence-tiles",
      tile("over all", overall, several(children.length, "child", "children")),
      tile("within ages", within, "pooled"),
      age === "all" ? [] : tile(`age ${age}`, correlation(byAge.get(age)), several(ofAge(age).length, "child", "children")),
    );
    redraw();
  }

  const label = (value, text, checked) => {
    const radio = element("input", { type: "radio", name: "independence-age", value, checked, oninput: update });
    const shown = element("span", {}, text);
    if (AGES.includes(value)) shown.style.borderBottomColor = shade(value);
    return element("label", {}, radio, shown);
  };
  byId("independence-ages").append(label("all", "all", true), ...AGES.map((age) => label(age, age, false)));
  const rows = AGES.map((age) => [age, String(ofAge(age).length), places(correlation(byAge.get(age)), 3)]);
  show("independence-table", table(["age", "children", "r"], rows));
  update();
}
