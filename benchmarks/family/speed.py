"""How many rows a second: standard-normal numbers in ten columns, ours and theirs in turns."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import likely
from benchmarks.speed.measure import race, timed
from benchmarks.speed.table import Row, Target

_COLUMNS = 10
_NAMES = ("what", "ours", "peer", "the peer is", "ratio", "target", "met")
_OURS = {
    "Gaussian NB": likely.Gaussian(),
    "LDA": likely.Gaussian("shared"),
    "QDA": likely.Gaussian("full"),
}
_THEIRS = {
    "Gaussian NB": GaussianNB,
    "LDA": LinearDiscriminantAnalysis,
    "QDA": QuadraticDiscriminantAnalysis,
}
_FIT_TARGETS = {"Gaussian NB": Target(3), "LDA": Target(1), "QDA": Target(1)}


def legend(quick: bool) -> str:
    return (
        f"{_n_rows(quick):,} rows of {_COLUMNS} numbers, two classes unless said; M/s is a million "
        "rows per second.\nOurs keeps no ledger unless said."
    )


def rows(quick: bool) -> Iterator[Row]:
    draw, n = np.random.default_rng(0), _n_rows(quick)
    x, y = draw.standard_normal((n, _COLUMNS)), draw.integers(2, size=n)
    yield from _fitting(x, y)
    yield from _predicting(x, y)
    trees = np.array(["ash", "beech", "elm", "oak", "yew"])[draw.integers(5, size=n)]
    yield from _string_labels(x, trees)


def _fitting(x: Any, y: Any) -> Iterator[Row]:
    speeds = _speeds(
        len(x),
        {name: lambda own=own: _fit(own, x, y) for name, own in _OURS.items()}
        | {f"{name}, ledger": lambda own=own: _fit(own, x, y, True) for name, own in _OURS.items()}
        | {peer.__name__: lambda peer=peer: peer().fit(x, y) for peer in _THEIRS.values()},
    )
    for ledger in ("", ", ledger"):
        for name, target in _FIT_TARGETS.items():
            yield _row(speeds, f"{name}{ledger}", "GaussianNB", "fit", target)
    for name in ("LDA", "QDA"):
        yield _row(speeds, name, _THEIRS[name].__name__, "fit")


def _predicting(x: Any, y: Any) -> Iterator[Row]:
    models = {name: _fit(own, x, y) for name, own in _OURS.items()}
    peers = {peer.__name__: peer().fit(x, y) for peer in _THEIRS.values()}
    for model in models.values():
        model.predict(x[:1])  # estimates once, as theirs did when fitting
    speeds = _speeds(
        len(x),
        {name: lambda model=model: model.predict(x) for name, model in (models | peers).items()},
    )
    for name, target in (("Gaussian NB", Target(2)), ("LDA", None), ("QDA", None)):
        yield _row(speeds, name, _THEIRS[name].__name__, "predict", target)
    speeds |= _speeds(
        len(x),
        {
            f"{name}, exact": lambda model=model: model.leave_one_out(x, y)
            for name, model in models.items()
        },
    )
    for name in models:
        what = f"leave-one-out, {name}"
        yield Row(what, speeds[f"{name}, exact"], "M/s", speeds[name], "ours, predict")


def _string_labels(x: Any, y: Any) -> Iterator[Row]:
    works = {
        "Gaussian NB, 5 classes as text": lambda: _fit(_OURS["Gaussian NB"], x, y),
        "GaussianNB": lambda: GaussianNB().fit(x, y),
    }
    yield _row(_speeds(len(x), works), *works, "fit", Target(3))


def _fit(likelihood: likely.Gaussian, x: Any, y: Any, ledger: bool = False) -> likely.Classifier:
    return likely.Classifier(likelihood, ledger=ledger).fit(x, y)


def _speeds(n: int, works: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Million rows per second of each, the best of three rounds in turns."""
    seconds = race(*map(timed, works.values()), rounds=3)
    return {name: n / 1e6 / each for name, each in zip(works, seconds, strict=True)}


def _row(
    speeds: dict[str, float], name: str, peer: str, act: str, target: Target | None = None
) -> Row:
    return Row(f"{act}, {name}", speeds[name], "M/s", speeds[peer], f"{peer}", target)


def _n_rows(quick: bool) -> int:
    return 1_000_000 if quick else 10_000_000


def as_dict(row: Row) -> dict[str, Any]:
    target = None if row.target is None else str(row.target)
    return {**asdict(row), "ratio": row.ratio, "target": target, "met": row.met}


def _heading() -> str:
    """The names over a row, in its widths."""
    widths = [len(cell) - 2 for cell in Row("", 1, "").line().split("|")[1:-1]]
    named = (name.ljust(width) for name, width in zip(_NAMES, widths, strict=True))
    return f"| {' | '.join(named)} |\n| {' | '.join('-' * width for width in widths)} |"


HEADING = _heading()
