"""Texts into matrices. What is timed is compared first: the matrices are equal."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from benchmarks.data import Corpus, take
from benchmarks.measure import race, timed
from benchmarks.run import Run
from benchmarks.table import Row, Target, comparison
from likely.sklearn import TextVectorizer

NOTES = "Megabytes of text per second, one thread."

_TFIDF = {"use_idf": True, "norm": "l2"}
_BIGRAMS = {"ngram_range": (1, 2)}
_CHARACTERS = {"analyzer": "char_wb", "ngram_range": (3, 5)}


@dataclass(frozen=True)
class Reading:
    """Options for ours and theirs, how many rounds, and which share of the texts, in tenths."""

    name: str
    ours: dict[str, Any]
    peer: type
    theirs: dict[str, Any]
    rounds: int
    tenths: int = 10
    target: Target | None = None


_READINGS = [
    Reading("words", {}, CountVectorizer, {}, 5, target=Target(15, aim=20)),
    Reading("TF-IDF", _TFIDF, TfidfVectorizer, {}, 3),
    Reading("Unicode words", {"token_pattern": None}, CountVectorizer, {}, 3),
    Reading("words, min_df=2", {"min_df": 2}, CountVectorizer, {"min_df": 2}, 3),
    Reading("words and bigrams", _BIGRAMS, CountVectorizer, _BIGRAMS, 2, tenths=5),
    Reading("char_wb 3-5", _CHARACTERS, CountVectorizer, _CHARACTERS, 2, tenths=1),
]


def rows(run: Run) -> Iterator[Row]:
    for reading in _READINGS:
        mine, theirs = TextVectorizer(**reading.ours), reading.peer(**reading.theirs)
        train, test = (_part(corpus, reading.tenths) for corpus in (run.train, run.test))
        sample = train.texts[:2000]
        # Unicode words are others than the pattern's.
        if "token_pattern" not in reading.ours:
            difference = mine.fit_transform(sample) - theirs.fit_transform(sample)
            if abs(difference).max() > 1e-12:
                raise ValueError(f"{reading.name}: the matrices differ")
        for what, corpus in (("fit_transform", train), ("transform", test)):
            seconds, peer_seconds = race(
                *(timed(partial(getattr(one, what), corpus.texts)) for one in (mine, theirs)),
                rounds=run.rounds(reading.rounds),
            )
            speed, peer_speed = corpus.megabytes / seconds, corpus.megabytes / peer_seconds
            name = f"{what}, {reading.name}"
            yield comparison(name, speed, "MB/s", peer_speed, reading.peer.__name__, reading.target)


def _part(corpus: Corpus, tenths: int) -> Corpus:
    return take(corpus.name, corpus.pairs, corpus.megabytes * tenths / 10)
