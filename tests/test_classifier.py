import copy
import pickle

import numpy as np
import pytest

import likely
from likely.errors import DataError, ModelError, NotFittedError, NotLearnedError, OptionError
from tests.raising import coded

TEXTS = ["buy cheap pills", "cheap cheap watches", "lunch at noon", "see you at lunch"]
LABELS = ["spam", "spam", "ham", "ham"]


@pytest.fixture
def model():
    return likely.Classifier(likely.Multinomial()).fit(TEXTS, LABELS)


def test_fit_learns_anew(model):
    model.fit(["x", "y"], ["a", "b"])
    assert model.classes == ("a", "b")
    assert model.tally.n_rows == 2


def test_update_meets_new_words_and_new_classes(model):
    model.update(["das ist neu"], ["german"])
    assert model.classes == ("german", "ham", "spam")
    assert model.predict(["ist neu"])[0] == "german"


def test_forget_gives_a_receipt(model):
    receipt = model.forget(TEXTS[:2], LABELS[:2])
    assert receipt == likely.Receipt(rows=2, rows_left=2, classes_gone=("spam",))


def test_forgetting_what_was_never_learned_changes_nothing(model):
    before = model.to_bytes()
    # The words are all there, and often enough; only the ledger knows that this row is not.
    with pytest.raises(NotLearnedError, match="row 1 was never learned"):
        model.forget(["buy cheap"], ["spam"])
    with pytest.raises(NotLearnedError, match="row 1 was never learned"):
        model.forget(["buy cheap pills"], ["eggs"])
    assert model.to_bytes() == before


def test_without_a_ledger_counts_still_guard():
    model = likely.Classifier(likely.Multinomial(), ledger=False).fit(TEXTS, LABELS)
    with pytest.raises(NotLearnedError, match="`never` was not learned"):
        model.forget(["never"], ["spam"])
    receipt = model.forget(["buy cheap"], ["spam"])
    assert receipt.rows == 1
    assert "never learned" in receipt.inexact[0]


@pytest.mark.parametrize(
    ("learned", "forgotten"),
    [
        ((["a", "b", "c"], ["x", "x", "y"]), (["a", ""], ["x", "x"])),
        ((["a a", "b", "c"], ["x", "x", "y"]), (["a b"], ["x"])),
        ((["a", "a", "c"], ["x", "x", "y"]), ([""], ["x"])),
    ],
)
def test_without_a_ledger_nothing_impossible_remains(learned, forgotten):
    model = likely.Classifier(likely.Bernoulli(), ledger=False).fit(*learned)
    before = model.to_bytes()
    with pytest.raises(NotLearnedError):
        model.forget(*forgotten)
    assert model.to_bytes() == before


def test_the_row_that_was_never_learned_is_named():
    texts = [f"w{i}" for i in range(10)]
    model = likely.Classifier(likely.Multinomial()).fit(texts, [i % 2 for i in range(10)])
    for bad in (0, 4, 9):
        rows = [*texts[:bad], "never", *texts[bad + 1 :]]
        with pytest.raises(NotLearnedError, match=f"row {bad + 1} "):
            model.forget(rows, [i % 2 for i in range(10)])


def test_a_class_that_vanished_may_come_back_as_another_kind():
    model = likely.Classifier(likely.Multinomial()).update(["a", "b"], [1, 2])
    model.forget(["a", "b"], [1, 2])
    for labels in ([1.0, 2.5], [True, False]):
        model.update(["a", "b"], labels)
        fresh = likely.Classifier(likely.Multinomial()).fit(["a", "b"], labels)
        assert model.to_bytes() == fresh.to_bytes()
        model.forget(["a", "b"], labels)


def test_what_refuses_keeps_everything(model):
    model.fit(TEXTS, LABELS, loo=True)
    with pytest.raises(NotLearnedError):
        model.forget(["never"], ["spam"])
    with pytest.raises(DataError):
        model.update(["x"], [None])
    assert model.loo.classes == model.classes
    given = likely.Classifier(likely.Multinomial(), prior={"spam": 1.0})
    with pytest.raises(OptionError, match="says nothing of `ham`"):
        given.fit(TEXTS, LABELS, loo=True)
    with pytest.raises(NotFittedError):
        _ = given.tally


def test_a_tally_can_take_the_place_of_another(model):
    before = model.predict_proba(["cheap"])
    model.tally += model.observe(["cheap cheap"], ["ham"])
    assert (model.predict_proba(["cheap"]) != before).any()
    with pytest.raises(ModelError, check=coded("schemas-differ")):
        model.tally = likely.Classifier(likely.Multinomial(), ledger=False).fit(TEXTS, LABELS).tally
    with pytest.raises(AttributeError):
        model.likelihood = likely.BinaryMultinomial()


def test_a_tally_travels_and_doubles(model):
    tally = pickle.loads(pickle.dumps(model.tally))
    assert tally == model.tally
    twice = tally + tally
    tally += tally
    assert tally == twice
    tally -= tally
    assert tally.n_rows == 0


def test_labels_come_back_as_they_were():
    import enum

    class Size(enum.IntEnum):
        small = 1

    assert (
        likely.Classifier(likely.Multinomial()).fit(["a", "b"], ["x\0", "x"]).predict(["a"])[0]
        == "x\0"
    )
    plain = likely.Classifier(likely.Multinomial()).fit(["a", "b"], [1, 2])
    assert (
        likely.Classifier(likely.Multinomial()).fit(["a", "b"], [Size.small, 2]).to_bytes()
        == plain.to_bytes()
    )


def test_counts_never_wrap():
    reading = likely.Text(word_ngrams=(1, 3))
    model = likely.Classifier(likely.Multinomial(text=reading), ledger=False)
    model.fit(["a b c d", "e"], ["x", "y"])
    for _ in range(59):
        model = model + model
    assert model.log_joint(["a b"])[0, 0] == pytest.approx(np.log(0.5 / 9 / 9 / 9), abs=1e-6)
    models = [model] * 64
    with pytest.raises(DataError, match="exceed"):
        sum(models)


def test_models_add_up():
    parts = [
        likely.Classifier(likely.Multinomial()).update([t], [y])
        for t, y in zip(TEXTS, LABELS, strict=True)
    ]
    assert (
        sum(parts).to_bytes()
        == likely.Classifier(likely.Multinomial()).fit(TEXTS, LABELS).to_bytes()
    )
    first = likely.Classifier(likely.Multinomial()).update(TEXTS[:3], LABELS[:3])
    second = likely.Classifier(likely.Multinomial()).update(TEXTS[3:], LABELS[3:])
    assert (first + second).to_bytes() == likely.Classifier(likely.Multinomial()).fit(
        TEXTS, LABELS
    ).to_bytes()
    assert first.tally.n_rows == 3


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (likely.Classifier(likely.BinaryMultinomial()), "differ in their likelihood"),
        (likely.Classifier(likely.Multinomial(), prior="uniform"), "differ in their prior"),
        (
            likely.Classifier(likely.Multinomial(), ledger=False),
            "`ledger` is 'open' here and 'none' there",
        ),
        (
            likely.Classifier(likely.Multinomial(text=likely.Text(word_ngrams=(1, 2)))),
            "`word_ngrams` is",
        ),
    ],
)
def test_models_that_differ_do_not_add(model, other, message):
    with pytest.raises(ModelError, match=message):
        model + other.fit(TEXTS, LABELS)


def test_labels_keep_their_kind_and_order():
    assert likely.Classifier(likely.Multinomial()).fit(["a", "b", "c"], [10, 9, -1]).classes == (
        -1,
        9,
        10,
    )
    assert likely.Classifier(likely.Multinomial()).fit(
        ["a", "b"], np.array([2.5, 1.0])
    ).classes == (1.0, 2.5)
    assert likely.Classifier(likely.Multinomial()).fit(["a", "b"], [True, False]).classes == (
        False,
        True,
    )
    assert likely.Classifier(likely.Multinomial()).fit(["a", "b"], ["é", "z"]).classes == ("z", "é")
    assert likely.Classifier(likely.Multinomial()).fit(["a", "b"], ["1, 2", ""]).classes == (
        "",
        "1, 2",
    )


def test_ties_go_to_the_class_that_sorts_first():
    model = likely.Classifier(likely.Multinomial()).fit(["x", "y"], ["b", "a"])
    assert model.predict([""])[0] == "a"


def test_an_empty_text_is_decided_by_the_prior():
    model = likely.Classifier(likely.Multinomial()).fit(["x", "x", "y"], ["b", "b", "a"])
    assert model.predict_proba(["", "?!", "unknown"]) == pytest.approx(
        np.array([[1 / 3, 2 / 3]] * 3)
    )


def test_without_smoothing_a_zero_is_a_zero():
    model = likely.Classifier(likely.Multinomial(alpha=0)).fit(["a b", "a c", "c"], list("xyy"))
    assert model.predict_proba(["b"]).tolist() == [[1.0, 0.0]]
    assert np.isneginf(model.log_joint(["b"])[0, 1])
    # No class has both words: the prior decides, and says so.
    assert model.impossible(["b c", "a"]).tolist() == [True, False]
    assert model.predict_proba(["b c"])[0] == pytest.approx([1 / 3, 2 / 3])
    evidence = model.explain("b c")
    assert evidence.impossible
    assert evidence.prediction == "y"
    assert "the prior decided" in str(evidence)


@pytest.mark.parametrize("classes", [2, 6])
def test_bernoulli_without_smoothing(classes):
    texts = [f"own{i} all" for i in range(classes)] + ["all other"]
    labels = [*range(classes), 0]
    model = likely.Classifier(likely.Bernoulli(alpha=0)).fit(texts, labels)
    # `own0` is in one of the two documents of class 0, `all` in every document of every class.
    joint = model.log_joint(["own0 all", "own0"])
    assert joint[0, 0] == pytest.approx(np.log(2 / (classes + 1) * 0.5 * 0.5))
    assert np.isneginf(joint[0, 1:]).all()
    assert np.isneginf(joint[1]).all()
    for text, expected in zip(["own0 all", "own0"], joint, strict=True):
        assert model.explain(text).scores == pytest.approx(expected)


def test_priors():
    texts, labels = ["a", "a", "a", "b"], ["x", "x", "x", "y"]
    uniform = likely.Classifier(likely.Multinomial(), prior="uniform").fit(texts, labels)
    assert uniform.predict_proba([""])[0] == pytest.approx([0.5, 0.5])
    given = likely.Classifier(likely.Multinomial(), prior={"x": 0.02, "y": 0.98}).fit(texts, labels)
    assert given.predict_proba([""])[0] == pytest.approx([0.02, 0.98])
    with pytest.raises(OptionError, match="says nothing of `z`"):
        given.update(["c"], ["z"]).predict(["c"])
    for bad, message in [
        ("flat", "a prior is"),
        ({"x": 2}, "probability"),
        ({"x": 0.5, "y": 0.6}, "sums"),
    ]:
        with pytest.raises(OptionError, match=message):
            likely.Classifier(likely.Multinomial(), prior=bad)
    with pytest.raises(OptionError, match=r"sums to 0\.5, not"):
        likely.Classifier(likely.Multinomial(), prior={"x": 0.2, "y": 0.3}).fit(texts, labels)


def test_a_smoothed_prior_counts_more_rows_than_there_are():
    texts, labels = ["a", "a", "a", "b"], ["x", "x", "x", "y"]
    smoothed = likely.Classifier(likely.Multinomial(), prior="empirical+2").fit(texts, labels)
    assert smoothed.predict_proba([""])[0] == pytest.approx([5 / 8, 3 / 8])


def test_classes_that_the_prior_does_not_name_share_the_rest():
    model = likely.Classifier(likely.Multinomial(), prior={"x": 0.7}).fit(
        ["a"] * 4, ["x", "y", "y", "z"]
    )
    assert model.predict_proba([""])[0] == pytest.approx([0.7, 0.2, 0.1])


def test_a_prior_can_change_after_training(model):
    other = model.with_prior({"spam": 0.02})
    assert other.predict_proba([""])[0] == pytest.approx([0.98, 0.02])
    assert model.prior == "empirical"
    shift = np.log(0.02 / 0.98) - np.log(model.tally.rows[1] / model.tally.rows[0])
    odds = [np.diff(m.log_joint(["cheap pills"]))[0, 0] for m in (model, other)]
    assert odds[1] - odds[0] == pytest.approx(shift)
    assert other.with_prior("empirical").to_bytes() != model.to_bytes()  # `spam` stays known
    assert model.with_prior("empirical").to_bytes() == model.to_bytes()
    with pytest.raises(OptionError, match="sums to"):
        model.with_prior({"spam": 0.1, "ham": 0.1})


@pytest.mark.parametrize("view", [likely.Multinomial, likely.BinaryMultinomial, likely.Bernoulli])
def test_a_class_may_be_known_and_unseen(view):
    model = likely.Classifier(view(), prior="uniform", classes=["a", "b", "c"])
    model.fit(["red fish", "red red", "blue"], ["a", "a", "c"], loo=True)
    assert model.classes == ("a", "b", "c")
    proba = model.predict_proba(["red", "unseen"])
    assert np.isfinite(proba).all()
    assert model.top_features(3)["b"] == []
    # Without rows, every word is as likely as any other.
    joint = model.with_prior("uniform").log_joint(["red", "blue"])[:, 1]
    assert joint[0] == joint[1]
    assert (
        likely.Classifier(view(), classes=["b"])
        .fit(["x", "y"], ["a", "c"])
        .predict_proba(["x"])[0, 1]
        == 0.0
    )
    back = pickle.loads(pickle.dumps(model))
    assert back.predict_proba(["red"]).tolist() == model.predict_proba(["red"]).tolist()


def test_the_evidence_is_the_sum_over_the_classes(model):
    texts = ["cheap pills", "", "unknown"]
    assert model.log_evidence(texts) == pytest.approx(np.log(np.exp(model.log_joint(texts)).sum(1)))
    with pytest.raises(OptionError, check=coded("not-joint")):
        likely.Classifier(likely.Complement()).fit(TEXTS, LABELS).log_evidence(["x"])
    impossible = likely.Classifier(likely.Multinomial(0)).fit(["a", "b"], ["x", "y"])
    assert impossible.log_evidence(["a b"])[0] == -np.inf


def test_a_prior_that_leaves_nothing_is_refused():
    model = likely.Classifier(likely.Multinomial(), prior={"x": 0.0, "y": 0.0, "z": 1.0})
    with pytest.raises(OptionError, match="leaves nothing"):
        model.fit(["a", "b"], ["x", "y"])
    assert model.classes == ("x", "y", "z")


def test_complement_is_no_joint_model(model):
    complement = likely.Classifier(likely.Complement()).fit(TEXTS, LABELS)
    with pytest.raises(OptionError, check=coded("not-joint")):
        complement.log_joint(["x"])
    with pytest.raises(OptionError, match="takes no prior"):
        likely.Classifier(likely.Complement(), prior="uniform")
    with pytest.raises(OptionError, match="above 0"):
        likely.Complement(alpha=0)


@pytest.mark.parametrize("view", ["Multinomial", "BinaryMultinomial", "Bernoulli", "Complement"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_explanations_add_up(view, n_classes):
    texts = [
        f"{a} {b} {a} w{i}"
        for i, (a, b) in enumerate(zip("abcdeabcde", "bcdeabcdea", strict=False))
    ]
    labels = [i % n_classes for i in range(10)]
    reading = likely.Text(word_ngrams=(1, 2), char_ngrams=(2, 3))
    model = likely.Classifier(getattr(likely, view)(0.5, text=reading)).fit(texts, labels)
    text = "a b a w1 zzz"
    evidence = model.explain(text)
    assert evidence.scores == pytest.approx(model.fitted.scores_of([text], 1)[0], rel=1e-12)
    assert evidence.prediction == model.predict([text])[0]
    total = sum(evidence.log_odds(term) for term in evidence.contributions)
    assert total == pytest.approx(evidence.total, rel=1e-9)
    names = {term.name: term for term in evidence.contributions}
    assert names["a b"].kind == "bigram"
    assert "zzz" not in names


def test_a_question_to_an_empty_model():
    with pytest.raises(NotFittedError, check=coded("not-fitted")):
        likely.Classifier(likely.Multinomial()).predict(["x"])
    one = likely.Classifier(likely.Multinomial()).update(["x"], ["only"])
    with pytest.raises(NotFittedError, match="only `only`"):
        one.predict(["x"])


def test_leave_one_out_is_made_on_request(model):
    with pytest.raises(NotFittedError, match="leave_one_out"):
        _ = model.loo
    model.fit(TEXTS, LABELS, loo=True)
    assert model.loo.classes == ("ham", "spam")
    model.update(["x"], ["ham"])
    with pytest.raises(NotFittedError, match="leave_one_out"):
        _ = model.loo


def test_threads_do_not_show(model):
    many = likely.Classifier(likely.Multinomial(), threads=3).fit(TEXTS, LABELS)
    assert many.predict_proba(TEXTS * 5).tolist() == model.predict_proba(TEXTS * 5).tolist()


def test_copies_and_pickles_are_the_same_model(model):
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin.to_bytes() == model.to_bytes()
        twin.update(["more"], ["ham"])
        assert model.tally.n_rows == 4


def test_a_secret_ledger_goes_through_files(tmp_path):
    path = tmp_path / "m.likely"
    model = likely.Classifier(likely.Multinomial(), ledger=b"secret").fit(TEXTS, LABELS)
    assert (
        model.tally.learned
        != likely.Classifier(likely.Multinomial()).fit(TEXTS, LABELS).tally.learned
    ).any()
    model.save(path)
    assert b"secret" not in path.read_bytes()
    assert likely.load(path, secret=b"secret").forget(TEXTS[:1], LABELS[:1]).rows == 1
    assert likely.load(path).predict(["cheap"])[0] == "spam"
    with pytest.raises(ModelError, check=coded("ledger-secret-needed")):
        likely.load(path).update(["x"], ["ham"])
    with pytest.raises(ModelError, match="another secret"):
        likely.load(path, secret=b"guess")


@pytest.mark.parametrize(
    "options",
    [{"likelihood": "multinomial"}, {"threads": 0}, {"ledger": b""}, {"ledger": "yes"}],
)
def test_options_that_make_no_sense(options):
    with pytest.raises(OptionError):
        likely.Classifier(**options)


@pytest.mark.parametrize("alpha", [-1, float("nan"), float("inf"), "1"])
def test_an_alpha_that_makes_no_sense(alpha):
    with pytest.raises(OptionError, match="`alpha`"):
        likely.Multinomial(alpha)


def test_a_model_needs_rows_and_two_classes():
    with pytest.raises(DataError, check=coded("no-rows")):
        likely.Classifier(likely.Multinomial()).fit([], [])
    with pytest.raises(DataError, check=coded("one-class")):
        likely.Classifier(likely.Multinomial()).fit(["a", "b"], ["x", "x"])
