"""A prediction computed step by step, as one would write it by hand.

If every factor is a ratio of counts, the product is one of fractions; densities are decimals. A
tuned model, and any other whose scores are not probabilities, is a sum.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from likely import _kernel
from likely.data.table import FactorInput
from likely.explain.hand_computation import HandComputation, Step
from likely.explain.row import prior_contributions, unseen_cells
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.counted import CountedFactor, Share, exact
from likely.likelihoods.product import Factor
from likely.likelihoods.text import Complement, Multinomial, TextLikelihood
from likely.model import bag as bags
from likely.model.fitted import Fitted
from likely.model.prior import Prior, added_rows, posterior
from likely.tally import Classes, Statistic


def by_hand(fitted: Fitted, row: Any, *, bag: bool = False) -> HandComputation:
    """The steps of one row's prediction; with `bag`, of the bag of its words."""
    fitted.check_single("by_hand")
    fitted.check_compares_classes("by_hand")
    if bag:
        bags.check_bag(fitted)
    fitted.check_no_group_thresholds("the computation by hand")
    product, classes, table = fitted.product, fitted.classes, fitted.one_row(row)
    parts = fitted.parts(table)
    # A share to the power of its word's weight is no share any more.
    is_product = product.is_joint and fitted.tuning is None
    # Rows in parts, as EM has them, are not counted in whole numbers.
    is_counted = is_product and classes.per_row == 1
    steps = _before_the_row(fitted, is_counted) if product.takes_prior else []
    ignored: list[tuple[str, bool]] = []
    by_factor = fitted.contributions(parts)[: len(product.factors)]
    for factor, statistic, part, contributions in zip(
        product.factors, fitted.counted.statistics, parts, by_factor, strict=True
    ):
        if bag and contributions and isinstance(factor.likelihood, TextLikelihood):
            steps.append(_coefficient(contributions, len(classes)))
        counted = None
        if is_counted:
            counted = factor.likelihood.counted_factors(statistic, classes, factor.columns, part)
        steps += _steps(counted, contributions, len(classes))
        ignored += _ignored(factor, statistic, classes, part, contributions)
    if fitted.stacked is not None:
        intercept = fitted.stacked.intercept(classes)
        steps.append(replace(Step.of_contribution(intercept), term="bias"))
    found = HandComputation(
        classes.labels,
        tuple(steps),
        np.zeros(len(classes)),
        is_product,
        unknown=(
            *(word for word, was_seen in ignored if not was_seen),
            *unseen_cells(fitted, table, parts),
        ),
        left_out=tuple(word for word, was_seen in ignored if was_seen),
        reason="" if is_product else _why_a_sum(fitted),
    )
    return replace(found, probabilities=posterior(found.totals[None], fitted.log_prior)[0])


def _steps(
    counted: list[CountedFactor] | None, contributions: list[Contribution], n_classes: int
) -> list[Step]:
    """The factors as they were counted, if they are those that the model computes with."""
    nothing = np.zeros(n_classes)
    if counted is not None:
        logs = np.sum([nothing, *(each.logs for each in counted)], axis=0)
        expected = np.sum([nothing, *(each.scores for each in contributions)], axis=0)
        if np.allclose(logs, expected, rtol=1e-12, atol=1e-9):
            return list(map(Step.of_counts, counted))
    by_absence = any(each.kind == "absence" for each in contributions)
    return [Step.of_contribution(each, by_absence) for each in contributions]


def _why_a_sum(fitted: Fitted) -> str:
    """Why the steps are not multiplied."""
    if fitted.tuning is not None:
        return (
            "The model is tuned: its weights are exponents of probabilities, so logarithms are "
            "added, and there are no fractions"
        )
    lone = next(f.likelihood for f in fitted.product.factors if not f.likelihood.is_joint)
    if isinstance(lone, Complement):
        return (
            "Complement Naive Bayes scores a class by how badly the words fit all other classes; "
            "that is no probability of the row, so scores are added, and there are no fractions"
        )
    how = " with `tfidf`" if getattr(lone, "tfidf", False) else ""
    return (
        f"The scores of {type(lone).__name__}{how} are no probabilities of the row, so they are "
        "added, and there are no fractions"
    )


def _before_the_row(fitted: Fitted, is_counted: bool) -> list[Step]:
    """The prior, and the bias of a tuned model."""
    prior, *biases = prior_contributions(fitted, fitted.plain_log_prior)
    shares = _prior_shares(fitted.spec.prior, fitted.classes) if is_counted else None
    counted = None if shares is None else [CountedFactor.of(prior.name, shares)]
    (step,) = _steps(counted, [prior], len(fitted.classes))
    others = [replace(Step.of_contribution(bias), term="bias") for bias in biases]
    return [replace(step, term="prior"), *others]


def _prior_shares(prior: Prior, classes: Classes) -> list[Share]:
    """The prior as it was counted, or as it was given."""
    if prior == "uniform":
        return [(Fraction(1), Fraction(len(classes)))] * len(classes)
    if isinstance(prior, str):
        more = exact(added_rows(prior))
        rows = [n + more for n in classes.rows.tolist()]
        return [(n, sum(rows, Fraction())) for n in rows]
    if set(classes.labels) <= set(prior):
        return [(exact(prior[label]), Fraction(1)) for label in classes.labels]
    # Classes without a prior of their own share what is left, as their rows do.
    counts = dict(zip(classes.labels, classes.rows.tolist(), strict=True))
    total = sum(n for label, n in counts.items() if label not in prior)
    rest = 1 - sum(map(exact, prior.values()), Fraction())
    return [
        (exact(prior[label]), Fraction(1)) if label in prior else (rest * n, Fraction(total or 1))
        for label, n in counts.items()
    ]


def _coefficient(contributions: list[Contribution], n_classes: int) -> Step:
    """The multinomial coefficient of the words of a text."""
    counts = [each.count for each in contributions]
    share = Fraction(bags.coefficient(counts)), Fraction(1)
    return Step.of_counts(
        CountedFactor.of(bags.spelled(counts), [share] * n_classes, sign="factor")
    )


def _ignored(
    factor: Factor,
    statistic: Statistic,
    classes: Classes,
    part: FactorInput,
    contributions: list[Contribution],
) -> Iterator[tuple[str, bool]]:
    """The words of a text that the model ignores, and whether each was seen in training."""
    likelihood = factor.likelihood
    if not isinstance(likelihood, TextLikelihood) or likelihood.text.word_ngrams is None:
        return
    assert isinstance(statistic, _kernel.TextCounts)
    assert isinstance(part, _kernel.Texts)
    every = Multinomial(text=likelihood.text)
    whole = every.estimate(statistic, classes, factor.columns)
    seen = {contribution.name for contribution in every.contributions(whole, part)}
    used = {contribution.name for contribution in contributions}
    nothing = np.zeros(len(classes))
    for word in dict.fromkeys(likelihood.text.reading.features(part)[0]):
        here = Contribution(word, "word", 1, nothing)
        (shown,) = likelihood.named([here], factor.columns)
        if " " not in word and shown.name not in used:
            yield word, word in seen
