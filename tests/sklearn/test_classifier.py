"""LikelyClassifier: any Likely model where scikit-learn expects an estimator."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import likely
from likely.errors import DataError, DataTypeError, OptionError
from likely.sklearn import LikelyClassifier

TEXTS = ["good fun", "dull and slow", "great fun", "slow, slow, slow"]
LABELS = ["pos", "neg", "pos", "neg"]
BIRDS = {
    "wing": [38, 44, 37, 46, None, 43, 40],
    "weight": [310, 930, 290, 990, 350, 870, 340],
    "seen": ["roof", "quay", "quay", "quay", "roof", "sea", "roof"],
}
NAMES = ["pigeon", "gull", "pigeon", "gull", "pigeon", "gull", "pigeon"]


def test_texts_are_read_as_the_model_reads_them():
    ours = LikelyClassifier().fit(TEXTS, LABELS)
    model = likely.Classifier().fit(TEXTS, LABELS)
    assert (ours.predict_proba(["slow fun"]) == model.predict_proba(["slow fun"])).all()
    assert ours.model_.digest == model.digest


def test_an_array_of_numbers_gets_gaussians():
    x, y = load_iris(return_X_y=True)
    ours = LikelyClassifier().fit(x, y)
    assert ours.model_.likelihood == likely.Gaussian()
    assert ours.score(x, y) > 0.9


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda d: pl.DataFrame(d, strict=False)])
def test_a_table_gets_what_suits_each_column(frame):
    ours = LikelyClassifier().fit(frame(BIRDS), NAMES)
    kinds = {column: choice.role for column, choice in ours.model_.column_roles.items()}
    assert kinds == {"wing": "numeric", "weight": "numeric", "seen": "categorical"}
    assert ours.feature_names_in_.tolist() == list(BIRDS)
    assert ours.predict(frame(BIRDS)).tolist() == NAMES


def test_columns_may_come_in_no_other_order():
    ours = LikelyClassifier().fit(pd.DataFrame(BIRDS), NAMES)
    with pytest.raises(ValueError, match="feature names"):
        ours.predict(pd.DataFrame(BIRDS)[["seen", "wing", "weight"]])


def test_likelihoods_by_column_and_a_prior():
    ours = LikelyClassifier(
        {("wing", "weight"): likely.Gaussian("shared"), "seen": likely.Categorical()},
        prior="uniform",
    )
    ours.fit(pd.DataFrame(BIRDS), NAMES)
    assert ours.predict(pd.DataFrame({"wing": [41], "weight": [None], "seen": ["quay"]})).shape == (
        1,
    )


def test_an_array_with_words_in_it_is_a_table():
    cells = np.array([list(row) for row in zip(*BIRDS.values(), strict=True)], dtype=object)
    ours = LikelyClassifier(columns={"x2": "categorical"}).fit(cells, NAMES)
    assert ours.predict(cells).tolist() == NAMES
    assert ours.n_features_in_ == 3


def test_missing_numbers_are_left_out():
    x, y = load_iris(return_X_y=True)
    x = x.copy()
    x[::7, 0] = np.nan
    ours = LikelyClassifier().fit(x, y)
    assert np.isfinite(ours.predict_proba(x)).all()


def test_a_model_fit_on_an_array_reads_a_frame():
    x, y = load_iris(return_X_y=True)
    ours = LikelyClassifier().fit(x, y)
    frame = pd.DataFrame(x, columns=list("abcd"))
    with pytest.warns(UserWarning, match="feature names"):
        assert (ours.predict(frame) == ours.predict(x)).all()


@pytest.mark.parametrize("words", [True, False])
def test_a_model_fit_on_a_frame_reads_an_array(words):
    # One column is the same in all rows, and left out; an array has it all the same.
    frame = pd.DataFrame({"same": [1.0] * 8, "size": [1.5, 7.5] * 4, "rank": [1, 2, 2, 1] * 2})
    if words:
        frame["seen"] = ["roof", "quay"] * 4
    ours = LikelyClassifier().fit(frame, ["pigeon", "gull"] * 4)
    assert ours.model_.column_roles["same"].role == "drop"
    with pytest.warns(UserWarning, match="feature names"):
        found = ours.predict_proba(frame.to_numpy())
    assert (found == ours.predict_proba(frame)).all()


def test_a_text_that_is_missing_is_named():
    for texts in ([None, "free money"], pd.Series([np.nan, "free money"], dtype=object)):
        with pytest.raises(DataTypeError, match="text 1 is"):
            LikelyClassifier().fit(texts, ["spam", "ham"])


def test_batches_make_the_same_model():
    whole = LikelyClassifier(likely.Multinomial()).fit(TEXTS, LABELS)
    parts = LikelyClassifier(likely.Multinomial())
    parts.partial_fit(TEXTS[:1], LABELS[:1], classes=["pos", "neg"])
    parts.partial_fit(TEXTS[1:], LABELS[1:])
    assert parts.model_.digest == whole.model_.digest
    assert (parts.predict_proba(TEXTS) == whole.predict_proba(TEXTS)).all()


def test_labels_that_nobody_announced_are_refused():
    ours = LikelyClassifier().partial_fit(TEXTS, LABELS, classes=["pos", "neg"])
    with pytest.raises(DataError, match="label `meh` is none of the classes `neg`, `pos`"):
        ours.partial_fit(["so so"], ["meh"])
    with pytest.raises(OptionError, match="needs `classes`"):
        LikelyClassifier().partial_fit(TEXTS, LABELS)


def test_a_weight_is_a_number_of_rows():
    tuned = LikelyClassifier().fit(TEXTS, LABELS, sample_weight=[2, 1, 0, 1])
    repeated = LikelyClassifier().fit([TEXTS[0], *TEXTS[:2], TEXTS[3]], ["pos", *LABELS[:2], "neg"])
    assert tuned.model_.digest == repeated.model_.digest
    with pytest.raises(DataError, match="whole numbers"):
        LikelyClassifier().fit(TEXTS, LABELS, sample_weight=[0.5, 1, 1, 1])


def test_a_pickle_holds_the_bytes_of_a_likely_file():
    ours = LikelyClassifier().fit(TEXTS, LABELS)
    assert ours.model_.to_bytes() in pickle.dumps(ours)
    copy = pickle.loads(pickle.dumps(ours))
    assert copy.model_.to_bytes() == ours.model_.to_bytes()


def test_the_model_forgets_and_explains():
    ours = LikelyClassifier().fit(TEXTS, LABELS)
    ours.model_.forget(TEXTS[3:], LABELS[3:])
    assert ours.model_.tally.n_rows == 3
    assert "fun" in str(ours.model_.explain("slow fun"))


def test_labels_keep_their_kind():
    for labels in (
        [True, False] * 2,
        [1.0, 2.0] * 2,
        [3, 7] * 2,
        np.array(["a", "b"] * 2, dtype=object),
    ):
        ours = LikelyClassifier().fit(TEXTS, labels)
        assert ours.classes_.dtype == np.asarray(labels).dtype
        assert set(ours.predict(TEXTS)) <= set(labels)


def test_options_reach_the_model_and_errors_come_back():
    assert LikelyClassifier(ledger=False).fit(TEXTS, LABELS).model_.tally.learned is None
    with pytest.raises(OptionError, match="`threads`"):
        LikelyClassifier(threads=0).fit(TEXTS, LABELS)
    with pytest.raises(DataError, match="only one class"):
        LikelyClassifier().fit(TEXTS, ["same"] * 4)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        LikelyClassifier().fit(TEXTS, LABELS[:3])


def test_the_logarithms_are_those_of_the_probabilities():
    ours = clone(LikelyClassifier(likely.Complement())).fit(TEXTS, LABELS)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(TEXTS)), ours.predict_proba(TEXTS))
