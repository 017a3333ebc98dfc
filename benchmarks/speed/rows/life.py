"""Life after training: a model of all the texts, loaded, asked for one text, updated and sealed."""

import hashlib
import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import likely
from benchmarks.speed import ours, peers
from benchmarks.speed.fresh import python, run_times
from benchmarks.speed.measure import race, timed
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row, Target

# What the installed command runs.
_MAIN = "from likely.__main__ import main; main()"
_PEAK = f"""
from benchmarks.speed.peak import peak
try:
    {_MAIN}
finally:
    print(peak())
"""
# So many texts are asked for, one by one; many more before, so that the model is warm.
_ASKED = 300
_WARM = 5_000


def rows(setting: Setting) -> Iterator[Row]:
    train = setting.train
    model = likely.Classifier(columns={"text": "text"}).fit({"text": train.texts}, train.labels)
    with TemporaryDirectory() as folder:
        whole, copy = Path(folder) / "whole", Path(folder) / "copy"
        model.save(whole)
        model.compact().save(copy)
        yield from _loading(setting, whole, copy)
        yield from _shell(setting, whole, copy)
        loaded = likely.load(whole)
        yield from _updating(setting, loaded, whole.read_bytes())
    yield from _asking(setting, loaded)


def _loading(setting: Setting, whole: Path, copy: Path) -> Iterator[Row]:
    for name, path in (("a model", whole), ("a compact copy", copy)):
        seconds, peer_seconds = race(
            timed(partial(likely.load, path)),
            timed(partial(_sum_of_file, path)),
            rounds=setting.rounds(10),
        )
        size = f"{path.stat().st_size / 1e6:.0f} MB"
        target = Target(4, at_most=True)
        yield Row(f"load {name} of {size}", seconds, "s", peer_seconds, "read and SHA-256", target)


def _sum_of_file(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _shell(setting: Setting, whole: Path, copy: Path) -> Iterator[Row]:
    line = whole.parent / "line.jsonl"
    line.write_text(json.dumps({"text": setting.test.texts[0]}), encoding="utf-8")
    commands = [("predict", str(path), str(line)) for path in (copy, whole)]
    programs = [("-c", _MAIN, *command) for command in commands]
    seconds = run_times(*programs, rounds=setting.rounds(10))
    names = ("compact copy", "whole model")
    for name, spent, most in zip(names, seconds, (0.5, 1), strict=True):
        yield Row(f"likely predict, a line, {name}", spent, "s", target=Target(most, at_most=True))
    for name, command, path in zip(names, commands, (copy, whole), strict=True):
        megabytes = float(python("-c", _PEAK, *command).split()[-1]) - path.stat().st_size / 1e6
        what, target = f"its memory less the file, {name}", Target(100, at_most=True)
        yield Row(what, megabytes, "MB", target=target)


def _updating(setting: Setting, model: likely.Classifier, data: bytes) -> Iterator[Row]:
    texts, labels = setting.test.texts, setting.test.labels
    predicting, digesting, again, summing = [], [], [], []
    model.predict(texts[:1])
    for row in range(setting.rounds(10)):
        model.update({"text": [texts[row]]}, [labels[row]])
        predicting.append(_seconds(lambda: model.predict([texts[-1]])))
        digesting.append(_seconds(lambda: model.digest))
        again.append(_seconds(lambda: model.digest))
        summing.append(_seconds(lambda: hashlib.sha256(data).digest()))
    ms, target = 1000 * min(predicting), Target(20, at_most=True)
    yield Row("predict a text after an update", ms, "ms", target=target)
    yield Row(
        "digest after an update",
        min(digesting),
        "s",
        min(summing),
        "SHA-256 of as many bytes",
        Target(5, at_most=True),
    )
    yield Row("the same digest again", 1000 * min(again), "ms", target=Target(0.1, at_most=True))


def _asking(setting: Setting, model: likely.Classifier) -> Iterator[Row]:
    train, asked = setting.train, setting.test.texts[:_ASKED]
    plain = ours.train_and_estimate(train.texts, train.labels)
    model.predict(setting.test.texts[:_WARM])
    peer = peers.trained(train, (1, 1))
    *seconds, peer_seconds = race(
        *(timed(partial(_one_by_one, each, asked)) for each in (plain, model, peer)),
        rounds=setting.rounds(5),
    )
    for name, spent, most in zip(("plain", "default"), seconds, (0.12, 0.2), strict=True):
        what, target = f"predict_proba, text by text, {name}", Target(most, at_most=True)
        ms, peer_ms = (1000 * total / len(asked) for total in (spent, peer_seconds))
        yield Row(what, ms, "ms", peer_ms, "scikit-learn, words", target)


def _one_by_one(model: Any, texts: list[str]) -> None:
    for text in texts:
        model.predict_proba([text])


def _seconds(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
