"""Each estimator inside what scikit-learn builds of estimators."""

import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder

import likely.sklearn as ours
from likely.sklearn import (
    GaussianNB,
    LikelyClassifier,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    TextVectorizer,
)

CLASSIFIERS = [name for name in ours.__all__ if name != "TextVectorizer"]
every = pytest.mark.parametrize("name", CLASSIFIERS)

MAIL = pd.DataFrame(
    {
        "body": ["free money now", "lunch at noon?", "win free money", "see you at lunch"] * 6,
        "sender": ["x", "ann", "y", "bob"] * 6,
        "hour": [3.0, 12.5, 4.5, 11.0] * 6,
    }
)
SPAM = np.array(["spam", "ham"] * 12)


@pytest.fixture
def rows():
    x, y = load_iris(return_X_y=True)
    return np.round(x * 10), y


@every
def test_in_a_pipeline(name, rows):
    x, y = rows
    pipeline = make_pipeline(MinMaxScaler((0, 9)), getattr(ours, name)())
    assert pipeline.fit(x, y).score(x, y) > 0.3


@every
def test_in_a_cross_validation(name, rows):
    found = cross_validate(getattr(ours, name)(), *rows, cv=3, scoring=["accuracy", "neg_log_loss"])
    assert np.isfinite(found["test_neg_log_loss"]).all()


@every
def test_in_a_grid_search(name, rows):
    grids = {
        "GaussianNB": {"var_smoothing": [1e-9, 1e-3]},
        "LinearDiscriminantAnalysis": {"solver": ["svd", "eigen"]},
        "QuadraticDiscriminantAnalysis": {"reg_param": [0.0, 0.1]},
        "LikelyClassifier": {"prior": ["uniform", "empirical"]},
    }
    grid = grids.get(name, {"alpha": [0.1, 1.0]})
    search = GridSearchCV(getattr(ours, name)(), grid, cv=3).fit(*rows)
    assert search.best_params_.keys() == grid.keys()
    assert search.predict(rows[0]).shape == rows[1].shape


@every
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrated(name, method, rows):
    x, y = rows
    model = CalibratedClassifierCV(getattr(ours, name)(), method=method, cv=3).fit(x, y)
    np.testing.assert_allclose(model.predict_proba(x).sum(axis=1), 1.0)


@every
def test_one_against_the_rest(name, rows):
    x, y = rows
    model = OneVsRestClassifier(getattr(ours, name)()).fit(x, y)
    assert len(model.estimators_) == 3
    assert model.score(x, y) > 0.3
    is_multilabel = OneVsRestClassifier(getattr(ours, name)()).fit(x, np.eye(3, dtype=int)[y])
    assert is_multilabel.predict(x).shape == (150, 3)


@every
def test_in_ensembles(name, rows):
    x, y = rows
    one = getattr(ours, name)()
    assert (
        VotingClassifier([("a", one), ("b", GaussianNB())], voting="soft").fit(x, y).score(x, y)
        > 0.3
    )
    assert BaggingClassifier(one, n_estimators=3, random_state=0).fit(x, y).score(x, y) > 0.3
    assert StackingClassifier([("a", one)], LogisticRegression(), cv=3).fit(x, y).score(x, y) > 0.3


@every
def test_predictions_of_each_fold(name, rows):
    assert cross_val_predict(getattr(ours, name)(), *rows, method="predict_proba").shape == (150, 3)


def test_columns_of_a_frame_go_different_ways():
    columns = ColumnTransformer(
        [
            ("body", TextVectorizer(), "body"),
            ("sender", OneHotEncoder(handle_unknown="ignore"), ["sender"]),
        ]
    )
    model = make_pipeline(columns, MultinomialNB()).fit(MAIL, SPAM)
    new = pd.DataFrame({"body": ["free lunch money"], "sender": ["?"], "hour": [4.0]})
    assert model.predict(new).tolist() == ["spam"]
    names = columns.fit(MAIL).get_feature_names_out()
    assert "body__money" in names
    assert "sender__sender_ann" in names


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_come_out_of_a_column_transformer(library):
    mail = MAIL if library == "pandas" else pl.from_pandas(MAIL)
    columns = ColumnTransformer(
        [("body", TextVectorizer(sparse_output=False), "body"), ("hour", "passthrough", ["hour"])]
    ).set_output(transform=library)
    frame = columns.fit_transform(mail)
    assert "body__money" in frame.columns
    assert isinstance(frame, {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library])


def test_categories_by_way_of_an_encoder():
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=99)
    model = make_pipeline(encoder, ours.CategoricalNB()).fit(MAIL[["sender"]], SPAM)
    assert model.predict(pd.DataFrame({"sender": ["ann", "nobody"]})).tolist()[0] == "ham"


def test_a_whole_frame_in_one_model():
    assert LikelyClassifier().fit(MAIL, SPAM).score(MAIL, SPAM) == 1.0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_lda_gives_frames(library, rows):
    lda = LinearDiscriminantAnalysis().set_output(transform=library)
    frame = lda.fit_transform(*rows)
    assert list(frame.columns) == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]


@every
def test_weights_are_routed(name, rows):
    x, y = rows
    weights = np.arange(len(y)) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        model = getattr(ours, name)().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {}, cv=3).fit(x, y, sample_weight=weights)
    direct = clone(model).fit(x, y, sample_weight=weights)
    assert (search.predict_proba(x) == direct.predict_proba(x)).all()


@every
def test_rows_may_lie_in_a_file_that_is_only_read(name, rows, tmp_path):
    joblib.dump(rows, tmp_path / "rows")
    x, y = joblib.load(tmp_path / "rows", mmap_mode="r")
    assert not x.flags.writeable
    model = getattr(ours, name)().fit(x, y)
    assert (model.predict(x) == getattr(ours, name)().fit(*rows).predict(rows[0])).all()


@every
def test_joblib_saves_and_loads(name, rows, tmp_path):
    x, y = rows
    model = getattr(ours, name)().fit(x, y)
    joblib.dump(model, tmp_path / "model")
    for mode in (None, "r"):
        loaded = joblib.load(tmp_path / "model", mmap_mode=mode)
        assert (loaded.predict_proba(x) == model.predict_proba(x)).all()


@every
def test_names_of_columns_are_remembered(name, rows):
    frame = pd.DataFrame(rows[0], columns=["a", "b", "c", "d"])
    model = getattr(ours, name)().fit(frame, rows[1])
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


@every
def test_shown_in_a_notebook(name):
    assert name in getattr(ours, name)()._repr_html_()


def test_likely_alone_imports_no_scikit_learn():
    code = "import likely, sys; likely.Classifier; print({'sklearn', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_scikit_learn_one_sentence_says_what_to_do():
    code = "import sys; sys.modules['sklearn'] = None; import likely.sklearn"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: `likely.sklearn` needs scikit-learn" in done.stderr
    assert "pip install 'likely[sklearn]'" in done.stderr
