"""A model is what it has learned: nothing else of its past shows, and what failed is no part of it.

A call that refuses or is interrupted leaves a model as it was; `fit` makes of any model what it
makes of a fresh one; and a model that was made of another shares nothing with it that changes.
"""

import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import numpy as np
import pytest

import likely
from likely import Categorical, Classifier, Gaussian, Multinomial, Rule, Rules
from likely.classifier import from_bytes
from likely.errors import (
    DataError,
    LikelyError,
    ModelError,
    NotFittedError,
    NotLearnedError,
    OptionError,
)
from likely.model.adjust.group_thresholds import GroupThresholds
from tests.interrupting import interrupted, moments, some
from tests.raising import coded

TEXTS = [
    "a late goal",
    "a close vote",
    "the goal of the match",
    "the vote of the judge",
    "a match, a goal",
    "a judge and a vote",
    "the match was late",
    "the judge was late",
]
LABELS = ["sport", "law"] * 4
SETS = [["sport"], ["law"], ["sport", "late"], [], ["sport"], ["law"], ["late"], ["late", "law"]]
MORE = ["goal, match", "match, striker", "vote, budget"] * 2
NUMBERS = [1.0, 4.0, 1.5, 5.5, 0.25, 4.5, 2.0, 7.0]
KINDS = ["u", "v", "u", "v", "u", "v", "v", "w"]
OTHER = ["x y z", "y y z", "z x", "x x y", "z z"]
OTHER_LABELS = ["p", "q", "p", "q", "p"]

TABLE = {"text": TEXTS, "n": NUMBERS, "c": KINDS, "y": LABELS}


def table(*columns):
    """These columns of the rows."""
    return {name: TABLE[name] for name in columns}


def state(model):
    """All that a model shows of itself."""
    try:
        file = hashlib.sha256(model.to_bytes()).hexdigest()
    except NotFittedError:
        file = None
    return {
        "file": file,
        "repr": repr(model),
        "likelihood": repr(model.likelihood),
        "loo": model.loo.truth.tolist()
        if model.has_loo and not model.is_multilabel
        else model.has_loo,
        "choices": str(model.column_roles),
        "learned": str(model.learned),
        "target": model.target,
        "stale": model.is_stale,
        "learns": model.learns,
        "classes": model.classes,
        "ledger": repr(model.ledger),
        "prior": model.prior,
    }


# Calls that make a model something else, by name: the arguments of `fit`.
FITS = {
    "texts": lambda m: m.fit(TEXTS, LABELS),
    "other texts": lambda m: m.fit(OTHER, OTHER_LABELS),
    "lists of labels": lambda m: m.fit(TEXTS, SETS),
    "a table": lambda m: m.fit(table("text", "y"), "y"),
    "a table under another name": lambda m: m.fit({"t": TEXTS}, LABELS),
    "unlabeled, left out or not": lambda m: m.fit(TEXTS, LABELS, unlabeled=MORE),
    "unlabeled": lambda m: m.fit(TEXTS, LABELS, unlabeled=MORE, unlabeled_weight=1),
    "with leave-one-out": lambda m: m.fit(TEXTS, LABELS, loo=True),
}
MODELS = {
    "default": lambda: Classifier(),
    "plain": lambda: Classifier(Multinomial()),
    "weighed": lambda: Classifier(Multinomial(), tune=True),
    "with a secret": lambda: Classifier(Multinomial(), ledger=b"secret"),
}
# These are for rows of one kind, and name their labels.
OF_ONE_LABEL = {
    "with a threshold": lambda: Classifier(Multinomial(), thresholds={"law": "recall>=1"}),
    "weighed, with a threshold": lambda: Classifier(thresholds={"law": "precision>=1"}),
    "with costs": lambda: Classifier(Multinomial(), costs={("law", "sport"): 5}),
}
OF_SEVERAL = {"with a goal": lambda: Classifier(Multinomial(), thresholds="f1")}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def each_model(*more):
    """Every model, and some that are not for all rows."""
    made = {**MODELS, **{name: make for each in more for name, make in each.items()}}
    return pytest.mark.parametrize("make", made.values(), ids=made)


def fitted(make, fit):
    """A fresh model of these rows, or None where such a model cannot have them."""
    try:
        return fit(make())
    except LikelyError:
        return None


# Fit anew


@pytest.mark.parametrize("then", FITS)
@pytest.mark.parametrize("first", FITS)
@each_model(OF_ONE_LABEL, OF_SEVERAL)
def test_a_model_fitted_anew_is_that_of_the_rows_alone(make, first, then):
    model, fresh = fitted(make, FITS[first]), fitted(make, FITS[then])
    if model is None:
        pytest.skip("this model refuses the first rows")
    before = state(model)
    if fresh is None:
        with pytest.raises(LikelyError):
            FITS[then](model)
        assert state(model) == before
    else:
        assert state(FITS[then](model)) == state(fresh)


@every_model
def test_a_model_of_several_labels_fitted_anew_with_unlabeled_rows_has_one_label_a_row(make):
    anew = {"unlabeled": MORE, "unlabeled_weight": 1}
    model = make().fit(TEXTS, SETS)
    assert model.is_multilabel
    model.fit(TEXTS, LABELS, **anew)
    fresh, asked = make().fit(TEXTS, LABELS, **anew), ["the striker", "a goal"]
    assert fresh.predict(asked).tolist() == ["sport", "sport"]
    assert list(model.predict(asked)) == ["sport", "sport"]
    assert not model.is_multilabel
    np.testing.assert_array_equal(model.predict_proba(asked), fresh.predict_proba(asked))
    assert model.to_bytes() == fresh.to_bytes()


@every_model
def test_a_compact_copy_fitted_anew_is_a_whole_model(make):
    copy = make().fit(TEXTS, LABELS).compact()
    fresh = make().fit(OTHER, OTHER_LABELS)
    copy.fit(OTHER, OTHER_LABELS)
    assert copy.digest == fresh.digest
    assert copy.to_bytes() == fresh.to_bytes()
    assert copy.learns
    for model in (copy, fresh):
        model.update(["y"], ["q"]).forget(["y"], ["q"])
    assert copy.to_bytes() == fresh.to_bytes()


def test_a_compact_copy_learns_no_more_whatever_it_refused():
    copy = Classifier().fit(TEXTS, LABELS).compact()
    before = state(copy)
    for learn in (copy.update, copy.forget, copy.tune):
        with pytest.raises(ModelError, check=coded("compact-copy")):
            learn(TEXTS[:1], LABELS[:1])
    with pytest.raises(LikelyError):
        copy.fit(TEXTS, LABELS[:-1])
    assert state(copy) == before


@each_model(OF_ONE_LABEL)
def test_the_ledger_is_on_again_after_unlabeled_rows(make):
    model = make().fit(TEXTS, LABELS, unlabeled=MORE, unlabeled_weight=1)
    model.fit(TEXTS, LABELS)
    fresh = make().fit(TEXTS, LABELS)
    assert model.to_bytes() == fresh.to_bytes()
    assert model.ledger == fresh.ledger
    # Its words were learned under its label, but no such row was.
    with pytest.raises(NotLearnedError):
        model.forget(["a goal"], ["sport"])
    assert model.to_bytes() == fresh.to_bytes()
    assert model.was_learned(["a goal", TEXTS[0]], ["sport", "sport"]).tolist() == [False, True]


@each_model(OF_ONE_LABEL)
@pytest.mark.parametrize("name", ["text", "x", "t"])
def test_a_model_of_a_list_of_texts_fits_a_table(make, name):
    rows = {name: TEXTS, "y": LABELS}
    model = make().fit(TEXTS, LABELS).fit(rows, "y")
    assert state(model) == state(make().fit(rows, "y"))
    assert model.columns == (name,)
    assert state(model.fit(TEXTS, LABELS)) == state(make().fit(TEXTS, LABELS))


def test_a_model_by_column_may_be_fitted_with_other_columns():
    model = Classifier().fit(table("text", "n", "y"), "y")
    model.fit(table("c", "n", "y"), "y")
    assert state(model) == state(Classifier().fit(table("c", "n", "y"), "y"))


def test_what_a_model_is_given_is_never_written():
    likelihood = {"text": Multinomial(), "n": Gaussian(), "c": Categorical()}
    columns, missing = {"c": "categorical"}, ["-", "?"]
    classes, prior = ["law", "sport", "art"], {"law": 0.5}
    thresholds, costs = {"law": "f1"}, {("law", "sport"): 2, ("art", "art"): 0}
    given = [likelihood, columns, missing, classes, prior, thresholds, costs]
    before = repr(given)
    known = {"missing": missing, "classes": classes, "prior": prior}
    for model in (
        Classifier(likelihood, **known),
        Classifier(columns=columns, **known, thresholds=thresholds),
        Classifier(columns=columns, **known, costs=costs),
    ):
        model.fit(TABLE, "y").update(TABLE, "y").forget(TABLE, "y")
        model.fit(TABLE, "y").with_prior("uniform").with_neutral(["criterion"]).tune(TABLE, "y")
        assert repr(given) == before


# Interrupted


BEFORE = {
    "fresh": lambda: Classifier(),
    "fresh, weighed": lambda: Classifier(Multinomial(), tune=True),
    "texts": lambda: Classifier().fit(TEXTS[:6], LABELS[:6]),
    "a table": lambda: Classifier().fit(table("c", "n", "y"), "y"),
    "lists of labels": lambda: Classifier().fit(TEXTS, SETS),
    "unlabeled": lambda: Classifier().fit(TEXTS, LABELS, unlabeled=MORE, unlabeled_weight=1),
    "compact": lambda: Classifier().fit(TEXTS, LABELS).compact(),
}
INTO = {
    "other texts": lambda m: m.fit(OTHER, OTHER_LABELS),
    "a table": lambda m: m.fit({"text": TEXTS, "m": NUMBERS}, LABELS),
    "lists of labels": lambda m: m.fit(TEXTS[:4], SETS[:4]),
    "unlabeled": lambda m: m.fit(OTHER, OTHER_LABELS, unlabeled=MORE, unlabeled_weight=0.5),
}


def check_interrupted(make, act, most=24):
    """Interrupted anywhere, `act` leaves what `make` makes as it was."""
    model = make()
    before, count = state(model), moments(lambda: act(make()))
    for at in some(count, most):
        if interrupted(partial(act, model), at):
            assert state(model) == before, f"interrupted at moment {at} of {count}"
        else:
            # What was computed before an interrupt need not be computed again.
            assert at > 0
            model = make()
    return model


@pytest.mark.parametrize("then", INTO)
@pytest.mark.parametrize("first", BEFORE)
def test_an_interrupted_fit_leaves_the_model_as_it_was(first, then):
    if first == "fresh, weighed" and then == "a table":
        pytest.skip("a single likelihood of texts reads no table of two columns")
    model = check_interrupted(BEFORE[first], INTO[then])
    fresh = INTO[then](BEFORE["fresh, weighed" if "weighed" in first else "fresh"]())
    assert state(INTO[then](model)) == state(fresh)


@pytest.mark.parametrize("done", [0, 1, 2])
@pytest.mark.parametrize("first", BEFORE)
def test_a_fit_whose_progress_is_interrupted_leaves_the_model_as_it_was(first, done, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(
        "t,y\n" + "".join(f"{t},{y}\n" for t, y in zip(OTHER, OTHER_LABELS, strict=True))
    )
    model, left = BEFORE[first](), done

    def progress(_bytes):
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt

    before = state(model)
    try:
        model.fit(likely.open_table(path), "y", progress=progress)
    except KeyboardInterrupt:
        assert state(model) == before
    else:
        assert done > 0, "progress is not told"


REFITTED = {
    "texts": (lambda: Classifier().fit(TEXTS[:6], LABELS[:6]), (TEXTS, LABELS)),
    "a table": (lambda: Classifier().fit(TABLE, "y"), (TABLE, "y")),
    "lists of labels": (lambda: Classifier().fit(TEXTS[:6], SETS[:6]), (TEXTS, SETS)),
    "plain": (lambda: Classifier(Multinomial()).fit(TEXTS[:6], LABELS[:6]), (TEXTS, LABELS)),
    "stacked linear model": (
        lambda: Classifier(stack_linear=True).fit(TEXTS[:6], LABELS[:6]),
        (TEXTS, LABELS),
    ),
}


@pytest.mark.parametrize("kind", REFITTED)
def test_an_interrupted_refit_leaves_the_file_as_it_was(kind):
    make, rows = REFITTED[kind]

    def learned():
        return make() if kind == "a table" else make().update(*(part[6:] for part in rows))

    model = check_interrupted(learned, lambda m: m.tune(*rows))
    assert state(model.tune(*rows)) == state(learned().tune(*rows))


@pytest.mark.parametrize("change", ["update", "forget"])
@pytest.mark.parametrize("kind", REFITTED)
def test_an_interrupted_update_or_forget_leaves_the_model_as_it_was(kind, change):
    make, (x, y) = REFITTED[kind]
    rows = (
        ({name: cells[:2] for name, cells in x.items()}, y) if kind == "a table" else (x[:2], y[:2])
    )
    check_interrupted(make, lambda m: getattr(m, change)(*rows))


# Refused


FRESH = {
    "default": (lambda: Classifier(), {"n": [1.0, None], "t": ["a b", "c d"]}),
    "plain": (lambda: Classifier(Gaussian()), {"n": ["x", "y"], "m": [1.0, 2.0]}),
    "mixed labels": (lambda: Classifier(Gaussian()), {"n": [3.0, 4.0], "m": [1.0, 2.0]}),
}


@pytest.mark.parametrize("call", ["update", "fit", "observe"])
@pytest.mark.parametrize("kind", FRESH)
def test_what_a_fresh_model_refuses_does_not_fix_its_columns(kind, call):
    make, bad = FRESH[kind]
    labels = ["p", "q"] if kind == "plain" else ["p", ["q"]]
    good = {"a": [1.0, 2.5, 4.0, 4.5], "b": [2.0, 1.0, 4.0, 8.0]}, ["p", "q", "p", "q"]
    model = make()
    before = state(model)
    with pytest.raises((LikelyError, TypeError)):
        getattr(model, call)(bad, labels)
    assert state(model) == before
    assert state(model.update(*good)) == state(make().update(*good))
    assert model.columns == ("a", "b")


def test_a_refused_update_names_no_target():
    model = Classifier(Gaussian())
    with pytest.raises(DataError):
        model.update({"n": ["x", "y"], "y": ["p", "q"]}, "y")
    assert model.target is None
    good = {"m": [1.0, 2.0, 4.0], "z": ["p", "q", "p"]}
    assert state(model.update(good, "z")) == state(Classifier(Gaussian()).update(good, "z"))


LISTS = [["sport"], ["law"], ["law", "sport"], [], ["sport"], ["law"], [], ["law", "sport"]]
LEARNED = {
    "plain": (lambda: Classifier(Multinomial()).fit(TEXTS, LABELS), LISTS),
    "weighed": (lambda: Classifier().fit(TEXTS, LABELS), LISTS),
    "unlabeled": (BEFORE["unlabeled"], LISTS),
    "without a ledger": (lambda: Classifier(ledger=False).fit(TEXTS, LABELS), LISTS),
    "several labels": (lambda: Classifier(Multinomial()).fit(TEXTS, SETS), LABELS),
    "several labels, weighed": (lambda: Classifier().fit(TEXTS, SETS), LABELS),
}
CALLS = ["update", "forget", "tune", "observe", "leave_one_out", "explain_left_out"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", LEARNED)
def test_labels_of_another_kind_are_refused_with_a_sentence(kind, call):
    make, labels = LEARNED[kind]
    model = make()
    before = state(model)
    with pytest.raises(LikelyError):
        getattr(model, call)(TEXTS, labels)
    assert state(model) == before


# Observed


OBSERVED = {
    "plain": (lambda: Classifier(Multinomial()), (TEXTS, LABELS)),
    "lists of labels": (lambda: Classifier(Multinomial()), (TEXTS, SETS)),
    "by column": (
        lambda: Classifier({"text": Multinomial(), "n": Gaussian(), "c": Categorical()}),
        (TABLE, "y"),
    ),
    "together": (
        lambda: Classifier({("n", "m"): Gaussian("full")}),
        ({"n": NUMBERS, "m": NUMBERS[::-1]}, LABELS),
    ),
    "default, texts": (lambda: Classifier(), (TEXTS, LABELS)),
    "default, lists of labels": (lambda: Classifier(), (TEXTS, SETS)),
    "default, a table": (lambda: Classifier(), (TABLE, "y")),
}
every_observed = pytest.mark.parametrize("kind", OBSERVED)


@every_observed
def test_to_observe_does_not_settle_a_model(kind):
    make, rows = OBSERVED[kind]
    model = make()
    model.observe(*rows)
    assert state(model) == state(make())
    with pytest.raises(NotFittedError):
        model.predict(rows[0])
    assert state(model.fit(*rows)) == state(make().fit(*rows))


def test_a_model_that_observed_takes_other_columns():
    for make in (Classifier, lambda: Classifier(Gaussian())):
        model = make()
        model.observe({"a": NUMBERS, "b": NUMBERS}, LABELS)
        rows = {"m": NUMBERS, "y": LABELS}, "y"
        assert state(model.update(*rows)) == state(make().update(*rows))


def test_to_observe_leaves_a_model_that_has_learned_as_it_was():
    model = Classifier().fit(TEXTS, LABELS)
    before = state(model)
    observed = model.observe(["a striker"], ["sport"])
    assert state(model) == before
    assert observed == Classifier().fit(TEXTS, LABELS).observe(["a striker"], ["sport"])


@every_observed
def test_a_fresh_model_takes_a_tally_that_others_observed(kind):
    make, (x, y) = OBSERVED[kind]
    model = make()
    model.tally = make().observe(x, y)
    learned = make().update(x, y)
    assert model.digest == learned.digest
    assert model.classes == learned.classes
    assert model.is_multilabel == learned.is_multilabel
    np.testing.assert_array_equal(model.predict_proba(x), learned.predict_proba(x))


@pytest.mark.parametrize("kind", ["plain", "lists of labels", "together"])
def test_a_fresh_model_takes_the_sum_of_what_others_observed(kind):
    make, (x, y) = OBSERVED[kind]
    halves = [
        ({name: cells[a:b] for name, cells in x.items()} if isinstance(x, dict) else x[a:b], y[a:b])
        for a, b in ((0, 3), (3, None))
    ]
    model = make()
    model.tally = sum(make().observe(*half) for half in halves)
    learned = make().update(x, y)
    assert model.digest == learned.digest
    np.testing.assert_array_equal(model.predict_proba(x), learned.predict_proba(x))


def test_a_tally_of_another_kind_is_refused_and_changes_nothing():
    tally = Classifier(Gaussian()).observe({"n": NUMBERS}, LABELS)
    for model in (Classifier(Multinomial()), Classifier(Multinomial()).fit(TEXTS, LABELS)):
        before = state(model)
        with pytest.raises(LikelyError):
            model.tally = tally
        assert state(model) == before


# Made of one another


RULES = Rules([Rule("prize", "law", words=["lottery"])])
COPIES = {
    "with_prior": lambda m: m.with_prior("uniform"),
    "with_rules": lambda m: m.with_rules(RULES),
    "with_thresholds": lambda m: m.with_group_thresholds(GroupThresholds("who", "law", {"a": 0.9})),
    "with_neutral": lambda m: m.with_neutral(["criterion"]),
}
MADE = {
    **COPIES,
    "unweighed": lambda m: m.plain(),
    "compact": lambda m: m.compact(),
    "+": lambda m: m + m,
}


@pytest.mark.parametrize("made", COPIES)
def test_a_copy_knows_what_unlabeled_rows_were_worth(made):
    model = Classifier().fit(TEXTS, LABELS, unlabeled=MORE, unlabeled_weight=1)
    assert model.learned is not None
    assert model.learned.weight == 1
    copy = COPIES[made](model)
    assert copy.learned is not None
    assert str(copy.learned) == str(model.learned)
    assert copy.learned.gains == model.learned.gains


@pytest.mark.parametrize("made", MADE)
def test_what_is_made_of_a_model_does_not_share_its_choices(made):
    model = Classifier().fit(TABLE, "y")
    copy = MADE[made](model)
    assert model.column_roles
    for changed, other in ((copy, model), (model, copy)):
        before = dict(other.column_roles)
        # A mapping that cannot be changed keeps the promise too.
        with suppress(TypeError, AttributeError):
            changed.column_roles["new"] = None
        assert dict(other.column_roles) == before


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize(
    "rows", [(TEXTS, LABELS), (TEXTS, SETS), (TABLE, "y")], ids=["texts", "several", "table"]
)
def test_what_is_made_of_a_model_leaves_it_as_it_was(made, rows):
    if made in ("with_thresholds", "with_rules") and rows[1] is SETS:
        pytest.skip("these are for rows of one label")
    model = Classifier().fit(*rows)
    before = state(model)
    copy = MADE[made](model)
    assert state(model) == before
    if made != "compact":
        copy.update(*rows)
        assert state(model) == before
        copy.forget(*rows)
    of_copy = state(copy)
    model.update(*rows)
    assert state(copy) == of_copy


def test_a_sum_is_the_same_either_way_round_where_neither_was_weighed_on_more_rows():
    """Of two rows, each the only one of its class, nothing can be weighed."""
    columns = {"t": "text", "n": "numeric"}
    one = Classifier(columns=columns).fit({"t": TEXTS[:2], "n": NUMBERS[:2]}, LABELS[:2])
    other = Classifier(columns=columns).fit({"t": TEXTS[2:4], "n": NUMBERS[2:4]}, LABELS[2:4])
    assert (one + other).to_bytes() == (other + one).to_bytes()


def test_the_hints_of_what_is_refused_name_no_other_model():
    """A message speaks of the model at hand, not of one it was before."""
    model = Classifier().fit({"a": NUMBERS}, LABELS).fit({"b": NUMBERS}, LABELS)
    with pytest.raises(DataError) as refused:
        model.predict({"c": NUMBERS})
    assert re.search("`b`", str(refused.value))
    assert not re.search("`a`", str(refused.value))


def test_weights_of_some_rows_do_not_pass_for_those_of_all():
    model = Classifier().fit(TEXTS, LABELS)
    before = model.to_bytes()
    with pytest.raises(DataError, match="it is tuned on all of them"):
        model.tune(TEXTS[:-1], LABELS[:-1])
    twice = [*TEXTS[:-1], TEXTS[0]], [*LABELS[:-1], LABELS[0]]
    with pytest.raises(LikelyError):
        model.tune(*twice)
    assert model.to_bytes() == before


def test_a_copy_of_a_stale_model_is_stale():
    model = Classifier().fit(TEXTS, LABELS).update(TEXTS[:1], LABELS[:1])
    copy = from_bytes(model.compact().to_bytes())
    assert model.is_stale
    assert copy.is_stale
    assert any("other rows" in note for note in copy.info.notes)
    assert not Classifier().fit(TEXTS, LABELS).compact().is_stale


def test_threads_that_learn_lose_no_rows():
    model = Classifier(Multinomial()).fit(TEXTS, LABELS)

    def learn(_):
        for _ in range(50):
            model.update(TEXTS[:1], LABELS[:1])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(learn, range(4)))
    assert model.tally.n_rows == len(TEXTS) + 200


@pytest.mark.parametrize("settled", [{"ledger": b"secret"}, {"ledger": False}, {"missing": ["-"]}])
def test_what_a_plan_has_settled_is_not_asked_for_otherwise(settled):
    plan = Classifier().plan(TEXTS, LABELS)
    with pytest.raises(OptionError, match="plan"):
        Classifier(plan, **settled)
    keyed = Classifier(ledger=b"secret").plan(TEXTS, LABELS)
    assert Classifier(keyed, ledger=b"secret").fit(TEXTS, LABELS).ledger.secret == b"secret"


def test_a_compact_copy_of_a_planned_model_is_read():
    model = Classifier(Classifier().plan(TEXTS, LABELS)).fit(TEXTS, LABELS)
    copy = model.compact().to_bytes()
    assert from_bytes(copy).to_bytes() == copy
