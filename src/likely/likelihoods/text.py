"""Four likelihoods of a text, estimated from the same tally.

The tally keeps, per class c and feature f, the occurrences N_cf and the documents D_cf that hold f.
The four differ only in which of them they read.
"""

from abc import abstractmethod
from collections.abc import Iterable
from copy import copy
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.duplicates import ExactDuplicates
from likely.data.label_sets import RowLabels
from likely.data.table import Table
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import (
    Columns,
    Draw,
    Likelihood,
    LinearPart,
    Rows,
    Scores,
    TopFeature,
    W,
    amount,
    one_column,
)
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.counted import CountedFactor, exact
from likely.likelihoods.counted_texts import TextRow, of_bernoulli, of_multinomial
from likely.likelihoods.linear_inputs import TextInput
from likely.tally import Arrays, Classes, Slots
from likely.text import WORD_NGRAMS, Text

# A bit for every block of features that a text can have.
ALL_BLOCKS = 2**32 - 1

# Additive smoothing α, and that in a mixture: groups differ by few words of a large vocabulary, and
# 1 for each of these hides them.
_ALPHA, _ALPHA_IN_MIXTURE = 1.0, 0.1

# More documents, and more words, than any corpus has.
NOBODY = 2**63

# The most characters of neutral terms: about twenty thousand words, found in a second.
_MOST_NEUTRAL = 250_000

# So many numbers are drawn at once, and a scale is halved so often that no bit is left.
_AT_ONCE = 4_000_000
_HALVINGS = 100

# What the kernel calls the models of a text.
Model = Literal[
    "multinomial",
    "binary-multinomial",
    "bernoulli",
    "complement",
    "binary complement",
    "against",
    "binary against",
]

# A view for the kernel: the model, a bit for every block, the minimum document frequency of a
# feature, how many of the most frequent words are skipped, and whether occurrences have TF-IDF
# weights.
KernelView = tuple[Model, int, int, int, bool]

# A view with its α, its weight, and that over √length.
WeightedView = tuple[KernelView, float, float, float]

# The multi-label models (a label against all rows without it), by their single-label models.
AGAINST_REST: dict[str, Model] = {"multinomial": "against", "binary-multinomial": "binary against"}

# What a stored factor has beside how its text is read.
_NOT_READING = ("kind", "columns")


class TextCounter:
    """Counts texts, batch after batch."""

    def __init__(self, reading: _kernel.Reading):
        self._counter = _kernel.TextCounter(reading)

    def observe(self, part: _kernel.Texts, labels: RowLabels, threads: int) -> None:
        self._counter.observe(part, labels.slots, len(labels.values), threads)

    def finish(self, order: Slots, classes: int) -> _kernel.TextCounts:
        return self._counter.finish(order, classes)


class TextLikelihood(Likelihood[_kernel.Texts, _kernel.TextCounts, W]):
    """What all likelihoods of texts share: they count the same, and differ in their estimates.

    Three options change what is estimated, never what is counted, so they can change later: with
    `tfidf`, an occurrence of feature f counts log((1 + n) / (1 + n_f)) + 1, where n_f of n
    documents hold f; `skip_top` leaves out that many of the most frequent words. With `tfidf`,
    estimates and leave-one-out scores still have a closed form, equal to retraining; but scores are
    not log P(x | c), so rows have no probability. With `skip_top`, leave-one-out skips the same
    words as the whole model. `neutral` are words and phrases to ignore: each is scored as a word
    that was never seen.
    """

    compares_rows = False

    counts_once: ClassVar[bool] = False
    """Whether a feature counts once per document, however often it occurs."""
    usual_text: ClassVar[Text] = Text()
    """How a text is read if nothing is said."""
    is_naive = False

    def __init__(
        self,
        alpha: float | None = None,
        *,
        text: Text | None = None,
        tfidf: bool = False,
        skip_top: int = 0,
        neutral: Iterable[str] = (),
    ):
        if not isinstance(text, (Text, type(None))):
            raise OptionError(f"`text` is, for example, `Text(word_ngrams=(1, 2))`, not {text!r}")
        if not isinstance(tfidf, bool):
            raise OptionError(f"`tfidf` is True or False, not {tfidf!r}")
        if tfidf and self.counts_once:
            raise OptionError(
                f"{type(self).__name__} counts presence, so `tfidf` has no counts to weight"
            )
        if type(skip_top) is not int or not 0 <= skip_top < NOBODY:
            raise OptionError(f"`skip_top` is a number of words, not {skip_top!r}")
        self.alpha = _ALPHA if alpha is None else amount("alpha", alpha)
        self._is_usual_alpha = alpha is None
        self.text = self.usual_text if text is None else text
        self.tfidf = tfidf
        self.skip_top = skip_top
        self.neutral = neutral_terms(neutral)

    def with_neutral(self, terms: Iterable[str]) -> Self:
        """The same likelihood, ignoring these words and phrases."""
        other = copy(self)
        other.neutral = neutral_terms(terms)
        return other

    def in_mixture(self) -> Self:
        if not self._is_usual_alpha:
            return self
        other = copy(self)
        other.alpha, other._is_usual_alpha = _ALPHA_IN_MIXTURE, False
        return other

    @property
    def is_joint(self) -> bool:
        # Weighted counts, such as 2.7, are no draws, so scores are not probabilities.
        return not self.tfidf

    @property
    def replaces_invalid(self) -> bool:
        return self.text.invalid == "replace"

    # Counting

    @property
    def schema(self) -> dict[str, Any]:
        return {"kind": "text", **self.text.to_json()}

    def read(self, table: Table, columns: Columns) -> _kernel.Texts:
        one_column(columns, type(self).__name__)
        return table.texts(columns, replace_invalid=self.replaces_invalid)

    def zero(self, columns: Columns, classes: int) -> _kernel.TextCounts:
        return _kernel.TextCounts.zero(self.text.reading, classes)

    def observe(self, part: _kernel.Texts, labels: RowLabels, threads: int) -> _kernel.TextCounts:
        slots, n_slots = labels.slots, len(labels.values)
        return _kernel.TextCounts.observe(self.text.reading, part, slots, n_slots, threads)

    def without_rare(self, statistic: _kernel.TextCounts, least: int) -> _kernel.TextCounts:
        blocks = 1 + max(self.text.blocks.values())
        return statistic.reduced([least] * blocks, "both")

    def counter(self, columns: Columns) -> TextCounter:
        return TextCounter(self.text.reading)

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> _kernel.TextCounts:
        one_column(columns, type(self).__name__)
        return _kernel.TextCounts.from_arrays(self.text.reading, rows, is_multilabel, arrays)

    # Estimating and scoring

    def shown(self, part: _kernel.Texts) -> _kernel.Texts:
        """The texts as they are scored: with an unknown word in place of neutral terms."""
        return part.masked(list(self.neutral)) if self.neutral else part

    @abstractmethod
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
        """The scores of each row, or of its text in `scored`, by the counts without the row."""

    def _otherwise(self, part: _kernel.Texts, scored: _kernel.Texts | None) -> _kernel.Texts | None:
        """The texts as they are scored, if that differs from how they were counted."""
        if scored is None and not self.neutral:
            return None
        return self.shown(part if scored is None else scored)

    def contributions_left_out(
        self,
        statistic: _kernel.TextCounts,
        classes: Classes,
        columns: Columns,
        rows: Rows[_kernel.Texts],
        duplicates: ExactDuplicates | None,
    ) -> list[list[Contribution]]:
        found = statistic.contributions_left_out(
            self._parts(classes),
            *classes.counted,
            rows.part,
            rows.truth,
            None if duplicates is None else duplicates.arrays,
            self._otherwise(rows.part, None),
        )
        return [_with_absence(self.by_word(terms(each)), constants) for each, constants in found]

    @abstractmethod
    def by_feature(self, weights: W, part: _kernel.Texts) -> list[Contribution]:
        """The contributions of a text's features, each by itself."""

    @abstractmethod
    def _parts(self, classes: Classes) -> list[WeightedView]:
        """The views whose scores are summed."""

    def linear_inputs(self, columns: Columns) -> list[TextInput[_kernel.Texts, _kernel.TextCounts]]:
        return [TextInput(columns, self.shown, lambda counts: counts, self.text.reading)]

    def parameters(self, statistic: _kernel.TextCounts, n_classes: int) -> tuple[int, int]:
        features = statistic.features()
        return features * n_classes, max(features - 1, 0) * n_classes

    def strongest(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns, n: int
    ) -> list[list[TopFeature]]:
        """The features each class has more of than the rest.

        Occurrences are compared, or documents where the likelihood counts those. Features that are
        left out of the scores are left out here. Character n-grams are listed only if there are no
        words, since dozens of them would repeat one word.
        """
        least = dict.fromkeys(range(max(self.text.blocks.values()) + 1), NOBODY)
        told = self.told
        if any(name in WORD_NGRAMS for name in told):
            told.pop("char n-gram", None)
        least |= {self.text.blocks[name]: documents for name, documents in told.items()}
        every = None if classes.every is None else classes.every[0]
        found = statistic.top_features(
            classes.slots,
            every,
            self.counts_once,
            classes.per_row,
            max(self.alpha, 0.01),
            list(least.values()),
            self.skip_top,
            max(n, 0) + len(self.neutral),
        )
        ranked = [[one for one in of_class if one[0] not in self.neutral] for of_class in found]
        return [[TopFeature(*one) for one in of_class[:n]] for of_class in ranked]

    @property
    def told(self) -> dict[str, int]:
        """The kinds of features in use, and the minimum document frequency of each."""
        return dict.fromkeys(self.text.blocks, 1)

    # Storage and repr

    @property
    def settings(self) -> dict[str, Any]:
        views = {"tfidf": self.tfidf, "skip_top": self.skip_top, "neutral": list(self.neutral)}
        asked = {name: value for name, value in views.items() if value}
        return {"likelihood": self.name, "alpha": self.alpha, **asked}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        views = {n: v for n, v in settings.items() if n not in ("likelihood", "alpha")}
        try:
            return cls(settings["alpha"], text=reading_of_schema(schema), **views)
        except (KeyError, TypeError, AttributeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __repr__(self) -> str:
        text = "" if self.text == self.usual_text else f", text={self.text!r}"
        tfidf = ", tfidf=True" if self.tfidf else ""
        skip_top = f", skip_top={self.skip_top}" if self.skip_top else ""
        return f"{type(self).__name__}(alpha={self.alpha:g}{text}{tfidf}{skip_top}{self._silenced})"

    @property
    def _silenced(self) -> str:
        return f", neutral=[{counted(len(self.neutral), 'term')}]" if self.neutral else ""

    def notes(self, weights: W, classes: Classes, columns: Columns) -> list[str]:
        if not self.neutral:
            return []
        first = ", ".join(f"`{term}`" for term in self.neutral[:3])
        more = len(self.neutral) - 3
        listed = f"{first} and {more:,} more" if more > 0 else first
        return [f"these say nothing in `{columns[0]}`, by choice: {listed}"]


def terms(found: list[tuple[str, str, int, list[float]]]) -> list[Contribution]:
    """What the kernel says of the features of a text."""
    return [
        Contribution(name, kind, count, np.array(scores)) for kind, name, count, scores in found
    ]


def _with_absence(contributions: list[Contribution], constants: list[float]) -> list[Contribution]:
    """Contributions, preceded by that of the absent features."""
    if not any(constants):
        return contributions
    return [Contribution("all absent", "absence", 1, np.array(constants)), *contributions]


class TextView(TextLikelihood[_kernel.TextWeights]):
    """One likelihood of the counts: which of them it reads, and which features it uses."""

    name: Model

    @property
    def takes_multilabel(self) -> bool:
        plain = self.alpha > 0 and not (self.tfidf or self.skip_top)
        return self.name in AGAINST_REST and plain

    def reduced(self, statistic: _kernel.TextCounts, classes: Classes) -> _kernel.TextCounts:
        if self.counts_once and not self.skip_top:
            return statistic.reduced([], "documents")
        return statistic.reduced([], "both" if self.tfidf or self.counts_once else "occurrences")

    def _view(self, classes: Classes) -> KernelView:
        """The view for the kernel: which counts, and which features."""
        model = AGAINST_REST[self.name] if classes.is_multilabel else self.name
        return model, ALL_BLOCKS, 1, self.skip_top, self.tfidf

    def estimate(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns
    ) -> _kernel.TextWeights:
        return statistic.estimate(self._view(classes), self._added(classes), *classes.counted)

    def _added(self, classes: Classes) -> float:
        """What smoothing adds to each count."""
        return self.alpha * classes.per_row

    def score(self, weights: _kernel.TextWeights, part: _kernel.Texts, threads: int) -> Scores:
        return np.asarray(weights.score(self.shown(part), threads))

    def smoothing(
        self, weights: _kernel.TextWeights, classes: Classes, columns: Columns
    ) -> tuple[float, Scores | float]:
        sums, _ = weights.sums()
        return self.alpha * float(sums.sum()) if self.alpha else 0.0, 0.0

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
        given = None if duplicates is None else duplicates.arrays
        # A softly assigned row is that many duplicates.
        if classes.per_row > 1:
            starts = np.arange(len(part) + 1, dtype=np.uint32)
            given = starts, truth, np.full(len(part), classes.per_row, dtype=np.uint64)
        ((scores, _),) = statistic.leave_one_out(
            [(self._view(classes), [self._added(classes)])],
            *classes.counted,
            part,
            truth,
            given,
            self._otherwise(part, scored),
            threads,
        )
        return scores[0]

    def contributions(
        self, weights: _kernel.TextWeights, part: _kernel.Texts
    ) -> list[Contribution]:
        found, constants = weights.contributions(self.shown(part))
        return _with_absence(terms(found), constants)

    def by_feature(self, weights: _kernel.TextWeights, part: _kernel.Texts) -> list[Contribution]:
        return terms(weights.contributions(self.shown(part))[0])

    def _parts(self, classes: Classes) -> list[WeightedView]:
        return [(self._view(classes), self._added(classes), 1.0, 0.0)]

    def _presence(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns, asked: Draw
    ) -> tuple[list[str], NDArray[np.float64]]:
        """The words that texts are drawn from, and how many documents of the class hold each."""
        if self.skip_top or list(self.text.blocks) != [WORD_NGRAMS[0]]:
            raise OptionError(
                f"texts are drawn word by word, and {type(self).__name__} reads more of "
                f"`{columns[0]}` than single words, or skips some"
            )
        if asked.length is not None:
            raise OptionError(
                f"{type(self).__name__} draws each word by itself, so the length of a text cannot "
                "be given; it can with Multinomial"
            )
        check_drawn(self.text, columns[0])
        return statistic.codes().names, counts_of_class(
            statistic, classes, asked.place, documents=True
        )

    def counted_factors(
        self,
        statistic: _kernel.TextCounts,
        classes: Classes,
        columns: Columns,
        part: _kernel.Texts,
    ) -> list[CountedFactor] | None:
        if self.name not in ("multinomial", "binary-multinomial") or self.tfidf:
            return None
        row = self.counted_row(statistic, classes, part)
        return of_multinomial(row, exact(self.alpha), once=self.counts_once)

    def counted_row(
        self, statistic: _kernel.TextCounts, classes: Classes, part: _kernel.Texts
    ) -> TextRow:
        """The features of one text, and how often each class has them."""
        shown, reading = self.shown(part), self.text.reading
        return TextRow.of(
            statistic,
            classes,
            shown,
            reading,
            of_documents=self.counts_once,
            skip_top=self.skip_top,
        )

    def linear(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns
    ) -> LinearPart[_kernel.Texts]:
        if self.neutral:
            raise OptionError(
                "neutral terms have no place in a linear form; without them it is there"
            )
        names, weights, constants = statistic.linear(
            self._view(classes), self._added(classes), classes.slots, classes.rows
        )

        def design(part: _kernel.Texts) -> Scores:
            starts, found, counts, _ = statistic.matrix(part, 1)
            rows = rows_of(starts)
            matrix = np.zeros((len(part), len(names)))
            matrix[rows, found] = np.minimum(counts, 1) if self.counts_once else counts
            return matrix

        return LinearPart(names, weights, constants, design)


class Multinomial(TextView):
    """Each class is an urn of words; a document is a handful drawn from it.

        log P(x | c) = Σ_f x_f · log θ_cf        θ_cf = (N_cf + α) / (N_c + α·V)

    V is the number of features seen in any class; features never seen are ignored. With α = 0, a
    feature that a class never had makes the class impossible.
    """

    name = "multinomial"


class BinaryMultinomial(TextView):
    """The multinomial with every feature counted once per document, in training and in prediction.

    log P(x | c) = Σ_f [x_f > 0] · log θ_cf        θ_cf = (D_cf + α) / (Σ_f D_cf + α·V)
    """

    name = "binary-multinomial"
    counts_once = True

    def sample(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns, asked: Draw
    ) -> dict[str, list[Any]]:
        """Each word is there or not, with odds λ·θ; λ gives texts as many words as the class has.

        So among texts of one length, each has its P(x | c).
        """
        words, held = self._presence(statistic, classes, columns, asked)
        theta = (held + self.alpha) / max(held.sum() + self.alpha * len(words), 1e-300)
        rows = classes.weights[asked.place]
        mean = float(min(held.sum() / rows if rows else 1.0, np.count_nonzero(theta)))
        return {columns[0]: texts_of(words, _inclusion(theta, mean), asked)}


class Bernoulli(TextView):
    """Every known feature of a document is present or absent, and absence counts too.

    log P(x | c) = Σ_f log (x_f > 0 ? p_cf : 1 − p_cf)        p_cf = (D_cf + α) / (n_c + 2α)
    """

    name = "bernoulli"
    counts_once = True

    def smoothing(
        self, weights: _kernel.TextWeights, classes: Classes, columns: Columns
    ) -> tuple[float, Scores | float]:
        # Σ log p + log (1 − p), where the weights are log p − log (1 − p).
        sums, absent = weights.sums()
        return self.alpha * float((sums + 2 * absent).sum()) if self.alpha else 0.0, 0.0

    def counted_factors(
        self,
        statistic: _kernel.TextCounts,
        classes: Classes,
        columns: Columns,
        part: _kernel.Texts,
    ) -> list[CountedFactor] | None:
        if self.skip_top:
            return None
        row = self.counted_row(statistic, classes, part)
        absent = "absent words" if set(self.text.blocks) == {"word"} else "absent features"
        return of_bernoulli(row, exact(self.alpha), classes.rows.tolist(), absent)

    def sample(
        self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns, asked: Draw
    ) -> dict[str, list[Any]]:
        """Each word is there with probability p, and none more than once."""
        words, held = self._presence(statistic, classes, columns, asked)
        rows = classes.weights[asked.place]
        p = (held + self.alpha) / max(rows + 2 * self.alpha, 1e-300)
        return {columns[0]: texts_of(words, p, asked)}

    def parameters(self, statistic: _kernel.TextCounts, n_classes: int) -> tuple[int, int]:
        numbers = statistic.features() * n_classes
        return numbers, numbers


class Complement(TextView):
    """A class is scored by the words of all other classes, and wins if they fit least.

        score_c = − Σ_f x_f · log θ'_cf        θ'_cf = (N_f − N_cf + α) / (N − N_c + α·V)

    The scores are not a joint probability: there is no prior, and no evidence P(x).
    """

    name = "complement"
    takes_prior = False

    def __init__(
        self,
        alpha: float | None = None,
        *,
        text: Text | None = None,
        tfidf: bool = False,
        skip_top: int = 0,
        neutral: Iterable[str] = (),
    ):
        super().__init__(alpha, text=text, tfidf=tfidf, skip_top=skip_top, neutral=neutral)
        if self.alpha == 0:
            raise OptionError(
                "`alpha` of Complement is above 0: with 0, a word that only one class has "
                "would decide alone, and two such words could not be compared"
            )

    @property
    def is_joint(self) -> bool:
        return False


def counts_of_class(
    statistic: _kernel.TextCounts, classes: Classes, place: int, *, documents: bool
) -> NDArray[np.float64]:
    """How often a class has each feature, or in how many documents."""
    cells, of, times, held = statistic.cells()
    found = np.zeros(len(cells))
    if classes.rows[place]:
        feature = np.repeat(np.arange(len(cells)), cells)
        here = of == np.count_nonzero(classes.rows[:place])
        found[feature[here]] = (held if documents else times)[here] / classes.per_row
    return found


def check_drawn(text: Text, column: str) -> None:
    """Refuse to draw texts whose features are no words."""
    if text.negation is not None:
        raise OptionError(
            f"`{column}` is read with negation marking, and what it marks, such as `NOT_like`, is "
            "no word of a text that could be drawn"
        )


def texts_of(words: list[str], p: NDArray[np.float64], asked: Draw) -> list[str]:
    """Texts that hold each word with a probability of its own."""
    found = []
    at_once = max(_AT_ONCE // max(len(words), 1), 1)
    for start in range(0, asked.rows, at_once):
        there = asked.random.random((min(at_once, asked.rows - start), len(words))) < p
        found += [" ".join(words[place] for place in np.flatnonzero(row)) for row in there]
    return found


def _inclusion(theta: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """λθ / (1 + λθ), with the λ for which they sum to `mean`."""
    low, high = -745.0, 745.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        odds = np.exp(middle) * theta
        low, high = (middle, high) if (odds / (1 + odds)).sum() < mean else (low, middle)
    odds = np.exp(low) * theta
    return np.asarray(odds / (1 + odds))


def neutral_terms(given: Iterable[str]) -> tuple[str, ...]:
    """Neutral terms, each once, in order; anything else is refused."""
    terms = [given] if isinstance(given, str) else list(given)
    for term in terms:
        if not isinstance(term, str) or not any(sign.isalnum() for sign in term):
            raise OptionError(f"a neutral term is a word or a phrase, not {term!r}")
    length = sum(map(len, terms))
    if length > _MOST_NEUTRAL:
        raise OptionError(
            f"neutral terms have up to {_MOST_NEUTRAL:,} characters in all, not {length:,}"
        )
    return tuple(sorted({" ".join(term.lower().split()) for term in terms}))


def counted(n: int, what: str) -> str:
    return f"{n:,} {what}" + ("" if n == 1 else "s")


def reading_of_schema(schema: dict[str, Any]) -> Text:
    """How a stored factor reads its text."""
    return Text.from_json({n: value for n, value in schema.items() if n not in _NOT_READING})


def rows_of(starts: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The row of each entry of a matrix whose rows begin at `starts`."""
    lengths = starts[1:].astype(np.int64) - starts[:-1].astype(np.int64)
    return np.repeat(np.arange(len(lengths)), lengths)
