"""The facts of a report against where else they can be had from."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import likely
from likely import render
from likely.data.table import Table
from likely.evaluation import coverage
from likely.evaluation.intervals import Figure
from likely.examples import path
from likely.report import gather, report

GULLPOINT = path("gullpoint.csv")


def same(found, expected):
    """Two evaluations with the same figures and intervals."""
    assert found.to_json() == expected.to_json()


def test_rows_that_were_learned_are_left_out(mail):
    (x, y), _ = mail
    model = likely.Classifier().fit(x, y)
    loo = model.loo
    expected = likely.evaluate(loo.labels, loo.predictions, loo.probabilities, classes=loo.classes)
    for found in (report(model, x, y), report(model, x, y, loo=loo)):
        assert found.left_out
        assert found.learned == 300
        same(found.evaluation, expected)
    assert found.learning_curve[-1].rows == 300
    assert found.learning_curve[-1].accuracy == expected.accuracy


def test_other_rows_are_a_test(mail):
    (x, y), (x_test, y_test) = mail
    model = likely.Classifier().fit(x, y)
    found = report(model, x_test, y_test)
    assert not found.left_out
    assert found.learning_curve == ()
    predicted, proba = model.predict(x_test), model.predict_proba(x_test)
    same(found.evaluation, likely.evaluate(y_test, predicted, proba, classes=model.classes))


def test_a_test_that_holds_learned_rows_says_so(mail):
    (x, y), (x_test, y_test) = mail
    model = likely.Classifier().fit(x, y)
    both = {name: x_test[name] + x[name][:7] for name in x}
    found = report(model, both, y_test + y[:7])
    assert not found.left_out
    assert found.learned >= 7
    assert f"{found.learned} of the 107 rows were learned" in found.html()


def test_rows_that_stand_there_more_often_than_they_were_learned_are_a_test(mail):
    (x, y), _ = mail
    model = likely.Classifier().fit(x, y)
    found = report(model, {name: x[name] * 2 for name in x}, y * 2)
    assert not found.left_out
    assert found.learned == 600
    assert "600 of the 600 rows were learned" in found.html()


def test_a_model_without_a_ledger_cannot_tell(mail):
    (x, y), _ = mail
    found = report(likely.Classifier(ledger=False).fit(x, y), x, y)
    assert not found.left_out
    assert not found.knows_rows
    assert "cannot tell whether it has seen these" in found.html()


def test_a_file_spells_the_labels_of_a_model_that_has_numbers(mail, write):
    (x, y), _ = mail
    codes = [int(label == "spam") for label in y]
    model = likely.Classifier().fit(x, codes)
    rows = [("text", "hour", "label"), *zip(x["text"], x["hour"], codes, strict=True)]
    found = report(model, likely.open_table(write("mail.csv", rows)))
    assert found.left_out
    assert found.evaluation.classes == (0, 1)
    assert found.evaluation.accuracy == model.loo.accuracy


def test_calibration_before_weighing_is_that_of_plain_naive_bayes(mail):
    (x, y), (x_test, y_test) = mail
    model = likely.Classifier().fit(x, y)
    views = likely.TextViews.of_texts(Table.of(x).texts(("text",)))
    plain = likely.Classifier({"text": views, "hour": likely.NumberViews()})
    plain.fit(x, y, loo=True)
    for found, truth, predicted, proba in (
        (report(model, x, y), plain.loo.labels, plain.loo.predictions, plain.loo.probabilities),
        (report(model, x_test, y_test), y_test, plain.predict(x_test), plain.predict_proba(x_test)),
    ):
        expected = likely.evaluate(truth, predicted, proba, classes=plain.classes)
        assert found.calibration_plain.log_loss == pytest.approx(expected.log_loss, abs=1e-12)
        assert found.calibration_plain.ece == pytest.approx(expected.ece, abs=1e-12)
        assert found.calibration.log_loss == found.evaluation.log_loss
    assert report(plain, x, y).calibration_plain is None


def test_without_a_column_a_plain_model_is_one_trained_without_it(mail):
    (x, y), (x_test, y_test) = mail
    parts = {"text": likely.Multinomial(), "hour": likely.Gaussian()}
    model = likely.Classifier(parts).fit(x, y)
    for kind in model.column_importance(x, y, left_out=True):
        (other,) = parts.keys() - set(kind.columns)
        alone = likely.Classifier({other: parts[other]}).fit(x, y, loo=True).loo
        evaluation = likely.evaluate(alone.labels, alone.predictions, alone.probabilities)
        assert kind.accuracy == evaluation.accuracy
        assert kind.log_loss == pytest.approx(evaluation.log_loss, abs=1e-12)
    for kind in model.column_importance(x_test, y_test):
        (other,) = parts.keys() - set(kind.columns)
        alone = likely.Classifier({other: parts[other]}).fit(x, y)
        evaluation = likely.evaluate(y_test, alone.predict(x_test), alone.predict_proba(x_test))
        assert kind.accuracy == evaluation.accuracy
        assert kind.log_loss == pytest.approx(evaluation.log_loss, abs=1e-12)


def test_the_views_of_a_text_contribute_each_by_itself(mail):
    (x, y), _ = mail
    model = likely.Classifier().fit(x["text"], y)
    (factor,) = model.tuning.factors
    kinds = model.column_importance(x["text"], y, left_out=True)
    whole, *parts = kinds
    assert not whole.is_part
    assert whole.log_loss > max(kind.log_loss for kind in parts)
    assert whole.accuracy == np.mean(np.array(y) == "ham")
    assert [(kind.weight, kind.weight_over_root) for kind in parts] == [
        (view.whole, view.rooted) for view in factor.likelihood.views
    ]


def test_a_step_of_the_learning_curve_is_a_model_of_so_many_rows(mail):
    (x, y), _ = mail
    model = likely.Classifier(likely.Multinomial()).fit(x["text"], y)
    steps = report(model, x["text"], y).learning_curve
    assert [step.rows >= 300 // 2**k for step, k in zip(steps, (3, 2, 1, 0), strict=True)]
    # The rows that come first are those of the smallest hashes; copies come together.
    hashes = np.array([_hash(text) for text in x["text"]])
    for step in steps[:-1]:
        limit = np.sort(hashes)[step.rows - 1]
        first = np.flatnonzero(hashes <= limit)
        assert len(first) == step.rows
        texts, labels = [x["text"][row] for row in first], [y[row] for row in first]
        small = likely.Classifier(likely.Multinomial()).fit(texts, labels, loo=True)
        predicted = small.predict(x["text"])
        predicted[first] = small.loo.predictions
        assert step.accuracy == np.mean(predicted == y)


def test_all_steps_of_the_learning_curve_are_evaluated_on_the_same_rows(mail, monkeypatch):
    (x, y), _ = mail
    monkeypatch.setattr(gather, "_SAMPLE", 100)
    model = likely.Classifier(likely.Multinomial()).fit(x["text"], y, loo=True)
    found = report(model, x["text"], y)
    evaluation = np.argsort([_hash(text) for text in x["text"]], kind="stable")[:100]
    assert found.sampled == 100
    assert found.learning_curve[-1].accuracy == model.loo.take(evaluation).accuracy
    widths = [step.accuracy.high - step.accuracy.low for step in found.learning_curve]
    assert max(widths) < 0.2  # those of 100 rows, not of the 37 that the smallest model has learned


def test_what_the_last_doubling_brought_is_told_from_chance(mail):
    (x, y), _ = mail
    found = report(likely.Classifier(likely.Multinomial()).fit(x["text"], y), x["text"], y)
    gained = found.last_doubling
    steps = found.learning_curve
    assert gained == pytest.approx(steps[-1].accuracy - steps[-2].accuracy)
    assert gained.low <= 0 <= gained.high
    assert "accuracy does not change beyond chance" in found.html()
    clear = replace(found, last_doubling=Figure(0.021, 0.011, 0.034))
    assert "accuracy changes by +2.1 points (+1.1 to +3.4)" in clear.html()


def test_calibration_says_which_rows_it_looks_at(mail, monkeypatch):
    (x, y), _ = mail
    monkeypatch.setattr(gather, "_SAMPLE", 100)
    found = report(likely.Classifier().fit(x, y), x, y)
    error = render.number(found.evaluation.ece)
    expected = f"sample of 100 of the 300 rows; ECE on all rows {error}"
    assert expected in found.html()


def test_a_stacked_linear_model_has_no_learning_curve():
    town = likely.open_table(GULLPOINT)
    model = likely.Classifier(stack_linear=True).fit(town, "office")
    assert model.fitted.stacked is not None
    assert report(model, town).learning_curve == ()


def _hash(text):
    from likely import _kernel

    return _kernel.Texts([text]).chain(np.zeros(1, dtype=np.uint64))[0]


def test_the_order_of_the_rows_does_not_show_in_the_learning_curve(mail):
    (x, y), _ = mail
    order = np.argsort(y, kind="stable")
    texts, labels = [x["text"][row] for row in order], [y[row] for row in order]
    model = likely.Classifier().fit(x["text"], y)
    assert report(model, texts, labels).learning_curve == report(model, x["text"], y).learning_curve


def test_duplicates_are_counted_and_conflicts_found():
    texts = ["buy now", "buy now", "see you", "see you", "see you", "free cash", "lunch"]
    labels = ["spam", "ham", "ham", "ham", "ham", "spam", "ham"]
    model = likely.Classifier(likely.Multinomial()).fit(texts, labels)
    found = report(model, texts, labels).duplicates
    assert (found.rows, found.groups, found.conflicting) == (3, 2, 1)
    assert [dict(one.labels) for one in found.examples] == [{"spam": 1, "ham": 1}, {"ham": 3}]
    assert found.examples[0].text == "buy now"
    assert sum(Counter(texts).values()) - len(set(texts)) == found.rows


def test_thresholds_are_those_of_the_probabilities(mail):
    (x, y), _ = mail
    model = likely.Classifier().fit(x, y)
    found, loo = report(model, x, y), model.loo
    curve = coverage(loo.labels, loo.predictions, loo.probabilities, classes=loo.classes)
    for one in found.reject_option:
        assert (one.coverage, one.accuracy) == curve.at(one.probability)
    assert found.threshold_label == "spam"
    for one in found.threshold_curve:
        predicted = loo.probabilities[:, 1] >= one.probability
        evaluation = likely.evaluate(loo.truth == 1, predicted, intervals=False).per_class
        assert one.n_predicted == predicted.sum()
        if one.n_predicted:
            assert one.precision == evaluation[-1].precision
        assert one.recall == evaluation[-1].recall


def test_mistakes_come_with_the_words_that_misled(mail):
    (x, y), _ = mail
    model = likely.Classifier().fit(x, y)
    found, loo = report(model, x, y), model.loo
    wrong = loo.predicted != loo.truth
    assert found.n_mistakes == wrong.sum()
    best = loo.probabilities.max(axis=1)
    assert found.mistakes[0].probability == best[wrong].max()
    for row in found.mistakes:
        assert row.label != row.prediction
        text, hour = x["text"][row.number - 1], x["hour"][row.number - 1]
        assert "".join(piece for piece, _ in row.pieces) == f"text: {text} · hour: {hour}"
    # Without its own rows the model leans to the prediction: the contributions add up to that.
    assert sum(value for _, value in found.mistakes[0].pieces) > 0


def test_label_issues_are_those_that_training_names(mail):
    town = likely.open_table(GULLPOINT)
    model = likely.Classifier().fit(town, "office")
    found = report(model, town, "office")
    assert found.label_issues[0].label == "library"
    assert found.label_issues[0].prediction == "harbour"
    assert found.label_issues[0].label_probability < 0.01
    assert found.n_label_issues == len(found.label_issues)


def test_json_is_plain_and_whole(mail):
    (x, y), (x_test, y_test) = mail
    model = likely.Classifier().fit(x, y)
    for found in (report(model, x, y), report(model, x_test, y_test)):
        facts = json.loads(json.dumps(found.to_json(), allow_nan=False))
        assert facts["method"] == ("leave-one-out" if found.left_out else "test")
        assert facts["evaluation"]["accuracy"] == found.evaluation.accuracy
        assert facts["verdict"] == found.verdict
        assert len(facts["mistakes"]) == len(found.mistakes)
        assert facts["origin"]["tally"] == model.digest
        names = {field for field in found.__dataclass_fields__ if field != "left_out"}
        assert names <= {*facts, "method"}


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (["a"] * 60 + ["b"] * 40, "avoids 100 % of the baseline"),
        (["a"] * 100, "no better"),
        (["b"] * 100, "worse than the baseline"),
    ],
)
def test_the_verdict_is_against_the_majority_baseline(predicted, expected):
    from likely.report.gather import _verdict

    truth = ["a"] * 60 + ["b"] * 40
    assert expected in _verdict(likely.evaluate(truth, predicted))
    assert "majority baseline 60.0 % (`a`)" in _verdict(likely.evaluate(truth, predicted))


def test_mistakes_are_explained_by_the_model_that_made_them(mail):
    (x, y), _ = mail
    # Rows that are there twice, under two labels, leave together.
    x, y = {name: column + column[:4] for name, column in x.items()}, [*y, *y[1:4], y[0]]
    for given in (None, {"text": likely.Multinomial(), "hour": likely.Gaussian()}):
        model = likely.Classifier(given).fit(x, y)
        found = report(model, x, y)
        assert found.explained_left_out
        left = model.leave_one_out(x, y)
        why = model.explain_left_out(x, y)
        for row in found.mistakes:
            one = why[row.number - 1]
            assert one.probabilities == pytest.approx(left.probabilities[row.number - 1])
            assert one.probabilities.max() == pytest.approx(row.probability)
            predicted, label = (model.classes.index(name) for name in (row.prediction, row.label))
            hour = sum(
                t.scores[predicted] - t.scores[label]
                for t in one.contributions
                if t.kind == "numeric"
            )
            assert row.pieces[-1][1] == pytest.approx(hour)
        assert "explained by the model without it" in found.html()


def test_the_only_row_of_a_label_is_explained_and_called_that():
    texts = [f"good day {n}" for n in range(10)] + [f"dull night {n}" for n in range(10)]
    labels = ["day"] * 10 + ["night"] * 10
    for given in (None, likely.Multinomial()):
        model = likely.Classifier(given).fit([*texts, "odd good morning"], [*labels, "odd"])
        found = report(model, [*texts, "odd good morning"], [*labels, "odd"])
        (row,) = [row for row in found.mistakes if row.label == "odd"]
        assert row.unknown
        assert not any(other.unknown for other in found.mistakes if other.label != "odd")
        # Nothing but `good` was seen without the row.
        assert [piece for piece, value in row.pieces if value] == ["good"]
        assert "without this row the model does not know" in found.html()
        assert not report(model, texts[:9], labels[:9]).mistakes


def test_where_rows_count_more_than_once_the_page_says_who_explains(mail):
    (x, y), _ = mail
    from likely.model.adjust.group_weights import GroupWeights

    table = x | {"label": y, "who": ["a", "b"] * (len(y) // 2)}
    parts = {"text": likely.Multinomial()}
    model = likely.Classifier(parts).fit(table, "label")
    more = model.with_group_weights(GroupWeights("who", {"a": {"spam": 2}}), table)
    found = report(more, table)
    if found.mistakes:
        assert not found.explained_left_out
        assert "which has learned them" in found.html()


def test_duplicates_that_are_not_shown_are_counted():
    texts = [f"word{n}" for n in range(12) for _ in range(2)] + ["other"] * 3
    model = likely.Classifier(likely.Multinomial()).fit(texts, ["a", "b"] * 12 + ["a", "b", "a"])
    found = report(model, texts, ["a", "b"] * 12 + ["a", "b", "a"])
    assert found.duplicates.groups == 13
    assert len(found.duplicates.examples) == 8
    assert "and 5 different rows with duplicates, not shown" in found.html()


def test_shapes_of_columns_come_in_the_order_of_their_importance():
    rng = np.random.default_rng(2)
    labels = ["a", "b"] * 150
    x = {
        f"n{place}": [rng.normal() + place * (label == "b") / 4 for label in labels]
        for place in range(8)
    }
    model = likely.Classifier().fit(x, labels)
    found = report(model, x, labels)
    importances = [one.importance for one in found.shapes]
    assert len(importances) == 8
    assert importances == sorted(importances, reverse=True)
    assert found.to_json()["shapes"][0] == model.shape(found.shapes[0].column).to_json()
    page = found.html()
    assert '<section id="shapes"' in page
    telling = sum(one >= 0.01 for one in importances)
    assert page.count(": log-odds of <code") == telling
    assert telling <= 6 or "more column" in page
    texts = report(likely.Classifier().fit(["a b", "c d"] * 9, labels[:18]), ["a b"], ["a"])
    assert not texts.shapes
    assert '<section id="shapes"' not in texts.html()
