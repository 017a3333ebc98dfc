"""How a view of a text is smoothed, and how rare its features may be.

Both are chosen view by view, such that the labels of rows that were left out are as probable as can
be. A thousand rows settle that.
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

# Most features stand in one text only; whether they are noise depends on the texts.
_MIN_DOCUMENTS = (1, 2)

# As many rows as are looked at, and of many classes as many of their scores.
_ROWS = 1024
_SCORES = 100_000
_FEWEST = 256


def enough(classes: Classes) -> int:
    """How many rows settle it; where each has any number of labels, half as many."""
    scores = _SCORES // 2 if classes.is_multilabel else _SCORES
    return min(_ROWS, max(scores // len(classes), _FEWEST))


@dataclass(frozen=True)
class Sample:
    """Learned rows that stand for all of them."""

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
    """Every view of the text, under the settings that suit it."""
    views = candidates(likelihood.text, 2 if classes.is_multilabel else len(classes))
    of_presence = [view for view in views if view.model == "binary-multinomial"]

    found: dict[View, tuple[float, float]] = {}

    def try_out(views: list[View]) -> None:
        """How probable each view makes the labels at best, and with which α."""
        asked = [(view, list(ALPHAS)) for view in views if view not in found]
        scored = likelihood.each_left_out(
            statistic, classes, asked, sample.texts, sample.truth.places, sample.duplicates, threads
        )
        for (view, _), (of_view, lengths) in zip(asked, scored, strict=True):
            found[view] = max(
                (_fit(scores, rooted(scores, lengths), sample.truth, log_prior, threads), alpha)
                for scores, alpha in zip(of_view, ALPHAS, strict=True)
            )

    # Of equals, the smaller number comes first.
    least: dict[str, tuple[float, int]] = {}
    # Of many labels each, features of one text tell little, and trying them out takes long.
    for documents in () if classes.is_multilabel else _MIN_DOCUMENTS:
        asked = [replace(view, min_documents=documents) for view in of_presence]
        try_out(asked)
        for view in asked:
            if found[view][0] > least.get(view.features, (-np.inf, 1))[0]:
                least[view.features] = found[view][0], documents
    usual = (0.0, 2 if classes.is_multilabel else 1)
    views = [replace(view, min_documents=least.get(view.features, usual)[1]) for view in views]
    try_out(views)
    if classes.is_multilabel:
        # Occurrences and presence, each against the rest, say nearly the same: the better one does.
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
    """How probable the labels are by one view alone."""
    given = [scores, over_root]
    return truth.fit_weights(given, log_prior, [0.0, 0.0], False, threads)[2]
