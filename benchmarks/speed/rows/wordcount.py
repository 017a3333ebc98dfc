"""Training against counting words by class and nothing else."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.speed import ours, peers
from benchmarks.speed.measure import race, timed
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row, Target


def rows(setting: Setting) -> Iterator[Row]:
    train = setting.train
    program = peers.build_word_counter()
    with TemporaryDirectory() as folder:
        records = Path(folder) / "train.records"
        peers.write_records(train, records)
        seconds, peer_seconds = race(
            timed(lambda: ours.train(train.texts, train.labels)),
            lambda: peers.count_words(program, records),
            rounds=setting.rounds(7),
        )
    speed, peer_speed = train.megabytes / seconds, train.megabytes / peer_seconds
    yield Row("train, words", speed, "MB/s", peer_speed, "plain word counter in Rust", Target(0.8))
