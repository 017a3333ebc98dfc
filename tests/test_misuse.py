"""What makes no sense is refused with a sentence, and the model is as it was."""

import json

import pytest

from likely import Classifier, Multinomial, Plan, Rule, RuleFeatures, Rules
from likely.classifier import from_bytes
from likely.errors import DataTypeError, LikelyError, ModelError, OptionError
from likely.model.adjust.group_thresholds import GroupThresholds
from tests.raising import coded

from .forging import LABELS, SETS, TABLE, TEXTS

NUMBERS = [int(label == "pos") for label in LABELS]
RULES = Rules([Rule("prize", "a", words=["win"])])


def counted(labels=LABELS, **options):
    return Classifier(Multinomial(), **options).observe(TEXTS, labels)


# Tallies


@pytest.mark.parametrize("given", [0, None, "x", {}, Classifier(Multinomial())], ids=repr)
def test_what_is_no_tally_takes_no_place_of_one(given):
    fresh, model = Classifier(Multinomial()), Classifier(Multinomial()).fit(TEXTS, LABELS)
    before = model.to_bytes()
    for each in (fresh, model):
        with pytest.raises(DataTypeError, match="`tally` is what `observe` counts"):
            each.tally = given
    assert model.to_bytes() == before
    assert fresh._fitted is None


@pytest.mark.parametrize("given", [5, None, "x", Classifier(Multinomial())], ids=repr)
def test_only_tallies_are_added_to_tallies(given):
    for act in (lambda: counted() + given, lambda: counted() - given):
        with pytest.raises(TypeError, match="unsupported operand"):
            act()


@pytest.mark.parametrize("options", [{"classes": ["a"]}, {"prior": {"a": 0.5, "b": 0.5}}])
def test_a_tally_has_labels_of_the_kind_that_was_asked_for(options):
    model = Classifier(Multinomial(), **options)
    with pytest.raises(DataTypeError, check=coded("mixed-labels")):
        model.tally = counted(NUMBERS)
    assert model._fitted is None


def test_a_tally_is_asked_no_more_of_than_rows_are():
    with pytest.raises(OptionError, match="rules give a row one label"):
        Classifier(Multinomial(), rules=RULES).tally = counted(SETS)
    rules = RuleFeatures(Rules([Rule("red", "pos", column="u", words=["red"])]))
    fired = Classifier({"u": rules}).observe(TABLE, "y")
    with pytest.raises(OptionError, match="a stacked linear model reads texts, categories and"):
        Classifier({"u": rules}, tune=True, stack_linear=True).tally = fired


# Labels


def told(way):
    """Models that speak of labels beside those of their rows."""
    if way == "thresholds":
        model = Classifier({"text": Multinomial()}).fit(TABLE, "y")
        return model.with_group_thresholds(GroupThresholds("u", "pos", {"red": 0.8})), TABLE, "y"
    if way == "several":
        return Classifier(thresholds="f1").fit(TEXTS, SETS), TEXTS, SETS
    return Classifier(stack_linear=way == "stacked linear model").fit(TEXTS, LABELS), TEXTS, LABELS


@pytest.mark.parametrize("way", ["weights", "stacked linear model", "thresholds", "several"])
def test_labels_are_of_the_kind_that_the_model_speaks_of_when_all_rows_are_forgotten(way):
    model, x, y = told(way)
    model.forget(x, y)
    before = model.to_bytes()
    other = [[1], [2], [1, 2]] * 4 if way == "several" else NUMBERS
    x = {**x, "y": NUMBERS} if way == "thresholds" else x
    with pytest.raises(DataTypeError):
        model.update(x, y if way == "thresholds" else other)
    with pytest.raises(LikelyError):
        model.tally = model.observe(x, y if way == "thresholds" else other)
    assert model.to_bytes() == before
    assert from_bytes(before).to_bytes() == before


def test_what_is_observed_has_the_labels_of_the_model():
    model = Classifier(Multinomial()).fit(TEXTS, NUMBERS)
    more = model.observe({"x": TEXTS, "y": list(map(str, NUMBERS))}, "y")
    assert (model.tally + more).digest == model.update(TEXTS, NUMBERS).digest


# Rules


def test_rules_are_for_rows_with_one_label():
    model = Classifier(Multinomial()).fit(TEXTS, SETS)
    with pytest.raises(OptionError, match="rules give a row one label"):
        model.with_rules(RULES)
    assert model.with_rules(None).to_bytes() == model.to_bytes()


# Columns


@pytest.mark.parametrize(
    "given", [{1: "text"}, {"a": "nonsense"}, {"a": None}, {"a": ["text"]}, ["a"], "a"], ids=str
)
def test_what_columns_are_is_said_by_name_in_known_words(given):
    with pytest.raises(OptionError, match="column"):
        Classifier(columns=given)


# Plans


@pytest.mark.parametrize("missing", [[None], [1], ["a", "a"], "ab", [["a"]]], ids=str)
def test_a_plan_of_missing_cells_that_are_no_spellings_is_refused(missing):
    stored = json.loads(Classifier().plan(TABLE, "y").to_bytes())
    stored["schema"]["missing"] = missing
    with pytest.raises(ModelError):
        Plan.from_bytes(json.dumps(stored).encode())
