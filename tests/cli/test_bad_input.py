"""What can go wrong, tried for real: one sentence each, a code, and nothing half-written."""

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from likely.tally import container

GOOD = b"text,label\ncheap pills,spam\nlunch at noon,ham\nsee you,ham\n"


@pytest.fixture
def model(run, tmp_path):
    (tmp_path / "good.csv").write_bytes(GOOD)
    run("train", "good.csv", "-o", "m.likely")
    return "m.likely"


@pytest.mark.parametrize(
    ("content", "sentence", "hint"),
    [
        (None, "x.csv: No such file or directory", ""),
        (b"", "x.csv: the file is empty", ""),
        (b"\xef\xbb\xbf", "x.csv: the file is empty", ""),
        (
            b"cheap pills,spam\nlunch,ham\n",
            "x.csv has no column that is called like a target; it has `cheap pills`, `spam`",
            "hint: name the label column, for example `--target spam`",
        ),
        (b"text,text,label\na,b,x\n", "x.csv: two columns are called `text`", "give each its own"),
        (
            b"text,label\na,x\nb,c,y\n",
            "x.csv, line 3: the row has 3 cells, the header 2",
            "a cell with the separator in it is quoted",
        ),
        (
            b"text,label\na,x\ncaf\xe9,y\n",
            "x.csv, line 3: `text` is not UTF-8 there",
            "`--encoding latin-1` reads it, if that is what it is",
        ),
        ("text,label\na,x\n".encode("utf-16"), "the file is UTF-16", "`--encoding utf-16` reads"),
        (b"text,label\na,x\nb,x\n", "every row is `x`; a classifier needs at least two", ""),
        (
            b"price,label\n,x\n,y\n",
            "there is no column to learn from (`price`: it is empty)",
            "",
        ),
        (b"text,label\n", "nothing to learn from", ""),
        (
            b"text,label\na,\nb,y\n",
            "x.csv, row 1: the label in `label` is empty",
            'hint: `likely train --drop-label ""` leaves such rows out',
        ),
        (b"text\na\nb\n", "x.csv has no column of labels; it has `text`", "has one beside"),
        (b"t\xe9xt,label\na,x\n", "x.csv, line 1: the header is not UTF-8 there", "--encoding"),
        (gzip.compress(GOOD, mtime=0)[:40], "x.csv: the gzip data is cut off or damaged", ""),
    ],
)
def test_a_file_that_cannot_be_learned_from(run, tmp_path, content, sentence, hint):
    if content is not None:
        (tmp_path / "x.csv").write_bytes(content)
    _, err = run("train", "x.csv", "-o", "n.likely", code=3)
    assert sentence in err
    assert hint in err
    assert not (tmp_path / "n.likely").exists()


def test_names_that_are_nearly_right(run, model):
    _, err = run("train", "good.csv", "-o", "n.likely", "--target", "lable", code=3)
    assert "good.csv has no column `lable`" in err
    assert "did you mean `label`?" in err
    _, err = run("trian", "good.csv", code=2)
    assert "`trian` is not a command" in err
    assert "did you mean `train`?" in err
    _, err = run("frobnicate", code=2)
    assert "hint: `likely` alone lists the commands" in err
    _, err = run("train", "good.csv", "--targt", "label", code=2)
    assert "no such option" in err
    assert "'--target'" in err
    assert "hint: `likely train --help` shows its options" in err
    _, err = run("predict", code=2)
    assert "likely predict reviews.likely new.csv" in err


def test_a_column_that_is_empty_takes_no_part(run, tmp_path):
    (tmp_path / "x.csv").write_bytes(b"text,price,label\na b c,,x\nb c d,,y\n")
    _, err = run("train", "x.csv", "-o", "n.likely", "--text", "text")
    assert "`price` not used (it is empty)" in err


def test_encodings_that_are_none(run, tmp_path):
    (tmp_path / "x.csv").write_bytes(b"text,label\na,x\nb,y\n")
    _, err = run("train", "x.csv", "-o", "n.likely", "--encoding", "utf-16", code=3)
    assert "x.csv: the file is not utf-16" in err
    for name in ("base64", "rot13", "idna"):
        _, err = run("train", "x.csv", "-o", "n.likely", "--encoding", name, code=2)
        assert f"no encoding is called '{name}'" in err


def test_a_label_that_only_the_test_file_has_is_named(run, model, tmp_path):
    (tmp_path / "x.csv").write_bytes(b"text,label\nbuy,spam\nhello,news\nbye,news\nso,odd\n")
    out, err = run("evaluate", model, "x.csv", "--json")
    assert (
        "warning: x.csv has labels that the model never learned, so these rows cannot be right: "
        "`news`, `odd`\n" in err
    )
    assert json.loads(out)["rows"] == 4


def test_a_row_without_a_label_can_be_left_out(run, tmp_path):
    (tmp_path / "x.csv").write_bytes(b"text,label\na,\nb,y\nc,x\n")
    out, _ = run("train", "x.csv", "-o", "n.likely", "--drop-label", "", "--json")
    assert json.loads(out)["rows"] == 2


def test_texts_in_a_column_of_another_name(run, model, tmp_path):
    (tmp_path / "x.csv").write_bytes(b"a,b\nlunch,1\n")
    _, err = run("predict", model, "x.csv", code=3)
    assert (
        "x.csv has no column `text`; there are `a`, `b`\nhint: `--text COL` names the text column"
        in err
    )
    out, _ = run("predict", model, "x.csv", "--text", "a")
    assert "lunch,1,ham," in out


def test_a_line_is_no_table(run, tmp_path):
    (tmp_path / "x.csv").write_bytes(b"a,b,label\n1,2,x\n3,4,y\n5,1,x\n")
    run("train", "x.csv", "-o", "t.likely", "--numeric", "a", "--numeric", "b")
    _, err = run("predict", "t.likely", stdin="a fine day\n", code=3)
    assert "the first line names no column that the model reads (`a`, `b`)\n" in err


def test_a_huge_cell_is_read(run, model, tmp_path):
    huge = " ".join(["cheap"] * 2_000_000)
    (tmp_path / "huge.csv").write_text(f'text\n"{huge}"\nlunch\n')
    out, _ = run("predict", model, "huge.csv", "--json")
    first, second = out.splitlines()
    assert '"prediction": "spam"' in first[-60:]
    assert '"prediction": "ham"' in second


def test_models_that_cannot_be_read(run, model, tmp_path):
    content = (tmp_path / model).read_bytes()
    metadata, arrays = container.unpack(content)
    newer = container.pack({**metadata, "format": container.FORMAT + 1}, arrays)
    damaged = bytearray(content)
    damaged[len(content) // 2] ^= 1
    for found, sentence in (
        (b"", "it is no Likely model"),
        (GOOD, "it is no Likely model\nhint: `likely train` writes them; commands take the model"),
        (content[:-100], "it is cut off or damaged"),
        (bytes(damaged), "it is cut off or damaged: its checksum does not fit"),
        (newer, "it was written by a newer version of Likely (format 3; this one reads 2)"),
    ):
        (tmp_path / "bad.likely").write_bytes(found)
        for command in ("info", "top"):
            _, err = run(command, "bad.likely", code=4)
            assert f"`bad.likely` cannot be read: {sentence}" in err


@pytest.mark.parametrize(
    "command",
    [
        ["info", "none.likely"],
        ["predict", "none.likely", "x.csv"],
        ["update", "none.likely", "x.csv", "-o", "new.likely"],
        ["compare", "none.likely", "none.likely", "x.csv"],
    ],
)
def test_a_model_that_is_not_there_is_a_bad_model(run, tmp_path, command):
    (tmp_path / "x.csv").write_bytes(GOOD)
    _, err = run(*command, code=4)
    assert "none.likely: No such file or directory" in err


@pytest.mark.parametrize(
    "command", [["train", "-o", "new.likely"], ["predict", "{model}"], ["evaluate", "{model}"]]
)
def test_a_model_in_place_of_a_table_is_told_apart(run, model, command):
    name, *more = (part.format(model=model) for part in command)
    _, err = run(name, *more, model, code=3)
    assert f"{model}: it is a Likely model, not a table" in err


@pytest.mark.parametrize("command", ["update", "evaluate", "cv"])
def test_the_hint_for_a_label_that_is_missing_suits_the_command(run, model, tmp_path, command):
    (tmp_path / "gap.csv").write_text("text,label\na,\nb,y\nc,z\n")
    more = {"update": [model, "gap.csv", "-o", "n.likely"], "evaluate": [model, "gap.csv"]}
    _, err = run(command, *more.get(command, ["gap.csv"]), code=3)
    assert "gap.csv, row 1: the label in `label` is empty\nhint: " in err
    assert ('`likely cv --drop-label ""`' in err) == (command == "cv")
    assert "likely train" not in err


def test_a_disk_that_is_full_leaves_the_old_model(model, tmp_path):
    before = (tmp_path / model).read_bytes()
    rows = "".join(f"word{i} other{i},{'x' if i % 2 else 'y'}\n" for i in range(2000))
    (tmp_path / "more.csv").write_text("text,label\n" + rows)

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, 8_192))

    done = subprocess.run(
        [sys.executable, "-m", "likely", "train", "more.csv", "-o", model, "--force"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=little_room,
    )
    assert done.returncode == 3
    assert f"likely: {model}: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / model).read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["good.csv", model, "more.csv"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(run, model, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    _, err = run("train", "good.csv", "-o", "closed/m.likely", code=2)
    assert "nothing can be written to the folder of closed/m.likely" in err


def test_a_folder_on_a_read_only_disk(run, model):
    _, err = run("compact", model, "-o", "/proc/m.likely", code=3)
    assert err.startswith("likely: /proc/m.likely: ")


def test_ctrl_c_ends_quietly_and_leaves_nothing(tmp_path):
    spool = tmp_path / "spool"
    spool.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "likely", "train", "-", "-o", "m.likely"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(spool)},
    )
    with process:
        process.stdin.write(GOOD)
        process.stdin.flush()
        # The rows are being kept, so it is at work.
        patience = time.monotonic() + 60
        while not list(spool.iterdir()) and time.monotonic() < patience:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read().strip() == b""
    assert [file for file in tmp_path.rglob("*") if file != spool] == []


def test_kinds_of_columns_that_make_no_sense(run, tmp_path):
    (tmp_path / "x.csv").write_bytes(b"text,label\na,x\nb,y\n")
    _, err = run("train", "x.csv", "-o", "n.likely", "--text", "label", code=2)
    assert "--text label: that column has the labels; `--target COL` names another" in err
    _, err = run("train", "x.csv", "-o", "n.likely", "--drop-column", "tekst", code=2)
    assert "--drop-column tekst: x.csv has no such column; there are `text`, `label`" in err


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("inf", "row 3 of `height` is infinite\nhint: leave the row out"),
        ("2,7", "row 3 of `height` is '2,7', which is no number\nhint: numbers are written with"),
    ],
)
@pytest.mark.parametrize("every", [False, True])
def test_the_cell_that_keeps_a_column_from_being_numbers_is_named(run, tmp_path, cell, said, every):
    heights = [f"{n / 7:.3f}" for n in range(10, 50)]
    heights[2:] = [cell if every else h for h in heights[2:]]
    heights[2] = cell
    rows = "".join(f'"{h}";{"ab"[n % 2]}\n' for n, h in enumerate(heights))
    (tmp_path / "t.csv").write_text(f"height;label\n{rows}")
    for given in (["--model", "gaussian"], ["--numeric", "height"]):
        _, err = run("train", tmp_path / "t.csv", "-o", tmp_path / "m.likely", *given, code=3)
        assert said in err.replace("  hint", "hint")


def test_a_model_without_a_column_for_it_is_told_what_the_columns_are(run, tmp_path):
    (tmp_path / "t.csv").write_text("colour,label\n" + "red,a\nblue,b\n" * 5)
    _, err = run(
        "train", tmp_path / "t.csv", "-o", tmp_path / "m.likely", "--model", "gaussian", code=3
    )
    assert (
        "--model gaussian reads numeric columns, and there is none: `colour` is categorical" in err
    )
