"""The model on disk, beside scikit-learn's pipeline dumped by joblib."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import likely
from benchmarks import peers
from benchmarks.measure import race, timed
from benchmarks.run import Run
from benchmarks.speed import ours
from benchmarks.table import Row, comparison


def rows(run: Run) -> Iterator[Row]:
    for name, ngrams in ours.BY_NAME.items():
        yield from _rows(run, name, ngrams)


def _rows(run: Run, name: str, ngrams: ours.Ngrams) -> Iterator[Row]:
    import joblib

    train, rounds = run.train, run.rounds(3)
    model = ours.train(train.texts, train.labels, ngrams)
    peer = peers.naive_bayes(ngrams).fit(train.texts, train.labels)
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
        yield comparison(f"{what}, {name}", own, unit, others, "scikit-learn, joblib")
