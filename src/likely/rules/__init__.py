"""Hand-written rules: lists of senders and domains, words, patterns.

A rule fires on a row if its column holds one of its senders, domains or words, or matches its
pattern. Of several rules that fire, the first decides.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.columns import TEXT_NAMES, nearest
from likely.data.files import Source, open_table
from likely.data.labels import Label
from likely.data.table import Table
from likely.errors import DataError, OptionError
from likely.rules.rule import Rule as Rule
from likely.rules.rule import clash

Fires = tuple[NDArray[np.int32], _kernel.Texts]


class Rules:
    """Rules in their order, a classifier of their own.

    >>> rules = Rules([Rule("prize", "spam", words=("lottery",))])
    >>> rules.predict(["You won the LOTTERY!", "Lunch at noon?"])
    ['spam', None]
    >>> rules.fired(["You won the LOTTERY!", "Lunch at noon?"])
    [('prize',), ()]

    `Rules.read(path)` reads them from a TOML file. A rule that names no column reads the only one;
    of several, the one that no rule names, or the one called like a text (`text`, `body`, …).
    """

    def __init__(self, rules: Iterable[Rule]):
        if not isinstance(rules, Iterable):
            raise OptionError(f"rules are a list of `Rule`, not {rules!r}")
        self.rules = tuple(rules)
        self._where: dict[tuple[str, str], str] = {}
        if not self.rules:
            raise OptionError("there are no rules")
        earlier: dict[str, Rule] = {}
        for rule in self.rules:
            if not isinstance(rule, Rule):
                raise OptionError(f"rules are a list of `Rule`, but {rule!r} is none")
            bad = clash(rule, earlier)
            if bad:
                raise OptionError(bad[1])
        # The columns that are read, each once; None stands for the text.
        self._slots = tuple(dict.fromkeys(rule.column for rule in self.rules))
        self._kernel = _kernel.Rules(
            [
                (self._slots.index(r.column), r.words, r.senders, r.domains, r.pattern)
                for r in self.rules
            ]
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Rules":
        """Read a TOML file of `[[rule]]` tables. Errors name the line."""
        from likely.rules.file import line_of, read_rules

        rules, lines = read_rules(path)
        try:
            found = cls(rules)
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
        found._where = {
            (rule.name, field): f"{path}, line {line_of(known, field)}: "
            for rule, known in zip(rules, lines, strict=True)
            for field in ("label", "column")
        }
        return found

    def where(self, rule: Rule, field: str) -> str:
        """The file and line of the label or column of a rule, to begin an error message.

        Empty if the rules do not come from a file.
        """
        return self._where.get((rule.name, field), "")

    def predict(self, x: Any) -> list[Label | None]:
        """The label of the first rule that fires on each row, None where none does."""
        labels = [*(rule.label for rule in self.rules), None]
        return [labels[place] for first, _ in self._matches(x) for place in first]

    def fired(self, x: Any) -> list[tuple[str, ...]]:
        """The names of the rules that fire on each row, in their order."""
        return [
            tuple(self.rules[int(place)].name for place in places.split())
            for _, spelled in self._matches(x)
            for places in spelled.tolist()
        ]

    # Which columns are read, and how

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rules name."""
        return tuple(column for column in self._slots if column is not None)

    def reads(self, names: Sequence[str], texts: Sequence[str] = ()) -> tuple[str, ...]:
        """The columns that `match` needs, among `names`; `texts` are known to be texts."""
        for rule in self.rules:
            if rule.column is not None and rule.column not in names:
                raise DataError(
                    f"{self.where(rule, 'column')}rule `{rule.name}` reads column "
                    f"`{rule.column}`, which is not there; " + nearest(rule.column, names)
                )
        if None not in self._slots:
            return self.columns
        text = self._text_column(texts or names)
        return tuple(text if column is None else column for column in self._slots)

    @staticmethod
    def texts(table: Table, columns: Sequence[str]) -> tuple[_kernel.Texts, ...]:
        return tuple(table.texts((column,), replace_invalid=True) for column in columns)

    def match(self, texts: Sequence[_kernel.Texts], threads: int = 1) -> Fires:
        """For each row the index of the first rule that fires, or −1; and of all, as texts."""
        return self._kernel.fired(texts, threads)

    def _matches(self, x: Any) -> Iterator[Fires]:
        if isinstance(x, os.PathLike):
            x = open_table(x, invalid="replace")
        if not isinstance(x, Source):
            table = Table.of(x)
            yield self.match(self.texts(table.called(table.names), self.reads(table.names)))
            return
        columns = self.reads(x.columns)
        for table in x.batches(tuple(dict.fromkeys(columns))):
            yield self.match(self.texts(table, columns))

    def _text_column(self, names: Sequence[str]) -> str:
        unnamed = [name for name in names if name not in self.columns]
        telling = [name for name in names if name.lower() in TEXT_NAMES]
        for found in (names, unnamed, telling):
            if len(found) == 1:
                return found[0]
        rule = next(rule for rule in self.rules if rule.column is None)
        raise DataError(
            f"{self.where(rule, 'column')}rule `{rule.name}` names no column, and there are "
            + ", ".join(f"`{name}`" for name in names[:12])
            + '\nhint: `column = "…"` in the rule says which it reads'
        )

    # Storage and repr

    def to_json(self) -> list[dict[str, Any]]:
        return [rule.to_json() for rule in self.rules]

    @classmethod
    def from_json(cls, stored: list[dict[str, Any]]) -> "Rules":
        return cls(Rule(**fields) for fields in stored)

    def __len__(self) -> int:
        return len(self.rules)

    def __eq__(self, other: object) -> bool:
        return self.rules == other.rules if isinstance(other, Rules) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.rules)

    def __reduce__(self) -> tuple[Any, ...]:
        return Rules, (self.rules,)

    def __repr__(self) -> str:
        return f"<{len(self)} {'rule' if len(self) == 1 else 'rules'}>"
