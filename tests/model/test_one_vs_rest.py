"""One-vs-rest: a binary classifier for each class of single-label rows; the surest wins."""

import random

import numpy as np
import pytest

import likely
from likely import Categorical, Classifier, Gaussian, JointTable, Multinomial
from likely.errors import DataError, ModelError, NotLearnedError, OptionError

WORDS = [letter * 2 for letter in "abcdefghijkl"]


def rows_of_text(classes="xyz", each=20, seed=0):
    """Texts whose words lean towards their class, some of them with another label."""
    chance = random.Random(seed)
    texts, labels = [], []
    for place, label in enumerate(classes):
        for _ in range(each):
            leaning = [1 + 3 * (word % len(classes) == place) for word in range(len(WORDS))]
            texts.append(" ".join(chance.choices(WORDS, leaning, k=chance.randint(2, 9))))
            labels.append(label if chance.random() < 0.8 else chance.choice(classes))
    return texts, labels


TEXTS, LABELS = rows_of_text()
RANDOM = np.random.default_rng(3)
N = 90
TABLE = {
    "a": RANDOM.normal(size=N).round(2),
    "b": np.where(RANDOM.random(N) < 0.1, np.nan, RANDOM.normal(size=N).round(1)),
    "u": RANDOM.choice(["red", "blue", "green"], size=N),
    "v": RANDOM.choice(["p", "q"], size=N),
    "t": [" ".join(RANDOM.choice(WORDS, 4)) for _ in range(N)],
}
KINDS = [
    "xyz"[min(int(abs(a * 1.2)), 2)] if u == "red" else "xyz"[int(RANDOM.integers(3))]
    for a, u in zip(TABLE["a"], TABLE["u"], strict=True)
]
GIVEN = [
    {"t": Multinomial(0.5)},
    {"t": likely.BinaryMultinomial()},
    {"t": likely.TextViews()},
    {"t": likely.ShortText()},
    {("a", "b"): Gaussian(), ("u", "v"): Categorical(m=2.0)},
    {("a", "b"): Gaussian("full", m=2.0)},
    {("a", "b"): Gaussian("shared"), ("u", "v"): JointTable()},
    {("a", "b"): likely.Binned(), "t": Multinomial(), "u": Categorical(missing="value")},
    {("a", "b"): likely.NumberViews()},
]


def at(rows):
    return {name: np.asarray(column, dtype=object)[rows].tolist() for name, column in TABLE.items()}


def fitted(given, x=TABLE, y=KINDS, **options):
    options = {"one_vs_rest": True, "tune": False, **options}
    return Classifier(given, **options).fit(x, y)


# It is what others mean by it


@pytest.mark.parametrize("classes", ["xy", "xyz", "vwxyz"])
def test_probabilities_and_labels_are_those_of_scikit_learn(classes):
    pytest.importorskip("sklearn")
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.naive_bayes import MultinomialNB

    texts, labels = rows_of_text(classes)
    counts = CountVectorizer().fit(texts)
    theirs = OneVsRestClassifier(MultinomialNB()).fit(counts.transform(texts), labels)
    ours = Classifier(Multinomial(), one_vs_rest=True).fit(texts, labels)
    new, _ = rows_of_text(classes, seed=1)
    expected = theirs.predict_proba(counts.transform(new))
    assert ours.predict_proba(new) == pytest.approx(expected, abs=1e-9)
    assert (ours.predict(new) == theirs.predict(counts.transform(new))).all()
    plain = Classifier(Multinomial()).fit(texts, labels)
    if len(classes) > 2:
        assert np.abs(plain.predict_proba(new) - expected).max() > 0.01


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_each_class_has_the_probability_of_a_binary_model_before_they_are_normalized(given):
    found = fitted(given).predict_proba(TABLE)
    alone = np.empty_like(found)
    for place, label in enumerate("xyz"):
        has = ["yes" if kind == label else "no" for kind in KINDS]
        alone[:, place] = Classifier(given, tune=False).fit(TABLE, has).predict_proba(TABLE)[:, 1]
    assert found == pytest.approx(alone / alone.sum(axis=1, keepdims=True), abs=1e-9)
    best = np.array(list("xyz"))[alone.argmax(axis=1)]
    assert (fitted(given).predict(TABLE) == best).all()


def test_of_two_classes_one_against_the_rest_is_one_against_the_other():
    y = np.where(np.array(KINDS) == "x", "x", "other")
    given = {("a", "b"): Gaussian(), "u": Categorical()}
    ours, plain = fitted(given, y=y), fitted(given, y=y, one_vs_rest=False)
    assert ours.predict_proba(TABLE) == pytest.approx(plain.predict_proba(TABLE), abs=1e-12)


def test_of_equals_the_class_that_sorts_first_wins():
    model = fitted(Multinomial(), ["same", "same", "same"], ["b", "c", "a"])
    assert model.predict(["same"]).tolist() == ["a"]
    assert model.predict_proba(["same"])[0] == pytest.approx([1 / 3] * 3)


def test_classes_that_are_all_sure_are_told_apart_by_their_log_odds():
    texts = ["aa aa bb cc"] * 9 + ["aa bb bb cc"] * 9 + ["zz yy xx ww"] * 200
    model = fitted(Multinomial(), texts, ["p"] * 9 + ["q"] * 9 + ["r"] * 200)
    long = ["aa bb cc " * 40 + "bb"]
    found = model.predict_proba(long)[0]
    assert found == pytest.approx([0.5, 0.5, 0.0])
    assert found.argmax() == 1
    assert model.predict(long).tolist() == ["q"]
    assert model.explain(long[0]).prediction == "q"
    assert model.decide(found[None]).tolist() == [1]


# It is a view of the same tally


def test_the_tally_is_that_of_any_other_model():
    ours, plain = fitted(GIVEN[7]), fitted(GIVEN[7], one_vs_rest=False)
    assert ours.tally == plain.tally
    assert ours.digest == plain.digest
    assert ours.to_bytes() != plain.to_bytes()


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_a_row_left_out_is_predicted_as_by_a_model_without_it(given):
    found = fitted(given).leave_one_out(TABLE, KINDS)
    for row in (0, 7, 40, 89):
        rest = np.delete(np.arange(N), row)
        model = fitted(given, at(rest), [KINDS[other] for other in rest])
        assert found.probabilities[row] == pytest.approx(
            model.predict_proba(at([row]))[0], abs=1e-9
        )
        assert found.predictions[row] == model.predict(at([row]))[0]


def test_the_only_row_of_a_class_is_left_out_with_the_class():
    texts, labels = ["aa bb", "aa cc", "bb cc", "cc dd"], ["x", "x", "y", "z"]
    found = fitted(Multinomial(), texts, labels).leave_one_out(texts, labels)
    rest = fitted(Multinomial(), texts[:3], labels[:3])
    assert found.probabilities[3] == pytest.approx([*rest.predict_proba(texts[3:])[0], 0.0])
    assert found.predictions[3] == rest.predict(texts[3:])[0]


def test_it_learns_forgets_merges_and_comes_back_from_a_file():
    model = Classifier(Multinomial(), one_vs_rest=True).fit(TEXTS, LABELS)
    again = likely.classifier.from_bytes(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    assert (again.predict_proba(TEXTS) == model.predict_proba(TEXTS)).all()
    halves = [fitted(Multinomial(), TEXTS[k::2], LABELS[k::2]) for k in (0, 1)]
    assert sum(halves).to_bytes() == model.to_bytes()
    again.update(["aa new words"], ["w"])
    assert again.classes == ("w", "x", "y", "z")
    assert again.predict(["new words"]).item() == "w"
    receipt = again.forget(["aa new words"], ["w"])
    assert receipt.inexact == ()
    assert again.to_bytes() == model.to_bytes()
    with pytest.raises(NotLearnedError):
        again.forget(["never seen"], ["x"])
    with pytest.raises(ModelError, match="differ in their one-vs-rest: True and False"):
        model + Classifier(Multinomial()).fit(TEXTS, LABELS)


def test_a_compact_copy_predicts_the_same():
    for given in (GIVEN[0], GIVEN[7]):
        model = fitted(given)
        copy = likely.classifier.from_bytes(model.compact().to_bytes())
        assert (copy.predict_proba(TABLE) == model.predict_proba(TABLE)).all()


def test_a_plan_serves_it_too():
    plan = Classifier(Multinomial()).plan({"t": TEXTS, "y": LABELS}, "y")
    parts = [{"t": TEXTS[k::3], "y": LABELS[k::3]} for k in range(3)]
    model = Classifier(plan, one_vs_rest=True)
    model.tally = sum(model.observe(part, "y") for part in parts)
    whole = fitted({"t": Multinomial()}, {"t": TEXTS}, LABELS)
    assert (model.predict_proba(TEXTS) == whole.predict_proba(TEXTS)).all()


# Priors and decisions


def test_the_prior_of_a_class_is_against_all_others():
    model = Classifier(Multinomial(), one_vs_rest=True, prior={"x": 0.2, "y": 0.3, "z": 0.5})
    own = model.fit(TEXTS, LABELS).predict_proba(["unknown"])[0]
    assert own == pytest.approx([0.2, 0.3, 0.5])
    even = model.with_prior("uniform").predict_proba(["unknown"])[0]
    assert even == pytest.approx([1 / 3] * 3)


def test_costs_thresholds_and_rules_decide_as_elsewhere():
    model = fitted(Multinomial(), TEXTS, LABELS)
    costly = model.with_decision(costs={("x", "y"): 100, ("x", "z"): 100})
    assert (costly.predict(TEXTS) == "x").mean() > (model.predict(TEXTS) == "x").mean()
    sure = Classifier(Multinomial(), one_vs_rest=True, thresholds={"x": "precision>=0.9"})
    sure.fit(TEXTS, LABELS)
    again = likely.classifier.from_bytes(sure.to_bytes())
    assert 0 < again.thresholds["x"] <= 1
    assert (again.predict(TEXTS) == sure.predict(TEXTS)).all()
    rules = likely.Rules([likely.Rule("odd", "z", words=["qq"])])
    assert model.with_rules(rules).predict(["qq aa"]).item() == "z"


def test_rows_may_count_more_than_once():
    from likely.model.adjust.group_weights import GroupWeights

    rows = {"t": TEXTS, "who": ["f", "m"] * 30, "y": LABELS}
    model = Classifier({"t": Multinomial()}, one_vs_rest=True).fit(rows, "y")
    twice = model.with_group_weights(GroupWeights("who", {"f": {"x": 3}}), rows)
    again = [k for k, (who, y) in enumerate(zip(rows["who"], LABELS, strict=True)) if who == "f"]
    again = [k for k in again if LABELS[k] == "x"] * 2
    more = {"t": [*TEXTS, *(TEXTS[k] for k in again)]}
    expected = fitted({"t": Multinomial()}, more, [*LABELS, *(LABELS[k] for k in again)])
    assert twice.predict_proba(TEXTS) == pytest.approx(expected.predict_proba(TEXTS), abs=1e-12)


def test_a_class_that_no_row_has_may_be_known():
    model = Classifier(Multinomial(), one_vs_rest=True, classes=["w"]).fit(TEXTS, LABELS)
    assert model.classes == ("w", "x", "y", "z")
    assert model.predict_proba(["aa"])[0, 0] == 0
    assert (model.predict(TEXTS) == fitted(Multinomial(), TEXTS, LABELS).predict(TEXTS)).all()


# Explanations


@pytest.mark.parametrize("given", [GIVEN[0], GIVEN[4], GIVEN[7]], ids=str)
def test_contributions_add_up_to_the_log_odds_against_the_rest(given):
    model = fitted(given)
    row = {name: column[0] for name, column in at([3]).items()}
    why = model.explain(row)
    binary = 1 / (1 + np.exp(-why.scores))
    assert binary / binary.sum() == pytest.approx(why.probabilities)
    assert why.prediction == model.predict([row]).item()
    best = model.classes.index(why.prediction)
    assert why.total == pytest.approx(why.scores[best])
    assert f"against the rest {binary[best]:.1%}, log-odds {why.total:+.3f}" in str(why)
    (left_out,) = model.explain_left_out(at([3]), KINDS[3:4])
    expected = model.leave_one_out(at([3]), KINDS[3:4])
    assert left_out.scores == pytest.approx(expected.scores[0])
    rest = [other for other in range(N) if other != 3]
    without = fitted(given, at(rest), [KINDS[other] for other in rest]).explain(row)
    assert left_out.total == pytest.approx(without.total)


def test_what_can_be_asked_of_it():
    model = Classifier({"t": Multinomial(), "u": Categorical()}, one_vs_rest=True)
    x = {"t": TEXTS, "u": ["red", "blue"] * 30}
    model.fit(x, LABELS, loo=True)
    assert model.loo.predictions.tolist() == [model.classes[k] for k in model.loo.predicted]
    assert model.top_features(3)["x"]
    assert [view.columns for view in model.column_importance(x, LABELS, left_out=True)] == [
        ("t",),
        ("u",),
    ]
    assert model.language_model("x").perplexity("aa bb") > 1
    assert model.target_leakage() == []
    assert "decision: one-vs-rest, each class against all others" in str(model.info)
    assert likely.cross_validate(model, x, LABELS, folds=3).evaluate().rows == len(LABELS)
    assert likely.evaluate(LABELS, model.predict(x), model.predict_proba(x)).accuracy > 0.5


def test_its_estimates_are_those_of_each_class():
    given = {("a", "b"): Gaussian(), "u": Categorical()}
    ours, plain = fitted(given).estimates, fitted(given, one_vs_rest=False).estimates
    assert (ours["a", "b"].means == plain["a", "b"].means).all()
    assert (ours["u",].probabilities["u"] == plain["u",].probabilities["u"]).all()


# What it does not do


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.log_joint(TEXTS),
        lambda model: model.log_evidence(TEXTS),
        lambda model: model.sample("x"),
        lambda model: model.by_hand("aa"),
        lambda model: model.linear_form(),
        lambda model: model.influence("aa", TEXTS, LABELS),
        lambda model: model.shape("x"),
    ],
)
def test_what_compares_classes_with_each_other_is_refused(ask):
    with pytest.raises(OptionError, match="compares classes with each other, and a one-vs-rest"):
        ask(fitted(Multinomial(), TEXTS, LABELS))


@pytest.mark.parametrize(
    "given",
    [likely.Complement(), likely.Bernoulli(), Multinomial(0), Multinomial(tfidf=True)],
    ids=repr,
)
def test_what_has_no_counts_of_the_rest_is_refused(given):
    with pytest.raises(OptionError, match="is not for one-vs-rest; texts are learned so by"):
        fitted(given, TEXTS, LABELS)


def test_it_is_for_plain_models_of_rows_with_one_label():
    with pytest.raises(OptionError, match="one-vs-rest is for plain models, and `tune=True`"):
        Classifier(one_vs_rest=True, tune=True)
    with pytest.raises(OptionError, match="there is nothing to tune"):
        fitted(Multinomial(), TEXTS, LABELS).tune(TEXTS, LABELS)
    with pytest.raises(OptionError, match="rows with one label each"):
        fitted(Multinomial(), ["aa", "bb"], [["x"], ["y", "x"]])
    with pytest.raises(DataError, match="every row is `x`"):
        fitted(Multinomial(), ["aa", "bb"], ["x", "x"])
    with pytest.raises(OptionError, match="unlabeled rows need"):
        Classifier(Multinomial(), one_vs_rest=True).fit(TEXTS, LABELS, unlabeled=["aa"])
    default = Classifier(one_vs_rest=True).fit(TEXTS, LABELS)
    assert default.tuning is None
    expected = fitted(Multinomial(text=likely.Text(punctuation=True)), TEXTS, LABELS)
    assert default.predict_proba(TEXTS) == pytest.approx(expected.predict_proba(TEXTS))
