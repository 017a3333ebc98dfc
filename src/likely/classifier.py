"""The classifier: fit, predict, update, forget, save and load."""

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from likely.data.files import Progress, refuse_device
from likely.data.labeled import Labeled, labeled
from likely.data.labels import Label
from likely.data.table import MISSING
from likely.errors import DataTypeError, ModelError, OptionError
from likely.likelihoods.product import Given
from likely.model import file, learning
from likely.model.fitted import Fitted, opened
from likely.model.learning import Receipt as Receipt
from likely.model.plan import Plan
from likely.model.prior import Prior
from likely.model.spec import Spec
from likely.predictor import Predictor
from likely.rules import Rules
from likely.tally import Tally, container
from likely.tally.ledger import Ledger

if TYPE_CHECKING:
    from likely.model.semi_supervised import Weight

Found = TypeVar("Found")


class Classifier(Predictor):
    """A Naive Bayes classifier for texts, numbers, categories and dates.

    >>> from likely import Multinomial
    >>> model = Classifier(Multinomial(alpha=1.0))
    >>> model.fit(["good fun", "dull and slow"], ["pos", "neg"]).predict(["slow fun, dull"])
    array(['neg'], dtype='<U3')

    Without a likelihood, the model picks one for each column by looking at the data; `column_roles`
    says which and why, and `columns` overrides it: `columns={"zip": "categorical", "id": "drop"}`.
    The roles are "text", "short text" (names, addresses, codes), "numeric", "categorical", "date"
    (the sample tells whether the day comes first), "day-first date" and "drop".
    Otherwise `likelihood` is one for all columns, or a dictionary by column; columns in a tuple
    share one.

    >>> from likely import Categorical, Gaussian
    >>> model = Classifier({("height", "weight"): Gaussian("full"), "team": Categorical()})

    `prior` is "empirical" (the class frequencies), "empirical+1" (the same with one more row of
    each class), "uniform", or a probability per class; classes that it does not name share the
    rest. `classes` lists classes that exist even if no row has them. `rules` take precedence over
    the model: the first rule that fires on a row gives its label. `tune` says whether `fit` tunes
    the model (weights, biases, smoothing); by default, a model that picks its likelihoods itself is
    tuned. With `stack_linear`, a linear model of all columns is stacked on the counts. It is often
    more accurate, but it is learned, not counted, so `update` and `forget` leave it unchanged until
    `tune`.

    A row is given its most probable label, unless mistakes differ in their `costs`, by true and
    predicted label: `costs={("spam", "ham"): 5}`. Other mistakes cost 1, and the label with the
    least expected cost is predicted. Or one class has a threshold, `thresholds={"spam": 0.9}`: it
    is predicted where its probability reaches that, otherwise the most probable of the others.
    `fit` chooses the threshold for "precision>=0.9", "recall>=0.8" or "f1". Probabilities stay as
    they are.

    >>> texts, labels = ["buy now", "buy it", "see you now"], ["spam", "spam", "ham"]
    >>> Classifier(Multinomial(), thresholds={"spam": 0.9}).fit(texts, labels).predict(["buy"])
    array(['ham'], dtype='<U4')

    With `one_vs_rest`, there is a binary classifier for each class, of its rows against all others,
    and the class with the highest probability wins; of equals, the one that sorts first.
    `predict_proba` gives these probabilities divided by their sum, as scikit-learn does, since
    metrics, costs and thresholds need them to sum to one. The tally is that of any other model; the
    model is plain, and has no joint probability.

    >>> model = Classifier(Multinomial(), one_vs_rest=True)
    >>> model.fit(["buy now", "see you", "my bill"], ["ad", "mail", "work"]).predict(["see it"])
    array(['mail'], dtype='<U4')

    Rows may be multi-label, with a list of labels each. Each label is then predicted independently,
    if its probability reaches its threshold. `fit` chooses the thresholds for a criterion,
    `thresholds`: "f1", "precision>=0.9", "recall>=0.8", or the cost of a miss and of a false alarm,
    by label. The default is "f1" for a tuned model; any other predicts the labels that are more
    probable than not. In a column of a table, `separator` stands between the labels of a cell.

    >>> texts, labels = ["oil and wheat", "oil", "wheat", "a match"], [["a", "b"], ["a"], ["b"], []]
    >>> Classifier(Multinomial()).fit(texts, labels).predict(["wheat and oil", "the match"])
    [['a', 'b'], []]

    `missing` lists the spellings of missing cells in numeric and categorical columns; None and NaN
    are always missing. `ledger` keeps a hash of every learned row, so that only learned rows can be
    forgotten: True, False, or secret bytes that make the hashes unreadable to others (model files
    do not hold the secret, pickles do).
    `threads` never changes a result.
    """

    def __init__(
        self,
        likelihood: Given | Plan | None = None,
        *,
        columns: Mapping[str, str] | None = None,
        missing: Iterable[str] = MISSING,
        prior: Prior = "empirical",
        classes: Iterable[Label] = (),
        rules: Rules | None = None,
        tune: bool | None = None,
        thresholds: Any = None,
        costs: Any = None,
        separator: str | None = None,
        stack_linear: bool = False,
        one_vs_rest: bool = False,
        ledger: bool | bytes | Ledger = True,
        threads: int = 1,
    ):
        if not isinstance(threads, (int, np.integer)) or not 1 <= threads <= 1024:
            raise OptionError(f"`threads` is a number from 1 to 1024, not {threads!r}")
        self.threads = int(threads)
        self._spec = Spec.of(
            likelihood, columns, missing, prior, classes, rules, tune, thresholds, costs,
            separator, stack_linear, ledger, one_vs_rest,
        )  # fmt: skip
        # All that was learned is this one value: each method below computes a new one, then assigns
        # it.
        self._fitted: Fitted | None = None
        # Learning takes this lock; predicting needs none.
        self._turn = threading.Lock()

    # Learning

    def fit(
        self,
        x: Any,
        y: Any = None,
        *,
        loo: bool = False,
        unlabeled: Any = None,
        unlabeled_weight: "Weight" = "auto",
        progress: Progress | None = None,
    ) -> Self:
        """Learn from these rows alone.

        A model that picks its likelihoods itself is then tuned on leave-one-out predictions, which
        `loo` keeps. Other models make them with `loo=True`.

        `x` is a list of texts, a table in memory, or a table in a file (`likely.open_table`); `y`
        are the labels, or the name of their column. Files are read in batches, so they may be
        larger than memory.

        `unlabeled` are more rows like `x`, without labels. EM assigns them softly to the classes,
        and each counts `unlabeled_weight` of a labeled row. Texts are then read word by word, as EM
        needs a probability. "auto" compares several weights with the model of the labeled rows
        alone, by cross-validation on the labeled rows. It takes the best weight if the mean
        log-probability gains more than its standard error, and otherwise the model of the labeled
        rows alone. `learned` holds the result, and `loo` the cross-validated predictions. A model
        that has learned soft assignments cannot be updated or made to forget.

        >>> model = Classifier().fit(
        ...     ["a goal", "a vote"], ["sport", "law"],
        ...     unlabeled=["goal, match", "match, striker", "vote, budget"], unlabeled_weight=1)
        >>> model.predict(["the striker"]).item()
        'sport'
        """
        rows = self._given(x, y)
        with self._turn:
            if unlabeled is None:
                self._fitted = learning.fit(self._spec, rows, loo, self.threads, progress)
            else:
                self._fitted = learning.fit_unlabeled(
                    self._spec, rows, unlabeled, unlabeled_weight, loo, self.threads, progress
                )
        return self

    def tune(self, x: Any, y: Any = None, *, progress: Progress | None = None) -> Self:
        """Tune the model on the rows that it has learned: weights, biases, thresholds.

        Weights and biases are fit by leave-one-out likelihood; the tally stays as it is. A tuned
        model has better calibrated probabilities, but no joint probability. Rows that are learned
        or forgotten later leave the tuning unchanged, and stale, until `tune` is called again.

        >>> texts, labels = ["good", "so good", "bad", "so bad"], ["pos", "pos", "neg", "neg"]
        >>> model = Classifier().fit(texts[:2] + texts[2:3], labels[:3]).update(["so bad"], ["neg"])
        >>> model.is_stale, model.tune(texts, labels).is_stale
        (True, False)
        """
        with self._turn:
            fitted = self.fitted
            self._fitted = learning.retuned(fitted, fitted.labeled(x, y), self.threads, progress)
        return self

    def update(self, x: Any, y: Any = None, *, progress: Progress | None = None) -> Self:
        """Learn from more rows, as if they had been there from the start."""
        with self._turn:
            if (fitted := self._fitted) is not None:
                rows = fitted.labeled(x, y)
                self._fitted = learning.updated(fitted, rows, self.threads, progress)
            elif not (rows := self._given(x, y)).is_empty:
                plan = self._spec.settled(rows)
                tally = learning.observe(plan.product, plan.ledger, rows, self.threads, progress)
                self._fitted = Fitted.of(self._spec, plan, tally)
        return self

    def becomes(self, made: Callable[[], tuple[Fitted, Found]]) -> Found:
        """Be what was fitted elsewhere; returns what was found beside it.

        Those who learn take turns, so it is made while nobody else learns.
        """
        with self._turn:
            self._fitted, found = made()
        return found

    def forget(self, x: Any, y: Any = None) -> Receipt:
        """Take rows back, as if they had never been there.

        >>> from likely import Multinomial
        >>> model = Classifier(Multinomial()).fit(["good fun", "dull and slow"], ["pos", "neg"])
        >>> before = model.tally
        >>> model.update(["cheap pills"], ["spam"]).forget(["cheap pills"], ["spam"])
        Receipt(rows=1, rows_left=2, classes_gone=('spam',), inexact=())
        >>> model.tally == before
        True
        """
        with self._turn:
            fitted = self.fitted
            rows = fitted.labeled(x, y)
            self._fitted, receipt = learning.forgotten(fitted, rows, self.threads)
        return receipt

    def plan(self, x: Any, y: Any = None) -> Plan:
        """How rows like these are counted: `Classifier(plan)` counts any others the same way.

        >>> plan = Classifier().plan({"text": ["buy", "see you"], "y": ["spam", "ham"]}, "y")
        >>> parts = [{"text": ["buy now"], "y": ["spam"]}, {"text": ["see me"], "y": ["ham"]}]
        >>> model = Classifier(plan)
        >>> model.tally = sum(model.observe(part, "y") for part in parts)
        >>> model.predict(["buy"]).item()
        'spam'
        """
        return self._spec.settled(self._given(x, y))

    def observe(self, x: Any, y: Any = None) -> Tally:
        """Count rows without learning them: the map of a map-reduce, whose reduce is `+`."""
        if (fitted := self._fitted) is None:
            rows = self._given(x, y)
            plan = self._spec.settled(rows)
        else:
            rows, plan = fitted.labeled(x, y), fitted.plan
        return learning.observe(plan.product, plan.ledger, rows, self.threads)

    @property
    def tally(self) -> Tally:
        """The tally of all learned rows. It can be replaced by another one of the same plan.

        >>> from likely import Classifier
        >>> model, texts, labels = Classifier(), ["good fun", "dull"], ["pos", "neg"]
        >>> model.tally = sum(map(model.observe, [texts[:1], texts[1:]], [labels[:1], labels[1:]]))
        >>> model.classes
        ('neg', 'pos')
        """
        return self.fitted.tally

    @tally.setter
    def tally(self, tally: Tally) -> None:
        if not isinstance(tally, Tally):
            raise DataTypeError(f"`tally` is what `observe` counts, not {type(tally).__name__}")
        with self._turn:
            if (fitted := self._fitted) is None:
                self._fitted = Fitted.of(self._spec, self._spec.settled_as(tally), tally)
                return
            fitted.check_learns()
            Tally.zero(fitted.plan.product, fitted.plan.ledger).check_match(tally)
            self._fitted = fitted.with_tally(tally)

    def __add__(self, other: "Classifier") -> Self:
        """The model that has seen the rows of both."""
        if not isinstance(other, Classifier):
            return NotImplemented
        return self._like(learning.merged(self.fitted, other.fitted))

    def __radd__(self, other: object) -> Self:
        """`sum(models)` begins with 0."""
        return self if other == 0 else NotImplemented

    # Saving

    def to_bytes(self) -> bytes:
        """The model as the bytes of a .likely file."""
        return file.to_bytes(self.fitted)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; an old file is replaced whole, or not at all."""
        container.write(path, self.to_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        if (fitted := self._fitted) is None:
            return _unlearned, (self._spec, self.threads)
        return from_bytes, (file.to_bytes(fitted), self._spec.ledger.secret, self.threads)

    def __repr__(self) -> str:
        given = self._spec.likelihood
        if (fitted := self._fitted) is None:
            return f"<Classifier {given!r}: nothing learned>"
        likelihood = fitted.plan.product.by_column if given is None else given
        seen = f"{fitted.tally.n_rows:,} rows, {len(fitted.labels)} classes"
        return f"<Classifier {likelihood!r}: {seen}>"

    def _given(self, x: Any, y: Any) -> Labeled:
        """Rows with labels for a model that has learned nothing, or is to learn anew."""
        y = self._spec.target if y is None else y
        return labeled(opened(self._spec, x), y, self._spec.separator, self._spec.classes)


def _unlearned(spec: Spec, threads: int) -> Classifier:
    return Classifier.of(spec, None, threads)


def load(
    path: str | os.PathLike[str], *, secret: bytes | None = None, threads: int = 1
) -> Classifier:
    """Read a model from a .likely file. With a keyed ledger, it needs the secret to learn more."""
    refuse_device(os.fspath(path))
    try:
        return from_bytes(Path(path).read_bytes(), secret, threads)
    except ModelError as error:
        raise ModelError(f"`{path}` cannot be read: {error}") from None


def from_bytes(data: bytes, secret: bytes | None = None, threads: int = 1) -> Classifier:
    """Read a model from the bytes of a .likely file."""
    fitted = file.from_bytes(data, secret)
    return Classifier.of(fitted.spec, fitted, threads)
