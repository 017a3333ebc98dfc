"""Where a model came from, noted beside it: the model file knows of no files and no dates."""

import datetime
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import likely
from likely import Classifier
from likely.data.files import Source
from likely.tally import container


def sidecar(model: str) -> str:
    """The file beside a model that says where it came from."""
    return f"{model}.json"


def note_origin(model: str, source: Source, classifier: Classifier) -> None:
    """Write down what a model was learned from, when, and by which version."""
    facts = {
        "digest": classifier.digest,
        "data": source.name,
        "data_sha256": sha256(source.name),
        "rows": classifier.tally.n_rows,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "likely": likely.__version__,
    }
    text = json.dumps(facts, ensure_ascii=False, indent=2) + "\n"
    container.write(sidecar(model), text.encode())


def origin(model: str, digest: str) -> dict[str, Any] | None:
    """What was noted of a model, if the note is of this very tally."""
    try:
        facts = json.loads(Path(sidecar(model)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) and facts.get("digest") == digest else None


def sha256(path: str) -> str | None:
    """The SHA-256 of a file; None if it is none, but a folder or standard input."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
