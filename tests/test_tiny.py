"""The tiny twin says what the library says."""

import csv
import importlib.util

import pytest

import likely
from likely.examples import path


@pytest.fixture(scope="module")
def rows():
    with open(path("gullpoint.csv"), newline="", encoding="utf-8") as file:
        return [(row["text"], row["office"]) for row in csv.DictReader(file)][:60]


@pytest.fixture(scope="module")
def tiny(pytestconfig):
    path = pytestconfig.rootpath / "examples" / "tiny.py"
    spec = importlib.util.spec_from_file_location("tiny", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # The twin cuts words at every apostrophe; what is compared here is the algebra.
    module.words = lambda text: likely._kernel.words(text, True)
    return module


def test_scores_and_leave_one_out_agree(tiny, rows):
    tally = sum((tiny.observe(*row) for row in rows), tiny.Tally())
    texts, labels = zip(*rows, strict=True)
    model = likely.Classifier(likely.Multinomial()).fit(texts, labels, loo=True)
    for text in ["the ferry is late", "my umbrella was lost in the library", ""]:
        expected = [score for _, score in sorted(tiny.scores(tally, text).items())]
        assert model.log_joint([text])[0] == pytest.approx(expected, rel=1e-12)
    assert model.loo.accuracy == tiny.leave_one_out(rows)


def test_the_algebra(tiny):
    a, b = tiny.observe("red fish", "x"), tiny.observe("blue fish", "y")
    assert a + b == b + a
    assert (a + b) - b == a
    with pytest.raises(ValueError, match="never learned"):
        _ = a - b
