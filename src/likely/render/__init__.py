"""What is shown to people: sentences, tables and charts, for a terminal, a notebook or a file.

A block is a sentence, or something that knows its `text()` and its `html()`. `text` puts blocks on
a terminal, `html` into a notebook, `document` makes them a page of their own: one file that loads
nothing, runs nothing and looks the same offline. Whatever a user's file holds, it stays text.
"""

from likely.render.blocks import (
    Bar,
    Block,
    Cards,
    Caution,
    Cell,
    Code,
    Folded,
    Grid,
    Name,
    Phrase,
    SideBySide,
    Subsection,
    Table,
    Tiles,
    markup,
    text,
)
from likely.render.charts import LineChart, Series
from likely.render.document import Section, document, html
from likely.render.explorer import Choice, Explorer
from likely.render.formatting import (
    WIDTH,
    count,
    counted,
    cut,
    full_name,
    gap,
    in_order,
    interval,
    name,
    number,
    percent,
    rate,
    signed,
    tenth,
)
from likely.render.markup import highlighted

__all__ = [
    "WIDTH",
    "Bar",
    "Block",
    "Cards",
    "Caution",
    "Cell",
    "Choice",
    "Code",
    "Explorer",
    "Folded",
    "Grid",
    "LineChart",
    "Name",
    "Phrase",
    "Section",
    "Series",
    "SideBySide",
    "Subsection",
    "Table",
    "Tiles",
    "count",
    "counted",
    "cut",
    "document",
    "full_name",
    "gap",
    "highlighted",
    "html",
    "in_order",
    "interval",
    "markup",
    "name",
    "number",
    "percent",
    "rate",
    "signed",
    "tenth",
    "text",
]
