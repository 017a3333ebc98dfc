"""`likely plot` of default models: the shape of a column, regions and densities."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import likely


@pytest.fixture
def flowers(run, tmp_path):
    rng = np.random.default_rng(5)
    lines = ["length,width,color,kind"]
    for row in range(180):
        kind = row % 3
        length, width = rng.multivariate_normal([kind, 2 * kind], [[0.3, 0.2], [0.2, 0.4]])
        lines.append(f"{length:.2f},{width:.2f},{rng.choice(['red', 'blue'])},{'abc'[kind]}")
    (tmp_path / "flowers.csv").write_text("\n".join(lines) + "\n")
    run("train", "flowers.csv", "--target", "kind", "-o", "flowers.likely")
    return "flowers.likely"


def test_the_shape_of_a_column_is_printed_or_drawn(run, flowers, tmp_path):
    shape = likely.load(tmp_path / flowers).shape("width")
    out, _ = run("plot", flowers, "--column", "width")
    assert out == f"{shape}\n"
    out, _ = run("plot", flowers, "--column", "width", "--json")
    assert json.loads(out) == shape.to_json()
    run("plot", flowers, "--column", "width", "-o", "width.svg")
    drawn = (tmp_path / "width.svg").read_text()
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == shape.chart().svg()
    out, _ = run("plot", flowers, "--column", "color", "-o", "color.svg", "--json")
    assert json.loads(out)["picture"] == "color.svg"


def test_a_default_model_is_drawn_itself(run, flowers, tmp_path):
    run("plot", flowers, "flowers.csv", "--columns", "length,width", "-o", "regions.svg")
    drawn = (tmp_path / "regions.svg").read_text()
    model = likely.load(tmp_path / flowers)
    gaussians = model.estimates["length", "width"].gaussians
    assert gaussians
    assert drawn.count('class="ellipse"') == 3
    assert f"Ellipses: where {max(gaussians)} expects 95 % of a class." in drawn
    run("plot", flowers, "flowers.csv", "-o", "densities.svg")
    drawn = (tmp_path / "densities.svg").read_text()
    assert drawn.count("<title>length</title>") == drawn.count("<title>width</title>") == 1
    assert drawn.count('class="likely-curve"') == 6


def test_an_ellipse_holds_95_of_100_rows(run, flowers, tmp_path):
    """Mahalanobis distances of the rows from the mean of their class, by NumPy."""
    estimates = likely.load(tmp_path / flowers).estimates["length", "width"].gaussians
    found = next(iter(estimates.values()))
    rows = np.genfromtxt(tmp_path / "flowers.csv", delimiter=",", skip_header=1, usecols=(0, 1))
    away = rows - found.means[np.arange(len(rows)) % 3]
    covariances = np.broadcast_to(found.covariances, (3, 2, 2))[np.arange(len(rows)) % 3]
    squared = np.einsum("ij,ijk,ik->i", away, np.linalg.inv(covariances), away)
    assert (squared < -2 * np.log(0.05)).mean() == pytest.approx(0.95, abs=0.04)


@pytest.mark.parametrize("model", ["qda", "lda", "gaussian"])
def test_the_ellipses_of_naive_bayes_lie_along_the_axes(run, flowers, tmp_path, model):
    given = ["--target", "kind", "--model", model, "--drop-column", "color"]
    run("train", "flowers.csv", *given, "-o", f"{model}.likely")
    run("plot", f"{model}.likely", "flowers.csv", "--columns", "length,width", "-o", "x.svg")
    drawn = ElementTree.parse(tmp_path / "x.svg")
    name = {"gaussian": "Gaussian NB"}.get(model, model.upper())
    along = ", along the axes" if model == "gaussian" else ""
    text = " ".join("".join(drawn.getroot().itertext()).split())
    assert f"Ellipses: where {name} expects 95 % of a class{along}." in text
    lines = [path.get("d") for path in drawn.iter() if path.get("class") == "ellipse"]
    assert len(lines) == 3
    for line in lines:
        points = np.array(re.findall(r"(-?[\d.]+),(-?[\d.]+)", line), float)
        (a, b), (_, d) = np.cov(points[1:], rowvar=False)
        slant = b / np.sqrt(a * d)
        assert abs(slant) < 0.05 if model == "gaussian" else slant < -0.3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--column", "height"], "the model has no column `height`"),
        (["flowers.csv", "--column", "width"], "--column takes no DATA"),
        (["--column", "width", "--columns", "length,width"], "--column takes no --columns"),
        ([], "missing argument 'DATA'"),
        (["flowers.csv"], "missing option '-o'"),
        (["flowers.csv", "-o", "x.svg", "--columns", "length,color"], "no numeric column `color`"),
    ],
)
def test_what_cannot_be_drawn_is_said(run, flowers, given, said):
    code = 3 if "the model" in said or "numeric" in said else 2
    _, err = run("plot", flowers, *given, code=code)
    assert said in err
