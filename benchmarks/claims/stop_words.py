"""What leaving out the commonest words brings."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from benchmarks.claims.contest import majority
from benchmarks.claims.intervals import points, turned
from benchmarks.claims.verdicts import speaks
from benchmarks.text.sets import load, present
from likely import Classifier, Multinomial, Text, compare
from likely.evaluation.intervals import flat

_LISTED = len(Text(stop_words="en").stop_words)

CLAIM = "Removing stop words rarely helps"
LEGEND = f"""\
{CLAIM}.
Percent right of the multinomial model on all words, each text judged by the model without it, and
by how many points that changes without the built-in list of {_LISTED:,} words, scikit-learn's of
{len(ENGLISH_STOP_WORDS)}, and the 50 commonest words of the set: 95 % intervals of the paired
bootstrap. Judged: less is right without them."""
WIDTHS = {"set": 17, "texts": 6, "majority": 8, "all words": 9}
WIDTHS |= {"built-in list": 20, "scikit-learn's": 20, "top 50": 20, "speaks": 23}

_SETS = {"rt_polarity": "all", "cr": "all", "sst2": "train", "imdb": "train", "subj": "all"}
_SETS |= {"tweeteval_emotion": "train", "trec_qc": "train", "r8": "train"}
_SETS |= {"20ng_stripped": "train", "spooky_author": "all", "sms_spam": "all"}
_READINGS = {
    "all words": Multinomial(),
    "built-in list": Multinomial(text=Text(stop_words="en")),
    "scikit-learn's": Multinomial(text=Text(stop_words=sorted(ENGLISH_STOP_WORDS))),
    "top 50": Multinomial(skip_top=50),
}
_LARGE = ("imdb", "20ng_stripped")


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    for name in present(folder, *(n for n in _SETS if not quick or n not in _LARGE)):
        corpus = load(folder, name, _SETS[name])
        said = [left_out(likelihood, corpus) for likelihood in _READINGS.values()]
        found = compare(corpus.labels, *said, names=list(_READINGS), resamples=2000)
        effects = {one.system: one.effect for one in found.differences}
        row = {"set": name, "texts": found.rows, "majority": majority(corpus.labels)}
        row["all words"] = f"{100 * found.systems['all words']:.1f}"
        row |= {system: points(effect) for system, effect in effects.items()}
        row["speaks"] = " ".join(speaks(turned(effect)) for effect in effects.values())
        adjusted = {one.system: one.adjusted_p for one in found.differences}
        yield row | {"effects": flat(effects), "p": adjusted}


def left_out(likelihood: Any, corpus: Any) -> Any:
    """What each text is said to be by the model without it."""
    model = Classifier(likelihood, ledger=False)
    return model.fit(corpus.texts, corpus.labels, loo=True).loo.predictions
