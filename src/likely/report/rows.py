"""Labeled rows, read batch by batch, and the examples that a report shows."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.classifier import Classifier
from likely.data.labeled import Labeled
from likely.data.labels import Label, plain_list
from likely.data.table import Table, row_hashes
from likely.errors import DataError
from likely.evaluation.label_issues import rows_at
from likely.evaluation.model_predictions import check_kind
from likely.explain.highlight import spoken
from likely.explain.unseen_values import UnseenValues
from likely.likelihoods.contribution import BESIDE_THE_ROW, Contribution
from likely.model.leave_one_out import find_duplicates
from likely.report.facts import DuplicateGroup, Duplicates, Pieces, RowLabels

_SHOWN_DUPLICATES = 8
# Characters of a cell that are shown.
_CELL = 700

Codes = NDArray[np.intp]
Cells = dict[str, Any]


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """Labeled rows in batches, and what is known of each before it is predicted."""

    model: Classifier
    source: Labeled
    labels: list[RowLabels]
    hashes: NDArray[np.uint64]
    """Of all that the model reads; rows of equal hash are duplicates."""
    learned: NDArray[np.bool_]
    unseen_columns: str | None
    """Columns of which no value was ever seen in training, in a sentence, if there are any."""

    @classmethod
    def of(cls, model: Classifier, source: Labeled) -> "LabeledRows":
        check_kind(model, source)
        labels: list[RowLabels] = []
        hashes, learned = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=bool)]
        unseen = UnseenValues()
        for table, own in _batches(model, source):
            labels.extend(own)
            unseen.look(model, table)
            hashes.append(_hashed(model, table))
            learned.append(model.was_learned(table, own))
        if not labels:
            raise DataError("there are no rows to report on")
        known = np.concatenate(hashes), np.concatenate(learned)
        return cls(model, source, labels, *known, unseen.sentence)

    @property
    def are_learned(self) -> bool:
        return bool(self.learned.all())

    def __len__(self) -> int:
        return len(self.labels)

    def batches(self) -> Iterator[tuple[Table, list[RowLabels]]]:
        return _batches(self.model, self.source)

    def tables(self) -> Iterator[Table]:
        return (table for table, _ in self.batches())

    def sample(self, most: int) -> "Sample":
        """About so many rows, those of the smallest hashes."""
        places = np.arange(len(self))
        if len(self) > most:
            places = np.sort(np.argsort(self.hashes, kind="stable")[:most])
        cells: dict[str, list[Any]] = {name: [] for name in self.model.columns}
        before = 0
        for table in self.tables():
            here = places[(places >= before) & (places < before + len(table))] - before
            for name, column in table.at(here).columns.items():
                cells[name].extend(plain_list(column))
            before += len(table)
        return Sample(places, self.hashes[places], cells, [self.labels[at] for at in places])

    def explained(
        self, places: Iterable[int], left_out: NDArray[np.float64] | None
    ) -> "dict[int, ExplainedRow]":
        """Some rows with their explanations.

        Under leave-one-out, `left_out` has its probabilities, and each row is explained by the
        model without it.
        """
        cells = rows_at(self.tables(), places)
        if left_out is None or not cells:
            why = [self.model.explain(row) for _, row in cells.values()]
        else:
            shown = np.array(list(cells))
            duplicates = find_duplicates(self.model.fitted, self.source)
            why = self.model.explain_left_out(
                {name: [row[name] for _, row in cells.values()] for name in self.model.columns},
                [self.labels[place] for place in cells],
                {place: each.take(shown) for place, each in duplicates.items()},
                left_out[shown],
            )
        return {
            place: ExplainedRow(self.model, number, row, found, left_out is not None)
            for (place, (number, row)), found in zip(cells.items(), why, strict=True)
        }

    def find_duplicates(self) -> Duplicates:
        """Exact duplicates; those with conflicting labels come first."""
        _, first, group, sizes = np.unique(
            self.hashes, return_index=True, return_inverse=True, return_counts=True
        )
        repeated = np.flatnonzero(sizes > 1)
        labels: dict[int, Counter[RowLabels]] = {int(one): Counter() for one in repeated}
        for place in np.flatnonzero(sizes[group] > 1).tolist():
            labels[int(group[place])][self.labels[place]] += 1
        conflicting = [one for one in labels if len(labels[one]) > 1]
        ranked = sorted(labels, key=lambda one: (len(labels[one]) < 2, -sizes[one], first[one]))
        shown = {int(first[one]): one for one in ranked[:_SHOWN_DUPLICATES]}
        cells = rows_at(self.tables(), shown)
        examples = tuple(
            DuplicateGroup(tuple(labels[one].most_common()), _spelled(cells[place][1]))
            for place, one in shown.items()
        )
        return Duplicates(
            int((sizes[repeated] - 1).sum()), len(repeated), len(conflicting), examples
        )


@dataclass(frozen=True, eq=False)
class Sample:
    """Some of the rows, in memory."""

    places: Codes
    hashes: NDArray[np.uint64]
    cells: dict[str, list[Any]]
    labels: list[RowLabels]

    def take(self, which: NDArray[np.bool_]) -> "Sample":
        kept = np.flatnonzero(which).tolist()
        return Sample(
            self.places[kept],
            self.hashes[kept],
            {name: [column[at] for at in kept] for name, column in self.cells.items()},
            [self.labels[at] for at in kept],
        )

    def known(self, model: Classifier) -> "Sample":
        """Those with labels that the model knows."""
        classes = set(model.classes)
        known = [classes.issuperset(labels_of(own)) for own in self.labels]
        return self.take(np.array(known, dtype=bool))


@dataclass(frozen=True, eq=False)
class ExplainedRow:
    """A row, its number in messages, and its explanation."""

    model: Classifier
    number: int
    cells: Cells
    why: Any
    is_left_out: bool
    """Whether it is explained by the model without it."""

    def is_unknown(self, label: Label) -> bool:
        """Whether the model that explains the row knows no row of a label."""
        if label not in self.why.classes:
            return True
        place = self.why.classes.index(label)
        return any(
            np.isneginf(t.scores[place]) for t in self.why.contributions if t.kind == "prior"
        )

    def pieces(self, odds: Callable[[NDArray[np.float64]], float]) -> Pieces:
        """The cells, texts word by word, each with its contribution: the `odds` of its scores."""
        contributions = [
            (one, odds(one.scores))
            for one in self.why.contributions
            if one.kind not in BESIDE_THE_ROW
        ]
        by_column = _said_by(self.cells, contributions)
        pieces: list[tuple[str, float]] = []
        for name, cell in self.cells.items():
            if cell in (None, ""):
                continue
            if len(self.cells) > 1:
                pieces.append((f"{' · ' if pieces else ''}{name}: ", 0.0))
            if name in self.model.text_columns:
                pieces += spoken(_cut(cell), contributions)
            else:
                pieces.append((_cut(cell), by_column[name]))
        return tuple(pieces)


def labels_of(answer: RowLabels) -> tuple[Label, ...]:
    """The labels of a row, be it one or many."""
    return answer if isinstance(answer, tuple) else (answer,)


def varied(
    ranked: Iterable[tuple[int, Any]], hashes: NDArray[np.uint64], per_group: int, most: int
) -> list[tuple[int, Any]]:
    """The first of some places, each with its group: duplicates once, and not many of a group."""
    chosen: list[tuple[int, Any]] = []
    taken: Counter[Any] = Counter()
    seen: set[int] = set()
    for place, group in ranked:
        if len(chosen) == most:
            break
        if taken[group] < per_group and int(hashes[place]) not in seen:
            taken[group] += 1
            seen.add(int(hashes[place]))
            chosen.append((place, group))
    return chosen


def _batches(model: Classifier, source: Labeled) -> Iterator[tuple[Table, list[RowLabels]]]:
    for table, labels in source.batches(model.columns):
        own = labels.lists
        answers = [tuple(row) for row in own] if model.is_multilabel else own
        yield table.only(model.columns).reading(model.missing), answers


def _hashed(model: Classifier, table: Table) -> NDArray[np.uint64]:
    return row_hashes(
        table.texts((name,), replace_invalid=True)
        if name in model.text_columns
        else table.categories((name,))
        for name in model.columns
    )


def _said_by(
    columns: Iterable[str], contributions: list[tuple[Contribution, float]]
) -> dict[str, float]:
    """The contribution of each column: its part of every contribution that reads it."""
    shares = dict.fromkeys(columns, 0.0)
    for contribution, value in contributions:
        for column in contribution.columns:
            if column in shares:
                shares[column] += value / len(contribution.columns)
    return shares


def _spelled(row: Cells) -> str:
    cells = [
        (name, " ".join(str(cell)[:_CELL].split()))
        for name, cell in row.items()
        if cell is not None
    ]
    return " · ".join(f"{name}: {cell}" if len(row) > 1 else cell for name, cell in cells)


def _cut(cell: Any) -> str:
    shown = str(cell)
    return shown if len(shown) <= _CELL else f"{shown[:_CELL]}…"
