"""One column, told several times over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.claims.contest import TARGETS, Contest, majority, of_columns, read_table
from benchmarks.claims.intervals import mean, percent, points, turned
from benchmarks.claims.verdicts import speaks
from benchmarks.text.sets import present
from likely.evaluation.intervals import flat

CLAIM = "Naive Bayes is hurt by correlated features"
LEGEND = f"""\
{CLAIM}.
One column, picked at random in each draw, stands in the table so many times. By how many points
that changes the percentage right on 2,000 other rows (all others, where there are fewer), having
learned 1,000 (500 of `pima_diabetes`): means of 20 draws and their 95 % intervals. Judged: NB
loses."""
WIDTHS = {"set": 13, "copies": 6, "majority": 8, "NB without": 10, "LR without": 10}
WIDTHS |= {"NB": 20, "LR": 20, "speaks": 7}

_COPIES = (2, 5, 20)
_WHO = {"naive": "NB", "logistic": "LR"}


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    for name in present(folder, *(f"tab_{name}" for name in TARGETS)):
        contest = read_table(folder, name.removeprefix("tab_"))
        n_train, n_test = contest.sizes
        draws = [
            contest.only(np.concatenate(contest.draw(seed, n_train, n_test)))
            for seed in range(3 if quick else 20)
        ]
        parts = np.split(np.arange(n_train + n_test), [n_train])
        before = {who: np.array([one.right(who, *parts) for one in draws]) for who in _WHO}
        for copies in _COPIES:
            repeated = [with_copies(one, copies, seed) for seed, one in enumerate(draws)]
            change = {
                who: mean(np.array([one.right(who, *parts) for one in repeated]) - before[who])
                for who in _WHO
            }
            row = {"set": contest.name, "copies": copies, "majority": majority(contest.labels)}
            row |= {f"{name} without": percent(mean(before[who])) for who, name in _WHO.items()}
            row |= {name: points(change[who]) for who, name in _WHO.items()}
            yield row | {"speaks": speaks(turned(change["naive"])), "change": flat(change)}


def with_copies(contest: Contest, copies: int, seed: int) -> Contest:
    """The same rows, with one column there so many times."""
    name = np.random.default_rng(seed).choice(list(contest.cells))
    more = {f"{name}, copy {copy}": contest.cells[name] for copy in range(2, copies + 1)}
    return of_columns(contest.name, contest.cells | more, contest.labels)
