"""The command: texts into matrices, and matrices into models, ours beside scikit-learn's.

Whatever is timed is compared first: the matrices are equal, and the models agree to ten digits.
"""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.discriminant_analysis
import sklearn.naive_bayes
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import likely.sklearn as ours
from benchmarks.speed import table
from benchmarks.speed.corpus import Corpus, take
from benchmarks.speed.measure import race, timed
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row, Target

WEIGHED = {"use_idf": True, "norm": "l2"}
PAIRS = {"ngram_range": (1, 2)}
CHARS = {"analyzer": "char_wb", "ngram_range": (3, 5)}


@dataclass(frozen=True)
class Reading:
    """What is read, how ours and theirs are told so, how often, and of how many texts in ten."""

    name: str
    ours: dict[str, Any]
    peer: type
    theirs: dict[str, Any]
    rounds: int
    tenths: int = 10
    target: Target | None = None


READINGS = [
    Reading("words", {}, CountVectorizer, {}, 5, target=Target(15, aim=20)),
    Reading("TF-IDF", WEIGHED, TfidfVectorizer, {}, 3),
    Reading("Unicode words", {"token_pattern": None}, CountVectorizer, {}, 3),
    Reading("words, min_df=2", {"min_df": 2}, CountVectorizer, {"min_df": 2}, 3),
    Reading("words and pairs", PAIRS, CountVectorizer, PAIRS, 2, tenths=5),
    Reading("char_wb 3-5", CHARS, CountVectorizer, CHARS, 2, tenths=1),
]


def texts(setting: Setting) -> Iterator[Row]:
    """Megabytes of text per second."""
    for reading in READINGS:
        mine, theirs = ours.TextVectorizer(**reading.ours), reading.peer(**reading.theirs)
        train, test = (_part(corpus, reading.tenths) for corpus in (setting.train, setting.test))
        sample = train.texts[:2000]
        # Unicode words are others than the pattern's.
        if "token_pattern" not in reading.ours:
            difference = mine.fit_transform(sample) - theirs.fit_transform(sample)
            if abs(difference).max() > 1e-12:
                raise SystemExit(f"{reading.name}: the matrices differ")
        for what, corpus in (("fit_transform", train), ("transform", test)):
            seconds, peer_seconds = race(
                *(timed(partial(getattr(one, what), corpus.texts)) for one in (mine, theirs)),
                rounds=setting.rounds(reading.rounds),
            )
            speed, peer_speed = corpus.megabytes / seconds, corpus.megabytes / peer_seconds
            name = f"{what}, {reading.name}"
            yield Row(name, speed, "MB/s", peer_speed, reading.peer.__name__, reading.target)


def _part(corpus: Corpus, tenths: int) -> Corpus:
    return take(corpus.name, corpus.pairs, corpus.megabytes * tenths / 10)


def matrices(setting: Setting) -> Iterator[Row]:
    """Thousands of rows per second: word counts of the texts, and a cloud of numbers."""
    words = ours.TextVectorizer().fit_transform(setting.train.texts)
    labels = np.array(setting.train.labels)
    rng = np.random.default_rng(0)
    rows = 20_000 if setting.quick else 500_000
    numbers, classes = rng.normal(size=(rows, 10)), rng.integers(0, 3, rows)
    naive, discriminant = sklearn.naive_bayes, sklearn.discriminant_analysis
    for name, module, x, y in (
        ("MultinomialNB", naive, words, labels),
        ("BernoulliNB", naive, words, labels),
        ("ComplementNB", naive, words, labels),
        ("GaussianNB", naive, numbers, classes),
        ("LinearDiscriminantAnalysis", discriminant, numbers, classes),
        ("QuadraticDiscriminantAnalysis", discriminant, numbers, classes),
    ):
        mine, theirs = getattr(ours, name)(), getattr(module, name)()
        if name.endswith("NB"):
            close = np.allclose(
                mine.fit(x, y).predict_log_proba(x[:500]),
                theirs.fit(x, y).predict_log_proba(x[:500]),
                rtol=1e-10,
            )
            if not close:
                raise SystemExit(f"{name}: the probabilities differ")
        for what in ("fit", "predict"):
            arguments = (x, y) if what == "fit" else (x,)
            seconds, peer_seconds = race(
                *(timed(partial(getattr(one, what), *arguments)) for one in (mine, theirs)),
                rounds=setting.rounds(3),
            )
            thousands = x.shape[0] / 1000
            speed, peer_speed = thousands / seconds, thousands / peer_seconds
            yield Row(f"{what}, {name}", speed, "k/s", peer_speed, "scikit-learn")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sklearn", description="likely.sklearn beside scikit-learn."
    )
    parser.add_argument("--quick", action="store_true", help="little data: does it all run?")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("LIKELY_DATA", "data")),
        metavar="DIR",
        help="where imdb/ is (default: $LIKELY_DATA); without it, texts are generated",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    arguments = parser.parse_args()
    setting = Setting(arguments.data, arguments.quick)
    print(table.heading(setting), flush=True)
    rows = []
    for part in (texts, matrices):
        for row in part(setting):
            print(row.line(), flush=True)
            rows.append(row)
    if arguments.json:
        arguments.json.write_text(table.to_json(setting, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
