"""Clustering: a mixture of k likelihoods, fit by EM."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
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
from likely.explain.em_trace import EMTrace, traced
from likely.explain.parameters import Parameters
from likely.likelihoods import OF_ROLE, Multinomial
from likely.likelihoods.product import Given, Product
from likely.likelihoods.product import checked as checked_likelihood
from likely.model.em import EM, Responsibilities
from likely.model.em_groups import Groupings
from likely.model.em_start import EMRun, StartMeans, at_groups, at_means, at_responsibilities
from likely.model.fitted import Fitted
from likely.model.plan import Plan
from likely.model.prior import Prior, checked, log_prior, log_sum, posterior
from likely.model.spec import Spec
from likely.tally import Classes, Tally
from likely.tally.ledger import Ledger

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Search:
    """From so many groupings EM starts; each runs for some steps, and some of them in full."""

    starts: int
    steps: int
    in_full: int


_OF_NUMBERS, _OF_TEXTS = _Search(50, 10, 5), _Search(20, 4, 3)

# So many features of a group are traced.
_FEATURES = 4


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

    EM starts from `starts` seeded groupings of the rows by k-means++: by default from 50, or from
    20 where there are texts. Each runs for a few steps, the best few run in full, and the best
    result is kept: `objective` has the objective after each step, `converged` whether it converged.
    Fits that did not converge, or with a group that has no spread of its own, are taken only if
    there are no others. Of texts, whose log-likelihood grows with their length, each counts by the
    root of its features where starts are compared. `model` is the `Classifier` of the groups, the
    largest first; it predicts, explains and is saved like any other.

    With `trace`, the best run is kept step by step: `trace` has the estimates of every step, and
    the responsibilities of the rows, or of a sample of a thousand.
    """

    def __init__(
        self,
        likelihood: Given | None = None,
        k: int | Iterable[int] = 2,
        *,
        prior: Prior = "empirical",
        starts: int | None = None,
        seed: int = 0,
        tolerance: float = 1e-4,
        iterations: int = 500,
        missing: Iterable[str] = MISSING,
        threads: int = 1,
        trace: bool = False,
    ):
        self._likelihood = None if likelihood is None else checked_likelihood(likelihood)
        self.ks = _numbers_of_groups(k)
        self.prior = checked(prior)
        if starts is not None and (not isinstance(starts, int) or starts < 1):
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
        self._end, self._n_steps, self._tried = "", 0, 1
        self._is_traced = trace
        self._trace: EMTrace | None = None
        self._is_singular = False
        self.log_likelihood = self.bic = self.aic = math.nan
        self.bics: dict[int, float] = {}
        """The Bayesian information criterion of each k that was tried; lower is better."""

    # Learning

    def fit(self, x: Any, *, start: Any = None, start_means: Any = None) -> "Mixture":
        """Find the groups of these rows: a list of texts, a table in memory, or one in a file.

        EM may start somewhere else than at random. `start` has the initial responsibilities,
        probabilities of the groups for each row. `start_means` has the initial means of numeric
        columns: one number per group for a single column, otherwise one row per group, or a
        dictionary by column. Then groups keep that order, whatever their size.

        >>> from likely import Gaussian
        >>> known = Mixture(Gaussian(deviation=1.0), 2, prior="uniform", trace=True)
        >>> found = known.fit({"x": [-1, 0, 1, 3, 4, 5]}, start_means=[1, 2])
        >>> [step.means["x"].round(2).tolist() for step in found.trace.steps[:3]]
        [[1.0, 2.0], [0.26, 3.38], [0.0, 3.93]]
        """
        rows = unlabeled(x)
        product = Product.settled(self._picked(rows), rows.columns, self._missing).in_mixture()
        batches = tuple(product.read(table) for table in rows.batches(product.columns))
        n_rows = sum(len(batch[0]) for batch in batches)
        if not n_rows:
            raise DataError.of("no-rows")
        if max(self.ks) > n_rows:
            raise DataError(f"there are {n_rows:,} rows, too few for {max(self.ks):,} groups")
        if start is not None and start_means is not None:
            raise OptionError("`start` and `start_means` are two starts; give one of them")
        if start_means is not None and len(self.ks) > 1:
            raise OptionError("`start_means` are for one number of groups, and `k` has several")
        is_given = start is not None or start_means is not None or max(self.ks) == 1
        groupings = None if is_given else Groupings(product, batches, self.threads)
        found = {}
        for k in self.ks:
            em = EM(product, self.prior, tuple(range(k)), batches, threads=self.threads)
            run = self._climbed(em, groupings, start, start_means)
            likelihood = _log_likelihood(em, run.end.tally)
            found[k] = run, likelihood, self._free(em, run.end.tally)
        bics = {k: free * math.log(n_rows) - 2 * at for k, (_, at, free) in found.items()}
        best = max(found, key=lambda k: (found[k][0].is_sound, -bics[k]))
        run, likelihood, free = found[best]
        em, end = run.em, run.end
        order = self._order(run)
        shares = [np.ascontiguousarray(each[:, order]) for each in end.responsibilities]
        tally = end.tally if (order[:-1] < order[1:]).all() else em.tally(shares)
        self._model, self._product = self._classifier(em, tally), product
        self._weights = product.estimate(tally, tally.view(em.labels))
        self.objective, self._end = end.objective, end.end
        self._n_steps = run.n_steps
        self.log_likelihood, self.bic, self.bics = likelihood, bics[best], bics
        self.aic = 2 * free - 2 * likelihood
        self._is_singular = run.is_singular
        self._trace = None
        if self._is_traced:
            starts = self._tried if len(order) > 1 else 1
            self._trace = traced(run, starts, order, self._features)
        return self

    def _climbed(self, em: EM, groupings: Groupings | None, start: Any, start_means: Any) -> EMRun:
        """The best of all starts: each runs for some steps, and the best few in full."""
        means = None if start_means is None else at_means(start_means, em)
        if start is not None or means is not None:
            begin = at_responsibilities(start, em) if means is None else means.responsibilities
            return self._run(em, begin, self.iterations, None, means)
        k = len(em.labels)
        if k == 1 or groupings is None:
            rows = sum(len(batch[0]) for batch in em.batches)
            begin = at_groups(np.zeros(rows, dtype=np.intp), em)
            return self._run(em, begin, self.iterations, 1)
        random = np.random.default_rng(self.seed)
        search = _OF_TEXTS if groupings.has_texts else _OF_NUMBERS
        drawn = [groupings.draw(k, random) for _ in range(self.starts or search.starts)]
        different = {each.tobytes(): number for number, each in reversed(list(enumerate(drawn)))}
        numbers = sorted(different.values())
        if len(numbers) > search.in_full:
            steps = min(search.steps, self.iterations)
            tried = [(n, self._run(em, at_groups(drawn[n], em), steps, n)) for n in numbers]
            tried.sort(key=lambda each: (each[1].is_singular, -each[1].worth(groupings.weights)))
            numbers = [n for n, _ in tried[: search.in_full]]
        self._tried = len(drawn)
        runs = [self._run(em, at_groups(drawn[n], em), self.iterations, n + 1) for n in numbers]
        return max(runs, key=lambda run: (run.is_sound, run.worth(groupings.weights)))

    def _run(
        self,
        em: EM,
        begin: list[Responsibilities],
        most: int,
        start: int | None,
        means: StartMeans | None = None,
    ) -> EMRun:
        return EMRun(em, begin, em.run(begin, self.tolerance, most), start, means)

    def _order(self, run: EMRun) -> NDArray[np.intp]:
        """The groups, the largest first, unless they were named by their prior or start means."""
        if not isinstance(self.prior, str) or run.means is not None:
            return np.arange(len(run.em.labels))
        rows = run.end.tally.view(run.em.labels).weights
        return np.argsort(-rows, kind="stable")

    def _features(self, em: EM, tally: Tally) -> tuple[tuple[str, ...], ...]:
        """The most informative features of each group, if there are texts or categories."""
        if len(em.labels) == 1:
            return ()
        found = self._classifier(em, tally).top_features(_FEATURES)
        return tuple(tuple(name for name, _ in found[label]) for label in em.labels)

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
    def trace(self) -> EMTrace:
        """The best run of EM, step by step."""
        if self._trace is None:
            why = "was not traced" if self._model else "has seen nothing yet"
            raise NotFittedError(f"the mixture {why}; `Mixture(…, trace=True).fit(x)` traces it")
        return self._trace

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
        if self._is_singular:
            notes.append(
                "a group has no spread of its own in some direction, so its density says little"
            )
        for factor, weights in zip(self._product.factors, self._weights, strict=True):
            notes.extend(factor.likelihood.notes(weights, classes, factor.columns))
        return tuple(notes)

    def predict_proba(self, x: Any) -> Array:
        """P(c | x), a row per row and a column per group."""
        return posterior(self._scores(x), self._log_prior)

    def fit_predict(self, x: Any, *, start: Any = None, start_means: Any = None) -> NDArray[Any]:
        """`fit`, then the group of each of these rows.

        >>> from likely import Gaussian
        >>> Mixture(Gaussian(), 2).fit_predict([[1.0], [1.2], [5.1], [4.8], [5.0]]).tolist()
        [1, 1, 0, 0, 0]
        """
        return self.fit(x, start=start, start_means=start_means).predict(x)

    def score(self, x: Any) -> float:
        """The mean log-likelihood of rows, log P(x)."""
        evidence = self.log_evidence(x)
        return math.fsum(evidence) / len(evidence) if len(evidence) else math.nan

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
            f"{self._n_steps} steps, BIC {self.bic:,.1f}>"
        )


def _numbers_of_groups(k: Any) -> tuple[int, ...]:
    ks = tuple(k) if isinstance(k, Iterable) and not isinstance(k, (str, bytes)) else (k,)
    whole = all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in ks)
    if not ks or not whole or min(ks) < 1:
        raise OptionError(f"`k` is a number of groups from 1 up, or several of them, not {k!r}")
    return tuple(sorted({int(one) for one in ks}))


def _log_likelihood(em: EM, tally: Tally) -> float:
    return math.fsum(_kernel.soft_assign(scores, 0, 1)[1] for scores in em.scores(tally))


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
