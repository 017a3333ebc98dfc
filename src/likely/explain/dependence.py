"""Whether columns are independent within the classes, as Naive Bayes assumes.

Between numbers (and words, as there or not there) it is the correlation within the classes; where a
category takes part, the correlation that a mutual information is worth, √(1 − exp(−2·I)). All run
from 0, independent, to 1, one follows from the other.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from likely import _kernel, render
from likely.data.label_sets import LabelSets
from likely.data.table import Batch, Categories, Numbers
from likely.errors import DataError, OptionError
from likely.likelihoods.categorical import WHOLE
from likely.likelihoods.product import Product
from likely.likelihoods.text import TextLikelihood, rows_of

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

# Of a text, so many words are compared, those of the most documents.
_WORDS = 200
# Words of fewer rows are correlated by chance.
_FEW = 5
# Of a wide table, so many columns of a kind are compared, the first: each with each.
MOST_NUMBERS, MOST_CATEGORIES = 1000, 100


@dataclass(frozen=True)
class Dependence:
    """The dependence of two columns within the classes, and over all rows."""

    first: str
    second: str
    within: float
    overall: float


def as_table(found: Sequence[Dependence]) -> render.Table:
    """A line for each pair, for a terminal."""
    lines = [
        (render.name(one.first), render.name(one.second), f"{one.within:.2f}", f"{one.overall:.2f}")
        for one in found
    ]
    return render.Table(("column", "and", "within classes", "over all rows"), lines, left=2)


def dependences(product: Product, batch: Batch, n: int) -> list[Dependence]:
    """The strongest dependences within the classes."""
    if not len(batch):
        raise DataError("there is nothing to compare: no rows were given")
    numbers: dict[str, Array] = {}
    categories: dict[str, Codes] = {}
    for factor, part in zip(product.factors, batch.parts, strict=True):
        if isinstance(part, Numbers):
            room = MOST_NUMBERS - len(numbers)
            numbers.update(list(zip(factor.columns, part.values.T, strict=True))[:room])
        elif isinstance(part, Categories):
            room = MOST_CATEGORIES - len(categories)
            names = factor.likelihood.counted(factor.columns)
            coded = list(zip(names, part.columns, strict=True))[: max(room, 0)]
            categories.update({name: _codes(texts) for name, texts in coded})
        elif isinstance(part, _kernel.Texts) and isinstance(factor.likelihood, TextLikelihood):
            numbers.update(_words(factor.likelihood, part, factor.columns[0], len(product.columns)))
    if isinstance(batch.labels, LabelSets):
        raise OptionError("multi-label rows have no single class to measure dependence within")
    classes = batch.labels.slots.astype(np.int64)
    one = np.zeros_like(classes)
    found = _between_numbers(numbers, classes, one, n)
    for a, b in itertools.combinations(categories, 2):
        within, overall = (_mutual(categories[a], categories[b], c) for c in (classes, one))
        found.append(Dependence(a, b, within, overall))
    for a, b in itertools.product(numbers, categories):
        within, overall = (_explained(numbers[a], categories[b], c) for c in (classes, one))
        found.append(Dependence(a, b, within, overall))
    found.sort(key=lambda pair: (-pair.within, pair.first, pair.second))
    return found[: max(n, 0)]


def _codes(texts: _kernel.Texts) -> Codes:
    """A number per value, −1 where it is missing."""
    slots = np.zeros(len(texts), dtype=np.uint32)
    counts = _kernel.TextCounts.observe(WHOLE, texts, slots, 1, 1)
    return counts.codes().of(texts, 1).astype(np.int64)


def _words(
    likelihood: TextLikelihood[object], texts: _kernel.Texts, column: str, n_columns: int
) -> dict[str, Array]:
    """For each of the most common words, whether a row has it.

    A word goes with its pieces and with the pairs it stands in, whatever the class; those are left
    out where words are read.
    """
    slots = np.zeros(len(texts), dtype=np.uint32)
    text = likelihood.text
    if text.word_ngrams is not None:
        text = replace(
            text,
            word_ngrams=1,
            char_ngrams=None,
            punctuation=False,
            surface_features=(),
            lexicon=None,
        )
    counts = _kernel.TextCounts.observe(text.reading, texts, slots, 1, 1)
    documents = counts.cells()[3].astype(np.int64)
    starts, features, _, names = counts.matrix(texts, 1)
    common = np.argsort(-documents, kind="stable")[:_WORDS]
    common = common[documents[common] >= _FEW]
    place = np.full(len(names), -1)
    place[common] = np.arange(len(common))
    rows = rows_of(starts)
    there = place[features] >= 0
    matrix = np.zeros((len(texts), len(common)))
    matrix[rows[there], place[features[there]]] = 1.0
    spelled = [names[f] if n_columns == 1 else f"{column}: {names[f]}" for f in common]
    return dict(zip(spelled, matrix.T, strict=True))


def _between_numbers(
    numbers: dict[str, Array], classes: Codes, one: Codes, n: int
) -> list[Dependence]:
    """The `n` strongest, and all that equal the last of them."""
    if len(numbers) < 2 or n <= 0:
        return []
    names, matrix = list(numbers), np.column_stack(list(numbers.values()))
    within, overall = _correlations(matrix, classes), _correlations(matrix, one)
    firsts, seconds = np.triu_indices(len(names), 1)
    strengths = within[firsts, seconds]
    least = np.partition(strengths, -n)[-n] if n < len(strengths) else -1.0
    kept = zip(firsts[strengths >= least], seconds[strengths >= least], strict=True)
    return [
        Dependence(names[i], names[j], float(within[i, j]), float(overall[i, j])) for i, j in kept
    ]


def _correlations(matrix: Array, groups: Codes) -> Array:
    """Absolute correlations within groups, over the rows that have both numbers."""
    there = ~np.isnan(matrix)
    centered = np.zeros_like(matrix)
    for group in np.unique(groups):
        rows = groups == group
        some = np.maximum(there[rows].sum(axis=0), 1)
        means = np.where(there[rows], matrix[rows], 0.0).sum(axis=0) / some
        centered[rows] = np.where(there[rows], matrix[rows] - means, 0.0)
    scale = np.abs(centered).max(axis=0, initial=0.0)
    centered /= np.where(scale > 0, scale, 1.0)
    products = centered.T @ centered
    squares = (centered**2).T @ there.astype(np.float64)
    size = np.sqrt(squares * squares.T)
    ratio = np.divide(products, size, out=np.zeros_like(products), where=size > 0)
    return np.asarray(np.minimum(np.abs(ratio), 1.0))


def _mutual(a: Codes, b: Codes, groups: Codes) -> float:
    """What the mutual information of two categories within groups is worth as a correlation."""
    there = (a >= 0) & (b >= 0)
    tables = []
    for group in np.unique(groups[there]):
        rows = there & (groups == group)
        table = np.zeros((a[rows].max() + 1, b[rows].max() + 1))
        np.add.at(table, (a[rows], b[rows]), 1.0)
        tables.append(table)
    return of_tables(tables)


def of_tables(tables: Iterable[Array]) -> float:
    """The same, given how many rows of each group have each pair of values."""
    total, information = 0.0, 0.0
    for whole in tables:
        table = whole[whole.any(axis=1)][:, whole.any(axis=0)]
        if not table.size:
            continue
        total += float(table.sum())
        expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
        seen = table > 0
        information += float((table[seen] * np.log(table[seen] / expected[seen])).sum())
        # Chance alone is worth so much.
        information -= (table.shape[0] - 1) * (table.shape[1] - 1) / 2
    if not total or information <= 0:
        return 0.0
    return float(np.sqrt(-np.expm1(-2 * information / total)))


def _explained(number: Array, category: Codes, groups: Codes) -> float:
    """How much of a number's spread within groups a category explains, as a correlation."""
    there = ~np.isnan(number) & (category >= 0)
    if not there.any():
        return 0.0
    values, cells = number[there], category[there] + groups[there] * (category.max() + 1)
    inside, all_of_group = _spread(values, cells), _spread(values, groups[there])
    cells_left = len(values) - len(np.unique(cells))
    groups_left = len(values) - len(np.unique(groups[there]))
    if not all_of_group or cells_left <= 0:
        return 0.0
    # Chance alone explains something, so spreads are compared per degree of freedom.
    return float(np.sqrt(max(1 - inside / cells_left / (all_of_group / groups_left), 0.0)))


def _spread(values: Array, groups: Codes) -> float:
    """The sum of squares around the means of groups."""
    _, place = np.unique(groups, return_inverse=True)
    means = np.bincount(place, weights=values) / np.bincount(place)
    return float(((values - means[place]) ** 2).sum())
