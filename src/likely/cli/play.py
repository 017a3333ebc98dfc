"""`likely play`."""

import os
import sys
from pathlib import Path

import click

from likely.cli.options import check_output, force_option, json_option, print_message
from likely.cli.paths import Command, Output
from likely.cli.writing import dumped
from likely.tally import container


@click.command(cls=Command)
@click.option("-o", "--output", type=Output(), help="Write the page to this file; open nothing.")
@force_option
@json_option
def play(output: str | None, force: bool, as_json: bool) -> None:
    """Open a page with Naive Bayes, Gaussians, EM and evaluation to change and watch.

    \b
      likely play
      likely play -o play.html

    The page is one HTML file that works by double-click, offline: five reviews, days of tennis,
    heights and weights, two Gaussians for EM, a confusion matrix, and independence given the class.
    Each number is computed in the page and follows what you change. It opens in the default
    browser, from the cache folder of the user.
    """
    import webbrowser

    from likely.play import page

    if output is not None:
        check_output(output, force)
    elif force:
        raise click.UsageError("--force goes with -o FILE")
    place = _cache() / "play.html" if output is None else Path(output)
    content = page().encode()
    container.write(place, content)
    is_open = output is None and webbrowser.open(place.as_uri())
    if as_json:
        click.echo(dumped({"page": str(place), "bytes": len(content), "opened": is_open}))
        return
    print_message(f"{place}: {len(content):,} bytes")
    if is_open:
        print_message(
            "hint: if the browser cannot open it, `likely play -o play.html` writes it here"
        )
    elif output is None:
        print_message("hint: no browser was found; open this file in one")


def _cache() -> Path:
    """The folder for what can be made again, made if it is not there."""
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        base = Path(named)
    else:
        base = _home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    folder = base / "likely"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise click.UsageError(
            "there is no home folder to keep the page in\n"
            "hint: `likely play -o play.html` writes it here"
        ) from None
