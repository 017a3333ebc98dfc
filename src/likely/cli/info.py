"""`likely info`."""

import hashlib
import json
from pathlib import Path

import click

from likely.cli.options import json_option, load_model
from likely.cli.origin import origin
from likely.cli.paths import Command, Input


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@json_option
def info(model: str, as_json: bool) -> None:
    """Show what MODEL is made of, and what its user should know.

    Two models of the same rows have the same tally, whatever way they came about; files are equal
    if their SHA-256 is. Where the model came from is shown if `train --provenance` noted it.

    \b
      likely info reviews.likely
    """
    classifier = load_model(model)
    found = classifier.info
    content = Path(model).read_bytes()
    size, sha256 = len(content), hashlib.sha256(content).hexdigest()
    noted = origin(model, classifier.digest)
    if not as_json:
        if classifier.target is not None:
            click.echo(f"labels in `{classifier.target}`")
        click.echo(str(found))
        if noted is not None:
            click.echo(f"learned from {noted['data']} on {noted['date'][:10]}")
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
        "parameters": vars(found.parameters),
        "ledger": found.ledger,
        "is_to_be_tuned": classifier.is_to_be_tuned,
        "notes": list(found.notes),
        "together": list(found.together),
        "bytes": size,
        "sha256": sha256,
        "digest": classifier.digest,
        "provenance": noted,
    }
    click.echo(json.dumps(facts, ensure_ascii=False))
