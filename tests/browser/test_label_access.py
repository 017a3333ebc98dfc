"""The label page for all: axe, small screens, keys that are seen, texts from right to left."""

import csv

import pytest

TABS = ["label", "try", "model", "data"]
LONG = "endless" * 60
ROWS = [
    *(("win a prize now, " + "and again " * n, "north") for n in range(30)),
    *((f"see you at lunch, table {n}", "south") for n in range(30)),
    ("مرحبا بالعالم، موعد الغداء غدا", "east"),
    (LONG, LONG),
    ("", ""),
]


@pytest.fixture
def taught(labeling):
    """A model that has learned from two people, with labels of all lengths."""
    with open(labeling.folder / "data.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text", "place"], *ROWS])
    labeling.start("--labels", ",".join(["spam", "ham", "موعد", LONG, *"abcdefghijklmnop"]))
    for who in ("Ann", "Zo%C3%AB"):
        for items, label in ((range(25), "spam"), (range(30, 55), "ham")):
            body = {"items": list(items), "labels": [label]}
            labeling.post("/api/answer", body, **{"X-User": who})
    labeling.post("/api/answer", {"items": [3, 4, 60], "labels": ["ham"]}, **{"X-User": "Ann"})
    labeling.post("/api/labels", {"name": "ham", "guidance": "from people we know"})
    return labeling


def opened_tab(page, tab):
    page.click(f"#tab-{tab}")
    if tab == "try":
        page.fill("#try-fields textarea", "see you at a prize")
        page.locator("#try-said .figure").wait_for()
    if tab == "model":
        page.locator("#report:visible").wait_for()
    if tab == "data":
        page.locator("#data-said h3").first.wait_for()


def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(taught):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for width in (360, 1280):
        # The policy is for the page, and axe makes functions of texts.
        page = taught.page(width=width, name="Ann", bypass_csp=True)
        page.evaluate(axe.axe_script)
        page.click("#meanings summary")
        for view in [*TABS, "list", "keys"]:
            if view in TABS:
                opened_tab(page, view)
            elif view == "list":
                page.click("#tab-label")
                page.check("[name=view][value=list]")
                page.locator(".entry").first.wait_for()
            else:
                page.keyboard.press("?")
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                found = page.evaluate(
                    "axe.run(document, { resultTypes: ['violations'], iframes: false })"
                )["violations"]
                nodes = [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
                assert nodes == [], f"{view}, {scheme}, {width}"
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{view}, {width}"


def test_each_stop_of_the_tab_key_is_seen(taught):
    page = taught.page(name="Zoë")
    page.focus("#name")
    seen = set()
    for _ in range(200):
        page.keyboard.press("Tab")
        stop, is_ringed = page.evaluate("""() => {
          const one = document.activeElement;
          const around = [one, one.nextElementSibling].filter(Boolean);
          return [one.id || one.dataset.name || one.tagName, one === document.body
            || around.some((each) => parseFloat(getComputedStyle(each).outlineWidth) >= 2
                && getComputedStyle(each).outlineStyle !== "none")];
        }""")
        assert is_ringed, stop
        if stop == "BODY":
            break
        seen.add(stop)
    assert {"tab-label", "queue", "search-text", "spam", "p", "skip", "undo"} <= seen


def test_texts_run_in_their_own_direction(taught):
    page = taught.page()
    page.fill("#search-text", "مرحبا")
    page.keyboard.press("Enter")
    page.click(".entry .plain")
    text = page.locator("#row-cells .text").first
    assert text.evaluate("one => getComputedStyle(one).direction") == "rtl"
