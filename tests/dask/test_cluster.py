"""A cluster of Dask's, with worker processes on loopback, one of which is killed.

`LIKELY_SOAK=600 python -m pytest tests/dask` does that ten times.
"""

import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
import dask.dataframe as dd
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import likely
import likely.dask
from tests.dask.frames import ROWS, changed, partitioned, split, with_cell
from tests.model.test_partitions import MODELS

# For workers to come up on a busy machine.
PATIENCE = 120

TIMES = 10 if "LIKELY_SOAK" in os.environ else 1
# Fitting reads 16 partitions four times: the middle of the third pass, which counts, comes first.
PASSES = (40, 8, 24, 56)


@contextmanager
def two_workers() -> Iterator[Client]:
    quiet = {
        # The death of a worker is what is tried here; it need not be told.
        "logging.distributed": "critical",
        "distributed.comm.timeouts.connect": PATIENCE,
    }
    with (
        dask.config.set(quiet),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.mark.parametrize("name", ["default", "plain", "gaussian", "multi-label"])
def test_a_cluster_gives_the_file_of_one_machine(client, name):
    model, rows = MODELS[name]
    rows = pd.DataFrame(rows())
    df = partitioned(rows, 7)
    made = likely.dask.fit(model(), df, "label")
    assert made.to_bytes() == model().fit(rows, "label").to_bytes()
    found = likely.dask.predict(made, df.drop(columns="label")).compute().sort_index()
    assert found.tolist() == list(made.predict(rows.drop(columns="label")))


def test_errors_of_workers_name_the_partition(client):
    df = changed(with_cell("label", 16, None))
    with pytest.raises(likely.errors.UnlabeledError) as caught:
        likely.dask.fit(likely.Classifier(), df)
    assert str(caught.value) == "partition 3: row 17: the label in `label` is empty"
    # The traceback ends here, and not in a worker.
    assert caught.traceback[-1].path.parent.name == "likely"


def test_workers_with_another_version_are_refused(client):
    df = partitioned(ROWS, 3)
    model = likely.Classifier().fit(ROWS)
    (version,) = set(client.run(_as_version, "0.0.9").values())
    try:
        sentence = (
            f": its worker has Likely 0.0.9, and the client has {version}; install the same on both"
        )
        for verb in (likely.dask.fit, likely.dask.update, likely.dask.predict):
            with pytest.raises(likely.errors.ModelError) as caught:
                verb(likely.Classifier.of(model.spec, model.fitted), df).compute()
            assert re.sub("^partition [012]", "", str(caught.value)) == sentence
    finally:
        client.run(_as_version, version)


@pytest.mark.parametrize("time", range(TIMES))
def test_a_worker_that_is_killed_changes_nothing(tmp_path, time):
    df = dd.from_map(_read, split(ROWS, 16), range(16), folder=tmp_path, meta=ROWS[:0])
    with two_workers() as client:
        victim = next(iter(client.run(os.getpid).values()))
        given = victim, tmp_path, PASSES[time % len(PASSES)]
        threading.Thread(target=_kill, args=given, daemon=True).start()
        made = likely.dask.fit(likely.Classifier(), df)
        assert (tmp_path / "killed").exists()
    assert made.to_bytes() == likely.Classifier().fit(ROWS).to_bytes()


def _as_version(version: str) -> str:
    """Let a worker take itself for one of another version; the version it had."""
    before, likely.__version__ = likely.__version__, version
    return before


def _read(part: pd.DataFrame, place: int, folder: Path) -> pd.DataFrame:
    """A partition that takes its time, and notes that it was read."""
    (folder / f"read-{place}-{time.time_ns()}").touch()
    time.sleep(0.03)
    return part


def _kill(victim: int, folder: Path, after: int) -> None:
    """Kill a process once so many partitions were read."""
    until = time.monotonic() + PATIENCE
    while len(list(folder.glob("read-*"))) < after and time.monotonic() < until:
        time.sleep(0.005)
    os.kill(victim, signal.SIGKILL)
    (folder / "killed").touch()
