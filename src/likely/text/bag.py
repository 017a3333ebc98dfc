"""The bag of a text: its features as they are counted, and what preprocessing did to its words."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from likely import _kernel

if TYPE_CHECKING:
    from likely.text import Text

State = Literal["used", "left out", "unknown"]


@dataclass(frozen=True)
class Feature:
    """A feature, its kind, and how often the text has it."""

    name: str
    kind: str
    count: int
    state: State | None = None
    """What a model makes of it, if one was asked. What it has never seen is unknown."""


@dataclass(frozen=True)
class Bag:
    """The features of a text, kind by kind, the most frequent first."""

    features: tuple[Feature, ...]
    negated: tuple[tuple[str, str], ...] = ()
    """Words that negation marking changed, and what they became."""
    stop_words: tuple[str, ...] = ()
    """Words that were left out,"""
    stems: tuple[tuple[str, str], ...] = ()
    """and those that were stemmed, with their stems."""

    @property
    def counts(self) -> dict[str, int]:
        """How often each feature occurs, by name."""
        found = Counter[str]()
        for feature in self.features:
            found[feature.name] += feature.count
        return dict(found)

    def to_json(self) -> dict[str, Any]:
        """The bag as plain values."""
        features = []
        for feature in self.features:
            state = {} if feature.state is None else {"state": feature.state}
            counted = {"name": feature.name, "kind": feature.kind, "count": feature.count}
            features.append(counted | state)
        return {
            "features": features,
            "negated": [list(pair) for pair in self.negated],
            "stop_words": list(self.stop_words),
            "stems": [list(pair) for pair in self.stems],
        }


def bag(reading: "Text", text: str) -> Bag:
    """The bag of a text as it is read."""
    lists = reading.reading.features(_kernel.Texts([text], reading.invalid == "replace"))
    features = [
        Feature(name, kind, count)
        for kind, names in zip(reading.blocks, lists, strict=True)
        for name, count in Counter(names).most_common()
    ]
    if reading.word_ngrams is None:
        return Bag(tuple(features))
    plain = replace(reading, word_ngrams=1, char_ngrams=None, surface_features=(), lexicon=None)
    unstemmed = replace(plain, stem=None)
    every = replace(unstemmed, stop_words=())
    whole, kept = every.features(text), unstemmed.features(text)
    return Bag(
        tuple(features),
        _changed(replace(every, negation=None).features(text), whole),
        tuple(Counter(whole) - Counter(kept)),
        _changed(kept, plain.features(text)),
    )


def _changed(before: list[str], after: list[str]) -> tuple[tuple[str, str], ...]:
    """The words that became others, each pair once."""
    pairs = dict.fromkeys(zip(before, after, strict=True))
    return tuple(pair for pair in pairs if pair[0] != pair[1])
