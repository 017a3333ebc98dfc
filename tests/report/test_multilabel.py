"""The report on rows with any number of labels, against where else its facts can be had from."""

import json

import numpy as np
import pytest

import likely
from likely.errors import DataError
from likely.report import report
from tests.report.test_page import HOSTILE, sections

WORDS = {
    "oil": ["oil", "barrel", "opec", "crude"],
    "wheat": ["wheat", "grain", "harvest", "bushel"],
    "gold": ["gold", "ounce", "mine"],
}
COMMON = ["price", "market", "said", "year", "trade"]


def drawn(rows, seed):
    """Texts with none to three labels, some of them wrong."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(rows):
        own = [label for label in WORDS if rng.random() < 0.35]
        words = list(rng.choice(COMMON, 3))
        for label in own:
            words += list(rng.choice(WORDS[label], 2))
        if rng.random() < 0.1:
            words += list(rng.choice(WORDS[str(rng.choice(list(WORDS)))], 2))
        texts.append(" ".join(words))
        labels.append(own)
    return texts, labels


@pytest.fixture(scope="module")
def news():
    return drawn(300, 1), drawn(100, 2)


@pytest.fixture(scope="module")
def model(news):
    (texts, labels), _ = news
    return likely.Classifier().fit(texts, labels)


@pytest.fixture(scope="module")
def learned(model, news):
    return report(model, *news[0])


def test_rows_that_were_learned_are_left_out(model, news, learned):
    loo = model.loo
    expected = likely.evaluate(loo.labels, loo.predictions, loo.probabilities, classes=loo.classes)
    for found in (learned, report(model, *news[0], loo=loo)):
        assert found.left_out
        assert found.evaluation.to_json() == expected.to_json()
    assert found.learning_curve[-1].rows == 300
    assert found.learning_curve[-1].micro_f1 == expected.micro_f1


def test_other_rows_are_a_test(model, news):
    texts, labels = news[1]
    found = report(model, texts, labels)
    assert not found.left_out
    assert found.learning_curve == ()
    predicted, proba = model.predict(texts), model.predict_proba(texts)
    expected = likely.evaluate(labels, predicted, proba, classes=model.classes)
    assert found.evaluation.to_json() == expected.to_json()


def test_a_label_that_the_model_does_not_know_is_missed_and_no_label_issue(model, news):
    texts, labels = news[1]
    found = report(model, [*texts, "oil barrel"], [*labels, ["oil", "silver"]])
    (silver,) = (one for one in found.evaluation.per_class if one.label == "silver")
    assert silver.recall == 0
    assert "silver" not in found.thresholds
    assert not any(claim.label == "silver" for claim in found.label_issues)
    assert "silver" in found.html()


def test_thresholds_and_what_one_for_all_would_bring(model, learned):
    assert learned.thresholds == model.thresholds
    assert learned.criterion == "f1"
    loo = model.loo
    for point in learned.threshold_curve:
        evaluation = likely.evaluate(
            loo.truth, loo.probabilities >= point.probability, intervals=False
        )
        assert point.n_predicted == (loo.probabilities >= point.probability).sum()
        assert point.precision == evaluation.micro_precision
        assert point.recall == evaluation.micro_recall
        assert point.f1 == pytest.approx(evaluation.micro_f1)


def test_calibration_is_of_each_label_by_itself(model, learned):
    loo = model.loo
    some = loo.probabilities >= 0.01
    assert learned.calibration.rows == some.sum()
    given, there = loo.probabilities[some], loo.truth[some]
    for one in learned.calibration.reliability:
        here = (given >= one.low) & (given < one.high if one.high < 1 else given <= 1)
        assert one.rows == here.sum()
        assert one.confidence == pytest.approx(given[here].mean())
        assert one.accuracy == pytest.approx(there[here].mean())
    own = np.where(loo.truth, loo.probabilities, 1 - loo.probabilities)
    assert learned.calibration.log_loss == pytest.approx(-np.log(own).sum(axis=1).mean())


def test_calibration_before_weighing_is_that_of_a_plain_model(model, news, learned):
    (texts, labels), test = news
    views = next(iter(model.plain().likelihood.values()))
    plain = likely.Classifier(views, tune=False).fit(texts, labels, loo=True)
    expected = report(plain, texts, labels)
    assert expected.criterion is None
    assert set(expected.thresholds.values()) == {0.5}
    assert learned.calibration_plain == expected.calibration
    assert report(model, *test).calibration_plain == report(plain, *test).calibration


def test_a_step_of_the_learning_curve_is_a_model_of_so_many_rows(news):
    (texts, labels), _ = news
    model = likely.Classifier(likely.Multinomial()).fit(texts, labels)
    steps = report(model, texts, labels).learning_curve
    hashes = likely._kernel.Texts(texts).chain(np.zeros(len(texts), dtype=np.uint64))
    assert len(steps) > 2
    for step in steps:
        first = np.argsort(hashes, kind="stable")[: step.rows].tolist()
        some = [texts[row] for row in first], [labels[row] for row in first]
        small = likely.Classifier(likely.Multinomial()).fit(*some, loo=True)
        predicted = dict(enumerate(small.predict(texts))) | dict(
            zip(first, small.loo.predictions, strict=True)
        )
        expected = likely.evaluate(labels, [predicted[row] for row in range(300)], intervals=False)
        assert step.micro_f1 == expected.micro_f1
        assert step.macro_f1 == expected.macro_f1


def test_mistakes_are_false_positives_and_false_negatives(model, news, learned):
    (texts, labels), _ = news
    loo = model.loo
    assert learned.n_mistakes == (loo.predicted != loo.truth).sum()
    for claim in learned.mistakes:
        place = loo.classes.index(claim.label)
        assert claim.has_label == (claim.label in labels[claim.number - 1])
        assert claim.has_label != (claim.label in claim.predictions)
        assert list(claim.labels) == sorted(labels[claim.number - 1])
        assert list(claim.predictions) == loo.predictions[claim.number - 1]
        assert claim.probability == loo.probabilities[claim.number - 1, place]
        assert "".join(piece for piece, _ in claim.pieces) == texts[claim.number - 1]
    alarms = loo.probabilities[loo.predicted & ~loo.truth]
    misses = loo.probabilities[loo.truth & ~loo.predicted]
    assert max(c.probability for c in learned.mistakes if not c.has_label) == alarms.max()
    assert min(c.probability for c in learned.mistakes if c.has_label) == misses.min()


def test_words_speak_for_the_label_in_question(learned):
    alarm = next(claim for claim in learned.mistakes if not claim.has_label)
    own = set(WORDS[alarm.label])
    assert sum(value for piece, value in alarm.pieces if piece in own) > 0
    assert sum(value for piece, value in alarm.pieces if piece not in own) < 0


def test_labels_that_are_wrong_are_label_issues():
    texts, labels = drawn(400, 3)
    texts += ["gold mine ounce gold gold", "oil barrel crude oil oil"]
    labels += [["wheat"], []]
    model = likely.Classifier().fit(texts, labels)
    found = report(model, texts, labels)
    doubted = {(claim.number, claim.label, claim.has_label) for claim in found.label_issues}
    assert {(401, "gold", False), (401, "wheat", True), (402, "oil", False)} <= doubted
    own = np.where(model.loo.truth, model.loo.probabilities, 1 - model.loo.probabilities)
    assert found.n_label_issues == (own < 0.01).sum()


def test_a_label_of_one_row_is_no_label_issue():
    texts, labels = drawn(200, 4)
    model = likely.Classifier().fit([*texts, "silver spoon"], [*labels, ["silver"]])
    found = report(model, [*texts, "silver spoon"], [*labels, ["silver"]])
    assert not any(claim.label == "silver" for claim in found.label_issues)


def test_duplicates_with_other_labels_are_conflicting():
    texts, labels = drawn(60, 5)
    texts += ["oil and wheat"] * 3
    labels += [["wheat", "oil"], ["oil", "wheat"], []]
    model = likely.Classifier().fit(texts, labels)
    found = report(model, texts, labels).duplicates
    by_text = {one.text: dict(one.labels) for one in found.examples}
    assert by_text["oil and wheat"] == {("oil", "wheat"): 2, (): 1}
    page = report(model, texts, labels).html()
    assert '<code dir="auto">oil</code>, <code dir="auto">wheat</code> 2; no label 1</td>' in page


def test_a_matrix_is_read_by_the_names_of_its_columns(news):
    (texts, labels), _ = news
    names = ["wheat", "oil", "gold"]
    matrix = np.array([[name in own for name in names] for own in labels])
    model = likely.Classifier(classes=names).fit(texts, matrix)
    found = report(model, texts, matrix)
    assert found.left_out
    expected = report(likely.Classifier().fit(texts, labels), texts, labels)
    assert found.evaluation.to_json() == expected.evaluation.to_json()


def test_a_file_spells_labels_that_are_numbers(news, tmp_path):
    (texts, labels), _ = news
    codes = [[list(WORDS).index(label) + 9 for label in own] for own in labels]
    model = likely.Classifier(separator=";").fit(texts, codes)
    path = tmp_path / "news.csv"
    lines = [f"{t},{';'.join(map(str, own))}" for t, own in zip(texts, codes, strict=True)]
    path.write_text("\n".join(["text,labels", *lines]) + "\n", "utf-8")
    found = report(model, {"text": texts}["text"], codes)
    table = likely.open_table(path)
    named = likely.Classifier(separator=";").fit({"text": texts}, codes)
    again = report(named, table, "labels")
    assert again.left_out
    assert again.evaluation.to_json() == found.evaluation.to_json()


def test_without_a_column_a_plain_model_is_one_trained_without_it(news):
    (texts, labels), (tests, truth) = news
    notes, parts = (
        [text[::-1] for text in texts],
        {"a": likely.Multinomial(), "b": likely.BinaryMultinomial()},
    )
    x, y = {"a": texts, "b": notes}, labels
    model = likely.Classifier(parts).fit(x, y)
    for kind in model.column_importance(x, y, left_out=True):
        (other,) = parts.keys() - set(kind.columns)
        alone = likely.Classifier({other: parts[other]}).fit(x, y, loo=True).loo
        assert kind.accuracy == alone.accuracy
        assert kind.log_loss == pytest.approx(log_loss(alone.probabilities, alone.truth), abs=1e-12)
    x_test = {"a": tests, "b": tests}
    for kind in model.column_importance(x_test, truth):
        (other,) = parts.keys() - set(kind.columns)
        alone = likely.Classifier({other: parts[other]}).fit(x, y)
        has = np.array([[label in own for label in alone.classes] for own in truth])
        predicted = map(sorted, alone.predict(x_test))
        right = [one == sorted(own) for one, own in zip(predicted, truth, strict=True)]
        assert kind.accuracy == np.mean(right)
        expected = log_loss(alone.predict_proba(x_test), has)
        assert kind.log_loss == pytest.approx(expected, abs=1e-12)


def log_loss(probabilities, has):
    own = np.where(has, probabilities, 1 - probabilities)
    return -np.log(np.maximum(own, np.finfo(float).eps)).sum(axis=1).mean()


def test_views_are_worth_what_their_absence_costs(model, news, learned):
    whole, *views = learned.column_importance
    assert not whole.is_part
    assert all(view.is_part for view in views)
    # Without any evidence each label has the share of rows that have it.
    assert whole.log_loss > max(view.log_loss for view in views) > learned.calibration.log_loss
    assert len(learned.column_importance) == len(report(model, *news[1]).column_importance)
    page = learned.html()
    assert "subset accuracy without it" in page
    assert all(f">{view.view}</th>" in page for view in views)
    assert not learned.dependences


def test_the_page_says_what_the_facts_say(learned):
    page = learned.html()
    assert sections(page) == [
        "metrics",
        "classes",
        "calibration",
        "thresholds",
        "learning",
        "features",
        "importance",
        "mistakes",
        "labels",
        "duplicates",
        "origin",
    ]
    for text in (
        "micro-F1",
        "label ranking",
        "Hamming loss",
        "threshold of its own",
        "False positives",
    ):
        assert text in page
    for bar in learned.thresholds.values():
        assert f"<td>{bar * 100:.1f} %</td>" in page
    assert "False negatives" in page
    assert "chosen on leave-one-out predictions for the best F1" in page


def test_json_is_plain_and_whole(model, news, learned):
    for found in (learned, report(model, *news[1])):
        facts = json.loads(json.dumps(found.to_json(), allow_nan=False))
        assert facts["evaluation"]["is_multilabel"]
        assert dict(facts["thresholds"]) == found.thresholds
        assert len(facts["mistakes"]) == len(found.mistakes)
        names = {field for field in found.__dataclass_fields__ if field != "left_out"}
        assert names <= {*facts, "method"}


def test_whatever_a_file_holds_stays_text(tmp_path):
    rng = np.random.default_rng(0)
    names = ["<script>x</script>", "a;b, c`d`", "عربي", "x" * 300]
    texts = [" ".join(rng.choice(HOSTILE, 2)) + f" word{row % 7}" for row in range(80)]
    labels = [[name for name in names if rng.random() < 0.4] for _ in texts]
    page = report(likely.Classifier().fit(texts, labels), texts, labels).html()
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert "عربي" in page


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["oil", "", "wheat"], [["a"], [], ["b"]]),
        (["oil", "oil", "oil"], [["a"], ["a"], ["a"]]),
        (["", "", ""], [[], [], ["a"]]),
        (["oil"] * 40 + [f"word{row}" for row in range(40)], [["a"]] * 40 + [[]] * 40),
        ([f"word{row}" for row in range(100)], [["a"], *[[]] * 99]),
    ],
)
def test_few_rows_and_few_labels_have_a_page(texts, labels):
    for options in ({}, {"tune": False}):
        model = likely.Classifier(**options).fit(texts, labels)
        assert "<h1" in report(model, texts, labels).html()
        assert "<h1" in report(model, ["new"], [[]]).html()


def test_rows_of_one_label_are_refused(model):
    with pytest.raises(DataError, match="single-label, but the model is multi-label"):
        report(model, ["oil", "wheat"], ["oil", "wheat"])
