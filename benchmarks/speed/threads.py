"""Two threads against one.

Two processors may be two halves of one core and share its speed. What there is to gain is shown by
two jobs that have nothing to do with each other, side by side, each with one thread: no code that
shares one job between two threads gets much beyond that.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from benchmarks.data import Corpus
from benchmarks.measure import race, timed
from benchmarks.run import Run
from benchmarks.speed import ours
from benchmarks.table import Row, Target, comparison


def rows(run: Run) -> Iterator[Row]:
    for name, ngrams in ours.BY_NAME.items():
        yield from _rows(run, name, ngrams)


def _rows(run: Run, name: str, ngrams: ours.Ngrams) -> Iterator[Row]:
    train, test, rounds = run.train, run.test, run.rounds(7)

    def training(threads: int) -> object:
        return ours.train(train.texts, train.labels, ngrams, threads)

    yield from _scaling(f"train, {name}", train, training, rounds)

    models = {
        threads: ours.train_and_estimate(train.texts, train.labels, ngrams, threads)
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
    yield comparison(f"{what}, 2 threads", corpus.megabytes / two, "MB/s", *base, Target(1.7))
    yield comparison(
        f"{what}, two side by side", 2 * corpus.megabytes / side_by_side, "MB/s", *base
    )
