"""The whole idea of Likely, in plain Python: a model is a tally, and a tally can be added to.

    observe(rows) → Tally        what was seen, nothing estimated
    Tally + Tally → Tally        more data
    Tally − Tally → Tally        forget data
    scores(tally, text)          log P(c) + Σ log P(word | c), estimated when asked

Run it: likely example gullpoint && python examples/tiny.py gullpoint.csv
"""

import csv
import re
import sys
from collections import Counter
from math import log


class Tally:
    """How many rows each class has, and how often each word was seen in it."""

    def __init__(self, rows=(), words=()):
        self.rows = Counter(rows)  # class → rows
        self.words = Counter(words)  # (class, word) → occurrences

    def __add__(self, other):
        return Tally(self.rows + other.rows, self.words + other.words)

    def __sub__(self, other):
        if not (other.rows <= self.rows and other.words <= self.words):
            raise ValueError("what was never learned cannot be forgotten")
        return Tally(self.rows - other.rows, self.words - other.words)

    def __eq__(self, other):
        return (self.rows, self.words) == (other.rows, other.words)


def words(text):
    return re.findall(r"\w+", text.lower())


def observe(text, label):
    """Count one row."""
    return Tally([label], [(label, word) for word in words(text)])


def scores(tally, text, alpha=1.0):
    """log P(text, c) for each class c, by multinomial Naive Bayes with Laplace's smoothing."""
    vocabulary = {word for _, word in tally.words}
    totals = Counter()
    for (label, _), times in tally.words.items():
        totals[label] += times
    result = {}
    for label, rows in tally.rows.items():
        result[label] = log(rows / tally.rows.total())
        for word in words(text):
            if word in vocabulary:  # unseen words are ignored
                seen = tally.words[label, word] + alpha
                result[label] += log(seen / (totals[label] + alpha * len(vocabulary)))
    return result


def predict(tally, text):
    """The most probable class; of equals, the one that sorts first."""
    result = scores(tally, text)
    return max(sorted(result), key=result.get)


def leave_one_out(rows):
    """How often each row is right under the tally without it. The library does this in one pass."""
    total = sum((observe(*row) for row in rows), Tally())
    right = sum(predict(total - observe(text, label), text) == label for text, label in rows)
    return right / len(rows)


if __name__ == "__main__":
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = [(row["text"], row["office"]) for row in csv.DictReader(file)]
    print(f"leave-one-out accuracy of the first 100 rows: {leave_one_out(rows[:100]):.1%}")
