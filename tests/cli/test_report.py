"""`likely report` and `likely train --report`, as a user does it."""

import hashlib
import json
import re

import pytest

import likely

ROWS = """text,label
good fun and a good cast,pos
so good,pos
a dull film and a bad plot,neg
bad and so dull,neg
fun from the first minute,pos
a plot as thin as paper,neg
"""
TEST = "text,label\ngood fun,pos\na dull plot,neg\nso bad,pos\n"


@pytest.fixture
def model(run, tmp_path):
    (tmp_path / "reviews.csv").write_text(ROWS)
    (tmp_path / "test.csv").write_text(TEST)
    run("train", "reviews.csv", "-o", "m.likely")
    return "m.likely"


def test_a_page_about_the_rows_that_were_learned(run, model, tmp_path):
    out, err = run("report", model, "reviews.csv", "-o", "r.html")
    assert out == ""
    page = (tmp_path / "r.html").read_text("utf-8")
    assert re.match(r"r\.html: [0-9,]+ bytes\. Accuracy [0-9.]+ % on 6 rows", err)
    assert f"{len(page.encode()):,} bytes" in err
    assert "each of the 6 rows was predicted from the counts without it" in page
    assert "<pre>likely report m.likely reviews.csv -o r.html</pre>" in page
    for name in ("reviews.csv", "m.likely"):
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() in page
    assert likely.load(tmp_path / model).digest in page


def test_a_page_about_a_test(run, model, tmp_path):
    run("report", model, "test.csv", "-o", "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "Test: 3 rows, predicted by the model as it is." in page
    assert "The model has seen none of them before." in page
    assert 'id="learning"' not in page


def test_rows_may_come_through_a_pipe(run, model, tmp_path):
    out, _ = run("report", model, "-", "--json", stdin=ROWS)
    facts = json.loads(out)
    assert facts["method"] == "leave-one-out"
    assert facts["evaluation"]["rows"] == 6


def test_the_facts_are_those_of_likely_test(run, model):
    out, err = run("report", model, "test.csv", "--json")
    facts = json.loads(out)
    tested, _ = run("evaluate", model, "test.csv", "--json")
    assert facts["evaluation"] == json.loads(tested)
    assert facts["method"] == "test"
    assert err == ""


def test_training_can_write_the_page_at_once(run, tmp_path):
    (tmp_path / "reviews.csv").write_text(ROWS)
    run("train", "reviews.csv", "-o", "m.likely", "--report", "a.html")
    run("report", "m.likely", "reviews.csv", "-o", "b.html")
    first, second = ((tmp_path / name).read_text("utf-8") for name in ("a.html", "b.html"))
    # Only the command differs.
    assert re.sub("<pre>.*?</pre>", "", first) == re.sub("<pre>.*?</pre>", "", second)
    assert "train reviews.csv -o m.likely --report a.html</pre>" in first


def test_every_kind_of_training_has_its_page(run, tmp_path):
    (tmp_path / "reviews.csv").write_text(ROWS)
    (tmp_path / "more.csv").write_text("text\na good minute\nthin and dull\n")
    more = ["--unlabeled", "more.csv"]
    for place, options in enumerate((["--plain"], [*more], [*more, "--unlabeled-weight", "1"])):
        page = f"{place}.html"
        run("train", "reviews.csv", "-o", f"{place}.likely", "--report", page, *options)
        found = (tmp_path / page).read_text("utf-8")
        assert ("was predicted from the counts without it" in found) != (
            "has not seen its fold" in found
        )
        assert place != 2 or "has not seen its fold" in found


def test_a_prior_changes_the_page(run, model, tmp_path):
    plain, _ = run("report", model, "test.csv", "--json")
    other, _ = run("report", model, "test.csv", "--json", "--prior", "pos=0.999")
    assert json.loads(plain)["evaluation"] != json.loads(other)["evaluation"]


def test_it_says_what_is_missing(run, model, tmp_path):
    _, err = run("report", model, "reviews.csv", code=2)
    assert "give -o FILE for the report" in err
    (tmp_path / "r.html").write_text("mine")
    _, err = run("report", model, "reviews.csv", "-o", "r.html", code=2)
    assert "r.html exists already\nhint: `--force` overwrites it\n" in err
    assert (tmp_path / "r.html").read_text() == "mine"
    _, err = run("train", "reviews.csv", "-o", "n.likely", "--report", "r.html", code=2)
    assert "r.html exists already" in err
    assert not (tmp_path / "n.likely").exists()
    (tmp_path / "empty.csv").write_text("text,label\n")
    _, err = run("report", model, "empty.csv", "--json", code=3)
    assert "there are no rows to report on" in err
    _, err = run("report", model, "test.csv", "--json", "--target", "labl", code=3)
    assert "no column `labl`" in err
