"""`likely prove` prints what was measured, and fails if a guarantee does not hold."""

import json
import shlex

import click
import pytest

from likely import Classifier
from likely.cli import prove as command
from likely.cli.prove import _lines
from likely.prove import GUARANTEES, Checked, Finding, Guarantee


def test_every_guarantee_has_its_line_and_its_commands(run, tmp_path):
    out, err = run("prove")
    assert err == ""
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line for line in lines if line.startswith("✓ ")]
    assert [head[2:].rsplit(None, 2)[0] for head in heads] == [one.sentence for one in GUARANTEES]
    assert all(head.endswith(" s") for head in heads)
    for one in GUARANTEES:
        assert "".join(f"    {line}\n" for line in one.shell.splitlines()) in out
    assert lines[-1].startswith(f"{len(GUARANTEES)} of {len(GUARANTEES)} guarantees hold · ")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_guarantee_fails(run, monkeypatch):
    monkeypatch.setattr(Classifier, "forget", lambda *rows: None)
    monkeypatch.setattr(command, "GUARANTEES", GUARANTEES[-2:])
    out, _ = run("prove", code=1)
    damage, never_learned = (one.sentence for one in GUARANTEES[-2:])
    assert f"✓ {damage}" in out
    assert f"✗ {never_learned}" in out
    assert "1 of 2 guarantees hold · broken: never-learned · " in out.splitlines()[-1]
    facts = json.loads(run("prove", "--json", code=1)[0])
    assert facts["holds"] is False
    assert [one["holds"] for one in facts["guarantees"]] == [True, False]


def test_one_that_could_not_be_checked_is_counted_apart(run, monkeypatch):
    skipped = Guarantee("far", "It is far", lambda: Finding(None, "skipped: too far"), "true\n")
    monkeypatch.setattr(command, "GUARANTEES", (skipped, GUARANTEES[-1]))
    out, _ = run("prove")
    assert out.startswith("– It is far")
    assert "1 of 2 guarantees hold · 1 skipped · " in out.splitlines()[-1]
    facts = json.loads(run("prove", "--json")[0])
    assert facts["holds"] is True
    assert facts["guarantees"][0] == {
        "name": "far",
        "guarantee": "It is far",
        "holds": None,
        "measured": "skipped: too far",
        "figures": {},
        "seconds": pytest.approx(0, abs=1),
        "shell": "true\n",
    }


def test_what_a_failing_check_says_stays_within_eighty_columns():
    finding = Finding(False, "the check failed: " + "so many words " * 20)
    lines = _lines(Checked(Guarantee("a", "A", lambda: finding, "true\n"), finding, 1234.56))
    assert max(len(click.unstyle(line)) for line in lines) <= 80
    assert click.unstyle(lines[0]).split() == ["✗", "A", "1234.6", "s"]


def test_the_commands_are_of_likely_or_of_every_system():
    known = {"likely", "python", "cmp", "sha256sum", "head", "tail", "sort", "sed", "awk", "cut"}
    known |= {"printf", "cp", "grep", "paste", "seq", "for", "do", "done", "!", "(head"}
    for one in GUARANTEES:
        assert one.shell.startswith("likely example ") or one.shell.startswith("printf ")
        for line in one.shell.splitlines():
            first = line.split()[0]
            assert first in known or line.startswith("  "), line
        # What is quoted ends.
        shlex.split(one.shell)
