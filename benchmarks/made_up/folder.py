"""Small made-up datasets under the names of the real ones, for quick runs."""

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.made_up.language import spelled

_ROWS = 800
_WHOLE = ("cr", "mpqa", "rt_polarity", "sms_spam", "spooky_author", "subj")
_SPLIT = ("20ng_stripped", "blogs_sample", "imdb", "r52", "r8", "sst2", "stackoverflow20")
_SPLIT += ("trec_qc", "tweeteval_emotion")
_THREE = ("20ng_stripped", "r8", "r52", "trec_qc", "spooky_author")
_TABLES = {"iris": "species", "wine": "class", "penguins": "species", "pima_diabetes": "class"}
_TABLES |= {"mushroom": "class", "titanic": "survived"}


def write_folder(folder: Path) -> Path:
    draw, words = np.random.default_rng(0), np.array(spelled(300))
    for name in (*_WHOLE, *_SPLIT):
        classes = ["neg", "neutral", "pos"] if name in _THREE else ["neg", "pos"]
        for part in ("all",) if name in _WHOLE else ("train", "test"):
            _write(folder / name / f"{part}.csv", _texts(draw, words, classes))
    _write(folder / "imdb" / "unlabelled_10k.csv", _texts(draw, words, ["neg", "pos"]))
    for part in ("all", "word_pairs", "single_words"):
        _write(folder / "langid_lingua75" / f"{part}.csv", _texts(draw, words, ["de", "en", "fr"]))
    for name, target in _TABLES.items():
        _write(folder / f"tab_{name}" / "all.csv", _cells(draw, words, target))
    for part in ("train", "test"):
        _write(folder / "tab_adult" / f"{part}.csv", _cells(draw, words, "income"))
    for name in ("reuters_aptemod", "goemotions"):
        for part in ("train", "test"):
            rows = _texts(draw, words, ["a", "b", "c"])["text"]
            lines = (json.dumps({"text": t, "labels": _labels(draw)}) for t in rows)
            _path(folder / name / f"{part}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    polar = {"text": words[:100], "label": ["positive", "negative"] * 50}
    _write(folder / "opinion_lexicon" / "all.csv", polar)
    lines = (f"{word}\t{(-1) ** place}.5" for place, word in enumerate(words[:100]))
    _path(folder / "lexicons" / "vader_lexicon.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


def _texts(draw: Any, words: Any, classes: list[str]) -> dict[str, Iterable[Any]]:
    """Every class prefers other words."""
    y = draw.integers(len(classes), size=_ROWS)
    places = draw.zipf(1.4, (_ROWS, 20)) * 7 + y[:, None] * (draw.random((_ROWS, 20)) < 0.3)
    texts = [" ".join(row) + "." for row in words[places % len(words)]]
    return {"text": texts, "label": np.array(classes)[y]}


def _cells(draw: Any, words: Any, target: str) -> dict[str, Iterable[Any]]:
    """Two columns of numbers, two of categories, one of text, and labels."""
    y = draw.integers(2, size=_ROWS)
    columns = {f"number {n}": draw.normal(y, 1 + n).round(3) for n in range(2)}
    columns |= {
        f"color {n}": np.array(["red", "blue", "?"])[draw.binomial(2, 0.3 + 0.2 * y)]
        for n in range(2)
    }
    columns["name"] = [" ".join(row) for row in draw.choice(words, (_ROWS, 6))]
    return columns | {target: np.array(["no", "yes"])[y]}


def _labels(draw: Any) -> list[str]:
    return [label for label in ("a", "b", "c") if draw.random() < 0.5]


def _write(path: Path, columns: dict[str, Iterable[Any]]) -> None:
    with _path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _path(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
