"""`likely features`."""

import json

import pytest


@pytest.fixture
def model(run, tmp_path):
    rows = ["so good,pos", "good fun,pos", "a dull plot,neg", "so dull,neg"]
    (tmp_path / "reviews.csv").write_text("\n".join(["text,label", *rows, ""]))
    run("train", "reviews.csv", "-o", "m.likely", "--plain")
    return "m.likely"


def test_a_text_becomes_a_table(run, tmp_path):
    (tmp_path / "stop.txt").write_text("i\n")
    text = "I did not like this, but I liked the films"
    out, err = run("features", text, "--negation", "en", "--stop-words", "stop.txt", "--stem", "en")
    assert out == (
        "feature   kind  count\n"
        "did       word      1\n"
        "not       word      1\n"
        "NOT_like  word      1\n"
        "NOT_this  word      1\n"
        "but       word      1\n"
        "like      word      1\n"
        "the       word      1\n"
        "film      word      1\n"
        "\n"
        "marked as negated: NOT_like, NOT_this\n"
        "\n"
        "stop words left out: i\n"
        "\n"
        "stems: liked → like, films → film\n"
        "\n"
        "8 features, 8 occurrences\n"
    )
    assert err == ""


def test_words_need_no_quotes_and_spaces_are_seen(run):
    out, _ = run("features", "too", "good", "--word-ngrams", "none", "--char-ngrams", "3")
    assert "␣to      char n-gram      1" in out
    assert out == run("features", "too good", "--word-ngrams", "none", "--char-ngrams", "3")[0]


def test_kinds_are_counted(run):
    out, _ = run("features", "good, good fun :)", "--task", "sentiment")
    assert "emoticon :)  surface feature      1" in out
    assert out.endswith("\n11 features, 12 occurrences (word 5, bigram 5, surface feature 1)\n")


@pytest.mark.parametrize("text", ["", "!!!"])
def test_a_text_may_have_no_features(run, text):
    assert run("features", text)[0] == "the text has no features\n"
    assert json.loads(run("features", text, "--json")[0])["features"] == []


@pytest.mark.parametrize("dash", [(), ("-",)])
def test_standard_input_has_a_text_on_each_line(run, dash):
    out, _ = run("features", *dash, stdin="\ufeffgood good fun\r\n\nbad")
    assert "1  good good fun\n\nfeature  kind  count\ngood     word      2\n" in out
    assert "\n\n2  (an empty line)\n\nthe text has no features\n\n3  bad\n" in out
    found = [
        json.loads(line)
        for line in run("features", *dash, "--json", stdin="a b\nb\n")[0].splitlines()
    ]
    assert [one["text"] for one in found] == ["a b", "b"]
    assert [len(one["features"]) for one in found] == [2, 1]


def test_a_model_says_what_it_knows(run, model):
    out, _ = run("features", "--model", model, "so good film film")
    assert out == (
        "feature  kind  model    count\n"
        "film     word  unknown      2\n"
        "so       word  used         1\n"
        "good     word  used         1\n"
        "\n"
        "3 features, 4 occurrences; 1 unknown\n"
    )
    (column,) = json.loads(run("features", "--model", model, "so", "--json")[0])["columns"].items()
    assert column[0] == "text"
    assert column[1]["features"] == [{"name": "so", "kind": "word", "count": 1, "state": "used"}]


def test_every_text_column_of_a_model_is_shown(run, tmp_path):
    rows = [f"a good film {n},so long a text {n},{'pn'[n % 2]}" for n in range(12)]
    (tmp_path / "two.csv").write_text("\n".join(["title,body,label", *rows, ""]))
    run("train", "two.csv", "-o", "two.likely", "--plain", "--text", "title", "--text", "body")
    out, _ = run("features", "--model", "two.likely", "so good")
    assert out.startswith("`title`:\n\nfeature  kind  model    count\nso       word  unknown")
    assert "\n\n`body`:\n\nfeature" in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["x", "--tfidf"], 2, "--tfidf needs the counts of many texts"),
        (["x", "--stop-words", "top:5"], 2, "--stop-words top:5 needs the counts of many texts"),
        (["x", "--model", "m.likely", "--stem", "en"], 2, "--stem is settled by --model"),
        (["x", "--model", "none.likely"], 4, "none.likely"),
        (["x", "--stem", "xx"], 2, "there are stems for"),
        (["\udcff"], 2, "the text is not UTF-8"),
        ([], 3, "standard input is empty; it has a text on each line"),
    ],
)
def test_what_cannot_be_shown_is_refused(run, model, arguments, code, message):
    _, err = run("features", *arguments, code=code)
    assert message in err


def test_a_line_that_is_not_utf8_is_named(run):
    out, err = run("features", stdin=b"good\n\xff\n", code=3)
    assert "1  good" in out
    assert "standard input, line 2 is not UTF-8\nhint: " in err


def test_a_model_without_texts_is_refused(run, tmp_path):
    (tmp_path / "n.csv").write_text(
        "size,label\n" + "".join(f"{n}.5,{'ab'[n > 4]}\n" for n in range(9))
    )
    run("train", "n.csv", "-o", "n.likely", "--plain")
    _, err = run("features", "--model", "n.likely", "a text", code=2)
    assert "the model reads no texts" in err
