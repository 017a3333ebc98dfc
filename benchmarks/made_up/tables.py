"""Made-up tables of any size, whose text costs about what real text costs to read and count."""

from itertools import chain, count, islice, product
from pathlib import Path
from typing import Any

import numpy as np

_SYLLABLES = [first + vowel for first in "bdfghjklmnprstvz" for vowel in "aeiou"]

# What may follow a word, as a quoted cell of a CSV file has it, and how often it does.
_ENDS = (" ", ", ", ".\n", ' ""and"" ')
_ENDS_UP_TO = np.cumsum([0.9, 0.05, 0.045])

_DRAWN = 1 << 23
_ROWS_AT_ONCE = 2000


def write(path: Path, megabytes: float, n_words: int, *, mixed: bool = False) -> int:
    """A CSV file of texts and labels, with numbers and categories if `mixed`; says how many rows.

    The same arguments give the same file, and a smaller file is the beginning of a larger one.
    """
    language, draw, rows, size = _Language(n_words), np.random.default_rng(0), 0, 0
    with path.open("w", encoding="ascii", newline="") as file:
        while size < megabytes * 1e6:
            labels = draw.integers(2, size=_ROWS_AT_ONCE)
            columns = {"text": language.cells(draw, labels)}
            if mixed:
                columns |= _numbers_and_categories(draw, labels)
            columns["label"] = np.array(["no", "yes"])[labels].tolist()
            if not rows:
                size += file.write(",".join(columns) + "\n")
            lines = map(",".join, zip(*columns.values(), strict=True))
            size += file.write("\n".join(lines) + "\n")
            rows += _ROWS_AT_ONCE
    return rows


class _Language:
    """Words of two to six letters, short ones first, as unevenly common as those of English."""

    def __init__(self, n_words: int):
        spelled = chain.from_iterable(product(_SYLLABLES, repeat=n) for n in count(1))
        words = ["".join(syllables) for syllables in islice(spelled, n_words)]
        self._forms = np.array([[word + end for end in _ENDS] for word in words], dtype=object)
        # Zipf's law, with Mandelbrot's correction. To look a draw up in a long list is several
        # times faster than to search for it.
        up_to = np.cumsum((np.arange(n_words) + 2.7) ** -1.1)
        draws = (np.arange(_DRAWN) + 0.5) / _DRAWN
        self._rank_of_draw = np.searchsorted(up_to / up_to[-1], draws).astype(np.uint32)

    def cells(self, draw: np.random.Generator, labels: Any) -> list[str]:
        """A quoted cell of about a kilobyte for each label."""
        lengths = draw.lognormal(5.25, 0.4, len(labels)).astype(int) + 5
        n = int(lengths.sum())
        ranks = self._rank_of_draw[draw.integers(_DRAWN, size=n)]
        # In one of the classes some words are as common as others are in the other.
        trade = np.repeat(labels == 1, lengths) & (ranks & 0x30 == 0x10)
        ends = np.searchsorted(_ENDS_UP_TO, draw.random(n))
        words = self._forms[np.where(trade, ranks ^ 8, ranks), ends].tolist()
        borders = lengths.cumsum().tolist()
        pairs = zip([0, *borders], borders, strict=False)
        return [f'"{"".join(words[start:end])}"' for start, end in pairs]


def _numbers_and_categories(draw: np.random.Generator, labels: Any) -> dict[str, list[str]]:
    n = len(labels)
    price = draw.lognormal(3 + 0.2 * labels, 1.0)
    age = draw.normal(40 + 3 * labels, 12).clip(1, 99).astype(int)
    region = (draw.integers(12, size=n) + labels * (draw.random(n) < 0.1)) % 12
    device = draw.zipf(1.5, n) % 200
    return {
        "price": [f"{value:.2f}" for value in price.tolist()],
        "age": list(map(str, age.tolist())),
        "region": [f"region {place}" for place in region.tolist()],
        "device": [f"device {place}" for place in device.tolist()],
    }
