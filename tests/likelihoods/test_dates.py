"""Dates by their parts: estimates by hand, and every door that shows them."""

import datetime
import math
from fractions import Fraction

import numpy as np
import pytest

import likely
from likely import Categorical, Classifier, Dates
from likely.classifier import from_bytes
from likely.errors import DataError, ModelError, OptionError

# Tuesdays in March, and a Sunday in July of another year.
ROWS = {"signed": ["2024-03-05", "2024-03-12T09:30", "2023-07-02T18:00", None, "2024-03-19"]}
LABELS = ["work", "work", "rest", "rest", "rest"]


def fitted(**options):
    return Classifier({"signed": Dates(**options)}).fit(ROWS, LABELS)


def test_a_part_is_a_category_drawn_to_its_share_in_all_classes():
    model = fitted(m=2.0)
    (found,) = model.estimates.values()
    assert list(found.values) == ["signed year", "signed month", "signed weekday", "signed hour"]
    assert found.values["signed month"] == ("July", "March")
    # March in 3 of 4 dates: of work 2 of 2, of rest 1 of 2.
    share = Fraction(3, 4)
    expected = [(1 + 2 * share) / 4, (2 + 2 * share) / 4]
    march = found.probabilities["signed month"][1]
    assert march.tolist() == pytest.approx([float(one) for one in expected])
    # The hour is that of the rows with a time, one of each class.
    nine = found.probabilities["signed hour"][found.values["signed hour"].index("09")]
    assert nine.tolist() == pytest.approx([(0 + 2 * 0.5) / 3, (1 + 2 * 0.5) / 3])


def test_the_parts_are_independent_given_the_class():
    model = Classifier({"signed": Dates()}, prior="uniform").fit(ROWS, LABELS)
    (found,) = model.estimates.values()
    asked = {"year": "2024", "month": "July", "weekday": "Tuesday", "hour": "18"}
    logs = np.zeros(2)
    for part, value in asked.items():
        name = f"signed {part}"
        logs += np.log(found.probabilities[name][found.values[name].index(value)])
    (proba,) = model.predict_proba({"signed": ["2024-07-02T18:45"]})
    assert proba.tolist() == pytest.approx((np.exp(logs) / np.exp(logs).sum()).tolist())


def test_an_unseen_part_says_nothing_and_neither_does_a_missing_date():
    model = fitted()
    prior = model.predict_proba({"signed": [None]})
    assert prior[0].tolist() == pytest.approx([3 / 5, 2 / 5])
    # A year, a month, a weekday and an hour that no row has.
    assert model.predict_proba({"signed": ["1999-01-01T03:00"]}).tolist() == prior.tolist()
    assert model.unseen({"signed": ["1999-01-01"]}) == {}


def test_it_is_explained_by_its_parts():
    why = fitted().explain({"signed": "2024-03-26T09:00"})
    parts = [(one.name, one.kind) for one in why.contributions if one.kind != "prior"]
    assert parts == [
        ("signed year=2024", "date"),
        ("signed month=March", "date"),
        ("signed weekday=Tuesday", "date"),
        ("signed hour=09", "date"),
    ]
    assert sum(map(why.log_odds, why.contributions)) == pytest.approx(why.total)
    assert "signed month=March" in str(why)
    top = dict(fitted().top_features(3)["work"])
    assert top["signed month=March"] == pytest.approx(math.log((2 + 8 * 0.75) / (1 + 8 * 0.75)))


def test_the_computation_by_hand_has_the_counts_as_fractions():
    shown = str(fitted(m=4.0).by_hand({"signed": "2024-03-26"}))
    # (2 + 4 · 3/4) / (2 + 4) and (1 + 4 · 3/4) / (2 + 4)
    assert "P(signed month=March | work)" in shown
    assert "5/6" in shown
    assert "4/6" in shown


def test_rows_are_told_apart_by_their_dates_and_not_by_their_parts():
    model = fitted()
    # As the first row in all that is counted.
    other = {"signed": ["2024-03-26"]}
    assert model.was_learned({"signed": ["2024-03-05"]}, ["work"]).all()
    assert not model.was_learned(other, ["work"]).any()
    with pytest.raises(likely.errors.NotLearnedError):
        model.forget(other, ["work"])


def test_the_order_is_part_of_what_is_counted():
    month, day = (Classifier({"d": Dates(day_first=first)}) for first in (False, True))
    rows = {"d": ["03/05/2024", "04/06/2024"]}
    for model in (month, day):
        model.fit(rows, ["a", "b"])
    assert month.explain({"d": "03/01/2024"}).contributions[2].name == "d month=March"
    assert day.explain({"d": "01/05/2024"}).contributions[2].name == "d month=May"
    with pytest.raises(ModelError, match="day_first"):
        _ = month + day
    assert from_bytes(day.to_bytes()).likelihood == {"d": Dates(day_first=True)}
    plan = likely.Plan.from_bytes(day.plan(rows, ["a", "b"]).to_bytes())
    assert plan.product.by_column == {"d": Dates(day_first=True)}


def test_the_default_model_reads_dates_and_learns_from_a_tally_of_them():
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(day) for day in range(60)]
    labels = ["rest" if day.weekday() > 4 else "work" for day in days]
    cells = [f"{day:%d/%m/%Y}" for day in days]
    model = Classifier().fit({"on": cells}, labels)
    assert model.column_roles["on"].role == "day-first date"
    assert model.loo.accuracy > 0.95
    assert model.predict({"on": ["14/09/2024", "16/09/2024"]}).tolist() == ["rest", "work"]
    again = Classifier()
    again.tally = model.tally
    assert again.likelihood == {"on": Dates(day_first=True)}
    assert again.digest == model.digest


def test_two_columns_of_dates_share_a_factor_in_a_plain_model():
    rows = {"a": ["2024-03-05", "2024-04-02"], "b": ["2024-05-05", "2024-06-02"]}
    model = Classifier({"a": Dates(), "b": Dates()}).fit(rows, ["x", "y"])
    assert [factor.columns for factor in model.fitted.product.factors] == [("a", "b")]
    names = [one.name for one in model.explain({"a": "2024-03-01", "b": None}).contributions]
    assert "a month=March" in names
    assert not any(name.startswith("b ") for name in names)


def test_a_date_that_gives_the_label_away_is_named_by_its_column():
    rows = {
        "seen": [f"20{20 + place % 2}-0{1 + place % 7}-0{1 + place % 9}" for place in range(80)],
        "size": [place % 5 + 0.5 for place in range(80)],
    }
    model = Classifier().fit(rows, ["a", "b"] * 40)
    (leak,) = model.target_leakage()
    assert leak.what == "seen"


def test_dates_are_compared_with_other_columns_part_by_part():
    rows = {
        "seen": [f"2024-0{1 + place % 7}-01" for place in range(70)],
        "kind": [f"k{place % 7}" for place in range(70)],
    }
    labels = ["a", "b"] * 35
    model = Classifier({"seen": Dates(), "kind": Categorical()}).fit(rows, labels)
    first = model.dependences(rows, labels, 1)[0]
    assert {first.first, first.second} == {"seen month", "kind"}
    assert first.within > 0.9


def test_few_rows_of_each_part_say_little():
    """Months of three classes that differ mildly: a hundred rows are too few for a weak prior."""
    losses = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        months = rng.dirichlet(30 * rng.dirichlet(np.full(12, 5.0)), size=3)
        labels = rng.integers(3, size=600)
        days = [
            datetime.date(2024, rng.choice(12, p=months[label]) + 1, rng.integers(1, 29))
            for label in labels
        ]
        parts = {"month": [f"{day:%B}" for day in days], "weekday": [f"{day:%A}" for day in days]}
        found = []
        for table, likelihood in (({"on": days}, Dates()), (parts, Categorical())):
            seen = {name: cells[:100] for name, cells in table.items()}
            new = {name: cells[100:] for name, cells in table.items()}
            model = Classifier(dict.fromkeys(table, likelihood)).fit(seen, labels[:100])
            probabilities = model.predict_proba(new)
            found.append(-np.log(probabilities[np.arange(500), labels[100:]]).mean())
        losses.append(found)
    of_dates, of_categories = np.mean(losses, axis=0)
    assert of_dates < of_categories - 0.05
    assert of_categories > math.log(3)


def test_options_are_checked():
    with pytest.raises(OptionError, match="`day_first` is True or False, not 1"):
        Dates(day_first=1)
    with pytest.raises(OptionError, match="`m` is a number"):
        Dates(-1)
    assert repr(Dates()) == "Dates()"
    assert repr(Dates(2.0, day_first=True)) == "Dates(m=2.0, day_first=True)"


def test_a_column_given_as_dates_must_hold_them():
    table = {"on": ["2024-01-01", "soon", "2024-03-01"], "n": [1.5, 2.5, 3.5]}
    with pytest.raises(DataError, match="row 2 of `on` is 'soon', which is no date"):
        Classifier(columns={"on": "date"}).fit(table, ["a", "b", "a"])


@pytest.mark.parametrize(
    ("given", "cells", "role", "why"),
    [
        ("date", ["2024-03-05", "2024-03-06"], "date", "as given"),
        ("date", ["13/02/2024", "02/03/2024"], "day-first date", "as given; dates, the day first"),
        ("date", ["01/02/2024", "02/03/2024"], "date", "as given; dates, taken to have the month"),
        ("day-first date", ["01/02/2024", "02/03/2024"], "day-first date", "as given"),
    ],
)
def test_a_given_date_finds_its_order_in_the_sample(given, cells, role, why):
    model = Classifier(columns={"on": given}).fit({"on": cells * 4}, ["a", "b"] * 4)
    assert model.column_roles["on"].role == role
    assert model.column_roles["on"].why.startswith(why)
    assert model.likelihood["on"] == Dates(day_first=role == "day-first date")


def test_dates_of_multilabel_rows_are_used():
    table = {"text": ["oil", "wheat and oil", "wheat"] * 4, "on": ["2024-03-05", "2024-03-06"] * 6}
    model = Classifier().fit(table, [["a"], ["a", "b"], ["b"]] * 4)
    assert model.columns == ("text", "on")
