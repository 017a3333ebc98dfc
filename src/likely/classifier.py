"""The front door: a classifier is a prior times a likelihood, estimated from a tally."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import inputs, storage
from likely._kernel import Texts
from likely.errors import DataError, ModelError, NotFittedError, OptionError
from likely.evidence import Evidence, Term
from likely.inputs import Batch, Label, label_array
from likely.leave_one_out import LeaveOneOut, leave_one_out
from likely.ledger import Ledger
from likely.likelihoods import Likelihood, Multinomial, TextLikelihood, restore
from likely.prior import Prior, checked, log_prior, posterior
from likely.tally import Tally, observe

Array = NDArray[np.float64]

_UNGUARDED = (
    "without a ledger, rows that were never learned can be forgotten if the counts allow it"
)


@dataclass(frozen=True)
class Receipt:
    """What `forget` did.

    `inexact` lists what a forgotten row may still have left behind. It is empty for every model
    whose numbers all come from the tally: such a model is now the one that never saw the rows.
    """

    rows: int
    rows_left: int
    classes_gone: tuple[Label, ...]
    inexact: tuple[str, ...] = ()


class Classifier:
    """Learns from labelled texts, predicts labels, says why.

    >>> model = Classifier(Multinomial(alpha=1.0))
    >>> model.fit(["good fun", "dull and slow"], ["pos", "neg"]).predict(["slow fun, dull"])
    array(['neg'], dtype='<U3')

    `prior` is "empirical", "uniform", or a probability per class. `ledger` keeps a hash of every
    learned row, so that only learned rows can be forgotten: True, False, or some secret bytes that
    make the hashes unreadable to others (files do not hold it, pickles do). `threads` never changes
    a result.
    """

    def __init__(
        self,
        likelihood: Likelihood | None = None,
        *,
        prior: Prior = "empirical",
        ledger: bool | bytes | Ledger = True,
        threads: int = 1,
    ):
        likelihood = Multinomial() if likelihood is None else likelihood
        if not isinstance(likelihood, TextLikelihood):
            raise OptionError(f"a likelihood is, for example, `Multinomial()`, not {likelihood!r}")
        if not isinstance(threads, (int, np.integer)) or not 1 <= threads <= 1024:
            raise OptionError(f"`threads` is a number from 1 to 1024, not {threads!r}")
        self._likelihood = likelihood
        self._prior = checked(prior)
        self.threads = int(threads)
        self._ledger = ledger if isinstance(ledger, Ledger) else Ledger.of(ledger)
        if not likelihood.is_joint and self.prior != "empirical":
            raise OptionError(f"{type(likelihood).__name__} takes no prior")
        self._tally = Tally.zero(likelihood, self.ledger)
        self._weights: Any = None
        self._loo: LeaveOneOut | None = None

    @property
    def likelihood(self) -> Likelihood:
        return self._likelihood

    @property
    def prior(self) -> Prior:
        return self._prior

    @property
    def ledger(self) -> Ledger:
        return self._ledger

    @property
    def tally(self) -> Tally:
        """All the model has seen. Another tally, counted alike, may take its place.

        >>> model, texts, labels = Classifier(), ["good fun", "dull"], ["pos", "neg"]
        >>> model.tally = sum(map(model.observe, [texts[:1], texts[1:]], [labels[:1], labels[1:]]))
        >>> model.classes
        ('neg', 'pos')
        """
        return self._tally

    @tally.setter
    def tally(self, tally: Tally) -> None:
        self._tally.check_match(tally)
        self._weights = self._loo = None
        self._tally = tally

    # Learning

    def fit(self, x: Any, y: Any, *, loo: bool = False) -> "Classifier":
        """Learn from these rows alone. With `loo`, also predict each of them without itself."""
        batch = self._batch(x, y)
        if not len(batch):
            raise DataError("there is nothing to learn from: no rows were given")
        if len(batch.labels.values) == 1:
            raise DataError(
                f"every row is `{batch.labels.values[0]}`; a classifier needs at least two classes"
            )
        if isinstance(self.prior, dict):
            log_prior(self.prior, batch.labels.values, np.zeros(0, dtype=np.uint64))
        tally = self._observe(batch)
        found = self._leave_one_out(tally, batch) if loo else None
        # What was there before does not matter, not even how it was counted.
        self._tally, self._weights, self._loo = tally, None, found
        return self

    def update(self, x: Any, y: Any) -> "Classifier":
        """Learn from more rows, as if they had been there from the start."""
        # The weights share the dictionary; without them it grows in place.
        more, self._weights = self.observe(x, y), None
        self.tally += more
        return self

    def forget(self, x: Any, y: Any) -> Receipt:
        """Take rows back, as if they had never been there.

        >>> model = Classifier().fit(["good fun", "dull and slow"], ["pos", "neg"])
        >>> before = model.tally.copy()
        >>> model.update(["cheap pills"], ["spam"]).forget(["cheap pills"], ["spam"])
        Receipt(rows=1, rows_left=2, classes_gone=('spam',), inexact=())
        >>> model.tally == before
        True
        """
        batch = self._batch(x, y)
        self.ledger.check(self.tally.learned, batch)
        fewer = self._observe(batch)
        classes = self.classes
        self.tally -= fewer
        gone = tuple(label for label in classes if label not in self.classes)
        inexact = () if fewer.learned is not None else (_UNGUARDED,)
        return Receipt(fewer.n_rows, self.tally.n_rows, gone, inexact)

    def __add__(self, other: "Classifier") -> "Classifier":
        """The model that has seen the rows of both."""
        if not isinstance(other, Classifier):
            return NotImplemented
        for name in ("likelihood", "prior"):
            ours, theirs = getattr(self, name), getattr(other, name)
            if ours != theirs:
                raise ModelError(f"the two differ in their {name}: {ours!r} and {theirs!r}")
        total = Classifier(
            self.likelihood, prior=self.prior, ledger=self.ledger, threads=self.threads
        )
        total.tally = self.tally + other.tally
        return total

    def __radd__(self, other: object) -> "Classifier":
        """`sum(models)` begins with 0, which is nothing."""
        return self if other == 0 else NotImplemented

    def observe(self, x: Any, y: Any) -> Tally:
        """Count rows without learning them: the map of a map-reduce, whose reduce is `+`."""
        return self._observe(self._batch(x, y))

    @property
    def loo(self) -> LeaveOneOut:
        """Leave-one-out predictions of the training rows, made by `fit(…, loo=True)`."""
        if self._loo is None:
            raise NotFittedError(
                "there are no leave-one-out predictions; "
                "`leave_one_out(x, y)` makes them from the training rows"
            )
        return self._loo

    def leave_one_out(self, x: Any, y: Any) -> LeaveOneOut:
        """Predict rows that were learned, each by the model without it."""
        batch = self._batch(x, y)
        self.ledger.check(self.tally.learned, batch)
        return self._leave_one_out(self.tally, batch)

    # Predicting

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels learned, sorted; the columns of `predict_proba` and `log_joint`."""
        return self.tally.classes

    def predict(self, x: Any) -> NDArray[Any]:
        """The most probable label of each text; of equals, the one that sorts first."""
        best: NDArray[np.intp] = self.predict_proba(x).argmax(axis=1)
        return label_array(self.classes)[best]

    def predict_proba(self, x: Any) -> Array:
        """P(c | x), a row per text and a column per class."""
        return self._posterior(self._scores(self._texts(x)))

    def log_joint(self, x: Any) -> Array:
        """log P(x, c), a row per text and a column per class."""
        if not self.likelihood.is_joint:
            raise OptionError(
                f"{type(self.likelihood).__name__} scores are no joint probability; "
                "`predict_proba` has what it does give"
            )
        return self._scores(self._texts(x))

    def impossible(self, x: Any) -> NDArray[np.bool_]:
        """Which texts no class can have produced: at α = 0 that can be, and the prior decides."""
        return np.asarray(np.isneginf(self._scores(self._texts(x))).all(axis=1))

    def explain(self, text: str) -> Evidence:
        """What each feature of one text says for and against each class."""
        texts, weights = self._texts([text]), self._estimate()
        scores = self._scores(texts)
        terms = []
        if self.likelihood.is_joint:
            terms.append(Term("prior", "prior", 1, self._log_prior()))
        found, constants = weights.contributions(texts)
        if any(constants):
            terms.append(Term("all absent", "absence", 1, np.array(constants)))
        for kind, name, count, values in found:
            terms.append(Term(name, kind, count, np.array(values)))
        impossible = bool(np.isneginf(scores).all())
        return Evidence(self.classes, tuple(terms), self._posterior(scores)[0], impossible)

    def top(self, n: int = 10) -> dict[Label, list[tuple[str, float]]]:
        """For each class, the features that speak for it most, with their log-odds.

        >>> model = Classifier().fit(["good good fun", "dull and slow"], ["pos", "neg"])
        >>> [name for name, log_odds in model.top(1)["pos"]]
        ['good']
        """
        self._check_fitted()
        ranked = self.likelihood.strongest(self.tally, n)
        return dict(zip(self.classes, ranked, strict=True))

    # Being stored

    @property
    def digest(self) -> str:
        """A SHA-256 that every tally of the same rows shares, however it came about."""
        return storage.digest(self._tally_metadata(), self.tally.arrays())

    def to_bytes(self) -> bytes:
        """The model as the bytes of a .likely file."""
        arrays = self.tally.arrays()
        tally = self._tally_metadata()
        prior = self.prior if isinstance(self.prior, str) else sorted(self.prior.items())
        metadata = {
            **tally,
            "model": {**self.likelihood.settings, "prior": prior},
            "tally": storage.digest(tally, arrays),
        }
        return storage.pack(metadata, arrays)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; an old file is replaced whole, or not at all."""
        storage.write(path, self.to_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return from_bytes, (self.to_bytes(), self.ledger.secret, self.threads)

    def __repr__(self) -> str:
        seen = f"{self.tally.n_rows:,} rows, {len(self.classes)} classes"
        return f"<Classifier {self.likelihood!r}: {seen}>"

    # Inside

    def _batch(self, x: Any, y: Any) -> Batch:
        return inputs.batch(x, y, replace_invalid=self._replaces_invalid)

    @property
    def _replaces_invalid(self) -> bool:
        return self.likelihood.text.invalid == "replace"

    def _observe(self, batch: Batch) -> Tally:
        return observe(self.likelihood, batch, self.ledger, self.threads)

    def _leave_one_out(self, tally: Tally, batch: Batch) -> LeaveOneOut:
        return leave_one_out(self.likelihood, self.prior, tally, batch, self.threads)

    def _check_fitted(self) -> None:
        if not self.classes:
            raise NotFittedError("the model has learned nothing yet; `fit(x, y)` comes first")
        if len(self.classes) == 1:
            raise NotFittedError(
                f"the model has learned only `{self.classes[0]}`; it takes two classes to choose"
            )

    def _estimate(self) -> Any:
        """The estimates, made when first asked for and kept until the tally changes."""
        self._check_fitted()
        if self._weights is None:
            self._weights = self.likelihood.estimate(self.tally)
        return self._weights

    def _log_prior(self) -> Array:
        return log_prior(self.prior, self.classes, self.tally.rows)

    def _texts(self, x: Any) -> Texts:
        return inputs.texts(x, replace_invalid=self._replaces_invalid)

    def _scores(self, texts: Texts) -> Array:
        """What decides: log P(x, c), or the likelihood's own scores where it has no joint."""
        scores = self.likelihood.score(self._estimate(), texts, self.threads)
        return scores + self._log_prior() if self.likelihood.is_joint else scores

    def _posterior(self, scores: Array) -> Array:
        return posterior(scores, self._log_prior())

    def _tally_metadata(self) -> dict[str, Any]:
        return {"format": storage.FORMAT, "schema": dict(self.tally.schema)}


def load(
    path: str | os.PathLike[str], *, secret: bytes | None = None, threads: int = 1
) -> Classifier:
    """Read a model from a .likely file. A ledger kept under a secret needs it to go on learning."""
    try:
        return from_bytes(Path(path).read_bytes(), secret, threads)
    except ModelError as error:
        raise ModelError(f"`{path}` cannot be read: {error}") from None


def from_bytes(data: bytes, secret: bytes | None = None, threads: int = 1) -> Classifier:
    """Read a model from the bytes of a .likely file."""
    metadata, arrays = storage.unpack(data)
    try:
        schema, settings = metadata["schema"], dict(metadata["model"])
        prior = settings.pop("prior")
        likelihood = restore(schema, settings)
        prior = prior if isinstance(prior, str) else dict(prior)
        ledger = Ledger.named(schema["ledger"], secret)
        model = Classifier(likelihood, prior=prior, ledger=ledger, threads=threads)
        # A model made under another version of Unicode predicts; it learns no more (its words might
        # differ), since the schemas then do.
        model._tally = Tally.from_arrays(schema, likelihood, arrays)
    except ModelError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"its options make no sense: {error}") from error
    if model.to_bytes() != data:
        raise ModelError("it is not written the way Likely writes it")
    return model
