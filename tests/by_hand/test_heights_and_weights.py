"""Heights and weights of two groups: four Gaussians, three ways to bound them."""

import importlib.util
import itertools
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import likely
from likely.render.plot import decision_regions
from tests import bundled

# Centimetres and kilograms.
TABLE, Y = bundled.table("heights.csv", float)
X = np.column_stack(list(TABLE.values()))
FIRST, SECOND = X[:5], X[5:]
COLUMNS = ("height", "weight")

QDA, NAIVE, LDA = likely.Gaussian("full"), likely.Gaussian(), likely.Gaussian("shared")
THREE = {"QDA": QDA, "Gaussian NB": NAIVE, "LDA": LDA}
SVG = "{http://www.w3.org/2000/svg}"


def fitted(likelihood):
    return likely.Classifier(likelihood).fit(TABLE, Y)


def log_odds(model, points):
    joint = model.log_joint(points)
    return joint[:, 0] - joint[:, 1]


@pytest.mark.parametrize(
    ("likelihood", "numbers"), [(QDA, 10), (NAIVE, 8), (LDA, 7)], ids=["QDA", "NB", "LDA"]
)
def test_two_groups_and_two_columns_take_so_many_numbers(likelihood, numbers):
    found = fitted(likelihood).parameters
    assert (found.likelihood, found.prior, found.free) == (numbers, 2, numbers + 1)


@pytest.mark.parametrize(("d", "k"), [*itertools.product([1, 2, 3, 7], [2, 3, 5])])
def test_the_general_formulas(d, k):
    rng = np.random.default_rng(d * k)
    x, y = rng.normal(size=(20 * k, d)), np.arange(20 * k) % k
    formulas = {
        QDA: d * k + d * (d + 1) // 2 * k,
        LDA: d * k + d * (d + 1) // 2,
        NAIVE: 2 * d * k,
    }
    for likelihood, numbers in formulas.items():
        assert likely.Classifier(likelihood).fit(x, y).parameters.likelihood == numbers


def test_each_group_and_column_has_its_gaussian():
    (found,) = fitted(NAIVE).estimates.values()
    assert found.columns == COLUMNS
    for place, group in enumerate((FIRST, SECOND)):
        assert found.means[place] == pytest.approx(np.mean(group, axis=0))
        assert found.deviations[place] == pytest.approx(np.std(group, axis=0))


def test_height_and_weight_go_together_in_each_group():
    (found,) = fitted(QDA).estimates.values()
    for place, group in enumerate((FIRST, SECOND)):
        assert found.covariances[place] == pytest.approx(np.cov(np.transpose(group)))
        assert found.correlations[place, 0, 1] > 0.7
    (shared,) = fitted(LDA).estimates.values()
    assert shared.covariances[0] == pytest.approx(found.covariances.mean(axis=0))


def differences(model, direction, order):
    """Of the log-odds at even steps along a line, the differences of some order."""
    steps = np.arange(-4, 5)[:, None]
    return np.diff(log_odds(model, [172.0, 70.0] + 2.0 * steps * direction), order)


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, -2.0)], ids=str)
def test_the_log_odds_are_linear_for_lda_and_quadratic_for_the_others(direction):
    direction = np.array(direction)
    first = differences(fitted(LDA), direction, 1)
    assert np.abs(first).min() > 0.05
    assert np.abs(differences(fitted(LDA), direction, 2)).max() < 1e-11
    for likelihood in (QDA, NAIVE):
        model = fitted(likelihood)
        assert np.abs(differences(model, direction, 2)).min() > 1e-3
        assert np.abs(differences(model, direction, 3)).max() < 1e-11


def test_only_covariances_mix_height_with_weight():
    corners = np.array([[170.0, 65.0], [170.0, 75.0], [180.0, 65.0], [180.0, 75.0]])

    def mixed(model):
        low, up, right, both = log_odds(model, corners)
        return low - up - right + both

    assert mixed(fitted(NAIVE)) == pytest.approx(0, abs=1e-11)
    assert mixed(fitted(LDA)) == pytest.approx(0, abs=1e-11)
    assert abs(mixed(fitted(QDA))) > 0.05


def borders(picture):
    """The lines between the classes, panel by panel: an array of points each."""
    found = {}
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        title = group.findtext(f"{SVG}title")
        for path in group.findall(f"{SVG}path"):
            if path.get("class") == "likely-border":
                lines = [line.rstrip("Z").split("L") for line in path.get("d").split("M")[1:]]
                found[title] = [
                    np.array([pair.split(",") for pair in line], dtype=float) for line in lines
                ]
    return found


def bend(line):
    """How far points lie from the straight line that fits them best, in pixels."""
    return np.linalg.svd(line - line.mean(axis=0))[1][1] / np.sqrt(len(line))


def test_a_plot_shows_the_three_side_by_side():
    models = {title: fitted(likelihood) for title, likelihood in THREE.items()}
    picture = decision_regions(models, X, Y, columns=COLUMNS)
    drawn = borders(picture)
    assert list(drawn) == ["QDA", "Gaussian NB", "LDA"]
    (line,) = drawn["LDA"]
    assert bend(line) < 0.02
    (ellipse,) = drawn["Gaussian NB"]
    assert bend(ellipse) > 1
    # The second branch of its hyperbola is in a corner.
    assert len(drawn["QDA"]) == 2
    text = "".join(ElementTree.fromstring(picture).itertext())
    for word in (*THREE, "height", "weight", "first", "second"):
        assert word in text
    assert decision_regions(models, X, Y, columns=COLUMNS) == picture


def test_the_picture_of_the_lesson_is_what_the_example_draws(root):
    """A line for LDA, and curves for the others."""
    file = root / "examples" / "heights_and_weights.py"
    spec = importlib.util.spec_from_file_location("heights", file)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    shown = (root / "docs" / "pictures" / "heights-and-weights.svg").read_text("utf-8")
    for picture in (example.picture(), shown):
        drawn = borders(picture)
        assert list(drawn) == list(example.MODELS)
        bends = {title: max(map(bend, lines)) for title, lines in drawn.items()}
        assert bends["LDA"] < 0.02
        assert min(bends["QDA"], bends["Gaussian Naive Bayes"]) > 0.2
