"""One rule, and what can be wrong with it."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from likely import _kernel
from likely.data.columns import nearest
from likely.data.labels import Label, one_kind, plain_label
from likely.errors import DataTypeError, OptionError

_LISTS = ("senders", "domains", "words")
_FIELDS = ("name", "label", "column", *_LISTS, "pattern")

_HOST = r"[^\s@/:.<>,;]+(\.[^\s@/:.<>,;]+)"
_LIKE = {
    "senders": (re.compile(rf"[^\s@<>,;]*@{_HOST}*"), "`ada@example.com` or `@example.com`"),
    "domains": (re.compile(rf"{_HOST}+"), "`example.com`"),
    "words": (re.compile(r".*", re.S), "`lottery` or `wire transfer`"),
}


@dataclass(frozen=True, repr=False)
class Rule:
    r"""A label for the rows on which one of the conditions holds.

    >>> Rule("prize", "spam", words=("lottery", "wire transfer"), pattern=r"win \$\d+")
    Rule('prize', 'spam', words=('lottery', 'wire transfer'), pattern='win \\$\\d+')

    `column` is the one it reads; without it, the text. `senders` are addresses, or `@` and a domain
    for all addresses there; `domains` are found in links and addresses at them or below them;
    `words` are whole words and phrases; none of these minds the case. `pattern` is a regular
    expression without look-around and back-references, so that none can take long.
    """

    name: str
    label: Label
    column: str | None = None
    senders: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    pattern: str | None = None

    def __post_init__(self) -> None:
        found = wrong(self.to_json())
        if found:
            raise OptionError(found[1])
        object.__setattr__(self, "label", plain_label(self.label))
        for field in _LISTS:
            object.__setattr__(self, field, tuple(getattr(self, field)))

    def to_json(self) -> dict[str, Any]:
        """The fields that were given."""
        given = ((field, getattr(self, field)) for field in _FIELDS)
        return {
            field: list(value) if isinstance(value, tuple) else value
            for field, value in given
            if value is not None and value != ()
        }

    def __repr__(self) -> str:
        given = [f"{field}={getattr(self, field)!r}" for field in list(self.to_json())[2:]]
        return f"Rule({', '.join([repr(self.name), repr(self.label), *given])})"


def wrong(fields: Mapping[str, Any]) -> tuple[str, str] | None:
    """The invalid field of a rule, and the error message; None if the rule is valid."""
    name = fields.get("name")
    if name is None:
        return "", "a rule has no `name`"
    if not _is_text(name) or not name.isprintable():
        return "name", f"the `name` of a rule is a text on one line, not {name!r}"
    rule = f"rule `{name}`"
    for field in fields:
        if field not in _FIELDS:
            return field, f"`{field}` of {rule} is not known here; {nearest(field, _FIELDS)}"
    if "label" not in fields:
        return "", f"{rule} has no `label`"
    if not _is_label(fields["label"]):
        return "label", f"the `label` of {rule} is a text or a number, not {fields['label']!r}"
    if "column" in fields and not _is_text(fields["column"]):
        return "column", f"the `column` of {rule} is a name, not {fields['column']!r}"
    conditions = [field for field in (*_LISTS, "pattern") if field in fields]
    if not conditions:
        return "", f"{rule} has no condition: `senders`, `domains`, `words` or `pattern`"
    for field in conditions:
        check = _wrong_pattern if field == "pattern" else _wrong_list
        what = check(rule, field, fields[field])
        if what:
            return field, what
    return None


def clash(rule: Rule, earlier: dict[str, Rule]) -> tuple[str, str] | None:
    """What is wrong with a rule beside the earlier ones, which it joins."""
    if rule.name in earlier:
        return "name", f"two rules are called `{rule.name}`"
    earlier[rule.name] = rule
    try:
        one_kind([next(iter(earlier.values())).label, rule.label])
    except DataTypeError as error:
        return "label", str(error)
    return None


def _wrong_list(rule: str, field: str, listed: Any) -> str | None:
    like, example = _LIKE[field]
    if not isinstance(listed, (list, tuple)):
        return f"`{field}` of {rule} is a list in brackets, not {listed!r}"
    if not listed:
        return f"`{field}` of {rule} is an empty list"
    for item in listed:
        if not _is_text(item) or not like.fullmatch(item):
            return f"`{field}` of {rule} has {item!r}, which is not like {example}"
    return None


def _wrong_pattern(rule: str, field: str, pattern: Any) -> str | None:
    what = f"the `pattern` of {rule}"
    if not _is_text(pattern):
        return f"{what} is a text, not {pattern!r}"
    if "\b" in pattern:
        # In TOML as in Python, "\b" is a backspace; who writes it means the edge of a word.
        return f"{what} has a backspace in it\nhint: write it in single quotes, '\\b…'"
    error = _kernel.pattern_error(pattern)
    return f"{what} makes no sense: {error}" if error else None


def _is_text(value: Any) -> bool:
    """Whether it is a text with something in it, all of it valid Unicode."""
    return isinstance(value, str) and bool(value.strip()) and _is_unicode(value)


def _is_unicode(text: str) -> bool:
    return not re.search("[\ud800-\udfff]", text)


def _is_label(value: Any) -> bool:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return _is_unicode(value)
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and -(2**63) <= value < 2**63
