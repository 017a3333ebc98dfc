"""Models of rows that lie elsewhere, in partitions: counted there, added and tuned here.

Counting is a function of a partition, and adding is exact, so any engine that runs a function on
each partition gives the model that one machine would, byte for byte. A function that runs twice
does no harm.

    plan     of the rows with the smallest hashes
    tally    counted in each partition, added in a tree
    tuning   of the rows with the smallest hashes, and how often their texts occur among all rows
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import chain
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.columns import SAMPLE, cell_hashes, nearest
from likely.data.duplicates import Copies
from likely.data.label_sets import LabelSets, members
from likely.data.labeled import Labeled, find_target, labeled
from likely.data.labels import Label, labels, plain_list
from likely.data.table import Batch, Table, row_hashes
from likely.errors import DataError, NotLearnedError, OptionError
from likely.model.fitted import Fitted
from likely.model.learning import (
    Receipt,
    check_classes,
    tuned,
    tuned_on_sample,
    with_chosen_thresholds,
    without,
)
from likely.model.plan import Plan
from likely.model.spec import Spec
from likely.model.tuning import TrainingRows, sample_size
from likely.tally import OF_BOTH_KINDS, Classes, Counting, Tally
from likely.tally.encoded import encoded

Tables = Iterator[Table]
Made = TypeVar("Made")
Task = Callable[[Tables], Made]

_NO_CLASSES = np.zeros(0, dtype=np.uint32)
_EVERY_HASH = 2**64 - 1
# The sample of rows with small hashes has rarely fewer rows than wanted, if so many more are asked.
_SPREAD = 8

# Of rows that were never learned, so many are looked for at most, to name one.
_NAMED = 1000

# A ledger has eight bytes for each row.
MOST_IN_LEDGER = 100_000_000


class Partitions(Protocol):
    """Rows in partitions, as an engine has them. Tasks are pure, and can be pickled."""

    @property
    def columns(self) -> tuple[str, ...]: ...
    def count(self) -> int:
        """How many rows there are."""

    def map(self, columns: Sequence[str], task: Task[Made]) -> list[Made]:
        """What a task makes of these columns of each partition."""

    def total(self, columns: Sequence[str], task: Task[bytes], add: "Add") -> bytes:
        """What a task makes of each partition, added up in a tree."""


@dataclass(frozen=True)
class Target:
    """How the labels of rows are read: in which column, and as which type."""

    name: str
    columns: tuple[str, ...]
    """The column of the labels, or the indicator columns."""
    separator: str | None
    known: tuple[Label, ...]
    like: tuple[Label, ...] = ()

    def of(self, tables: Tables) -> Iterator[tuple[Table, Any]]:
        """The rows of a partition without their labels, and the labels."""
        start = 1
        for table in tables:
            table.offset = start
            start += len(table)
            if len(table):
                given = labeled(table, self.name, self.separator, self.known, self.like)
                for rows, own in given.batches():
                    rows.offset = table.offset
                    yield rows, own


# What runs on the partitions


@dataclass(frozen=True)
class Sample:
    """The rows of a partition with small hashes, and how many rows it has in all.

    The hashes are those of the cells, or with a plan those of what its likelihoods read.
    """

    target: Target
    bound: int
    plan: bytes | None = None
    secret: bytes | None = field(default=None, repr=False)

    def __call__(self, tables: Tables) -> "SampledRows":
        plan = None if self.plan is None else Plan.from_bytes(self.plan, self.secret)
        found = []
        for table, own in self.target.of(tables):
            hashes = cell_hashes(table) if plan is None else row_hashes(plan.product.read(table))
            found.append(SampledRows.of(table, own, hashes, self.bound))
        return SampledRows.joined(found)


@dataclass(frozen=True)
class Count:
    """The tally of a partition."""

    target: Target
    plan: bytes
    secret: bytes | None = field(default=None, repr=False)

    def __call__(self, tables: Tables) -> bytes:
        plan = Plan.from_bytes(self.plan, self.secret)
        counting = Counting(plan.product, plan.ledger)
        for table, own in self.target.of(tables):
            counting.add(Batch(plan.product.read(table), own))
        return counting.tally().to_bytes()


@dataclass(frozen=True)
class Add:
    """Tallies of one plan, added up."""

    plan: bytes

    def __call__(self, tallies: Iterator[bytes]) -> bytes:
        plan = Plan.from_bytes(self.plan)
        given = (Tally.from_bytes(each, plan) for each in tallies)
        return reduce(Tally.__add__, given, Tally.zero(plan.product, plan.ledger)).to_bytes()


@dataclass(frozen=True)
class CountCopies:
    """How often the texts of a sample occur in a partition, by the place of their factor."""

    target: Target
    plan: bytes
    classes: Classes
    texts: dict[int, NDArray[np.uint64]]

    def __call__(self, tables: Tables) -> dict[int, Copies]:
        plan = Plan.from_bytes(self.plan)
        none = np.zeros(0, dtype=np.uint64), (np.zeros(1, dtype=np.uint32), _NO_CLASSES)
        found = {place: Copies.of(*none, texts) for place, texts in self.texts.items()}
        for table, own in self.target.of(tables):
            sets = encoded(self.classes, own).sets
            parts = plan.product.read(table)
            for place, texts in self.texts.items():
                found[place] += Copies.of(row_hashes([parts[place]]), sets, texts)
        return found


@dataclass(frozen=True, eq=False)
class RefuseRows:
    """Refuses the first row of a partition that has one of these hashes."""

    target: Target
    plan: bytes
    strangers: NDArray[np.uint64]
    secret: bytes | None = field(default=None, repr=False)

    def __call__(self, tables: Tables) -> None:
        plan = Plan.from_bytes(self.plan, self.secret)
        for table, own in self.target.of(tables):
            hashes = plan.ledger.hashes(Batch(plan.product.read(table), own))
            assert hashes is not None
            is_strange = np.isin(hashes, self.strangers)
            if is_strange.any():
                row = table.number(int(is_strange.argmax()))
                raise NotLearnedError(
                    f"row {row} was never learned under this label, or is given more often than "
                    "it was"
                )


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Distinct rows with their labels, sorted by hashes, and how often each occurs."""

    columns: dict[str, list[Any]]
    labels: list[Any]
    hashes: NDArray[np.uint64]
    label_hashes: NDArray[np.uint64]
    times: NDArray[np.intp]
    is_multilabel: bool
    n_rows: int
    """Of how many rows they are a sample."""

    @classmethod
    def none(cls) -> "SampledRows":
        hashes = np.zeros(0, dtype=np.uint64)
        return cls({}, [], hashes, hashes, np.zeros(0, dtype=np.intp), False, 0)

    @classmethod
    def of(cls, table: Table, own: Any, hashes: NDArray[np.uint64], bound: int) -> "SampledRows":
        """The rows whose hashes are at most this."""
        small = np.flatnonzero(hashes <= np.uint64(bound))
        spelled, of_row = own.spelled
        of_label = np.array([_kernel.chain(0, one, None) for one in spelled], dtype=np.uint64)
        return cls(
            {name: plain_list(cells) for name, cells in table.at(small).columns.items()},
            own.at(small).lists,
            hashes[small],
            of_label[of_row][small],
            np.ones(len(small), dtype=np.intp),
            isinstance(own, LabelSets),
            len(table),
        )

    @classmethod
    def joined(cls, parts: Sequence["SampledRows"]) -> "SampledRows":
        """The rows of all parts, each once."""
        parts = [part for part in parts if part.n_rows]
        if not parts:
            return cls.none()
        if len({tuple(part.columns) for part in parts}) > 1:
            raise DataError("the partitions have different columns")
        if len({part.is_multilabel for part in parts}) > 1:
            raise DataError(OF_BOTH_KINDS)
        hashes = np.concatenate([part.hashes for part in parts])
        of_label = np.concatenate([part.label_hashes for part in parts])
        order = np.lexsort((of_label, hashes))
        hashes, of_label = hashes[order], of_label[order]
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = (hashes[1:] != hashes[:-1]) | (of_label[1:] != of_label[:-1])
        first = np.flatnonzero(is_new)
        times = np.concatenate([part.times for part in parts])[order]
        rows = order[first].tolist()

        def chosen(lists: Iterable[list[Any]]) -> list[Any]:
            every = list(chain.from_iterable(lists))
            return [every[row] for row in rows]

        return cls(
            {name: chosen(part.columns[name] for part in parts) for name in parts[0].columns},
            chosen(part.labels for part in parts),
            hashes[first],
            of_label[first],
            np.add.reduceat(times, first) if len(first) else times,
            parts[0].is_multilabel,
            sum(part.n_rows for part in parts),
        )

    def labeled(self, target: Target, most: int | None = None) -> Labeled:
        """The rows as often as they occur; not many more than the `most` with the least hashes."""
        last = len(self.times)
        if most is not None:
            last = min(last, int(np.searchsorted(np.cumsum(self.times), most)) + 1)
        rows = np.repeat(np.arange(last), self.times[:last])[:most]
        table = Table(self.columns, len(self.labels), named=True).at(rows)
        table.total = self.n_rows
        given = [self.labels[row] for row in rows.tolist()]
        found = LabelSets.of(members(given)) if self.is_multilabel else labels(given)
        like = target.known or target.like
        return Labeled(table.names, target.name, (table, found), target.separator, like)


# What runs here


def fit(
    spec: Spec,
    parts: Partitions,
    y: str | None = None,
    *,
    asks_for_ledger: bool = False,
    threads: int = 1,
) -> Fitted:
    """The model of all rows, as `learning.fit` makes it; `y` names the column of the labels."""
    y = spec.target if y is None else y
    target = Target(*target_in(parts.columns, y), spec.separator, spec.classes)
    n_rows = parts.count()
    if not n_rows:
        raise DataError.of("no-rows")
    if n_rows > MOST_IN_LEDGER and spec.ledger.name != "none" and not asks_for_ledger:
        raise OptionError(
            f"a ledger has eight bytes for each row, {8 * n_rows / 1e9:.1f} GB for {n_rows:,} rows"
            "\nhint: `ledger=False` keeps none, and any rows can be forgotten then; "
            "`ledger=True` keeps one all the same"
        )
    plan = _settled(spec, parts, target, n_rows)
    tally = _observed(plan, parts, target)
    if tally.n_rows != n_rows:
        raise DataError(
            f"the table had {n_rows:,} rows when they were counted first, and {tally.n_rows:,} the "
            "second time\nhint: a table that is not the same each time has to be stored first"
        )
    plain = Fitted.of(spec, plan, tally)
    check_classes(plain)
    if spec.tunes:
        return _tuned(plain, parts, target, threads)
    if spec.criterion is None and plain.target.chosen_for is None:
        return plain
    return with_chosen_thresholds(plain, _all_rows(plain, parts, target), threads)


def retuned(fitted: Fitted, parts: Partitions, y: str | None, threads: int = 1) -> Fitted:
    """The model tuned on all rows that it has learned, as `learning.retuned` does it."""
    target = _target_of(fitted, parts, y)
    what = "it is tuned on all of them"
    again, learned = _observed(fitted.plan, parts, target), fitted.tally
    if again.n_rows != learned.n_rows:
        raise DataError.of("not-all-rows", learned=learned.n_rows, given=again.n_rows, what=what)
    if again.fingerprint != learned.fingerprint:
        raise DataError.of("rows-repeated", what=what)
    return _tuned(fitted, parts, target, threads)


def updated(fitted: Fitted, parts: Partitions, y: str | None) -> Fitted:
    """The model with these rows added."""
    more = _observed(fitted.plan, parts, _target_of(fitted, parts, y))
    return fitted.with_tally(fitted.tally + more)


def forgotten(fitted: Fitted, parts: Partitions, y: str | None) -> tuple[Fitted, Receipt]:
    """The model without these rows, and the receipt."""
    target, plan = _target_of(fitted, parts, y), fitted.plan
    fewer = _observed(plan, parts, target)
    strangers = _strangers(fitted.tally, fewer)
    if len(strangers):
        refuse = RefuseRows(target, plan.to_bytes(), strangers[:_NAMED], plan.ledger.secret)
        parts.map([*plan.columns, *target.columns], refuse)
    return without(fitted, fewer)


def _strangers(learned: Tally, given: Tally) -> NDArray[np.uint64]:
    """The hashes of rows that are given more often than they were learned, if a ledger tells."""
    if learned.learned is None or given.learned is None:
        return np.zeros(0, dtype=np.uint64)
    hashes, times = np.unique(given.learned, return_counts=True)
    first, last = (learned.learned.searchsorted(hashes, side) for side in ("left", "right"))
    return hashes[times > last - first]


def check_columns(fitted: Fitted, columns: Sequence[str]) -> None:
    """Refuse a table without a column that the model reads."""
    for name in fitted.columns:
        if name not in columns:
            known = nearest(name, columns)
            raise DataError(f"the table has no column `{name}`, which the model reads; {known}")


def target_in(columns: Sequence[str], given: str | None) -> tuple[str, tuple[str, ...]]:
    """The target in these columns, and its column or its indicator columns."""
    name = find_target(columns, given, "the table has")
    return name, (name,) if name in columns else tuple(name.split(","))


def _target_of(fitted: Fitted, parts: Partitions, y: str | None) -> Target:
    fitted.check_learns()
    if fitted.reweighing is not None:
        raise OptionError("a model with group weights learns and forgets rows on one machine")
    check_columns(fitted, parts.columns)
    y = fitted.plan.target if y is None else y
    found = target_in(parts.columns, y)
    return Target(*found, fitted.plan.separator, fitted.spec.classes, fitted.labels)


def _settled(spec: Spec, parts: Partitions, target: Target, n_rows: int) -> Plan:
    """The plan for these rows, by the same sample as on one machine."""
    names = tuple(name for name in parts.columns if name not in target.columns)
    if not names:
        raise DataError.of("no-feature-column", file="the table")
    if spec.plan is not None:
        nothing = Table({name: [] for name in names}, 0, named=True), labels([])
        return spec.settled(Labeled(names, target.name, nothing))

    def sample(bound: int) -> SampledRows:
        found = parts.map([*names, *target.columns], Sample(target, bound))
        return SampledRows.joined(found)

    found = _smallest(sample, SAMPLE, n_rows)
    return spec.settled(found.labeled(target, SAMPLE))


def _smallest(sample: Callable[[int], SampledRows], rows: int, n_rows: int) -> SampledRows:
    """At least so many rows with the smallest hashes, or all."""
    share = 1.0
    if n_rows > rows:
        share = (rows + _SPREAD * rows**0.5) / n_rows
    while True:
        found = sample(_EVERY_HASH if share >= 1 else int(share * _EVERY_HASH))
        if share >= 1 or found.times.sum() >= rows:
            return found
        share *= 2


def _observed(plan: Plan, parts: Partitions, target: Target) -> Tally:
    spelled = plan.to_bytes()
    columns = [*plan.columns, *target.columns]
    count = Count(target, spelled, plan.ledger.secret)
    return Tally.from_bytes(parts.total(columns, count, Add(spelled)), plan)


def _tuned(fitted: Fitted, parts: Partitions, target: Target, threads: int) -> Fitted:
    """The model tuned on its rows: on all, or on those that tuning looks at."""
    plain = fitted.untuned()
    product, classes = plain.product, plain.classes
    n_rows, wanted = plain.tally.n_rows, sample_size(product, classes)
    if n_rows <= wanted:
        return tuned(fitted, _all_rows(plain, parts, target), threads)
    if plain.spec.stack_linear:
        raise _too_many(n_rows, wanted, "the stacked linear model is formed of")
    if plain.spec.decision is not None and plain.target.criterion is not None:
        raise _too_many(n_rows, wanted, "the threshold of a class is chosen on")
    at_least = wanted
    while True:
        found = _smallest(partial(_rows_below, plain, parts, target), at_least, n_rows)
        rows = found.labeled(target)
        known = _training_rows(plain, parts, target, rows)
        # Rows whose class has no others are not tuned on, so more are needed if there are many.
        if known.scored.sum() >= wanted or len(known.scored) == n_rows:
            return tuned_on_sample(plain, rows, known, threads)
        at_least *= 2


def _training_rows(plain: Fitted, parts: Partitions, target: Target, rows: Labeled) -> TrainingRows:
    """A sample of the rows, and how often their texts occur among all of them."""
    product, classes, batches = plain.product, plain.classes, list(plain.batches(rows))
    texts = {
        place: np.unique(np.concatenate([row_hashes([batch.parts[place]]) for batch in batches]))
        for place in product.places_of_views
    }
    copies: dict[int, Copies] = {}
    if texts:
        task = CountCopies(target, plain.plan.to_bytes(), classes, texts)
        counted = parts.map([*plain.plan.columns, *target.columns], task)
        copies = {
            place: reduce(Copies.__add__, [part[place] for part in counted]) for place in texts
        }
    return TrainingRows.of(product, classes, lambda: iter(batches), copies)


def _all_rows(plain: Fitted, parts: Partitions, target: Target) -> Labeled:
    n_rows, most = plain.tally.n_rows, sample_size(plain.product, plain.classes)
    if n_rows > most:
        raise _too_many(n_rows, most, "thresholds are chosen on")
    return _rows_below(plain, parts, target, _EVERY_HASH).labeled(target)


def _rows_below(plain: Fitted, parts: Partitions, target: Target, bound: int) -> SampledRows:
    """The rows whose hashes are at most this, with the columns that the model reads."""
    task = Sample(target, bound, plain.plan.to_bytes())
    return SampledRows.joined(parts.map([*plain.columns, *target.columns], task))


def _too_many(n_rows: int, most: int, what: str) -> OptionError:
    return OptionError(
        f"{what} all rows on one machine, which takes at most {most:,} here, and there are "
        f"{n_rows:,}"
    )
