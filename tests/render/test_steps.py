"""Charts of steps: a level line per step, bands and rows where the numbers say."""

import re
from xml.etree import ElementTree

import pytest

from likely.render import Table
from likely.render.steps import ChartStep, StepChart

SVG = "{http://www.w3.org/2000/svg}"


def chart(steps, curves=("yes",), note=""):
    return StepChart("`age`: log-odds", "age", "log-odds", curves, steps, Table((), []), note)


def step(name, rows, height, ends=None, reach=0.5):
    return ChartStep(name, rows, [height], [height - reach], [height + reach], ends)


def line(drawn):
    """The corners of the first curve."""
    (d,) = re.findall(r'class="line s0" d="([^"]*)"', drawn)
    return re.findall("[MHV][^MHV]*", d)


def test_a_curve_is_level_over_each_step():
    drawn = chart([step("0–4", 9, 1.0, (0, 4)), step("6–10", 3, -1.0, (6, 10))]).svg()
    start, across, down, end = line(drawn)
    # The steps meet in the middle between 4 and 6, which is the middle of the axis.
    assert (start[0], across, end) == ("M", "H210", "H420")
    high, low = float(start.split(",")[1]), float(down[1:])
    assert high < low
    boxes = [
        box.attrib
        for box in ElementTree.fromstring(drawn).iter(f"{SVG}rect")
        if "class" in box.attrib
    ]
    rows = [box for box in boxes if box["class"] == "rows"]
    assert [float(box["width"]) for box in rows] == [210, 210]
    assert float(rows[0]["height"]) == pytest.approx(3 * float(rows[1]["height"]), rel=0.01)
    bands = [box for box in boxes if box["class"].startswith("band")]
    middle = float(bands[0]["y"]) + float(bands[0]["height"]) / 2
    assert middle == pytest.approx(high, abs=0.02)


def test_missing_cells_stand_beside_the_number_line():
    steps = [step("0–4", 9, 1.0, (0, 4)), step("missing", 2, 2.0)]
    drawn = chart(steps).svg()
    assert ">missing</text>" in drawn
    assert [part[0] for part in line(drawn)] == ["M", "H", "M", "H"]
    assert ">missing</text>" not in chart(steps[:1]).svg()


def test_steps_that_could_not_be_seen_are_equally_wide():
    ends = [(0, 0), (1, 1), (2, 2), (3, 3), (1e6, 2e6)]
    drawn = chart([step(str(at), 5, float(at), at_ends) for at, at_ends in enumerate(ends)]).svg()
    assert "age (steps of equal width)" in drawn
    assert [part for part in line(drawn) if part[0] == "H"] == [
        "H84",
        "H168",
        "H252",
        "H336",
        "H420",
    ]
    assert ">1M</text>" in drawn


def test_categories_have_a_line_each():
    drawn = chart([step("red", 1200, 1.0), step("<b>", 3, -0.5)], note="`x` is not shown").svg()
    assert ">red</text>" in drawn
    assert ">1,200</text>" in drawn
    assert "&lt;b&gt;" in drawn
    assert "x is not shown." in drawn
    boxes = list(ElementTree.fromstring(drawn).iter(f"{SVG}rect"))[1:]
    assert [box.get("class") for box in boxes] == ["for", "against"]


def test_what_cannot_be_drawn_ends_at_the_frame():
    inf = float("inf")
    steps = [
        ChartStep("a", 2, [inf], [inf], [inf], (0, 1)),
        ChartStep("b", 2, [float("nan")], [-inf], [inf], (2, 3)),
        ChartStep("c", 0, [0.4], [0.1], [0.7], (4, 5)),
    ]
    for drawn in (chart(steps).svg(), chart(steps).html(), chart(steps[:1]).svg()):
        assert "nan" not in drawn
        assert "inf" not in drawn.replace("info", "")


def test_several_curves_have_a_legend_and_lines_for_intervals():
    steps = [ChartStep("a", 4, [1.0, -1.0], [0, -2], [2, 0], (0, 1))]
    drawn = chart(steps, ("yes", "no")).svg()
    assert ">yes</text>" in drawn
    assert drawn.count('class="line thin') == 2
    assert "band" not in drawn


def test_intervals_of_many_curves_and_steps_are_left_to_the_numbers():
    steps = [
        ChartStep(str(at), 4, [1.0, -1.0], [0, -9], [9, 0], (at, at + 0.5)) for at in range(30)
    ]
    drawn = chart(steps, ("yes", "no")).svg()
    assert "line thin" not in drawn
    assert "intervals" not in drawn
    assert "intervals" in chart(steps[:10], ("yes", "no")).svg()


def test_labels_have_as_many_digits_as_tell_them_apart():
    ends = [(1.516 + at / 10_000, 1.51601 + at / 10_000) for at in range(4)] + [(9.0, 19.0)]
    drawn = chart([step(str(at), 5, float(at), at_ends) for at, at_ends in enumerate(ends)]).svg()
    for label in ("1.516", "1.5161", "1.5162", "9"):
        assert f">{label}</text>" in drawn
