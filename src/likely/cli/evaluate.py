"""`likely evaluate`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import click

import likely
from likely import render
from likely.cli.evaluating import predict_labeled, warn_of_training_rows
from likely.cli.evaluating_rules import match_rules
from likely.cli.gates import GATE_FAILED, Gate, gate_options, gates_of
from likely.cli.options import (
    file_options,
    given_options,
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
from likely.data.files import Source, open_table
from likely.data.labels import Label
from likely.data.table import DecimalMark
from likely.evaluation import coverage
from likely.evaluation.confusion import ConfusionTable
from likely.evaluation.evaluate import figure_names
from likely.explain.target_leakage import warned

_OF_CLASS = ("precision", "recall", "f1")


@dataclass(frozen=True)
class _Measured:
    """What was measured, the gates it is to pass, and what else there is to say."""

    found: likely.Evaluation | None
    gates: list[Gate]
    facts: dict[str, Any] = field(default_factory=dict)
    above: str = ""
    below: str = ""

    def shown(self, by_hand: bool) -> str:
        figures = str(self.found.by_hand() if by_hand else self.found) if self.found else ""
        return "\n\n".join(filter(None, (self.above, figures, self.below)))

    def to_json(self, by_hand: bool) -> dict[str, Any]:
        found = self.found.to_json() if self.found else {}
        steps = {"by_hand": self.found.by_hand().to_json()} if self.found and by_hand else {}
        return found | steps | self.facts

    def failed(self) -> list[str]:
        """A sentence for each gate that stays closed."""
        figures = dict(self.found.figures) if self.found else {}
        for one in self.found.per_class if self.found else ():
            figures |= {f"{n}:{one.label}": getattr(one, n) for n in _OF_CLASS}
        numbers = {name: float(figure) for name, figure in figures.items()}
        if "coverage" in self.facts:
            numbers["coverage"] = self.facts["coverage"]
        return [sentence for gate in self.gates if (sentence := gate.failed(numbers))]


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False), required=False)
@click.argument("data", type=Input(allow_dash=True), required=False)
@target_option
@click.option(
    "--confusion",
    metavar="FILE",
    type=Input(dir_okay=False, allow_dash=True),
    help="Evaluate a confusion table, in place of MODEL and DATA.",
)
@click.option(
    "--by-hand", is_flag=True, help="Show the calculation by hand, in fractions, class by class."
)
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
    model: str | None,
    data: str | None,
    target: str | None,
    confusion: str | None,
    by_hand: bool,
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
      likely evaluate --confusion urgent.csv --by-hand

    Every figure has a 95 % confidence interval, and accuracy is shown next to the majority
    baseline. --min and --max make it a gate for continuous integration, with exit code 1. MODEL may
    also be a file of rules, RULES.toml: then the figures are those of the rows that a rule decides,
    with their coverage and a line for each rule. In the log-loss, probabilities are clipped at
    2.2e-16; the number of such rows is reported.

    The FILE of --confusion is a table of counts: a header with the classes, then a row for each.
    The first cell of its header says what the rows are, gold or predicted.
    """
    asked = least, most, beta
    if confusion is not None:
        if model is not None:
            raise click.UsageError("--confusion takes the place of MODEL and DATA")
        for option in given_options(("target", "reject_below", "prior")):
            raise click.UsageError(f"{option} needs MODEL and DATA; --confusion has only counts")
        source = open_table(confusion, encoding=encoding, decimal=decimal)
        measured = _of_confusion(source, *asked)
    elif model is None or data is None:
        raise click.UsageError("name a MODEL and DATA, or a table of counts: --confusion FILE")
    else:
        source = open_table(data, encoding=encoding, decimal=decimal)
        if is_rules(model):
            refuse("reject_below", "prior")
            measured = _of_rules(model, source, target, *asked)
        else:
            classifier = under_prior(load_model(model), prior)
            measured = _of_model(classifier, source, target, *asked, reject_below)
    if as_json:
        print_result(json.dumps(measured.to_json(by_hand), ensure_ascii=False))
    else:
        print_result(measured.shown(by_hand))
    failed = measured.failed()
    for sentence in failed:
        print_message(sentence, "likely", fg="red")
    if failed:
        raise click.exceptions.Exit(GATE_FAILED)


def _of_confusion(
    source: Source, least: tuple[str, ...], most: tuple[str, ...], beta: float
) -> _Measured:
    table = ConfusionTable.read(source)
    known = figure_names(False, beta, proba=False)
    gates = gates_of(least, most, _named(known, table.classes))
    return _Measured(likely.evaluate.from_confusion(table.counts, table.classes, beta=beta), gates)


def _of_rules(
    path: str,
    source: Source,
    target: str | None,
    least: tuple[str, ...],
    most: tuple[str, ...],
    beta: float,
) -> _Measured:
    rules = likely.Rules.read(path)
    known = ["coverage", *figure_names(False, beta, proba=False)]
    gates = gates_of(least, most, _named(known, [rule.label for rule in rules.rules]))
    found = match_rules(rules, source, target)
    return _Measured(found.evaluate(beta), gates, found.to_json(), found.above(), found.below())


def _of_model(
    classifier: likely.Classifier,
    source: Source,
    target: str | None,
    least: tuple[str, ...],
    most: tuple[str, ...],
    beta: float,
    reject_below: float | None,
) -> _Measured:
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
    if reject_below is None:
        return _Measured(found, gates)
    answered, right = coverage(*given, classes=predicted.classes).at(reject_below)
    return _Measured(
        found,
        gates,
        {"coverage": answered, "accuracy_of_answered": right},
        below=f"rejecting below {reject_below:g}: coverage {render.percent(answered)} · "
        f"accuracy {render.percent(right)} of the rows that are left",
    )


def _named(figures: list[str], classes: Sequence[Label]) -> list[str]:
    """The figures, and those of each class."""
    return figures + [f"{figure}:{label}" for figure in _OF_CLASS for label in classes]
