"""What `likely prove` checks holds, and each check notices what would break it."""

import dataclasses
import itertools
import json
import math
import sys
from fractions import Fraction

import pytest
import sklearn.naive_bayes

from likely import Classifier, textbook
from likely.explain.by_hand import HandComputation
from likely.prove import GUARANTEES, Guarantee, checked
from likely.prove.guarantee import farthest, spelled
from likely.tally import container

BY_NAME = {guarantee.name: guarantee for guarantee in GUARANTEES}
BREAKS = []


def breaks(name):
    """What is decorated breaks the guarantee of this name."""

    def note(change):
        BREAKS.append((name, change))
        return change

    return note


def replacing(monkeypatch, owner, name, change):
    """The method `name` with its result changed."""
    before = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *args, **more: change(before(*args, **more)))


@breaks("one-sha256")
def a_sum_that_loses_a_part(monkeypatch):
    monkeypatch.setattr(Classifier, "__add__", lambda self, other: self)


@breaks("one-sha256")
def a_file_that_knows_when_it_was_written(monkeypatch):
    now = itertools.count()
    replacing(monkeypatch, Classifier, "to_bytes", lambda content: content + bytes([next(now)]))


@breaks("one-sha256")
def forgetting_that_changes_nothing(monkeypatch):
    monkeypatch.setattr(Classifier, "forget", lambda *rows: None)


@breaks("threads")
def predictions_that_know_the_threads(monkeypatch):
    before = Classifier.predict_proba
    monkeypatch.setattr(
        Classifier, "predict_proba", lambda self, x: before(self, x) + 1e-15 * self.threads
    )


@breaks("forget")
def tuning_that_changes_nothing(monkeypatch):
    monkeypatch.setattr(Classifier, "tune", lambda self, *rows: self)


@breaks("exact-sums")
def sums_that_are_rounded(monkeypatch):
    before = Classifier.update

    def rounded(self, x, y):
        cells = [round(cell, 2) if 1 < cell < 1e9 else cell for cell in x["x"]]
        return before(self, {"x": cells}, y)

    monkeypatch.setattr(Classifier, "update", rounded)


@breaks("exact-sums")
def sums_that_know_their_order(monkeypatch):
    before = Classifier.update
    monkeypatch.setattr(
        Classifier,
        "update",
        lambda self, x, y: before(self, {"x": [*x["x"], x["x"][0]]}, [*y, y[0]]),
    )


@breaks("leave-one-out")
def scores_with_the_row(monkeypatch):
    before = Classifier.fit

    def fit(self, x, y, loo=False):
        model = before(self, x, y, loo=loo)
        if loo:
            model.loo.scores[:] = model.log_joint(x)
        return model

    monkeypatch.setattr(Classifier, "fit", fit)


@breaks("leave-one-out")
def one_score_off_in_the_tenth_digit(monkeypatch):
    before = Classifier.fit

    def fit(self, x, y, loo=False):
        model = before(self, x, y, loo=loo)
        if loo:
            model.loo.scores[200, 3] *= 1 + 1e-10
        return model

    monkeypatch.setattr(Classifier, "fit", fit)


@breaks("by-hand")
def a_fraction_beside_it(monkeypatch):
    replacing(monkeypatch, HandComputation, "product", lambda product: product + Fraction(1, 10**9))


@breaks("by-hand")
def another_textbook(monkeypatch):
    monkeypatch.setattr(textbook, "REVIEWS", textbook.REVIEWS[1:])


@breaks("by-hand")
@breaks("scikit-learn")
def log_probabilities_off_in_the_tenth_digit(monkeypatch):
    replacing(monkeypatch, Classifier, "log_joint", lambda logs: logs * (1 + 1e-10))


@breaks("scikit-learn")
def another_scikit_learn(monkeypatch):
    theirs = sklearn.naive_bayes.BernoulliNB
    monkeypatch.setattr(sklearn.naive_bayes, "BernoulliNB", lambda: theirs(alpha=1 + 1e-9))


@breaks("explanations")
def an_explanation_without_its_last_word(monkeypatch):
    replacing(
        monkeypatch,
        Classifier,
        "explain",
        lambda why: dataclasses.replace(why, contributions=why.contributions[:-1]),
    )


@breaks("damage")
def files_that_are_read_whatever_their_digest(monkeypatch):
    whole = BY_NAME["damage"].check.__globals__["_reviews"]().to_bytes()
    before = container.unpack
    monkeypatch.setattr(container, "unpack", lambda content: before(whole))


@breaks("damage")
def files_that_are_never_read(monkeypatch):
    before = container.unpack
    monkeypatch.setattr(container, "unpack", lambda content: before(content[:-1]))


@breaks("never-learned")
def forgetting_whatever_one_says(monkeypatch):
    monkeypatch.setattr(Classifier, "forget", lambda *rows: None)


@breaks("never-learned")
def refusing_after_a_change(monkeypatch):
    before = Classifier.forget

    def forget(self, x, y):
        self.update(["one more"], ["pos"])
        return before(self, x, y)

    monkeypatch.setattr(Classifier, "forget", forget)


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda guarantee: guarantee.name)
def test_it_holds(guarantee):
    found = checked(guarantee)
    assert found.finding.holds, found.finding.measured
    assert 0 < found.seconds < 60
    facts = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert facts["figures"]


@pytest.mark.parametrize(
    ("name", "change"), BREAKS, ids=lambda part: getattr(part, "__name__", part)
)
def test_what_breaks_it_is_noticed(monkeypatch, name, change):
    change(monkeypatch)
    found = checked(BY_NAME[name])
    assert found.finding.holds is False
    assert "the check failed" not in found.finding.measured
    json.dumps(found.to_json(), allow_nan=False)


def test_every_guarantee_is_broken_by_something():
    assert {name for name, _ in BREAKS} == set(BY_NAME)
    assert len(BY_NAME) == len(GUARANTEES)


def test_a_check_that_does_not_run_is_no_guarantee():
    def check():
        raise RuntimeError("out of luck")

    found = checked(Guarantee("luck", "There is luck", check, "true\n"))
    assert found.finding.holds is False
    assert found.finding.measured == "the check failed: RuntimeError: out of luck"


def test_without_scikit_learn_its_check_is_skipped(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.naive_bayes", None)
    found = checked(BY_NAME["scikit-learn"])
    assert found.finding.holds is None
    assert "pip install 'likely[sklearn]'" in found.finding.measured


@pytest.mark.parametrize(
    ("a", "b", "far"),
    [
        (1.0, 1.0, 0.0),
        (-math.inf, -math.inf, 0.0),
        (0.0, -0.0, 0.0),
        (1.0, 1.5, 1 / 3),
        (-1.0, 1.0, 2.0),
        (-math.inf, -700.0, 2.0),
        (math.nan, 1.0, 2.0),
        (math.nan, math.nan, 2.0),
    ],
)
def test_how_far_two_numbers_are_apart(a, b, far):
    assert farthest([5.0, a], [5.0, b]) == far
    assert farthest([b, 0.0], [a, 0.0]) == far


def test_a_difference_has_one_digit():
    assert [spelled(each) for each in (0.0, 4.2e-16, 2.0)] == ["0", "4e-16", "2e+00"]
