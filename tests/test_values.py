"""What the kernel hands to Python never changes, or changes for one thread after another."""

import io
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from likely import _kernel

ROOT = Path(__file__).parent.parent


def test_every_class_of_the_kernel_is_frozen():
    """Others are locked while they are used: threads meet "Already borrowed"."""
    sources = (ROOT / "kernel/src").rglob("*.rs")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    found = re.findall(r"#\[pyclass(?:\((.*?)\))?\]", text, re.DOTALL)
    assert len(found) > 10
    assert [options for options in found if "frozen" not in re.split(r"\W+", options)] == []


def test_sums_that_rows_are_added_to_stay_as_they_were():
    slots = np.array([1], dtype=np.uint32)
    empty, one = _kernel.Totals(2, 1), np.array([1], dtype=np.int64)
    first = empty.plus(1, np.array([0, 1]), np.array([0]), one, slots)
    wider = first.plus(2, np.array([0, 1]), np.array([1]), one, slots, np.array([0.5]))
    assert empty.counts.tolist() == [[0], [0]]
    assert first.counts.tolist() == [[0], [1]]
    assert wider.counts.tolist() == [[0, 0], [1, 0.5]]
    none = _kernel.WeightedMoments(2, 1, False)
    for weights in (None, np.array([0.5])):
        some = none.plus(np.array([[3.0]]), slots, weights)
        assert none.estimates()[0].tolist() == [0, 0, 0]
        assert some.estimates()[1][1].tolist() == [3.0]


def test_threads_that_read_one_file_each_get_rows_of_their_own(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("n\n" + "".join(f"{n}\n" for n in range(5000)), encoding="utf-8")
    for stream in (None, io.BytesIO(path.read_bytes())):
        reader = _kernel.TableReader(path, ",", False, None, stream)

        def rest(reader=reader):
            found = []
            while (batch := reader.next([0], 7, 1 << 20)) is not None:
                found += batch[0].tolist()
                assert reader.consumed > 0
            return found

        with ThreadPoolExecutor(4) as pool:
            found = [pool.submit(rest) for _ in range(4)]
            rows = [row for one in found for row in one.result()]
        assert sorted(map(int, rows)) == list(range(5000))


def test_threads_that_take_the_bytes_of_one_stream_lose_none():
    source = _kernel.FileBytes("numbers", io.BytesIO(bytes(range(256)) * 100))

    def rest():
        found = b""
        while more := source.read1(11):
            found += more
        return found

    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(rest) for _ in range(4)]
        taken = b"".join(one.result() for one in found)
    assert sorted(taken) == sorted(bytes(range(256)) * 100)
