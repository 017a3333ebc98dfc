"""Looking inside a model: what it has estimated, and what each part of it is worth."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likely.errors import OptionError
from likely.inputs import Batch, Table
from likely.labels import Label
from likely.leave_one_out import labels_left_out, leave_one_out
from likely.likelihoods.base import Speaks
from likely.likelihoods.opinion import has_opinions
from likely.model import Model, batches

if TYPE_CHECKING:
    from likely.contributions import Contribution, Kind
    from likely.copies import Copies
    from likely.dependence import Dependence
    from likely.giveaways import Giveaway
    from likely.influence import Influence
    from likely.info import Info, Parameters
    from likely.language import Language
    from likely.linear import LinearForm
    from likely.worked import Worked

Array = NDArray[np.float64]

# Of fewer rows than so many for each tuned number, leave-one-out figures flatter.
_ROWS_PER_NUMBER = 100


class Insight(Model):
    """A model that can be looked into."""

    @property
    def parameters(self) -> "Parameters":
        """How many numbers the model has.

        >>> from likely import Classifier, Gaussian
        >>> x, y = [[1.0, 2.0], [2.0, 1.0], [4.0, 5.0], [6.0, 4.0]], [0, 0, 1, 1]
        >>> Classifier(Gaussian("full")).fit(x, y).parameters
        Parameters(likelihood=10, prior=2, free=11)
        """
        from likely.info import Parameters

        return Parameters.of(self._settled, self._counted, len(self._classes()))

    @property
    def estimates(self) -> dict[tuple[str, ...], Any]:
        """What was estimated from numbers and categories: means, deviations, probabilities."""
        factors = zip(self._settled.factors, self._estimate(), strict=True)
        # A weight says how far an estimate is trusted; the estimate is what it was.
        found = (
            (factor.columns, getattr(factor.likelihood, "likelihood", factor.likelihood), weights)
            for factor, weights in factors
        )
        return {
            columns: likelihood.estimates(weights)
            for columns, likelihood, weights in found
            if hasattr(likelihood, "estimates")
        }

    def top(self, n: int = 10) -> dict[Label, list[tuple[str, float]]]:
        """For each class, the features that speak for it most, with their log-odds.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["good good fun", "dull and slow"], ["pos", "neg"])
        >>> [name for name, log_odds in model.top(1)["pos"]]
        ['good']
        """
        self._check_fitted()
        classes = self._classes()
        ranked: list[list[Speaks]] = [[] for _ in classes.labels]
        for factor, statistic in zip(self._settled.factors, self._counted.statistics, strict=True):
            found = factor.likelihood.strongest(statistic, classes, factor.columns, n)
            for one, more in zip(ranked, found, strict=True):
                one.extend(more)
        best = [sorted(one, key=lambda speaks: -speaks.strength)[:n] for one in ranked]
        return {
            label: [(speaks.name, speaks.log_odds) for speaks in one]
            for label, one in zip(classes.labels, best, strict=True)
        }

    def giveaways(self) -> "list[Giveaway]":
        """The columns and words that nearly by themselves tell the label: perhaps a leak.

        >>> from likely import Classifier
        >>> texts = ["buy now SPAM", "cheap pills SPAM", "see you", "at noon"] * 20
        >>> model = Classifier().fit(texts, ["spam", "spam", "ham", "ham"] * 20)
        >>> print(model.giveaways()[0])
        `spam` alone tells `spam`: 40 of its 40 rows have it, and 0 of the others; if it came \
with the label, take it out of the texts
        """
        from likely.giveaways import giveaways

        self._check_fitted()
        return giveaways(self._settled, self.tally, self._classes())

    def linear(self) -> "LinearForm":
        """The model as weights and intercepts, if in log space it is linear."""
        from likely.linear import linear_form

        self._check_fitted()
        self._check_one("linear")
        classes, log_prior = self._classes(), self._log_prior()
        return linear_form(self._settled, self._counted, classes, log_prior, self.threads)

    def language(self, label: Label, column: str | None = None) -> "Language":
        """What a class says, where texts have a probability: the likelihood as a language model.

        >>> from likely import Classifier, Multinomial
        >>> model = Classifier(Multinomial()).fit(["good good fun", "dull"], ["pos", "neg"])
        >>> round(model.language("pos").perplexity("good fun"), 2)
        2.45
        """
        from likely.language import language

        self._check_fitted()
        self._check_one("language")
        own = self.class_of(label)
        return language(self._settled, self._counted, self._classes(), own, column)

    def worked(self, row: Any) -> "Worked":
        """The prediction of one row worked out by hand: fractions where counts are all there is.

        >>> from likely import Classifier, Multinomial
        >>> texts, labels = ["buy now", "see you", "see it now"], ["spam", "ham", "ham"]
        >>> model = Classifier(Multinomial()).fit(texts, labels)
        >>> print(model.worked("see"))
        P(ham) · P(see | ham)
          = 2/3 · 3/10
          = 1/5 ≈ 0.2
        <BLANKLINE>
        P(spam) · P(see | spam)
          = 1/3 · 1/7
          = 1/21 ≈ 0.0476
        <BLANKLINE>
        P(ham | row) = 0.2 / 0.248 = 0.8077
        P(spam | row) = 0.0476 / 0.248 = 0.1923
        """
        from likely.worked import work_out

        self._check_one("worked")
        if self._thresholds is not None:
            raise OptionError(
                "thresholds by group are no part of a worked computation; "
                "`with_thresholds(None)` gives the model without them"
            )
        weights, parts = self._estimate(), self._parts(self._one_row(row))
        return work_out(
            self._settled,
            self._counted,
            self._classes(),
            weights,
            parts,
            self.prior,
            self._before_the_row(self._before(self._classes())),
            self.trust is not None,
        )

    def evidence_by_kind(self, x: Any) -> "list[tuple[Kind, Array]]":
        """What each kind of evidence says of rows; with the prior it adds up to what decides."""
        from likely.contributions import kinds_of

        parts, product = self._parts(Table.of(x)), self._settled
        found = []
        for kind in kinds_of(product):
            statistic: Any = self._counted.statistics[kind.factor]
            weights = kind.likelihood.estimate(statistic, self._classes(), kind.columns)
            found.append((kind, kind.likelihood.score(weights, parts[kind.factor], self.threads)))
        return found

    def dependences(self, x: Any, y: Any = None, n: int = 10) -> "list[Dependence]":
        """How far columns (and words) go together within the classes, the strongest first.

        Naive Bayes takes them to be independent there, and counts twice what two of them say. Of a
        file, the first batch is looked at; of a wide table, the first 1,000 numeric columns and the
        first 100 categorical ones.
        """
        from likely.dependence import dependences

        rows = self._labelled(x, y)
        batch = next(batches(self._settled, rows), None)
        return [] if batch is None else dependences(self._settled, batch, n)

    def contributions(
        self, x: Any, y: Any = None, *, left_out: bool = False
    ) -> "list[Contribution]":
        """What each kind of evidence is worth: how well rows would be labelled without it.

        Rows that were learned are to be `left_out`, each scored without itself, and by a second
        opinion that was formed without its fold of these rows; then each counts once. Of a file,
        the first batch is looked at. Rules take no part. Where rows have any number of labels, one
        is right if it is given all of its own and no other.

        >>> from likely import Classifier
        >>> heights, teams = [1.6, 1.7, 1.8, 1.9] * 5, ["red", "blue"] * 10
        >>> x, y = {"height": heights, "team": teams}, ["a", "a", "b", "b"] * 5
        >>> model = Classifier().fit(x, y)
        >>> for kind in model.contributions(x, y, left_out=True):
        ...     print(kind.columns[0], kind.accuracy)
        height 0.0
        team 1.0
        """
        from likely.contributions import contributions

        if left_out and self._reweighing is not None:
            other = self._same()
            other._reweighing = None
            return other.contributions(x, y, left_out=True)
        rows, product, classes = self._labelled(x, y), self._settled, self._classes()
        batch = next(batches(product, rows), None)
        if batch is None:
            return []

        def judged(scores: Array) -> Array:
            if not left_out:
                own = self._log_prior() if product.takes_prior else 0.0
                return self._posterior(scores + own)
            found: Array = self._judged_apart(batch, copies, scores).probabilities
            return found

        copies = None
        if left_out:
            self.ledger.check(self.tally.learned, batch)
            places = np.arange(len(batch))
            copies = {at: found.take(places) for at, found in self._copies(rows).items()}
        said = self._apart(rows) if left_out else {}
        bars = None if self._decision is None else self._decision.bars(classes.labels)
        return contributions(
            product, self._counted, classes, batch, copies, said, judged, bars, self.threads
        )

    def _judged_apart(
        self,
        batch: Batch,
        copies: "Mapping[int, Copies] | None",
        scores: Array | None,
        beside: Array | None = None,
    ) -> Any:
        """What is said of rows by the tally without each, and by its prior without it."""
        given = self._settled, self.prior, self._counted, batch, self._known, self.threads
        bias = self._biases(self._classes())
        if self._decision is None:
            return leave_one_out(*given, bias, copies, scores, beside)
        return labels_left_out(*given, bias, self._decision, copies or {}, scores, beside)

    def influence(self, row: Any, x: Any, y: Any = None, n: int = 10) -> "list[Influence]":
        """The learned rows that the prediction of a row owes most to, or suffers most from.

        Each is forgotten in turn, in closed form; what learned weights and second opinions once
        took from it stays. `x` and `y` are rows that were learned, all texts. A class owes
        everything to its only row.

        >>> from likely import Classifier, Multinomial
        >>> texts = ["buy now", "buy pills", "see you", "see it"]
        >>> labels = ["spam", "spam", "ham", "ham"]
        >>> model = Classifier(Multinomial()).fit(texts, labels)
        >>> for row, label, change in model.influence("buy it now", texts, labels, n=2):
        ...     print(row, label, round(change, 2))
        0 spam 0.51
        3 ham -0.16
        """
        from likely.influence import Influence, scores_without_each

        self._check_learns()
        self._check_fitted()
        self._check_one("influence")
        product, classes, asked = self._settled, self._classes(), self._parts(self._one_row(row))
        (before,) = self._posterior(self._scores(asked))
        winner = before.argmax()
        found: list[Influence] = []
        for batch in batches(product, self._labelled(x, y)):
            self.ledger.check(self.tally.learned, batch)
            scores = scores_without_each(
                product, self._counted, classes, batch, asked, self.threads
            )
            left = self._judged_apart(batch, None, scores)
            with np.errstate(divide="ignore"):
                changes = np.log(before[winner]) - np.log(left.probabilities[:, winner])
            labels = [left.classes[place] for place in left.truth]
            rows = range(len(found), len(found) + len(batch))
            found += map(Influence, rows, labels, changes.tolist())
        return sorted(found, key=lambda one: -abs(one.change))[: max(n, 0)]

    @property
    def tuned_numbers(self) -> int:
        """How many weights, biases and thresholds were fit on rows that were learned."""
        from likely.contributions import kinds_of

        fitted = 0
        if self.trust is not None and not self.trust.is_plain:
            kinds = kinds_of(self._settled)
            weights = [weight for one in kinds for weight in (one.weight, one.weight_over_root)]
            fitted = len(weights) - weights.count(None) + len(self.trust.bias)
        if self._decision is not None:
            fitted += len(self._decision.offsets) + len(self._decision.thresholds)
        return fitted

    @property
    def flattery(self) -> str | None:
        """What to say beside leave-one-out figures if few rows were tuned by; None if many were.

        A row is left out of the counts, not of what was tuned. Each number that is fit makes labels
        of the rows it was fit on more probable than others by about 1/n (Akaike 1974), so of a
        hundred rows for each number it is a hundredth at most.
        """
        rows, fitted = self.tally.n_rows, self.tuned_numbers
        if rows >= _ROWS_PER_NUMBER * fitted:
            return None
        numbers = "1 tuned number has" if fitted == 1 else f"{fitted:,} tuned numbers have"
        return f"{numbers} seen these {rows:,} rows: expect somewhat less of others"

    @property
    def info(self) -> "Info":
        """What the model is made of, and what its user should know."""
        from likely.info import describe

        weights = self._estimate() if len(self._classes()) > 1 else None
        ledger = self.ledger.name if self._copied is None else "compact"
        found = describe(
            self._settled, self._counted, self._classes(), weights, self.prior, ledger, self.rules
        )
        learned = self.tally.view(self._known)
        if self._reweighing is not None and self._copied is None:
            found = replace(
                found, rows=dict(zip(learned.labels, learned.rows.tolist(), strict=True))
            )
        if self.several:
            found = replace(
                found,
                of_rows=self.tally.n_rows,
                goal=None if self.goal is None else str(self.goal),
                thresholds=self.label_thresholds,
            )
        return replace(found, notes=(*found.notes, *self._doubts()))

    def _doubts(self) -> Iterator[str]:
        """What is to be said of how rows count, how the evidence was weighed, and of thresholds."""
        if self._reweighing is not None:
            times = self._reweighing.times
            yield (
                f"rows count more than once in the estimates, by `{times.column}` and label: "
                f"{times}; all others, and all in the tally, count once"
            )
            if self._copied is None and self._reweighing.chosen != self.tally.fingerprint:
                yield (
                    "how often rows count was chosen for other rows than those learned; "
                    "`likely mitigate --reweigh` chooses anew"
                )
        if self._thresholds is not None:
            spelled = ", ".join(
                f"{g} {t:.3g}" for g, t in sorted(self._thresholds.of_group.items())
            )
            yield (
                f"`{self._thresholds.label}` is given by thresholds that differ by "
                f"`{self._thresholds.column}`: {spelled}; probabilities are shifted accordingly"
            )
        if self.learned is not None:
            yield str(self.learned)
        if self.trust is None and self._settled.places_of_views:
            yield "the evidence was not weighed; `refit` with the rows that were learned does that"
        if self.trust is not None and self.trust.is_plain:
            yield (
                "plain Naive Bayes was kept: with weights fewer rows are right, each left out alone"
            )
        elif self.trust is not None:
            from likely.weighing import weightless

            yield from weightless(self._settled)
        if self.is_stale:
            yield "the evidence was weighed by other rows than those learned; `refit` does it anew"
        if self.is_stale and has_opinions(self._settled):
            yield (
                "the second opinion was formed by other rows than those learned, and remembers "
                "those that were forgotten since; `refit` forms it anew"
            )
