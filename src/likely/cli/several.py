"""What `likely train` prints of rows with any number of labels."""

from typing import Any

import click

import likely
from likely import Classifier
from likely.cli.speaking import speaking
from likely.cli.writing import ending
from likely.giveaways import warned
from likely.leave_one_out import LabelsLeftOut


def several_result(
    classifier: Classifier, parts: list[LabelsLeftOut], file: dict[str, Any]
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
        "several": True,
        "together": classifier.leaves_duplicates_together,
        "goal": None if classifier.goal is None else str(classifier.goal),
        "micro_f1": float(judged.micro_f1),
        "macro_f1": float(judged.macro_f1),
        "accuracy": float(judged.accuracy),
        "majority_baseline": float(judged.majority_baseline),
        "majority": judged.commonest,
        "thresholds": [[label, bar] for label, bar in classifier.label_thresholds.items()],
        "top": [[label, words] for label, words in classifier.top(8).items()],
        "notes": list(classifier.info.notes),
        "warnings": [*judged.warnings, *warned(classifier.giveaways())],
        **file,
    }


def several_summary(result: dict[str, Any]) -> str:
    """The same for people."""
    micro = click.style(f"{result['micro_f1']:.3f}", bold=True)
    return "\n".join(
        [
            "",
            f"  {micro} is the leave-one-out micro-F1 of {result['rows']:,} rows"
            + (", exact duplicates together" if result["together"] else ""),
            f"  {result['macro_f1']:.3f} is the macro-F1, the mean over {len(result['classes']):,} "
            f"{'label' if len(result['classes']) == 1 else 'labels'}",
            f"  {result['accuracy']:.1%} of the rows get all their labels and no other",
            f"  {result['majority_baseline']:.1%} would by always saying {result['majority']}",
            "  thresholds are one half; `--goal f1` chooses them"
            if result["goal"] is None
            else f"  thresholds are chosen for {result['goal']}",
            "",
            *speaking(result["top"], "labels"),
            *ending(result),
        ]
    )
