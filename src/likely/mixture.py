"""Clustering: a mixture of k likelihoods, fit by EM."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.classifier import Classifier
from likely.data.columns import find_roles, is_list_of_texts, reasons
from likely.data.label_sets import as_given
from likely.data.labels import label_array, labels
from likely.data.table import MISSING, spellings
from likely.data.unlabeled import Unlabeled, unlabeled
from likely.errors import DataError, NotFittedError, OptionError
from likely.explain.parameters import Parameters
from likely.likelihoods import OF_ROLE, Multinomial
from likely.likelihoods.product import Given, Product
from likely.likelihoods.product import checked as checked_likelihood
from likely.model.em import EM, EMResult, Responsibilities
from likely.model.fitted import Fitted
from likely.model.plan import Plan
from likely.model.prior import Prior, checked, log_prior, log_sum, posterior
from likely.model.spec import Spec
from likely.tally import Classes, Tally
from likely.tally.ledger import Ledger

Array = NDArray[np.float64]


class Mixture:
    """A mixture model: rows fall into k groups, each with its own likelihood.

        P(x) = Σ_c P(c) · P(x | c)

    >>> from likely import Gaussian
    >>> mixture = Mixture(Gaussian(), 2).fit([[1.0], [1.2], [0.9], [1.1], [5.1], [4.8]])
    >>> mixture.predict([[1.1], [4.9]]).tolist()
    [0, 1]

    `likelihood` is anything a `Classifier` takes that gives rows a probability: Gaussians of all
    three covariances (of known `deviation`, if it is), texts, categories, or a dictionary by
    column. Without one, each column gets what suits it. `prior` is "empirical" if the shares of the
    groups are unknown, "uniform" or a probability per group (0, 1, …) if they are known. `k` is a
    number, or several, of which the one with the lowest BIC is chosen.

    EM runs from `starts` seeded initializations, as in k-means++, and the best result is kept:
    `objective` has the objective after each step, `converged` whether it converged. `model` is the
    `Classifier` of the groups, the largest first; it predicts, explains and is saved like any
    other.
    """

    def __init__(
        self,
        likelihood: Given | None = None,
        k: int | Iterable[int] = 2,
        *,
        prior: Prior = "empirical",
        starts: int = 5,
        seed: int = 0,
        tolerance: float = 1e-4,
        iterations: int = 500,
        missing: Iterable[str] = MISSING,
        threads: int = 1,
    ):
        self._likelihood = None if likelihood is None else checked_likelihood(likelihood)
        self.ks = _numbers_of_groups(k)
        self.prior = checked(prior)
        if not isinstance(starts, int) or starts < 1:
            raise OptionError(f"`starts` is a number of guesses from 1 up, not {starts!r}")
        if not isinstance(iterations, int) or iterations < 1:
            raise OptionError(f"`iterations` is a number of steps from 1 up, not {iterations!r}")
        if not tolerance >= 0:
            raise OptionError(f"`tolerance` is a gain per row, from 0 up, not {tolerance!r}")
        self.starts, self.seed = starts, seed
        self.tolerance, self.iterations = float(tolerance), iterations
        self._missing = spellings(missing)
        self.threads = threads
        self._model: Classifier | None = None
        self._product = Product((), ())
        self._weights: list[Any] = []
        self.objective: tuple[float, ...] = ()
        self._end = ""
        self.log_likelihood = self.bic = math.nan
        self.bics: dict[int, float] = {}
        """The Bayesian information criterion of each k that was tried; lower is better."""

    # Learning

    def fit(
        self,
        x: Any,
        *,
        start: Any = None,
        seen: Callable[[Classifier], Any] | None = None,
    ) -> "Mixture":
        """Find the groups of these rows: a list of texts, a table in memory, or one in a file.

        `start` gives the initial responsibilities instead: probabilities of the groups for each
        row. `seen` is called with the model after every step.
        """
        rows = unlabeled(x)
        product = Product.settled(self._picked(rows), rows.columns, self._missing)
        batches = tuple(product.read(table) for table in rows.batches(product.columns))
        n_rows = sum(len(batch[0]) for batch in batches)
        if not n_rows:
            raise DataError.of("no-rows")
        if max(self.ks) > n_rows:
            raise DataError(f"there are {n_rows:,} rows, too few for {max(self.ks):,} groups")
        ends = {}
        for k in self.ks:
            labels = tuple(range(k))
            em = EM(product, self.prior, labels, batches, threads=self.threads)
            end = self._climbed(em, start, seen)
            likelihood = _log_likelihood(em, end.tally)
            bic = self._free(em, end.tally) * math.log(n_rows) - 2 * likelihood
            ends[k] = bic, em, end, likelihood
        best, em, end, likelihood = min(ends.values(), key=lambda found: found[0])
        tally = self._sorted(em, end)
        self._model, self._product = self._classifier(em, tally), product
        self._weights = product.estimate(tally, tally.view(em.labels))
        self.objective, self._end = end.objective, end.end
        self.log_likelihood, self.bic = likelihood, best
        self.bics = {k: found[0] for k, found in ends.items()}
        return self

    def _climbed(self, em: EM, start: Any, seen: Callable[[Classifier], Any] | None) -> EMResult:
        """The best of all starts."""
        if start is not None:
            guess = _given(start, em)
            watch = None if seen is None else lambda tally: seen(self._classifier(em, tally))
            return em.run(guess, self.tolerance, self.iterations, watch)
        random = np.random.default_rng(self.seed)
        ends = [
            em.run(_guess(em, random), self.tolerance, self.iterations)
            for _ in range(self.starts if len(em.labels) > 1 else 1)
        ]
        return max(ends, key=lambda end: end.objective[-1])

    def _sorted(self, em: EM, found: EMResult) -> Tally:
        """The same tally with the largest group first, unless groups were named by their prior."""
        if not isinstance(self.prior, str):
            return found.tally
        order = np.argsort(-found.tally.view(em.labels).weights, kind="stable")
        return em.tally([np.ascontiguousarray(each[:, order]) for each in found.responsibilities])

    def _classifier(self, em: EM, tally: Tally) -> Classifier:
        product, ledger = em.product, Ledger.of(False)
        options = (product.by_column, None, product.missing, self.prior, em.labels, None)
        spec = Spec.of(*options, False, None, None, None, False, ledger)
        fitted = Fitted.of(spec, Plan(product, ledger), tally)
        return Classifier.of(spec, fitted, self.threads)

    def _picked(self, rows: Unlabeled) -> Given:
        """The likelihood of each column: given, or chosen by its role."""
        if self._likelihood is not None:
            return self._likelihood
        sample = rows.sample().reading(self._missing)
        if is_list_of_texts(sample):
            return Multinomial()
        column_roles = find_roles(sample, {})
        given = {n: OF_ROLE[c.role]() for n, c in column_roles.items() if c.role != "drop"}
        if not given:
            raise DataError.of("no-column-to-learn-from", reasons=reasons(column_roles))
        return given

    def _free(self, em: EM, tally: Tally) -> int:
        """How many numbers were estimated."""
        parameters = Parameters.of(em.product, tally, len(em.labels))
        is_known = isinstance(self.prior, dict) or self.prior == "uniform"
        return parameters.free - (len(em.labels) - 1 if is_known else 0)

    # The groups

    @property
    def model(self) -> Classifier:
        """The classifier of the groups."""
        if self._model is None:
            raise NotFittedError("the mixture has seen nothing yet; `fit(x)` comes first")
        return self._model

    @property
    def k(self) -> int:
        """How many groups there are."""
        return len(self.model.classes)

    @property
    def converged(self) -> bool:
        """Whether EM converged."""
        return self._end == "converged"

    @property
    def shares(self) -> Array:
        """P(c), how large each group is."""
        return np.exp(self._log_prior)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know: empty groups, steps that ran out."""
        classes = self._classes
        notes = [f"nothing is left of group {c}" for c in np.flatnonzero(classes.rows == 0)]
        if self._end == "steps ran out":
            notes.append(f"EM was still climbing after {self.iterations:,} steps")
        if self._end == "stopped":
            notes.append("EM stopped where a singular covariance, or gaps in rows, led it down")
        for factor, weights in zip(self._product.factors, self._weights, strict=True):
            notes.extend(factor.likelihood.notes(weights, classes, factor.columns))
        return tuple(notes)

    def predict_proba(self, x: Any) -> Array:
        """P(c | x), a row per row and a column per group."""
        return posterior(self._scores(x), self._log_prior)

    def predict(self, x: Any) -> NDArray[Any]:
        """The group of each row."""
        return np.asarray(label_array(self.model.classes)[self._scores(x).argmax(axis=1)])

    def log_evidence(self, x: Any) -> Array:
        """log P(x) of each row."""
        return log_sum(self._scores(x))

    @property
    def _classes(self) -> Classes:
        return self.model.tally.view(self.model.classes)

    @property
    def _log_prior(self) -> Array:
        return log_prior(self.prior, self._classes.labels, self._classes.weights)

    def _scores(self, x: Any) -> Array:
        """log P(x, c); unlike a classifier, a mixture may have a single group."""
        tables = unlabeled(x).batches(self._product.columns)
        inputs = (self._product.read(table) for table in tables)
        scores = [self._product.score(self._weights, each, self.threads) for each in inputs]
        return np.vstack([np.zeros((0, self.k)), *scores]) + self._log_prior

    def aligned(self, x: Any, y: Any) -> NDArray[Any]:
        """The groups of rows, named after the labels they agree with most, for evaluation.

        Groups and labels are matched so that the most rows agree; a group without a match takes the
        most frequent label of its rows.

        >>> from likely import Gaussian
        >>> x, y = [[1.0], [1.2], [5.1], [4.8], [5.0]], ["low", "low", "high", "high", "high"]
        >>> Mixture(Gaussian(), 2).fit(x).aligned(x, y).tolist()
        ['low', 'low', 'high', 'high', 'high']
        """
        truth = labels(as_given(y))
        groups = self._scores(x).argmax(axis=1)
        if len(groups) != len(truth):
            raise DataError(f"there are {len(groups):,} rows but {len(truth):,} labels")
        table = np.zeros((self.k, len(truth.values)))
        np.add.at(table, (groups, truth.slots), 1)
        names = table.argmax(axis=1)
        paired = pairs(table)
        names[[group for group, _ in paired]] = [label for _, label in paired]
        return np.asarray(label_array(truth.values)[names[groups]])

    def __repr__(self) -> str:
        if self._model is None:
            return f"<Mixture {self._likelihood!r}: nothing learned>"
        state = "converged" if self.converged else "not converged"
        return (
            f"<Mixture of {self.k}, {self.model.tally.n_rows:,} rows: {state} after "
            f"{len(self.objective) - 1} steps, BIC {self.bic:,.1f}>"
        )


def _numbers_of_groups(k: Any) -> tuple[int, ...]:
    ks = tuple(k) if isinstance(k, Iterable) and not isinstance(k, (str, bytes)) else (k,)
    whole = all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in ks)
    if not ks or not whole or min(ks) < 1:
        raise OptionError(f"`k` is a number of groups from 1 up, or several of them, not {k!r}")
    return tuple(sorted({int(one) for one in ks}))


def _log_likelihood(em: EM, tally: Tally) -> float:
    return math.fsum(_kernel.soft_assign(scores, 0, 1)[1] for scores in em.scores(tally))


def _given(start: Any, em: EM) -> list[Responsibilities]:
    """The responsibilities that the caller starts with."""
    guess = np.array(start, dtype=np.float64)
    n_rows = sum(len(batch[0]) for batch in em.batches)
    shape = (n_rows, len(em.labels))
    if guess.shape != shape:
        raise DataError(
            f"`start` has a row of {shape[1]} probabilities for each of {shape[0]:,} rows; "
            f"this one has the shape {guess.shape}"
        )
    if not (guess >= 0).all() or not np.allclose(guess.sum(axis=1), 1):
        raise DataError("every row of `start` holds probabilities that sum to 1")
    with np.errstate(divide="ignore"):
        responsibilities, _ = _kernel.soft_assign(np.log(guess), em.whole, 1)
    return _split(responsibilities, em)


def _guess(em: EM, random: np.random.Generator) -> list[Responsibilities]:
    """An initialization like that of k-means++: k distant rows, the others by similarity.

    Some rows are drawn as candidates, each a group of its own, blended with all of them so that it
    has a likelihood. Then k of them are drawn in turn, with probability proportional to the
    distance from those drawn before: how much less likely a row is under the others than under
    itself.
    """
    k = len(em.labels)
    n_rows = sum(len(batch[0]) for batch in em.batches)
    pool = np.sort(random.choice(n_rows, min(n_rows, 3 * k + 10), replace=False))
    whole = em.whole
    slots = np.zeros((n_rows, len(pool)), dtype=np.uint64)
    slots[pool] = whole // len(pool)
    slots[pool, np.arange(len(pool))] += np.uint64(whole)
    candidates = replace(em, labels=tuple(range(len(pool))), prior="uniform")
    scores = np.concatenate(candidates.scores(candidates.tally(_split(slots, em))))
    own = scores[pool, np.arange(len(pool))]
    # Where a density is infinite, rows that share it are not apart.
    with np.errstate(invalid="ignore"):
        far = np.nan_to_num(np.maximum(own[:, None] - scores[pool], 0.0), posinf=1e300)
    far /= np.maximum(far.mean(axis=1, keepdims=True), 1e-300)
    drawn = [int(random.integers(len(pool)))]
    while len(drawn) < k:
        nearest = far[:, drawn].min(axis=1)
        nearest[drawn] = 0.0
        left = np.setdiff1d(np.arange(len(pool)), drawn)
        chance = nearest[left] if nearest[left].any() else np.ones(len(left))
        drawn.append(int(random.choice(left, p=chance / chance.sum())))
    responsibilities, _ = _kernel.soft_assign(np.ascontiguousarray(scores[:, drawn]), whole, 1)
    return _split(responsibilities, em)


def _split(responsibilities: Responsibilities, em: EM) -> list[Responsibilities]:
    """Responsibilities of all rows, batch by batch."""
    ends = np.cumsum([len(batch[0]) for batch in em.batches])[:-1]
    return [np.ascontiguousarray(each) for each in np.split(responsibilities, ends)]


def pairs(table: Array) -> list[tuple[int, int]]:
    """Rows and columns matched one to one so that the sum of the matched cells is largest.

    The Hungarian method: potentials, and a shortest augmenting path for each row in turn.
    """
    if table.shape[0] > table.shape[1]:
        return [(row, column) for column, row in pairs(table.T)]
    cost = table.max(initial=0.0) - table
    rows, columns = cost.shape
    of_row, of_column = np.zeros(rows + 1), np.zeros(columns + 1)
    owner = np.full(columns + 1, rows)  # the last column is a place to start from
    for row in range(rows):
        owner[columns], column = row, columns
        least, back = np.full(columns, np.inf), np.full(columns, columns)
        done = np.zeros(columns + 1, dtype=bool)
        while owner[column] != rows:
            done[column] = True
            at = owner[column]
            reduced = cost[at] - of_row[at] - of_column[:-1]
            nearer = ~done[:-1] & (reduced < least)
            least[nearer], back[nearer] = reduced[nearer], column
            open_ = np.where(done[:-1], np.inf, least)
            column = int(open_.argmin())
            step = open_[column]
            of_row[owner[done]] += step
            of_column[done] -= step
            least[~done[:-1]] -= step
        while column != columns:
            before = int(back[column])
            owner[column], column = owner[before], before
        owner[columns] = rows
    return sorted((int(owner[column]), column) for column in range(columns) if owner[column] < rows)
