"""The standard streams of the command: whatever is printed is written whole, or it is an error."""

import contextlib
import io
import os
import sys

# As `typing` has it, which takes longer to load than all that `likely --version` needs.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OUTPUT = "standard output"


def prepare() -> None:
    """Get the standard streams ready, whatever state the command was started with.

    Standard error that is closed is as silent as `/dev/null`. Python leaves a closed stream None.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Or the next file that is opened, perhaps a model, has this number.
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    buffer = getattr(sys.stdout, "buffer", None)
    unbuffered = isinstance(buffer, io.RawIOBase)
    # That of a Windows console is of another kind.
    if isinstance(buffer if unbuffered else getattr(buffer, "raw", None), io.FileIO):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_Output(sys.stdout.fileno(), "w", closefd=False)),
            encoding=sys.stdout.encoding,
            # A sign that the encoding does not have is no reason to print nothing.
            errors="backslashreplace" if sys.stdout.errors == "strict" else sys.stdout.errors,
            line_buffering=unbuffered or bool(sys.stdout.line_buffering),
        )


class _Output(io.FileIO):
    """Standard output, which says its name where it cannot be written.

    There is always a buffer before it, which goes on where a write was cut short. With
    `PYTHONUNBUFFERED` Python has none, and what did not fit on the disk would be lost unsaid.
    """

    def write(self, data: "Any", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = OUTPUT
            raise


def drop(stream: "Any") -> None:
    """Let a stream that cannot be written to end in nothing: nothing is tried again at exit."""
    # A stream that is no file has no number.
    with contextlib.suppress(OSError):
        number = stream.fileno()
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, number)
        os.close(nothing)


def finish() -> OSError | None:
    """Write what is still in buffers; the error that keeps a result from being written, if any."""
    trouble: OSError | None = None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            drop(stream)
            # A reader who has heard enough is none, nor is a message that nobody hears.
            if stream is sys.stdout and not isinstance(error, BrokenPipeError):
                trouble = error
    return trouble
