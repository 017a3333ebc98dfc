"""`likely example`."""

import shlex
from pathlib import Path
from typing import Any

import click

from likely import render
from likely.cli.options import (
    check_output,
    force_option,
    given_options,
    json_option,
    print_message,
)
from likely.cli.paths import Command, Output
from likely.cli.writing import dumped
from likely.data.columns import nearest
from likely.examples import EXAMPLES, path
from likely.tally import container


class _Name(click.Choice[str]):
    """The name of an example; of a misspelled one, the error has the nearest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value not in self.choices:
            raise click.UsageError(f"there is no example `{value}`; {nearest(value, EXAMPLES)}")
        return value


@click.command(cls=Command)
@click.argument("names", metavar="[NAME]...", type=_Name(EXAMPLES), nargs=-1)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="FOLDER",
    default=".",
    type=Output(),
    help="The folder to write to.  [default: this one]",
)
@force_option
@json_option
def example(names: tuple[str, ...], folder: str, force: bool, as_json: bool) -> None:
    """Write small example tables into a folder; without NAME, list them.

    \b
      likely example
      likely example tennis heights
      likely example gullpoint -o town

    They are the tables of the course and of the documentation. Commands to try next are printed. A
    file that is there already is not overwritten without --force, unless its content is the same.
    """
    if not names:
        for option in given_options(("folder", "force")):
            raise click.UsageError(f"{option} needs the NAME of an example to write")
        _list(as_json)
        return
    chosen = [EXAMPLES[name] for name in dict.fromkeys(names)]
    commands = [command for one in chosen for command in one.commands]
    contents = {str(Path(folder, file)): what for one in chosen for file, what in one.files.items()}
    new = _to_write(folder, list(contents), force)
    for place in new:
        container.write(place, _bundled(place))
    if as_json:
        click.echo(dumped({"files": list(contents), "written": new, "commands": commands}))
        return
    for place, what in contents.items():
        print_message(f"{place}: {what if place in new else 'already there'}")
    print_message("try next:")
    # Each on a line of its own, which can be pasted.
    for command in [*_enter(folder), *commands]:
        click.echo(f"  {command}")


def _list(as_json: bool) -> None:
    if as_json:
        facts = [
            {
                "name": name,
                "files": dict(one.files),
                "lesson": one.lesson,
                "commands": list(one.commands),
            }
            for name, one in EXAMPLES.items()
        ]
        click.echo(dumped({"examples": facts}))
        return
    rows = [(name, next(iter(one.files.values())), one.lesson) for name, one in EXAMPLES.items()]
    header = ("example", "what it is", "lesson")
    click.echo(render.text([render.Table(header, rows, left=len(header))]))
    print_message("hint: `likely example NAME` writes one; the lessons are in docs/course")


def _to_write(folder: str, places: list[str], force: bool) -> list[str]:
    """Which of the files are to be written; those with the same content are there already."""
    if not Path(folder).is_dir():
        what = "is not a folder" if Path(folder).exists() else "does not exist"
        raise click.UsageError(f"{folder} {what}\nhint: create the folder first")
    new = []
    for place in places:
        if Path(place).is_file() and Path(place).read_bytes() == _bundled(place):
            continue
        check_output(place, force)
        new.append(place)
    return new


def _bundled(place: str) -> bytes:
    """The content of the example file of this name."""
    return path(Path(place).name).read_bytes()


def _enter(folder: str) -> list[str]:
    return [] if Path(folder) == Path() else [f"cd {shlex.quote(folder)}"]
