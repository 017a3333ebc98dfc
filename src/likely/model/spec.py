"""The options of a classifier, checked and immutable."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from likely.data.columns import (
    ColumnRole,
    checked_roles,
    find_roles,
    is_list_of_texts,
    reasons,
)
from likely.data.label_sets import checked_separator
from likely.data.labeled import Labeled
from likely.data.labels import Label
from likely.data.table import MISSING, spellings
from likely.errors import DataError, LikelyWarning, ModelError, OptionError
from likely.likelihoods import (
    AnyLikelihood,
    Categorical,
    Dates,
    NumberViews,
    TextViews,
    Vectors,
)
from likely.likelihoods.choose import choose
from likely.likelihoods.product import Given, Product, every
from likely.likelihoods.product import checked as checked_likelihood
from likely.likelihoods.stacked_linear import is_stackable
from likely.likelihoods.text import reading_of_schema
from likely.model.adjust.rules import check_ruled, checked_rules
from likely.model.plan import Plan
from likely.model.prior import Prior, checked, known_classes
from likely.model.target import decision as decisions
from likely.model.target.decision import Costs, Decision
from likely.model.target.thresholds import ThresholdCriterion
from likely.rules import Rules
from likely.tally import OPEN, Tally
from likely.tally.ledger import Ledger
from likely.text import of_any_day

OF_ONE_VS_REST = "one-vs-rest"
_COPY = "identical to the labels"

# The likelihood that is picked for each kind of counts in a schema.
_OF_KIND: dict[str, Callable[[dict[str, Any]], AnyLikelihood]] = {
    "text": lambda schema: TextViews(text=reading_of_schema(schema)),
    "number views": lambda schema: NumberViews(bits=schema["bits"]),
    "categories": lambda schema: Categorical(),
    "dates": lambda schema: Dates(day_first=schema["day_first"]),
    "vectors": lambda schema: Vectors.restored(schema, Vectors().settings),
}


@dataclass(frozen=True)
class Spec:
    """Likelihoods or a plan, a prior, rules, and whether the model is tuned."""

    likelihood: Given | None = None
    plan: Plan | None = None
    """Given in place of likelihoods: what is counted, and how."""
    columns: tuple[tuple[str, str], ...] = ()
    """Roles of columns that the user gave."""
    missing: frozenset[str] = MISSING
    prior: Prior = "empirical"
    classes: tuple[Label, ...] = ()
    """Classes that exist even if no row has them."""
    rules: Rules | None = None
    tunes: bool = True
    criterion: ThresholdCriterion | None = None
    """What the thresholds of multi-label rows are chosen for."""
    decision: Decision | None = None
    """What decides the label of single-label rows; None if it is the most probable."""
    separator: str | None = None
    stack_linear: bool = False
    ledger: Ledger = OPEN
    one_vs_rest: bool = False
    """Whether each class of single-label rows is compared with the rest."""

    @classmethod
    def of(
        cls,
        likelihood: Any,
        columns: Mapping[str, str] | None,
        missing: Iterable[str],
        prior: Any,
        classes: Iterable[Any],
        rules: Any,
        tunes: bool | None,
        thresholds: Any,
        costs: Any,
        separator: Any,
        stack_linear: bool,
        ledger: Any,
        one_vs_rest: bool = False,
    ) -> "Spec":
        """The arguments of a classifier, checked."""
        plan = likelihood if isinstance(likelihood, Plan) else None
        given = None if plan is not None or likelihood is None else checked_likelihood(likelihood)
        if columns and likelihood is not None:
            raise OptionError("`columns` is for a model that picks its likelihoods itself")
        if plan is not None:
            ledger = _of_plan(plan, missing, separator, ledger)
        prior = checked(prior)
        criterion, decision = decisions.checked(thresholds, costs)
        found = cls(
            given,
            plan,
            checked_roles({} if columns is None else columns),
            spellings(missing) if plan is None else plan.product.missing,
            prior,
            known_classes(classes, prior),
            checked_rules(rules),
            _tunes_by_itself(given, plan) and not one_vs_rest if tunes is None else bool(tunes),
            criterion,
            decision,
            checked_separator(separator) if plan is None else plan.separator,
            bool(stack_linear),
            ledger if isinstance(ledger, Ledger) else Ledger.of(ledger),
            bool(one_vs_rest),
        )
        if found.one_vs_rest and found.tunes:
            raise OptionError("one-vs-rest is for plain models, and `tune=True` makes a tuned one")
        if found.stack_linear and not found.tunes:
            raise OptionError(
                "a stacked linear model is tuned with the rest; `tune=True` does that"
            )
        for one in found._likelihoods:
            if not one.takes_prior and prior != "empirical":
                raise OptionError(f"{type(one).__name__} takes no prior")
        if found.stack_linear and isinstance(given, Mapping):
            _check_stacks(Product.of(given, found.missing))
        return found

    @property
    def replaces_invalid(self) -> bool:
        """Whether invalid Unicode is read as U+FFFD."""
        return any(one.replaces_invalid for one in self._likelihoods)

    @property
    def _likelihoods(self) -> list[AnyLikelihood]:
        """The likelihoods that were given, directly or in a plan."""
        if self.plan is None:
            return every(self.likelihood)
        return [factor.likelihood for factor in self.plan.product.factors]

    @property
    def target(self) -> str | None:
        """The default column of the labels."""
        return None if self.plan is None else self.plan.target

    def given_product(self, counted: Product) -> Product | None:
        """The given likelihoods of the counted columns; None if likelihoods are picked.

        It may differ from what was counted, since EM reads texts word by word.
        """
        if self.plan is not None:
            return self.plan.product
        if self.likelihood is None:
            return None
        columns = counted.columns
        product = Product.settled(self.likelihood, columns, self.missing, self.tunes)
        return product.any_of() if counted.is_multilabel else product

    def with_product(self, product: Product) -> "Spec":
        """The same options, with these likelihoods."""
        if self.plan is not None:
            return replace(self, plan=replace(self.plan, product=product))
        is_one = not isinstance(self.likelihood, Mapping)
        given = product.factors[0].likelihood if is_one else product.by_column
        return replace(self, likelihood=given)

    def to_json(self, counted: Product) -> dict[str, Any]:
        """The options that a model file needs so that `fit` learns again as it did.

        Likelihoods that nothing was counted for are stored without versions.
        """
        given: str | None = "plan" if self.plan is not None else None
        if self.likelihood is not None:
            given = "by column" if isinstance(self.likelihood, Mapping) else "one"
        product, other = self.given_product(counted), {}
        if product is not None and product != counted:
            factors = [of_any_day(factor) for factor in product.schema["factors"]]
            other = {"product": {"factors": factors, "likelihoods": product.settings}}
        return {
            "likelihood": given,
            "columns": [list(pair) for pair in self.columns],
            "ledger": self.ledger.name,
            "tune": self.tunes,
            "stack_linear": self.stack_linear,
            **({"one_vs_rest": True} if self.one_vs_rest else {}),
            "criterion": None if self.criterion is None else self.criterion.to_json(),
            **({} if self.decision is None else {"decision": self.decision.to_json()}),
            **other,
        }

    def settled(self, rows: Labeled) -> Plan:
        """The plan for these rows: the likelihood of each column, given or picked."""
        if self.plan is not None:
            self._check_plan(rows)
            plan = replace(self.plan, target=rows.target or self.plan.target, tunes=self.tunes)
        else:
            product, column_roles = self._picked(rows)
            if rows.is_multilabel:
                product = product.any_of()
            chosen = tuple(column_roles.items())
            plan = Plan(product, self.ledger, rows.target, self.separator, chosen, self.tunes)
        self._check(plan)
        if self.rules is not None:
            self.rules.reads(rows.columns, plan.product.texts)
        return plan

    def _check(self, plan: Plan) -> None:
        """Refuse a plan that contradicts the other options."""
        check_ruled(self.rules, plan.product)
        self.check_decision(plan.product.is_multilabel)
        if self.one_vs_rest:
            if plan.product.is_multilabel:
                raise OptionError(
                    "one-vs-rest is for rows with one label each; multi-label rows are learned "
                    "that way anyhow, each label against the rest"
                )
            plan.product.any_of(OF_ONE_VS_REST)
        if self.stack_linear:
            _check_stacks(plan.product)

    def check_decision(self, is_multilabel: bool) -> None:
        """Refuse thresholds or costs that are for rows of the other kind."""
        if self.criterion is not None and not is_multilabel:
            raise OptionError(
                "thresholds of all labels are for multi-label rows, and these have one label each\n"
                'hint: `thresholds={label: "f1"}` is that of one class, `costs` are for all'
            )
        if self.decision is not None and is_multilabel:
            one, other = "the threshold of one class is", 'thresholds="f1"'
            if isinstance(self.decision, Costs):
                one, other = "costs of mistakes are", "thresholds={label: (miss, false alarm)}"
            raise OptionError(
                f"{one} for single-label rows, and these are multi-label\n"
                f"hint: `{other}` is for them"
            )

    def _check_plan(self, rows: Labeled) -> None:
        assert self.plan is not None
        if rows.kind_is_known and rows.is_multilabel != self.plan.product.is_multilabel:
            one, other = "one label each", "multiple labels"
            planned, given = (other, one) if self.plan.product.is_multilabel else (one, other)
            raise DataError(
                f"{rows.where}the plan is for rows with {planned}, and these have {given}"
            )

    def settled_as(self, tally: Tally) -> Plan:
        """The plan of a given tally; one that contradicts the options is refused."""
        schema: Any = tally.schema
        if self.plan is not None:
            plan = self.plan
        else:
            columns = tuple(schema["columns"])
            given = self.likelihood
            if given is None:
                given = {_key(factor): _of_schema(factor) for factor in schema["factors"]}
            product = Product.settled(given, columns, self.missing, self.tunes)
            product = replace(product, columns=columns)
            product = product.settled_by(schema["factors"])
            product = product.any_of() if tally.is_multilabel else product
            plan = Plan(product, self.ledger, None, self.separator, tunes=self.tunes)
        Tally.zero(plan.product, plan.ledger).check_match(tally)
        self._check(plan)
        return plan

    def _picked(self, rows: Labeled) -> tuple[Product, dict[str, ColumnRole]]:
        label_columns, columns = {}, dict(self.columns)
        if not isinstance(self.likelihood, Mapping):
            named = rows.copies_of_labels
            label_columns = {n: ColumnRole("drop", _COPY) for n in named if n not in columns}
        for name in list(label_columns)[:1]:
            warnings.warn(
                f"column `{name}` is {_COPY}, so it is not used\n"
                f'hint: `fit(table, "{name}")` says that it has the labels',
                LikelyWarning,
                stacklevel=5,
            )
        if self.likelihood is not None:
            left = tuple(name for name in rows.columns if name not in label_columns)
            if not left:
                raise DataError(
                    f"there is no column to learn from (`{next(iter(label_columns))}`: {_COPY})"
                )
            product = Product.settled(self.likelihood, left, self.missing, self.tunes)
            if not product.is_settled:
                product = product.settled_on(rows.sample().reading(self.missing))
            return product, label_columns
        sample = rows.sample().reading(self.missing)
        if is_list_of_texts(sample) and not columns:
            views = TextViews.of_texts(sample.texts(rows.columns), rows.is_multilabel)
            return Product.settled(views, rows.columns, self.missing), {}
        found = find_roles(sample, columns)
        column_roles = {**found, **label_columns}
        used = {name: role.role for name, role in column_roles.items() if role.role != "drop"}
        given = choose(used, sample.called(rows.columns), is_multilabel=rows.is_multilabel)
        if not given:
            raise DataError.of("no-column-to-learn-from", reasons=reasons(column_roles))
        product = Product.of(given, self.missing, self.tunes)
        return replace(product, columns=tuple(used)), column_roles


def _tunes_by_itself(given: Given | None, plan: Plan | None) -> bool:
    """Whether a model is tuned by default: one that picks its likelihoods is."""
    return given is None if plan is None else plan.tunes


def _of_plan(plan: Plan, missing: Iterable[str], separator: Any, ledger: Any) -> Ledger:
    """The ledger of a plan, perhaps with its secret; options that contradict it are refused."""
    for name, given, default, planned in (
        ("missing", spellings(missing), MISSING, plan.product.missing),
        ("separator", separator, None, plan.separator),
    ):
        if given not in (default, planned):
            raise OptionError(f"`{name}` is settled by the plan, as {planned!r}")
    own = ledger if isinstance(ledger, Ledger) else Ledger.of(ledger)
    if own.name == plan.ledger.name:
        return own
    if ledger is not True:
        raise OptionError(
            f"the plan keeps another ledger ({plan.ledger.name})\n"
            "hint: `Classifier(ledger=…).plan(x, y)` makes a plan that keeps this one"
        )
    return plan.ledger


def _check_stacks(product: Product) -> None:
    if not is_stackable(product):
        listed = ", ".join(dict.fromkeys(repr(factor.likelihood) for factor in product.factors))
        raise OptionError(
            "a stacked linear model reads texts, categories and numbers; here there is only "
            f"{listed}"
        )


def _key(factor: Mapping[str, Any]) -> Any:
    columns = tuple(factor["columns"])
    return columns if len(columns) > 1 else columns[0]


def _of_schema(factor: Mapping[str, Any]) -> AnyLikelihood:
    """The likelihood that is picked for what a factor counts."""
    picked = _OF_KIND.get(factor["kind"])
    if picked is None:
        raise ModelError(
            f"the tally counts {factor['kind']}, which no model picks by itself\n"
            "hint: give the likelihoods that it was counted for, or their plan"
        )
    return picked(dict(factor))
