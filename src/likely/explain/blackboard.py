"""A computation by hand as one writes it on a blackboard, in 80 columns.

Bayes' rule stands there with the names of its terms: posterior = prior · likelihood / evidence. The
product of a long text is cut short, and where floating-point numbers are too small for it, the sums
of logarithms follow.
"""

import math
from fractions import Fraction

import numpy as np

from likely import render
from likely.explain.hand_computation import HandComputation, Step
from likely.likelihoods.counted import Share
from likely.render.formatting import columns

_SHOWN_CLASSES = 4
# Of more factors than this, the first and the last are shown.
_MOST_STEPS, _FIRST, _LAST = 24, 12, 3
# A factor of more powers than this is shown as a decimal.
_MOST_POWERS = 4
# Four decimals show nothing of less.
_LEAST = 0.00005
# A fraction of more digits is not readable.
_DIGITS = 12
# Beyond, the logarithm has not enough digits for the number.
_FARTHEST = 1e9
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def written(found: HandComputation) -> str:
    """The whole computation; of many classes, the most probable ones."""
    order = np.argsort(-found.probabilities, kind="stable")
    best: list[int] = order[:_SHOWN_CLASSES].tolist()
    blocks = [render.text([sentence]) for sentence in _before(found)]
    if not found.is_product:
        blocks += [_sum(found, best)]
    else:
        blocks += [_product(found, place) for place in best]
        blocks += _in_logs(found, best) or _in_numbers(found, best)
    if len(found.classes) > len(best):
        blocks.append(f"and {len(found.classes) - len(best):,} less probable classes")
    return "\n\n".join(blocks)


def _before(found: HandComputation) -> list[str]:
    """What is to be known before one reads the numbers."""
    ignored = {
        "Never seen in training, so left out": found.unknown,
        "Seen in training, but the model leaves them out": found.left_out,
    }
    sentences = [
        f"{reason}: {', '.join(f'“{word}”' for word in words)}"
        for reason, words in ignored.items()
        if words
    ]
    sentences += [
        f"Sentences with this bag of words, all equally probable: {step.name} = {factor(step, 0)}"
        for step in found.steps
        if step.sign == "factor"
    ]
    return [*sentences, found.reason] if found.reason else sentences


# Products


def _product(found: HandComputation, place: int) -> str:
    """prior · likelihood of one class: in symbols, in numbers, and what that is."""
    label = render.name(found.classes[place])
    steps = _cut(found.steps)
    symbols = [_symbol(step, label) for step in steps]
    numbers = [_number(step, place) for step in steps]
    lines = [_heading(label, len(found.steps)), _line("", symbols), _line("  = ", numbers)]
    product, value = found.short_product(place), scientific(found.totals[place])
    if product == 0:
        lines.append("  = 0")
    elif product is None or len(str(product)) > _DIGITS:
        lines.append(f"  ≈ {value}")
    elif len(found.steps) == 1:
        lines[-1] += _decimal(product, value)
    else:
        lines.append(f"  = {product}{_decimal(product, value)}")
    return "\n".join(lines)


def _decimal(product: Fraction, value: str) -> str:
    """A product as a decimal, and whether that is all of it.

    >>> _decimal(Fraction(3, 5), "0.6"), _decimal(Fraction(2, 3), "0.667")
    (' = 0.6', ' ≈ 0.667')
    """
    is_exact = "·" not in value and Fraction(value) == product
    return f" = {value}" if is_exact else f" ≈ {value}"


def _heading(label: str, n_steps: int) -> str:
    """The names of the terms, each above its own."""
    prior = "prior".ljust(columns(f"P({label})"))
    return f"{prior} · likelihood" if n_steps > 1 else "prior"


def _cut(steps: tuple[Step, ...]) -> list[Step | int]:
    """The steps; of many, the first and the last, and how many there are between them."""
    if len(steps) <= _MOST_STEPS:
        return list(steps)
    return [*steps[:_FIRST], len(steps) - _FIRST - _LAST, *steps[-_LAST:]]


def _symbol(step: Step | int, label: str) -> str:
    if isinstance(step, int):
        return f"… ({step:,} more)"
    if step.term == "prior":
        return f"P({label})"
    if step.sign == "factor":
        return step.name
    if step.sign == "1 − P":
        return f"(1 − P({step.name} | {label}))"
    return _times(f"{step.sign}({step.name} | {label})", step.times)


def _number(step: Step | int, place: int) -> str:
    return "…" if isinstance(step, int) else _times(factor(step, place), step.times)


def factor(step: Step, place: int) -> str:
    """A factor as it was counted, or as a decimal; without how often it is multiplied."""
    if step.powers is None:
        return scientific(step.logs[place] / step.times)
    powers = step.powers[place]
    if len(powers) > _MOST_POWERS:
        return scientific(step.logs[place])
    spelled = [_times(_fraction(share), times // step.times) for share, times in powers]
    return spelled[0] if len(spelled) == 1 else f"[{' · '.join(spelled)}]"


def _fraction(share: Share) -> str:
    part, whole = share
    ratio = part / whole
    if whole == 1 and ratio.denominator == 1 and ratio >= 10**_DIGITS:
        return scientific(math.log(ratio.numerator))
    if whole == 1:
        return str(ratio) if ratio.denominator == 1 else f"{float(ratio):.{_DIGITS}g}"
    if part.denominator == whole.denominator == 1:
        return f"{part}/{whole}"
    return str(ratio)


def _times(spelled: str, times: int) -> str:
    if times == 1:
        return spelled
    inside = spelled if spelled.endswith(")") else f"({spelled})"
    return inside + str(times).translate(_RAISED)


def _in_numbers(found: HandComputation, best: list[int]) -> list[str]:
    """The evidence, and the posterior of each class."""
    values = [scientific(found.totals[place]) for place in best]
    more = ["…"] if len(found.classes) > len(best) else []
    evidence = scientific(found.log_evidence)
    sign = "p" if any(step.sign == "p" for step in found.steps) else "P"
    summed = _line(f"{sign}(row) = ", [*values, *more], "+")
    is_possible = math.isfinite(found.log_evidence)
    lines = [
        "posterior = prior · likelihood / evidence"
        if is_possible
        else "posterior = prior, since 0 / 0 is no number"
    ]
    for place, value in zip(best, values, strict=True):
        label = render.name(found.classes[place])
        of = f"{value} / {evidence}" if is_possible else f"P({label})"
        lines.append(f"P({label} | row) = {of} = {_posterior(found, place)}")
    return [f"evidence\n{summed} = {evidence}", "\n".join(lines)]


# Logarithms


def _in_logs(found: HandComputation, best: list[int]) -> list[str]:
    """The same by sums of logarithms, if a product is too small for floating-point numbers."""
    places = {place: found.underflow(place) for place in best}
    under = {place: one for place, one in places.items() if one is not None}
    if not under:
        return []
    classes = [render.name(found.classes[place]) for place in best]
    where = [f"{one.after:,} ({render.name(found.classes[p])})" for p, one in under.items()]
    of = f"of {next(iter(under.values())).factors:,} factors"
    sentence = (
        "As floating-point numbers, the "
        f"{'product underflows' if len(where) == 1 else 'products underflow'} to 0 after "
        f"{' and '.join(filter(None, [', '.join(where[:-1]), where[-1]]))} {of}, so logarithms are "
        "added:"
    )
    terms = {
        "log prior": found.log_prior,
        "log likelihood": found.log_likelihood,
        "sum": found.totals,
    }
    rows = [(name, *(render.signed(logs[place]) for place in best)) for name, logs in terms.items()]
    highest, evidence = max(found.totals[best]), found.log_evidence
    others = [scientific(found.totals[place] - highest) for place in best]
    others += ["…"] if len(found.classes) > len(best) else []
    start = f"log P(row) = {_log(highest)} + log("
    lines = ["posterior = prior · likelihood / evidence"]
    for place, label in zip(best, classes, strict=True):
        less = f"{_log(found.totals[place])} {'+' if evidence < 0 else '−'}"
        value = f"e^({less} {abs(evidence):.4f})"
        lines.append(f"P({label} | row) = {value} = {_posterior(found, place)}")
    return [
        render.text([sentence]),
        render.Table(("", *classes), rows).text(),
        f"evidence\n{_line(start, others, '+')}) = {_log(evidence)}",
        "\n".join(lines),
    ]


def _posterior(found: HandComputation, place: int) -> str:
    """A probability with four decimals, or as much as there is of it."""
    probability = found.probabilities[place]
    if 0 < probability < _LEAST:
        return scientific(math.log(probability))
    return f"{probability:.4f}"


def _log(log: float) -> str:
    return f"{log:.4f}".replace("-", "−")


def _sum(found: HandComputation, best: list[int]) -> str:
    """Scores that are no probabilities, added up."""
    rows = [
        (
            f"{step.name} ×{step.times}" if step.times > 1 else step.name,
            *(render.signed(step.logs[place]) for place in best),
        )
        for step in found.steps
    ]
    totals = found.totals
    rows.append(("sum", *(render.signed(totals[place]) for place in best)))
    highest = totals[best[0]]
    if math.isfinite(highest):
        odds = (render.number(math.exp(totals[place] - highest)) for place in best)
        rows.append((f"e^(sum {render.signed(-highest)})", *odds))
    rows.append(("P(class | row)", *(f"{found.probabilities[place]:.4f}" for place in best)))
    heads = ("", *(render.name(found.classes[place]) for place in best))
    return render.Table(heads, tuple(rows)).text()


# Lines and numbers


def _line(start: str, terms: list[str], sign: str = "·") -> str:
    """Terms with signs between them, on as many lines as they need."""
    lines = [start + terms[0]]
    for term in terms[1:]:
        if columns(lines[-1]) + 3 + columns(term) > render.WIDTH:
            lines.append(f"    {sign} {term}")
        else:
            lines[-1] += f" {sign} {term}"
    return "\n".join(lines)


def scientific(log: float) -> str:
    """A number given by its logarithm, with three digits.

    >>> scientific(math.log(0.0000611)), scientific(math.log(0.25)), scientific(-2000.0)
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
