"""`likely journal`."""

import json
from pathlib import Path

import click

from likely.cli.gates import GATE_FAILED
from likely.cli.options import json_option
from likely.cli.paths import Command, Input


@click.command(cls=Command, no_args_is_help=True)
@click.argument("what", type=click.Choice(["verify", "events"]))
@click.argument("model", type=Input(dir_okay=False))
@json_option
def journal(what: str, model: str, as_json: bool) -> None:
    """Look into the journal of MODEL: `verify` that it is true, or list its `events`.

    \b
      likely journal verify reviews.likely
      likely journal events reviews.likely

    `verify` replays the rows that were learned, and compares digests with those of the snapshots;
    what was forgotten has to be gone. If something does not hold, the exit code is 1. No server may
    be running on MODEL meanwhile.
    """
    from likely.server.journal import Journal, readable
    from likely.server.living import folder_of
    from likely.server.verifying import verified

    path = Path(model)
    found = Journal(folder_of(path))
    try:
        if what == "events":
            with readable(found.folder):
                for event in found.events():
                    line = json.dumps(event, ensure_ascii=False) if as_json else _line(event)
                    click.echo(line)
            return
        result = verified(path, found)
    finally:
        found.close()
    if as_json:
        click.echo(json.dumps(result.to_json(), ensure_ascii=False))
    else:
        for check in result.checks:
            click.echo(f"{'✓' if check.holds else '✗'} {check.claim}")
            if not check.holds:
                click.echo(f"  found: {check.found}")
        if result.digest is not None:
            click.echo(f"\n{result.rows:,} rows, digest {result.digest}")
    if not result.holds:
        raise click.exceptions.Exit(GATE_FAILED)


def _line(event: dict[str, object]) -> str:
    who = f"  {event['who']}" if event["who"] else ""
    return f"{event['sequence']:>8,}  {event['time']}  {event['kind']:<7} {event['rows']:>+8,}{who}"
