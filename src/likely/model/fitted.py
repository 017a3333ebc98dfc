"""A fitted model: a prior times a likelihood, estimated from a tally. It predicts rows.

It is immutable. Learning, forgetting and tuning return another one.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likely.data.columns import nearest
from likely.data.files import Progress, Source, open_table
from likely.data.label_sets import LabelSets, RowLabels, label_lists
from likely.data.labeled import Labeled, labeled
from likely.data.labels import Label, Labels, find_label, label_array, one_kind
from likely.data.table import Batch, FactorInput, Table
from likely.errors import DataError, ModelError, NotFittedError, OptionError
from likely.likelihoods.contribution import Contribution, merged
from likely.likelihoods.product import Product
from likely.likelihoods.stacked_linear import StackedLinear
from likely.model.adjust.group_thresholds import GroupThresholds
from likely.model.adjust.group_weights import Reweighing
from likely.model.adjust.rules import (
    Places,
    all_columns,
    firing,
    overruled,
    own_rules,
    ruled_classes,
)
from likely.model.loo_predictions import LeaveOneOutPredictions, MultiLabelLeaveOneOutPredictions
from likely.model.plan import Plan
from likely.model.prior import decide
from likely.model.spec import OF_ONE_VS_REST, Spec
from likely.model.target import MultiLabel, OneVsRest, SingleLabel, Target
from likely.model.tuning import Tuning
from likely.rules import Rule
from likely.tally import OF_BOTH_KINDS, Classes, Tally

if TYPE_CHECKING:
    from likely.model.semi_supervised import Learned

Array = NDArray[np.float64]

# How many probabilities are computed at once when only labels are needed.
_AT_ONCE = 10_000_000


@dataclass(frozen=True, eq=False)
class Fitted:
    """All that a classifier has learned, and how it predicts."""

    spec: Spec
    plan: Plan
    tally: Tally
    target: Target
    tuning: Tuning | None = None
    """None if the model is not tuned: plain Naive Bayes of its tally."""
    group_thresholds: GroupThresholds | None = None
    """Thresholds by group, if there are any."""
    reweighing: Reweighing | None = None
    """Group weights of rows in the estimates, if there are any."""
    copied: str | None = None
    """In a compact copy, the digest of the original tally."""
    was_stale: bool = False
    """In a compact copy, whether the tuning of the original was stale."""
    learned: "Learned | None" = None
    """The result of learning from unlabeled rows, if there were any; files do not hold it."""
    loo: LeaveOneOutPredictions | MultiLabelLeaveOneOutPredictions | None = None
    """Leave-one-out predictions of the training rows, if they are at hand; files do not hold it."""

    def __post_init__(self) -> None:
        one_kind([*self.tally.classes, *self.spec.classes, *self._labels_in_options()])

    def _labels_in_options(self) -> Iterator[Label]:
        """The labels in options, which have the same type as those of the rows."""
        if self.tuning is not None:
            yield from self.tuning.labels()
        if isinstance(self.target, MultiLabel):
            yield from (*self.target.offsets, *self.target.thresholds)
        if self.group_thresholds is not None:
            yield self.group_thresholds.label

    @classmethod
    def of(cls, spec: Spec, plan: Plan, tally: Tally) -> "Fitted":
        """The plain model of a tally."""
        return cls(spec, plan, tally, target_of(spec, plan))

    def with_tally(self, tally: Tally, reweighing: Reweighing | None = None) -> "Fitted":
        """The same model of another tally; the tuning is kept."""
        return replace(self, tally=tally, reweighing=reweighing, loo=None)

    def untuned(self) -> "Fitted":
        """The same model before anything was tuned on its rows."""
        return replace(self, target=target_of(self.spec, self.plan), tuning=None, loo=None)

    # Its parts, computed once

    @cached_property
    def product(self) -> Product:
        """The likelihoods, with their tuned weights."""
        plain = self.plan.product
        if self.is_one_vs_rest:
            return plain.any_of(OF_ONE_VS_REST)
        return plain if self.tuning is None else self.tuning.applied(plain)

    @cached_property
    def weighted_tally(self) -> Tally:
        """The tally with group weights."""
        if self.reweighing is None or self.reweighing.more is None:
            return self.tally
        return self.tally + self.reweighing.more

    @cached_property
    def counted(self) -> Tally:
        """The tally that estimates are made from: with group weights, and with the rest of rows."""
        weighted = self.weighted_tally
        return weighted.against_rest() if self.is_one_vs_rest else weighted

    def as_counted(self, labels: RowLabels) -> RowLabels:
        """The labels of rows as those of `counted` are."""
        if self.is_one_vs_rest and isinstance(labels, Labels):
            return LabelSets.single(labels)
        return labels

    @cached_property
    def classes(self) -> Classes:
        return self.counted.view(self.spec.classes)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, sorted."""
        return self.classes.labels

    @cached_property
    def weights(self) -> list[Any]:
        """The estimates."""
        self.check_fitted()
        return self.product.estimate(self.counted, self.classes)

    @cached_property
    def plain_log_prior(self) -> Array:
        """The log-prior of each class, or the log-odds of each label, without tuned biases."""
        return self.target.log_prior(self.spec.prior, self.classes)

    @cached_property
    def biases(self) -> Array:
        """The bias of each class; one that came later has none."""
        bias = {} if self.tuning is None else self.tuning.bias
        return np.array([bias.get(label, 0.0) for label in self.labels])

    @cached_property
    def log_prior(self) -> Array:
        return self.plain_log_prior + self.biases

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns the model reads, in the order in which rows without names have them."""
        columns = all_columns(self.spec.rules, self.product)
        more = () if self.group_thresholds is None else (self.group_thresholds.column,)
        return (*columns, *(name for name in more if name not in columns))

    @property
    def is_multilabel(self) -> bool:
        return isinstance(self.target, MultiLabel)

    @property
    def is_one_vs_rest(self) -> bool:
        """Whether each class is compared with all others."""
        return self.spec.one_vs_rest

    @property
    def is_stale(self) -> bool:
        """Whether it was tuned on other rows than are learned now."""
        if self.tuning is None or self.copied is not None:
            return self.was_stale
        return self.tuning.rows_seen != self.counted.fingerprint

    @property
    def is_to_be_tuned(self) -> bool:
        """Whether it has only counted so far, and is meant to be tuned."""
        can_be = self.copied is None and self.tally.per_row == 1
        return self.tuning is None and self.spec.tunes and can_be

    @property
    def leaves_duplicates_together(self) -> bool:
        """Whether leave-one-out leaves out exact duplicates of a text together."""
        return self.tuning is not None and bool(self.product.places_of_views)

    @property
    def stacked(self) -> StackedLinear | None:
        """The stacked linear model, if there is one."""
        return None if self.tuning is None else self.tuning.stacked

    @property
    def digest(self) -> str:
        """A SHA-256 that every tally of the same rows shares, however it came about."""
        return self.tally.digest if self.copied is None else self.copied

    def class_of(self, label: Any) -> Label:
        """The class that a label means; it may be of another type with the same spelling."""
        found = find_label(label, self.labels)
        if found is None:
            known = nearest(str(label), map(str, self.labels))
            raise OptionError.of("unknown-class", label=label, known=known)
        return found

    # Checks

    def check_learns(self) -> None:
        if self.copied is not None:
            raise ModelError.of("compact-copy")

    def check_fitted(self) -> None:
        if len(self.classes) == 0:
            raise NotFittedError.of("not-fitted")
        if len(self.classes) == 1 and not self.is_multilabel:
            raise NotFittedError.of("one-class-learned", label=self.labels[0])

    def check_single(self, what: str) -> None:
        if self.is_multilabel:
            raise OptionError.of("single-label-only", what=what)

    def check_no_group_thresholds(self, what: str) -> None:
        if self.group_thresholds is not None:
            raise OptionError(
                f"thresholds by group are not part of {what}; `with_group_thresholds(None)` gives "
                "the model without them"
            )

    def check_compares_classes(self, what: str) -> None:
        """Refuse what compares classes with each other, if each is compared with the rest."""
        if self.is_one_vs_rest:
            raise OptionError.of("not-one-vs-rest", what=what)

    def check_decision(self) -> None:
        """Refuse thresholds or costs of labels that are no classes."""
        for label in () if self.spec.decision is None else self.spec.decision.labels:
            self.class_of(label)

    def check_joint(self, what: str) -> None:
        self.check_fitted()
        self.check_single(what)
        self.check_compares_classes(what)
        if not self.product.is_joint:
            factors = self.product.factors
            lone = next(f for f in factors if not f.likelihood.is_joint or f.weight is not None)
            how = " with `tfidf`" if getattr(lone.likelihood, "tfidf", False) else ""
            raise OptionError.of(
                "not-joint", likelihood=type(lone.likelihood).__name__, how=how, what=what
            )

    # Reading rows

    def labeled(self, x: Any, y: Any) -> Labeled:
        """Rows with labels; once a model has a target, its name need not be given again."""
        y = self.plan.target if y is None else y
        like = self.labels or tuple(self._labels_in_options())
        return labeled(opened(self.spec, x), y, self.plan.separator, self.spec.classes, like)

    def one_row(self, row: Any) -> Table:
        """A single row, in whatever form it came, as a table of one with all columns."""
        shape = getattr(row, "shape", ())
        if isinstance(row, Table) or len(shape) == 2:
            table = Table.of(row)
        else:
            # A series holds its cells by name.
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
        unknown = [name for name in table.names if name not in (*self.columns, self.plan.target)]
        if unknown:
            known = nearest(unknown[0], self.columns)
            raise DataError.of("not-a-model-column", column=unknown[0], known=known)
        return Table.of({**table.columns, **{name: [None] for name in gone}})

    def read(self, table: Table) -> tuple[FactorInput, ...]:
        """The inputs of the factors; without names, columns that only rules read come last."""
        columns = all_columns(self.spec.rules, self.product)
        own = self.product.columns
        return self.product.read(table if columns == own else table.called(columns))

    def parts(self, x: Any) -> tuple[FactorInput, ...]:
        self.check_fitted()
        return self.read(Table.of(x))

    def batch(self, table: Table, labels: RowLabels) -> Batch:
        """Rows and their labels, single-label or multi-label as the model is."""
        if isinstance(labels, LabelSets) != self.is_multilabel:
            raise DataError(OF_BOTH_KINDS)
        return Batch(self.read(table), labels)

    def batches(self, rows: Labeled, progress: Progress | None = None) -> Iterator[Batch]:
        """Labeled rows as the likelihoods read them."""
        for table, found in rows.batches(self.product.columns, progress):
            yield self.batch(table, found)

    def check_learned(self, rows: Labeled) -> None:
        """Refuse rows that were never learned, as far as a ledger tells."""
        for batch in self.batches(rows):
            self.plan.ledger.check(self.tally.learned, batch)

    def check_all_learned(self, rows: Labeled, what: str) -> None:
        """Refuse rows that are not exactly the learned rows."""
        learned, given, total = self.tally, 0, 0
        for batch in self.batches(rows):
            self.plan.ledger.check(learned.learned, batch)
            hashes = self.plan.ledger.hashes(batch)
            given += len(batch)
            total += 0 if hashes is None else int(hashes.sum(dtype=np.uint64))
        if learned.per_row > 1:
            return
        if given != learned.n_rows:
            raise DataError.of("not-all-rows", learned=learned.n_rows, given=given, what=what)
        if learned.learned is not None and f"{total % 2**64:016x}" != learned.fingerprint:
            raise DataError.of("rows-repeated", what=what)

    def tables(self, x: Any) -> Iterator[Table]:
        """Rows in memory, or those of a file, batch by batch."""
        x = opened(self.spec, x)
        return x.batches(self.columns) if isinstance(x, Source) else iter([Table.of(x)])

    # Predicting rows

    def scores(self, parts: tuple[FactorInput, ...], threads: int) -> Array:
        """log P(x, c), or the scores of a likelihood that has no joint probability.

        In a one-vs-rest model, the log-odds of each class against the rest.
        """
        scores = self.product.score(self.weights, parts, threads)
        if self.stacked is not None:
            scores = scores + self.stacked.score(self.product, self.classes, parts, threads)
        if self.product.takes_prior:
            scores += self.log_prior
        return scores

    def contributions(self, parts: tuple[FactorInput, ...]) -> list[list[Contribution]]:
        """The contributions of one row, those of each factor together, and last the intercept.

        What the linear model says of a word or a column is added to what the counts say of it.
        """
        factors, found = self.product.factors, self.product.contributions(self.weights, parts)
        if self.stacked is not None:
            learned = self.stacked.contributions(self.product, self.classes, parts)
            both = zip(factors, found, learned, strict=True)
            found = [factor.likelihood.by_word(merged(ours, more)) for factor, ours, more in both]
        shown = [
            factor.likelihood.named(own, factor.columns)
            for factor, own in zip(factors, found, strict=True)
        ]
        return shown if self.stacked is None else [*shown, [self.stacked.intercept(self.classes)]]

    def scores_of(self, x: Any, threads: int) -> Array:
        """The scores of rows in memory, or of a file."""
        found = [self.scores(self.parts(table), threads) for table in self.tables(x)]
        return self._stacked(found)

    def judged(self, x: Any, threads: int) -> tuple[Array, Places]:
        """The scores of rows, and the place of the class that a rule gives each, or −1."""
        self.check_fitted()
        scores, ruled = [], [np.zeros(0, dtype=np.intp)]
        for table in self.tables(x):
            scores.append(self.scores(self.parts(table), threads) + self.shifts(table))
            ruled.append(self.ruled_places(table, threads))
        return self._stacked(scores), np.concatenate(ruled)

    def _stacked(self, scores: list[Array]) -> Array:
        if len(scores) == 1:
            return scores[0]
        return np.vstack([np.zeros((0, len(self.classes))), *scores])

    def shifts(self, table: Table) -> Array | float:
        """What thresholds by group add to the scores of rows."""
        return (
            0.0
            if self.group_thresholds is None
            else self.group_thresholds.shifts(table, self.labels)
        )

    def ruled_places(self, table: Table, threads: int) -> Places:
        """The place of the class that a rule gives each row, −1 where none fires."""
        places = ruled_classes(self.spec.rules, self.labels)
        return places[firing(self.spec.rules, self.product, table, threads)]

    def ruled(self, x: Any, threads: int) -> list[Rule | None]:
        """The rule that decides each row, None where the counts do."""
        self.check_fitted()
        rules = [*own_rules(self.spec.rules, self.labels), None]
        tables = self.tables(x)
        found = (firing(self.spec.rules, self.product, table, threads) for table in tables)
        return [rules[place] for places in found for place in places]

    def posterior(self, scores: Array, threads: int) -> Array:
        return self.target.probabilities(self.labels, scores, self.log_prior, threads)

    def proba_and_impossible(self, x: Any, threads: int) -> tuple[Array, NDArray[np.bool_]]:
        """P(c | x) of each row, and whether that is the prior alone."""
        scores, ruled = self.judged(x, threads)
        impossible = np.asarray(np.isneginf(scores).all(axis=1) & (ruled < 0))
        return overruled(self.posterior(scores, threads), ruled), impossible

    def decide(self, probabilities: Array) -> Places:
        """The place of the class that is predicted, given the probabilities of each row.

        Where a rule is certain of a class, it is that one, whatever else decides.
        """
        assert isinstance(self.target, SingleLabel)
        return self.target.decide(self.labels, probabilities)

    def predict(self, x: Any, threads: int) -> Any:
        """The label of each row, or all labels that reach their thresholds."""
        if isinstance(self.target, MultiLabel):
            thresholds = self.target.threshold_array(self.labels)
            at_once = max(_AT_ONCE // max(len(self.labels), 1), 1)
            return [
                labels
                for table in self.tables(x)
                for part in table.cut(at_once)
                for labels in label_lists(
                    self.labels, self.proba_and_impossible(part, threads)[0] >= thresholds
                )
            ]
        scores, ruled = self.judged(x, threads)
        if self.target.decision is not None:
            places = self.decide(overruled(self.posterior(scores, threads), ruled))
        else:
            places = np.where(ruled < 0, decide(scores, self.log_prior), ruled)
        return label_array(self.labels)[places]


def target_of(spec: Spec, plan: Plan) -> Target:
    """The target before anything was chosen on rows."""
    if plan.product.is_multilabel:
        return MultiLabel(spec.criterion)
    return OneVsRest(spec.decision) if spec.one_vs_rest else SingleLabel(spec.decision)


def opened(spec: Spec, x: Any) -> Any:
    """Open a file as the model reads texts: invalid Unicode is refused, or replaced."""
    if not isinstance(x, os.PathLike):
        return x
    return open_table(x, invalid="replace" if spec.replaces_invalid else "refuse")


def batches(product: Product, rows: Labeled, progress: Progress | None = None) -> Iterator[Batch]:
    """Labeled rows as a product of likelihoods reads them."""
    for table, found in rows.batches(product.columns, progress):
        yield Batch(product.read(table), found)
