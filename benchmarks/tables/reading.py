"""How fast a model learns from a file, beside the same texts and labels in lists."""

import gzip
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import likely
from benchmarks.data import Corpus, read
from benchmarks.made_up.tables import write
from benchmarks.measure import timed, turns
from benchmarks.run import Run
from benchmarks.table import Row, Target

NOTES = """\
`Classifier({"text": Multinomial()}, ledger=False, threads=1).fit(…)`, two classes, from a file and
from lists. MB/s count the text itself, whatever stands around it in the file; medians of five
alternating rounds, the files warm in the system's cache. All learn the same model, to the last bit.
Files are read ahead in a thread of their own, while what was read is counted; `on one processor`
denies both sides a second one."""
COLUMNS = (
    "what",
    "file, bytes",
    "text, bytes",
    "file, MB/s",
    "lists, MB/s",
    "ratio",
    "target",
    "met",
)

_ROUNDS = 5
_TARGET = Target(0.7)


def rows(run: Run) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="likely-") as scratch:
        path = Path(scratch, "text.csv")
        write(path, *((1, 3_000) if run.quick else (300, 300_000)))
        yield from _compared("made-up text", path, others=True)
    for name in run.data.present("imdb/train.csv"):
        yield from _compared("IMDb", run.data.folder / name, others=False)


def _compared(name: str, path: Path, others: bool) -> Iterator[Row]:
    pairs = zip(*read(path), strict=True)
    corpus = Corpus(name, list(next(pairs)), list(next(pairs)))
    files = {"CSV": path}
    if others:
        files |= {"JSON lines": _as_json(path, corpus), "CSV, gzip": _compressed(path)}
    works: dict[str, Callable[[], Any]] = {"lists": partial(_from_lists, corpus)}
    works |= {form: partial(_from_file, file) for form, file in files.items()}
    if len({work().digest for work in works.values()}) > 1:
        raise AssertionError(f"{name}: the files and the lists give different models")
    if hasattr(os, "sched_setaffinity"):
        alone = {f"{what}, on one processor": works[what] for what in ("lists", "CSV")}
        works |= {what: partial(_on_one_processor, work) for what, work in alone.items()}
        files["CSV, on one processor"] = path
    medians = map(statistics.median, turns(*map(timed, works.values()), rounds=_ROUNDS))
    speeds = {what: corpus.megabytes / own for what, own in zip(works, medians, strict=True)}
    for form, file in files.items():
        peer = "lists, on one processor" if form.endswith("processor") else "lists"
        ratio = speeds[form] / speeds[peer]
        yield {
            "what": f"{name}, {form}",
            "file, bytes": file.stat().st_size,
            "text, bytes": round(corpus.megabytes * 1e6),
            "file, MB/s": speeds[form],
            "lists, MB/s": speeds[peer],
            "ratio": ratio,
            **(_TARGET.judge(ratio) if form == "CSV" else {}),
        }


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


def _as_json(path: Path, corpus: Corpus) -> Path:
    lines = (json.dumps({"text": t, "label": c}, ensure_ascii=False) for t, c in corpus.pairs)
    path = path.with_suffix(".jsonl")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _compressed(path: Path) -> Path:
    compressed = path.with_suffix(".csv.gz")
    with path.open("rb") as plain, gzip.open(compressed, "wb", compresslevel=6) as file:
        shutil.copyfileobj(plain, file, 1 << 20)
    return compressed
