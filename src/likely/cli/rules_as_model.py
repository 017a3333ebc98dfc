"""A file of rules in place of a model."""

from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from likely import Rules
from likely.cli.options import given_options
from likely.data.files import LINE
from likely.data.table import Table

_TEXT = "text"


def is_rules(model: str) -> bool:
    """Whether a file in place of a model holds rules: those are TOML."""
    return model.endswith(".toml")


def refuse(*options: str) -> None:
    """Refuse options that need more than rules know, which give labels without probabilities."""
    for option in given_options(options):
        raise click.UsageError(f"{option} needs a model; rules give no probabilities")


@dataclass(frozen=True, eq=False)
class Ruling:
    """What rules alone say of each row: a label and the rule that gave it, or neither."""

    rules: Rules
    threads: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read: those that rules name, and the text."""
        return tuple(dict.fromkeys((*self.rules.columns, _TEXT)))

    def of(self, table: Table) -> tuple[dict[str, list[Any]], NDArray[np.intp]]:
        """What is added to each row; to rules none is impossible."""
        # A lone text may have another name in the table, which knows of it.
        there = [name for name in table.names if name != LINE]
        names = self.columns if self.columns == (_TEXT,) else there
        first, _ = self.rules.match(self.rules.texts(table, self.rules.reads(names)), self.threads)
        found = [None if place < 0 else self.rules.rules[place] for place in first]
        added: dict[str, list[Any]] = {
            "prediction": [None if rule is None else rule.label for rule in found],
            "rule": [None if rule is None else rule.name for rule in found],
        }
        return added, np.zeros(0, dtype=np.intp)
