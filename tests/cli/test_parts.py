"""Counting in parts: plan, tally, merge and refit make the file that train makes."""

import csv
import io
import json
import random
import subprocess
import sys

import pytest

import likely

WORDS = [f"w{n}" for n in range(40)]


def texts(chosen, n):
    drawn = [chosen.choices(WORDS, k=6) for _ in range(n)]
    return [{"text": " ".join(words), "label": "abc"[int(words[0][1:]) % 3]} for words in drawn]


def tables(chosen, n):
    rows = []
    for _ in range(n):
        kind = chosen.choice(["gull", "wren", "owl"])
        wing = chosen.gauss({"gull": 40, "wren": 18, "owl": 30}[kind], 6)
        seen = chosen.choice(["quay", "hedge", "barn", ""])
        note = " ".join(chosen.choices(WORDS, k=4))
        rows.append({"wing": f"{wing:.2f}", "seen": seen, "note": note, "bird": kind})
    return rows


def news(chosen, n):
    rows = []
    for _ in range(n):
        words = chosen.choices(WORDS, k=6)
        topics = [name for name, word in (("oil", "w1"), ("wheat", "w2")) if word in words]
        rows.append({"text": " ".join(words), "topics": ";".join(topics)})
    return rows


def marked(chosen, n):
    rows = []
    for _ in range(n):
        words = chosen.choices(WORDS[:12], k=5)
        rows.append(
            {"text": " ".join(words), "joy": int("w1" in words), "fear": int("w2" in words)}
        )
    return rows


KINDS = {
    "texts": (texts, ()),
    "plain texts": (texts, ("--plain", "--word-ngrams", "1-2")),
    "tables": (tables, ("--target", "bird")),
    "plain numbers": (tables, ("--target", "bird", "--model", "gaussian")),
    "no texts": (tables, ("--target", "bird", "--drop-column", "note")),
    "a joint table": (
        tables,
        ("--target", "bird", "--categorical", "note", "--joint", "seen,note"),
    ),
    "several labels": (news, ("--target", "topics", "--multilabel", "--label-separator", ";")),
    "columns of 0 and 1": (marked, ("--target", "joy,fear")),
}


def write(path, rows, names):
    out = io.StringIO()
    table = csv.DictWriter(out, names, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    path.write_text(out.getvalue(), "utf-8")


def in_parts(chosen, rows, n):
    """Rows dealt out by chance; some parts may be empty or have one class only."""
    parts = [[] for _ in range(n)]
    for row in rows:
        parts[chosen.randrange(n)].append(row)
    return parts


def same(folder, *names):
    contents = {(folder / name).read_bytes() for name in names}
    return len(contents) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 7])
def test_parts_of_one_plan_add_up_to_the_model_that_train_makes(run, tmp_path, kind, n):
    make, options = KINDS[kind]
    chosen = random.Random(f"{kind} {n}")
    rows = make(chosen, 120)
    names = list(rows[0])
    write(tmp_path / "all.csv", rows, names)
    run("plan", "all.csv", "-o", "plan.json", *options)
    made = []
    for place, part in enumerate([*in_parts(chosen, rows, n), []]):
        write(tmp_path / f"{place}.csv", part, names)
        run("tally", f"{place}.csv", "--plan", "plan.json", "-o", f"{place}.likely")
        made.append(f"{place}.likely")
    run("tally", "all.csv", "--plan", "plan.json", "-o", "whole.likely")
    for order in range(3):
        chosen.shuffle(made)
        run("merge", *made, "-o", f"m{order}.likely")
    assert same(tmp_path, "m0.likely", "m1.likely", "m2.likely", "whole.likely")
    run("train", "all.csv", "--plan", "plan.json", "-o", "trained.likely")
    if not likely.load(tmp_path / "m0.likely").is_to_be_tuned:
        assert same(tmp_path, "m0.likely", "trained.likely")
        return
    run("tune", "m0.likely", "all.csv", "-o", "refitted.likely")
    assert same(tmp_path, "refitted.likely", "trained.likely")


def test_parts_counted_by_several_processes_add_up(tmp_path, run):
    chosen = random.Random(5)
    rows = texts(chosen, 90)
    write(tmp_path / "all.csv", rows, ["text", "label"])
    run("plan", "all.csv", "-o", "plan.json")
    started = []
    for place, part in enumerate(in_parts(chosen, rows, 3)):
        write(tmp_path / f"{place}.csv", part, ["text", "label"])
        typed = ["tally", f"{place}.csv", "--plan", "plan.json", "-o", f"{place}.likely"]
        command = [sys.executable, "-m", "likely", *typed, "--threads", str(place + 1)]
        started.append(subprocess.Popen(command, cwd=tmp_path))
    assert [process.wait(timeout=60) for process in started] == [0, 0, 0]
    run("merge", "2.likely", "0.likely", "1.likely", "-o", "m.likely")
    run("tally", "all.csv", "--plan", "plan.json", "-o", "whole.likely")
    assert same(tmp_path, "m.likely", "whole.likely")


def test_options_that_say_how_a_model_predicts_are_those_of_train(run, tmp_path):
    rows = texts(random.Random(2), 80)
    for name, some in (("all", rows), ("a", rows[::2]), ("b", rows[1::2])):
        write(tmp_path / f"{name}.csv", some, ["text", "label"])
    run("plan", "all.csv", "-o", "plan.json")
    more = ("--plan", "plan.json", "--prior", "uniform", "--drop-label", "c")
    for name in ("a", "b"):
        run("tally", f"{name}.csv", "-o", f"{name}.likely", *more)
    run("merge", "a.likely", "b.likely", "-o", "m.likely")
    run("train", "all.csv", "-o", "trained.likely", *more)
    kept = [row for row in rows if row["label"] != "c"]
    write(tmp_path / "kept.csv", kept, ["text", "label"])
    run("tune", "m.likely", "kept.csv", "-o", "r.likely")
    assert same(tmp_path, "r.likely", "trained.likely")
    run("tally", "a.csv", "--plan", "plan.json", "-o", "empirical.likely")
    _, err = run("merge", "b.likely", "empirical.likely", "-o", "x.likely", code=4)
    assert "differ in their prior" in err


@pytest.fixture
def planned(run, tmp_path):
    rows = texts(random.Random(3), 60)
    write(tmp_path / "all.csv", rows, ["text", "label"])
    run("plan", "all.csv", "-o", "plan.json")
    return tmp_path


def test_plan_prints_the_same_with_and_without_a_file(run, planned):
    shown, _ = run("plan", "all.csv")
    out, err = run("plan", "all.csv", "-o", "again.json")
    assert out.startswith(shown)
    assert (
        out.removeprefix(shown) == f"again.json: {(planned / 'plan.json').stat().st_size} bytes\n"
    )
    assert "target `label`; text `text`" in err
    assert same(planned, "plan.json", "again.json")
    facts = json.loads(run("plan", "all.csv", "--json")[0])
    out, err = run("plan", "all.csv", "-o", "third.json", "--json")
    told = json.loads(out)
    assert told.pop("plan") == "third.json"
    assert told.pop("bytes") == (planned / "third.json").stat().st_size
    assert (told, err) == (facts, "")


def test_a_plan_is_not_overwritten_nor_written_over_what_is_read(run, planned):
    before = (planned / "plan.json").read_bytes()
    _, err = run("plan", "all.csv", "-o", "plan.json", code=2)
    assert "plan.json exists already" in err
    _, err = run("plan", "all.csv", "-o", "all.csv", "--force", code=2)
    assert "all.csv is read too (DATA)" in err
    for command in ("tally", "train"):
        typed = ("all.csv", "--plan", "plan.json", "-o", "plan.json", "--force")
        _, err = run(command, *typed, code=2)
        assert "plan.json is read too (--plan)" in err
    assert (planned / "plan.json").read_bytes() == before
    run("plan", "all.csv", "-o", "plan.json", "--force", "--word-ngrams", "1")
    assert (planned / "plan.json").read_bytes() != before


@pytest.mark.parametrize(
    "option",
    [
        *(
            ("--target", "label"),
            ("--target", "label", "--multilabel"),
            ("--label-separator", ";"),
            ("--text", "text"),
        ),
        *(
            ("--numeric", "text"),
            ("--categorical", "text"),
            ("--drop-column", "text"),
            ("--m", "1"),
            ("--category-prior", "p.csv"),
        ),
        *(("--joint", "a,b"), ("--model", "binary-multinomial"), ("--plain",), ("--alpha", "1")),
        *(
            ("--missing", "-"),
            ("--task", "topic"),
            ("--word-ngrams", "1"),
            ("--tfidf",),
            ("--surface-features",),
        ),
        *(("--rules", "features:rules.toml"),),
    ],
    ids=" ".join,
)
def test_what_a_plan_settles_cannot_be_said_beside_it(run, planned, option):
    (planned / "p.csv").write_text("column,value,p\n")
    (planned / "rules.toml").write_text('[[rule]]\nname = "r"\nlabel = "a"\nwords = ["w1"]\n')
    for command in ("train", "tally"):
        _, err = run(command, "all.csv", "--plan", "plan.json", "-o", "m.likely", *option, code=2)
        assert (
            f"{' '.join(option) if 'rules' in option[0] else option[0]} cannot be used with --plan"
            in err
        )
        assert not (planned / "m.likely").exists()


def test_columns_that_a_plan_reads_and_a_file_lacks_are_named(run, tmp_path):
    rows = tables(random.Random(4), 60)
    write(tmp_path / "all.csv", rows, list(rows[0]))
    run("plan", "all.csv", "-o", "plan.json", "--target", "bird")
    fewer = [{"note": row["note"]} for row in rows]
    write(tmp_path / "fewer.csv", fewer, ["note"])
    for command in ("train", "tally"):
        _, err = run(command, "fewer.csv", "--plan", "plan.json", "-o", "m.likely", code=3)
        said = "fewer.csv lacks columns that the plan reads: `wing`, `seen`, `bird`; it has `note`"
        assert said in err


def test_parts_of_other_plans_are_refused_with_the_first_difference(run, planned):
    run("plan", "all.csv", "-o", "other.json", "--word-ngrams", "1-3")
    run("tally", "all.csv", "--plan", "plan.json", "-o", "a.likely")
    run("tally", "all.csv", "--plan", "other.json", "-o", "b.likely")
    _, err = run("merge", "a.likely", "b.likely", "-o", "m.likely", code=4)
    assert err.startswith(
        "likely: b.likely: the two count differently: "
        "`word_ngrams` is [1, 2] here and [1, 3] there\n"
        "hint: what is counted by one plan adds up; `likely plan`"
    )
    assert not (planned / "m.likely").exists()


def test_parts_that_are_to_be_tuned_otherwise_are_refused(run, tmp_path):
    write(tmp_path / "news.csv", news(random.Random(1), 60), ["text", "topics"])
    run("plan", "news.csv", "-o", "plan.json", "--target", "topics", "--multilabel")
    run("tally", "news.csv", "--plan", "plan.json", "-o", "a.likely", "--thresholds", "recall>=0.8")
    run("tally", "news.csv", "--plan", "plan.json", "-o", "b.likely")
    _, err = run("merge", "a.likely", "b.likely", "-o", "m.likely", code=4)
    assert "b.likely: the two differ in their thresholds" in err
    run("plan", "news.csv", "-o", "plain.json", "--target", "topics", "--multilabel", "--plain")
    typed = ("news.csv", "--plan", "plain.json", "-o", "c.likely", "--thresholds", "f1")
    _, err = run("tally", *typed, code=2)
    assert "--thresholds are chosen when a model is tuned" in err
    _, err = run("tally", *typed[:-2], "--stack-linear", code=2)
    assert "needs a tuned model, and plain.json is plain" in err


def test_a_part_says_what_it_is(run, planned):
    (planned / "none.csv").write_text("text,label\n")
    (planned / "one.csv").write_text("text,label\nw1 w2,a\nw3,a\n")
    out, _ = run("tally", "none.csv", "--plan", "plan.json", "-o", "none.likely")
    assert out.startswith("0 rows in 0 classes, counted only\n")
    out, _ = run("tally", "one.csv", "--plan", "plan.json", "-o", "one.likely", "--json")
    assert {name: json.loads(out)[name] for name in ("rows", "classes")} == {
        "rows": 2,
        "classes": ["a"],
    }
    for name, said in (("none", "no rows"), ("one", "rows of one class only")):
        shown = " ".join(run("info", f"{name}.likely")[0].split())
        assert f"it has counted {said}, so it does not predict" in shown
        assert "the model has only counted, and is not tuned" in shown
        facts = json.loads(run("info", f"{name}.likely", "--json")[0])
        assert facts["is_to_be_tuned"] is True
        assert facts["target"] == "label"
        run("predict", f"{name}.likely", "all.csv", code=3)
    run("tally", "all.csv", "--plan", "plan.json", "-o", "whole.likely")
    out, _ = run("merge", "none.likely", "whole.likely", "-o", "m.likely")
    assert "note: the model is not tuned; `likely tune m.likely DATA` tunes it" in out
    out, _ = run("tune", "m.likely", "all.csv", "-o", "r.likely", "--json")
    assert json.loads(run("info", "r.likely", "--json")[0])["is_to_be_tuned"] is False


def test_a_plain_plan_makes_plain_models_that_nobody_asks_to_tune(run, planned):
    run("plan", "all.csv", "-o", "plain.json", "--plain")
    run("tally", "all.csv", "--plan", "plain.json", "-o", "a.likely")
    out, _ = run("merge", "a.likely", "a.likely", "-o", "m.likely")
    assert "not tuned" not in out
    _, err = run("train", "all.csv", "--plan", "plain.json", "-o", "t.likely")
    assert err == "all.csv: target `label`; text `text`; by plain.json; not tuned\n"
    assert same(planned, "a.likely", "t.likely")
    assert likely.load(planned / "t.likely").tuning is None


def test_without_a_plan_tally_settles_one_as_plan_does(run, planned):
    run("tally", "all.csv", "-o", "own.likely")
    run("tally", "all.csv", "--plan", "plan.json", "-o", "planned.likely")
    assert same(planned, "own.likely", "planned.likely")


def test_json_lines_without_a_line_are_a_part_without_rows(run, tmp_path):
    lines = ['{"text": "oil and wheat", "y": ["oil", "wheat"]}', '{"text": "oil", "y": ["oil"]}']
    lines += ['{"text": "chess", "y": []}', '{"text": "wheat", "y": ["wheat"]}']
    (tmp_path / "all.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "none.jsonl").write_text("")
    (tmp_path / "some.jsonl").write_text(lines[2] + "\n")
    run("plan", "all.jsonl", "-o", "plan.json")
    for name in ("all", "none", "some"):
        run("tally", f"{name}.jsonl", "--plan", "plan.json", "-o", f"{name}.likely")
    run("merge", "none.likely", "all.likely", "-o", "m.likely")
    assert same(tmp_path, "m.likely", "all.likely")
    assert likely.load(tmp_path / "some.likely").tally.n_rows == 1
    _, err = run("train", "none.jsonl", "--plan", "plan.json", "-o", "t.likely", code=3)
    assert "no rows" in err


def test_rows_with_labels_of_another_kind_are_refused(run, planned):
    (planned / "sets.jsonl").write_text('{"text": "w1", "label": ["a", "b"]}\n')
    _, err = run("tally", "sets.jsonl", "--plan", "plan.json", "-o", "s.likely", code=3)
    said = "sets.jsonl: the plan is for rows with one label each, and these have multiple labels"
    assert said in err
    assert not (planned / "s.likely").exists()


def test_rules_that_overrule_are_no_part_of_a_plan(run, planned):
    (planned / "rules.toml").write_text('[[rule]]\nname = "r"\nlabel = "a"\nwords = ["w1"]\n')
    _, err = run("plan", "all.csv", "-o", "p.json", "--rules", "rules.toml", code=2)
    assert "--rules FILE overrules the model, so it is not part of a plan" in err
    run("plan", "all.csv", "-o", "p.json", "--rules", "features:rules.toml")
    run("tally", "all.csv", "--plan", "p.json", "-o", "a.likely")
    run("tally", "all.csv", "--plan", "plan.json", "--rules", "rules.toml", "-o", "b.likely")
    assert likely.load(planned / "b.likely").rules is not None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is no plan"),
        (b"\xff\xfe", "it is no plan"),
        (b"[" * 100_000, "it is no plan"),
        (b'{"plan": 1, "plan": 1}', "it is no plan"),
        (b'{"plan": 99}', "it is a plan of format 99; this version of Likely reads 1"),
        (b'{"plan": true}', "it does not name its format"),
        (b'{"plan": 1}', "the plan makes no sense"),
    ],
)
def test_what_is_no_plan_is_refused_with_a_sentence(run, planned, content, said):
    (planned / "bad.json").write_bytes(content)
    for command in ("train", "tally"):
        _, err = run(command, "all.csv", "--plan", "bad.json", "-o", "m.likely", code=4)
        assert err.startswith("likely: bad.json: ")
        assert said in err
    _, err = run("tally", "all.csv", "--plan", "gone.json", "-o", "m.likely", code=4)
    assert err == "likely: gone.json: No such file or directory\n"


def test_a_plan_under_a_secret_is_refused_with_what_to_do(run, planned):
    rows = {"text": ["good", "bad"], "label": ["p", "n"]}
    plan = likely.Classifier(ledger=b"secret").plan(rows, "label")
    (planned / "secret.json").write_bytes(plan.to_bytes())
    _, err = run("tally", "all.csv", "--plan", "secret.json", "-o", "m.likely", code=4)
    assert "secret" in err
    assert "Plan.from_bytes(data, secret" in err


@pytest.fixture
def parted(run, planned):
    """Rows in parts: one without rows, one with its columns in another order, one of many rows."""
    rows = texts(random.Random(3), 60)
    for name, some in (("a", rows[:9]), ("b", rows[9:20]), ("c", rows[20:]), ("empty", [])):
        write(
            planned / f"{name}.csv", some, ["label", "text"] if name == "b" else ["text", "label"]
        )
    run("train", "all.csv", "--plan", "plan.json", "-o", "trained.likely")
    return planned


def test_a_model_is_tuned_on_rows_in_several_files(run, parted):
    made = []
    for name in ("empty", "a", "b", "c"):
        run("tally", f"{name}.csv", "--plan", "plan.json", "-o", f"{name}.likely")
        made.append(f"{name}.likely")
    run("merge", *made, "-o", "m.likely")
    out, _ = run("tune", "m.likely", "empty.csv", "a.csv", "b.csv", "c.csv", "-o", "t.likely")
    assert out.startswith("tuned on 60 rows; ")
    assert same(parted, "t.likely", "trained.likely")
    _, err = run("tune", "m.likely", "a.csv", "c.csv", "-o", "x.likely", code=3)
    assert "the model has learned 60 rows, and 49 were given; it is tuned on all of them" in err
    assert not (parted / "x.likely").exists()


def test_several_files_are_learned_and_forgotten(run, parted):
    run("tally", "a.csv", "--plan", "plan.json", "-o", "a.likely")
    run("tally", "all.csv", "--plan", "plan.json", "-o", "whole.likely")
    out, _ = run("update", "a.likely", "b.csv", "empty.csv", "c.csv", "-o", "u.likely")
    assert out.startswith("51 rows learned, 60 in all")
    assert same(parted, "u.likely", "whole.likely")
    out, _ = run("forget", "u.likely", "c.csv", "b.csv", "-o", "f.likely")
    assert out.startswith("51 rows forgotten, 9 left")
    assert same(parted, "f.likely", "a.likely")


def test_json_lines_without_any_rows_are_a_part(run, tmp_path):
    rows = [json.dumps(row) + "\n" for row in texts(random.Random(4), 60)]
    (tmp_path / "all.jsonl").write_text("".join(rows))
    (tmp_path / "some.jsonl").write_text("".join(rows[:25]))
    (tmp_path / "rest.jsonl").write_text("".join(rows[25:]))
    (tmp_path / "empty.jsonl").write_text("")
    run("plan", "all.jsonl", "-o", "plan.json")
    run("tally", "all.jsonl", "--plan", "plan.json", "-o", "m.likely")
    run("tune", "m.likely", "empty.jsonl", "rest.jsonl", "some.jsonl", "-o", "t.likely")
    run("tune", "m.likely", "all.jsonl", "-o", "u.likely")
    assert same(tmp_path, "t.likely", "u.likely")


def test_of_several_files_the_one_with_the_wrong_row_is_named(run, tmp_path):
    rows = tables(random.Random(6), 90)
    names = list(rows[0])
    options = ("--target", "bird", "--drop-column", "note", "--drop-column", "seen")
    write(tmp_path / "all.csv", rows, names)
    run("train", "all.csv", "-o", "m.likely", *options)
    parts = ("0.csv", "1.csv", "2.csv")
    for place, name in enumerate(parts):
        write(tmp_path / name, rows[30 * place : 30 * place + 30], names)
    wrong = {
        "wing": ("far", "1.csv: row 17 of `wing` is 'far', which is no number"),
        "bird": ("", "1.csv, row 17: the label in `bird` is empty"),
    }
    for column, (cell, sentence) in wrong.items():
        changed = [dict(row) for row in rows[30:60]]
        changed[16][column] = cell
        write(tmp_path / "1.csv", changed, names)
        for command in ("tune", "update", "forget"):
            _, err = run(command, "m.likely", *parts, "-o", "x.likely", code=3)
            assert err.startswith(f"likely: {sentence}\n")
    changed = [dict(row) for row in rows[30:60]]
    changed[16]["wing"] = "99999"
    write(tmp_path / "1.csv", changed, names)
    for command, what in (("tune", "tuned"), ("forget", "forgotten")):
        _, err = run(command, "m.likely", *parts, "-o", "x.likely", code=3)
        sentence = (
            f"1.csv: 1 of 30 rows is not among the training rows (row 17); nothing was {what}"
        )
        assert sentence in err
    for column, who in (("wing", "1.csv lacks a column that"), ("bird", "1.csv has no column")):
        write(
            tmp_path / "1.csv",
            [{k: r[k] for k in r if k != column} for r in rows[30:60]],
            [name for name in names if name != column],
        )
        _, err = run("tune", "m.likely", *parts, "-o", "x.likely", code=3)
        assert err.startswith(f"likely: {who}")


def test_a_wrong_row_of_a_part_is_told_with_its_file(run, tmp_path):
    rows = tables(random.Random(6), 40)
    write(tmp_path / "all.csv", rows, list(rows[0]))
    run("plan", "all.csv", "--target", "bird", "-o", "plan.json")
    rows[4]["wing"] = "far"
    write(tmp_path / "part.csv", rows, list(rows[0]))
    _, err = run("tally", "part.csv", "--plan", "plan.json", "-o", "x.likely", code=3)
    assert "likely: part.csv: row 5 of `wing` is 'far', which is no number" in err
