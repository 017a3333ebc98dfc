"""Answers that the others contradict, of one label and of several."""

import csv

import pytest

from likely import Classifier
from likely.data.files import open_table
from likely.server.journal import Request
from likely.server.labeling.health import health
from likely.server.labeling.queues import Suggester
from likely.server.labeling.session import start


@pytest.mark.parametrize("is_multilabel", [False, True], ids=["single", "multi-label"])
def test_a_wrong_answer_is_a_possible_label_error(is_multilabel, tmp_path):
    path = tmp_path / "data.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        texts = [f"{('a prize to win', 'lunch with you')[n % 2]} {n}" for n in range(80)]
        csv.writer(file).writerows([["text"], *([text] for text in texts)])
    session = start(tmp_path / "m.likely", open_table(path), Classifier(), is_multilabel, ())
    try:
        spam, ham = [*range(0, 80, 2)], [*range(1, 80, 2)]
        for items, label in ((spam, "spam"), (ham, "ham"), ([6], "ham")):
            session.answer(items, [label], "me", "search", Request())
        session.model.tune().result()
        (issue,) = health(session)["label_issues"][:1]
        assert issue["id"] == 6
        assert issue["labels"] == ("ham",)
        assert issue["likelier"] == ("spam",)
        assert 0.5 < issue["probability"] <= 1
        (first,) = Suggester(session).next("errors", 1, "me", ())
        assert first.item == 6
        session.answer([6], list(issue["likelier"]), "me", "errors", Request())
        assert 6 not in [one["id"] for one in health(session)["label_issues"]]
    finally:
        session.close()
