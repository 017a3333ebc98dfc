"""How fast a model learns from a file, beside the same texts and labels in lists."""

import gzip
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import likely
from benchmarks.speed.corpus import Corpus, read
from benchmarks.speed.measure import timed
from benchmarks.speed.table import Row, Target
from benchmarks.tables import generated

LEGEND = """\
Words of one column of text, two classes, no ledger, `threads=1`. MB/s are of the text itself,
whatever stands around it in the file; medians of alternating rounds, the files warm in the system's
cache. All learn the same model, to the last bit. Files are read ahead in a thread of their own
while what was read is counted; `on one processor` denies both sides a second one."""
NAMES = ("what", "ours", "peer", "the peer is", "ratio", "target", "met")
BLANK = Row("", 1, "").line()

_ROUNDS = 5
_TARGET = Target(0.7)
_IN_LISTS = "the same in lists"


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="likely-") as scratch:
        path = Path(scratch) / "text.csv"
        generated.write(path, 60 if quick else 300, 300_000)
        corpus = _loaded(path)
        forms = {".jsonl": _write_json(path, corpus), ".csv.gz": _write_compressed(path)}
        yield from _compared("made-up text", path, corpus, forms)
    path = folder / "imdb" / "train.csv"
    if path.exists():
        yield from _compared("IMDb", path, _loaded(path), {})
    else:
        print(f"IMDb: left out, there is no `{path}`", file=sys.stderr)


def _compared(name: str, path: Path, corpus: Corpus, forms: dict[str, Path]) -> Iterator[Row]:
    files = {".csv": path, **forms}
    works: dict[str, Callable[[], Any]] = {"lists": partial(_from_lists, corpus)}
    works |= {suffix: partial(_from_file, file) for suffix, file in files.items()}
    digests = {work().digest for work in works.values()}
    if len(digests) > 1:
        raise AssertionError(f"{name}: the file and the lists give different models")
    if hasattr(os, "sched_setaffinity"):
        for what in ("lists", ".csv"):
            works[f"{what}, on one processor"] = partial(_on_one_processor, works[what])
    contenders = [timed(work) for work in works.values()]
    times = [[contender() for contender in contenders] for _ in range(_ROUNDS)]
    medians = map(statistics.median, zip(*times, strict=True))
    speeds = {what: corpus.megabytes / own for what, own in zip(works, medians, strict=True)}
    about = f"{name}, {corpus.megabytes:.0f} MB in"
    for suffix, file in files.items():
        what = f"{about} {suffix} of {file.stat().st_size / 1e6:.0f} MB"
        target = _TARGET if suffix == ".csv" else None
        yield Row(what, speeds[suffix], "MB/s", speeds["lists"], _IN_LISTS, target)
    alone = [speed for what, speed in speeds.items() if what.endswith("on one processor")]
    if alone:
        yield Row(f"{about} .csv, on one processor", alone[1], "MB/s", alone[0], _IN_LISTS)


def _from_lists(corpus: Corpus) -> likely.Classifier:
    return _model().fit({"text": corpus.texts}, corpus.labels)


def _from_file(path: Path) -> likely.Classifier:
    return _model().fit(likely.open_table(path), "label")


def _model() -> likely.Classifier:
    return likely.Classifier({"text": likely.Multinomial()}, ledger=False, threads=1)


def _on_one_processor(work: Callable[[], Any]) -> Any:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        return work()
    finally:
        os.sched_setaffinity(0, allowed)


def _loaded(path: Path) -> Corpus:
    texts, labels = zip(*read(path), strict=True)
    return Corpus(path.name, list(texts), list(labels))


def _write_json(path: Path, corpus: Corpus) -> Path:
    path = path.with_suffix(".jsonl")
    with path.open("w", encoding="utf-8") as file:
        for text, label in corpus.pairs:
            file.write(json.dumps({"text": text, "label": label}, ensure_ascii=False) + "\n")
    return path


def _write_compressed(path: Path) -> Path:
    compressed = path.with_suffix(".csv.gz")
    with path.open("rb") as plain, gzip.open(compressed, "wb", compresslevel=6) as file:
        while block := plain.read(1 << 20):
            file.write(block)
    return compressed
