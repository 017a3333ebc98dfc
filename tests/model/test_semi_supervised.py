"""Rows without labels beside rows with them."""

import math

import numpy as np
import pytest

import likely
from likely import Categorical, Classifier, Gaussian, Multinomial
from likely.data.labels import Shares
from likely.model.semi_supervised import Chooser
from tests.raising import coded

RANDOM = np.random.default_rng(3)
WORDS = {
    "sport": ["criterion", "team", "match", "league", "striker", "coach"],
    "law": ["vote", "court", "party", "minister", "budget", "judge"],
}


def said(label, n=4):
    return " ".join(RANDOM.choice(WORDS[label], size=n))


LABELS = ["sport", "law"] * 3
TEXTS = [said(label, 2) for label in LABELS]
MORE_LABELS = ["sport", "law"] * 60
MORE = [said(label, 5) for label in MORE_LABELS]
VERDICTS = ["good good fun", "good fun fun", "bad bad dull", "bad dull dull"]


def test_rows_without_labels_teach_new_words():
    plain = Classifier(Multinomial()).fit(TEXTS, LABELS)
    model = Classifier(Multinomial()).fit(TEXTS, LABELS, unlabeled=MORE, unlabeled_weight=1)
    truth = np.array(MORE_LABELS)
    assert (model.predict(MORE) == truth).mean() > (plain.predict(MORE) == truth).mean()
    assert (model.predict(MORE) == truth).mean() > 0.97
    assert model.tally.n_rows == 6 + 120


def test_it_is_em_as_one_writes_it_down(monkeypatch):
    """Against a plain loop in NumPy, for categories."""
    monkeypatch.setattr("likely.model.semi_supervised._TOLERANCE", 0.0)
    monkeypatch.setattr("likely.model.semi_supervised._STEPS", 200)
    x = [["a"], ["b"], ["a"], ["c"]]
    y = ["p", "q", "p", "q"]
    more = [["a"], ["c"], ["c"], ["b"], ["c"]]
    weight, m = 0.5, 1.0
    model = Classifier(Categorical(m=m)).fit(x, y, unlabeled=more, unlabeled_weight=weight)
    code = {"a": 0, "b": 1, "c": 2}
    hard, soft = np.array([code[v] for (v,) in x]), np.array([code[v] for (v,) in more])
    truth = np.array([0, 1, 0, 1])
    share = np.zeros((5, 2))
    for _ in range(200):
        counts = np.zeros((3, 2))
        np.add.at(counts, (hard, truth), 1)
        np.add.at(counts, soft, weight * share)
        theta = (counts + m / 3) / (counts.sum(axis=0) + m)
        rows = np.bincount(truth, minlength=2) + weight * share.sum(axis=0)
        joint = theta[soft] * rows / rows.sum()
        share = joint / joint.sum(axis=1, keepdims=True)
    (found,) = model.estimates.values()
    np.testing.assert_allclose(found.probabilities["x0"], theta, atol=1e-6)


def test_words_of_a_single_unlabeled_row_are_left_out():
    more = [*MORE, "team hapax", "coach league twice", "vote twice"]
    for weight in (0.03, 1.0):
        model = Classifier(Multinomial()).fit(
            TEXTS, LABELS, unlabeled=more, unlabeled_weight=weight
        )
        known = {name for found in model.top_features(100).values() for name, _ in found}
        assert "twice" in known
        assert "hapax" not in known


def test_few_labels_take_what_gains_on_average_and_more_what_gains_clearly():
    few, many = Chooser.of(19, 2), Chooser.of(20, 2)
    assert (few.few, many.few) == (True, False)
    assert few.chosen({0.03: (0.04, 0.2), 0.1: (0.0, 0.2)}) == 0.03
    assert few.chosen({0.03: (0.1, 0.2), 0.1: (-0.1, 0.2)}) == 0
    assert few.chosen({0.003: (0.3, 0.2), 0.03: (0.1, 0.2)}) == 0.03
    assert few.chosen({0.03: (0.0, 0.0), 0.1: (0.0, 0.0)}) == 0
    assert many.chosen({0.03: (0.02, 0.03), 0.1: (0.0, 0.0)}) == 0
    assert many.chosen({0.03: (0.02, 0.03), 0.1: (0.05, 0.03)}) == 0.1


@pytest.mark.parametrize(
    ("likelihood", "x", "y", "more"),
    [
        (Multinomial(), TEXTS, LABELS, MORE),
        (
            Gaussian("full"),
            RANDOM.normal(size=(20, 2)) + np.arange(20)[:, None] % 2 * 3,
            [0, 1] * 10,
            RANDOM.normal(size=(50, 2)) + np.arange(50)[:, None] % 2 * 3,
        ),
    ],
)
def test_auto_takes_what_gains_or_nothing(likelihood, x, y, more):
    model = Classifier(likelihood).fit(x, y, unlabeled=more)
    found = model.learned
    assert found.weight == Chooser.of(len(y), 2).chosen(found.gains)
    if found.weight:
        assert found.weight in found.gains
    else:
        assert model.to_bytes() == Classifier(likelihood).fit(x, y).to_bytes()


def test_what_is_claimed_comes_from_folds_that_em_has_not_seen():
    """Labels without meaning: with them in view, EM puts unlabeled copies where they say."""
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in random.integers(0, 40, size=8)) for _ in range(60)]
    labels = random.integers(0, 2, size=60).tolist()
    model = Classifier(Multinomial(0.01)).fit(
        texts, labels, unlabeled=texts * 5, unlabeled_weight=1
    )
    assert 0.25 < model.loo.accuracy < 0.75
    with pytest.raises(likely.errors.ModelError, match="none of these can be left out"):
        model.leave_one_out(texts, labels)
    auto = Classifier(Multinomial(0.01)).fit(texts, labels, unlabeled=texts * 5)
    assert auto.learned.weight == 0
    assert any("do not help, and are left out" in note for note in auto.info.notes)


def test_a_class_that_stands_in_one_fold_alone_is_not_judged():
    texts, labels = [*TEXTS * 2, "a fresco"], [*LABELS * 2, "art"]
    for likelihood in (None, Multinomial()):
        model = Classifier(likelihood).fit(texts, labels, unlabeled=MORE)
        assert model.classes == ("art", "law", "sport")
        assert all(np.isfinite(error) for _, error in model.learned.gains.values())


def test_two_labelled_rows_are_too_few_to_judge_by():
    model = Classifier().fit(["a goal", "a vote"], ["sport", "law"], unlabeled=MORE)
    assert model.learned.weight == 0
    assert model.to_bytes() == Classifier().fit(["a goal", "a vote"], ["sport", "law"]).to_bytes()


def test_rows_that_only_mislead_are_left_out():
    noise = ["goal vote", "minister team"] * 40
    model = Classifier(Multinomial()).fit(TEXTS * 3, LABELS * 3, unlabeled=noise)
    plain = Classifier(Multinomial()).fit(TEXTS * 3, LABELS * 3)
    assert model.learned.weight == 0
    assert "do not help" in str(model.learned)
    np.testing.assert_allclose(model.predict_proba(MORE), plain.predict_proba(MORE))


def test_a_model_of_rows_in_parts_is_stored_and_says_so():
    model = Classifier(Multinomial()).fit(
        TEXTS, LABELS, unlabeled=MORE, unlabeled_weight=0.25, loo=True
    )
    loaded = likely.classifier.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(loaded.predict_proba(MORE), model.predict_proba(MORE))
    assert model.tally.per_row == Shares.per_row
    assert math.isclose(sum(model.info.rows.values()), 6 + 0.25 * 120, abs_tol=1e-2)
    assert any("in parts" in note for note in loaded.info.notes)
    assert len(model.loo.truth) == 6
    for act in (model.update, model.forget):
        with pytest.raises(likely.errors.ModelError, check=coded("soft-and-whole-rows")):
            act(["a goal"], ["sport"])
    assert model.fit(TEXTS, LABELS).learned is None


def test_order_and_threads_do_not_show():
    order = RANDOM.permutation(len(MORE))
    one = Classifier(Multinomial()).fit(TEXTS, LABELS, unlabeled=MORE)
    other = Classifier(Multinomial(), threads=3).fit(
        TEXTS[::-1], LABELS[::-1], unlabeled=[MORE[i] for i in order]
    )
    assert one.to_bytes() == other.to_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unlabeled": []}, "no unlabeled rows"),
        ({"unlabeled": MORE, "unlabeled_weight": 2}, '"auto" or a number from 0 to 1, not 2'),
        ({"unlabeled": MORE, "unlabeled_weight": "some"}, "not 'some'"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(likely.errors.LikelyError, match=message):
        Classifier(Multinomial()).fit(TEXTS, LABELS, **options)


def test_labels_are_needed_for_every_class():
    with pytest.raises(likely.errors.DataError, check=coded("no-rows")):
        Classifier(Multinomial()).fit([], [], unlabeled=MORE)
    with pytest.raises(likely.errors.DataError, match="class `art` has no labeled row"):
        Classifier(Multinomial(), classes=["art"]).fit(TEXTS, LABELS, unlabeled=MORE)
    with pytest.raises(likely.errors.OptionError, match="Complement scores are not probabilities"):
        Classifier(likely.Complement()).fit(TEXTS, LABELS, unlabeled=MORE)


def test_where_the_weighed_model_of_labelled_rows_does_as_well_the_others_are_left_out():
    """Labels that the topics contradict: EM follows the topics, weighing the labels."""
    texts = [
        f"{topic} {verdict}" for topic in ("criterion", "vote", "tide") for verdict in VERDICTS
    ]
    labels = [verdict.split()[0] for _ in range(3) for verdict in VERDICTS]
    more = ["goal match striker", "vote law budget", "tide gull quay"] * 5
    model = Classifier().fit(texts, labels, unlabeled=more)
    alone = Classifier().fit(texts, labels)
    assert model.learned is not None
    assert model.learned.weight == 0
    assert "do not help" in str(model.learned)
    assert model.to_bytes() == alone.to_bytes()
    assert model.update(["goal good good fun"], ["good"]).classes == ("bad", "good")


def test_a_model_that_picks_its_likelihoods_reads_words_for_em():
    model = Classifier().fit(
        ["a goal", "a vote"], ["sport", "law"], unlabeled=["goal match"] * 3, unlabeled_weight=0.5
    )
    assert model.learned is not None
    assert model.learned.weight == 0.5
    assert not model.learned.gains
    assert list(model.likelihood.values()) == [Multinomial(0.01)]
