"""Explanations: what each feature of a row contributes to the score of each class."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.data.labels import Label
from likely.likelihoods.contribution import BESIDE_THE_ROW, Contribution
from likely.model.target.decision import Decision
from likely.numbers import json_number
from likely.rules import Rule

_BAR = 24
_SHOWN = 20

# Features with their contributions, the largest first, and the sum of the others, if any.
_Rows = tuple[list[tuple[str, float]], list[tuple[str, float]]]


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a row is predicted as it is: contributions that add up to the score of each class.

    If a rule decided, `rule` is that rule; contributions and probabilities are those of the model
    without rules.

    >>> import likely
    >>> model = likely.Classifier()
    >>> why = model.fit(["buy now", "see you"], ["spam", "ham"]).explain("buy it now")
    >>> why.prediction
    'spam'
    >>> bool(np.isclose(sum(map(why.log_odds, why.contributions)), why.total))
    True
    """

    classes: tuple[Label, ...]
    contributions: tuple[Contribution, ...]
    probabilities: NDArray[np.float64]
    impossible: bool
    """Whether every class is impossible, so that the prior alone decided."""
    rules: tuple[Rule, ...] = ()
    """The rules above the model that fire, in their order."""
    unseen: tuple[str, ...] = ()
    """The cells of the row, `column=value`, whose values were never seen in training."""
    decision: Decision | None = None
    """What decides which class is predicted; None if it is the most probable."""

    @property
    def rule(self) -> Rule | None:
        """The rule that decided, the first that fires, if one does."""
        return self.rules[0] if self.rules else None

    @property
    def fired(self) -> tuple[str, ...]:
        """The names of all rules that fire, of those above the model and of those counted in it."""
        above = (rule.name for rule in self.rules)
        within = (
            contribution.name.removeprefix("rule=")
            for contribution in self.contributions
            if contribution.kind == "rule"
        )
        return tuple(dict.fromkeys((*above, *within)))

    @property
    def prediction(self) -> Label:
        return self.counted if self.rule is None else self.rule.label

    @property
    def counted(self) -> Label:
        """The prediction without rules."""
        return self.classes[self._best]

    @property
    def reason(self) -> str | None:
        """Why that is not the most probable class; None where it is."""
        if self.decision is None or self._best == int(self.probabilities.argmax()):
            return None
        return self.decision.reason(self.classes, self.probabilities, self._best)

    @property
    def rival(self) -> Label:
        """The most probable of the other classes."""
        return self.classes[self._rival]

    @property
    def against(self) -> Label | None:
        """What log-odds are against: the most probable of the other classes; None for the rest."""
        return self.rival

    @property
    def _other(self) -> str:
        return str(self.rival)

    @property
    def total(self) -> float:
        """The log-odds of the predicted class against its rival."""
        return self._odds(self.scores)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The sum of the contributions, per class."""
        nothing = np.zeros(len(self.classes))
        return np.asarray(
            np.sum([nothing, *(contribution.scores for contribution in self.contributions)], axis=0)
        )

    def log_odds(self, contribution: Contribution) -> float:
        """What a contribution adds to those log-odds."""
        return self._odds(contribution.scores)

    def _odds(self, scores: NDArray[np.float64]) -> float:
        """The difference of two scores; NaN if both are impossible."""
        with np.errstate(invalid="ignore"):
            return float(scores[self._best] - scores[self._rival])

    @cached_property
    def _best(self) -> int:
        if self.decision is None:
            return int(self.probabilities.argmax())
        return int(self.decision.decide(self.classes, self.probabilities[None])[0])

    @property
    def _rival(self) -> int:
        others = self.probabilities.copy()
        others[self._best] = -1
        return int(others.argmax())

    def to_json(self) -> dict[str, Any]:
        """The same as JSON has it.

        Where a rule decided, log-odds are those of its class against the one that the counts chose.
        """
        against = self.counted if self.prediction != self.counted else self.against
        chosen = self.classes.index(self.prediction)
        other = None if against is None else self.classes.index(against)

        def log_odds(scores: NDArray[np.float64]) -> float | str:
            # Without a class to be against, they are against the rest already.
            with np.errstate(invalid="ignore"):
                return json_number(
                    float(scores[chosen] - (0.0 if other is None else scores[other]))
                )

        labels = map(str, self.classes)
        return {
            "prediction": self.prediction,
            "rule": None if self.rule is None else self.rule.name,
            "rules_fired": list(self.fired),
            "counted": self.counted,
            "reason": self.reason,
            "probabilities": dict(zip(labels, self.probabilities.tolist(), strict=True)),
            "against": against,
            "log_odds": log_odds(self.scores),
            "impossible": self.impossible,
            "unseen": list(self.unseen),
            "contributions": [
                {
                    "name": contribution.name,
                    "kind": contribution.kind,
                    "count": contribution.count,
                    "log_odds": log_odds(contribution.scores),
                }
                for contribution in self.contributions
            ],
        }

    def __str__(self) -> str:
        return "\n".join([self._head(), "", *_lines(*self._rows())])

    def _repr_html_(self) -> str:
        return render.html([*self._head().split("\n"), _table(*self._rows())])

    def _head(self) -> str:
        best = self.probabilities[self._best]
        head = f"{self.counted}  {best:.1%}   "
        if self.rule is not None:
            others = ", ".join(f"`{rule.name}`" for rule in self.rules[1:])
            too = f"; {others} {'fire' if self.rules[2:] else 'fires'} too" if others else ""
            by = f"{self.rule.label}   by rule `{self.rule.name}`{too}"
            head = f"{by}; the counts alone say:\n{head}"
        if self.impossible:
            head += "no class can have produced this row; the prior decided"
        else:
            head += f"against {self._other}, log-odds {self.total:+.3f}"
        if self.reason is not None:
            head += f"\n{self.reason}"
        counted = [
            contribution
            for contribution in self.contributions
            if contribution.kind not in BESIDE_THE_ROW
        ]
        # A rule that never fired in training is listed, but contributes nothing.
        if not any(
            contribution.kind != "rule" or contribution.scores.any() for contribution in counted
        ):
            head += "\nnothing in this row counts: it was never seen in training, or is left out"
        for cell in self.unseen[:_SHOWN]:
            head += f"\n{cell} says nothing: the value was never seen in training"
        if self.unseen[_SHOWN:]:
            left = len(self.unseen) - _SHOWN
            more = "does 1 more such value" if left == 1 else f"do {left:,} more such values"
            head += f"\nnor {more} say anything"
        return head

    def _rows(self) -> _Rows:
        return _largest_first(
            [(self.log_odds(contribution), contribution) for contribution in self.contributions]
        )


class OneVsRestExplanation(Explanation):
    """Why a row is predicted as it is by a one-vs-rest model.

    The contributions add up to the log-odds of each class against the rest, and those of the
    predicted class are shown. Its probability is one among those of all classes.

    >>> import likely
    >>> model = likely.Classifier(likely.Multinomial(), one_vs_rest=True)
    >>> why = model.fit(["buy", "see you", "my bill"], ["ad", "mail", "work"]).explain("buy it")
    >>> why.prediction, why.against
    ('ad', None)
    >>> bool(np.isclose(sum(each.scores[0] for each in why.contributions), why.total))
    True
    """

    @property
    def against(self) -> None:
        return None

    @property
    def _other(self) -> str:
        return f"the rest {1 / (1 + np.exp(-self.total)):.1%}"

    def _odds(self, scores: NDArray[np.float64]) -> float:
        return float(scores[self._best])


@dataclass(frozen=True, eq=False)
class MultiLabelExplanation:
    """Why a multi-label row is predicted as it is, label by label.

    The contributions add up to the log-odds of each label; the other labels are one of them.

    >>> import likely
    >>> texts, labels = ["oil", "oil and wheat", "wheat", "a game"], [["a"], ["a", "b"], ["b"], []]
    >>> why = likely.Classifier(likely.Multinomial()).fit(texts, labels).explain("oil, oil!")
    >>> why.prediction
    ['a']
    >>> bool(np.isclose(sum(each.scores[0] for each in why.contributions), why.log_odds[0]))
    True
    """

    classes: tuple[Label, ...]
    contributions: tuple[Contribution, ...]
    probabilities: NDArray[np.float64]
    thresholds: NDArray[np.float64]

    @property
    def prediction(self) -> list[Label]:
        said = self.probabilities >= self.thresholds
        return [label for label, is_said in zip(self.classes, said, strict=True) if is_said]

    @property
    def log_odds(self) -> NDArray[np.float64]:
        """The sum of the contributions, per label."""
        nothing = np.zeros(len(self.classes))
        return np.asarray(
            np.sum([nothing, *(contribution.scores for contribution in self.contributions)], axis=0)
        )

    def to_json(self) -> dict[str, Any]:
        """The same as JSON has it."""
        labels = [str(label) for label in self.classes]
        return {
            "prediction": self.prediction,
            "probabilities": dict(zip(labels, self.probabilities.tolist(), strict=True)),
            "thresholds": dict(zip(labels, self.thresholds.tolist(), strict=True)),
            "log_odds": dict(zip(labels, self.log_odds.tolist(), strict=True)),
            "contributions": [
                {
                    "name": contribution.name,
                    "kind": contribution.kind,
                    "count": contribution.count,
                    "log_odds": dict(zip(labels, contribution.scores.tolist(), strict=True)),
                }
                for contribution in self.contributions
            ],
        }

    def __str__(self) -> str:
        return "\n\n".join(
            "\n".join([head, *(["", *_lines(*rows)] if rows else [])])
            for head, rows in self._blocks()
        )

    def _repr_html_(self) -> str:
        blocks: list[render.Block] = []
        for head, rows in self._blocks():
            blocks += [head, _table(*rows)] if rows else [head]
        return render.html(blocks)

    def _blocks(self) -> list[tuple[str, _Rows | None]]:
        """Each predicted label, or the nearest if there is none, with its contributions."""
        shown = np.flatnonzero(self.probabilities >= self.thresholds)
        blocks: list[tuple[str, _Rows | None]] = []
        if not len(shown):
            blocks.append(("no label; the nearest is", None))
            shown = np.array([int(np.argmax(self.probabilities - self.thresholds))])
        for place in shown[np.argsort(-self.probabilities[shown], kind="stable")]:
            head = (
                f"{self.classes[place]}  {self.probabilities[place]:.1%}   "
                f"threshold {self.thresholds[place]:.1%}, log-odds {self.log_odds[place]:+.3f}"
            )
            rows = _largest_first(
                [
                    (float(contribution.scores[place]), contribution)
                    for contribution in self.contributions
                ]
            )
            blocks.append((head, rows))
        return blocks


def _largest_first(odds: list[tuple[float, Contribution]]) -> _Rows:
    """The largest contributions, and the sum of the rest if there is one."""
    odds = sorted(odds, key=lambda pair: -np.inf if np.isnan(pair[0]) else -abs(pair[0]))
    rest = odds[_SHOWN:]
    more = [(f"{len(rest)} more", sum(value for value, _ in rest))] if rest else []
    return [(_shown(contribution), value) for value, contribution in odds[:_SHOWN]], more


def _lines(rows: list[tuple[str, float]], more: list[tuple[str, float]]) -> list[str]:
    """Each contribution with its number and a bar."""
    name = max((len(shown) for shown, _ in [*rows, *more]), default=0)
    number = max((len(_number(value)) for _, value in [*rows, *more]), default=0)
    largest = _largest(rows)
    lines = [
        f"  {shown:<{name}}  {_number(value):>{number}}  {bar(value, largest)}".rstrip()
        for shown, value in rows
    ]
    return [*lines, *(f"  {shown:<{name}}  {_number(value):>{number}}" for shown, value in more)]


def _table(rows: list[tuple[str, float]], more: list[tuple[str, float]]) -> render.Table:
    """The same for a page."""
    largest = _largest(rows) or 1.0
    lines: list[tuple[render.Cell, ...]] = [
        (
            shown,
            _number(value).replace("-", "−"),
            "" if np.isnan(value) else render.Bar(value / largest, both_ways=True),
        )
        for shown, value in rows
    ]
    lines += [(shown, _number(value).replace("-", "−"), "") for shown, value in more]
    return render.Table(("", "log-odds", ""), lines)


def _number(value: float) -> str:
    """Log-odds with their sign; a dash where both classes are impossible."""
    return "–" if np.isnan(value) else f"{value:+.3f}"


def _largest(rows: list[tuple[str, float]]) -> float:
    return max((abs(value) for _, value in rows if np.isfinite(value)), default=0.0)


def _shown(contribution: Contribution) -> str:
    name = repr(contribution.name) if contribution.kind == "char n-gram" else contribution.name
    if contribution.kind in ("prior", "absence", "rivals"):
        name = f"({name})"
    return name if contribution.count == 1 else f"{name} ×{contribution.count}"


def bar(value: float, largest: float) -> str:
    """A bar for a terminal: full for a value above 0, light below, and longest for the largest."""
    if not largest or not np.isfinite(value):
        return ""
    return ("█" if value > 0 else "░") * round(abs(value) / largest * _BAR)
