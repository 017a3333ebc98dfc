"""A page that can be read aloud, by keyboard, and by eyes that need contrast."""

import itertools
import re
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

import likely
from likely.report import report

STYLE = (files("likely.render") / "style.css").read_text("utf-8")
SCHEMES = {
    "light": STYLE.split("@media")[0],
    "dark": STYLE.split("@media (prefers-color-scheme:dark)")[1].split("@media")[0],
    "print": STYLE.split("@media print")[1],
}
# What WCAG 2 asks of text, and of what a chart is drawn with.
TEXT, DRAWN = 4.5, 3.0


class Page(HTMLParser):
    """The elements of a page, each with its attributes, what it is in, and its text."""

    VOID = frozenset(["meta", "rect", "path", "br", "input"])

    def __init__(self, page):
        super().__init__()
        self.found, self._open = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        one = {"tag": tag, "text": "", "in": [up["tag"] for up in self._open], **dict(attrs)}
        one["up"] = list(self._open)
        self.found.append(one)
        if tag not in self.VOID:
            self._open.append(one)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self._open.pop()["tag"] == tag

    def handle_data(self, data):
        for one in self._open:
            one["text"] += data

    def all(self, tag):
        return [one for one in self.found if one["tag"] == tag]


@pytest.fixture(params=["two classes", "many classes", "several labels"], scope="module")
def page(request):
    """A report on 200 rows."""
    rng = np.random.default_rng(0)
    words = ["oil", "barrel", "wheat", "grain", "gold", "mine", "price", "year"]
    x = texts = [" ".join(rng.choice(words, 5)) for _ in range(200)]
    if request.param == "two classes":
        x = {"text": texts, "n": rng.normal(size=200).tolist(), "c": rng.choice(list("ab"), 200)}
        y = ["oil" if "oil" in text else "other" for text in texts]
    elif request.param == "many classes":
        y = [str(rng.integers(0, 40)) for _ in texts]
    else:
        y = [[word for word in words[:5] if word in text] for text in texts]
    return Page(report(likely.Classifier().fit(x, y), x, y).html())


def test_it_has_a_language_a_title_and_one_first_heading(page):
    (root,) = page.all("html")
    assert root["lang"] == "en"
    (title,), (first,) = page.all("title"), page.all("h1")
    assert title["text"] == first["text"] != ""
    assert len(page.all("main")) == len(page.all("nav")) == 1


def test_headings_go_down_one_step_at_a_time(page):
    levels = [int(one["tag"][1]) for one in page.found if re.fullmatch("h[1-6]", one["tag"])]
    assert levels[0] == 1
    assert all(below <= level + 1 for level, below in itertools.pairwise(levels))
    for one in page.found:
        assert not re.fullmatch("h[1-6]", one["tag"]) or one["text"].strip()


def test_names_are_unique_and_links_lead_somewhere(page):
    ids = [one["id"] for one in page.found if "id" in one]
    assert len(ids) == len(set(ids))
    pointed = [one["href"].removeprefix("#") for one in page.all("a")]
    pointed += [one["for"] for one in page.all("label")]
    pointed += [one["aria-labelledby"] for one in page.found if "aria-labelledby" in one]
    assert set(pointed) <= set(ids)


def test_every_cell_has_a_header(page):
    assert page.all("table")
    for cell in page.all("th"):
        assert cell["scope"] in ("row", "col")
        assert cell["text"].strip()
    for row in page.all("tr"):
        if "tbody" in row["in"]:
            own = [one for one in page.found if one["tag"] == "th" and row in one["up"]]
            assert [one["scope"] for one in own] == ["row"]


def test_every_picture_has_a_name_or_is_beside_its_number(page):
    for picture in page.all("svg"):
        if picture.get("role") == "img":
            assert picture["aria-label"].strip()
        else:
            assert picture["aria-hidden"] == "true"
            assert picture["in"][-1] in ("td", "span")
            where = picture["up"][-2 if picture["in"][-1] == "td" else -1]
            assert where["text"].strip()


def test_a_bar_stands_in_a_row_that_says_its_number(page):
    for bar in page.all("svg"):
        if bar.get("class") == "bar":
            row = next(one for one in reversed(bar["up"]) if one["tag"] == "tr")
            assert re.search(r"\d", row["text"])


def test_every_chart_has_its_table(page):
    charts = page.all("figure")
    assert charts
    for chart in charts:
        within = {one["tag"] for one in page.found if chart in one["up"]}
        assert {"figcaption", "svg", "table"} <= within


def test_thresholds_can_be_explored_by_keyboard(page):
    choices = page.all("input")
    assert choices
    for group in {one["name"] for one in choices}:
        own = [one for one in choices if one["name"] == group]
        assert {one["type"] for one in own} == {"radio"}
        assert sum("checked" in one for one in own) == 1
        (fieldset,) = {id(one["up"][-1]): one["up"][-1] for one in own}.values()
        assert fieldset["tag"] == "fieldset"
        assert any(one["tag"] == "legend" and fieldset in one["up"] for one in page.found)
        assert all("tabindex" not in one and "disabled" not in one for one in own)
    # They are there to be reached, though not to be seen; what is chosen and what is reached shows.
    (rule,) = re.findall(r"\.explorer input\{([^}]*)\}", STYLE)
    assert "display" not in rule
    assert "visibility" not in rule
    assert ".explorer input:focus-visible+label{outline:3px solid" in STYLE


def test_wide_tables_can_be_scrolled_by_keyboard(page):
    for box in page.found:
        if box.get("tabindex") == "0":
            assert box["role"] == "region"
            assert box["aria-label"].strip()


def colours(scheme):
    """The colours of a scheme by name; what it does not say it has from the light one."""
    found = {}
    for rules in (SCHEMES["light"], SCHEMES[scheme]):
        for block in re.findall(r"\.likely\.page\{([^}]*)\}", rules):
            found |= dict(re.findall(r"--([a-z-]+):([^;}]+)", block))
    return {
        name: tuple(int(value[1:][i : i + n] * (3 - n), 16) for i in range(0, 3 * n, n))
        if value.startswith("#")
        else tuple(map(int, value.split(",")))
        for name, value in found.items()
        for n in [(len(value) - 1) // 3]
    }


def contrast(one, other):
    def luminance(colour):
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (part / 255 for part in colour)
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_it_should_be():
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_stands_out(scheme):
    own = colours(scheme)
    paper, soft = own["paper"], own["soft"]
    for name in ("ink", "quiet", "for"):
        assert contrast(own[name], paper) >= TEXT, name
    for name in ("ink", "quiet"):
        assert contrast(own[name], soft) >= TEXT, name
    for name in ("for", "against", "third"):
        assert contrast(own[name], paper) >= DRAWN, name
    chosen = re.search(r"input:checked\+label\{[^}]*?color:(#\w+)", SCHEMES[scheme] + STYLE)[1]
    n = (len(chosen) - 1) // 3
    label = tuple(int(chosen[1:][i : i + n] * (3 - n), 16) for i in range(0, 3 * n, n))
    if scheme != "print":
        assert contrast(label, own["for"]) >= TEXT


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_stands_out_on_every_shade(scheme):
    own = colours(scheme)
    shades = re.findall(r"rgba\(var\(--(for|against)-soft\),(\.\d+)\)", STYLE)
    assert len(shades) == 24
    for side, share in shades:
        shade = [
            float(share) * over + (1 - float(share)) * under
            for over, under in zip(own[f"{side}-soft"], own["paper"], strict=True)
        ]
        assert contrast(own["ink"], shade) >= TEXT, (side, share)
