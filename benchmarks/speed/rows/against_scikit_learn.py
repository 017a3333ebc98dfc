"""Training and predicting, raw text in, against CountVectorizer and MultinomialNB."""

from collections.abc import Iterator

from benchmarks.speed import ours, peers
from benchmarks.speed.measure import race, timed
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row, Target


def words(setting: Setting) -> Iterator[Row]:
    return _rows(setting, "words", (1, 1), 5, Target(20, aim=30), Target(25, aim=40))


def bigrams(setting: Setting) -> Iterator[Row]:
    return _rows(setting, "1-2-grams", (1, 2), 3, Target(20), None)


def _rows(
    setting: Setting,
    name: str,
    words: tuple[int, int],
    rounds: int,
    train_target: Target,
    predict_target: Target | None,
) -> Iterator[Row]:
    train, test, rounds = setting.train, setting.test, setting.rounds(rounds)
    seconds, ready_seconds, peer_seconds = race(
        timed(lambda: ours.train(train.texts, train.labels, words)),
        timed(lambda: ours.train_and_estimate(train.texts, train.labels, words)),
        timed(lambda: peers.train(train.texts, train.labels, words)),
        rounds=rounds,
    )
    peer_speed = train.megabytes / peer_seconds
    for what, spent, target in (
        (f"train, {name}", seconds, train_target),
        (f"train and estimate, {name}", ready_seconds, None),
    ):
        yield Row(what, train.megabytes / spent, "MB/s", peer_speed, "scikit-learn", target)

    model = ours.train_and_estimate(train.texts, train.labels, words)
    peer = peers.trained(train, words)
    seconds, peer_seconds = race(
        timed(lambda: model.predict(test.texts)),
        timed(lambda: peer.predict(test.texts)),
        rounds=rounds,
    )
    speed, peer_speed = test.megabytes / seconds, test.megabytes / peer_seconds
    yield Row(f"predict, {name}", speed, "MB/s", peer_speed, "scikit-learn", predict_target)
