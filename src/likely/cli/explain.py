"""`likely explain`."""

import json
import math

import click

import likely


@click.command(no_args_is_help=True)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("text")
@click.option("--json", "as_json", is_flag=True, help="Print the evidence as JSON.")
def explain(model: str, text: str, as_json: bool) -> None:
    """Show what each word of TEXT says for and against the class that MODEL chooses.

    The numbers are log-odds of that class against the one that came second; they add up to the
    decision.

    \b
      likely explain reviews.likely "a plot as thin as paper"
    """
    evidence = likely.load(model).explain(text)
    if not as_json:
        click.echo(str(evidence))
        return
    facts = {
        "prediction": evidence.prediction,
        "probabilities": dict(
            zip(map(str, evidence.classes), evidence.probabilities.tolist(), strict=True)
        ),
        "against": evidence.rival,
        "log_odds": _number(evidence.total),
        "impossible": evidence.impossible,
        "terms": [
            {
                "name": term.name,
                "kind": term.kind,
                "count": term.count,
                "log_odds": _number(evidence.log_odds(term)),
            }
            for term in evidence.terms
        ],
    }
    click.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False))


def _number(value: float) -> float | str:
    """JSON knows no infinities; they are spelled out."""
    return value if math.isfinite(value) else str(value)
