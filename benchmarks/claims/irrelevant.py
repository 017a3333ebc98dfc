"""What columns and words that mean nothing do."""

from collections.abc import Iterable, Iterator
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
are fewer), having learned 1,000 (500 of `pima_diabetes`), and for NB also having learned 5,000:
means of 10 draws and their 95 % intervals. Noise is so many times what the set has, without its
meaning: the columns of a table with their cells shuffled; as many words as a text has, drawn from
all texts and spelled differently. Judged: NB loses less than one point."""
WIDTHS = {"set": 13, "noise": 5, "majority": 8, "NB without": 10, "NB": 20, "LR": 20}
WIDTHS |= {"tree": 20, "NB, 5,000": 20, "speaks": 15}

_TEXTS, _TABLES = ("rt_polarity", "subj"), ("adult", "mushroom", "pima_diabetes")
_TIMES = (1, 3, 10)
_NAIVE = ("naive",)
_LATER = (5000, 2000)
_WHO = {"naive": "NB", "logistic": "LR", "tree": "tree"}


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    for name in present(folder, *_TEXTS):
        yield from _noisy(of_texts(load(folder, name, "all")), quick)
    for name in present(folder, *(f"tab_{name}" for name in _TABLES)):
        yield from _noisy(read_table(folder, name.removeprefix("tab_")), quick)


def _noisy(contest: Contest, quick: bool) -> Iterator[dict[str, Any]]:
    n_draws = 3 if quick else 10
    draws = [contest.draw(seed, *contest.sizes) for seed in range(n_draws)]
    later = []
    if len(contest.labels) >= sum(_LATER) and not quick:
        later = [contest.draw(seed, *_LATER) for seed in range(n_draws)]
    before, before_later = _right(contest, draws, 0), _right(contest, later, 0, _NAIVE)
    for times in _TIMES[:1] if quick else _TIMES:
        changes = (_right(contest, draws, times) - before).T
        change = dict(zip(_WHO.values(), map(mean, changes), strict=True))
        judged = [change["NB"]]
        if later:
            change["NB, 5,000"] = mean(_right(contest, later, times, _NAIVE) - before_later)
            judged.append(change["NB, 5,000"])
        row = {"set": contest.name, "noise": f"{times}×", "majority": majority(contest.labels)}
        row |= {"NB without": percent(mean(before[:, 0]))}
        row |= {name: points(figure) for name, figure in change.items()}
        row["speaks"] = " ".join(speaks(figure, -POINT) for figure in judged)
        yield row | {"change": flat(change)}


def _right(contest: Contest, draws: list[Any], times: int, whose: Iterable[str] = _WHO) -> Any:
    """How much each has right with so much noise, a line per draw."""
    found = []
    for seed, (train, test) in enumerate(draws):
        noisy = with_noise(contest.only(np.concatenate([train, test])), times, seed)
        parts = np.split(np.arange(len(noisy.labels)), [len(train)])
        found.append([noisy.right(who, *parts) for who in whose])
    return np.array(found)


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
