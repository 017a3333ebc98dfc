"""Pictures are read as a browser reads them: as XML, with coordinates in pixels."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likely.errors import DataError, OptionError
from likely.render.plot import Ellipses, class_densities, decision_regions
from likely.render.plot.contours import contours
from likely.render.svg import Axis, path

SVG = "{http://www.w3.org/2000/svg}"
AWKWARD = "a<b & \"c\", 'd'"


class Gaussians:
    """QDA by its closed form; shared or diagonal covariances make it LDA or naive."""

    def __init__(self, x, y, kind):
        self.classes = tuple(sorted(set(y)))
        members = [x[[label == own for label in y]] for own in self.classes]
        self.means = [rows.mean(axis=0) for rows in members]
        self.priors = [len(rows) / len(x) for rows in members]
        spreads = [np.cov(rows.T) + 1e-9 * np.eye(2) for rows in members]
        if kind == "naive":
            spreads = [np.diag(np.diag(spread)) for spread in spreads]
        if kind == "lda":
            shared = sum(p * spread for p, spread in zip(self.priors, spreads, strict=True))
            spreads = [shared] * len(spreads)
        self.spreads = spreads

    def predict_proba(self, rows):
        scores = []
        for mean, prior, spread in zip(self.means, self.priors, self.spreads, strict=True):
            away = rows - mean
            distance = np.sum(away @ np.linalg.inv(spread) * away, axis=1)
            scores.append(np.log(prior) - 0.5 * (np.linalg.slogdet(spread)[1] + distance))
        odds = np.exp(np.array(scores) - np.max(scores, axis=0))
        return (odds / odds.sum(axis=0)).T


class Undecided:
    """Gives each class the same probability everywhere; all are equal unless told otherwise."""

    def __init__(self, *classes, probabilities=None):
        self.classes = classes
        self.probabilities = probabilities or [1 / len(classes)] * len(classes)

    def predict_proba(self, rows):
        return np.tile(self.probabilities, (len(rows), 1))


def clouds(n_rows=60, labels=("ham", "spam"), seed=0):
    rng = np.random.default_rng(seed)
    x, y = [], []
    for place, label in enumerate(labels):
        shape = np.array([[1.0, 0.6 * (-1) ** place], [0.0, 0.5 + 0.4 * place]])
        x.append(rng.normal(size=(n_rows, 2)) @ shape + 3 * rng.normal(size=2))
        y += [label] * n_rows
    return np.concatenate(x), y


def three(x, y):
    return {
        "QDA": Gaussians(x, y, "qda"),
        "Gaussian NB": Gaussians(x, y, "naive"),
        "LDA": Gaussians(x, y, "lda"),
    }


def densities(x, y, columns, classes):
    members = [x[[label == own for label in y]] for own in classes]
    means = [np.nanmean(rows, axis=0) for rows in members]
    deviations = [np.nanstd(rows, axis=0) for rows in members]
    return class_densities(columns, means, deviations, x, y, classes)


def parsed(picture):
    return ElementTree.fromstring(picture)


def caption(picture):
    return parsed(picture).findtext(f"{SVG}desc")


def panel(picture, title):
    groups = parsed(picture).iter(f"{SVG}g")
    return next(
        group
        for group in groups
        if group.findtext(f"{SVG}title") == title and group.get("transform")
    )


def strokes(element, kind):
    """Each line of the paths of a kind, as an array of points."""
    lines = []
    for found in element.iter(f"{SVG}path"):
        if found.get("class") == kind:
            for line in found.get("d").split("M")[1:]:
                pairs = line.rstrip("Z").split("L")
                lines.append(np.array([pair.split(",") for pair in pairs], dtype=float))
    return lines


def tints(picture):
    """The colours of the territories, in the order of painting."""
    return [p.get("fill") for p in parsed(picture).iter(f"{SVG}path") if p.get("fill-rule")]


def dots(picture):
    """The class and the pixels of every dot."""
    uses = [use for use in parsed(picture).iter(f"{SVG}use") if use.get("x")]
    places = np.array([(float(use.get("x")), float(use.get("y"))) for use in uses])
    return np.array([int(use.get("href").rpartition("-")[2]) for use in uses]), places


def from_pixels(panel):
    """How the tick labels of a panel turn its pixels into values, one line per axis."""
    lines = []
    for anchor, coordinate in (("middle", "x"), ("end", "y")):
        ticks = [
            (float(text.get(coordinate)), float(text.text.replace("−", "-")))
            for text in panel.iter(f"{SVG}text")
            if text.get("text-anchor") == anchor and text.get("font-size") == "11"
        ]
        lines.append(np.polynomial.Polynomial.fit(*np.array(ticks).T, 1))
    # Tick labels on the left stand a little lower than their ticks.
    return lambda points: np.column_stack([lines[0](points[:, 0]), lines[1](points[:, 1] + 3.8)])


def bend(points):
    """How far points lie from the straight line that fits them best."""
    return np.linalg.svd(points - points.mean(axis=0))[1][1] / np.sqrt(len(points))


def area(line):
    """What lies between a line of a density chart and its ground."""
    height = 150 - line[:, 1]
    return np.sum(np.diff(line[:, 0]) * (height[1:] + height[:-1]) / 2)


def test_the_border_of_lda_is_straight_and_that_of_qda_is_not():
    x, y = clouds()
    picture = decision_regions(three(x, y), x, y)
    (line,) = strokes(panel(picture, "LDA"), "likely-border")
    assert bend(line) < 0.02
    assert np.hypot(*(line[-1] - line[0])) > 200
    assert max(map(bend, strokes(panel(picture, "QDA"), "likely-border"))) > 2


@pytest.mark.parametrize("title", ["QDA", "Gaussian NB", "LDA"])
def test_borders_run_where_two_classes_are_equally_likely(title):
    x, y = clouds()
    models = three(x, y)
    picture = decision_regions({title: models[title]}, x, y)
    found = panel(picture, title)
    border = np.concatenate(strokes(found, "likely-border"))
    assert models[title].predict_proba(from_pixels(found)(border)) == pytest.approx(0.5, abs=0.02)


def test_dots_stand_where_their_rows_are_in_every_panel():
    x, y = clouds()
    picture = decision_regions(three(x, y), x, y)
    codes, places = dots(picture)
    assert [("ham", "spam")[code] for code in codes] == y
    assert from_pixels(panel(picture, "QDA"))(places) == pytest.approx(x, abs=0.02)
    named = [group.get("id") for group in parsed(picture).iter(f"{SVG}g") if group.get("id")]
    shown = [use.get("href") for use in parsed(picture).iter(f"{SVG}use") if not use.get("x")]
    assert shown == [f"#{named[0]}"] * 3


def test_rows_with_a_missing_value_have_no_dot():
    x, y = clouds()
    models = three(x, y)
    x[3, 0] = x[70, 1] = np.nan
    codes, _ = dots(decision_regions(models, x, y))
    assert np.bincount(codes).tolist() == [59, 59]


def test_of_many_rows_an_even_choice_is_drawn_and_no_class_is_lost():
    x, y = clouds(2500)
    x, y = np.vstack([x, [[0, 0], [1, 1]]]), [*y, "rare", "rare"]
    picture = decision_regions(three(x, y), x, y)
    codes, _ = dots(picture)
    assert 2000 <= len(codes) <= 2003
    counts = np.bincount(codes)
    assert counts[1] > 0
    assert abs(int(counts[0]) - int(counts[2])) <= 1
    assert f"{len(codes):,} of 5,002 rows" in caption(picture)
    assert len(picture) < 300_000


def test_far_outliers_are_counted_and_do_not_shrink_the_rest():
    x, y = clouds()
    models = three(x, y)
    _, places = dots(decision_regions(models, x, y))
    x, y = np.vstack([x, [[1e6, 0], [0, -1e9]]]), [*y, "ham", "spam"]
    picture = decision_regions(models, x, y)
    assert "Outside the frame: 2 rows" in caption(picture)
    assert dots(picture)[1].tolist() == places.tolist()


@pytest.mark.parametrize(("variance", "is_whole"), [(1.0, True), (100.0, False)])
def test_an_axis_grows_for_an_ellipse_but_not_for_any(variance, is_whole):
    x, y = clouds()
    model = three(x, y)["LDA"]
    span = np.ptp(x, axis=0)
    # Its ellipse ends a tenth of the span beyond the rows.
    means = np.array([x.min(axis=0) + 0.75 * span, [np.nan, 0.0]])
    given = Ellipses(means, np.diag(span**2 / 49) * variance)
    without = decision_regions({"LDA": model}, x, y)
    picture = decision_regions({"LDA": model}, x, y, ellipses={"LDA": given})
    (line,) = strokes(panel(picture, "LDA"), "ellipse")
    assert ((line >= 0) & (line <= 280)).all() == is_whole
    before, after = (np.ptp(dots(each)[1], axis=0) for each in (without, picture))
    assert (0.66 * before < after).all()
    assert (after < 0.95 * before).all()
    assert from_pixels(panel(picture, "LDA"))(dots(picture)[1]) == pytest.approx(x, abs=0.05)


def test_models_may_order_their_classes_as_they_like():
    x, y = clouds(labels=("a", "b", "c"))
    model, other = Gaussians(x, y, "qda"), Gaussians(x, y, "qda")
    for name in ("classes", "means", "priors", "spreads"):
        setattr(other, name, getattr(other, name)[::-1])
    picture = decision_regions({"one": model, "two": other}, x, y)

    def shapes(title):
        return [(p.get("d"), p.get("fill")) for p in panel(picture, title).iter(f"{SVG}path")][:9]

    assert len(set(shapes("one"))) == 9
    assert shapes("one") == shapes("two")


def test_where_classes_tie_the_first_is_on_top_and_nothing_is_a_border():
    picture = decision_regions({"?": Undecided(0, 1)}, [[0, 0], [1, 1]], [0, 1])
    alone = decision_regions({"?": Undecided(0)}, [[0, 0], [1, 1]], [0, 0])
    assert len(tints(picture)) == 2
    assert tints(picture)[-1] == tints(alone)[0]
    assert strokes(panel(picture, "?"), "likely-border") == []


@pytest.mark.parametrize(("largest", "n_tints"), [(0.4, 1), (0.8, 2), (0.96, 3)])
def test_the_likeliest_class_has_the_ground_and_deeper_tints_when_it_is_sure(largest, n_tints):
    rest = 1 - largest
    model = Undecided(0, 1, 2, probabilities=[0.6 * rest, largest, 0.4 * rest])
    found = tints(decision_regions({"?": model}, [[0, 0], [1, 1]], [0, 1]))
    other = Undecided(0, 1, 2, probabilities=[0, 1, 0])
    assert found == tints(decision_regions({"?": other}, [[0, 0], [1, 1]], [0, 1]))[:n_tints]
    assert len(found) == n_tints


def test_twenty_classes_have_twenty_marks():
    labels = [f"class {number:02}" for number in range(20)]
    x, y = clouds(10, labels)
    picture = decision_regions({"LDA": Gaussians(x, y, "lda")}, x, y)
    marks = {
        (path.get("d"), path.get("fill"))
        for path in parsed(picture).find(f"{SVG}defs").iter(f"{SVG}path")
    }
    assert len(marks) == 20
    assert len(picture) < 300_000


def test_a_column_of_equal_values_is_drawn():
    x, y = clouds()
    x[:, 1] = 7
    picture = decision_regions({"NB": Gaussians(x, y, "naive")}, x, y)
    _, places = dots(picture)
    assert set(places[:, 1]) == {140.0}
    assert from_pixels(panel(picture, "NB"))(places) == pytest.approx(x, abs=0.02)


def test_panels_beyond_three_start_a_new_row():
    models = {str(place): Undecided("a", "b") for place in range(4)}
    picture = decision_regions(models, [[0, 0], [1, 1]], ["a", "b"])
    places = [re.findall(r"[\d.]+", panel(picture, title).get("transform")) for title in models]
    assert places[3][0] == places[0][0]
    assert len({left for left, _ in places}) == 3
    assert len({top for _, top in places}) == 2


def test_titles_labels_and_columns_may_hold_any_character():
    x, y = clouds(labels=(AWKWARD, "plain"))
    picture = decision_regions({AWKWARD: Gaussians(x, y, "lda")}, x, y, columns=("<x>", AWKWARD))
    root = parsed(picture)
    assert root.get("role") == "img"
    assert AWKWARD in root.findtext(f"{SVG}title")
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts.count(AWKWARD) == 3
    assert "<x>" in texts


@given(label=st.text(st.characters(codec=None), min_size=1, max_size=60))
@settings(max_examples=60)
def test_any_label_makes_a_sound_file(label):
    picture = class_densities(
        [label], [[0], [1]], [[1], [1]], [[0.0], [1.0]], [label, 1], (label, 1)
    )
    root = ElementTree.fromstring(picture.encode("utf-8"))
    titles = (group.findtext(f"{SVG}title") for group in root.iter(f"{SVG}g"))
    shown = next(title for title in titles if title is not None)
    for found, meant in zip(shown, " ".join(label.split()), strict=True):
        assert found in (meant, "\N{REPLACEMENT CHARACTER}")


def test_long_labels_are_shortened_but_told_in_full():
    long = "a label that goes on and on until nobody can read it any more"
    picture = class_densities(
        ["x"], [[0], [1]], [[1], [1]], [[0.0], [1.0]], [long, "b"], (long, "b")
    )
    texts = [text.text for text in parsed(picture).iter(f"{SVG}text")]
    assert long not in texts
    assert any(text.endswith("…") and long.startswith(text[:-1]) for text in texts)
    assert long in [title.text for title in parsed(picture).iter(f"{SVG}title")]


def test_the_same_input_gives_the_same_bytes():
    x, y = clouds(labels=("a", "b", "c"))
    assert decision_regions(three(x, y), x, y) == decision_regions(
        three(x.copy(), y), x.tolist(), y
    )
    columns, classes = ["u", "v"], ("a", "b", "c")
    first = densities(x, y, columns, classes)
    assert first == densities(x.copy(), np.array(y), columns, classes)


def test_two_figures_on_a_page_do_not_share_names():
    x, y = clouds()
    model = {"LDA": Gaussians(x, y, "lda")}
    pictures = decision_regions(model, x, y), decision_regions(model, x, y, size=200)
    names = [set(re.findall(r'id="([^"]+)"', picture)) for picture in pictures]
    assert names[0]
    assert not names[0] & names[1]


def test_curves_peak_at_the_mean_and_cover_the_area_of_their_bars():
    x, y = clouds(2000)
    picture = densities(x, y, ["u", "v"], ("ham", "spam"))
    for place, column in enumerate(("u", "v")):
        found = panel(picture, column)
        ticks = np.array(
            [
                (float(text.get("x")), float(text.text.replace("−", "-")))
                for text in found.iter(f"{SVG}text")
                if text.get("text-anchor") == "middle"
            ]
        )
        value = np.polynomial.Polynomial.fit(*ticks.T, 1)
        curves, bars = strokes(found, "likely-curve"), strokes(found, "likely-bars")
        assert len(curves) == len(bars) == 2
        for label, curve, bar in zip(("ham", "spam"), curves, bars, strict=True):
            own = x[[label == row for row in y], place]
            peak = value(curve[curve[:, 1].argmin(), 0])
            assert peak == pytest.approx(own.mean(), abs=0.1 * own.std())
            assert area(curve) == pytest.approx(area(bar), rel=0.02)


@pytest.mark.parametrize("deviation", [0.0, 1e-300, 1e-9])
def test_a_gaussian_without_width_is_a_vertical_line(deviation):
    x = np.column_stack([np.full(6, 5.0), [5.0, 5, 5, 1, 2, 3]])
    means, deviations = [[5, 5], [5, 2]], [[deviation, deviation], [deviation, 1.0]]
    picture = class_densities(["equal", "half"], means, deviations, x, [0, 0, 0, 1, 1, 1], (0, 1))
    equal = strokes(panel(picture, "equal"), "likely-curve")
    assert [set(line[:, 0]) for line in equal] == [{140.0}, {140.0}]
    assert equal[0][:, 1].min() < equal[1][:, 1].min()
    bell, line = strokes(panel(picture, "half"), "likely-curve")
    assert len(line) == 2
    assert len(bell) > 20
    assert np.ptp(bell[:, 1]) > 50


@pytest.mark.parametrize(
    ("means", "n_curves"), [([[0.0], [4.0]], 2), ([[0.0], [np.nan]], 1), ([[0.0], [1e9]], 2)]
)
def test_a_class_without_values_shows_its_gaussian_if_it_has_one(means, n_curves):
    x = [[-1.0], [0.0], [1.0], [np.nan]]
    picture = class_densities(["u"], means, [[1.0], [1.0]], x, ["a", "a", "a", "b"], ("a", "b"))
    assert len(strokes(panel(picture, "u"), "likely-curve")) == n_curves


def test_a_column_without_any_value_is_empty():
    x = [[1.0, np.nan], [2.0, np.nan]]
    nothing = [[1.0, np.nan], [2.0, np.nan]]
    picture = class_densities(["u", "v"], nothing, nothing, x, ["a", "b"], ("a", "b"))
    assert len(strokes(panel(picture, "u"), "likely-curve")) == 2
    assert strokes(panel(picture, "v"), "likely-curve") == []


@pytest.mark.parametrize("far", [60, 200, -1e9])
def test_nothing_leaves_the_chart_when_a_mean_is_far_from_the_rows(far):
    x = [[0.0], [1.0], [2.0], [3.0]]
    picture = class_densities(["u"], [[1], [far]], [[1], [20]], x, ["a", "a", "b", "b"], ("a", "b"))
    found = panel(picture, "u")
    lines = np.concatenate(strokes(found, "likely-curve") + strokes(found, "likely-bars"))
    assert lines.min() >= 0
    assert lines[:, 0].max() <= 280
    assert lines[:, 1].max() <= 150


def test_the_contour_of_a_hill_is_a_closed_circle():
    side = np.linspace(-2, 2, 81)
    (line,) = contours(1 - side[:, None] ** 2 - side**2, side, side)
    assert line[0].tolist() == line[-1].tolist()
    assert np.hypot(*line.T) == pytest.approx(1, abs=1e-3)
    assert len(line) > 100


@pytest.mark.parametrize(("high", "low", "side"), [(3.0, -1.0, 1.0), (1.0, -3.0, 0.0)])
def test_at_a_saddle_the_middle_decides_which_corners_join(high, low, side):
    field = np.array([[high, low], [low, high]])
    lines = contours(field, np.arange(2.0), np.arange(2.0))
    assert len(lines) == 2
    (from_below,) = [line for line in lines if 0 in line[:, 1]]
    assert side in from_below[:, 0]


def test_a_simplified_line_stays_within_a_hair_of_the_full_one():
    angle = np.linspace(0, 2 * np.pi, 2001)
    circle = 100 * np.column_stack([np.cos(angle), np.sin(angle)])
    written = path(circle, closed=True)
    points = np.array([pair.split(",") for pair in written.strip("MZ").split("L")], dtype=float)
    assert 50 < len(points) < 500
    middles = (points + np.roll(points, 1, axis=0)) / 2
    assert np.hypot(*middles.T) == pytest.approx(100, abs=0.07)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.1, 9.7, ["2", "4", "6", "8"]),
        (-0.31, 0.29, ["−0.3", "−0.2", "−0.1", "0.0", "0.1", "0.2"]),
        (9_000, 31_000, ["10,000", "15,000", "20,000", "25,000", "30,000"]),
        (-1e7, 2.1e7, ["−10M", "0", "10M", "20M"]),
        (0, 1.5e6, ["0", "0.5M", "1M", "1.5M"]),
        (0, 4e17, ["0", "1e17", "2e17", "3e17", "4e17"]),
        (0, 4.4e-7, ["0", "1e−7", "2e−7", "3e−7", "4e−7"]),
        (1e9 - 1, 1e9 + 1, ["999999999", "1000000000", "1000000001"]),
    ],
)
def test_ticks_are_round(low, high, labels):
    assert [label for _, label in Axis(low, high, 0, 280).ticks()] == labels


X, Y = [[0.0, 1.0], [2.0, 3.0]], ["a", "b"]
MODEL = Undecided("a", "b")


class Careless(Undecided):
    def predict_proba(self, rows):
        return super().predict_proba(rows)[:, :1]


@pytest.mark.parametrize(
    ("panels", "x", "y", "options", "message"),
    [
        ({}, X, Y, {}, "no model"),
        ({"m": MODEL}, [0.0, 1.0], Y, {}, "x should be n × 2, not 2"),
        ({"m": MODEL}, [[0.0], [1.0]], Y, {}, "x should be n × 2, not 2 × 1"),
        ({"m": MODEL}, [["u", "v"]], Y, {}, "matrix of numbers"),
        ({"m": MODEL}, X, ["a"], {}, "labels have 1 rows but values have 2"),
        ({"m": MODEL}, X, ["a", "z"], {}, "label `z` is not among the classes"),
        ({"m": MODEL}, X, ["a", ["b"]], {}, "is not among the classes"),
        ({"m": MODEL}, [[0.0, 1.0], [2.0, np.inf]], Y, {}, "row 2 of x has inf in column 2"),
        ({"m": MODEL}, [[0.0, np.nan], [np.nan, 1.0]], Y, {}, "no row with both values"),
        ({"m": MODEL}, np.empty((0, 2)), [], {}, "no row with both values"),
        ({"m": MODEL}, X, Y, {"columns": ("u",)}, "two columns, not 1"),
        ({"m": MODEL, "n": Undecided("a", "c")}, X, Y, {}, "model `n` has other classes"),
        ({"m": Careless("a", "b")}, X, Y, {}, "model `m` gives no probability"),
    ],
)
def test_regions_refuse_what_cannot_be_drawn(panels, x, y, options, message):
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        decision_regions(panels, x, y, **options)
    assert not str(caught.value).endswith(".")
    assert str(caught.value)[0].islower()


def test_a_panel_has_a_sensible_size():
    with pytest.raises(OptionError, match="not 5"):
        decision_regions({"m": MODEL}, X, Y, size=5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": []}, "no column"),
        ({"classes": ()}, "no classes"),
        ({"means": [[0, 0]]}, "means should be 2 × 2, not 1 × 2"),
        ({"deviations": 1}, "deviations should be 2 × 2, not a single number"),
        ({"deviations": [[1, 1], [1, -2]]}, "not negative, as -2 is"),
        ({"means": [[0, -np.inf], [1, 1]]}, "row 1 of means has -inf in column 2"),
        ({"x": [[0.0], [1.0]]}, "x should be n × 2, not 2 × 1"),
        ({"x": [[np.nan, np.nan], [np.nan, np.nan]]}, "x has no value"),
        ({"y": ["a", "z"]}, "label `z` is not among the classes"),
        ({"y": ["a", "b", "b"]}, "labels have 3 rows but values have 2"),
    ],
)
def test_densities_refuse_what_cannot_be_drawn(changes, message):
    given = {
        "columns": ["u", "v"],
        "means": [[0, 0], [1, 1]],
        "deviations": [[1, 1], [1, 1]],
        "x": X,
        "y": Y,
        "classes": ("a", "b"),
    }
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        class_densities(**{**given, **changes})
    assert not str(caught.value).endswith(".")
    assert str(caught.value)[0].islower()
