"""What a model is made of, and what its user should know."""

import itertools
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from likely import page
from likely.labels import Label
from likely.likelihoods.gaussian import GaussianEstimates
from likely.likelihoods.product import Factor, Product
from likely.likelihoods.text import reading_of_schema
from likely.likelihoods.views import Views
from likely.prior import Prior
from likely.rules import Rules
from likely.tally import Classes, Tally

_LEDGERS = {
    "open": "a hash of every row is kept; whoever has the model can test whether a row was learned",
    "none": "no ledger is kept; rows that were never learned can be forgotten if the counts allow",
    "keyed": "a hash of every row is kept under a secret",
    "compact": "none; this is a compact copy, which predicts and explains, and learns no more",
}

# Correlations below this are not worth a line.
_TELLING = 0.3
_SHOWN = 5
_SHOWN_CLASSES = 30
# So many columns are named where there are more.
_NAMED = 12


@dataclass(frozen=True)
class Parameters:
    """How many numbers a model has: those of its likelihoods, its priors, and how many are free."""

    likelihood: int
    prior: int
    free: int

    @classmethod
    def of(cls, product: Product, tally: Tally, classes: int) -> "Parameters":
        numbers = free = 0
        for factor, statistic in zip(product.factors, tally.statistics, strict=True):
            here, here_free = factor.likelihood.parameters(statistic, classes)
            numbers, free = numbers + here, free + here_free
        return cls(numbers, classes, free + max(classes - 1, 0))


@dataclass(frozen=True)
class Reading:
    """How a column of texts is read: its `Text`, spelled, and the features that got no weight."""

    column: str
    text: str
    silent: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.text}; no weight: {', '.join(self.silent)}" if self.silent else self.text


@dataclass(frozen=True)
class Info:
    """A model in a few lines; print it, or take its fields."""

    rows: dict[Label, int | float]
    likelihoods: list[tuple[tuple[str, ...], str]]
    prior: Prior
    parameters: Parameters
    ledger: str
    notes: tuple[str, ...]
    """What a user should know of the estimates."""
    together: tuple[str, ...]
    """The strongest correlations within the classes, of columns that share a covariance."""
    rules: tuple[str, ...] = ()
    """The rules that overrule the rest."""
    of_rows: int | None = None
    """How many rows there are, where each has any number of labels."""
    goal: str | None = None
    """What the thresholds of labels were chosen for."""
    thresholds: dict[Label, float] = field(default_factory=dict)
    """The probability from which on each label is said."""
    texts: tuple[Reading, ...] = ()
    """How each column of texts is read."""

    @property
    def readings(self) -> list[tuple[str, str]]:
        """Columns of texts and how they are read, unless their likelihood says so."""
        shown = " ".join(likelihood for _, likelihood in self.likelihoods)
        return [(one.column, str(one)) for one in self.texts if one.text not in shown]

    def __str__(self) -> str:
        prior = self.prior if isinstance(self.prior, str) else "given"
        numbers, (shown, more) = self.parameters, self._ranked()
        sizes = [
            (f"  {page.name(label)}", page.count(rows), self._bar(label)) for label, rows in shown
        ]
        lines = [
            *(f"{likelihood} of {_listed(columns)}" for columns, likelihood in self.likelihoods),
            *(f"{column} is read as {text}" for column, text in self.readings),
            f"prior: {prior}",
            *([f"overruled by {', '.join(self.rules)}"] if self.rules else []),
            f"{numbers.likelihood:,} parameters and {numbers.prior} priors, "
            f"{numbers.free:,} of them free",
            f"ledger: {self.ledger}",
            *self.together,
            *(f"note: {note}" for note in self.notes),
        ]
        told = (textwrap.fill(line, page.WIDTH, subsequent_indent="  ") for line in lines)
        rows = page.Table((), sizes).text()
        return "\n".join([self._head(), rows, *(f"  {line}" for line in more), *told])

    def _head(self) -> str:
        if self.of_rows is None:
            return f"{page.count(sum(self.rows.values()))} rows in {len(self.rows)} classes"
        chosen = "one half" if self.goal is None else f"chosen for {self.goal}"
        return f"{self.of_rows:,} rows with any of {len(self.rows)} labels; thresholds are {chosen}"

    def _bar(self, label: Label) -> str:
        return f"from {self.thresholds[label]:.1%} on" if label in self.thresholds else ""

    def _ranked(self) -> tuple[list[tuple[Label, int | float]], list[str]]:
        """Of many classes those with the most rows, and how many more there are."""
        if len(self.rows) <= _SHOWN_CLASSES:
            return list(self.rows.items()), []
        ranked = sorted(self.rows.items(), key=lambda pair: -pair[1])[:_SHOWN_CLASSES]
        more = page.counted(len(self.rows) - len(ranked), "class", "classes")
        return ranked, [f"and {more} with as many rows or fewer"]

    def _repr_html_(self) -> str:
        return page.html(self.blocks())

    def blocks(self) -> list[page.Block]:
        """The same for a page."""
        total = sum(self.rows.values())
        shown, more = self._ranked()
        sizes = [
            (page.Name(label), page.count(rows), page.Bar(rows / (total or 1)))
            for label, rows in shown
        ]
        reads = [
            (_listed([page.name(column) for column in columns]), likelihood)
            for columns, likelihood in self.likelihoods
        ]
        reads += [(page.name(column), text) for column, text in self.readings]
        return [
            self._head(),
            page.Table(("class", "rows", ""), sizes),
            *more,
            page.Table(("column", "likelihood"), reads, left=2),
            *([f"overruled by {', '.join(self.rules)}"] if self.rules else []),
            *self.together,
            *(f"note: {note}" for note in self.notes),
        ]


def describe(
    product: Product,
    tally: Tally,
    classes: Classes,
    weights: list[Any] | None,
    prior: Prior,
    ledger: str,
    rules: Rules | None = None,
) -> Info:
    """All that is to be said of a model."""
    notes: list[str] = []
    together: list[str] = []
    texts = [
        Reading(column, repr(reading_of_schema(factor.likelihood.schema)), _silent(factor))
        for factor in product.factors
        if factor.likelihood.schema["kind"] == "text"
        for column in factor.columns
    ]
    for factor, weight in zip(product.factors, weights or [], strict=False):
        notes.extend(factor.likelihood.notes(weight, classes, factor.columns))
        estimates = getattr(factor.likelihood, "estimates", lambda _: None)(weight)
        if isinstance(estimates, GaussianEstimates):
            together.extend(_together(estimates, classes))
    if classes.per_row > 1:
        notes.append(
            f"rows were counted in parts, at the smallest 1/{classes.per_row:,} of a row, which "
            "are added up without rounding and in any order"
        )
    # Whole numbers where rows are whole.
    rows: list[Any] = classes.rows.tolist()
    if classes.per_row > 1:
        rows = [round(float(weight), 3) for weight in classes.weights]
    return Info(
        dict(zip(classes.labels, rows, strict=True)),
        [(factor.columns, repr(factor.likelihood)) for factor in product.factors],
        prior,
        Parameters.of(product, tally, len(classes)),
        _LEDGERS[ledger.partition(" ")[0]],
        tuple(notes),
        tuple(together),
        tuple(rule.name for rule in rules.rules) if rules else (),
        texts=tuple(texts),
    )


def _silent(factor: Factor) -> tuple[str, ...]:
    """The kinds of features that no view of a text speaks of; an opinion speaks of all."""
    views = factor.likelihood
    if not isinstance(views, Views) or getattr(views, "opinion", None) is not None:
        return ()
    speaking = {view.features for view in views.views if view.speaks}
    return tuple(kind for kind in views.text.blocks if kind not in speaking)


def _together(estimates: GaussianEstimates, classes: Classes) -> list[str]:
    """The strongest correlations within the classes, which a naive model would not know of."""
    if estimates.correlations is None:
        return []
    shared = len(estimates.correlations) == 1
    found = []
    for i, j in itertools.combinations(range(len(estimates.columns)), 2):
        values = estimates.correlations[:, i, j]
        place = int(abs(values).argmax())
        who = "the classes" if shared else f"`{classes.labels[place]}`"
        found.append((float(values[place]), estimates.columns[i], estimates.columns[j], who))
    found.sort(key=lambda pair: -abs(pair[0]))
    return [
        f"`{a}` and `{b}` go together within {who} (correlation {value:+.2f})"
        for value, a, b, who in found[:_SHOWN]
        if abs(value) >= _TELLING
    ]


def _listed(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - _NAMED:,} more" if len(columns) > _NAMED else ""
    return ", ".join(columns[:_NAMED]) + more
