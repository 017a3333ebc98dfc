"""Models judged by labeled rows in files."""

from collections.abc import Iterable

from likely import Classifier, render
from likely.cli.options import check_columns, progress_bar, say
from likely.data.files import Source
from likely.evaluation.model_predictions import ModelPredictions
from likely.evaluation.model_predictions import predict_rows as predict_labeled

_NAMED = 3


def predict_rows(classifier: Classifier, source: Source, target: str | None) -> ModelPredictions:
    """Predict the rows of a file that has their labels too."""
    check_columns(source.name, source.columns, classifier.columns)
    rows = classifier.labeled(source, target)
    with progress_bar("judging", source.size) as progress:
        judged = predict_labeled(classifier, rows, progress)
    strangers = [label for label in judged.classes if label not in classifier.classes]
    if strangers:
        shown = ", ".join(f"`{render.name(label)}`" for label in strangers[:_NAMED])
        more = len(strangers) - _NAMED
        say(
            f"warning: {source.name} has {'labels' if strangers[1:] else 'a label'} that the model "
            f"never learned, so these rows cannot be right: {shown}"
            + (f" and {more:,} more" if more > 0 else "")
        )
    if judged.unseen is not None:
        say(f"warning: {judged.unseen}")
    return judged


def say_learned(judged: Iterable[ModelPredictions], source: Source) -> None:
    """Warn of rows that a model had seen, which make it look better than it is."""
    learned, rows = max((one.learned, len(one.truth)) for one in judged)
    if learned:
        say(
            f"warning: {learned:,} of the {rows:,} rows of {source.name} were learned by the "
            "model; their figures flatter it"
        )
