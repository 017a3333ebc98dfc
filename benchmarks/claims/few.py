"""Learning curves: how much is right after how few rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.claims.contest import Contest, majority, of_texts, read_table
from benchmarks.claims.intervals import mean, percent, points
from benchmarks.claims.verdicts import speaks
from benchmarks.text.sets import load, present
from likely.evaluation.intervals import flat

CLAIM = "Naive Bayes is good with few examples"
LEGEND = f"""\
{CLAIM}.
Percent right on 2,000 rows that were not learned, having learned so many: means of 20 draws (5 of
1,000 rows and more) and their 95 % intervals. Naive Bayes (NB) is multinomial for texts, bell
curves and counts of values for tables; logistic regression (LR; on texts over TF-IDF) and the
decision tree are scikit-learn's with their defaults. `majority`: always the commonest class. Judged
up to 100 rows: NB is above LR, and above the tree."""
WIDTHS = {"set": 11, "rows": 5, "majority": 8, "NB": 10, "LR": 10, "tree": 10}
WIDTHS |= {"NB − LR": 20, "NB − tree": 20, "speaks": 15}

_TEXTS, _TABLES = ("rt_polarity", "subj"), ("adult", "mushroom")
_SIZES = (10, 30, 100, 300, 1000, 5000)
_JUDGED = 100
_WHO = {"naive": "NB", "logistic": "LR", "tree": "tree"}


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    for name in present(folder, *_TEXTS):
        yield from _curve(of_texts(load(folder, name, "all")), quick)
    for name in present(folder, *(f"tab_{name}" for name in _TABLES)):
        yield from _curve(read_table(folder, name.removeprefix("tab_")), quick)


def _curve(contest: Contest, quick: bool) -> Iterator[dict[str, Any]]:
    for n in _SIZES[:2] if quick else _SIZES:
        draws = [contest.draw(seed, n, 2000) for seed in range(_draws(n, quick))]
        right = {
            name: np.array([contest.right(who, *draw) for draw in draws])
            for who, name in _WHO.items()
        }
        level = {name: mean(own) for name, own in right.items()}
        ahead = {f"NB − {name}": mean(right["NB"] - right[name]) for name in ("LR", "tree")}
        row = {"set": contest.name, "rows": n, "majority": majority(contest.labels)}
        row |= {name: percent(figure) for name, figure in level.items()}
        row |= {name: points(figure) for name, figure in ahead.items()}
        if n <= _JUDGED:
            row["speaks"] = " ".join(map(speaks, ahead.values()))
        yield row | {"figures": flat(level | ahead)}


def _draws(n: int, quick: bool) -> int:
    return 3 if quick else 20 if n < 1000 else 5
