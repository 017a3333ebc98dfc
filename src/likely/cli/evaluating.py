"""Predictions of models for labeled rows in files."""

from collections.abc import Iterable

from likely import Classifier, render
from likely.cli.options import check_columns, print_message, progress_bar
from likely.data.files import Source
from likely.evaluation.model_predictions import Judged
from likely.evaluation.model_predictions import judge as judged_by

_NAMED = 3


def judge(classifier: Classifier, source: Source, target: str | None) -> Judged:
    """Predict the rows of a file that has their labels too."""
    check_columns(source.name, source.columns, classifier.columns)
    rows = classifier.labeled(source, target)
    with progress_bar("predicting", source.size) as progress:
        judged = judged_by(classifier, rows, progress)
    strangers = [label for label in judged.classes if label not in classifier.classes]
    if strangers:
        shown = ", ".join(f"`{render.name(label)}`" for label in strangers[:_NAMED])
        more = len(strangers) - _NAMED
        print_message(
            f"warning: {source.name} has {'labels' if strangers[1:] else 'a label'} that the model "
            f"never learned, so these rows cannot be right: {shown}"
            + (f" and {more:,} more" if more > 0 else "")
        )
    if judged.strange is not None:
        print_message(f"warning: {judged.strange}")
    return judged


def warn_of_training_rows(judged: Iterable[Judged], source: Source) -> None:
    """Warn of training rows among the test rows, which make figures optimistic."""
    learned, rows = max((one.learned, len(one.truth)) for one in judged)
    if learned:
        print_message(
            f"warning: {learned:,} of the {rows:,} rows of {source.name} are training rows of the "
            "model; the figures are optimistic"
        )
