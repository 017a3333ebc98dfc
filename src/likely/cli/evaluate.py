"""`likely evaluate`."""

import json
from collections.abc import Sequence
from typing import Any

import click

import likely
from likely import render
from likely.cli.evaluating import predict_labeled, warn_of_training_rows
from likely.cli.evaluating_rules import match_rules
from likely.cli.gates import GATE_FAILED, gate_options, gates_of
from likely.cli.options import (
    file_options,
    json_option,
    load_model,
    number,
    print_message,
    print_result,
    prior_option,
    target_option,
    under_prior,
)
from likely.cli.paths import Command, Input
from likely.cli.rules_as_model import is_rules, refuse
from likely.data.files import open_table
from likely.data.labels import Label
from likely.data.table import DecimalMark
from likely.evaluation import coverage
from likely.evaluation.evaluate import figure_names
from likely.explain.target_leakage import warned

_OF_CLASS = ("precision", "recall", "f1")


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("data", type=Input(allow_dash=True))
@target_option
@gate_options
@click.option(
    "--beta", metavar="N", type=float, default=1.0, help="Also F_β, which weights recall β times."
)
@click.option(
    "--reject-below",
    metavar="P",
    type=number(float, 0, 1),
    help="Reject option: coverage and accuracy if less probable predictions are rejected.",
)
@prior_option
@file_options
@json_option
def evaluate(
    model: str,
    data: str,
    target: str | None,
    least: tuple[str, ...],
    most: tuple[str, ...],
    beta: float,
    reject_below: float | None,
    prior: Any,
    encoding: str,
    decimal: DecimalMark | None,
    as_json: bool,
) -> None:
    """Evaluate MODEL on DATA, labeled rows that it has not seen.

    \b
      likely evaluate reviews.likely test.csv
      likely evaluate reviews.likely test.csv --min macro_f1=0.8
      likely evaluate reviews.likely test.csv --min recall:positive=0.9
      likely evaluate reviews.likely test.csv --max log_loss=0.5

    Every figure has a 95 % confidence interval, and accuracy is shown next to the majority
    baseline. --min and --max make it a gate for continuous integration, with exit code 1. MODEL may
    also be a file of rules, RULES.toml: then the figures are those of the rows that a rule decides,
    with their coverage and a line for each rule. In the log-loss, probabilities are clipped at
    2.2e-16; the number of such rows is reported.
    """
    source = open_table(data, encoding=encoding, decimal=decimal)
    facts: dict[str, Any] = {}
    above, below = "", ""
    found: likely.Evaluation | None
    if is_rules(model):
        refuse("reject_below", "prior")
        rules = likely.Rules.read(model)
        known = ["coverage", *figure_names(False, beta, proba=False)]
        gates = gates_of(least, most, _named(known, [rule.label for rule in rules.rules]))
        by_rules = match_rules(rules, source, target)
        found = by_rules.evaluate(beta)
        facts = by_rules.to_json()
        above, below = by_rules.above(), by_rules.below()
    else:
        classifier = under_prior(load_model(model), prior)
        known = figure_names(classifier.is_multilabel, beta)
        gates = gates_of(least, most, _named(known, classifier.classes))
        predicted = predict_labeled(classifier, source, target)
        warn_of_training_rows([predicted], source)
        if classifier.is_stale:
            print_message("note: the model was tuned on other rows; `likely tune` tunes it again")
        for warning in warned(classifier.target_leakage()):
            print_message(f"warning: {warning}")
        given = (predicted.truth, predicted.predictions, predicted.probabilities)
        found = likely.evaluate(*given, classes=predicted.classes, beta=beta)
        if reject_below is not None:
            answered, right = coverage(*given, classes=predicted.classes).at(reject_below)
            facts = {"coverage": answered, "accuracy_of_answered": right}
            below = (
                f"rejecting below {reject_below:g}: coverage {render.percent(answered)} · "
                f"accuracy {render.percent(right)} of the rows that are left"
            )
    if as_json:
        print_result(json.dumps((found.to_json() if found else {}) | facts, ensure_ascii=False))
    else:
        print_result("\n\n".join(filter(None, (above, str(found) if found else "", below))))
    figures = dict(found.figures) if found else {}
    for one in found.per_class if found else ():
        figures |= {f"{n}:{one.label}": getattr(one, n) for n in _OF_CLASS}
    numbers = {name: float(figure) for name, figure in figures.items()}
    if "coverage" in facts:
        numbers["coverage"] = facts["coverage"]
    failed = [sentence for gate in gates if (sentence := gate.failed(numbers))]
    for sentence in failed:
        print_message(sentence, "likely", fg="red")
    if failed:
        raise click.exceptions.Exit(GATE_FAILED)


def _named(figures: list[str], classes: Sequence[Label]) -> list[str]:
    """The figures, and those of each class."""
    return figures + [f"{figure}:{label}" for figure in _OF_CLASS for label in classes]
