"""Multi-label rows with numbers and categories: each label against all rows without it."""

import numpy as np
import pytest

import likely
from likely.likelihoods.number_views import NumberView

N = 80
RANDOM = np.random.default_rng(3)
TABLE = {
    "a": RANDOM.normal(size=N).round(2),
    "b": np.where(RANDOM.random(N) < 0.1, np.nan, RANDOM.normal(size=N).round(1)),
    "u": RANDOM.choice(["red", "blue", "green"], size=N),
}
LABELS = [
    [label for label, p in zip("xyz", (a > 0, u == "red", 0.3), strict=True) if RANDOM.random() < p]
    for a, u in zip(TABLE["a"], TABLE["u"], strict=True)
]
VIEWS = likely.NumberViews().with_views(
    (
        NumberView("bins", ("a",), 2.0, "skip", 0.5),
        NumberView("bins", ("b",), 8.0, "value", 1.5),
        NumberView("shared", ("a", "b"), weight=0.25),
        NumberView("full", ("a", "b"), weight=0.75),
    )
)
LIKELIHOODS = [
    {"u": likely.Categorical(missing="value")},
    {("a", "b"): likely.Gaussian(), "u": likely.Categorical(m=2.0)},
    {("a", "b"): likely.Gaussian("full", m=2.0)},
    {("a", "b"): likely.Binned(), "u": likely.JointTable()},
    {("a", "b"): VIEWS},
]


def at(rows):
    return {name: column[rows] for name, column in TABLE.items()}


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=str)
def test_a_label_has_the_log_odds_of_a_model_of_that_label_alone(likelihood):
    found = likely.Classifier(likelihood).fit(TABLE, LABELS).predict_proba(TABLE)
    scores = np.log(found) - np.log1p(-found)
    for place, label in enumerate("xyz"):
        has = ["yes" if label in labels else "no" for labels in LABELS]
        alone = np.log(likely.Classifier(likelihood).fit(TABLE, has).predict_proba(TABLE))
        assert scores[:, place] == pytest.approx(alone[:, 1] - alone[:, 0], abs=1e-9)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=str)
def test_left_out_is_retrained_without(likelihood):
    loo = likely.Classifier(likelihood).fit(TABLE, LABELS, loo=True).loo
    for row in (0, 5, 33, 79):
        rest = np.delete(np.arange(N), row)
        model = likely.Classifier(likelihood).fit(at(rest), [LABELS[other] for other in rest])
        expected = model.predict_proba(at([row]))[0]
        assert loo.probabilities[row] == pytest.approx(expected, abs=1e-9)


def test_a_tuned_model_learns_forgets_and_comes_back():
    model = likely.Classifier().fit(TABLE, LABELS)
    again = likely.classifier.from_bytes(model.to_bytes())
    assert (again.predict_proba(TABLE) == model.predict_proba(TABLE)).all()
    before = model.tally
    model.update(at([0, 1]), [["x"], []]).forget(at([0, 1]), [["x"], []])
    assert model.tally == before
    right = (model.predict_proba(TABLE)[:, 0] > 0.5) == (TABLE["a"] > 0)
    assert right.mean() > 0.95


def test_contributions_add_up_and_a_row_can_be_left_out_of_them():
    texts = {**TABLE, "note": [" ".join(labels) or "none" for labels in LABELS]}
    model = likely.Classifier().fit(texts, LABELS)
    row = {name: column[3:4] for name, column in texts.items()}
    left_out, _ = model.explain_left_out(
        {n: column[3:5] for n, column in texts.items()}, LABELS[3:5]
    )
    whole = model.explain({name: cells[0] for name, cells in row.items()})
    for why, probabilities in (
        (whole, model.predict_proba(row)[0]),
        (left_out, model.leave_one_out(row, LABELS[3:4]).probabilities[0]),
    ):
        total = np.sum([one.scores for one in why.contributions], axis=0)
        odds = np.log(probabilities) - np.log1p(-probabilities)
        assert total == pytest.approx(odds, rel=1e-6)
        assert {"u"} in [set(one.columns) for one in why.contributions]


def test_texts_that_cannot_be_compared_with_the_rest_are_refused():
    with pytest.raises(likely.errors.OptionError, match="not for multi-label rows"):
        likely.Classifier({"u": likely.Bernoulli()}).fit(TABLE, LABELS)
