"""`likely plot`."""

import json

import click
import numpy as np
from numpy.typing import NDArray

import likely
from likely import Classifier, Gaussian, storage
from likely.cli.options import check_output, encoding_option, force_option, json_option
from likely.errors import DataError
from likely.inputs.files import open_table
from likely.inputs.labelled import Labelled
from likely.likelihoods.gaussian import GaussianEstimates
from likely.plot import class_densities, decision_regions


@click.command(no_args_is_help=True)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("data", type=click.Path(allow_dash=True))
@click.option(
    "--columns", metavar="A,B", help="Two columns of numbers: where each class is chosen."
)
@click.option("-o", "--output", required=True, type=click.Path(), help="The SVG file to write.")
@encoding_option
@force_option
@json_option
def plot(
    model: str,
    data: str,
    columns: str | None,
    output: str,
    encoding: str,
    force: bool,
    as_json: bool,
) -> None:
    """Draw MODEL's columns of numbers, with the rows of DATA.

    With --columns, QDA, Gaussian Naive Bayes and LDA of those two columns stand side by side, each
    with the regions where it chooses each class. Without, every column of numbers shows the density
    of each class.

    \b
      likely plot iris.likely iris.csv --columns length,width -o iris.svg
    """
    check_output(output, force)
    classifier = likely.load(model)
    if classifier.several:
        raise click.UsageError("a plot is of rows with one label each, and these have any number")
    rows = classifier._labelled(open_table(data, encoding=encoding), None)
    if columns is not None:
        names = [name.strip() for name in columns.split(",")]
        if len(names) != 2:
            raise click.UsageError(f"--columns names two columns, as in a,b; not {columns!r}")
        drawn = _regions(rows, names)
    else:
        drawn = _densities(classifier, rows)
    storage.write(output, drawn.encode())
    if as_json:
        click.echo(json.dumps({"picture": output, "bytes": len(drawn.encode())}))


def _regions(rows: Labelled, names: list[str]) -> str:
    x, y = _numbers(rows, names)
    panels = {
        title: Classifier(Gaussian(covariance), ledger=False).fit(x, y)  # type: ignore[arg-type]
        for title, covariance in (
            ("QDA", "full"),
            ("Gaussian Naive Bayes", "diagonal"),
            ("LDA", "shared"),
        )
    }
    return decision_regions(panels, x, y, columns=names)


def _densities(classifier: Classifier, rows: Labelled) -> str:
    found = [e for e in classifier.estimates.values() if isinstance(e, GaussianEstimates)]
    if not found:
        raise DataError("the model has no columns of numbers to draw")
    names = [name for estimates in found for name in estimates.columns]
    means = np.hstack([estimates.means for estimates in found])
    deviations = np.hstack([estimates.deviations for estimates in found])
    x, y = _numbers(rows, names)
    return class_densities(names, means, deviations, x, y, classifier.classes)


def _numbers(rows: Labelled, names: list[str]) -> tuple[NDArray[np.float64], list[object]]:
    values: list[NDArray[np.float64]] = []
    labels: list[object] = []
    for table, found in rows.batches(names):
        values.append(table.numbers(names).values)
        labels.extend(found.values[slot] for slot in found.slots)
    if not values:
        raise DataError("there are no rows to draw")
    return np.vstack(values), labels
