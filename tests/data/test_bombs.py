"""Files that would take all memory or never end are refused, at little cost."""

import contextlib
import gzip
import json
import os
import shutil
import subprocess
import sys
import time

import pytest

import likely
from likely import Text, open_table
from likely.data.labels import plain_list
from likely.errors import DataError

MIB = 1 << 20

# Says what is wrong with a file, and how much memory it took to find out.
READ = """
import pathlib, sys
import likely
from likely.errors import DataError
try:
    for batch in likely.open_table(sys.argv[1], encoding=sys.argv[2]).batches():
        pass
except DataError as error:
    print(error)
status = pathlib.Path("/proc/self/status").read_text()
peak, = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
print(int(peak) // 1024)
"""

linux = pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is in /proc")


def reading(path, encoding="utf-8", **options):
    """What is said of a file, and the peak of memory in MiB."""
    done = subprocess.run(
        [sys.executable, "-c", READ, path, encoding],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        **options,
    )
    *said, peak = done.stdout.splitlines()
    return "\n".join(said), int(peak)


def endless(path, head, piece=b"a", size=100 * MIB):
    """A small file whose first row, or its second, goes on and on."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        chunk = piece * (MIB // len(piece))
        for _ in range(size // MIB):
            file.write(chunk)
    return path


@linux
@pytest.mark.parametrize(
    ("name", "head", "piece"),
    [
        ("a.csv.gz", b"text,label\n", b"a"),
        ("a.csv.gz", b'text,label\n"', b"a\n"),
        ("a.csv.gz", b"", b"a"),
        ("a.csv.gz", b"text,label\n", b","),
        ("a.csv.gz", b"", b"ab,"),
        ("a.jsonl.gz", b'{"a": "', b"a"),
        ("a.jsonl.gz", b'{"a": 1}\n{"a": ', b"[1,1],"),
        ("a.txt.gz", b"__label__a ", b"a b "),
        ("a.arff.gz", b"@relation a\n@attribute a string\n@data\n", b"a"),
        ("a.arff.gz", b"@relation a\n@attribute a string\n@data\n", "𝔞".encode()),
        ("a.arff.gz", b"", b"a"),
    ],
)
def test_a_row_without_an_end_is_refused_at_little_cost(tmp_path, name, head, piece):
    path = endless(tmp_path / name, head, piece)
    said, peak = reading(path)
    assert said.startswith(str(path))
    assert "MiB" in said or "262144 columns" in said
    assert peak < 300


@linux
def test_a_row_without_an_end_is_refused_in_another_encoding_too(tmp_path):
    said, peak = reading(endless(tmp_path / "a.csv.gz", b"text,label\n"), "latin-1")
    assert "a row has more than 64 MiB" in said
    assert peak < 300


@linux
@pytest.mark.skipif(shutil.which("zstd") is None, reason="the program zstd is not installed")
def test_little_data_that_grows_without_measure_is_refused(tmp_path):
    path = tmp_path / "a.csv.zst"
    with path.open("wb") as file:
        zstd = subprocess.Popen([shutil.which("zstd"), "-qc"], stdin=subprocess.PIPE, stdout=file)
        with zstd.stdin as pipe:
            pipe.write(b"text,label\n")
            for _ in range(1200):
                pipe.write(b"a" * (MIB - 3) + b",b\n")
        assert zstd.wait() == 0
    assert path.stat().st_size < 300_000
    said, peak = reading(path)
    assert "the compressed data grows more than 1000 times" in said
    assert peak < 300


@linux
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_devices_are_no_tables(device):
    with pytest.raises(DataError, match=f"{device}: it is a device"):
        open_table(device)


@linux
def test_standard_input_without_a_line_end_is_refused():
    with open("/dev/zero", "rb") as zeros:
        said, peak = reading("-", stdin=zeros)
    assert "standard input: a row has more than 64 MiB" in said
    assert peak < 300


def test_a_long_text_is_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "word " * 4_000_000 + ",x\nshort,y\n")
    batches = open_table(path).batches(["text"])
    found = [len(text) for batch in batches for text in plain_list(batch.columns["text"])]
    assert found == [20_000_000, 5]


def test_a_nested_value_that_is_long_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"a": [1] * MIB}) + "\n")
    with pytest.raises(DataError, match=r"line 1: `a` has more than 1 MiB of JSON"):
        list(open_table(path).batches())


def test_keys_without_end_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(dict.fromkeys(map(str, range(300_000)), 1)) + "\n")
    with pytest.raises(DataError, match="more than 262144 keys"):
        open_table(path)
    many = (
        json.dumps(dict.fromkeys(map(str, range(k, k + 1000)), 1)) for k in range(0, 300_000, 1000)
    )
    path.write_text("\n".join(many))
    with pytest.raises(DataError, match="line 263: there are more than 262144 columns"):
        open_table(path)


def test_columns_are_told_apart_in_little_time(tmp_path):
    path = tmp_path / "a.csv"
    names = ",".join(map(str, range(200_000)))
    path.write_text(f"{names}\n{names}\n")
    began = time.process_time()
    (batch,) = open_table(path).batches()
    assert (len(batch.columns), len(batch)) == (200_000, 1)
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    "cell",
    [
        " " * 400_000 + "x",
        "x" + " " * 400_000 + "x",
        "'" + r"\'" * 400_000,
        "'x" + "y" * 400_000 + "' z",
        "' ," * 150_000,
    ],
)
def test_cells_of_arff_are_read_in_time_of_their_length(tmp_path, cell):
    path = tmp_path / "a.arff"
    path.write_text(f"@relation a\n@attribute a string\n@data\n{cell}\n")
    began = time.process_time()
    with contextlib.suppress(DataError):
        list(open_table(path).batches())
    assert time.process_time() - began < 5


def test_arff_is_read_a_batch_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(likely.data.files, "_BYTES", 10)
    path = tmp_path / "a.arff.gz"
    path.write_bytes(gzip.compress(b"@relation a\n@attribute a string\n@data\n" + b"abcdef\r" * 7))
    assert [len(batch) for batch in open_table(path).batches()] == [2, 2, 2, 1]


def test_a_normal_form_is_not_much_longer_than_its_text():
    sentence = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}"
    assert Text(normalize=True).features(f"Ａ {sentence}") == Text().features(f"A {sentence}")


@linux
def test_a_text_in_a_file_of_its_own_has_a_length_too(tmp_path):
    for name in ("a/1.txt", "b/1.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("text")
    os.truncate(tmp_path / "b/1.txt", 1 << 33)
    said, peak = reading(tmp_path)
    assert "b/1.txt: the text has more than 64 MiB" in said
    assert peak < 300
