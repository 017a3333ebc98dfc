"""`likely example` writes what the package brings, and never over what somebody has written."""

import json
import os
import shlex

import pytest

from likely.examples import EXAMPLES, path


def test_without_a_name_it_lists_them_in_eighty_columns(run):
    out, err = run("example")
    head, *lines = out.splitlines()
    assert [line.split()[0] for line in lines] == list(EXAMPLES)
    assert max(map(len, [head, *lines])) <= 80
    assert "likely example NAME" in err
    listed = json.loads(run("example", "--json")[0])["examples"]
    assert [one["name"] for one in listed] == list(EXAMPLES)
    assert listed[-1]["files"].keys() == {"gullpoint.csv", "gullpoint-rules.toml"}
    for one, line in zip(listed, lines, strict=True):
        assert one["lesson"] in line
        assert next(iter(one["files"].values())) in line


def test_it_writes_every_byte_and_says_what_to_try(run, tmp_path):
    out, err = run("example", *EXAMPLES)
    for example in EXAMPLES.values():
        for file in example.files:
            assert (tmp_path / file).read_bytes() == path(file).read_bytes()
            assert f"{file}: " in err
        for command in example.commands:
            assert f"  {command}\n" in out


def test_a_name_that_is_given_twice_is_written_once(run):
    out, err = run("example", "tennis", "tennis")
    assert out.count("likely train") == 1
    assert err.count("tennis.csv") == 1


def test_it_writes_to_a_folder(run, tmp_path):
    (tmp_path / "my course").mkdir()
    out, err = run("example", "gullpoint", "-o", "my course")
    assert out.startswith("  cd 'my course'\n  likely train gullpoint.csv")
    assert os.path.join("my course", "gullpoint.csv") in err
    assert sorted(os.listdir(tmp_path / "my course")) == ["gullpoint-rules.toml", "gullpoint.csv"]
    out, _ = run("example", "gullpoint", "-o", "my course", "--json")
    facts = json.loads(out)
    assert facts["files"] == [
        os.path.join("my course", name) for name in ("gullpoint.csv", "gullpoint-rules.toml")
    ]
    assert facts["written"] == []


def test_what_is_there_already_stays(run, tmp_path):
    run("example", "tennis")
    before = (tmp_path / "tennis.csv").stat()
    _, err = run("example", "tennis")
    assert "tennis.csv: already there" in err
    assert (tmp_path / "tennis.csv").stat() == before


def test_what_somebody_has_changed_stays_too_and_nothing_else_is_written(run, tmp_path):
    mine = tmp_path / "tennis.csv"
    mine.write_text("outlook,play\nhail,no\n", "utf-8")
    _, err = run("example", "heights", "tennis", code=2)
    assert err == "likely: tennis.csv exists already\nhint: `--force` overwrites it\n"
    assert os.listdir(tmp_path) == ["tennis.csv"]
    assert mine.read_text("utf-8") == "outlook,play\nhail,no\n"
    out, _ = run("example", "heights", "tennis", "--force", "--json")
    assert json.loads(out)["written"] == ["heights.csv", "tennis.csv"]
    assert mine.read_bytes() == path("tennis.csv").read_bytes()


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (["tenis"], "there is no example `tenis`; there are `reviews`, `tennis`"),
        (["tenis"], "hint: did you mean `tennis`?"),
        (["Reviews.csv"], "hint: did you mean `reviews`?"),
        (["tennis", "-o", "nowhere"], "nowhere does not exist\nhint: create the folder first"),
        (["tennis", "-o", "file"], "file is not a folder"),
        (["heights"], "heights.csv is not the name of a file"),
        (["-o", "file"], "-o needs the NAME of an example to write"),
        (["--force"], "--force needs the NAME of an example to write"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(run, tmp_path, typed, sentence):
    (tmp_path / "file").touch()
    (tmp_path / "heights.csv").mkdir()
    _, err = run("example", *typed, code=2)
    assert sentence in err
    assert sorted(os.listdir(tmp_path)) == ["file", "heights.csv"]


def test_a_folder_that_cannot_be_written_is_refused(run, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda place, mode: mode != os.W_OK)
    _, err = run("example", "tennis", code=2)
    assert "the folder of tennis.csv is not writable" in err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_commands_to_try_run(run, name):
    out, _ = run("example", name)
    for command in out.splitlines():
        said, _ = run(*shlex.split(command)[1:])
        assert said or "plot" in command
