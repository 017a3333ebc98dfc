"""What the label page is told, and what it is not."""

import csv

import pytest

from likely import Classifier
from likely.data.files import open_table
from likely.server.guard import Guard
from likely.server.labeling.api import LabelingApi
from likely.server.labeling.session import start
from likely.server.options import ServerOptions
from likely.server.service import Service
from tests.server.conftest import Client

TEXTS = [f"{('a prize to win', 'lunch with you')[n % 2]} {n}" for n in range(80)]


@pytest.fixture
def ask(tmp_path):
    with open(tmp_path / "data.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in TEXTS)])
    session = start(
        tmp_path / "m.likely", open_table(tmp_path / "data.csv"), Classifier(), False, ()
    )
    options = ServerOptions()
    yield Client(Guard(Service(session.model, options, LabelingApi(session).routes), options))
    session.close()


def answered(ask, items, label, who):
    assert ask.post("/api/answer", {"items": items, "labels": [label]}, x_user=who).status == 200


def test_a_possible_label_error_is_shown_with_what_the_model_says_without_its_answer(ask):
    answered(ask, [*range(0, 80, 2)], "spam", "Ann")
    answered(ask, [*range(1, 80, 2)], "ham", "Ann")
    answered(ask, [6], "ham", "Ann")
    (found,) = ask.get("/api/next?queue=errors&n=1", x_user="Ann").json["items"]
    assert found["id"] == 6
    assert found["mine"] == ["ham"]
    assert found["prediction"]["label"] == found["about"] == "spam"
    assert ask.post("/api/undo", {}, x_user="Ann").status == 200
    (alone,) = ask.post("/predict", [TEXTS[6]]).json["predictions"]
    assert found["prediction"]["probabilities"] != alone["probabilities"]


def test_those_who_disagree_may_look_at_a_disputed_row_again(ask):
    answered(ask, [3, 5], "spam", "Ann")
    answered(ask, [3, 5], "ham", "Zoe")
    for who in ("Ann", "Zoe", "Max"):
        found = ask.get("/api/next?queue=disputed&n=5", x_user=who).json["items"]
        assert [one["id"] for one in found] == [3, 5]
    assert ask.get("/api/next?queue=disputed&n=5&not=3", x_user="Ann").json["items"][0]["id"] == 5
    answered(ask, [3], "ham", "Ann")
    found = ask.get("/api/next?queue=disputed&n=5", x_user="Ann").json["items"]
    assert [one["id"] for one in found] == [5]


def test_a_model_that_is_being_labeled_learns_from_answers_alone(ask):
    body = {"rows": [{"text": "a stranger"}], "labels": ["spam"]}
    assert ask.post("/learn", body).status == 404
    assert ask.post("/forget", body).status == 404
    assert "/learn" not in ask.get("/openapi.json").json["paths"]
    assert ask.get("/model").json["rows"] == 0
