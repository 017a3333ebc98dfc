"""A file of rules in place of a model."""

from dataclasses import dataclass
from typing import Any

import click

from likely import Rules
from likely.cli.options import asked, progress_bar
from likely.errors import DataError
from likely.inputs import Table
from likely.inputs.files import LINE, Source
from likely.inputs.labelled import labelled
from likely.labels import Label

_TEXT = "text"


def is_rules(model: str) -> bool:
    """Whether a file in place of a model holds rules: those are TOML."""
    return model.endswith(".toml")


def refuse(*options: str) -> None:
    """Refuse options that need more than rules know, which give labels without probabilities."""
    for option in asked(options):
        raise click.UsageError(
            f"{option} is for a model; rules give a label, or none, and no probability"
        )


@dataclass(frozen=True, eq=False)
class Ruling:
    """What rules alone say of each row: a label and the rule that gave it, or neither."""

    rules: Rules
    threads: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read: those that rules name, and the text."""
        return tuple(dict.fromkeys((*self.rules.columns, _TEXT)))

    def of(self, table: Table) -> dict[str, list[Any]]:
        """What is added to each row."""
        # A lone text may have another name in the table, which knows of it.
        there = [name for name in table.names if name != LINE]
        names = self.columns if self.columns == (_TEXT,) else there
        first, _ = self.rules.match(self.rules.texts(table, self.rules.reads(names)), self.threads)
        found = [None if place < 0 else self.rules.rules[place] for place in first]
        return {
            "prediction": [None if rule is None else rule.label for rule in found],
            "rule": [None if rule is None else rule.name for rule in found],
        }


def judged_by_rules(
    rules: Rules, source: Source, target: str | None
) -> tuple[list[list[Label]], list[list[Label]]]:
    """The label of each row and what the rules say, both as lists: that of no rule is empty."""
    known = tuple(rule.label for rule in rules.rules)
    rows = labelled(source, target, like=known)
    if rows.several:
        raise DataError(f"{source.name}: rows have several labels each, and a rule gives one")
    columns = rules.reads(rows.columns)
    answers = [*([label] for label in known), []]
    truth: list[list[Label]] = []
    said: list[list[Label]] = []
    with progress_bar("judging", source.size) as progress:
        for table, labels in rows.batches(tuple(dict.fromkeys(columns)), progress):
            first, _ = rules.match(rules.texts(table, columns))
            truth += [[label] for label in labels.lists]
            said += [answers[place] for place in first]
    if not truth:
        raise DataError(f"{rows.where}there are no rows to judge the rules by")
    return truth, said
