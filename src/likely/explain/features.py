"""The features of a row's texts as a model reads them: used, left out, or never seen."""

from dataclasses import replace
from typing import Any, cast

from likely import _kernel
from likely.errors import OptionError
from likely.likelihoods.text import Multinomial, TextLikelihood
from likely.model.fitted import Fitted
from likely.text.bag import Bag, State


def features(fitted: Fitted, row: Any) -> dict[str, Bag]:
    """The bag of each text column, with what the model makes of every feature.

    A text alone is the cell of every such column.
    """
    factors = fitted.product.factors
    columns = [f.columns[0] for f in factors if isinstance(f.likelihood, TextLikelihood)]
    if not columns:
        raise OptionError("the model reads no texts, so no text has features for it")
    row = dict.fromkeys(columns, row) if isinstance(row, str) else row
    parts, classes = fitted.parts(fitted.one_row(row)), fitted.classes
    learned = None
    if fitted.stacked is not None:
        learned = fitted.stacked.contributions(fitted.product, classes, parts)
    found: dict[str, Bag] = {}
    for place, factor in enumerate(factors):
        likelihood = factor.likelihood
        if not isinstance(likelihood, TextLikelihood):
            continue
        texts = cast(_kernel.Texts, parts[place])
        every = Multinomial(text=likelihood.text)
        counts = cast(_kernel.TextCounts, fitted.counted.statistics[place])
        whole = every.estimate(counts, classes, factor.columns)
        contributions = likelihood.by_feature(fitted.weights[place], texts)
        used = set() if factor.weight == 0 else {(one.kind, one.name) for one in contributions}
        if learned is not None:
            used |= {(one.kind, one.name) for one in learned[place]}
        seen = {(one.kind, one.name) for one in every.by_feature(whole, texts)}

        def state(key: tuple[str, str], used: set[Any] = used, seen: set[Any] = seen) -> State:
            return "used" if key in used else "left out" if key in seen else "unknown"

        bag = likelihood.text.bag(texts.tolist()[0])
        told = (replace(one, state=state((one.kind, one.name))) for one in bag.features)
        found[factor.columns[0]] = replace(bag, features=tuple(told))
    return found
