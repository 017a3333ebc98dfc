"""`likely`, and `python -m likely`."""

import contextlib
import sys

import likely
from likely import streams

_INTERRUPTED = 130
# As for any result that cannot be had or written; 1 is for gates.
_FAILED = 3


def main() -> None:
    """Run the command line; it ends with an exit code, whatever happens."""
    streams.prepare()
    if sys.stdout is None:
        _end("standard output is closed, so no result can be printed", _FAILED)
    try:
        code = _run()
        trouble = streams.finish()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    if trouble is not None:
        _end(f"{streams.OUTPUT}: {trouble.strerror}", _FAILED)
    sys.exit(code)


def _run() -> int:
    """The command line is loaded only if there is more to say than the version."""
    if sys.argv[1:] == ["--version"]:
        with contextlib.suppress(OSError):
            # What cannot be written now is tried again at the end.
            print(f"likely {likely.__version__}", flush=True)
        return 0
    from likely.cli import main as run

    return run()


def _end(message: str, code: int) -> None:
    try:
        print(f"likely: {message}", file=sys.stderr, flush=True)
    except OSError:
        streams.drop(sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
