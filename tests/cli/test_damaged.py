"""Files that are damaged or odd end in a sentence and code 3, never in a traceback."""

import gzip

import pytest

TEXTS = "text,label\n" + "".join(f"caf\xe9 w{i * 7919 % 1009},{'xy'[i % 2]}\n" for i in range(400))
ZIPPED = gzip.compress(TEXTS.encode("latin-1"), mtime=0)
LONG = "1" * 2_000_000


@pytest.fixture
def model(run, tmp_path):
    (tmp_path / "good.csv").write_text(TEXTS, "utf-8")
    run("train", "good.csv", "-o", "m.likely")
    return "m.likely"


@pytest.mark.parametrize(
    "content",
    [ZIPPED[:-40], ZIPPED[:5], ZIPPED[:200] + bytes([ZIPPED[200] ^ 255]) + ZIPPED[201:]],
    ids=["cut", "cut early", "damaged"],
)
def test_damaged_gzip_in_another_encoding_is_bad_data(run, model, tmp_path, content):
    (tmp_path / "a.csv.gz").write_bytes(content)
    for command in (
        ("train", "a.csv.gz", "-o", "other.likely"),
        ("predict", model, "a.csv.gz"),
        ("evaluate", model, "a.csv.gz"),
    ):
        _, err = run(*command, "--encoding", "latin-1", code=3)
        assert err == "likely: a.csv.gz: the gzip data is cut off or damaged\n"
    _, err = run("predict", model, "--encoding", "latin-1", stdin=content, code=3)
    assert err.startswith("likely: standard input")


def test_compressed_files_have_encodings_from_a_pipe_too(run, model):
    plain, _ = run("predict", model, "--encoding", "latin-1", stdin=TEXTS.encode("latin-1"))
    zipped, _ = run("predict", model, "--encoding", "latin-1", stdin=ZIPPED)
    assert zipped == plain
    assert len(plain.splitlines()) == 401


def jsonl(*numbers):
    rows = zip(numbers, "xyxyxyxyxy", strict=False)
    return "".join(f'{{"n": {n}, "label": "{label}"}}\n' for n, label in rows)


@pytest.mark.parametrize("digits", [400, 5_000, 2_000_000])
def test_a_number_of_very_many_digits_is_bad_data(run, tmp_path, digits):
    (tmp_path / "good.jsonl").write_text(jsonl(*(i * 1.5 for i in range(10))))
    (tmp_path / "long.jsonl").write_text(jsonl(*range(9), LONG[:digits]))
    (tmp_path / "label.jsonl").write_text(f'{{"n": 1, "label": {LONG[:digits]}}}\n' * 9)
    head = "@relation a\n@attribute n real\n@attribute label {x,y}\n@data\n"
    (tmp_path / "long.arff").write_text(f"{head}1.5,x\n2.5,y\n{LONG[:digits]},x\n")
    run("train", "good.jsonl", "-o", "m.likely")
    for command in (
        ("train", "label.jsonl", "-o", "other.likely"),
        ("train", "long.arff", "-o", "other.likely"),
        ("train", "long.jsonl", "--numeric", "n", "-o", "other.likely"),
        ("predict", "m.likely", "long.jsonl"),
        ("predict", "m.likely", "long.jsonl", "--json"),
        ("evaluate", "m.likely", "long.arff"),
    ):
        _, err = run(*command, code=3)
        assert len(err) < 400
    _, err = run("predict", "m.likely", "--json", stdin=jsonl(LONG[:digits]), code=3)
    assert "row 1 of `n`" in err


def test_a_number_of_very_many_digits_in_a_column_is_no_number(run, tmp_path):
    (tmp_path / "long.jsonl").write_text(jsonl(*range(9), LONG))
    _, err = run("train", "long.jsonl", "-o", "m.likely", code=3)
    assert "Traceback" not in err
