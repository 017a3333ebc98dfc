"""What leaving out the most frequent words brings."""

from collections.abc import Iterator
from typing import Any

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from benchmarks.claims.dataset import majority
from benchmarks.claims.intervals import negated, points
from benchmarks.claims.verdicts import side
from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.table import Row, in_percent
from likely import Classifier, Multinomial, Text, compare
from likely.evaluation.intervals import Figure

_LISTED = len(Text(stop_words="en").stop_words)

NOTES = f"""\
Leave-one-out accuracy in percent of the multinomial model on all words, and by how many points that
changes without the built-in list of {_LISTED:,} words, without scikit-learn's of
{len(ENGLISH_STOP_WORDS)}, and without the 50 most common words of the set: 95 % intervals of the
paired bootstrap. Tested: accuracy is lower without them."""
COLUMNS = (
    "set",
    "texts",
    "majority",
    "all words",
    "built-in list",
    "scikit-learn's",
    "top 50",
    "result",
)

_SETS = {"rt_polarity": "all", "cr": "all", "sst2": "train", "imdb": "train", "subj": "all"}
_SETS |= {"tweeteval_emotion": "train", "trec_qc": "train", "r8": "train"}
_SETS |= {"20ng_stripped": "train", "spooky_author": "all", "sms_spam": "all"}
_READINGS = {
    "all words": Multinomial(),
    "built-in list": Multinomial(text=Text(stop_words="en")),
    "scikit-learn's": Multinomial(text=Text(stop_words=sorted(ENGLISH_STOP_WORDS))),
    "top 50": Multinomial(skip_top=50),
}


def rows(run: Run) -> Iterator[Row]:
    for name in run.data.present(*_SETS):
        corpus = run.data.texts(name, _SETS[name])
        row, changes = compared(corpus, _READINGS)
        yield row | {"result": " ".join(side(negated(change)) for change in changes)}


def compared(corpus: Corpus, readings: dict[str, Any]) -> tuple[Row, list[Figure]]:
    """A row with the accuracy of the first reading and the change by each other, and these."""
    predicted = [leave_one_out(likelihood, corpus) for likelihood in readings.values()]
    found = compare(corpus.labels, *predicted, names=list(readings), resamples=2000)
    first, effects = next(iter(readings)), {one.system: one.effect for one in found.differences}
    row: Row = {"set": corpus.name, "texts": found.rows, "majority": majority(corpus.labels)}
    row |= {first: in_percent(found.systems[first])}
    row |= {system: points(effect) for system, effect in effects.items()}
    row["p"] = {one.system: one.adjusted_p for one in found.differences}
    return row, list(effects.values())


def leave_one_out(likelihood: Any, corpus: Any) -> Any:
    """Leave-one-out predictions."""
    model = Classifier(likelihood, ledger=False)
    return model.fit(corpus.texts, corpus.labels, loo=True).loo.predictions
