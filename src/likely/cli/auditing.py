"""Options and pages that `audit`, `mitigate` and `card` share."""

from collections.abc import Sequence
from pathlib import Path

import click

import likely
from likely import Classifier, render
from likely.cli.options import together
from likely.cli.paths import Input, Output
from likely.fairness.sentences import Sentences, read_sentences, read_terms

audit_options = together(
    click.option(
        "--templates",
        metavar="FILE",
        type=Input(),
        multiple=True,
        help="Sentences or templates to score; `persons` and `terms` are built in.",
    ),
    click.option("--hostile", metavar="LABEL", help="The label of hostile sentences in a file."),
    click.option(
        "--terms",
        "term_list",
        metavar="FILE",
        type=Input(),
        help="Identity terms to find in a file of sentences.",
    ),
    click.option(
        "--group",
        "group_columns",
        metavar="COL",
        multiple=True,
        callback=lambda ctx, param, value: tuple(dict.fromkeys(value)),
        help="Compare the groups that a column of DATA defines; may be repeated.",
    ),
    click.option(
        "--score",
        metavar="CLASS",
        help="The class to score.  [default: of two, the second]",
    ),
)

html_option = click.option(
    "--html", "html_file", metavar="FILE", type=Output(), help="Also write an HTML page."
)


def sentences_of(
    templates: Sequence[str], hostile: str | None, term_list: str | None
) -> list[Sentences]:
    """The sentences to score."""
    terms = None if term_list is None else read_terms(term_list)
    return [read_sentences(each, hostile=hostile, terms=terms) for each in templates]


def page_of(
    what: str, model: str, classifier: Classifier, lead: str, sections: Sequence[render.Section]
) -> bytes:
    """The HTML page of an audit or a mitigation."""
    closing = (
        f"Tally {classifier.digest[:16]}… of {classifier.tally.n_rows:,} rows. "
        f"Made by likely {likely.__version__}."
    )
    return render.document(f"{what} of {Path(model).name}", lead, [], sections, closing).encode()
