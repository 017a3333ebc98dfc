"""Finding one of three corpora in a pool of all; beside DSIR, if `data-selection` is installed."""

import csv
import importlib.util
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.data import n_bytes
from benchmarks.measure import clocked
from benchmarks.run import Run
from benchmarks.table import Row
from likely import open_table, select_rows

NOTES = """\
A pool of imdb, 20ng_stripped and blogs_sample, shuffled; 2,000 other rows of one of them are the
target, and as many rows are kept as there are of it. `precision` is the share of those kept that
are of it. One thread; seconds are of the whole selection, files read and written."""
COLUMNS = ("who", "target", "pool", "MB", "precision", "seconds", "MB/s")

_SIZES = {"imdb": 10_000, "20ng_stripped": 10_000, "blogs_sample": 20_000}


def rows(run: Run) -> Iterator[Row]:
    pool = [
        (text, name)
        for name, n in _SIZES.items()
        for text in run.data.texts(name, "train", n).texts
    ]
    np.random.default_rng(0).shuffle(pool)
    size = sum(n_bytes(text) for text, _ in pool) / 1e6
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch)
        _write(path / "pool", [text for text, _ in pool])
        for name in _SIZES:
            n = sum(own == name for _, own in pool)
            _write(path / "target", run.data.texts(name, "test", 2_000).texts)
            systems = {"likely": _likely}
            if importlib.util.find_spec("data_selection") and name == "imdb":
                systems["data-selection"] = _dsir
            for who, system in systems.items():
                kept, seconds = clocked(lambda: system(path, n))  # noqa: B023
                row: Row = {"who": who, "target": name, "pool": len(pool), "MB": round(size)}
                row["precision"] = sum(pool[place][1] == name for place in kept) / len(kept)
                yield row | {"seconds": seconds, "MB/s": size / seconds}


def _write(path: Path, texts: list[str]) -> None:
    with open(path.with_suffix(".csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["row", "text"])
        writer.writerows(enumerate(texts))
    with open(path.with_suffix(".jsonl"), "w", encoding="utf-8") as file:
        for row, text in enumerate(texts):
            file.write(json.dumps({"row": row, "text": text}) + "\n")


def _likely(path: Path, keep: int) -> list[int]:
    kept = select_rows(
        open_table(path / "target.csv"), open_table(path / "pool.csv"), keep, text="text"
    )
    return [int(row) for each in kept for row in each.table.columns["row"].take(each.rows)]


def _dsir(path: Path, keep: int) -> list[int]:
    from data_selection import HashedNgramDSIR  # type: ignore[import-not-found]

    with tempfile.TemporaryDirectory() as cache:
        dsir = HashedNgramDSIR(
            [str(path / "pool.jsonl")],
            [str(path / "target.jsonl")],
            cache_dir=cache,
            num_proc=1,
        )
        dsir.fit_importance_estimator(num_tokens_to_fit="auto")
        dsir.compute_importance_weights()
        dsir.resample(out_dir=f"{cache}/out", num_to_sample=keep, cache_dir=f"{cache}/resampled")
        files = sorted(Path(cache, "out").rglob("*.jsonl"))
        return [json.loads(line)["row"] for file in files for line in file.open(encoding="utf-8")]
