"""The page to play with, for all: by keyboard alone, read aloud, in light and dark, on a phone."""

import pytest

TABS = ["reviews", "tennis", "gaussians", "em", "confusion", "independence"]

# What can be reached by Tab in the open panel: of radio buttons with one name, the chosen one.
REACHABLE = """() => {
  const open = document.querySelector('[role="tabpanel"]:not([hidden])');
  const all = open.querySelectorAll('button, input, select, textarea, [tabindex="0"]');
  const isReachable = (one) => !one.disabled && one.checkVisibility()
    && !(one.type === "radio" && !one.checked);
  const found = [...all].filter(isReachable);
  found.forEach((one, i) => one.setAttribute("data-stop", i));
  return found.length;
}"""
# Where the focus is, and whether a ring is seen there.
FOCUSED = """() => {
  const one = document.activeElement;
  const around = [one, one.closest("label"), one.nextElementSibling].filter(Boolean);
  const isRinged = around.some((each) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  });
  const ring = one.querySelector?.(".ring");
  const isMarked = Boolean(ring) && getComputedStyle(ring).stroke !== "none";
  return [one.getAttribute("data-stop"), isRinged || isMarked];
}"""


# All that axe knows, on a phone. On a wide screen letters are no smaller, and only the tabs have
# other colors, so that the slowest rule has less to look at there.
AXE = {
    360: "axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)",
    1280: """async () => {
      const rest = await axe.run({ rules: { "color-contrast": { enabled: false } } });
      const tabs = await axe.run('[role="tablist"]', { runOnly: ["color-contrast"] });
      return [...rest.violations, ...tabs.violations];
    }""",
}


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_arrow_keys_go_from_tab_to_tab(opened, play):
    page = opened(play)
    press(page, "Tab")
    for name in [*TABS[1:], TABS[0]]:
        press(page, "ArrowRight")
        assert page.evaluate("document.activeElement.id") == f"tab-{name}"
        assert page.locator("[role=tabpanel]:visible").get_attribute("id") == f"panel-{name}"
        assert page.locator("[role=tab][tabindex='0']").count() == 1
    press(page, "End")
    assert page.url.endswith("#independence")
    press(page, "Home", "ArrowLeft")
    assert page.url.endswith("#independence")


def test_everything_is_reached_by_the_tab_key_and_seen_there(opened, play):
    page = opened(play)
    for tab in TABS:
        page.click(f"#tab-{tab}")
        stops = page.evaluate(REACHABLE)
        assert stops >= 1
        for stop in range(stops):
            press(page, "Tab")
            assert page.evaluate(FOCUSED) == [str(stop), True], (tab, stop)
        press(page, "Tab")
        assert page.evaluate(FOCUSED)[0] is None


def test_reviews_by_keyboard_alone(opened, play):
    page = opened(play)
    press(page, "Tab", "Tab")
    press(page, "Control+A")
    page.keyboard.type("predictable fun")
    assert "2/5" not in page.inner_text("#reviews-counted")
    press(page, "Tab", "ArrowDown", "Tab", "Enter")
    assert page.locator("#reviews-rows tr").count() == 4
    assert page.evaluate("document.activeElement.ariaLabel") == "Remove review 1"
    page.focus("#reviews-add")
    press(page, "Enter")
    page.keyboard.type("fun fun fun")
    assert page.evaluate("document.activeElement.ariaLabel") == "Text of review 5"
    page.focus("#reviews-alpha-slider")
    press(page, "Home")
    assert page.input_value("#reviews-alpha") == "0"
    press(page, "ArrowRight")
    assert page.input_value("#reviews-alpha") == "0.05"
    page.focus("[name=reviews-prior]")
    press(page, "ArrowDown", "ArrowDown")
    page.get_by_label("pos, slider").focus()
    press(page, "Home", "ArrowRight")
    assert page.get_by_label("pos", exact=True).input_value() == "0.05"
    assert page.inner_text("#reviews-steps article:nth-child(2) .prior td").strip() == "1/21"
    page.get_by_label("pos", exact=True).fill("0.5")
    assert page.get_by_label("pos, slider").input_value() == "0.5"
    page.focus("#reviews-bigrams")
    press(page, "Space")
    assert page.is_checked("#reviews-bigrams")


def test_the_other_lessons_by_keyboard_alone(opened, play):
    page = opened(play, "#tennis")
    page.focus("#tennis-m-slider")
    press(page, "End")
    assert page.input_value("#tennis-m") == "10"
    page.focus("#tab-tennis")
    press(page, "ArrowRight")
    page.focus("[name=gaussians-model]")
    press(page, "ArrowRight", "ArrowRight")
    assert page.is_checked("[value=LDA]")
    page.focus("#tab-gaussians")
    press(page, "ArrowRight")
    page.focus("#em-next")
    press(page, "Enter", "Space")
    assert page.inner_text("#em-state").startswith("Step 1, M")
    page.focus("#tab-em")
    press(page, "ArrowRight")
    page.focus("#confusion-threshold-slider")
    press(page, "Home")
    assert page.inner_text("#confusion-said").startswith("precision 0.5 · recall 1")
    page.focus("#tab-confusion")
    press(page, "ArrowRight")
    page.focus("[name=independence-age]")
    press(page, "ArrowRight")
    assert page.locator("#independence-tiles b").count() == 3


@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing(opened, play, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = opened(play, width=width)
    page.check("[name=reviews-prior][value=own]")
    # Rows are alike, and each takes its time.
    page.evaluate(
        """() => {
          for (let i = 0; i < 11; i += 1) document.querySelector("#tennis-rows .remove").click();
        }"""
    )
    page.evaluate(axe.axe_script)
    for tab in TABS:
        page.click(f"#tab-{tab}")
        if tab == "em":
            page.fill("#em-points", "-1, 0, 1, 3, 4, 5")
            page.click("#em-next")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page, AXE[width]) == [], (tab, scheme)


def violations(page, how):
    found = page.evaluate(how)
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


def test_nothing_is_wider_than_the_screen(opened, play):
    page = opened(play)
    page.fill("#reviews-sentence", "fun " * 30 + "endless" * 60)
    page.fill("[aria-label='Text of review 1']", "endless" * 60)
    for width in (320, 360, 768):
        page.set_viewport_size({"width": width, "height": 800})
        for tab in TABS:
            page.click(f"#tab-{tab}")
            wide = page.evaluate(
                """() => [...document.querySelectorAll("html, main, section, .card, .settings")]
                  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
                  .map((one) => `${one.tagName} ${one.className} ${one.scrollWidth}`)"""
            )
            assert wide == [], (width, tab)


def test_a_class_can_be_removed_on_a_phone_without_scrolling_sideways(opened, play):
    page = opened(play, width=390)
    page.click("#tab-confusion")
    table = page.get_by_role("region", name="Counts of the matrix").bounding_box()
    for button in page.locator("#confusion-rows button").all():
        box = button.bounding_box()
        assert box["x"] + box["width"] <= table["x"] + table["width"]


def test_a_long_table_shows_that_it_goes_on(opened, play):
    """Its last row in sight is cut, where the totals begin."""
    page = opened(play)
    shares = page.evaluate(
        """() => {
          const scroll = document.querySelector("#reviews-counts");
          const end = scroll.querySelector("tfoot th, tfoot td").getBoundingClientRect().top;
          return [...scroll.querySelectorAll("tbody tr")].map((row) => {
            const {top, height} = row.getBoundingClientRect();
            return (end - top) / height;
          });
        }"""
    )
    assert any(0.25 < share < 0.85 for share in shares)


def test_the_numbers_of_a_computation_stay_in_one_line_on_a_phone(opened, play):
    page = opened(play, width=390)
    lines = page.locator("#panel-reviews .steps .term td:nth-child(3)").evaluate_all(
        """cells => cells.map((cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return new Set([...range.getClientRects()].map((part) => part.top)).size;
        })"""
    )
    assert lines == [1] * 10


def test_subscripts_stand_below_their_letters(opened, play):
    """Also where no font for formulas is found, as on many phones."""
    page = opened(play)
    for tab, subscript in {"reviews": "w", "tennis": "a"}.items():
        page.click(f"#tab-{tab}")
        letter, below = page.locator(f"#panel-{tab} mfrac > mrow > msub > mi").all()
        assert (letter.text_content(), below.text_content()) == ("n", subscript)
        letter, below = letter.bounding_box(), below.bounding_box()
        lowered = below["y"] + below["height"] - letter["y"] - letter["height"]
        assert lowered > 1, tab
