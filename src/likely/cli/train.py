"""`likely train`."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

import likely
from likely import (
    Categorical,
    Classifier,
    Evaluation,
    Gaussian,
    JointTable,
    Plan,
    Polarity,
    RuleFeatures,
    Rules,
    Text,
    TextViews,
    render,
)
from likely.cli.label_issues import LabelIssues, suspicious_lines
from likely.cli.models import MODELS, READS, refuse_unheeded, refuse_without_columns
from likely.cli.multilabel import multilabel_result, multilabel_summary, optimism_lines
from likely.cli.options import (
    asked,
    at_work,
    check_columns,
    check_output,
    file_options,
    force_option,
    json_option,
    load_plan,
    prior_option,
    progress_bar,
    say,
    threads_option,
)
from likely.cli.origin import note_origin, sidecar
from likely.cli.paths import Command, Input, Output
from likely.cli.text_options import reading_of, reading_options
from likely.cli.top_features import speaking
from likely.cli.writing import ending, saved
from likely.data.columns import ColumnRole, Role, find_roles, nearest, reasons
from likely.data.files import (
    Invalid,
    NoRows,
    Progress,
    Source,
    has_no_lines,
    open_table,
)
from likely.data.labeled import Labeled, Without, labeled
from likely.data.labels import label_array, plain_list
from likely.data.table import DecimalMark, Table, named
from likely.errors import DataError
from likely.explain.target_leakage import warned
from likely.likelihoods import TEXT_VIEWS, AnyLikelihood
from likely.model.target import ThresholdCriterion

# What a column is, by what a plan counts in it.
_ROLE_COUNTED: dict[str, Role] = {
    "text": "text",
    "polarity": "text",
    "rules": "text",
    "numbers": "numeric",
    "categories": "categorical",
    "joint categories": "categorical",
}

# The option that gives a column its role.
OPTIONS = {role: f"--{role}" for role in ("text", "numeric", "categorical")} | {
    "drop": "--drop-column"
}

_MOST_CLASSES = 100
# So many columns are named; of the others it is said how many they are.
_NAMED = 8
_TAKEN = {"text": "text", "numeric": "numeric", "categorical": "categorical", "drop": "not used"}
_SHOWN_SUSPECTS = 5
_NOT_NAIVE = ("lda", "qda", "joint")
_MANY_SUSPECTS = 0.05
_A_POINT = 0.01


@click.command(cls=Command, no_args_is_help=True)
@click.argument("data", type=Input(allow_dash=True))
@click.option("-o", "--output", type=Output(), help="The model file to write.")
@click.option(
    "--plan",
    "plan_file",
    metavar="FILE",
    type=Input(dir_okay=False),
    help="Count what `likely plan` settled; it replaces all options about columns, how they are "
    "read, and likelihoods.",
)
@click.option(
    "--target",
    metavar="COL[,COL…]",
    help="The column with the labels; or a column of 0 and 1 for each label.",
)
@click.option("--multilabel", is_flag=True, help="A row may have any number of labels, or none.")
@click.option(
    "--label-separator",
    metavar="TEXT",
    help="What separates the labels in a cell.  [default: ; or JSON]",
)
@click.option(
    "--thresholds",
    metavar="GOAL",
    type=Input("costs:"),
    help="What the threshold of each of several labels is for: f1, precision>=0.9, recall>=0.8, "
    "or costs:FILE, a table of label, miss and false_alarm.  [default: f1; with --plain, one half]",
)
@click.option("--text", metavar="COL", multiple=True, help="Take a column as text.")
@click.option("--numeric", metavar="COL", multiple=True, help="Take a column as numbers.")
@click.option("--categorical", metavar="COL", multiple=True, help="Take a column as categories.")
@click.option("--drop-column", metavar="COL", multiple=True, help="Leave a column out.")
@click.option(
    "--drop-label", metavar="LABEL", multiple=True, help="Leave out the rows with this label."
)
@click.option(
    "--joint",
    metavar="COL,COL",
    multiple=True,
    help="Columns that share one likelihood: a covariance, or a joint table.",
)
@click.option(
    "--model",
    metavar="NAME",
    type=click.Choice(MODELS),
    help="One model for all columns it can read, in place of what suits each: "
    f"{', '.join(MODELS)}.",
)
@click.option(
    "--plain",
    is_flag=True,
    help="Plain Naive Bayes: all evidence counts fully. So it does with --model, --alpha, --m, "
    "--tfidf or --stop-words top:N.",
)
@click.option(
    "--stack-linear",
    is_flag=True,
    help="Weigh in a linear model of each text: more often right, but not exact under forget.",
)
@click.option(
    "--alpha", metavar="N", type=float, help="Added to every count.  [default: 1 for texts]"
)
@click.option(
    "--m",
    "m",
    metavar="N",
    type=float,
    help="So many imagined rows smooth the shares of categories.  [default: 1]",
)
@click.option(
    "--unlabeled",
    metavar="FILE",
    type=Input(allow_dash=True),
    help="More rows, without labels, to learn from.",
)
@click.option(
    "--unlabeled-weight",
    metavar="auto|W",
    default="auto",
    show_default=True,
    help="What an unlabeled row counts, from 0 to 1.",
)
@reading_options
@click.option(
    "--rules",
    metavar="FILE",
    type=Input(),
    help="Rules, in TOML, that overrule what is learned.",
)
@click.option(
    "--rules-as",
    metavar="HOW",
    type=click.Choice(["overruling", "evidence"]),
    help="Rules decide (overruling), or are counted like anything else (evidence).  "
    "[default: overruling]",
)
@prior_option
@click.option(
    "--missing",
    metavar="TEXT",
    multiple=True,
    help="How a missing cell is spelled, if not as nothing, ?, NA or NaN.",
)
@threads_option
@file_options
@click.option(
    "--dry-run", is_flag=True, help="Only say what every column is taken for; write nothing."
)
@click.option(
    "--provenance",
    is_flag=True,
    help="Note file, date and version beside the model, in MODEL.json.",
)
@click.option(
    "--report", metavar="FILE", type=Output(), help="Also write a page about the model, HTML."
)
@force_option
@json_option
def train(
    data: str,
    output: str | None,
    unlabeled: str | None,
    unlabeled_weight: str,
    threads: int | None,
    encoding: str,
    decimal: DecimalMark | None,
    dry_run: bool,
    provenance: bool,
    report: str | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn from DATA: a table with a column of labels, and texts, numbers, categories beside it.

    DATA is a CSV, TSV, JSONL, Parquet, Arrow or ARFF file, fastText's lines, or a folder with a
    folder of texts for each class; plain, .gz or .zst; `-` is standard input. It may be larger than
    memory. The accuracy printed is leave-one-out: each row is predicted by counts without it, and
    without exact duplicates of its text unless the model is plain; no data is held out. Of a plain
    model that is exact, as if trained without the row; weights that are tuned have seen the row,
    which is said where rows are few. `likely cv` tunes without each fold.

    \b
      likely train reviews.csv -o reviews.likely
      likely train birds.csv -o birds.likely --target bird --joint wing,weight
      likely train news.csv -o news.likely --target topics --multilabel
      likely train moods.csv -o moods.likely --target joy,anger,fear
      likely train reviews.csv --dry-run
      likely train reviews.csv --plan plan.json -o reviews.likely
    """
    if unlabeled is None and unlabeled_weight != "auto":
        raise click.UsageError("--unlabeled-weight is for the rows that --unlabeled names")
    if not dry_run and output is None:
        raise click.UsageError("-o MODEL says where the model goes")
    if output is not None and not dry_run:
        check_output(output, force)
        if provenance:
            check_output(sidecar(output), force)
        if report is not None:
            check_output(report, force)
    planned = prepared(data, encoding, decimal, **options)
    source = planned.source
    if dry_run:
        click.echo(
            json.dumps(planned.to_json(), ensure_ascii=False) if as_json else planned.table()
        )
        return
    assert output is not None
    say(f"{source.name}: {planned.said}")
    classifier = planned.classifier
    classifier.threads = threads or os.cpu_count() or 1
    more: dict[str, Any] = {}
    if unlabeled is not None:
        more["unlabeled"] = open_table(unlabeled, encoding=encoding, decimal=decimal)
        more["unlabeled_weight"] = _weight(unlabeled_weight)
    with progress_bar("learning", source.size) as progress:
        classifier.fit(source, planned.rows.target, progress=progress, **more)
    warn_of_labels_not_met(source)
    if classifier.learned is not None:
        say(f"{unlabeled}: {classifier.learned}")
    _check_classes(classifier, options["prior"])
    if classifier.is_multilabel:
        with progress_bar("leaving out", source.size) as progress:
            parts = list(_left_out(classifier, source, planned.rows.target, progress))
        with at_work("writing"):
            found = multilabel_result(classifier, parts, saved(classifier, output))
        if provenance:
            note_origin(output, source, classifier)
        click.echo(json.dumps(found, ensure_ascii=False) if as_json else multilabel_summary(found))
        _report(classifier, planned, report, output)
        return
    truth, said, suspects, duplicates = [], [], LabelIssues(), 0
    with progress_bar("leaving out", source.size) as progress:
        for part in _left_out(classifier, source, planned.rows.target, progress):
            truth.append(part.truth)
            said.append(part.predicted)
            duplicates += int(part.has_duplicates.sum())
            suspects.look(part)
    labels = label_array(classifier.classes)
    judged = likely.evaluate(
        labels[np.concatenate(truth)],
        labels[np.concatenate(said)],
        classes=classifier.classes,
        intervals=False,
    )
    with at_work("writing"):
        result = _result(classifier, planned.column_roles, judged, saved(classifier, output))
    result["label_issues"] = suspects.shown(source, classifier.columns)
    result["label_issue_rows"] = suspects.found
    result.update(_near_duplicates(classifier, source))
    result.update(_duplicates(classifier, source, planned.rows.target, duplicates))
    if provenance:
        note_origin(output, source, classifier)
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else _summary(result))
    _report(classifier, planned, report, output)


def _report(classifier: Classifier, planned: "Prepared", report: str | None, output: str) -> None:
    """Write the page about the model, if one was asked for."""
    if report is not None:
        from likely.cli.report import of_training

        of_training(classifier, planned.source, planned.rows.target, report, output)


def _left_out(
    classifier: Classifier, source: Source, target: str | None, progress: Progress | None
) -> Iterable[Any]:
    """The predictions of the rows without themselves, as they were kept or batch by batch."""
    if classifier.has_loo:
        return [classifier.loo]
    return classifier.leave_one_out_batches(source, target, progress=progress)


@dataclass(frozen=True)
class Prepared:
    """What is to be learned from a file: where the labels are, and which model suits the rest."""

    source: Source
    rows: Labeled
    column_roles: dict[str, ColumnRole]
    classifier: Classifier
    said: str

    @property
    def plan(self) -> Plan:
        """What is counted, and how, with why each column was taken for what it is."""
        settled = self.classifier.plan(self.source, self.rows.target)
        return replace(settled, column_roles=tuple(self.column_roles.items()))

    def to_json(self) -> dict[str, Any]:
        columns = {
            name: {"kind": role.role, "why": role.why, "used": name in self.classifier.columns}
            for name, role in self.column_roles.items()
        }
        return {"target": self.rows.target, "columns": columns}

    def table(self) -> str:
        """A line for each column."""
        lines = [(name, "label", "1 where a row has it") for name in self.rows.indicator_columns]
        if not lines:
            lines = [(str(self.rows.target), "target", "the labels")]
        for name, role in self.column_roles.items():
            unused = role.role != "drop" and name not in self.classifier.columns
            lines.append((name, "not used" if unused else role.role, role.why))
        return render.Table(("column", "taken as", "because"), lines, left=3).text()


def prepared(
    data: str,
    encoding: str,
    decimal: DecimalMark | None,
    *,
    plan_file: str | None = None,
    **options: Any,
) -> Prepared:
    """What is to be learned from a file, as a plan says or as a look at the file tells."""
    if plan_file is None:
        return looked_at(open_table(data, encoding=encoding, decimal=decimal), **options)
    return _by_plan(data, encoding, decimal, plan_file, **options)


def _by_plan(
    data: str,
    encoding: str,
    decimal: DecimalMark | None,
    plan_file: str,
    *,
    thresholds: str | None,
    drop_label: tuple[str, ...],
    stack_linear: bool,
    rules: str | None,
    rules_as: str | None,
    prior: Any,
    **settled: Any,
) -> Prepared:
    clash = asked(settled) + (["--rules-as evidence"] if rules_as == "evidence" else [])
    if clash:
        raise click.UsageError(
            f"{clash[0]} clashes with --plan, which settles what is counted and how\n"
            f"hint: `likely plan DATA {clash[0]} …` makes a plan of it"
        )
    plan = load_plan(plan_file)
    _check_rules(rules, rules_as)
    if stack_linear and not plan.tunes:
        raise click.UsageError(
            f"--stack-linear is tuned with the rest, and {plan_file} is the plan of a model that "
            "is not tuned"
        )
    options: dict[str, Any] = {} if prior is None else {"prior": prior}
    options |= {} if rules is None else {"rules": Rules.read(rules)}
    is_multilabel = plan.product.is_multilabel
    options |= _thresholds_of(thresholds, is_multilabel)
    if is_multilabel and drop_label:
        raise click.UsageError(_ONE_LABEL_LEFT_OUT)
    classifier = Classifier(plan, stack_linear=stack_linear, **options)
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
    said = _said(rows, column_roles, plan.product.by_column) + f"; as {plan_file} says"
    said += "" if plan.tunes else "; not tuned"
    return Prepared(source, rows, column_roles, classifier, said)


def warn_of_labels_not_met(source: Source) -> None:
    """Say so if rows of a label were to be left out and there are none: a part may have none."""
    if isinstance(source, Without) and source.not_met:
        say(f"warning: {_not_met(source)}")


def _not_met(source: Without) -> str:
    return f"--drop-label {source.not_met[0]}: no row of {source.name} has that label"


_ONE_LABEL_LEFT_OUT = "--drop-label is for rows with one label each"


def _check_rules(rules: str | None, rules_as: str | None) -> None:
    if rules is None and rules_as is not None:
        raise click.UsageError("--rules-as is for the rules that --rules FILE names")


def _thresholds_of(thresholds: str | None, is_multilabel: bool) -> dict[str, Any]:
    """The criterion of thresholds, if there is one and there are such."""
    if thresholds is None:
        return {}
    if not is_multilabel:
        raise click.UsageError(
            "--thresholds is for rows with several labels\n"
            "hint: `--target COL --multilabel` names a column that holds several in a cell"
        )
    return {"thresholds": ThresholdCriterion.read(thresholds)}


def looked_at(
    source: Source,
    *,
    target: str | None,
    multilabel: bool,
    label_separator: str | None,
    thresholds: str | None,
    text: tuple[str, ...],
    numeric: tuple[str, ...],
    categorical: tuple[str, ...],
    drop_column: tuple[str, ...],
    drop_label: tuple[str, ...],
    joint: tuple[str, ...],
    model: str | None,
    plain: bool,
    stack_linear: bool,
    alpha: float | None,
    m: float | None,
    rules: str | None,
    rules_as: str | None,
    prior: Any,
    missing: tuple[str, ...],
    **reading: Any,
) -> Prepared:
    """Look at a file and settle what is to be learned."""
    refuse_unheeded(model)
    _check_rules(rules, rules_as)
    if label_separator is not None and not multilabel:
        raise click.UsageError("--label-separator is for rows with several labels: --multilabel")
    separator = (label_separator or ";") if multilabel else None
    if drop_label:
        source = Without(source, labeled(source, target).target or "", drop_label)
    rows = labeled(source, target, separator)
    if rows.indicator_columns and label_separator is not None:
        raise click.UsageError(
            "--label-separator is for one column whose cells hold several labels, and --target names "
            f"{len(rows.indicator_columns)} columns, one for each label"
        )
    options: dict[str, Any] = {"missing": missing} if missing else {}
    if rows.is_multilabel:
        if drop_label:
            raise click.UsageError(_ONE_LABEL_LEFT_OUT)
        options |= {"separator": rows.separator}
    options |= _thresholds_of(thresholds, rows.is_multilabel)
    if prior is not None:
        options["prior"] = prior
    kinds = {"text": text, "numeric": numeric, "categorical": categorical, "drop": drop_column}
    given: dict[str, str] = {}
    for name, kind in ((name, kind) for kind, names in kinds.items() for name in names):
        if given.setdefault(name, kind) != kind:
            raise click.UsageError(
                f"{OPTIONS[given[name]]} {name} and {OPTIONS[kind]} {name}: a column is taken as one of them"
            )
        if name not in source.columns:
            known = nearest(name, source.columns)
            raise click.UsageError(
                f"{OPTIONS[kind]} {name}: {source.name} has no such column; {known}"
            )
        if name == rows.target and kind != "drop":
            raise click.UsageError(
                f"{OPTIONS[kind]} {name}: that column has the labels; `--target COL` names another"
            )
    groups = [tuple(name.strip() for name in group.split(",")) for group in joint]
    sample = rows.sample().reading(Classifier(**options).missing)
    if isinstance(source, Without) and source.not_met:
        raise DataError(_not_met(source))
    _check_numbers(source, sample, [name for name in numeric if name != rows.target])
    column_roles = find_roles(sample, {name: k for name, k in given.items() if name != rows.target})
    _, looks = reading_of(reading, TextViews().text)
    is_plain = bool(plain or model) or alpha is not None or m is not None
    tune = not (is_plain or looks)
    if stack_linear and not tune:
        raise click.UsageError(
            "--stack-linear is weighed with the rest, and with --plain, --model, --alpha, --m, "
            "--tfidf or --stop-words top:N nothing is weighed"
        )
    views = sample if tune else None
    likelihoods = likelihoods_of(
        column_roles, groups, model, alpha, m, reading, views, rows.is_multilabel
    )
    said = _said(rows, column_roles, likelihoods)
    if not tune:
        asks = {
            "--plain": plain,
            f"--model {model}": model,
            "--alpha": alpha is not None,
            "--m": m is not None,
            "--tfidf": "tfidf" in looks,
            f"--stop-words {reading['stop_words']}": looks,
        }
        what = "not tuned" if model in _NOT_NAIVE else "plain Naive Bayes"
        said += f"; {what}, for {next(option for option, given in asks.items() if given)}"
    if rules is not None:
        found = Rules.read(rules)
        read = found.reads(rows.columns, [n for n in likelihoods if _is_text(column_roles, n)])
        read = tuple(dict.fromkeys(read))
        rule = "1 rule" if len(found) == 1 else f"{len(found)} rules"
        said += f"; {rule} on {', '.join(f'`{name}`' for name in read)}"
        if rules_as == "evidence":
            likelihoods[read] = RuleFeatures(found, 1.0 if alpha is None else alpha)
        else:
            options["rules"] = found
    classifier = Classifier(likelihoods, tune=tune, stack_linear=stack_linear, **options)
    return Prepared(source, rows, column_roles, classifier, said)


def _check_numbers(source: Source, sample: Table, names: list[str]) -> None:
    """Refuse columns that are to be numbers and are none, as far as a sample tells."""
    for name in names:
        try:
            sample.numbers((name,))
        except DataError as error:
            hint = f"\nhint: `--categorical {name}` takes it as categories"
            hint = "" if "\nhint:" in str(error) else hint
            raise DataError(f"--numeric {name}: {source.name}, {error}{hint}") from None


def _weight(given: str) -> Any:
    try:
        return given if given == "auto" else float(given)
    except ValueError:
        raise click.UsageError(f"--unlabeled-weight {given}: it is auto, or a number") from None


def likelihoods_of(
    column_roles: dict[str, ColumnRole],
    groups: list[tuple[str, ...]],
    model: str | None,
    alpha: float | None,
    m: float | None,
    reading: dict[str, Any],
    sample: Table | None,
    is_multilabel: bool = False,
) -> dict[Any, Any]:
    """The likelihood of each column, or of columns that share one; texts in views, by a sample."""
    counted: dict[str, Any] = {} if alpha is None or m is not None else {"alpha": alpha}
    if m is not None:
        counted["m"] = m
    view = TEXT_VIEWS[model] if model in TEXT_VIEWS else TEXT_VIEWS["multinomial"]
    shared: dict[str, AnyLikelihood] = {
        "numeric": Gaussian("full"),
        "categorical": JointTable(**counted),
    }
    if model in ("lda", "qda"):
        shared["numeric"] = Gaussian("shared" if model == "lda" else "full")

    def of_text(name: str) -> list[AnyLikelihood]:
        if sample is None:
            text, looks = reading_of(reading, Text())
            found: list[AnyLikelihood] = [view(1.0 if alpha is None else alpha, text=text, **looks)]
        else:
            suited = TextViews.of_texts(sample.texts((name,)), is_multilabel).text
            text, _ = reading_of(reading, suited)
            found = [TextViews(text=text)]
        if text.lexicon is not None and text.lexicon.is_polar and view.takes_prior:
            found.append(Polarity(text.lexicon, negation=text.negation, normalize=text.normalize))
        return found

    of_kind: dict[str, Any] = {
        "numeric": Gaussian(),
        "categorical": Categorical(**counted),
    }
    if model in ("lda", "qda", "joint"):
        of_kind.update(shared)
    used = {n: c.role for n, c in column_roles.items() if c.role != "drop"}
    if model is not None:
        used = {name: kind for name, kind in used.items() if kind == READS[model]}
        if not used:
            raise DataError(_none_of_the_kind(model, READS[model], column_roles))
    refuse_without_columns(used.values())
    if model in ("lda", "qda", "joint") and not groups and len(used) > 1:
        groups = [tuple(used)]
    likelihoods: dict[Any, Any] = {}
    for group in groups:
        if len(set(group)) != len(group) or len(group) < 2:
            raise DataError(
                f"--joint {','.join(group)}: it takes two different columns or more, "
                "as in wing,weight"
            )
        strangers = [name for name in group if name not in used]
        if strangers:
            raise DataError(f"`{strangers[0]}` is no column that is used; --joint names those")
        kinds = {used[name] for name in group}
        if len(kinds) > 1 or "text" in kinds:
            taken = ", ".join(f"`{name}` is {used[name]}" for name in group)
            raise DataError(
                f"--joint {','.join(group)}: they are to be all numbers or all categories, but "
                f"{taken}\nhint: `--numeric COL` and `--categorical COL` say what a column is"
            )
        likelihoods[group] = shared[kinds.pop()]
        for name in group:
            used.pop(name)
    for name, kind in used.items():
        likelihoods[name] = of_text(name) if kind == "text" else of_kind[kind]
    if not likelihoods:
        raise DataError(f"there is no column to learn from ({reasons(column_roles)})")
    return likelihoods


def _none_of_the_kind(model: str, kind: str, column_roles: dict[str, ColumnRole]) -> str:
    """That no column suits a model: the cell that is to blame, if one is, or what they are."""
    odd = next((role.odd for role in column_roles.values() if role.odd is not None), None)
    if kind == "numeric" and odd is not None:
        return f"--model {model} reads numbers, but {odd}"
    found = [f"`{name}` is {_TAKEN[role.role]}" for name, role in list(column_roles.items())[:4]]
    return (
        f"there is no {_TAKEN[kind]} column, which --model {model} reads: {', '.join(found)}"
        + (f" and {len(column_roles) - 4:,} more" if len(column_roles) > 4 else "")
        + f"\nhint: `--{kind} COL` says that a column is one"
    )


def _is_text(column_roles: dict[str, ColumnRole], name: Any) -> bool:
    return isinstance(name, str) and column_roles[name].role == "text"


def _said(
    rows: Labeled, column_roles: dict[str, ColumnRole], likelihoods: Mapping[Any, Any]
) -> str:
    """What was found in which column, in one sentence."""
    used = {n for key in likelihoods for n in (key if isinstance(key, tuple) else (key,))}
    said = [
        f"labels in {', '.join(f'`{name}`' for name in rows.indicator_columns or (rows.target,))}"
    ]
    for kind, word in (("text", "text"), ("numeric", "numbers"), ("categorical", "categories")):
        names = [n for n, role in column_roles.items() if role.role == kind and n in used]
        if names:
            more = f" and {len(names) - _NAMED:,} more" if names[_NAMED:] else ""
            more += (
                " (decimal commas)"
                if any(column_roles[n].commas == "decimal" for n in names)
                else ""
            )
            said.append(f"{word} in {', '.join(f'`{name}`' for name in names[:_NAMED])}{more}")
    unused = [(name, role) for name, role in column_roles.items() if name not in used]
    for name, role in unused[:_NAMED]:
        why = f" ({role.why})" if role.role == "drop" else ""
        said.append(f"`{name}` not used{why}")
    if unused[_NAMED:]:
        whys = Counter(role.reason for _, role in unused[_NAMED:])
        listed = "; ".join(
            reason if len(whys) == 1 else f"{n:,} {reason}" for reason, n in whys.most_common()
        )
        more = render.counted(whys.total(), "more column", "more columns")
        said.append(f"{more} not used ({listed})")
    unclear = [name for name, role in column_roles.items() if role.commas == "unclear"]
    if unclear:
        said.append(
            f"commas in {named(unclear)} are not taken for decimal ones: `--decimal ,` says so"
        )
    return "; ".join(said)


def _check_classes(classifier: Classifier, prior: Any) -> None:
    named = prior if isinstance(prior, dict) else {}
    unseen = [label for label in named if label not in classifier.tally.classes]
    if unseen:
        raise DataError(
            f"--prior speaks of `{unseen[0]}`, which no row has; "
            + nearest(unseen[0], map(str, classifier.tally.classes))
        )
    different, rows = len(classifier.classes), classifier.tally.n_rows
    if different > _MOST_CLASSES and different * 2 > rows:
        raise DataError(
            f"{different:,} of the {rows:,} labels in `{classifier.target}` are different; "
            "is it really the target?"
        )


def _result(
    classifier: Classifier,
    column_roles: dict[str, ColumnRole],
    judged: Evaluation,
    file: dict[str, Any],
) -> dict[str, Any]:
    rows_of = judged.confusion.sum(axis=1)
    common, learned = int(rows_of.argmax()), classifier.learned
    more = {} if learned is None else {"unlabeled": learned.rows, "weight": learned.weight}
    return {
        "rows": judged.rows,
        **more,
        "classes": list(classifier.classes),
        "columns": {name: role.role for name, role in column_roles.items()},
        "accuracy": float(judged.accuracy),
        "majority_class": classifier.classes[common],
        "majority_baseline": float(judged.majority_baseline),
        "macro_f1": float(judged.macro_f1),
        "tuned_numbers": classifier.tuned_numbers,
        "optimism": classifier.optimism,
        "top": [[label, words] for label, words in classifier.top_features(8).items()],
        "notes": list(classifier.info.notes),
        "warnings": [*judged.warnings, *warned(classifier.target_leakage())],
        **file,
    }


def _summary(result: dict[str, Any]) -> str:
    accuracy = click.style(render.tenth(result["accuracy"]), bold=True)
    judged, what = "leave-one-out", f"{result['rows']:,} rows"
    if result.get("weight"):
        judged, what = "cross-validation", f"{result['rows']:,} labeled rows"
    if result["duplicates"]:
        what += ", exact duplicates together"
    speaks = speaking(result["top"], "classes")
    return "\n".join(
        [
            "",
            f"  {judged} accuracy {accuracy} ({what}) · majority baseline "
            f"{render.tenth(result['majority_baseline'])} ({result['majority_class']}) · "
            f"macro-F1 {result['macro_f1']:.2f}",
            *optimism_lines(result),
            *_alone(result),
            *_twins(result),
            "",
            *speaks,
            *_suspicious(result),
            *ending(result),
        ]
    )


def _duplicates(
    classifier: Classifier, source: Source, target: str | None, rows: int
) -> dict[str, Any]:
    """How many rows were left out with exact duplicates, and the accuracy if each is alone."""
    if not rows:
        return {"duplicates": 0}
    right = [
        part.rightness for part in classifier.leave_one_out_batches(source, target, alone=True)
    ]
    return {"duplicates": rows, "accuracy_alone": float(np.concatenate(right).mean())}


def _alone(result: dict[str, Any]) -> list[str]:
    """What leaving duplicates out together makes of the accuracy, if it is more than a point."""
    alone = result.get("accuracy_alone")
    if alone is None or abs(alone - result["accuracy"]) <= _A_POINT:
        return []
    return [
        f"  {render.tenth(alone)} with each row left out alone; "
        f"{result['duplicates']:,} rows have exact duplicates"
    ]


def _near_duplicates(classifier: Classifier, source: Source) -> dict[str, Any]:
    """How many rows have a near copy, and how often the others are right."""
    if not classifier.has_loo or len(classifier.text_columns) != 1:
        return {}
    (name,) = classifier.text_columns
    columns = (table.columns[name] for table in source.batches((name,)))
    texts = [text or "" for column in columns for text in plain_list(column)]
    groups = likely.near_duplicates(texts, threads=classifier.threads)
    alone = np.bincount(groups)[groups] == 1
    right = classifier.loo.take(alone).accuracy if alone.any() else None
    return {"near_duplicates": int((~alone).sum()), "accuracy_without_near_duplicates": right}


def _twins(result: dict[str, Any]) -> list[str]:
    """What the accuracy owes to rows that are nearly the same."""
    right = result.get("accuracy_without_near_duplicates")
    if not result.get("near_duplicates") or right is None:
        return []
    rows = f"{result['near_duplicates']:,} rows"
    return [f"  {render.tenth(right)} without the {rows} that have a near-duplicate"]


def _suspicious(result: dict[str, Any]) -> list[str]:
    """The labels that the other rows contradict most."""
    if not result["label_issues"]:
        return []
    n = result["label_issue_rows"]
    head = "1 label" if n == 1 else f"{n:,} labels"
    head += f" to look at again: the other rows give {'it' if n == 1 else 'them'} less than 1 %"
    if n > _MANY_SUSPECTS * result["rows"]:
        # So many say more of the model, which is too sure of itself, than of the labels.
        head = "The labels that the other rows contradict most"
    shown = result["label_issues"][:_SHOWN_SUSPECTS]
    left = n - len(shown)
    more = [f"  {left:,} more; `--json` lists {'it' if left == 1 else 'them'}"] if left else []
    return [head, "", *suspicious_lines(shown), *more, ""]
