"""`likely train`."""

import os
from typing import Any

import click

from likely import Classifier
from likely.cli.options import (
    check_output,
    file_options,
    force_option,
    json_option,
    print_message,
    print_result,
    progress_bar,
    threads_option,
)
from likely.cli.paths import Command, Input, Output
from likely.cli.preparing import prepare, warn_of_unmatched_labels
from likely.cli.train_options import data_options, model_options, plan_option, unlabeled_options
from likely.cli.training_result import training_result, training_summary
from likely.cli.writing import dumped
from likely.data.columns import is_number, nearest
from likely.data.files import open_table
from likely.data.table import DecimalMark
from likely.errors import DataError

_MOST_CLASSES = 100
# So many different numbers may be names of classes; more are probably quantities.
_MOST_NUMBERS = 20


@click.command(cls=Command, no_args_is_help=True)
@click.argument("data", type=Input(allow_dash=True))
@click.option("-o", "--output", required=True, type=Output(), help="The model file to write.")
@data_options
@unlabeled_options
@plan_option
@model_options
@file_options
@click.option("--report", metavar="FILE", type=Output(), help="Also write an HTML report.")
@threads_option
@force_option
@json_option
def train(
    data: str,
    output: str,
    unlabeled: str | None,
    unlabeled_weight: str,
    threads: int | None,
    encoding: str,
    decimal: DecimalMark | None,
    report: str | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Train a model on DATA, a table with a column of labels.

    \b
      likely train reviews.csv -o reviews.likely
      likely train birds.csv -o birds.likely --target bird --joint wing,weight
      likely train news.csv -o news.likely --target topics --multilabel
      likely train moods.csv -o moods.likely --target joy,anger,fear
      likely train reviews.csv -o plain.likely --model multinomial --alpha 0.5
      likely train reviews.csv -o planned.likely --plan plan.json

    DATA is a CSV, TSV, JSONL, Parquet, Arrow or ARFF file, a file in fastText's format, or a folder
    with one folder of texts per class; plain, .gz or .zst; `-` is standard input. It may be larger
    than memory. `likely plan DATA` shows the role of each column.

    The accuracy is leave-one-out: each row is predicted by the counts without it (in a tuned model,
    without its exact duplicates too). This is exact for a plain model. In a tuned model the weights
    have seen the row, which is optimistic if rows are few; `likely cv` tunes without each fold.
    """
    check_output(output, force)
    if report is not None:
        check_output(report, force)
    weight = _weight(unlabeled, unlabeled_weight)
    prepared = prepare(data, encoding, decimal, **options)
    source, target, classifier = prepared.source, prepared.rows.target, prepared.classifier
    print_message(f"{source.name}: {prepared.description}")
    classifier.threads = threads or os.cpu_count() or 1
    more: dict[str, Any] = {}
    if unlabeled is not None:
        more["unlabeled"] = open_table(unlabeled, encoding=encoding, decimal=decimal)
        more["unlabeled_weight"] = weight
    with progress_bar("training", source.size) as progress:
        classifier.fit(source, target, progress=progress, **more)
    warn_of_unmatched_labels(source)
    if classifier.learned is not None:
        print_message(f"{unlabeled}: {classifier.learned}")
    _check_classes(classifier, options["prior"])
    _warn_of_numeric_target(classifier)
    result = training_result(classifier, prepared.column_roles, source, target, output)
    print_result(dumped(result) if as_json else training_summary(result))
    if report is not None:
        from likely.cli.report import of_training

        of_training(classifier, source, target, report, output)


def _warn_of_numeric_target(classifier: Classifier) -> None:
    """Warn if the labels are many different numbers, which a regression would predict."""
    labels = [str(label) for label in classifier.classes]
    if len(labels) > _MOST_NUMBERS and all(map(is_number, labels)):
        print_message(
            f"warning: `{classifier.target}` has {len(labels):,} different numbers; Likely "
            "classifies and does not predict numbers"
        )


def _weight(unlabeled: str | None, given: str) -> Any:
    if unlabeled is None and given != "auto":
        raise click.UsageError("--unlabeled-weight needs --unlabeled FILE")
    try:
        return given if given == "auto" else float(given)
    except ValueError:
        raise click.UsageError(f"--unlabeled-weight {given}: give auto, or a number") from None


def _check_classes(classifier: Classifier, prior: Any) -> None:
    named = prior if isinstance(prior, dict) else {}
    unseen = [label for label in named if label not in classifier.tally.classes]
    if unseen:
        raise DataError(
            f"--prior names `{unseen[0]}`, which no row has; "
            + nearest(unseen[0], map(str, classifier.tally.classes))
        )
    different, rows = len(classifier.classes), classifier.tally.n_rows
    if different > _MOST_CLASSES and different * 2 > rows:
        raise DataError(
            f"{different:,} of the {rows:,} labels in `{classifier.target}` are different; "
            "is it really the target?"
        )
