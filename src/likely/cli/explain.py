"""`likely explain`."""

import json
import re
import sys
from typing import Any

import click

import likely
from likely import Explanation
from likely.cli.given_row import given_row, row_without
from likely.cli.options import (
    given_options,
    json_option,
    load_model,
    prior_option,
    under_prior,
)
from likely.cli.paths import Command, Input
from likely.explain.explanation import MultiLabelExplanation
from likely.explain.highlight import spoken

# On a dark terminal plain red is hard to see, as are light bars of it.
_FOR, _AGAINST = "green", "bright_red"


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("row", nargs=-1)
@click.option("--by-hand", is_flag=True, help="Show the calculation by hand, in fractions.")
@click.option(
    "--bag",
    is_flag=True,
    help="With --by-hand, take a text for the bag of its words: its probability has the "
    "multinomial coefficient.",
)
@click.option(
    "--linear",
    is_flag=True,
    help="Show the weights and the intercept of the model, or of ROW: weight · count, and the sum.",
)
@click.option(
    "--surprisal",
    is_flag=True,
    help="Show the surprisal of each word in bits, by class, in a --plain model.",
)
@click.option(
    "--without",
    metavar="WORD|COL",
    multiple=True,
    help="Explain the row without this word or column.",
)
@prior_option
@json_option
def explain(
    model: str,
    row: tuple[str, ...],
    by_hand: bool,
    bag: bool,
    linear: bool,
    surprisal: bool,
    without: tuple[str, ...],
    prior: Any,
    as_json: bool,
) -> None:
    """Explain which class MODEL predicts for ROW, and why.

    \b
      likely explain reviews.likely "a plot as thin as paper"
      likely explain reviews.likely "a thin plot" --without thin --by-hand
      likely explain birds.likely wing=41 seen=quay --prior gull=0.1
      likely explain plain.likely "a plot, a thin plot" --by-hand --bag
      likely explain plain.likely --linear
      likely explain plain.likely "a plot as thin as paper" --surprisal

    ROW is a text, or cells as COLUMN=VALUE, or both. The numbers are log-odds of the predicted
    class against the most probable other; they add up to the decision, unless a threshold or costs
    decide, and then the first lines say so. The bias of a tuned model is what
    tuning adds to a class besides its prior; another --prior does not change it. If a rule decided,
    its name comes first and the numbers are those of the model without the rule; with --json, those
    of the rule's class against the model's.

    With --linear, ROW may be left out. Plain Naive Bayes of words and categories is linear in log
    space, and so is LDA; of two classes, the log-odds of the second against the first are shown.
    """
    _check_options(row, linear, bag, by_hand)
    classifier = under_prior(load_model(model), prior)
    if not row:
        _print_form(classifier, as_json)
        return
    cells = given_row(classifier, row)
    before = classifier.explain(cells)
    for gone in without:
        cells = row_without(cells, gone)
    explanation = classifier.explain(cells) if without else before
    if surprisal:
        from likely.cli.surprisal import print_surprisal

        print_surprisal(classifier, explanation, cells, as_json)
        return
    computation: Any = None
    if by_hand:
        computation = classifier.by_hand(cells, bag=bag)
    elif linear:
        computation = classifier.linear_form().of_row(cells)
    if as_json:
        found = explanation.to_json()
        if computation is not None:
            found["by_hand" if by_hand else "linear"] = computation.to_json()
        if without:
            found["with_all"] = before.to_json()
        click.echo(json.dumps(found, ensure_ascii=False, allow_nan=False))
        return
    if without:
        listed = ", ".join(f"`{gone}`" for gone in without)
        click.echo(f"without {listed} (with it: {_decision(before)})\n")
    if computation is not None:
        if isinstance(explanation, Explanation) and explanation.rule is not None:
            click.echo(f"{_decision(explanation)}; the counts alone say:\n")
        click.echo(str(computation))
        if isinstance(explanation, Explanation) and explanation.reason is not None:
            click.echo(f"\n{explanation.counted} is predicted: {explanation.reason}")
        return
    head, *lines = str(explanation).split("\n\n", 1)
    click.echo(click.style(head, bold=True) + "\n")
    coloured = _is_coloured()
    for text in _read_words(classifier, cells) if coloured and not classifier.is_multilabel else ():
        click.echo(f"{_coloured(text, explanation)}\n")
    for line in lines:
        click.echo(_coloured_bars(line) if coloured else line)


def _check_options(row: tuple[str, ...], linear: bool, bag: bool, by_hand: bool) -> None:
    """Refuse what cannot be asked for together."""
    asked = given_options(["by_hand", "linear", "surprisal"])
    if len(asked) > 1:
        raise click.UsageError(f"{asked[0]} and {asked[1]} are two views; give one of them")
    if bag and not by_hand:
        raise click.UsageError("--bag says what --by-hand computes; give both")
    if row:
        return
    if not linear:
        raise click.MissingParameter(param_hint="'ROW...'", param_type="argument")
    if given_options(["without"]):
        raise click.UsageError("--without leaves something out of a row, and no ROW was given")


def _print_form(classifier: likely.Classifier, as_json: bool) -> None:
    """The weights of the whole model."""
    form = classifier.linear_form()
    if as_json:
        found = {"linear": form.to_json()}
        click.echo(json.dumps(found, ensure_ascii=False, allow_nan=False))
        return
    click.echo(_coloured_bars(str(form)) if _is_coloured() else str(form))


def _decision(explanation: Any) -> str:
    if isinstance(explanation, MultiLabelExplanation):
        return ", ".join(map(str, explanation.prediction)) or "no label"
    if explanation.rule is not None:
        return f"{explanation.prediction} by rule `{explanation.rule.name}`"
    probability = explanation.probabilities[explanation.classes.index(explanation.prediction)]
    return f"{explanation.prediction} ({probability:.1%})"


def _is_coloured() -> bool:
    return sys.stdout.isatty() and click.get_current_context().color is not False


def _read_words(classifier: likely.Classifier, cells: dict[str, Any]) -> list[str]:
    """The texts of a row that are read word by word."""
    texts = classifier.text_columns
    return [cells[name] for name in texts if cells[name]]


def _coloured(text: str, explanation: Explanation) -> str:
    """The text with each word in the colour of its contribution; large ones are bold."""
    pieces = spoken(
        text,
        [
            (contribution, explanation.log_odds(contribution))
            for contribution in explanation.contributions
        ],
    )
    largest = max((abs(value) for _, value in pieces), default=0.0)
    return "".join(
        click.style(piece, fg=_FOR if value > 0 else _AGAINST, bold=abs(value) > largest / 2)
        if value
        else piece
        for piece, value in pieces
    )


def _coloured_bars(lines: str) -> str:
    lines = re.sub("█+", lambda bar: click.style(bar[0], fg=_FOR), lines)
    return re.sub("░+", lambda bar: click.style("▒" * len(bar[0]), fg=_AGAINST), lines)
