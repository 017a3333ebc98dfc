import os
import subprocess
import sys

import pytest


@pytest.fixture
def run(tmp_path):
    def run(*arguments, stdin="", code=0):
        environment = {**os.environ, "NO_COLOR": "1", "PYTHONUTF8": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "likely", *map(str, arguments)],
            input=stdin if isinstance(stdin, bytes) else stdin.encode(),
            capture_output=True,
            cwd=tmp_path,
            env=environment,
        )
        stderr = done.stderr.decode()
        assert done.returncode == code, stderr
        assert "Traceback" not in stderr
        return done.stdout.decode(), stderr

    return run
