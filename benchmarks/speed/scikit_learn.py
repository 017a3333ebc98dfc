"""Training and predicting, raw text in, against CountVectorizer and MultinomialNB."""

from collections.abc import Iterator

from benchmarks import peers
from benchmarks.measure import race, timed
from benchmarks.run import Run
from benchmarks.speed import ours
from benchmarks.table import Row, Target, comparison


def rows(run: Run) -> Iterator[Row]:
    yield from _rows(run, "words", 5, Target(20, aim=30), Target(25, aim=40))
    yield from _rows(run, "1-2-grams", 3, Target(20), None)


def _rows(
    run: Run, name: str, rounds: int, train_target: Target, predict_target: Target | None
) -> Iterator[Row]:
    train, test, ngrams, rounds = run.train, run.test, ours.BY_NAME[name], run.rounds(rounds)
    seconds, ready_seconds, peer_seconds = race(
        timed(lambda: ours.train(train.texts, train.labels, ngrams)),
        timed(lambda: ours.train_and_estimate(train.texts, train.labels, ngrams)),
        timed(lambda: peers.naive_bayes(ngrams).fit(train.texts, train.labels)),
        rounds=rounds,
    )
    peer_speed = train.megabytes / peer_seconds
    for what, spent, target in (
        (f"train, {name}", seconds, train_target),
        (f"train and estimate, {name}", ready_seconds, None),
    ):
        yield comparison(what, train.megabytes / spent, "MB/s", peer_speed, "scikit-learn", target)

    model = ours.train_and_estimate(train.texts, train.labels, ngrams)
    peer = peers.naive_bayes(ngrams).fit(train.texts, train.labels)
    seconds, peer_seconds = race(
        timed(lambda: model.predict(test.texts)),
        timed(lambda: peer.predict(test.texts)),
        rounds=rounds,
    )
    speed, peer_speed = test.megabytes / seconds, test.megabytes / peer_seconds
    yield comparison(f"predict, {name}", speed, "MB/s", peer_speed, "scikit-learn", predict_target)
