"""`likely prove`."""

import textwrap
from collections import Counter

import click

from likely import __version__
from likely.cli.gates import GATE_FAILED
from likely.cli.options import json_option, status
from likely.cli.paths import Command
from likely.cli.writing import dumped
from likely.prove import GUARANTEES, Checked, checked

_WIDTH = 80
_SIGNS = {True: ("✓", "green"), False: ("✗", "bright_red"), None: ("–", "yellow")}


@click.command(cls=Command)
@json_option
def prove(as_json: bool) -> None:
    """Check what Likely guarantees, on its example tables, before your eyes.

    \b
      likely prove
      likely prove --json

    Each guarantee is measured anew. Below it are commands for a shell in an empty folder that check
    it without `likely prove`: the last of them fails if the guarantee is broken. The exit code is 1
    if one is.
    """
    found = []
    for guarantee in GUARANTEES:
        with status(guarantee.sentence):
            one = checked(guarantee)
        found.append(one)
        if not as_json:
            click.echo("\n".join([*_lines(one), ""]))
    holds = not any(one.finding.is_broken for one in found)
    seconds = sum(one.seconds for one in found)
    if as_json:
        facts = {"version": __version__, "holds": holds, "seconds": round(seconds, 3)}
        click.echo(dumped({**facts, "guarantees": [one.to_json() for one in found]}))
    else:
        click.echo(_verdict(found, seconds))
    if not holds:
        raise click.exceptions.Exit(GATE_FAILED)


def _lines(one: Checked) -> list[str]:
    """The guarantee with its seconds, what was measured, and how to check it."""
    sign, color = _SIGNS[one.finding.holds]
    time = f"{one.seconds:.1f} s"
    sentence = one.guarantee.sentence.ljust(_WIDTH - 2 - len(time))
    measured = textwrap.wrap(one.finding.measured, _WIDTH - 2, break_on_hyphens=False)
    return [
        f"{click.style(sign, fg=color)} {click.style(sentence, bold=True)}{time}",
        *(f"  {line}" for line in measured),
        "",
        *(click.style(f"    {line}", dim=True) for line in one.guarantee.shell.splitlines()),
    ]


def _verdict(found: list[Checked], seconds: float) -> str:
    counts = Counter(one.finding.holds for one in found)
    words = [f"{counts[True]} of {len(found)} guarantees hold"]
    if counts[None]:
        words.append(f"{counts[None]} skipped")
    broken = [one.guarantee.name for one in found if one.finding.is_broken]
    if broken:
        words.append(f"broken: {', '.join(broken)}")
    line = f"{' · '.join(words)} · {seconds:.1f} s"
    return click.style(line, bold=True, fg="bright_red" if broken else None)
