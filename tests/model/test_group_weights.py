"""Rows that count more than once in the estimates, and once in the tally."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely.data.table import Table
from likely.errors import DataError, ModelError, NotLearnedError, OptionError
from likely.likelihoods.stacked_linear import assign_folds
from likely.model.adjust.group_weights import MOST_WEIGHT, GroupWeights
from tests.raising import coded

WORDS = ["tea", "cake", "rain", "sun", "late", "kind"]
TIMES = GroupWeights("who", {"a": {"neg": 3}, "b": {"pos": 2, "neg": 5}})
EVERY_MODEL = {
    "text": {"text": likely.Multinomial()},
    "binary": {"text": likely.BinaryMultinomial()},
    "complement": {"text": likely.Complement()},
    "numbers": {("n", "m"): likely.Gaussian("full")},
    "categories": {"who": likely.Categorical(), "n": likely.Gaussian()},
}


@st.composite
def tables(draw, least=6):
    n = draw(st.integers(least, 14))
    cells = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
    numbers = st.lists(st.integers(-5, 5), min_size=n, max_size=n)
    labels = ["pos", "neg", "pos", "neg"]
    return {
        "text": draw(st.lists(cells, min_size=n, max_size=n)),
        "n": [x + place / 8 for place, x in enumerate(draw(numbers))],
        "m": [x * x + place % 3 for place, x in enumerate(draw(numbers))],
        "who": draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=n, max_size=n)),
        "label": labels + draw(st.lists(st.sampled_from(labels), min_size=n - 4, max_size=n - 4)),
    }


def at(rows, places):
    return {name: [cells[place] for place in places] for name, cells in rows.items()}


def repeated(rows, times=TIMES):
    count = times.of(rows["who"], rows["label"])
    return at(rows, np.repeat(np.arange(len(count)), count))


@pytest.mark.parametrize("kind", EVERY_MODEL)
@settings(max_examples=25, deadline=None)
@given(rows=tables())
def test_estimates_are_those_of_rows_counted_so_often(kind, rows):
    model = likely.Classifier(EVERY_MODEL[kind]).fit(rows, "label")
    view = model.with_group_weights(TIMES, rows)
    again = likely.Classifier(EVERY_MODEL[kind]).fit(repeated(rows), "label")
    assert (view.predict_proba(rows) == again.predict_proba(rows)).all()
    assert view.digest == model.digest
    assert view.tally == model.tally
    assert view.with_group_weights(None).to_bytes() == model.to_bytes()


@settings(max_examples=40, deadline=None)
@given(rows=tables(), more=tables(), kind=st.sampled_from(list(EVERY_MODEL)))
def test_rows_come_and_go_exactly(rows, more, kind):
    """What is learned and forgotten under the times is what was there from the start, or never."""
    view = likely.Classifier(EVERY_MODEL[kind]).fit(rows, "label").with_group_weights(TIMES, rows)
    both = {name: rows[name] + more[name] for name in rows}
    before, digest = view.to_bytes(), view.digest
    view.update(more)
    whole = likely.Classifier(EVERY_MODEL[kind]).fit(both, "label").with_group_weights(TIMES, both)
    assert view.digest == whole.digest
    assert (view.predict_proba(both) == whole.predict_proba(both)).all()
    receipt = view.forget(more)
    assert any("group weights were chosen" in one for one in receipt.inexact)
    assert view.to_bytes() == before
    assert view.digest == digest
    apart = likely.Classifier(EVERY_MODEL[kind]).fit(more, "label").with_group_weights(TIMES, more)
    assert ((view + apart).predict_proba(both) == whole.predict_proba(both)).all()


@pytest.fixture(scope="module")
def rows():
    chance = np.random.default_rng(3)
    n = 200
    who = chance.choice(["a", "b"], n)
    label = np.where(chance.random(n) < np.where(who == "a", 0.8, 0.3), "pos", "neg")
    words = np.where(label == "pos", "lovely", "awful")
    words = np.where(chance.random(n) < 0.2, "so-so", words)
    names = np.where(who == "a", "Ada", "Bob")
    texts = [
        f"{name} had {word} {chance.choice(WORDS)} {chance.choice(WORDS)}"
        for name, word in zip(names, words, strict=True)
    ]
    return {"text": texts, "who": who.tolist(), "label": label.tolist()}


@pytest.fixture(scope="module")
def model(rows):
    return likely.Classifier(columns={"who": "drop"}).fit(rows, "label")


@pytest.fixture(scope="module")
def view(model, rows):
    return model.with_group_weights(TIMES, rows).tune(rows)


def test_a_weighed_model_is_weighed_by_rows_as_they_count(model, view, rows):
    again = likely.Classifier(columns={"who": "drop"}).fit(repeated(rows), "label")
    assert (view.predict_proba(rows) == again.predict_proba(rows)).all()
    assert model.with_group_weights(TIMES, rows).is_stale
    assert not view.is_stale
    assert view.tuning.to_json() == again.tuning.to_json()


def test_left_out_rows_leave_with_all_their_copies(rows):
    """Each is judged as by a model trained on the other folds alone."""
    likelihood = {"text": likely.Multinomial()}
    view = likely.Classifier(likelihood).fit(rows, "label").with_group_weights(TIMES, rows)
    judged = view.leave_one_out(rows)
    assert judged.labels.tolist() == rows["label"]
    (texts,) = view.fitted.product.read(Table.of(rows))
    folds = assign_folds(judged.truth, texts.chain(np.zeros(len(texts), dtype=np.uint64)))
    assert len(set(folds)) == 5
    for fold in set(folds):
        here, others = (np.flatnonzero(which) for which in (folds == fold, folds != fold))
        assert not {rows["text"][n] for n in here} & {rows["text"][n] for n in others}
        again = likely.Classifier(likelihood).fit(repeated(at(rows, others)), "label")
        assert (judged.probabilities[here] == again.predict_proba(at(rows, here))).all()


def test_the_view_is_kept_and_said(view, model, rows, tmp_path):
    view.save(tmp_path / "m.likely")
    back = likely.load(tmp_path / "m.likely")
    assert back.to_bytes() == view.to_bytes()
    assert pickle.loads(pickle.dumps(view)).to_bytes() == view.to_bytes()
    assert back.group_weights == TIMES
    assert (back.predict_proba(rows) == view.predict_proba(rows)).all()
    info = back.info
    assert info.rows == model.info.rows
    said = "by `who` and label: `a`, `neg` 3; `b`, `neg` 5; `b`, `pos` 2; all others"
    assert any(said in note for note in info.notes)
    assert not any("was chosen for other rows" in note for note in info.notes)
    back.forget(at(rows, [0]))
    assert any("was chosen for other rows" in note for note in back.info.notes)


def test_every_other_view_keeps_it(view, rows):
    for other in (
        view.with_prior("empirical"),
        view.with_rules(None),
        view.with_group_thresholds(None),
    ):
        assert (other.predict_proba(rows) == view.predict_proba(rows)).all()
    assert view.with_neutral(["Ada"]).group_weights == TIMES
    assert view.plain().group_weights is None
    copy = view.compact()
    assert (copy.predict_proba(rows) == view.predict_proba(rows)).all()
    assert any("rows count more than once" in note for note in copy.info.notes)
    assert likely.classifier.from_bytes(copy.to_bytes()).to_bytes() == copy.to_bytes()
    assert view.column_importance(rows, left_out=True)


def test_learning_anew_counts_each_row_once(view, rows):
    other = view.with_prior("empirical").fit(rows, "label")
    assert other.group_weights is None


def test_what_cannot_be_is_refused(view, model, rows):
    first = at(rows, [0])
    before = view.to_bytes()
    with pytest.raises(DataError, match="column `who` is missing"):
        view.with_prior("empirical").update({k: first[k] for k in ("text", "label")})
    wrong = {**first, "who": ["c"]}
    with pytest.raises(NotLearnedError, match="with another value of `who`"):
        view.forget(wrong)
    assert view.to_bytes() == before
    with pytest.raises(DataError, match="has learned 200 rows, and 1 were given"):
        model.with_group_weights(TIMES, first)
    with pytest.raises(NotLearnedError):
        model.with_group_weights(TIMES, {**rows, "text": ["x", *rows["text"][1:]]})
    with pytest.raises(ModelError, match="differ in their group weights"):
        view + model
    for count in (0, 1.5, True, MOST_WEIGHT + 1):
        with pytest.raises(OptionError, match="a whole number of times"):
            GroupWeights("who", {"a": {"pos": count}})
    with pytest.raises(ModelError, match="makes no sense"):
        GroupWeights.from_json({"column": "who"})
    is_multilabel = likely.Classifier(likely.Multinomial()).fit(["a b", "b"], [["x"], ["x", "y"]])
    with pytest.raises(OptionError, check=coded("single-label-only")):
        is_multilabel.with_group_weights(TIMES)
