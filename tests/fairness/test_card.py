import json

import pytest

import likely
from likely.errors import DataError
from likely.fairness.card import QUESTIONS, blank, card, read_answers

TEXTS = [
    "Ada | was <b>late</b>",
    "so dull",
    "bad, bad",
    "Bob was kind",
    "so good",
    "a lovely day",
] * 3
LABELS = (["neg"] * 3 + ["pos"] * 3) * 3
FILE = {"name": "m.likely", "sha256": "ab" * 32, "size": 1234, "version": "9.9"}


@pytest.fixture(scope="module")
def model():
    return likely.Classifier().fit({"text": TEXTS, "y": LABELS, "g": list("ab") * 9}, "y")


@pytest.fixture(scope="module")
def made(model):
    rows = {"text": TEXTS, "y": LABELS, "g": list("ab") * 9}
    about = {"purpose": "Sorts notes | by `mood` <script>", "contact": "ann@example.org"}
    data = {"name": "notes.csv", "sha256": "cd" * 32}
    plain = likely.Classifier(columns={"g": "drop"}).fit(rows, "y")
    return card(
        plain,
        answers=about,
        x=rows,
        data=data,
        group_columns=["g"],
        commands=("likely card",),
        **FILE,
    )


def test_a_card_says_what_the_model_is_and_how_it_does(made):
    text = made.markdown()
    for section in ("Use", "People", "Model", "Data", "Metrics", "Audit", "Limits"):
        assert f"\n## {section}\n" in text
    assert "| neg | 9 | 50 % |" in text
    assert "18 rows of notes.csv, leave-one-out." in text
    assert "ab" * 32 in text
    assert "cd" * 32 in text
    assert "```sh\nlikely card\n```" in text
    assert made.digest in text
    assert "gender: female − male" in text
    assert "| a | 9 |" in text


def test_what_is_not_answered_is_shown_as_not_answered(made):
    assert made.unanswered == [key for key in QUESTIONS if key not in ("purpose", "contact")]
    assert made.markdown().count("not answered by the author") == 8
    assert made.html().lower().count("not answered by the author") == 8
    assert "8 of 10 questions are not answered" in made.html()


def test_whatever_answers_and_rows_hold_stays_text(made):
    assert r"Sorts notes \| by `mood` \<script\>" in made.markdown()
    assert "<script" not in made.html()
    assert "&lt;script&gt;" in made.html()


def test_the_facts_as_json(made):
    facts = json.loads(json.dumps(made.to_json(), allow_nan=False))
    assert facts["answers"]["limits"] is None
    assert facts["evaluation"]["rows"] == 18
    assert set(facts["audit"]) == {"persons", "groups"}


def test_without_rows_a_card_says_that_nothing_was_measured():
    model = likely.Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    text = card(model, **FILE).markdown()
    assert "Not measured: no rows with labels were given" in text
    assert "Not audited" in text


def test_rows_that_were_learned_in_part_are_called_optimistic():
    model = likely.Classifier().fit(TEXTS[:6], LABELS[:6])
    made = card(
        model,
        x=[*TEXTS[:2], "new"],
        y=[*LABELS[:2], "pos"],
        data={"name": "x", "sha256": None},
        **FILE,
    )
    assert "2 of which the model had learned, so figures are too optimistic" in made.markdown()


def test_the_questions_can_be_answered(tmp_path):
    path = tmp_path / "about.toml"
    path.write_text(blank())
    assert read_answers(str(path)) == {}
    path.write_text('purpose = " Sorts. "\n')
    assert read_answers(str(path)) == {"purpose": "Sorts."}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("porpose = 'x'", "`porpose` is no question of the card"),
        ("purpose = 3", "the answer to `purpose` is a text in quotes"),
        ("purpose =", "is no TOML"),
    ],
)
def test_answers_to_nothing_are_refused(tmp_path, text, message):
    (tmp_path / "about.toml").write_text(text)
    with pytest.raises(DataError, match=message):
        read_answers(str(tmp_path / "about.toml"))
