"""What people see: colours, bars, columns that fit, completion."""

import io
import json
import os
import pty
import subprocess
import sys

import click
import pytest

import likely
from likely.cli import options
from likely.cli.explain import _coloured
from likely.cli.label_issues import label_issue_lines

ROWS = ["good fun,pos", "so good,pos", "good cast,pos", "bad,neg", "so bad,neg", "bad plot,neg"]


@pytest.fixture
def model(run, tmp_path):
    (tmp_path / "d.csv").write_text("\n".join(["text,label", *ROWS]))
    run("train", "d.csv", "-o", "m.likely", "--text", "text")
    return "m.likely"


def test_the_label_that_the_other_rows_contradict_is_shown(run, tmp_path):
    rows = ROWS * 5 + ["good good good good good fun cast,neg"]
    (tmp_path / "d.csv").write_text("\n".join(["text,label", *rows]))
    out, _ = run("train", "d.csv", "-o", "m.likely", "--text", "text")
    assert "Possible label errors: 1 row with P(label) below 1 %" in out
    assert "  row 31  label neg  predicted pos  good good good good good fun cast\n" in out
    out, _ = run("train", "d.csv", "-o", "m.likely", "--text", "text", "--json", "--force")
    (found,) = json.loads(out)["label_issues"]
    assert (found["row"], found["label"], found["predicted"]) == (31, "neg", "pos")


def test_what_a_row_says_stands_below_long_names_and_ends_with_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    row = {"row": 7, "label": "spam", "predicted": "ham", "shown": "日本語" * 40}
    (line,) = label_issue_lines([row])
    assert line == f"  row 7  label spam  predicted ham  {'日本語' * 7}…"
    names = {"label": "talk.politics.guns", "predicted": "comp.os.ms-windows.misc"}
    first, second, *_ = label_issue_lines([{**row, **names}] * 2)
    assert first == "  row 7  label talk.politics.guns  predicted comp.os.ms-windows.misc"
    assert second == f"    {'日本語' * 12}日…"


def test_rows_of_a_label_can_be_left_out(run, tmp_path):
    rows = ["who knows,unknown", *ROWS * 5, "good good good good good fun cast,neg"]
    (tmp_path / "d.csv").write_text("\n".join(["text,label", *rows]))
    options = ("--text", "text", "--drop-label", "unknown")
    out, _ = run("train", "d.csv", "-o", "m.likely", *options, "--json")
    found = json.loads(out)
    assert found["classes"] == ["neg", "pos"]
    # Rows keep the numbers that they have in the file.
    assert [one["row"] for one in found["label_issues"]] == [32]
    (tmp_path / "e.csv").write_text("\n".join(["text,label", *rows[1:]]))
    run("train", "e.csv", "-o", "e.likely", "--text", "text")
    assert (tmp_path / "m.likely").read_bytes() == (tmp_path / "e.likely").read_bytes()
    out, _ = run("cv", "d.csv", "--folds", "3", *options, "--json")
    assert json.loads(out)["rows"] == 31
    _, err = run("train", "d.csv", "-o", "n.likely", "--drop-label", "nobody", code=3)
    assert "--drop-label nobody: no row of d.csv has that label" in err
    options = ("--numeric", "a", "--drop-label", "z")
    (tmp_path / "f.csv").write_text("a,label\n1,z\n1,x\n2,y\noops,x\n3,y\n")
    _, err = run("train", "f.csv", "-o", "n.likely", *options, code=3)
    assert "row 4 of `a` is 'oops', which is no number" in err


def test_words_have_the_colour_of_what_they_say():
    model = likely.Classifier(likely.Multinomial()).fit(
        ["good fun", "so good", "bad", "so bad"], ["pos", "pos", "neg", "neg"]
    )
    text = "GOOD, so good, not bad; zzz"
    shown = _coloured(text, model.explain(text))
    assert click.unstyle(shown) == text
    assert shown.startswith(click.style("GOOD", fg="green", bold=True))
    assert click.style("bad", fg="bright_red", bold=True) in shown
    assert shown.endswith("; zzz")


def on_a_terminal(arguments, tmp_path, **variables):
    """What a command prints to somebody who is watching."""
    own, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "PYTHONUTF8": "1"}
    environment.pop("NO_COLOR", None)
    environment |= variables
    with subprocess.Popen(
        [sys.executable, "-m", "likely", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env=environment,
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while more := os.read(own, 65_536):
                shown += more
        except OSError:
            pass
        process.wait()
    os.close(own)
    return shown.decode()


def test_colours_are_for_terminals(run, model, tmp_path):
    shown = on_a_terminal(["explain", model, "so good, so bad"], tmp_path)
    assert "\x1b[32m" in shown
    assert "\x1b[91m▒" in shown
    out, _ = run("explain", model, "so good, so bad")
    assert "\x1b" not in out


@pytest.mark.parametrize("named", ["model.likely", "missing.likely"])
def test_there_are_none_for_whoever_wants_none(model, tmp_path, named):
    shown = on_a_terminal(["explain", named, "so good, so bad"], tmp_path, NO_COLOR="1")
    assert shown
    assert "\x1b" not in shown


def test_messages_break_between_words_on_a_terminal(model, tmp_path):
    shown = on_a_terminal(["train", "nothing-" + "x" * 90, "-o", "n.likely"], tmp_path)
    assert click.unstyle(shown).split() == [
        "likely:",
        f"nothing-{'x' * 90}:",
        "No",
        "such",
        "file",
        "or",
        "directory",
    ]


def test_a_bar_is_shown_and_taken_away(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    with options.progress_bar("counting", 100) as progress:
        progress(50)
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(options, "_PATIENCE", -1)
    with options.progress_bar("counting", 100) as progress:
        progress(50)
        assert sys.stderr.getvalue() == f"\rcounting  {'█' * 16}{'░' * 16}   50%"
    assert sys.stderr.getvalue().endswith("\r\x1b[K")
    with options.progress_bar("counting", 100) as progress:
        for done in (0, 100, 0):
            progress(done)
    assert sys.stderr.getvalue().endswith(
        f"\rcounting  {'█' * 32}  100%\rcounting, pass 2  {'░' * 32}    0%\r\x1b[K"
    )
    with options.status("writing"):
        assert sys.stderr.getvalue().endswith("writing …")
    assert sys.stderr.getvalue().endswith("writing …\r\x1b[K")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with options.progress_bar("counting", 100) as progress, options.status("writing"):
        assert progress is None
    assert sys.stderr.getvalue() == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete(run, shell):
    out, _ = run("completion", shell)
    assert "_LIKELY_COMPLETE" in out


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("likely tr", "train"), ("likely ex", "explain"), ("likely evaluate --mi", "--min")],
)
def test_commands_and_options_complete(typed, expected):
    words = typed.split()
    environment = {
        **os.environ,
        "_LIKELY_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "likely"], env=environment, capture_output=True, text=True
    )
    assert f"plain,{expected}" in done.stdout.splitlines()


def test_parquet_goes_the_same_way(run, model, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    table = pa.table({"text": ["so good", None], "n": [1, 2]})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    out, _ = run("predict", model, "x.parquet", "--json")
    first, second = map(json.loads, out.splitlines())
    assert first["n"] == 1
    assert first["prediction"] == "pos"
    assert second["text"] is None
    out, _ = run("predict", model, "x.parquet")
    assert out.splitlines()[0] == "text,n,prediction,probability"


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--version"], ["typing", "click", "numpy", "likely.cli"]),
        (["--help"], ["numpy", "likely._kernel", "likely.classifier"]),
        (
            ["predict", "m.likely"],
            [
                "pyarrow",
                "sklearn",
                "tomllib",
                "likely.evaluation",
                "likely.evaluation.cross_validation",
                "likely.render",
            ],
        ),
    ],
)
def test_a_command_loads_no_more_than_it_needs(model, tmp_path, arguments, heavy):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "likely", *arguments],
        input=b"so good\n",
        capture_output=True,
        cwd=tmp_path,
        check=True,
    )
    lines = done.stderr.decode().splitlines()
    loaded = {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}
    assert "likely" in loaded
    assert not loaded.intersection(heavy)
