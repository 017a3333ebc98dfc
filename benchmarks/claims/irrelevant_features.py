"""What columns and words that mean nothing do."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from benchmarks.claims.dataset import SYSTEMS, Dataset, datasets, of_columns, of_texts
from benchmarks.claims.intervals import mean, percent, points
from benchmarks.claims.verdicts import POINT, side
from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.table import Row

NOTES = """\
By how many points noise changes the percentage right on 2,000 other rows (all others, where there
are fewer), having learned 1,000 (500 of `pima_diabetes`), and for NB also having learned 5,000:
means of 10 draws and their 95 % intervals. Noise is so many times what the set has, without its
meaning: the columns of a table with their cells shuffled; as many words as a text has, drawn from
all texts and spelled differently. Tested: NB loses less than one point."""
COLUMNS = ("set", "noise", "majority", "NB without", "NB", "LR", "tree", "NB, 5,000", "result")

_TEXTS, _TABLES = ("rt_polarity", "subj"), ("adult", "mushroom", "pima_diabetes")
_TIMES = (1, 3, 10)
_NAIVE = ("naive",)
_LATER = (5000, 2000)


def rows(run: Run) -> Iterator[Row]:
    for dataset in datasets(run.data, _TEXTS, _TABLES):
        yield from _noisy(dataset, run)


def _noisy(dataset: Dataset, run: Run) -> Iterator[Row]:
    draws = [dataset.draw(seed, *dataset.sizes) for seed in run.draws(10)]
    later = []
    if len(dataset.labels) >= sum(_LATER):
        later = [dataset.draw(seed, *_LATER) for seed in run.draws(10)]
    before, before_later = _accuracies(dataset, draws, 0), _accuracies(dataset, later, 0, _NAIVE)
    for times in _TIMES[:1] if run.quick else _TIMES:
        changes = (_accuracies(dataset, draws, times) - before).T
        change = dict(zip(SYSTEMS.values(), map(mean, changes), strict=True))
        judged = [change["NB"]]
        if later:
            change["NB, 5,000"] = mean(_accuracies(dataset, later, times, _NAIVE) - before_later)
            judged.append(change["NB, 5,000"])
        row: Row = {"set": dataset.name, "noise": f"{times}×", "majority": dataset.majority}
        row |= {"NB without": percent(mean(before[:, 0]))}
        row |= {name: points(figure) for name, figure in change.items()}
        yield row | {"result": " ".join(side(figure, -POINT) for figure in judged)}


def _accuracies(
    dataset: Dataset, draws: list[Any], times: int, systems: Iterable[str] = SYSTEMS
) -> Any:
    """The accuracy of each with so much noise, a line per draw."""
    found = []
    for seed, (train, test) in enumerate(draws):
        noisy = with_noise(dataset.only(np.concatenate([train, test])), times, seed)
        parts = np.split(np.arange(len(noisy.labels)), [len(train)])
        found.append([noisy.accuracy(system, *parts) for system in systems])
    return np.array(found)


def with_noise(dataset: Dataset, times: int, seed: int) -> Dataset:
    """The same rows, and beside them columns or words that know nothing of the labels."""
    chance = np.random.default_rng([seed, times])
    if not dataset.is_text:
        noise = {
            f"{name}, shuffled {copy}": chance.permutation(column)
            for name, column in dataset.cells.items()
            for copy in range(times)
        }
        return of_columns(dataset.name, dataset.cells | noise, dataset.labels)
    lengths = [len(text.split()) for text in dataset.cells]
    words = np.array([f"noise{word}" for text in dataset.cells for word in text.split()])
    noisy = [
        f"{text} {' '.join(chance.choice(words, times * length))}"
        for text, length in zip(dataset.cells, lengths, strict=True)
    ]
    return of_texts(Corpus(dataset.name, noisy, dataset.labels.tolist()))
