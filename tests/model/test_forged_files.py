"""Model files that somebody has made up, sealed as ours are."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import likely
from likely.classifier import from_bytes
from likely.errors import ModelError, OptionError
from likely.tally import container
from tests import forging

HERE = Path(__file__).parents[2]


def test_files_of_every_kind_are_genuine():
    verdicts = {name: forging.judged(data) for name, data in forging.genuine().items()}
    assert set(verdicts.values()) == {"answered"}


def test_a_forged_file_is_refused_or_answers_like_any_other():
    run = [sys.executable, "-W", "error", "-m", "tests.forging", "0", "800"]
    done = subprocess.run(run, cwd=HERE, capture_output=True, text=True, timeout=120, check=False)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (told[-1:], done.stderr)
    assert [each for each in told if "failure" in each] == []
    verdicts = Counter(each["verdict"].split(":")[0] for each in told if "verdict" in each)
    assert verdicts.total() == 800
    # The forger changes things that matter, and not all of them are nonsense.
    assert verdicts["refused"] > 600
    assert verdicts["answered"] > 50


def test_a_forgery_is_always_the_same():
    assert forging.forged(17) == forging.forged(17) != forging.forged(18)


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("default", ("model", "tuning", "factors", 0, "views", 0, 4), float("nan")),
        ("default", ("model", "tuning", "factors", 0, "views", 0, 4), float("inf")),
        ("default", ("model", "tuning", "factors", 0, "views", 0, 4), 1e300),
        ("default", ("model", "tuning", "factors", 0, "views", 0, 4), "1.0"),
        ("default", ("model", "tuning", "factors", 0, "views", 0, 2), 1),
        ("default", ("model", "tuning", "bias", 0, 1), 1e300),
        ("default", ("model", "tuning", "bias", 0, 0), None),
        ("default", ("model", "tuning", "rows_seen"), "many"),
        ("close", ("schema", "factors", 0, "lexicon"), [["a"]]),
        ("close", ("schema", "factors", 0, "lexicon", 0, 2), 1e300),
        ("close", ("schema", "factors", 0, "normalize"), "NFKC"),
        ("close", ("schema", "factors", 0, "stem"), "english by heart"),
        ("multinomial", ("schema", "factors", 0, "unicode"), "the newest"),
        ("multinomial", ("schema", "factors", 0, "columns"), ["x", "x"]),
        ("multinomial", ("schema", "missing"), "none"),
        ("multinomial", ("schema", "parts"), 2.0**32),
        ("joint", ("plan", "likelihoods", 0, "max_cells"), 10**12),
        ("pooled", ("plan", "likelihoods", 0, "p"), "shared"),
        ("dates", ("schema", "factors", 0, "day_first"), 1),
        ("dates", ("plan", "likelihoods", 0, "m"), -1.0),
        ("short text", ("plan", "likelihoods", 0, "alpha"), "1"),
        ("several", ("model", "multilabel", "own"), 1e300),
        ("several", ("model", "multilabel", "offsets", 0, 0), 1),
        ("several", ("model", "multilabel", "criterion", "least"), "0.9"),
        ("thresholds", ("model", "group_thresholds", "label"), 3),
        ("costs of mistakes", ("spec", "decision", "costs", 0, 2), -1.0),
        ("costs of mistakes", ("spec", "decision", "costs", 0, 2), 3),
        ("costs of mistakes", ("spec", "decision", "costs", 0, 2), 1e300),
        ("costs of mistakes", ("spec", "decision", "costs", 0, 1), "neg"),
        ("costs of mistakes", ("spec", "decision", "costs", 0, 1), 1),
        ("costs of mistakes", ("spec", "decision", "costs", 0, 1), None),
        ("costs of mistakes", ("spec", "decision", "costs"), []),
        ("costs of mistakes", ("spec", "decision", "label"), "pos"),
        ("costs of mistakes", ("spec", "decision"), None),
        ("costs of mistakes", ("spec", "criterion"), {"name": "f1", "least": None, "costs": []}),
        ("costs of mistakes", ("model", "threshold"), 0.5),
        ("threshold", ("model", "threshold"), 1),
        ("threshold", ("model", "threshold"), 1.5),
        ("threshold", ("model", "threshold"), "0.5"),
        ("threshold", ("model", "threshold"), None),
        ("threshold", ("spec", "decision", "threshold"), 0.5),
        ("threshold", ("spec", "decision", "criterion", "least"), 2.0),
        ("threshold", ("spec", "decision", "criterion"), None),
        ("threshold", ("spec", "decision", "criterion", "name"), "cost"),
        ("threshold", ("spec", "decision", "label"), ["pos"]),
        ("threshold", ("spec", "criterion"), {"name": "f1", "least": None, "costs": []}),
        ("given threshold", ("spec", "decision", "threshold"), -0.5),
        ("given threshold", ("spec", "decision", "threshold"), "f1"),
        ("given threshold", ("model", "threshold"), 0.5),
        ("multinomial", ("spec", "criterion"), {"name": "f1", "least": None, "costs": []}),
        ("multinomial", ("model", "threshold"), 0.5),
        ("thresholds", ("spec", "decision"), {"label": "pos", "threshold": 0.5}),
        ("several", ("spec", "decision"), {"label": "a", "threshold": 0.5}),
        ("several", ("model", "threshold"), 0.5),
        ("times", ("model", "group_weights", "chosen"), "some"),
        ("stacked linear model", ("model", "tuning", "stacked", 2), 0),
        ("stacked linear model", ("model", "tuning", "stacked", 1), -1),
        ("stacked on a table", ("model", "tuning", "stacked", 0), ["neg"]),
        ("stacked on a table", ("model", "tuning", "stacked"), None),
        ("stacked on a table", ("model", "tuning", "factors"), []),
        ("mixed", ("model", "tuning", "factors", 1, "weight"), -1.0),
    ],
)
@pytest.mark.parametrize("whose", ["", "copy of "])
def test_an_option_that_makes_no_sense_is_refused(name, path, value, whose):
    metadata, arrays = container.unpack(forging.genuine()[f"{whose}{name}"])
    forging.at(metadata, path[:-1])[path[-1]] = value
    with pytest.raises(ModelError):
        from_bytes(forging.sealed(metadata, arrays))


@pytest.mark.parametrize("place", range(4))
def test_a_date_has_no_other_parts(place):
    metadata, arrays = container.unpack(forging.genuine()["dates"])
    name = f"0/{place}/values/bytes"
    arrays[name] = arrays[name].copy()
    arrays[name][-1] = ord("~")
    with pytest.raises(ModelError, match="a date of the model has the part"):
        from_bytes(forging.sealed(metadata, arrays))


def test_a_goal_of_many_digits_comes_back():
    model = likely.Classifier(thresholds="precision>=0.123456789").fit(forging.TEXTS, forging.SETS)
    assert from_bytes(model.to_bytes()).criterion == model.criterion


@pytest.mark.parametrize("way", ["a key twice", "a stranger", "spaces", "a space", "a number"])
def test_a_header_is_written_in_one_way(way):
    data = forging.genuine()["multinomial"]
    metadata, tensors = forging.raw(data)
    spelled = container.canonical(metadata)
    header = container._header(metadata, tensors)
    changed = {
        "a key twice": header.replace(b'\\"format\\":2', b'\\"format\\":2,\\"format\\":2'),
        "a stranger": header.replace(b'{"likely":', b'{"a":"b","likely":'),
        "spaces": header + b" " * 8,
        "a space": header.replace(b',"ledger"', b', "ledger"').rstrip(),
        "a number": header.replace(b'\\"alpha\\":0.5', b'\\"alpha\\":5e-1'),
    }[way]
    assert spelled.encode() != changed != header
    changed = changed if way == "spaces" else changed.rstrip()
    changed += b" " * (-len(changed) % 8)
    content = b"".join(tensor.tobytes() for tensor in tensors.values())
    with pytest.raises(ModelError, match="header is not written the way"):
        from_bytes(forging.resealed(changed, content))
    assert from_bytes(forging.resealed(header, content)).to_bytes() == data


# Files that are small and ask for much


def of_patterns(pattern, n):
    """A model with so many rules."""
    metadata, arrays = container.unpack(forging.genuine()["multinomial"])
    rules = [{"name": f"{i}", "label": "pos", "pattern": pattern} for i in range(n)]
    metadata["model"]["rules"] = rules
    return container.pack(metadata, arrays)


def of_neutral_terms(n):
    """A model to which so many terms say nothing."""
    metadata, arrays = container.unpack(forging.genuine()["neutral"])
    terms = sorted(f"word{i:06}" for i in range(n))
    metadata["plan"]["likelihoods"][0]["neutral"] = terms
    return forging.sealed(metadata, arrays)


BOMBS = {
    "neutral terms": lambda: of_neutral_terms(60_000),
    "patterns": lambda: of_patterns(r"\w{30}", 400),
    "a long pattern": lambda: of_patterns(r"\w" * 10_000, 1),
    "a nested pattern": lambda: of_patterns("((((a{9}){9}){9}){9}){9}", 1),
    "brackets": lambda: of_patterns("(" * 10_000 + ")" * 10_000, 1),
}

LOADS = """
import resource, sys, time
import likely
from likely.errors import ModelError
likely.Classifier
before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
try:
    likely.load(sys.argv[1])
except ModelError:
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(after - before, time.process_time() - begun)
"""


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_file_that_asks_for_much_is_refused_in_little_memory(bomb, tmp_path):
    path = tmp_path / "bomb.likely"
    path.write_bytes(BOMBS[bomb]())
    assert path.stat().st_size < 1_000_000
    run = [sys.executable, "-c", LOADS, path]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True)
    kilobytes, seconds = map(float, done.stdout.split())
    assert kilobytes < 300_000
    assert seconds < 3


def test_patterns_of_rules_have_their_limits():
    ok = likely.Rules([likely.Rule(f"{i}", 1, pattern=r"\bfoo\w+ \d{2,4}") for i in range(200)])
    assert len(ok) == 200
    with pytest.raises(OptionError, match="its repetitions make it too large"):
        likely.Rule("a", 1, pattern=r"\w{999}")
    rules = [likely.Rule(f"{i}", 1, pattern=r"\w{99}") for i in range(40)]
    with pytest.raises(likely.errors.DataError, match="too many, or too large"):
        likely.Rules(rules)


def test_the_digest_of_a_tally_that_was_read_is_that_of_what_it_would_write():
    for data in forging.genuine().values():
        tally = from_bytes(data, None).tally
        assert tally.digest == container.digest(tally.metadata, tally.arrays())


@pytest.mark.parametrize("whose", ["", "copy of "])
@pytest.mark.parametrize("name", ["labels", "labels/int", "labels/x", "rows/x", "ledger", "/x", ""])
def test_an_array_beside_those_of_a_tally_is_refused(name, whose):
    metadata, arrays = container.unpack(forging.genuine()[f"{whose}numbers as labels"])
    with pytest.raises(ModelError):
        from_bytes(forging.sealed(metadata, {**arrays, name: arrays["labels/float"]}))


@pytest.mark.parametrize("whose", ["", "copy of "])
@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("labels/lengths", np.array([3, 3], dtype=np.int64)),
        ("labels/lengths", np.array([3.0, 3.0])),
        ("labels/text", np.frombuffer("negpos".encode("utf-16-le"), dtype=np.uint16) << 8),
        ("labels/text", np.frombuffer(b"negpos\0\0", dtype=np.int64)),
    ],
)
def test_labels_are_written_in_one_way(name, array, whose):
    metadata, arrays = container.unpack(forging.genuine()[f"{whose}multinomial"])
    with pytest.raises(ModelError):
        from_bytes(forging.sealed(metadata, {**arrays, name: array}))
