"""What leaving out the commonest words brings."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.claims.contest import majority
from benchmarks.claims.intervals import points, turned
from benchmarks.claims.verdicts import speaks
from benchmarks.text.sets import load, present
from likely import Classifier, Multinomial, Text, compare
from likely.evaluation.intervals import flat

CLAIM = "Removing stop words rarely helps"
LEGEND = f"""\
{CLAIM}.
Percent right of the multinomial model on all words, each text judged by the model without it, and
by how many points it changes without the built-in list of stop words, and without the 50 commonest
words: 95 % intervals of the paired bootstrap and McNemar's p, after Holm's correction for the two.
Judged: less is right without them."""
WIDTHS = {"set": 17, "texts": 6, "majority": 8, "all words": 9}
WIDTHS |= {"without the list": 20, "p": 6, "without the top 50": 20, "p ": 6, "speaks": 15}

_SETS = {"rt_polarity": "all", "cr": "all", "sst2": "train", "imdb": "train", "subj": "all"}
_SETS |= {"tweeteval_emotion": "train", "trec_qc": "train", "r8": "train"}
_SETS |= {"20ng_stripped": "train", "spooky_author": "all", "sms_spam": "all"}
_LARGE = ("imdb", "20ng_stripped")


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    listed, top = Multinomial(text=Text(stop_words="en")), Multinomial(skip_top=50)
    for name in present(folder, *(n for n in _SETS if not quick or n not in _LARGE)):
        corpus = load(folder, name, _SETS[name])
        said = [left_out(likelihood, corpus) for likelihood in (Multinomial(), listed, top)]
        found = compare(corpus.labels, *said, names=["all", "listed", "top"], resamples=2000)
        row = {"set": name, "texts": found.rows, "majority": majority(corpus.labels)}
        row["all words"] = f"{100 * found.systems['all']:.1f}"
        listed_, top_ = found.differences
        row |= {"without the list": points(listed_.effect), "p": p(listed_.adjusted_p)}
        row |= {"without the top 50": points(top_.effect), "p ": p(top_.adjusted_p)}
        row["speaks"] = " ".join(speaks(turned(one.effect)) for one in found.differences)
        yield row | {"effects": flat({one.system: one.effect for one in found.differences})}


def left_out(likelihood: Any, corpus: Any) -> Any:
    """What each text is said to be by the model without it."""
    model = Classifier(likelihood, ledger=False)
    return model.fit(corpus.texts, corpus.labels, loo=True).loo.predictions


def p(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
