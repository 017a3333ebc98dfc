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
from likely.likelihoods.binned import BinnedEstimates
from likely.likelihoods.gaussian import GaussianEstimates
from likely.likelihoods.number_views import NumberEstimates
from likely.render.plot import Ellipses, class_densities, decision_regions
from likely.tally import container


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("data", type=Input(allow_dash=True), required=False)
@click.option("--column", metavar="COL", help="Plot the shape of this column; needs no DATA.")
@click.option("--columns", metavar="A,B", help="Two numeric columns: plot the decision regions.")
@click.option(
    "-o",
    "--output",
    type=Output(),
    help="The SVG file to write; a shape is otherwise printed as a table.",
)
@file_options
@force_option
@json_option
def plot(
    model: str,
    data: str | None,
    column: str | None,
    columns: str | None,
    output: str | None,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
) -> None:
    """Plot the columns of MODEL, with the rows of DATA, as SVG.

    \b
      likely plot iris.likely --column length
      likely plot iris.likely --column length -o length.svg
      likely plot iris.likely iris.csv --columns length,width -o iris.svg

    With --column, the shape of a numeric or categorical column: what each of its values adds to the
    log-odds of a class. With --columns, the decision regions of two numeric columns, with all other
    columns missing. Without either, the estimated class densities of every numeric column.
    """
    if output is not None:
        check_output(output, force)
    if column is not None and (data is not None or columns is not None):
        raise click.UsageError(f"--column takes no {'DATA' if columns is None else '--columns'}")
    if column is None and data is None:
        raise click.UsageError("missing argument 'DATA'; only --column needs none")
    if column is None and output is None:
        raise click.UsageError("missing option '-o' / '--output'")
    classifier = load_model(model)
    if column is not None:
        shape = classifier.shape(column)
        if output is None:
            click.echo(json.dumps(shape.to_json(), ensure_ascii=False) if as_json else str(shape))
            return
        drawn = shape.chart().svg()
    else:
        assert data is not None
        drawn = _of_rows(classifier, Path(model).name, columns, data, encoding, decimal)
    assert output is not None
    container.write(output, drawn.encode())
    if as_json:
        click.echo(json.dumps({"picture": output, "bytes": len(drawn.encode())}))


def _of_rows(
    classifier: Classifier,
    model: str,
    columns: str | None,
    data: str,
    encoding: str,
    decimal: DecimalMark | None,
) -> str:
    if classifier.is_multilabel:
        raise click.UsageError("multi-label models cannot be plotted")
    if not classifier.fitted.plan.product.numbers:
        raise DataError("the model has no numeric columns to plot")
    rows = classifier.labeled(open_table(data, encoding=encoding, decimal=decimal), None)
    if columns is None:
        return _densities(classifier, rows)
    names = [name.strip() for name in columns.split(",")]
    if len(names) != 2:
        raise click.UsageError(f"--columns names two columns, as in a,b; not {columns!r}")
    return _regions(classifier, model, rows, names)


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
    numbers = classifier.fitted.plan.product.numbers
    for name in names:
        if name not in numbers:
            raise DataError(f"the model has no numeric column `{name}`; {nearest(name, numbers)}")
    x, y = _numbers(rows, names)
    seen = _ByTwoColumns(classifier, names)
    about = f"Drawn: {model}, by {names[0]} and {names[1]}"
    if seen.others:
        about += f"; {', '.join(seen.others)} taken as missing"
    about += "."
    ellipses = None
    if (found := _together(classifier, names)) is not None:
        view, gaussians = found
        at = [gaussians.columns.index(name) for name in names]
        covariances = gaussians.covariances[:, at][:, :, at]
        ellipses = {model: Ellipses(gaussians.means[:, at], covariances)}
        about += f" Ellipses: where {view} expects 95 % of a class"
        about += ", along the axes." if gaussians.correlations is None else "."
    return decision_regions({model: seen}, x, y, columns=names, about=about, ellipses=ellipses)


def _together(classifier: Classifier, names: Sequence[str]) -> tuple[str, GaussianEstimates] | None:
    """The covariances of these columns, and the view that has them: QDA, or else LDA.

    Those of Gaussian Naive Bayes are zero off the diagonal.
    """
    for found in classifier.estimates.values():
        views = found.gaussians if isinstance(found, NumberEstimates) else {}
        if isinstance(found, GaussianEstimates):
            matrices = 0 if found.correlations is None else len(found.correlations)
            views = {{0: "Gaussian NB", 1: "LDA"}.get(matrices, "QDA"): found}
        for view in ("QDA", "LDA", "Gaussian NB"):
            if view in views and set(names) <= set(views[view].columns):
                return view, views[view]
    return None


def _densities(classifier: Classifier, rows: Labeled) -> str:
    """Bins where the model has them, otherwise the Gaussian of each column."""
    names = list(classifier.fitted.plan.product.numbers)
    means = np.full((len(classifier.classes), len(names)), np.nan)
    deviations = means.copy()
    bins: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    for found in classifier.estimates.values():
        gaussians = [found] if isinstance(found, GaussianEstimates) else []
        if isinstance(found, NumberEstimates):
            gaussians = list(found.gaussians.values())
            found = found.bins
        for one in gaussians:
            at = [names.index(name) for name in one.columns]
            means[:, at], deviations[:, at] = one.means, one.deviations
        if isinstance(found, BinnedEstimates):
            bins |= {name: (found.values[name], found.probabilities[name]) for name in found.values}
    x, y = _numbers(rows, names)
    return class_densities(names, means, deviations, x, y, classifier.classes, bins=bins)


def _numbers(rows: Labeled, names: list[str]) -> tuple[NDArray[np.float64], list[object]]:
    values: list[NDArray[np.float64]] = []
    labels: list[object] = []
    for table, found in rows.batches(names):
        values.append(table.numbers(names).values)
        labels.extend(found.values[slot] for slot in found.slots)
    if not values:
        raise DataError("there are no rows to plot")
    return np.vstack(values), labels
