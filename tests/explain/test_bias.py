"""What speaks before a row is looked at: the prior, and beside it the bias of a tuned model."""

from dataclasses import replace

import numpy as np
import pytest

import likely
from likely.examples import path
from likely.model.target import MultiLabel
from likely.model.target.thresholds import ThresholdCriterion

GULLPOINT = path("gullpoint.csv")


@pytest.fixture(scope="module")
def town():
    return likely.open_table(GULLPOINT)


@pytest.fixture(scope="module")
def model(town):
    return likely.Classifier().fit(town, "office")


def named(evidence):
    return {term.name: term.scores for term in evidence.contributions}


@pytest.mark.parametrize("prior", ["empirical", "uniform"])
def test_the_prior_of_a_tuned_model_is_shown_without_its_bias(model, prior):
    other = model.with_prior(prior)
    found = named(other.explain({"text": "the ferry is late"}))
    sizes = np.array([other.info.rows[label] for label in other.classes])
    shares = sizes / sizes.sum() if prior == "empirical" else np.full(len(sizes), 1 / len(sizes))
    assert found["prior"] == pytest.approx(np.log(shares))
    assert found["bias (tuned)"] == pytest.approx([model.tuning.bias[c] for c in model.classes])


def test_prior_and_bias_add_up_with_the_rest_to_the_probabilities(model):
    why = model.explain({"text": "the ferry is late", "hour": 9})
    scores = np.sum([term.scores for term in why.contributions], axis=0)
    expected = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    assert expected == pytest.approx(why.probabilities)


def test_a_row_that_is_left_out_has_prior_and_bias_apart(model, town):
    rows = {name: [None] for name in model.columns} | {"text": ["a boat"]}
    grown = likely.Classifier().fit(town, "office").update(rows, ["harbour"])
    (why,) = grown.explain_left_out(rows, ["harbour"])
    found = named(why)
    bias = np.array([grown.tuning.bias[c] for c in grown.classes])
    sizes = np.array([model.info.rows[label] for label in model.classes])
    assert found["bias (tuned)"] == pytest.approx(bias)
    assert found["prior"] == pytest.approx(np.log(sizes / sizes.sum()))


def test_a_plain_model_has_no_bias():
    model = likely.Classifier(likely.Multinomial()).fit(["good", "bad"], ["pos", "neg"])
    assert "bias (tuned)" not in named(model.explain("good"))


def test_what_is_worked_out_has_the_bias_as_a_step(model):
    steps = {step.name: step.logs for step in model.by_hand({"text": "the ferry"}).steps}
    assert steps["bias (tuned)"] == pytest.approx([model.tuning.bias[c] for c in model.classes])


def test_offsets_of_labels_are_part_of_the_bias():
    texts, labels = ["oil", "oil and wheat", "wheat", "a game"], [["a"], ["a", "b"], ["b"], []]
    model = likely.Classifier(likely.Multinomial()).fit(texts, labels)
    target = MultiLabel(ThresholdCriterion("f1"), 1.0, 0.0, {"a": 0.5, "b": -0.25})
    model = likely.Classifier.of(model.spec, replace(model.fitted, target=target))
    why = model.explain("oil")
    assert named(why)["prior"] == pytest.approx([0.0, 0.0])
    assert named(why)["bias (tuned)"] == pytest.approx([0.5, -0.25])
    odds = np.log(why.probabilities) - np.log1p(-why.probabilities)
    assert why.log_odds == pytest.approx(odds)
