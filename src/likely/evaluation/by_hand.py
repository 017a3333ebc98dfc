"""An evaluation computed step by step, as one would write it on a blackboard.

Each class is taken against all others. Of the rows, tp are of the class and predicted so, fp are
predicted so only, fn are of the class only, and tn are neither:

    precision P = tp / (tp + fp)        recall R = tp / (tp + fn)

    F_β = (β² + 1) · P · R / (β² · P + R)

*Macro* is the mean over the classes, *micro* comes from the pooled table, the sum of all. 0/0 is 0.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from likely import render
from likely.data.labels import Label
from likely.errors import DataError
from likely.render.formatting import columns

if TYPE_CHECKING:
    from likely.evaluation.facts import Evaluation

Measure = Literal["precision", "recall", "f_measure"]
MEASURES: tuple[Measure, ...] = ("precision", "recall", "f_measure")

# So many classes are shown, the largest ones.
_SHOWN = 5
# A fraction of more digits is not readable.
_DIGITS = 13
# The fewest decimals of a rounded number.
_DECIMALS = 2


@dataclass(frozen=True)
class Share:
    """A ratio as it was counted: 60/115, not 12/23."""

    part: int
    whole: int

    @property
    def value(self) -> Fraction:
        return Fraction(self.part, self.whole) if self.whole else Fraction(0)

    def __str__(self) -> str:
        return f"{self.part}/{self.whole}" if self.whole else "0"


@dataclass(frozen=True)
class HandTable:
    """A class against all others, or the sum of all such tables."""

    label: Label
    tp: int
    fp: int
    fn: int
    tn: int
    beta: Fraction

    @property
    def precision(self) -> Share:
        return Share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Share:
        return Share(self.tp, self.tp + self.fn)

    @property
    def f_measure(self) -> Fraction:
        p, r, squared = self.precision.value, self.recall.value, self.beta**2
        below = squared * p + r
        return (squared + 1) * p * r / below if below else Fraction(0)

    def value(self, measure: Measure) -> Fraction:
        """A measure in lowest terms."""
        found = getattr(self, measure)
        return found.value if isinstance(found, Share) else found

    def to_json(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in ("tp", "fp", "fn", "tn")}
        shares = {"precision": str(self.precision), "recall": str(self.recall)}
        return {**counts, **shares, "f_measure": str(self.f_measure)}


@dataclass(frozen=True)
class HandEvaluation:
    """An evaluation in fractions; print it."""

    tables: tuple[HandTable, ...]
    """One for each class,"""
    pooled: HandTable
    """and their sum."""
    accuracy: Share
    majority_baseline: Share
    commonest: str
    """The commonest answer, as a sentence would have it."""
    is_multilabel: bool
    warnings: tuple[str, ...]

    def macro(self, measure: Measure) -> Fraction:
        """The mean over the classes."""
        return sum((t.value(measure) for t in self.tables), Fraction()) / len(self.tables)

    def micro(self, measure: Measure) -> Fraction:
        """The measure of the pooled table."""
        return self.pooled.value(measure)

    def to_json(self) -> dict[str, Any]:
        """The tables and their fractions; macro averages are decimals."""
        return {
            "beta": float(self.pooled.beta),
            "per_class": [{"label": t.label, **t.to_json()} for t in self.tables],
            "pooled": self.pooled.to_json(),
            "macro": {name: _mean(t.value(name) for t in self.tables) for name in MEASURES},
            "accuracy": str(self.accuracy),
            "majority_baseline": str(self.majority_baseline),
        }

    def __str__(self) -> str:
        largest = sorted(self.tables, key=lambda t: -t.recall.whole)[:_SHOWN]
        kept = {t.label for t in largest}
        places = render.in_order(t.label for t in self.tables)
        shown = [self.tables[place] for place in places if self.tables[place].label in kept]
        what = "label" if self.is_multilabel else "class"
        blocks = [f"Each {what} against the rest: gold in rows, predictions in columns."]
        blocks.append(_side_by_side([*shown, self.pooled]))
        left = len(self.tables) - len(shown)
        if left:
            named = ("label", "labels") if self.is_multilabel else ("class", "classes")
            blocks.append(f"{render.counted(left, *named)} with as many rows or fewer not shown")
        blocks += [_lines(self._equations(measure, shown)) for measure in MEASURES]
        blocks.append(_lines(self._accuracy(shown)))
        if not self.is_multilabel and len(self.tables) > 1:
            blocks.append(
                render.text(
                    [
                        "Every mistake is a false positive of one class and a false negative of "
                        "another, so all micro averages equal the accuracy."
                    ]
                )
            )
        blocks += [render.text([f"warning: {warning}"]) for warning in self.warnings]
        return "\n\n".join(blocks)

    def _equations(self, measure: Measure, shown: Sequence[HandTable]) -> list[tuple[str, str]]:
        """What stands on both sides of the first =, for some classes and both averages."""
        called = measure if measure != "f_measure" else f"F{float(self.pooled.beta):g}"
        found = [(f"{called}({render.name(t.label)})", _computed(t, measure)) for t in shown]
        terms = [_short(getattr(t, measure)) for t in shown]
        left = len(self.tables) - len(shown)
        terms += [f"{left} more"] if left else []
        mean, macro = f"({' + '.join(terms)}) / {len(self.tables)}", ""
        if left:
            value = _mean(t.value(measure) for t in self.tables)
            macro = f"{mean} ≈ {value:.{_DECIMALS}f}"
        else:
            macro = f"{mean}{_evaluated(self.macro(measure))}"
        found.append((f"macro {called}", macro))
        found.append((f"micro {called}", _computed(self.pooled, measure)))
        return found

    def _accuracy(self, shown: Sequence[HandTable]) -> list[tuple[str, str]]:
        steps = ""
        if not self.is_multilabel and len(shown) == len(self.tables):
            steps = f"({' + '.join(str(t.tp) for t in shown)}) / {self.accuracy.whole} = "
        called = "subset accuracy" if self.is_multilabel else "accuracy"
        steps += f"{self.accuracy}{_decimals(self.accuracy.value)}"
        baseline = f"{self.majority_baseline}{_decimals(self.majority_baseline.value)}"
        return [(called, steps), (f"majority baseline {self.commonest}", baseline)]


def by_hand(found: "Evaluation") -> HandEvaluation:
    """The steps of an evaluation; of rows with weights there are no counts to write down."""
    if found.is_weighted:
        raise DataError("rows with weights are not counts, so there is nothing to write by hand")
    rows, beta = found.rows, Fraction(str(found.beta))
    tables = []
    for one in found.per_class:
        tp, fp, fn = int(one.right), int(one.predicted - one.right), int(one.rows - one.right)
        tables.append(HandTable(one.label, tp, fp, fn, rows - tp - fp - fn, beta))
    tp, fp, fn, tn = (sum(getattr(t, name) for t in tables) for name in ("tp", "fp", "fn", "tn"))
    return HandEvaluation(
        tuple(tables),
        HandTable("pooled", tp, fp, fn, tn, beta),
        Share(round(float(found.accuracy) * rows), rows),
        Share(round(float(found.majority_baseline) * rows), rows),
        found.commonest,
        found.is_multilabel,
        found.warnings,
    )


def _mean(values: Iterable[Fraction]) -> float:
    """A mean in decimals; the fraction of many would have thousands of digits."""
    floats = [float(value) for value in values]
    return sum(floats) / len(floats)


def _computed(table: HandTable, measure: Measure) -> str:
    """A measure from the counts of a table, or from precision and recall."""
    if measure == "f_measure":
        p, r, squared = table.precision, table.recall, float(table.beta**2)
        weighted = f"{squared:g} · {p}" if squared != 1 else str(p)
        steps = f"{squared + 1:g} · {p} · {r} / ({weighted} + {r})"
        return f"{steps}{_evaluated(table.f_measure)}" if p.part else f"{steps}, taken as 0"
    share = getattr(table, measure)
    steps = f"{share.part} / ({share.part} + {share.whole - share.part})"
    return f"{steps}{_evaluated(share)}" if share.whole else f"{steps}, taken as 0"


def _short(term: Share | Fraction) -> str:
    """A term of a sum: a fraction, or a decimal if that were unreadable."""
    shown = str(term)
    return shown if isinstance(term, Share) or len(shown) <= _DIGITS else f"{float(term):.4f}"


def _evaluated(term: Share | Fraction) -> str:
    """How an equation ends: with the fraction, if it is readable, and its decimals."""
    value = term.value if isinstance(term, Share) else term
    shown = str(term)
    is_fraction = "/" in shown and (isinstance(term, Share) or len(shown) <= _DIGITS)
    return (f" = {shown}" if is_fraction else "") + _decimals(value)


def _decimals(value: Fraction) -> str:
    """The end of an equation: exact, or rounded to decimals that do not make it 0 or 1.

    >>> _decimals(Fraction(8, 19)), _decimals(Fraction(1, 8)), _decimals(Fraction(9999, 10000))
    (' ≈ 0.42', ' = 0.125', ' = 0.9999')
    >>> _decimals(Fraction(1, 3000)), _decimals(Fraction(1)), _decimals(Fraction(0))
    (' ≈ 0.0003', ' = 1', ' = 0')
    """
    digits = _DECIMALS
    while round(value, digits) in (0, 1) and value not in (0, 1):
        digits += 1
    exact = next((n for n in range(digits + 3) if round(value, n) == value), None)
    if exact is not None:
        return f" = {float(value):.{exact}f}"
    return f" ≈ {float(value):.{digits}f}"


def _lines(equations: Sequence[tuple[str, str]]) -> str:
    """Equations under each other; a long one goes on in another line, before an operator."""
    width = max(columns(left) for left, _ in equations)
    lines = []
    for left, right in equations:
        line = left + " " * (width - columns(left)) + " ="
        for piece in re.split(r" (?=[=≈+·/] )", right):
            if columns(line) + 1 + columns(piece) > render.WIDTH:
                lines.append(line)
                line = "   "
            line += f" {piece}"
        lines.append(line)
    return "\n".join(lines)


def _side_by_side(tables: Sequence[HandTable]) -> str:
    """As many tables in a line as there is room for."""
    bands: list[list[str]] = []
    for drawn in map(_drawn, tables):
        if bands and columns(bands[-1][0]) + 4 + columns(drawn[0]) <= render.WIDTH:
            bands[-1] = [f"{left}    {right}" for left, right in zip(bands[-1], drawn, strict=True)]
        else:
            bands.append(drawn)
    return "\n\n".join("\n".join(line.rstrip() for line in band) for band in bands)


def _drawn(table: HandTable) -> list[str]:
    """The lines of a table, all of one width."""
    counts = [("yes", "no"), (render.count(table.tp), render.count(table.fn))]
    counts.append((render.count(table.fp), render.count(table.tn)))
    first, second = (max(map(len, column)) for column in zip(*counts, strict=True))
    cells = [f"{one:>{first}}  {other:>{second}}" for one, other in counts]
    called, above = render.name(table.label), "predicted"
    width = max(columns(called) + 2 + len(above), len("gold") + 2 + len(cells[0]))
    head = called + " " * (width - columns(called) - len(above)) + above
    stubs = ("gold", "yes", "no")
    return [
        head,
        *(f"{stub}{cell:>{width - len(stub)}}" for stub, cell in zip(stubs, cells, strict=True)),
    ]
