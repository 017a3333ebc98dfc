"""A row of stops to choose from, and what each would bring; it works without a script."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from likely.render.blocks import Table, Tiles
from likely.render.markup import escaped, sentence

MOST_STOPS = 12


@dataclass(frozen=True)
class Stop:
    """A value that can be chosen, and what follows from it."""

    shown: str
    outcome: Tiles


@dataclass(frozen=True)
class Explorer:
    """Stops side by side, of which one is chosen, by mouse or by arrow keys.

    On paper, and for who wants all of them at once, there is the table. `name` tells one explorer
    of a page from another.
    """

    name: str
    question: str
    stops: Sequence[Stop]
    chosen: int
    table: Table

    def text(self) -> str:
        return f"{self.question}\n\n{self.table.text()}"

    def html(self) -> str:
        table = replace(self.table, caption=f"{self.question} …")
        inputs, panels = [], []
        for place, stop in enumerate(self.stops[:MOST_STOPS]):
            known = f"{self.name}-{place}"
            is_chosen = " checked" if place == self.chosen else ""
            inputs.append(
                f'<input type="radio" name="{self.name}" id="{known}" class="stop{place}"'
                f'{is_chosen}><label for="{known}">{escaped(stop.shown)}</label>'
            )
            panels.append(f'<div class="panel panel{place}">{stop.outcome.html()}</div>')
        return (
            f'<fieldset class="explorer"><legend>{sentence(self.question)}</legend>'
            f"{''.join(inputs)}{''.join(panels)}</fieldset>"
            f"<details><summary>All of them</summary>{table.html()}</details>"
        )
