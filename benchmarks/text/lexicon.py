"""What a lexicon is worth while labels are few."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.corpus import Corpus
from benchmarks.text.sets import pick, splits
from likely import Classifier, Lexicon, Multinomial, Polarity, Text

LEGEND = """\
Percent right on the test texts, having learned from so many labels, half of each class, drawn at
random; the mean of twenty draws and its 95 % interval. `words` are the plain words; `LEX` adds a
feature for each hit of a lexicon, `net` a bell curve over the net polarity; V is VADER's lexicon, O
the opinion lexicon of Hu and Liu. Without any label, the sign of the net polarity decides, and a
text whose net polarity is 0 counts half."""
WIDTHS = {"set": 11, "labels": 6, "words": 10, "LEX V": 10, "LEX O": 10, "net V": 10, "net O": 10}

_SETS = ("rt_polarity", "sst2")
_LEXICONS = {"V": "lexicons/vader_lexicon.txt", "O": "opinion_lexicon/all.csv"}
_LABELS = (10, 20, 50, 100, 200, 500, 1000)
_LETTERS = {"words": "w", "LEX V": "v", "LEX O": "o", "net V": "V", "net O": "O"}


def rows(folder: Path, quick: bool) -> Iterator[dict[str, Any]]:
    missing = [path for path in _LEXICONS.values() if not (folder / path).exists()]
    if missing:
        print(f"lexicon: left out, there is no `{folder / missing[0]}`", file=sys.stderr)
        return
    lexicons = {letter: Lexicon.read(folder / path) for letter, path in _LEXICONS.items()}
    sizes = _LABELS[::3] if quick else _LABELS
    for train, test in splits(folder, *_SETS):
        yield {"set": train.name, "labels": 0} | {
            f"net {letter}": f"{100 * _alone(lexicon, test):.1f}"
            for letter, lexicon in lexicons.items()
        }
        for n in sizes:
            draws = [_draw(train, n, seed) for seed in range(3 if quick else 20)]
            row: dict[str, Any] = {"set": train.name, "labels": n, "draws": {}}
            for name, likelihood in _likelihoods(lexicons).items():
                right = [_right(likelihood, draw, test) for draw in draws]
                row["draws"][name] = right
                half = 1.96 * np.std(right, ddof=1) / np.sqrt(len(right))
                row[name] = f"{100 * np.mean(right):.1f} ± {100 * half:.1f}"
            yield row


def _likelihoods(lexicons: dict[str, Lexicon]) -> dict[str, Any]:
    given: dict[str, Any] = {"words": Multinomial()}
    for letter, lexicon in lexicons.items():
        given[f"LEX {letter}"] = Multinomial(text=Text(lexicon=lexicon))
    for letter, lexicon in lexicons.items():
        given[f"net {letter}"] = [Multinomial(), Polarity(lexicon, negation="en")]
    return given


def _draw(train: Corpus, n: int, seed: int) -> Corpus:
    """So many texts, half of each class."""
    draw, labels = np.random.default_rng(seed), np.array(train.labels)
    classes = np.unique(labels)
    halves = [draw.choice(np.flatnonzero(labels == c), n // 2, replace=False) for c in classes]
    return pick(train, np.concatenate(halves))


def _right(likelihood: Any, train: Corpus, test: Corpus) -> float:
    model = Classifier({"text": likelihood}, ledger=False)
    model.fit({"text": train.texts}, train.labels)
    return float(np.mean(model.predict({"text": test.texts}) == np.array(test.labels)))


def _alone(lexicon: Lexicon, test: Corpus) -> float:
    said = lexicon.classify(test.texts, positive="pos", negative="neg", negation="en")
    pairs = zip(said, test.labels, strict=True)
    return float(np.mean([0.5 if ours is None else ours == label for ours, label in pairs]))


def chart(rows: list[dict[str, Any]]) -> str:
    """The figures as places on a line, a line for each number of labels."""
    return "\n".join(["", *(line for name in _SETS for line in _curves(name, rows))])


def _curves(name: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    own = [row for row in rows if row["set"] == name]
    letters = ", ".join(f"{letter} {column}" for column, letter in _LETTERS.items())
    if own:
        yield f"{name}: {letters}"
        yield f"{'labels':>6}  {''.join(f'{percent:<10}' for percent in range(50, 85, 5))}%"
    for row in own:
        shown = {_LETTERS[c]: float(row[c].split()[0]) for c in _LETTERS if c in row}
        yield f"{row['labels']:>6,}  {points(shown)}"


def points(percent: dict[str, float], low: float = 50.0, step: float = 0.5) -> str:
    """Letters at their places on a line; of two at one place, the second stands to the right."""
    line: dict[int, str] = {}
    for letter, value in sorted(percent.items(), key=lambda item: item[1]):
        place = max(0, round((value - low) / step))
        while place in line:
            place += 1
        line[place] = letter
    return "".join(line.get(place, " ") for place in range(max(line, default=-1) + 1))
