"""The options that say what a model is learned from and what it is, for several commands."""

import click

from likely.cli.models import MODELS
from likely.cli.options import prior_option, together
from likely.cli.paths import Input
from likely.cli.text_options import text_options

_label_options = together(
    click.option(
        "--target",
        metavar="COL[,COL…]",
        help="The column that holds the labels; or one 0/1 column per label.",
    ),
    click.option("--multilabel", is_flag=True, help="A row may have more than one label, or none."),
    click.option(
        "--label-separator",
        metavar="TEXT",
        help="What separates the labels in a cell.  [default: ; or a JSON list]",
    ),
    click.option(
        "--drop-label", metavar="LABEL", multiple=True, help="Skip the rows with this label."
    ),
)
column_options = together(
    click.option(
        "--text",
        metavar="[short:]COL",
        multiple=True,
        help="Treat a column as text; short:COL as names, addresses or codes.",
    ),
    click.option("--numeric", metavar="COL", multiple=True, help="Treat a column as numeric."),
    click.option(
        "--categorical", metavar="COL", multiple=True, help="Treat a column as categorical."
    ),
    click.option(
        "--date",
        metavar="[day-first:]COL",
        multiple=True,
        help="Treat a column as dates; day-first:COL if 2/1/2024 is in January.",
    ),
    click.option(
        "--vectors", metavar="COL", multiple=True, help="Treat a column as vectors (embeddings)."
    ),
    click.option("--drop-column", metavar="COL", multiple=True, help="Do not use a column."),
)
m_option = click.option(
    "--m",
    "m",
    metavar="N",
    type=float,
    help="m-estimate of categories: equivalent sample size m.  [default: 1]",
)
joint_option = click.option(
    "--joint",
    metavar="COL,COL",
    multiple=True,
    help="Columns that share one likelihood: a full covariance, or a joint table.",
)
_missing_option = click.option(
    "--missing",
    metavar="TEXT",
    multiple=True,
    help="How missing cells are written, if not empty, ?, NA or NaN.",
)
data_options = together(_label_options, column_options, joint_option, _missing_option)


def _by_name(ctx: click.Context, param: click.Parameter, value: str) -> str | None:
    return None if value == "default" else value


model_option = click.option(
    "--model",
    metavar="NAME",
    type=click.Choice(["default", *MODELS]),
    default="default",
    callback=_by_name,
    help="default picks and tunes a likelihood for each column. One plain model instead: "
    f"{', '.join(MODELS)}.",
)
counting_options = together(
    text_options,
    model_option,
    click.option(
        "--plain",
        is_flag=True,
        help="Plain Naive Bayes, not tuned; also with --model NAME, --alpha, --m, --tfidf, or "
        "--stop-words top:N.",
    ),
    click.option(
        "--alpha",
        metavar="N",
        type=float,
        help="Additive smoothing α.  [default: 1 for text]",
    ),
    m_option,
    click.option(
        "--category-prior",
        metavar="FILE",
        type=Input(dir_okay=False),
        help="Prior p of the m-estimate: a table with columns column, value, p.  "
        "[default: uniform]",
    ),
    click.option(
        "--rules",
        metavar="[features:]FILE",
        type=Input("features:"),
        help="Rules in TOML that overrule the model; features:FILE makes them features of it.",
    ),
)
model_options = together(
    counting_options,
    click.option(
        "--one-vs-rest",
        is_flag=True,
        help="Plain Naive Bayes of each class against the rest; the most probable wins.",
    ),
    click.option(
        "--stack-linear",
        is_flag=True,
        help="Stack a linear model of all columns: more accurate, but forget is not exact.",
    ),
    click.option(
        "--thresholds",
        metavar="GOAL",
        type=Input("costs:"),
        help="What multi-label thresholds optimize: f1, precision>=0.9, recall>=0.8, or "
        "costs:FILE with columns label, miss, false_alarm.  [default: f1; 0.5 with --plain]  "
        "Single-label: the threshold of a class, spam=precision>=0.9 or spam=0.9, or costs:FILE "
        "with columns label, predicted, cost.",
    ),
    prior_option,
)
plan_option = click.option(
    "--plan",
    "plan_file",
    metavar="FILE",
    type=Input(dir_okay=False),
    help="Use a plan that `likely plan` wrote, instead of options about columns, text and model.",
)
unlabeled_options = together(
    click.option(
        "--unlabeled",
        metavar="FILE",
        type=Input(allow_dash=True),
        help="Rows without labels to learn from too (semi-supervised, EM).",
    ),
    click.option(
        "--unlabeled-weight",
        metavar="auto|W",
        default="auto",
        show_default=True,
        help="The weight of an unlabeled row, from 0 to 1.",
    ),
)
