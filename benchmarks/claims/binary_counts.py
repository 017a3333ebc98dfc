"""What counting a word once per text, instead of each time, is worth."""

from collections.abc import Iterator

from benchmarks.claims.dataset import majority
from benchmarks.claims.intervals import points
from benchmarks.claims.stop_words import leave_one_out
from benchmarks.claims.verdicts import side
from benchmarks.run import Run
from benchmarks.table import Row, in_percent
from likely import BinaryMultinomial, Multinomial, compare

NOTES = """\
Accuracy in percent with every occurrence counted (multinomial) and with each word once per text
(binary), by leave-one-out; the difference with the 95 % interval of the paired bootstrap, and
McNemar's p. Tested on sentiment: binary is above multinomial. The other sets are for comparison."""
COLUMNS = (
    "set",
    "task",
    "texts",
    "words",
    "majority",
    "multinomial",
    "binary-multinomial",
    "difference",
    "p",
    "result",
)

_SETS = {"rt_polarity": "all", "cr": "all", "mpqa": "all", "sst2": "train", "imdb": "train"}
_OTHERS = {"tweeteval_emotion": "train", "r8": "train", "20ng_stripped": "train"}


def rows(run: Run) -> Iterator[Row]:
    sets = _SETS | _OTHERS
    for name in run.data.present(*sets):
        corpus = run.data.texts(name, sets[name])
        predicted = [
            leave_one_out(likelihood, corpus) for likelihood in (Multinomial(), BinaryMultinomial())
        ]
        found = compare(
            corpus.labels, *predicted, names=["multinomial", "binary-multinomial"], resamples=2000
        )
        length = round(sum(len(text.split()) for text in corpus.texts) / found.rows)
        is_sentiment = name in _SETS
        row: Row = {"set": name, "task": "sentiment" if is_sentiment else "other"}
        row |= {"texts": found.rows, "words": length, "majority": majority(corpus.labels)}
        row |= {who: in_percent(figure) for who, figure in found.systems.items()}
        row |= {"difference": points(found.effect), "p": _p(found.p_value)}
        yield row | ({"result": side(found.effect)} if is_sentiment else {})


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
