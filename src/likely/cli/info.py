"""`likely info`."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import click

from likely import Classifier
from likely.cli.options import (
    check_columns,
    file_options,
    given_options,
    json_option,
    load_model,
    target_option,
)
from likely.cli.paths import Command, Input
from likely.data.files import open_table
from likely.data.table import DecimalMark
from likely.explain.dependence import Dependence, as_table

# So many pairs of columns are shown.
_SHOWN = 10


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.option(
    "--data",
    metavar="DATA",
    type=Input(allow_dash=True),
    help="Labeled rows to measure dependences in, such as the training rows.",
)
@target_option
@file_options
@json_option
def info(
    model: str,
    data: str | None,
    target: str | None,
    encoding: str,
    decimal: DecimalMark | None,
    as_json: bool,
) -> None:
    """Show what MODEL consists of, and what its users should know.

    \b
      likely info reviews.likely
      likely info birds.likely --data birds.csv

    Parameters are compared with those of other models of the same columns: the full table of all
    combinations, QDA, LDA, Gaussian Naive Bayes. Columns that depend on each other within the
    classes, which Naive Bayes ignores, are named if the model has counted them together; --data
    measures all pairs, and pairs of words, in the first rows of DATA: 0 is independent, 1 fully
    dependent.

    Models of the same rows have the same tally, in whatever order they were learned; equal files
    have the same SHA-256.
    """
    useless = given_options(("target", "encoding", "decimal"))
    if useless and data is None:
        raise click.UsageError(f"{useless[0]} is about the rows of --data, which is not given")
    classifier = load_model(model)
    found, pairs = classifier.info, None
    if data is not None:
        pairs = _dependences(classifier, data, target, encoding, decimal)
        # How to measure them need not be said.
        found = replace(found, pairs_counted=True)
    content = Path(model).read_bytes()
    size, sha256 = len(content), hashlib.sha256(content).hexdigest()
    if not as_json:
        if classifier.target is not None:
            click.echo(f"target `{classifier.target}`")
        click.echo(str(found))
        if pairs is not None:
            click.echo(f"\n{_shown(pairs)}\n")
        click.echo(f"{size:,} bytes")
        click.echo(f"SHA-256  {sha256}")
        click.echo(f"tally    {classifier.digest}")
        return
    facts = {
        "rows": {str(label): rows for label, rows in found.rows.items()},
        "target": classifier.target,
        "likelihoods": [
            {"columns": list(columns), "likelihood": likelihood}
            for columns, likelihood in found.likelihoods
        ],
        "texts": [vars(one) for one in found.texts],
        "prior": found.prior if isinstance(found.prior, str) else dict(found.prior),
        "rules": list(found.rules),
        "criterion": found.criterion,
        "thresholds": {str(label): bar for label, bar in found.thresholds.items()},
        "costs": [[*pair, cost] for pair, cost in found.costs.items()],
        "decision": found.decision,
        "parameters": vars(found.parameters),
        "model_sizes": [one.to_json() for one in found.model_sizes],
        "ledger": found.ledger,
        "is_to_be_tuned": classifier.is_to_be_tuned,
        "notes": list(found.notes),
        "together": list(found.together),
        "dependences": None if pairs is None else [vars(one) for one in pairs],
        "bytes": size,
        "sha256": sha256,
        "digest": classifier.digest,
    }
    click.echo(json.dumps(facts, ensure_ascii=False))


def _dependences(
    classifier: Classifier,
    data: str,
    target: str | None,
    encoding: str,
    decimal: DecimalMark | None,
) -> list[Dependence]:
    """The strongest dependences in the rows of a file."""
    source = open_table(data, encoding=encoding, decimal=decimal)
    check_columns(source.name, source.columns, classifier.columns)
    return classifier.dependences(source, target, n=_SHOWN)


def _shown(pairs: list[Dependence]) -> str:
    if not pairs:
        return "no dependences: the rows have no two columns, or common words, to compare"
    return f"dependences (0 independent, 1 fully dependent)\n\n{as_table(pairs).text()}"
