"""All systems on all tables: one row each."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.accuracy.systems import answers
from benchmarks.measure import clocked
from benchmarks.run import Run, is_missing
from benchmarks.table import Cell, Row
from benchmarks.tables.folds import LabeledTable, read
from benchmarks.tables.systems import DEFAULT, chosen
from likely.errors import OptionError

NOTES = """\
Of rows that were not learned (Adult's test set, elsewhere five stratified folds, the same for all):
accuracy in percent, log-loss (nats per row, probabilities no smaller than 2e-16), area under the
ROC curve (mean over the classes, each against the rest), and seconds of processor time to learn
(mean over the folds, one thread). `difference` is the log-loss minus that of the default model,
`SE` its paired standard error over rows. Columns of text with more distinct values than half of the
rows are left out for all. EBM takes minutes for one table, so it takes part only if `--systems`
names it."""
COLUMNS = ("table", "system", "accuracy", "log-loss", "AUC", "seconds", "difference", "SE")

_TABLES = ("adult", "titanic", "pima_diabetes", "penguins", "iris", "wine", "banknote")
_TABLES += ("ionosphere", "sonar", "glass", "ecoli", "wheat_seeds", "haberman", "new_thyroid")
_TABLES += ("mammography", "phoneme")


@dataclass(frozen=True, eq=False)
class Answers:
    """What a system answers for the rows of a table, each by a model that did not learn it."""

    truth: np.ndarray
    """The number of each row's class."""
    proba: np.ndarray
    seconds: float
    """To learn one fold, on average."""

    @property
    def accuracy(self) -> float:
        return float(np.mean(self.proba.argmax(axis=1) == self.truth))

    @property
    def losses(self) -> np.ndarray:
        """−log p of the true class, row by row, clipped as scikit-learn does."""
        p = self.proba[np.arange(len(self.truth)), self.truth]
        return -np.log(np.clip(p, np.finfo(p.dtype).eps, 1))

    @property
    def auc(self) -> float:
        classes = range(self.proba.shape[1])
        each = [roc_auc_score(self.truth == c, self.proba[:, c]) for c in classes]
        return float(np.mean(each))


def rows(run: Run) -> Iterator[Row]:
    systems = chosen(run.systems)
    folders = [f"tab_{name}" for name in _TABLES]
    for folder in run.data.present(*(folders[:2] if run.quick else folders)):
        name = folder.removeprefix("tab_")
        table, default = read(run.data, name), None
        for system, make in systems.items():
            try:
                found = answered(make, table)
            except Exception as error:
                # A package that is not installed, or a model that does not take tables.
                if system == DEFAULT or not (is_missing(error) or isinstance(error, OptionError)):
                    raise
                if not any(noted.startswith(f"{system}: ") for noted in run.data.missing):
                    run.data.missing.append(f"{system}: {str(error).splitlines()[0]}")
                continue
            default = default or found
            yield {"table": name, "system": system, **_figures(found, default)}


def answered(make: Callable[[], Any], table: LabeledTable) -> Answers:
    classes, truth = np.unique(table.y, return_inverse=True)
    predicted, probabilities, seconds = [], [], []
    for train, test in table.folds:
        model, x, y = make(), table.x.iloc[train].reset_index(drop=True), table.y[train]
        _, own = clocked(lambda: model.fit(x, y), _processor_seconds)  # noqa: B023
        known, _, proba = answers(model, table.x.iloc[test].reset_index(drop=True))
        # A class that was not learned has probability 0.
        of_all = np.zeros((len(test), len(classes)))
        of_all[:, np.searchsorted(classes, known)] = proba
        predicted.append(test)
        probabilities.append(of_all)
        seconds.append(own)
    return Answers(
        truth[np.concatenate(predicted)], np.concatenate(probabilities), float(np.mean(seconds))
    )


def _figures(found: Answers, default: Answers) -> Row:
    row = {
        "accuracy": _fixed(100 * found.accuracy, 1),
        "log-loss": _fixed(found.losses.mean(), 3),
        "AUC": _fixed(found.auc, 3),
        "seconds": _fixed(found.seconds, 3),
    }
    if found is default:
        return row
    difference, error = paired(found.losses - default.losses)
    return row | {"difference": _signed(difference), "SE": _fixed(error, 3)}


def paired(differences: np.ndarray) -> tuple[float, float]:
    """The mean of the differences of pairs, and its standard error."""
    return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(differences)))


def _processor_seconds() -> float:
    """Of this process and of the programs that it has run, whatever else the machine does."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


def _fixed(value: float, digits: int) -> Cell:
    return Cell(float(value), f"{value:.{digits}f}")


def _signed(value: float) -> Cell:
    return Cell(value, f"{value:+.3f}")
