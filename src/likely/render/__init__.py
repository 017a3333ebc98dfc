"""What is shown to people: sentences, tables and charts, for a terminal, a notebook or a file.

A block is a sentence, or something that knows its `text()` and its `html()`. `text` puts blocks on
a terminal, `html` into a notebook, `document` makes them a page of their own: one file that loads
nothing, runs nothing and looks the same offline. Whatever a user's file holds, it stays text.
"""

from likely.render.blocks import (
    Bar,
    Beside,
    Block,
    Cards,
    Cell,
    Code,
    Grid,
    Name,
    Part,
    Phrase,
    Table,
    Tiles,
    Warned,
    markup,
    text,
)
from likely.render.charts import Line, Plot
from likely.render.document import Section, document, html
from likely.render.explorer import Explorer, Stop
from likely.render.formatting import (
    WIDTH,
    count,
    counted,
    cut,
    in_order,
    interval,
    name,
    number,
    percent,
    signed,
    tenth,
    whole,
)
from likely.render.markup import Markup, escaped, highlighted

__all__ = [
    "WIDTH",
    "Bar",
    "Beside",
    "Block",
    "Cards",
    "Cell",
    "Code",
    "Explorer",
    "Grid",
    "Line",
    "Markup",
    "Name",
    "Part",
    "Phrase",
    "Plot",
    "Section",
    "Stop",
    "Table",
    "Tiles",
    "Warned",
    "count",
    "counted",
    "cut",
    "document",
    "escaped",
    "highlighted",
    "html",
    "in_order",
    "interval",
    "markup",
    "name",
    "number",
    "percent",
    "signed",
    "tenth",
    "text",
    "whole",
]
