"""Rules without a model, evaluated on labeled rows."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from likely import Evaluation, Rules, evaluate, render
from likely.cli.options import progress_bar
from likely.data.files import Source
from likely.data.labeled import labeled
from likely.data.labels import Label
from likely.errors import DataError


@dataclass(frozen=True)
class RuleFigures:
    """What one rule does on labeled rows, whether or not another decides them before it."""

    name: str
    label: Label
    rows: int
    """The rows it fires on,"""
    decides: int
    """those of them on which no rule above it fires,"""
    coverage: float
    """and the share of all rows that it fires on."""
    precision: float | None
    """The share of the rows it fires on that have its label; None if there are none."""
    overlaps: int
    """The rows it fires on together with another rule,"""
    conflicts: int
    """and with one that has another label."""


@dataclass(frozen=True, eq=False)
class RuleMatches:
    """Which rules match labeled rows."""

    rules: Rules
    truth: list[Label]
    first: list[int]
    """The place of the rule that decides each row, −1 where none does."""
    fired: Counter[tuple[str, Label]]
    """How often which rules, their places spelled, fire together on a row of which label."""

    @property
    def rows(self) -> int:
        return len(self.truth)

    @property
    def decided(self) -> int:
        return sum(place >= 0 for place in self.first)

    def evaluate(self, beta: float) -> Evaluation | None:
        """The figures of the rows that a rule decides; None if none does."""
        pairs = zip(self.truth, self.first, strict=True)
        decided = [(truth, self.rules.rules[place].label) for truth, place in pairs if place >= 0]
        return evaluate(*zip(*decided, strict=True), beta=beta) if decided else None

    def by_rule(self) -> list[RuleFigures]:
        """The figures of each rule, in their order."""
        rules = self.rules.rules
        fires, right, overlaps, conflicts = (Counter[int]() for _ in range(4))
        for (spelled, truth), rows in self.fired.items():
            places = [int(place) for place in spelled.split()]
            labels = {rules[place].label for place in places}
            for place in places:
                fires[place] += rows
                right[place] += rows * (rules[place].label == truth)
                overlaps[place] += rows * (len(places) > 1)
                conflicts[place] += rows * (len(labels) > 1)
        decides = Counter(self.first)
        return [
            RuleFigures(
                rule.name,
                rule.label,
                fires[place],
                decides[place],
                fires[place] / self.rows,
                right[place] / fires[place] if fires[place] else None,
                overlaps[place],
                conflicts[place],
            )
            for place, rule in enumerate(rules)
        ]

    def to_json(self) -> dict[str, Any]:
        """What is known beside the figures of the rows that are decided, which are `rows`."""
        return {
            "is_multilabel": False,
            "rows": self.decided,
            "rows_in_all": self.rows,
            "coverage": self.decided / self.rows,
            "rules": [vars(one) for one in self.by_rule()],
        }

    def above(self) -> str:
        """The line before the figures."""
        share = render.percent(self.decided / self.rows)
        shown = f"Coverage {share}: rules decide {self.decided:,} of {self.rows:,} rows"
        return f"{shown}; the figures are for these rows." if self.decided else f"{shown}."

    def below(self) -> str:
        """A line for each rule."""
        header = ("rule", "label", "rows", "decides", "coverage", "precision")
        lines = [
            (
                render.Name(one.name),
                render.Name(one.label),
                render.count(one.rows),
                render.count(one.decides),
                render.percent(one.coverage),
                "–" if one.precision is None else render.number(one.precision),
                render.count(one.overlaps),
                render.count(one.conflicts),
            )
            for one in self.by_rule()
        ]
        return render.Table((*header, "overlaps", "conflicts"), lines, left=2).text()


def match_rules(rules: Rules, source: Source, target: str | None) -> RuleMatches:
    """The label of each row, and which rules fire on it."""
    known = tuple(rule.label for rule in rules.rules)
    rows = labeled(source, target, like=known)
    if rows.is_multilabel:
        raise DataError(f"{source.name}: the rows are multi-label, and a rule gives one label")
    columns = rules.reads(rows.columns)
    matches = RuleMatches(rules, [], [], Counter())
    with progress_bar("matching", source.size) as progress:
        for table, labels in rows.batches(tuple(dict.fromkeys(columns)), progress):
            first, fired = rules.match(rules.texts(table, columns))
            matches.truth.extend(labels.lists)
            matches.first.extend(first.tolist())
            matches.fired.update(zip(fired.tolist(), labels.lists, strict=True))
    if not matches.truth:
        raise DataError(f"{rows.where}there are no rows to evaluate the rules on")
    return matches
