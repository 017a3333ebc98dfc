"""`likely explain`."""

import json
import math
import re
import sys
import warnings
from typing import Any

import click
import numpy as np

import likely
from likely import Explanation
from likely.cli.options import (
    json_option,
    load_model,
    print_message,
    print_result,
    prior_option,
    under_prior,
)
from likely.cli.paths import Command, Input
from likely.data.columns import nearest
from likely.data.table import repeated
from likely.explain.explanation import MultiLabelExplanation
from likely.explain.highlight import spoken
from likely.likelihoods.product import every

# On a dark terminal plain red is hard to see, as are light bars of it.
_FOR, _AGAINST = "green", "bright_red"


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("row", nargs=-1, required=True)
@click.option("--by-hand", is_flag=True, help="Show the calculation by hand, in fractions.")
@click.option(
    "--without",
    metavar="WORD|COL",
    multiple=True,
    help="Explain the row without this word or column.",
)
@prior_option
@click.option(
    "--surprisal",
    is_flag=True,
    help="Show the surprisal of each word in bits, by class, in a --plain model.",
)
@json_option
def explain(
    model: str,
    row: tuple[str, ...],
    by_hand: bool,
    without: tuple[str, ...],
    prior: Any,
    surprisal: bool,
    as_json: bool,
) -> None:
    """Explain which class MODEL predicts for ROW, and why.

    \b
      likely explain reviews.likely "a plot as thin as paper"
      likely explain reviews.likely "a thin plot" --without thin --by-hand
      likely explain birds.likely wing=41 seen=quay --prior gull=0.1
      likely explain plain.likely "a plot as thin as paper" --surprisal

    ROW is a text, or cells as COLUMN=VALUE, or both. The numbers are log-odds of the predicted
    class against the most probable other; they add up to the decision, unless a threshold or costs
    decide, and then the first lines say so. The bias of a tuned model is what
    tuning adds to a class besides its prior; another --prior does not change it. If a rule decided,
    its name comes first and the numbers are those of the model without the rule; with --json, those
    of the rule's class against the model's.
    """
    classifier = under_prior(load_model(model), prior)
    cells = _row(classifier, row)
    before = classifier.explain(cells)
    for gone in without:
        cells = _without(cells, gone)
    explanation = classifier.explain(cells) if without else before
    if surprisal:
        _surprisal(classifier, explanation, cells, as_json)
        return
    if as_json:
        facts = _facts(explanation)
        if by_hand:
            facts["by_hand"] = classifier.by_hand(cells).to_json()
        if without:
            facts["with_all"] = _facts(before)
        click.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False))
        return
    if without:
        listed = ", ".join(f"`{gone}`" for gone in without)
        click.echo(f"without {listed} (with it: {_decision(before)})\n")
    if by_hand:
        if isinstance(explanation, Explanation) and explanation.rule is not None:
            click.echo(f"{_decision(explanation)}; the counts alone say:\n")
        click.echo(str(classifier.by_hand(cells)))
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


def _facts(explanation: Any) -> dict[str, Any]:
    if isinstance(explanation, MultiLabelExplanation):
        return _facts_of_labels(explanation)
    # Where a rule decided, log-odds are those of its class against the one that the counts chose.
    ruled = explanation.prediction != explanation.counted
    against = explanation.counted if ruled else explanation.against
    chosen = explanation.classes.index(explanation.prediction)

    def log_odds(scores: Any) -> float | str:
        # Without a class to be against, they are against the rest already.
        other = 0.0 if against is None else scores[explanation.classes.index(against)]
        with np.errstate(invalid="ignore"):
            return _number(float(scores[chosen] - other))

    return {
        "prediction": explanation.prediction,
        "rule": None if explanation.rule is None else explanation.rule.name,
        "rules_fired": list(explanation.fired),
        "counted": explanation.counted,
        "reason": explanation.reason,
        "probabilities": dict(
            zip(map(str, explanation.classes), explanation.probabilities.tolist(), strict=True)
        ),
        "against": against,
        "log_odds": log_odds(explanation.scores),
        "impossible": explanation.impossible,
        "unseen": list(explanation.unseen),
        "contributions": [
            {
                "name": contribution.name,
                "kind": contribution.kind,
                "count": contribution.count,
                "log_odds": log_odds(contribution.scores),
            }
            for contribution in explanation.contributions
        ],
    }


def _facts_of_labels(explanation: MultiLabelExplanation) -> dict[str, Any]:
    labels = [str(label) for label in explanation.classes]
    return {
        "prediction": explanation.prediction,
        "probabilities": dict(zip(labels, explanation.probabilities.tolist(), strict=True)),
        "thresholds": dict(zip(labels, explanation.thresholds.tolist(), strict=True)),
        "log_odds": dict(zip(labels, explanation.log_odds.tolist(), strict=True)),
        "contributions": [
            {
                "name": contribution.name,
                "kind": contribution.kind,
                "count": contribution.count,
                "log_odds": dict(zip(labels, contribution.scores.tolist(), strict=True)),
            }
            for contribution in explanation.contributions
        ],
    }


def _decision(explanation: Any) -> str:
    if isinstance(explanation, MultiLabelExplanation):
        return ", ".join(map(str, explanation.prediction)) or "no label"
    if explanation.rule is not None:
        return f"{explanation.prediction} by rule `{explanation.rule.name}`"
    probability = explanation.probabilities[explanation.classes.index(explanation.prediction)]
    return f"{explanation.prediction} ({probability:.1%})"


def _without(cells: dict[str, Any], gone: str) -> dict[str, Any]:
    """The row without a column, or without a word wherever it stands."""
    if gone in cells:
        return {**cells, gone: None}
    word = re.compile(rf"(?<!\w){re.escape(gone)}(?!\w) ?", re.IGNORECASE)
    left = {name: word.sub("", cell) if cell else cell for name, cell in cells.items()}
    if left == cells:
        raise click.UsageError(f"--without {gone}: the row has no such word, and no such column")
    return left


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


# More columns than this do not fit on a line.
_MOST_CLASSES = 4


def _surprisal(
    classifier: likely.Classifier,
    explanation: likely.Explanation,
    cells: dict[str, Any],
    as_json: bool,
) -> None:
    from likely.explain.language_model import surprising

    order = (-explanation.probabilities).argsort(kind="stable")
    labels = [explanation.classes[place] for place in order]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        languages = [classifier.language_model(label) for label in labels[:_MOST_CLASSES]]
    for warning in dict.fromkeys(str(one.message) for one in told):
        print_message(f"warning: {warning}")
    text = str(cells[languages[0].column] or "")
    if not as_json:
        print_result(surprising(languages, text))
        return
    classes = {
        str(each.label): {
            "log_prob": _number(each.log_prob(text)),
            "words": [[word.word, _number(word.surprisal)] for word in each.words(text)],
        }
        for each in languages
    }
    facts = {"unknown": languages[0].unknown(text), "classes": classes}
    click.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False))


def _row(classifier: likely.Classifier, given: tuple[str, ...]) -> dict[str, Any]:
    """The cells of a row; columns that were not given are missing.

    What is no cell is the text, if there is one column of texts; or the cell of a lone column.
    """
    columns = classifier.columns
    _check_unicode(classifier, given)
    named = [part for part in given if "=" in part and part.partition("=")[0] in columns]
    cells = dict(part.partition("=")[::2] for part in named)
    twice = repeated(part.partition("=")[0] for part in named)
    if twice is not None:
        raise click.UsageError(f"`{twice}` is given twice; a row has one cell per column")
    rest = [part for part in given if part not in named]
    if len(columns) == 1 and not cells:
        return {columns[0]: " ".join(given)}
    texts = [name for name in classifier.text_columns if name not in cells]
    wrong = [part for part in rest if "=" in part or len(texts) != 1]
    if wrong:
        name = wrong[0].partition("=")[0]
        raise click.UsageError(
            f"{wrong[0]!r} is not a cell, COLUMN=VALUE; {nearest(name, columns)}"
        )
    if rest:
        cells[texts[0]] = " ".join(rest)
    return {name: cells.get(name) for name in columns}


def _check_unicode(classifier: likely.Classifier, given: tuple[str, ...]) -> None:
    """Refuse bytes that are not UTF-8, unless the model replaces them."""
    broken = [part for part in given if part != part.encode("utf-8", "replace").decode()]
    if broken and not any(one.replaces_invalid for one in every(classifier.likelihood)):
        raise click.UsageError(
            f"the row is not UTF-8: {broken[0]!r}\nhint: `iconv -f latin1 -t utf-8` makes it so, "
            "and `likely predict --encoding latin-1` reads a file as it is"
        )


def _number(value: float) -> float | str:
    """JSON has no infinities; they are written as text."""
    return value if math.isfinite(value) else str(value)
