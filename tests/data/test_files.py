"""Tables in files: what is read, what is refused, and that batches change nothing."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import likely
from likely import Classifier, Multinomial, Text, open_table
from likely.data import files
from likely.data.labels import plain_list
from likely.errors import DataError, OptionError
from tests.raising import coded

ROWS = [
    (
        round(1.5 + place * 0.37, 2) if place % 7 else None,
        ("red", "green", "blue")[place % 3] if place % 5 else None,
        f'say "w{place}", twice, in {place % 4} towns',
        "yes" if place % 3 else "no",
    )
    for place in range(24)
]
NAMES = ("height", "colour", "note", "label")
COLUMNS = dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(files, "_ROWS", 5)
    monkeypatch.setattr(files, "_BYTES", 200)


def rows(path, **options):
    """All rows of a file, whatever its batches."""
    found = []
    for batch in likely.open_table(path, **options).batches():
        found.extend(zip(*map(plain_list, batch.columns.values()), strict=True))
    return found


def quoted(cell):
    return "" if cell is None else '"' + str(cell).replace('"', '""') + '"'


def as_csv(separator=","):
    lines = [NAMES, *(tuple(map(quoted, row)) for row in ROWS)]
    return "".join(separator.join(line) + "\n" for line in lines)


def as_jsonl():
    # A missing cell is null in one row and not there in the next.
    found = []
    for place, row in enumerate(ROWS):
        cells = dict(zip(NAMES, row, strict=True))
        found.append({k: v for k, v in cells.items() if v is not None or place % 2 == 0})
    return "".join(json.dumps(row) + "\n" for row in found)


def as_arff():
    kinds = ("numeric", "{red,green,blue}", "string", "{yes,no}")
    head = "".join(f"@attribute {n} {k}\n" for n, k in zip(NAMES, kinds, strict=True))
    lines = []
    for height, colour, note, label in ROWS:
        cells = ("?" if cell is None else str(cell) for cell in (height, colour))
        lines.append(",".join([*cells, f"'{note}'", label]))
    return "@relation rows\n" + head + "@data\n" + "\n".join(lines) + "\n"


def write_arrow(path):
    table = pa.table(COLUMNS)
    if path.suffix.lower() == ".parquet":
        pyarrow.parquet.write_table(table, path)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    return path


def zstd(content):
    program = shutil.which("zstd")
    if program is None:
        pytest.skip("the program zstd is not installed")
    done = subprocess.run([program, "-qc"], input=content, capture_output=True, check=True)
    return done.stdout


# CSV


def test_quoted_cells_hold_separators_quotes_and_line_ends(write):
    path = write("a.csv", 'text,label\n"a, ""b""\nc",x\nd,"y"\n')
    assert rows(path) == [('a, "b"\nc', "x"), ("d", "y")]


def test_a_mark_of_byte_order_and_windows_line_ends_are_no_content(write):
    path = write("a.csv", '\ufefftext,label\r\nx,y\r\n\r\n"z\r\nz",w\r\n')
    assert likely.open_table(path).columns == ("text", "label")
    assert rows(path) == [("x", "y"), ("z\r\nz", "w")]


@pytest.mark.parametrize(
    ("name", "separator"),
    [("a.csv", ","), ("a.csv", ";"), ("a.txt", "|"), ("a.dat", "\t"), ("a.tsv", "\t")],
)
def test_the_separator_is_found(write, name, separator):
    path = write(name, separator.join(["my text", "label"]) + f"\n1.5{separator}y\n")
    assert likely.open_table(path).columns == ("my text", "label")
    assert rows(path) == [("1.5", "y")]


def test_a_separator_within_a_quoted_name_does_not_count(write):
    path = write("a.csv", '"a,b,c";label\n1;x\n')
    assert likely.open_table(path).columns == ("a,b,c", "label")


def test_a_tab_separated_file_may_have_commas_in_its_first_line(write):
    assert rows(write("a.tsv", "a,b,c\td\n1\t2\n")) == [("1", "2")]


def test_spaces_around_names_are_dropped_and_those_within_stay(write):
    path = write("a.csv", " first name , label\nAda,x\n")
    assert likely.open_table(path).columns == ("first name", "label")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a,b\n1,2\n3\n", "line 3: the row has 1 cells, the header 2"),
        ("a,b\n1,2\n3,4,5\n", "line 3: the row has 3 cells, the header 2"),
        ('a,b\n"x\ny",2\n3\n', "line 4: the row has 1 cells"),
        (b"a,b\n1,2\n\xe9,5\n", "line 3: `a` is not UTF-8"),
        (b"\xe9,b\n1,2\n", "line 1: .* is not UTF-8"),
        ('a,b\n1,2\n"x,5\n6,7\n', "line 3: a quotation mark is opened in this row and never"),
        ('a,b\n1,2\n5,"x\n6,7\n', "line 3: a quotation mark is opened in this row and never"),
        ("", "a.csv: the file is empty"),
        ("\n\n", "a.csv: the file is empty"),
        ("a,b,a\n1,2,3\n", "a.csv: two columns are called `a`"),
        ("a,b\n1,2\n".encode("utf-16"), "a.csv: the file is UTF-16, not UTF-8"),
    ],
)
def test_what_is_wrong_with_a_csv_file_is_said_with_its_line(write, content, sentence):
    path = write("a.csv", content)
    with pytest.raises(DataError, match=sentence) as caught:
        rows(path)
    assert str(caught.value).startswith(str(path))


def test_how_broken_text_is_read_is_refuse_or_replace(write):
    with pytest.raises(OptionError, match='`invalid` is "refuse" or "replace", not True'):
        open_table(write("a.csv", b"a,b\n"), invalid=True)  # type: ignore[arg-type]


def test_a_model_opens_a_file_as_its_text_says(write):
    path = write("a.csv", b"text,label\ncaf\xe9,1\ntea,2\n")
    with pytest.raises(DataError, match="not UTF-8"):
        Classifier(Multinomial()).fit(path)
    model = Classifier(Multinomial(text=Text(invalid="replace"))).fit(path)
    assert model.predict(path).tolist() == ["1", "2"]
    assert model.tally == model.observe(["caf\ufffd", "tea"], ["1", "2"])


def test_what_is_not_utf_8_is_replaced_when_asked(write):
    assert rows(write("a.csv", b"a,b\n\xe9x,1\n"), invalid="replace") == [("\ufffdx", "1")]


def test_a_header_alone_is_a_table_without_rows(write):
    path = write("a.csv", "text,label\n")
    assert likely.open_table(path).columns == ("text", "label")
    assert rows(path) == []
    with pytest.raises(DataError, check=coded("no-rows-in-file")):
        likely.Classifier().fit(path)


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        likely.open_table("nowhere.csv")


def test_columns_can_be_asked_for_in_any_order(write):
    source = likely.open_table(write("a.csv", "a,b,c\n1,2,3\n"))
    (batch,) = source.batches(["c", "a"])
    assert {name: plain_list(cells) for name, cells in batch.columns.items()} == {
        "c": ["3"],
        "a": ["1"],
    }


def test_reading_says_how_far_it_is(write, small_batches):
    path = write("a.csv", as_csv())
    heard = []
    source = likely.open_table(path)
    assert sum(map(len, source.batches(progress=heard.append))) == len(ROWS)
    assert heard[0] == 0
    assert heard == sorted(heard)
    assert heard[-1] == source.size == path.stat().st_size


def test_it_says_so_while_the_next_rows_are_being_read(write, monkeypatch):
    monkeypatch.setattr(files, "_BYTES", 4_000_000)
    source = likely.open_table(write("a.csv", "text,n\n" + f"{'word ' * 20},1\n" * 160_000))
    heard = []
    for _ in source.batches(progress=heard.append):
        time.sleep(0.001)
    assert len(heard) > 3
    assert heard == sorted(heard)
    assert heard[-1] == source.size


# JSON lines


def test_json_lines_may_lack_keys(write):
    path = write("a.jsonl", '{"a": "x", "n": null}\n\n{"b": 2, "n": 1.5}\n{"n": 3, "a": ""}\n')
    assert likely.open_table(path).columns == ("a", "b", "n")
    assert rows(path) == [("x", "", ""), ("", "2", "1.5"), ("", "", "3")]


def test_nested_json_is_a_cell_spelled_as_json(write):
    path = write("a.jsonl", '{"a": {"b": [1, "two"]}}\n')
    assert rows(path) == [('{"b":[1,"two"]}',)]


@pytest.mark.parametrize("bad", ['{"a": 2,}', "[1]", "text", '{"a": 1'])
def test_a_line_that_is_no_json_object_is_named(write, bad):
    path = write("a.jsonl", f'{{"a": 1}}\n\n{bad}\n')
    with pytest.raises(DataError, match=r"a\.jsonl, line 3: the line is no JSON object"):
        rows(path)


def test_a_bad_line_beyond_those_looked_at_first_is_named(write):
    path = write("a.jsonl", '{"a": 1}\n' * 150 + "oops\n")
    with pytest.raises(DataError, match=r"a\.jsonl, line 151: the line is no JSON object"):
        rows(path)


def test_lines_in_another_order_give_the_same_model_even_if_keys_are_missing(write):
    lines = [
        '{"k": "a", "n": 1.5, "label": "x"}\n',
        '{"k": "b", "n": 1.7, "label": "y"}\n',
        '{"n": 2.5, "label": "y"}\n',
    ] * 6
    model = likely.Classifier().fit(write("a.jsonl", "".join(lines)))
    backwards = likely.Classifier().fit(write("b.jsonl", "".join(lines[::-1])))
    assert backwards.to_bytes() == model.to_bytes()


def test_a_key_that_first_appears_late_is_not_lost(write):
    path = write("a.jsonl", '{"a": 1}\n' * 100 + '{"a": 1, "late": 2}\n')
    assert likely.open_table(path).columns == ("a", "late")


def test_yes_and_no_are_the_same_categories_in_json_as_in_memory(write):
    table = [{"ok": bool(place % 3), "label": "xy"[place % 2]} for place in range(12)]
    path = write("a.jsonl", "".join(json.dumps(row) + "\n" for row in table))
    model = likely.Classifier().fit(path)
    assert model.to_bytes() == likely.Classifier().fit(table).to_bytes()


def test_whole_numbers_are_the_same_categories_in_json_as_in_memory(write):
    table = [{"stars": float(place % 3), "label": "xy"[place % 2]} for place in range(12)]
    path = write("a.jsonl", "".join(json.dumps(row) + "\n" for row in table))
    model = likely.Classifier().fit(path)
    assert model.to_bytes() == likely.Classifier().fit(table).to_bytes()


def test_numbers_in_json_keep_every_bit(write):
    numbers = [3.8000000000000003, 5.833820394550312e-08, 9.827854760376531e17, 0.1, -1e-300]
    path = write("a.jsonl", "".join(json.dumps({"n": number}) + "\n" for number in numbers))
    assert [float(cell) for (cell,) in rows(path)] == numbers


def test_long_whole_numbers_in_json_keep_every_digit(write):
    path = write("a.jsonl", '{"n": 12345678901234567890123}\n{"n": 9007199254740993}\n')
    assert rows(path) == [("12345678901234567890123",), ("9007199254740993",)]


def test_a_json_array_is_not_taken_for_csv(write):
    with pytest.raises(DataError):
        likely.open_table(write("a.json", '[{"a":1},{"a":2}]'))


# Parquet, Arrow, Feather


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather", "a.ipc"])
def test_arrow_files_keep_their_types(tmp_path, name):
    assert rows(write_arrow(tmp_path / name)) == ROWS


@pytest.mark.parametrize(
    "name",
    [
        "A.PARQUET",
        "old.parquet.duplicates/a.arrow",
    ],
)
def test_the_end_of_a_name_says_which_arrow_file_it_is(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    assert rows(write_arrow(path)) == ROWS


@pytest.mark.parametrize("content", ["", "hello"])
def test_a_parquet_file_that_is_none_is_refused(write, content):
    with pytest.raises(DataError, check=coded("damaged-arrow-file")):
        likely.open_table(write("a.parquet", content))


def test_two_columns_of_one_name_in_a_parquet_file_are_named(tmp_path):
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pa.table([[1], [2]], names=["a", "a"]), path)
    with pytest.raises(DataError, check=coded("repeated-column-of-file")):
        likely.open_table(path)


# ARFF


ARFF = """% A comment
@RELATION 'weather today'

@attribute 'sky, seen' {sunny, 'very grey'}
@ATTRIBUTE "wind speed" numeric
@attribute class {yes,no}

@DATA
% another comment
sunny,1.5,yes

'very grey',?,no
%
sunny, 3 ,yes
"""
ARFF_ROWS = [("sunny", "1.5", "yes"), ("very grey", "?", "no"), ("sunny", "3", "yes")]


@pytest.mark.parametrize(
    "content",
    [
        ARFF,
        ARFF.replace("\n", "\r\n"),
        "\ufeff" + ARFF,
        ARFF.replace("@DATA", " @data "),
        ARFF.replace('@ATTRIBUTE "wind speed" numeric', '@attribute\t"wind speed"\treal'),
        ARFF.replace("% another", "  % another"),
        ARFF.replace("@DATA", "@data % rows"),
        ARFF.replace("'very grey',?", '"very grey",?'),
    ],
)
def test_arff_is_read_with_its_quoted_names_and_comments(write, content):
    path = write("a.arff", content)
    assert likely.open_table(path).columns == ("sky, seen", "wind speed", "class")
    assert rows(path) == ARFF_ROWS


@pytest.mark.parametrize(
    ("cell", "meant"),
    [
        ("'a, b'", "a, b"),
        (r"'it\'s'", "it's"),
        ('"a, b"', "a, b"),
    ],
)
def test_quoted_arff_cells_may_hold_anything(write, cell, meant):
    assert rows(write("a.arff", ARFF.replace("'very grey',?", f"{cell},?")))[1][0] == meant


def test_a_question_mark_in_arff_is_a_missing_cell(write):
    model = likely.Classifier().fit(write("a.arff", ARFF))
    memory = {"sky, seen": ["sunny", "very grey", "sunny"], "wind speed": [1.5, None, 3.0]}
    memory["class"] = ["yes", "no", "yes"]
    assert model.to_bytes() == likely.Classifier().fit(memory).to_bytes()


def test_a_missing_label_in_arff_is_refused(write):
    with pytest.raises(DataError, match="row 4"):
        likely.Classifier().fit(write("a.arff", ARFF + "sunny,1,?\n"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("@relation x\n@attribute a real\n", "there is no `@data` line"),
        (ARFF.replace("sunny,1.5,yes", "{0 sunny, 2 yes}"), "sparse rows are not read"),
        (ARFF + "sunny,1\n", "the row has 2 cells, but there are 3 attributes"),
        (ARFF.replace('"wind speed"', "class"), "two columns are called `class`"),
        (ARFF.replace("'very grey',", "gré,").encode("latin-1"), "not UTF-8"),
    ],
)
def test_what_is_wrong_with_an_arff_file_is_said(write, content, sentence):
    path = write("a.arff", content)
    with pytest.raises(DataError, match=sentence) as caught:
        rows(path)
    assert str(caught.value).startswith(str(path))


def test_lines_of_an_arff_file_are_counted_as_they_are(write):
    wrong = ARFF.count("\n") + 1
    with pytest.raises(DataError, match=f"line {wrong}:"):
        rows(write("a.arff", ARFF + "sunny,1\n"))


def test_compressed_arff_is_read(write):
    assert rows(write("a.arff.gz", gzip.compress(ARFF.encode()))) == ARFF_ROWS


# A folder per class, labeled lines


@pytest.fixture
def folder(write):
    write("mail/spam/1.txt", "cheap pills\nnow")
    write("mail/spam/2.txt", "cheap watches")
    write("mail/ham/1.txt", "naïve lunch")
    write("mail/ham/.hidden", "not read")
    return write("mail/readme.txt", "not read either").parent


def test_a_folder_per_class_is_a_table_of_texts_and_labels(folder):
    assert likely.open_table(folder).columns == ("text", "label")
    assert sorted(rows(folder)) == [
        ("cheap pills\nnow", "spam"),
        ("cheap watches", "spam"),
        ("naïve lunch", "ham"),
    ]
    assert likely.Classifier().fit(folder).predict(["cheap lunch, pills"]).tolist() == ["spam"]


def test_batches_of_a_folder_change_nothing(folder, monkeypatch):
    expected = likely.Classifier().fit(folder).to_bytes()
    monkeypatch.setattr(files, "_BYTES", 1)
    assert len(list(likely.open_table(folder).batches())) == 3
    assert likely.Classifier().fit(folder).to_bytes() == expected


def test_hidden_folders_are_no_classes(folder, write):
    write("mail/.git/config", "whatever")
    assert {label for _, label in rows(folder)} == {"ham", "spam"}


def test_a_folder_within_a_class_belongs_to_it(folder, write):
    write("mail/ham/old/3.txt", "late lunch")
    assert ("late lunch", "ham") in rows(folder)


def test_a_file_in_a_folder_that_is_not_utf_8_is_named(folder, write):
    path = write("mail/ham/2.txt", b"caf\xe9")
    with pytest.raises(DataError, match="not UTF-8") as caught:
        rows(folder)
    assert str(path) in str(caught.value)
    assert ("caf\ufffd", "ham") in rows(folder, invalid="replace")


def test_a_folder_without_classes_is_refused(tmp_path):
    with pytest.raises(DataError, match="has no folders with files in them, one folder per class"):
        likely.open_table(tmp_path)


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a"])
def test_fasttext_lines_are_known_by_their_beginning(write, name):
    path = write(name, "__label__spam cheap, pills\n\n__label__ham\n__label__ham see  you\n")
    assert likely.open_table(path).columns == ("text", "label")
    assert rows(path) == [("cheap, pills", "spam"), ("", "ham"), ("see  you", "ham")]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("plain text", "line 2: the line does not begin with `__label__`"),
        ("__label__a __label__b x", "line 2: the line has more than one label"),
    ],
)
def test_a_line_without_one_label_is_named(write, line, sentence):
    with pytest.raises(DataError, match=sentence):
        rows(write("a.txt", f"__label__a x\n{line}\n"))


# Compressed files


def test_gzip_is_known_by_its_bytes_and_its_members_are_one_file(write):
    content = as_csv().encode()
    expected = rows(write("a.csv", content))
    half = content.index(b"\n", len(content) // 2) + 1
    zipped = gzip.compress(content[:half]) + gzip.compress(content[half:])
    assert rows(write("a.csv.gz", zipped)) == expected
    assert rows(write("b.csv", gzip.compress(content))) == expected
    assert rows(write("c.csv.gz", content)) == expected


def test_zstandard_is_known_by_its_bytes(write):
    expected = rows(write("a.csv", as_csv()))
    assert rows(write("a.csv.zst", zstd(as_csv().encode()))) == expected
    assert rows(write("b.csv", zstd(as_csv().encode()))) == expected


def test_frames_of_zstandard_are_one_file(write):
    path = write("a.csv.zst", zstd(b"a,b\n1,2\n") + zstd(b"3,4\n"))
    assert rows(path) == [("1", "2"), ("3", "4")]


@pytest.mark.parametrize("first", [False, True], ids=["between", "first"])
def test_frames_of_zstandard_that_hold_no_data_are_skipped(write, first):
    skipped = (0x184D2A50).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"
    content = (skipped if first else b"") + zstd(b"a,b\n1,2\n") + skipped + zstd(b"3,4\n")
    assert rows(write("a.csv.zst", content)) == [("1", "2"), ("3", "4")]


def test_a_compressed_file_that_is_cut_off_is_refused(write):
    content = "".join(f"{place * 7919 % 1009},{place}\n" for place in range(2000)).encode()
    for name, whole in (("a.csv.gz", gzip.compress(content)), ("a.csv.zst", zstd(content))):
        path = write(name, whole[:-40])
        with pytest.raises(DataError) as caught:
            rows(path)
        assert str(caught.value).startswith(str(path))


def test_the_suffix_before_the_compression_counts(write):
    assert rows(write("a.tsv.gz", gzip.compress(b"a,b,c\td\n1\t2\n"))) == [("1", "2")]
    assert rows(write("a.jsonl.gz", gzip.compress(b'{"a": 1}\n'))) == [("1",)]


# Standard input

SCRIPT = """
import sys
import likely
source = likely.open_table("-")
passes = [sum(len(batch) for batch in source.batches()) for _ in range(2)]
print(source.name, source.columns, passes)
sys.stdout.flush()
sys.stdout.buffer.write(likely.Classifier().fit(source).to_bytes())
"""


@pytest.mark.parametrize("form", ["csv", "semicolons", "jsonl", "gzip", "fasttext"])
def test_standard_input_is_read_as_often_as_needed(write, tmp_path, form):
    content = {
        "csv": as_csv(),
        "semicolons": as_csv(";"),
        "jsonl": as_jsonl(),
        "gzip": gzip.compress(as_csv().encode()),
        "fasttext": "__label__a one two\n__label__b three\n",
    }[form]
    suffix = {"jsonl": "jsonl", "fasttext": "txt"}.get(form, "csv")
    path = write(f"a.{suffix}", content)
    spool = tmp_path / "spool"
    spool.mkdir()
    environment = {**os.environ, "TMPDIR": str(spool)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=path.read_bytes(),
        capture_output=True,
        env=environment,
        check=True,
    )
    said, _, model = done.stdout.partition(b"\n")
    source = likely.open_table(path)
    count = sum(map(len, source.batches()))
    assert said.decode() == f"standard input {source.columns} {[count, count]}"
    assert model == likely.Classifier().fit(path).to_bytes()
    assert list(spool.iterdir()) == []


def test_what_is_wrong_with_standard_input_is_said_of_standard_input():
    done = subprocess.run([sys.executable, "-c", SCRIPT], input=b"a,a\n1,2\n", capture_output=True)
    assert b"DataError: standard input: two columns are called `a`" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="pipes have names under /dev/fd")
def test_a_pipe_is_read_like_a_file():
    reading, writing = os.pipe()
    try:
        os.write(writing, b"a,b\n1,2\n")
        os.close(writing)
        assert rows(f"/dev/fd/{reading}") == [("1", "2")]
    finally:
        os.close(reading)


# Batches


FORMS = {
    "csv": as_csv,
    "tsv": lambda: as_csv("\t"),
    "jsonl": as_jsonl,
    "arff": as_arff,
    "parquet": None,
    "arrow": None,
    "feather": None,
}


def in_form(tmp_path, form):
    path = tmp_path / f"rows.{form}"
    if FORMS[form] is None:
        return write_arrow(path)
    path.write_text(FORMS[form](), encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("limit", [1, 2, 5, 7, 100])
def test_batches_of_any_size_give_the_model_of_the_rows_in_memory(
    tmp_path, monkeypatch, form, limit
):
    path = in_form(tmp_path, form)
    expected = likely.Classifier().fit(COLUMNS).to_bytes()
    assert likely.Classifier().fit(path).to_bytes() == expected
    monkeypatch.setattr(files, "_ROWS", limit)
    batches = [len(batch) for batch in likely.open_table(path).batches()]
    assert sum(batches) == len(ROWS)
    assert max(batches) == min(limit, len(ROWS))
    assert likely.Classifier().fit(path).to_bytes() == expected


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_a_batch_ends_when_it_has_bytes_enough(tmp_path, monkeypatch, form):
    path = in_form(tmp_path, form)
    expected = likely.Classifier().fit(path).to_bytes()
    monkeypatch.setattr(files, "_BYTES", 1)
    assert [len(batch) for batch in likely.open_table(path).batches()] == [1] * len(ROWS)
    assert likely.Classifier().fit(path).to_bytes() == expected


@pytest.mark.parametrize("form", FORMS)
def test_leave_one_out_of_a_file_is_that_of_its_rows(tmp_path, small_batches, form):
    path = in_form(tmp_path, form)
    found = likely.Classifier().fit(path).leave_one_out(path)
    expected = likely.Classifier().fit(COLUMNS).leave_one_out(COLUMNS)
    assert found.predicted.tolist() == expected.predicted.tolist()
    assert found.truth.tolist() == expected.truth.tolist()


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_a_file_can_be_learned_later_and_forgotten(tmp_path, small_batches, form):
    path = in_form(tmp_path, form)
    model = likely.Classifier().fit(path)
    before = model.to_bytes()
    assert model.update(path).tally.n_rows == 2 * len(ROWS)
    assert model.forget(path).rows == len(ROWS)
    assert model.to_bytes() == before


def numbers(form, last):
    """Seven rows, of which the sixth has this cell, with comments or blank lines where allowed."""
    cells = ["1", "2", "3", "4", "5", last, "7"]
    labeled = [(cell, "xy"[place % 2]) for place, cell in enumerate(cells)]
    if form == "csv":
        return "n,label\n" + "".join(f"{n},{y}\n" for n, y in labeled)
    if form == "jsonl":
        return "".join(json.dumps({"n": n, "label": y}) + "\n" for n, y in labeled)
    head = "@relation x\n@attribute n real\n@attribute label {x,y}\n@data\n"
    return head + "".join(f"{n},{y}\n" for n, y in labeled)


@pytest.mark.parametrize(
    "form",
    [
        "csv",
        "jsonl",
        "arff",
        "parquet",
    ],
)
@pytest.mark.parametrize("cell", ["oops", "inf", "12345678901234567"])
@pytest.mark.parametrize("limit", [2, 100])
def test_the_row_of_a_bad_number_is_that_of_the_file(
    tmp_path, write, monkeypatch, form, cell, limit
):
    monkeypatch.setattr(files, "_ROWS", limit)
    if form == "parquet":
        path = tmp_path / "a.parquet"
        cells = ["1", "2", "3", "4", "5", cell, "7"]
        pyarrow.parquet.write_table(pa.table({"n": cells, "label": list("xyxyxyx")}), path)
    else:
        path = write(f"a.{form}", numbers(form, cell))
    with pytest.raises(DataError, match="row 6 of `n`"):
        likely.Classifier({"n": likely.Gaussian()}).fit(path)


@pytest.mark.parametrize(
    ("form", "line"), [("csv", "1,2,3\n"), ("jsonl", "oops\n"), ("csv", '"1,2')]
)
def test_the_line_of_a_bad_row_is_that_of_the_file(write, monkeypatch, form, line):
    content = numbers(form, "6") + line
    number = content.count("\n") + (not line.endswith("\n"))
    monkeypatch.setattr(files, "_ROWS", 2)
    with pytest.raises(DataError, match=f"line {number}:"):
        likely.Classifier({"n": likely.Gaussian()}).fit(write(f"a.{form}", content))


@pytest.mark.parametrize(
    "form",
    [
        "csv",
        "jsonl",
        "parquet",
    ],
)
def test_the_row_of_a_missing_label_is_that_of_the_file(tmp_path, write, monkeypatch, form):
    labels = ["x", "y", "x", None, "x"]
    path = tmp_path / f"a.{form}"
    if form == "csv":
        write(path.name, "n,label\n" + "".join(f"1,{label or ''}\n" for label in labels))
    elif form == "jsonl":
        write(path.name, "".join(json.dumps({"n": 1, "label": y}) + "\n" for y in labels))
    else:
        pyarrow.parquet.write_table(pa.table({"n": [1.0] * 5, "label": labels}), path)
    monkeypatch.setattr(files, "_ROWS", 2)
    with pytest.raises(DataError, match=r"a\.\w+, row 4: the label in `label` is empty"):
        likely.Classifier({"n": likely.Gaussian()}).fit(path)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "arff"])
def test_a_model_that_fails_to_learn_a_file_stays_as_it_was(tmp_path, write, monkeypatch, form):
    monkeypatch.setattr(files, "_ROWS", 2)
    good = in_form(tmp_path, form if form != "parquet" else "parquet")
    model = likely.Classifier({"height": likely.Gaussian()}).fit(good)
    before = model.to_bytes()
    bad = write("bad.csv", "height,label\n1,yes\n2,no\n3,yes\noops,no\n")
    for learn in (model.fit, model.update):
        with pytest.raises(DataError, match="row 4 of `height`"):
            learn(bad)
    assert model.to_bytes() == before
