"""Why: what each feature of a row says for and against each class."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likely.inputs import Label

_BAR = 24
_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Term:
    """One piece of evidence: a feature, how often it counted, and what it adds for each class."""

    name: str
    kind: str
    count: int
    scores: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """A prediction taken apart. The terms' scores add up to each class's score.

    >>> import likely
    >>> model = likely.Classifier()
    >>> why = model.fit(["buy now", "see you"], ["spam", "ham"]).explain("buy it now")
    >>> why.prediction
    'spam'
    >>> bool(np.isclose(sum(why.log_odds(term) for term in why.terms), why.total))
    True
    """

    classes: tuple[Label, ...]
    terms: tuple[Term, ...]
    probabilities: NDArray[np.float64]
    impossible: bool
    """Whether every class is impossible, so that the prior alone decided."""

    @property
    def prediction(self) -> Label:
        return self.classes[self._best]

    @property
    def rival(self) -> Label:
        """The class that came second."""
        return self.classes[self._rival]

    @property
    def total(self) -> float:
        """The log-odds of the prediction against its rival."""
        return self._odds(self.scores)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The sum of the terms, per class."""
        total: NDArray[np.float64] = np.sum([term.scores for term in self.terms], axis=0)
        return total

    def log_odds(self, term: Term) -> float:
        """What a term adds to the log-odds of the prediction against its rival."""
        return self._odds(term.scores)

    def _odds(self, scores: NDArray[np.float64]) -> float:
        """One score against the other; not a number where both are impossible."""
        with np.errstate(invalid="ignore"):
            return float(scores[self._best] - scores[self._rival])

    @property
    def _best(self) -> int:
        return int(self.probabilities.argmax())

    @property
    def _rival(self) -> int:
        others = self.probabilities.copy()
        others[self._best] = -1
        return int(others.argmax())

    def __str__(self) -> str:
        best = self.probabilities[self._best]
        head = f"{self.prediction}  {best:.1%}   "
        if self.impossible:
            head += "no class can have produced this text; the prior decided"
        else:
            head += f"against {self.rival}, log-odds {self.total:+.3f}"
        odds = [(self.log_odds(term), term) for term in self.terms]
        odds.sort(key=lambda pair: -abs(pair[0]))
        odds, rest = odds[:_SHOWN], odds[_SHOWN:]
        name = max((len(_shown(term)) for _, term in odds), default=0)
        largest = max((abs(value) for value, _ in odds if np.isfinite(value)), default=0.0)
        lines = [
            f"  {_shown(term):<{name}}  {value:+8.3f}  {_bar(value, largest)}".rstrip()
            for value, term in odds
        ]
        if rest:
            together = sum(value for value, _ in rest)
            lines.append(f"  {f'{len(rest)} more':<{name}}  {together:+8.3f}")
        return "\n".join([head, "", *lines])


def _shown(term: Term) -> str:
    name = repr(term.name) if term.kind == "characters" else term.name
    return name if term.count == 1 else f"{name} ×{term.count}"


def _bar(value: float, largest: float) -> str:
    if not largest or not np.isfinite(value):
        return ""
    return ("█" if value > 0 else "░") * round(abs(value) / largest * _BAR)
