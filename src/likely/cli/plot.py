"""`likely plot`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from likely import Classifier
from likely.cli.options import check_output, file_options, force_option, json_option, load_model
from likely.cli.paths import Command, Input, Output
from likely.data.columns import nearest
from likely.data.files import open_table
from likely.data.labeled import Labeled
from likely.data.table import DecimalMark
from likely.errors import DataError
from likely.likelihoods.gaussian import GaussianEstimates
from likely.render.plot import class_densities, decision_regions
from likely.tally import container


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("data", type=Input(allow_dash=True))
@click.option("--columns", metavar="A,B", help="Two numeric columns: plot the decision regions.")
@click.option("-o", "--output", required=True, type=Output(), help="The SVG file to write.")
@file_options
@force_option
@json_option
def plot(
    model: str,
    data: str,
    columns: str | None,
    output: str,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
) -> None:
    """Plot the numeric columns of MODEL with the rows of DATA, as SVG.

    \b
      likely plot iris.likely iris.csv --columns length,width -o iris.svg

    With --columns, the decision regions of these two columns, with all other columns missing.
    Without it, the estimated class densities of every numeric column.
    """
    check_output(output, force)
    classifier = load_model(model)
    if classifier.is_multilabel:
        raise click.UsageError("multi-label models cannot be plotted")
    rows = classifier.labeled(open_table(data, encoding=encoding, decimal=decimal), None)
    if columns is not None:
        names = [name.strip() for name in columns.split(",")]
        if len(names) != 2:
            raise click.UsageError(f"--columns names two columns, as in a,b; not {columns!r}")
        drawn = _regions(classifier, model, rows, names)
    else:
        drawn = _densities(classifier, rows)
    container.write(output, drawn.encode())
    if as_json:
        click.echo(json.dumps({"picture": output, "bytes": len(drawn.encode())}))


@dataclass(frozen=True)
class _ByTwoColumns:
    """A model that sees two columns of each row; the others are missing."""

    model: Classifier
    names: Sequence[str]

    @property
    def classes(self) -> Sequence[Any]:
        return self.model.classes

    @property
    def others(self) -> list[str]:
        return [name for name in self.model.columns if name not in self.names]

    def predict_proba(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        missing = {name: [None] * len(rows) for name in self.others}
        return self.model.predict_proba(dict(zip(self.names, rows.T, strict=True)) | missing)


def _regions(classifier: Classifier, model: str, rows: Labeled, names: list[str]) -> str:
    numbers = _number_columns(classifier)
    for name in names:
        if name not in numbers:
            raise DataError(
                f"the model has no numeric column `{name}`"
                + (f"; {nearest(name, numbers)}" if numbers else "")
            )
    x, y = _numbers(rows, names)
    seen = _ByTwoColumns(classifier, names)
    about = f"Drawn: {Path(model).name}, by {names[0]} and {names[1]}"
    if seen.others:
        about += f"; {', '.join(seen.others)} taken as missing"
    return decision_regions({Path(model).name: seen}, x, y, columns=names, about=f"{about}.")


def _number_columns(classifier: Classifier) -> list[str]:
    """The columns that the model reads as numbers."""
    found = [e for e in classifier.estimates.values() if isinstance(e, GaussianEstimates)]
    return [name for estimates in found for name in estimates.columns]


def _densities(classifier: Classifier, rows: Labeled) -> str:
    found = [e for e in classifier.estimates.values() if isinstance(e, GaussianEstimates)]
    if not found:
        raise DataError("the model has no numeric columns to plot")
    names = [name for estimates in found for name in estimates.columns]
    means = np.hstack([estimates.means for estimates in found])
    deviations = np.hstack([estimates.deviations for estimates in found])
    x, y = _numbers(rows, names)
    return class_densities(names, means, deviations, x, y, classifier.classes)


def _numbers(rows: Labeled, names: list[str]) -> tuple[NDArray[np.float64], list[object]]:
    values: list[NDArray[np.float64]] = []
    labels: list[object] = []
    for table, found in rows.batches(names):
        values.append(table.numbers(names).values)
        labels.extend(found.values[slot] for slot in found.slots)
    if not values:
        raise DataError("there are no rows to plot")
    return np.vstack(values), labels
