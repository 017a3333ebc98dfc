"""What a model makes of the features of a text: used, left out, unknown."""

import pytest

import likely
from likely import Categorical, Classifier, Multinomial, ShortText, Text
from likely.errors import LikelyError

TEXTS = ["good good fun", "so good", "a dull plot", "so dull and slow"] * 6
LABELS = ["pos", "pos", "neg", "neg"] * 6


def states(model, row, column="x"):
    return {(f.kind, f.name): f.state for f in model.features(row)[column].features}


def test_what_was_never_seen_is_unknown():
    reading = Text((1, 2), (3, 3))
    model = Classifier(Multinomial(text=reading)).fit(TEXTS, LABELS)
    found = states(model, "good dull film")
    learned = {(f.kind, f.name) for text in TEXTS for f in reading.bag(text).features}
    assert found == {key: "used" if key in learned else "unknown" for key in found}
    assert found["word", "good"] == "used"
    assert found["bigram", "good dull"] == "unknown"
    assert set(found) == {(f.kind, f.name) for f in reading.bag("good dull film").features}


def test_the_unknown_words_are_those_of_the_computation_by_hand():
    model = Classifier(Multinomial()).fit(TEXTS, LABELS)
    row = "a good film and a slow end"
    unknown = [name for (_, name), state in states(model, row).items() if state == "unknown"]
    assert tuple(unknown) == model.by_hand(row).unknown


def test_what_was_seen_and_is_ignored_is_left_out():
    model = Classifier(Multinomial()).fit(TEXTS, LABELS)
    silent = states(model.with_neutral(["dull"]), "good dull film")
    assert silent == {
        ("word", "good"): "used",
        ("word", "dull"): "left out",
        ("word", "film"): "unknown",
    }
    frequent = Classifier(Multinomial(skip_top=1)).fit(TEXTS, LABELS)
    assert states(frequent, "good fun") == {
        ("word", "good"): "left out",
        ("word", "fun"): "used",
    }


def test_views_of_a_tuned_model_that_have_no_weight_leave_their_features_out():
    model = Classifier().fit(TEXTS, LABELS)
    (factor,) = model.fitted.product.factors
    weighted = {view.features for view in factor.likelihood.views}
    found = states(model, "so good and dull")
    assert {kind for kind, _ in found} > weighted
    for (kind, _), state in found.items():
        assert state != "used" or kind in weighted
        assert state != "left out" or kind not in weighted
    assert found["word", "good"] == "used"


def test_a_compact_copy_knows_what_its_model_uses():
    model = Classifier(Multinomial()).fit(TEXTS, LABELS)
    assert states(model.compact(), "good film") == states(model, "good film")


def test_every_text_column_has_its_bag():
    table = {"title": TEXTS, "body": TEXTS[::-1], "kind": ["a", "b"] * 12}
    given = {"title": Multinomial(), "body": ShortText(), "kind": Categorical()}
    model = Classifier(given).fit(table, LABELS)
    found = model.features({"title": "good film", "kind": "a"})
    assert list(found) == ["title", "body"]
    assert found["body"].features == ()
    both = model.features("good film")
    assert both["title"] == found["title"]
    assert {f.kind for f in both["body"].features} == {"word", "char n-gram"}


def test_multilabel_models_know_their_features():
    model = Classifier().fit(["oil up", "wheat down", "oil and wheat"] * 5, [["o"], ["w"], []] * 5)
    assert states(model, "oil film")["word", "film"] == "unknown"
    assert states(model, "oil film")["word", "oil"] == "used"


def test_preprocessing_is_that_of_the_model():
    text = Text(negation="en", stop_words=["so"])
    model = Classifier(Multinomial(text=text)).fit(["so good", "not good"], ["pos", "neg"])
    (bag,) = model.features("so not good").values()
    assert bag.negated == (("good", "NOT_good"),)
    assert bag.stop_words == ("so",)
    assert [f.state for f in bag.features] == ["used", "used"]


def test_a_model_without_texts_has_no_features_of_them():
    model = Classifier(likely.Gaussian()).fit([[1.0], [2.0]] * 4, ["a", "b"] * 4)
    with pytest.raises(LikelyError, match="the model reads no texts"):
        model.features("a text")
