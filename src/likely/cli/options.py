"""What several commands ask for, and how they show that they are at work."""

import math
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
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
# Where the context of a command notes that something was said.
_SAID = "likely.said"


def number(kind: type[int] | type[float], low: int, high: int | None = None) -> Any:
    """The type of an option that is a number within bounds, said in words where one is refused."""

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


def asked(names: Iterable[str]) -> list[str]:
    """Those of some options that were given, as they are typed."""
    context = click.get_current_context()
    given = {n for n in names if context.get_parameter_source(n) is ParameterSource.COMMANDLINE}
    return [param.opts[0] for param in context.command.params if param.name in given]


def run_of(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """A shortest and a longest run, given as `1-2` or as one number; or `none`."""
    if value is None or value == "none":
        return None
    found = re.fullmatch("([0-9]{1,3})(?:-([0-9]{1,3}))?", value)
    if not found:
        raise click.BadParameter(f"{value!r} is not a run like 1-2, nor `none`")
    return int(found[1]), int(found[2] or found[1])


def prior_of(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
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
    callback=prior_of,
    help="How common classes are: empirical (as in the training rows), empirical+1 (smoothed), "
    "uniform, or as given: spam=0.02,…",
)


def load_model(path: str, threads: int = 1) -> "Classifier":
    """Read a model; one that is not there or cannot be opened is a bad model, not bad data."""
    try:
        return likely.load(path, threads=threads)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None


def load_plan(path: str) -> "Plan":
    """Read a plan; one that is not there or makes no sense is as bad as a bad model."""
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
    """The model under the prior that was typed, if one was."""
    return classifier if prior is None else classifier.with_prior(prior)


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON, for programs."
)
force_option = click.option("--force", is_flag=True, help="Replace a file that is there.")
threads_option = click.option(
    "--threads",
    metavar="N",
    type=number(int, 1, 1024),
    help="How many threads; all cores if not given.",
)
target_option = click.option("--target", metavar="COL", help="The column with the labels.")
_FILE_OPTIONS = (
    click.option(
        "--encoding",
        metavar="NAME",
        default="utf-8",
        help="How the file is encoded: latin-1, cp1252, utf-16 …  [default: utf-8]",
    ),
    click.option(
        "--decimal",
        metavar="MARK",
        type=click.Choice([".", ","]),
        help="What numbers in CSV and TSV have before their decimals: a point or a comma.  "
        "[default: what the numbers tell; a point where commas separate cells]",
    ),
)


def file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what is said of a file of data to a command: its `encoding` and its `decimal` mark."""
    for option in reversed(_FILE_OPTIONS):
        command = option(command)
    return command


def check_output(
    output: str, force: bool, *, replaces: Iterable[str] = (), also_read: Iterable[str] = ()
) -> None:
    """Find out before the work whether its result can be written; never over what is read.

    `replaces` are the models that the result may take the place of.
    """
    path = Path(output)
    if output == "-" or path.is_dir() or output.endswith(("/", os.sep)):
        raise click.UsageError(f"{output} is no name for a file")
    if not path.parent.is_dir():
        raise click.UsageError(f"the folder of {output} is not there\nhint: make it first")
    check_apart(output, replaces, also_read)
    if path.exists() and not force:
        raise click.UsageError(f"{output} is there already\nhint: `--force` replaces it")
    if not os.access(path.parent, os.W_OK):
        raise click.UsageError(f"nothing can be written to the folder of {output}")


def say(message: str, who: str = "", **style: Any) -> None:
    """A message to whoever is watching, on standard error; a line of its own for each hint."""
    lines = (f"{who}: {message}" if who else message).split("\n")
    if sys.stderr.isatty():
        wrapped = (
            textwrap.wrap(line, terminal_width(), break_long_words=False, break_on_hyphens=False)
            for line in lines
        )
        lines = [line for is_multilabel in wrapped for line in is_multilabel]
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_SAID] = True
    for line in lines:
        start, colon, rest = line.partition(":")
        if colon and start in ("hint", "warning", who):
            look = style if start == who else {}
            line = click.style(f"{start}:", bold=True, **look) + rest
        # Nobody hears it if that fails, and there is a result to be written all the same.
        with suppress(OSError):
            click.echo(line, err=True)


def show(result: str) -> None:
    """A result, on standard output; a person who was told something before sees a line between.

    If its reader has heard enough, that is no reason to leave undone what follows, such as a gate.
    """
    told = click.get_current_context().meta.get(_SAID, False)
    if told and sys.stdout.isatty() and sys.stderr.isatty():
        click.echo(err=True)
    try:
        click.echo(result)
    except BrokenPipeError:
        streams.drop(sys.stdout)


def terminal_width() -> int:
    """How wide lines may be: as the terminal is, between 60 and 120."""
    return min(max(shutil.get_terminal_size((80, 24)).columns, 60), 120)


@contextmanager
def progress_bar(what: str, size: int | None) -> Iterator[Progress | None]:
    """A bar for a person who is watching long enough; nothing for a pipe, or without an end.

    How often the data will be read is not known before, so a bar that begins anew says which time.
    """
    if not size or not sys.stderr.isatty():
        yield None
        return
    began, shown = time.monotonic(), False
    passes = 0

    def progress(done: int) -> None:
        nonlocal shown, passes
        passes += done == 0
        if shown or time.monotonic() - began > _PATIENCE:
            share = min(done / size, 1.0)
            bar = "█" * int(share * _BAR) + "░" * (_BAR - int(share * _BAR))
            which = f", pass {passes}" if passes > 1 else ""
            sys.stderr.write(f"\r{what}{which}  {bar}  {share:4.0%}")
            sys.stderr.flush()
            shown = True

    try:
        yield progress
    finally:
        if shown:
            _wipe()


@contextmanager
def at_work(what: str) -> Iterator[None]:
    """A word for a person who is watching, where nothing says how far it is."""
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
