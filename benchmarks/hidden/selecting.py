"""Finding one of three corpora in a pool of all; beside DSIR, if `data-selection` is installed."""

import csv
import importlib.util
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.hidden.texts import read
from benchmarks.report import Row
from likely import open_table, select

LEGEND = (
    "A pool of imdb, 20ng_stripped and blogs_sample, shuffled; 2,000 other rows of one of them\n"
    "are the target, and as many rows are kept as there are of it. `precision` is how many\n"
    "are of it. One thread; seconds are of the whole selection, files read and written."
)
WIDTHS = {"who": 16, "target": 14, "pool": 7, "MB": 5, "precision": 9, "seconds": 8, "MB/s": 7}
SIZES = {"imdb": 10_000, "20ng_stripped": 10_000, "blogs_sample": 20_000}


def rows(folder: Path, quick: bool) -> Iterator[Row]:
    part = 10 if quick else 1
    pool = [
        (text, name)
        for name, n in SIZES.items()
        for text in read(folder / name / "train.csv", n // part)[0]
    ]
    np.random.default_rng(0).shuffle(pool)
    size = sum(len(text.encode()) for text, _ in pool) / 1e6
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch)
        _write(path / "pool", [text for text, _ in pool])
        for name, n in SIZES.items():
            _write(path / "target", read(folder / name / "test.csv", 2_000 // part)[0])
            share = {"target": name, "pool": len(pool), "MB": round(size)}
            contestants = {"likely": _likely}
            if importlib.util.find_spec("data_selection") and name == "imdb":
                contestants["data-selection"] = _dsir
            for who, contestant in contestants.items():
                began = time.perf_counter()
                kept = contestant(path, n // part)
                seconds = time.perf_counter() - began
                right = sum(pool[row][1] == name for row in kept) / len(kept)
                measured = {"precision": right, "seconds": seconds, "MB/s": size / seconds}
                yield {"who": who, **share, **measured}


def _write(path: Path, texts: list[str]) -> None:
    with open(path.with_suffix(".csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["row", "text"])
        writer.writerows(enumerate(texts))
    with open(path.with_suffix(".jsonl"), "w", encoding="utf-8") as file:
        for row, text in enumerate(texts):
            file.write(json.dumps({"row": row, "text": text}) + "\n")


def _likely(path: Path, keep: int) -> list[int]:
    kept = select(open_table(path / "target.csv"), open_table(path / "pool.csv"), keep, text="text")
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
