"""Rows of every kind that the laws are tried on."""

from hypothesis import strategies as st

from likely.data.labels import labels
from likely.data.table import Batch, Table

WORDS = st.sampled_from(
    [
        "a",
        "b",
        "A",
        "don't",
        "3.14",
        "naïve",
        "日本",
        "NOT_b",
        "👍",
        "_",
        "a-very-long-compound-word",
        "donaudampfschifffahrtsgesellschaft",
    ]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=6).map(" ".join), st.text(max_size=12))
NUMBERS = st.one_of(
    st.sampled_from([None, 0.0, -0.0, 1.0, 0.1, 1e8 + 1e-3, 1e8 - 1e-3, 1e300, -1e300, 5e-324]),
    st.floats(-10, 10),
    st.floats(allow_nan=False, allow_infinity=False),
)
CATEGORIES = st.sampled_from([None, "red", "green", "日本", "light blue", "a\nb"])
ENTRIES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 0.1, -1e9, 1e9, 0.125]), st.floats(-4, 4, width=32)
)
VECTORS = st.one_of(st.none(), st.tuples(ENTRIES, ENTRIES, ENTRIES))
# The first two differ in nothing that is counted.
DATES = st.sampled_from(
    ["2024-03-05", "2024-03-12", "2023-12-31T23:59", "1999-01-01T09:30:15.5Z", "5.7.2024", None]
)
LABELS = st.sampled_from(["ham", "spam", "ñ", "", "eggs", "9", "10"])

COLUMNS = {
    **{"text": TEXTS, "a": NUMBERS, "b": NUMBERS, "u": CATEGORIES, "v": CATEGORIES},
    **{"d": DATES, "e": DATES, "w": VECTORS},
}


@st.composite
def rows(draw, max_size=6, numbers=NUMBERS):
    """A list of (cells by column, label)."""
    cells = st.fixed_dictionaries({**COLUMNS, "a": numbers, "b": numbers})
    return draw(st.lists(st.tuples(cells, LABELS), max_size=max_size))


def batch(product, rows):
    """The rows as `product` reads them."""
    table = Table.of({name: [cells[name] for cells, _ in rows] for name in COLUMNS})
    return Batch(product.read(table), labels([label for _, label in rows]))


def seen(product, rows):
    """What of each row `product` reads."""
    return [(tuple(cells[name] for name in product.columns), label) for cells, label in rows]
