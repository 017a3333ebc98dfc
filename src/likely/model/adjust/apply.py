"""Variants of a fitted model from the same counts: another prior, other rules, neutral terms.

Each function returns another model; nothing is learned again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from likely.errors import OptionError
from likely.model.adjust.group_thresholds import GroupThresholds
from likely.model.adjust.group_weights import GroupWeights, Reweighing
from likely.model.adjust.rules import check_ruled, checked_rules, ruled_classes
from likely.model.fitted import Fitted
from likely.model.learning import observe_again
from likely.model.prior import Prior, checked, known_classes
from likely.model.target import SingleLabel
from likely.model.target import decision as decisions
from likely.rules import Rules
from likely.tally.ledger import Ledger

_ONE_DECISION = (
    "thresholds by group decide which label is predicted, and so do costs and the threshold of a "
    "class; a model has one of them"
)


def with_prior(fitted: Fitted, prior: Prior) -> Fitted:
    """The same model under another prior."""
    if isinstance(prior, Mapping):
        own = {fitted.class_of(label): share for label, share in prior.items()}
        if len(own) < len(prior):
            raise OptionError(f"the prior has a class twice: {dict(prior)!r}")
        prior = own
    prior = checked(prior)
    known = known_classes(fitted.spec.classes, prior)
    for factor in fitted.product.factors:
        if not factor.likelihood.takes_prior and prior != "empirical":
            raise OptionError(f"{type(factor.likelihood).__name__} takes no prior")
    fitted = replace(fitted, spec=replace(fitted.spec, prior=prior, classes=known), loo=None)
    fitted.target.log_prior(prior, fitted.counted.view())
    return fitted


def with_rules(fitted: Fitted, rules: Rules | None) -> Fitted:
    """The same model under other rules, or none."""
    check_ruled(checked_rules(rules), fitted.plan.product)
    ruled_classes(rules, fitted.labels)
    return replace(fitted, spec=replace(fitted.spec, rules=rules), loo=None)


def with_neutral(fitted: Fitted, terms: Iterable[str]) -> Fitted:
    """The same model, ignoring these words and phrases."""
    terms = tuple(terms)
    product = fitted.plan.product.with_neutral(terms)
    if not product.texts:
        raise OptionError("the model reads no texts, so there are no terms to be neutral about")
    spec, plan = fitted.spec, replace(fitted.plan, product=product)
    given = spec.given_product(product)
    if given is not None:
        spec = spec.with_product(given.with_neutral(terms))
    return replace(fitted, spec=spec, plan=plan, loo=None)


def with_group_thresholds(fitted: Fitted, thresholds: GroupThresholds | None) -> Fitted:
    """The same model under other thresholds by group, or none."""
    fitted.check_single("with_group_thresholds")
    if thresholds is not None and fitted.spec.decision is not None:
        raise OptionError(_ONE_DECISION)
    if thresholds is not None:
        thresholds = replace(thresholds, label=fitted.class_of(thresholds.label))
    return replace(fitted, group_thresholds=thresholds, loo=None)


def with_decision(fitted: Fitted, thresholds: Any, costs: Any) -> Fitted:
    """The same model under another threshold of a class, or under costs, or neither."""
    fitted.check_single("with_decision")
    criterion, decision = decisions.checked(thresholds, costs)
    spec = replace(fitted.spec, criterion=criterion, decision=decision)
    spec.check_decision(is_multilabel=False)
    assert isinstance(fitted.target, SingleLabel)
    target = replace(fitted.target, decision=decision)
    if target.criterion is not None:
        raise OptionError(
            "a threshold for a criterion is chosen on training rows, by `fit` or `tune`\n"
            'hint: here it is a number, as in `thresholds={"spam": 0.9}`'
        )
    if decision is not None and fitted.group_thresholds is not None:
        raise OptionError(_ONE_DECISION)
    fitted = replace(fitted, spec=spec, target=target, loo=None)
    fitted.check_decision()
    return fitted


def with_group_weights(
    fitted: Fitted, group_weights: GroupWeights | None, x: Any, y: Any, threads: int
) -> Fitted:
    """The same model, in whose estimates rows of some groups and labels count more than once.

    The rows are all that it has learned.
    """
    fitted.check_learns()
    fitted.check_single("with_group_weights")
    fitted = replace(fitted, reweighing=None, loo=None)
    if group_weights is None:
        return fitted
    rows = fitted.labeled(x, y)
    fitted.check_all_learned(rows, "how often rows count is to be said of all of them")
    more = observe_again(fitted, group_weights, rows, threads)
    reweighing = Reweighing(group_weights, fitted.tally.fingerprint, more)
    return replace(fitted, reweighing=reweighing)


def plain(fitted: Fitted) -> Fitted:
    """The same model before it was tuned: plain Naive Bayes of its tally."""
    fitted.check_learns()
    spec = replace(fitted.spec, tunes=False, stack_linear=False)
    # Offsets and chosen thresholds suit the weighted scores only.
    return replace(fitted.untuned(), spec=spec, reweighing=None)


def compact(fitted: Fitted) -> Fitted:
    """The smallest part of a model that predicts and explains the same, bit by bit."""
    reweighing = fitted.reweighing
    if reweighing is not None:
        reweighing = replace(reweighing, more=None)
    product = fitted.plan.product if fitted.is_one_vs_rest else fitted.product
    tally = product.reduced(fitted.weighted_tally)
    plan = replace(fitted.plan, ledger=Ledger.of(False))
    return replace(
        fitted,
        plan=plan,
        tally=tally,
        reweighing=reweighing,
        copied=fitted.digest,
        was_stale=fitted.is_stale,
        loo=None,
    )
