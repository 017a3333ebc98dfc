"""A file of rules: TOML, with a line in every error."""

import os
import re
from typing import Any

from likely.data.toml import read_toml
from likely.errors import DataError
from likely.rules.rule import Rule, clash, wrong

# The line of a rule, under no name, and those of its fields.
Lines = dict[str, int]

# Strings and comments, in which lines may look like keys and headers.
_HIDING = re.compile(
    r'"""(?:\\.|[^\\])*?"""' r"|'''.*?'''" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'" r"|#[^\n]*", re.S
)


def read_rules(path: str | os.PathLike[str]) -> tuple[list[Rule], list[Lines]]:
    """The rules of a file, all of them sound, and where they are in it."""
    source, found = read_toml(path)
    bare = _HIDING.sub(lambda hidden: "\n" * hidden[0].count("\n"), source).split("\n")
    lines = _lines(bare)
    rules: list[Rule] = []
    earlier: dict[str, Rule] = {}
    for place, fields in enumerate(_parts(found, bare, path)):
        bad = wrong(fields)
        if not bad:
            rules.append(Rule(**fields))
            bad = clash(rules[-1], earlier)
        # Rules in one list, `rule = [{…}, {…}]`, have no lines of their own.
        if place == len(lines):
            lines.append({"": 1})
        if bad:
            raise DataError(f"{path}, line {line_of(lines[place], bad[0])}: {bad[1]}")
    return rules, lines


def line_of(lines: Lines, field: str) -> int:
    """The line of a field; if it is not there, where the rule begins."""
    return lines.get(field, lines[""])


def _parts(found: dict[str, Any], bare: list[str], path: Any) -> list[dict[str, Any]]:
    """The `[[rule]]` parts, and nothing beside them."""

    def line(name: str) -> int:
        key = re.compile(rf"[\s\[]*{re.escape(name)}\b")
        return next((number for number, text in enumerate(bare, 1) if key.match(text)), 1)

    for name in found:
        if name != "rule":
            raise DataError(
                f"{path}, line {line(name)}: `{name}` is not known here; rules begin with [[rule]]"
            )
    rules = found.get("rule", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise DataError(
            f"{path}, line {line('rule')}: a rule begins with [[rule]], in two pairs of brackets"
        )
    if not rules:
        raise DataError(f"{path}: there are no rules; one begins with [[rule]]")
    return rules


def _lines(bare: list[str]) -> list[Lines]:
    """For each rule the line it begins at, under no name, and those of its fields.

    tomllib tells where the syntax is broken, but not where a sound value came from.
    """
    found: list[Lines] = []
    for number, line in enumerate(bare, 1):
        if re.match(r"\s*\[\[\s*rule\s*\]\]", line):
            found.append({"": number})
        elif found and (key := re.match(r"\s*([\w-]+)\s*=", line)):
            found[-1].setdefault(key[1], number)
    return found
