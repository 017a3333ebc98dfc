"""What `audit`, `mitigate` and `card` share: what is asked of a model, and the page of answers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

import likely
from likely import Classifier, render
from likely.cli.paths import Input, Output
from likely.fairness.sentences import Sentences, read_sentences, read_terms

_ASKED = (
    click.option(
        "--templates",
        metavar="FILE",
        type=Input(),
        multiple=True,
        help="Sentences or frames to score; `persons` and `terms` are ours.",
    ),
    click.option("--hostile", metavar="LABEL", help="How a file of sentences labels hostile ones."),
    click.option(
        "--terms",
        "term_list",
        metavar="FILE",
        type=Input(),
        help="Identity terms to look for in a file of sentences.",
    ),
    click.option(
        "--group",
        "group_columns",
        metavar="COL",
        multiple=True,
        callback=lambda ctx, param, value: tuple(dict.fromkeys(value)),
        help="Compare the groups of DATA that a column tells apart; more of them, each by itself.",
    ),
    click.option(
        "--score",
        metavar="CLASS",
        help="The class that is looked at; of two, the second by default.",
    ),
)

html_option = click.option(
    "--html", "html_file", metavar="FILE", type=Output(), help="Also write a page."
)


def asking(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say by which sentences, groups and scores a model is looked at."""
    for option in reversed(_ASKED):
        command = option(command)
    return command


def sentences_of(
    templates: Sequence[str], hostile: str | None, term_list: str | None
) -> list[Sentences]:
    """The sentences that were asked for."""
    terms = None if term_list is None else read_terms(term_list)
    return [read_sentences(each, hostile=hostile, terms=terms) for each in templates]


def page_of(
    what: str, model: str, classifier: Classifier, lead: str, sections: Sequence[render.Section]
) -> bytes:
    """A page about what was done to the model of a file, and of which rows it is."""
    closing = (
        f"Tally {classifier.digest[:16]}… of {classifier.tally.n_rows:,} rows. "
        f"Made by likely {likely.__version__}."
    )
    return render.document(f"{what} of {Path(model).name}", lead, [], sections, closing).encode()
