"""Four likelihoods of a text, four views of one tally.

The tally keeps, per class c and feature f, the occurrences N_cf and the documents D_cf that hold f.
Which of them a view reads is all that tells the four apart.
"""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.errors import ModelError, OptionError
from likely.inputs import Batch
from likely.tally import Arrays, Tally
from likely.text import Text

Scores = NDArray[np.float64]

# Beyond this, smoothing has long drowned whatever was counted.
_MOST = 1_000_000_000


class TextLikelihood:
    """What the four views share: they observe alike, and differ in what they estimate."""

    view: ClassVar[str]
    counted: ClassVar[str] = "times"
    is_joint: ClassVar[bool] = True

    def __init__(self, alpha: float = 1.0, *, text: Text | None = None):
        if not isinstance(alpha, (int, float, np.number)) or not 0 <= alpha <= _MOST:
            raise OptionError(f"`alpha` is a number from 0 to {_MOST:,}, not {alpha!r}")
        if not isinstance(text, (Text, type(None))):
            raise OptionError(f"`text` is, for example, `Text(words=(1, 2))`, not {text!r}")
        self.alpha = float(alpha)
        self.text = Text() if text is None else text

    # Counting

    @property
    def schema(self) -> dict[str, Any]:
        """What is counted, and how. Two tallies can be added if they agree on it."""
        return {"text": self.text.to_json()}

    def zero(self) -> _kernel.TextCounts:
        return _kernel.TextCounts.zero(self.text.options)

    def observe(self, batch: Batch, threads: int) -> _kernel.TextCounts:
        slots, n_slots = batch.labels.slots, len(batch.labels.values)
        return _kernel.TextCounts.observe(self.text.options, batch.texts, slots, n_slots, threads)

    def from_arrays(self, arrays: Arrays, rows: NDArray[np.uint64]) -> _kernel.TextCounts:
        """The counts that `arrays` gave; in the file they may have been narrower."""
        wide = {"times": np.uint64, "documents": np.uint64, "bytes": np.uint8}
        widened = {
            name: np.ascontiguousarray(array, dtype=wide.get(name, np.uint32))
            for name, array in arrays.items()
        }
        return _kernel.TextCounts.from_arrays(self.text.options, rows, widened)

    # Estimating and scoring

    def estimate(self, tally: Tally) -> _kernel.TextWeights:
        counts: _kernel.TextCounts = tally.statistic
        return counts.estimate(self.view, self.alpha, 1, tally.slots, tally.rows)

    def score(self, weights: _kernel.TextWeights, texts: _kernel.Texts, threads: int) -> Scores:
        return weights.score(texts, threads)

    def leave_one_out(
        self, tally: Tally, batch: Batch, positions: NDArray[np.uint32], threads: int
    ) -> Scores:
        """`score` of each learned text, under the tally without it."""
        counts: _kernel.TextCounts = tally.statistic
        (scores,) = counts.leave_one_out(
            self.view, [self.alpha], 1, tally.slots, tally.rows, batch.texts, positions, threads
        )
        return scores

    def strongest(self, tally: Tally, n: int) -> list[list[tuple[str, float]]]:
        """For each class, the features it has more of than the rest, each with its log-odds.

        Occurrences are compared, or documents where the view counts those. The ranking is by
        log-odds over their standard error, so that a word seen twice does not come before one seen
        a hundred times.
        """
        counts: _kernel.TextCounts = tally.statistic
        arrays = counts.arrays(tally.slots)
        names = counts.matrix(_kernel.Texts([]), 1)[3]
        feature = np.repeat(np.arange(len(names)), arrays["cells"])
        times = arrays[self.counted].astype(np.float64)
        totals = np.bincount(feature, weights=times, minlength=len(names))
        alpha = max(self.alpha, 0.01)
        ranked = []
        for place in range(len(tally.classes)):
            mine = arrays["classes"] == place
            here, which = times[mine], feature[mine]
            there = totals[which] - here
            size, rest = here.sum(), times.sum() - here.sum()
            smooth = alpha * len(names)
            odds = np.log((here + alpha) / (size + smooth))
            odds -= np.log((there + alpha) / (rest + smooth))
            strength = odds / np.sqrt(1 / (here + alpha) + 1 / (there + alpha))
            best = np.argsort(-strength, kind="stable")[: max(n, 0)]
            ranked.append([(names[which[i]], float(odds[i])) for i in best if odds[i] > 0])
        return ranked

    # Being stored and shown

    @property
    def settings(self) -> dict[str, Any]:
        """How the tally is looked at: no change here changes what is counted."""
        return {"likelihood": self.view, "alpha": self.alpha}

    @classmethod
    def from_json(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            return cls(settings["alpha"], text=Text.from_json(schema["text"]))
        except (KeyError, TypeError, AttributeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextLikelihood):
            return NotImplemented
        return (self.view, self.alpha, self.text) == (other.view, other.alpha, other.text)

    def __hash__(self) -> int:
        return hash((self.view, self.alpha, self.text))

    def __repr__(self) -> str:
        text = "" if self.text == Text() else f", text={self.text!r}"
        return f"{type(self).__name__}(alpha={self.alpha:g}{text})"


class Multinomial(TextLikelihood):
    """Each class is an urn of words; a document is a handful drawn from it.

        log P(x | c) = Σ_f x_f · log θ_cf        θ_cf = (N_cf + α) / (N_c + α·V)

    V is the number of features seen in any class; features never seen are ignored. With α = 0, a
    feature that a class never had makes the class impossible.
    """

    view = "multinomial"


class Binary(TextLikelihood):
    """The multinomial with every feature counted once per document, in training and in prediction.

    log P(x | c) = Σ_f [x_f > 0] · log θ_cf        θ_cf = (D_cf + α) / (Σ_f D_cf + α·V)
    """

    view = "binary"
    counted = "documents"


class Bernoulli(TextLikelihood):
    """A document says of every known feature whether it is there; absence is evidence too.

    log P(x | c) = Σ_f log (x_f > 0 ? p_cf : 1 − p_cf)        p_cf = (D_cf + α) / (n_c + 2α)
    """

    view = "bernoulli"
    counted = "documents"


class Complement(TextLikelihood):
    """A class is judged by the urn of all the others, and wins by fitting there least.

        score_c = − Σ_f x_f · log θ'_cf        θ'_cf = (N_f − N_cf + α) / (N − N_c + α·V)

    The scores are no joint probability: the prior takes no part, and there is no evidence P(x).
    """

    view = "complement"
    is_joint = False

    def __init__(self, alpha: float = 1.0, *, text: Text | None = None):
        super().__init__(alpha, text=text)
        if self.alpha == 0:
            raise OptionError(
                "`alpha` of Complement is above 0: with 0, a word that only one class has "
                "would decide alone, and two such words could not be weighed"
            )
