"""The pieces of pages: what users' files hold stays text, and nothing is loaded or run."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likely import render
from likely.render.markup import sentence

NASTY = '<script>alert(1)</script>"><img src=x onerror=alert(2)>\x00\x1b[31m\u202eevil `</code>'
TABLE = render.Table(
    (NASTY, "n", ""), [(NASTY, "1", render.Bar(0.5)), (render.Name(NASTY), "2", NASTY)]
)
BLOCKS = [
    NASTY,
    TABLE,
    render.Tiles([(NASTY, NASTY, NASTY)]),
    render.Grid([NASTY, "b"], [[1, 2], [0, 4]], NASTY),
    render.Cards([(NASTY, render.highlighted([(NASTY, 1.0), (NASTY, -0.1), (NASTY, 0.0)], 1.0))]),
    render.Caution(NASTY),
    render.Code([NASTY]),
    render.Subsection(NASTY, [NASTY]),
    render.SideBySide([NASTY, TABLE]),
    render.LineChart(NASTY, NASTY, NASTY, [render.Series(NASTY, [0.1], [0.2])] * 2, TABLE),
    render.Explorer("e", NASTY, [render.Choice(NASTY, render.Tiles([(NASTY, "", "")]))], 0, TABLE),
]


class Tags(HTMLParser):
    """The elements of a page, all of which are closed in order."""

    VOID = ("meta", "input")

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.attributes = [], set(), set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
def test_whatever_a_file_holds_stays_text(block):
    shown = render.html([block])
    tags = Tags(shown)
    assert not tags.open
    assert not tags.seen & {"script", "img", "iframe", "link", "object"}
    assert not {name for name in tags.attributes if name.startswith("on")}
    assert "&lt;script&gt;" in shown
    assert not re.search("[\x00\x1b\u202e]", shown)


def test_blocks_are_for_terminals_too():
    for block in BLOCKS:
        assert render.text([block])


def test_a_page_loads_nothing_and_runs_nothing():
    shown = render.document(NASTY, NASTY, BLOCKS, [render.Section("one", NASTY, BLOCKS)], NASTY)
    tags = Tags(shown)
    assert not tags.open
    assert not tags.seen & {"script", "img", "link"}
    assert not tags.attributes & {"src", "style", "onclick"}
    assert set(re.findall(r'href="(.)', shown)) == {"#"}
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', shown)
    (style,) = re.findall("<style>(.*?)</style>", shown, re.DOTALL)
    known = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'")
    assert f"style-src 'sha256-{known}'" in policy
    assert "url(" not in style
    assert "@import" not in style


def test_bars_are_for_pages_alone():
    table = render.Table(("a", "n", ""), [("x", "1", render.Bar(0.5, 0.2, 0.7))])
    assert table.text() == "a  n\nx  1"
    assert table.html().count("<svg") == 1


@given(st.data())
def test_a_table_too_wide_for_a_terminal_is_broken_between_columns(data):
    heads = data.draw(st.lists(st.sampled_from(["rate", "interval", "a longer head"]), min_size=1))
    rows = data.draw(
        st.lists(st.tuples(*(st.text("0123456789", min_size=1, max_size=30) for _ in heads)))
    )
    lead = data.draw(st.text("abc", min_size=1, max_size=20))
    shown = render.Table((lead, *heads), [("name", *row) for row in rows]).text()
    parts = [part.split("\n") for part in shown.split("\n\n")]
    # Every part is the whole table in some of its columns, and nothing is lost or told twice.
    assert {len(part) for part in parts} == {1 + len(rows)}
    assert {part[0].split()[0] for part in parts} == {lead}
    for place, row in enumerate(rows, start=1):
        assert [cell for part in parts for cell in part[place].split()[1:]] == list(row)
    for part in parts:
        first, *others = part[0].removeprefix(lead).replace("a longer head", "rate").split()
        assert first != "interval" or part is parts[0]
        assert max(map(len, part)) <= render.WIDTH or set(others) <= {"interval"}


def test_a_long_name_is_short_on_a_terminal_and_whole_on_a_page():
    name = render.Name("a class with quite a long name")
    assert str(name) == "a class with quite a lo…"
    assert name.html() == "a class with quite a long name"


def test_the_louder_a_piece_the_stronger_its_mark():
    shown = render.highlighted([("a", 3.0), ("b", 1.5), ("c", 0.4), ("d", -3.0), ("e", 0.1)], 3.0)
    assert re.findall("(for|against)([1-3])", shown) == [
        ("for", "3"),
        ("for", "2"),
        ("for", "1"),
        ("against", "3"),
    ]
    assert render.highlighted([("a", 0.0)], 0.0) == "a"


def test_a_line_of_a_sentence_does_not_begin_with_a_percent_sign():
    assert sentence("99.3 % of `100 %`") == (
        '99.3\N{NO-BREAK SPACE}% of <code dir="auto">100\N{NO-BREAK SPACE}%</code>'
    )


def test_a_backtick_in_a_name_does_not_end_it():
    shown = render.html([f"labeled `{render.name('a `b` c')}`, said to be `{render.name('`')}`"])
    assert re.findall("<code[^>]*>(.*?)</code>", shown) == ["a ˋbˋ c", "ˋ"]
