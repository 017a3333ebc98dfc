"""What counting a word once per text, instead of each time, is worth."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.claims.contest import majority
from benchmarks.claims.intervals import points
from benchmarks.claims.stop_words import left_out
from benchmarks.claims.verdicts import speaks
from benchmarks.text.sets import load, present
from likely import Binary, Multinomial, compare
from likely.evaluation.intervals import flat

CLAIM = "Binary counts help sentiment"
LEGEND = f"""\
{CLAIM}.
Percent right with every occurrence counted (multinomial) and with each word counted once per text
(binary), each text judged by the model without it; the difference with the 95 % interval of the
paired bootstrap, and McNemar's p. Judged on sentiment: binary is above multinomial. The other sets
stand beside it."""
WIDTHS = {"set": 17, "task": 9, "texts": 6, "words": 5, "majority": 8, "multinomial": 11}
WIDTHS |= {"binary": 6, "difference": 20, "p": 6, "speaks": 7}

_SETS = {"rt_polarity": "all", "cr": "all", "mpqa": "all", "sst2": "train", "imdb": "train"}
_OTHERS = {"tweeteval_emotion": "train", "r8": "train", "20ng_stripped": "train"}
_LARGE = ("imdb", "20ng_stripped")


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    sets = _SETS | _OTHERS
    for name in present(folder, *(n for n in sets if not quick or n not in _LARGE)):
        corpus = load(folder, name, sets[name])
        said = [left_out(likelihood, corpus) for likelihood in (Multinomial(), Binary())]
        found = compare(corpus.labels, *said, names=["multinomial", "binary"], resamples=2000)
        length = round(sum(len(text.split()) for text in corpus.texts) / found.rows)
        is_sentiment = name in _SETS
        row = {"set": name, "task": "sentiment" if is_sentiment else "other"}
        row |= {"texts": found.rows, "words": length, "majority": majority(corpus.labels)}
        row |= {who: f"{100 * figure:.1f}" for who, figure in found.systems.items()}
        row |= {"difference": points(found.effect), "p": _p(found.p_value)}
        row |= {"speaks": speaks(found.effect)} if is_sentiment else {}
        yield row | {"effect": flat({"binary": found.effect})}


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
