"""The options of `likely mixture` for what is known of numeric columns, and where EM starts."""

from collections.abc import Iterable
from typing import Any, Literal

import click

from likely import Gaussian
from likely.cli.options import together
from likely.cli.train_options import m_option
from likely.data.columns import nearest

# Stands for every numeric column, or for the only one. No column has this name.
_ALL = ""


def _numbers(given: Iterable[str], example: str) -> dict[str, list[float]]:
    """Numbers by column, from `COL=N,N` or `N,N`."""
    found: dict[str, list[float]] = {}
    for one in given:
        column, _, listed = one.rpartition("=")
        try:
            numbers = [float(each) for each in listed.split(",")]
        except ValueError:
            raise click.BadParameter(f"{one!r} is not like {example}") from None
        if column in found:
            raise click.BadParameter(f"{column or 'all'} is given twice")
        found[column] = numbers
    return found


def _means(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> dict[str, list[float]]:
    return _numbers(value, "1,2 or height=160,180")


def _deviations(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> dict[str, float]:
    found = _numbers(value, "1 or height=5")
    if any(len(numbers) > 1 for numbers in found.values()):
        raise click.BadParameter("a column has one deviation, the same in all groups")
    return {column: number for column, (number,) in found.items()}


start_options = together(
    click.option(
        "--start-means",
        metavar="[COL=]N,N,…",
        multiple=True,
        callback=_means,
        help="Start from these means of a numeric column, one per group.",
    ),
    click.option(
        "--deviation",
        metavar="[COL=]N",
        multiple=True,
        callback=_deviations,
        help="Known standard deviation of a numeric column, or of all.",
    ),
)


estimate_options = together(
    click.option(
        "--alpha",
        metavar="N",
        type=float,
        help="Additive smoothing α.  [default: 0.1 for text]",
    ),
    m_option,
    click.option(
        "--covariance",
        type=click.Choice(["diagonal", "shared", "full"]),
        help="Covariance of the numeric columns in each group.  [default: diagonal]",
    ),
)


def with_covariance(
    likelihoods: dict[Any, Any], covariance: Literal["diagonal", "shared", "full"] | None
) -> dict[Any, Any]:
    """The likelihoods of columns, where numeric ones have a covariance together."""
    numeric = _numeric(likelihoods)
    if covariance is None:
        return likelihoods
    if not numeric:
        raise click.UsageError("--covariance is of numeric columns, and no Gaussian reads one")
    if covariance == "diagonal":
        return likelihoods
    others = {key: each for key, each in likelihoods.items() if type(each) is not Gaussian}
    return {tuple(numeric): Gaussian(covariance), **others}


def with_deviations(likelihoods: dict[Any, Any], deviations: dict[str, float]) -> dict[Any, Any]:
    """The likelihoods of columns, where deviations are known with them."""
    numeric = _numeric(likelihoods)
    for column in deviations:
        if column != _ALL or not numeric:
            _check("--deviation", column, likelihoods)
    known = dict(likelihoods)
    for column in numeric if deviations else ():
        found = deviations.get(column, deviations.get(_ALL))
        if found is None:
            continue
        if column not in likelihoods:
            raise click.UsageError(
                f"--deviation: `{column}` shares a covariance, and a known deviation is for a "
                "column that does not"
            )
        known[column] = Gaussian(deviation=found)
    return known


def means_of(
    start_means: dict[str, list[float]], likelihoods: dict[Any, Any]
) -> dict[str, list[float]] | None:
    """The means to start from, by column."""
    numeric = _numeric(likelihoods)
    if _ALL in start_means and len(numeric) > 1:
        raise click.UsageError(
            f"--start-means: name the column, as in {numeric[0]}=1,2; there are several"
        )
    found = {column or "".join(numeric): numbers for column, numbers in start_means.items()}
    for column in found:
        _check("--start-means", column, likelihoods)
    return found or None


def _check(option: str, column: str, likelihoods: dict[Any, Any]) -> None:
    """Refuse a column that no Gaussian reads."""
    numeric = _numeric(likelihoods)
    if column in numeric:
        return
    if column in _columns(likelihoods):
        raise click.UsageError(
            f"{option} {column}=…: that column is not numeric\n"
            f"hint: `--numeric {column}` makes it so"
        )
    if not numeric:
        raise click.UsageError(f"{option} is about numeric columns, and no Gaussian reads one")
    raise click.UsageError(
        f"{option} {column}=…: there is no such numeric column; {nearest(column, numeric)}"
    )


def _numeric(likelihoods: dict[Any, Any]) -> list[str]:
    """The columns that Gaussians read."""
    return _columns(key for key, likelihood in likelihoods.items() if type(likelihood) is Gaussian)


def _columns(keys: Iterable[Any]) -> list[str]:
    """The columns of likelihoods, some of which read several."""
    return [column for key in keys for column in (key if isinstance(key, tuple) else (key,))]
