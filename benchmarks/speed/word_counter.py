"""Training against counting words by class and nothing else."""

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
    program = peers.build_word_counter()
    with TemporaryDirectory() as folder:
        records = Path(folder) / "train.records"
        peers.write_records(train, records)
        seconds, peer_seconds = race(
            timed(lambda: ours.train(train.texts, train.labels)),
            lambda: peers.count_words(program, records),
            rounds=run.rounds(7),
        )
    speed, peer_speed = train.megabytes / seconds, train.megabytes / peer_seconds
    yield comparison(
        "train, words", speed, "MB/s", peer_speed, "plain word counter in Rust", Target(0.8)
    )
