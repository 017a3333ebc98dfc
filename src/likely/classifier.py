"""The front door: a classifier is a model that learns rows, and forgets them."""

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from likely import model_file, storage
from likely.decision import Decision, Goal, histograms, with_thresholds
from likely.decision import decide as decide_labels
from likely.errors import DataError, LikelyWarning, ModelError, NotFittedError, OptionError
from likely.evidence import Evidence, LabelsEvidence, Term
from likely.inputs import Batch, Table
from likely.inputs.columns import Choice, choose, is_list_of_texts, reasons
from likely.inputs.files import Progress
from likely.inputs.labelled import Labelled, whole
from likely.insight import Insight
from likely.labels import Label, Labels, label_array
from likely.leave_one_out import LabelsLeftOut, LeaveOneOut, leave_one_out, paired
from likely.ledger import Ledger
from likely.likelihoods import OF_KIND, Views
from likely.likelihoods.opinion import asked, dealt, has_opinions
from likely.likelihoods.product import Given, Product
from likely.model import batches
from likely.overruling import fired, overruled, ruled_classes
from likely.prior import (
    Prior,
)
from likely.reweighing import Reweighing, Times
from likely.rules import Rules
from likely.tally import Counting, Tally
from likely.truth import AnyOf, truth_of

if TYPE_CHECKING:
    from likely.copies import Copies
    from likely.unlabelled import Weight
    from likely.weighing import Weighing

Array = NDArray[np.float64]

# So many leave-one-out probabilities are kept; of more rows, `leave_one_out_batches` makes them.
_MOST_LEFT_OUT = 50_000_000

# So many standard errors are more than noise.
_NOISE = 2.0

_STALE = (
    "the evidence was weighed with these rows among the others; "
    "`refit` with the rows that are left weighs it anew"
)
_REMEMBERS = (
    "the second opinion was formed with these rows among the others, and remembers them; "
    "`refit` with the rows that are left forms it anew"
)
_CHOSEN = (
    "how often rows count was chosen with these rows among the others; "
    "re-weighing the rows that are left chooses it anew"
)
_THRESHOLDS = (
    "thresholds were chosen with these rows among the others; "
    "`fit` with the rows that are left chooses them anew"
)
_COPY = "identical to the labels"
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


class Classifier(Insight):
    """Learns from labelled rows, predicts labels, says why.

    >>> from likely import Multinomial
    >>> model = Classifier(Multinomial(alpha=1.0))
    >>> model.fit(["good fun", "dull and slow"], ["pos", "neg"]).predict(["slow fun, dull"])
    array(['neg'], dtype='<U3')

    Without a likelihood, the model looks at the columns and picks one for each; `choices` says what
    and why, and `columns` overrules it: `columns={"zip": "category", "id": "ignore"}`. Otherwise
    `likelihood` is one for all columns, or a dictionary by column; columns in a tuple share one.

    >>> from likely import Categorical, Gaussian
    >>> model = Classifier({("height", "weight"): Gaussian("full"), "team": Categorical()})

    `prior` is "empirical" (the shares of the classes), "empirical+1" (the same with one more row of
    each), "uniform", or a probability per class; classes it does not name share the rest. `classes`
    are known to be, even if no row has them. `rules` overrule the rest: the first that fires on a
    row gives its label. `weigh` says whether `fit` finds out how far to trust each kind of
    evidence; a model that picks its likelihoods itself does. With `second_opinion`, a linear model
    of each text is one more kind of evidence: more often right, but it is learned, not counted, so
    rows that come or go leave it as it was until `refit`.

    Rows may have any number of labels each, as lists: then each label is judged by itself, and said
    from a threshold on that `fit` chooses for a `goal`: "f1", "precision=0.9", "recall=0.8", or
    what a miss and a false alarm cost, by label. Unless one is given, a model that weighs its
    evidence takes "f1", and any other says a label that is more probable than not. In a column of a
    table, `separator` stands between them.

    >>> texts, labels = ["oil and wheat", "oil", "wheat", "a match"], [["a", "b"], ["a"], ["b"], []]
    >>> Classifier(Multinomial()).fit(texts, labels).predict(["wheat and oil", "the match"])
    [['a', 'b'], []]

    `missing` lists how cells of numbers
    and categories that are not there are spelled; None and NaN are missing anyway. `ledger` keeps a
    hash of every learned row, so that only learned rows can be forgotten: True, False, or some
    secret bytes that make the hashes unreadable to others (files do not hold it, pickles do).
    `threads` never changes a result.
    """

    # Learning

    def fit(
        self,
        x: Any,
        y: Any = None,
        *,
        loo: bool = False,
        unlabelled: Any = None,
        unlabelled_weight: "Weight" = "auto",
        progress: Progress | None = None,
    ) -> Self:
        """Learn from these rows alone.

        A model that picks its likelihoods itself then weighs them, for which each row is predicted
        without itself: `loo` has these predictions. Other models make them if asked to.

        `x` is a list of texts, a table in memory, or one in a file (`likely.open_table`); `y` the
        labels, or the name of the column that has them. Files are read in batches, so they may be
        larger than memory.

        `unlabelled` are more rows like `x`, without labels. EM shares them out among the classes;
        each counts `unlabelled_weight` of a labelled row. Texts are then read word by word, as EM
        needs a probability. "auto" compares several weights with the model of the labelled rows
        alone, on folds of them that EM has not seen, and takes the best weight if it is better by
        more than a standard error of the mean log-probability; or else that model. `learned` says
        what came of it, and `loo` has the predictions of those folds. A model that has learned rows
        in parts cannot be updated or made to forget.

        >>> model = Classifier().fit(
        ...     ["a goal", "a vote"], ["sport", "law"],
        ...     unlabelled=["goal, match", "match, striker", "vote, budget"], unlabelled_weight=1)
        >>> model.predict(["the striker"]).item()
        'sport'
        """
        if unlabelled is not None:
            return self._fit_unlabelled(x, y, loo, unlabelled, unlabelled_weight, progress)
        rows = self._given(x, y)
        if rows.is_empty:
            raise DataError("there is nothing to learn from: no rows were given")
        # What was there before does not matter, not even which columns it had.
        product, choices = self._pick(rows)
        tally = self._observe_all(product, rows, progress)
        if not tally.n_rows:
            raise DataError("there is nothing to learn from: the file has no rows")
        classes = tally.view(self._known)
        if classes.several and not len(classes):
            raise DataError("no row has a label; there is nothing to tell rows apart by")
        if len(classes) == 1 and not classes.several:
            only = str(classes.labels[0])[:40]
            raise DataError(f"every row is `{only}`; a classifier needs at least two classes")
        self._before(tally.view())
        product.check(tally, classes)
        ruled_classes(self.rules, classes.labels)
        before = self._product, self._tally, self._trust, self._decision, self._reweighing
        self._product, self._tally, self._trust, self._reweighing = product, tally, None, None
        self._decision = Decision(self._goal) if product.several else None
        try:
            if self.weighs:
                self._weigh(rows, progress)
            else:
                if self._goal is not None:
                    self._choose_thresholds(rows)
                self._loo = self._leave_one_out(rows) if loo else None
        except BaseException:
            self._product, self._tally, self._trust, self._decision, self._reweighing = before
            raise
        self._weights = self.learned = None
        self.choices, self.target = choices, rows.target
        return self

    def _fit_unlabelled(
        self,
        x: Any,
        y: Any,
        loo: bool,
        more: Any,
        weight: "Weight",
        progress: Progress | None,
    ) -> Self:
        from likely import unlabelled as em
        from likely.em import check_generative
        from likely.inputs.unlabelled import unlabelled

        weight, others = em.checked_weight(weight), unlabelled(more)
        rows = self._given(x, y)
        if rows.several:
            raise DataError("rows without labels help where a row has one label, not several")
        picked, choices = self._pick(rows)
        learner = self._like(self.prior)
        learner._likelihood, learner._weigh_it = em.generative(picked).by_column, False
        learner._second_opinion = False
        product = learner.fit(rows, progress=progress)._settled
        learner._ledger = Ledger.of(False)
        check_generative(product)
        table, labels = whole(rows)
        em.check_labels(labels, self._known)
        hidden = tuple(product.read(batch) for batch in others.batches(product.columns))
        n_hidden = sum(len(parts[0]) for parts in hidden)
        if not n_hidden:
            raise DataError("there are no unlabelled rows to learn from")
        own, everybody = label_array(labels.lists), np.arange(len(labels))

        def shared_out(weight: float, some: NDArray[np.intp]) -> Classifier:
            """EM from some of the labelled rows, or what is learned of them alone."""
            model = (learner if weight else self)._like(self.prior)
            if weight:
                batch = Batch(self._read(product, table.at(some)), labels.at(some))
                model._tally = em.learn(product, self.prior, batch, hidden, weight, self.threads)
                return model
            given = table.at(some), own[some]
            model._product, model._trust = picked, None
            model.tally = model.observe(*given)
            return model.refit(*given) if self._weigh_it else model

        def judged(weight: float, here: NDArray[np.intp]) -> LeaveOneOut:
            others = np.setdiff1d(everybody, here)
            return learner._judged_fold(table, labels, others, partial(shared_out, weight))

        fold = learner._folds(table, labels)
        folds = [np.flatnonzero(fold == each) for each in np.unique(fold)]
        truth = learner._classes().places(labels)
        rows_in = np.zeros((truth.max() + 1, fold.max() + 1))
        np.add.at(rows_in, (truth, fold), 1)
        elsewhere = rows_in.sum(axis=1)[truth] > rows_in[truth, fold]
        gains, loo_of = dict[float, em.Gain](), dict[float, LeaveOneOut]()
        if weight == "auto":
            gains, loo_of = em.Race(judged, self._weigh_it, folds, elsewhere).run(em.WEIGHTS)
            weight = em.best(gains)
        elif weight:
            parts = LeaveOneOut.joined([judged(weight, here) for here in folds])
            loo_of = {weight: parts.take(np.argsort(np.concatenate(folds)))}
        if weight:
            self._tally = shared_out(weight, everybody)._tally
            self._product, self._weights, self._ledger = product, None, learner._ledger
            self._trust = self._reweighing = None
            self.choices, self.target, self._loo = choices, rows.target, loo_of[weight]
        else:
            self.fit(x, y, loo=loo, progress=progress)
        self.learned = em.Learned(n_hidden, weight, gains)
        return self

    def refit(self, x: Any, y: Any = None, *, progress: Progress | None = None) -> Self:
        """Find out how far to trust each kind of evidence, from rows that were learned.

        Each row is scored without itself, and the weights and biases make the labels as probable as
        can be; the tally stays as it is. Afterwards probabilities are calibrated, and there is no
        joint probability any more. What is learned or forgotten later leaves the weights as they
        are, and stale, until they are fit again.

        >>> texts, labels = ["good", "so good", "bad", "so bad"], ["pos", "pos", "neg", "neg"]
        >>> model = Classifier().fit(texts[:2] + texts[2:3], labels[:3]).update(["so bad"], ["neg"])
        >>> model.is_stale, model.refit(texts, labels).is_stale
        (True, False)
        """
        self._check_learns()
        rows, product = self._labelled(x, y), self._settled
        if not product.takes_prior:
            raise OptionError(f"{product.factors[0].likelihood!r} has no prior to be weighed with")
        self._check_fitted()
        for batch in batches(product, rows):
            self.ledger.check(self.tally.learned, batch)
        self._weigh(self._as_they_count(rows), progress)
        return self

    def _weigh(self, rows: Labelled, progress: Progress | None = None) -> None:
        """Weigh the evidence by rows that were learned, and keep their predictions."""
        from likely.weighing import weigh

        product, classes = self._settled, self._classes()
        priors = self._before(classes)
        found = weigh(
            product,
            self._counted,
            classes,
            priors,
            lambda: batches(product, rows, progress),
            self.threads,
        )
        if found.of_labels is None and self._reweighing is None:
            found = self._no_worse_than_plain(rows, found)
        self._product, self._trust, self._weights = found.product, found.trust, None
        if found.of_labels is not None:
            evidence, truth = found.of_labels
            before = self._log_prior()
            self._decision = decide_labels(
                self._goal, classes.labels, evidence + before, truth, self.threads
            )
        self._likelihood = found.product.by_column if self._likelihood is not None else None
        few = self.tally.n_rows * len(classes) <= _MOST_LEFT_OUT and self._reweighing is None
        self._loo = self._leave_one_out(rows, found) if few else None

    def _no_worse_than_plain(self, rows: Labelled, found: "Weighing") -> "Weighing":
        """What was found, or plain Naive Bayes if that predicts more rows right, beyond chance.

        Weights are fit with copies of a text left out together, so that what tells texts apart by
        heart is not trusted with new ones. But where rows repeat a few texts, so will those to
        come: here each row is left out alone, as it is when a row comes that is like the others.
        """
        from likely.weighing import plain

        weighed, unweighed = list[LeaveOneOut](), list[LeaveOneOut]()
        bias = [found.trust.bias[label] for label in self._classes().labels]
        start = 0
        for table, labels in rows.batches(self.columns):
            here = np.flatnonzero(found.sample[start : start + len(table)])
            beside = None if found.opinions is None else found.opinions[start + here]
            start += len(table)
            if not len(here):
                continue
            batch = Batch(self._read(self._settled, table.at(here)), labels.at(here))
            given = self.prior, self._counted, batch, self._known, self.threads
            weighed.append(leave_one_out(found.product, *given, bias=np.array(bias), beside=beside))
            unweighed.append(leave_one_out(plain(found.product), *given))
        after, before = LeaveOneOut.joined(weighed), LeaveOneOut.joined(unweighed)
        lost, error = paired(before.rightness - after.rightness)
        is_worse = lost > _NOISE * error
        return found.plain(float(before.log_probability.mean())) if is_worse else found

    def _choose_thresholds(self, rows: Labelled) -> None:
        """Find the thresholds that meet the goal, where rows have any number of labels.

        It goes by the rows that were learned, each left out; probabilities stay as they are.
        """
        if not self.several:
            return
        self._decision = Decision(self._goal)
        there = gone = np.zeros(1)
        for batch in batches(self._settled, rows):
            part = self._judged_apart(batch, None, None)
            found = histograms(part.scores, part.truth)
            there, gone = there + found[0], gone + found[1]
        self._decision = with_thresholds(self._decision, self.classes, there, gone)

    def update(self, x: Any, y: Any = None, *, progress: Progress | None = None) -> Self:
        """Learn from more rows, as if they had been there from the start."""
        self._check_learns()
        rows = self._labelled(x, y)
        if self._product is None and rows.is_empty:
            return self
        more, reweighing = self._observe_all(self._settle(rows), rows, progress), self._reweighing
        if reweighing is not None:
            reweighing += self._observe_again(reweighing.times, rows)
        # The weights share the dictionary; without them it grows in place.
        self._weights = None
        if self._tally is None:
            self.tally, self.target = more, rows.target
        else:
            self.tally += more
        self._reweighing = reweighing
        return self

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
        self._check_learns()
        rows = self._labelled(x, y)
        for batch in batches(self._settled, rows):
            self.ledger.check(self.tally.learned, batch)
        fewer = self._observe_all(self._settled, rows)
        classes, reweighing = self.tally.classes, self._reweighing
        if reweighing is None:
            self.tally -= fewer
        else:
            left, again = self.tally - fewer, self._observe_again(reweighing.times, rows)
            reweighing = reweighing.parted(again, left)
            self.tally = left
        self._reweighing = reweighing
        gone = tuple(label for label in classes if label not in self.tally.classes)
        inexact = () if fewer.learned is not None else (_UNGUARDED,)
        if self.is_stale:
            inexact = (*inexact, _STALE)
            if has_opinions(self._settled):
                inexact = (*inexact, _REMEMBERS)
        if self._reweighing is not None:
            inexact = (*inexact, _CHOSEN)
        if self.trust is None and self._decision is not None and self._decision.thresholds:
            inexact = (*inexact, _THRESHOLDS)
        return Receipt(fewer.n_rows, self.tally.n_rows, gone, inexact)

    def with_times(self, times: Times | None, x: Any = None, y: Any = None) -> Self:
        """The same model, in whose estimates rows of some groups and labels count more than once.

        `x` and `y` are the rows that it has learned. Its tally stays, and counts each of them once;
        rows that are learned or forgotten later count as often as their group and label say.

        >>> from likely import Multinomial
        >>> from likely.reweighing import Times
        >>> rows = {"text": ["good", "bad", "bad"], "who": ["a", "a", "b"], "y": [1, 0, 0]}
        >>> model = Classifier({"text": Multinomial()}).fit(rows, "y")
        >>> twice = model.with_times(Times("who", {"a": {"1": 2}}), rows)
        >>> model.predict_proba(["well"])[0].round(3).tolist()
        [0.667, 0.333]
        >>> twice.predict_proba(["well"])[0].round(3).tolist(), twice.digest == model.digest
        ([0.5, 0.5], True)
        """
        self._check_learns()
        self._check_one("with_times")
        other = self._same()
        other._reweighing = None
        if times is None:
            return other
        rows, given = self._labelled(x, y), 0
        for batch in batches(self._settled, rows):
            self.ledger.check(self.tally.learned, batch)
            given += len(batch)
        if given != self.tally.n_rows:
            raise DataError(
                f"the model has learned {self.tally.n_rows:,} rows, and {given:,} were given; "
                "how often rows count is to be said of all of them"
            )
        more = other._observe_again(times, rows)
        other._reweighing = Reweighing(times, self.tally.fingerprint, more)
        return other

    def __add__(self, other: "Classifier") -> "Classifier":
        """The model that has seen the rows of both."""
        if not isinstance(other, Classifier):
            return NotImplemented
        from likely.weighing import plain

        self._check_learns()
        other._check_learns()
        tally = self.tally + other.tally
        for name in ("likelihood", "prior", "rules", "thresholds", "times", "_known"):
            ours, theirs = getattr(self, name), getattr(other, name)
            if name == "likelihood":
                ours, theirs = plain(self._settled).by_column, plain(other._settled).by_column
            if ours != theirs:
                name = name.replace("_known", "classes")
                raise ModelError(f"the two differ in their {name}: {ours!r} and {theirs!r}")
        # Whichever way round they are added, the same weights are kept.
        total = max(self, other, key=_believed)._like(self.prior)
        total.tally = tally
        ours, theirs = self._reweighing, other._reweighing
        if ours is not None and theirs is not None and theirs.more is not None:
            total._reweighing = replace(ours + theirs.more, chosen=min(ours.chosen, theirs.chosen))
        return total

    def __radd__(self, other: object) -> Self:
        """`sum(models)` begins with 0, which is nothing."""
        return self if other == 0 else NotImplemented

    def observe(self, x: Any, y: Any = None) -> Tally:
        """Count rows without learning them: the map of a map-reduce, whose reduce is `+`."""
        rows = self._given(x, y)
        return self._observe_all(self._settle(rows), rows)

    @property
    def loo(self) -> Any:
        """Leave-one-out predictions of the training rows, made by `fit` and `refit`.

        A `LeaveOneOut`, or where rows have any number of labels, a `LabelsLeftOut`.

        A model that does not weigh its evidence makes them by `fit(…, loo=True)`.
        """
        if self._loo is None:
            raise NotFittedError(
                "there are no leave-one-out predictions; "
                "`leave_one_out(x, y)` makes them from the training rows"
            )
        return self._loo

    @property
    def has_loo(self) -> bool:
        """Whether leave-one-out predictions are at hand."""
        return self._loo is not None

    def leave_one_out(self, x: Any, y: Any = None, *, alone: bool = False) -> Any:
        """Predict rows that were learned, each by the model without it.

        Where the evidence is weighed, exact duplicates of a text are left out together with it, for
        they would give its label away; `alone` leaves them where they are, as retraining without
        the row would. Weights, and all else that was chosen on these rows, stay as they are.

        Where some rows count more than once, there is no closed form for that: each is then judged
        by the model without the fold that the row is in, copies and all.
        """
        kind = LabelsLeftOut if self.several else LeaveOneOut
        return kind.joined(list(self.leave_one_out_batches(x, y, alone=alone)))

    def leave_one_out_batches(
        self, x: Any, y: Any = None, *, alone: bool = False, progress: Progress | None = None
    ) -> Iterator[Any]:
        """The same, batch by batch, for files whose predictions would not fit into memory."""
        self._check_learns()
        rows, product = self._labelled(x, y), self._settled
        if self.tally.per_row != 1:
            raise ModelError(
                "unlabelled rows lie where the labelled ones have put them, so none of these can "
                "be left out\nhint: `loo` has predictions of them from folds, after `fit`"
            )
        if self._reweighing is not None:
            yield self._left_out_reweighed(rows)
            return
        copies, start = {} if alone else self._copies(rows), 0
        said = list(self._apart(rows).values())
        beside = np.sum(said, axis=0) if said else None
        for table, found in rows.batches(self.columns, progress):
            batch = Batch(self._read(product, table), found)
            self.ledger.check(self.tally.learned, batch)
            yield self._left_out(table, batch, start, copies, None, beside)
            start += len(batch)

    def explain_left_out(
        self,
        x: Any,
        y: Any = None,
        copies: "Mapping[int, Copies] | None" = None,
        probabilities: NDArray[np.float64] | None = None,
    ) -> list[Any]:
        """What each part of learned rows says, by the model without the row: see `explain`.

        The probabilities are those of `leave_one_out`. `copies` are the texts that leave with each
        row, as if these rows were all by default. What a second opinion, which was formed without
        the fold of the row, makes of `probabilities` beyond the counts is one term.

        >>> from likely import Classifier, Multinomial
        >>> texts, labels = ["buy now", "buy it", "see you"], ["spam", "spam", "ham"]
        >>> model = Classifier(Multinomial()).fit(texts, labels)
        >>> (why,) = model.explain_left_out(texts[:1], labels[:1])
        >>> [term.name for term in why.terms]
        ['prior', 'buy']
        """
        self._check_learns()
        if self._reweighing is not None:
            raise OptionError(
                "rows that count more than once are left out in folds, by no one model to explain"
            )
        rows, classes, product = self._labelled(x, y), self._classes(), self._settled
        table, labels = whole(rows)
        given = self._copies(rows) if copies is None else copies
        if has_opinions(product) and probabilities is None:
            probabilities = self.leave_one_out(x, y).probabilities
        batch = Batch(self._read(product, table), labels)
        self.ledger.check(self.tally.learned, batch)
        judged = self._judged_apart(batch, given or None, None)
        truth = truth_of(classes, labels)
        leaving = given
        if isinstance(truth, AnyOf):
            leaving = truth.leaving(given, len(product.factors))
        each = [batch] * len(table)
        if isinstance(labels, Labels):
            ones = np.arange(len(table))[:, None]
            each = [Batch(self._read(product, table.at(one)), labels.at(one)) for one in ones]
        terms = product.terms_left_out(self._counted, classes, batch, each, truth.places, leaving)
        found = []
        for row, (own, scores) in enumerate(zip(terms, judged.scores, strict=True)):
            said = np.sum([np.zeros(len(classes)), *(term.scores for term in own)], axis=0)
            # Where the row's own words are impossible, the prior is not to be told from the rest.
            with np.errstate(invalid="ignore"):
                before = np.where(np.isneginf(said), self._log_prior(), scores - said)
            if product.takes_prior or np.isneginf(before).any():
                own[:0] = self._before_the_row(before - self._biases(classes))
            opinion = None if probabilities is None else probabilities[row]
            one, counted = table.at(np.array([row])), judged.probabilities[row]
            found.append(self._explained_left_out(one, own, scores[None], counted, opinion))
        return found

    def was_learned(self, x: Any, y: Any = None) -> NDArray[np.bool_]:
        """Which of these rows were learned under these labels, as far as a ledger tells.

        >>> model = Classifier().fit(["buy", "see you"], ["spam", "ham"])
        >>> model.was_learned(["buy", "see you"], ["spam", "spam"]).tolist()
        [True, False]
        """
        learned = self.tally.learned
        if learned is None or (self.ledger.name != "open" and self.ledger.secret is None):
            learned = np.zeros(0, dtype=np.uint64)
        found = [np.zeros(0, dtype=bool)]
        for batch in batches(self._settled, self._labelled(x, y)):
            hashes = self.ledger.hashes(batch, self.threads) if len(learned) else None
            there = np.zeros(len(batch), dtype=bool) if hashes is None else np.isin(hashes, learned)
            found.append(there)
        return np.concatenate(found)

    # Being stored

    def to_bytes(self) -> bytes:
        """The model as the bytes of a .likely file."""
        return model_file.to_bytes(self)

    def compact(self) -> Self:
        """A smaller copy that predicts and explains the same, to the last bit, and learns no more.

        It has no ledger, and of the counts only those that its likelihoods read.

        >>> model = Classifier().fit(["buy", "see you"], ["spam", "ham"])
        >>> copy = model.compact()
        >>> len(copy.to_bytes()) < len(model.to_bytes())
        True
        >>> bool((copy.predict_proba(["buy"]) == model.predict_proba(["buy"])).all())
        True
        """
        copy = self._like(self.prior)
        copy._ledger, copy._copied = Ledger.of(False), self.digest
        if self._reweighing is not None:
            copy._reweighing = replace(self._reweighing, more=None)
        copy._tally = self._settled.reduced(self._counted)
        return copy

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; an old file is replaced whole, or not at all."""
        storage.write(path, self.to_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        if self._tally is None:
            return _unlearned, (
                self._likelihood,
                self._columns,
                self._missing,
                self.prior,
                self._known,
                self.rules,
                self._weigh_it,
                self._goal,
                self._separator,
                self._second_opinion,
                self.ledger,
                self.threads,
            )
        return from_bytes, (self.to_bytes(), self.ledger.secret, self.threads)

    def __repr__(self) -> str:
        if self._tally is None:
            return f"<Classifier {self.likelihood!r}: nothing learned>"
        seen = f"{self.tally.n_rows:,} rows, {len(self.classes)} classes"
        return f"<Classifier {self.likelihood!r}: {seen}>"

    def _repr_html_(self) -> str:
        from likely import page

        if self._tally is None:
            return page.html([repr(self)[1:-1]])
        blocks = self.info.blocks()
        if self.has_loo:
            right = page.tenth(self.loo.accuracy)
            said = "" if self.flattery is None else f"; {self.flattery}"
            blocks.insert(1, f"leave-one-out accuracy {right}{said}")
        return page.html(blocks)

    # Inside

    def _pick(self, rows: Labelled) -> tuple[Product, dict[str, Choice]]:
        """The likelihood of each column: those given, or those that suit it."""
        product, choices = self._picked(rows)
        if rows.several:
            if self.rules is not None:
                raise OptionError("rules give a row one label, so they go with rows that have one")
            product = product.any_of()
        if self._second_opinion:
            product = asked(product)
        if self.rules is not None:
            self.rules.reads(rows.columns, product.texts)
        return product, choices

    def _picked(self, rows: Labelled) -> tuple[Product, dict[str, Choice]]:
        copies = {}
        if not isinstance(self._likelihood, Mapping):
            named = rows.copies_of_labels
            copies = {n: Choice("ignore", _COPY) for n in named if n not in self._columns}
        if copies:
            name = next(iter(copies))
            warnings.warn(
                f"column `{name}` is {_COPY}, so it is not used\n"
                f'hint: `fit(table, "{name}")` says that it has the labels',
                LikelyWarning,
                stacklevel=4,
            )
        if self._likelihood is not None:
            given = self._likelihood
            left = tuple(name for name in rows.columns if name not in copies)
            if not left:
                raise DataError(f"there is no column to learn from (`{name}`: {_COPY})")
            return Product.settled(given, left, self._missing, self._weigh_it), copies
        sample = rows.sample().reading(self._missing)
        if is_list_of_texts(sample) and not self._columns:
            views = Views.of_texts(sample.texts(rows.columns), rows.several)
            return Product.settled(views, rows.columns, self._missing), {}
        choices = {**choose(sample, self._columns), **copies}
        given = {
            name: Views.of_texts(sample.texts((name,)), rows.several)
            if choice.kind == "text"
            else OF_KIND[choice.kind]()
            for name, choice in choices.items()
            if choice.kind != "ignore"
        }
        if not given:
            raise DataError(f"there is no column to learn from ({reasons(choices)})")
        return Product.of(given, self._missing, self._weigh_it), choices

    def _settle(self, rows: Labelled) -> Product:
        """The likelihoods; the first rows settle which columns there are."""
        if self._product is None:
            self._product, self.choices = self._pick(rows)
        elif self._tally is None and rows.several and not self.several:
            self._product = self._product.any_of()
        return self._product

    def _observe_all(
        self, product: Product, rows: Labelled, progress: Progress | None = None
    ) -> Tally:
        counting = Counting(product, self.ledger, self.threads)
        for batch in batches(product, rows, progress):
            counting.add(batch)
        return counting.tally()

    def _leave_one_out(self, rows: Labelled, found: "Weighing | None" = None) -> Any:
        copies = self._copies(rows) if found is None else found.copies
        scores = None if found is None else found.scores
        beside = None if found is None else found.opinions
        parts, start = [], 0
        for table, labels in rows.batches(self.columns):
            batch = Batch(self._read(self._settled, table), labels)
            parts.append(self._left_out(table, batch, start, copies, scores, beside))
            start += len(batch)
        return (LabelsLeftOut if self.several else LeaveOneOut).joined(parts)

    def _observe_again(self, times: Times, rows: Labelled) -> Tally:
        """What rows count beyond once."""
        product = self._settled
        counting = Counting(product, self.ledger, self.threads)
        for table, labels in rows.batches(list(dict.fromkeys([*self.columns, times.column]))):
            count = times.of_rows(table, labels) - 1
            again = np.repeat(np.arange(len(count)), count)
            counting.add(Batch(self._read(product, table.at(again)), labels.at(again)))
        return counting.tally()

    def _as_they_count(self, rows: Labelled) -> Labelled:
        """Rows as often as they count in the estimates."""
        if self._reweighing is None:
            return rows
        table, labels = whole(rows)
        count = self._reweighing.times.of_rows(table, labels)
        places = np.repeat(np.arange(len(count)), count)
        return Labelled(rows.columns, rows.target, (table.at(places), labels.at(places)))

    def _folds(self, table: Table, labels: Any) -> NDArray[np.uint32]:
        """The fold of each row, in which it stands with its copies, wherever rows stand."""
        links = np.zeros(len(labels), dtype=np.uint64)
        for part in self._read(self._settled, table):
            links = part.chain(links)
        return dealt(self._classes().places(labels), links)

    def _judged_fold(
        self,
        table: Table,
        labels: Any,
        others: NDArray[np.intp],
        trained: "Callable[[NDArray[np.intp]], Classifier]",
    ) -> LeaveOneOut:
        """All rows but some judged by a model that was trained on those.

        Where these have one class only, nothing is possible.
        """
        classes = self._classes()
        here = np.setdiff1d(np.arange(len(labels)), others)
        truth, shape = classes.places(labels), (len(here), len(classes))
        scores, probabilities = np.full(shape, -np.inf), np.zeros(shape)
        if len(np.unique(truth[others])) > 1:
            rest = trained(others)
            known = [classes.labels.index(label) for label in rest.classes]
            found, ruled = rest._judged(table.at(here))
            scores[:, known] = found
            probabilities[:, known] = overruled(rest._posterior(found), ruled)
        nobody = np.zeros(len(here), dtype=np.bool_)
        return LeaveOneOut(classes.labels, scores, probabilities, truth[here], nobody)

    def _left_out_reweighed(self, rows: Labelled) -> LeaveOneOut:
        """Each row judged by the model without its fold, where some count more than once."""
        table, labels = whole(rows)
        own, everybody = label_array(labels.lists), np.arange(len(labels))

        def trained(others: NDArray[np.intp]) -> Classifier:
            here, rest = np.setdiff1d(everybody, others), self._same()
            rest.forget(table.at(here), own[here])
            if has_opinions(self._settled):
                rest.refit(table.at(others), own[others])
            return rest

        folds = self._folds(table, labels)
        made = [
            self._judged_fold(table, labels, np.flatnonzero(folds != fold), trained)
            for fold in np.unique(folds)
        ]
        return LeaveOneOut.joined(made).take(np.argsort(np.argsort(folds, kind="stable")))

    def _left_out(
        self,
        table: Table,
        batch: Batch,
        start: int,
        copies: "dict[int, Copies]",
        scores: Array | None = None,
        beside: Array | None = None,
    ) -> Any:
        rows = np.arange(start, start + len(batch))
        made = self._judged_apart(
            batch,
            {place: copies[place].take(rows) for place in copies} or None,
            None if scores is None else scores[rows],
            None if beside is None else beside[rows],
        )
        if self.several:
            return made
        if self._thresholds is not None:
            shifted = made.scores + self._shifts(table)
            made = replace(made, scores=shifted, probabilities=self._posterior(shifted))
        ruled = self._ruled(self._settled, table, self._classes())
        return replace(made, probabilities=overruled(made.probabilities, ruled))

    def _explained_left_out(
        self,
        row: Table,
        terms: list[Term],
        scores: NDArray[np.float64],
        found: NDArray[np.float64],
        said: NDArray[np.float64] | None,
    ) -> Any:
        """A row that is left out: what the counts find, and what is said with a second opinion."""
        opinion = said if has_opinions(self._settled) else None
        if self._decision is not None:
            terms = self._decision.terms(self.classes, terms, scores, self.threads)
            (odds,) = self._decision.log_odds(self.classes, scores, self.threads)
            if opinion is not None:
                with np.errstate(divide="ignore"):
                    terms.append(_beyond(np.log(opinion) - np.log1p(-opinion), odds))
                found = opinion
            return LabelsEvidence(
                self.classes, tuple(terms), found, self._decision.bars(self.classes)
            )
        if self._thresholds is not None:
            shift = self._thresholds.shifts(row, self.classes)
            name = f"threshold by {self._thresholds.column}"
            terms.append(Term(name, "threshold", 1, shift[0]))
            scores = scores + shift
            found = self._posterior(scores)[0]
        rules = fired(self.rules, self.classes, self._settled, row)
        if opinion is not None and not rules:
            with np.errstate(divide="ignore"):
                terms.append(_beyond(np.log(opinion), np.log(found)))
            found = opinion
        return Evidence(self.classes, tuple(terms), found, bool(np.isneginf(scores).all()), rules)


def _beyond(scores: NDArray[np.float64], counted: NDArray[np.float64]) -> Term:
    """What a second opinion adds to the counts; nothing where either is beyond all numbers."""
    with np.errstate(invalid="ignore"):
        more = scores - counted
    return Term("second opinion", "opinion", 1, np.where(np.isfinite(more), more, 0.0))


def _unlearned(
    likelihood: Given | None,
    columns: dict[str, str],
    missing: frozenset[str],
    prior: Prior,
    classes: tuple[Label, ...],
    rules: Rules | None,
    weigh: bool,
    goal: Goal | None,
    separator: str | None,
    second_opinion: bool,
    ledger: Ledger,
    threads: int,
) -> Classifier:
    return Classifier(
        likelihood,
        columns=columns,
        missing=missing,
        prior=prior,
        classes=classes,
        rules=rules,
        weigh=weigh,
        goal=goal,
        separator=separator,
        second_opinion=second_opinion,
        ledger=ledger,
        threads=threads,
    )


def _believed(model: Classifier) -> tuple[int, float, str]:
    """Of two models, whose weights are kept: those that were fit on more rows."""
    return (-1, 0.0, repr(model._decision)) if model.trust is None else model.trust.rank


def of_tally(
    product: Product, tally: Tally, prior: Prior, classes: tuple[Label, ...], threads: int
) -> Classifier:
    """The classifier of a tally that came about otherwise than by learning whole rows."""
    model = Classifier(
        product.by_column,
        missing=product.missing,
        prior=prior,
        classes=classes,
        ledger=False,
        threads=threads,
    )
    model._product, model._tally = product, tally
    return model


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
    return model_file.from_bytes(Classifier, data, secret, threads)
