"""The example tables that come with the package, read without it."""

import csv

from likely.examples import path


def rows(file):
    """The cells below the header."""
    with open(path(file), newline="", encoding="utf-8") as lines:
        return list(csv.reader(lines))[1:]


def table(file, kind=str):
    """The columns but the last, each with its name, and the last, the labels."""
    with open(path(file), newline="", encoding="utf-8") as lines:
        *names, _ = next(csv.reader(lines))
    *columns, labels = zip(*rows(file), strict=True)
    return {n: list(map(kind, c)) for n, c in zip(names, columns, strict=True)}, list(labels)
