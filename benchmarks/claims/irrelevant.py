"""What columns and words that mean nothing do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.claims.contest import Contest, majority, of_columns, of_texts, read_table
from benchmarks.claims.intervals import mean, percent, points
from benchmarks.claims.verdicts import POINT, speaks
from benchmarks.speed.corpus import Corpus
from benchmarks.text.sets import load, present
from likely.evaluation.intervals import flat

CLAIM = "Naive Bayes is robust to irrelevant features"
LEGEND = f"""\
{CLAIM}.
By how many points noise changes the percentage right on 2,000 other rows (all others, where there
are fewer), having learned 1,000 (500 of `pima_diabetes`): means of 10 draws and their 95 %
intervals. Noise is so many times what the set has, without its meaning: the columns of a table with
their cells shuffled; as many words as a text has, drawn from all texts and spelled differently.
Judged: NB loses less than one point."""
WIDTHS = {"set": 13, "noise": 5, "majority": 8, "NB without": 10, "NB": 20, "LR": 20}
WIDTHS |= {"tree": 20, "speaks": 7}

_TEXTS, _TABLES = ("rt_polarity", "subj"), ("adult", "mushroom", "pima_diabetes")
_TIMES = (1, 3, 10)
_WHO = {"naive": "NB", "logistic": "LR", "tree": "tree"}


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    for name in present(folder, *_TEXTS):
        yield from _noisy(of_texts(load(folder, name, "all")), quick)
    for name in present(folder, *(f"tab_{name}" for name in _TABLES)):
        yield from _noisy(read_table(folder, name.removeprefix("tab_")), quick)


def _noisy(contest: Contest, quick: bool) -> Iterator[dict[str, Any]]:
    n_train, n_test = contest.sizes
    draws = [contest.draw(seed, n_train, n_test) for seed in range(3 if quick else 10)]
    before = {who: np.array([contest.right(who, *draw) for draw in draws]) for who in _WHO}
    for times in _TIMES[:2] if quick else _TIMES:
        after: dict[str, list[float]] = {who: [] for who in _WHO}
        for seed, draw in enumerate(draws):
            noisy = with_noise(contest.only(np.concatenate(draw)), times, seed)
            places = np.split(np.arange(n_train + n_test), [n_train])
            for who, found in after.items():
                found.append(noisy.right(who, *places))
        change = {who: mean(np.array(own) - before[who]) for who, own in after.items()}
        row = {"set": contest.name, "noise": f"{times}×"}
        row |= {"majority": majority(contest.labels), "NB without": percent(mean(before["naive"]))}
        row |= {name: points(change[who]) for who, name in _WHO.items()}
        yield row | {"speaks": speaks(change["naive"], -POINT), "change": flat(change)}


def with_noise(contest: Contest, times: int, seed: int) -> Contest:
    """The same rows, and beside them columns or words that know nothing of the labels."""
    chance = np.random.default_rng([seed, times])
    if not contest.is_text:
        noise = {
            f"{name}, shuffled {copy}": chance.permutation(column)
            for name, column in contest.cells.items()
            for copy in range(times)
        }
        return of_columns(contest.name, contest.cells | noise, contest.labels)
    lengths = [len(text.split()) for text in contest.cells]
    words = np.array([f"noise{word}" for text in contest.cells for word in text.split()])
    noisy = [
        f"{text} {' '.join(chance.choice(words, times * length))}"
        for text, length in zip(contest.cells, lengths, strict=True)
    ]
    return of_texts(Corpus(contest.name, noisy, contest.labels.tolist()))
