"""The smoothing of a text view, and its minimum document frequency.

Both are chosen for each view by leave-one-out likelihood. A thousand rows are enough.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.duplicates import ExactDuplicates
from likely.likelihoods.base import Scores
from likely.likelihoods.text_views import TextViews, View, candidates, rooted
from likely.tally import Classes
from likely.tally.encoded import Encoded

ALPHAS = (0.01, 0.05, 0.2, 1.0)

# Most features occur in one text only; whether they are noise depends on the texts.
_MIN_DOCUMENTS = (1, 2)

# How many rows are used, and how many scores if there are many classes.
_ROWS = 1024
_SCORES = 100_000
_FEWEST = 256


def enough(classes: Classes) -> int:
    """How many rows are enough; for multi-label rows, half as many."""
    scores = _SCORES // 2 if classes.is_multilabel else _SCORES
    return min(_ROWS, max(scores // len(classes), _FEWEST))


@dataclass(frozen=True)
class Sample:
    """A sample of the learned rows."""

    texts: _kernel.Texts
    truth: Encoded
    duplicates: ExactDuplicates


def smoothed(
    likelihood: TextViews,
    statistic: _kernel.TextCounts,
    classes: Classes,
    log_prior: NDArray[np.float64],
    sample: Sample,
    threads: int,
) -> list[View]:
    """Every view of the text, with its smoothing and minimum document frequency."""
    views = candidates(likelihood.text, 2 if classes.is_multilabel else len(classes))
    of_presence = [view for view in views if view.model == "binary-multinomial"]

    found: dict[View, tuple[float, float]] = {}

    def try_out(views: list[View]) -> None:
        """Find the best α of each view, and its log-likelihood."""
        tried = [(view, list(ALPHAS)) for view in views if view not in found]
        scored = likelihood.each_left_out(
            statistic, classes, tried, sample.texts, sample.truth.places, sample.duplicates, threads
        )
        for (view, _), (of_view, lengths) in zip(tried, scored, strict=True):
            found[view] = max(
                (_fit(scores, rooted(scores, lengths), sample.truth, log_prior, threads), alpha)
                for scores, alpha in zip(of_view, ALPHAS, strict=True)
            )

    # Ties go to the smaller number.
    least: dict[str, tuple[float, int]] = {}
    # In multi-label rows, features of one text add little, and take long to try.
    for documents in () if classes.is_multilabel else _MIN_DOCUMENTS:
        tried = [replace(view, min_documents=documents) for view in of_presence]
        try_out(tried)
        for view in tried:
            if found[view][0] > least.get(view.features, (-np.inf, 1))[0]:
                least[view.features] = found[view][0], documents
    usual = (0.0, 2 if classes.is_multilabel else 1)
    views = [replace(view, min_documents=least.get(view.features, usual)[1]) for view in views]
    try_out(views)
    if classes.is_multilabel:
        # The views of occurrences and of presence are nearly the same: only the better one is kept.
        views.sort(key=lambda view: -found[view][0])
        best = {view.features: view for view in reversed(views)}
        views = [best[features] for features in likelihood.text.blocks]
    return [replace(view, alpha=found[view][1]) for view in views]


def _fit(
    scores: Scores,
    over_root: Scores,
    truth: Encoded,
    log_prior: NDArray[np.float64],
    threads: int,
) -> float:
    """The log-likelihood of the labels by one view alone."""
    given = [scores, over_root]
    return truth.fit_weights(given, log_prior, [0.0, 0.0], False, threads)[2]
