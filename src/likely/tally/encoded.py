"""Labels of learned rows, encoded for fitting weights: single-label or multi-label."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.duplicates import Copies, ExactDuplicates, gathered
from likely.data.label_sets import LabelSets, RowLabels, Sets, lengths_of
from likely.tally import Classes

Scores = NDArray[np.float64]
Begin = tuple[list[float], list[float]]


class Fit(NamedTuple):
    """Weights and a bias for each class that make the labels of rows most probable."""

    weights: list[float]
    bias: list[float]
    log_likelihood: float
    """The mean log-probability of the labels of a row."""
    evidence: float
    """The log-probability of all labels, with weights and biases integrated out."""


@dataclass(frozen=True, eq=False)
class EncodedLabels:
    """Rows that have one class each."""

    places: NDArray[np.uint32]
    """The position of the class of each row."""

    def __len__(self) -> int:
        return len(self.places)

    @property
    def sets(self) -> Sets:
        """Where the classes of each row begin, and the classes."""
        return np.arange(len(self) + 1, dtype=np.uint32), self.places

    @property
    def strata(self) -> NDArray[np.uint32]:
        """The class by which folds are stratified."""
        return self.places

    @property
    def ranks(self) -> NDArray[Any]:
        """Equal for rows that are of the same class, and in the same order in any order of rows."""
        return self.places

    def take(self, rows: NDArray[Any]) -> "EncodedLabels":
        return EncodedLabels(np.ascontiguousarray(self.places[rows]))

    def duplicates(
        self, hashes: NDArray[np.uint64], copies: Copies | None = None
    ) -> ExactDuplicates:
        """The exact duplicates among texts, by their hashes, or those that are known."""
        return ExactDuplicates.of(hashes, self.places, copies)

    def fit_weights(
        self,
        scores: Sequence[Scores],
        log_prior: Scores,
        start: Sequence[float],
        has_bias: bool,
        threads: int,
        begin: Begin | None = None,
    ) -> Fit:
        """The weights that make the classes most probable; `log_prior` is the prior.

        The search may `begin` with the result of fewer rows: it ends at the same optimum, but
        sooner.
        """
        return Fit(
            *_kernel.fit_weights(scores, self.places, log_prior, start, has_bias, threads, begin)
        )

    def log_likelihood(self, log_prior: Scores) -> float:
        """The log-probability of all labels by the prior alone."""
        return float(np.bincount(self.places, minlength=len(log_prior)) @ log_prior)


@dataclass(frozen=True, eq=False)
class EncodedLabelSets:
    """Multi-label rows: positions of their labels, and after these that of all rows."""

    sets: Sets
    labels: int

    def __len__(self) -> int:
        return len(self.sets[0]) - 1

    @property
    def places(self) -> NDArray[np.uint32]:
        """The position of all rows, once for each row."""
        return np.full(len(self), self.labels, dtype=np.uint32)

    @property
    def strata(self) -> NDArray[np.uint32]:
        """The rarest label of each row, by which folds are stratified; or that it has none."""
        slots = self.sets[1]
        rarity = np.bincount(slots, minlength=self.labels + 1)
        order = np.lexsort((slots, rarity[slots], self._owners))
        return np.asarray(slots[order[self.sets[0][:-1]]])

    @property
    def ranks(self) -> NDArray[Any]:
        """Equal for rows that have the same labels, and in the same order in any order of rows."""
        starts, slots = self.sets
        spelled = [slots[a:b].tobytes() for a, b in itertools.pairwise(starts.tolist())]
        return np.unique(np.array(spelled, dtype=object), return_inverse=True)[1]

    @property
    def _owners(self) -> NDArray[np.intp]:
        """The row of each slot."""
        return np.repeat(np.arange(len(self)), lengths_of(self.sets))

    @property
    def matrix(self) -> NDArray[np.bool_]:
        """Whether each row has each label."""
        found = np.zeros((len(self), self.labels + 1), dtype=np.bool_)
        found[self._owners, self.sets[1]] = True
        return np.ascontiguousarray(found[:, :-1])

    def take(self, rows: NDArray[Any]) -> "EncodedLabelSets":
        starts, slots = self.sets
        begin, places = gathered(starts[:-1][rows], lengths_of(self.sets)[rows])
        return EncodedLabelSets((begin, slots[places]), self.labels)

    def duplicates(
        self, hashes: NDArray[np.uint64], copies: Copies | None = None
    ) -> ExactDuplicates:
        """Of every text, by its hash, how often it has each label."""
        return ExactDuplicates.of_sets(hashes, self.sets, copies)

    def leaving(
        self, duplicates: Mapping[int, ExactDuplicates], columns: int
    ) -> dict[int, ExactDuplicates]:
        """What is left out with a row, for each column: its known duplicates, or itself."""
        alone = self.duplicates(np.arange(len(self), dtype=np.uint64))
        return {place: duplicates.get(place, alone) for place in range(columns)}

    def fit_weights(
        self,
        scores: Sequence[Scores],
        log_prior: Scores,
        start: Sequence[float],
        has_bias: bool,
        threads: int,
        begin: Begin | None = None,
    ) -> Fit:
        """The weights that make the labels most probable; `log_prior` are the log-odds of each."""
        return Fit(
            *_kernel.fit_label_weights(
                scores, self.matrix, log_prior, start, has_bias, threads, begin
            )
        )

    def log_likelihood(self, log_prior: Scores) -> float:
        """The log-probability of all labels by the prior alone, which are log-odds."""
        has = self.matrix.sum(axis=0)
        return float(has @ log_prior - len(self) * np.logaddexp(0.0, log_prior).sum())


Encoded = EncodedLabels | EncodedLabelSets


def encoded(classes: Classes, labels: RowLabels) -> Encoded:
    """The labels of some rows, by their places among the classes."""
    if isinstance(labels, LabelSets):
        return EncodedLabelSets(classes.sets(labels), len(classes))
    return EncodedLabels(classes.places(labels))


def joined(parts: Sequence[Encoded]) -> Encoded:
    """Rows after rows."""
    is_multilabel = [part for part in parts if isinstance(part, EncodedLabelSets)]
    if not is_multilabel:
        return EncodedLabels(np.concatenate([part.places for part in parts]))
    starts = [np.zeros(1, dtype=np.uint32)]
    for part in is_multilabel:
        starts.append(part.sets[0][1:] + starts[-1][-1])
    slots = np.concatenate([part.sets[1] for part in is_multilabel])
    return EncodedLabelSets((np.concatenate(starts), slots), is_multilabel[0].labels)
