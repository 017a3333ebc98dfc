"""Two threads against one."""

from collections.abc import Iterator

from benchmarks.speed import ours
from benchmarks.speed.measure import race, timed
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row, Target


def rows(setting: Setting) -> Iterator[Row]:
    for name, words in (("words", (1, 1)), ("1-2-grams", (1, 2))):
        yield from _rows(setting, name, words)


def _rows(setting: Setting, name: str, words: ours.Words) -> Iterator[Row]:
    train, test, rounds = setting.train, setting.test, setting.rounds(7)
    two, one = race(
        timed(lambda: ours.train(train.texts, train.labels, words, threads=2)),
        timed(lambda: ours.train(train.texts, train.labels, words, threads=1)),
        rounds=rounds,
    )
    speeds = train.megabytes / two, "MB/s", train.megabytes / one
    yield Row(f"train, {name}, 2 threads", *speeds, "ours, 1 thread", Target(1.7))

    double = ours.train_and_estimate(train.texts, train.labels, words, threads=2)
    single = ours.train_and_estimate(train.texts, train.labels, words, threads=1)
    two, one = race(
        timed(lambda: double.predict(test.texts)),
        timed(lambda: single.predict(test.texts)),
        rounds=rounds,
    )
    speeds = test.megabytes / two, "MB/s", test.megabytes / one
    yield Row(f"predict, {name}, 2 threads", *speeds, "ours, 1 thread", Target(1.7))
