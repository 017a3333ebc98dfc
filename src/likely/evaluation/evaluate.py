"""Evaluation of predictions: the functions that people call."""

import math
from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, cast

import numpy as np

from likely.errors import DataError, DataTypeError, OptionError
from likely.evaluation.answers import read_answers
from likely.evaluation.confusion import ConfusionTable
from likely.evaluation.counts import Array
from likely.evaluation.facts import Evaluation
from likely.evaluation.intervals import check_resampling
from likely.evaluation.measured import OF_PROBABILITIES, OF_SCORES, measured
from likely.evaluation.metrics import metrics

LOSSES = frozenset({"log_loss", "brier", "ece", "hamming_loss"})
"""The headline figures of which lower is better; of all others, higher is."""

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")


class _Evaluate(Protocol[_P, _Q]):
    """A function that evaluates predictions, and beside it one that evaluates a table of them."""

    from_confusion: Callable[_Q, Evaluation]

    def __call__(self, *args: _P.args, **options: _P.kwargs) -> Evaluation: ...


def _with(
    from_confusion: Callable[_Q, Evaluation],
) -> Callable[[Callable[_P, Evaluation]], _Evaluate[_P, _Q]]:
    """Put one function beside another."""

    def beside(evaluate: Callable[_P, Evaluation]) -> _Evaluate[_P, _Q]:
        evaluate.from_confusion = from_confusion  # type: ignore[attr-defined]
        return cast("_Evaluate[_P, _Q]", evaluate)

    return beside


def from_confusion(
    matrix: Any,
    classes: Any = None,
    *,
    beta: float = 1.0,
    intervals: bool = True,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Evaluation:
    """Measure predictions that are known only as a confusion table: `evaluate.from_confusion`.

    >>> found = evaluate.from_confusion([[8, 5, 3], [10, 60, 30], [1, 50, 200]], ["a", "b", "c"])
    >>> [round(one.precision, 2) for one in found.per_class]
    [0.42, 0.52, 0.86]
    >>> round(found.macro_precision, 2), round(found.micro_precision, 2)
    (0.6, 0.73)

    Rows are the truth, columns the predictions. `classes` names them; by default they are 0, 1, …,
    or have the names of a data frame, whose rows may come in another order than its columns.
    Figures and intervals are those of `evaluate` for the same rows, without the figures that need
    probabilities.
    """
    _check(beta, level, resamples, seed)
    answers = ConfusionTable.of(matrix, classes).answers
    return measured(answers, None, None, float(beta), resamples if intervals else 0, level, seed)


@_with(from_confusion)
def evaluate(
    y_true: Any,
    y_pred: Any,
    proba: Any = None,
    *,
    classes: Any = None,
    weights: Any = None,
    beta: float = 1.0,
    intervals: bool = True,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Evaluation:
    """Measure predictions against the truth.

    >>> found = evaluate(["ham", "spam", "ham", "spam"], ["ham", "spam", "spam", "spam"])
    >>> found.accuracy
    Figure(0.75, 0.300641842582402, 0.9544127391902995)
    >>> found.confusion.tolist()  # rows are the truth, columns the predictions
    [[1, 1], [0, 2]]

    Labels are one per row, or multi-label: lists or sets of labels, or a dense or sparse matrix
    with a 1 where a row has the label of that column. `proba` has a column per class (for
    multi-label rows, any scores will do). `classes` names the columns; by default they are the
    labels found, sorted. `weights` says what each row counts for. With a `beta` other than 1, F_β
    is there beside F1; recall then counts β times as much as precision. 0/0 is 0 throughout. In the
    log-loss, a probability below 2.2e-16 counts as that; `log_loss_clipped` has in how many rows it
    was.

    Intervals of shares (accuracy; precision, recall and F1 of a class) are Wilson's. All others are
    percentiles of `resamples` draws of the rows with replacement, moved so that their mean is the
    figure, the same for the same `seed`, in whatever order the rows come; none where no draw
    differs. Macro averages have the wider of these and of what the intervals of the classes come
    to: of a class of one row, draws know nothing new. With very many rows or classes, figures of
    probabilities and of single classes have fewer resamples, but at least 100.

    `evaluate.from_confusion(matrix)` measures predictions that are known only as counts.
    """
    _check(beta, level, resamples, seed)
    answers = read_answers(y_true, [y_pred], ["the predictions"], classes)
    found = None if weights is None else _row_weights(weights, len(answers))
    return measured(answers, proba, found, float(beta), resamples if intervals else 0, level, seed)


def figure_names(is_multilabel: bool, beta: float = 1.0, *, proba: bool = True) -> list[str]:
    """What the headline figures of predictions, with probabilities or without, are called."""
    of_proba = OF_SCORES if is_multilabel else OF_PROBABILITIES
    return [*metrics(is_multilabel, beta), *(of_proba if proba else ())]


def _row_weights(weights: Any, n_rows: int) -> Array:
    try:
        found = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataTypeError("the weights are no list of numbers") from None
    if found.shape != (n_rows,):
        raise DataError(f"there are {n_rows:,} rows, but the weights have the shape {found.shape}")
    wrong = ~(np.isfinite(found) & (found >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(f"weight {row} is {found[row]:g}; weights are numbers from 0 up")
    if not found.any():
        raise DataError("every weight is 0, so there is nothing to evaluate")
    return found


def _check(beta: float, level: float, resamples: int, seed: int) -> None:
    """Refuse options that make no sense."""
    check_resampling(level, resamples, seed)
    if not isinstance(beta, (int, float, np.number)) or not 0 <= beta < math.inf:
        raise OptionError(f"`beta` is a number from 0 up, not {beta!r}")
