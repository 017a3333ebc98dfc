"""Costs and the threshold of a class: what a single-label model predicts, given probabilities."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely import BinaryMultinomial, Classifier, Multinomial, Rule, Rules
from likely.classifier import from_bytes
from likely.errors import DataTypeError, ModelError, OptionError
from likely.evaluation.model_predictions import predict_rows
from likely.fairness import groups, swaps
from likely.model.adjust.group_thresholds import GroupThresholds
from likely.model.adjust.group_weights import GroupWeights
from likely.model.target import decision
from likely.model.target.decision import ClassThreshold, Costs
from likely.model.target.thresholds import THRESHOLDS
from likely.report import report
from tests.raising import coded

RNG = np.random.default_rng(7)
WORDS = {"ham": ["lunch", "see", "you", "home"], "spam": ["buy", "cheap", "win", "now"]}


def mail(n, seed=7, noise=0.25):
    """Texts of two classes whose words are not quite their own."""
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(n) < 0.35, "spam", "ham")
    other = {"ham": "spam", "spam": "ham"}
    texts = [
        " ".join(
            rng.choice(WORDS[other[label] if rng.random() < noise else label])
            for _ in range(rng.integers(1, 6))
        )
        for label in labels
    ]
    return texts, labels.tolist()


TEXTS, LABELS = mail(160)
CLASSES = ("ham", "spam")
PLAIN = {"likelihood": Multinomial()}


# By hand


def test_the_least_expected_cost_is_predicted():
    """A missed spam costs 5, so it pays from P(spam) · 5 > P(ham) · 1, that is from 1/6, on."""
    costs = Costs.of({("spam", "ham"): 5})
    found = costs.decide(CLASSES, np.array([[0.84, 0.16], [0.83, 0.17], [0.1, 0.9]]))
    assert found.tolist() == [0, 1, 1]
    expected = costs.expected(CLASSES, np.array([[0.75, 0.25]]))
    assert expected.tolist() == [[5 * 0.25, 0.75]]


def test_a_class_may_be_worth_predicting_though_it_is_least_probable():
    """Mistakes between `a` and `b` are grave, and `ask` is cheap whatever is true."""
    grave = {("a", "b"): 10, ("b", "a"): 10, ("a", "ask"): 0.5, ("b", "ask"): 0.5}
    classes, rows = ("a", "ask", "b"), np.array([[0.6, 0.0, 0.4], [0.99, 0.0, 0.01]])
    costs = Costs.of(grave)
    np.testing.assert_allclose(costs.expected(classes, rows), [[4, 0.5, 6], [0.1, 0.5, 9.9]])
    assert costs.decide(classes, rows).tolist() == [1, 0]


def test_of_equal_costs_the_more_probable_is_predicted_then_the_first():
    free = Costs.of({("a", "b"): 0, ("b", "a"): 0})
    rows = np.array([[0.3, 0.7], [0.7, 0.3], [0.5, 0.5]])
    assert free.decide(("a", "b"), rows).tolist() == [1, 0, 0]


def test_a_class_is_predicted_from_its_threshold_on():
    strict = ClassThreshold.of({"spam": 0.9})
    rows = np.array([[0.11, 0.89], [0.1, 0.9], [0.0, 1.0]])
    assert strict.decide(CLASSES, rows).tolist() == [0, 1, 1]


def test_below_its_threshold_the_most_probable_of_the_others_is_predicted():
    eager = ClassThreshold.of({"b": 0.2})
    rows = np.array([[0.5, 0.2, 0.3], [0.5, 0.1, 0.4], [0.3, 0.1, 0.6], [1.0, 0.0, 0.0]])
    assert eager.decide(("a", "b", "c"), rows).tolist() == [1, 0, 2, 0]


def test_an_impossible_class_reaches_no_threshold():
    always = ClassThreshold.of({"b": 0})
    rows = np.array([[1 - 1e-12, 1e-12], [1.0, 0.0]])
    assert always.decide(("a", "b"), rows).tolist() == [1, 0]


# Against brute force


PROBABILITIES = st.integers(1, 4).flatmap(
    lambda n: st.lists(
        st.lists(st.floats(0.001, 1), min_size=4, max_size=4), min_size=n, max_size=n
    )
)
PAIRS = [pair for pair in itertools.product("abcd", "abcd") if pair[0] != pair[1]]


@given(
    rows=PROBABILITIES,
    costs=st.dictionaries(st.sampled_from(PAIRS), st.floats(0, 1e6), min_size=1),
)
def test_no_label_has_a_lower_expected_cost(rows, costs):
    p = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    found = Costs.of(costs).decide(tuple("abcd"), p)
    for row, place in zip(p, found, strict=True):
        expected = [
            sum(
                p_true * (costs.get((true, said), 1.0) if true != said else 0.0)
                for true, p_true in zip("abcd", row, strict=True)
            )
            for said in "abcd"
        ]
        assert expected[place] <= min(expected) * (1 + 1e-12)


@given(rows=PROBABILITIES, certain=st.integers(0, 3), costs=st.dictionaries(
    st.sampled_from(PAIRS), st.sampled_from([0, 1, 7]), min_size=1
), threshold=st.sampled_from([0.0, 0.3, 1.0]))  # fmt: skip
def test_what_is_certain_is_predicted_whatever_decides(rows, certain, costs, threshold):
    """So a rule, which makes its label certain, is never overruled."""
    p = np.eye(4)[np.full(len(rows), certain)]
    for one in (Costs.of(costs), ClassThreshold.of({"b": threshold})):
        assert (one.decide(tuple("abcd"), p) == certain).all()


def test_rows_are_decided_alike_however_many_there_are():
    p = RNG.dirichlet(np.full(30, 0.3), 500)
    classes = tuple(f"c{n:02}" for n in range(30))
    pairs = itertools.permutations(classes, 2)
    costs = Costs.of(dict(zip(pairs, RNG.random(870), strict=True)))
    whole = costs.expected(classes, p)
    alone = np.vstack([costs.expected(classes, row[None]) for row in p])
    assert (whole == alone).all()
    np.testing.assert_allclose(whole, p @ costs.matrix(classes), rtol=1e-12)


def reached(loo, threshold):
    """Precision, recall and F1 of `spam` if it is predicted from a threshold on."""
    p, truth = loo.probabilities[:, 1], loo.truth == 1
    said = (p >= threshold) & (p > 0)
    hits = (said & truth).sum()
    precision = hits / said.sum() if said.any() else 1.0
    return {
        "precision": precision,
        "recall": hits / truth.sum(),
        "f1": 2 * hits / (said.sum() + truth.sum()),
    }


@pytest.mark.parametrize("options", [PLAIN, {}, {"likelihood": BinaryMultinomial(), "tune": True}])
@pytest.mark.parametrize(
    "goal", ["f1", "precision>=0.9", "precision>=0.8", "recall>=0.9", "recall>=0.5", "recall>=1"]
)
def test_the_threshold_is_the_best_by_leave_one_out(options, goal):
    model = Classifier(**options, thresholds={"spam": goal}).fit(TEXTS, LABELS, loo=True)
    loo, (chosen,) = model.loo, model.thresholds.values()
    name, _, least = goal.partition(">=")
    by_threshold = {t: reached(loo, t)[name] for t in THRESHOLDS.tolist()}
    if name == "f1":
        assert by_threshold[chosen] == max(by_threshold.values())
    elif name == "precision":
        assert chosen == min(t for t, figure in by_threshold.items() if figure >= float(least))
    else:
        assert chosen == max(t for t, figure in by_threshold.items() if figure >= float(least))
    # What is measured is what was chosen.
    found = likely.evaluate(loo.labels, loo.predictions, classes=loo.classes, intervals=False)
    assert getattr(found.per_class[1], name) == pytest.approx(by_threshold[chosen])
    assert (loo.predicted == np.where(loo.probabilities[:, 1] >= chosen, 1, 0)).all()
    assert str(model.criterion) == goal


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(4, 60), least=st.sampled_from([0.3, 0.75, 1.0]))
def test_whatever_the_rows_a_criterion_is_met_as_well_as_it_can_be(seed, n, least):
    texts, labels = mail(n, seed)
    if len(set(labels)) < 2:
        return
    for name in ("precision", "recall"):
        model = Classifier(**PLAIN, thresholds={"spam": f"{name}>={least}"})
        loo = model.fit(texts, labels, loo=True).loo
        (chosen,) = model.thresholds.values()
        best = max(reached(loo, t)[name] for t in THRESHOLDS)
        assert reached(loo, chosen)[name] >= min(least, best)


def test_a_recall_that_no_threshold_reaches_is_the_highest_there_is():
    """The only row of its class is impossible without itself, and no threshold finds it."""
    texts = ["a b", "a", "b a", "c d"]
    model = Classifier(**PLAIN, thresholds={"x": "recall>=1"})
    model.fit(texts, ["y", "y", "y", "x"], loo=True)
    assert model.loo.probabilities[3, 0] == 0
    assert model.loo.predictions.tolist() == ["y", "y", "y", "y"]


# What it does to a model, and what it leaves as it is


@pytest.mark.parametrize("options", [PLAIN, {}])
@pytest.mark.parametrize(
    "more",
    [
        {"costs": {("spam", "ham"): 20}},
        {"thresholds": {"spam": "precision>=0.95"}},
        {"thresholds": {"ham": 0.99}},
    ],
)
def test_probabilities_stay_as_they_are(options, more):
    """And so do weights, and whatever else is tuned."""
    simple = Classifier(**options).fit(TEXTS, LABELS, loo=True)
    model = Classifier(**options, **more).fit(TEXTS, LABELS, loo=True)
    assert repr(model.tuning) == repr(simple.tuning)
    assert (model.predict_proba(TEXTS) == simple.predict_proba(TEXTS)).all()
    assert (model.loo.probabilities == simple.loo.probabilities).all()
    assert (model.predict(TEXTS) != simple.predict(TEXTS)).any()
    assert (model.loo.predicted != simple.loo.predicted).any()
    assert (model.loo.most_probable == simple.loo.predicted).all()
    # A label that other rows contradict is one that another label is more probable than.
    assert model.loo.label_issues() == simple.loo.label_issues()
    assert model.digest == simple.digest


def everywhere(model):
    """The predictions of the same rows, asked for in every way there is."""
    found = predict_rows(model, model.labeled(TEXTS, LABELS))
    p = model.predict_proba(TEXTS)
    return {
        "predict": model.predict(TEXTS).tolist(),
        "decide": [model.classes[place] for place in model.decide(p)],
        "one by one": [model.predict([text]).item() for text in TEXTS],
        "explain": [model.explain(text).prediction for text in TEXTS],
        "evaluate": found.predictions.tolist(),
        "loaded": from_bytes(model.to_bytes()).predict(TEXTS).tolist(),
        "compact": model.compact().predict(TEXTS).tolist(),
    }


RULES = Rules([Rule("home", "ham", words=["home"]), Rule("win", "spam", words=["win"])])


@pytest.mark.parametrize("rules", [None, RULES])
@pytest.mark.parametrize(
    "more",
    [
        {"costs": {("spam", "ham"): 6}},
        {"costs": {("ham", "spam"): 0}},
        {"thresholds": {"spam": "recall>=0.95"}},
        {"thresholds": {"spam": 0}},
    ],
)
def test_every_way_to_ask_goes_by_the_decision(more, rules):
    model = Classifier(**PLAIN, **more, rules=rules).fit(TEXTS, LABELS)
    found = everywhere(model)
    assert all(predictions == found["predict"] for predictions in found.values())
    ruled = [rule.label if rule else None for rule in model.ruled(TEXTS)]
    pairs = zip(found["predict"], ruled, strict=True)
    assert all(label == by_rule for label, by_rule in pairs if by_rule is not None)
    left = model.leave_one_out(TEXTS, LABELS)
    assert (left.predicted == model.decide(left.probabilities)).all()
    assert [why.prediction for why in model.explain_left_out(TEXTS, LABELS)] == list(
        left.predictions
    )


def test_an_explanation_says_when_the_most_probable_class_is_not_predicted():
    model = Classifier(**PLAIN).fit(TEXTS, LABELS)
    strict = model.with_decision(thresholds={"spam": 0.999})
    text = next(t for t in TEXTS if 0.9 > model.predict_proba([t])[0, 1] > 0.6)
    p = model.predict_proba([text])[0, 1]
    assert model.explain(text).reason is None
    why = strict.explain(text)
    assert (why.prediction, why.rival) == ("ham", "spam")
    assert f"\nspam is more probable ({p:.1%}), but below its threshold, 0.999\n" in str(why)
    assert sum(map(why.log_odds, why.contributions)) == pytest.approx(why.total)
    assert why.total < 0
    eager = model.with_decision(thresholds={"ham": 0.05}).explain(text)
    assert eager.reason == f"spam is more probable ({p:.1%}), but ham reaches its threshold, 0.05"
    cheap = model.with_decision(costs={("ham", "spam"): 50}).explain(text)
    assert cheap.reason == (
        f"spam is more probable ({p:.1%}), but its expected cost is {50 * (1 - p):.3g}, "
        f"that of ham {p:.3g}"
    )
    assert strict.explain("see you home").reason is None


def test_influence_and_importance_are_those_of_what_is_predicted():
    model = Classifier(**PLAIN).fit(TEXTS, LABELS)
    other = model.with_decision(costs={("ham", "spam"): 1000})
    text = "buy"
    assert (model.predict([text]).item(), other.predict([text]).item()) == ("spam", "ham")
    influences = (each.influence(text, TEXTS, LABELS, n=1)[0] for each in (model, other))
    assert len({np.sign(one.change) * (1 if one.label == "spam" else -1) for one in influences}) > 1
    (by_default,), (by_cost,) = (
        each.column_importance(TEXTS, LABELS, left_out=True) for each in (model, other)
    )
    # Without its one column it knows the prior alone; both then say ham.
    assert by_default.accuracy == by_cost.accuracy
    eager = model.with_decision(thresholds={"spam": 0.01})
    (by_threshold,) = eager.column_importance(TEXTS, LABELS, left_out=True)
    assert by_threshold.accuracy == pytest.approx(LABELS.count("spam") / len(LABELS))
    assert by_threshold.log_loss == by_default.log_loss


def test_folds_choose_a_threshold_of_their_own_and_classes_may_be_absent():
    model = Classifier(**PLAIN, thresholds={"spam": "recall>=0.9"})
    found = likely.cross_validate(model, TEXTS, LABELS, folds=5)
    for fold in range(5):
        test = found.rows[found.folds == fold]
        kept = np.setdiff1d(np.arange(len(TEXTS)), test)
        rest = Classifier(**PLAIN, thresholds={"spam": "recall>=0.9"}).fit(
            [TEXTS[n] for n in kept], [LABELS[n] for n in kept]
        )
        said = rest.predict([TEXTS[n] for n in test])
        assert said.tolist() == found.predictions[found.folds == fold].tolist()
    with pytest.raises(OptionError, check=coded("unknown-class")):
        likely.cross_validate(Classifier(**PLAIN, costs={("spam", "hum"): 2}), TEXTS, LABELS)
    labels = [*LABELS[:-1], "rare"]
    costs = {(true, "rare"): 0.9 for true in CLASSES} | {("ham", "spam"): 30, ("spam", "ham"): 30}
    by_cost = likely.cross_validate(Classifier(**PLAIN, costs=costs), TEXTS, labels, folds=5)
    without = by_cost.folds == by_cost.folds[by_cost.rows == len(TEXTS) - 1]
    assert "rare" in by_cost.predictions[~without]
    # No model predicts a class that it does not know, however cheap that would be.
    assert "rare" not in by_cost.predictions[without]


def test_labels_that_the_model_never_learned_are_not_predicted():
    model = Classifier(**PLAIN, costs={("ham", "spam"): 30, ("spam", "ham"): 30})
    model.fit(TEXTS, LABELS)
    rows = model.labeled(TEXTS[:5], ["news"] * 5)
    found = predict_rows(model, rows)
    assert found.predictions.tolist() == model.predict(TEXTS[:5]).tolist()


@pytest.mark.parametrize("more", [{"costs": {(1, 0): 9}}, {"thresholds": {1: 0.1}}])
@pytest.mark.parametrize("kind", [int, str, float])
def test_labels_are_found_by_their_spelling(more, kind):
    own = [int(label == "spam") for label in LABELS]
    spelled = {
        name: {tuple(map(kind, key)) if isinstance(key, tuple) else kind(key): value}
        for name, options in more.items()
        for key, value in options.items()
    }
    one, other = (Classifier(**PLAIN, **each).fit(TEXTS, own) for each in (more, spelled))
    assert (one.predict(TEXTS) == other.predict(TEXTS)).all()
    assert (one.predict(TEXTS) != Classifier(**PLAIN).fit(TEXTS, own).predict(TEXTS)).any()
    assert from_bytes(other.to_bytes()).to_bytes() == other.to_bytes()


# Rows come and go


def test_a_chosen_threshold_stays_until_it_is_chosen_anew():
    goal = {"thresholds": {"spam": "recall>=0.9"}}
    plain = Classifier(**PLAIN, **goal).fit(TEXTS[:100], LABELS[:100])
    before = plain.thresholds
    plain.update(TEXTS[100:], LABELS[100:])
    assert plain.thresholds == before
    assert "thresholds were chosen" in plain.forget(TEXTS[:1], LABELS[:1]).inexact[-1]
    tuned = Classifier(**goal).fit(TEXTS[:100], LABELS[:100])
    tuned.update(TEXTS[100:], LABELS[100:])
    assert tuned.is_stale
    whole = Classifier(**goal).fit(TEXTS, LABELS)
    assert tuned.tune(TEXTS, LABELS).to_bytes() == whole.to_bytes()
    assert tuned.thresholds == whole.thresholds
    given = Classifier(**PLAIN, thresholds={"spam": 0.9}).fit(TEXTS, LABELS)
    assert not given.forget(TEXTS[:1], LABELS[:1]).inexact


def test_models_with_the_same_decision_add_up_either_way_round():
    def halves(**more):
        return (
            Classifier(**PLAIN, **more).fit(TEXTS[part], LABELS[part])
            for part in (slice(80), slice(80, None))
        )

    for more in ({"costs": {("spam", "ham"): 5}}, {"thresholds": {"spam": "precision>=0.9"}}):
        first, second = halves(**more)
        assert (first + second).to_bytes() == (second + first).to_bytes()
        whole = Classifier(**PLAIN, **more).fit(TEXTS, LABELS)
        assert (first + second).digest == whole.digest
        if "costs" in more:
            assert (first + second).to_bytes() == whole.to_bytes()
    first, _ = halves(costs={("spam", "ham"): 5})
    for more in ({"costs": {("spam", "ham"): 6}}, {"thresholds": {"spam": 0.9}}, {}):
        _, second = halves(**more)
        with pytest.raises(ModelError, match="differ in their thresholds or costs"):
            first + second


def test_a_class_that_was_forgotten_decides_nothing():
    texts, labels = [*TEXTS, "news of the day"], [*LABELS, "news"]
    model = Classifier(**PLAIN, costs={("news", "ham"): 9}).fit(texts, labels)
    model.forget(texts[-1:], labels[-1:])
    assert (model.predict(TEXTS) == Classifier(**PLAIN).fit(TEXTS, LABELS).predict(TEXTS)).all()
    strict = Classifier(**PLAIN, thresholds={"news": 0.1}).fit(texts, labels)
    strict.forget(texts[-1:], labels[-1:])
    assert strict.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()


def test_a_model_that_has_only_counted_has_no_threshold_yet():
    model = Classifier(thresholds={"spam": "precision>=0.9"}).update(TEXTS, LABELS)
    simple = Classifier().update(TEXTS, LABELS)
    assert (model.predict(TEXTS) == simple.predict(TEXTS)).all()
    assert model.criterion is None
    with pytest.raises(OptionError, match="no class has a threshold"):
        _ = model.thresholds
    assert "the threshold of `spam`, for precision>=0.9, is not chosen yet" in " ".join(
        str(model.info).split()
    )
    whole = Classifier(thresholds={"spam": "precision>=0.9"}).fit(TEXTS, LABELS)
    assert model.tune(TEXTS, LABELS).to_bytes() == whole.to_bytes()
    # Without weights, what was chosen with them says nothing.
    assert (
        whole.plain().predict(TEXTS) == Classifier().fit(TEXTS, LABELS).plain().predict(TEXTS)
    ).all()


def test_unlabeled_rows_and_group_weights_go_with_a_decision():
    more = {"unlabeled": TEXTS[60:], "unlabeled_weight": 0.5}
    model = Classifier(thresholds={"spam": "recall>=0.9"}).fit(TEXTS[:60], LABELS[:60], **more)
    simple = Classifier().fit(TEXTS[:60], LABELS[:60], **more)
    assert (model.loo.probabilities == simple.loo.probabilities).all()
    assert (model.loo.predicted == model.decide(model.loo.probabilities)).all()
    assert reached(model.loo, *model.thresholds.values())["recall"] >= 0.9
    # A plain model compares weights by accuracy: that of the most probable class.
    plain, with_costs = (
        Classifier(**PLAIN, costs=costs).fit(TEXTS[:60], LABELS[:60], unlabeled=TEXTS[60:])
        for costs in (None, {("spam", "ham"): 100})
    )
    assert vars(with_costs.learned) == vars(plain.learned)
    rows = {"text": TEXTS, "who": ["a", "b"] * 80}
    weights = GroupWeights("who", {"a": {"spam": 3}})
    for options in ({"likelihood": {"text": Multinomial()}}, {"columns": {"who": "drop"}}):
        one = Classifier(**options, thresholds={"spam": "recall>=0.9"}).fit(rows, LABELS)
        other = one.with_group_weights(weights, rows, LABELS)
        if other.tunes:
            other.tune(rows, LABELS)
        left = other.leave_one_out(rows, LABELS)
        assert (left.predicted == other.decide(left.probabilities)).all()


# What is shown


def test_info_shows_what_decides():
    model = Classifier(**PLAIN, thresholds={"spam": "recall>=0.9"}).fit(TEXTS, LABELS)
    (chosen,) = model.thresholds.values()
    info = model.info
    assert (info.criterion, info.thresholds) == ("recall>=0.9", {"spam": chosen})
    assert info.decision == (
        f"`spam` is predicted from a probability of {chosen:.6g} on (chosen for recall>=0.9), "
        "otherwise the most probable of the others"
    )
    assert f"threshold {chosen:.1%}" in str(info)
    assert model.tuned_numbers == 1
    costs = Classifier(**PLAIN, costs={("spam", "ham"): 5}).fit(TEXTS, LABELS).info
    assert costs.costs == {("spam", "ham"): 5.0}
    assert costs.decision == (
        "the class with the least expected cost is predicted: `ham` for `spam` costs 5, "
        "any other mistake 1"
    )
    assert "decision: the class with the least expected cost" in str(costs)
    assert Classifier(**PLAIN).fit(TEXTS, LABELS).info.decision is None


def test_the_report_goes_by_the_decision():
    model = Classifier(**PLAIN, thresholds={"spam": "recall>=0.95"}).fit(TEXTS, LABELS, loo=True)
    found = report(model, TEXTS, LABELS)
    expected = likely.evaluate(model.loo.labels, model.loo.predictions, intervals=False)
    assert float(found.evaluation.accuracy) == float(expected.accuracy)
    assert found.evaluation.per_class[1].recall >= 0.95
    assert found.n_mistakes == (model.loo.predictions != model.loo.labels).sum()
    predicted = dict(enumerate(model.loo.predictions.tolist(), 1))
    assert all(row.prediction == predicted[row.number] != row.label for row in found.mistakes)
    assert found.decision == model.info.decision
    assert found.to_json()["thresholds"] == [["spam", *model.thresholds.values()]]
    assert "is predicted from a probability of" in found.html()
    texts, labels = mail(90, seed=3)
    tested = report(model, texts, labels)
    assert float(tested.evaluation.accuracy) == np.mean(model.predict(texts) == labels)


def test_an_audit_counts_what_is_predicted():
    rows = {"text": TEXTS, "who": (["a", "b"] * 80), "label": LABELS}
    model = Classifier({"text": Multinomial()}).fit(rows, "label")
    eager = model.with_decision(thresholds={"spam": 0.1})
    for each in (model, eager):
        left = each.leave_one_out(rows, "label")
        found = groups(each, rows, "label", group="who", score="spam")
        for group in found.groups:
            here = np.array(rows["who"]) == group.group
            assert group.rates["selection_rate"] == (left.predictions[here] == "spam").mean()
    told = swaps(eager, rows, pairs=[("buy", "see")])
    flipped = [t for t in TEXTS if "buy" in t.split() or "see" in t.split()]
    other = [
        " ".join({"buy": "see", "see": "buy"}.get(word, word) for word in text.split())
        for text in flipped
    ]
    assert told.flipped == (eager.predict(flipped) != eager.predict(other)).sum()


# Refused


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "is a dictionary by true and predicted label"),
        ([("a", "b", 1)], "is a dictionary by true and predicted label"),
        ({"spam": 5}, "a cost has a true and a predicted label, not 'spam'"),
        ({("spam", "ham"): -1}, "the cost of `ham` for `spam` is a number from 0 to"),
        ({("spam", "ham"): float("nan")}, "the cost of `ham` for `spam` is a number from 0 to"),
        ({("spam", "ham"): float("inf")}, "the cost of `ham` for `spam` is a number from 0 to"),
        ({("spam", "ham"): "5"}, "the cost of `ham` for `spam` is a number from 0 to"),
        ({("spam", "ham"): True}, "the cost of `ham` for `spam` is a number from 0 to"),
        ({("spam", "spam"): 2}, "`spam` for `spam` is no mistake"),
        ({("spam", "spam"): 0}, "names no mistake"),
        ({("spam", None): 2}, "None is no label"),
        ({("spam", float("nan")): 2}, "nan is no label"),
    ],
)
def test_costs_that_make_no_sense_are_refused(given, said):
    with pytest.raises(OptionError, match=said):
        Classifier(costs=given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"spam": 1.5}, "a probability, or what it is chosen for"),
        ({"spam": -0.5, "ham": (1, 2)}, "a threshold for one class, not for `spam`, `ham`"),
        ({"spam": 0.5, "ham": 0.5}, "a threshold for one class, not for `spam`, `ham`"),
        ({"spam": "f3"}, "a criterion is"),
        ({"spam": "precision>=2"}, "a criterion is"),
    ],
)
def test_thresholds_that_make_no_sense_are_refused(given, said):
    with pytest.raises(OptionError, match=said):
        Classifier(thresholds=given)


def test_options_that_contradict_each_other_are_refused():
    with pytest.raises(OptionError, match="both decide which label is predicted"):
        Classifier(thresholds={"spam": 0.5}, costs={("spam", "ham"): 2})
    with pytest.raises(OptionError, match="both decide which label is predicted"):
        Classifier(thresholds="f1", costs={("spam", "ham"): 2})
    with pytest.raises(DataTypeError, check=coded("mixed-labels")):
        Classifier(costs={("spam", 1): 2})
    with pytest.raises(OptionError, match="of all labels are for multi-label rows"):
        Classifier(thresholds="f1").fit(TEXTS, LABELS)
    with pytest.raises(OptionError, match="of all labels are for multi-label rows"):
        Classifier(thresholds={"spam": (1, 10)}).fit(TEXTS, LABELS)
    sets = [[label] for label in LABELS]
    with pytest.raises(OptionError, match="costs of mistakes are for single-label rows"):
        Classifier(costs={("spam", "ham"): 2}).fit(TEXTS, sets)
    with pytest.raises(OptionError, match="the threshold of one class is for single-label rows"):
        Classifier(thresholds={"spam": "f1"}).fit(TEXTS, sets)
    for more in ({"costs": {("spam", "hum"): 2}}, {"thresholds": {"spma": "f1"}}):
        for unlabeled in (None, TEXTS):
            with pytest.raises(OptionError, check=coded("unknown-class")):
                Classifier(**more).fit(TEXTS, LABELS, unlabeled=unlabeled)
    with pytest.raises(OptionError, check=coded("unknown-class")):
        Classifier(thresholds={"spma": "f1"}).update(TEXTS, LABELS).tune(TEXTS, LABELS)


def test_thresholds_by_group_go_with_no_other_decision():
    rows = {"text": TEXTS, "who": ["a", "b"] * 80}
    by_group = GroupThresholds("who", "spam", {"a": 0.9})
    model = Classifier({"text": Multinomial()}).fit(rows, LABELS)
    grouped = model.with_group_thresholds(by_group)
    for more in ({"costs": {("spam", "ham"): 2}}, {"thresholds": {"spam": 0.9}}):
        with pytest.raises(OptionError, match="a model has one of them"):
            grouped.with_decision(**more)
        with pytest.raises(OptionError, match="a model has one of them"):
            model.with_decision(**more).with_group_thresholds(by_group)
        assert model.with_decision(**more).with_group_thresholds(None).decision is not None
    assert grouped.with_decision().group_thresholds == by_group


def test_another_decision_is_the_model_that_was_asked_for_it():
    model = Classifier(**PLAIN, thresholds={"spam": "recall>=0.9"}).fit(TEXTS, LABELS)
    for more in ({"costs": {("spam", "ham"): 2}}, {"thresholds": {"spam": 0.9}}, {}):
        asked = Classifier(**PLAIN, **more).fit(TEXTS, LABELS)
        assert model.with_decision(**more).to_bytes() == asked.to_bytes()
    with pytest.raises(OptionError, match="is chosen on training rows"):
        model.with_decision(thresholds={"spam": "f1"})
    with pytest.raises(OptionError, check=coded("unknown-class")):
        model.with_decision(thresholds={"spma": 0.5})
    with pytest.raises(OptionError, check=coded("single-label-only")):
        Classifier(**PLAIN).fit(TEXTS, [[label] for label in LABELS]).with_decision(costs=None)


@pytest.mark.parametrize(
    ("typed", "label", "value"),
    [
        ("spam=precision>=0.9", "spam", "precision>=0.9"),
        ("a=b,c:d=recall>=0.8", "a=b,c:d", "recall>=0.8"),
        ("a=f1=f1", "a=f1", "f1"),
        ("a=f1=0.5", "a=f1", 0.5),
        ("precision=0.25", "precision", 0.25),
        ("two\nlines=f1", "two\nlines", "f1"),
    ],
)
def test_a_typed_label_may_hold_any_characters(typed, label, value):
    assert decision.read(typed) == ClassThreshold.of({label: value})


@pytest.mark.parametrize("typed", ["f1", "precision>=0.9", "0.9", "=0.9", "spam"])
def test_a_typed_decision_names_a_class(typed):
    with pytest.raises(OptionError, match="names no class"):
        decision.read(typed)


# Real mail


def test_a_spam_filter_that_hardly_ever_errs(public_data):
    table = likely.open_table(public_data / "sms_spam" / "all.csv")
    model = Classifier(thresholds={"spam": "precision>=0.99"}).fit(table, "label")
    loo = model.loo
    spam = loo.classes.index("spam")
    said, true = loo.predicted == spam, loo.truth == spam
    precision, recall = (said & true).sum() / said.sum(), (said & true).sum() / true.sum()
    assert precision >= 0.99
    assert recall > 0.9
    (chosen,) = model.thresholds.values()
    lower = [
        ((loo.probabilities[:, spam] >= t) & true).sum() / (loo.probabilities[:, spam] >= t).sum()
        for t in THRESHOLDS[: THRESHOLDS.tolist().index(chosen)]
    ]
    assert max(lower) < 0.99
    # Such a figure holds on rows that were not there when it was chosen.
    found = likely.cross_validate(
        Classifier(thresholds={"spam": "precision>=0.99"}), table, "label", folds=3
    )
    assert found.evaluate(intervals=False).per_class[spam].precision > 0.97
