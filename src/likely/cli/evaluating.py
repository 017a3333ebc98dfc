"""Predictions of models for labeled rows in files."""

from collections.abc import Iterable

import click

from likely import Classifier, render
from likely.cli.options import check_columns, print_message, progress_bar
from likely.data.files import Source
from likely.evaluation.model_predictions import ModelPredictions, predict_rows

_NAMED = 3


def predict_labeled(classifier: Classifier, source: Source, target: str | None) -> ModelPredictions:
    """Predict the rows of a file that has their labels too."""
    check_columns(source.name, source.columns, classifier.columns)
    if target in classifier.columns:
        own = f"; its target is `{classifier.target}`" if classifier.target else ""
        raise click.UsageError(f"--target {target}: `{target}` is a feature of this model{own}")
    rows = classifier.labeled(source, target)
    with progress_bar("predicting", source.size) as progress:
        predicted = predict_rows(classifier, rows, progress)
    unknown = [label for label in predicted.classes if label not in classifier.classes]
    if unknown:
        shown = ", ".join(f"`{render.name(label)}`" for label in unknown[:_NAMED])
        more = len(unknown) - _NAMED
        print_message(
            f"warning: {source.name} has {'labels' if unknown[1:] else 'a label'} that the model "
            f"never learned, so these rows cannot be right: {shown}"
            + (f" and {more:,} more" if more > 0 else "")
        )
    if predicted.unseen is not None:
        print_message(f"warning: {predicted.unseen}")
    return predicted


def warn_of_training_rows(predicted: Iterable[ModelPredictions], source: Source) -> None:
    """Warn of training rows among the test rows, which make figures optimistic."""
    learned, rows = max((one.learned, len(one.truth)) for one in predicted)
    if learned:
        which = "is also a training row" if learned == 1 else "are also training rows"
        print_message(
            f"warning: {learned:,} of the {rows:,} rows of {source.name} {which} of the model; "
            "the figures are optimistic"
        )
