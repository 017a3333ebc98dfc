"""A summary of a model, and what its user should know."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from likely import render
from likely.data.labels import Label
from likely.explain import pairs
from likely.explain.parameters import ModelSize, Parameters, as_table, model_sizes
from likely.likelihoods.base import Component, TopFeature
from likely.likelihoods.product import Factor
from likely.likelihoods.text import TextLikelihood, reading_of_schema
from likely.model.fitted import Fitted
from likely.model.prior import Prior
from likely.model.target import MultiLabel
from likely.model.target.decision import Costs
from likely.model.tuning import weightless

_LEDGERS = {
    "open": "a hash of every row is kept; whoever has the model can test whether a row was learned",
    "none": "no ledger is kept; rows that were never learned can be forgotten if the counts allow",
    "keyed": "a hash of every row is kept under a secret",
    "compact": "none; this is a compact copy, which predicts and explains, and learns no more",
}

_NO_PAIRS = "dependences in pairs: `likely info --data DATA`, in Python `dependences(x, y)`"

# With fewer rows than this per tuned number, leave-one-out figures are optimistic.
_ROWS_PER_NUMBER = 100

_SHOWN_CLASSES = 30
# How many columns are named if there are more.
_NAMED = 12


@dataclass(frozen=True)
class Reading:
    """How a text column is read: the repr of its `Text`, and the features without weight."""

    column: str
    text: str
    silent: tuple[str, ...]


@dataclass(frozen=True)
class Info:
    """A model in a few lines; print it, or take its fields."""

    rows: dict[Label, int | float]
    likelihoods: list[tuple[tuple[str, ...], str]]
    components: list[tuple[tuple[str, ...], Component]]
    """What has a weight: each likelihood, or each view, and the stacked linear model."""
    prior: Prior
    parameters: Parameters
    ledger: str
    notes: tuple[str, ...]
    """What a user should know of the estimates."""
    together: tuple[str, ...]
    """The columns that depend on each other most within the classes, as far as the tally tells."""
    rules: tuple[str, ...] = ()
    """The rules that overrule the rest."""
    of_rows: int | None = None
    """The number of rows, if they are multi-label."""
    criterion: str | None = None
    """The criterion that thresholds were chosen for."""
    thresholds: dict[Label, float] = field(default_factory=dict)
    """The threshold of each label, or of the one class that has one."""
    costs: dict[tuple[Label, Label], float] = field(default_factory=dict)
    """The costs of mistakes, by true and predicted label."""
    decision: str | None = None
    """A sentence about what decides, if it is not the most probable class."""
    texts: tuple[Reading, ...] = ()
    """How each text column is read."""
    model_sizes: tuple[ModelSize, ...] = ()
    """How many parameters other models of the same columns would have."""
    pairs_counted: bool = True
    """Whether there is no pair of columns, or of words, that the tally tells nothing of."""
    tuned_rows: int | None = None
    """The number of rows that weights were fit on, if the model is tuned."""

    @property
    def readings(self) -> list[tuple[str, str]]:
        """Text columns and how they are read, unless their likelihood says so."""
        shown = " ".join(likelihood for _, likelihood in self.likelihoods)
        return [(one.column, one.text) for one in self.texts if one.text not in shown]

    def __str__(self) -> str:
        prior = self.prior if isinstance(self.prior, str) else "given"
        numbers, (shown, more) = self.parameters, self._ranked()
        sizes = [
            (f"  {render.name(label)}", render.count(rows), self._threshold(label))
            for label, rows in shown
        ]
        lines = [
            *(f"{column} is read as {text}" for column, text in self.readings),
            f"prior: {prior}",
            *([] if self.decision is None else [f"decision: {self.decision}"]),
            *([] if self.tuned_rows is None else [f"tuned on {self.tuned_rows:,} rows"]),
            *([f"overruled by {', '.join(self.rules)}"] if self.rules else []),
            f"{numbers.likelihood:,} parameters and {numbers.prior} priors, "
            f"{numbers.free:,} of them free",
            f"ledger: {self.ledger}",
            *self.together,
            *([] if self.pairs_counted else [_NO_PAIRS]),
            *(f"note: {note}" for note in self.notes),
        ]
        told = (textwrap.fill(line, render.WIDTH, subsequent_indent="  ") for line in lines)
        rows = render.Table((), sizes).text()
        parts = [self._head(), rows, *(f"  {line}" for line in more), "", self._model().text(), ""]
        compared = as_table(self.model_sizes).text()
        parts += [compared, ""] if self.model_sizes else []
        return "\n".join([*parts, *told])

    def _model(self) -> render.Table:
        """A line for each likelihood or view, with its weight if the model is tuned."""
        lines = [
            (
                _listed([render.name(column) for column in columns]) or "all columns",
                one.name,
                _weight(one),
            )
            for columns, one in self.components
        ]
        if all(one.weight is None for _, one in self.components):
            return render.Table(("column", "likelihood"), [line[:2] for line in lines], left=2)
        return render.Table(("column", "likelihood", "weight"), lines, left=2)

    def _head(self) -> str:
        if self.of_rows is None:
            return f"{render.count(sum(self.rows.values()))} rows in {len(self.rows)} classes"
        chosen = "one half" if self.criterion is None else f"chosen for {self.criterion}"
        return f"{self.of_rows:,} rows with any of {len(self.rows)} labels; thresholds are {chosen}"

    def _threshold(self, label: Label) -> str:
        return f"threshold {self.thresholds[label]:.1%}" if label in self.thresholds else ""

    def _ranked(self) -> tuple[list[tuple[Label, int | float]], list[str]]:
        """The classes with the most rows, and how many more there are."""
        if len(self.rows) <= _SHOWN_CLASSES:
            return list(self.rows.items()), []
        ranked = sorted(self.rows.items(), key=lambda pair: -pair[1])[:_SHOWN_CLASSES]
        more = render.counted(len(self.rows) - len(ranked), "class", "classes")
        return ranked, [f"and {more} with as many rows or fewer"]

    def _repr_html_(self) -> str:
        return render.html(self.blocks())

    def blocks(self) -> list[render.Block]:
        """The same for a page."""
        total = sum(self.rows.values())
        shown, more = self._ranked()
        sizes = [
            (render.Name(label), render.count(rows), render.Bar(rows / (total or 1)))
            for label, rows in shown
        ]
        reads = [(render.name(column), text) for column, text in self.readings]
        return [
            self._head(),
            render.Table(("class", "rows", ""), sizes),
            *more,
            self._model(),
            *([as_table(self.model_sizes)] if self.model_sizes else []),
            *([] if self.decision is None else [f"decision: {self.decision}"]),
            *([render.Table(("text column", "is read as"), reads, left=2)] if reads else []),
            *([f"overruled by {', '.join(self.rules)}"] if self.rules else []),
            *self.together,
            *([] if self.pairs_counted else [_NO_PAIRS]),
            *(f"note: {note}" for note in self.notes),
        ]


def _weight(component: Component) -> str:
    """The weight of scores, and of scores over the square root of the length of a text."""
    whole, over_root = component.weight, component.weight_over_root
    shown = [] if not whole else [f"{whole:.2g}"]
    if over_root:
        shown.append(f"{over_root:.2g}/√length")
    return " + ".join(shown) or ("0" if whole is not None else "")


def describe(fitted: Fitted) -> Info:
    """The summary of a model."""
    product, classes = fitted.product, fitted.classes
    notes: list[str] = []
    texts = [
        Reading(column, repr(reading_of_schema(factor.likelihood.schema)), _silent(fitted, factor))
        for factor in product.factors
        if isinstance(factor.likelihood, TextLikelihood)
        for column in factor.columns
    ]
    weights = fitted.weights if len(classes) > 1 else []
    for factor, weight in zip(product.factors, weights, strict=False):
        notes.extend(factor.likelihood.notes(weight, classes, factor.columns))
    if classes.per_row > 1:
        notes.append(
            f"rows were counted in parts, at the smallest 1/{classes.per_row:,} of a row, which "
            "are added up without rounding and in any order"
        )
    # Whole numbers where rows are whole.
    counted = classes if fitted.copied is not None else fitted.tally.view(fitted.spec.classes)
    rows: list[Any] = counted.rows.tolist()
    if classes.per_row > 1:
        rows = [round(float(weight), 3) for weight in classes.weights]
    ledger = fitted.plan.ledger.name if fitted.copied is None else "compact"
    rules, criterion = fitted.spec.rules, fitted.target.chosen_for
    found = Info(
        dict(zip(classes.labels, rows, strict=True)),
        [(factor.columns, str(factor)) for factor in product.factors],
        [
            (one.columns or factor.columns, one)
            for factor in product.factors
            for one in factor.components()
        ]
        + _stacked(fitted),
        fitted.spec.prior,
        Parameters.of(product, fitted.counted, len(classes)),
        _LEDGERS[ledger.partition(" ")[0]],
        (*notes, *_doubts(fitted)),
        tuple(pairs.strongest(product, fitted.counted, classes) if weights else ()),
        tuple(rule.name for rule in rules.rules) if rules else (),
        criterion=None if criterion is None else str(criterion),
        thresholds=fitted.target.thresholds_of(fitted.labels),
        texts=tuple(texts),
        model_sizes=model_sizes(product, fitted.counted, len(classes)),
        pairs_counted=fitted.is_multilabel or pairs.are_all_counted(product, fitted.counted),
        tuned_rows=None if fitted.tuning is None else fitted.tuning.rows,
    )
    if isinstance(fitted.target, MultiLabel):
        return replace(found, of_rows=fitted.tally.n_rows)
    decision = fitted.target.decision
    said = [] if decision is None else [str(decision)]
    if fitted.is_one_vs_rest:
        said.append("one-vs-rest, each class against all others")
    return replace(
        found,
        costs=decision.costs if isinstance(decision, Costs) else {},
        decision="; ".join(said) or None,
    )


def estimates(fitted: Fitted) -> dict[tuple[str, ...], Any]:
    """What was estimated from numbers and categories: means, deviations, probabilities."""
    product, weights = fitted.product, fitted.weights
    if fitted.is_one_vs_rest:
        # Those of each class, and not of the rest beside each.
        product, tally = fitted.plan.product, fitted.weighted_tally
        weights = product.estimate(tally, tally.view(fitted.spec.classes))
    return {
        factor.columns: factor.likelihood.estimates(own)
        for factor, own in zip(product.factors, weights, strict=True)
        if hasattr(factor.likelihood, "estimates")
    }


def top_features(fitted: Fitted, n: int) -> dict[Label, list[tuple[str, float]]]:
    """The most informative features of each class, with their log-odds."""
    fitted.check_fitted()
    classes = fitted.classes
    ranked: list[list[TopFeature]] = [[] for _ in classes.labels]
    for factor, statistic in zip(fitted.product.factors, fitted.counted.statistics, strict=True):
        # Words are ranked by their counts, whatever their weights; those of weight 0 are left out.
        if factor.weight == 0:
            continue
        found = factor.likelihood.strongest(statistic, classes, factor.columns, n)
        for one, more in zip(ranked, found, strict=True):
            one.extend(more)
    best = [sorted(one, key=lambda feature: -feature.strength)[:n] for one in ranked]
    return {
        label: [(feature.name, feature.log_odds) for feature in one]
        for label, one in zip(classes.labels, best, strict=True)
    }


def tuned_numbers(fitted: Fitted) -> int:
    """How many weights, biases and thresholds were tuned on the learned rows."""
    found = 0
    if fitted.tuning is not None and not fitted.tuning.is_plain:
        kinds = [kind for factor in fitted.product.factors for kind in factor.components()]
        kinds += [kind for _, kind in _stacked(fitted)]
        weights = [weight for one in kinds for weight in (one.weight, one.weight_over_root)]
        found = len(weights) - weights.count(None) + len(fitted.tuning.bias)
    if isinstance(fitted.target, MultiLabel):
        found += len(fitted.target.offsets) + len(fitted.target.thresholds)
    elif fitted.target.chosen_threshold is not None:
        found += 1
    return found


def optimism(fitted: Fitted) -> str | None:
    """A warning beside leave-one-out figures if there were few rows per tuned number, or None."""
    rows, numbers = fitted.tally.n_rows, tuned_numbers(fitted)
    if rows >= _ROWS_PER_NUMBER * numbers:
        return None
    fit = "1 weight was fit" if numbers == 1 else f"{numbers:,} weights were fit"
    return f"{fit} on these {rows:,} rows, so accuracy on new rows may be lower"


def _doubts(fitted: Fitted) -> Iterator[str]:
    """Notes about group weights, tuning and thresholds."""
    if fitted.reweighing is not None:
        times = fitted.reweighing.group_weights
        yield (
            f"rows count more than once in the estimates, by `{times.column}` and label: "
            f"{times}; all others, and all in the tally, count once"
        )
        if fitted.copied is None and fitted.reweighing.chosen != fitted.tally.fingerprint:
            yield (
                "how often rows count was chosen for other rows than those learned; "
                "`likely mitigate --reweigh` chooses anew"
            )
    if fitted.group_thresholds is not None:
        spelled = ", ".join(
            f"{g} {t:.3g}" for g, t in sorted(fitted.group_thresholds.of_group.items())
        )
        yield (
            f"`{fitted.group_thresholds.label}` is given by thresholds that differ by "
            f"`{fitted.group_thresholds.column}`: {spelled}; probabilities are shifted accordingly"
        )
    if fitted.learned is not None:
        yield str(fitted.learned)
    if not fitted.is_multilabel and len(fitted.classes) < 2 and fitted.copied is None:
        yield (
            f"it has counted {'no rows' if not fitted.labels else 'rows of one class only'}, so it "
            "does not predict; `merge` adds it to others"
        )
    if fitted.is_to_be_tuned or (fitted.tuning is None and fitted.product.places_of_views):
        yield "the model has only counted, and is not tuned; `tune` with all of its rows tunes it"
    if fitted.tuning is not None and fitted.tuning.is_plain:
        yield "plain Naive Bayes was kept: with weights, leave-one-out accuracy was lower"
    elif fitted.tuning is not None:
        yield from weightless(fitted.product, fitted.stacked)
    if fitted.is_stale:
        yield "the model was tuned on other rows than those learned; `tune` does it anew"
    if fitted.is_stale and fitted.stacked is not None:
        yield (
            "the stacked linear model was formed by other rows than those learned, and remembers "
            "those that were forgotten since; `tune` forms it anew"
        )


def _stacked(fitted: Fitted) -> list[tuple[tuple[str, ...], Component]]:
    """The stacked linear model, if there is one; it reads all columns."""
    if fitted.stacked is None:
        return []
    return [((), Component("stacked linear model", None, fitted.stacked.weight))]


def _silent(fitted: Fitted, factor: Factor) -> tuple[str, ...]:
    """The features of a text that have no weight."""
    if factor.weight == 0 or fitted.stacked is not None:
        return ()
    return factor.likelihood.silent(factor.columns)


def _listed(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - _NAMED:,} more" if len(columns) > _NAMED else ""
    return ", ".join(columns[:_NAMED]) + more
