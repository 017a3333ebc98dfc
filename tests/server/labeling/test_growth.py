"""The learning curve of a session, and what more answers would bring."""

import csv

import pytest

from likely import Classifier
from likely.data.files import open_table
from likely.server.journal import Request
from likely.server.labeling import progress
from likely.server.labeling.growth import Growth, forecast
from likely.server.labeling.queues import Suggester
from likely.server.labeling.session import start

TEXTS = [
    *(f"win a prize of {n} pounds" for n in range(150)),
    *(f"lunch at table {n} of our place" for n in range(150)),
    *(f"a prize or lunch, number {n}" for n in range(100)),
]


def said(item, is_multilabel):
    if item < 300:
        return ["spam"] if item < 150 else ["ham"]
    return ["spam", "ham"] if is_multilabel else [["spam", "ham"][item % 2]]


@pytest.fixture(params=[False, True], ids=["single", "multi-label"])
def session(tmp_path, request):
    """A session in which the mixed queue was answered for a while."""
    path = tmp_path / "data.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in TEXTS)])
    found = start(tmp_path / "m.likely", open_table(path), Classifier(), request.param, ())
    suggester = Suggester(found)
    for _ in range(200):
        (one,) = suggester.next("mixed", 1, "me", ())
        found.answer([one.item], said(one.item, request.param), "me", one.queue, Request())
        if found.is_to_be_tuned:
            found.model.tune().result()
    yield found
    found.close()


def test_the_curve_ends_with_the_accuracy_of_the_model_that_is(session):
    growth = Growth()
    points = growth.curve(session)
    answers = [point["answers"] for point in points]
    assert answers == sorted(set(answers))
    assert answers[-1] == len(session.seen.agreed) == 200
    now = progress.accuracy(session).to_json()
    assert {name: points[-1][name] for name in ("value", "low", "high")} == {
        name: now[name] for name in ("value", "low", "high")
    }
    ahead = forecast(points, now["rows"])
    assert ahead["answers"] == 400
    assert now["value"] <= ahead["accuracy"] <= 1


def test_the_last_former_model_is_about_as_good_as_the_one_that_is(session):
    *_, before, now = Growth().curve(session)
    assert before["answers"] > 100
    assert abs(before["value"] - now["value"]) < 0.15


def test_former_models_are_kept_until_an_answer_they_know_changes(session):
    growth = Growth()
    first = growth.curve(session)
    models = {n: model for n, (_, model) in growth._models.items()}
    assert growth.curve(session) == first
    assert all(growth._models[n][1] is model for n, model in models.items())
    oldest = min(session.seen.agreed, key=session.learned_at)
    session.answer([oldest], ["other"], "me", "search", Request())
    growth.curve(session)
    assert not any(growth._models[n][1] is model for n, model in models.items() if model)


def test_there_is_no_forecast_from_few_rows_or_points():
    points = [{"answers": n, "value": 0.9} for n in (10, 15, 20)]
    assert forecast(points, rows=39) is None
    assert forecast(points[1:], rows=40) is None
    assert forecast([], rows=40) is None
    assert forecast(points, rows=40)["accuracy"] == 0.9
