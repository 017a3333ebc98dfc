"""Which files a command reads and writes: nothing that is read is ever overwritten."""

import hashlib
import os
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import click

from likely.cli.help import HelpPage
from likely.data.files import is_text_of, refuse_device
from likely.errors import DataError, UnlabeledError

# Where the context of a command keeps the files that it will write.
_WRITTEN = "likely.written"


class Input(click.Path):
    """The type of an argument or option that names a file or a folder to read."""

    def __init__(self, prefix: str = "", dir_okay: bool = True, allow_dash: bool = False):
        super().__init__(dir_okay=dir_okay, allow_dash=allow_dash)
        self._prefix = prefix

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """What was typed; a model, a list of words or rules would be read without end too."""
        refuse_device(self.path(value))
        return super().convert(value, param, ctx)

    def path(self, value: str) -> str:
        """The path in what was typed: in `cost:FILE`, what follows the prefix."""
        return value.removeprefix(self._prefix)


class Output(click.Path):
    """The type of an option that names a file to write; `-` is standard output, where allowed."""

    def __init__(self, allow_dash: bool = False):
        super().__init__(allow_dash=allow_dash)


class Command(HelpPage):
    """A command that never prints its result over a file it reads, and never ignores an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; an option that takes one value may not be given twice."""
        _, _, typed = self.make_parser(ctx).parse_args(args=list(args))
        for param, times in Counter(typed).items():
            once = isinstance(param, click.Option) and not (param.multiple or param.is_flag)
            if once and times > 1:
                raise click.UsageError(f"{param.opts[0]} is given {times} times; it takes one", ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless standard output goes to one of its inputs."""
        printed = _stat(sys.stdout)
        if printed is not None and stat.S_ISREG(printed.st_mode):
            for name, path in _inputs(ctx):
                if _is(printed, path):
                    file = "the file of standard input" if path == "-" else path
                    raise click.UsageError(
                        f"standard output goes to {file}, which is read too ({name})\n"
                        "hint: redirect it to another file"
                    )
        try:
            return super().invoke(ctx)
        except UnlabeledError as error:
            how = "label such rows, or take them out of the file first"
            if "drop_label" in ctx.params:
                how = f'`{ctx.command_path} --drop-label ""` leaves such rows out'
            raise DataError(f"{error}\nhint: {how}") from None


def check_apart(output: str, replaces: Iterable[str] = ()) -> None:
    """Refuse a file to write that the command reads, or writes for another purpose too.

    Whatever path leads to it: another spelling, a link, a folder of texts that it is or would be
    in. `replaces` are the models that this one may take the place of.
    """
    context = click.get_current_context()
    there = _stat(output)
    replaced = [_stat(model) for model in replaces]
    for name, path in _inputs(context):
        if there is not None and _is(there, path):
            if any(one is not None and os.path.samestat(there, one) for one in replaced):
                continue
            raise click.UsageError(
                f"{output} is read too ({name}), so it is not overwritten, even with --force\n"
                "hint: write to another file"
            )
        if os.path.isdir(path) and is_text_of(path, output):
            raise click.UsageError(
                f"{output} is among the texts of {path} ({name}), and would be read as one\n"
                "hint: write to another folder"
            )
    written: set[str] = context.meta.setdefault(_WRITTEN, set())
    place = os.path.realpath(output)
    if place in written:
        raise click.UsageError(f"two results cannot both be written to {output}")
    written.add(place)


def sha256(path: str) -> str | None:
    """The SHA-256 of a file; None if it is a folder or standard input."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _inputs(context: click.Context) -> Iterator[tuple[str, str]]:
    """The files and folders that a command reads, each with its option."""
    for param in context.command.params:
        given = context.params.get(param.name or "")
        if not isinstance(param.type, Input) or given is None:
            continue
        name = param.opts[0] if isinstance(param, click.Option) else param.human_readable_name
        for value in (given,) if isinstance(given, str) else given:
            yield name, param.type.path(value)


def _is(file: os.stat_result, path: str) -> bool:
    other = _stat(sys.stdin if path == "-" else path)
    return other is not None and os.path.samestat(file, other)


def _stat(file: Any) -> os.stat_result | None:
    """The status of a path or a stream; None if there is no such file."""
    try:
        return os.stat(file) if isinstance(file, str) else os.fstat(file.fileno())
    except (OSError, ValueError, AttributeError):
        return None
