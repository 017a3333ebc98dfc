"""Training against Vowpal Wabbit, which reads a file of ready-made words; we read raw texts."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import peers
from benchmarks.measure import race, timed
from benchmarks.run import Run
from benchmarks.speed import ours
from benchmarks.table import Row, Target, comparison


def rows(run: Run) -> Iterator[Row]:
    train = run.train
    with TemporaryDirectory() as folder:
        path = Path(folder) / "train.vw"
        peers.write_vowpal_file(train, path)
        seconds, peer_seconds = race(
            timed(lambda: ours.train(train.texts, train.labels)),
            timed(lambda: peers.train_vowpal(path)),
            rounds=run.rounds(7),
        )
    # Both are given the megabytes of the raw text, so that the ratio is one of times.
    speed, peer_speed = train.megabytes / seconds, train.megabytes / peer_seconds
    yield comparison(
        "train, words", speed, "MB/s", peer_speed, "Vowpal Wabbit, one pass", Target(2)
    )
