"""Options of several commands, messages, results and progress."""

import math
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import likely
from likely import streams
from likely.cli.paths import check_apart
from likely.data.files import Progress
from likely.data.table import named
from likely.errors import DataError, ModelError

if TYPE_CHECKING:
    from likely import Classifier, Plan

# Work that takes less time, in seconds, has no bar.
_PATIENCE = 0.5
_BAR = 32
# Where the context of a command notes that a message was printed.
_PRINTED = "likely.printed"


def together(*options: Callable[..., Any]) -> Callable[..., Any]:
    """One decorator that adds all these options to a command, in this order."""
    return lambda command: reduce(lambda found, option: option(found), reversed(options), command)


def number(kind: type[int] | type[float], low: int, high: int | None = None) -> Any:
    """The type of an option that is a number within bounds."""

    def read(value: Any) -> int | float:
        try:
            found = kind(value)
        except ValueError:
            found = math.nan
        if not low <= found <= (math.inf if high is None else high):
            what = "a whole number" if kind is int else "a number"
            end = "up" if high is None else f"to {high:,}"
            raise click.BadParameter(f"{value} is not {what} from {low} {end}")
        return found

    return read


def given_options(names: Iterable[str]) -> list[str]:
    """Which of these parameters were given on the command line, as options are typed."""
    context = click.get_current_context()
    given = {n for n in names if context.get_parameter_source(n) is ParameterSource.COMMANDLINE}
    return [param.opts[0] for param in context.command.params if param.name in given]


def ngram_range(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """The lengths of n-grams, given as `1-2` or as one number; or `none`."""
    if value is None or value == "none":
        return None
    found = re.fullmatch("([0-9]{1,3})(?:-([0-9]{1,3}))?", value)
    if not found:
        raise click.BadParameter(f"{value!r} is not a range like 1-2, nor `none`")
    return int(found[1]), int(found[2] or found[1])


def parse_prior(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """`uniform`, `empirical`, `empirical+1`, or `spam=0.02,ham=0.98`; the rest may be left out."""
    if value is None or "=" not in value:
        return value
    prior: dict[str, float] = {}
    # A label may hold a comma; what stands before one without a number is a part of it.
    for part in re.findall(r"[^=]*(?:=[^,=]*)+(?:,|$)|.+", value):
        part = part.removesuffix(",")
        label, equals, share = part.rpartition("=")
        try:
            prior[label] = float(share)
        except ValueError:
            raise click.BadParameter(f"{part!r} is not like spam=0.02") from None
        if not equals or not label:
            raise click.BadParameter(f"{part!r} is not like spam=0.02")
    return prior


prior_option = click.option(
    "--prior",
    metavar="PRIOR",
    callback=parse_prior,
    help="Prior P(class): empirical (as in the training rows), empirical+1 (smoothed), uniform, or "
    "values: spam=0.02,…",
)


def load_model(path: str, threads: int = 1) -> "Classifier":
    """Read a model; a missing file is an error of the model, not of the data."""
    try:
        return likely.load(path, threads=threads)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None


def load_plan(path: str) -> "Plan":
    """Read a plan; a file that is missing or damaged is an error like that of a bad model."""
    from likely import Plan

    try:
        return Plan.from_bytes(Path(path).read_bytes())
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def check_columns(
    file: str, there: Sequence[str], needed: Iterable[str], who: str = "the model"
) -> None:
    """Refuse a file that lacks columns, naming it and them."""
    known = set(there)
    missing = [name for name in needed if name not in known]
    if missing:
        what = "a column" if len(missing) == 1 else "columns"
        raise DataError(
            f"{file} lacks {what} that {who} reads: {named(missing)}; it has {named(there)}"
        )


def under_prior(classifier: "Classifier", prior: Any) -> "Classifier":
    """The model under the given prior, if one was given."""
    return classifier if prior is None else classifier.with_prior(prior)


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
force_option = click.option("--force", is_flag=True, help="Overwrite an existing file.")
threads_option = click.option(
    "--threads",
    metavar="N",
    type=number(int, 1, 1024),
    help="Number of threads.  [default: all cores]",
)
target_option = click.option("--target", metavar="COL", help="The column that holds the labels.")
file_options = together(
    click.option(
        "--encoding",
        metavar="NAME",
        default="utf-8",
        help="Encoding of the file: latin-1, cp1252, utf-16, …  [default: utf-8]",
    ),
    click.option(
        "--decimal",
        metavar="MARK",
        type=click.Choice([".", ","]),
        help="Decimal mark of CSV and TSV: . or ,  [default: found from the data]",
    ),
)


def check_output(output: str, force: bool, *, replaces: Iterable[str] = ()) -> None:
    """Check before the work that its result can be written, and not over a file that is read.

    `replaces` are the models that the result may take the place of.
    """
    path = Path(output)
    if output == "-" or path.is_dir() or output.endswith(("/", os.sep)):
        raise click.UsageError(f"{output} is not the name of a file")
    if not path.parent.is_dir():
        raise click.UsageError(f"the folder of {output} does not exist\nhint: create it first")
    check_apart(output, replaces)
    if path.exists() and not force:
        raise click.UsageError(f"{output} exists already\nhint: `--force` overwrites it")
    if not os.access(path.parent, os.W_OK):
        raise click.UsageError(f"the folder of {output} is not writable")


def print_message(message: str, who: str = "", **style: Any) -> None:
    """Print a message to standard error; each hint has a line of its own."""
    lines = (f"{who}: {message}" if who else message).split("\n")
    if sys.stderr.isatty():
        wrapped = (
            textwrap.wrap(line, terminal_width(), break_long_words=False, break_on_hyphens=False)
            for line in lines
        )
        lines = [line for part in wrapped for line in part]
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_PRINTED] = True
    for line in lines:
        start, colon, rest = line.partition(":")
        if colon and start in ("hint", "warning", who):
            look = style if start == who else {}
            line = click.style(f"{start}:", bold=True, **look) + rest
        # An error is printed when the command is over, and with it what it knew of colors.
        color = False if os.environ.get("NO_COLOR") else None
        # Nobody reads it if that fails, and the result still has to be written.
        with suppress(OSError):
            click.echo(line, err=True, color=color)


def print_result(result: str) -> None:
    """Print a result to standard output; on a terminal, a blank line separates it from messages.

    If its reader has closed the pipe, the command goes on: a gate may follow.
    """
    after_message = click.get_current_context().meta.get(_PRINTED, False)
    if after_message and sys.stdout.isatty() and sys.stderr.isatty():
        click.echo(err=True)
    try:
        click.echo(result)
    except BrokenPipeError:
        streams.drop(sys.stdout)


def terminal_width() -> int:
    """The width of lines: that of the terminal, between 60 and 120."""
    return min(max(shutil.get_terminal_size((80, 24)).columns, 60), 120)


def fitted_lines(*facts: str) -> list[str]:
    """Facts on one line; on a terminal, on as many as fit its width."""
    if not sys.stdout.isatty():
        return [" · ".join(facts)]
    lines = [facts[0]]
    for fact in facts[1:]:
        longer = f"{lines[-1]} · {fact}"
        if len(click.unstyle(longer)) <= terminal_width():
            lines[-1] = longer
        else:
            lines.append(fact)
    return lines


@contextmanager
def progress_bar(
    what: str, size: int | None, passes: int | None = None
) -> Iterator[Progress | None]:
    """A bar on a terminal, if the work takes long; none in a pipe, or if the size is unknown.

    If the data is read again, the bar says which pass it is, and of how many if that is known.
    """
    if not size or not sys.stderr.isatty():
        yield None
        return
    began, shown = time.monotonic(), False
    n_pass = 0

    def progress(done: int) -> None:
        nonlocal shown, n_pass
        n_pass += done == 0
        if shown or time.monotonic() - began > _PATIENCE:
            share = min(done / size, 1.0)
            bar = "█" * int(share * _BAR) + "░" * (_BAR - int(share * _BAR))
            of = f" of {passes}" if passes else ""
            which = f", pass {n_pass}{of}" if n_pass > 1 or passes else ""
            sys.stderr.write(f"\r{what}{which}  {bar}  {share:4.0%}")
            sys.stderr.flush()
            shown = True

    try:
        yield progress
    finally:
        if shown:
            _wipe()


@contextmanager
def status(what: str) -> Iterator[None]:
    """A word on a terminal, for work whose progress is unknown."""
    if not sys.stderr.isatty():
        yield
        return
    sys.stderr.write(f"{what} …")
    sys.stderr.flush()
    try:
        yield
    finally:
        _wipe()


def _wipe() -> None:
    sys.stderr.write("\r\x1b[K")
    sys.stderr.flush()
