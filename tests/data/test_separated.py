"""Rows of CSV and TSV files are those that Python's csv module finds, wherever a buffer ends."""

import csv
import gzip
import io
import os
import random
import shutil
import subprocess
import threading

import pytest

import likely
from likely.data.labels import plain_list

# The kernel reads so many bytes at a time.
BUFFER = 262_144

ENDS = ["\n", "\r\n", "\r"]


def found(source):
    rows = []
    for batch in source.batches():
        rows.extend(zip(*map(plain_list, batch.columns.values()), strict=True))
    return [source.columns, *rows]


def expected(content, separator, columns):
    """What Python's csv module finds: in one column, a blank line is an empty cell."""
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=separator)
    return [tuple(row or [""]) for row in rows if row or columns == 1]


def zstd(content):
    program = shutil.which("zstd")
    if program is None:
        pytest.skip("the program zstd is not installed")
    return subprocess.run([program, "-qc"], input=content, capture_output=True, check=True).stdout


def piped(content):
    reading, writing = os.pipe()

    def write():
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(content)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return found(likely.open_table(f"/dev/fd/{reading}"))
    finally:
        writer.join()
        os.close(reading)


WAYS = {"plain": bytes, "gz": gzip.compress, "zst": zstd, "pipe": None}


def read(tmp_path, content, way, suffix):
    content = content.encode()
    if way == "pipe":
        return piped(content)
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(WAYS[way](content))
    return found(likely.open_table(path))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", ENDS, ids=["n", "rn", "r"])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_no_row_is_made_up_or_lost_where_a_buffer_ends(tmp_path, columns, end, way):
    names = ",".join("abc"[:columns])
    lines = [",".join([f"good film number {i}"] * columns) for i in range(60_000)]
    content = end.join([names, *lines, ""])
    assert read(tmp_path, content, way, "csv") == expected(content, ",", columns)


EDGES = [
    "x{s}y{end}z{s}w{end}",
    '"x{end}y"{s}"z"{end}',
    '"x""y"{s}""{end}"a{end}{end}""b"{s}c',
    "{end}{end}x{s}y{end}{end}z{s}",
]


@pytest.mark.parametrize("end", ENDS, ids=["n", "rn", "r"])
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("edge", EDGES)
def test_a_buffer_may_end_at_any_byte_of_a_row(tmp_path, edge, columns, end):
    edge = edge.format(s="," if columns == 2 else "/", end=end)
    row = ("film,1" if columns == 2 else "film") + end
    head = ("a,b" if columns == 2 else "a") + end
    rows = head + row * ((BUFFER - 100 - len(head)) // len(row))
    for shift in range(len(edge) + 4):
        # A cell of so many letters that the edge begins `shift` bytes before the buffer's end.
        letters = "l" * (BUFFER - shift - len(rows) - len(row) + len("film"))
        content = rows + row.replace("film", letters) + edge + end + row
        assert read(tmp_path, content, "plain", "csv") == expected(content, ",", columns)


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_random_rows_are_read_as_python_reads_them(tmp_path, columns):
    draw = random.Random(columns)
    for separator, suffix in ((",", "csv"), ("\t", "tsv")):
        for _ in range(200):
            end = draw.choice(ENDS)
            pieces = ["a", "é", " ", '""', end, separator, "b\n"]

            def cell(pieces=pieces):
                if draw.random() < 0.4:
                    return '"' + "".join(draw.choices(pieces, k=draw.randrange(4))) + '"'
                return draw.choice(["", "x", 'y"z', "  w ", "ü"])

            rows = [
                "" if draw.random() < 0.2 else separator.join(cell() for _ in range(columns))
                for _ in range(draw.randrange(12))
            ]
            content = end.join([separator.join("abc"[:columns]), *rows]) + draw.choice(["", end])
            assert read(tmp_path, content, "plain", suffix) == expected(content, separator, columns)
            assert read(tmp_path, content, "pipe", suffix) == expected(content, separator, columns)


def test_the_separator_is_that_of_the_first_line_whatever_its_end(tmp_path):
    content = "\r\ra;b\r1,5,5;2,5,5\r"
    assert read(tmp_path, content, "plain", "csv") == [("a", "b"), ("1,5,5", "2,5,5")]
