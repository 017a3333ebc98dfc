"""`likely test`."""

import json
from collections.abc import Sequence
from typing import Any

import click

import likely
from likely import page
from likely.cli.judging import judge, say_learned
from likely.cli.options import (
    encoding_option,
    json_option,
    number,
    prior_option,
    say,
    show,
    target_option,
    under_prior,
)
from likely.cli.paths import Command, Input
from likely.cli.ruling import is_rules, judged_by_rules, refuse
from likely.evaluation import coverage
from likely.evaluation.evaluate import figure_names
from likely.giveaways import warned
from likely.inputs.columns import nearest
from likely.inputs.files import open_table
from likely.labels import Label

GATE_FAILED = 1
_OF_CLASS = ("precision", "recall", "f1")


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("data", type=Input(allow_dash=True))
@target_option
@click.option(
    "--min",
    "least",
    metavar="FIGURE=N",
    multiple=True,
    help="Fail, with exit code 1, if a figure is below: macro_f1=0.8, recall:spam=0.9.",
)
@click.option(
    "--beta", metavar="N", type=float, default=1.0, help="Also F_β; recall counts β times as much."
)
@click.option(
    "--unsure-below",
    metavar="P",
    type=number(float, 0, 1),
    help="What answering only from this probability on would cost and bring.",
)
@prior_option
@encoding_option
@json_option
def test(
    model: str,
    data: str,
    target: str | None,
    least: tuple[str, ...],
    beta: float,
    unsure_below: float | None,
    prior: Any,
    encoding: str,
    as_json: bool,
) -> None:
    """Measure MODEL on DATA, rows with labels that it has not seen.

    Every figure has the interval that chance would give it, and accuracy stands beside what is
    right by always saying the commonest class. With --min it is a gate for continuous integration.
    MODEL may be a file of rules, RULES.toml; a row that none of them decides is then not right.

    \b
      likely test reviews.likely test.csv
      likely test reviews.likely test.csv --min macro_f1=0.8
      likely test reviews.likely test.csv --min recall:positive=0.9
    """
    source = open_table(data, encoding=encoding)
    if is_rules(model):
        refuse("unsure_below", "prior")
        rules = likely.Rules.read(model)
        gates = _gates(least, True, [rule.label for rule in rules.rules], beta)
        truth, said = judged_by_rules(rules, source, target)
        found = likely.evaluate(truth, said, beta=beta)
        say(f"{model}: rules decide {sum(map(bool, said)):,} of {len(said):,} rows")
    else:
        classifier = under_prior(likely.load(model), prior)
        gates = _gates(least, classifier.several, classifier.classes, beta)
        judged = judge(classifier, source, target)
        say_learned([judged], source)
        for warning in warned(classifier.giveaways()):
            say(f"warning: {warning}")
        given = (judged.truth, judged.predictions, judged.probabilities)
        found = likely.evaluate(*given, classes=judged.classes, beta=beta)
    facts = found.to_json()
    shown = str(found)
    if unsure_below is not None:
        answered, right = coverage(*given, classes=judged.classes).at(unsure_below)
        facts |= {"coverage": answered, "accuracy_of_answered": right}
        shown += (
            f"\n\nUnsure below {unsure_below:g}: {page.percent(answered)} of the rows would be "
            f"answered, {page.percent(right)} of these right."
        )
    show(json.dumps(facts, ensure_ascii=False) if as_json else shown)
    figures = {name: float(figure) for name, figure in found.figures.items()}
    for one in found.per_class:
        figures |= {f"{n}:{one.label}": float(getattr(one, n)) for n in _OF_CLASS}
    failed = [_failed(name, bar, figures) for name, bar in gates]
    for sentence in filter(None, failed):
        say(sentence, "likely", fg="red")
    if any(failed):
        raise click.exceptions.Exit(GATE_FAILED)


def _gates(
    least: tuple[str, ...], several: bool, classes: Sequence[Label], beta: float
) -> list[tuple[str, float]]:
    """Figures and their bars, before any work is done for them."""
    known = figure_names(several, beta)
    known += [f"{figure}:{label}" for figure in _OF_CLASS for label in classes]
    gates = []
    for given in least:
        name, _, bar = given.rpartition("=")
        try:
            gates.append((name, float(bar)))
        except ValueError:
            raise click.UsageError(
                f"--min {given}: a figure and a number, as in macro_f1=0.8"
            ) from None
        if name not in known:
            raise click.UsageError(f"--min {name}: there is no such figure; {nearest(name, known)}")
    return gates


def _failed(name: str, bar: float, figures: dict[str, float]) -> str | None:
    """What is wrong with a figure, if it is below the bar."""
    if name not in figures:
        return f"{name} cannot be told from these rows, so it is not {bar:g}"
    if figures[name] >= bar:
        return None
    return f"{name} is {page.number(figures[name])}, below {bar:g}"
