"""`likely info`."""

import json

import click

import likely


@click.command(no_args_is_help=True)
@click.argument("model", type=click.Path(dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print the facts as JSON.")
def info(model: str, as_json: bool) -> None:
    """Show what MODEL is made of, and what its user should know.

    \b
      likely info reviews.likely
    """
    classifier = likely.load(model)
    found = classifier.info
    if not as_json:
        if classifier.target is not None:
            click.echo(f"labels in `{classifier.target}`")
        click.echo(str(found))
        click.echo(f"tally {classifier.digest}")
        return
    facts = {
        "rows": {str(label): rows for label, rows in found.rows.items()},
        "target": classifier.target,
        "likelihoods": [
            {"columns": list(columns), "likelihood": likelihood}
            for columns, likelihood in found.likelihoods
        ],
        "prior": found.prior if isinstance(found.prior, str) else dict(found.prior),
        "rules": list(found.rules),
        "parameters": vars(found.parameters),
        "ledger": found.ledger,
        "notes": list(found.notes),
        "together": list(found.together),
        "digest": classifier.digest,
    }
    click.echo(json.dumps(facts, ensure_ascii=False))
