"""Dates and short texts on the command line."""

import datetime
import json

import pytest

DAYS = [datetime.datetime(2024, 1, 1, 9) + datetime.timedelta(hours=37 * n) for n in range(90)]


@pytest.fixture
def letters(tmp_path):
    def write(spelling="%d/%m/%Y %H:%M"):
        rows = [
            f"{day.strftime(spelling)},w{n}@{'isle' if n % 2 else 'sea'}.example,"
            f"{'closed' if day.weekday() > 4 else 'open'}"
            for n, day in enumerate(DAYS)
        ]
        (tmp_path / "letters.csv").write_text("\n".join(["sent,from,office", *rows]) + "\n")
        return "letters.csv"

    return write


def test_dates_and_short_texts_are_found_learned_and_shown(run, letters):
    train = ("train", letters(), "--target", "office", "-o", "m.likely")
    out, err = run(*train)
    assert "target `office`; short text `from`; day-first date `sent`" in err
    assert "sent weekday=Sunday" in out
    out, _ = run("explain", "m.likely", "sent=07/12/2024", "from=bo@isle.example")
    assert out.startswith("closed")
    assert "sent weekday=Saturday" in out
    assert "from: isle.example" in out
    out, _ = run("top", "m.likely")
    assert "sent weekday=Saturday" in out
    out, _ = run("info", "m.likely")
    assert "Dates(day_first=True)" in out
    run("report", "m.likely", "letters.csv", "-o", "m.html")
    out, _ = run("cv", "letters.csv", "--target", "office", "--json")
    assert json.loads(out)["accuracy"] > 0.9


def test_a_plan_keeps_the_order_of_dates(run, letters, tmp_path):
    out, _ = run("plan", letters(), "--target", "office", "-o", "plan.json")
    assert "sent    day-first date  dates, the day first" in out
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert {"columns": ["sent"], "kind": "dates", "day_first": True} in plan["schema"]["factors"]
    _, err = run("train", "letters.csv", "--plan", "plan.json", "-o", "m.likely")
    assert "day-first date `sent`" in err


def test_roles_are_given_with_a_prefix(run, letters):
    plan = ("plan", letters("%Y-%m-%d"), "--target", "office")
    out, _ = run(*plan, "--date", "day-first:sent", "--text", "short:from", "--json")
    roles = {name: one["role"] for name, one in json.loads(out)["columns"].items()}
    assert roles == {"sent": "day-first date", "from": "short text"}
    out, _ = run(*plan, "--date", "sent", "--text", "from", "--json")
    roles = {name: one["role"] for name, one in json.loads(out)["columns"].items()}
    assert roles == {"sent": "date", "from": "text"}
    _, err = run(*plan, "--date", "day-first:snt", code=2)
    assert "--date day-first:snt: letters.csv has no such column" in err
    _, err = run(*plan, "--text", "short:sent", "--date", "sent", code=2)
    assert "--text short:sent and --date sent: a column has one role" in err


def test_the_first_cell_that_is_no_date_is_named(run, letters):
    _, err = run("plan", letters(), "--target", "office", "--date", "from", code=3)
    assert "--date from: letters.csv, row 1 of `from` is 'w0@sea.example', which is no date" in err
    run("train", "letters.csv", "--target", "office", "-o", "m.likely")
    _, err = run("explain", "m.likely", "sent=12/31/2024", code=3)
    assert "is '12/31/2024', which is no date if the day comes first" in err


def test_an_order_that_nothing_tells_is_taken_and_said(run, tmp_path):
    rows = "\n".join(f"{1 + n % 12}/{1 + n % 11}/2024,{'ab'[n % 2]}" for n in range(60))
    (tmp_path / "d.csv").write_text(f"sent,label\n{rows}\n")
    _, err = run("train", "d.csv", "-o", "m.likely")
    assert "dates in `sent` are taken to have the month first (`--date day-first:COL`" in err
    out, _ = run("plan", "d.csv")
    assert "dates, taken to have the month first (`--date day-first:sent` says otherwise)" in out
    _, err = run("train", "d.csv", "-o", "m.likely", "--force", "--date", "day-first:sent")
    assert "taken" not in err


def test_alpha_smooths_short_texts(run, letters, tmp_path):
    train = ("train", letters(), "--target", "office", "--drop-column", "sent", "--force", "-o")
    run(*train, "a.likely", "--plain")
    run(*train, "b.likely", "--alpha", "0.1")
    assert (tmp_path / "a.likely").read_bytes() != (tmp_path / "b.likely").read_bytes()
    _, err = run(*train, "c.likely", "--word-ngrams", "1-2", code=3)
    assert "--word-ngrams is about text, and no text column is used" in err
