"""The likelihood of a class as a language model: how probable a text is in that class.

A multinomial over single words is a unigram model, Π P(w_i | c), with the estimates the classifier
uses. A tally that also holds word n-grams holds an n-gram model: each word given those before it,
interpolated with shorter n-grams (Witten and Bell 1991),

    P(w | h) = (n_hw + t_h · P(w | h')) / (n_h + t_h)

where n_hw counts h followed by w, n_h all that follows h, t_h how many distinct words do, and h' is
h without its first word. The beginning and the end of a text need no counts of their own: an n-gram
begins as many texts as it occurs more often than with a word before it.
"""

import itertools
import math
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.labels import Label
from likely.errors import DataError, NotFittedError, OptionError
from likely.explain.blackboard import scientific
from likely.likelihoods.base import AnyLikelihood
from likely.likelihoods.product import Product
from likely.likelihoods.text import (
    BinaryMultinomial,
    Multinomial,
    TextLikelihood,
    counts_of_class,
)
from likely.tally import Classes, Tally
from likely.text import Text

START, END = "<s>", "</s>"

# A sample that does not end by itself is cut here.
_LONGEST_SAMPLE = 1_000


@dataclass(frozen=True)
class Word:
    """A word in its place, and how likely it was there; the end of a text is `</s>`."""

    word: str
    log_prob: float

    @property
    def surprisal(self) -> float:
        """−log2 P(word), in bits."""
        return -self.log_prob / math.log(2)


class LanguageModel:
    """The language model of one class: log-probabilities, perplexity, samples.

    Words that are in no class are ignored; `unknown` lists them.

    >>> from likely import Classifier, Multinomial, Text
    >>> model = Classifier(Multinomial(text=Text(word_ngrams=(1, 2))))
    >>> model = model.fit(["the cat sat", "the cat ran", "a dog ran"], ["cat", "cat", "dog"])
    >>> words = model.language_model("cat").words("the cat ran")
    >>> [f"{each.word} {each.surprisal:.2f}" for each in words]
    ['the 0.45', 'cat 0.45', 'ran 1.66', '</s> 0.74']
    """

    def __init__(
        self,
        likelihood: TextLikelihood[Any],
        statistic: _kernel.TextCounts,
        classes: Classes,
        place: int,
        column: str,
    ):
        self.label: Label = classes.labels[place]
        self.column = column
        self._text: Text = likelihood.text
        self._alpha = likelihood.alpha
        self._rows = float(classes.weights[place])
        longest: Any = self._text.word_ngrams
        self.n: int = longest[1]
        """The longest n-gram that is used: 1 for single words, 2 for bigrams."""
        self._ngrams = _ngram_counts(likelihood, statistic, classes, place)
        codes = statistic.codes()
        # The blocks of words come first, the shortest before the longer ones.
        self._vocabulary = codes.names[: codes.sizes[0]]
        self._known = frozenset(self._vocabulary)

    @property
    def mean_length(self) -> float:
        """How many words a text of the class has on average; 1 if it has none."""
        return math.fsum(self._ngrams[0].values()) / self._rows if self._rows else 1.0

    # Reading

    def words(self, text: str) -> list[Word]:
        """Each known word of a text, given those before it; with n-grams, the end as well."""
        found, history = [], (START,) * (self.n - 1)
        for word in self._tokens(text):
            if word not in self._known:
                # Whatever it was, it is not what the words before it are usually followed by.
                history = ()
                continue
            found.append(Word(word, self._log_prob(word, history)))
            history = (*history, word)[-(self.n - 1) :] if self.n > 1 else ()
        if self.n > 1:
            found.append(Word(END, self._log_prob(END, history)))
        return found

    def log_prob(self, text: str) -> float:
        """log P(text | class)."""
        return math.fsum(each.log_prob for each in self.words(text))

    def perplexity(self, *texts: str) -> float:
        """The perplexity of these texts: 2 to the mean surprisal of their words."""
        words = [each.log_prob for text in texts for each in self.words(text)]
        if not words:
            raise DataError("there is no known word in these texts, so there is no perplexity")
        try:
            return math.exp(-math.fsum(words) / len(words))
        except OverflowError:
            return math.inf

    def unknown(self, text: str) -> list[str]:
        """The words that were never seen in any class, and are ignored."""
        return [word for word in self._tokens(text) if word not in self._known]

    def _tokens(self, text: str) -> list[str]:
        (words, *_) = self._text.reading.features(
            _kernel.Texts([text], self._text.invalid == "replace")
        )
        return words

    # Saying

    def sample(self, seed: int, words: int | None = None) -> str:
        """A random text of the class: the same for the same seed.

        With n-grams a text ends by itself, or after so many words; a unigram model has no end of
        text, so `words` says how many are drawn.
        """
        if words is None and self.n == 1:
            raise OptionError("single words have no end; say how many: `sample(seed, words=20)`")
        return self.draw(np.random.default_rng(seed), [words])[0]

    def draw(self, random: np.random.Generator, lengths: Sequence[int | None]) -> list[str]:
        """Random texts of the class, of so many words each; of None, one that ends by itself."""
        if not self._ends[-1]:
            raise DataError(f"no text of `{self.label}` has a word, so there is none to draw")
        if self.n > 1:
            return [self._text_of(random, length) for length in lengths]
        ends = np.cumsum([0, *(length or 0 for length in lengths)])
        words = [self._vocabulary[place] for place in self._places(random, int(ends[-1]))]
        return [" ".join(words[a:b]) for a, b in itertools.pairwise(ends.tolist())]

    def _text_of(self, random: np.random.Generator, length: int | None) -> str:
        said: list[str] = []
        history = (START,) * (self.n - 1)
        while len(said) < (_LONGEST_SAMPLE if length is None else length):
            word = self._drawn(history, random)
            if word == END:
                break
            said.append(word)
            history = (*history, word)[-(self.n - 1) :]
        return " ".join(said)

    def _drawn(self, history: tuple[str, ...], random: np.random.Generator) -> str:
        """A word after these, drawn from P(w | h)."""
        for h in _shortened(history):
            follows = self._after(h)
            if follows is None:
                continue
            seen, counts = list(follows), np.array(list(follows.values()))
            if random.random() * (counts.sum() + len(seen)) < counts.sum():
                return str(random.choice(seen, p=counts / counts.sum()))
        return self._all[self._places(random, 1)[0]]

    def _places(self, random: np.random.Generator, n: int) -> list[int]:
        """Words drawn without a context, by their places among all."""
        found: list[int] = np.searchsorted(self._ends, random.random(n), side="right").tolist()
        return found

    @cached_property
    def _ends(self) -> NDArray[np.float64]:
        """Where the share of each word ends, if all are laid side by side."""
        ends = np.cumsum([self._base(word) for word in self._all])
        return np.asarray(ends / (ends[-1] or 1.0))

    # Estimating

    def _log_prob(self, word: str, history: tuple[str, ...]) -> float:
        probability = self._base(word)
        for h in reversed(list(_shortened(history))):
            follows = self._after(h)
            if follows is not None:
                total, kinds = math.fsum(follows.values()), len(follows)
                probability = (follows.get(word, 0.0) + kinds * probability) / (total + kinds)
        return math.log(probability) if probability > 0 else -math.inf

    @property
    def _all(self) -> list[str]:
        return [*self._vocabulary, END] if self.n > 1 else self._vocabulary

    def _base(self, word: str) -> float:
        """P(w | c) without context: (N + α) / (N_c + α·V)."""
        counts, total = self._single
        smoothed = total + self._alpha * len(self._all)
        return (counts.get(word, 0.0) + self._alpha) / smoothed if smoothed else 0.0

    @cached_property
    def _single(self) -> tuple[dict[str, float], float]:
        counts = {word: count for (word,), count in self._ngrams[0].items()}
        if self.n > 1:
            ends = self._follows.get((), {}).get(END, 0.0)
            counts[END] = ends
        return counts, math.fsum(counts.values())

    def _after(self, history: tuple[str, ...]) -> dict[str, float] | None:
        """What followed an n-gram, and how often; None if nothing ever did."""
        return self._follows.get(history) if history else None

    @cached_property
    def _follows(self) -> dict[tuple[str, ...], dict[str, float]]:
        """What followed each n-gram, and how often, including the beginnings and ends of texts."""
        follows: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
        begins: dict[tuple[str, ...], float] = {}
        for longer, shorter in zip(self._ngrams[1:], self._ngrams, strict=False):
            before: dict[tuple[str, ...], float] = defaultdict(float)
            after: dict[tuple[str, ...], float] = defaultdict(float)
            for run, count in longer.items():
                follows[run[:-1]][run[-1]] = count
                before[run[1:]] += count
                after[run[:-1]] += count
            for run, count in shorter.items():
                if count > after[run]:
                    follows[run][END] = count - after[run]
                if count > before[run]:
                    begins[run] = count - before[run]
        on = dict(begins)
        for run, count in begins.items():
            follows[(START,) * (self.n - len(run)) + run[:-1]][run[-1]] = count
            if len(run) > 1:
                on[run[:-1]] -= count
        # What begins a text and is not continued is the whole text.
        for run, count in on.items():
            if len(run) < self.n - 1 and count > 0:
                follows[(START,) * (self.n - 1 - len(run)) + run][END] = count
        # Padded beginnings of every length, so that shorter histories find them too.
        for run in [run for run in follows if run and run[0] == START]:
            for cut in range(1, run.count(START)):
                follows[run[cut:]] = follows[run]
        ends = sum(each[END] for run, each in follows.items() if len(run) == 1 and END in each)
        follows[()] = {END: ends}
        return dict(follows)


def _shortened(history: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """A history, and what is left of it word by word."""
    for cut in range(len(history)):
        yield history[cut:]


def _ngram_counts(
    likelihood: TextLikelihood[Any], statistic: _kernel.TextCounts, classes: Classes, place: int
) -> list[dict[tuple[str, ...], float]]:
    """How often the class has each word n-gram."""
    mine = counts_of_class(statistic, classes, place, documents=likelihood.counts_once)
    longest: Any = likelihood.text.word_ngrams
    runs: list[dict[tuple[str, ...], float]] = [{} for _ in range(longest[1])]
    codes = statistic.codes()
    # The blocks of words come first, the shortest before the longer ones.
    block = np.repeat(np.arange(len(codes.sizes)), codes.sizes).tolist()
    for name, n, count in zip(codes.names, block, mine.tolist(), strict=True):
        if n < len(runs) and count:
            runs[n][tuple(name.split(" "))] = count
    return runs


def language_model(
    product: Product, tally: Tally, classes: Classes, label: Any, column: str | None = None
) -> LanguageModel:
    """The language model of a class, if texts have a probability under the model."""
    texts = product.texts if column is None else (column,)
    places = [
        place
        for place, factor in enumerate(product.factors)
        if isinstance(factor.likelihood, TextLikelihood) and factor.columns[0] in texts
    ]
    if not places:
        where = "" if column is None else f" called `{column}`"
        raise OptionError(f"the model has no text column{where}, so it has no language model")
    if len({product.factors[place].columns for place in places}) > 1:
        names = ", ".join(f"`{product.factors[place].columns[0]}`" for place in places)
        raise OptionError(
            f"the model has several text columns: {names}\n"
            'hint: `language_model(label, column="…")` names the one'
        )
    likelihood = product.factors[places[0]].likelihood
    _check(likelihood)
    assert isinstance(likelihood, TextLikelihood)
    statistic = tally.statistics[places[0]]
    assert isinstance(statistic, _kernel.TextCounts)
    if not statistic.features():
        raise NotFittedError("the model has not learned a single word")
    where = product.factors[places[0]].columns[0]
    return LanguageModel(likelihood, statistic, classes, classes.labels.index(label), where)


def check_readable(likelihood: AnyLikelihood) -> None:
    """Refuse what gives a sequence of words no probability."""
    name = type(likelihood).__name__
    if not isinstance(likelihood, (Multinomial, BinaryMultinomial)):
        raise OptionError(
            f"{name} gives a sequence of words no probability, so it has no language model\n"
            "hint: `Classifier(Multinomial())`, or `likely train --plain`, has one for each class"
        )
    text = likelihood.text
    if not isinstance(text.word_ngrams, tuple) or text.word_ngrams[0] != 1:
        raise OptionError("a language model needs single words, which this model does not read")


def _check(likelihood: AnyLikelihood) -> None:
    """Refuse what gives texts no probability; warn where it gives one to something else."""
    check_readable(likelihood)
    assert isinstance(likelihood, (Multinomial, BinaryMultinomial))
    text, odd = likelihood.text, []
    if isinstance(likelihood, BinaryMultinomial):
        odd.append("repeated words count once")
    if likelihood.tfidf or likelihood.skip_top:
        odd.append("words do not count what they occur")
    if text.stop_words:
        odd.append("stop words are left out")
    if text.char_ngrams is not None or text.surface_features or text.lexicon is not None:
        odd.append("features other than words are left out here")
    if odd:
        warnings.warn(f"these are not probabilities of whole texts: {'; '.join(odd)}", stacklevel=4)


def surprising(languages: list[LanguageModel], text: str) -> str:
    """A text word by word: how many bits each costs each class, as a page of text."""
    said = [each.words(text) for each in languages]
    names = [str(each.label) for each in languages]
    rows = [
        (words[0].word, [word.surprisal for word in words]) for words in zip(*said, strict=True)
    ]
    if not rows:
        raise DataError("there is no known word in this text")
    widest = max(len("perplexity"), *(len(word) for word, _ in rows))
    # As wide as a probability is written, like 1.23·10⁻¹².
    widths = [max(len(name), 10) for name in names]
    most = max((bits for _, each in rows for bits in each if math.isfinite(bits)), default=1.0)
    lines = [
        " " * widest
        + "".join(f"  {n:>{w}}" for n, w in zip(names, widths, strict=True))
        + "   bits"
    ]
    for word, each in rows:
        cells = "".join(f"  {bits:>{w}.2f}" for bits, w in zip(each, widths, strict=True))
        # The bar is what the last class pays more than the first, or less.
        gap = each[-1] - each[0] if len(each) > 1 else each[0]
        bar = "█" * round(12 * abs(gap) / most) if math.isfinite(gap) and most else ""
        towards = f" {names[0] if gap > 0 else names[-1]}" if bar and len(each) > 1 else ""
        lines.append(f"{word:<{widest}}{cells}   {bar}{towards}".rstrip())
    totals = [math.fsum(word.surprisal for word in words) for words in said]
    shown = [scientific(-bits * math.log(2)) for bits in totals]
    cells = "".join(f"  {value:>{w}}" for value, w in zip(shown, widths, strict=True))
    lines += ["", f"{'P(text)':<{widest}}{cells}"]
    for name, values in (("bits", totals), ("perplexity", [x.perplexity(text) for x in languages])):
        cells = "".join(f"  {value:>{w}.2f}" for value, w in zip(values, widths, strict=True))
        lines.append(f"{name:<{widest}}{cells}")
    unknown = languages[0].unknown(text)
    if unknown:
        lines.append(f"never seen, and left out: {', '.join(unknown)}")
    return "\n".join(lines)
