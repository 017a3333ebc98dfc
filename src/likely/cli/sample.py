"""`likely sample`."""

import click

from likely.cli.options import load_model, number
from likely.cli.paths import Command, Input
from likely.cli.writing import print_rows
from likely.data.labels import plain_list


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("label", metavar="[CLASS]", required=False)
@click.option(
    "-n",
    "n",
    metavar="N",
    type=number(int, 1),
    default=10,
    show_default=True,
    help="Number of rows.",
)
@click.option(
    "--seed", metavar="N", type=number(int, 0), default=0, show_default=True, help="Random seed."
)
@click.option(
    "--length",
    metavar="N",
    type=number(int, 1),
    help="Words of a text; with word n-grams, at most.  [default: as the class has]",
)
@click.option("--json", "as_json", is_flag=True, help="Print rows as JSON lines.")
def sample(
    model: str, label: str | None, n: int, seed: int, length: int | None, as_json: bool
) -> None:
    """Draw random rows from MODEL: from CLASS, or from classes drawn by the prior.

    \b
      likely sample plain.likely positive -n 5
      likely sample plain.likely -n 1000 --seed 1 > drawn.csv
      likely sample plain.likely negative -n 2 --length 8 --json

    What a generative model believes of a class: numbers from its Gaussians or bins, categories from
    their shares, dates, and texts word by word from P(word | class), or with word n-grams each word
    after those before it. Columns are independent within a class, unless they share a likelihood.
    The rows have their class in the target column, and `likely predict` and `train` read them.

    MODEL is a plain one (`likely train --plain`, or --model NAME but not complement), since
    weighted scores are no probabilities of rows.
    """
    classifier = load_model(model)
    if label is None:
        found, labels = classifier.sample(n=n, seed=seed, length=length)
        named = plain_list(labels)
    else:
        found = classifier.sample(label, n, seed=seed, length=length)
        named = [classifier.class_of(label)] * n
    columns = found if isinstance(found, dict) else {classifier.columns[0]: found}
    print_rows({**columns, classifier.target or "label": named}, as_json)
