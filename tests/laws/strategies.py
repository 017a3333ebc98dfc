"""Rows of every kind that the laws are tried on."""

from hypothesis import strategies as st

from likely import inputs

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
LABELS = st.sampled_from(["ham", "spam", "ñ", "", "eggs", "9", "10"])


@st.composite
def rows(draw, max_size=6):
    """A list of (text, label)."""
    return draw(st.lists(st.tuples(TEXTS, LABELS), max_size=max_size))


def batch(rows):
    return inputs.batch([text for text, _ in rows], [label for _, label in rows])
