"""What `likely train` found out: the facts, and how they are printed."""

from collections.abc import Iterable
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import likely
from likely import Classifier, Evaluation, render
from likely.cli.label_issues import LabelIssues, label_issue_lines
from likely.cli.options import fitted_lines, progress_bar, status
from likely.cli.top_features import top_feature_lines
from likely.cli.writing import closing_lines, saved
from likely.data.columns import ColumnRole
from likely.data.files import Progress, Source
from likely.data.labels import Label, label_array, plain_list
from likely.evaluation.facts import ClassFigures
from likely.explain.target_leakage import warned
from likely.model.target.decision import ClassThreshold, Costs
from likely.model.target.thresholds import ThresholdCriterion

_SHOWN_ISSUES = 5
# If more labels than this share look wrong, that says more of the model than of the labels.
_MANY_ISSUES = 0.05
# Another accuracy is worth a line if it differs by more than a point.
_POINT = 0.01
_ONE_LABEL_EACH = (
    "every row has exactly one label, so a single-label model would do; if cells hold more than "
    "one, `--label-separator` names what stands between them"
)


def training_result(
    classifier: Classifier,
    column_roles: dict[str, ColumnRole],
    source: Source,
    target: str | None,
    output: str,
) -> dict[str, Any]:
    """Evaluate a fitted model by leave-one-out, then write it; the facts about both."""
    with progress_bar("leave-one-out", source.size) as progress:
        if classifier.is_multilabel:
            parts = list(_loo_batches(classifier, source, target, progress))
            return _multilabel_facts(classifier, parts, output)
        truth, predicted, likeliest = [], [], []
        issues, duplicates = LabelIssues(), 0
        for part in _loo_batches(classifier, source, target, progress):
            truth.append(part.truth)
            predicted.append(part.predicted)
            likeliest.append(part.most_probable)
            duplicates += int(part.has_duplicates.sum())
            issues.add(part)
    labels = label_array(classifier.classes)
    true, given, probable = map(np.concatenate, (truth, predicted, likeliest))
    evaluation = likely.evaluate(
        labels[true],
        labels[given],
        classes=classifier.classes,
        intervals=False,
    )
    unlabeled = classifier.learned
    more = {} if unlabeled is None else {"unlabeled": unlabeled.rows, "weight": unlabeled.weight}
    return {
        "rows": evaluation.rows,
        **more,
        "classes": list(classifier.classes),
        "columns": {name: role.role for name, role in column_roles.items()},
        "accuracy": float(evaluation.accuracy),
        "majority_class": classifier.classes[int(evaluation.confusion.sum(axis=1).argmax())],
        "majority_baseline": float(evaluation.majority_baseline),
        "macro_f1": float(evaluation.macro_f1),
        **_decision_facts(classifier, evaluation, true, given, probable),
        **_model_facts(classifier, output, evaluation),
        "label_issues": issues.listed(source, classifier.columns),
        "label_issue_rows": issues.found,
        **_near_duplicates(classifier, source),
        **_duplicates(classifier, source, target, duplicates),
    }


def _decision_facts(
    classifier: Classifier,
    evaluation: Evaluation,
    truth: NDArray[Any],
    predicted: NDArray[np.intp],
    most_probable: NDArray[np.intp],
) -> dict[str, Any]:
    """What comes of the threshold of a class, or of costs, if the model has any."""
    decision, criterion = classifier.decision, classifier.criterion
    facts: dict[str, Any] = {"decision": None if decision is None else str(decision)}
    if isinstance(decision, Costs):
        matrix = decision.matrix(classifier.classes)
        facts["mean_cost"] = float(matrix[truth, predicted].mean())
        facts["mean_cost_of_most_probable"] = float(matrix[truth, most_probable].mean())
    if isinstance(decision, ClassThreshold) and decision.threshold is not None:
        own = next(one for one in evaluation.per_class if one.label in classifier.thresholds)
        facts |= {
            "criterion": None if criterion is None else str(criterion),
            "thresholds": [[own.label, decision.threshold]],
            "precision": float(own.precision),
            "recall": float(own.recall),
            "short_of_criterion": _short_of(criterion, [own]),
        }
    return facts


def _loo_batches(
    classifier: Classifier, source: Source, target: str | None, progress: Progress | None
) -> Iterable[Any]:
    """The leave-one-out predictions, as they were kept or batch by batch."""
    if classifier.has_loo:
        return [classifier.loo]
    return classifier.leave_one_out_batches(source, target, progress=progress)


def _model_facts(classifier: Classifier, output: str, evaluation: Evaluation) -> dict[str, Any]:
    with status("writing"):
        file = saved(classifier, output)
    rows = classifier.info.rows
    by_size = sorted(classifier.top_features(8).items(), key=lambda one: -rows[one[0]])
    return {
        "tuned_numbers": classifier.tuned_numbers,
        "optimism": classifier.optimism,
        "top": [[label, words] for label, words in by_size],
        "notes": list(classifier.info.notes),
        "warnings": [*evaluation.warnings, *warned(classifier.target_leakage())],
        **file,
    }


def _duplicates(
    classifier: Classifier, source: Source, target: str | None, rows: int
) -> dict[str, Any]:
    """How many rows have exact duplicates, and the accuracy if each is left out alone."""
    if not rows:
        return {"duplicates": 0}
    right = [
        part.rightness for part in classifier.leave_one_out_batches(source, target, alone=True)
    ]
    return {"duplicates": rows, "accuracy_alone": float(np.concatenate(right).mean())}


def _near_duplicates(classifier: Classifier, source: Source) -> dict[str, Any]:
    """How many rows have a near-duplicate, and the accuracy on the others."""
    if not classifier.has_loo or len(classifier.text_columns) != 1:
        return {}
    (name,) = classifier.text_columns
    columns = (table.columns[name] for table in source.batches((name,)))
    texts = [text or "" for column in columns for text in plain_list(column)]
    groups = likely.near_duplicates(texts, threads=classifier.threads)
    alone = np.bincount(groups)[groups] == 1
    right = classifier.loo.take(alone).accuracy if alone.any() else None
    return {"near_duplicates": int((~alone).sum()), "accuracy_without_near_duplicates": right}


def _multilabel_facts(classifier: Classifier, parts: list[Any], output: str) -> dict[str, Any]:
    truth = [labels for part in parts for labels in part.labels]
    evaluation = likely.evaluate(
        truth,
        [labels for part in parts for labels in part.predictions],
        classes=classifier.classes,
        intervals=False,
    )
    facts = _model_facts(classifier, output, evaluation)
    if all(len(labels) == 1 for labels in truth):
        facts["warnings"].insert(0, _ONE_LABEL_EACH)
    return {
        "rows": evaluation.rows,
        "classes": list(classifier.classes),
        "is_multilabel": True,
        "together": classifier.leaves_duplicates_together,
        "criterion": None if classifier.criterion is None else str(classifier.criterion),
        "micro_f1": float(evaluation.micro_f1),
        "micro_precision": float(evaluation.micro_precision),
        "micro_recall": float(evaluation.micro_recall),
        "short_of_criterion": _short_of(classifier.criterion, evaluation.per_class),
        "macro_f1": float(evaluation.macro_f1),
        "accuracy": float(evaluation.accuracy),
        "majority_baseline": float(evaluation.majority_baseline),
        "majority": evaluation.commonest,
        "thresholds": [[label, bar] for label, bar in classifier.thresholds.items()],
        **facts,
    }


def _short_of(
    criterion: ThresholdCriterion | None, per_class: Iterable[ClassFigures]
) -> list[Label] | None:
    """The labels that do not reach the precision or recall that was asked for."""
    if criterion is None or criterion.least is None:
        return None
    figures = ((one.label, one.rows, getattr(one, criterion.name)) for one in per_class)
    return [label for label, rows, figure in figures if rows and figure < criterion.least]


def training_summary(result: dict[str, Any]) -> str:
    """The facts for people: figures, most informative features, possible label errors, the file."""
    is_multilabel = "is_multilabel" in result
    figures = _multilabel_figures(result) if is_multilabel else _figures(result)
    optimism = [f"{result['optimism']}; `likely cv` measures it"] if result["optimism"] else []
    return "\n".join(
        [
            *figures,
            *optimism,
            "",
            *top_feature_lines(result["top"], "labels" if is_multilabel else "classes"),
            *_label_issues(result),
            *closing_lines(result),
        ]
    )


def _figures(result: dict[str, Any]) -> list[str]:
    method, rows = "leave-one-out", f"{result['rows']:,} rows"
    if result.get("weight"):
        method, rows = "cross-validation", f"{result['rows']:,} labeled rows"
    if result["duplicates"]:
        rows += ", exact duplicates together"
    lines = fitted_lines(
        f"{method} accuracy {_bold(render.tenth(result['accuracy']))} ({rows})",
        f"majority baseline {render.tenth(result['majority_baseline'])} "
        f"({render.name(result['majority_class'])})",
        f"macro-F1 {result['macro_f1']:.2f}",
    )
    for key, how in (
        (
            "accuracy_alone",
            f"with {result['duplicates']:,} exact duplicates left out one by one",
        ),
        (
            "accuracy_without_near_duplicates",
            f"without the {result.get('near_duplicates', 0):,} rows that have a near-duplicate",
        ),
    ):
        other = result.get(key)
        if other is not None and abs(other - result["accuracy"]) > _POINT:
            lines.append(f"{render.tenth(other)} {how}")
    if result["decision"] is not None:
        lines.append(f"{result['decision']}{_decided(result)}")
    return lines


def _decided(result: dict[str, Any]) -> str:
    """What came of a decision."""
    if "mean_cost" in result:
        other = result["mean_cost_of_most_probable"]
        return f"; mean cost {result['mean_cost']:.3g}, of the most probable class {other:.3g}"
    if "thresholds" not in result:
        return ""
    short = "; it does not reach that" if result["short_of_criterion"] else ""
    return f": precision {result['precision']:.3f}, recall {result['recall']:.3f}{short}"


def _multilabel_figures(result: dict[str, Any]) -> list[str]:
    rows = f"{result['rows']:,} rows" + (
        ", exact duplicates together" if result["together"] else ""
    )
    majority = result["majority"].replace("`", "")
    micro = _bold(f"{result['micro_f1']:.2f}")
    lines = fitted_lines(
        f"leave-one-out micro-F1 {micro} ({rows})",
        f"macro-F1 {result['macro_f1']:.2f} "
        f"({render.counted(len(result['classes']), 'label', 'labels')})",
        f"subset accuracy {render.tenth(result['accuracy'])}",
        f"majority baseline {render.tenth(result['majority_baseline'])} ({majority})",
    )
    if result["criterion"] is None:
        return [*lines, "thresholds are 0.5; `--thresholds f1` chooses them"]
    return [*lines, f"thresholds chosen for {result['criterion']}{_reached(result)}"]


def _reached(result: dict[str, Any]) -> str:
    """Whether the precision or recall that was asked for is reached."""
    short = result["short_of_criterion"]
    if short is None:
        return ""
    name = result["criterion"].partition(">=")[0]
    labels = render.counted(len(short), "label does", "labels do")
    reached = f"{labels} not reach it" if short else "every label reaches it"
    return f": micro-{name} {result[f'micro_{name}']:.3f}, {reached}"


def _label_issues(result: dict[str, Any]) -> list[str]:
    """The labels that are least probable without their row."""
    if not result.get("label_issues"):
        return []
    n = result["label_issue_rows"]
    head = f"Possible label errors: {render.counted(n, 'row', 'rows')} with P(label) below 1 %"
    if n > _MANY_ISSUES * result["rows"]:
        head = "Possible label errors, the least probable labels first"
    shown = result["label_issues"][:_SHOWN_ISSUES]
    left = n - len(shown)
    more = [f"  {left:,} more; `--json` lists {'it' if left == 1 else 'them'}"] if left else []
    return [head, "", *label_issue_lines(shown), *more, ""]


def _bold(figure: str) -> str:
    return click.style(figure, bold=True)
