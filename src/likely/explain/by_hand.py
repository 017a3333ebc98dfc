"""A prediction computed step by step, as one would write it by hand.

If every factor is a ratio of counts, the product is one of fractions; densities are decimals. A
tuned model, and any other whose scores are not probabilities, is a sum.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from likely import _kernel, render
from likely.data.labels import Label
from likely.errors import OptionError
from likely.explain.row import prior_contributions
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.text import Multinomial, TextLikelihood
from likely.model.fitted import Fitted
from likely.model.prior import Prior, log_sum, posterior
from likely.tally import Classes

_SHOWN_CLASSES = 4
# A fraction of more digits is not readable.
_DIGITS = 12
# Beyond, the logarithm has not enough digits for the number.
_FARTHEST = 1e9
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, eq=False)
class Step:
    """One factor: its name, how often it counts, and its value for each class.

    `shares` are numerators and denominators as they were counted, where it was counted.
    """

    name: str
    times: int
    logs: NDArray[np.float64]
    shares: tuple[tuple[Fraction, Fraction], ...] | None = None
    sign: str = "P"
    """What it is: a probability, a density `p`, or `odds` against absence."""


@dataclass(frozen=True, eq=False)
class HandComputation:
    """All steps of a prediction; print it."""

    classes: tuple[Label, ...]
    steps: tuple[Step, ...]
    probabilities: NDArray[np.float64]
    is_product: bool
    unknown: tuple[str, ...]
    """Words of the row that were never seen in training, and are ignored."""
    left_out: tuple[str, ...] = ()
    """Words that were seen, but are ignored: too frequent, too rare, or neutral."""

    @property
    def totals(self) -> NDArray[np.float64]:
        """The logarithm of each class's product, or its sum."""
        nothing = np.zeros(len(self.classes))
        return np.asarray(np.sum([nothing, *(step.logs for step in self.steps)], axis=0))

    def product(self, place: int) -> Fraction | None:
        """The joint probability of the row and the class at this place, if it is a fraction."""
        total = Fraction(1)
        for step in self.steps:
            if step.shares is None or not self.is_product:
                return None
            numerator, denominator = step.shares[place]
            total *= (numerator / denominator) ** step.times
        return total

    def to_json(self) -> dict[str, Any]:
        fractions = [self.product(place) for place in range(len(self.classes))]
        return {
            "steps": [
                {"name": s.name, "times": s.times, "factors": [_factor(s, k) for k in self._all]}
                for s in self.steps
            ],
            "products": [None if fraction is None else str(fraction) for fraction in fractions],
            "unknown": list(self.unknown),
            "left_out": list(self.left_out),
        }

    @property
    def _all(self) -> range:
        return range(len(self.classes))

    def __str__(self) -> str:
        best = np.argsort(-self.probabilities, kind="stable")[:_SHOWN_CLASSES].tolist()
        blocks = self._products(best) if self.is_product else [self._sum(best)]
        why = {"Never seen in training, so left out": self.unknown}
        why["Seen in training, but the model leaves them out"] = self.left_out
        silent = [
            render.text([f"{reason}: {', '.join(f'“{word}”' for word in words)}"])
            for reason, words in why.items()
            if words
        ]
        blocks = [*silent, *blocks]
        if len(self.classes) > len(best):
            blocks.append(f"and {len(self.classes) - len(best):,} less probable classes")
        return "\n\n".join(blocks)

    def _products(self, best: list[int]) -> list[str]:
        totals = self.totals
        (all_of_them,) = log_sum(totals[None])
        blocks = []
        for place in best:
            label = render.name(self.classes[place])
            names = [f"P({label})", *(f"{s.sign}({s.name} | {label})" for s in self.steps[1:])]
            spelled = [_times(n, s.times) for n, s in zip(names, self.steps, strict=True)]
            factors = [_times(_factor(s, place), s.times) for s in self.steps]
            product, value = self.product(place), _scientific(totals[place])
            lines = [_line("", spelled), _line("  = ", factors)]
            short = product is not None and len(str(product)) <= _DIGITS
            lines.append(f"  = {product} ≈ {value}" if short and product else f"  ≈ {value}")
            blocks.append("\n".join(lines))
        for place in best:
            label, value = render.name(self.classes[place]), _scientific(totals[place])
            share = f"{self.probabilities[place]:.4f}"
            if math.isfinite(all_of_them):
                share = f"{value} / {_scientific(all_of_them)} = {share}"
            blocks.append(f"P({label} | row) = {share}")
        # The posteriors stand together.
        return [*blocks[: len(best)], "\n".join(blocks[len(best) :])]

    def _sum(self, best: list[int]) -> str:
        rows = [
            (
                f"{s.name} ×{s.times}" if s.times > 1 else s.name,
                *(f"{s.logs[place]:+.4f}" for place in best),
            )
            for s in self.steps
        ]
        totals = self.totals
        rows.append(("sum", *(f"{totals[place]:+.4f}" for place in best)))
        highest = totals[best[0]]
        if math.isfinite(highest):
            rows.append(
                (
                    f"e^(sum {render.signed(-highest)})",
                    *(render.number(math.exp(totals[place] - highest)) for place in best),
                )
            )
        rows.append(("P(class | row)", *(f"{self.probabilities[place]:.4f}" for place in best)))
        heads = ("", *(render.name(self.classes[place]) for place in best))
        return render.Table(heads, tuple(rows)).text()


def by_hand(fitted: Fitted, row: Any) -> HandComputation:
    """The steps of one row's prediction."""
    fitted.check_single("worked")
    fitted.check_compares_classes("by_hand")
    if fitted.group_thresholds is not None:
        raise OptionError(
            "thresholds by group are not part of the computation by hand; "
            "`with_group_thresholds(None)` gives the model without them"
        )
    product, classes = fitted.product, fitted.classes
    parts, before = (
        fitted.parts(fitted.one_row(row)),
        prior_contributions(fitted, fitted.plain_log_prior),
    )
    # A share to the power of its word's weight is no share any more.
    is_product = product.is_joint and fitted.tuning is None
    steps: list[Step] = []
    if product.takes_prior:
        shares = _prior_shares(fitted.spec.prior, classes) if is_product else None
        prior_term, *biases = before
        steps.append(Step(prior_term.name, 1, prior_term.scores, shares))
        steps += [Step(contribution.name, 1, contribution.scores) for contribution in biases]
    unknown: list[str] = []
    left_out: list[str] = []
    by_factor = fitted.contributions(parts)[: len(product.factors)]
    for factor, statistic, part, contributions in zip(
        product.factors, fitted.counted.statistics, parts, by_factor, strict=True
    ):
        likelihood = factor.likelihood
        by_absence = any(contribution.kind == "absence" for contribution in contributions)
        for contribution in contributions:
            counted = None
            if factor.weight is None:
                counted = likelihood.shares(statistic, classes, factor.columns, contribution)
            sign = "p" if contribution.kind in ("numeric", "numbers", "vector") else "P"
            sign = "odds" if by_absence and contribution.kind != "absence" else sign
            shares = _checked(counted, contribution)
            steps.append(
                Step(contribution.name, contribution.count, contribution.scores, shares, sign)
            )
        if isinstance(likelihood, TextLikelihood) and likelihood.text.word_ngrams is not None:
            every = Multinomial(text=likelihood.text)
            whole = every.estimate(cast(_kernel.TextCounts, statistic), classes, factor.columns)
            texts = cast(_kernel.Texts, part)
            seen = {contribution.name for contribution in every.contributions(whole, texts)}
            words = dict.fromkeys(likelihood.text.reading.features(texts)[0])
            for word in [
                w for w in words if " " not in w and all(w != t.name for t in contributions)
            ]:
                (left_out if word in seen else unknown).append(word)
    if fitted.stacked is not None:
        intercept = fitted.stacked.intercept(classes)
        steps.append(Step(intercept.name, 1, intercept.scores))
    none = np.zeros(len(classes))
    silences = tuple(unknown), tuple(left_out)
    found = HandComputation(classes.labels, tuple(steps), none, is_product, *silences)
    return replace(found, probabilities=posterior(found.totals[None], fitted.log_prior)[0])


def _prior_shares(prior: Prior, classes: Classes) -> tuple[tuple[Fraction, Fraction], ...] | None:
    """The prior as it was counted, or as it was given."""
    if prior == "uniform":
        return tuple((Fraction(1), Fraction(len(classes))) for _ in classes.labels)
    if isinstance(prior, str):
        more = Fraction(prior.removeprefix("empirical").removeprefix("+") or 0)
        rows = [Fraction(n) + more for n in classes.rows.tolist()]
        return tuple((n, sum(rows, Fraction())) for n in rows)
    if set(classes.labels) <= set(prior):
        return tuple((Fraction(str(prior[label])), Fraction(1)) for label in classes.labels)
    return None


def _checked(
    shares: list[tuple[Fraction, Fraction]] | None, contribution: Contribution
) -> tuple[tuple[Fraction, Fraction], ...] | None:
    """Shares that are those the model computes with; others are not shown."""
    if shares is None:
        return None
    values = [float(numerator / denominator) for numerator, denominator in shares]
    fits = np.allclose(values, np.exp(contribution.scores / contribution.count), rtol=1e-9, atol=0)
    return tuple(shares) if fits else None


def _factor(step: Step, place: int) -> str:
    """A factor as one writes it: as it was counted, or as a decimal."""
    if step.shares is None:
        return _scientific(step.logs[place] / step.times)
    numerator, denominator = step.shares[place]
    if denominator == 1:
        return f"{float(numerator):g}"
    if numerator.denominator == denominator.denominator == 1:
        return f"{numerator}/{denominator}"
    return str(numerator / denominator)


def _times(spelled: str, times: int) -> str:
    if times == 1:
        return spelled
    inside = spelled if spelled.endswith(")") else f"({spelled})"
    return inside + str(times).translate(_RAISED)


def _line(start: str, factors: list[str]) -> str:
    """Factors with dots between them, on as many lines as they need."""
    lines = [start + factors[0]]
    for factor in factors[1:]:
        if len(lines[-1]) + 3 + len(factor) > render.WIDTH:
            lines.append("    · " + factor)
        else:
            lines[-1] += " · " + factor
    return "\n".join(lines)


def _scientific(log: float) -> str:
    """A number given by its logarithm, with three digits.

    >>> _scientific(math.log(0.0000611)), _scientific(math.log(0.25)), _scientific(-2000.0)
    ('6.11·10⁻⁵', '0.25', '2.58·10⁻⁸⁶⁹')
    """
    if log == -math.inf:
        return "0"
    if abs(log) > _FARTHEST:
        return f"e^{log:.3g}"
    exponent = math.floor(log / math.log(10))
    if -3 <= exponent <= 3:
        return f"{math.exp(log):.3g}" if exponent < 3 else f"{math.exp(log):.0f}"
    digits = f"{math.exp(log - exponent * math.log(10)):.3g}"
    if digits == "10":
        digits, exponent = "1", exponent + 1
    return f"{digits}·10{str(exponent).translate(_RAISED)}"
