"""What `likely train` prints of rows with any number of labels."""

from typing import Any

import click

import likely
from likely import Classifier, Evaluation, render
from likely.cli.top_features import speaking
from likely.cli.writing import ending
from likely.data.labels import Label
from likely.explain.target_leakage import warned
from likely.model.loo_predictions import MultiLabelLeaveOneOutPredictions
from likely.model.target import ThresholdCriterion


def multilabel_result(
    classifier: Classifier, parts: list[MultiLabelLeaveOneOutPredictions], file: dict[str, Any]
) -> dict[str, Any]:
    """The facts, as they are printed or given to programs; those of the file come last."""
    judged = likely.evaluate(
        [labels for part in parts for labels in part.labels],
        [labels for part in parts for labels in part.predictions],
        classes=classifier.classes,
        intervals=False,
    )
    return {
        "rows": judged.rows,
        "classes": list(classifier.classes),
        "is_multilabel": True,
        "together": classifier.leaves_duplicates_together,
        "criterion": None if classifier.criterion is None else str(classifier.criterion),
        "micro_f1": float(judged.micro_f1),
        "micro_precision": float(judged.micro_precision),
        "micro_recall": float(judged.micro_recall),
        "short_of_criterion": _short_of(classifier.criterion, judged),
        "tuned_numbers": classifier.tuned_numbers,
        "optimism": classifier.optimism,
        "macro_f1": float(judged.macro_f1),
        "accuracy": float(judged.accuracy),
        "majority_baseline": float(judged.majority_baseline),
        "majority": judged.commonest,
        "thresholds": [[label, bar] for label, bar in classifier.thresholds.items()],
        "top": [[label, words] for label, words in classifier.top_features(8).items()],
        "notes": list(classifier.info.notes),
        "warnings": [*judged.warnings, *warned(classifier.target_leakage())],
        **file,
    }


def multilabel_summary(result: dict[str, Any]) -> str:
    """The same for people."""
    micro = click.style(f"{result['micro_f1']:.3f}", bold=True)
    return "\n".join(
        [
            "",
            f"  {micro} is the leave-one-out micro-F1 of {result['rows']:,} rows"
            + (", exact duplicates together" if result["together"] else ""),
            *optimism_lines(result),
            f"  {result['macro_f1']:.3f} is the macro-F1, the mean over {len(result['classes']):,} "
            f"{'label' if len(result['classes']) == 1 else 'labels'}",
            f"  {result['accuracy']:.1%} of the rows get all their labels and no other",
            f"  {result['majority_baseline']:.1%} would by always saying {result['majority']}",
            "  thresholds are one half; `--thresholds f1` chooses them"
            if result["criterion"] is None
            else f"  thresholds are chosen for {result['criterion']}{_reached(result)}",
            "",
            *speaking(result["top"], "labels"),
            *ending(result),
        ]
    )


def optimism_lines(result: dict[str, Any]) -> list[str]:
    """That figures flatter, where few rows were tuned by."""
    return [] if result["optimism"] is None else [f"  {result['optimism']}; `likely cv` tells"]


def _short_of(criterion: ThresholdCriterion | None, judged: Evaluation) -> list[Label] | None:
    """The labels that do not reach the precision or recall that was asked for."""
    if criterion is None or criterion.least is None:
        return None
    figures = ((one.label, one.rows, getattr(one, criterion.name)) for one in judged.per_class)
    return [label for label, rows, figure in figures if rows and figure < criterion.least]


def _reached(result: dict[str, Any]) -> str:
    """What became of a precision or a recall that was asked for."""
    short = result["short_of_criterion"]
    if short is None:
        return ""
    name = result["criterion"].partition(">=")[0]
    reached = f"{result[f'micro_{name}']:.3f} by leave-one-out, over all labels"
    labels = render.counted(len(short), "label does", "labels do")
    return f": {reached}" + (f"; {labels} not reach it" if short else "; every label reaches it")
