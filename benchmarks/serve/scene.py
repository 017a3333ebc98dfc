"""The models that are served, and the requests that are sent: what all tables here share."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import likely
from benchmarks import peers
from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.serve import load

BATCH = 100
# So many connections ask at once.
CONNECTIONS = {1: 16, BATCH: 8}
_TEXTS = 1000


def seconds(run: Run, wanted: float) -> tuple[float, float]:
    """How long to get warm, and how long to measure."""
    return (0.1, 0.2) if run.quick else (0.5, wanted)


class Texts(NamedTuple):
    name: str
    train: Corpus
    asked: list[str]


def reviews(run: Run) -> Texts:
    return Texts("reviews", run.train, run.test.texts[:_TEXTS])


def all_texts(run: Run) -> Iterator[Texts]:
    """Long texts and short ones."""
    yield reviews(run)
    if not run.quick:
        train, test = run.data.split("sms_spam")
        yield Texts("messages", train, test.texts[:_TEXTS])


def default(texts: Texts, path: Path) -> Path:
    return _ours(likely.Classifier(columns={"text": "text"}), texts, path)


def plain(texts: Texts, path: Path) -> Path:
    return _ours(likely.Classifier({"text": likely.Multinomial()}), texts, path)


def _ours(model: likely.Classifier, texts: Texts, path: Path) -> Path:
    model.fit({"text": texts.train.texts}, texts.train.labels).save(path)
    return path


def words(texts: Texts, path: Path) -> Path:
    return _theirs(peers.word_logistic(), texts, path)


def bigrams(texts: Texts, path: Path) -> Path:
    return _theirs(peers.bigram_logistic(), texts, path)


def _theirs(model: Any, texts: Texts, path: Path) -> Path:
    path.write_bytes(pickle.dumps(model.fit(texts.train.texts, texts.train.labels)))
    return path


def requests(texts: Texts, rows: int, folder: Path) -> Path:
    """A file of requests to predict so many rows each; both servers read them."""
    asked = texts.asked
    batches = [asked[start : start + rows] for start in range(0, len(asked) - rows + 1, rows)]
    bodies = [load.post("/predict", {"rows": batch}) for batch in batches]
    return load.write(folder / f"{texts.name}-{rows}", bodies)
