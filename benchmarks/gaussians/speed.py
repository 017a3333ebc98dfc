"""How many rows a second: standard-normal numbers in ten columns, ours and theirs in turns."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import likely
from benchmarks.measure import race, timed
from benchmarks.peers import GAUSSIANS
from benchmarks.run import Run
from benchmarks.table import Row, Target, comparison

NOTES = """\
Ten columns of numbers, ten million rows, two classes unless said. M/s is a million rows per second,
the best of three rounds. Ours keeps no ledger unless said."""

# By name: ours, theirs, and how much faster than GaussianNB ours should learn.
_FAMILY = {
    "Gaussian NB": (likely.Gaussian(), "GaussianNB", Target(3)),
    "LDA": (likely.Gaussian("shared"), "scikit-learn's LDA", Target(1)),
    "QDA": (likely.Gaussian("full"), "scikit-learn's QDA", Target(1)),
}


def rows(run: Run) -> Iterator[Row]:
    draw, n = np.random.default_rng(0), 5_000 if run.quick else 10_000_000
    x, y = draw.standard_normal((n, 10)), draw.integers(2, size=n)
    yield from _fitting(x, y)
    yield from _predicting(x, y)
    trees = np.array(["ash", "beech", "elm", "oak", "yew"])[draw.integers(5, size=n)]
    works = {"ours": partial(_fit, likely.Gaussian(), x, trees), "theirs": partial(_peer, x, trees)}
    what, (ours, theirs) = "fit, Gaussian NB, 5 classes as text", _speeds(n, works).values()
    yield comparison(what, ours, "M/s", theirs, "GaussianNB", Target(3))


def _fitting(x: Any, y: Any) -> Iterator[Row]:
    works = {name: partial(_peer, x, y, name) for name in GAUSSIANS}
    for name, (ours, _, _) in _FAMILY.items():
        works[name] = partial(_fit, ours, x, y)
        works[f"{name}, ledger"] = partial(_fit, ours, x, y, ledger=True)
    speeds = _speeds(len(x), works)
    for ledger in ("", ", ledger"):
        for name, (_, _, target) in _FAMILY.items():
            what, base = f"{name}{ledger}", speeds["GaussianNB"]
            yield comparison(f"fit, {what}", speeds[what], "M/s", base, "GaussianNB", target)
    for name in ("LDA", "QDA"):
        peer = _FAMILY[name][1]
        yield comparison(f"fit, {name}", speeds[name], "M/s", speeds[peer], peer)


def _predicting(x: Any, y: Any) -> Iterator[Row]:
    works = {name: partial(_peer(x, y, name).predict, x) for name in GAUSSIANS}
    for name, (ours, _, _) in _FAMILY.items():
        model = _fit(ours, x, y)
        model.predict(x[:1])  # estimates, which theirs does while fitting
        works[name] = partial(model.predict, x)
        works[f"leave-one-out, {name}"] = partial(model.leave_one_out, x, y)
    speeds = _speeds(len(x), works)
    for name, (_, peer, _) in _FAMILY.items():
        target = Target(2) if peer == "GaussianNB" else None
        yield comparison(f"predict, {name}", speeds[name], "M/s", speeds[peer], peer, target)
    for name in _FAMILY:
        what = f"leave-one-out, {name}"
        yield comparison(what, speeds[what], "M/s", speeds[name], "ours, predict")


def _fit(likelihood: likely.Gaussian, x: Any, y: Any, ledger: bool = False) -> likely.Classifier:
    return likely.Classifier(likelihood, ledger=ledger).fit(x, y)


def _peer(x: Any, y: Any, name: str = "GaussianNB") -> Any:
    return GAUSSIANS[name]().fit(x, y)


def _speeds(n: int, works: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Million rows per second of each, in turns."""
    seconds = race(*map(timed, works.values()), rounds=3)
    return {name: n / 1e6 / each for name, each in zip(works, seconds, strict=True)}
