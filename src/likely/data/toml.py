"""A TOML file, with a line in every error."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from likely.errors import DataError


def read_toml(path: str | os.PathLike[str]) -> tuple[str, dict[str, Any]]:
    """What a file says, and its text."""
    try:
        source = Path(path).read_bytes().decode()
        return source, tomllib.loads(source)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}, line {line}: it is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}, {_said(error)}") from None


def _said(error: tomllib.TOMLDecodeError) -> str:
    """The message of tomllib, with the line first."""
    what, _, where = str(error).rpartition(" (at ")
    line = re.match(r"line \d+", where)
    hint = "\nhint: patterns go in single quotes, '\\b…'" if "Unescaped" in what else ""
    return f"{line[0] if line else 'at its end'}: {what[:1].lower()}{what[1:]}{hint}"
