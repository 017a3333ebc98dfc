"""`likely info`."""

import hashlib
import json
from pathlib import Path

import click

from likely.cli.options import json_option, load_model
from likely.cli.paths import Command, Input


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@json_option
def info(model: str, as_json: bool) -> None:
    """Show what MODEL consists of, and what its users should know.

    \b
      likely info reviews.likely

    Models of the same rows have the same tally, in whatever order they were learned; equal files
    have the same SHA-256.
    """
    classifier = load_model(model)
    found = classifier.info
    content = Path(model).read_bytes()
    size, sha256 = len(content), hashlib.sha256(content).hexdigest()
    if not as_json:
        if classifier.target is not None:
            click.echo(f"target `{classifier.target}`")
        click.echo(str(found))
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
        "ledger": found.ledger,
        "is_to_be_tuned": classifier.is_to_be_tuned,
        "notes": list(found.notes),
        "together": list(found.together),
        "bytes": size,
        "sha256": sha256,
        "digest": classifier.digest,
    }
    click.echo(json.dumps(facts, ensure_ascii=False))
