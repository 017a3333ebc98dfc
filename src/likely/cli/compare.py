"""`likely compare`."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from numpy.typing import NDArray

import likely
from likely.cli.evaluating import predict_labeled, warn_of_training_rows
from likely.cli.options import (
    file_options,
    given_options,
    json_option,
    load_model,
    print_result,
    progress_bar,
    target_option,
)
from likely.cli.paths import Command, Input
from likely.data.files import Source, open_table
from likely.data.labels import Label, as_known, label_array
from likely.data.table import DecimalMark
from likely.evaluation.compare import TESTS
from likely.evaluation.comparison_models import NEIGHBOURS, predict_alike


@click.command(cls=Command, no_args_is_help=True)
@click.argument("models", type=Input(dir_okay=False), nargs=-1, required=True)
@click.argument("data", type=Input(allow_dash=True))
@target_option
@click.option(
    "--metric", metavar="NAME", default="accuracy", show_default=True, help="The metric to compare."
)
@click.option(
    "--test",
    "by",
    metavar="NAME",
    type=click.Choice(TESTS),
    help=f"{', '.join(TESTS)}.  [default: one that suits the metric]",
)
@click.option(
    "--with",
    "beside",
    metavar="NAME,…",
    help=f"Comparison models of scikit-learn, cross-validated: {', '.join(NEIGHBOURS)}.",
)
@click.option(
    "--folds", metavar="K", default=10, show_default=True, help="Number of folds, for --with."
)
@click.option("--seed", metavar="N", default=0, show_default=True, help="Random seed.")
@file_options
@json_option
def compare(
    models: tuple[str, ...],
    data: str,
    target: str | None,
    metric: str,
    by: str | None,
    beside: str | None,
    folds: int,
    seed: int,
    encoding: str,
    decimal: DecimalMark | None,
    as_json: bool,
) -> None:
    """Test whether one of MODELS is better than another, on the labeled rows of DATA.

    \b
      likely compare old.likely new.likely test.csv
      likely compare a.likely b.likely c.likely test.csv --metric macro_f1
      likely compare reviews.likely reviews.csv --with logistic,svm

    Each model is compared with the first on the same rows: the difference with its confidence
    interval, its p-value, and the rows on which the models differ.

    With --with, DATA is training data: the models, and classifiers of scikit-learn on the same
    features, are cross-validated on the same folds.
    """
    if len(models) < 2 and beside is None:
        raise click.UsageError("give two or more models and a file: A B DATA")
    if beside is None and given_options(["folds"]):
        raise click.UsageError("--folds needs --with; otherwise models are compared as they are")
    source = open_table(data, encoding=encoding, decimal=decimal)
    if beside is None:
        found = _tested(models, source, target)
    else:
        kinds = list(dict.fromkeys(name.strip() for name in beside.split(",")))
        found = _trained(models, kinds, source, target, folds, seed)
    comparison = likely.compare(
        found.truth,
        *found.systems.values(),
        names=list(found.systems),
        metric=metric,
        test=by,
        classes=found.classes,
        seed=seed,
    ).counted_from(1)
    print_result(
        json.dumps(comparison.to_json(), ensure_ascii=False) if as_json else str(comparison)
    )


@dataclass(frozen=True, eq=False)
class _Predicted:
    """The predictions of several models for the same rows."""

    truth: NDArray[Any]
    classes: list[Label]
    systems: dict[str, Any]


def _tested(models: tuple[str, ...], source: Source, target: str | None) -> _Predicted:
    """Models as they are, on rows they have not seen."""
    predicted = [predict_labeled(load_model(model), source, target) for model in models]
    warn_of_training_rows(predicted, source)
    own = predicted[0].classes
    owns = [as_known(one.classes, own) for one in predicted]
    classes = sorted({label for known in owns for label in known.values()})
    predictions = [
        _as_first(one.predictions, own) for one, own in zip(predicted, owns, strict=True)
    ]
    return _Predicted(
        predicted[0].truth, classes, dict(zip(_names(models), predictions, strict=True))
    )


def _as_first(predictions: Any, own: dict[Label, Label]) -> Any:
    """Predictions with the labels of the first model, which may have read them as numbers."""
    if isinstance(predictions, list):
        return [[own[label] for label in row] for row in predictions]
    return label_array([own[label] for label in predictions.tolist()])


def _trained(
    models: tuple[str, ...],
    kinds: list[str],
    source: Source,
    target: str | None,
    folds: int,
    seed: int,
) -> _Predicted:
    """Models like these and other kinds, trained without each fold."""
    loaded = [load_model(model, threads=os.cpu_count() or 1) for model in models]
    found = [likely.cross_validate(m, source, target, folds=folds, seed=seed) for m in loaded]
    systems = dict(zip(_names(models), (one.predictions for one in found), strict=True))
    with progress_bar("training the others", folds) as progress:
        systems |= predict_alike(
            kinds, loaded[0], source, target, found[0], seed=seed, progress=progress
        )
    return _Predicted(found[0].truth, list(found[0].classes), systems)


def _names(models: tuple[str, ...]) -> list[str]:
    """What each model is called, as short as tells them apart."""
    stems = [Path(model).stem for model in models]
    numbered = [f"{place}: {model}" for place, model in enumerate(models, 1)]
    return next(n for n in (stems, list(models), numbered) if len(set(n)) == len(n))
