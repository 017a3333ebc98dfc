"""`likely serve`."""

import logging
from pathlib import Path

import click

from likely.cli.options import number, print_message
from likely.cli.paths import Command, Input


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.option("--learn", is_flag=True, help="Also learn and forget rows, with a journal.")
@click.option("--host", metavar="HOST", default="127.0.0.1", show_default=True)
@click.option("--port", metavar="N", type=number(int, 0, 65535), default=8000, show_default=True)
def serve(model: str, learn: bool, host: str, port: int) -> None:
    """Answer requests about MODEL over HTTP.

    \b
      likely serve reviews.likely
    """
    from likely.server.fixed import FixedModel
    from likely.server.living import LivingModel
    from likely.server.options import ServerOptions
    from likely.server.run import listen
    from likely.server.run import serve as run

    logging.basicConfig(format="%(message)s", level=logging.INFO)
    options = ServerOptions(host=host, port=port)
    listening = listen(options)
    path = Path(model)
    found = LivingModel(path) if learn else FixedModel(path)
    where = f"http://{host}:{listening.getsockname()[1]}"
    print_message(f"{model} answers on {where}; Ctrl-C ends it")
    run(found, options, listening)
