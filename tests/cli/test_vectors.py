"""Columns of vectors on the command line."""

import json

import numpy as np
import pytest

import likely


@pytest.fixture
def rows(tmp_path):
    """The same rows as `rows.csv`, `bare.csv` and `rows.jsonl`."""
    random = np.random.default_rng(0)
    table = []
    for place in range(40):
        vector = (random.normal(size=3) + 1.5 * (place % 2)).round(3).tolist()
        text = f"note {random.integers(5)} of {random.integers(5)}"
        table.append({"text": text, "vector": vector, "label": "ab"[place % 2]})
    lines = {"rows.csv": '"[{}]"', "bare.csv": "{}"}
    for name, form in lines.items():
        between = ", " if name == "rows.csv" else " "
        cells = (form.format(between.join(map(str, row["vector"]))) for row in table)
        body = [f"{r['text']},{c},{r['label']}\n" for r, c in zip(table, cells, strict=True)]
        (tmp_path / name).write_text("text,vector,label\n" + "".join(body))
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table))
    return table


def test_vectors_are_found_learned_and_forgotten(run, rows, tmp_path):
    assert "vector `vector`" in run("train", "rows.csv", "-o", "csv.likely")[1]
    run("train", "rows.jsonl", "-o", "json.likely")
    run("train", "bare.csv", "--vectors", "vector", "-o", "bare.likely")
    files = [(tmp_path / f"{name}.likely").read_bytes() for name in ("csv", "json", "bare")]
    digests = {likely.load(tmp_path / f"{name}.likely").digest for name in ("csv", "json", "bare")}
    assert len(digests) == 1
    assert files[0] == files[1]
    assert "vector  vectors of 3 numbers" in " ".join(run("plan", "rows.csv")[0].split("\n"))
    first = json.dumps(rows[0]) + "\n"
    run("forget", "csv.likely", "-", "-o", "less.likely", stdin=first)
    said = run("forget", "less.likely", "-", "-o", "least.likely", stdin=first, code=3)[1]
    assert "1 of 1 row is not among the training rows" in said
    out, _ = run("predict", "json.likely", "rows.jsonl")
    assert out.splitlines()[1].startswith(f"{rows[0]['text']},")
    assert "Vectors(" in run("info", "json.likely")[0]


def test_a_plan_and_its_parts_give_the_model(run, rows, tmp_path):
    run("train", "rows.csv", "-o", "whole.likely")
    run("plan", "rows.csv", "-o", "plan.json")
    lines = (tmp_path / "rows.csv").read_text().splitlines(keepends=True)
    for name, part in (("a", lines[1:15]), ("b", lines[15:])):
        (tmp_path / f"{name}.csv").write_text("".join([lines[0], *part]))
        run("tally", f"{name}.csv", "--plan", "plan.json", "-o", f"{name}.likely")
    run("merge", "a.likely", "b.likely", "-o", "merged.likely")
    digests = [likely.load(tmp_path / f"{name}.likely").digest for name in ("whole", "merged")]
    assert digests[0] == digests[1]


def test_what_is_no_vector_is_refused(run, rows):
    said = run("train", "rows.csv", "--vectors", "text", "-o", "m.likely", code=3)[1]
    assert "--vectors text: rows.csv, row 1 of `text` is 'note " in said
    assert "which is no vector: its part 1 is no number" in said
    said = run("train", "rows.csv", "--vectors", "label", "-o", "m.likely", code=2)[1]
    assert "--vectors label: that column has the labels" in said
    said = run("mixture", "rows.csv", "-k", "2", code=2)[1]
    assert "--drop-column vector" in said
