import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely.audit import causes, of_contrast, of_group, of_term, persons, read_sentences
from likely.errors import OptionError

TEXTS = [
    "ann is bad",
    "ann was late, awful",
    "a bad day",
    "bob is good",
    "bob was kind",
    "a good day",
]
LABELS = ["neg", "neg", "neg", "pos", "pos", "pos"]

MODELS = {
    "weighed": None,
    "multinomial": likely.Multinomial(),
    "bernoulli": likely.Bernoulli(),
    "complement": likely.Complement(text=likely.Text((1, 2), (2, 3))),
}


@pytest.mark.parametrize("kind", MODELS)
@settings(max_examples=15)
@given(data=st.data())
def test_carriers_and_views_add_up_to_the_gap(kind, data):
    model = likely.Classifier(MODELS[kind]).fit(TEXTS * 2, LABELS * 2)
    words = st.lists(st.sampled_from(["ann", "bob", "is", "was", "bad", "good", "zzz"]), max_size=5)
    sides = [data.draw(st.lists(words.map(" ".join), min_size=1, max_size=4)) for _ in range(2)]
    found = causes(model, *({"x": side} for side in sides), label="pos")
    score = [model.predict_proba(side) for side in sides]
    odds = [np.mean(np.log(p[:, 1]) - np.log(p[:, 0])) for p in score]
    assert found.evidence == pytest.approx(odds[0] - odds[1], abs=1e-9)
    assert sum(one.evidence for one in found.carriers) == pytest.approx(found.evidence, abs=1e-9)
    assert sum(one.evidence for one in found.views) == pytest.approx(found.evidence, abs=1e-9)


def test_words_rows_and_labels_behind_a_gap():
    texts, labels = TEXTS * 6, LABELS * 6
    texts, labels = [*texts, "ann is good and kind"], [*labels, "neg"]
    model = likely.Classifier().fit({"text": texts, "y": labels}, "y")
    one, other = {"text": ["ann is here"]}, {"text": ["bob is here"]}
    found = causes(model, one, other, label="pos", x={"text": texts, "y": labels})
    assert {carrier.name for carrier in found.carriers[:2]} == {"ann", "bob"}
    ann = next(carrier for carrier in found.carriers if carrier.name == "ann")
    assert ann.rows == {"neg": 13, "pos": 0}
    assert not ann.is_for
    assert found.learned == 37
    assert all(row.label == ("neg" if "ann" in row.carriers else "pos") for row in found.rows)
    held = sum("ann" in text or "bob" in text for text in texts)
    assert found.contradicted[1::2] == (held, 37 - held)
    shown = str(found)
    for heading in ("Data:", "Labels:", "Resources:", "Architecture:"):
        assert heading in shown
    assert "None carries any of it" in shown


def test_rows_that_were_not_learned_are_not_taken_for_training_rows():
    model = likely.Classifier().fit(TEXTS, LABELS)
    found = causes(model, {"x": ["ann"]}, {"x": ["bob"]}, label="pos", x=["ann"], y=["pos"])
    assert (found.rows, found.learned, found.contradicted) == ((), 0, None)
    assert "nothing can be said of their labels" in str(found)


def test_what_a_lexicon_carries_is_a_resource():
    lexicon = likely.Lexicon({"ann": "villain", "bob": "hero"})
    model = likely.Classifier(likely.Multinomial(text=likely.Text(lexicon=lexicon)))
    model.fit(TEXTS, LABELS)
    found = causes(model, {"x": ["ann"]}, {"x": ["bob"]}, label="pos")
    own = sum(one.evidence for one in found.carriers if one.kind == "lexicon")
    assert found.resources == pytest.approx(own)
    assert found.resources < 0


def test_a_compact_copy_knows_no_rows_by_word():
    model = likely.Classifier(likely.Multinomial()).fit(TEXTS * 3, LABELS * 3)
    found = causes(model.compact(), {"x": ["ann"]}, {"x": ["bob"]}, label="pos")
    assert all(one.rows is None for one in found.carriers)


def test_without_smoothing_there_is_nothing_to_take_apart():
    model = likely.Classifier(likely.Multinomial(alpha=0)).fit(TEXTS, LABELS)
    with pytest.raises(OptionError, match="without smoothing"):
        causes(model, {"x": ["ann"]}, {"x": ["bob"]}, label="pos")


def test_a_column_can_carry_a_gap():
    x = {"height": [1.0, 2.0, 3.0, 4.0] * 5, "team": ["a", "a", "b", "b"] * 5}
    model = likely.Classifier({"height": likely.Gaussian(), "team": likely.Categorical()})
    model.fit(x, ["lo", "lo", "hi", "hi"] * 5)
    found = causes(
        model,
        {"height": [2.0], "team": ["a"]},
        {"height": [2.0], "team": ["b"]},
        label="lo",
    )
    assert found.carriers[0].kind == "category"
    assert found.evidence == pytest.approx(sum(one.evidence for one in found.carriers[:2]))


def test_of_a_group():
    x = {"text": TEXTS * 4, "who": ["a", "a", "c", "b", "b", "c"] * 4, "label": LABELS * 4}
    model = likely.Classifier(columns={"who": "ignore"}).fit(x, "label")
    found = of_group(model, x, None, "who", "a", "pos")
    assert (found.one, found.other, found.compared) == ("`a`", "the rest", (8, 16))
    assert found.carriers[0].name in {"ann", "bob", "good"}
    assert found.learned == 24


def test_of_persons_and_of_terms():
    model = likely.Classifier().fit([*TEXTS, "gay idiot", "emily is here"], [*LABELS, "neg", "pos"])
    sentences = read_sentences("persons")
    contrast = persons(model, sentences).contrasts[0]
    found = of_contrast(model, sentences, contrast)
    assert (found.one, found.other) == ("`female`", "`male`")
    named = of_term(model, read_sentences("terms"), "gay", "neg")
    assert named.carriers[0].name == "gay"
    assert named.compared == (60, 600)
