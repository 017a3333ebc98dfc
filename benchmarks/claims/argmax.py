"""How right the decisions and how wrong the probabilities are, as features get more dependent."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit

from benchmarks.claims.intervals import half_width, mean, percent, points
from benchmarks.claims.verdicts import POINT, side
from benchmarks.peers import vectorized_logistic
from benchmarks.run import Run
from benchmarks.table import Row
from likely import Classifier, Gaussian, Multinomial, evaluate

NOTES = """\
Accuracy in percent, expected calibration error (`off by`, in points) and log-loss (nats) on rows
that were not learned: means of 10 draws and their 95 % intervals. Made-up numbers: 20, in pairs,
every other pair correlated within each class; the two of a pair lean the same way (`alike`) or each
its own way (`any`); 5,000 rows learned and 5,000 predicted; `other` is the true posterior. `imdb`:
the first so many words of 2,000 reviews learned and 2,000 predicted; `other` is logistic regression
on the same counts. Tested where features depend on each other: the accuracy of NB is less than one
point lower, and its calibration error larger."""
COLUMNS = (
    "rows",
    "NB right",
    "other",
    "NB − other",
    "NB off by",
    "more off by",
    "NB log-loss",
    "other's",
    "result",
)

_CORRELATIONS = (0.0, 0.3, 0.6, 0.9)
_PAIRS = 10
_ROWS = 5000
# With means so far apart, 90 % can be right while no pair is correlated.
_APART = 2.56
_WORDS = (10, 50, 250)
_REVIEWS = 2000


def rows(run: Run) -> Iterator[Row]:
    draws = run.draws(10)
    for alike in (True, False):
        for correlation in _CORRELATIONS:
            found = [_made_up(alike, correlation, seed) for seed in draws]
            name = f"{'alike' if alike else 'any'}, correlation {correlation}"
            yield _row(name, found, judged=correlation > 0)
    for name in run.data.present("imdb"):
        reviews = list(run.data.texts(name, "train").pairs)
        cut = 200 if run.quick else _REVIEWS
        for n_words in _WORDS:
            found = [_reviews(reviews, n_words, seed, cut) for seed in draws]
            yield _row(f"imdb, {n_words} words", found, judged=True)


def _row(name: str, found: list[Any], judged: bool) -> Row:
    """From the evaluations of NB and of what stands beside it, one pair a draw."""
    right, off, loss = (
        np.array([[float(getattr(one, figure)) for one in pair] for pair in found]).T
        for figure in ("accuracy", "ece", "log_loss")
    )
    behind, worse = mean(right[0] - right[1]), mean(off[0] - off[1])
    row: Row = {"rows": name, "NB right": percent(mean(right[0])), "other": percent(mean(right[1]))}
    row |= {"NB − other": points(behind), "NB off by": percent(mean(off[0]))}
    row |= {"more off by": points(worse), "NB log-loss": half_width(mean(loss[0]), 3)}
    row["other's"] = half_width(mean(loss[1]), 3)
    return row | ({"result": f"{side(behind, -POINT)} {side(worse)}"} if judged else {})


def _made_up(alike: bool, correlation: float, seed: int) -> tuple[Any, Any]:
    x, y, posterior = draw(alike, correlation, 2 * _ROWS, np.random.default_rng(seed))
    model = Classifier(Gaussian(), ledger=False).fit(x[:_ROWS], y[:_ROWS])
    probable = np.column_stack([1 - posterior, posterior])[_ROWS:]
    truth = y[_ROWS:]
    return _judged(truth, model.predict_proba(x[_ROWS:])), _judged(truth, probable)


def draw(
    alike: bool, correlation: float, n: int, chance: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of unit Gaussians, their classes, and the probability of class 1 given the row."""
    apart = chance.normal(size=(_PAIRS, 2))
    if alike:
        apart[:, 1] = apart[:, 0]
    apart *= _APART / np.linalg.norm(apart)
    r = np.where(np.arange(_PAIRS) % 2, correlation, 0.0)
    y = chance.integers(2, size=n)
    first, second = chance.normal(size=(2, n, _PAIRS))
    x = np.stack([first, r * first + np.sqrt(1 - r**2) * second], axis=2)
    x += apart * (y[:, None, None] - 0.5)
    # Σ⁻¹(μ₁ − μ₀), pair by pair; the means lie symmetrically about 0.
    weights = (apart - r[:, None] * apart[:, ::-1]) / (1 - r**2)[:, None]
    return x.reshape(n, -1), y, expit((x * weights).sum(axis=(1, 2)))


def _reviews(reviews: list[tuple[str, str]], n_words: int, seed: int, cut: int) -> tuple[Any, Any]:
    order = np.random.default_rng(seed).permutation(len(reviews))[: 2 * cut]
    texts = [" ".join(reviews[place][0].split()[:n_words]) for place in order]
    labels = np.array([reviews[place][1] for place in order])
    learned, asked, truth = texts[:cut], texts[cut:], labels[cut:]
    naive = Classifier(Multinomial(), ledger=False).fit(learned, labels[:cut])
    peer = vectorized_logistic(tfidf=False).fit(learned, labels[:cut])
    return _judged(truth, naive.predict_proba(asked)), _judged(truth, peer.predict_proba(asked))


def _judged(truth: np.ndarray, probable: np.ndarray) -> Any:
    said = np.unique(truth)[probable.argmax(axis=1)]
    return evaluate(truth, said, probable, intervals=False)
