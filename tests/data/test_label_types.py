"""Labels given to a model may be of another kind than its own, if they are spelled alike."""

import numpy as np
import pandas as pd
import pytest

import likely
from likely import Classifier, Multinomial, Rule, Rules
from likely.errors import DataError, DataTypeError, NotLearnedError, OptionError
from likely.fairness import groups
from likely.model.adjust.group_thresholds import GroupThresholds
from likely.model.target.thresholds import ThresholdCriterion
from likely.report import report

TEXTS = ["buy pills now", "cheap pills", "lunch at noon", "see you at lunch"] * 3
INTS = [1, 1, 0, 0] * 3
# Each pair: the labels of the model, and the same of another kind.
PAIRS = {
    "texts, ints": (["1", "1", "0", "0"] * 3, INTS),
    "ints, texts": (INTS, ["1", "1", "0", "0"] * 3),
    "texts, floats": (["1", "1", "0", "0"] * 3, [1.0, 1.0, 0.0, 0.0] * 3),
    "float texts, ints": (["1.0", "1.0", "0.0", "0.0"] * 3, INTS),
    "ints, floats": (INTS, [1.0, 1.0, 0.0, 0.0] * 3),
    "floats, ints": ([1.0, 1.0, 0.0, 0.0] * 3, INTS),
    "texts, bools": (["TRUE", "TRUE", "FALSE", "FALSE"] * 3, [True, True, False, False] * 3),
    "bools, texts": ([True, True, False, False] * 3, ["true", "true", "false", "false"] * 3),
    "texts, numpy": (["1", "1", "0", "0"] * 3, np.array(INTS, dtype=np.int8)),
    "texts, pandas": (["1", "1", "0", "0"] * 3, pd.Series(INTS)),
}


@pytest.fixture(params=PAIRS)
def pair(request):
    own, other = PAIRS[request.param]
    return Classifier(Multinomial()).fit(TEXTS, own), own, other


def test_learned_rows_are_known_and_forgotten_under_labels_of_another_kind(pair):
    model, own, other = pair
    assert model.was_learned(TEXTS, other).all()
    before = model.digest
    assert model.update(TEXTS[:2], other[:2]).forget(TEXTS[:2], other[:2]).classes_gone == ()
    assert model.digest == before
    assert model.forget(TEXTS[:4], other[:4]).rows_left == 8
    assert model.digest == Classifier(Multinomial()).fit(TEXTS[4:], own[4:]).digest


def test_rows_are_judged_alike_under_labels_of_another_kind(pair):
    model, own, other = pair
    assert (
        model.leave_one_out(TEXTS, other).labels == model.leave_one_out(TEXTS, own).labels
    ).all()
    assert model.influence("pills", TEXTS, other) == model.influence("pills", TEXTS, own)
    assert model.dependences(TEXTS, other) == model.dependences(TEXTS, own)
    assert report(model, TEXTS, other).to_json() == report(model, TEXTS, own).to_json()
    tuned = [model.plain().tune(TEXTS, labels) for labels in (own, other)]
    assert tuned[0].to_bytes() == tuned[1].to_bytes()


def test_an_audit_takes_labels_of_another_kind(pair):
    _, own, other = pair
    rows = {"text": TEXTS, "who": ["ann", "bob"] * 6}
    model = Classifier({"text": Multinomial()}).fit(rows, own)
    found = [groups(model, rows, y, group="who").to_json() for y in (own, other)]
    assert found[0] == found[1]


def test_options_by_label_take_labels_of_another_kind(pair):
    model, _, other = pair
    no, yes = model.classes
    of_no, of_yes = sorted({label.item() if hasattr(label, "item") else label for label in other})
    assert model.class_of(of_yes) == yes
    assert type(model.class_of(of_no)) is type(no)
    priors = [model.with_prior({n: 0.9, y: 0.1}) for n, y in ((no, yes), (of_no, of_yes))]
    assert (priors[0].predict_proba(TEXTS) == priors[1].predict_proba(TEXTS)).all()
    assert model.language_model(of_yes).label == yes
    ruled = model.with_rules(Rules([Rule("pills", of_no, words=["pills"])]))
    assert ruled.predict(["pills"]).tolist() == [no]
    why = ruled.explain("pills")
    assert (why.prediction, type(why.prediction)) == (no, type(no))
    by_group = Classifier({"t": Multinomial()}).fit({"t": TEXTS}, list(model.classes) * 6)
    assert (
        by_group.with_group_thresholds(
            GroupThresholds("g", of_yes, {"a": 0.9})
        ).group_thresholds.label
        == yes
    )


def test_a_model_from_a_file_knows_its_rows_in_a_frame(tmp_path):
    (tmp_path / "t.csv").write_text(
        "text,label\n" + "".join(f"{t},{n}\n" for t, n in zip(TEXTS, INTS, strict=True))
    )
    model, frame = Classifier().fit(tmp_path / "t.csv"), pd.read_csv(tmp_path / "t.csv")
    assert model.classes == ("0", "1")
    assert frame["label"].dtype.kind == "i"
    assert model.was_learned(frame).all()
    assert model.forget(frame[:1]).rows == 1
    assert Classifier().fit(frame, "label").was_learned(tmp_path / "t.csv").all()


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        (["1", "0"], [2, 0], "row 1: the label 2 is not a text, .*none of them is spelled so"),
        (["a", "b"], [1, 0], "the label 1 is not a text, as those of the model are: `a`, `b`"),
        ([1, 0], ["one", "0"], "the label 'one' is not a whole number"),
        ([1, 0], [True, False], "the label True is not a whole number"),
        ([True, False], [1, 0], "the label 1 is not a truth value"),
        ([1, 0], [0.5, 1.0], "row 1: the label 0.5 is not a whole number"),
        ([True, False], ["TRUE", "true"], "'TRUE' and 'true' would both be True"),
        (["1", "1.0"], [1, 1], "1 may be the label '1' of the model, or '1.0'"),
    ],
)
def test_what_is_not_spelled_alike_is_refused_with_the_reason(own, other, said):
    model = Classifier(Multinomial()).fit(["a", "b"], own)
    before = model.to_bytes()
    for act in (model.was_learned, model.forget, model.update, model.leave_one_out, model.tune):
        with pytest.raises(DataTypeError, match=said):
            act(["a", "b"], other)
    assert model.to_bytes() == before


def test_a_file_may_spell_a_new_label_of_the_kind_of_the_model(tmp_path):
    (tmp_path / "t.csv").write_text("text,label\nnews,2\n")
    model = Classifier({"text": Multinomial()}).fit({"text": ["a", "b"], "label": [0, 1]}, "label")
    assert model.update(tmp_path / "t.csv").classes == (0, 1, 2)


def test_a_class_of_no_model_is_said_with_those_there_are():
    model = Classifier().fit(TEXTS, INTS)
    with pytest.raises(OptionError, match="`2` is no class of the model; there are `0`, `1`"):
        model.with_prior({"2": 0.5})
    with pytest.raises(OptionError, match="the prior has a class twice"):
        model.with_prior({"1": 0.5, 1: 0.5})


def test_models_whose_labels_differ_in_kind_are_not_added():
    texts, numbers = (Classifier(Multinomial()).fit(["a", "b"], y) for y in (["0", "1"], [0, 1]))
    with pytest.raises(DataTypeError, match="one kind"):
        texts + numbers


def test_labels_of_several_per_row_are_found_by_their_spelling():
    own, other = [["1", "2"], ["1"], ["2"], []] * 3, [[1, 2], [1], [2], []] * 3
    model = Classifier(Multinomial()).fit(TEXTS, own)
    assert model.was_learned(TEXTS, other).all()
    assert model.forget(TEXTS[:4], other[:4]).rows == 4
    with pytest.raises(NotLearnedError):
        model.forget(["never"], [[1]])


def test_costs_by_label_take_labels_of_another_kind():
    own = [[1, 2], [1], [2], []] * 3
    models = [
        Classifier(
            thresholds=ThresholdCriterion.of({one: (50, 1), "2" if one == "1" else 2: (1, 50)})
        ).fit(TEXTS, own)
        for one in (1, "1")
    ]
    assert models[0].thresholds == models[1].thresholds
    assert models[0].thresholds[1] < models[0].thresholds[2]


def test_each_label_counts_once_whatever_it_came_in():
    """What comes only once is read once: no label is lost, and none moves to another row."""
    own = Classifier(Multinomial()).fit(TEXTS, INTS)
    ways = (iter, lambda y: (n for n in y), lambda y: map(int, y), lambda y: np.array(y)[:, None])
    rows = (list, iter, lambda x: (t for t in x), lambda x: map(str, x))
    for labels in (*ways, lambda y: pd.DataFrame({"label": y})):
        for texts in rows:
            model = Classifier(Multinomial()).fit(texts(TEXTS), labels(INTS))
            assert model.digest == own.digest
            assert model.classes == (0, 1)
            assert model.was_learned(texts(TEXTS), labels(INTS)).all()
            assert model.update(texts(TEXTS), labels(INTS)).tally.n_rows == 24
            assert model.forget(texts(TEXTS), labels(INTS)).rows == 12
            assert model.leave_one_out(texts(TEXTS), labels(INTS)).accuracy == 1.0
            assert model.tune(texts(TEXTS), labels(INTS)).classes == (0, 1)
            assert report(model, texts(TEXTS), labels(INTS)).evaluation.rows == 12
            assert model.influence("pills", texts(TEXTS), labels(INTS))
            found = likely.cross_validate(
                Classifier(Multinomial()), texts(TEXTS), labels(INTS), folds=2
            )
            assert sorted(found.truth.tolist()) == sorted(INTS)
        judged = likely.evaluate(labels(INTS), labels(INTS))
        assert (judged.rows, float(judged.accuracy), judged.is_multilabel) == (12, 1.0, False)
        compared = likely.compare(labels(INTS), labels(INTS), labels(INTS[::-1]))
        assert compared.rows == 12


def test_unlabeled_rows_and_labels_that_come_once_are_read_once():
    more = ["pills", "lunch"]
    models = [
        Classifier().fit(w(TEXTS), w(INTS), unlabeled=w(more), unlabeled_weight=1)
        for w in (list, iter)
    ]
    assert models[0].digest == models[1].digest


def test_lists_of_labels_that_come_once_are_read_once():
    sets = [["a", "b"], ["a"], ["b"], []] * 3
    models = [Classifier(Multinomial()).fit(TEXTS, w(sets)) for w in (list, iter)]
    assert models[0].digest == models[1].digest
    model = Classifier(separator=";").fit(TEXTS, (";".join(row) for row in sets))
    assert model.tally.n_rows == 12


@pytest.mark.parametrize("kind", [int, float, object])
def test_a_masked_label_is_missing_and_not_what_lies_behind_the_mask(kind):
    for masked in (0, 3):
        mask = np.arange(12) == masked
        labels = np.ma.array(INTS, mask=mask, dtype=kind)
        for given in (labels, labels[:, None]):
            with pytest.raises(DataError, match=f"label {masked + 1} is missing"):
                Classifier(Multinomial()).fit(TEXTS, given)
            with pytest.raises(DataError, match=f"label {masked + 1} is missing"):
                likely.evaluate(given, INTS)
        matrix = np.ma.array(np.eye(2, dtype=int)[INTS], mask=np.stack([mask, mask], axis=1))
        with pytest.raises(DataError, match=f"row {masked + 1} is masked"):
            Classifier(Multinomial()).fit(TEXTS, matrix)
    whole = Classifier(Multinomial()).fit(TEXTS, np.ma.array(INTS))
    assert whole.digest == Classifier(Multinomial()).fit(TEXTS, INTS).digest


def test_an_array_without_rows_and_one_of_three_dimensions_are_no_labels():
    for given in (np.array("a"), np.array(INTS)[:, None, None]):
        with pytest.raises(DataTypeError, match="labels are a list with one label per row"):
            Classifier().fit(TEXTS, given)
