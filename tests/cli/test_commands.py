"""The commands, as a user runs them."""

import csv
import io
import json
import subprocess
import sys

import pytest

import likely

ROWS = [
    ("buy cheap pills, now", "spam, junk"),
    ("cheap watches", "spam, junk"),
    ("lunch at noon?", "ham"),
    ("see you\nat lunch", "ham"),
]


@pytest.fixture
def data(tmp_path):
    with open(tmp_path / "mail.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "message", "label"])
        writer.writerows([i, text, label] for i, (text, label) in enumerate(ROWS))
    return "mail.csv"


@pytest.fixture
def model(run, data):
    run("train", data, "-o", "m.likely", "--plain")
    return "m.likely"


def test_training_says_what_it_did(run, data, tmp_path):
    out, err = run("train", data, "-o", "m.likely")
    assert err == (
        "mail.csv: target `label`; text `message`; `id` not used (it numbers the rows)\n"
    )
    assert (
        "leave-one-out accuracy 100 % (4 rows) · majority baseline 50.0 % (ham) · macro-F1 1.00"
        in out
    )
    assert "warning: 4 rows are few" in out
    assert likely.load(tmp_path / "m.likely").classes == ("ham", "spam, junk")


def test_training_says_both_figures_where_duplicates_matter(run, tmp_path):
    texts = {"cat sat": "a", "dog ran": "a", "the bird": "b", "fish swims": "b", "red bus": "c"}
    rows = "".join(f"{text},{label}\n" for text, label in texts.items())
    (tmp_path / "six.csv").write_text("text,label\n" + rows * 40)
    given = ("train", "six.csv", "-o", "s.likely", "--target", "label", "--text", "text", "--force")
    out, _ = run(*given, "--report", "s.html", "--force")
    assert "(200 rows, exact duplicates together)" in out
    assert "100 % with 200 exact duplicates left out one by one" in out
    page = (tmp_path / "s.html").read_text("utf-8")
    assert "without it and exact duplicates of its text" in page
    assert "With each row left out alone, its duplicates kept, the accuracy is 100" in page
    out, _ = run(*given, "--plain")
    assert "leave-one-out accuracy 100 % (200 rows) ·" in out
    assert "left out alone" not in out


def test_what_has_weight_0_is_said(run, tmp_path):
    rows = "".join(f"{'good' if i % 2 else 'bad'} day,{(i * 7) % 5}.5,{i % 2}\n" for i in range(60))
    (tmp_path / "w.csv").write_text("text,noise,label\n" + rows)
    out, _ = run("train", "w.csv", "-o", "w.likely", "--target", "label", "--report", "w.html")
    zero = [line for line in out.splitlines() if "weight 0" in line]
    assert zero
    assert "weight 0" in (tmp_path / "w.html").read_text("utf-8")


def test_training_as_json(run, data):
    out, _ = run(
        "train",
        data,
        "-o",
        "m.likely",
        "--json",
        "--word-ngrams",
        "1-2",
        "--model",
        "binary-multinomial",
    )
    result = json.loads(out)
    assert result["rows"] == 4
    assert result["majority_baseline"] == 0.5
    assert 0 <= result["macro_f1"] <= 1
    assert result["warnings"][0].startswith("4 rows are few")
    assert [label for label, _ in result["top"]] == ["ham", "spam, junk"]
    assert "cheap" in dict(result["top"][1][1])


def test_the_example_data_train(run):
    run("example", "gullpoint")
    out, _ = run("train", "gullpoint.csv", "-o", "g.likely", "--target=office", "--json")
    result = json.loads(out)
    assert result["rows"] == 387
    assert "parks, gardens" in result["classes"]
    assert result["accuracy"] > 2 * result["majority_baseline"]


def test_the_same_rows_give_the_same_file(run, data, tmp_path):
    run("train", data, "-o", "a.likely", "--threads", "1")
    run("train", data, "-o", "b.likely", "--threads", "2")
    assert (tmp_path / "a.likely").read_bytes() == (tmp_path / "b.likely").read_bytes()


def test_nothing_is_overwritten_without_force(run, data, model):
    _, err = run("train", data, "-o", model, code=2)
    assert "m.likely exists already\nhint: `--force` overwrites it\n" in err
    run("train", data, "-o", model, "--force")


def test_predicting_keeps_every_column(run, data, model):
    out, _ = run("predict", model, data, "--proba")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["message"] for row in rows] == [text for text, _ in ROWS]
    assert [row["prediction"] for row in rows] == [label for _, label in ROWS]
    for row in rows:
        assert float(row["P(ham)"]) + float(row["P(spam, junk)"]) == pytest.approx(1, abs=1e-5)


def test_predicting_lines_from_standard_input(run, model):
    out, _ = run("predict", model, stdin="cheap\nlunch\n\n")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["prediction"] for row in rows] == ["spam, junk", "ham", "ham"]
    out, _ = run("predict", model, "--json", stdin="cheap ñ\n")
    assert json.loads(out)["message"] == "cheap ñ"


def test_json_lines(run, tmp_path):
    lines = [json.dumps({"text": text, "label": label}) for text, label in ROWS]
    (tmp_path / "mail.jsonl").write_text("\n".join(lines))
    run("train", "mail.jsonl", "-o", "j.likely")
    out, _ = run("predict", "j.likely", "mail.jsonl", "--json")
    assert [json.loads(line)["prediction"] for line in out.splitlines()] == [y for _, y in ROWS]


def test_json_keeps_its_types_and_refuses_what_is_missing(run, model, tmp_path):
    row = {"text": "cheap\u2028lunch", "id": 5, "tags": ["a"], "note": None}
    (tmp_path / "x.jsonl").write_text(json.dumps(row, ensure_ascii=False))
    out, _ = run("predict", model, "x.jsonl", "--json")
    assert {name: json.loads(out)[name] for name in row} == row
    rows = [{"text": "b", "label": "y"}, {"text": None, "label": "x"}]
    (tmp_path / "y.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run("train", "y.jsonl", "-o", "n.likely", "--text", "text")
    rows.append({"text": "a", "label": None})
    (tmp_path / "y.jsonl").write_text("\n".join(map(json.dumps, rows)))
    _, err = run("train", "y.jsonl", "-o", "n.likely", "--text", "text", "--force", code=3)
    assert "y.jsonl, row 3: the label in `label` is empty" in err


def test_every_row_has_its_prediction(run, model, tmp_path):
    (tmp_path / "x.csv").write_text("text\ncheap\n\nlunch\n")
    out, _ = run("predict", model, "x.csv")
    assert [row["text"] for row in csv.DictReader(io.StringIO(out))] == ["cheap", "", "lunch"]
    out, _ = run("predict", model, "-", "--text", "text", stdin="id,text\n1,cheap\n")
    assert out.splitlines()[0] == "id,text,prediction,probability"


@pytest.mark.parametrize("output", ["-", "folder/m.likely", "."])
def test_a_place_that_cannot_be_written_is_named_first(run, data, output):
    _, err = run("train", data, "-o", output, "--force", code=2)
    assert "labels in" not in err
    assert output in err


def test_a_column_of_ids_is_no_target(run, tmp_path):
    rows = "".join(f"t{i},{i}\n" for i in range(200))
    (tmp_path / "x.csv").write_text("text,label\n" + rows)
    _, err = run("train", "x.csv", "-o", "m.likely", code=3)
    assert "200 of the 200 labels in `label` are different" in err


def test_an_impossible_text_is_explained_in_json(run, data):
    run(
        "train",
        data,
        "-o",
        "z.likely",
        "--alpha",
        "0",
        "--word-ngrams",
        "none",
        "--char-ngrams",
        "3",
    )
    out, _ = run("explain", "z.likely", "cheap lunch", "--json")
    facts = json.loads(out, parse_constant=lambda name: pytest.fail(name))
    assert facts["impossible"]


def test_explaining(run, model):
    out, _ = run("explain", model, "cheap lunch")
    assert "cheap" in out
    assert "log-odds" in out
    out, _ = run("explain", model, "cheap lunch", "--json")
    facts = json.loads(out)
    total = sum(term["log_odds"] for term in facts["contributions"])
    assert total == pytest.approx(facts["log_odds"])


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (None, [], "x.csv: No such file or directory"),
        (b"", [], "x.csv: the file is empty"),
        (b"text,label\n", [], "nothing to learn from"),
        (b"text,label\na,x\nb,x\n", [], "every row is `x`"),
        (b"text,label\na,x\nb\n", [], "x.csv, line 3: the row has 1 cells, the header 2"),
        (b"text,label\na,x\nb,\n", [], "x.csv, row 2: the label in `label` is empty"),
        (b"text,label\n\xff,x\n", [], "x.csv, line 2: `text` is not UTF-8 there"),
        (
            b'text,label\n"a,x\n',
            [],
            "x.csv, line 2: a quotation mark is opened in this row and never closed",
        ),
        (b"text,text\na,x\n", [], "two columns are called `text`"),
        (b"text,topic\na,x\n", [], "no column that is called like a target"),
        (b"text,topic\na,x\n", ["--target", "topik"], "did you mean `topic`?"),
        (b"label\nx\n", [], "no column beside its labels"),
    ],
)
def test_bad_data_is_named(run, tmp_path, content, arguments, message):
    if content is not None:
        (tmp_path / "x.csv").write_bytes(content)
    _, err = run("train", "x.csv", "-o", "m.likely", *arguments, code=3)
    assert message in err
    assert not (tmp_path / "m.likely").exists()


def test_a_byte_order_mark_is_no_part_of_the_header(run, tmp_path):
    (tmp_path / "x.csv").write_bytes(b"\xef\xbb\xbftext,label\na,x\nb,y\n")
    run("train", "x.csv", "-o", "m.likely")


def test_bad_models_and_bad_usage(run, data, model, tmp_path):
    _, err = run("predict", data, data, code=4)
    assert "`mail.csv` cannot be read: it is no Likely model" in err
    _, err = run("train", data, "-o", "n.likely", "--alpha", "-1", code=2)
    assert "`alpha` is a number from 0 to" in err
    _, err = run("train", data, "-o", "n.likely", "--word-ngrams", "few", code=2)
    assert "'few' is not a range like 1-2" in err
    _, err = run("predict", model, "none.csv", code=3)
    assert "none.csv: No such file" in err
    _, err = run("predict", model, stdin=b"\xff\n", code=3)
    assert "standard input, line 1: it is not UTF-8" in err


def test_a_reader_that_has_heard_enough(run, model, tmp_path):
    (tmp_path / "many.csv").write_text("text\n" + "cheap lunch\n" * 20_000)
    command = f"set -o pipefail; {sys.executable} -m likely predict m.likely many.csv | head -n 1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "text,prediction,probability\n"
    assert done.stderr == "many.csv: `text` is read as `message`\n"
    assert done.returncode == 0


def test_help_and_version(run):
    out, _ = run("--version")
    assert out == f"likely {likely.__version__}\n"
    out, _ = run("--help")
    assert "likely train reviews.csv -o reviews.likely\n" in out
    for command in ("train", "predict", "explain"):
        out, _ = run(command, "--help")
        assert f"  likely {command} " in out


def test_a_row_that_is_not_utf8_is_refused(run, model, tmp_path):
    # Python smuggles bytes of arguments that are no UTF-8 in as lone surrogates.
    _, err = run("explain", model, "\udcff hello", code=2)
    assert "the row is not UTF-8: '\\udcff hello'\nhint: `iconv -f latin1 -t utf-8`" in err
    reading = likely.Multinomial(text=likely.Text(invalid="replace"))
    likely.Classifier(reading).fit(["a b", "c d"], ["x", "y"]).save(tmp_path / "any.likely")
    out, _ = run("explain", "any.likely", "\udcff a")
    assert out.startswith("x  ")
