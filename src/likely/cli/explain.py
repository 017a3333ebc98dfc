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
from likely.cli.options import json_option, load_model, prior_option, say, show, under_prior
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
@click.option("--by-hand", is_flag=True, help="Work it out by hand: fractions, as on a blackboard.")
@click.option(
    "--without",
    metavar="WORD|COL",
    multiple=True,
    help="What if this word, or this column, were not there?",
)
@prior_option
@click.option(
    "--surprisal",
    is_flag=True,
    help="Show instead how many bits each word costs each class, in a model trained --plain.",
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
    """Show what each part of ROW says for and against the class that MODEL chooses.

    ROW is a text, or cells as COLUMN=VALUE, or both. The numbers are log-odds of that class against
    the one that came second; they add up to the decision. The bias of a tuned model is what tuning
    adds to a class beside its prior; under another --prior it stays. If a rule decided, its name
    comes first, and the numbers are what the counts alone would say; with --json, of the rule's
    class against theirs.

    \b
      likely explain reviews.likely "a plot as thin as paper"
      likely explain reviews.likely "a thin plot" --without thin --by-hand
      likely explain birds.likely wing=41 seen=quay --prior gull=0.1
      likely explain plain.likely "a plot as thin as paper" --surprisal
    """
    classifier = under_prior(load_model(model), prior)
    cells = _row(classifier, row)
    before = classifier.explain(cells)
    for gone in without:
        cells = _without(cells, gone)
    evidence = classifier.explain(cells) if without else before
    if surprisal:
        _surprisal(classifier, evidence, cells, as_json)
        return
    if as_json:
        facts = _facts(evidence)
        if by_hand:
            facts["by_hand"] = classifier.by_hand(cells).to_json()
        if without:
            facts["with_all"] = _facts(before)
        click.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False))
        return
    if without:
        listed = ", ".join(f"`{gone}`" for gone in without)
        click.echo(f"Without {listed}; with all, it is {_decision(before)}.\n")
    if by_hand:
        if isinstance(evidence, Explanation) and evidence.rule is not None:
            click.echo(f"{_decision(evidence)}; the counts alone say:\n")
        click.echo(str(classifier.by_hand(cells)))
        return
    head, *lines = str(evidence).split("\n\n", 1)
    click.echo(click.style(head, bold=True) + "\n")
    coloured = _is_coloured()
    for text in _read_words(classifier, cells) if coloured and not classifier.is_multilabel else ():
        click.echo(f"{_coloured(text, evidence)}\n")
    for line in lines:
        click.echo(_coloured_bars(line) if coloured else line)


def _facts(evidence: Any) -> dict[str, Any]:
    if isinstance(evidence, MultiLabelExplanation):
        return _facts_of_labels(evidence)
    # Where a rule decided, what is said is said of its class and the one that the counts chose.
    ruled = evidence.prediction != evidence.counted
    against = evidence.counted if ruled else evidence.rival
    chosen, other = map(evidence.classes.index, (evidence.prediction, against))

    def log_odds(scores: Any) -> float | str:
        with np.errstate(invalid="ignore"):
            return _number(float(scores[chosen] - scores[other]))

    return {
        "prediction": evidence.prediction,
        "rule": None if evidence.rule is None else evidence.rule.name,
        "rules_fired": list(evidence.fired),
        "counted": evidence.counted,
        "probabilities": dict(
            zip(map(str, evidence.classes), evidence.probabilities.tolist(), strict=True)
        ),
        "against": against,
        "log_odds": log_odds(evidence.scores),
        "impossible": evidence.impossible,
        "unseen": list(evidence.unseen),
        "contributions": [
            {
                "name": contribution.name,
                "kind": contribution.kind,
                "count": contribution.count,
                "log_odds": log_odds(contribution.scores),
            }
            for contribution in evidence.contributions
        ],
    }


def _facts_of_labels(evidence: MultiLabelExplanation) -> dict[str, Any]:
    labels = [str(label) for label in evidence.classes]
    return {
        "prediction": evidence.prediction,
        "probabilities": dict(zip(labels, evidence.probabilities.tolist(), strict=True)),
        "thresholds": dict(zip(labels, evidence.thresholds.tolist(), strict=True)),
        "log_odds": dict(zip(labels, evidence.log_odds.tolist(), strict=True)),
        "contributions": [
            {
                "name": contribution.name,
                "kind": contribution.kind,
                "count": contribution.count,
                "log_odds": dict(zip(labels, contribution.scores.tolist(), strict=True)),
            }
            for contribution in evidence.contributions
        ],
    }


def _decision(evidence: Any) -> str:
    if isinstance(evidence, MultiLabelExplanation):
        return ", ".join(map(str, evidence.prediction)) or "no label"
    if evidence.rule is not None:
        return f"{evidence.prediction} by rule `{evidence.rule.name}`"
    return f"{evidence.prediction} ({evidence.probabilities.max():.1%})"


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


def _coloured(text: str, evidence: Explanation) -> str:
    """The text with each word in the colour of what it says, the louder the bolder."""
    pieces = spoken(
        text,
        [
            (contribution, evidence.log_odds(contribution))
            for contribution in evidence.contributions
        ],
    )
    loudest = max((abs(value) for _, value in pieces), default=0.0)
    return "".join(
        click.style(piece, fg=_FOR if value > 0 else _AGAINST, bold=abs(value) > loudest / 2)
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
    evidence: likely.Explanation,
    cells: dict[str, Any],
    as_json: bool,
) -> None:
    from likely.explain.language_model import surprising

    order = (-evidence.probabilities).argsort(kind="stable")
    labels = [evidence.classes[place] for place in order]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        languages = [classifier.language_model(label) for label in labels[:_MOST_CLASSES]]
    for warning in dict.fromkeys(str(one.message) for one in told):
        say(f"warning: {warning}")
    text = str(cells[languages[0].column] or "")
    if not as_json:
        show(surprising(languages, text))
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
        raise click.UsageError(f"`{twice}` is given twice; a row has one cell in a column")
    rest = [part for part in given if part not in named]
    if len(columns) == 1 and not cells:
        return {columns[0]: " ".join(given)}
    texts = [name for name in classifier.text_columns if name not in cells]
    wrong = [part for part in rest if "=" in part or len(texts) != 1]
    if wrong:
        name = wrong[0].partition("=")[0]
        raise click.UsageError(f"{wrong[0]!r} is no cell, COLUMN=VALUE; {nearest(name, columns)}")
    if rest:
        cells[texts[0]] = " ".join(rest)
    return {name: cells.get(name) for name in columns}


def _check_unicode(classifier: likely.Classifier, given: tuple[str, ...]) -> None:
    """Refuse bytes that are no UTF-8, which Python smuggles into texts, unless they are read."""
    broken = [part for part in given if part != part.encode("utf-8", "replace").decode()]
    if broken and not any(one.replaces_invalid for one in every(classifier.likelihood)):
        raise click.UsageError(
            f"the row is not UTF-8: {broken[0]!r}\nhint: `iconv -f latin1 -t utf-8` makes it so, "
            "and `likely predict --encoding latin-1` reads a file as it is"
        )


def _number(value: float) -> float | str:
    """JSON knows no infinities; they are spelled out."""
    return value if math.isfinite(value) else str(value)
