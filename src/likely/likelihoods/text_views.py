"""Several views of one text, each with its own weight.

    score_c(x) = Σ_v ( whole_v + rooted_v / √length_v(x) ) · s_v(x, c)

Each view v is a multinomial model of one kind of feature, of occurrences or of presence, of the
class or of its complement; the length is the number of occurrences of that kind in the text. The
weights come from tuning.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import astuple, dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.duplicates import ExactDuplicates
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import (
    AnyLikelihood,
    Columns,
    Component,
    Judge,
    LinearPart,
    Scores,
    amount,
    not_linear,
)
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.text import (
    AGAINST_REST,
    NOBODY,
    KernelView,
    Model,
    Multinomial,
    TextLikelihood,
    WeightedView,
    reading_of_schema,
    terms,
)
from likely.tally import Classes
from likely.text import WORD_NGRAMS, Text

_MODELS: tuple[Model, ...] = (
    "multinomial",
    "binary-multinomial",
    "complement",
    "binary complement",
)

# Kinds of few features, which have no complement views.
_OF_FEW = ("surface feature", "lexicon")


# How texts are read by default. Tuning chooses among these n-grams, and those of no use get no
# weight; but all are counted, and where there is much text, character n-grams cost too much.
SHORT = Text((1, 2), (3, 5), punctuation=True)
LONG = Text((1, 3), (3, 5), punctuation=True)
LONG_AND_MANY = Text((1, 3), punctuation=True)

# The smoothing of single words in EM, where labels are few; more would drown them out.
_ALPHA_OF_FEW = 0.01

# The smoothing that tuning chooses from.
_ALPHAS = (0.01, 0.05, 0.2, 1.0)

# Most features occur in one text only; whether they are noise depends on the texts.
_MIN_DOCUMENTS = (1, 2)

# A text of more characters than this is long: about 150 words. In multi-label rows, character
# n-grams are counted under each label, and pay off only in texts as short as a message.
_LONG = 800
_LONG_OF_MULTILABEL = 300

# Long texts of more characters than this in all, as far as the sample goes, are many.
_MANY = 16_000_000


@dataclass(frozen=True)
class View:
    """One kind of feature under one model, with its smoothing and its weights.

    A feature is used if at least `min_documents` texts hold it.
    """

    features: str
    model: Model
    alpha: float = 1.0
    min_documents: int = 1
    whole: float = 0.0
    rooted: float = 0.0

    def __post_init__(self) -> None:
        for name in ("alpha", "whole", "rooted"):
            object.__setattr__(self, name, amount(name, getattr(self, name)))

    @property
    def has_weight(self) -> bool:
        return self.whole != 0 or self.rooted != 0


class TextViews(TextLikelihood[_kernel.TextBlend]):
    """Word n-grams and character n-grams of a text, each in several views with weights.

    Before tuning, only the view of single words has a weight: plain Naive Bayes. `Classifier.tune`
    fits the weights of all views.
    """

    name = "views"
    takes_prior = True
    leaves_duplicates = True

    def __init__(self, *, text: Text | None = None, neutral: Iterable[str] = ()):
        super().__init__(1.0, text=SHORT if text is None else text, neutral=neutral)
        self.views: tuple[View, ...] = (replace(candidates(self.text, 3)[0], whole=1.0),)

    @classmethod
    def of_texts(cls, texts: _kernel.Texts, is_multilabel: bool = False) -> "TextViews":
        """The views that suit texts like these: short, long, or long and many."""
        lengths = [len(text) for text in texts.tolist()]
        long = _LONG_OF_MULTILABEL if is_multilabel else _LONG
        if not lengths or np.median(lengths) <= long:
            return cls(text=SHORT)
        return cls(text=LONG_AND_MANY if is_multilabel or sum(lengths) > _MANY else LONG)

    def with_views(self, views: tuple[View, ...]) -> "TextViews":
        """The same text with these views."""
        known, least = self.text.blocks, dict[str, int]()
        for view in views:
            if view.features not in known:
                raise OptionError(f"the text is not read for {view.features!r}, which a view needs")
            if view.model not in _MODELS or not view.alpha > 0 or not _is_count(view.min_documents):
                raise OptionError(f"{view!r} makes no sense")
            if least.setdefault(view.features, view.min_documents) != view.min_documents:
                raise OptionError("views of the same features have different `min_documents`")
        other = copy(self)
        other.views = views
        return other

    def generative(self) -> Multinomial:
        words = replace(self.text, word_ngrams=1, char_ngrams=None, punctuation=False)
        return Multinomial(_ALPHA_OF_FEW, text=words, neutral=self.neutral)

    def components(self) -> list[Component]:
        return [
            Component(
                f"{view.features}: {view.model}",
                self.with_views((view,)),
                view.whole,
                view.rooted,
            )
            for view in self.views
        ]

    def silent(self, columns: Columns) -> tuple[str, ...]:
        weighted = {view.features for view in self.views if view.has_weight}
        return tuple(kind for kind in self.text.blocks if kind not in weighted)

    @property
    def is_joint(self) -> bool:
        return False

    @property
    def takes_multilabel(self) -> bool:
        return all(view.model in AGAINST_REST for view in self.views)

    def _kernel_view(self, view: View, classes: Classes) -> KernelView:
        model = AGAINST_REST[view.model] if classes.is_multilabel else view.model
        return model, 1 << self.text.blocks[view.features], view.min_documents, 0, False

    @property
    def told(self) -> dict[str, int]:
        return {view.features: view.min_documents for view in self.views if view.has_weight}

    def reduced(self, statistic: _kernel.TextCounts, classes: Classes) -> _kernel.TextCounts:
        least = [NOBODY] * len(self.text.blocks)
        for view in self.views:
            # Bigrams are made of words, so their words stay too.
            here = self.text.blocks[view.features]
            others = range(here + 1) if view.features in WORD_NGRAMS else (here,)
            for block in others:
                least[block] = min(least[block], view.min_documents)
        every = None if classes.every is None else classes.every[0]
        return statistic.reduced(least, "both", every)

    def estimate(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns
    ) -> _kernel.TextBlend:
        # Without a view, nothing is compared with the rest of the rows.
        counted = classes.counted if self.views else (classes.slots, classes.rows)
        return statistic.blend(self._parts(classes), *counted)

    def score(self, weights: _kernel.TextBlend, part: _kernel.Texts, threads: int) -> Scores:
        return weights.score(self.shown(part), threads)

    def _parts(self, classes: Classes) -> list[WeightedView]:
        return [
            (self._kernel_view(view, classes), view.alpha, view.whole, view.rooted)
            for view in self.views
        ]

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
        asked = [(view, [view.alpha]) for view in self.views]
        found = self.each_left_out(
            statistic, classes, asked, part, truth, duplicates, threads, scored
        )
        total = np.zeros((len(part), len(classes)))
        for view, ((scores,), lengths) in zip(self.views, found, strict=True):
            if view.whole:
                total += view.whole * scores
            if view.rooted:
                total += view.rooted * rooted(scores, lengths)
        return total

    def each_left_out(
        self,
        statistic: _kernel.TextCounts,
        classes: Classes,
        views: list[tuple[View, list[float]]],
        part: _kernel.Texts,
        truth: NDArray[np.uint32],
        duplicates: ExactDuplicates | None,
        threads: int,
        scored: _kernel.Texts | None = None,
    ) -> list[tuple[list[Scores], NDArray[np.float64]]]:
        """For each view, the leave-one-out scores of learned rows for each α, and lengths."""
        asked = [(self._kernel_view(view, classes), alphas) for view, alphas in views]
        given = None if duplicates is None else duplicates.arrays
        shown = self._otherwise(part, scored)
        return statistic.leave_one_out(asked, *classes.counted, part, truth, given, shown, threads)

    # Tuning

    def chosen(
        self,
        statistic: _kernel.TextCounts,
        classes: Classes,
        columns: Columns,
        part: _kernel.Texts,
        truth: NDArray[np.uint32],
        judge: Judge,
        threads: int,
        duplicates: ExactDuplicates | None = None,
        **beside: Any,
    ) -> "TextViews":
        """Every view of the text, with the α and the minimum document frequency that suit it."""
        views = candidates(self.text, 2 if classes.is_multilabel else len(classes))
        of_presence = [view for view in views if view.model == "binary-multinomial"]
        found: dict[View, tuple[float, float]] = {}

        def try_out(views: list[View]) -> None:
            """Find the best α of each view, and how well it explains the labels."""
            tried = [(view, list(_ALPHAS)) for view in views if view not in found]
            scored = self.each_left_out(statistic, classes, tried, part, truth, duplicates, threads)
            for (view, _), (of_view, lengths) in zip(tried, scored, strict=True):
                found[view] = max(
                    (judge([scores, rooted(scores, lengths)]), alpha)
                    for scores, alpha in zip(of_view, _ALPHAS, strict=True)
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
            # The views of occurrences and of presence are nearly the same: the better one is kept.
            views.sort(key=lambda view: -found[view][0])
            best = {view.features: view for view in reversed(views)}
            views = [best[features] for features in self.text.blocks]
        return self.with_views(tuple(replace(view, alpha=found[view][1]) for view in views))

    @property
    def plain_terms(self) -> tuple[bool, ...]:
        return (True, *[False] * (2 * len(self.views) - 1))

    def terms_left_out(
        self,
        statistic: _kernel.TextCounts,
        classes: Classes,
        columns: Columns,
        part: _kernel.Texts,
        truth: NDArray[np.uint32],
        threads: int,
        duplicates: ExactDuplicates | None = None,
        **beside: Any,
    ) -> list[Scores]:
        """The scores of each view, whole and over the root of the length."""
        asked = [(view, [view.alpha]) for view in self.views]
        found = self.each_left_out(statistic, classes, asked, part, truth, duplicates, threads)
        return [term for (scores,), lengths in found for term in (scores, rooted(scores, lengths))]

    def weighted(self, weights: Sequence[float]) -> tuple[AnyLikelihood, float | None]:
        whole, over_root = weights[::2], weights[1::2]
        views = tuple(
            replace(view, whole=a, rooted=b)
            for view, a, b in zip(self.views, whole, over_root, strict=True)
            if a or b
        )
        return self.with_views(views), None if views else 0.0

    def tuned_as(self, other: AnyLikelihood) -> "TextViews":
        assert isinstance(other, TextViews)
        return self.with_views(other.views)

    def tuned_to_json(self) -> dict[str, Any]:
        return {"views": [list(astuple(view)) for view in self.views]}

    def tuned_from_json(self, stored: dict[str, Any], columns: Columns) -> "TextViews":
        views = tuple(View(*view) for view in stored["views"])
        if not all(view.has_weight for view in views):
            raise ModelError("a view of the text has no weight")
        return self.with_views(views)

    def contributions(self, weights: _kernel.TextBlend, part: _kernel.Texts) -> list[Contribution]:
        return self.by_word(self.by_feature(weights, part))

    def by_feature(self, weights: _kernel.TextBlend, part: _kernel.Texts) -> list[Contribution]:
        return terms(weights.contributions(self.shown(part)))

    def by_word(self, contributions: list[Contribution]) -> list[Contribution]:
        return (
            gathered(contributions, self.text.char_ngrams)
            if isinstance(self.text.char_ngrams, tuple)
            else contributions
        )

    def linear(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns
    ) -> LinearPart[_kernel.Texts]:
        raise not_linear("text views are not linear: they divide by the length of the text")

    @property
    def settings(self) -> dict[str, Any]:
        asked = {"neutral": list(self.neutral)} if self.neutral else {}
        return {"likelihood": self.name, **asked}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            return cls(text=reading_of_schema(schema), neutral=settings.get("neutral", ()))
        except (KeyError, TypeError, AttributeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __repr__(self) -> str:
        models: dict[str, list[str]] = {}
        for view in self.views:
            models.setdefault(view.features, []).append(view.model)
        shown = "; ".join(f"{features}: {', '.join(of)}" for features, of in models.items())
        return f"TextViews({shown}{self._silenced})"


def _is_count(given: object) -> bool:
    return type(given) is int and 1 <= given < NOBODY


def gathered(contributions: list[Contribution], lengths: tuple[int, int]) -> list[Contribution]:
    """The contributions of character n-grams, added to the words that contain them.

    An n-gram in several words is shared among them; one that is in no word, such as one across a
    hyphen, stays by itself.
    """
    words = {
        contribution.name: contribution
        for contribution in contributions
        if contribution.kind == "word"
    }
    owners: dict[str, dict[str, int]] = {}
    for word, contribution in words.items():
        padded = f" {word} "
        for length in range(lengths[0], min(lengths[1], len(padded)) + 1):
            for start in range(len(padded) - length + 1):
                of_run = owners.setdefault(padded[start : start + length], {})
                of_run[word] = of_run.get(word, 0) + contribution.count
    kept = []
    for contribution in contributions:
        owning = owners.get(contribution.name, {}) if contribution.kind == "char n-gram" else {}
        for word, times in owning.items():
            share = contribution.scores * (times / sum(owning.values()))
            words[word] = replace(words[word], scores=words[word].scores + share)
        if not owning:
            kept.append(contribution)
    return [
        words.get(contribution.name, contribution) if contribution.kind == "word" else contribution
        for contribution in kept
    ]


def rooted(scores: Scores, lengths: NDArray[np.float64]) -> Scores:
    """Scores over the root of the length."""
    return np.asarray(scores / np.sqrt(np.maximum(lengths, 1))[:, None])


def candidates(text: Text, classes: int) -> list[View]:
    """Every view of the features of a text.

    With two classes, each is the other's complement; so it is with a label and the rest.
    """
    models = _MODELS if classes > 2 else _MODELS[:2]
    return [
        View(features, model)
        for features in text.blocks
        for model in (models[:1] if features in _OF_FEW else models)
    ]
