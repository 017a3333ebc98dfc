"""Life after training: a model of all the texts, loaded, asked for one text, updated and sealed."""

import hashlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import likely
from benchmarks import peers
from benchmarks.measure import clocked, race, timed
from benchmarks.processes import LIKELY, python, run_times
from benchmarks.run import Run
from benchmarks.speed import ours
from benchmarks.table import Row, Target, comparison

_PEAK = f"""
from benchmarks.processes import peak
try:
    {LIKELY[1]}
finally:
    print(peak())
"""
# So many texts are asked for, one by one; many more before, so that the model is warm.
_ASKED = 300
_WARM = 5_000


def rows(run: Run) -> Iterator[Row]:
    train = run.train
    model = likely.Classifier(columns={"text": "text"}).fit({"text": train.texts}, train.labels)
    with TemporaryDirectory() as folder:
        whole, copy = Path(folder) / "whole", Path(folder) / "copy"
        model.save(whole)
        model.compact().save(copy)
        yield from _loading(run, whole, copy)
        yield from _shell(run, whole, copy)
        loaded = likely.load(whole)
        yield from _updating(run, loaded, whole.read_bytes())
    yield from _asking(run, loaded)


def _loading(run: Run, whole: Path, copy: Path) -> Iterator[Row]:
    for name, path in (("a model", whole), ("a compact copy", copy)):
        seconds, peer_seconds = race(
            timed(partial(likely.load, path)),
            timed(partial(_sum_of_file, path)),
            rounds=run.rounds(10),
        )
        size = f"{path.stat().st_size / 1e6:.0f} MB"
        target = Target(4, at_most=True)
        yield comparison(
            f"load {name} of {size}", seconds, "s", peer_seconds, "read and SHA-256", target
        )


def _sum_of_file(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _shell(run: Run, whole: Path, copy: Path) -> Iterator[Row]:
    line = whole.parent / "line.jsonl"
    line.write_text(json.dumps({"text": run.test.texts[0]}), encoding="utf-8")
    commands = [("predict", str(path), str(line)) for path in (copy, whole)]
    programs = [(*LIKELY, *command) for command in commands]
    seconds = run_times(*programs, rounds=run.rounds(10))
    names = ("compact copy", "whole model")
    for name, spent, most in zip(names, seconds, (0.5, 1), strict=True):
        yield comparison(
            f"likely predict, a line, {name}", spent, "s", target=Target(most, at_most=True)
        )
    for name, command, path in zip(names, commands, (copy, whole), strict=True):
        megabytes = float(python("-c", _PEAK, *command).split()[-1]) - path.stat().st_size / 1e6
        what, target = f"its memory less the file, {name}", Target(100, at_most=True)
        yield comparison(what, megabytes, "MB", target=target)


def _updating(run: Run, model: likely.Classifier, data: bytes) -> Iterator[Row]:
    texts, labels = run.test.texts, run.test.labels
    predicting, digesting, again, summing = [], [], [], []
    model.predict(texts[:1])
    for row in range(run.rounds(10)):
        model.update({"text": [texts[row]]}, [labels[row]])
        predicting.append(clocked(lambda: model.predict([texts[-1]]))[1])
        digesting.append(clocked(lambda: model.digest)[1])
        again.append(clocked(lambda: model.digest)[1])
        summing.append(clocked(lambda: hashlib.sha256(data).digest())[1])
    ms, target = 1000 * min(predicting), Target(20, at_most=True)
    yield comparison("predict a text after an update", ms, "ms", target=target)
    yield comparison(
        "digest after an update",
        min(digesting),
        "s",
        min(summing),
        "SHA-256 of as many bytes",
        Target(5, at_most=True),
    )
    yield comparison(
        "the same digest again", 1000 * min(again), "ms", target=Target(0.1, at_most=True)
    )


def _asking(run: Run, model: likely.Classifier) -> Iterator[Row]:
    train, asked = run.train, run.test.texts[:_ASKED]
    plain = ours.train_and_estimate(train.texts, train.labels)
    model.predict(run.test.texts[:_WARM])
    peer = peers.naive_bayes().fit(train.texts, train.labels)
    *seconds, peer_seconds = race(
        *(timed(partial(_one_by_one, each, asked)) for each in (plain, model, peer)),
        rounds=run.rounds(5),
    )
    for name, spent, most in zip(("plain", "default"), seconds, (0.12, 0.2), strict=True):
        what, target = f"predict_proba, text by text, {name}", Target(most, at_most=True)
        ms, peer_ms = (1000 * total / len(asked) for total in (spent, peer_seconds))
        yield comparison(what, ms, "ms", peer_ms, "scikit-learn, words", target)


def _one_by_one(model: Any, texts: list[str]) -> None:
    for text in texts:
        model.predict_proba([text])
