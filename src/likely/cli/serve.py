"""`likely serve`."""

import logging
import os
import re
from pathlib import Path

import click

from likely.cli.options import number, print_message
from likely.cli.paths import Command, Input, Output
from likely.cli.server_packages import check_server_packages
from likely.errors import OptionError

# Where the token may be given, so that it is on no command line that others can see.
_TOKEN = "LIKELY_TOKEN"
# As browsers send them: with no path, and not `*`.
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s*]+")
_NAME = re.compile(r"[^/:\s]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.option(
    "--learn", is_flag=True, help="Also learn and forget rows; the folder MODEL.journal keeps them."
)
@click.option(
    "--host", metavar="HOST", default="127.0.0.1", show_default=True, help="Address to listen on."
)
@click.option(
    "--port",
    metavar="N",
    type=number(int, 0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--token",
    metavar="FILE",
    type=Input(dir_okay=False),
    help=f"A file with the bearer token that requests need; or the variable {_TOKEN}.",
)
@click.option("--cors", metavar="ORIGIN", multiple=True, help="Pages of this origin may ask.")
@click.option(
    "--allow-host",
    metavar="NAME",
    multiple=True,
    help="A further name of this server, as by a proxy.",
)
@click.option(
    "--workers",
    metavar="N",
    type=number(int, 1, 64),
    default=1,
    show_default=True,
    help="Number of processes; they share the model's memory.",
)
@click.option(
    "--reject-below",
    metavar="P",
    type=number(float, 0, 1),
    default=0.0,
    help="Reject option: less probable predictions have no label.",
)
@click.option(
    "--max-body", metavar="MB", type=number(int, 1, 4096), default=32, show_default=True,
    help="Largest body of a request.",
)  # fmt: skip
@click.option(
    "--decision-log",
    metavar="FILE",
    type=Output(),
    help="Append each prediction, with the digest of the model and a hash of the row; no texts.",
)
def serve(
    model: str,
    learn: bool,
    host: str,
    port: int,
    token: str | None,
    cors: tuple[str, ...],
    allow_host: tuple[str, ...],
    workers: int,
    reject_below: float,
    max_body: int,
    decision_log: str | None,
) -> None:
    """Answer requests about MODEL over HTTP, until Ctrl-C.

    \b
      likely serve reviews.likely
      likely serve reviews.likely --workers 4 --port 9000
      likely serve reviews.likely --learn

    POST /predict and /explain take rows as JSON, JSON lines, CSV or Arrow, GET /model says what the
    model is, and /openapi.json describes everything. With --learn there are also POST /learn and
    /forget: what was acknowledged survives a crash, and what is forgotten is erased. MODEL is then
    kept up to date. When MODEL is replaced, a server that does not learn takes the new one.
    """
    if learn and workers > 1:
        raise click.UsageError("--learn is one process, so it takes no --workers")
    if workers > 1 and not hasattr(os, "fork"):
        raise click.UsageError("--workers needs a system that forks processes; this one does not")
    for origin in cors:
        if not _ORIGIN.fullmatch(origin):
            raise OptionError(f"--cors: `{origin}` is no origin, as `https://example.org` is")
    for name in allow_host:
        if not _NAME.fullmatch(name):
            raise OptionError(f"--allow-host: `{name}` is no name of a host; it has no port")
    check_server_packages()
    from likely.server.descriptors import with_room
    from likely.server.fixed import FixedModel
    from likely.server.living import LivingModel
    from likely.server.options import ServerOptions
    from likely.server.run import listen
    from likely.server.run import serve as run

    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("likely.serve").setLevel(logging.INFO)
    options = ServerOptions(
        host=host,
        port=port,
        token=_token(token),
        cors=cors,
        hosts=allow_host,
        workers=workers,
        reject_below=reject_below,
        max_body=max_body << 20,
        decision_log=decision_log,
    )
    options = with_room(options)
    with listen(options) as listening:
        path = Path(model)
        found = LivingModel.served_from(path) if learn else FixedModel(path)
        shown = f"[{host}]" if ":" in host else host
        where = f"http://{shown}:{listening.getsockname()[1]}"
        does = "predicts and learns" if learn else "predicts"
        print_message(f"{model} {does} on {where}; Ctrl-C ends it")
        run(found, options, listening)


def _token(path: str | None) -> str | None:
    """The token, without the line end of its file."""
    if path is None:
        return os.environ.get(_TOKEN) or None
    found = Path(path).read_text("utf-8", "replace").strip()
    if not found or not found.isascii() or not found.isprintable() or " " in found:
        raise OptionError(f"{path}: a token is one word of ASCII characters")
    return found
