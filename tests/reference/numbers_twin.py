"""The views of numbers in plain Python, slowly: bins, LDA, QDA, and the doubt about each.

Nothing of the package is used here. Counts and sums are fractions until a logarithm is taken.
`None` is a missing number. Lists of scores have a place for each class, in their order.
"""

import functools
import math
import struct
from collections.abc import Hashable, Sequence
from fractions import Fraction

Scores = list[float]
Labels = Sequence[Hashable]
Matrix = list[list[Fraction]]

# Bins: the number line, halved and halved again


def key(value: float, bits: int) -> int:
    """The bits of a number, rounded, from the sign on, in the order of the values."""
    (raw,) = struct.unpack("<Q", struct.pack("<d", value + 0.0))
    raw = raw ^ (2**64 - 1) if raw >> 63 else raw | 1 << 63
    shift = 52 - bits
    return ((raw + (1 << shift >> 1)) >> shift) << shift


def value_of(raw: int) -> float:
    """The number that has these bits."""
    raw = raw ^ 1 << 63 if raw >> 63 else raw ^ (2**64 - 1)
    return struct.unpack("<d", struct.pack("<Q", raw))[0]


def share(part: int, whole: int, of_all: Fraction, m: Fraction) -> Fraction:
    """(n_c + m·p) / (n + m), p the share of all classes."""
    return (part + m * of_all) / (whole + m)


def descend(
    rows: list[tuple[int, Hashable]], x: int, classes: Labels, m: Fraction
) -> list[Fraction]:
    """P(x | c): halve the keys that rows have until they are one, and follow x."""
    keys = [one for one, _ in rows]
    if not rows or min(keys) == max(keys):
        return [Fraction(1) for _ in classes]
    bit = (min(keys) ^ max(keys)).bit_length() - 1
    cut = max(keys) >> bit << bit
    half = [row for row in rows if (row[0] >= cut) == (x >= cut)]
    of_all = Fraction(len(half), len(rows))
    own, of_half = [label for _, label in rows], [label for _, label in half]
    further = descend(half, x, classes, m)
    shares = [share(of_half.count(c), own.count(c), of_all, m) for c in classes]
    return [a * b for a, b in zip(shares, further, strict=True)]


def in_bins(
    cells: Sequence[float | None], labels: Labels, classes: Labels, x: float, m: float, bits: int
) -> list[Fraction]:
    """P(x | c), the mean of two number lines: one as it is, one scaled by √½."""
    there = [(cell, own) for cell, own in zip(cells, labels, strict=True) if cell is not None]
    lines = []
    for scale in (1.0, math.sqrt(0.5)):
        rows = [(key(value_of(key(cell, bits)) * scale, 52), own) for cell, own in there]
        here = key(value_of(key(x, bits)) * scale, 52)
        lines.append(descend(rows, here, classes, Fraction(m)))
    return [(a + b) / 2 for a, b in zip(*lines, strict=True)]


def presence(
    cells: Sequence[object], labels: Labels, classes: Labels, is_missing: bool, m: float
) -> list[Fraction]:
    """P(a cell is missing | c), or that it is there; where that is so in no row, nothing."""
    alike = [own for cell, own in zip(cells, labels, strict=True) if (cell is None) == is_missing]
    if not alike:
        return [Fraction(1) for _ in classes]
    of_all = Fraction(len(alike), len(cells))
    return [share(alike.count(c), list(labels).count(c), of_all, Fraction(m)) for c in classes]


def binned(
    cells: Sequence[float | None],
    labels: Labels,
    classes: Labels,
    x: float | None,
    m: float,
    bits: int,
    missing: str,
) -> Scores:
    """What one column in bins says; a missing number nothing, unless it is a value."""
    found = [Fraction(1) for _ in classes]
    if x is not None:
        found = in_bins(cells, labels, classes, x, m, bits)
    if missing == "value":
        more = presence(cells, labels, classes, x is None, m)
        found = [a * b for a, b in zip(found, more, strict=True)]
    return [log(each) for each in found]


def enough_bits(columns: Sequence[Sequence[float | None]]) -> int:
    """So many significant bits, 16 at least, that all numbers of a column are told apart."""

    def tells_apart(bits: int) -> bool:
        distinct = [{cell for cell in cells if cell is not None} for cells in columns]
        return all(len({key(x, bits) for x in numbers}) == len(numbers) for numbers in distinct)

    return next(bits for bits in range(16, 53) if bits == 52 or tells_apart(bits))


# LDA and QDA: Gaussians of all columns together

FLOOR = Fraction(1e-9)
"""Of a column without any spread within the classes, so much of its whole variance is taken."""


def scatter(rows: Sequence[Sequence[Fraction]], columns: int) -> tuple[list[Fraction], Matrix]:
    """The mean of some rows, and the sums of products of their distances from it."""
    mean = [sum(row[j] for row in rows) / max(len(rows), 1) for j in range(columns)]
    sums = [[Fraction(0)] * columns for _ in range(columns)]
    for row in rows:
        apart = [x - mu for x, mu in zip(row, mean, strict=True)]
        sums = plus(sums, [[a * b for b in apart] for a in apart])
    return mean, sums


def plus(ours: Matrix, theirs: Matrix) -> Matrix:
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(ours, theirs, strict=True)]


def together(
    rows: Sequence[Sequence[float | None]],
    labels: Labels,
    classes: Labels,
    row: Sequence[float | None],
    is_shared: bool,
) -> Scores:
    """log P(x | c) under one covariance, or one for each class, with m virtual rows.

        Σ = (S + m·V) / (dof + m)      Σ_c = (S_c + m·V) / (n_c − 1 + m)      V = diag(S) / dof

    m is the number of columns. Rows with a gap are left out of the sums; a row that has one is
    scored by the columns it has.
    """
    m = columns = len(row)
    whole = [
        ([Fraction(cell) for cell in cells], own)
        for cells, own in zip(rows, labels, strict=True)
        if None not in cells
    ]
    of_class = {c: [cells for cells, own in whole if own == c] for c in classes}
    seen = [c for c in classes if of_class[c]]
    mean_of_all, total = scatter([cells for cells, _ in whole], columns)
    by_class = {c: scatter(of_class[c], columns) for c in classes}
    dof = len(whole) - len(seen)
    within = functools.reduce(plus, (sums for _, sums in by_class.values()))
    if dof <= 0:
        # No class has two rows, so that all are taken for one.
        dof, within = max(len(whole), 2) - 1, total
    for j in range(columns):
        if within[j][j] == 0:
            within[j][j] = FLOOR * total[j][j] / max(len(whole), 1) * dof
    variances = [within[j][j] / dof for j in range(columns)]
    used = [j for j in range(columns) if row[j] is not None and total[j][j] > 0]
    scores = []
    for c in classes:
        # A class without rows is where all rows are.
        mean = by_class[c][0] if of_class[c] else mean_of_all
        sums, freedom = within, dof
        if not is_shared:
            sums, freedom = by_class[c][1], max(len(of_class[c]) - 1, 0)
        covariance = [
            [(sums[i][j] + (m * variances[i] if i == j else 0)) / (freedom + m) for j in used]
            for i in used
        ]
        scores.append(log_density([Fraction(row[j]) - mean[j] for j in used], covariance))
    return scores


def log_density(apart: list[Fraction], covariance: Matrix) -> float:
    """−½ (log |2πΣ| + dᵀ Σ⁻¹ d), by elimination."""
    rows = [[*row, d] for row, d in zip(covariance, apart, strict=True)]
    found = 0.0
    for n, pivot in enumerate(rows):
        # The distance from what the columns before say of this one, and its variance given these.
        found -= 0.5 * (math.log(2 * math.pi) + log(pivot[n]) + float(pivot[-1] ** 2 / pivot[n]))
        for other in rows[n + 1 :]:
            factor = other[n] / pivot[n]
            other[n:] = [a - factor * b for a, b in zip(other[n:], pivot[n:], strict=True)]
    return found


# Doubt


def doubted(scores: Scores, labels: Labels, classes: Labels) -> Scores:
    """log( (n·P(x | c) + mean_k P(x | k)) / (n + 1) ): one more row may be of any class with rows.

    `labels` are those of the n rows.
    """
    n, known = len(labels), [place for place, c in enumerate(classes) if c in labels]
    best = max(scores[place] for place in known)
    # A class without rows may be ahead of all others.
    odds = [math.exp(min(score - best, 300.0)) for score in scores]
    mean = math.fsum(odds[place] for place in known) / len(known)
    return [best + math.log((n * each + mean) / (n + 1)) for each in odds]


def log(x: Fraction) -> float:
    """The logarithm of a fraction that may be too small for a float."""
    return math.log(x.numerator) - math.log(x.denominator)
