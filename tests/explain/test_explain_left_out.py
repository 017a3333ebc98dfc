"""Explanations of learned rows by the model without them, against `leave_one_out` and `forget`."""

import numpy as np
import pytest

import likely
from likely.errors import OptionError

TEXTS = [
    "good fun, so good",
    "so good",
    "a good cast and a good film",
    "a dull film",
    "dull and slow, so slow",
    "so slow",
    "fun and slow",
    "so good",
    "so good",
]
LABELS = ["pos", "pos", "pos", "neg", "neg", "neg", "mixed", "neg", "pos"]
NUMBERS = [3.0, 2.5, 2.0, -1.0, -2.0, -1.5, 0.5, 1.0, 2.2]
TEAMS = ["a", "a", "b", "b", "b", None, "a", "a", "b"]

LIKELIHOODS = {
    "weighed": None,
    "multinomial": likely.Multinomial(0.5, text=likely.Text((1, 2), (2, 3))),
    "tfidf": likely.Multinomial(tfidf=True),
    "binary": likely.BinaryMultinomial(),
    "bernoulli": likely.Bernoulli(),
    "complement": likely.Complement(),
    "complement of tfidf": likely.Complement(tfidf=True),
    "skipped": likely.Multinomial(skip_top=1),
    "neutral": likely.Multinomial(neutral=["good"]),
    "rough": likely.Multinomial(0),
}


def _equal(why, scores, probabilities):
    """The explanation is that of these probabilities, and its terms add up to the scores."""
    assert why.probabilities == pytest.approx(probabilities, abs=1e-9)
    total = np.sum([term.scores for term in why.contributions], axis=0)
    there = np.isfinite(scores)
    assert (np.isfinite(total) == there).all()
    assert total[there] == pytest.approx(scores[there], abs=1e-9)


@pytest.mark.parametrize("kind", LIKELIHOODS)
def test_probabilities_are_those_of_leave_one_out(kind):
    model = likely.Classifier(LIKELIHOODS[kind]).fit(TEXTS, LABELS)
    left = model.leave_one_out(TEXTS, LABELS)
    found = model.explain_left_out(TEXTS, LABELS)
    for why, scores, probabilities in zip(found, left.scores, left.probabilities, strict=True):
        _equal(why, scores, probabilities)


@pytest.mark.parametrize("kind", [kind for kind in LIKELIHOODS if kind not in ("weighed", "rough")])
def test_terms_are_those_of_a_model_that_never_saw_the_row(kind):
    if kind == "skipped":
        pytest.skip("the words that are skipped are chosen by all rows together")
    model = likely.Classifier(LIKELIHOODS[kind]).fit(TEXTS, LABELS)
    for row in (0, 2, 3, 4):
        other = model.with_prior(model.prior)
        other.forget(TEXTS[row : row + 1], LABELS[row : row + 1])
        wanted = {(t.kind, t.name): t for t in other.explain(TEXTS[row]).contributions}
        (why,) = model.explain_left_out(TEXTS[row : row + 1], LABELS[row : row + 1])
        found = {(t.kind, t.name): t for t in why.contributions}
        assert found.keys() == wanted.keys()
        for key, term in found.items():
            assert term.count == wanted[key].count
            assert term.scores == pytest.approx(wanted[key].scores, abs=1e-9)


@pytest.mark.parametrize("tune", [True, False])
def test_columns_of_every_kind_are_explained_without_the_row(tune):
    x = {"text": TEXTS, "number": NUMBERS, "team": TEAMS}
    parts = {
        "text": likely.Multinomial(),
        "number": likely.Gaussian(),
        "team": likely.Categorical(),
    }
    keep = [row for row, label in enumerate(LABELS) if label != "mixed"]
    x = {name: [column[row] for row in keep] for name, column in x.items()}
    y = [LABELS[row] for row in keep]
    model = likely.Classifier(parts, tune=tune).fit(x, y)
    left = model.leave_one_out(x, y)
    found = model.explain_left_out(x, y)
    for why, scores, probabilities in zip(found, left.scores, left.probabilities, strict=True):
        _equal(why, scores, probabilities)
    assert {"word", "numeric", "categorical"} <= {term.kind for term in found[0].contributions}


def test_copies_that_were_left_out_together_are_explained_together():
    model = likely.Classifier().fit(TEXTS, LABELS)
    (alone,) = model.explain_left_out(["so good"], ["neg"], {})
    together = model.explain_left_out(TEXTS, LABELS)[7]
    assert not np.allclose(alone.probabilities, together.probabilities)
    assert together.probabilities == pytest.approx(model.loo.probabilities[7])


def test_of_a_class_that_is_gone_without_the_row_nothing_is_known():
    model = likely.Classifier().fit(TEXTS, LABELS)
    why = model.explain_left_out(TEXTS, LABELS)[6]
    place = model.classes.index("mixed")
    assert why.probabilities[place] == 0
    assert why.contributions[0].kind == "prior"
    assert np.isneginf(why.contributions[0].scores[place])


def test_rows_of_any_number_of_labels():
    labels = [[label] if label != "mixed" else ["pos", "neg"] for label in LABELS]
    for given in (None, likely.Multinomial()):
        model = likely.Classifier(given).fit(TEXTS, labels)
        left = model.leave_one_out(TEXTS, labels)
        for why, probabilities in zip(
            model.explain_left_out(TEXTS, labels), left.probabilities, strict=True
        ):
            assert why.probabilities == pytest.approx(probabilities, abs=1e-9)
            odds = np.log(probabilities) - np.log1p(-probabilities)
            assert why.log_odds == pytest.approx(odds, abs=1e-8)


@pytest.mark.parametrize("is_multilabel", [False, True])
def test_a_second_opinion_has_its_part_from_folds_in_one_term(is_multilabel):
    texts, labels = TEXTS * 6, [label if label != "mixed" else "pos" for label in LABELS] * 6
    texts = [f"{text} {place % 7} {place}" for place, text in enumerate(texts)]
    labels = [[label] for label in labels] if is_multilabel else labels
    model = likely.Classifier(stack_linear=True).fit(texts, labels)
    left = model.leave_one_out(texts, labels)
    found = model.explain_left_out(texts, labels)
    for why, probabilities in zip(found, left.probabilities, strict=True):
        assert why.probabilities == pytest.approx(probabilities, abs=1e-9)


def test_rows_that_count_more_than_once_have_no_such_explanation():
    x = {"text": TEXTS, "who": ["a", "b"] * 4 + ["a"]}
    y = [label if label != "mixed" else "pos" for label in LABELS]
    model = likely.Classifier(likely.Multinomial()).fit(TEXTS, y)
    table = x | {"label": y}
    model = likely.Classifier({"text": likely.Multinomial()}).fit(table, "label")
    from likely.model.adjust.group_weights import GroupWeights

    more = model.with_group_weights(GroupWeights("who", {"a": {"pos": 2}}), table)
    with pytest.raises(OptionError, match="in folds"):
        more.explain_left_out(TEXTS[:1], y[:1])
