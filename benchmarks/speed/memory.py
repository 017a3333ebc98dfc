"""Peak memory of training, over and above the texts."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks import peers
from benchmarks.data import Data
from benchmarks.processes import call, growth_while
from benchmarks.run import Run
from benchmarks.speed import ours
from benchmarks.table import Row, Target, comparison

SYSTEMS: dict[str, Callable[..., Any]] = {
    "likely, words": ours.train,
    "likely, 1-2-grams": lambda x, y: ours.train(x, y, (1, 2)),
    "scikit-learn, words": lambda x, y: peers.naive_bayes().fit(x, y),
    "scikit-learn, 1-2-grams": lambda x, y: peers.naive_bayes((1, 2)).fit(x, y),
    "likely, estimated": ours.train_and_estimate,
    "logistic": lambda x, y: peers.vectorized_logistic().fit(x, y),
}


def rows(run: Run) -> Iterator[Row]:
    for name in ours.BY_NAME:
        own, peer = (training_memory(f"{who}, {name}", run) for who in ("likely", "scikit-learn"))
        target = Target(0.25, at_most=True)
        yield comparison(f"memory of training, {name}", own, "MB", peer, "scikit-learn", target)


def training_memory(system: str, run: Run) -> float:
    """By how many megabytes training exceeds what the loaded texts already took."""
    return call(growth_of_training, system, str(run.data.folder))


def growth_of_training(system: str, folder: str) -> float:
    train = SYSTEMS[system]
    # A first, tiny training imports and sets up what every training needs once.
    train(["red fish", "blue car"], ["animal", "thing"])
    corpus = Data(Path(folder)).reviews("train", 33)
    with threadpool_limits(1):
        return growth_while(lambda: train(corpus.texts, corpus.labels))
