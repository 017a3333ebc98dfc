"""What a command reads is never overwritten by what it writes."""

import os
import re
import subprocess
import sys

import click
import pytest

from likely.cli import COMMANDS, cli
from likely.cli.paths import Input, Output

ROWS = "text,size,kind,label\n" + "good fun,1.5,a,pos\nbad and dull,3.5,b,neg\n" * 6
LATER = "text,size,kind,label\nso good,1.7,a,pos\nso bad,3.1,b,neg\n"


@pytest.fixture
def place(run, tmp_path):
    (tmp_path / "d.csv").write_text(ROWS)
    (tmp_path / "more.csv").write_text(LATER)
    (tmp_path / "names.txt").write_text("good\nbad\n")
    (tmp_path / "about.toml").write_text("")
    (tmp_path / "costs.csv").write_text("label,miss,false_alarm\npos,1,1\nneg,1,1\n")
    (tmp_path / "rules.toml").write_text('[[rule]]\nname = "r"\nlabel = "pos"\nwords = ["fun"]\n')
    (tmp_path / "words.toml").write_text('negators = ["not"]\n')
    (tmp_path / "lexicon.tsv").write_text("good\t1\nbad\t-1\n")
    run("train", "d.csv", "-o", "m.likely", "--text", "text", "--plain")
    run("plan", "d.csv", "-o", "plan.json", "--text", "text")
    return tmp_path


TRAIN = ("train", "d.csv", "--text", "text", "-o")
# Each is a command whose last argument is a file that it reads.
OVERWRITING = [
    (*TRAIN, "d.csv"),
    (*TRAIN, "n.likely", "--report", "d.csv"),
    ("train", "more.csv", "--text", "text", "--unlabeled", "d.csv", "-o", "d.csv"),
    ("train", "d.csv", "--text", "text", "--rules", "rules.toml", "-o", "rules.toml"),
    ("train", "d.csv", "--text", "text", "--negation", "words.toml", "-o", "words.toml"),
    ("train", "d.csv", "--text", "text", "--stop-words", "names.txt", "-o", "names.txt"),
    ("train", "d.csv", "--text", "text", "--lexicon", "lexicon.tsv", "-o", "lexicon.tsv"),
    (
        "train",
        "d.csv",
        "--target",
        "label",
        "--multilabel",
        "--thresholds",
        "costs:costs.csv",
        "-o",
        "costs.csv",
    ),
    ("train", "d.csv", "--plan", "plan.json", "-o", "plan.json"),
    ("plan", "d.csv", "-o", "d.csv"),
    ("plan", "d.csv", "--text", "text", "--lexicon", "lexicon.tsv", "-o", "lexicon.tsv"),
    ("tally", "d.csv", "-o", "d.csv"),
    ("tally", "d.csv", "--plan", "plan.json", "-o", "plan.json"),
    ("tally", "d.csv", "--plan", "plan.json", "--rules", "rules.toml", "-o", "rules.toml"),
    ("update", "m.likely", "more.csv", "-o", "more.csv"),
    ("tune", "m.likely", "d.csv", "-o", "d.csv"),
    ("forget", "m.likely", "more.csv", "-o", "more.csv"),
    ("forget", "m.likely", "d.csv", "-o", "n.likely", "--receipt", "d.csv"),
    ("forget", "m.likely", "d.csv", "-o", "n.likely", "--receipt", "m.likely"),
    ("compact", "m.likely", "-o", "m.likely"),
    ("plot", "m.likely", "d.csv", "-o", "d.csv"),
    ("report", "m.likely", "d.csv", "-o", "m.likely"),
    ("report", "m.likely", "d.csv", "-o", "d.csv"),
    ("card", "m.likely", "d.csv", "--about", "about.toml", "-o", "about.toml"),
    ("audit", "m.likely", "d.csv", "--group", "kind", "--html", "d.csv"),
    ("audit", "m.likely", "--templates", "more.csv", "--html", "more.csv"),
    ("mitigate", "m.likely", "d.csv", "--balance", "kind", "-o", "n.likely", "--html", "d.csv"),
    ("mitigate", "m.likely", "d.csv", "--neutralize", "names.txt", "-o", "names.txt"),
    ("mixture", "d.csv", "-k", "2", "-o", "d.csv"),
]


@pytest.mark.parametrize("command", OVERWRITING, ids=" ".join)
def test_no_output_takes_the_place_of_an_input(run, place, command):
    before = {path: path.read_bytes() for path in place.iterdir()}
    _, err = run(*command, "--force", code=2)
    assert f"{command[-1]} is read too (" in err
    assert {path: path.read_bytes() for path in place.iterdir()} == before


@pytest.mark.parametrize("way", ["symlink", "hard link", "dots", "absolute", "linked folder"])
def test_whatever_path_leads_to_it(run, place, way):
    path = "out.csv"
    if way == "symlink":
        (place / path).symlink_to("d.csv")
    elif way == "hard link":
        os.link(place / "d.csv", place / path)
    elif way == "linked folder":
        (place / "here").symlink_to(".")
        path = "here/d.csv"
    else:
        path = "./d.csv" if way == "dots" else str(place / "d.csv")
    _, err = run(*TRAIN, path, "--force", code=2)
    assert f"{path} is read too (DATA), so it is not overwritten, even with --force" in err
    assert (place / "d.csv").read_text() == ROWS


def test_a_model_may_be_replaced_by_what_it_becomes(run, place):
    run("update", "m.likely", "more.csv", "-o", "./m.likely", "--force")
    run("train", "more.csv", "--text", "text", "--plain", "-o", "n.likely")
    run("merge", "m.likely", "n.likely", "-o", "m.likely", "--force")
    _, err = run("merge", "m.likely", "n.likely", "-o", "m.likely", code=2)
    assert "m.likely exists already" in err


def test_two_results_do_not_go_to_one_file(run, place):
    _, err = run(*TRAIN, "n.likely", "--report", "./n.likely", code=2)
    assert "two results cannot both be written to ./n.likely" in err
    _, err = run("forget", "m.likely", "d.csv", "-o", "n", "--receipt", "n", code=2)
    assert "two results" in err


@pytest.fixture
def texts(place):
    for name, text in (("pos/a", "good fun"), ("neg/b", "bad and dull"), ("pos/c", "so good")):
        path = place / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place / "texts"


@pytest.mark.parametrize(
    "output", ["texts/pos/a", "texts/pos/new.likely", "texts/../texts/neg/b", "linked", "pos/m"]
)
def test_no_output_becomes_a_text_of_the_folder_that_is_read(run, texts, output):
    (texts.parent / "linked").symlink_to("texts/pos/later")
    (texts.parent / "pos").symlink_to("texts/pos")
    _, err = run("train", "texts", "-o", output, "--force", code=2)
    assert f"{output} is among the texts of texts (DATA), and would be read as one" in err
    assert (texts / "pos" / "a").read_text() == "good fun"


def test_a_hard_link_to_a_text_is_that_text(run, texts):
    os.link(texts / "pos" / "a", texts.parent / "out.likely")
    _, err = run("train", "texts", "-o", "out.likely", "--force", code=2)
    assert "out.likely is among the texts of texts" in err


def test_a_model_beside_the_classes_is_no_text(run, texts):
    run("train", "texts", "-o", "texts/m.likely")
    run("train", "texts", "-o", "texts/pos/.m.likely")


def test_standard_input_is_an_input_too(place):
    command = [sys.executable, "-m", "likely", *TRAIN, "d.csv", "--force"]
    command[command.index("d.csv")] = "-"
    with open(place / "d.csv", "rb") as data:
        done = subprocess.run(command, stdin=data, cwd=place, capture_output=True, text=True)
    assert done.returncode == 2
    assert "d.csv is read too (DATA)" in done.stderr
    assert (place / "d.csv").read_text() == ROWS


def test_rows_are_not_printed_to_the_end_of_the_file_that_is_read(place):
    command = [sys.executable, "-m", "likely", "predict", "m.likely", "d.csv"]
    with open(place / "d.csv", "ab") as data:
        done = subprocess.run(command, stdout=data, stderr=subprocess.PIPE, cwd=place, text=True)
    assert done.returncode == 2
    assert "standard output goes to d.csv, which is read too (DATA)" in done.stderr
    assert (place / "d.csv").read_text() == ROWS


def test_every_file_that_is_named_is_declared_as_read_or_written():
    context = click.Context(cli, info_name="likely")
    for command in COMMANDS:
        for param in cli.get_command(context, command).params:
            words = f"{param.metavar} {getattr(param, 'help', None)}"
            named = isinstance(param.type, click.Path) or re.search("FILE|^DATA", words)
            if named:
                assert isinstance(param.type, (Input, Output)), (command, param.name)
