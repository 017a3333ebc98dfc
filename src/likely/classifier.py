"""The front door: a classifier is a prior times a likelihood, estimated from a tally."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likely import page, storage
from likely.decision import Decision, Goal, log_odds, probabilities
from likely.decision import decide as decide_labels
from likely.errors import DataError, ModelError, NotFittedError, OptionError
from likely.evidence import Evidence, LabelsEvidence, Term
from likely.inputs import MISSING, Batch, Part, Table, spellings
from likely.inputs.columns import Choice, choose, is_list_of_texts, nearest
from likely.inputs.files import Progress, Source, open_table
from likely.inputs.labelled import Labelled, labelled
from likely.label_sets import checked_separator, label_lists
from likely.labels import Label, label_array
from likely.leave_one_out import LabelsLeftOut, LeaveOneOut, labels_left_out, leave_one_out
from likely.ledger import Ledger
from likely.likelihoods import OF_KIND, Likelihood, Views, restore
from likely.likelihoods.base import Speaks
from likely.likelihoods.opinion import asked, has_opinions, opinion_arrays
from likely.likelihoods.product import Given, Product, every
from likely.likelihoods.product import checked as checked_likelihood
from likely.overruling import (
    Places,
    all_columns,
    checked_rules,
    firing,
    overruled,
    ruled_classes,
)
from likely.prior import (
    Prior,
    check_cover,
    checked,
    decide,
    known_classes,
    log_prior,
    log_sum,
    posterior,
)
from likely.rules import Rule, Rules
from likely.tally import Classes, Tally, observe
from likely.thresholds import Thresholds

if TYPE_CHECKING:
    from likely.contributions import Contribution, Kind
    from likely.copies import Copies
    from likely.dependence import Dependence
    from likely.info import Info, Parameters
    from likely.language import Language
    from likely.linear import LinearForm
    from likely.unlabelled import Learned, Weight
    from likely.weighing import Trust, Weighing
    from likely.worked import Worked

Array = NDArray[np.float64]

# So many leave-one-out probabilities are kept; of more rows, `leave_one_out_batches` makes them.
_MOST_LEFT_OUT = 50_000_000

# So many probabilities of labels are made at once when only labels are asked for.
_AT_ONCE = 10_000_000

_STALE = (
    "the evidence was weighed with these rows among the others; "
    "`refit` with the rows that are left weighs it anew"
)
_REMEMBERS = (
    "the second opinion was formed with these rows among the others, and remembers them; "
    "`refit` with the rows that are left forms it anew"
)
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
    from a threshold on that is chosen for a `goal`: "f1", "precision=0.9", "recall=0.8", or what a
    miss and a false alarm cost, by label. In a column of a table, `separator` stands between them.

    >>> texts, labels = ["oil and wheat", "oil", "wheat", "a match"], [["a", "b"], ["a"], ["b"], []]
    >>> Classifier(Multinomial()).fit(texts, labels).predict(["wheat and oil", "the match"])
    [['a', 'b'], []]

    `missing` lists how cells of numbers
    and categories that are not there are spelled; None and NaN are missing anyway. `ledger` keeps a
    hash of every learned row, so that only learned rows can be forgotten: True, False, or some
    secret bytes that make the hashes unreadable to others (files do not hold it, pickles do).
    `threads` never changes a result.
    """

    def __init__(
        self,
        likelihood: Given | None = None,
        *,
        columns: Mapping[str, str] | None = None,
        missing: Iterable[str] = MISSING,
        prior: Prior = "empirical",
        classes: Iterable[Label] = (),
        rules: Rules | None = None,
        weigh: bool | None = None,
        goal: Any = "f1",
        separator: str | None = None,
        second_opinion: bool = False,
        ledger: bool | bytes | Ledger = True,
        threads: int = 1,
    ):
        if not isinstance(threads, (int, np.integer)) or not 1 <= threads <= 1024:
            raise OptionError(f"`threads` is a number from 1 to 1024, not {threads!r}")
        self._likelihood = None if likelihood is None else checked_likelihood(likelihood)
        if columns and likelihood is not None:
            raise OptionError("`columns` is for a model that picks its likelihoods itself")
        self._columns = dict(columns or {})
        self._missing = spellings(missing)
        self._weigh_it = likelihood is None if weigh is None else bool(weigh)
        self._second_opinion = bool(second_opinion)
        if second_opinion and not self._weigh_it:
            raise OptionError("a second opinion is weighed with the rest; `weigh=True` does that")
        self._product: Product | None = None
        if isinstance(self._likelihood, Mapping):
            self._product = Product.of(self._likelihood, self._missing, bool(weigh))
            if second_opinion:
                self._product = asked(self._product)
        self.choices: dict[str, Choice] = {}
        self.target: str | None = None
        self._prior = checked(prior)
        self._known = known_classes(classes, self._prior)
        self._rules = checked_rules(rules)
        self._goal = Goal.of(goal)
        self._separator = checked_separator(separator)
        self._decision: Decision | None = None
        self.threads = int(threads)
        self._ledger = ledger if isinstance(ledger, Ledger) else Ledger.of(ledger)
        for one in every(self._likelihood):
            if not one.takes_prior and self.prior != "empirical":
                raise OptionError(f"{type(one).__name__} takes no prior")
        self._thresholds: Thresholds | None = None
        self._trust: Trust | None = None
        # Of a copy that only scores, the digest of the tally it was made of.
        self._copied: str | None = None
        self.learned: Learned | None = None
        """What unlabelled rows were worth, if there were any."""
        self._tally: Tally | None = None
        self._weights: list[Any] | None = None
        self._loo: LeaveOneOut | LabelsLeftOut | None = None

    @property
    def likelihood(self) -> Given | None:
        """The likelihood that was given, or those that were picked; None before that."""
        if self._likelihood is None and self._product is not None:
            return self._product.by_column
        return self._likelihood

    @property
    def missing(self) -> frozenset[str]:
        """How cells that are not there are spelled."""
        return self._missing

    @property
    def prior(self) -> Prior:
        return self._prior

    @property
    def rules(self) -> Rules | None:
        """The rules that overrule what was learned."""
        return self._rules

    @property
    def ledger(self) -> Ledger:
        return self._ledger

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the model reads, in the order in which rows without names have them."""
        columns = all_columns(self.rules, self._settled)
        more = () if self._thresholds is None else (self._thresholds.column,)
        return (*columns, *(name for name in more if name not in columns))

    @property
    def thresholds(self) -> Thresholds | None:
        """From which probability on a label is given, where groups differ in that."""
        return self._thresholds

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Those of the columns that are read as texts."""
        return self._settled.texts

    @property
    def tally(self) -> Tally:
        """All the model has seen. Another tally, counted alike, may take its place.

        >>> model, texts, labels = Classifier(), ["good fun", "dull"], ["pos", "neg"]
        >>> model.tally = sum(map(model.observe, [texts[:1], texts[1:]], [labels[:1], labels[1:]]))
        >>> model.classes
        ('neg', 'pos')
        """
        if self._tally is None:
            raise NotFittedError("the model has learned nothing yet; `fit(x, y)` comes first")
        return self._tally

    @tally.setter
    def tally(self, tally: Tally) -> None:
        self._check_learns()
        Tally.zero(self._settled, self.ledger).check_match(tally)
        self._weights = self._loo = None
        self._tally = tally
        if self.several and self._decision is None:
            self._decision = Decision(self._goal)

    @property
    def trust(self) -> "Trust | None":
        """When and on what the evidence was weighed; None if it was not."""
        return self._trust

    @property
    def several(self) -> bool:
        """Whether rows have any number of labels."""
        return self._product is not None and self._product.several

    @property
    def separator(self) -> str | None:
        """What stands between labels in a column that has several in a cell."""
        return self._separator

    @property
    def goal(self) -> Goal:
        """What thresholds are chosen for."""
        return self._goal

    @property
    def label_thresholds(self) -> dict[Label, float]:
        """The probability from which on each label is said, where rows have any number of them."""
        if self._decision is None:
            raise OptionError(
                "a row has one label here, the most probable: there are no thresholds"
            )
        return dict(zip(self.classes, self._decision.bars(self.classes).tolist(), strict=True))

    @property
    def weighs(self) -> bool:
        """Whether the evidence is weighed, or will be by `fit`."""
        return self._weigh_it or self.trust is not None

    @property
    def learns(self) -> bool:
        """Whether more can be learned; a compact copy only predicts and explains."""
        return self._copied is None

    @property
    def is_stale(self) -> bool:
        """Whether the evidence was weighed by other rows than are learned now.

        It still counts for what it did; `refit` weighs it anew.
        """
        if self.trust is None or self._copied is not None:
            return False
        return self.trust.rows_seen != self.tally.fingerprint

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
    ) -> "Classifier":
        """Learn from these rows alone.

        A model that picks its likelihoods itself then weighs them, for which each row is predicted
        without itself: `loo` has these predictions. Other models make them if asked to.

        `x` is a list of texts, a table in memory, or one in a file (`likely.open_table`); `y` the
        labels, or the name of the column that has them. Files are read in batches, so they may be
        larger than memory.

        `unlabelled` are more rows like `x`, without labels. EM shares them out among the classes;
        each counts `unlabelled_weight` of a labelled row, and "auto" takes the weight (or none)
        under which most labelled rows are judged right without themselves. Texts are then read word
        by word, as EM needs a probability; where "auto" finds that weighing the evidence of
        labelled rows alone does as well, that is what happens. `learned` says what came of it. A
        model that has learned rows in parts cannot be updated or made to forget.

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
            raise DataError(
                f"every row is `{classes.labels[0]}`; a classifier needs at least two classes"
            )
        self._before(tally.view())
        product.check(tally, classes)
        ruled_classes(self.rules, classes.labels)
        before = self._product, self._tally, self._trust, self._decision
        self._product, self._tally, self._trust = product, tally, None
        self._decision = Decision(self._goal) if product.several else None
        try:
            if self.weighs:
                self._weigh(rows, progress)
            else:
                self._loo = self._leave_one_out(rows) if loo else None
        except BaseException:
            self._product, self._tally, self._trust, self._decision = before
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
    ) -> "Classifier":
        from likely.inputs.unlabelled import unlabelled
        from likely.unlabelled import checked_weight, generative, learn

        weight, others = checked_weight(weight), unlabelled(more)
        rows = self._given(x, y)
        if rows.several:
            raise DataError("rows without labels help where a row has one label, not several")
        picked, choices = self._pick(rows)
        learner = self._like(self.prior)
        learner._likelihood, learner._weigh_it = generative(picked).by_column, False
        learner._second_opinion = False
        product = learner.fit(x, y, progress=progress)._settled
        batches = list(_batches(product, rows))
        tables = [product.read(table) for table in others.batches(product.columns)]
        found = learn(product, self.prior, self._known, batches, tables, weight, self.threads)
        if self._weigh_it and weight == "auto":
            weighed = self._like(self.prior).fit(x, y, progress=progress)
            found = replace(found, weighed=weighed.loo.accuracy)
        if found.is_left_out:
            self.__dict__.update(weighed.__dict__)
        else:
            self._product, self._tally, self._weights = product, found.tally, None
            self._ledger, self._trust = Ledger.of(False), None
            self.choices, self.target = choices, rows.target
            self._loo = self._leave_one_out(rows) if loo else None
        self.learned = found
        return self

    def refit(self, x: Any, y: Any = None, *, progress: Progress | None = None) -> "Classifier":
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
        for batch in _batches(product, rows):
            self.ledger.check(self.tally.learned, batch)
        self._weigh(rows, progress)
        return self

    def _weigh(self, rows: Labelled, progress: Progress | None = None) -> None:
        """Weigh the evidence by rows that were learned, and keep their predictions."""
        from likely.weighing import weigh

        product, classes = self._settled, self._classes()
        priors = self._before(classes)
        found = weigh(
            product,
            self.tally,
            classes,
            priors,
            lambda: _batches(product, rows, progress),
            self.threads,
        )
        self._product, self._trust, self._weights = found.product, found.trust, None
        if found.of_labels is not None:
            evidence, truth = found.of_labels
            before = self._log_prior()
            self._decision = decide_labels(
                self._goal, classes.labels, evidence + before, truth, self.threads
            )
        self._likelihood = found.product.by_column if self._likelihood is not None else None
        few = self.tally.n_rows * len(classes) <= _MOST_LEFT_OUT
        self._loo = self._leave_one_out(rows, found) if few else None

    def update(self, x: Any, y: Any = None, *, progress: Progress | None = None) -> "Classifier":
        """Learn from more rows, as if they had been there from the start."""
        self._check_learns()
        rows = self._labelled(x, y)
        if self._product is None and rows.is_empty:
            return self
        more = self._observe_all(self._settle(rows), rows, progress)
        # The weights share the dictionary; without them it grows in place.
        self._weights = None
        if self._tally is None:
            self.tally, self.target = more, rows.target
        else:
            self.tally += more
        return self

    def forget(self, x: Any, y: Any = None) -> Receipt:
        """Take rows back, as if they had never been there.

        >>> from likely import Multinomial
        >>> model = Classifier(Multinomial()).fit(["good fun", "dull and slow"], ["pos", "neg"])
        >>> before = model.tally.copy()
        >>> model.update(["cheap pills"], ["spam"]).forget(["cheap pills"], ["spam"])
        Receipt(rows=1, rows_left=2, classes_gone=('spam',), inexact=())
        >>> model.tally == before
        True
        """
        self._check_learns()
        rows = self._labelled(x, y)
        for batch in _batches(self._settled, rows):
            self.ledger.check(self.tally.learned, batch)
        fewer = self._observe_all(self._settled, rows)
        classes = self.tally.classes
        self.tally -= fewer
        gone = tuple(label for label in classes if label not in self.tally.classes)
        inexact = () if fewer.learned is not None else (_UNGUARDED,)
        if self.is_stale:
            inexact = (*inexact, _STALE)
            if has_opinions(self._settled):
                inexact = (*inexact, _REMEMBERS)
        return Receipt(fewer.n_rows, self.tally.n_rows, gone, inexact)

    def __add__(self, other: "Classifier") -> "Classifier":
        """The model that has seen the rows of both."""
        if not isinstance(other, Classifier):
            return NotImplemented
        from likely.weighing import plain

        self._check_learns()
        other._check_learns()
        tally = self.tally + other.tally
        for name in ("likelihood", "prior", "rules", "thresholds", "_known"):
            ours, theirs = getattr(self, name), getattr(other, name)
            if name == "likelihood":
                ours, theirs = plain(self._settled).by_column, plain(other._settled).by_column
            if ours != theirs:
                name = name.replace("_known", "classes")
                raise ModelError(f"the two differ in their {name}: {ours!r} and {theirs!r}")
        # Whichever way round they are added, the same weights are kept.
        total = max(self, other, key=_believed)._like(self.prior)
        total.tally = tally
        return total

    def __radd__(self, other: object) -> "Classifier":
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

    def leave_one_out(self, x: Any, y: Any = None) -> Any:
        """Predict rows that were learned, each by the model without it."""
        kind = LabelsLeftOut if self.several else LeaveOneOut
        return kind.joined(list(self.leave_one_out_batches(x, y)))

    def leave_one_out_batches(
        self, x: Any, y: Any = None, *, progress: Progress | None = None
    ) -> Iterator[Any]:
        """The same, batch by batch, for files whose predictions would not fit into memory."""
        self._check_learns()
        rows, product = self._labelled(x, y), self._settled
        copies, start = self._copies(rows), 0
        beside = self._apart(rows)
        for table, found in rows.batches(self.columns, progress):
            batch = Batch(self._read(product, table), found)
            self.ledger.check(self.tally.learned, batch)
            yield self._left_out(table, batch, start, copies, None, beside)
            start += len(batch)

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
        for batch in _batches(self._settled, self._labelled(x, y)):
            hashes = self.ledger.hashes(batch, self.threads) if len(learned) else None
            there = np.zeros(len(batch), dtype=bool) if hashes is None else np.isin(hashes, learned)
            found.append(there)
        return np.concatenate(found)

    def with_prior(self, prior: Prior) -> "Classifier":
        """The same model under another prior; nothing is learned anew, and this one stays as it is.

        >>> model = Classifier().fit(["buy", "see you"], ["spam", "ham"])
        >>> model.with_prior({"spam": 0.02, "ham": 0.98}).predict(["buy"]).item()
        'ham'
        """
        strangers = (
            [label for label in prior if label not in self.classes]
            if isinstance(prior, Mapping)
            else []
        )
        if strangers:
            known = nearest(str(strangers[0]), map(str, self.classes))
            raise OptionError(f"`{strangers[0]}` is no class of the model; {known}")
        other = self._like(prior)
        other._tally, other._loo = self.tally.copy(), None
        other._before(self.tally.view())
        return other

    def with_rules(self, rules: Rules | None) -> "Classifier":
        """The same model under other rules, or none; nothing is learned anew.

        >>> from likely import Rule, Rules
        >>> model = Classifier().fit(["buy", "see you"], ["spam", "ham"])
        >>> rules = Rules([Rule("prize", "spam", words=["lottery"])])
        >>> model.with_rules(rules).predict(["see you at the lottery"]).item()
        'spam'
        """
        other = self._like(self.prior)
        other._rules = checked_rules(rules)
        other._tally = self.tally.copy()
        ruled_classes(other.rules, other.classes)
        return other

    def with_neutral(self, terms: Iterable[str]) -> "Classifier":
        """The same model, to which these words and phrases say nothing; its counts stay.

        Each is scored as a word that was never seen, so a text is judged alike whichever it holds.

        >>> model = Classifier().fit(["Ann is late", "Bob is kind"], ["bad", "good"])
        >>> fair = model.with_neutral(["Ann", "Bob"])
        >>> ann, bob = fair.predict_proba(["Ann is here", "Bob is here"])
        >>> bool((ann == bob).all()), fair.digest == model.digest
        (True, True)
        """
        product = self._settled.with_neutral(tuple(terms))
        if not product.texts:
            raise OptionError("the model reads no texts, so there are no terms to be neutral about")
        other = self._like(self.prior)
        other._product, other._tally = product, self.tally.copy()
        if isinstance(self._likelihood, Likelihood):
            other._likelihood = product.factors[0].likelihood
        elif self._likelihood is not None:
            other._likelihood = product.by_column
        return other

    def with_thresholds(self, thresholds: Thresholds | None) -> "Classifier":
        """The same model under other thresholds by group, or none; nothing is learned anew.

        >>> from likely.thresholds import Thresholds
        >>> model = Classifier().fit({"text": ["buy", "see you"], "y": ["spam", "ham"]}, "y")
        >>> strict = model.with_thresholds(Thresholds("list", "spam", {"friends": 0.95}))
        >>> strict.predict({"text": ["buy", "buy"], "list": ["friends", "others"]}).tolist()
        ['ham', 'spam']
        """
        self._check_one("with_thresholds")
        if thresholds is not None and thresholds.label not in self.classes:
            known = nearest(str(thresholds.label), map(str, self.classes))
            raise OptionError(f"`{thresholds.label}` is no class of the model; {known}")
        other = self._like(self.prior)
        other._thresholds, other._tally = thresholds, self.tally.copy()
        return other

    # Predicting

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels learned or known, sorted; the columns of `predict_proba` and `log_joint`."""
        return self._known if self._tally is None else self._classes().labels

    def predict(self, x: Any) -> Any:
        """The most probable label of each row; of equals, the one that sorts first.

        Where a rule fires, its label. Where rows have any number of labels, a list for each row.
        """
        if self._decision is not None:
            bars, at_once = self._decision.bars(self.classes), _AT_ONCE // max(len(self.classes), 1)
            return [
                labels
                for table in self._tables(x)
                for part in table.cut(max(at_once, 1))
                for labels in label_lists(self.classes, self.predict_proba(part) >= bars)
            ]
        scores, ruled = self._judged(x)
        best = decide(scores, self._log_prior())
        return label_array(self.classes)[np.where(ruled < 0, best, ruled)]

    def predict_proba(self, x: Any) -> Array:
        """P(c | x), a row per row and a column per class; where a rule fires, 1 for its label.

        Where rows have any number of labels, each has a probability of its own.
        """
        scores, ruled = self._judged(x)
        return overruled(self._posterior(scores), ruled)

    def ruled(self, x: Any) -> list[Rule | None]:
        """The rule that decides each row, None where the counts do."""
        self._check_fitted()
        rules = [*(self.rules.rules if self.rules else ()), None]
        tables = self._tables(x)
        found = (firing(self.rules, self._settled, table, self.threads) for table in tables)
        return [rules[place] for places in found for place in places]

    def log_joint(self, x: Any) -> Array:
        """log P(x, c), a row per row and a column per class. Rules take no part in it."""
        self._check_joint("log_joint")
        return self._scores_of(x)

    def log_evidence(self, x: Any) -> Array:
        """log P(x), what the model takes each row to be worth, whatever its class."""
        self._check_joint("log_evidence")
        return log_sum(self._scores_of(x))

    def impossible(self, x: Any) -> NDArray[np.bool_]:
        """Which rows no class can have produced, so that the prior alone decides."""
        return np.asarray(np.isneginf(self._scores_of(x)).all(axis=1))

    def explain(self, row: Any) -> Any:
        """What each part of one row says for and against each class.

        A row is a text, a list of cells, or a dictionary of cells by column. The answer is an
        `Evidence`, or where rows have any number of labels, a `LabelsEvidence`.
        """
        table = Table.of_row(row)
        weights, parts = self._estimate(), self._parts(table)
        scores = self._scores(parts)
        terms = []
        if self._settled.takes_prior:
            terms.append(Term("prior", "prior", 1, self._log_prior()))
        terms.extend(self._settled.terms(weights, parts))
        if self._decision is not None:
            terms = self._decision.terms(self.classes, terms, scores, self.threads)
            bars = self._decision.bars(self.classes)
            return LabelsEvidence(self.classes, tuple(terms), self._posterior(scores)[0], bars)
        if self._thresholds is not None:
            shift = self._thresholds.shifts(table, self.classes)
            name = f"threshold by {self._thresholds.column}"
            terms.append(Term(name, "threshold", 1, shift[0]))
            scores = scores + shift
        impossible = bool(np.isneginf(scores).all())
        (rule,) = self.ruled(table)
        return Evidence(self.classes, tuple(terms), self._posterior(scores)[0], impossible, rule)

    def evidence_by_kind(self, x: Any) -> "list[tuple[Kind, Array]]":
        """What each kind of evidence says of rows; with the prior it adds up to what decides."""
        from likely.contributions import kinds_of

        parts, product = self._parts(Table.of(x)), self._settled
        found = []
        for kind in kinds_of(product):
            statistic: Any = self.tally.statistics[kind.factor]
            weights = kind.likelihood.estimate(statistic, self._classes(), kind.columns)
            found.append((kind, kind.likelihood.score(weights, parts[kind.factor], self.threads)))
        return found

    def worked(self, row: Any) -> "Worked":
        """The prediction of one row worked out by hand: fractions where counts are all there is.

        >>> from likely import Multinomial
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
        weights, parts = self._estimate(), self._parts(Table.of_row(row))
        return work_out(
            self._settled,
            self.tally,
            self._classes(),
            weights,
            parts,
            self.prior,
            self._log_prior(),
            self.trust is not None,
        )

    # Looking inside

    @property
    def parameters(self) -> "Parameters":
        """How many numbers the model has.

        >>> from likely import Gaussian
        >>> x, y = [[1.0, 2.0], [2.0, 1.0], [4.0, 5.0], [6.0, 4.0]], [0, 0, 1, 1]
        >>> Classifier(Gaussian("full")).fit(x, y).parameters
        Parameters(likelihood=10, prior=2, free=11)
        """
        from likely.info import Parameters

        return Parameters.of(self._settled, self.tally, len(self._classes()))

    @property
    def estimates(self) -> dict[tuple[str, ...], Any]:
        """What was estimated from numbers and categories: means, deviations, probabilities."""
        weights = zip(self._settled.factors, self._estimate(), strict=True)
        return {
            factor.columns: factor.likelihood.estimates(weight)
            for factor, weight in weights
            if hasattr(factor.likelihood, "estimates")
        }

    def linear(self) -> "LinearForm":
        """The model as weights and intercepts, if in log space it is linear."""
        from likely.linear import linear_form

        self._check_fitted()
        self._check_one("linear")
        classes, log_prior = self._classes(), self._log_prior()
        return linear_form(self._settled, self.tally, classes, log_prior, self.threads)

    def dependences(self, x: Any, y: Any = None, n: int = 10) -> "list[Dependence]":
        """How far columns (and words) go together within the classes, the strongest first.

        Naive Bayes takes them to be independent there, and counts twice what two of them say. Of a
        file, the first batch is looked at.
        """
        from likely.dependence import dependences

        rows = self._labelled(x, y)
        batch = next(_batches(self._settled, rows), None)
        return [] if batch is None else dependences(self._settled, batch, n)

    def contributions(
        self, x: Any, y: Any = None, *, left_out: bool = False
    ) -> "list[Contribution]":
        """What each kind of evidence is worth: how well rows would be labelled without it.

        Rows that were learned are to be `left_out`, each scored without itself. Of a file, the
        first batch is looked at. Rules take no part.

        >>> heights, teams = [1.6, 1.7, 1.8, 1.9] * 5, ["red", "blue"] * 10
        >>> x, y = {"height": heights, "team": teams}, ["a", "a", "b", "b"] * 5
        >>> model = Classifier().fit(x, y)
        >>> for kind in model.contributions(x, y, left_out=True):
        ...     print(kind.columns[0], kind.accuracy)
        height 0.0
        team 1.0
        """
        from likely.contributions import contributions

        rows, product, classes = self._labelled(x, y), self._settled, self._classes()
        batch = next(_batches(product, rows), None)
        if batch is None:
            return []

        def judged(scores: Array) -> Array:
            if not left_out:
                own = self._log_prior() if product.takes_prior else 0.0
                return self._posterior(scores + own)
            return leave_one_out(
                product,
                self.prior,
                self.tally,
                batch,
                self._known,
                self.threads,
                self._biases(classes),
                copies,
                scores,
            ).probabilities

        copies = None
        if left_out:
            self.ledger.check(self.tally.learned, batch)
            places = np.arange(len(batch))
            copies = {at: found.take(places) for at, found in self._copies(rows).items()}
        return contributions(product, self.tally, classes, batch, copies, judged, self.threads)

    def unweighed(self) -> "Classifier":
        """The same model as it was before its evidence was weighed: plain Naive Bayes.

        >>> model = Classifier().fit(["good", "so good", "bad"], ["pos", "pos", "neg"])
        >>> model.trust is None, model.unweighed().trust is None
        (False, True)
        """
        from likely.weighing import plain

        self._check_learns()
        other = self._like(self.prior)
        other._tally, other._trust = self.tally.copy(), None
        other._weigh_it = other._second_opinion = False
        other._product = plain(self._settled)
        other._likelihood = other._product.by_column
        return other

    @property
    def info(self) -> "Info":
        """What the model is made of, and what its user should know."""
        from likely.info import describe

        weights = self._estimate() if len(self._classes()) > 1 else None
        ledger = self.ledger.name if self._copied is None else "compact"
        found = describe(
            self._settled, self.tally, self._classes(), weights, self.prior, ledger, self.rules
        )
        if self.several:
            found = replace(
                found,
                of_rows=self.tally.n_rows,
                goal=str(self.goal),
                thresholds=self.label_thresholds,
            )
        return replace(found, notes=(*found.notes, *self._doubts()))

    def _doubts(self) -> Iterator[str]:
        """What is to be said of how the evidence was weighed, and of thresholds."""
        if self._thresholds is not None:
            spelled = ", ".join(
                f"{g} {t:.3g}" for g, t in sorted(self._thresholds.of_group.items())
            )
            yield (
                f"`{self._thresholds.label}` is given by thresholds that differ by "
                f"`{self._thresholds.column}`: {spelled}; probabilities are shifted accordingly"
            )
        if self.trust is None and self._settled.places_of_views:
            yield "the evidence was not weighed; `refit` with the rows that were learned does that"
        if self.is_stale:
            yield "the evidence was weighed by other rows than those learned; `refit` does it anew"
        if self.is_stale and has_opinions(self._settled):
            yield (
                "the second opinion was formed by other rows than those learned, and remembers "
                "those that were forgotten since; `refit` forms it anew"
            )

    def language(self, label: Label, column: str | None = None) -> "Language":
        """What a class says, where texts have a probability: the likelihood as a language model.

        >>> from likely import Multinomial
        >>> model = Classifier(Multinomial()).fit(["good good fun", "dull"], ["pos", "neg"])
        >>> round(model.language("pos").perplexity("good fun"), 2)
        2.45
        """
        from likely.language import language

        self._check_fitted()
        self._check_one("language")
        return language(self._settled, self.tally, self._classes(), label, column)

    def top(self, n: int = 10) -> dict[Label, list[tuple[str, float]]]:
        """For each class, the features that speak for it most, with their log-odds.

        >>> model = Classifier().fit(["good good fun", "dull and slow"], ["pos", "neg"])
        >>> [name for name, log_odds in model.top(1)["pos"]]
        ['good']
        """
        self._check_fitted()
        classes = self._classes()
        ranked: list[list[Speaks]] = [[] for _ in classes.labels]
        for factor, statistic in zip(self._settled.factors, self.tally.statistics, strict=True):
            found = factor.likelihood.strongest(statistic, classes, factor.columns, n)
            for one, more in zip(ranked, found, strict=True):
                one.extend(more)
        best = [sorted(one, key=lambda speaks: -speaks.strength)[:n] for one in ranked]
        return {
            label: [(speaks.name, speaks.log_odds) for speaks in one]
            for label, one in zip(classes.labels, best, strict=True)
        }

    # Being stored

    @property
    def digest(self) -> str:
        """A SHA-256 that every tally of the same rows shares, however it came about."""
        if self._copied is not None:
            return self._copied
        return storage.digest(self._tally_metadata(), self.tally.arrays())

    def to_bytes(self) -> bytes:
        """The model as the bytes of a .likely file."""
        if self._copied is not None:
            arrays, kept = self._settled.scored_arrays(self.tally), {"copy of": self._copied}
        else:
            arrays = self.tally.arrays()
            kept = {"tally": storage.digest(self._tally_metadata(), arrays)}
        prior = self.prior if isinstance(self.prior, str) else sorted(self.prior.items())
        metadata = {
            **self._tally_metadata(),
            "model": {
                "likelihoods": self._settled.settings,
                "prior": prior,
                "classes": list(self._known),
                "by_column": isinstance(self.likelihood, Mapping),
                "target": self.target,
                **({} if self.rules is None else {"rules": self.rules.to_json()}),
                **({} if self._thresholds is None else {"thresholds": self._thresholds.to_json()}),
                **({} if self._trust is None else {"trust": self._trust.to_json()}),
                **({} if self._decision is None else {"decision": self._decision.to_json()}),
                **({} if self._separator is None else {"separator": self._separator}),
            },
            **kept,
        }
        return storage.pack(metadata, {**arrays, **opinion_arrays(self._settled)})

    def compact(self) -> "Classifier":
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
        arrays = self._settled.scored_arrays(self.tally)
        schema = {**self.tally.schema, "ledger": copy.ledger.name}
        copy._tally = Tally.from_arrays(schema, self._settled, arrays)
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
        if self._tally is None:
            return page.html([repr(self)[1:-1]])
        blocks = self.info.blocks()
        if self.has_loo:
            right = page.tenth(self.loo.accuracy)
            blocks.insert(1, f"{right} right when each row is left out in turn")
        return page.html(blocks)

    # Inside

    @property
    def _settled(self) -> Product:
        if self._product is None:
            raise NotFittedError("the model has learned nothing yet; `fit(x, y)` comes first")
        return self._product

    def _labelled(self, x: Any, y: Any) -> Labelled:
        """Rows with labels; once a model has a target, its name need not be given again."""
        return self._given(x, self.target if y is None else y)

    def _given(self, x: Any, y: Any) -> Labelled:
        return labelled(self._opened(x), y, self._separator, self._known)

    def _opened(self, x: Any) -> Any:
        """A file is opened as the model reads texts: what is no Unicode is refused, or replaced."""
        if not isinstance(x, os.PathLike):
            return x
        replaces = any(one.replaces_invalid for one in every(self._likelihood))
        return open_table(x, invalid="replace" if replaces else "refuse")

    def _pick(self, rows: Labelled) -> tuple[Product, dict[str, Choice]]:
        """The likelihood of each column: those given, or those that suit it."""
        product, choices = self._picked(rows)
        if rows.several:
            if self.rules is not None:
                raise OptionError("rules give a row one label, so they go with rows that have one")
            if self._second_opinion:
                raise OptionError("a second opinion goes with rows that have one label each")
            product = product.any_of()
        if self._second_opinion:
            product = asked(product)
        if self.rules is not None:
            self.rules.reads(rows.columns, product.texts)
        return product, choices

    def _picked(self, rows: Labelled) -> tuple[Product, dict[str, Choice]]:
        if self._likelihood is not None:
            given = self._likelihood
            return Product.settled(given, rows.columns, self._missing, self._weigh_it), {}
        sample = rows.sample().reading(self._missing)
        if is_list_of_texts(sample) and not self._columns:
            views = Views.of_texts(sample.texts(rows.columns), rows.several)
            return Product.settled(views, rows.columns, self._missing), {}
        choices = choose(sample, self._columns)
        given = {
            name: Views.of_texts(sample.texts((name,)), rows.several)
            if choice.kind == "text"
            else OF_KIND[choice.kind]()
            for name, choice in choices.items()
            if choice.kind != "ignore"
        }
        if not given:
            why = "; ".join(f"`{name}`: {choice.why}" for name, choice in choices.items())
            raise DataError(f"there is no column to learn from ({why})")
        return Product.of(given, self._missing, self._weigh_it), choices

    def _settle(self, rows: Labelled) -> Product:
        """The likelihoods; the first rows settle which columns there are."""
        if self._product is None:
            self._product, self.choices = self._pick(rows)
        elif self._tally is None and rows.several and not self.several:
            self._product = self._product.any_of()
        return self._product

    def _parts(self, x: Any) -> tuple[Part, ...]:
        self._check_fitted()
        return self._read(self._settled, Table.of(x))

    def _read(self, product: Product, table: Table) -> tuple[Part, ...]:
        """What the likelihoods read; in rows without names, columns of rules alone come last."""
        columns = all_columns(self.rules, product)
        return product.read(table if columns == product.columns else table.called(columns))

    def _tables(self, x: Any) -> Iterator[Table]:
        """Rows in memory, or those of a file, batch by batch."""
        x = self._opened(x)
        return x.batches(self.columns) if isinstance(x, Source) else iter([Table.of(x)])

    def _scores_of(self, x: Any) -> Array:
        """The scores of rows in memory, or of a file."""
        return self._stacked([self._scores(self._parts(table)) for table in self._tables(x)])

    def _stacked(self, scores: list[Array]) -> Array:
        if len(scores) == 1:
            return scores[0]
        return np.vstack([np.zeros((0, len(self.classes))), *scores])

    def _judged(self, x: Any) -> tuple[Array, Places]:
        """The scores of rows, and the place of the class that a rule gives each, or −1."""
        self._check_fitted()
        scores, ruled = [], [np.zeros(0, dtype=np.intp)]
        for table in self._tables(x):
            scores.append(self._scores(self._parts(table)) + self._shifts(table))
            ruled.append(self._ruled(self._settled, table, self._classes()))
        return self._stacked(scores), np.concatenate(ruled)

    def _shifts(self, table: Table) -> Array | float:
        """What thresholds by group add to the scores of rows."""
        return 0.0 if self._thresholds is None else self._thresholds.shifts(table, self.classes)

    def _ruled(self, product: Product, table: Table, classes: Classes) -> Places:
        """The place of the class that a rule gives each row, −1 where none fires."""
        places = ruled_classes(self.rules, classes.labels)
        return places[firing(self.rules, product, table, self.threads)]

    def _observe_all(
        self, product: Product, rows: Labelled, progress: Progress | None = None
    ) -> Tally:
        tally: Tally | None = None
        for batch in _batches(product, rows, progress):
            more = observe(product, batch, self.ledger, self.threads)
            if tally is None:
                tally = more
            else:
                tally += more
        return Tally.zero(product, self.ledger) if tally is None else tally

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

    def _apart(self, rows: Labelled) -> Array | None:
        """What second opinions say of rows they have not learned, formed from folds of these."""
        from likely.weighing import apart

        product = self._settled
        return apart(
            product, self.tally, self._classes(), lambda: _batches(product, rows), self.threads
        )

    def _copies(self, rows: Labelled) -> "dict[int, Copies]":
        """The copies of texts that are left out together, if the evidence is weighed."""
        from likely.weighing import Known

        if self._trust is None or not self._settled.places_of_views:
            return {}
        product = self._settled
        return Known.of(product, self._classes(), lambda: _batches(product, rows)).copies

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
        if self._decision is not None:
            return labels_left_out(
                self._settled,
                self.prior,
                self.tally,
                batch,
                self._known,
                self.threads,
                self._biases(self._classes()),
                self._decision,
                {place: copies[place].take(rows) for place in copies},
                None if scores is None else scores[rows],
            )
        made = leave_one_out(
            self._settled,
            self.prior,
            self.tally,
            batch,
            self._known,
            self.threads,
            self._biases(self._classes()),
            {place: copies[place].take(rows) for place in copies} or None,
            None if scores is None else scores[rows],
            None if beside is None else beside[rows],
        )
        if self._thresholds is not None:
            shifted = made.scores + self._shifts(table)
            made = replace(made, scores=shifted, probabilities=self._posterior(shifted))
        ruled = self._ruled(self._settled, table, self._classes())
        return replace(made, probabilities=overruled(made.probabilities, ruled))

    def _like(self, prior: Prior) -> "Classifier":
        """A model of the same kind that has seen nothing."""
        other = Classifier(
            self._likelihood,
            columns=self._columns,
            missing=self._missing,
            prior=prior,
            classes=self._known,
            rules=self.rules,
            weigh=self._weigh_it,
            goal=self._goal,
            separator=self._separator,
            second_opinion=self._second_opinion,
            ledger=self.ledger,
            threads=self.threads,
        )
        other._decision = self._decision
        other._product, other.choices, other.target = self._product, self.choices, self.target
        other._trust, other._copied = self._trust, self._copied
        other._thresholds = self._thresholds
        return other

    def _classes(self) -> Classes:
        return self.tally.view(self._known)

    def _check_learns(self) -> None:
        if self._copied is not None:
            raise ModelError(
                "the model is a compact copy, which predicts and explains, and learns no more\n"
                "hint: the model it was made of learns and forgets; then make a copy of that"
            )

    def _check_fitted(self) -> None:
        if len(self._classes()) == 0:
            raise NotFittedError("the model has learned nothing yet; `fit(x, y)` comes first")
        if len(self._classes()) == 1 and not self.several:
            raise NotFittedError(
                f"the model has learned only `{self.classes[0]}`; it takes two classes to choose"
            )

    def _check_one(self, what: str) -> None:
        if self.several:
            raise OptionError(f"`{what}` is for rows with one label, and these have any number")

    def _check_joint(self, what: str) -> None:
        self._check_fitted()
        self._check_one(what)
        if not self._settled.is_joint:
            lone = [f.likelihood for f in self._settled.factors if not f.likelihood.is_joint]
            raise OptionError(
                f"{type(lone[0]).__name__} scores are no joint probability, so there is "
                f"no `{what}`; `predict_proba` has what it does give"
            )

    def _estimate(self) -> list[Any]:
        """The estimates, made when first asked for and kept until the tally changes."""
        self._check_fitted()
        if self._weights is None:
            self._weights = self._settled.estimate(self.tally, self._classes())
        return self._weights

    def _log_prior(self) -> Array:
        classes = self._classes()
        return self._before(classes) + self._biases(classes)

    def _before(self, classes: Classes) -> Array:
        """The log-probability of each class, or the log-odds of each label, by its rows alone."""
        if classes.several:
            return log_odds(self.prior, classes)
        check_cover(self.prior, classes.labels)
        return log_prior(self.prior, classes.labels, classes.weights)

    def _biases(self, classes: Classes) -> Array:
        """The bias of each class; one that came later has none."""
        bias = {} if self._trust is None else self._trust.bias
        return np.array([bias.get(label, 0.0) for label in classes.labels])

    def _scores(self, parts: tuple[Part, ...]) -> Array:
        """What decides: log P(x, c), or the likelihood's own scores where it has no joint."""
        scores = self._settled.score(self._estimate(), parts, self.threads)
        if self._settled.takes_prior:
            scores += self._log_prior()
        return scores

    def _posterior(self, scores: Array) -> Array:
        if self._decision is not None:
            return probabilities(self._decision.log_odds(self.classes, scores, self.threads))
        return posterior(scores, self._log_prior())

    def _tally_metadata(self) -> dict[str, Any]:
        return {"format": storage.FORMAT, "schema": dict(self.tally.schema)}


def _unlearned(
    likelihood: Given | None,
    columns: dict[str, str],
    missing: frozenset[str],
    prior: Prior,
    classes: tuple[Label, ...],
    rules: Rules | None,
    weigh: bool,
    goal: Goal,
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
    return (-1, 0.0, "") if model.trust is None else model.trust.rank


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


def _batches(product: Product, rows: Labelled, progress: Progress | None = None) -> Iterator[Batch]:
    """Labelled rows as a product of likelihoods reads them."""
    for table, found in rows.batches(product.columns, progress):
        yield Batch(product.read(table), found)


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
        schema, settings = metadata["schema"], metadata["model"]
        product = restore(schema, settings["likelihoods"], arrays)
        prior = settings["prior"]
        given: Given = product.by_column
        if not settings["by_column"]:
            (factor,) = product.factors
            given = factor.likelihood
        model = Classifier(
            given,
            missing=product.missing,
            prior=prior if isinstance(prior, str) else dict(prior),
            classes=settings["classes"],
            rules=Rules.from_json(settings["rules"]) if "rules" in settings else None,
            separator=settings.get("separator"),
            ledger=Ledger.named(schema["ledger"], secret),
            threads=threads,
        )
        # A model made under another version of Unicode predicts; it learns no more (its words might
        # differ), since the schemas then do.
        model._product, model.target = product, settings["target"]
        if "thresholds" in settings:
            model._thresholds = Thresholds.from_json(settings["thresholds"])
        if "trust" in settings:
            from likely.weighing import Trust

            model._trust = Trust.from_json(settings["trust"])
        if product.several != ("decision" in settings):
            raise ModelError("it does not say from where on its labels are said")
        if "decision" in settings:
            model._decision = Decision.from_json(settings["decision"])
            model._goal = model._decision.goal
        model._copied = metadata.get("copy of")
        if model._copied is not None and not re.fullmatch("[0-9a-f]{64}", model._copied):
            raise ModelError("it is a copy of nothing")
        if model.target is not None and not isinstance(model.target, str):
            raise ModelError("its target is no name")
        model._tally = Tally.from_arrays(schema, product, arrays)
    except ModelError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"its options make no sense: {error}") from error
    if model.to_bytes() != data:
        raise ModelError("it is not written the way Likely writes it")
    return model
