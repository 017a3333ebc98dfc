"""`likely play`."""

import json
import os
import sys
from pathlib import Path

import click

from likely.cli.options import check_output, force_option, json_option, print_message
from likely.cli.paths import Command, Output


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
    from likely.tally import container

    if output is not None:
        check_output(output, force)
    place = _cache() / "play.html" if output is None else Path(output)
    content = page().encode()
    container.write(place, content)
    is_open = output is None and webbrowser.open(place.as_uri())
    if as_json:
        facts = {"page": str(place), "bytes": len(content), "opened": is_open}
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    message = f"{place}: {len(content):,} bytes"
    if output is None:
        message += (
            "; it opens in the browser\nhint: if it does not, `likely play -o play.html` writes it "
            "here, to open by double-click"
            if is_open
            else "\nhint: no browser was found; open this file in one"
        )
    print_message(message)


def _cache() -> Path:
    """The folder for what can be made again, made if it is not there."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        named = Path(os.environ.get("XDG_CACHE_HOME") or "")
        base = named if named.is_absolute() else home / ".cache"
    folder = base / "likely"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
