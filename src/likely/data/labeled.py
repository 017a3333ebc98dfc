"""Rows with their labels: what a model learns from, in memory or in a file."""

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.cells import spelled
from likely.data.columns import SAMPLE, nearest, sampled
from likely.data.files import Progress, Source, open_table
from likely.data.label_sets import LabelSets, are_label_lists, as_given, cut, members
from likely.data.labels import Label, Labels, as_known, labels, plain_list
from likely.data.table import POINTS, Table, is_missing, named
from likely.errors import DataError, LikelyError, UnlabeledError

_NONE = frozenset(["", "?"])
# How an indicator column says that a row lacks its label or has it.
_MARKS = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}
_TABLE = "the table has"

TARGETS = ("label", "target", "class", "y", "category", "labels")


@dataclass(frozen=True)
class Labeled:
    """Rows that come in batches, each with a label."""

    columns: tuple[str, ...]
    target: str | None
    _rows: Source | tuple[Table, Labels | LabelSets]
    separator: str | None = None
    """The separator between the labels of a cell, if cells are multi-label."""
    like: tuple[Label, ...] = ()
    """The labels of the model that the rows are for, if it has learned any."""
    indicator_columns: tuple[str, ...] = ()
    """The indicator columns (0 or 1), one per label, if labels are given that way."""

    @cached_property
    def is_multilabel(self) -> bool:
        """Whether rows are multi-label."""
        if isinstance(self._rows, tuple):
            return isinstance(self._rows[1], LabelSets)
        if self.separator is not None or self.indicator_columns:
            return True
        return self._first is not None and hold_lists(self._first.columns[self.target or ""])

    @property
    def kind_is_known(self) -> bool:
        """Whether it is known if rows are multi-label; without any rows it is not."""
        return self.is_multilabel or not (self.is_empty or self._first is None)

    @cached_property
    def _first(self) -> Table | None:
        """The label columns of the first batch; None if there are no rows."""
        if isinstance(self._rows, tuple):
            return self._rows[0]
        return next(self._rows.batches(self.indicator_columns or [self.target or ""]), None)

    @property
    def where(self) -> str:
        """The file name, to begin an error message; empty if rows are in memory."""
        return f"{self._rows.name}: " if isinstance(self._rows, Source) else ""

    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[tuple[Table, Any]]:
        """Rows and labels; the columns named, if they have names, or all."""
        if isinstance(self._rows, tuple):
            yield self._rows
            return
        assert self.target is not None
        given = self.indicator_columns or (self.target,)
        names = [*(self.columns if columns is None else columns), *given]
        there = set(self._rows.columns)
        missing = [name for name in names if name not in there]
        if missing:
            raise DataError(
                f"{self._rows.name}: column `{missing[0]}` is missing; "
                + nearest(missing[0], self._rows.columns)
            )
        for table in self._rows.batches(names, progress):
            # Labels are names, even if they look like numbers: `1,2` may be two labels.
            own = {name: table.as_written[name] for name in given}
            table.columns = {name: c for name, c in table.columns.items() if name not in own}
            yield table, self._labels(own, table)

    @property
    def is_empty(self) -> bool:
        """Whether there are no rows; unknown for a file before it is read."""
        return isinstance(self._rows, tuple) and not len(self._rows[1])

    def _labels(self, given: dict[str, Any], table: Table) -> Labels | LabelSets:
        assert isinstance(self._rows, Source)
        where = f"{self._rows.name}, row"
        if self.indicator_columns:
            return _marked(given, where, table)
        ((target, column),) = given.items()
        found: Labels | LabelSets
        if self.is_multilabel:
            found = _column_of_sets(column, where, table, target, self.separator)
        else:
            found = _column_of_labels(column, where, table, target)
            if self._rows.has_lines and any(str(label).startswith("[") for label in found.values):
                raise DataError(
                    f"{self._rows.name}: some rows of `{target}` hold lists, and others do not"
                )
        hint = (
            f"\nhint: if the labels are not in `{target}`, `--target` says where; labels of "
            "another kind need a model of their own"
        )
        return _as_the_model(found, self.like, where, table, hint)

    @property
    def copies_of_labels(self) -> tuple[str, ...]:
        """The named columns that equal the label in every row, where labels came separately."""
        if not isinstance(self._rows, tuple) or self.target is not None:
            return ()
        table, found = self._rows
        if not table.named or not isinstance(found, Labels) or not len(found):
            return ()
        own = [spelled(label) for label in found.values]
        return tuple(n for n, column in table.columns.items() if _is_copy(column, own, found.slots))

    def sample(self) -> Table:
        """A sample of the rows, without their labels."""
        if isinstance(self._rows, tuple):
            table = self._rows[0]
            return table if len(table) <= SAMPLE else sampled([table])
        if not self.columns:
            raise DataError.of("no-feature-column", file=self._rows.name)
        sample = sampled(self._rows.batches(self.columns))
        if not len(sample):
            raise DataError.of("no-rows-in-file", file=self._rows.name)
        return sample


class Without(Source):
    """A table without the rows of some labels."""

    def __init__(self, source: Source, target: str, gone: Iterable[str]):
        self._source, self._target, self._gone = source, target, dict.fromkeys(gone)
        self.name, self.columns, self.size = source.name, source.columns, source.size
        self.has_lines = source.has_lines
        self._met: set[str] = set()

    @property
    def not_met(self) -> list[str]:
        """Those of the labels that no row has had so far."""
        return [label for label in self._gone if label not in self._met]

    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Table]:
        names = list(self.columns if columns is None else columns)
        read = names if self._target in names else [*names, self._target]
        for table in self._source.batches(read, progress):
            found = [str(label) for label in plain_list(table.as_written[self._target])]
            self._met |= self._gone.keys() & set(found)
            kept = np.flatnonzero([label not in self._gone for label in found])
            if len(kept):
                table.columns = {name: table.columns[name] for name in names}
                yield table.at(kept)


def labeled(
    x: Any,
    y: Any,
    separator: str | None = None,
    known: Sequence[Label] = (),
    like: Sequence[Label] = (),
) -> Labeled:
    """Rows and labels in whatever form they came.

    Labels are a list beside the rows, or one of their columns: the one named, or else one with a
    usual name (`label`, `target`, `class`, `y`, `category`). Multi-label rows have lists, a matrix
    with a column for each `known` label, cells with a separator between labels, or indicator
    columns, whose names are given with commas between. Labels are converted to the type of those of
    a model, `like`: a file may have texts where the model has numbers, or a frame the reverse.
    """
    if isinstance(x, Labeled):
        return x
    own = tuple(like or known)
    if isinstance(x, os.PathLike):
        x = open_table(x)
    if isinstance(x, Source):
        target = find_target(x.columns, y, f"{x.name} has")
        marks = _indicators_in(x.columns, target)
        names = tuple(name for name in x.columns if name not in (marks or (target,)))
        return Labeled(names, target, x, None if marks else separator, own, marks)
    table = Table.of(x)
    if table.named and (y is None or isinstance(y, str)):
        target = find_target(table.names, y, _TABLE)
        marks = _indicators_in(table.names, target)
        given = {name: table.columns[name] for name in marks or (target,)}
        columns = {name: cells for name, cells in table.columns.items() if name not in given}
        found: Labels | LabelSets
        if marks:
            found = _marked(given, "row", table)
        elif separator is not None or hold_lists(given[target]):
            found = _column_of_sets(given[target], "row", table, target, separator)
        else:
            found = _column_of_labels(given[target], "row", table, target)
        found = _as_the_model(found, own, "row", table)
        return Labeled(tuple(columns), target, (Table(columns, len(table), named=True), found))
    y = as_given(y, known)
    if separator is not None and y is not None and not are_label_lists(y):
        y = [cut(cell, separator) for cell in plain_list(y)]
    found = LabelSets.of(members(y, known or None)) if are_label_lists(y) else labels(y)
    if len(table) != len(found):
        raise DataError.of("label-count", rows=len(table), labels=len(found))
    return Labeled(table.names, None, (table, _as_the_model(found, own, "row", table)))


def _as_the_model(
    found: Labels | LabelSets, like: Sequence[Label], where: str, table: Table, hint: str = ""
) -> Labels | LabelSets:
    """Labels converted to the type of those of a model: texts to numbers, or the reverse."""
    try:
        return found.as_known(like)
    except LikelyError as error:
        values = found.values[:-1] if isinstance(found, LabelSets) else found.values
        slot = bisect_left(range(len(values)), True, key=lambda n: _refused(values[: n + 1], like))
        row = table.number(found.first_row(slot))
        raise error.within(f"{where} {row}: ", hint) from None


def _refused(values: Sequence[Label], like: Sequence[Label]) -> bool:
    try:
        as_known(values, like)
    except LikelyError:
        return True
    return False


def whole(rows: Labeled) -> tuple[Table, Any]:
    """All rows at once, however many batches they came in."""
    batches = list(rows.batches())
    if len(batches) == 1:
        return batches[0]
    columns = {
        name: [c for table, _ in batches for c in plain_list(table.columns[name])]
        for name in rows.columns
    }
    truth: list[Any] = [label for _, found in batches for label in found.lists]
    read = LabelSets.of(members(truth)) if rows.is_multilabel else labels(truth)
    decimals = batches[0][0].decimals if batches else POINTS
    return Table(columns, len(truth), named=True, offset=1, decimals=decimals), read


def _is_copy(column: Any, own: list[str], slots: NDArray[np.uint32]) -> bool:
    """Whether cells equal the labels of their rows."""
    try:
        pairs = zip(plain_list(column), slots, strict=True)
        return all(spelled(cell) == own[slot] for cell, slot in pairs)
    except LikelyError:
        return False


def hold_lists(column: Any) -> bool:
    """Whether the cells of a column are lists of labels, or JSON of such lists."""
    cells = (
        column.take(np.arange(min(len(column), 1)))
        if isinstance(column, _kernel.Texts)
        else (column)
    )
    first = next(iter(cells), None)
    listed = isinstance(first, (list, tuple, set, frozenset, np.ndarray))
    return listed or (isinstance(first, str) and first.startswith("[") and first.endswith("]"))


def _column_of_sets(
    column: Any, where: str, table: Table, target: str, separator: str | None
) -> LabelSets:
    """The labels in a multi-label column; an empty cell holds none."""
    found = []
    for row, cell in enumerate(plain_list(column)):
        try:
            found.append(cut(cell, separator))
            labels(found[-1])
        except LikelyError as error:
            raise error.within(f"{where} {table.number(row)}, `{target}`: ") from None
    return LabelSets.of(members(found))


def _column_of_labels(column: Any, where: str, table: Table, target: str) -> Labels:
    """The labels in a column of a table."""
    missing = _first_missing(column)
    if missing is not None:
        raise UnlabeledError.of(
            "label-empty", where=where, row=table.number(missing), target=target
        )
    return labels(column)


def _first_missing(column: Any) -> int | None:
    """The first row without a label: an empty cell or a question mark."""
    if isinstance(column, _kernel.Texts):
        gone = column.without(["?"]).empty()
        return int(gone.argmax()) if gone.any() else None
    cells = column if isinstance(column, (list, tuple)) else plain_list(column)
    return next((row for row, cell in enumerate(cells) if is_missing(cell, _NONE)), None)


def _marked(columns: Mapping[str, Any], where: str, table: Table) -> LabelSets:
    """The labels of rows from indicator columns (0 or 1), one per label."""
    matrix = np.zeros((len(table), len(columns)), dtype=bool)
    for place, (name, column) in enumerate(columns.items()):
        row, has = _first_missing(column), "nothing"
        if row is None:
            found = labels(column)
            marks = [_MARKS.get(str(value).strip().lower()) for value in found.values]
            if None not in marks:
                matrix[:, place] = np.array(marks, dtype=bool)[found.slots]
                continue
            wrong = marks.index(None)
            row, has = found.first_row(wrong), repr(found.values[wrong])
        raise DataError(
            f"{where} {table.number(row)}: `{name}` has {has}, where a column of one label among "
            "several has 0 or 1"
        )
    return LabelSets.of(members(matrix, tuple(columns)))


def _indicators_in(names: Iterable[str], target: str) -> tuple[str, ...]:
    """The indicator columns that a target names; none if it names one column."""
    return () if target in names else tuple(target.split(","))


def find_target(names: Iterable[str], given: Any, who: str) -> str:
    """The column of the labels: the one given, or the first with a usual name.

    Names with commas between are indicator columns, one per label.
    """
    names = list(names)
    if isinstance(given, str):
        if given in names:
            return given
        indicators = [name.strip() for name in given.split(",")]
        there = set(names)
        strangers = [name for name in indicators if name not in there]
        if strangers:
            raise DataError(f"{who} no column `{strangers[0]}`; {nearest(strangers[0], names)}")
        if len(set(indicators)) < len(indicators):
            raise DataError(f"`{given}` names a column twice")
        return ",".join(indicators)
    if given is not None:
        raise DataError(f"{who} its labels in a column, which is given by its name")
    usual = usual_target(names)
    if usual is not None:
        return usual
    listed = named(names, 12) or "no names"
    if len(names) < 2:
        raise DataError(
            f"{who} no column of labels; it has {listed}\n"
            "hint: to learn from, a table has one beside the texts or numbers; the first line of a "
            "file names its columns"
        )
    last = names[-1]
    option = f"--target {last}" if re.fullmatch(r"[\w.-]+", last) else f'--target "{last}"'
    example = f'fit(table, "{last}")' if who == _TABLE else option
    raise DataError(
        f"{who} no column that is called like a target; it has {listed}\n"
        f"hint: name the label column, for example `{example}`"
    )


def usual_target(names: Iterable[str]) -> str | None:
    """The first column with a usual name of a target, if there is one."""
    names = list(names)
    found = (name for usual in TARGETS for name in names if name.lower() == usual)
    return next(found, None)
