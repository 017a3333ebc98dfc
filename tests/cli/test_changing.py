"""Models made of models: learning more, forgetting, merging, copying."""

import errno
import json

import pytest

import likely
from likely.errors import DataError
from likely.tally import container

ROWS = ["good fun,pos", "so good,pos", "bad,neg", "so bad,neg", "dull,neg", "fine,pos"]


@pytest.fixture
def parts(run, tmp_path):
    for name, rows in (("all", ROWS), ("a", ROWS[:4]), ("b", ROWS[2:]), ("rest", ROWS[4:])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    for name in ("all", "a"):
        run("train", f"{name}.csv", "-o", f"{name}.likely", "--text", "text", "--plain")
    return tmp_path


def same(parts, a, b):
    return (parts / a).read_bytes() == (parts / b).read_bytes()


def test_updating_is_training_on_everything(run, parts):
    out, _ = run("update", "a.likely", "rest.csv", "-o", "new.likely")
    assert out.startswith("2 rows learned, 6 in all\n")
    assert same(parts, "new.likely", "all.likely")


def test_forgetting_undoes_it_and_leaves_a_receipt(run, parts):
    run("update", "a.likely", "rest.csv", "-o", "new.likely")
    run("forget", "new.likely", "rest.csv", "--force", "--receipt", "receipt.json")
    assert same(parts, "new.likely", "a.likely")
    receipt = json.loads((parts / "receipt.json").read_text())
    assert receipt["forgotten"] == 2
    assert receipt["rows_left"] == 4
    assert receipt["inexact"] == []
    assert receipt["digest"] == likely.load(parts / "a.likely").digest
    assert receipt["digest_before"] == likely.load(parts / "all.likely").digest
    out, _ = run("forget", "all.likely", "rest.csv", "-o", "c.likely", "--receipt", "-")
    assert json.loads(out)["digest"] == receipt["digest"]
    _, err = run("forget", "all.likely", "b.csv", "--force", "--receipt", "receipt.json")
    assert err == ""


def test_what_was_never_learned_cannot_be_forgotten(run, parts):
    before = (parts / "a.likely").read_bytes()
    _, err = run("forget", "a.likely", "rest.csv", "--force", "--receipt", "r.json", code=3)
    assert (
        "rest.csv: 2 of 2 rows are not among the training rows (the first is row 1); "
        "nothing was forgotten" in err
    )
    assert (parts / "a.likely").read_bytes() == before
    assert not (parts / "r.json").exists()


def test_merging_is_training_on_everything(run, parts):
    run("train", "rest.csv", "-o", "rest.likely", "--text", "text", "--plain")
    out, _ = run("merge", "a.likely", "rest.likely", "-o", "m.likely")
    assert out.startswith("2 models, 6 rows in 2 classes\n")
    assert same(parts, "m.likely", "all.likely")
    run(
        "train",
        "rest.csv",
        "-o",
        "pairs.likely",
        "--text",
        "text",
        "--plain",
        "--word-ngrams",
        "1-2",
    )
    _, err = run("merge", "a.likely", "pairs.likely", "-o", "n.likely", code=4)
    assert "the two count differently: `word_ngrams` is [1, 1] here and [1, 2] there" in err
    run("train", "rest.csv", "-o", "en.likely", "--text", "text", "--plain", "--negation", "en")
    _, err = run("merge", "a.likely", "en.likely", "-o", "n.likely", code=4)
    differ = "the two count differently: `negation` is None here and Negation('en') there"
    assert err.startswith(f"likely: en.likely: {differ}\nhint: what is counted by one plan adds up")
    (parts / "lexicon.txt").write_text("good\t2\n", encoding="utf-8")
    more = ("--text", "text", "--plain", "--lexicon", "lexicon.txt")
    run("train", "rest.csv", "-o", "lexicon.likely", *more)
    _, err = run("merge", "a.likely", "lexicon.likely", "-o", "n.likely", code=4)
    assert "`lexicon` is None here and Lexicon(1 entry: positive 1) there" in err
    numbers = likely.Classifier({"text": likely.Multinomial()}).fit({"text": ["x", "y"]}, [1, 2])
    numbers.save(parts / "numbers.likely")
    _, err = run("merge", "a.likely", "numbers.likely", "-o", "n.likely", code=3)
    assert "numbers.likely: labels are of one kind" in err
    assert "\nhint: train one of the two anew, with its labels as the other has them" in err
    out, _ = run("merge", "a.likely", "-o", "one.likely")
    assert out.startswith("1 model, 4 rows in 2 classes\n")
    assert same(parts, "one.likely", "a.likely")


def test_a_compact_copy_says_the_same_and_learns_nothing(run, parts):
    out, _ = run("compact", "all.likely", "-o", "c.likely", "--json")
    facts = json.loads(out)
    assert facts["bytes"] < facts["bytes_before"]
    for command in (
        ("predict", "all.csv", "--proba"),
        ("explain", "so good, so dull"),
        ("explain", "so good", "--by-hand"),
        ("explain", "so good", "--json"),
        ("top",),
        ("evaluate", "all.csv"),
    ):
        name, *rest = command
        out, _ = run(name, "c.likely", *rest)
        assert out == run(name, "all.likely", *rest)[0]
    for command in (("update", "rest.csv"), ("forget", "a.csv")):
        _, err = run(command[0], "c.likely", command[1], "--force", code=4)
        assert "the model is a compact copy, which predicts and explains, and learns no more" in err
    _, err = run("merge", "c.likely", "a.likely", "-o", "n.likely", code=4)
    assert "compact copy" in err


@pytest.mark.parametrize(
    "command",
    [
        ("update", "a.likely", "rest.csv"),
        ("forget", "a.likely", "a.csv"),
        ("merge", "a.likely", "all.likely", "-o", "a.likely"),
        ("compact", "a.likely", "-o", "all.likely"),
        ("plot", "a.likely", "a.csv", "-o", "all.csv"),
    ],
)
def test_nothing_is_overwritten_without_force(run, parts, command):
    before = {file: file.read_bytes() for file in parts.iterdir()}
    _, err = run(*command, code=2)
    assert "`--force` overwrites" in err
    assert {file: file.read_bytes() for file in parts.iterdir()} == before


def test_a_plan_without_output_writes_nothing(run, parts):
    before = sorted(parts.iterdir())
    out, _ = run("plan", "all.csv")
    assert out.splitlines()[1].split() == ["label", "target", "the", "labels"]
    out, _ = run("plan", "all.csv", "--json")
    found = json.loads(out)
    assert found["target"] == "label"
    assert found["columns"]["text"]["role"] == "text"
    assert sorted(parts.iterdir()) == before
    (parts / "other.csv").write_text("wing,bird\n1.5,gull\n2.5,gull\n3.5,tern\n")
    out, _ = run("plan", "other.csv")
    assert out.splitlines()[0].split() == ["column", "role", "reason"]
    assert out.splitlines()[1].split() == ["wing", "numeric", "numbers"]
    assert out.endswith("\ntarget: none found; `--target COL` names it\n")
    found = json.loads(run("plan", "other.csv", "--json")[0])
    assert found["target"] is None
    assert found["columns"]["wing"] == {"role": "numeric", "why": "numbers", "used": True}
    _, err = run("plan", "other.csv", "-o", "other.json", code=3)
    assert err.endswith("hint: name the label column, for example `--target bird`\n")
    _, err = run("train", "all.csv", code=2)
    assert "missing option '-o' / '--output'" in err


def test_weights_are_stale_after_a_merge_until_they_are_fit_again(run, parts):
    run("train", "rest.csv", "-o", "b.likely", "--text", "text")
    run("train", "a.csv", "-o", "c.likely", "--text", "text")
    out, _ = run("merge", "c.likely", "b.likely", "-o", "m.likely")
    assert "note: the model was tuned on other rows; `likely tune`" in out
    note = "note: the model was tuned on other rows; `likely tune` tunes it again\n"
    assert note in run("evaluate", "m.likely", "all.csv")[1]
    out, _ = run("tune", "m.likely", "all.csv", "--force")
    assert "note:" not in run("evaluate", "m.likely", "all.csv")[1]
    assert out.startswith("tuned on 6 rows; ")
    assert "note:" not in out
    run("train", "all.csv", "-o", "whole.likely", "--text", "text")
    assert same(parts, "m.likely", "whole.likely")
    _, err = run("tune", "c.likely", "all.csv", "--force", code=3)
    assert (
        "all.csv: 2 of 6 rows are not among the training rows (the first is row 5); "
        "nothing was tuned" in err
    )


def test_rows_that_were_learned_already_are_counted_when_they_come_again(run, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\nbuy now,spam\nsee you,ham\nbuy it,spam\n")
    (tmp_path / "b.csv").write_text("text,label\nbuy now,spam\nsee you,spam\nnew,ham\nnew,ham\n")
    run("train", "a.csv", "-o", "m.likely", "--plain")
    out, err = run("update", "m.likely", "b.csv", "-o", "n.likely")
    assert "4 rows learned, 7 in all" in out
    assert "warning: 1 row was learned already, and counts once more now" in err
    out, err = run("update", "n.likely", "b.csv", "--force", "--json")
    assert json.loads(out)["learned_again"] == 4
    assert "warning: 4 rows were learned already, and count once more now" in err
    (tmp_path / "c.csv").write_text("text,label\nquite new,ham\n")
    assert run("update", "n.likely", "c.csv", "--force")[1] == ""


def test_a_receipt_that_cannot_be_written_is_printed(run, parts, monkeypatch):
    """By then the rows are forgotten, and what was forgotten must not be lost."""
    (parts / "one.csv").write_text(f"text,label\n{ROWS[0]}\n")
    write = container.write

    def full(path, data):
        if str(path).endswith(".json"):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write(path, data)

    monkeypatch.setattr(container, "write", full)
    given = "forget", "all.likely", "one.csv", "-o", "n.likely", "--receipt", "r.json"
    out, _ = run(*given, code=3)
    assert json.loads(out)["forgotten"] == 1
    assert likely.load(parts / "n.likely").tally.n_rows == 5


def test_a_device_is_no_model():
    with pytest.raises(DataError, match="it is a device"):
        likely.load("/dev/zero")
