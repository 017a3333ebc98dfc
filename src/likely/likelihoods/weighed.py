"""A likelihood that is trusted more or less than its word."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likely.errors import OptionError
from likely.evidence import Term
from likely.inputs import Part, Table
from likely.label_sets import RowLabels
from likely.likelihoods.base import Columns, Likelihood, Scores, Speaks, Unseen, amount
from likely.tally import Arrays, Classes, Counter, Statistic


class Weighed(Likelihood):
    """Another likelihood with an exponent: its scores, `weight` times over."""

    name = "weighed"
    takes_prior = True
    is_naive = False

    def __init__(self, likelihood: Likelihood, weight: float):
        if not isinstance(likelihood, Likelihood) or isinstance(likelihood, Weighed):
            raise OptionError(f"a likelihood is weighed, not {likelihood!r}")
        self.likelihood = likelihood
        self.weight = amount("weight", weight)
        self.is_beside = likelihood.is_beside

    def with_neutral(self, terms: Iterable[str]) -> "Weighed":
        return Weighed(self.likelihood.with_neutral(terms), self.weight)

    @property
    def is_joint(self) -> bool:
        return False

    @property
    def takes_several(self) -> bool:
        return self.likelihood.takes_several

    @property
    def schema(self) -> dict[str, Any]:
        return self.likelihood.schema

    def read(self, table: Table, columns: Columns) -> Part:
        return self.likelihood.read(table, columns)

    def zero(self, columns: Columns, classes: int) -> Statistic:
        return self.likelihood.zero(columns, classes)

    def observe(self, part: Any, labels: RowLabels, threads: int) -> Statistic:
        return self.likelihood.observe(part, labels, threads)

    def counter(self, columns: Columns) -> Counter:
        return self.likelihood.counter(columns)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> Statistic:
        return self.likelihood.from_arrays(arrays, rows, is_multilabel, columns)

    def reduced(self, statistic: Any, classes: Classes) -> Statistic:
        return self.likelihood.reduced(statistic, classes)

    def estimate(self, statistic: Any, classes: Classes, columns: Columns) -> Any:
        return self.likelihood.estimate(statistic, classes, columns)

    def score(self, weights: Any, part: Any, threads: int) -> Scores:
        return self._times(self.likelihood.score(weights, part, threads))

    def leave_one_out(
        self,
        statistic: Any,
        classes: Classes,
        columns: Columns,
        part: Any,
        truth: NDArray[np.uint32],
        threads: int,
        **beside: Any,
    ) -> Scores:
        return self._times(
            self.likelihood.leave_one_out(
                statistic, classes, columns, part, truth, threads, **beside
            )
        )

    def terms(self, weights: Any, part: Any) -> list[Term]:
        found = self.likelihood.terms(weights, part)
        return [Term(t.name, t.kind, t.count, self._times(t.scores)) for t in found]

    def unseen(self, weights: Any, part: Any, threads: int) -> dict[str, Unseen]:
        return self.likelihood.unseen(weights, part, threads)

    def parameters(self, statistic: Any, n_classes: int) -> tuple[int, int]:
        return self.likelihood.parameters(statistic, n_classes)

    def check(self, statistic: Any, classes: Classes, columns: Columns) -> None:
        self.likelihood.check(statistic, classes, columns)

    def notes(self, weights: Any, classes: Classes, columns: Columns) -> list[str]:
        return self.likelihood.notes(weights, classes, columns)

    def strongest(
        self, statistic: Any, classes: Classes, columns: Columns, n: int
    ) -> list[list[Speaks]]:
        # The words of texts have several weights, so nobody's are applied here; none at all is
        # another matter.
        if self.weight == 0:
            return super().strongest(statistic, classes, columns, n)
        return self.likelihood.strongest(statistic, classes, columns, n)

    @property
    def settings(self) -> dict[str, Any]:
        return {"likelihood": self.name, "weight": self.weight, "of": self.likelihood.settings}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        from likely.likelihoods import of_settings

        return cls(of_settings(schema, settings["of"]), settings["weight"])

    def _times(self, scores: Scores) -> Scores:
        """What is impossible stays so, unless nothing is believed."""
        if self.weight == 0:
            return np.zeros_like(scores)
        return np.asarray(self.weight * scores)

    def __repr__(self) -> str:
        return f"{self.weight:.3g} × {self.likelihood!r}"
