"""Evaluations in fractions: those of the textbook, whatever the predictions."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely import textbook
from likely.errors import DataError
from likely.evaluation.by_hand import MEASURES

pairs = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1)
TEXTBOOK = {"precision": textbook.precision, "recall": textbook.recall}


@given(pairs, st.sampled_from([0, 0.5, 1, 2]))
@settings(max_examples=60, deadline=None)
def test_every_fraction_is_the_textbooks(pairs, beta):
    gold, output = zip(*pairs, strict=True)
    found = likely.evaluate(gold, output, beta=beta, intervals=False).by_hand()
    measures = {**TEXTBOOK, "f_measure": lambda t: textbook.f_measure(t, beta)}
    tables = [textbook.table(t.label, gold, output) for t in found.tables]
    assert [(t.tp, t.fp, t.fn, t.tn) for t in found.tables] == tables
    pooled = found.pooled
    assert (pooled.tp, pooled.fp, pooled.fn, pooled.tn) == textbook.pooled(tables)
    for name in MEASURES:
        for own, theirs in zip(found.tables, tables, strict=True):
            assert own.value(name) == measures[name](theirs)
        assert found.macro(name) == textbook.macro(measures[name], tables)
        assert found.micro(name) == textbook.micro(measures[name], tables)
    assert found.accuracy.value == Fraction(sum(a == b for a, b in pairs), len(pairs))


sets = st.lists(st.sets(st.sampled_from("abc")), min_size=2, max_size=12)


@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from("abc")), st.sets(st.sampled_from("abc"))), min_size=1
    )
)
@settings(max_examples=40, deadline=None)
def test_labels_of_multilabel_rows_have_a_table_each(rows):
    gold, output = ([sorted(one) for one in column] for column in zip(*rows, strict=True))
    found = likely.evaluate(gold, output, classes=["a", "b", "c"], intervals=False).by_hand()
    for own in found.tables:
        theirs = textbook.table(
            True, [own.label in g for g in gold], [own.label in o for o in output]
        )
        assert (own.tp, own.fp, own.fn, own.tn) == theirs
    tables = [textbook.Table(t.tp, t.fp, t.fn, t.tn) for t in found.tables]
    assert found.macro("f_measure") == textbook.macro(textbook.f_measure, tables)
    assert found.micro("recall") == textbook.micro(textbook.recall, tables)
    right = sum(g == o for g, o in zip(gold, output, strict=True))
    assert found.accuracy.value == Fraction(right, len(gold))
    assert "subset accuracy" in str(found)
    assert "Every mistake" not in str(found)


def shown(table, classes=None, **options):
    return str(likely.evaluate.from_confusion(table, classes, intervals=False, **options).by_hand())


def test_nothing_over_nothing_is_taken_as_0():
    lines = shown([[5, 0], [3, 0]], ["a", "b"]).splitlines()
    assert "precision(b)    = 0 / (0 + 0), taken as 0" in lines
    assert "recall(b)    = 0 / (0 + 3) = 0/3 = 0" in lines
    assert "F1(b)    = 2 · 0 · 0/3 / (0 + 0/3), taken as 0" in lines


def test_decimals_do_not_round_to_0_or_1():
    text = shown([[99_999, 1], [0, 7]], ["a", "b"])
    assert "recall(a)    = 99999 / (99999 + 1) = 99999/100000 = 0.99999" in text


def test_another_beta_is_in_the_formula():
    text = shown([[8, 5, 3], [10, 60, 30], [1, 50, 200]], ["urgent", "normal", "spam"], beta=0.5)
    assert "F0.5(urgent) = 1.25 · 8/19 · 8/16 / (0.25 · 8/19 + 8/16) = 10/23 ≈ 0.43" in text


def test_of_many_classes_the_largest_are_shown_and_all_are_in_the_json():
    k = 40
    table = [[1 + (row == column) * row for column in range(k)] for row in range(k)]
    classes = [f"a class with a long name, number {n}" for n in range(k)]
    found = likely.evaluate.from_confusion(table, classes, intervals=False).by_hand()
    text = str(found)
    assert "35 classes with as many rows or fewer not shown" in text
    assert text.count("\nrecall(") == 5
    assert "+ 35 more) / 40 ≈" in text.replace("\n   ", "")
    assert max(map(len, text.splitlines())) <= 80
    facts = json.loads(json.dumps(found.to_json()))
    assert [one["label"] for one in facts["per_class"]] == classes
    assert facts["macro"]["recall"] == pytest.approx(float(found.macro("recall")))
    assert Fraction(facts["pooled"]["f_measure"]) == found.micro("f_measure")


@pytest.mark.parametrize("weights", [[0.5, 1.5], [2, 3]])
def test_rows_with_weights_are_not_counts(weights):
    found = likely.evaluate(["a", "b"], ["a", "a"], weights=weights, intervals=False)
    with pytest.raises(DataError, match="rows with weights are not counts"):
        found.by_hand()
