"""Forged model files: whole and sealed, but not as anybody would have written them.

    python -m tests.forging FIRST LAST

tries the forgeries of these numbers and prints one line for each that was accepted and then failed.
A number always gives the same forgery.
"""

import copy
import hashlib
import json
import random
import resource
import signal
import struct
import sys
import traceback
from functools import cache

import numpy as np

import likely
from likely.classifier import from_bytes
from likely.errors import LikelyError, ModelError
from likely.model.adjust.group_thresholds import GroupThresholds
from likely.model.adjust.group_weights import GroupWeights
from likely.tally import container

from .laws.test_laws import CLOSE, LEXICON, RULES

SECRET = b"nobody knows"
TEXTS = [
    "good fun", "so good, red", "bad b", "so bad, so dull 3.14", "dull :)", "fine fun a",
    "not good", "not bad at all", "it's no fun", "win $5 now!", "naïve 日本", "a b a b",
]  # fmt: skip
LABELS = ["pos", "pos", "neg", "neg", "neg", "pos", "neg", "pos", "neg", "neg", "pos", "pos"]
TABLE = {
    "text": TEXTS,
    "a": [1.5, 2.0, -1.0, 0.25, 3.0, 2.5, -2.0, 8.0, 1.0, 0.0, 1e6, 2.0],
    "b": [0.5, 0.1, 0.2, 4.0, 1.0, -7.0, 2.0, 2.5, 3.0, 1.0, 0.0, 0.3],
    "u": ["red", "blue", "red", "green", "red", "blue", "blue", "red", "red", "green", "blue", "u"],
    "v": ["x", "y", "x", "x", "y", "y", "x", "y", "x", "y", "x", "v"],
    "d": [f"{1 + n % 28:02d}/{1 + n % 12:02d}/2024 {n % 24:02d}:30" for n in range(11, 23)],
    "y": LABELS,
}
SETS = [["a", "b"], ["a"], ["b"], [], ["c"], ["a", "c"], ["b"], [], ["a"], ["c", "b"], [], ["a"]]


@cache
def genuine():
    """Files of every kind, by name."""
    made = {
        "default": likely.Classifier().fit(TEXTS, LABELS),
        "multinomial": likely.Classifier(likely.Multinomial(0.5)).fit(TEXTS, LABELS),
        "tfidf": likely.Classifier(likely.Multinomial(tfidf=True, skip_top=2)).fit(TEXTS, LABELS),
        "binary": likely.Classifier(
            likely.BinaryMultinomial(), prior="uniform", classes=["pos", "odd"]
        ).fit(TEXTS, LABELS),
        "bernoulli": likely.Classifier(likely.Bernoulli(), prior={"pos": 0.3, "neg": 0.7}).fit(
            TEXTS, LABELS
        ),
        "complement": likely.Classifier(likely.Complement()).fit(TEXTS, LABELS),
        "close": likely.Classifier(likely.Multinomial(text=CLOSE)).fit(TEXTS, LABELS),
        "polarity": likely.Classifier(
            {
                "text": [
                    likely.BinaryMultinomial(),
                    likely.Polarity(LEXICON, negation="en", normalize=True),
                ]
            }
        ).fit(TABLE, "y"),
        "categorical": fitted({("u", "v"): likely.Categorical()}),
        "m-estimate": fitted(
            {"u": likely.Categorical(2.0, p={"red": 0.5, "blue": 0.2, "green": 0.2, "u": 0.1})}
        ),
        "pooled": fitted({("u", "v"): likely.Categorical(p="pooled")}),
        "dates": fitted({"d": likely.Dates(2.0, day_first=True)}),
        "short text": fitted({"u": likely.ShortText(), "d": likely.ShortText(0.5)}),
        "joint": fitted({("u", "v"): likely.JointTable(alpha=1.0)}),
        "gaussian": fitted({("a", "b"): likely.Gaussian()}),
        "known deviation": fitted({"a": likely.Gaussian(deviation={"a": 2.0})}),
        "lda": fitted({("a", "b"): likely.Gaussian("shared", shrinkage=0.1)}),
        "qda": fitted({("a", "b"): likely.Gaussian("full")}),
        "mixed": likely.Classifier().fit(TABLE, "y"),
        "rules as evidence": fitted({("text", "u"): likely.RuleFeatures(RULES)}),
        "rules": likely.Classifier(
            likely.Multinomial(),
            rules=likely.Rules([likely.Rule("prize", "pos", words=["win"], pattern=r"\$\d+")]),
        ).fit(TEXTS, LABELS),
        "several": likely.Classifier(thresholds="precision>=0.9").fit(TEXTS, SETS),
        "costs": likely.Classifier(likely.BinaryMultinomial(), thresholds={"a": (1, 10)}).fit(
            TEXTS, SETS
        ),
        "costs of mistakes": likely.Classifier(costs={("pos", "neg"): 3, ("neg", "pos"): 0}).fit(
            TEXTS, LABELS
        ),
        "threshold": likely.Classifier(thresholds={"pos": "precision>=0.9"}).fit(TEXTS, LABELS),
        "plain threshold": likely.Classifier(
            likely.Multinomial(), thresholds={"pos": "recall>=0.75"}
        ).fit(TEXTS, LABELS),
        "given threshold": likely.Classifier(
            likely.Multinomial(), thresholds={0.5: 0.25}, ledger=False
        ).fit(TEXTS, [0.5 * (label == "pos") for label in LABELS]),
        "stacked linear model": likely.Classifier(stack_linear=True).fit(*rows_of_chance()),
        "stacked on a table": likely.Classifier(stack_linear=True).fit(table_of_chance(), "y"),
        "numbers as labels": likely.Classifier(likely.Multinomial(), ledger=False).fit(
            TEXTS, [0.5 * (label == "pos") for label in LABELS]
        ),
        "secret": likely.Classifier(likely.Multinomial(), ledger=SECRET).fit(TEXTS, LABELS),
        "in parts": likely.Mixture({"a": likely.Gaussian(), "u": likely.Categorical()})
        .fit(TABLE)
        .model,
    }
    made["thresholds"] = fitted({"text": likely.Multinomial()}).with_group_thresholds(
        GroupThresholds("u", "pos", {"red": 0.8, "blue": 0.3})
    )
    made["times"] = (
        made["mixed"].plain().with_group_weights(GroupWeights("u", {"red": {"pos": 3}}), TABLE)
    )
    made["neutral"] = made["default"].with_neutral(["good", "so bad"])
    copies = {f"copy of {name}": model.compact() for name, model in made.items()}
    return {name: model.to_bytes() for name, model in {**made, **copies}.items()}


def rows_of_chance():
    """Rows of which a stacked linear model knows something that the counts do not."""
    chosen = random.Random(1)
    drawn = [chosen.choices([f"w{i}" for i in range(12)], k=4) for _ in range(120)]
    said = [("w1" in words) + ("w2" in words) - ("w3" in words) for words in drawn]
    return list(map(" ".join, drawn)), ["pos" if n > 0 else "neg" for n in said]


def table_of_chance():
    """A table of which a stacked linear model knows something that the counts do not."""
    chosen = random.Random(2)
    rows = [(chosen.gauss(0, 1), chosen.gauss(0, 1), chosen.choice("rgb")) for _ in range(150)]
    return {
        "a": [None if place % 11 == 0 else a for place, (a, _, _) in enumerate(rows)],
        "b": [b for _, b, _ in rows],
        "u": [None if place % 13 == 0 else u for place, (_, _, u) in enumerate(rows)],
        "y": ["pos" if a + b + (u == "r") > 0.3 else "neg" for a, b, u in rows],
    }


def fitted(likelihoods):
    return likely.Classifier(likelihoods).fit(TABLE, "y")


# Taking files apart and putting them together, with a seal that fits whatever is in them


class Pairs(list):
    """An object of JSON, key by key, in which a key may be there twice."""


def spelled(value):
    """JSON as it comes: nothing is sorted or refused."""
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{json.dumps(k)}:{spelled(v)}" for k, v in value) + "}"
    if isinstance(value, dict):
        return spelled(Pairs(sorted(value.items())))
    if isinstance(value, list):
        return "[" + ",".join(map(spelled, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def packed(metadata, tensors, header_of=lambda header: header, padding=b""):
    header = {"__metadata__": {"likely": spelled(metadata)}}
    start = 0
    for name, tensor in tensors.items():
        kind = container._NAMES[tensor.dtype.newbyteorder("<").str.replace("|", "<")]
        end = start + tensor.nbytes
        header[name] = {"dtype": kind, "shape": [len(tensor)], "data_offsets": [start, end]}
        start = end
    header["~sha256"] = {"dtype": "U8", "shape": [32], "data_offsets": [start, start + 32]}
    text = spelled(Pairs((k, Pairs(v.items())) for k, v in header_of(header).items())).encode()
    text += b" " * (-len(text) % 8) + padding
    return resealed(text, b"".join(tensor.tobytes() for tensor in tensors.values()))


def resealed(header, content):
    body = struct.pack("<Q", len(header)) + header + content
    return body + hashlib.sha256(body).digest()


def sealed(metadata, arrays, has_digest=True):
    """A file of these options and arrays, and perhaps the digest that its tally has."""
    tensors = {n: container._narrow(a) for n, a in arrays.items()}
    tensors = dict(sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0])))
    if "tally" in metadata and has_digest:
        mine = {n: t for n, t in tensors.items() if not n.startswith(("stacked/", "more/"))}
        alone = {key: metadata[key] for key in ("format", "schema") if key in metadata}
        metadata["tally"] = packed(alone, mine)[-32:].hex()
    return packed(metadata, tensors)


# Changing what they say

NUMBERS = [
    0, 1, -1, 2, 3, 0.5, -0.5, 1e-9, 1e9, 1e300, -1e300, 5e-324, 2**31, 2**32, 2**53, 2**63, 2**64,
    10**400, float("nan"), float("inf"), float("-inf"), -0.0, 1.0, 255, 256,
]  # fmt: skip
OTHERS = [
    True, False, None, "", "x", "text", "nan", "1", "empirical", "uniform", "\ud800", "a" * 5000,
    "日本", "\0", "(a|b){999}", [], {}, [[]], [1, 2], ["a"], ["a", "a"], [None], {"a": 1}, {"": {}},
    [["a", 1]], [[["a"], 1]], {"a": {"b": 2}},
]  # fmt: skip


def nodes(value, path=()):
    """The path of everything in a value, without going deep into long lists."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:6])
    for key, each in items:
        if isinstance(each, (dict, list)):
            yield from nodes(each, (*path, key))
        else:
            yield (*path, key)


def at(value, path):
    for key in path:
        value = value[key]
    return value


def with_options_changed(chosen, metadata):
    """The metadata with one thing changed."""
    metadata = copy.deepcopy(metadata)
    path = chosen.choice([path for path in nodes(metadata) if path])
    parent, key = at(metadata, path[:-1]), path[-1]
    before = parent[key]
    ways = ["value", "value", "other", "delete", "add", "number", "graft", "twice", "order", "many"]
    way = chosen.choice(ways)
    if way == "number" and type(before) in (int, float):
        change = chosen.choice([
            lambda n: n * 2, lambda n: -n, lambda n: n + 1, lambda n: n * 1e300,
            lambda n: n * 1e-300, float, lambda n: n - 1, lambda n: n / 3,
        ])  # fmt: skip
        parent[key] = change(before)
    elif way == "delete":
        del parent[key]
    elif way == "add" and isinstance(before, dict):
        before[chosen.choice(["extra", "alpha", "parts", "labels", ""])] = chosen.choice(OTHERS)
    elif way == "add" and isinstance(before, list):
        more = chosen.choice([*before, *OTHERS, *NUMBERS])
        before.insert(chosen.randint(0, len(before)), copy.deepcopy(more))
    elif way == "graft":
        # What stands in this place in another file, or anywhere under this name.
        other, _ = container.unpack(chosen.choice(list(genuine().values())))
        found = [p for p in nodes(other) if p and p[-1] == key]
        if found:
            parent[key] = at(other, chosen.choice(found))
    elif way == "twice" and isinstance(before, dict) and before:
        pairs = sorted(before.items())
        again = chosen.choice(pairs)
        pairs.insert(chosen.randint(0, len(pairs)), (again[0], chosen.choice([again[1], *OTHERS])))
        parent[key] = Pairs(pairs)
    elif way == "order" and isinstance(before, (dict, list)):
        mixed = list(before.items()) if isinstance(before, dict) else before
        chosen.shuffle(mixed)
        parent[key] = Pairs(mixed) if isinstance(before, dict) else mixed
    elif way == "many" and isinstance(before, list) and before:
        parent[key] = before * chosen.choice([2, 3, 100])
    elif isinstance(before, str) and way == "other":
        parent[key] = chosen.choice([before + "x", before.upper(), before + " ", before[:-1]])
    else:
        parent[key] = chosen.choice([*NUMBERS, *OTHERS])
    return metadata


def with_an_array_changed(chosen, arrays):
    """The arrays with one changed, or two."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    name = chosen.choice(list(arrays))
    array = arrays[name]
    other = chosen.choice(list(arrays))
    place = chosen.randrange(len(array)) if len(array) else 0
    way = chosen.choice(["value"] * 5 + ["swap", "cut", "longer", "exchange", "gone", "kind",
        "reverse", "new", "all", "rename", "both"])  # fmt: skip
    if way == "value" and len(array):
        value = chosen.choice(
            [0, 1, 2, 3, 254, 255, 256, 2**16, 2**31, 2**32 - 1, 2**63, 2**64 - 1]
        )
        near = int(array[place]) + chosen.choice([-1, 1]) if array.dtype.kind == "u" else value
        value = chosen.choice([value, near, near]) % 2**64
        wide = np.uint64 if array.dtype.kind == "u" and array.dtype.itemsize > 1 else array.dtype
        if value > np.iinfo(np.uint8).max and array.dtype == np.uint8:
            wide = np.uint64
        arrays[name] = array.astype(wide)
        with np.errstate(all="ignore"):
            arrays[name][place] = np.array(value, dtype=np.uint64).astype(wide)
        if array.dtype.kind == "f":
            arrays[name][place] = chosen.choice([np.nan, np.inf, -0.0, 1e300, -5.0])
    elif way == "swap" and len(array):
        there = chosen.randrange(len(array))
        array[[place, there]] = array[[there, place]]
    elif way == "cut":
        arrays[name] = np.delete(array, place) if len(array) else array
    elif way == "longer":
        arrays[name] = np.append(
            array, array[place : place + 1] if len(array) else array.dtype.type(1)
        )
    elif way == "exchange":
        arrays[name], arrays[other] = arrays[other], array
    elif way == "gone":
        del arrays[name]
    elif way == "kind":
        arrays[name] = array.astype(chosen.choice(["<i8", "<f8", "<u8", "<u1"]))
    elif way == "reverse":
        arrays[name] = array[::-1].copy()
    elif way == "new":
        arrays[chosen.choice(["extra", "0/extra", "more/rows", "opinion/0/cells", "9/cells"])] = (
            array
        )
    elif way == "all":
        arrays[name] = np.full_like(array, chosen.choice([0, 1, 200]))
    elif way == "rename":
        arrays[chosen.choice([f"{name}x", f"0/{name}", name.upper()])] = arrays.pop(name)
    elif way == "both" and "rows" in arrays and len(arrays["rows"]):
        # A row more, and its hash with it.
        arrays["rows"] = arrays["rows"].astype(np.uint64)
        arrays["rows"][place % len(arrays["rows"])] += np.uint64(1)
        if "ledger" in arrays:
            arrays["ledger"] = np.sort(np.append(arrays["ledger"], np.uint64(5)))
    return arrays


def with_header_changed(chosen, data):
    """The file with a header that says the same otherwise, or something else."""
    metadata, tensors = raw(data)
    name = chosen.choice([*tensors, "~sha256"])

    def change(header):
        entry, way = header[name], chosen.randrange(8)
        if way == 0:
            entry["shape"] = chosen.choice([[], [1, 1], [-1], [2**63], [10**30], ["1"], [True], 5])
        elif way == 1:
            entry["data_offsets"] = chosen.choice([[0, 0], [0, 8], [-8, 0], [0], [0, 10**30], "ab"])
        elif way == 2:
            entry["dtype"] = chosen.choice(["U8", "U64", "F64", "I64", "BF16", "", None, ["U8"]])
        elif way == 3:
            entry["extra"] = 1
        elif way == 4:
            header["__metadata__"]["other"] = "x"
        elif way == 5:
            return dict(chosen.sample(list(header.items()), len(header)))
        elif way == 6:
            del header[name]
        else:
            header["__metadata__"]["likely"] += chosen.choice([" ", "{}", "\n"])
        return header

    if chosen.random() < 0.3:
        return packed(metadata, tensors, padding=chosen.choice([b" " * 8, b" ", b"\n" * 8, b"x"]))
    return packed(metadata, tensors, header_of=change)


def raw(data):
    """Metadata and tensors as they stand in the file."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = json.loads(header.pop("__metadata__")["likely"])
    tensors = container._tensors(header, memoryview(data)[8 + length :])
    del tensors["~sha256"]
    return metadata, tensors


def forged(number):
    """A genuine file of some kind with something changed: its name, and the bytes."""
    chosen = random.Random(number)
    name = chosen.choice(list(genuine()))
    data = genuine()[name]
    metadata, arrays = container.unpack(data)
    way = chosen.choice(["options"] * 6 + ["arrays"] * 4 + ["both", "header"])
    if way == "header":
        return name, with_header_changed(chosen, data)
    if way in ("options", "both"):
        metadata = with_options_changed(chosen, metadata)
    if way in ("arrays", "both"):
        arrays = with_an_array_changed(chosen, arrays)
    try:
        return name, sealed(metadata, arrays, chosen.random() < 0.9)
    except UnicodeEncodeError:
        return name, b""


# Judging what reads them


def asked(model):
    """Rows that a model reads."""
    kinds = {}
    for factor in model.fitted.product.factors:
        kinds |= dict.fromkeys(factor.columns, factor.likelihood.schema["kind"])
    numbers = [1.5, 1e6, None]
    cells = {"numbers": numbers, "number views": numbers, "categories": ["red", "x", None]}
    cells["joint categories"] = cells["categories"]
    cells["dates"] = ["2024-03-05", "1999-12-31T23:59", None]
    return {c: cells.get(kinds.get(c, ""), ["good fun a b", "win $5", ""]) for c in model.columns}


def judged(data):
    """What became of a file: refused, or silent, or an answer; an AssertionError if it is wrong."""
    try:
        model = from_bytes(data, None)
    except ModelError:
        return "refused"
    assert model.to_bytes() == data, "written otherwise"
    try:
        rows = asked(model)
        probabilities = model.predict_proba(rows)
    except LikelyError as error:
        return f"silent: {error}"
    model.predict(rows)
    assert np.isfinite(probabilities).all(), "no number"
    assert ((probabilities >= 0) & (probabilities <= 1)).all(), "no probability"
    if not model.is_multilabel:
        assert np.allclose(probabilities.sum(axis=1), 1), "not one in all"
    for place in range(2):
        found = model.explain({column: cells[place] for column, cells in rows.items()})
        assert np.isfinite(found.probabilities).all(), "explained as no number"
        str(found)
    try:
        str(model.info)
        model.top_features(3)
    except LikelyError as error:
        return f"silent: {error}"
    learned(model, rows)
    return "answered"


def learned(model, rows):
    """What was accepted learns, or says why not; and is then written as a file that is read."""
    labels = [model.classes[place % len(model.classes)] for place in range(3)]
    try:
        model.update(rows, [[label] for label in labels] if model.is_multilabel else labels)
    except LikelyError:
        return
    from_bytes(model.to_bytes())


def main(first, last):
    genuine()
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    for number in range(first, last):
        print(json.dumps({"number": number}), flush=True)
        # Whatever takes longer is killed.
        signal.alarm(10)
        try:
            name, data = forged(number)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            verdict = judged(data)
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            failure = None if grown < 300_000 else f"{grown} kB"
        except BaseException as error:
            verdict = "failed"
            last_line = traceback.extract_tb(error.__traceback__)[-1]
            failure = f"{type(error).__name__}: {error} ({last_line.filename}:{last_line.lineno})"
        said = {"number": number, "name": name, "verdict": verdict}
        print(json.dumps({**said, "failure": failure} if failure else said), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
