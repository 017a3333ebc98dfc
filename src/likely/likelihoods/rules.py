"""Rules as features: how often each of them fires in each class."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.label_sets import RowLabels
from likely.data.table import Table, TextColumns
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import Columns, Likelihood, LinearPart, Scores, TopFeature
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.counted import CountedFactor, exact
from likely.likelihoods.counted_texts import of_bernoulli
from likely.likelihoods.text import Bernoulli
from likely.rules import Rules
from likely.tally import Arrays, Classes
from likely.text import Text


class RuleFeatures(Likelihood[TextColumns, _kernel.TextCounts, _kernel.TextWeights]):
    """Each rule is a binary feature: whether it fires. Its weight is learned from the rows.

        log P(x | c) = Σ_r log (r fires ? p_cr : 1 − p_cr)        p_cr = (D_cr + α) / (n_c + 2α)

    D_cr counts the rows of class c on which rule r fires; the rule's own label is ignored, and so
    is a rule that never fired in training. The columns may have another likelihood beside it.

    To the tally, a row is a text: the places of the rules that fire, as words. This is the
    Bernoulli view of that text.
    """

    name = "rules"
    is_naive = False
    is_beside = True

    def __init__(self, rules: Rules, alpha: float = 1.0):
        if not isinstance(rules, Rules):
            raise OptionError(f'rules are, for example, `Rules.read("rules.toml")`, not {rules!r}')
        self.rules = rules
        self._view = Bernoulli(alpha, text=Text(word_ngrams=1))

    @property
    def alpha(self) -> float:
        return self._view.alpha

    # Counting

    @property
    def schema(self) -> dict[str, Any]:
        return {"kind": "rules", "rules": self.rules.to_json()}

    def read(self, table: Table, columns: Columns) -> TextColumns:
        table = table.called(columns)
        read = self.rules.texts(table, self.rules.reads(columns))
        return TextColumns(self.rules.texts(table, columns), read)

    def zero(self, columns: Columns, classes: int) -> _kernel.TextCounts:
        return self._view.zero(columns, classes)

    def observe(self, part: TextColumns, labels: RowLabels, threads: int) -> _kernel.TextCounts:
        return self._view.observe(self._places(part, threads), labels, threads)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> _kernel.TextCounts:
        self.rules.reads(columns)
        counts = self._view.from_arrays(arrays, rows, is_multilabel, columns[:1])
        known = set(map(str, range(len(self.rules))))
        if not known.issuperset(counts.codes().names):
            raise ModelError("it counts a rule that it does not have")
        _, _, times, documents = counts.cells()
        if (times != documents).any():
            raise ModelError("a rule fires twice on a row")
        return counts

    # Estimating and scoring

    def estimate(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns
    ) -> _kernel.TextWeights:
        return self._view.estimate(statistic, classes, columns)

    def score(self, weights: _kernel.TextWeights, part: TextColumns, threads: int) -> Scores:
        return self._view.score(weights, self._places(part, threads), threads)

    def smoothing(
        self, weights: _kernel.TextWeights, classes: Classes, columns: Columns
    ) -> tuple[float, Scores | float]:
        return self._view.smoothing(weights, classes, columns)

    def leave_one_out(
        self,
        statistic: _kernel.TextCounts,
        classes: Classes,
        columns: Columns,
        part: TextColumns,
        truth: NDArray[np.uint32],
        threads: int,
    ) -> Scores:
        places = self._places(part, threads)
        return self._view.leave_one_out(statistic, classes, columns, places, truth, threads)

    def contributions(self, weights: _kernel.TextWeights, part: TextColumns) -> list[Contribution]:
        places = self._places(part)
        found, silence = weights.contributions(places)
        said = {place: np.array(scores) for _, place, _, scores in found}
        # A rule that never fired in training contributes nothing, but is listed.
        nothing = np.zeros(len(silence))
        fired = dict.fromkeys(place for row in places.tolist() for place in row.split())
        contributions = [
            Contribution(self._spelled(at), "rule", 1, said.get(at, nothing)) for at in fired
        ]
        if any(silence):
            # The score if no rule fires; each that does fire replaces its part.
            contributions.insert(
                0, Contribution("rules, baseline", "absence", 1, np.array(silence))
            )
        return contributions

    def counted_factors(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns, part: TextColumns
    ) -> list[CountedFactor] | None:
        row = self._view.counted_row(statistic, classes, self._places(part))
        row = replace(row, names=[self._spelled(place) for place in row.names])
        return of_bernoulli(row, exact(self.alpha), classes.rows.tolist(), "rules that do not fire")

    def parameters(self, statistic: _kernel.TextCounts, n_classes: int) -> tuple[int, int]:
        return self._view.parameters(statistic, n_classes)

    def linear(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns
    ) -> LinearPart[TextColumns]:
        part = self._view.linear(statistic, classes, columns)
        names = [self._spelled(place) for place in part.features]

        def design(texts: TextColumns) -> Scores:
            return part.design(self._places(texts))

        return LinearPart(names, part.weights, part.intercepts, design)

    # Inspection

    def strongest(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns, n: int
    ) -> list[list[TopFeature]]:
        found = self._view.strongest(statistic, classes, columns, n)
        return [[one._replace(name=self._spelled(one.name)) for one in each] for each in found]

    def _places(self, part: TextColumns, threads: int = 1) -> _kernel.Texts:
        _, places = self.rules.match(part.read, threads)
        return places

    def _spelled(self, place: str) -> str:
        return f"rule={self.rules.rules[int(place)].name}"

    # Storage and repr

    @property
    def settings(self) -> dict[str, Any]:
        return {"likelihood": self.name, "alpha": self.alpha}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            return cls(Rules.from_json(schema["rules"]), settings["alpha"])
        except (KeyError, TypeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __repr__(self) -> str:
        return f"RuleEvidence({self.rules!r}, alpha={self.alpha:g})"
