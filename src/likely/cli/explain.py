"""`likely explain`."""

import json
import math
from typing import Any

import click

import likely
from likely.cli.options import prior_option
from likely.inputs.columns import nearest


@click.command(no_args_is_help=True)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("row", nargs=-1, required=True)
@prior_option
@click.option(
    "--surprisal",
    is_flag=True,
    help="Show instead how many bits each word costs each class, the likeliest class first.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the evidence as JSON.")
def explain(model: str, row: tuple[str, ...], prior: Any, surprisal: bool, as_json: bool) -> None:
    """Show what each part of ROW says for and against the class that MODEL chooses.

    ROW is a text; or, if the model reads several columns, cells as COLUMN=VALUE. The numbers are
    log-odds of that class against the one that came second; they add up to the decision. If a rule
    decided, its name comes first, and the numbers are what the counts alone would say.

    \b
      likely explain reviews.likely "a plot as thin as paper"
      likely explain birds.likely wing=41 seen=quay
      likely explain reviews.likely "a plot as thin as paper" --surprisal
    """
    classifier = likely.load(model)
    if prior is not None:
        classifier = classifier.with_prior(prior)
    cells = _row(classifier, row)
    evidence = classifier.explain(cells)
    if surprisal:
        _surprisal(classifier, evidence, cells, as_json)
        return
    if not as_json:
        click.echo(str(evidence))
        return
    facts = {
        "prediction": evidence.prediction,
        "rule": None if evidence.rule is None else evidence.rule.name,
        "counted": evidence.counted,
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


# More columns than this do not fit on a line.
_MOST_CLASSES = 4


def _surprisal(
    classifier: likely.Classifier, evidence: likely.Evidence, cells: dict[str, Any], as_json: bool
) -> None:
    from likely.language import surprising

    order = (-evidence.probabilities).argsort(kind="stable")
    labels = [evidence.classes[place] for place in order]
    languages = [classifier.language(label) for label in labels[:_MOST_CLASSES]]
    text = str(cells[languages[0].column] or "")
    if not as_json:
        click.echo(surprising(languages, text))
        return
    said = {
        str(each.label): {
            "log_prob": _number(each.log_prob(text)),
            "words": [[word.word, _number(word.surprisal)] for word in each.words(text)],
        }
        for each in languages
    }
    facts = {"unknown": languages[0].unknown(text), "classes": said}
    click.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False))


def _row(classifier: likely.Classifier, given: tuple[str, ...]) -> Any:
    """The cells of a row; columns that were not given are missing."""
    columns = classifier.columns
    cells = dict(part.partition("=")[::2] for part in given if part.partition("=")[0] in columns)
    if len(columns) == 1 and not cells:
        return {columns[0]: " ".join(given)}
    wrong = [part for part in given if part.partition("=")[0] not in columns]
    if wrong:
        name = wrong[0].partition("=")[0]
        raise click.UsageError(f"{wrong[0]!r} is no cell, COLUMN=VALUE; {nearest(name, columns)}")
    return {name: cells.get(name) for name in columns}


def _number(value: float) -> float | str:
    """JSON knows no infinities; they are spelled out."""
    return value if math.isfinite(value) else str(value)
