"""Rows with any number of labels: the laws, equality with separate models, and thresholds."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import likely
from likely import BinaryMultinomial, Classifier, Multinomial
from likely.errors import DataError, DataTypeError, ModelError, NotLearnedError, OptionError
from likely.model.target import MultiLabel, probabilities, with_thresholds
from likely.model.target.thresholds import THRESHOLDS, ThresholdCriterion, histograms

VOCABULARY = ["oil", "wheat", "gold", "game", "vote", "rain"]
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=6).map(" ".join)
SETS = st.sets(st.sampled_from("abc")).map(sorted)
ROWS = st.lists(st.tuples(WORDS, SETS), min_size=2, max_size=9)
LIKELIHOODS = st.sampled_from(
    [Multinomial(0.5), BinaryMultinomial(1.0), Multinomial(text=likely.Text((1, 2)))]
)

TEXTS = [
    "oil prices rise",
    "wheat and oil exports",
    "wheat harvest",
    "a game of chess",
    "oil tanker",
    "grain and wheat",
    "the match was dull",
    "oil for wheat",
]
LABELS = [["oil"], ["oil", "wheat"], ["wheat"], [], ["oil"], ["wheat"], [], ["oil", "wheat"]]


def fitted(rows, likelihood, **options):
    texts, labels = [row[0] for row in rows], [row[1] for row in rows]
    return Classifier(likelihood, **options).fit(texts, labels)


def some_label(rows):
    return any(labels for _, labels in rows)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS.filter(some_label), likelihood=LIKELIHOODS)
def test_it_is_a_model_of_each_label_against_the_rest(rows, likelihood):
    model = fitted(rows, likelihood)
    new = [*(text for text, _ in rows), "oil and gold", "", "unknown"]
    found = model.predict_proba(new)
    for place, label in enumerate(model.classes):
        has = [label in labels for _, labels in rows]
        if len(set(has)) < 2:
            continue
        alone = Classifier(likelihood).fit([text for text, _ in rows], has)
        np.testing.assert_allclose(found[:, place], alone.predict_proba(new)[:, 1], atol=1e-10)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS.filter(some_label), more=ROWS, likelihood=LIKELIHOODS, data=st.data())
def test_the_laws(rows, more, likelihood, data):
    model = fitted(rows, likelihood)
    before = model.to_bytes()
    texts, labels = [row[0] for row in more], [row[1] for row in more]
    # More, and less again.
    model.update(texts, labels)
    together = fitted([*rows, *more], likelihood)
    assert model.to_bytes() == together.to_bytes()
    if some_label(more):
        assert (fitted(rows, likelihood) + fitted(more, likelihood)).to_bytes() == (
            together.to_bytes()
        )
    assert model.forget(texts, labels).rows == len(more)
    assert model.to_bytes() == before
    # In any order, in any number of threads, through a file.
    mixed = data.draw(st.permutations(rows))
    assert fitted(mixed, likelihood, threads=2).to_bytes() == before
    assert likely.classifier.from_bytes(before).to_bytes() == before


@settings(max_examples=40, deadline=None)
@given(rows=ROWS, likelihood=LIKELIHOODS)
def test_leaving_a_row_out_is_retraining_without_it(rows, likelihood):
    labels = {label for _, row in rows for label in row}
    assume(labels)
    known = sorted(labels)
    found = fitted(rows, likelihood, classes=known).leave_one_out(*zip(*rows, strict=True))
    for row, (text, _) in enumerate(rows):
        rest = rows[:row] + rows[row + 1 :]
        if not some_label(rest):
            continue
        alone = fitted(rest, likelihood, classes=known).predict_proba([text])[0]
        np.testing.assert_allclose(found.probabilities[row], alone, atol=1e-10)


def test_lists_sets_and_matrices_are_the_same_labels():
    matrix = [[int(label in row) for label in ("oil", "wheat")] for row in LABELS]
    models = [
        Classifier(Multinomial()).fit(TEXTS, LABELS),
        Classifier(Multinomial()).fit(TEXTS, [set(row) for row in LABELS]),
        Classifier(Multinomial(), separator=";").fit(TEXTS, [";".join(row) for row in LABELS]),
    ]
    assert len({model.digest for model in models}) == 1
    named = Classifier(Multinomial(), classes=["oil", "wheat"]).fit(TEXTS, np.array(matrix))
    assert named.digest == models[0].digest
    assert Classifier(Multinomial()).fit(TEXTS, np.array(matrix)).classes == (0, 1)


def test_the_columns_of_a_matrix_are_named_in_the_order_given(tmp_path):
    names = ["wheat", "oil"]
    matrix = np.array([[label in row for label in names] for row in LABELS])
    named = Classifier(Multinomial(), classes=names).fit(TEXTS, matrix)
    assert named.digest == Classifier(Multinomial()).fit(TEXTS, LABELS).digest
    named.save(tmp_path / "m.likely")
    again = likely.load(tmp_path / "m.likely")
    again.forget(TEXTS[:3], matrix[:3])
    assert again.digest == Classifier(Multinomial()).fit(TEXTS[3:], LABELS[3:]).digest


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_the_columns_of_a_frame_are_labels(kind):
    frames = pytest.importorskip(kind)
    cells = {name: [int(name in row) for row in LABELS] for name in ("wheat", "oil")}
    lists = Classifier(Multinomial()).fit(TEXTS, LABELS)
    assert Classifier(Multinomial()).fit(TEXTS, frames.DataFrame(cells)).to_bytes() == (
        lists.to_bytes()
    )
    with pytest.raises(DataError, match="`wheat` is no class"):
        Classifier(Multinomial(), classes=["oil", "grain"]).fit(TEXTS, frames.DataFrame(cells))
    cells["oil"][0] = 2
    with pytest.raises(DataError, match="row 1 has 2 where a matrix of labels has 0 or 1"):
        Classifier(Multinomial()).fit(TEXTS, frames.DataFrame(cells))


def test_a_label_named_twice_counts_once():
    twice = [[*row, *row] for row in LABELS]
    assert Classifier().fit(TEXTS, twice).digest == Classifier().fit(TEXTS, LABELS).digest


def test_the_default_model_learns_predicts_explains_and_is_stored(tmp_path):
    model = Classifier().fit(TEXTS * 5, LABELS * 5)
    assert model.is_multilabel
    assert model.predict(["wheat and oil", "a dull game"]) == [["oil", "wheat"], []]
    probabilities = model.predict_proba(["wheat"])
    assert probabilities.shape == (1, 2)
    why = model.explain("oil and wheat")
    assert why.prediction == ["oil", "wheat"]
    np.testing.assert_allclose(
        1 / (1 + np.exp(-why.log_odds)), model.predict_proba(["oil and wheat"])[0], atol=1e-9
    )
    assert "threshold" in str(why)
    model.save(tmp_path / "m.likely")
    again = likely.load(tmp_path / "m.likely")
    assert again.to_bytes() == model.to_bytes()
    assert again.thresholds == model.thresholds
    assert again.predict(TEXTS) == model.predict(TEXTS)
    assert model.compact().predict(TEXTS) == model.predict(TEXTS)
    assert set(model.top_features(2)) == {"oil", "wheat"}
    assert model.top_features(1)["wheat"][0][0] == "wheat"


def test_the_fit_does_not_depend_on_order_or_threads():
    order = np.random.default_rng(0).permutation(len(TEXTS) * 3)
    texts, labels = TEXTS * 3, LABELS * 3
    first = Classifier().fit(texts, labels)
    mixed = Classifier(threads=3).fit([texts[i] for i in order], [labels[i] for i in order])
    assert first.to_bytes() == mixed.to_bytes()


def test_what_is_learned_later_makes_thresholds_stale_and_refit_mends_them():
    model = Classifier().fit(TEXTS * 3, LABELS * 3)
    before = model.to_bytes()
    model.update(["gold coins"], [["gold"]])
    assert model.is_stale
    assert model.thresholds["gold"] == model.fitted.target.shared
    receipt = model.forget(["gold coins"], [["gold"]])
    assert receipt.classes_gone == ("gold",)
    assert not model.is_stale
    assert model.to_bytes() == before
    model.update(["gold coins"], [["gold"]]).tune(
        [*TEXTS * 3, "gold coins"], [*LABELS * 3, ["gold"]]
    )
    assert not model.is_stale
    anew = Classifier().fit([*TEXTS * 3, "gold coins"], [*LABELS * 3, ["gold"]])
    assert model.to_bytes() == anew.to_bytes()


def test_leave_one_out_of_the_default_model_is_kept_and_can_be_made_again():
    model = Classifier().fit(TEXTS * 3, LABELS * 3)
    assert model.loo.labels == LABELS * 3
    again = model.leave_one_out(TEXTS * 3, LABELS * 3)
    np.testing.assert_allclose(model.loo.probabilities, again.probabilities, atol=1e-9)
    assert 0 <= model.loo.accuracy <= 1


def test_a_set_that_was_not_learned_cannot_be_forgotten():
    model = Classifier(Multinomial()).fit(TEXTS, LABELS)
    before = model.to_bytes()
    with pytest.raises(NotLearnedError):
        model.forget(["oil tanker"], [["oil", "wheat"]])
    assert model.to_bytes() == before
    loose = Classifier(Multinomial(), ledger=False).fit(["x", "x"], [["a"], []])
    with pytest.raises(NotLearnedError):
        loose.forget(["x", "x"], [[], []])


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([[]] * 8, "no row has a label"),
        ([["a"], "b"] + [[]] * 6, "row 2 is 'b', not a list of labels"),
        ([["a", 1]] + [[]] * 7, "row 1: labels are of one kind"),
        ([[None]] + [[]] * 7, "row 1: label 1 is missing"),
        ([["a"]] * 3, "8 rows but 3 labels"),
        (np.array([["a", "b"]] * 8), "not ndarray"),
        (np.array([[2, 0]] * 8), "row 1 has 2 where a matrix of labels has 0 or 1"),
    ],
)
def test_labels_that_make_no_sense_are_refused_in_a_sentence(labels, said):
    with pytest.raises((DataError, DataTypeError), match=said):
        Classifier(Multinomial()).fit(TEXTS, labels)


def test_what_goes_with_one_label_only_is_refused():
    with pytest.raises(OptionError, match="Bernoulli"):
        Classifier(likely.Bernoulli()).fit(TEXTS, LABELS)
    with pytest.raises(DataError, match="single-label data, not multi-label"):
        Classifier().fit(TEXTS, LABELS, unlabeled=["oil"])
    model = Classifier(Multinomial()).fit(TEXTS, LABELS)
    with pytest.raises(DataError, match="others multi-label"):
        model.update(["oil"], ["oil"])
    with pytest.raises(OptionError, match="no prior of given shares"):
        Classifier(Multinomial(), prior={"oil": 0.5, "wheat": 0.5}).fit(TEXTS, LABELS)
    with pytest.raises(ModelError):
        model + Classifier(Multinomial()).fit(TEXTS[:2], ["a", "b"])
    one_of = Classifier(Multinomial()).fit(TEXTS[:2], ["a", "b"])
    with pytest.raises(OptionError, match="no class has a threshold"):
        _ = one_of.thresholds


def test_goals_are_read_and_refused():
    assert str(ThresholdCriterion.of("recall>=0.5")) == "recall>=0.5"
    assert ThresholdCriterion.of({"a": (1, 5)}).costs == {"a": (1.0, 5.0)}
    for wrong in ("precision", "f2", "precision>=1.5", 3, {"a": 1}, {"a": (-1, 2)}):
        with pytest.raises(OptionError):
            ThresholdCriterion.of(wrong)


def chosen(goal, there, gone):
    """The threshold chosen for one label whose log-odds are these."""
    odds = np.array([*there, *gone])[:, None]
    has = np.arange(len(odds))[:, None] < len(there)
    decision = with_thresholds(
        MultiLabel(ThresholdCriterion.of(goal)), ("a",), *histograms(probabilities(odds), has)
    )
    bar = decision.thresholds["a"]
    return np.log(bar / (1 - bar))


def test_thresholds_meet_their_goals():
    there, gone = [2.02, 1.02, 0.02, -0.98], [1.51, -1.49, -1.99, -2.99]
    # F1 is best when all four are said with one false alarm; a threshold between −1.49 and −0.98.
    assert -1.49 < chosen("f1", there, gone) <= -0.98
    assert chosen("precision>=1.0", there, gone) > 1.51
    assert 1.0 < chosen("recall>=0.5", there, gone) <= 1.02
    assert chosen({"a": (1, 100)}, there, gone) > 1.51
    assert chosen({"a": (100, 1)}, there, gone) <= -0.98


def test_rare_labels_take_the_threshold_of_all():
    width = THRESHOLDS.size + 1
    there, gone = np.zeros((2, width)), np.zeros((2, width))
    there[0, 200:240], gone[0, 100:190] = 5.0, 50.0
    there[1, 10], gone[1, 9:150] = 1.0, 1.0  # by itself it would be said nearly always
    found = with_thresholds(MultiLabel(), ("common", "rare"), there, gone).thresholds
    assert found["rare"] > 0.2


GOALS = st.one_of(
    st.just("f1"),
    st.sampled_from([0.05, 0.5, 0.8, 0.95, 1.0]).flatmap(
        lambda least: st.sampled_from([f"recall>={least}", f"precision>={least}"])
    ),
    st.just({"a": (10, 1), "b": (0, 1), "c": (1, 1000)}),
)
LOG_ODDS = st.one_of(
    st.sampled_from([-np.inf, -800.0, -40.0, -8.05, -8.0, 0.0, 8.0, 8.05, 40.0, 800.0, np.inf]),
    st.floats(-12, 12),
)


@settings(max_examples=300, deadline=None)
@given(
    cells=st.lists(st.lists(st.tuples(LOG_ODDS, st.booleans()), min_size=3, max_size=3)),
    goal=GOALS,
)
def test_whatever_the_rows_thresholds_meet_the_goal_as_well_as_any_could(cells, goal):
    """Labels without positives, labels of every row, ties, and log-odds however far."""
    odds = np.array([[odds for odds, _ in row] for row in cells]).reshape(-1, 3)
    has = np.array([[there for _, there in row] for row in cells], dtype=bool).reshape(-1, 3)
    goal = ThresholdCriterion.of(goal)
    probability = probabilities(odds)
    found = with_thresholds(MultiLabel(goal), ("a", "b", "c"), *histograms(probability, has))
    assert all(0 <= bar <= 1 for bar in found.threshold_array(("a", "b", "c")))
    if not has.any():
        assert found == MultiLabel(goal)
        return

    def figures(bar):
        said = probability >= bar
        hits, wrong, missed = (said & has).sum(), (said & ~has).sum(), (~said & has).sum()
        return {
            "recall": hits / has.sum(),
            "precision": hits / said.sum() if said.any() else 1.0,
            "f1": 2 * hits / (said.sum() + has.sum()),
            "cost": -(missed + wrong),
        }

    reached = figures(found.shared)[goal.name]
    best = max(figures(bar)[goal.name] for bar in THRESHOLDS)
    assert reached >= (best if goal.least is None else min(goal.least, best)) - 1e-12


def test_a_row_that_the_model_would_never_give_its_label_counts_in_a_recall():
    texts = [f"{word} {word}{i % 50}" for i in range(4000) for word in ("oil", "wheat")]
    labels = [[text.split()[0]] for text in texts]
    odd = "wheat wheat7 wheat8 wheat9"
    model = Classifier(thresholds="recall>=1.0").fit([*texts, odd], [*labels, ["oil"]])
    assert model.loo.probabilities[-1, 0] < 1e-8
    assert "oil" in model.loo.predictions[-1]


def recall(judged):
    return (judged.predicted & judged.truth).sum() / judged.truth.sum()


@pytest.mark.parametrize("options", [{"likelihood": Multinomial()}, {"tune": False}])
def test_a_goal_is_heeded_by_a_plain_model_too(options):
    """Whether its likelihood was given or picked; its probabilities stay as they are."""
    rows = TEXTS * 3 + ["wheat is dull", "oil is dull", "a game"], LABELS * 3 + [["oil"]] * 3
    bold = Classifier(**options, thresholds="recall>=1").fit(*rows, loo=True)
    strict = Classifier(**options, thresholds="precision>=1").fit(*rows, loo=True)
    plain = Classifier(**options).fit(*rows, loo=True)
    assert recall(bold.loo) == 1 > recall(strict.loo)
    assert (bold.predict_proba(TEXTS) == plain.predict_proba(TEXTS)).all()
    assert set(plain.thresholds.values()) == {0.5}
    assert plain.criterion is None
    assert str(bold.criterion) == "recall>=1"
    loaded = likely.classifier.from_bytes(bold.to_bytes())
    assert loaded.thresholds == bold.thresholds


def test_what_was_chosen_for_a_goal_does_not_forget():
    model = Classifier(Multinomial(), thresholds="f1").fit(TEXTS, LABELS)
    assert "thresholds were chosen" in model.forget(TEXTS[:1], LABELS[:1]).inexact[-1]
    assert not Classifier(Multinomial()).fit(TEXTS, LABELS).forget(TEXTS[:1], LABELS[:1]).inexact


def test_plain_models_with_goals_add_up_either_way_round():
    first = Classifier(Multinomial(), thresholds="recall>=1.0").fit(TEXTS[:4], LABELS[:4])
    second = Classifier(Multinomial(), thresholds="recall>=1.0").fit(TEXTS[4:], LABELS[4:])
    assert (first + second).to_bytes() == (second + first).to_bytes()


def test_folds_choose_thresholds_of_their_own():
    model = Classifier(Multinomial(), thresholds="recall>=1.0").fit(TEXTS * 3, LABELS * 3)
    found = likely.cross_validate(model, TEXTS * 3, LABELS * 3, folds=3)
    assert found.evaluate().micro_recall >= 0.9


def test_info_shows_thresholds_and_goal():
    shown = str(Classifier(thresholds="recall>=0.9").fit(TEXTS * 3, LABELS * 3).info)
    assert "24 rows with any of 2 labels" in shown
    assert "recall>=0.9" in shown
    assert "  threshold " in shown
    plain = Classifier(Multinomial()).fit(TEXTS, LABELS)
    assert "labels; thresholds are one half" in str(plain.info)


def test_cross_validation_predicts_sets():
    found = likely.cross_validate(Classifier(Multinomial()), TEXTS * 3, LABELS * 3, folds=3)
    assert found.evaluate().is_multilabel
    assert len(found.predictions) == 24


def test_many_labels_are_predicted_and_weighed_in_parts(monkeypatch):
    """Where they are too many, no matrix of all rows and labels is made."""
    texts = [f"topic{n} word{n % 7} the" for n in range(150)] * 3
    labels = [[f"l{n}", f"g{n % 7}"] for n in range(150)] * 3
    monkeypatch.setattr(likely.model.tuning, "_MOST_SCORES", 1)
    model = Classifier().fit(texts, labels)
    whole = model.predict(texts[:40])
    monkeypatch.setattr(likely.model.fitted, "_AT_ONCE", 3 * len(model.classes))
    assert model.predict(texts[:40]) == whole
    assert sum(f"g{n % 7}" in said for n, said in enumerate(whole)) > 35
    assert model.tuning.rows < len(texts)


def test_newswire_with_ninety_labels(public_data):
    """Reuters' ApteMod split from the raw files; thresholds come from its training rows alone."""
    folder = public_data / "reuters_aptemod"
    model = Classifier(threads=2).fit(folder / "train.jsonl", "labels")
    assert len(model.classes) == 90
    with (folder / "test.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    found = likely.evaluate(
        [row["labels"] for row in rows],
        model.predict([row["text"] for row in rows]),
        classes=model.classes,
        intervals=False,
    )
    assert found.micro_f1 > 0.81
    assert found.macro_f1 > 0.40


@given(ROWS.filter(lambda rows: any(labels for _, labels in rows)))
def test_columns_of_0_and_1_are_lists_of_labels(rows):
    texts = [text for text, _ in rows]
    table = {"text": texts} | {c: [int(c in labels) for _, labels in rows] for c in "abc"}
    marked = Classifier({"text": Multinomial()}).fit(table, "a,b,c")
    listed = Classifier({"text": Multinomial()}).fit({"text": texts}, [row[1] for row in rows])
    assert marked.tally == listed.tally
    assert marked.classes == listed.classes
