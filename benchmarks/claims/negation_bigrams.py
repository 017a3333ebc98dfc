"""What negation marking and bigrams are worth for sentiment."""

from collections.abc import Iterator

import numpy as np

from benchmarks.claims.stop_words import compared
from benchmarks.claims.verdicts import side
from benchmarks.run import Run
from benchmarks.table import Row, in_percent
from likely import Multinomial, Negation, Text

NOTES = """\
Leave-one-out accuracy in percent of the multinomial model on words, and by how many points that
changes with words marked from a negator to the end of its clause, with only the next word marked,
with bigrams beside the words, and with marked words and their bigrams: 95 % intervals of the paired
bootstrap. `negated` is the percentage of texts with a marked word. Tested: accuracy is higher with
each."""
COLUMNS = (
    "set",
    "texts",
    "majority",
    "negated",
    "words",
    "to the clause's end",
    "next word",
    "bigrams",
    "both",
    "result",
)

_SETS = {"rt_polarity": "all", "cr": "all", "sst2": "train", "imdb": "train"}
_MARKED = Text(negation="en")
_READINGS = {
    "words": Multinomial(),
    "to the clause's end": Multinomial(text=_MARKED),
    "next word": Multinomial(text=Text(negation=Negation("en", scope="word"))),
    "bigrams": Multinomial(text=Text((1, 2))),
    "both": Multinomial(text=Text((1, 2), negation="en")),
}


def rows(run: Run) -> Iterator[Row]:
    for name in run.data.present(*_SETS):
        corpus = run.data.texts(name, _SETS[name])
        row, changes = compared(corpus, _READINGS)
        row["negated"] = in_percent(float(np.mean([_is_negated(text) for text in corpus.texts])))
        yield row | {"result": " ".join(map(side, changes))}


def _is_negated(text: str) -> bool:
    return any(word.startswith("NOT_") for word in _MARKED.features(text))
