"""Short texts in a cell, such as names, addresses and codes: by their words and characters."""

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.duplicates import ExactDuplicates
from likely.data.table import Table
from likely.likelihoods.base import Columns, LinearPart, Scores, TopFeature, not_linear, one_column
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.text import (
    AGAINST_REST,
    Multinomial,
    TextLikelihood,
    WeightedView,
    terms,
)
from likely.likelihoods.text_views import gathered, rooted
from likely.tally import Classes
from likely.text import Text

# Character n-grams overlap, and say the same several times. Where a cell is one of many columns, it
# must not drown out the others before anything is tuned.
_WEIGHT = 0.25


class ShortText(TextLikelihood[_kernel.TextBlend]):
    """A name, an address or a code, by its words and by its character n-grams of two to four.

        score_c(x) = ¼ Σ_v s_v(x, c) / √length_v(x)

    s_v is the score of the multinomial of the words, or of the n-grams, and the length how many
    there are. It has one weight, where `TextViews` has many: such cells are short, and the same one
    comes again, which is no reason to leave it out with its duplicates. The column is no text to
    rules, audits and highlighting. In a missing cell there is nothing.
    """

    name = "short text"
    usual_text: ClassVar[Text] = Text(word_ngrams=1, char_ngrams=(2, 4))

    def __init__(
        self, alpha: float = 1.0, *, text: Text | None = None, neutral: Iterable[str] = ()
    ):
        super().__init__(alpha, text=text, neutral=neutral)

    @property
    def is_joint(self) -> bool:
        return False

    @property
    def takes_multilabel(self) -> bool:
        return self.alpha > 0

    def generative(self) -> Multinomial:
        words = replace(self.text, word_ngrams=1, char_ngrams=None)
        return Multinomial(self.alpha, text=words, neutral=self.neutral)

    def read(self, table: Table, columns: Columns) -> _kernel.Texts:
        one_column(columns, type(self).__name__)
        (texts,) = table.categories(columns, "a text").columns
        return texts

    def reduced(self, statistic: _kernel.TextCounts, classes: Classes) -> _kernel.TextCounts:
        return statistic.reduced([], "occurrences")

    # Estimating and scoring

    def _parts(self, classes: Classes) -> list[WeightedView]:
        model = AGAINST_REST["multinomial"] if classes.is_multilabel else "multinomial"
        blocks = self.text.blocks.values()
        return [((model, 1 << block, 1, 0, False), self.alpha, 0.0, _WEIGHT) for block in blocks]

    def estimate(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns
    ) -> _kernel.TextBlend:
        return statistic.blend(self._parts(classes), *classes.counted)

    def score(self, weights: _kernel.TextBlend, part: _kernel.Texts, threads: int) -> Scores:
        return weights.score(self.shown(part), threads)

    def leave_one_out(
        self,
        statistic: _kernel.TextCounts,
        classes: Classes,
        columns: Columns,
        part: _kernel.Texts,
        truth: NDArray[np.uint32],
        threads: int,
        duplicates: ExactDuplicates | None = None,
        scored: _kernel.Texts | None = None,
    ) -> Scores:
        views = [(view, [alpha]) for view, alpha, *_ in self._parts(classes)]
        given = None if duplicates is None else duplicates.arrays
        shown = self._otherwise(part, scored)
        found = statistic.leave_one_out(views, *classes.counted, part, truth, given, shown, threads)
        total = np.zeros((len(part), len(classes)))
        for (scores,), lengths in found:
            total += _WEIGHT * rooted(scores, lengths)
        return total

    def contributions(self, weights: _kernel.TextBlend, part: _kernel.Texts) -> list[Contribution]:
        return self.by_word(self.by_feature(weights, part))

    def by_feature(self, weights: _kernel.TextBlend, part: _kernel.Texts) -> list[Contribution]:
        return terms(weights.contributions(self.shown(part)))

    def by_word(self, contributions: list[Contribution]) -> list[Contribution]:
        """Contributions of words with those of their n-grams; those of other n-grams are one."""
        if not isinstance(self.text.char_ngrams, tuple) or self.text.word_ngrams is None:
            return contributions
        found = gathered(contributions, self.text.char_ngrams)
        words = [one for one in found if one.kind != "char n-gram"]
        others = [one.scores for one in found if one.kind == "char n-gram"]
        if not others:
            return words
        return [*words, Contribution("other n-grams", "char n-gram", 1, np.sum(others, axis=0))]

    def named(self, contributions: list[Contribution], columns: Columns) -> list[Contribution]:
        """Contributions with the name of the column, since the words are no text of their own."""
        return [
            replace(one, name=f"{columns[0]}: {one.name}", kind=self.name, columns=columns)
            for one in contributions
        ]

    def linear(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns
    ) -> LinearPart[_kernel.Texts]:
        raise not_linear("short texts are not linear: they divide by the length of the text")

    # Inspection

    def strongest(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns, n: int
    ) -> list[list[TopFeature]]:
        found = super().strongest(statistic, classes, columns, n)
        return [[one._replace(name=f"{columns[0]}: {one.name}") for one in each] for each in found]
