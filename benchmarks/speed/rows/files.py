"""The model on disk, beside scikit-learn's pipeline dumped by joblib."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import likely
from benchmarks.speed import ours, peers
from benchmarks.speed.measure import race, timed
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row


def rows(setting: Setting) -> Iterator[Row]:
    for name, words in (("words", (1, 1)), ("1-2-grams", (1, 2))):
        yield from _rows(setting, name, words)


def _rows(setting: Setting, name: str, words: ours.Words) -> Iterator[Row]:
    import joblib

    train, rounds = setting.train, setting.rounds(3)
    model = ours.train(train.texts, train.labels, words)
    peer = peers.trained(train, words)
    with TemporaryDirectory() as folder:
        path, peer_path = Path(folder) / "model.likely", Path(folder) / "model.joblib"
        saving = race(
            timed(lambda: model.save(path)),
            timed(lambda: joblib.dump(peer, peer_path)),
            rounds=rounds,
        )
        loading = race(
            timed(lambda: likely.load(path)),
            timed(lambda: joblib.load(peer_path)),
            rounds=rounds,
        )
        sizes = [file.stat().st_size / 1e6 for file in (path, peer_path)]
    for what, unit, (own, others) in (
        ("model file", "MB", sizes),
        ("save", "s", saving),
        ("load", "s", loading),
    ):
        yield Row(f"{what}, {name}", own, unit, others, "scikit-learn, joblib")
