"""The command line. One file per command; errors become text and exit codes here, only here."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

import likely
from likely import streams
from likely.errors import LikelyError, ModelError, OptionError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Exit codes: 0 ok, 1 a gate failed, 2 usage, 3 bad data, or a result that cannot be written,
# 4 bad model.
BAD_USAGE, BAD_DATA, BAD_MODEL, INTERRUPTED = 2, 3, 4, 130

COMMANDS = {
    "train": "Train a model on a table of labeled rows.",
    "predict": "Predict the labels of rows.",
    "evaluate": "Evaluate a model on labeled rows it has not seen.",
    "report": "Write an HTML report about a model.",
    "cv": "Cross-validate a model.",
    "compare": "Test whether one model is better than another.",
    "audit": "Measure how a model treats groups of people.",
    "mitigate": "Reduce a gap between groups, and measure the cost.",
    "card": "Write a model card.",
    "explain": "Explain the prediction for one row.",
    "features": "Show the features of a text, as they are counted.",
    "top": "Show the most informative features of each class.",
    "info": "Show what a model consists of.",
    "sample": "Draw random rows from a model.",
    "update": "Add more training rows to a model.",
    "forget": "Remove training rows from a model, with a receipt.",
    "plan": "Show the role of each column, or write a plan.",
    "tally": "Count some of the rows, to be merged later.",
    "merge": "Merge models or tallies that were counted apart.",
    "tune": "Fit weights and thresholds again.",
    "compact": "Write a smaller copy that only predicts.",
    "plot": "Plot the numeric columns of a model.",
    "label": "Label rows on a page, and train a model with each answer.",
    "serve": "Answer requests about a model over HTTP.",
    "journal": "Verify the journal of a served model, or list its events.",
    "mixture": "Cluster rows without labels.",
    "select": "Select the rows of a pool that resemble a target.",
    "example": "Write example tables, or list them.",
    "prove": "Check what Likely guarantees, before your eyes.",
    "play": "Open a page with Naive Bayes to change and watch.",
    "completion": "Print a script for shell completion.",
}


@contextmanager
def _until_closed() -> Iterator[None]:
    """End without an error if the reader of the output has closed the pipe."""
    try:
        yield
    except BrokenPipeError:
        streams.drop(sys.stdout)
        raise click.exceptions.Exit(0) from None


class _Lazy(click.Group):
    """Imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"likely.cli.{name}"), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args[0] not in COMMANDS:
            import difflib

            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean `{close[0]}`?" if close else "`likely` alone lists the commands"
            raise click.UsageError(f"`{args[0]}` is not a command\nhint: {hint}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        # Without a look into the commands, which would import them all.
        found = [(n, what) for n, what in COMMANDS.items() if n.startswith(incomplete)]
        return [CompletionItem(n, help=what) for n, what in found]

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        with _until_closed():
            return super().make_context(*args, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _until_closed():
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The usage names the only ones, and with them the commands would not fit on a screen.
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_Lazy, no_args_is_help=True, options_metavar="[--help|--version]")
@click.version_option(likely.__version__, message="likely %(version)s")
def cli() -> None:
    """Classifiers from labeled examples: fast, exact, explainable.

    \b
      likely train reviews.csv -o reviews.likely
      likely predict reviews.likely new.csv > labeled.csv
      likely explain reviews.likely "a plot as thin as paper"
    """


def main() -> int:
    """Run the command line; its exit code."""
    color: Any = False if os.environ.get("NO_COLOR") else None
    try:
        code: int | None = cli.main(prog_name="likely", standalone_mode=False, color=color)
        return code or 0
    except click.exceptions.NoArgsIsHelpError as error:
        with suppress(OSError):
            error.show()
        return BAD_USAGE
    except click.ClickException as error:
        message = error.format_message()
        message = message[:1].lower() + message[1:].rstrip(".")
        where = getattr(error, "ctx", None)
        if "\nhint:" not in message:
            # An option without its value is met before click knows whose it is.
            typed = [name for name in sys.argv[1:2] if name in COMMANDS]
            path = where.command_path if where else " ".join(["likely", *typed])
            message += f"\nhint: `{path} --help` shows its options"
        _print_error(message)
        return BAD_USAGE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except LikelyError as error:
        _print_error(str(error))
        return {ModelError: BAD_MODEL, OptionError: BAD_USAGE}.get(type(error), BAD_DATA)
    except MemoryError:
        _print_error("there is not enough memory for this")
        return BAD_DATA
    except OSError as error:
        what = str(error.strerror or error)
        _print_error(f"{error.filename}: {what}" if error.filename else what)
        if error.filename == streams.OUTPUT:
            streams.drop(sys.stdout)
        return BAD_DATA


def _print_error(message: str) -> None:
    from likely.cli.options import print_message

    print_message(message, "likely", fg="bright_red")
