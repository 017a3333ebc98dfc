"""A model is a prior times a likelihood, estimated from a tally; it judges rows."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from likely.decision import Decision, Goal, log_odds, probabilities
from likely.errors import DataError, ModelError, NotFittedError, OptionError
from likely.evidence import Evidence, LabelsEvidence, Term, bias_term
from likely.inputs import MISSING, Batch, Part, Table, spellings
from likely.inputs.columns import Choice, nearest
from likely.inputs.files import Progress, Source, open_table
from likely.inputs.labelled import Labelled, labelled
from likely.label_sets import checked_separator, label_lists
from likely.labels import Label, find_label, label_array
from likely.leave_one_out import LabelsLeftOut, LeaveOneOut
from likely.ledger import Ledger
from likely.likelihoods import Likelihood
from likely.likelihoods.base import Unseen
from likely.likelihoods.opinion import asked
from likely.likelihoods.product import Given, Product, every
from likely.likelihoods.product import checked as checked_likelihood
from likely.overruling import (
    Places,
    all_columns,
    checked_rules,
    fired,
    firing,
    overruled,
    own_rules,
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
from likely.reweighing import Reweighing, Times
from likely.rules import Rule, Rules
from likely.tally import Classes, Tally
from likely.thresholds import Thresholds

if TYPE_CHECKING:
    from likely.copies import Copies
    from likely.unlabelled import Learned
    from likely.weighing import Trust

Array = NDArray[np.float64]

# So many probabilities of labels are made at once when only labels are asked for.
_AT_ONCE = 10_000_000


class Model:
    """What a classifier knows and how it judges, however it came to know it."""

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
        goal: Any = None,
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
        self._goal = None if goal is None else Goal.of(goal)
        self._separator = checked_separator(separator)
        self._decision: Decision | None = None
        self.threads = int(threads)
        self._ledger = ledger if isinstance(ledger, Ledger) else Ledger.of(ledger)
        for one in every(self._likelihood):
            if not one.takes_prior and self.prior != "empirical":
                raise OptionError(f"{type(one).__name__} takes no prior")
        self._thresholds: Thresholds | None = None
        self._reweighing: Reweighing | None = None
        self._trust: Trust | None = None
        # Of a copy that only scores, the digest of the tally it was made of.
        self._copied: str | None = None
        self.learned: Learned | None = None
        """What unlabelled rows were worth, if there were any."""
        self._tally: Tally | None = None
        self._sum: Tally | None = None
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
    def times(self) -> Times | None:
        """How often rows count in the estimates, where groups differ in that."""
        return None if self._reweighing is None else self._reweighing.times

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Those of the columns that are read as texts."""
        return self._settled.texts

    @property
    def tally(self) -> Tally:
        """All the model has seen. Another tally, counted alike, may take its place.

        >>> from likely import Classifier
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
        # What rows count beyond once is known of the rows that were there.
        self._weights = self._loo = self._sum = self._reweighing = None
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
    def goal(self) -> Goal | None:
        """What thresholds were chosen for, or are to be; None if they are one half."""
        return self._goal if self._decision is None else self._decision.chosen_for

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
    def leaves_duplicates_together(self) -> bool:
        """Whether a text leaves together with its exact duplicates when rows are left out."""
        return self.trust is not None and bool(self._settled.places_of_views)

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
        return self.trust.rows_seen != self._counted.fingerprint

    @property
    def digest(self) -> str:
        """A SHA-256 that every tally of the same rows shares, however it came about."""
        if self._copied is not None:
            return self._copied
        return self.tally.digest

    # Under other circumstances

    def with_prior(self, prior: Prior) -> Self:
        """The same model under another prior; nothing is learned anew, and this one stays as it is.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["buy", "see you"], ["spam", "ham"])
        >>> model.with_prior({"spam": 0.02, "ham": 0.98}).predict(["buy"]).item()
        'ham'
        """
        if isinstance(prior, Mapping):
            own = {self.class_of(label): share for label, share in prior.items()}
            if len(own) < len(prior):
                raise OptionError(f"the prior has a class twice: {dict(prior)!r}")
            prior = own
        other = self._same(prior)
        other._before(other._counted.view())
        return other

    def with_rules(self, rules: Rules | None) -> Self:
        """The same model under other rules, or none; nothing is learned anew.

        >>> from likely import Classifier, Rule, Rules
        >>> model = Classifier().fit(["buy", "see you"], ["spam", "ham"])
        >>> rules = Rules([Rule("prize", "spam", words=["lottery"])])
        >>> model.with_rules(rules).predict(["see you at the lottery"]).item()
        'spam'
        """
        other = self._same()
        other._rules = checked_rules(rules)
        ruled_classes(other.rules, other.classes)
        return other

    def with_neutral(self, terms: Iterable[str]) -> Self:
        """The same model, to which these words and phrases say nothing; its counts stay.

        Each is scored as a word that was never seen, so a text is judged alike whichever it holds.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["Ann is late", "Bob is kind"], ["bad", "good"])
        >>> fair = model.with_neutral(["Ann", "Bob"])
        >>> ann, bob = fair.predict_proba(["Ann is here", "Bob is here"])
        >>> bool((ann == bob).all()), fair.digest == model.digest
        (True, True)
        """
        product = self._settled.with_neutral(tuple(terms))
        if not product.texts:
            raise OptionError("the model reads no texts, so there are no terms to be neutral about")
        other = self._same()
        other._product = product
        if isinstance(self._likelihood, Likelihood):
            other._likelihood = product.factors[0].likelihood
        elif self._likelihood is not None:
            other._likelihood = product.by_column
        return other

    def with_thresholds(self, thresholds: Thresholds | None) -> Self:
        """The same model under other thresholds by group, or none; nothing is learned anew.

        >>> from likely import Classifier
        >>> from likely.thresholds import Thresholds
        >>> model = Classifier().fit({"text": ["buy", "see you"], "y": ["spam", "ham"]}, "y")
        >>> strict = model.with_thresholds(Thresholds("list", "spam", {"friends": 0.95}))
        >>> strict.predict({"text": ["buy", "buy"], "list": ["friends", "others"]}).tolist()
        ['ham', 'spam']
        """
        self._check_one("with_thresholds")
        if thresholds is not None:
            thresholds = replace(thresholds, label=self.class_of(thresholds.label))
        other = self._same()
        other._thresholds = thresholds
        return other

    def unweighed(self) -> Self:
        """The same model as it was before its evidence was weighed: plain Naive Bayes of its tally.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["good", "so good", "bad"], ["pos", "pos", "neg"])
        >>> model.trust is None, model.unweighed().trust is None
        (False, True)
        """
        from likely.weighing import plain

        self._check_learns()
        other = self._same()
        other._trust = other._reweighing = None
        other._weigh_it = other._second_opinion = False
        other._product = plain(self._settled)
        other._likelihood = other._product.by_column
        # What made probabilities of weighed evidence does not suit any other.
        other._decision = Decision(self._goal) if self.several else None
        return other

    # Predicting

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels learned or known, sorted; the columns of `predict_proba` and `log_joint`."""
        return self._known if self._tally is None else self._classes().labels

    def class_of(self, label: Any) -> Label:
        """The class that is meant by a label, which may be of another kind if it is spelled alike.

        >>> from likely import Classifier
        >>> Classifier().fit(["buy", "see you"], [1, 0]).class_of("1")
        1
        """
        found = find_label(label, self.classes)
        if found is None:
            known = nearest(str(label), map(str, self.classes))
            raise OptionError(f"`{label}` is no class of the model; {known}")
        return found

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
        return self.proba_and_impossible(x)[0]

    def proba_and_impossible(self, x: Any) -> tuple[Array, NDArray[np.bool_]]:
        """What `predict_proba` says of each row, and whether that is the prior alone.

        It is where no class can have produced the row and no rule decides it. Rows are read once.
        """
        scores, ruled = self._judged(x)
        impossible = np.asarray(np.isneginf(scores).all(axis=1) & (ruled < 0))
        return overruled(self._posterior(scores), ruled), impossible

    def ruled(self, x: Any) -> list[Rule | None]:
        """The rule that decides each row, None where the counts do."""
        self._check_fitted()
        rules = [*own_rules(self.rules, self.classes), None]
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

    def unseen(self, x: Any) -> dict[str, Unseen]:
        """Of each column of categories, which rows have a value never seen in training.

        Such a value says nothing, as a missing one does.

        >>> from likely import Categorical, Classifier
        >>> rows = {"colour": ["red", "blue"]}
        >>> model = Classifier({"colour": Categorical()}).fit(rows, ["warm", "cold"])
        >>> model.unseen({"colour": ["red", "teal", None]})["colour"].never.tolist()
        [False, True, False]
        """
        return self._settled.unseen(self._estimate(), self._parts(x), self.threads)

    def explain(self, row: Any) -> Any:
        """What each part of one row says for and against each class.

        A row is a text, a list of cells, a dictionary or a series of cells by column, or a table of
        one row; cells that are not there are missing. The answer is an `Evidence`, or where rows
        have any number of labels, a `LabelsEvidence`.
        """
        table = self._one_row(row)
        weights, parts = self._estimate(), self._parts(table)
        scores = self._scores(parts)
        terms = []
        if self._settled.takes_prior:
            terms.extend(self._before_the_row(self._before(self._classes())))
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
        rules = fired(self.rules, self.classes, self._settled, table)
        found = self._settled.unseen(weights, parts, 1)
        strange = [name for name, one in found.items() if one.never[0]]
        unseen: tuple[str, ...] = ()
        if strange:
            read = table.called(self.columns).reading(self._missing).categories(strange)
            cells = (column.tolist()[0] for column in read.columns)
            unseen = tuple(f"{n}={cell}" for n, cell in zip(strange, cells, strict=True))
        return Evidence(
            self.classes, tuple(terms), self._posterior(scores)[0], impossible, rules, unseen
        )

    # Inside

    @property
    def _settled(self) -> Product:
        if self._product is None:
            raise NotFittedError("the model has learned nothing yet; `fit(x, y)` comes first")
        return self._product

    def _labelled(self, x: Any, y: Any) -> Labelled:
        """Rows with labels; once a model has a target, its name need not be given again."""
        y = self.target if y is None else y
        return labelled(self._opened(x), y, self._separator, self._known, self.classes)

    def _given(self, x: Any, y: Any) -> Labelled:
        """Rows with labels for a model that has learned nothing, or is to learn anew."""
        return labelled(self._opened(x), y, self._separator, self._known)

    def _opened(self, x: Any) -> Any:
        """A file is opened as the model reads texts: what is no Unicode is refused, or replaced."""
        if not isinstance(x, os.PathLike):
            return x
        replaces = any(one.replaces_invalid for one in every(self._likelihood))
        return open_table(x, invalid="replace" if replaces else "refuse")

    def _one_row(self, row: Any) -> Table:
        """A single row, in whatever form it came, as a table of one with all columns."""
        shape = getattr(row, "shape", ())
        if isinstance(row, Table) or len(shape) == 2:
            table = Table.of(row)
        else:
            # A series is its cells by name.
            cells = row.to_dict() if len(shape) == 1 and hasattr(row, "to_dict") else row
            is_named = isinstance(cells, Mapping) and all(isinstance(name, str) for name in cells)
            table = Table.of_row(cells if is_named else row)
        if len(table) != 1:
            raise DataError(
                f"one row is explained at a time, and {len(table):,} were given\n"
                "hint: of a frame, `frame.iloc[[0]]` or `frame[:1]` is the first"
            )
        gone = [name for name in self.columns if name not in table.columns]
        if not table.named or not gone:
            return table
        strange = [name for name in table.names if name not in (*self.columns, self.target)]
        if strange:
            known = nearest(strange[0], self.columns)
            raise DataError(f"`{strange[0]}` is no column of the model; {known}")
        return Table.of({**table.columns, **{name: [None] for name in gone}})

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

    def _like(self, prior: Prior) -> Self:
        """A model of the same kind that has seen nothing."""
        other = type(self)(
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

    def _same(self, prior: Prior | None = None) -> Self:
        """A model of the same kind that has seen the same."""
        other = self._like(self.prior if prior is None else prior)
        other._tally, other._reweighing = self.tally, self._reweighing
        return other

    @property
    def _counted(self) -> Tally:
        """What estimates are made of: the tally, and what some rows count beyond once."""
        if self._reweighing is None or self._reweighing.more is None:
            return self.tally
        if self._sum is None:
            self._sum = self.tally + self._reweighing.more
        return self._sum

    def _classes(self) -> Classes:
        return self._counted.view(self._known)

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
            lone = next(f.likelihood for f in self._settled.factors if not f.likelihood.is_joint)
            how = " with `tfidf`" if getattr(lone, "tfidf", False) else ""
            raise OptionError(
                f"{type(lone).__name__} scores{how} are no joint probability, so there is "
                f"no `{what}`; `predict_proba` has what it does give"
            )

    def _estimate(self) -> list[Any]:
        """The estimates, made when first asked for and kept until the tally changes."""
        self._check_fitted()
        if self._weights is None:
            self._weights = self._settled.estimate(self._counted, self._classes())
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

    def _before_the_row(self, log_prior: Array) -> list[Term]:
        """What speaks before a row is looked at: the prior, and what tuning added to it."""
        biases = self._biases(self._classes())
        prior = Term("prior", "prior", 1, log_prior)
        return [prior, bias_term(biases)] if biases.any() else [prior]

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

    def _copies(self, rows: Labelled) -> "dict[int, Copies]":
        """The copies of texts that are left out together, if the evidence is weighed."""
        from likely.weighing import Known

        if not self.leaves_duplicates_together:
            return {}
        product = self._settled
        return Known.of(product, self._classes(), lambda: batches(product, rows)).copies

    def _apart(self, rows: Labelled) -> dict[int, NDArray[np.float64]]:
        """What second opinions say of rows they have not learned, formed from folds of these."""
        from likely.weighing import apart

        product = self._settled
        return apart(
            product, self.tally, self._classes(), lambda: batches(product, rows), self.threads
        )


def batches(product: Product, rows: Labelled, progress: Progress | None = None) -> Iterator[Batch]:
    """Labelled rows as a product of likelihoods reads them."""
    for table, found in rows.batches(product.columns, progress):
        yield Batch(product.read(table), found)
