"""Cross-validation by subtraction.

    rest = total − observe(fold)        the tally that never saw the fold

Counting is done once for all rows and once for each fold, and what is left is, to the last bit,
what counting the other rows would give.
"""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likely.classifier import Classifier
from likely.data.columns import nearest
from likely.data.label_sets import LabelSets
from likely.data.labeled import Labeled, labeled, whole
from likely.data.labels import Label, Labels, label_array, plain_list
from likely.data.table import Table
from likely.errors import DataError, OptionError
from likely.model import learning
from likely.model.fitted import Fitted
from likely.tally import Tally

if TYPE_CHECKING:
    from likely.evaluation.facts import Evaluation

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Predictions of rows by models that have not seen them, one entry per row in each array.

    `likely.evaluate(found.truth, found.predictions, found.probabilities)` measures them; `evaluate`
    does it for one repeat, since a row that counts several times makes intervals too narrow.
    """

    classes: tuple[Label, ...]
    rows: Places
    """Which row was predicted, counted from 0,"""
    folds: Places
    """in which fold it was,"""
    repeats: Places
    """and in which repeat, both counted from 0."""
    truth: NDArray[Any]
    predictions: NDArray[Any]
    probabilities: NDArray[np.float64]

    def evaluate(self, repeat: int = 0, **options: Any) -> "Evaluation":
        """The figures of one repeat; options are those of `likely.evaluate`."""
        from likely.evaluation.evaluate import evaluate

        here = self.repeats == repeat
        if not here.any():
            raise OptionError(f"there is no repeat {repeat!r}")
        return evaluate(
            self.truth[here],
            self.predictions[here],
            self.probabilities[here],
            classes=self.classes,
            **options,
        )


def cross_validate(
    model: Classifier,
    x: Any,
    y: Any = None,
    *,
    folds: int = 10,
    repeats: int = 1,
    groups: Any = None,
    time: Any = None,
    seed: int = 0,
) -> CrossValidation:
    """Predict each row by a model like `model` that was trained without the row's fold.

    >>> from likely import Classifier, Multinomial
    >>> texts, labels = ["good fun", "so good", "bad", "so bad"] * 5, [1, 1, 0, 0] * 5
    >>> found = cross_validate(Classifier(Multinomial()), texts, labels, folds=5)
    >>> float(found.evaluate().accuracy)
    1.0

    Folds are random and stratified by class, the same for the same `seed`; with `repeats`, they are
    drawn anew each time. `groups`, values for each row or the name of a column, says which rows
    stay together: no group is both learned and predicted, and such a column is not a feature. With
    `time`, the rows are cut into one period more than there are folds, and each period but the
    first is predicted by all that came before it.

    Columns without a likelihood get theirs once, from all rows. The rows of a file are all held in
    memory. `model` itself stays as it is.
    """
    _check(folds, repeats, groups, time, seed)
    spec = model.spec
    rows = labeled(x, model.target if y is None else y, spec.separator, spec.classes)
    table, y_all = whole(rows)
    groups, table = _of_rows(groups, "groups", table, leave=False)
    time, _ = _of_rows(time, "time", table, leave=True)
    if not len(table):
        raise DataError("there is nothing to cross-validate: no rows were given")
    plan = spec.settled(Labeled(table.names, rows.target, (table, y_all)))
    truth = _answers(y_all)

    def some(places: Places) -> Labeled:
        return labeled(table.at(places), truth[places], None, spec.classes)

    def observed(places: Places) -> Tally:
        return learning.observe(plan.product, plan.ledger, some(places), model.threads)

    everybody = np.arange(len(table))
    total = observed(everybody)
    classes = total.view(spec.classes).labels
    Fitted.of(spec, plan, total).check_decision()
    parts: list[tuple[Places, int, int, NDArray[np.float64], NDArray[Any]]] = []
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat])
        if time is not None:
            places = _by_time(time, folds)
        elif groups is not None:
            places = _by_group(groups, folds, rng)
        else:
            places = _by_chance(y_all, folds, rng)
        for fold, (test, gone) in enumerate(_splits(places, time is not None)):
            rest = Fitted.of(spec, plan, total - observed(gone))
            if len(rest.labels) < (1 if rest.is_multilabel else 2):
                only = f"only `{rest.labels[0]}`" if rest.labels else "no label"
                raise DataError(
                    f"without fold {fold + 1} there is {only} to learn from"
                    "\nhint: other folds, or more rows of each class"
                )
            kept = some(np.setdiff1d(everybody, gone))
            choose = learning.tuned if model.tunes else learning.with_chosen_thresholds
            rest = choose(rest, kept, model.threads)
            known = np.array([classes.index(label) for label in rest.labels])
            probabilities = np.zeros((len(test), len(classes)))
            own = rest.proba_and_impossible(table.at(test), model.threads)[0]
            probabilities[:, known] = own
            if rest.is_multilabel:
                said = _lists(rest.predict(table.at(test), model.threads))
            else:
                said = label_array(classes)[known[rest.decide(own)]]
            parts.append((test, fold, repeat, probabilities, said))
    chosen = np.concatenate([test for test, *_ in parts])
    sizes = [len(test) for test, *_ in parts]
    return CrossValidation(
        classes,
        chosen,
        np.repeat([fold for _, fold, *_ in parts], sizes),
        np.repeat([repeat for _, _, repeat, *_ in parts], sizes),
        truth[chosen],
        np.concatenate([said for *_, said in parts]),
        np.concatenate([found for _, _, _, found, _ in parts]),
    )


def _answers(y: Labels | LabelSets) -> NDArray[Any]:
    """The true label of each row, or a list of them."""
    return _lists(y.lists) if isinstance(y, LabelSets) else label_array(y.values)[y.slots]


def _lists(lists: list[Any]) -> NDArray[Any]:
    """An array whose cells are lists."""
    array = np.empty(len(lists), dtype=object)
    array[:] = lists
    return array


def _check(folds: Any, repeats: Any, groups: Any, time: Any, seed: Any) -> None:
    for name, value, least in (("folds", folds, 2), ("repeats", repeats, 1), ("seed", seed, 0)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
            raise OptionError(f"`{name}` is a whole number from {least} up, not {value!r}")
    if groups is not None and time is not None:
        raise OptionError("rows stay together by `groups` or follow `time`, not both")
    if time is not None and repeats > 1:
        raise OptionError("time runs one way, so `repeats` would all be the same")


def _of_rows(given: Any, what: str, table: Table, *, leave: bool) -> tuple[list[Any] | None, Table]:
    """A value for each row, and the table; without the column that had them unless it may stay."""
    if given is None:
        return None, table
    if isinstance(given, str):
        if given not in table.columns:
            raise DataError(f"there is no column `{given}`; {nearest(given, table.names)}")
        cells = plain_list(table.columns[given])
        if not leave:
            columns = {name: column for name, column in table.columns.items() if name != given}
            table = Table(
                columns, len(table), named=True, missing=table.missing, decimals=table.decimals
            )
    else:
        cells = plain_list(given)
    if len(cells) != len(table):
        raise DataError(f"there are {len(table):,} rows, but `{what}` has {len(cells):,} values")
    gone = [row for row, cell in enumerate(cells) if cell is None or cell == "" or cell != cell]
    if gone:
        raise DataError(
            f"row {table.number(gone[0])} has no value in `{what}`; every row needs one"
        )
    return cells, table


def _by_chance(y: Labels | LabelSets, folds: int, rng: np.random.Generator) -> Places:
    """The fold of each row: shuffled, and stratified by class or set of labels."""
    if folds > len(y):
        raise DataError(f"{len(y)} rows cannot be cut into {folds} folds")
    mixed = rng.permutation(len(y))
    _, kind = y.spelled
    order = mixed[np.argsort(kind[mixed], kind="stable")]
    places = np.empty(len(y), dtype=np.int64)
    places[order] = np.arange(len(y)) % folds
    return places


def _by_group(groups: list[Any], folds: int, rng: np.random.Generator) -> Places:
    """The fold of each row: the largest groups first, each into the emptiest fold."""
    codes = {group: code for code, group in enumerate(dict.fromkeys(groups))}
    if len(codes) < folds:
        raise DataError(f"{len(codes)} groups cannot be cut into {folds} folds")
    of_row = np.array([codes[group] for group in groups])
    sizes = np.bincount(of_row)
    mixed = rng.permutation(len(sizes))
    room = [(0, fold) for fold in range(folds)]
    of_group = np.empty(len(sizes), dtype=np.int64)
    for group in mixed[np.argsort(-sizes[mixed], kind="stable")]:
        filled, fold = heapq.heappop(room)
        of_group[group] = fold
        heapq.heappush(room, (filled + int(sizes[group]), fold))
    return np.asarray(of_group[of_row])


def _by_time(times: list[Any], folds: int) -> Places:
    """The period of each row, about equally many in each; rows of one moment stay together."""
    moments, of_row, sizes = np.unique(_moments(times), return_inverse=True, return_counts=True)
    if len(moments) < 2:
        raise DataError("every row has the same time, so nothing comes before anything")
    before = np.cumsum(sizes) - sizes
    periods = before * (folds + 1) // len(times)
    # Periods that became empty, since many rows share a time, are left out.
    return np.asarray(np.unique(periods, return_inverse=True)[1][of_row])


def _moments(times: list[Any]) -> NDArray[np.float64]:
    """Times as numbers that rise: numbers are, dates are in seconds."""
    found = []
    for row, time in enumerate(times, 1):
        try:
            moment = float(time)
        except (TypeError, ValueError):
            try:
                date = time if isinstance(time, datetime) else datetime.fromisoformat(str(time))
            except ValueError:
                raise DataError(
                    f"the time in row {row} is {str(time)!r}; times are numbers, or dates like "
                    "2026-01-31 or 2026-01-31T09:30"
                ) from None
            zero = datetime(1970, 1, 1, tzinfo=date.tzinfo)
            moment = (date - zero).total_seconds()
        if not math.isfinite(moment):
            raise DataError(f"the time in row {row} is {time!r}")
        found.append(moment)
    return np.array(found)


def _splits(places: Places, in_order: bool) -> Iterator[tuple[Places, Places]]:
    """For each fold, the rows to predict, and the rows that the model may not have seen."""
    for fold in range(int(in_order), int(places.max()) + 1):
        test = np.flatnonzero(places == fold)
        yield test, np.flatnonzero(places >= fold) if in_order else test
