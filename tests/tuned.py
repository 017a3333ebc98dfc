"""Models with weights of one's own choice, in place of those that tuning would find."""

from dataclasses import replace

import likely
from likely.model.tuning import FactorTuning, Tuning


def with_weights(model, *factors):
    """A fitted model in which each factor has the weight, or the views, that are given."""
    fitted = model.fitted
    found = tuple(
        FactorTuning(factor.likelihood.with_views(one), None)
        if isinstance(one, tuple)
        else FactorTuning(factor.likelihood, one)
        for factor, one in zip(fitted.plan.product.factors, factors, strict=True)
    )
    tuning = Tuning(found, {}, fitted.tally.n_rows, 0.0, fitted.tally.fingerprint)
    return likely.Classifier.of(model.spec, replace(fitted, tuning=tuning), model.threads)
