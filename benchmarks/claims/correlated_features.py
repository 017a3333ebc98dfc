"""One column, told several times over."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.claims.dataset import TARGETS, Dataset, datasets, of_columns
from benchmarks.claims.intervals import mean, negated, percent, points
from benchmarks.claims.verdicts import side
from benchmarks.run import Run
from benchmarks.table import Row

NOTES = """\
One column, picked at random in each draw, stands in the table so many times. By how many points
that changes the percentage right on 2,000 other rows (all others, where there are fewer), having
learned 1,000 (500 of `pima_diabetes`): means of 20 draws and their 95 % intervals. Tested: NB
loses."""
COLUMNS = ("set", "duplicates", "majority", "NB without", "LR without", "NB", "LR", "result")

_COPIES = (2, 5, 20)
_SYSTEMS = {"naive": "NB", "logistic": "LR"}


def rows(run: Run) -> Iterator[Row]:
    for dataset in datasets(run.data, (), tuple(TARGETS)):
        n_train, n_test = dataset.sizes
        draws = [
            dataset.only(np.concatenate(dataset.draw(seed, n_train, n_test)))
            for seed in run.draws(20)
        ]
        parts = np.split(np.arange(n_train + n_test), [n_train])
        before = _accuracies(draws, parts)
        for copies in _COPIES:
            repeated = [with_copies(one, copies, seed) for seed, one in enumerate(draws)]
            after = _accuracies(repeated, parts)
            change = {name: mean(own - before[name]) for name, own in after.items()}
            row: Row = {"set": dataset.name, "duplicates": copies, "majority": dataset.majority}
            row |= {f"{name} without": percent(mean(own)) for name, own in before.items()}
            row |= {name: points(figure) for name, figure in change.items()}
            yield row | {"result": side(negated(change["NB"]))}


def _accuracies(draws: list[Dataset], parts: Any) -> dict[str, np.ndarray]:
    return {
        name: np.array([one.accuracy(system, *parts) for one in draws])
        for system, name in _SYSTEMS.items()
    }


def with_copies(dataset: Dataset, copies: int, seed: int) -> Dataset:
    """The same rows, with one column there so many times."""
    name = np.random.default_rng(seed).choice(list(dataset.cells))
    more = {f"{name}, copy {copy}": dataset.cells[name] for copy in range(2, copies + 1)}
    return of_columns(dataset.name, dataset.cells | more, dataset.labels)
