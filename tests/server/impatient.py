"""Serves a model to clients that have a second to ask: see `test_clients`."""

import sys
from pathlib import Path

from likely.server.fixed import FixedModel
from likely.server.options import ServerOptions
from likely.server.run import listen, serve

if __name__ == "__main__":
    options = ServerOptions(port=0, seconds=1.0)
    with listen(options) as listening:
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", file=sys.stderr, flush=True)
        serve(FixedModel(Path(sys.argv[1])), options, listening)
