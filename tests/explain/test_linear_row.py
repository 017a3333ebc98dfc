"""What a linear form prints, and the sum of one row, which is what the model computes."""

import re

import numpy as np
import pandas as pd
import pytest

import likely
from likely import Classifier
from likely.errors import DataError, OptionError
from likely.model.adjust.group_thresholds import GroupThresholds

TEXTS = ["red fish blue fish", "red car", "blue car blue", "fish", "green"]
LABELS = ["animal", "thing", "thing", "animal", "thing"]
OF_THREE = ["animal", "thing", "thing", "animal", "color"]


def numbers(line):
    return [float(one.replace("−", "-")) for one in re.findall(r"[+−]\d[\d.e−]*", line)]


def lines(shown):
    """The numbers of each line of a table, by its name."""
    return {line.split("  ")[0]: numbers(line) for line in shown.splitlines() if "  " in line}


@pytest.fixture(scope="module")
def model():
    return Classifier(likely.Multinomial()).fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    "likelihood",
    [
        likely.Multinomial(0.5),
        likely.BinaryMultinomial(),
        likely.Bernoulli(),
        likely.Complement(),
        likely.Multinomial(tfidf=True),
        likely.Multinomial(text=likely.Text((1, 2), (2, 3))),
        likely.Multinomial(skip_top=1),
    ],
    ids=str,
)
@pytest.mark.parametrize("labels", [LABELS, OF_THREE], ids=["two classes", "three"])
def test_the_sum_of_a_row_is_what_the_model_computes(likelihood, labels):
    model = Classifier(likelihood).fit(TEXTS, labels)
    for text in ("fish fish red", "unknown", "a green car, and blue fish"):
        found = model.linear_form().of_row(text)
        (scores,) = model.fitted.scores_of([text], 1)
        assert found.sums == pytest.approx(scores)
        assert found.constant == 0
        assert found.probabilities == pytest.approx(model.predict_proba([text])[0])
        table = [numbers(line) for line in str(found).splitlines()[3:]]
        *parts, total, computed = [each for each in table if each]
        assert total == computed
        # Of two classes, the weight stands before the product.
        added = [each[-len(total) :] for each in parts]
        assert np.sum(added, axis=0) == pytest.approx(total, abs=0.01)


def test_of_two_classes_the_second_is_shown_against_the_first(model):
    form = model.linear_form()
    weights = dict(zip(form.features, form.weights[1] - form.weights[0], strict=True))
    shown = str(form).splitlines()
    assert shown[0] == "log-odds of thing against animal = intercept + Σ weight · count"
    table = lines(str(form))
    assert list(table)[1:] == sorted(weights, key=lambda name: -abs(weights[name]))
    for name, weight in weights.items():
        assert table[name] == [pytest.approx(weight, abs=5e-4)]
    # The odds of a class are exp of the sum, as in a logistic regression.
    row = form.of_row("fish car car")
    log_odds = form.intercepts[1] - form.intercepts[0] + weights["fish"] + 2 * weights["car"]
    assert row.probabilities[1] == pytest.approx(1 / (1 + np.exp(-log_odds)))


def test_a_row_shows_count_weight_and_product(model):
    shown = str(model.linear_form().of_row("fish car car"))
    head = shown.splitlines()[2].split()
    assert head == ["count", "weight", "weight", "·", "count"]
    car = next(line for line in shown.splitlines() if line.startswith("car"))
    assert car.split()[1] == "2"
    weight, product = numbers(car)
    assert product == pytest.approx(2 * weight, abs=2e-3)
    assert re.search(r"^P\(thing \| row\) +0\.\d{4}$", shown, re.MULTILINE)


def test_of_several_classes_each_has_a_column():
    form = Classifier(likely.Multinomial()).fit(TEXTS, OF_THREE).linear_form()
    shown = str(form).splitlines()
    assert shown[0] == "score of a class = intercept + Σ weight · count"
    assert shown[2].split() == ["animal", "color", "thing"]
    spread = dict(zip(form.features, np.ptp(form.weights, axis=0), strict=True))
    names = [line.split()[0] for line in shown[4:]]
    assert [spread[name] for name in names] == sorted(spread.values(), reverse=True)
    for place, name in enumerate(form.features):
        assert lines(str(form))[name] == pytest.approx(form.weights[:, place], abs=5e-4)


def test_of_many_weights_the_largest_are_shown():
    texts = [" ".join(f"w{n}" for n in range(k, k + 20)) for k in range(12)]
    form = Classifier(likely.Multinomial()).fit(texts, list("abcdefghijkl")).linear_form()
    shown = str(form)
    assert shown.endswith("\n\n31 features in all, 6 classes more")
    assert len(shown.splitlines()) == 26
    row = form.of_row(" ".join(texts))
    assert str(row).endswith("\n\nand 8 less probable classes")
    assert "\n11 more  " in str(row)
    assert lines(str(row))["sum"] == pytest.approx(np.sort(row.sums)[:-5:-1], abs=5e-4)
    assert max(map(len, (shown + "\n" + str(row)).splitlines())) <= 80


def test_lda_leaves_out_what_all_classes_share():
    chance = np.random.default_rng(3)
    x = {"height": chance.normal(size=60) * 1000, "width": chance.normal(size=60)}
    for y in (np.arange(60) % 2, np.arange(60) % 3):
        form = Classifier(likely.Gaussian("shared")).fit(x, y).linear_form()
        row = form.of_row({"height": 1500.0, "width": 2.0})
        assert row.constant
        assert row.sums + row.constant == pytest.approx(row.computed)
        assert "weight · value" in str(form)
        added = "the model adds " in str(row)
        assert added == (len(form.classes) == 3)
    # The weights of large numbers are small, and have digits still.
    assert all(number for name, each in lines(str(form)).items() for number in each if name)


def test_a_tuned_weight_and_bias_are_part_of_the_form():
    x, y = {"a": list("pqpqrp") * 5, "b": list("xyxxyy") * 5}, list("ABABBA") * 5
    model = Classifier({"a": likely.Categorical(), "b": likely.Categorical()}).fit(x, y)
    model.tune(x, y)
    row = model.linear_form().of_row({"a": "p", "b": "y"})
    assert model.tuning is not None
    assert row.sums == pytest.approx(model.fitted.scores_of({"a": ["p"], "b": ["y"]}, 1)[0])


@pytest.mark.parametrize(
    "likelihood",
    [
        likely.Gaussian(),
        likely.Gaussian("full"),
        likely.Binned(),
        likely.NumberViews(),
    ],
    ids=str,
)
def test_what_is_not_linear_says_what_would_be(likelihood):
    model = Classifier(likelihood).fit([[1.0, 2], [2, 3], [4, 1], [3, 7]] * 3, [0, 0, 1, 1] * 3)
    with pytest.raises(
        OptionError, match=r"`.*` is not linear: its log-odds .*\nhint: .*`lda` are"
    ):
        model.linear_form()


def test_a_stacked_linear_model_beside_the_counts_is_refused():
    x, y = {"a": list("pqpqrp") * 9, "b": list("xyxxyy") * 9}, list("ABABBA") * 9
    kinds = {"a": likely.Categorical(), "b": likely.Categorical()}
    model = Classifier(kinds, tune=True, stack_linear=True).fit(x, y)
    assert model.fitted.stacked is not None
    with pytest.raises(OptionError, match="the two read different features\nhint: "):
        model.linear_form()


def test_thresholds_by_group_are_no_part_of_a_linear_form():
    rows = {"text": TEXTS, "who": list("abbab"), "y": LABELS}
    model = Classifier({"text": likely.Multinomial()}).fit({k: rows[k] for k in ("text", "y")}, "y")
    strict = model.with_group_thresholds(GroupThresholds("who", "thing", {"a": 0.9}))
    with pytest.raises(OptionError, match="thresholds by group are not part of the linear form"):
        strict.linear_form()
    assert strict.with_group_thresholds(None).linear_form().features


@pytest.mark.parametrize("likelihood", [likely.Categorical(0), likely.JointTable(0)], ids=str)
def test_a_value_that_a_class_lacks_has_an_infinite_weight(likelihood):
    rows = {"a": list("pqr"), "b": list("xxy")}
    model = Classifier({("a", "b"): likelihood}).fit(rows, ["A", "B", "B"])
    with pytest.raises(OptionError, match=r"infinite\nhint: `--alpha` or `--m` above 0"):
        model.linear_form()


def test_a_row_with_gaps_is_refused_where_the_form_needs_it_whole():
    rows = {"a": list("pqrp"), "b": list("xxyy")}
    table = Classifier({("a", "b"): likely.JointTable()}).fit(rows, list("ABBA"))
    with pytest.raises(DataError, match="missing or were never seen in training"):
        table.linear_form().of_row({"a": "p", "b": None})
    # One column at a time, a missing cell adds nothing.
    naive = Classifier({("a", "b"): likely.Categorical()}).fit(rows, list("ABBA"))
    found = naive.linear_form().of_row({"a": "p", "b": None})
    assert found.features == ("a=p",)
    lda = Classifier(likely.Gaussian("shared")).fit(
        [[1.0, 2], [2, 1], [4, 5], [6, 4]], [0, 0, 1, 1]
    )
    with pytest.raises(DataError, match="missing"):
        lda.linear_form().of_row([1.0, None])


def test_a_row_of_a_frame_is_summed_as_it_is_predicted(model):
    form = model.linear_form()
    frame = pd.DataFrame({"x": ["fish car"]})
    assert form.of_row(frame.iloc[0]).sums == pytest.approx(form.of_row("fish car").sums)


def test_json_has_all_weights(model):
    form = model.linear_form()
    facts = form.to_json()
    assert facts["intercepts"] == dict(zip(form.classes, form.intercepts, strict=True))
    assert [one["feature"] for one in facts["weights"]] == list(form.features)
    for place, one in enumerate(facts["weights"]):
        assert one["weights"] == dict(zip(form.classes, form.weights[:, place], strict=True))
    row = form.of_row("fish fish").to_json()
    (term,) = row["terms"]
    assert (term["feature"], term["count"]) == ("fish", 2)
    assert row["sums"]["thing"] == pytest.approx(
        row["intercepts"]["thing"] + 2 * term["weights"]["thing"]
    )
    assert row["computed"] == pytest.approx(row["sums"])
