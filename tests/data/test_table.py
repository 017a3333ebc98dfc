import array
import os
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import likely
from likely.data import table as inputs
from likely.data.labels import as_known
from likely.errors import DataError, DataTypeError, OptionError

TEXTS = ["buy now", "see you", "naïve 日本", ""]
LABELS = ["spam", "ham", "ham", "spam"]


@pytest.mark.parametrize(
    "x",
    [
        tuple(TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        [text.encode() for text in TEXTS],
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(["x", *TEXTS, "y"])[1:-1],
        pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
        pa.array(TEXTS).dictionary_encode(),
        iter(TEXTS),
    ],
    ids=lambda x: type(x).__name__,
)
def test_texts_come_in_many_shapes(x):
    expected = likely.Classifier().fit(TEXTS, LABELS).to_bytes()
    assert likely.Classifier().fit(x, LABELS).to_bytes() == expected


@pytest.mark.parametrize("y", [tuple(LABELS), np.array(LABELS), pa.array(LABELS)])
def test_labels_come_in_many_shapes(y):
    expected = likely.Classifier().fit(TEXTS, LABELS).to_bytes()
    assert likely.Classifier().fit(TEXTS, y).to_bytes() == expected


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", [list, pa.array])
def test_texts_are_borrowed_and_not_copied(kind):
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    texts = kind(["x" * 1_000_000 + str(i) for i in range(60)])
    before = resident()
    held = inputs.texts(texts)
    assert resident() - before < 20_000_000
    assert len(held) == 60


class Frame:
    shape = (2, 2)

    def __iter__(self):
        return iter(["text", "label"])


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        (["a", "b"], ["x"], DataError, "there are 2 rows but 1 labels"),
        ("ab", ["x", "y"], DataTypeError, "one string was given"),
        ([1.5, "b"], ["x", "y"], DataTypeError, r"text 1 is float \(1.5\), not a string"),
        (["a", None], ["x", "y"], DataTypeError, "text 2 is None, not a string; leave the row out"),
        (["a", float("nan")], ["x", "y"], DataTypeError, r"text 2 is float \(nan\)"),
        (5, ["x"], DataTypeError, "rows are a list, an array or a table, not int"),
        ({"a": 1}, ["x"], DataTypeError, "`a` is no column but int"),
        (
            np.array([["a", "b"]]),
            ["x"],
            OptionError,
            "Multinomial reads one column, but there are 2",
        ),
        (Frame(), ["x", "y"], DataTypeError, "Frame is no table that is known here"),
        (["a", "b"], {"x", "y"}, DataTypeError, "not set"),
        (["a", "b"], Frame(), DataTypeError, "not Frame"),
        (pa.array([1, 2]), ["x", "y"], DataTypeError, "texts are strings, not int64"),
        (pa.array([b"\xff"]), ["x"], DataError, "text 1 is not valid Unicode"),
        (
            pa.DictionaryArray.from_arrays([0, 1], pa.array(["a", None])),
            ["x", "y"],
            DataTypeError,
            "text 2 is None",
        ),
        (["a", "b\ud800"], ["x", "y"], DataError, "text 2 is not valid Unicode"),
        (["a", b"\xff"], ["x", "y"], DataError, "text 2 is not valid Unicode"),
        (pa.array(["a", None]), ["x", "y"], DataTypeError, "text 2 is None"),
        (pa.array([[1], [2]]), ["x", "y"], DataTypeError, "texts are strings, not"),
        (["a", "b"], ["x", None], DataError, r"label 2 is missing \(None\)"),
        (["a", "b"], [1.0, float("nan")], DataError, r"label 2 is missing \(nan\)"),
        (["a", "b"], ["x", 1], DataTypeError, "labels are of one kind"),
        (["a", "b"], [True, 1], DataTypeError, "labels are of one kind"),
        (["a", "b"], ["x", ["y"]], DataTypeError, "label 2 is list"),
        (["a", "b"], "xy", DataTypeError, "not str"),
        (["a", "b"], None, DataTypeError, "not NoneType"),
        (["a", "b"], [1, 2**64], DataError, "beyond 64 bits"),
        (["a", "b"], [1.0, float("inf")], DataError, "no class"),
        (["a", "b"], ["x", "\ud800"], DataError, "not valid Unicode"),
    ],
)
def test_bad_input_is_named(x, y, error, message):
    model = likely.Classifier(likely.Multinomial())
    with pytest.raises(error, match=message):
        model.fit(x, y)
    assert model.classes == ()


def test_invalid_text_is_replaced_when_asked():
    reading = likely.Text(invalid="replace")
    model = likely.Classifier(likely.Multinomial(text=reading))
    model.fit(["ok \ud800 fine", b"\xffbytes", "c"], ["x", "x", "y"])
    assert model.predict([b"bytes \xff", "c \udfff"]).tolist() == ["x", "y"]
    assert model.predict(pa.array([b"bytes \xff"])).tolist() == ["x"]
    assert [term.name for term in model.explain("c \udfff").contributions] == ["prior", "c"]


def test_a_label_of_another_kind_cannot_join_later():
    model = likely.Classifier().fit(["a", "b"], ["x", "y"])
    before = model.to_bytes()
    with pytest.raises(DataTypeError, match="the label 1 is not a text, as those of the model are"):
        model.update(["c"], [1])
    assert model.to_bytes() == before


def test_negative_zero_is_zero():
    rows = (["a", "b", "c"], [0.0, -0.0, 1.0])
    backwards = (["b", "a", "c"], [-0.0, 0.0, 1.0])
    first, second = likely.Classifier().fit(*rows), likely.Classifier().fit(*backwards)
    assert first.to_bytes() == second.to_bytes()


def test_arrow_offsets_are_checked():
    content = np.frombuffer(b"abc", dtype=np.uint8)
    for offsets in ([0, 4], [0, 2, 1], [-1, 2]):
        with pytest.raises(DataError, match="offsets should rise"):
            likely._kernel.Texts.from_arrow(content, np.array(offsets, dtype=np.int64))
    with pytest.raises(DataError, match="text 1 is not valid UTF-8"):
        likely._kernel.Texts.from_arrow(
            np.frombuffer(b"\xff", dtype=np.uint8), np.array([0, 1], dtype=np.int64)
        )


def test_other_buffers_are_no_texts():
    with pytest.raises(DataTypeError, match="text 1 is int"):
        inputs.texts(array.array("i", [1]))


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.one_of(st.integers(-(2**63), 2**63 - 1), FINITE, st.booleans(), st.text()))
def test_what_a_file_spells_is_the_label_that_was_spelled(label):
    (found,) = as_known([str(label)], [label]).values()
    assert found == label
    assert type(found) is type(label)


@pytest.mark.parametrize("spelled", ["one", "", "nan", "inf", "1_0", "0.5", "True", "٣x"])
def test_what_spells_no_whole_number_is_refused(spelled):
    with pytest.raises(DataTypeError, match="is not a whole number, as those of the model are"):
        as_known([spelled], [0, 1])
