"""Terms that say nothing: scored as a word that was never seen, the counts untouched."""

import numpy as np
import pytest

import likely
from likely.errors import OptionError

TEXTS = [
    "Ann was late again, dreadful",
    "ann is a dreadful cook",
    "Bob's cake was lovely",
    "a lovely day with bob",
    "old age is dreadful, Ann",
    "what a lovely old man",
]
LABELS = ["neg", "neg", "pos", "pos", "neg", "pos"]
TERMS = ["Ann", "BOB", "old  age"]

MODELS = {
    "views": None,
    "multinomial": likely.Multinomial(text=likely.Text((1, 2), (2, 4), punctuation=True)),
    "tfidf": likely.Multinomial(tfidf=True),
    "binary": likely.BinaryMultinomial(),
    "bernoulli": likely.Bernoulli(),
    "complement": likely.Complement(text=likely.Text((1, 2), stop_words=["a", "is"])),
    "negation": likely.Multinomial(text=likely.Text((1, 2), negation="en", surface_features=True)),
}


@pytest.fixture(params=MODELS)
def model(request):
    return likely.Classifier(MODELS[request.param]).fit(TEXTS, LABELS)


def test_a_text_is_judged_alike_whichever_term_it_holds(model):
    neutral = model.with_neutral(TERMS)
    texts = [f"{who} was late, a lovely day" for who in ("ann", "Bob", "OLD age")]
    first, *others = neutral.predict_proba(texts)
    assert all((other == first).all() for other in others)
    before = model.predict_proba(texts)
    assert (before[0] != before[1]).any()


def test_the_tally_stays_and_the_file_keeps_the_terms(model, tmp_path):
    neutral = model.with_neutral(TERMS)
    assert neutral.digest == model.digest
    neutral.save(tmp_path / "m.likely")
    back = likely.load(tmp_path / "m.likely")
    assert (back.predict_proba(TEXTS) == neutral.predict_proba(TEXTS)).all()
    assert "`ann`, `bob`, `old age`" in str(back.info)
    assert "`ann`" not in str(model.info)
    assert back.with_neutral([]).to_bytes() == model.to_bytes()


def test_explanations_add_up_without_the_terms(model):
    neutral = model.with_neutral(TERMS)
    why = neutral.explain("Ann was a lovely cook")
    assert not any("ann" in term.name.lower().split() for term in why.contributions)
    (found,) = neutral.predict_proba(["Ann was a lovely cook"])
    odds = np.log(found[1]) - np.log(found[0])
    assert why.scores[1] - why.scores[0] == pytest.approx(odds, abs=1e-9)


@pytest.mark.parametrize("kind", [kind for kind in MODELS if kind != "views"])
def test_leaving_a_row_out_equals_retraining_without_it(kind):
    model = likely.Classifier(MODELS[kind]).fit(TEXTS, LABELS).with_neutral(TERMS)
    found = model.leave_one_out(TEXTS, LABELS).probabilities
    for row in range(len(TEXTS)):
        rest = [n for n in range(len(TEXTS)) if n != row]
        other = likely.Classifier(MODELS[kind])
        other.fit([TEXTS[n] for n in rest], [LABELS[n] for n in rest])
        expected = other.with_neutral(TERMS).predict_proba([TEXTS[row]])[0]
        assert found[row] == pytest.approx(expected, rel=1e-10)


def test_a_weighed_model_is_left_out_under_its_weights():
    model = likely.Classifier().fit(TEXTS, LABELS).with_neutral(TERMS)
    found = model.leave_one_out(TEXTS, LABELS).probabilities
    for row in range(len(TEXTS)):
        less = model.with_neutral(TERMS)
        less.forget([TEXTS[row]], [LABELS[row]])
        assert found[row] == pytest.approx(less.predict_proba([TEXTS[row]])[0], rel=1e-9)


def test_refit_weighs_what_is_left_and_keeps_the_terms():
    model = likely.Classifier().fit(TEXTS, LABELS).with_neutral(TERMS).tune(TEXTS, LABELS)
    assert "`ann`" in str(model.info)
    first, second = model.predict_proba(["ann was late", "bob was late"])
    assert (first == second).all()


def test_terms_that_are_none_are_refused():
    model = likely.Classifier().fit(TEXTS, LABELS)
    with pytest.raises(OptionError, match="a word or a phrase, not '--'"):
        model.with_neutral(["--"])
    numbers = likely.Classifier().fit([[1.0], [2.0], [3.0], [4.0]], LABELS[:2] + LABELS[2:4])
    with pytest.raises(OptionError, match="reads no texts"):
        numbers.with_neutral(["ann"])


def test_terms_stay_neutral_when_unlabeled_rows_are_learned():
    texts, labels = ["Ann is late", "Bob is kind"] * 4, ["bad", "good"] * 4
    asked = likely.Classifier(likely.TextViews(), tune=True).fit(texts, labels)
    model = asked.with_neutral(["Ann", "Bob"])
    model.fit(texts, labels, unlabeled=texts, unlabeled_weight=1)
    ann, bob = model.predict_proba(["Ann is here", "Bob is here"])
    assert (ann == bob).all()
