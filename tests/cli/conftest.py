import io
import sys

import pytest

from likely.__main__ import main


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in a folder of its own, within this process: a start takes longer than it."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("webbrowser.open", lambda url: False)
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin="", code=0):
        given = stdin if isinstance(stdin, bytes) else stdin.encode()
        streams = {"stdin": io.BytesIO(given), "stdout": io.BytesIO(), "stderr": io.BytesIO()}
        wrapped = {
            name: io.TextIOWrapper(
                io.BufferedReader(stream) if name == "stdin" else stream, "utf-8"
            )
            for name, stream in streams.items()
        }
        ended = 0
        with monkeypatch.context() as patched:
            patched.setattr(sys, "argv", ["likely", *map(str, arguments)])
            for name, stream in wrapped.items():
                patched.setattr(sys, name, stream)
            try:
                main()
            except SystemExit as end:
                ended = end.code or 0
        for name in ("stdout", "stderr"):
            wrapped[name].flush()
        out, err = (streams[name].getvalue().decode() for name in ("stdout", "stderr"))
        assert ended == code, err
        return out, err

    return run
