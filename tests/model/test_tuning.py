"""How far to trust each kind of evidence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely.errors import NotFittedError, NotLearnedError, OptionError
from likely.likelihoods import TextViews
from likely.likelihoods.text_views import View, candidates
from likely.model.tuning import _tempered
from tests.raising import coded
from tests.tuned import with_weights

POSITIVE = ["good", "great", "fine", "lovely", "superb", "warm"]
NEGATIVE = ["bad", "awful", "dull", "poor", "grim", "cold"]
NEUTRAL = ["film", "plot", "scene", "actor", "story", "music", "end", "the", "a", "of"]


def reviews(rows, seed=0, noise=0.2):
    """Texts whose words lean with their label, each polar word in a pair that repeats it."""
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(rows):
        positive = bool(random.random() < 0.5)
        words = []
        for _ in range(int(random.integers(3, 12))):
            agrees = bool(random.random() > noise)
            polar = POSITIVE if positive == agrees else NEGATIVE
            word = str(random.choice(polar if random.random() < 0.4 else NEUTRAL))
            words.extend([word, f"very-{word}"] if random.random() < 0.5 else [word])
        texts.append(" ".join(words))
        labels.append("pos" if positive else "neg")
    return texts, labels


def calibration_error(model, texts, labels):
    return float(likely.evaluate(labels, model.predict(texts), model.predict_proba(texts)).ece)


def log_loss(model, texts, labels):
    places = [model.classes.index(label) for label in labels]
    return -np.log(model.predict_proba(texts)[np.arange(len(labels)), places]).mean()


def test_weighed_evidence_is_calibrated():
    train, test = reviews(600), reviews(2000, seed=1)
    model = likely.Classifier(TextViews()).fit(*train)
    before = calibration_error(model, *test), log_loss(model, *test)
    model.tune(*train)
    after = calibration_error(model, *test), log_loss(model, *test)
    assert after[0] < 0.05 < before[0]
    assert after[1] < before[1]


@pytest.mark.parametrize("likelihood", [likely.Multinomial(), likely.Bernoulli()])
def test_a_classic_model_gets_a_temperature(likelihood):
    train, test = reviews(400), reviews(1000, seed=1)
    model = likely.Classifier(likelihood).fit(*train)
    before = log_loss(model, *test)
    model.tune(*train)
    (factor,) = model.tuning.factors
    assert 0 < factor.weight < 1
    assert model.likelihood == likelihood
    assert log_loss(model, *test) < before


def test_the_tally_stays_and_learning_goes_on():
    texts, labels = reviews(80)
    model = likely.Classifier(TextViews()).fit(texts, labels)
    digest = model.digest
    model.tune(texts, labels)
    assert model.digest == digest
    weights = model.likelihood
    model.update(["good film"], ["pos"]).forget(["good film"], ["pos"])
    assert (model.digest, model.likelihood) == (digest, weights)


@settings(max_examples=10)
@given(seed=st.integers(0, 10_000), threads=st.integers(1, 3))
def test_neither_order_nor_threads_show(seed, threads):
    texts, labels = reviews(40)
    order = np.random.default_rng(seed).permutation(len(texts))
    turned = [texts[row] for row in order], [labels[row] for row in order]
    model = likely.Classifier(TextViews()).fit(texts, labels).tune(texts, labels)
    other = likely.Classifier(TextViews(), threads=threads).fit(*turned).tune(*turned)
    assert model.to_bytes() == other.to_bytes()


def test_explanations_add_up():
    texts, labels = reviews(100)
    model = likely.Classifier(TextViews()).fit(texts, labels).tune(texts, labels)
    for text in texts[:10]:
        evidence = model.explain(text)
        odds = np.log(evidence.probabilities[::-1] / evidence.probabilities)[0]
        scores = evidence.scores
        assert scores[1] - scores[0] == pytest.approx(odds, abs=1e-9)
        words = [term.name for term in evidence.contributions if term.kind == "word"]
        assert len(words) == len(set(words))


def test_pieces_of_words_speak_with_their_word():
    views = (
        View("word", "binary-multinomial", whole=1.0),
        View("char n-gram", "multinomial", whole=0.5),
    )
    model = with_weights(likely.Classifier(TextViews()).fit(*reviews(100)), views)
    evidence = model.explain("a good-natured film, good and lovelyish")
    kinds = {term.name: term.kind for term in evidence.contributions}
    assert kinds["good"] == "word"
    pieces = [name for name, kind in kinds.items() if kind == "char n-gram"]
    # `lovelyish` is no word the model knows, so its pieces stand by themselves.
    assert any("ovel" in piece for piece in pieces)
    assert not any(piece in " good " for piece in pieces)
    odds = np.log(evidence.probabilities[1] / evidence.probabilities[0])
    assert evidence.scores[1] - evidence.scores[0] == pytest.approx(odds, abs=1e-9)


def test_words_speak_for_a_class_rather_than_their_pieces():
    texts, labels = reviews(100)
    model = likely.Classifier().fit(texts, labels)
    strongest = [name for name, _ in model.top_features(4)["pos"]]
    assert set(strongest) & set(POSITIVE)
    assert all(name.strip() == name for name in strongest)
    (features,) = [f.likelihood.text.blocks for f in model.fitted.product.factors]
    assert features == {"word": 0, "bigram": 1, "char n-gram": 2}


def test_a_column_that_weighs_nothing_speaks_for_no_class():
    table, labels = {"told": ["a", "a", "b"], "mute": ["c", "c", "d"]}, ["x", "x", "y"]
    parts = {"told": likely.Categorical(), "mute": likely.Categorical()}
    model = likely.Classifier(parts, tune=True).fit(table, labels)
    top = with_weights(model, 0.5, 0.0).top_features()
    assert [name for name, _ in top["x"]] == ["told=a"]
    assert [name for name, _ in top["y"]] == ["told=b"]


def test_it_comes_back_from_a_file(tmp_path):
    texts, labels = reviews(60)
    model = likely.Classifier({"t": TextViews(), "n": likely.Gaussian()})
    table = {"t": texts, "n": [len(text) for text in texts]}
    model.fit(table, labels).tune(table, labels).save(tmp_path / "m.likely")
    again = likely.load(tmp_path / "m.likely")
    assert (again.predict_proba(table) == model.predict_proba(table)).all()
    assert again.with_prior("uniform").predict_proba(table).shape == (60, 2)


def test_each_row_is_scored_without_its_copies():
    texts, labels = reviews(60, noise=0.5)
    # A text that stands there many times with one label teaches nothing about itself.
    odd = ["grim grim tale of xyzzy"] * 30
    both = texts + odd, labels + ["pos"] * 30
    model = likely.Classifier(TextViews()).fit(*both).tune(*both)
    (factor,) = model.tuning.factors
    longest = [view for view in factor.likelihood.views if view.features == "char n-gram"]
    assert sum(view.whole for view in longest) < 0.5


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_few_rows_stay_near_naive_bayes(seed):
    texts, labels = reviews(60, seed=seed)
    few = [row for label in ("neg", "pos") for row in np.flatnonzero(np.array(labels) == label)[:8]]
    train = [texts[row] for row in few], [labels[row] for row in few]
    test = reviews(500, seed=9)
    plain = likely.Classifier(likely.Multinomial()).fit(*train)
    model = likely.Classifier(TextViews()).fit(*train).tune(*train)
    right = [np.mean(m.predict(test[0]) == np.array(test[1])) for m in (plain, model)]
    assert right[1] > right[0] - 0.1


def test_a_lonely_row_is_left_out_of_the_fit():
    texts, labels = reviews(40)
    texts, labels = [*texts, "once upon a time"], [*labels, "tale"]
    model = likely.Classifier(TextViews()).fit(texts, labels).tune(texts, labels)
    assert np.isfinite(model.predict_proba(texts)).all()


def test_what_makes_no_sense_is_refused():
    texts, labels = reviews(20)
    model = likely.Classifier(likely.Complement()).fit(texts, labels)
    with pytest.raises(OptionError, match="takes no prior, so it cannot be tuned"):
        model.tune(texts, labels)
    model = likely.Classifier(TextViews()).fit(texts, labels)
    with pytest.raises(NotLearnedError):
        model.tune(["never seen"], ["pos"])
    with pytest.raises(OptionError, check=coded("not-joint")):
        model.tune(texts, labels).log_joint(texts)
    with pytest.raises(OptionError, match="is not read for"):
        TextViews(text=likely.Text()).with_views((View("char n-gram", "binary-multinomial"),))


def test_every_kind_that_is_read_has_its_views():
    text = likely.Text((1, 3), 3, surface_features=True)
    features = {view.features for view in candidates(text, 2)}
    assert features == {"word", "bigram", "trigram", "char n-gram", "surface feature"}
    # Of two classes each is the complement of the other.
    assert not any("complement" in view.model for view in candidates(text, 2))
    assert any("complement" in view.model for view in candidates(text, 3))


# The default


@pytest.fixture(scope="module")
def default():
    return likely.Classifier().fit(*reviews(200))


def test_the_default_model_is_weighed_and_left_out_by_fit(default):
    texts, labels = reviews(200)
    assert default.tuning.rows == 200
    assert not default.is_stale
    again = default.leave_one_out(texts, labels)
    assert (again.probabilities == default.loo.probabilities).all()
    assert default.loo.labels.tolist() == labels
    assert default.to_bytes() == likely.Classifier().fit(texts, labels).to_bytes()


def test_left_out_rows_are_scored_as_if_they_had_not_been_learned(default):
    texts, labels = reviews(200)
    scores = default.loo.scores
    for row in (0, 7, 199):
        # The weights stay; the counts go.
        other = default.with_prior("empirical")
        other.forget([texts[row]], [labels[row]])
        odds = np.diff(np.log(other.predict_proba([texts[row]])))[0, 0]
        assert np.diff(scores[row])[0] == pytest.approx(odds, abs=1e-9)


def test_weights_are_stale_once_other_rows_are_learned():
    texts, labels = reviews(60)
    model = likely.Classifier().fit(texts, labels)
    before = model.to_bytes()
    model.update(["good film"], ["pos"])
    assert model.is_stale
    assert any("tuned on other rows" in note for note in model.info.notes)
    with pytest.raises(NotFittedError, match="leave-one-out"):
        _ = model.loo
    receipt = model.forget(["good film"], ["pos"])
    assert receipt.inexact == ()
    assert not model.is_stale
    assert model.to_bytes() == before
    receipt = model.forget(texts[:1], labels[:1])
    assert "tune" in receipt.inexact[0]
    assert model.tune(texts[1:], labels[1:]).is_stale is False
    assert model.to_bytes() == likely.Classifier().fit(texts[1:], labels[1:]).to_bytes()


def test_halves_that_were_weighed_apart_add_up():
    texts, labels = reviews(90)
    a = likely.Classifier().fit(texts[:30], labels[:30])
    b = likely.Classifier().fit(texts[30:], labels[30:])
    both = a + b
    assert both.is_stale
    assert both.to_bytes() == (b + a).to_bytes()
    assert both.likelihood == b.likelihood
    assert both.tune(texts, labels).to_bytes() == likely.Classifier().fit(texts, labels).to_bytes()


def test_without_a_ledger_staleness_is_seen_in_the_counts():
    texts, labels = reviews(40)
    model = likely.Classifier(ledger=False).fit(texts, labels)
    assert not model.is_stale
    model.update(["good"], ["pos"])
    assert model.is_stale
    model.forget(["good"], ["pos"])
    assert not model.is_stale


def test_labels_that_the_rest_contradicts_are_suspicious():
    texts, labels = reviews(200, noise=0.05)
    labels[17] = {"pos": "neg", "neg": "pos"}[labels[17]]
    found = likely.Classifier().fit(texts, labels).loo.label_issues(3)
    assert found[0].row == 17
    assert found[0].label == labels[17] != found[0].likelier
    assert found[0].probability > 0.5


def test_copies_leave_together_and_are_told():
    texts, labels = reviews(60)
    twice = [*texts, texts[4]], [*labels, labels[4]]
    loo = likely.Classifier().fit(*twice).loo
    assert np.flatnonzero(loo.has_duplicates).tolist() == [4, 60]
    assert (loo.scores[4] == loo.scores[60]).all()


def test_long_texts_are_read_by_their_phrases():
    texts, labels = reviews(30)
    short = likely.Classifier().fit(texts, labels)
    long = likely.Classifier().fit([" ".join([text] * 40) for text in texts], labels)
    (short,), (long,) = short.likelihood.values(), long.likelihood.values()
    assert (short.text.word_ngrams, short.text.char_ngrams) == ((1, 2), (3, 5))
    assert (long.text.word_ngrams, long.text.char_ngrams) == ((1, 3), (3, 5))


def test_each_column_has_a_weight_of_its_own():
    texts, labels = reviews(120)
    random = np.random.default_rng(0)
    sign = [1.0 if label == "pos" else -1.0 for label in labels]
    table = {
        "text": texts,
        "telling": sign + random.normal(size=120),
        "noise": random.normal(size=120),
    }
    _, numbers = likely.Classifier().fit(table, labels).tuning.factors
    weight = {view.columns: view.weight for view in numbers.likelihood.views if view.kind == "bins"}
    assert weight[("telling",)] > weight.get(("noise",), 0)


@pytest.mark.parametrize("rows", [0, 1, 2, 3])
def test_rows_that_cannot_be_left_out_leave_naive_bayes(rows):
    texts = ["red fish", "blue car", "red red fish", "blue bus", "green"][: 2 + rows]
    labels = ["animal", "thing", "animal", "thing", "plant"][: 2 + rows]
    model = likely.Classifier().fit(texts, labels)
    assert model.predict(["a fish"]).item() == "animal"
    assert model.predict(["a car"]).item() == "thing"
    assert np.isfinite(model.predict_proba(texts)).all()


def plainly(model, table):
    """Whether a weighed model predicts as it would unweighed."""
    return (np.array(model.predict(table)) == np.array(model.plain().predict(table))).mean()


def test_six_rows_of_a_table_are_told_apart():
    # Without a row two are left of its class, and they know little of how it varies.
    table = {"height": [150.0, 160, 152, 181, 190, 185]}
    model = likely.Classifier().fit(table, list("aaabbb"))
    assert plainly(model, table) == 1
    assert (model.predict_proba(table).max(axis=1) > 0.75).all()


@pytest.mark.parametrize("rows", [10, 15, 20, 30])
@pytest.mark.parametrize("seed", range(3))
def test_few_flowers_are_told_apart_as_well_as_by_plain_naive_bayes(rows, seed):
    flowers = pytest.importorskip("sklearn.datasets").load_iris()
    order = np.random.default_rng(seed).permutation(len(flowers.data))
    columns = dict(zip("abcd", flowers.data.T, strict=True))
    some = {name: column[order[:rows]] for name, column in columns.items()}
    rest = {name: column[order[rows:]] for name, column in columns.items()}
    model = likely.Classifier().fit(some, flowers.target[order[:rows]])
    right = [
        np.mean(m.predict(rest) == flowers.target[order[rows:]]) for m in (model, model.plain())
    ]
    assert right[0] > right[1] - 0.02


def test_columns_that_tell_nothing_leave_the_prior():
    """Left out, 57 % of 14 days are right by Naive Bayes, 64 % by the larger class."""
    days = "ssorrrossrsoor", "01000110001101", "nnyyynynyyyyyn"
    outlook, windy, play = (list(cells) for cells in days)
    model = likely.Classifier().fit({"outlook": outlook, "windy": windy}, play)
    assert {factor.weight for factor in model.tuning.factors} == {0.0}
    assert model.predict_proba({"outlook": ["o"], "windy": ["0"]})[0, 1] == pytest.approx(9 / 14)
    assert any("class frequencies" in note for note in model.info.notes)


@pytest.mark.parametrize(("rows", "least"), [(20, 0.7), (60, 0.85), (300, 0.9)])
def test_on_permuted_labels_the_prior_is_chosen(rows, least):
    random, chosen = np.random.default_rng(rows), []
    for _ in range(40):
        table = {name: random.normal(size=rows) for name in "abc"}
        table["kind"] = random.choice(list("xyz"), size=rows)
        model = likely.Classifier().fit(table, random.permutation(list("pq") * (rows // 2)))
        chosen.append({factor.weight for factor in model.tuning.factors} == {0.0})
    assert np.mean(chosen) >= least


def canned(n, seed):
    """Half of the rows have one of three texts, by their label; the others are random words."""
    random = np.random.default_rng(seed)
    texts = ["please reset my password", "where is my parcel", "cancel the subscription now"]
    labels = random.integers(0, 3, size=n)
    rows = [
        texts[label] if random.random() < 0.5 else " ".join(random.choice(WORDS, size=4))
        for label in labels
    ]
    return rows, labels.tolist()


WORDS = [f"w{i}" for i in range(200)]


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize("seed", range(4))
def test_rows_that_repeat_a_few_texts_are_told_apart_by_them(n, seed):
    model = likely.Classifier().fit(*canned(n, seed))
    texts, labels = canned(1000, seed + 100)
    assert np.mean(model.predict(texts) == np.array(labels)) > 0.6


def test_where_plain_is_kept_it_is_said_and_stored():
    texts, labels = canned(200, 0)
    model = likely.Classifier().fit(texts, labels)
    assert model.tuning.is_plain
    assert any("plain Naive Bayes was kept" in note for note in model.info.notes)
    plain = likely.Classifier(likely.Multinomial()).fit(texts, labels)
    np.testing.assert_allclose(model.predict_proba(texts), plain.predict_proba(texts))
    loaded = likely.classifier.from_bytes(model.to_bytes())
    assert loaded.tuning.to_json() == model.tuning.to_json()
    assert not loaded.is_stale
    assert loaded.tune(texts, labels).to_bytes() == model.to_bytes()


def test_weights_that_do_no_harm_are_kept():
    assert not likely.Classifier().fit(*reviews(400)).tuning.is_plain


def test_several_plain_factors_are_tempered_each_and_then_together():
    asked = []

    def temper(scores):
        asked.append(scores.copy())
        return 1 / scores.max()

    text, view, vectors = (np.array([[0.0, most]]) for most in (8.0, 2.0, 4.0))
    assert _tempered([text, view], [0, None], temper) == [1 / 8, 0.0]
    assert _tempered([view], [None], temper) == [0.0]
    asked.clear()
    # The two terms of a text are one model, of at most 10; scaled to 1 each, both are at most 2.
    weights = _tempered([text, view, vectors], [0, 0, 2], temper)
    assert weights == pytest.approx([0.5 / 10, 0.5 / 10, 0.5 / 4])
    assert [each.max() for each in asked] == [10.0, 4.0, 2.0]
