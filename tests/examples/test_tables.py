"""What the example tables hold, counted without the package."""

import csv
import shlex
import tomllib
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from likely import textbook
from likely.examples import EXAMPLES, path
from tests import bundled
from tests.conftest import ROOT


def test_every_file_belongs_to_an_example():
    there = {file.name for file in path(".").iterdir() if file.suffix in (".csv", ".toml")}
    assert there == {file for example in EXAMPLES.values() for file in example.files}


@pytest.mark.parametrize("file", [file for one in EXAMPLES.values() for file in one.files])
def test_a_file_is_small_and_the_same_on_every_system(file):
    content = path(file).read_bytes()
    assert len(content) < (6_000 if file != "gullpoint.csv" else 60_000)
    assert b"\r" not in content
    assert content.endswith(b"\n")
    assert not content.endswith(b"\n\n")


@pytest.mark.parametrize("name", EXAMPLES)
def test_its_lesson_writes_it(name):
    page = ROOT / "docs" / "course" / f"{EXAMPLES[name].lesson}.md"
    assert f"$ likely example {name} " in page.read_text(encoding="utf-8")


def test_the_five_reviews():
    names = {"neg": "-", "pos": "+"}
    rows = [(text, names[label]) for text, label in bundled.rows("reviews.csv")]
    assert rows == textbook.REVIEWS


def test_the_ten_people():
    rows = [((int(h), int(w)), group) for h, w, group in bundled.rows("heights.csv")]
    assert rows == textbook.PEOPLE


def test_the_fourteen_days():
    days = bundled.rows("tennis.csv")
    assert len(days) == len(set(map(tuple, days))) == 14
    values = [set(column) for column in zip(*days, strict=True)]
    assert values == [
        {"sunny", "overcast", "rain"},
        {"hot", "mild", "cool"},
        {"high", "normal"},
        {"weak", "strong"},
        {"yes", "no"},
    ]
    assert textbook.prior("yes", [(tuple(day[:-1]), day[-1]) for day in days]) == Fraction(9, 14)


def test_the_children_grow_and_learn_with_age_only():
    age, height, words = np.array(bundled.rows("children.csv"), dtype=float).T
    assert sorted(set(age)) == list(range(5, 13))
    assert np.corrcoef(height, words)[0, 1] == pytest.approx(0.9, abs=0.02)

    def beyond_line(x):
        return x - np.polyval(np.polyfit(age, x, 1), age)

    def beyond_mean(x):
        return x - np.array([x[age == years].mean() for years in age])

    for beyond in (beyond_line, beyond_mean):
        assert abs(np.corrcoef(beyond(height), beyond(words))[0, 1]) < 0.1


def test_the_confusion_table_says_what_its_rows_are():
    with open(path("urgent.csv"), newline="", encoding="utf-8") as lines:
        assert next(csv.reader(lines)) == ["predicted", "urgent", "normal", "spam"]
    rows = bundled.rows("urgent.csv")
    assert [row[0] for row in rows] == ["urgent", "normal", "spam"]
    counts = [list(map(int, row[1:])) for row in rows]
    precisions = [Fraction(counts[c][c], sum(counts[c])) for c in range(3)]
    assert precisions == [Fraction(8, 19), Fraction(60, 115), Fraction(200, 233)]


def test_em_finds_the_two_gaussians():
    xs = [float(x) for (x,) in bundled.rows("two-gaussians.csv")]
    assert len(xs) == 60
    assert textbook.em(xs, means=[1, 2], variance=1)[-1] == pytest.approx([0, 4], abs=0.2)
    near, far = ([x for x in xs if (x < 2) is side] for side in (True, False))
    assert np.std(near) == pytest.approx(1, abs=0.15)
    assert np.std(far) == pytest.approx(1, abs=0.15)


def test_the_words_of_the_film_sentence_have_round_shares():
    sentence = ["I", "love", "this", "fun", "film"]
    counts = {"pos": Counter(), "neg": Counter()}
    rows = bundled.rows("film-sentence.csv")
    for text, label in rows:
        counts[label].update(text.split())
    assert Counter(label for _, label in rows) == {"pos": 10, "neg": 10}
    shares = {
        label: [Fraction(count[word], count.total()) for word in sentence]
        for label, count in counts.items()
    }
    assert shares["pos"] == [Fraction(s) for s in ("0.1", "0.1", "0.01", "0.05", "0.1")]
    assert shares["neg"] == [Fraction(s) for s in ("0.2", "0.001", "0.01", "0.005", "0.1")]


def test_the_messages_of_gullpoint_and_their_rules():
    rows = bundled.rows("gullpoint.csv")
    offices = Counter(row[1] for row in rows)
    assert len(rows) == 387
    assert offices.most_common(1) == [("harbour", 81)]
    rules = tomllib.loads(path("gullpoint-rules.toml").read_text(encoding="utf-8"))["rule"]
    assert {rule["label"] for rule in rules} < offices.keys()


def test_commands_can_be_pasted_and_read_the_files_of_their_example():
    for example in EXAMPLES.values():
        first = shlex.split(example.commands[0])
        assert set(first) & example.files.keys()
        assert all(shlex.split(command)[0] == "likely" for command in example.commands)
