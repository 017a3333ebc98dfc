"""The command line. One file per command; errors become text and exit codes here, only here."""

import os
import sys
from importlib import import_module
from typing import Any

import click

import likely
from likely.errors import LikelyError, ModelError, OptionError

# Exit codes: 0 ok, 1 a gate failed, 2 usage, 3 bad data, 4 bad model.
BAD_USAGE, BAD_DATA, BAD_MODEL, INTERRUPTED = 2, 3, 4, 130

_COMMANDS = {
    "train": "Learn from a table of labelled rows.",
    "predict": "Label rows with a model.",
    "explain": "Show why a model labels a row as it does.",
    "info": "Show what a model is made of.",
    "plot": "Draw a model's columns of numbers.",
    "mixture": "Find groups in rows without labels.",
    "select": "Keep the rows of a pool that look like a target.",
}


class _Lazy(click.Group):
    """Imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"likely.cli.{name}"), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Whoever read our output has heard enough: nothing more is written, not even at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(0) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.command(cls=_Lazy, no_args_is_help=True)
@click.version_option(likely.__version__, message="likely %(version)s")
def cli() -> None:
    """Classifiers from labelled examples: fast, exact, explainable.

    \b
      likely train reviews.csv -o reviews.likely
      likely predict reviews.likely new.csv > labelled.csv
      likely explain reviews.likely "a plot as thin as paper"
    """


def main() -> None:
    """Run the command line."""
    color: Any = False if os.environ.get("NO_COLOR") else None
    try:
        cli.main(standalone_mode=False, color=color)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(BAD_USAGE)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(INTERRUPTED)
    except LikelyError as error:
        click.echo(f"likely: {error}", err=True)
        sys.exit({ModelError: BAD_MODEL, OptionError: BAD_USAGE}.get(type(error), BAD_DATA))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"likely: {where}{error.strerror or error}", err=True)
        sys.exit(BAD_DATA)
