"""What is to be learned from a file: the labels, the columns and the classifier."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from likely import Classifier, Plan, RuleFeatures, Rules, TextViews, render
from likely.cli.category_prior import (
    CategoryPrior,
    check_category_prior,
    read_category_prior,
)
from likely.cli.models import FEATURES, refuse_for_model, refuse_without_columns
from likely.cli.options import check_columns, given_options, load_plan, print_message
from likely.cli.text_options import text_from_options
from likely.data.columns import ROLES, ColumnRole, Role, find_roles, nearest, reasons
from likely.data.files import Invalid, NoRows, Source, has_no_lines, open_table
from likely.data.labeled import Labeled, Without, labeled
from likely.data.table import DecimalMark, Table, named
from likely.data.unlabeled import unlabeled
from likely.errors import DataError
from likely.likelihoods import OF_ROLE
from likely.likelihoods.choose import READS, TAKES_ALL, choose
from likely.model.target import decision as decisions
from likely.model.target.decision import Costs
from likely.model.target.thresholds import ThresholdCriterion

# The role of a column, by what a plan counts in it.
_ROLE_COUNTED: dict[str, Role] = {
    "text": "text",
    "polarity": "text",
    "rules": "text",
    "numbers": "numeric",
    "bins": "numeric",
    "number views": "numeric",
    "categories": "categorical",
    "joint categories": "categorical",
    "dates": "date",
    "vectors": "vector",
}
_HEADER = ("column", "role", "reason")
# The roles that not every cell can have.
_CHECKED: tuple[Role, ...] = ("numeric", "date", "day-first date", "vector")
# So many columns are named; the others are counted.
_NAMED = 8
_ONE_LABEL = "--drop-label is for rows with one label each"


@dataclass(frozen=True)
class Prepared:
    """The rows of a file, the roles of its columns, and the classifier to fit."""

    source: Source
    rows: Labeled
    column_roles: dict[str, ColumnRole]
    classifier: Classifier
    description: str

    @property
    def plan(self) -> Plan:
        """The plan for these rows, with the reason for the role of each column."""
        settled = self.classifier.plan(self.source, self.rows.target)
        return replace(settled, column_roles=tuple(self.column_roles.items()))

    def to_json(self) -> dict[str, Any]:
        used = set(self.classifier.columns)
        columns = {
            name: {"role": role.role, "why": role.why, "used": name in used}
            for name, role in self.column_roles.items()
        }
        return {"target": self.rows.target, "columns": columns}

    def table(self) -> str:
        """A line for each column."""
        used = set(self.classifier.columns)
        lines = [(name, "label", "0/1 column") for name in self.rows.indicator_columns]
        if not lines:
            lines = [(str(self.rows.target), "target", "the labels")]
        for name, role in self.column_roles.items():
            lines.append(_line(name, role, name in used))
        return render.Table(_HEADER, lines, left=3).text()


@dataclass(frozen=True)
class Unlabeled:
    """The roles of the columns of a file in which no target is found."""

    column_roles: dict[str, ColumnRole]

    def to_json(self) -> dict[str, Any]:
        columns = {
            name: {"role": role.role, "why": role.why, "used": role.role != "drop"}
            for name, role in self.column_roles.items()
        }
        return {"target": None, "columns": columns}

    def table(self) -> str:
        """A line for each column."""
        lines = [_line(name, role, True) for name, role in self.column_roles.items()]
        table = render.Table(_HEADER, lines, left=3).text()
        return f"{table}\ntarget: none found; `--target COL` names it"


def _line(name: str, role: ColumnRole, is_used: bool) -> tuple[str, str, str]:
    return name, "not used" if role.role == "drop" or not is_used else role.role, role.why


def prepare(
    data: str,
    encoding: str,
    decimal: DecimalMark | None,
    *,
    plan_file: str | None = None,
    **options: Any,
) -> Prepared:
    """Prepare a file by its plan, or by a sample of its rows and the options."""
    if plan_file is None:
        return prepare_source(open_table(data, encoding=encoding, decimal=decimal), **options)
    return _prepare_by_plan(data, encoding, decimal, plan_file, **options)


def _prepare_by_plan(
    data: str,
    encoding: str,
    decimal: DecimalMark | None,
    plan_file: str,
    *,
    thresholds: str | None,
    drop_label: tuple[str, ...],
    stack_linear: bool,
    one_vs_rest: bool,
    rules: str | None,
    prior: Any,
    **settled: Any,
) -> Prepared:
    clash = given_options(settled)
    if rules is not None and rules.startswith(FEATURES):
        clash.append(f"--rules {rules}")
    if clash:
        raise click.UsageError(
            f"{clash[0]} cannot be used with --plan, which has settled what is counted\n"
            f"hint: `likely plan DATA {clash[0]} …` makes another plan"
        )
    plan = load_plan(plan_file)
    if stack_linear and not plan.tunes:
        raise click.UsageError(f"--stack-linear needs a tuned model, and {plan_file} is plain")
    if one_vs_rest and plan.tunes:
        raise click.UsageError(
            f"--one-vs-rest needs a plain model, and {plan_file} is of a tuned one\n"
            "hint: `likely plan DATA --plain` makes a plan of a plain one"
        )
    options: dict[str, Any] = {} if prior is None else {"prior": prior}
    options |= {} if rules is None else {"rules": Rules.read(rules)}
    is_multilabel = plan.product.is_multilabel
    options |= _thresholds(thresholds, is_multilabel)
    if is_multilabel and drop_label:
        raise click.UsageError(_ONE_LABEL)
    classifier = Classifier(plan, stack_linear=stack_linear, one_vs_rest=one_vs_rest, **options)
    invalid: Invalid = "replace" if classifier.spec.replaces_invalid else "refuse"
    if has_no_lines(data):
        source: Source = NoRows(data, (*plan.columns, *(plan.target or "label").split(",")))
    else:
        source = open_table(data, invalid=invalid, encoding=encoding, decimal=decimal)
    labels: tuple[str, ...] = ()
    if plan.target is not None:
        labels = (plan.target,) if plan.target in source.columns else (*plan.target.split(","),)
    check_columns(source.name, source.columns, (*plan.columns, *labels), "the plan")
    if drop_label:
        source = Without(source, labeled(source, plan.target).target or "", drop_label)
    rows = labeled(source, plan.target, plan.separator)
    counted = {
        name: ColumnRole(_ROLE_COUNTED[factor.likelihood.schema["kind"]], "as planned")
        for factor in plan.product.factors
        for name in factor.columns
    }
    column_roles = counted | dict(plan.column_roles)
    description = describe_columns(rows, column_roles, plan.product.by_column)
    description += f"; by {plan_file}" + ("" if plan.tunes else "; not tuned")
    return Prepared(source, rows, column_roles, classifier, description)


def warn_of_unmatched_labels(source: Source) -> None:
    """Warn if --drop-label names a label that no row has; a part of all rows may have none."""
    if isinstance(source, Without) and source.not_met:
        print_message(f"warning: {_unmatched(source)}")


def _unmatched(source: Without) -> str:
    return f"--drop-label {source.not_met[0]}: no row of {source.name} has that label"


def _thresholds(goal: str | None, is_multilabel: bool) -> dict[str, Any]:
    """The argument `thresholds` or `costs`, if a goal was given."""
    if goal is None:
        return {}
    if is_multilabel:
        return {"thresholds": ThresholdCriterion.read(goal)}
    if decisions.names_no_class(goal):
        raise click.UsageError(
            f"--thresholds {goal} is for multi-label data, and these rows have one label each\n"
            f"hint: `--thresholds LABEL={goal}` is for one class; `--target COL --multilabel` "
            "names a column with more than one label in a cell"
        )
    decision = decisions.read(goal)
    return {"costs" if isinstance(decision, Costs) else "thresholds": decision}


def prepare_source(
    source: Source,
    *,
    target: str | None,
    multilabel: bool,
    label_separator: str | None,
    drop_label: tuple[str, ...],
    text: tuple[str, ...],
    numeric: tuple[str, ...],
    categorical: tuple[str, ...],
    date: tuple[str, ...],
    vectors: tuple[str, ...],
    drop_column: tuple[str, ...],
    joint: tuple[str, ...],
    missing: tuple[str, ...],
    model: str | None,
    plain: bool,
    alpha: float | None,
    m: float | None,
    category_prior: str | None,
    rules: str | None,
    thresholds: str | None = None,
    stack_linear: bool = False,
    one_vs_rest: bool = False,
    prior: Any = None,
    **preprocessing: Any,
) -> Prepared:
    """Prepare rows by a sample of them and the options."""
    refuse_for_model(model)
    if label_separator is not None and not multilabel:
        raise click.UsageError("--label-separator needs --multilabel")
    if drop_label:
        source = Without(source, labeled(source, target).target or "", drop_label)
    rows = labeled(source, target, (label_separator or ";") if multilabel else None)
    if rows.indicator_columns and label_separator is not None:
        raise click.UsageError(
            "--label-separator is for one multi-label column, and --target "
            f"names {len(rows.indicator_columns)} columns, one for each label"
        )
    options: dict[str, Any] = {"missing": missing} if missing else {}
    if rows.is_multilabel:
        if drop_label:
            raise click.UsageError(_ONE_LABEL)
        options |= {"separator": rows.separator}
    options |= _thresholds(thresholds, rows.is_multilabel)
    if prior is not None:
        options["prior"] = prior
    roles = given_roles(
        source,
        rows.target,
        text=text,
        numeric=numeric,
        categorical=categorical,
        date=date,
        vectors=vectors,
        drop_column=drop_column,
    )
    sample = rows.sample().reading(Classifier(**options).missing)
    if isinstance(source, Without) and source.not_met:
        raise DataError(_unmatched(source))
    column_roles = find_roles(sample, roles)
    _check_given(source, sample, {name: column_roles[name].role for name in roles})
    _, counts = text_from_options(preprocessing, TextViews().text)
    plain_because = [
        option
        for option, is_given in (
            ("--plain", plain),
            ("--one-vs-rest", one_vs_rest),
            (f"--model {model}", model is not None),
            ("--alpha", alpha is not None),
            ("--m", m is not None),
            ("--tfidf", "tfidf" in counts),
            (f"--stop-words {preprocessing['stop_words']}", bool(counts)),
        )
        if is_given
    ]
    if one_vs_rest and rows.is_multilabel:
        raise click.UsageError(
            "--one-vs-rest is for rows with one label each; multi-label rows are learned that way "
            "anyhow, each label against the rest"
        )
    if stack_linear and plain_because:
        raise click.UsageError(
            f"--stack-linear needs a tuned model, and {plain_because[0]} makes a plain one"
        )
    priors: CategoryPrior = {}
    if category_prior is not None:
        priors = read_category_prior(category_prior)
        check_category_prior(priors, category_prior, source, column_roles, _groups(joint))
    likelihoods = choose_likelihoods(
        column_roles,
        joint,
        model,
        {"alpha": alpha, "m": m},
        preprocessing,
        None if plain_because else sample,
        rows.is_multilabel,
        priors,
    )
    description = describe_columns(rows, column_roles, likelihoods)
    if plain_because:
        what = "not tuned" if model in TAKES_ALL else "plain Naive Bayes"
        description += f"; {what} ({plain_because[0]})"
    if rules is not None:
        found = Rules.read(rules.removeprefix(FEATURES))
        texts = [n for n in likelihoods if isinstance(n, str) and column_roles[n].role == "text"]
        columns = tuple(dict.fromkeys(found.reads(rows.columns, texts)))
        listed = ", ".join(f"`{name}`" for name in columns)
        description += f"; {render.counted(len(found), 'rule', 'rules')} on {listed}"
        if rules.startswith(FEATURES):
            likelihoods[columns] = RuleFeatures(found, 1.0 if alpha is None else alpha)
        else:
            options["rules"] = found
    tune = not plain_because
    options |= {"stack_linear": stack_linear, "one_vs_rest": one_vs_rest}
    classifier = Classifier(likelihoods, tune=tune, **options)
    return Prepared(source, rows, column_roles, classifier, description)


def without_target(
    source: Source,
    *,
    text: tuple[str, ...],
    numeric: tuple[str, ...],
    categorical: tuple[str, ...],
    date: tuple[str, ...],
    vectors: tuple[str, ...],
    drop_column: tuple[str, ...],
    missing: tuple[str, ...],
    **_: Any,
) -> Unlabeled:
    """The roles of all columns of a file, none of which is known to be the target."""
    roles = given_roles(
        source,
        text=text,
        numeric=numeric,
        categorical=categorical,
        date=date,
        vectors=vectors,
        drop_column=drop_column,
    )
    options: dict[str, Any] = {"missing": missing} if missing else {}
    sample = unlabeled(source).sample().reading(Classifier(**options).missing)
    column_roles = find_roles(sample, roles)
    _check_given(source, sample, {name: column_roles[name].role for name in roles})
    return Unlabeled(column_roles)


def given_roles(
    source: Source,
    target: str | None = None,
    *,
    text: tuple[str, ...],
    numeric: tuple[str, ...],
    categorical: tuple[str, ...],
    date: tuple[str, ...],
    vectors: tuple[str, ...],
    drop_column: tuple[str, ...],
) -> dict[str, str]:
    """The role of each column that an option names; what makes no sense is refused."""
    given: list[tuple[str, Role]] = [
        *(_prefixed(name, "short:", "short text", "text") for name in text),
        *((name, "numeric") for name in numeric),
        *((name, "categorical") for name in categorical),
        *(_prefixed(name, "day-first:", "day-first date", "date") for name in date),
        *((name, "vector") for name in vectors),
        *((name, "drop") for name in drop_column),
    ]
    roles: dict[str, str] = {}
    for name, role in given:
        option = _option(role, name)
        if roles.setdefault(name, role) != role:
            raise click.UsageError(
                f"{_option(roles[name], name)} and {option}: a column has one role"
            )
        if name not in source.columns:
            raise click.UsageError(
                f"{option}: {source.name} has no such column; {nearest(name, source.columns)}"
            )
        if name == target and role != "drop":
            raise click.UsageError(
                f"{option}: that column has the labels; `--target COL` names another"
            )
    roles.pop(target or "", None)
    return roles


def _prefixed(name: str, prefix: str, there: Role, otherwise: Role) -> tuple[str, Role]:
    """A column, and its role by what stands before its name."""
    return (name.removeprefix(prefix), there if name.startswith(prefix) else otherwise)


def _option(role: str, name: str) -> str:
    """The option that gives a column this role."""
    prefixed = {
        "drop": "--drop-column ",
        "short text": "--text short:",
        "day-first date": "--date day-first:",
        "vector": "--vectors ",
    }
    return f"{prefixed.get(role, f'--{role} ')}{name}"


def _check_given(source: Source, sample: Table, roles: Mapping[str, Role]) -> None:
    """Refuse columns that are given as numeric or dates and are not, as far as a sample tells."""
    checked = {name: role for name, role in roles.items() if role in _CHECKED}
    # A sample is in no order, and the first row that is wrong is named.
    if checked and sample.row_numbers is not None:
        sample = sample.at(np.argsort(sample.row_numbers, kind="stable"))
    for name, role in checked.items():
        try:
            OF_ROLE[role]().read(sample, (name,))
        except DataError as error:
            hint = f"\nhint: `--categorical {name}` treats it as categorical"
            hint = "" if "\nhint:" in str(error) else hint
            raise DataError(f"{_option(role, name)}: {source.name}, {error}{hint}") from None


def choose_likelihoods(
    column_roles: dict[str, ColumnRole],
    joint: tuple[str, ...],
    model: str | None,
    smoothing: Mapping[str, float | None],
    preprocessing: dict[str, Any],
    sample: Table | None,
    is_multilabel: bool = False,
    priors: CategoryPrior | None = None,
) -> dict[Any, Any]:
    """The likelihoods that the library chooses for the columns that a model can read."""
    used = {n: c.role for n, c in column_roles.items() if c.role != "drop"}
    if model is not None:
        used = {name: role for name, role in used.items() if role == READS[model]}
        if not used:
            raise DataError(_unreadable(model, READS[model], column_roles))
    refuse_without_columns(used.values())
    groups = _groups(joint)
    for group in groups:
        _check_joint(group, used)
    _, counts = text_from_options(preprocessing, TextViews().text)
    likelihoods = choose(
        used,
        sample,
        is_multilabel=is_multilabel,
        model=model,
        joint=groups,
        smoothing={name: value for name, value in smoothing.items() if value is not None},
        priors=priors,
        preprocess=lambda text: text_from_options(preprocessing, text)[0],
        counts=counts,
    )
    if not likelihoods:
        raise DataError(f"there is no column to learn from ({reasons(column_roles)})")
    return likelihoods


def _groups(joint: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The columns of each --joint."""
    return [tuple(name.strip() for name in group.split(",")) for group in joint]


def _check_joint(group: tuple[str, ...], used: Mapping[str, Role]) -> None:
    listed = ",".join(group)
    if len(set(group)) != len(group) or len(group) < 2:
        raise DataError(f"--joint {listed}: name two or more different columns, as in wing,weight")
    unused = [name for name in group if name not in used]
    if unused:
        raise DataError(f"--joint {listed}: `{unused[0]}` is not a column that is used")
    roles = {used[name] for name in group}
    if len(roles) > 1 or roles.isdisjoint(("numeric", "categorical")):
        taken = ", ".join(f"`{name}` is {used[name]}" for name in group)
        raise DataError(
            f"--joint {listed}: the columns should be all numeric or all categorical, but {taken}"
            "\nhint: `--numeric COL` and `--categorical COL` set the role of a column"
        )


def _unreadable(model: str, role: str, column_roles: dict[str, ColumnRole]) -> str:
    """The message that a model can read no column: which cell is to blame, or what columns are."""
    odd = next((one.odd for one in column_roles.values() if one.odd is not None), None)
    if role == "numeric" and odd is not None:
        return f"--model {model} reads numbers, but {odd}"
    taken = {"drop": "not used"}
    found = [f"`{n}` is {taken.get(c.role, c.role)}" for n, c in list(column_roles.items())[:4]]
    return (
        f"--model {model} reads {role} columns, and there is none: {', '.join(found)}"
        + (f" and {len(column_roles) - 4:,} more" if len(column_roles) > 4 else "")
        + f"\nhint: `--{role} COL` makes a column {role}"
    )


def describe_columns(
    rows: Labeled, column_roles: dict[str, ColumnRole], likelihoods: Mapping[Any, Any]
) -> str:
    """Which columns hold what, in one sentence."""
    used = {n for key in likelihoods for n in (key if isinstance(key, tuple) else (key,))}
    labels = ", ".join(f"`{name}`" for name in rows.indicator_columns or (rows.target,))
    parts = [f"target {labels}"]
    for role in ROLES:
        names = [n for n, found in column_roles.items() if found.role == role and n in used]
        if names:
            listed = ", ".join(f"`{name}`" for name in names[:_NAMED])
            more = f" and {len(names) - _NAMED:,} more" if names[_NAMED:] else ""
            if any(column_roles[n].commas == "decimal" for n in names):
                more += " (decimal commas)"
            parts.append(f"{role} {listed}{more}")
    unused = [(name, role) for name, role in column_roles.items() if name not in used]
    for name, found in unused[:_NAMED]:
        why = f" ({found.why})" if found.role == "drop" else ""
        parts.append(f"`{name}` not used{why}")
    if unused[_NAMED:]:
        whys = Counter(found.reason for _, found in unused[_NAMED:])
        listed = "; ".join(
            reason if len(whys) == 1 else f"{n:,} {reason}" for reason, n in whys.most_common()
        )
        more = render.counted(whys.total(), "more column", "more columns")
        parts.append(f"{more} not used ({listed})")
    unclear = [name for name, role in column_roles.items() if role.commas == "unclear"]
    if unclear:
        parts.append(
            f"commas in {named(unclear)} are not read as decimal commas (`--decimal ,` does that)"
        )
    unclear = [name for name in used if name in column_roles and column_roles[name].is_unclear_date]
    if unclear:
        parts.append(
            f"dates in {named(unclear)} are taken to have the month first "
            "(`--date day-first:COL` says otherwise)"
        )
    return "; ".join(parts)
