"""Several views of one text, each trusted as far as it deserves.

    score_c(x) = Σ_v ( whole_v + rooted_v / √length_v(x) ) · s_v(x, c)

Each view v reads one kind of feature and is a multinomial, binary or complement model of it; the
length is how many occurrences of that kind the text has. The weights come from `weighing`.
"""

from dataclasses import astuple, dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.errors import ModelError, OptionError
from likely.evidence import Term
from likely.likelihoods.base import Columns, LinearPart, Scores
from likely.likelihoods.text import TextLikelihood, reading_of_schema
from likely.tally import Arrays, Classes, Slots
from likely.text import Text

# A feature that fewer other documents hold takes no part: most features are seen once, and say
# nothing about the next text.
_LEAST_DOCUMENTS = 2

_MODELS = ("multinomial", "binary", "complement")

Copies = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint64]]


@dataclass(frozen=True)
class View:
    """One kind of feature under one model, with its smoothing and its weights."""

    features: str
    model: str
    alpha: float = 1.0
    whole: float = 0.0
    rooted: float = 0.0


class Views(TextLikelihood):
    """Words as counts and as presence, pairs of words, runs of characters, each also as complement.

    As it comes, only the first view speaks, and is plain Naive Bayes; `Classifier.refit` finds out
    how far to trust each. A feature takes part while two documents hold it.
    """

    name = "views"
    is_joint = False
    takes_prior = True

    def __init__(self, views: tuple[View, ...] | None = None, *, text: Text | None = None):
        super().__init__(1.0, text=Text((1, 2), (3, 5), punctuation=True) if text is None else text)
        self.views = candidates(self.text) if views is None else tuple(views)
        known = _blocks(self.text)
        for view in self.views:
            if view.features not in known:
                raise OptionError(f"a view of {view.features!r} needs a text that is read for them")
            if view.model not in _MODELS or not view.alpha > 0:
                raise OptionError(f"{view!r} makes no sense")
        if not self.views:
            raise OptionError("there are no views")

    def _kernel_view(self, view: View) -> tuple[str, int, int, int, bool]:
        return view.model, 1 << _blocks(self.text)[view.features], _LEAST_DOCUMENTS, 0, False

    def scored_arrays(self, statistic: _kernel.TextCounts, slots: Slots) -> Arrays:
        return statistic.arrays(slots, _LEAST_DOCUMENTS)

    def estimate(self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns) -> Any:
        parts = [
            (self._kernel_view(view), view.alpha, view.whole, view.rooted)
            for view in self.views
            if view.whole or view.rooted
        ]
        return statistic.blend(parts, classes.slots, classes.rows)

    def score(self, weights: Any, part: _kernel.Texts, threads: int) -> Scores:
        return np.asarray(weights.score(part, threads))

    def leave_one_out(
        self,
        statistic: _kernel.TextCounts,
        classes: Classes,
        columns: Columns,
        part: _kernel.Texts,
        truth: NDArray[np.uint32],
        threads: int,
    ) -> Scores:
        total = np.zeros((len(part), len(classes)))
        for alpha in sorted({view.alpha for view in self.views}):
            speaking = [v for v in self.views if v.alpha == alpha and (v.whole or v.rooted)]
            found = self.each_left_out(
                statistic, classes, speaking, [alpha], part, truth, None, threads
            )
            for view, ((scores,), lengths) in zip(speaking, found, strict=True):
                total += view.whole * scores + view.rooted * rooted(scores, lengths)
        return total

    def each_left_out(
        self,
        statistic: _kernel.TextCounts,
        classes: Classes,
        views: list[View],
        alphas: list[float],
        part: _kernel.Texts,
        truth: NDArray[np.uint32],
        copies: Copies | None,
        threads: int,
    ) -> list[tuple[list[Scores], NDArray[np.float64]]]:
        """Of each view, the scores of learned rows without themselves, for each α; and lengths."""
        asked = [self._kernel_view(view) for view in views]
        return statistic.leave_one_out(
            asked, alphas, classes.slots, classes.rows, part, truth, copies, threads
        )

    def terms(self, weights: Any, part: _kernel.Texts) -> list[Term]:
        found = weights.contributions(part)
        return [Term(name, kind, count, np.array(scores)) for kind, name, count, scores in found]

    def linear(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns
    ) -> LinearPart:
        raise OptionError("weighed views are not linear: a text's length is a divisor")

    @property
    def settings(self) -> dict[str, Any]:
        return {"likelihood": self.name, "views": [list(astuple(view)) for view in self.views]}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            views = tuple(View(*stored) for stored in settings["views"])
            return cls(views, text=reading_of_schema(schema))
        except (KeyError, TypeError, AttributeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def weighed(self, views: list[View]) -> "Views":
        """The same with other views."""
        return Views(tuple(views), text=self.text)

    def __repr__(self) -> str:
        speaking = [view for view in self.views if view.whole or view.rooted]
        shown = ", ".join(f"{view.features} ({view.model})" for view in speaking)
        return f"Views({shown}; {self.text!r})"


def rooted(scores: Scores, lengths: NDArray[np.float64]) -> Scores:
    """Scores over the root of the length."""
    return np.asarray(scores / np.sqrt(np.maximum(lengths, 1))[:, None])


def candidates(text: Text) -> tuple[View, ...]:
    """Every view of what a text is read for; the first speaks, as plain Naive Bayes."""
    found: list[View] = []
    for features in _blocks(text):
        models = ("multinomial",) if features in ("marks", "lexicon") else _MODELS
        found.extend(View(features, model) for model in models)
    return (replace(found[0], whole=1.0), *found[1:])


def _blocks(text: Text) -> dict[str, int]:
    """The block of each kind of feature that counts."""
    shortest, longest = text.words if isinstance(text.words, tuple) else (1, 0)
    names = {n: "words" if n == 1 else f"{n} words" for n in range(1, longest + 1)}
    blocks = {names[n]: n - 1 for n in names if n >= shortest}
    place = longest
    for there, name in (
        (text.chars is not None, "characters"),
        (bool(text.marks), "marks"),
        (text.lexicon is not None, "lexicon"),
    ):
        if there:
            blocks[name] = place
            place += 1
    return blocks
