"""Cross-validation by subtraction is retraining, for every likelihood and every way to cut."""

import datetime

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import likely
from likely import Classifier, Multinomial, cross_validate
from likely.errors import DataError, LikelyError, OptionError
from likely.likelihoods import TextViews
from tests.laws.strategies import COLUMNS, rows
from tests.laws.test_laws import EVERY_MODEL

TEXTS = ["good fun", "so good", "bad", "so bad", "dull", "fine"] * 4
LABELS = ["pos", "pos", "neg", "neg", "neg", "pos"] * 4


def retrained(model, x, y, found):
    """Each prediction again, by a model fit on the rows of other folds."""
    expected = np.zeros_like(found.probabilities)
    for repeat in np.unique(found.repeats):
        for fold in np.unique(found.folds):
            here = (found.repeats == repeat) & (found.folds == fold)
            test = found.rows[here]
            train = [row for row in range(len(y)) if row not in test]
            table = {name: [cells[row] for row in train] for name, cells in x.items()}
            rest = Classifier(model).fit(table, [y[row] for row in train])
            known = [found.classes.index(label) for label in rest.classes]
            asked = {name: [cells[row] for row in test] for name, cells in x.items()}
            expected[np.ix_(np.flatnonzero(here), known)] = rest.predict_proba(asked)
    return expected


@pytest.mark.parametrize("model", EVERY_MODEL, ids=str)
@settings(max_examples=15, deadline=None)
@given(drawn=rows(max_size=12, numbers=st.floats(-10, 10)), folds=st.integers(2, 4))
def test_subtracting_a_fold_equals_retraining_without_it(model, drawn, folds):
    x = {name: [cells[name] for cells, _ in drawn] for name in COLUMNS}
    y = [label for _, label in drawn]
    try:
        found = cross_validate(Classifier(model), x, y, folds=folds, repeats=2)
    except LikelyError:
        assume(False)
    assert (found.probabilities == retrained(model, x, y, found)).all()
    assert sorted(found.rows) == sorted([*range(len(y))] * 2)
    assert found.truth.tolist() == [y[row] for row in found.rows]


def test_folds_are_stratified_by_class():
    y = ["a"] * 50 + ["b"] * 30 + ["c"] * 7
    found = cross_validate(Classifier(Multinomial()), ["x"] * 87, y, folds=5)
    for label in "abc":
        sizes = np.bincount(found.folds[found.truth == label], minlength=5)
        assert sizes.max() - sizes.min() <= 1


def test_a_seed_settles_the_folds_and_repeats_differ():
    def folds(seed):
        found = cross_validate(Classifier(), TEXTS, LABELS, folds=4, repeats=2, seed=seed)
        return np.column_stack([found.repeats, found.rows, found.folds])

    assert (folds(3) == folds(3)).all()
    assert (folds(3) != folds(4)).any()
    first, second = np.split(folds(3)[:, 1:], 2)
    assert (first != second).any()


@settings(max_examples=50, deadline=None)
@given(groups=st.lists(st.integers(0, 9), min_size=24, max_size=24), folds=st.integers(2, 4))
def test_no_group_is_both_learned_and_predicted(groups, folds):
    if len(set(groups)) < folds:
        with pytest.raises(DataError, match="groups cannot be cut"):
            cross_validate(Classifier(), TEXTS, LABELS, folds=folds, groups=groups)
        return
    try:
        found = cross_validate(Classifier(), TEXTS, LABELS, folds=folds, groups=groups)
    except DataError as error:
        assert "there is only" in str(error)  # noqa: PT017
        return
    of_group = {}
    for row, fold in zip(found.rows, found.folds, strict=True):
        assert of_group.setdefault(groups[row], fold) == fold
    assert set(found.folds) == set(range(folds))


def test_a_column_of_groups_is_no_evidence():
    table = {"text": TEXTS, "author": [f"a{i % 6}" for i in range(24)], "label": LABELS}
    by_name = cross_validate(Classifier(), table, "label", folds=3, groups="author")
    without = {name: table[name] for name in ("text", "label")}
    given = cross_validate(Classifier(), without, "label", folds=3, groups=table["author"])
    assert (by_name.probabilities == given.probabilities).all()


def test_the_past_predicts_the_future():
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=(7 * i) % 24) for i in range(24)]
    times = [day.isoformat() for day in days]
    model = Classifier(Multinomial())
    found = cross_validate(model, TEXTS, LABELS, folds=3, time=times)
    assert np.bincount(found.folds).tolist() == [6, 6, 6]
    for fold in range(3):
        test = found.rows[found.folds == fold]
        before = [row for row in range(24) if days[row] < min(days[row] for row in test)]
        assert len(before) == 6 * (fold + 1)
        past = Classifier(Multinomial()).fit(
            [TEXTS[row] for row in before], [LABELS[row] for row in before]
        )
        again = past.predict_proba([TEXTS[row] for row in test])
        assert (found.probabilities[found.folds == fold] == again).all()


def test_rows_of_one_moment_stay_together():
    found = cross_validate(Classifier(), TEXTS, LABELS, folds=5, time=[1] * 12 + [2] * 11 + [3])
    assert found.folds.tolist() == [0] * 11 + [1]


def test_a_weighed_model_is_weighed_anew_without_each_fold():
    texts, y = {"text": TEXTS}, LABELS
    model = Classifier({"text": TextViews()}).fit(texts, y).tune(texts, y)
    found = cross_validate(model, texts, y, folds=3)
    test = found.rows[found.folds == 1]
    rest = [row for row in range(24) if row not in test]
    table, kept = {"text": [TEXTS[row] for row in rest]}, [y[row] for row in rest]
    again = Classifier({"text": TextViews()}).fit(table, kept).tune(table, kept)
    expected = again.predict_proba({"text": [TEXTS[row] for row in test]})
    assert (found.probabilities[found.folds == 1] == expected).all()


def test_the_model_stays_as_it_is_and_files_will_do(tmp_path):
    lines = [f"{text},{label}" for text, label in zip(TEXTS, LABELS, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["text,label", *lines]))
    model = Classifier({"text": Multinomial()})
    found = cross_validate(model, likely.open_table(tmp_path / "d.csv"), folds=3)
    table = cross_validate(model, {"text": TEXTS, "label": LABELS}, folds=3)
    assert (found.probabilities == table.probabilities).all()
    assert repr(model).endswith("nothing learned>")


def test_a_class_that_is_not_there_is_impossible():
    found = cross_validate(Classifier(), [*TEXTS, "odd"], [*LABELS, "alone"], folds=5)
    assert found.probabilities[found.truth == "alone", found.classes.index("alone")] == 0
    assert "alone" in found.evaluate(intervals=False).classes


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"folds": 1}, OptionError, "`folds` is a whole number from 2 up, not 1"),
        ({"folds": 25}, DataError, "24 rows cannot be cut into 25 folds"),
        ({"repeats": 0}, OptionError, "`repeats` is a whole number from 1 up"),
        ({"groups": [1], "time": [1]}, OptionError, "not both"),
        ({"time": [1] * 24, "repeats": 2}, OptionError, "time runs one way"),
        ({"time": [1] * 24}, DataError, "every row has the same time"),
        ({"time": ["31/12/2026"] * 24}, DataError, "the time in row 1 is '31/12/2026'; times are"),
        ({"groups": [1, 2]}, DataError, "there are 24 rows, but `groups` has 2 values"),
        ({"groups": ["a", None, *"b" * 22]}, DataError, "row 2 has no value in `groups`"),
        ({"groups": "author"}, DataError, "there is no column `author`"),
        ({"groups": LABELS, "folds": 2}, DataError, "without fold 1 there is only"),
    ],
)
def test_what_makes_no_sense_is_said(options, error, message):
    with pytest.raises(error, match=message):
        cross_validate(Classifier(), TEXTS, LABELS, **options)
