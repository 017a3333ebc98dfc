"""Two threads against one.

Two processors may be two halves of one core and share its speed. What there is to gain is shown by
two jobs that have nothing to do with each other, side by side, each with one thread: no code that
shares one job between two threads gets much beyond that.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from benchmarks.speed import ours
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.measure import race, timed
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row, Target


def rows(setting: Setting) -> Iterator[Row]:
    for name, words in (("words", (1, 1)), ("1-2-grams", (1, 2))):
        yield from _rows(setting, name, words)


def _rows(setting: Setting, name: str, words: ours.Words) -> Iterator[Row]:
    train, test, rounds = setting.train, setting.test, setting.rounds(7)

    def training(threads: int) -> object:
        return ours.train(train.texts, train.labels, words, threads)

    yield from _scaling(f"train, {name}", train, training, rounds)

    models = {
        threads: ours.train_and_estimate(train.texts, train.labels, words, threads)
        for threads in (1, 2)
    }

    def predicting(threads: int) -> object:
        return models[threads].predict(test.texts)

    yield from _scaling(f"predict, {name}", test, predicting, rounds)


def _scaling(
    what: str, corpus: Corpus, work: Callable[[int], object], rounds: int
) -> Iterator[Row]:
    with ThreadPoolExecutor(2) as pool:
        two, side_by_side, one = race(
            timed(lambda: work(2)),
            timed(lambda: list(pool.map(work, (1, 1)))),
            timed(lambda: work(1)),
            rounds=rounds,
        )
    base = corpus.megabytes / one, "ours, 1 thread"
    yield Row(f"{what}, 2 threads", corpus.megabytes / two, "MB/s", *base, Target(1.7))
    yield Row(f"{what}, two side by side", 2 * corpus.megabytes / side_by_side, "MB/s", *base)
