"""Any likelihood of cells for multi-label rows: each label against all rows without it.

    score_l(x) = log P(x | l) − log P(x | not l)

All rows are counted beside those of each label, so the rows without it are a difference.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likely.data.duplicates import ExactDuplicates
from likely.data.label_sets import EVERY_ROW, LabelSets, RowLabels, lengths_of
from likely.data.table import Table
from likely.errors import ModelError
from likely.likelihoods.base import (
    AnyLikelihood,
    Columns,
    Component,
    Judge,
    Likelihood,
    Rows,
    Scores,
    TopFeature,
    Unseen,
)
from likely.likelihoods.contribution import Contribution
from likely.tally import NO_SLOT, Arrays, Classes

Weights = tuple[Any, ...]
"""The estimates of each label and the rest."""


@dataclass(frozen=True, eq=False)
class _Pair:
    """One label and the rest, as two classes."""

    statistic: Any
    classes: Classes


class OneVsRest(Likelihood[Any, Any, Weights]):
    """A likelihood of single-label rows, used once for each label. It counts what that one does."""

    def __init__(self, likelihood: AnyLikelihood):
        self.likelihood = likelihood

    @property
    def name(self) -> str:
        return self.likelihood.name

    @property
    def is_naive(self) -> bool:
        return self.likelihood.is_naive

    @property
    def is_joint(self) -> bool:
        return False

    @property
    def takes_multilabel(self) -> bool:
        return True

    def components(self) -> list[Component]:
        return [
            one._replace(likelihood=OneVsRest(one.likelihood))
            for one in self.likelihood.components()
            if one.likelihood is not None
        ]

    def silent(self, columns: Columns) -> tuple[str, ...]:
        return self.likelihood.silent(columns)

    # Counting

    @property
    def schema(self) -> dict[str, Any]:
        return self.likelihood.schema

    def read(self, table: Table, columns: Columns) -> Any:
        return self.likelihood.read(table, columns)

    def observe(self, part: Any, labels: RowLabels, threads: int) -> Any:
        return self.likelihood.observe(part, labels, threads)

    def zero(self, columns: Columns, classes: int) -> Any:
        return self.likelihood.zero(columns, classes)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> Any:
        return self.likelihood.from_arrays(arrays, rows, is_multilabel, columns)

    # Estimating and scoring

    def _pairs(self, statistic: Any, classes: Classes) -> Iterator[_Pair]:
        assert classes.every is not None
        every, n = classes.every

        def only(slot: int, number: int) -> Any:
            """The rows of one slot, under another number."""
            numbers = np.full(every + 1, NO_SLOT, dtype=np.uint32)
            numbers[slot] = number
            return statistic.reclassed(numbers, seen)

        for label, slot, own in zip(classes.labels, classes.slots, classes.rows, strict=True):
            has = [int(own) > 0, int(own) < n]
            seen = sum(has)
            slots = np.array([0 if has[0] else NO_SLOT, seen - 1 if has[1] else NO_SLOT])
            # Where all rows have the label, or none has, there is one class.
            found = only(int(slot), 0) if has[0] else None
            if has[1]:
                rest = only(every, seen - 1)
                rest = rest.minus(only(int(slot), seen - 1)) if has[0] else rest
                found = rest if found is None else found.plus(rest)
            rows = np.array([own, n - own], dtype=np.uint64)
            yield _Pair(found, Classes((label, f"not {label}"), slots.astype(np.uint32), rows))

    def estimate(self, statistic: Any, classes: Classes, columns: Columns) -> Weights:
        return tuple(
            self.likelihood.estimate(pair.statistic, pair.classes, columns)
            for pair in self._pairs(statistic, classes)
        )

    def score(self, weights: Weights, part: Any, threads: int) -> Scores:
        scores = [self.likelihood.score(one, part, threads) for one in weights]
        return np.stack([_against(each) for each in scores], axis=1)

    def leave_one_out(
        self,
        statistic: Any,
        classes: Classes,
        columns: Columns,
        part: Any,
        truth: NDArray[np.uint32],
        threads: int,
        duplicates: ExactDuplicates | None = None,
    ) -> Scores:
        found = [
            self.likelihood.leave_one_out(pair.statistic, pair.classes, columns, part, own, threads)
            for pair, own in self._pairs_of_rows(statistic, classes, duplicates)
        ]
        return np.stack([_against(each) for each in found], axis=1)

    def _pairs_of_rows(
        self, statistic: Any, classes: Classes, duplicates: ExactDuplicates | None
    ) -> Iterator[tuple[_Pair, NDArray[np.uint32]]]:
        """Each pair, and on which side of it rows are that were counted."""
        assert duplicates is not None
        starts, slots, _ = duplicates.arrays
        has = np.zeros((len(duplicates), len(classes) + 1), dtype=np.bool_)
        has[np.repeat(np.arange(len(has)), lengths_of((starts, slots))), slots] = True
        for pair, own in zip(self._pairs(statistic, classes), has.T[:-1], strict=True):
            yield pair, np.where(own, 0, 1).astype(np.uint32)

    # Tuning

    def chosen(
        self,
        statistic: Any,
        classes: Classes,
        columns: Columns,
        part: Any,
        truth: NDArray[np.uint32],
        judge: Judge,
        threads: int,
        duplicates: ExactDuplicates | None = None,
        **beside: Any,
    ) -> "OneVsRest":
        """Nothing is tried out, since labels are many: the first candidate is taken."""
        pair, own = next(self._pairs_of_rows(statistic, classes, duplicates))
        found = self.likelihood.chosen(
            pair.statistic, pair.classes, columns, part, own, lambda scores: 0.0, threads
        )
        return OneVsRest(found)

    @property
    def plain_terms(self) -> tuple[bool, ...]:
        return self.likelihood.plain_terms

    def n_terms(self, columns: Columns) -> int:
        return self.likelihood.n_terms(columns)

    def terms_left_out(
        self,
        statistic: Any,
        classes: Classes,
        columns: Columns,
        part: Any,
        truth: NDArray[np.uint32],
        threads: int,
        duplicates: ExactDuplicates | None = None,
        **beside: Any,
    ) -> list[Scores]:
        found = [
            self.likelihood.terms_left_out(
                pair.statistic, pair.classes, columns, part, own, threads
            )
            for pair, own in self._pairs_of_rows(statistic, classes, duplicates)
        ]
        return [
            np.stack([_against(each) for each in of_term], axis=1)
            for of_term in zip(*found, strict=True)
        ]

    def weighted(self, weights: Sequence[float]) -> tuple[AnyLikelihood, float | None]:
        found, weight = self.likelihood.weighted(weights)
        return OneVsRest(found), weight

    def tuned_as(self, other: AnyLikelihood) -> AnyLikelihood:
        assert isinstance(other, OneVsRest)
        return OneVsRest(self.likelihood.tuned_as(other.likelihood))

    def tuned_to_json(self) -> dict[str, Any]:
        return self.likelihood.tuned_to_json()

    def tuned_from_json(self, stored: dict[str, Any], columns: Columns) -> AnyLikelihood:
        return OneVsRest(self.likelihood.tuned_from_json(stored, columns))

    # Inspection

    def contributions(self, weights: Weights, part: Any) -> list[Contribution]:
        """Those of each label; bins are named as the first label has them."""
        of_labels = [self.likelihood.contributions(one, part) for one in weights]
        return [
            replace(one[0], scores=np.array([_against(each.scores[None])[0] for each in one]))
            for one in zip(*of_labels, strict=True)
        ]

    def contributions_left_out(
        self,
        statistic: Any,
        classes: Classes,
        columns: Columns,
        rows: Rows[Any],
        duplicates: ExactDuplicates | None,
    ) -> list[list[Contribution]]:
        assert classes.every is not None
        every, n = classes.every
        slot = {**dict(zip(classes.labels, classes.slots, strict=True)), EVERY_ROW: every}
        found = []
        for part, labels in rows.each:
            assert isinstance(labels, LabelSets)
            _, places = classes.sets(labels)
            gone = np.bincount(places, minlength=len(classes) + 1).astype(np.uint64)
            numbers = np.array([slot[label] for label in labels.values], dtype=np.uint32)
            fewer = self.observe(part, labels, 1).reclassed(numbers, every + 1)
            left = replace(classes, rows=classes.rows - gone[:-1], every=(every, n - 1))
            weights = self.estimate(statistic.minus(fewer), left, columns)
            found.append(self.contributions(weights, part))
        return found

    def unseen(self, weights: Weights, part: Any, threads: int) -> dict[str, Unseen]:
        return self.likelihood.unseen(weights[0], part, threads) if weights else {}

    def parameters(self, statistic: Any, n_classes: int) -> tuple[int, int]:
        return self.likelihood.parameters(statistic, n_classes)

    def strongest(
        self, statistic: Any, classes: Classes, columns: Columns, n: int
    ) -> list[list[TopFeature]]:
        return [
            self.likelihood.strongest(pair.statistic, pair.classes, columns, n)[0]
            for pair in self._pairs(statistic, classes)
        ]

    # Storage and repr

    @property
    def settings(self) -> dict[str, Any]:
        return self.likelihood.settings

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        raise ModelError("a model file holds the likelihood that labels are compared by")

    def __repr__(self) -> str:
        return repr(self.likelihood)


def _against(scores: Scores) -> NDArray[np.float64]:
    """The first of two classes against the other; nothing where both are impossible."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(scores[:, 0] - scores[:, 1], nan=0.0, posinf=np.inf, neginf=-np.inf)
