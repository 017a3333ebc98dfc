"""How a fitted model is made: from rows, from another one, or from two.

Each function makes a new value, or raises and has changed nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likely.data.files import Progress
from likely.data.labeled import Labeled, whole
from likely.data.labels import Label, label_array
from likely.data.table import Batch
from likely.errors import DataError, ModelError, OptionError
from likely.likelihoods.product import Product
from likely.model import leave_one_out
from likely.model.adjust.group_weights import GroupWeights, Reweighing
from likely.model.adjust.rules import ruled_classes
from likely.model.fitted import Fitted, batches
from likely.model.loo_predictions import (
    LeaveOneOutPredictions,
    MultiLabelLeaveOneOutPredictions,
    paired,
)
from likely.model.spec import Spec
from likely.model.target import MultiLabel, SingleLabel, decided, with_thresholds
from likely.model.target.thresholds import histograms
from likely.model.tuning import TrainingRows, TuningResult, tune
from likely.tally import Counting, Tally
from likely.tally.container import canonical
from likely.tally.ledger import Ledger

if TYPE_CHECKING:
    from likely.model.semi_supervised import Weight

Places = NDArray[np.intp]

# The most leave-one-out probabilities that are kept; `leave_one_out_batches` makes more.
_MOST_LEFT_OUT = 50_000_000

# A difference of so many standard errors is significant.
_NOISE = 2.0

_STALE = (
    "the weights were tuned with these rows among the others; "
    "`tune` with the rows that are left fits them again"
)
_REMEMBERS = (
    "the stacked linear model was formed with these rows among the others, and remembers them; "
    "`tune` with the rows that are left fits it again"
)
_CHOSEN = (
    "group weights were chosen with these rows among the others; "
    "reweighing the remaining rows chooses them again"
)
_THRESHOLDS = (
    "thresholds were chosen with these rows among the others; "
    "`fit` with the rows that are left chooses them anew"
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


def observe(
    product: Product,
    ledger: Ledger,
    rows: Labeled,
    threads: int,
    progress: Progress | None = None,
) -> Tally:
    """Count rows."""
    counting = Counting(product, ledger, threads)
    for batch in batches(product, rows, progress):
        counting.add(batch)
    return counting.tally()


def fit(
    spec: Spec, rows: Labeled, has_loo: bool, threads: int, progress: Progress | None = None
) -> Fitted:
    """The model of these rows."""
    if rows.is_empty:
        raise DataError.of("no-rows")
    plan = spec.settled(rows)
    tally = observe(plan.product, plan.ledger, rows, threads, progress)
    if not tally.n_rows:
        raise DataError("there is nothing to learn from: the file has no rows")
    plain = Fitted.of(spec, plan, tally)
    check_classes(plain)
    if spec.tunes:
        return tuned(plain, rows, threads, progress)
    plain = with_chosen_thresholds(plain, rows, threads)
    if not has_loo:
        return plain
    parts = list(leave_one_out.of_all(plain, rows, threads))
    return replace(plain, loo=leave_one_out.joined(plain, parts))


def check_classes(plain: Fitted) -> None:
    """Refuse rows with fewer than two classes, or that cannot be estimated from."""
    labels = plain.labels
    if plain.is_multilabel and not labels:
        raise DataError.of("no-labels")
    if len(labels) == 1 and not plain.is_multilabel:
        only = str(labels[0])[:40]
        raise DataError.of("one-class", label=only)
    plain.target.log_prior(plain.spec.prior, plain.tally.view())
    plain.product.check(plain.counted, plain.classes)
    ruled_classes(plain.spec.rules, labels)
    plain.check_decision()


def retuned(
    fitted: Fitted, rows: Labeled, threads: int, progress: Progress | None = None
) -> Fitted:
    """The model tuned on rows that it has learned."""
    fitted.check_learns()
    if fitted.is_one_vs_rest:
        raise OptionError("one-vs-rest is for plain models, so there is nothing to tune")
    if not fitted.product.takes_prior:
        lone = fitted.product.factors[0].likelihood
        raise OptionError(f"{lone!r} takes no prior, so it cannot be tuned")
    fitted.check_fitted()
    fitted.check_decision()
    fitted.check_all_learned(rows, "it is tuned on all of them")
    return tuned(fitted, _as_they_count(fitted, rows), threads, progress)


def tuned(fitted: Fitted, rows: Labeled, threads: int, progress: Progress | None = None) -> Fitted:
    """The model with weights, biases and thresholds fit by leave-one-out likelihood."""
    plain = fitted.untuned()
    known = TrainingRows.of(plain.product, plain.classes, lambda: plain.batches(rows, progress))
    after, found = _tuned_on(plain, rows, known, threads, progress)
    parts = leave_one_out.of_rows(after, rows, found, threads)
    if plain.tally.n_rows * len(plain.classes) > _MOST_LEFT_OUT or plain.reweighing is not None:
        return _with_threshold(after, parts)
    return _with_loo(after, leave_one_out.joined(after, list(parts)))


def tuned_on_sample(fitted: Fitted, sample: Labeled, known: TrainingRows, threads: int) -> Fitted:
    """The model tuned as on all rows, by those of them that tuning looks at."""
    return _tuned_on(fitted.untuned(), sample, known, threads)[0]


def _tuned_on(
    plain: Fitted,
    rows: Labeled,
    known: TrainingRows,
    threads: int,
    progress: Progress | None = None,
) -> tuple[Fitted, TuningResult]:
    """The model with what tuning chooses, but for the threshold of a single class."""
    classes = plain.classes
    found = tune(
        plain.product,
        plain.counted,
        classes,
        plain.plain_log_prior,
        known,
        lambda: plain.batches(rows, progress),
        plain.spec.stack_linear,
        threads,
    )
    if found.duplicates and found.of_labels is None and plain.reweighing is None:
        found = _no_worse_than_plain(plain, rows, found, threads)
    after = replace(plain, tuning=found.tuning)
    if found.of_labels is not None:
        evidence, truth = found.of_labels
        scores = evidence + after.log_prior
        criterion = plain.spec.criterion
        after = replace(after, target=decided(criterion, classes.labels, scores, truth, threads))
    return after, found


def _no_worse_than_plain(
    plain: Fitted, rows: Labeled, found: TuningResult, threads: int
) -> TuningResult:
    """The tuning, or plain Naive Bayes if its accuracy is significantly higher.

    Weights are fit with duplicates of a text left out together, so that memorized texts get no
    weight. But if rows repeat a few texts, future rows will too: here each row is left out alone.
    """
    after = replace(plain, tuning=found.tuning)
    weighted, unweighted = list[LeaveOneOutPredictions](), list[LeaveOneOutPredictions]()
    start = 0
    for table, labels in rows.batches(plain.columns):
        here = np.flatnonzero(found.sample[start : start + len(table)])
        beside = None if found.stacked is None else found.stacked[start + here]
        start += len(table)
        if not len(here):
            continue
        batch = Batch(plain.read(table.at(here)), labels.at(here))
        weighted.append(leave_one_out.of_batch(after, batch, threads, beside=beside))
        unweighted.append(leave_one_out.of_batch(plain, batch, threads))
    tuned, untuned = (
        LeaveOneOutPredictions.joined(weighted),
        LeaveOneOutPredictions.joined(unweighted),
    )
    lost, error = paired(untuned.rightness - tuned.rightness)
    is_worse = lost > _NOISE * error
    return found.plain(float(untuned.log_probability.mean())) if is_worse else found


def with_chosen_thresholds(fitted: Fitted, rows: Labeled, threads: int) -> Fitted:
    """The plain model with thresholds that meet its criterion, if it has one.

    They are chosen on leave-one-out predictions; probabilities stay as they are.
    """
    plain = fitted.untuned()
    if isinstance(plain.target, SingleLabel):
        return _with_threshold(plain, leave_one_out.of_all(plain, rows, threads))
    if plain.spec.criterion is None:
        return plain
    there = gone = np.zeros(1)
    for batch in plain.batches(rows):
        part = leave_one_out.of_batch(plain, batch, threads)
        found = histograms(part.probabilities, part.truth)
        there, gone = there + found[0], gone + found[1]
    return replace(plain, target=with_thresholds(plain.target, plain.labels, there, gone))


def _with_threshold(fitted: Fitted, parts: Iterable[LeaveOneOutPredictions]) -> Fitted:
    """The model with the threshold of its class chosen on leave-one-out predictions, if it is."""
    if not isinstance(fitted.target, SingleLabel):
        return fitted
    return replace(fitted, target=fitted.target.chosen(parts))


def _with_loo(
    fitted: Fitted, loo: LeaveOneOutPredictions | MultiLabelLeaveOneOutPredictions
) -> Fitted:
    """The model with leave-one-out predictions, decided by the threshold chosen on them."""
    if isinstance(loo, LeaveOneOutPredictions):
        fitted = _with_threshold(fitted, [loo])
        loo = replace(loo, predicted=fitted.decide(loo.probabilities))
    return replace(fitted, loo=loo)


# Learning and forgetting rows


def updated(
    fitted: Fitted, rows: Labeled, threads: int, progress: Progress | None = None
) -> Fitted:
    """The model with these rows added."""
    fitted.check_learns()
    plan, reweighing = fitted.plan, fitted.reweighing
    more = observe(plan.product, plan.ledger, rows, threads, progress)
    if reweighing is not None:
        reweighing += observe_again(fitted, reweighing.group_weights, rows, threads)
    return fitted.with_tally(fitted.tally + more, reweighing)


def forgotten(fitted: Fitted, rows: Labeled, threads: int) -> tuple[Fitted, Receipt]:
    """The model without these rows, and the receipt."""
    fitted.check_learns()
    fitted.check_learned(rows)
    plan, reweighing = fitted.plan, fitted.reweighing
    fewer = observe(plan.product, plan.ledger, rows, threads)
    if reweighing is not None:
        again = observe_again(fitted, reweighing.group_weights, rows, threads)
        reweighing = reweighing.without(again, fitted.tally - fewer)
    return without(fitted, fewer, reweighing)


def without(
    fitted: Fitted, fewer: Tally, reweighing: Reweighing | None = None
) -> tuple[Fitted, Receipt]:
    """The model without the rows of a tally, and the receipt."""
    left = fitted.tally - fewer
    after = fitted.with_tally(left, reweighing)
    gone = tuple(label for label in fitted.tally.classes if label not in left.classes)
    inexact = tuple(_inexact(after, fewer.learned is not None))
    return after, Receipt(fewer.n_rows, left.n_rows, gone, inexact)


def _inexact(after: Fitted, is_guarded: bool) -> Iterator[str]:
    """What forgotten rows may have left behind."""
    if not is_guarded:
        yield _UNGUARDED
    if after.is_stale:
        yield _STALE
        if after.stacked is not None:
            yield _REMEMBERS
    if after.reweighing is not None:
        yield _CHOSEN
    if after.tuning is None and after.target.chosen_for is not None:
        yield _THRESHOLDS


def merged(ours: Fitted, theirs: Fitted) -> Fitted:
    """The model that has seen the rows of both."""
    ours.check_learns()
    theirs.check_learns()
    tally = ours.tally + theirs.tally
    for name, one, other in (
        ("likelihood", ours.plan.product.by_column, theirs.plan.product.by_column),
        ("prior", ours.spec.prior, theirs.spec.prior),
        ("rules", ours.spec.rules, theirs.spec.rules),
        ("thresholds", ours.spec.criterion, theirs.spec.criterion),
        ("thresholds or costs", ours.spec.decision, theirs.spec.decision),
        ("one-vs-rest", ours.spec.one_vs_rest, theirs.spec.one_vs_rest),
        ("stacked linear model", ours.spec.stack_linear, theirs.spec.stack_linear),
        ("thresholds by group", ours.group_thresholds, theirs.group_thresholds),
        ("group weights", _group_weights(ours), _group_weights(theirs)),
        ("classes", ours.spec.classes, theirs.spec.classes),
    ):
        if one != other:
            raise ModelError.of("models-differ", what=name, one=one, other=other)
    reweighing = None
    if ours.reweighing is not None and theirs.reweighing is not None:
        chosen = min(ours.reweighing.chosen, theirs.reweighing.chosen)
        assert theirs.reweighing.more is not None
        reweighing = replace(ours.reweighing + theirs.reweighing.more, chosen=chosen)
    # Merging is symmetric: the same tuning is kept either way.
    return replace(max(ours, theirs, key=_precedence).with_tally(tally, reweighing), learned=None)


def _group_weights(fitted: Fitted) -> GroupWeights | None:
    return None if fitted.reweighing is None else fitted.reweighing.group_weights


def _precedence(fitted: Fitted) -> tuple[tuple[int, float, str], str, bool]:
    """The sort key that decides whose tuning a merged model keeps: the one on more rows.

    Ties are broken by the stored options, then by having the secret of the ledger.
    """
    rank = (-1, 0.0, "") if fitted.tuning is None else fitted.tuning.rank
    target = fitted.target
    chosen = target.to_json() if isinstance(target, MultiLabel) else target.chosen_threshold
    options = [chosen, fitted.spec.to_json(fitted.plan.product), fitted.plan.to_json()]
    return rank, canonical(options), fitted.plan.ledger.secret is not None


# Group weights


def observe_again(
    fitted: Fitted, group_weights: GroupWeights, rows: Labeled, threads: int
) -> Tally:
    """The tally of what rows count beyond once."""
    counting = Counting(fitted.plan.product, fitted.plan.ledger, threads)
    for table, labels in rows.batches(list(dict.fromkeys([*fitted.columns, group_weights.column]))):
        count = group_weights.of_rows(table, labels) - 1
        again = np.repeat(np.arange(len(count)), count)
        counting.add(Batch(fitted.read(table.at(again)), labels.at(again)))
    return counting.tally()


def _as_they_count(fitted: Fitted, rows: Labeled) -> Labeled:
    """Rows, repeated by their group weights."""
    if fitted.reweighing is None:
        return rows
    table, labels = whole(rows)
    count = fitted.reweighing.group_weights.of_rows(table, labels)
    places = np.repeat(np.arange(len(count)), count)
    return Labeled(rows.columns, rows.target, (table.at(places), labels.at(places)))


def left_out_in_folds(fitted: Fitted, rows: Labeled, threads: int) -> LeaveOneOutPredictions:
    """Cross-validated predictions, for models with group weights."""
    fitted.check_learns()
    table, labels = whole(rows)
    own, everybody = label_array(labels.lists), np.arange(len(labels))

    def trained(others: Places) -> Fitted:
        here = np.setdiff1d(everybody, others)
        rest, _ = forgotten(fitted, fitted.labeled(table.at(here), own[here]), threads)
        if fitted.stacked is not None:
            rest = retuned(rest, rest.labeled(table.at(others), own[others]), threads)
        return rest

    folds = leave_one_out.folds_of(fitted, table, labels)
    made = [
        leave_one_out.of_fold(
            fitted, table, labels, np.flatnonzero(folds != fold), trained, threads
        )
        for fold in np.unique(folds)
    ]
    return LeaveOneOutPredictions.joined(made).take(np.argsort(np.argsort(folds, kind="stable")))


# Unlabeled rows


def fit_unlabeled(
    spec: Spec,
    rows: Labeled,
    more: Any,
    weight: "Weight",
    has_loo: bool,
    threads: int,
    progress: Progress | None = None,
) -> Fitted:
    """The model of labeled and unlabeled rows, if the unlabeled ones help."""
    from likely.data.unlabeled import unlabeled
    from likely.model import semi_supervised as em
    from likely.model.em import check_generative

    weight, others = em.checked_weight(weight), unlabeled(more)
    if spec.one_vs_rest:
        raise OptionError(
            "unlabeled rows need P(row | class), and one-vs-rest compares a class with the rest"
        )
    if rows.is_multilabel:
        raise DataError("unlabeled rows are for single-label data, not multi-label")
    plan = spec.settled(rows)
    generative = plan.product.generative()
    check_generative(generative)
    # The decision changes no probability, so it says nothing of the weight.
    undecided = replace(spec, decision=None)
    plain = replace(undecided, likelihood=generative.by_column, plan=None, columns=(), tunes=False)
    learner = fit(replace(plain, stack_linear=False), rows, False, threads, progress)
    replace(learner, spec=spec).check_decision()
    in_parts = replace(learner.plan, ledger=Ledger.of(False), column_roles=plan.column_roles)
    product = in_parts.product
    table, labels = whole(rows)
    em.check_labels(labels, spec.classes)
    hidden = tuple(product.read(batch) for batch in others.batches(product.columns))
    n_hidden = sum(len(parts[0]) for parts in hidden)
    if not n_hidden:
        raise DataError("there are no unlabeled rows to learn from")
    everybody = np.arange(len(labels))

    def fit_em(weight: float, some: Places) -> Fitted:
        """EM from some of the labeled rows, or with weight 0 the model of these alone."""
        if weight:
            batch = Batch(learner.read(table.at(some)), labels.at(some))
            tally = em.learn(product, spec.prior, batch, hidden, weight, threads)
            return Fitted.of(undecided, in_parts, tally)
        given = Labeled(rows.columns, rows.target, (table.at(some), labels.at(some).there))
        alone = Fitted.of(undecided, plan, observe(plan.product, plan.ledger, given, threads))
        return tuned(alone, given, threads) if spec.tunes else alone

    def judged(weight: float, here: Places) -> LeaveOneOutPredictions:
        others = np.setdiff1d(everybody, here)
        trained = partial(fit_em, weight)
        return leave_one_out.of_fold(learner, table, labels, others, trained, threads)

    fold = leave_one_out.folds_of(learner, table, labels)
    folds = [np.flatnonzero(fold == each) for each in np.unique(fold)]
    truth = learner.classes.places(labels)
    rows_in = np.zeros((truth.max() + 1, fold.max() + 1))
    np.add.at(rows_in, (truth, fold), 1)
    elsewhere = rows_in.sum(axis=1)[truth] > rows_in[truth, fold]
    gains, loo_of = dict[float, em.Gain](), dict[float, LeaveOneOutPredictions]()
    if weight == "auto":
        chooser = em.Chooser.of(len(labels), len(learner.classes))
        gains, loo_of = em.WeightSearch(judged, folds, elsewhere).run(chooser.weights)
        weight = chooser.chosen(gains)
    elif weight:
        parts = LeaveOneOutPredictions.joined([judged(weight, here) for here in folds])
        loo_of = {weight: parts.take(np.argsort(np.concatenate(folds)))}
    if weight:
        made = Fitted.of(spec, in_parts, fit_em(weight, everybody).tally)
        found = _with_loo(made, loo_of[weight])
    else:
        found = fit(spec, rows, has_loo, threads, progress)
    return replace(found, learned=em.Learned(n_hidden, weight, gains))
