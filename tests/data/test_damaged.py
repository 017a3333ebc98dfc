"""Damaged files are refused in a sentence, and never end the process."""

import decimal
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import likely
from likely.errors import DataError
from tests.raising import coded

# Reads a file that is damaged in so many ways, and says which one it reads, in case of a crash.
MUTATIONS = """
import pathlib, random, sys
import pyarrow as pa, pyarrow.feather, pyarrow.parquet
import likely
from likely.errors import DataError
from likely.data.labels import plain_list

path, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
rows = range(40)
table = pa.table({
    "text": [f"word{row} some other é" for row in rows],
    "number": [row / 3 if row % 7 else None for row in rows],
    "colour": pa.array([("red", "green", None)[row % 3] for row in rows]).dictionary_encode(),
    "day": pa.array([row * 10**9 for row in rows], pa.timestamp("s")),
    "list": [[str(row)] * (row % 3) for row in rows],
})
if path.suffix == ".parquet":
    pa.parquet.write_table(table, path, row_group_size=16)
elif path.suffix == ".feather":
    pa.feather.write_feather(table, path)
else:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=16)
good = path.read_bytes()
EXTREMES = [b"\\xff\\xff\\xff\\x7f", b"\\0\\0\\0\\x80", b""]
draw = random.Random(1)
refused = 0
for number in range(count):
    damaged = bytearray(good)
    for _ in range(draw.choice([1, 1, 2, 8])):
        place = draw.randrange(len(damaged))
        if draw.random() < 0.7:
            damaged[place] = draw.randrange(256)
        else:
            damaged[place : place + 4] = draw.choice(EXTREMES)
    if draw.random() < 0.05:
        del damaged[draw.randrange(len(damaged)) :]
    path.write_bytes(damaged)
    print("mutation", number, flush=True)
    try:
        for batch in likely.open_table(path).batches():
            for cells in batch.columns.values():
                plain_list(cells)
    except DataError as error:
        assert str(error).startswith(str(path)), error
        assert "\\n" not in str(error).partition("\\nhint: ")[0], error
        refused += 1
print("refused", refused)
"""


@pytest.mark.parametrize("kind", ["feather", "arrow", "parquet"])
def test_damaged_arrow_files_are_refused_and_crash_nothing(tmp_path, kind):
    done = subprocess.run(
        [sys.executable, "-c", MUTATIONS, tmp_path / f"a.{kind}", "400"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.stdout[-40:], done.stderr[-2000:])
    assert 100 < int(done.stdout.split()[-1]) < 400


def test_an_offset_beyond_the_end_of_its_batch_is_refused(tmp_path):
    path = tmp_path / "a.arrow"
    batch = pa.record_batch([pa.array(["a", "b", "c" * 1000])], ["text"])
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)
    offsets = np.array([0, 1, 2, 1002], dtype="<i4").tobytes()
    beyond = np.array([0, 2**30, 2, 1002], dtype="<i4").tobytes()
    path.write_bytes(path.read_bytes().replace(offsets, beyond))
    with pytest.raises(DataError, check=coded("damaged-arrow-file")):
        list(likely.open_table(path).batches())


def test_a_day_that_no_calendar_has_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pa.table({"day": pa.array([2**60], pa.timestamp("us"))}), path)
    with pytest.raises(DataError, check=coded("damaged-arrow-file")):
        list(likely.open_table(path).batches())


@pytest.mark.parametrize("in_dictionary", [False, True])
def test_a_decimal_that_python_has_none_of_is_refused(tmp_path, in_dictionary):
    path = tmp_path / "a.arrow"
    whole = pa.array([decimal.Decimal("1.5")])
    odd = pa.Array.from_buffers(pa.decimal128(2, 2**30), 1, whole.buffers())
    if in_dictionary:
        odd = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), odd)
    batch = pa.record_batch([odd], ["price"])
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)
    with pytest.raises(DataError, check=coded("damaged-arrow-file")):
        list(likely.open_table(path).batches())
