"""`likely label`."""

import webbrowser
from pathlib import Path

import click

from likely import Classifier
from likely.cli.options import file_options, number, print_message
from likely.cli.paths import Command, Input, Output
from likely.cli.preparing import given_roles
from likely.cli.server_packages import check_server_packages
from likely.cli.train_options import column_options
from likely.data.files import open_table
from likely.data.table import DecimalMark
from likely.errors import OptionError


@click.command(cls=Command, no_args_is_help=True)
@click.argument("data", type=Input(allow_dash=True))
@click.option("-o", "--output", type=Output(), required=True, help="The model file to write.")
@click.option("--labels", metavar="A,B,…", default="", help="Labels to begin with; more may come.")
@click.option("--multilabel", is_flag=True, help="A row may have more than one label.")
@column_options
@click.option(
    "--port",
    metavar="N",
    type=number(int, 0, 65535),
    default=8000,
    show_default=True,
    help="Port of the page; 0 takes a free one.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
@file_options
def label(
    data: str,
    output: str,
    labels: str,
    multilabel: bool,
    text: tuple[str, ...],
    numeric: tuple[str, ...],
    categorical: tuple[str, ...],
    date: tuple[str, ...],
    vectors: tuple[str, ...],
    drop_column: tuple[str, ...],
    port: int,
    no_browser: bool,
    encoding: str,
    decimal: DecimalMark | None,
) -> None:
    """Label the rows of DATA on a page, and train a model with each answer.

    \b
      likely label messages.csv -o messages.likely
      likely label messages.csv -o messages.likely --labels spam,ham

    The same command goes on where it was left. Answers are in the folder MODEL.journal, which
    `likely train` reads as a table.
    """
    check_server_packages()
    from likely.server.descriptors import with_room
    from likely.server.labeling.api import LabelingApi
    from likely.server.labeling.session import start
    from likely.server.options import ServerOptions
    from likely.server.run import listen
    from likely.server.run import serve as run

    options = with_room(ServerOptions(port=port))
    source = open_table(data, encoding=encoding, decimal=decimal)
    roles = given_roles(
        source,
        text=text,
        numeric=numeric,
        categorical=categorical,
        date=date,
        vectors=vectors,
        drop_column=drop_column,
    )
    names = [name.strip() for name in labels.split(",") if name.strip()]
    if len(set(names)) < len(names):
        raise OptionError("--labels names a label twice")
    with listen(options) as listening:
        session = start(Path(output), source, Classifier(columns=roles), multilabel, names)
        where = f"http://{options.host}:{listening.getsockname()[1]}/"
        print_message(f"label {data} on {where}; Ctrl-C ends it, and the same command goes on")
        if not no_browser:
            webbrowser.open(where)
        run(session.model, options, listening, LabelingApi(session).routes)
