"""A row as it is given on the command line: a text, or cells as COLUMN=VALUE."""

import re
from typing import Any

import click

import likely
from likely.data.columns import nearest
from likely.data.table import repeated
from likely.likelihoods.product import every


def given_row(classifier: likely.Classifier, given: tuple[str, ...]) -> dict[str, Any]:
    """The cells of a row; columns that were not given are missing.

    What is no cell is the text, if there is one column of texts; or the cell of a lone column.
    """
    columns = classifier.columns
    _check_unicode(classifier, given)
    named = [part for part in given if "=" in part and part.partition("=")[0] in columns]
    cells = dict(part.partition("=")[::2] for part in named)
    twice = repeated(part.partition("=")[0] for part in named)
    if twice is not None:
        raise click.UsageError(f"`{twice}` is given twice; a row has one cell per column")
    rest = [part for part in given if part not in named]
    if len(columns) == 1 and not cells:
        return {columns[0]: " ".join(given)}
    texts = [name for name in classifier.text_columns if name not in cells]
    wrong = [part for part in rest if "=" in part or len(texts) != 1]
    if wrong:
        name = wrong[0].partition("=")[0]
        raise click.UsageError(
            f"{wrong[0]!r} is not a cell, COLUMN=VALUE; {nearest(name, columns)}"
        )
    if rest:
        cells[texts[0]] = " ".join(rest)
    return {name: cells.get(name) for name in columns}


def _check_unicode(classifier: likely.Classifier, given: tuple[str, ...]) -> None:
    """Refuse bytes that are not UTF-8, unless the model replaces them."""
    broken = [part for part in given if part != part.encode("utf-8", "replace").decode()]
    if broken and not any(one.replaces_invalid for one in every(classifier.likelihood)):
        raise click.UsageError(
            f"the row is not UTF-8: {broken[0]!r}\nhint: `iconv -f latin1 -t utf-8` makes it so, "
            "and `likely predict --encoding latin-1` reads a file as it is"
        )


def row_without(cells: dict[str, Any], gone: str) -> dict[str, Any]:
    """The row without a column, or without a word wherever it stands."""
    if gone in cells:
        return {**cells, gone: None}
    word = re.compile(rf"(?<!\w){re.escape(gone)}(?!\w) ?", re.IGNORECASE)
    left = {name: word.sub("", cell) if cell else cell for name, cell in cells.items()}
    if left == cells:
        raise click.UsageError(f"--without {gone}: the row has no such word, and no such column")
    return left
