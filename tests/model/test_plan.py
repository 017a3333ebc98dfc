"""Plans and tallies as bytes: written in one way, and refused if nobody wrote them so."""

import json
import random

import numpy as np
import pytest

import likely
from likely import Classifier, Plan, Tally
from likely.classifier import from_bytes
from likely.errors import DataError, LikelyError, ModelError, OptionError
from likely.tally import container
from tests import forging

ROWS = {"text": ["buy now", "see you", "buy"], "y": ["spam", "ham", "spam"]}


def models():
    """Models that count whole rows, by name."""
    genuine = forging.genuine().items()
    found = {name: from_bytes(data) for name, data in genuine if not name.startswith("copy of")}
    return {name: model for name, model in found.items() if name != "secret"}


def plans():
    return {name: model.fitted.plan for name, model in models().items()}


def test_a_plan_has_one_spelling():
    for name, plan in plans().items():
        again = Plan.from_bytes(plan.to_bytes())
        assert again == plan, name
        assert again.to_bytes() == plan.to_bytes(), name
    picked = Classifier().plan(forging.TABLE, "y")
    assert Plan.from_bytes(picked.to_bytes()) == picked
    assert dict(picked.column_roles)["text"].role == "text"


def test_a_forged_plan_is_refused_with_a_sentence_or_counts_like_any_other():
    genuine = [*plans().values(), Classifier().plan(forging.TABLE, "y")]
    chosen, refused = random.Random(1), 0
    for _ in range(1_500):
        stored = json.loads(chosen.choice(genuine).to_bytes())
        changed = forging.spelled(forging.with_options_changed(chosen, stored))
        data = changed.encode("utf-8", "surrogatepass")
        try:
            plan = Plan.from_bytes(data)
        except ModelError:
            refused += 1
            continue
        assert container.parsed(plan.to_bytes()) == container.parsed(data)
        try:
            rows = {name: [None, "good fun"] for name in plan.columns}
            labels = [["a"], ["b"]] if plan.product.is_multilabel else ["a", "b"]
            Classifier(plan).observe(rows, labels)
        except LikelyError:
            continue
    assert 1_000 < refused < 1_500


@pytest.mark.parametrize(
    "change",
    [
        {"tune": 1},
        {"tune": None},
        {"choices": [["text", "text", "why", None]]},
        {"choices": [["text", "texts", "why", None, None]]},
        {"choices": [["text", ["text"], "why", None, None]]},
        {"choices": [["text", "text", 5, None, None]]},
        {"choices": [["text", "text", "why", 5, None]]},
        {"choices": [["text", "text", "why", None, "both"]]},
        {"choices": [["text", "text", "why", None, {}]]},
        {"choices": [[5, "text", "why", None, None]]},
        {"choices": [["text", "text", "why", None, None]] * 2},
        {"choices": None},
        {"target": 5},
        {"separator": 5},
        {"plan": 1.0},
        {"more": 1},
    ],
    ids=str,
)
def test_a_plan_that_nobody_wrote_is_refused(change):
    stored = json.loads(Classifier().plan(ROWS, "y").to_bytes())
    with pytest.raises(ModelError):
        Plan.from_bytes(json.dumps(stored | change).encode())


def test_every_byte_of_a_plan_matters_or_the_plan_is_the_same():
    plan = Classifier().plan(ROWS, "y")
    data = plan.to_bytes()
    for place in range(len(data)):
        for other in (b"", b" ", b"9", b'"', b"\xff"):
            changed = data[:place] + other + data[place + 1 :]
            try:
                found = Plan.from_bytes(changed)
            except ModelError:
                continue
            assert container.parsed(found.to_bytes()) == container.parsed(changed)


def test_a_plan_of_another_version_of_unicode_is_told_apart():
    data = Classifier().plan(ROWS, "y").to_bytes()
    stored = json.loads(data)
    stored["schema"]["factors"][0]["unicode"] = "3.0.0"
    with pytest.raises(ModelError, match="another version of Unicode"):
        Plan.from_bytes(container.canonical(stored).encode())


def test_a_plan_says_whether_its_models_are_tuned():
    numbers = {"a": [1.0, 2.0, 5.0, 6.5], "y": ["p", "p", "q", "q"]}
    for asked in (Classifier(), Classifier({"a": likely.Gaussian()}), Classifier(tune=False)):
        plan = Plan.from_bytes(asked.plan(numbers, "y").to_bytes())
        assert plan.tunes is asked.tunes
        assert Classifier(plan).tunes is asked.tunes
        assert Classifier(plan, tune=True).plan(numbers).tunes is True
        fitted = from_bytes(Classifier(plan).fit(numbers).to_bytes())
        assert (fitted.tuning is not None) is asked.tunes
        assert fitted.fitted.plan.tunes is asked.tunes


def test_the_target_of_a_plan_is_used_where_none_is_given():
    plan = Classifier().plan(ROWS, "y")
    table = {**ROWS, "label": ["1", "2", "3"]}
    assert Classifier(plan).fit(table).classes == ("ham", "spam")
    assert Classifier(plan).observe(table).classes == ("ham", "spam")
    assert Classifier(plan).fit(table, "label").target == "label"
    assert Classifier(plan).fit(ROWS["text"], ROWS["y"]).target == "y"
    with pytest.raises(DataError, match="no column `y`"):
        Classifier(plan).fit({"text": ["a"], "label": ["b"]})


def test_rows_with_labels_of_another_kind_are_refused():
    single = Classifier().plan(ROWS, "y")
    multiple = Classifier().plan(ROWS["text"], [["a"], ["b"], []])
    with pytest.raises(DataError, match="one label each, and these have multiple labels"):
        Classifier(single).observe(ROWS["text"], [["a"], ["b"], []])
    with pytest.raises(DataError, match="multiple labels, and these have one label each"):
        Classifier(multiple).observe(ROWS["text"], ["a", "b", "a"])
    for plan in (single, multiple):
        assert Classifier(plan).observe([], []) == Tally.zero(plan.product, plan.ledger)


def test_what_a_planned_likelihood_does_not_take_is_refused_at_once():
    plan = Classifier(likely.Complement()).plan(ROWS, "y")
    with pytest.raises(OptionError, match="Complement takes no prior"):
        Classifier(plan, prior="uniform")


def test_a_tally_has_one_spelling_whose_seal_is_its_digest():
    for name, model in models().items():
        tally, plan = model.tally, model.fitted.plan
        data = tally.to_bytes()
        again = Tally.from_bytes(data, plan)
        assert again == tally, name
        assert again.to_bytes() == data, name
        assert data[-32:].hex() == tally.digest == again.digest == model.digest, name
    for plan in plans().values():
        nothing = Tally.zero(plan.product, plan.ledger)
        assert Tally.from_bytes(nothing.to_bytes(), plan) == nothing


def test_tallies_as_bytes_add_up():
    plan = Classifier().plan(ROWS, "y")
    parts = [{name: cells[place : place + 1] for name, cells in ROWS.items()} for place in range(3)]
    sent = [Classifier(plan).observe(part).to_bytes() for part in parts]
    model = Classifier(plan)
    model.tally = sum(Tally.from_bytes(data, plan) for data in reversed(sent))
    assert model.tally.to_bytes() == Classifier(plan).observe(ROWS).to_bytes()
    assert model.tune(ROWS).to_bytes() == Classifier(plan).fit(ROWS).to_bytes()


def test_a_forged_tally_is_refused_or_counted_like_any_other():
    genuine = models()
    chosen, refused = random.Random(2), 0
    for _ in range(1_500):
        model = genuine[chosen.choice(list(genuine))]
        metadata, arrays = container.unpack(model.tally.to_bytes())
        way = chosen.choice(["arrays", "arrays", "arrays", "options", "header"])
        if way == "header":
            data = forging.with_header_changed(chosen, model.tally.to_bytes())
        elif way == "options":
            try:
                data = forging.sealed(forging.with_options_changed(chosen, metadata), arrays)
            except UnicodeEncodeError:
                continue
        else:
            data = forging.sealed(metadata, forging.with_an_array_changed(chosen, arrays))
        plan = model.fitted.plan
        try:
            tally = Tally.from_bytes(data, plan)
        except ModelError:
            refused += 1
            continue
        assert tally.to_bytes() == data
        assert data[-32:].hex() == tally.digest
        try:
            twice = tally + tally
        except DataError:
            # There may be as many rows as a number holds.
            continue
        assert twice - tally == tally
    assert 1_000 < refused < 1_500


def test_a_damaged_tally_is_refused():
    plan = Classifier().plan(ROWS, "y")
    data = Classifier(plan).observe(ROWS).to_bytes()
    for end in range(0, len(data), 7):
        with pytest.raises(ModelError):
            Tally.from_bytes(data[:end], plan)
    for place in np.random.default_rng(1).integers(0, len(data), 200):
        with pytest.raises(ModelError):
            Tally.from_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :], plan)


def test_a_tally_of_another_plan_is_refused_with_the_first_difference():
    plan = Classifier(likely.Multinomial()).plan(ROWS, "y")
    pairs = Classifier(likely.Multinomial(text=likely.Text(word_ngrams=(1, 2)))).plan(ROWS, "y")
    data = Classifier(pairs).observe(ROWS).to_bytes()
    said = r"not counted by this plan: `word_ngrams` is \[1, 1\] here and \[1, 2\] there\nhint: "
    with pytest.raises(ModelError, match=said):
        Tally.from_bytes(data, plan)
    with pytest.raises(ModelError, match="it is no tally\nhint: a model file holds more"):
        Tally.from_bytes(Classifier(plan).fit(ROWS).to_bytes(), plan)
    secret = Classifier(likely.Multinomial(), ledger=b"s").plan(ROWS, "y")
    with pytest.raises(ModelError, match="`ledger`"):
        Tally.from_bytes(Classifier(secret).observe(ROWS).to_bytes(), plan)
