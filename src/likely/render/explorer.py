"""A row of values to choose from, and what each would give; it works without a script."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from likely.render.blocks import Table, Tiles
from likely.render.markup import joined, sentence

MOST_CHOICES = 12


@dataclass(frozen=True)
class Choice:
    """A value that can be chosen, and what follows from it."""

    value: str
    outcome: Tiles


@dataclass(frozen=True)
class Explorer:
    """Values side by side, of which one is chosen, by mouse or by arrow keys.

    On paper, and for readers who want all of them at once, there is the table. `name` tells one
    explorer of a page from another.
    """

    name: str
    question: str
    choices: Sequence[Choice]
    chosen: int
    table: Table

    def text(self) -> str:
        return f"{self.question}\n\n{self.table.text()}"

    def html(self) -> Markup:
        table = replace(self.table, caption=f"{self.question} …")
        shown = list(enumerate(self.choices[:MOST_CHOICES]))
        inputs = joined(
            Markup(
                '<input type="radio" name="{0}" id="{0}-{1}" class="choice{1}"{2}>'
                '<label for="{0}-{1}">{3}</label>'
            ).format(
                self.name, place, Markup(" checked" if place == self.chosen else ""), choice.value
            )
            for place, choice in shown
        )
        panels = joined(
            Markup('<div class="panel panel{}">{}</div>').format(place, choice.outcome.html())
            for place, choice in shown
        )
        return Markup(
            '<fieldset class="explorer"><legend>{}</legend>{}{}</fieldset>'
            "<details><summary>Show all values</summary>{}</details>"
        ).format(sentence(self.question), inputs, panels, table.html())
