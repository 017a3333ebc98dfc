"""Gates for continuous integration: the least that a score, the most that a loss may be."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import click

from likely import render
from likely.cli.options import together
from likely.data.columns import nearest
from likely.data.table import named
from likely.evaluation.evaluate import LOSSES

GATE_FAILED = 1

# Between which numbers a figure may lie, unless it is a share, from 0 to 1.
_BETWEEN = {"mcc": (-1.0, 1.0), "brier": (0.0, 2.0), "log_loss": (0.0, math.inf)}

gate_options = together(
    click.option(
        "--min",
        "least",
        metavar="SCORE=N",
        multiple=True,
        help="Fail with exit code 1 if a score is lower: macro_f1=0.8, recall:spam=0.9.",
    ),
    click.option(
        "--max",
        "most",
        metavar="LOSS=N",
        multiple=True,
        help=f"Fail with exit code 1 if a loss is higher: {', '.join(sorted(LOSSES))}.",
    ),
)


@dataclass(frozen=True)
class Gate:
    """A figure and its bar: of a score the least, of a loss the most."""

    figure: str
    bar: float

    def failed(self, figures: dict[str, float]) -> str | None:
        """What is wrong with the figure, if anything is."""
        if self.figure not in figures:
            return f"{self.figure} cannot be told from these rows, so it is not {self.bar:g}"
        found = figures[self.figure]
        is_loss = self.figure in LOSSES
        if found <= self.bar if is_loss else found >= self.bar:
            return None
        side = "above" if is_loss else "below"
        return f"{self.figure} is {render.number(found)}, {side} {self.bar:g}"


def gates_of(least: Iterable[str], most: Iterable[str], known: Iterable[str]) -> list[Gate]:
    """The gates that were asked for, each of a figure that is known and on its right side."""
    known = list(known)
    asked = [*(("--min", given) for given in least), *(("--max", given) for given in most)]
    return [_gate(option, given, known) for option, given in asked]


def _gate(option: str, given: str, known: list[str]) -> Gate:
    name, _, number = given.rpartition("=")
    try:
        bar = float(number)
    except ValueError:
        bar = math.nan
    if not math.isfinite(bar) or not name:
        example = "macro_f1=0.8" if option == "--min" else "log_loss=0.5"
        raise click.UsageError(f"{option} {given}: a figure and a number, as in {example}")
    if name not in known:
        meant = f"macro_{name}"
        hint = f"\nhint: did you mean `{meant}`?" if meant in known else ""
        suggestion = f"there are {named(known, 12)}{hint}" if hint else nearest(name, known)
        raise click.UsageError(f"{option} {name}: there is no such figure; {suggestion}")
    if (name in LOSSES) != (option == "--max"):
        what, better, right = (
            ("loss", "lower", "--max") if name in LOSSES else ("score", "higher", "--min")
        )
        raise click.UsageError(
            f"{option} {given}: {name} is a {what}, {better} is better, so its gate is "
            f"{right} {given}"
        )
    low, high = _BETWEEN.get(name, (0.0, 1.0))
    if not low <= bar <= high:
        hint = f"\nhint: {bar:g} % is {bar / 100:g}" if high == 1 and 2 <= bar <= 100 else ""
        most = "has no upper end" if high == math.inf else f"goes up to {high:g}"
        raise click.UsageError(f"{option} {given}: {name} begins at {low:g} and {most}{hint}")
    return Gate(name, bar)
