"""What a user asked for: the arguments of a classifier, checked, and never changed."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from likely.errors import DataError, LikelyWarning, ModelError, OptionError
from likely.inputs import MISSING, spellings
from likely.inputs.columns import Choice, choose, is_list_of_texts, reasons
from likely.inputs.labelled import Labelled
from likely.label_sets import checked_separator
from likely.labels import Label
from likely.ledger import Ledger
from likely.likelihoods import OF_KIND, Likelihood, Views
from likely.likelihoods.product import Given, Product, every
from likely.likelihoods.product import checked as checked_likelihood
from likely.likelihoods.text import reading_of_schema
from likely.overruling import checked_rules
from likely.plan import Plan
from likely.prior import Prior, checked, known_classes
from likely.rules import Rules
from likely.tally import OPEN, Tally
from likely.target import Goal

_COPY = "identical to the labels"

# What a factor of a schema is, as columns are told apart.
_KIND_OF_SCHEMA = {"text": "text", "numbers": "number", "categories": "category"}


@dataclass(frozen=True)
class Spec:
    """Likelihoods or a plan, a prior, rules, and how all of it is tuned."""

    likelihood: Given | None = None
    plan: Plan | None = None
    """Given in place of likelihoods: what is counted, and how."""
    columns: tuple[tuple[str, str], ...] = ()
    """What some columns are, whatever they look like."""
    missing: frozenset[str] = MISSING
    prior: Prior = "empirical"
    classes: tuple[Label, ...] = ()
    """Those known to be, even if no row has them."""
    rules: Rules | None = None
    tunes: bool = True
    goal: Goal | None = None
    separator: str | None = None
    stack_linear: bool = False
    ledger: Ledger = OPEN

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
        goal: Any,
        separator: Any,
        stack_linear: bool,
        ledger: Any,
    ) -> "Spec":
        """The arguments of a classifier, as they are kept; what makes no sense is refused."""
        plan = likelihood if isinstance(likelihood, Plan) else None
        given = None if plan is not None or likelihood is None else checked_likelihood(likelihood)
        if columns and likelihood is not None:
            raise OptionError("`columns` is for a model that picks its likelihoods itself")
        prior = checked(prior)
        found = cls(
            given,
            plan,
            tuple((columns or {}).items()),
            spellings(missing) if plan is None else plan.product.missing,
            prior,
            known_classes(classes, prior),
            checked_rules(rules),
            (given is None) if tunes is None else bool(tunes),
            None if goal is None else Goal.of(goal),
            checked_separator(separator) if plan is None else plan.separator,
            bool(stack_linear),
            (ledger if isinstance(ledger, Ledger) else Ledger.of(ledger))
            if plan is None
            else plan.ledger,
        )
        if found.stack_linear and not found.tunes:
            raise OptionError("a second opinion is weighed with the rest; `weigh=True` does that")
        for one in every(given):
            if not one.takes_prior and prior != "empirical":
                raise OptionError(f"{type(one).__name__} takes no prior")
        if found.stack_linear and isinstance(given, Mapping):
            _check_stacks(Product.of(given, found.missing))
        return found

    @property
    def replaces_invalid(self) -> bool:
        """Whether texts that are no Unicode are read with what is broken replaced."""
        given = every(self.likelihood)
        if self.plan is not None:
            given = [factor.likelihood for factor in self.plan.product.factors]
        return any(one.replaces_invalid for one in given)

    def settled(self, rows: Labelled) -> Plan:
        """The plan for these rows: the likelihood of each column, given or picked."""
        if self.plan is not None:
            self._check_plan(rows)
            plan = replace(self.plan, target=rows.target)
        else:
            product, choices = self._picked(rows)
            if rows.several:
                product = product.any_of()
            plan = Plan(product, self.ledger, rows.target, self.separator, tuple(choices.items()))
        if rows.several and self.rules is not None:
            raise OptionError("rules give a row one label, so they go with rows that have one")
        if self.stack_linear:
            _check_stacks(plan.product)
        if self.rules is not None:
            self.rules.reads(rows.columns, plan.product.texts)
        return plan

    def _check_plan(self, rows: Labelled) -> None:
        assert self.plan is not None
        if rows.several != self.plan.product.several:
            one, other = "one label each", "any number of labels"
            planned, given = (other, one) if self.plan.product.several else (one, other)
            raise DataError(f"the plan is for rows with {planned}, and these have {given}")

    def settled_as(self, tally: Tally) -> Plan:
        """The plan of a tally that others counted; one that is not as asked for is refused."""
        schema: Any = tally.schema
        if self.plan is not None:
            plan = self.plan
        else:
            columns = tuple(schema["columns"])
            given = self.likelihood
            if given is None:
                given = {_key(factor): _of_schema(factor) for factor in schema["factors"]}
            product = Product.settled(given, columns, self.missing, self.tunes)
            product = product.any_of() if tally.several else product
            plan = Plan(product, self.ledger, None, self.separator)
        Tally.zero(plan.product, plan.ledger).check_match(tally)
        return plan

    def _picked(self, rows: Labelled) -> tuple[Product, dict[str, Choice]]:
        copies, columns = {}, dict(self.columns)
        if not isinstance(self.likelihood, Mapping):
            named = rows.copies_of_labels
            copies = {n: Choice("ignore", _COPY) for n in named if n not in columns}
        for name in list(copies)[:1]:
            warnings.warn(
                f"column `{name}` is {_COPY}, so it is not used\n"
                f'hint: `fit(table, "{name}")` says that it has the labels',
                LikelyWarning,
                stacklevel=5,
            )
        if self.likelihood is not None:
            left = tuple(name for name in rows.columns if name not in copies)
            if not left:
                raise DataError(
                    f"there is no column to learn from (`{next(iter(copies))}`: {_COPY})"
                )
            return Product.settled(self.likelihood, left, self.missing, self.tunes), copies
        sample = rows.sample().reading(self.missing)
        if is_list_of_texts(sample) and not columns:
            views = Views.of_texts(sample.texts(rows.columns), rows.several)
            return Product.settled(views, rows.columns, self.missing), {}
        choices = {**choose(sample, columns), **copies}
        given = {
            name: Views.of_texts(sample.texts((name,)), rows.several)
            if choice.kind == "text"
            else OF_KIND[choice.kind]()
            for name, choice in choices.items()
            if choice.kind != "ignore"
        }
        if not given:
            raise DataError(f"there is no column to learn from ({reasons(choices)})")
        return Product.of(given, self.missing, self.tunes), choices


def _check_stacks(product: Product) -> None:
    if not product.places_of_views:
        listed = ", ".join(dict.fromkeys(repr(factor.likelihood) for factor in product.factors))
        raise OptionError(
            f"a second opinion is one of texts, seen in `Views`; here there is only {listed}"
        )


def _key(factor: Mapping[str, Any]) -> Any:
    columns = tuple(factor["columns"])
    return columns if len(columns) > 1 else columns[0]


def _of_schema(factor: Mapping[str, Any]) -> Likelihood:
    """The likelihood that is picked for what a factor counts."""
    kind = _KIND_OF_SCHEMA.get(factor["kind"])
    if kind is None:
        raise ModelError(
            f"the tally counts {factor['kind']}, which no model picks by itself\n"
            "hint: give the likelihoods that it was counted for, or their plan"
        )
    return Views(text=reading_of_schema(dict(factor))) if kind == "text" else OF_KIND[kind]()
