"""What alone tells the label: a column, a word, so nearly always right that one should ask why.

Such a thing is often no evidence but the answer: a rating that the label was made from, a word that
whoever labeled the rows put in. It will not be there when labels are wanted. The counts of a model
show it, since they are what each thing says by itself.
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
    """Something that alone tells a label, or all of them."""

    what: str
    """A column, or a word of a text."""
    label: Label | None
    """The label that a word tells; a column tells them all."""
    right: int
    of: int
    """A column is right of so many rows; so many rows of the label have the word."""
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
    """The columns, and for each class the word, that tell labels nearly by themselves.

    A column is asked for only where there are others: of one column, to tell is its task.
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
    if len(factor.columns) > len(statistic.columns):
        # Columns that are counted together are one question.
        return found
    for column, counted in zip(factor.columns, statistic.columns, strict=True):
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
