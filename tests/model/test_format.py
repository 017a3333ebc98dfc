"""The file read by nothing but docs/format.md: no line of the package takes part."""

import hashlib
import json
import struct

import numpy as np
import pytest

import likely

WIDTHS = {"U8": "<u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "I64": "<i8", "F64": "<f8"}


def read(data):
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    metadata = json.loads(header.pop("__metadata__")["likely"])
    assert hashlib.sha256(data[:-32]).digest() == data[-32:]
    arrays = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        content = data[8 + length + start : 8 + length + end]
        arrays[name] = np.frombuffer(content, WIDTHS[entry["dtype"]]).tolist()
    return metadata, arrays


def labels(arrays):
    spelled, lengths = bytes(arrays["labels/text"]), arrays["labels/lengths"]
    ends = np.cumsum(lengths)
    return [spelled[end - n : end].decode() for end, n in zip(ends, lengths, strict=True)]


def strings(arrays, block):
    lengths = arrays[f"0/{block}/lengths"]
    ends = np.cumsum(lengths)
    spelled = bytes(arrays[f"0/{block}/bytes"])
    return [spelled[end - n : end].decode() for end, n in zip(ends, lengths, strict=True)]


def counts(arrays):
    """{spelling: {class: (times, documents)}}, of words and bigrams."""
    words = strings(arrays, "words")
    firsts = np.repeat(words, arrays["0/2-grams/children"])
    lasts = [words[place] for place in arrays["0/2-grams/lasts"]]
    bigrams = [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]
    found = {}
    for block, features in (("words", words), ("2-grams", bigrams)):
        ends = np.cumsum(arrays[f"0/{block}/cells"]).tolist()
        names = [f"0/{block}/{name}" for name in ("classes", "occurrences", "documents")]
        cells = list(zip(*(arrays[name] for name in names), strict=True))
        book = [cells[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        assert book == sorted(book)
        for feature, code in zip(features, arrays[f"0/{block}/codes"], strict=True):
            found[feature] = {c: (times, documents) for c, times, documents in book[code]}
    return found


def test_a_file_is_as_the_page_says():
    texts = ["Red fish, blue fish", "red car", "fish " * 300]
    reading = likely.Text(word_ngrams=(1, 2))
    model = likely.Classifier(likely.BinaryMultinomial(0.5, text=reading)).fit(
        texts, ["ä", "b", "ä"]
    )
    metadata, arrays = read(model.to_bytes())
    assert metadata["format"] == 2
    assert metadata["model"] == {"prior": "empirical", "classes": []}
    assert metadata["plan"] == {
        "likelihoods": [{"alpha": 0.5, "likelihood": "binary-multinomial"}],
        "separator": None,
        "target": None,
    }
    assert metadata["spec"] == {
        "likelihood": "one",
        "columns": [],
        "ledger": "open",
        "tune": False,
        "stack_linear": False,
        "criterion": None,
    }
    (factor,) = metadata["schema"]["factors"]
    assert (factor["kind"], factor["columns"], factor["word_ngrams"]) == ("text", ["x"], [1, 2])
    assert labels(arrays) == ["b", "ä"]
    assert arrays["rows"] == [1, 2]
    assert counts(arrays) == {
        "blue": {1: (1, 1)},
        "car": {0: (1, 1)},
        "fish": {1: (302, 2)},
        "red": {0: (1, 1), 1: (1, 1)},
        "blue fish": {1: (1, 1)},
        "fish blue": {1: (1, 1)},
        "fish fish": {1: (299, 1)},
        "red car": {0: (1, 1)},
        "red fish": {1: (1, 1)},
    }
    assert arrays["ledger"] == sorted(arrays["ledger"])


def test_the_tally_digest_is_that_of_the_tally_alone():
    rows = (["a b", "c"], [1, 2])
    views = [likely.Multinomial(), likely.Bernoulli(0.1), likely.Complement(2.0)]
    models = [likely.Classifier(view).fit(*rows) for view in views]
    assert len({model.digest for model in models}) == 1
    assert len({model.to_bytes() for model in models}) == 3
    for model in models:
        assert read(model.to_bytes())[0]["tally"] == model.digest


@pytest.mark.parametrize("ledger", [True, False])
def test_the_ledger_is_there_or_not(ledger):
    model = likely.Classifier(ledger=ledger).fit(["a", "a", "b"], ["x", "x", "y"])
    metadata, arrays = read(model.to_bytes())
    assert metadata["schema"]["ledger"] == ("open" if ledger else "none")
    assert len(arrays.get("ledger", [])) == (3 if ledger else 0)
