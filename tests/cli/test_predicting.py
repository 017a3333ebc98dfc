"""Rows that come and go through pipes, and what is said of each."""

import contextlib
import csv
import gzip
import io
import json
import os
import subprocess
import sys
import time

import pytest

import likely

ROWS = "text,label\ncheap pills,spam\ncheap cash,spam\nlunch at noon,ham\nsee you,ham\nso so,meh\n"


@pytest.fixture
def model(run, tmp_path):
    (tmp_path / "d.csv").write_text(ROWS)
    run("train", "d.csv", "-o", "m.likely", "--text", "text", "--plain")
    return "m.likely"


def table(out):
    return list(csv.DictReader(io.StringIO(out)))


def test_the_best_classes(run, model):
    out, _ = run("predict", model, "-k", "2", stdin="cheap\n")
    (row,) = table(out)
    assert list(row)[1:] == ["prediction", "probability", "prediction_2", "probability_2"]
    assert row["prediction"] == "spam"
    assert float(row["probability"]) >= float(row["probability_2"])
    out, _ = run("predict", model, "-k", "9", stdin="cheap\n")
    assert "prediction_3" in out
    assert "prediction_4" not in out


def test_a_class_is_said_from_its_threshold_on(run, model):
    out, _ = run("predict", model, "--threshold", "spam=0.99", stdin="cheap\nlunch\n")
    assert [row["prediction"] for row in table(out)] == ["ham", "ham"]
    out, _ = run("predict", model, "--threshold", "spam=0.1", stdin="cheap\n")
    assert [row["prediction"] for row in table(out)] == ["spam"]
    _, err = run("predict", model, "--threshold", "spem=0.1", stdin="x\n", code=2)
    assert "did you mean `spam`?" in err
    _, err = run("predict", model, "--threshold", "0.9", stdin="x\n", code=2)
    assert "--threshold 0.9: give LABEL=P, for example spam=0.9" in err
    _, err = run("predict", model, "--threshold", "spam=often", stdin="x\n", code=2)
    assert "is not like spam=0.9" in err
    _, err = run("predict", model, "--threshold", "spam=1.5", stdin="x\n", code=2)
    assert "--threshold spam=1.5: a probability is from 0 to 1" in err


def test_unsure_is_an_empty_answer(run, model):
    out, _ = run("predict", model, "--reject-below", "0.9", stdin="zzz\n")
    assert table(out)[0] == {"text": "zzz", "prediction": "", "probability": ""}
    out, _ = run("predict", model, "--reject-below", "0.9", "--json", stdin="zzz\n")
    assert json.loads(out)["prediction"] is None


def test_tables_through_a_pipe(run, model):
    out, _ = run("predict", model, stdin='id,text\n1,"cheap, cheap"\n2,lunch\n')
    assert out.splitlines()[0] == "id,text,prediction,probability"
    assert [row["prediction"] for row in table(out)] == ["spam", "ham"]
    out, err = run("predict", model, stdin='text\n"cheap\ncheap"\nlunch\n')
    assert [row["prediction"] for row in table(out)] == ["spam", "ham"]
    assert "its first line, `text`, is taken as the column name" in err
    lines = '{"id": 1, "text": "cheap"}\n{"text": "lunch", "tags": ["a"]}\n'
    out, _ = run("predict", model, "--json", stdin=lines)
    found = [json.loads(line) for line in out.splitlines()]
    assert found[1]["tags"] == ["a"]
    assert [row["prediction"] for row in found] == ["spam", "ham"]
    out, _ = run("predict", model, stdin=lines)
    assert out.splitlines()[0] == "id,tags,text,prediction,probability"


def test_a_column_that_a_pipe_does_not_have_is_not_made_up(run, model, tmp_path):
    out, err = run("predict", model, "--json", stdin='{"body": "cheap"}\n')
    assert json.loads(out)["prediction"] == "spam"
    assert "standard input: `body` is read as `text`" in err
    _, err = run("predict", model, "--json", stdin='{"a": "cheap", "b": 1}\n', code=3)
    assert "standard input has no column `text`" in err
    (tmp_path / "two.csv").write_text("a,b,label\n" + "x,1.5,p\ny,2.5,q\nx,1.25,p\ny,2.75,q\n" * 4)
    run("train", "two.csv", "-o", "two.likely", "--categorical", "a", "--numeric", "b")
    out, _ = run("predict", "two.likely", "--json", stdin='{"a": "x"}\n{"a": "y", "b": 2.5}\n')
    assert [json.loads(line)["prediction"] for line in out.splitlines()] == ["p", "q"]
    _, err = run("predict", "two.likely", "--json", stdin='{"c": "x"}\n', code=3)
    assert "standard input lacks columns that the model reads: `a`, `b`; it has `c`" in err


def test_what_is_compressed_in_a_pipe_is_read(run, model):
    out, _ = run("predict", model, stdin=gzip.compress(b"id,text\n1,cheap\n"))
    assert table(out)[0]["prediction"] == "spam"


def test_a_prior_may_name_labels_with_commas(run, tmp_path):
    (tmp_path / "d.csv").write_text('text,label\na,"yes, very"\nb,no\n')
    run("train", "d.csv", "-o", "n.likely", "--text", "text", "--plain")
    out, _ = run("predict", "n.likely", "--prior", "yes, very=0.99,no=0.01", stdin="c\n")
    assert table(out)[0]["probability"] == "0.99"
    _, err = run("predict", "n.likely", "--prior", "yes, very=0.99,no", stdin="c\n", code=2)
    assert "'no' is not like spam=0.02" in err


def test_a_prior_may_name_labels_that_are_numbers(run, tmp_path):
    likely.Classifier({"text": likely.Multinomial()}).fit({"text": ["a b", "b c"]}, [0, 1]).save(
        tmp_path / "n.likely"
    )
    out, _ = run("predict", "n.likely", "--prior", "1=0.99", stdin="b\n")
    assert table(out)[0]["prediction"] == "1"


def test_what_is_wrong_in_a_pipe_has_its_line(run, model):
    _, err = run("predict", model, stdin="id,text\n1,a\n2\n", code=3)
    assert "standard input, line 3: the row has 1 cells" in err
    _, err = run("predict", model, "--json", stdin='{"text": "a"}\n{"text"\n', code=3)
    assert "standard input, line 2" in err
    _, err = run("predict", model, stdin=b"a\nb\n\xff\n", code=3)
    assert "standard input, line 3: it is not UTF-8" in err
    _, err = run("predict", model, stdin="", code=3)
    assert "standard input: there are no rows to predict" in err


def test_every_ending_of_a_line_and_every_order_is_kept(run, model):
    out, _ = run("predict", model, stdin=b"\xef\xbb\xbfone\r\n\ntwo\nthree")
    assert [row["text"] for row in table(out)] == ["one", "", "two", "three"]
    out, _ = run("predict", model, stdin="\nlunch\n")
    assert [row["text"] for row in table(out)] == ["", "lunch"]
    many = [f"cheap {i}" if i % 3 else f"lunch {i}" for i in range(20_000)]
    out, _ = run("predict", model, stdin="\n".join(many))
    assert [row["text"] for row in table(out)] == many
    expected = ["spam" if i % 3 else "ham" for i in range(20_000)]
    assert [row["prediction"] for row in table(out)] == expected


def test_other_encodings(run, model, tmp_path):
    (tmp_path / "l.csv").write_bytes("text\ncafé\n".encode("latin-1"))
    (tmp_path / "u.csv").write_bytes("text\ncafé\n".encode("utf-16"))
    for name, encoding in (("l.csv", "latin-1"), ("u.csv", "utf-16")):
        out, _ = run("predict", model, name, "--encoding", encoding)
        assert table(out)[0]["text"] == "café"
    out, _ = run("predict", model, "--encoding", "cp1252", stdin=b"caf\xe9\n")
    assert table(out)[0]["text"] == "café"
    _, err = run("predict", model, "u.csv", "--encoding", "klingon", code=2)
    assert "no encoding is called 'klingon'" in err
    (tmp_path / "x.csv").write_bytes(b"text\nok\n\x81\n")
    _, err = run("predict", model, "x.csv", "--encoding", "cp1252", code=3)
    assert "x.csv: byte 8 is not cp1252" in err


def start(model, tmp_path, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "likely", "predict", model, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        **options,
    )


def test_each_line_is_answered_when_it_comes(model, tmp_path):
    with start(model, tmp_path) as process:
        for text, label in (("cheap", "spam"), ("lunch", "ham")):
            process.stdin.write(f"{text}\n".encode())
            process.stdin.flush()
            if text == "cheap":
                assert process.stdout.readline() == b"text,prediction,probability\n"
            assert process.stdout.readline().startswith(f"{text},{label},".encode())
        process.stdin.close()
        assert process.wait() == 0


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak is read from /proc")
@pytest.mark.parametrize("form", ["lines", "csv", "json"])
def test_memory_does_not_grow_with_the_pipe(model, tmp_path, form):
    text = "cheap lunch " * 20
    row = {"lines": f"{text}\n", "csv": f'1,"{text}"\n', "json": f'{{"text": "{text}"}}\n'}[form]
    block = row.encode() * 4_000
    options = ["--json"] if form == "json" else []
    peaks = []
    with start(model, tmp_path, *options) as process:
        os.set_blocking(process.stdout.fileno(), True)
        reader = subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)
        if form == "csv":
            process.stdin.write(b"id,text\n")
        for megabytes in (20, 60):
            for _ in range(megabytes * 1_000_000 // len(block)):
                process.stdin.write(block)
            process.stdin.flush()
            with open(f"/proc/{process.pid}/status") as status:
                peaks.append(int(next(x for x in status if x.startswith("VmHWM")).split()[1]))
        process.stdin.close()
        assert process.wait() == 0
        reader.wait()
    assert peaks[1] < peaks[0] + 30_000, peaks


@pytest.fixture
def unsmoothed(run, tmp_path):
    (tmp_path / "few.csv").write_text("text,label\n" + "good fun,pos\nbad dull,neg\n" * 3)
    run("train", "few.csv", "-o", "z.likely", "--alpha", "0")
    return "z.likely"


def test_an_impossible_row_is_flagged(run, unsmoothed, tmp_path):
    rows = "good bad\ngood\nfun dull\n"
    out, err = run("predict", unsmoothed, stdin=rows)
    expected = "2 rows have probability 0 under every class; the prior decided: 1, 3\n"
    assert f"warning: standard input: {expected}" in err
    assert out.splitlines()[1] == "good bad,neg,0.5"
    (tmp_path / "d.csv").write_text(f"text\n{rows}")
    for given in (rows, f"text\n{rows}"):
        out, _ = run("predict", unsmoothed, "--json", stdin=given)
        found = [json.loads(line) for line in out.splitlines()]
        assert [row.get("impossible") for row in found] == [True, None, True]
    _, err = run("predict", unsmoothed, "d.csv")
    assert f"warning: d.csv: {expected}" in err
    table = likely.open_table(tmp_path / "d.csv")
    assert likely.load(tmp_path / unsmoothed).impossible(table).tolist() == [True, False, True]


def test_one_impossible_row_is_named_and_many_are_counted(run, unsmoothed):
    _, err = run("predict", unsmoothed, stdin="good\ngood bad\n")
    assert "row 2 has probability 0 under every class; the prior decided" in err
    _, err = run("predict", unsmoothed, stdin="good bad\n" * 20_000)
    assert "20,000 rows have probability 0 under every class; the prior decided: 1, 2, 3" in err
    assert ", 10 and 19,990 more\n" in err
    _, err = run("predict", unsmoothed, stdin="good\nbad\n")
    assert err == ""


def test_a_row_that_a_rule_decides_is_not_left_to_the_prior(run, unsmoothed, tmp_path):
    (tmp_path / "r.toml").write_text('[[rule]]\nname = "r"\nlabel = "pos"\nwords = ["bad"]\n')
    run("train", "few.csv", "-o", "r.likely", "--alpha", "0", "--rules", "r.toml")
    out, err = run("predict", "r.likely", "--json", stdin="good bad\n")
    assert err == ""
    assert "impossible" not in out


def test_what_is_added_to_json_takes_the_place_of_nothing(run, model):
    for name in ("prediction", "probability"):
        line = json.dumps({"message": "cheap", name: 1}) + "\n"
        _, err = run("predict", model, "--json", stdin=line, code=3)
        assert f"there is a column `{name}` already" in err


def test_a_full_disk_is_said(run, model, tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    (tmp_path / "many.csv").write_text("text\n" + "cheap lunch\n" * 1000)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "likely", "predict", model, "many.csv"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
        )
    assert done.returncode == 3
    assert done.stderr.decode() == "likely: standard output: No space left on device\n"


def test_a_closed_pipe_is_no_error_however_late(model, tmp_path):
    with start(model, tmp_path) as process:
        process.stdin.write(b"cheap\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        time.sleep(0.1)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"lunch\n" * 1000)
            process.stdin.close()
        assert process.wait() == 0
        assert process.stderr.read() == b""
