"""Possible target leakage: a column or a word that predicts the label almost alone.

Often it was made from the label, or the label from it: a rating that the label was derived from, a
word that the annotator added. It will be missing when the model is used. The counts of a model show
it, since they tell how well each feature predicts by itself.
"""

from dataclasses import dataclass

from likely import _kernel
from likely.data.labels import Label
from likely.likelihoods.categorical import CategoryCounts, counts_of
from likely.likelihoods.product import Factor, Product
from likely.render import count, name
from likely.tally import Classes, Tally

# Of the rows that have a word so many have the label, and of those with the label so many the word.
# Honest texts stay below: `cocoa` and news of cocoa reach 0.90, a Thai letter and Thai 0.96.
_TELLS = 0.98

# A column leaves so small a part of the rows wrong that saying the commonest class would.
# The smell of mushrooms leaves 0.03.
_WRONG = 0.02

# Fewer rows may agree by chance, where there are many words.
_FEWEST = 20

_SHOWN = 3


@dataclass(frozen=True)
class TargetLeak:
    """A column or word that predicts a label, or all labels, almost alone."""

    what: str
    """A column, or a word of a text."""
    label: Label | None
    """The label that a word predicts; None for a column, which predicts all."""
    right: int
    of: int
    """The rows that the column predicts correctly, or the rows of the label that have the word."""
    others: int = 0
    """Rows without the label that have the word."""

    def __str__(self) -> str:
        if self.label is None:
            return (
                f"`{self.what}` alone tells the label, right in {count(self.right)} of "
                f"{count(self.of)} rows; if it is known only when the label is, leave it out: "
                f"`--drop-column {self.what}`"
            )
        return (
            f"`{self.what}` alone tells `{name(self.label)}`: {count(self.right)} of its "
            f"{count(self.of)} rows have it, and {count(self.others)} of the others; "
            "if it came with the label, take it out of the texts"
        )


def target_leakage(product: Product, tally: Tally, classes: Classes) -> list[TargetLeak]:
    """The columns, and for each class the word, that predict labels almost alone.

    A column is reported only if there are others: a single column has to predict the label.
    """
    found: list[TargetLeak] = []
    for factor, statistic in zip(product.factors, tally.statistics, strict=True):
        if isinstance(statistic, _kernel.TextCounts):
            found.extend(_words(statistic, classes))
        elif isinstance(statistic, CategoryCounts) and len(product.columns) > 1:
            found.extend(_columns(factor, statistic, classes))
    return found


def warned(found: list[TargetLeak]) -> list[str]:
    """A sentence for each of the first few, and one for the rest."""
    shown = [str(one) for one in found[:_SHOWN]]
    more = len(found) - len(shown)
    return [*shown, f"{more} more alone tell a label"] if more else shown


def _columns(factor: Factor, statistic: CategoryCounts, classes: Classes) -> list[TargetLeak]:
    found: list[TargetLeak] = []
    # Columns that are counted jointly are one; dates are counted in parts.
    parts = len(statistic.columns) // len(factor.columns)
    columns = [column for column in factor.columns for _ in range(parts)]
    for column, counted in zip(columns, statistic.columns, strict=bool(parts)):
        rows = counts_of(counted, classes) / classes.per_row
        # A value of one row says nothing of others.
        rows = rows[rows.sum(axis=1) > 1]
        right, total = rows.max(axis=1, initial=0.0).sum(), classes.weights.sum()
        usual = total - classes.weights.max(initial=0.0)
        if total >= _FEWEST and total - right <= _WRONG * usual:
            found.append(TargetLeak(column, None, int(right), int(total)))
    return found


def _words(statistic: _kernel.TextCounts, classes: Classes) -> list[TargetLeak]:
    every, total = classes.every or (None, int(classes.rows.sum()))
    fewest, part = _FEWEST * classes.per_row, classes.per_row
    enough = (classes.rows >= fewest) & (total - classes.rows >= fewest)
    found = statistic.leaking(classes.slots, classes.rows, every, _TELLS)
    return [
        TargetLeak(
            word,
            classes.labels[place],
            here // part,
            int(classes.rows[place]) // part,
            (everywhere - here) // part,
        )
        for place, word, here, everywhere in found
        if enough[place]
    ]
