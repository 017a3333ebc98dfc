"""`likely mixture`."""

import json
import os
import re
import sys
from typing import Any, Literal

import click
import numpy as np

from likely import Classifier, Mixture, _kernel
from likely.cli.mixture_options import (
    estimate_options,
    means_of,
    start_options,
    with_covariance,
    with_deviations,
)
from likely.cli.models import refuse_for_model
from likely.cli.options import (
    check_output,
    file_options,
    force_option,
    given_options,
    number,
    print_message,
    print_result,
    prior_option,
)
from likely.cli.paths import Command, Input, Output
from likely.cli.preparing import choose_likelihoods, given_roles
from likely.cli.text_options import text_options
from likely.cli.train_options import column_options, joint_option, model_option
from likely.data.columns import find_roles
from likely.data.files import open_table
from likely.data.labeled import usual_target
from likely.data.table import DecimalMark
from likely.data.unlabeled import unlabeled


def _groups(ctx: click.Context, param: click.Parameter, value: str) -> Any:
    """A number of groups, or `2-8`."""
    found = re.fullmatch("([0-9]{1,6})(?:-([0-9]{1,6}))?", value)
    if not found or int(found[1]) < 1 or int(found[2] or found[1]) < int(found[1]):
        raise click.BadParameter(f"{value!r} is neither a number of groups nor a range like 2-8")
    return range(int(found[1]), int(found[2] or found[1]) + 1)


def _prior(prior: Any) -> Any:
    """Groups are numbers."""
    if not isinstance(prior, dict):
        return prior
    try:
        return {int(group): share for group, share in prior.items()}
    except ValueError:
        raise click.BadParameter("groups are numbers: --prior 0=0.7,1=0.3") from None


@click.command(cls=Command, no_args_is_help=True)
@click.argument("data", type=Input(allow_dash=True))
@click.option("-k", "k", required=True, metavar="K|K-K", callback=_groups, help="Number of groups.")
@click.option("-o", "--output", type=Output(), help="A model file to write.")
@column_options
@joint_option
@model_option
@text_options
@prior_option
@click.option(
    "--starts",
    metavar="N",
    type=number(int, 1),
    help="Number of random starts; the best is kept.  [default: 50; 20 with texts]",
)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Random seed.")
@estimate_options
@start_options
@click.option("--trace", is_flag=True, help="Print EM step by step, not the rows.")
@file_options
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print the mixture as JSON, not the rows.")
def mixture(
    data: str,
    k: range,
    output: str | None,
    text: tuple[str, ...],
    numeric: tuple[str, ...],
    categorical: tuple[str, ...],
    date: tuple[str, ...],
    vectors: tuple[str, ...],
    drop_column: tuple[str, ...],
    joint: tuple[str, ...],
    model: str | None,
    prior: Any,
    starts: int | None,
    seed: int,
    alpha: float | None,
    m: float | None,
    covariance: Literal["diagonal", "shared", "full"] | None,
    start_means: dict[str, list[float]],
    deviation: dict[str, float],
    trace: bool,
    encoding: str,
    decimal: DecimalMark | None,
    force: bool,
    as_json: bool,
    **preprocessing: Any,
) -> None:
    """Cluster the unlabeled rows of DATA with a mixture model, and print each row with its group.

    \b
      likely mixture flowers.csv -k 2-6 --drop-column species > grouped.csv
      likely mixture articles.csv -k 20 -o topics.likely > grouped.csv
      likely mixture points.csv -k 2 --trace --start-means 1,2 --deviation 1

    Of a range of numbers, as in `-k 2-8`, the one with the lowest BIC is chosen. The shares of the
    groups are estimated, unless --prior gives them (uniform, or 0=0.6,1=0.4). --trace prints the
    estimates of each step, and the responsibilities of some rows; with --json, of up to 1,000.
    --covariance full gives each group a covariance of all numeric columns.
    """
    refuse_for_model(model)
    if model is not None and covariance is not None:
        raise click.UsageError(f"--covariance takes the place of --model {model}")
    if start_means and (clash := given_options(("starts", "seed"))):
        raise click.UsageError(f"{clash[0]} is about random starts, and --start-means gives one")
    if output is not None:
        check_output(output, force)
    source = open_table(data, encoding=encoding, decimal=decimal)
    roles = given_roles(
        source,
        text=text,
        numeric=numeric,
        categorical=categorical,
        date=date,
        vectors=vectors,
        drop_column=drop_column,
    )
    target = usual_target(source.columns)
    if target is not None and target not in roles:
        roles[target] = "drop"
        print_message(
            f"note: `{target}` is not used, since it is called like a target; "
            f"`--categorical {target}` uses it"
        )
    column_roles = find_roles(unlabeled(source).sample(), roles)
    smoothing = {"alpha": alpha, "m": m}
    likelihoods = with_covariance(
        choose_likelihoods(column_roles, joint, model, smoothing, preprocessing, None), covariance
    )
    found = Mixture(
        with_deviations(likelihoods, deviation),
        k,
        prior="empirical" if prior is None else _prior(prior),
        starts=starts,
        seed=seed,
        threads=os.cpu_count() or 1,
        trace=trace,
    ).fit(source, start_means=means_of(start_means, likelihoods))
    if output is not None:
        found.model.save(output)
    if as_json:
        click.echo(json.dumps(_facts(found, trace), ensure_ascii=False))
        return
    print_message(_summary(found))
    if trace:
        print_result(str(found.trace))
        return
    _write([[name] for name in (*source.columns, "group", "probability")])
    for table in source.batches():
        probabilities = found.predict_proba(table)
        columns = [table.texts([name]).tolist() for name in table.names]
        best = probabilities.argmax(axis=1)
        shown = [f"{p:.6g}" for p in probabilities.max(axis=1)]
        _write([*columns, [str(group) for group in best.tolist()], shown])


def _write(columns: list[list[str]]) -> None:
    """Rows as UTF-8, whatever the terminal is."""
    sys.stdout.buffer.write(_kernel.csv_rows([_kernel.Texts(cells) for cells in columns]))


def _facts(found: Mixture, with_trace: bool) -> dict[str, Any]:
    facts = {
        "k": found.k,
        "shares": found.shares.tolist(),
        "log_likelihood": found.log_likelihood,
        "aic": found.aic,
        "bic": {str(k): bic for k, bic in found.bics.items()},
        "objective": list(found.objective),
        "converged": found.converged,
        "top": [[label, words] for label, words in _top(found.model).items()],
        "notes": list(found.notes),
    }
    return {**facts, "trace": found.trace.to_json()} if with_trace else facts


def _top(model: Classifier) -> dict[Any, list[tuple[str, float]]]:
    return model.top_features(6) if len(model.classes) > 1 else {}


def _summary(found: Mixture) -> str:
    lines = [str(found).strip("<>")]
    if len(found.bics) > 1:
        lines.append("BIC: " + ", ".join(f"{k} {bic:,.0f}" for k, bic in found.bics.items()))
    top = _top(found.model)
    means: dict[int, list[str]] = {group: [] for group in range(found.k)}
    for columns, estimates in found.model.estimates.items() if top else ():
        for group, row in enumerate(getattr(estimates, "means", np.zeros((0, 0)))):
            means[group] += [f"{c} {mean:.4g}" for c, mean in zip(columns, row, strict=True)]
    for group, share in enumerate(found.shares):
        words = [name for name, _ in top.get(group, [])]
        lines.append(f"  {group}  {share:6.1%}  {'  '.join(means[group] + words)}".rstrip())
    return "\n".join([*lines, *(f"note: {note}" for note in found.notes)])
