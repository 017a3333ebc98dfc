"""Texts in, a matrix out: what scikit-learn's checks would ask of a text estimator, and more."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

from likely.errors import DataError, DataTypeError, OptionError
from likely.sklearn import LikelyClassifier, TextVectorizer

TEXTS = [
    "The pizza pizza beer copyright",
    "the pizza burger beer copyright",
    "the the pizza beer beer copyright",
    "It's a burger beer, isn't it? 3.14 snake_case __ x",
    "the coke burger coke copyright",
    "",
    "the coke burger burger\n\n  and a  salad",
    "THE SALAD CELERI COPYRIGHT",
]
LABELS = ["junk", "junk", "junk", "junk", "junk", "fine", "fine", "fine"]


def same(ours, theirs, texts=TEXTS):
    """Both learn the same features and count the same."""
    for a, b in (
        (ours.fit_transform(texts), theirs.fit_transform(texts)),
        (ours.transform(texts[::-1]), theirs.transform(texts[::-1])),
    ):
        assert sp.issparse(a)
        assert a.format == "csr"
        assert a.has_sorted_indices
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a.toarray(), b.toarray(), rtol=1e-12)
    names = theirs.get_feature_names_out()
    np.testing.assert_array_equal(ours.get_feature_names_out(), names)
    assert ours.vocabulary_ == theirs.vocabulary_


# Equal to CountVectorizer and TfidfVectorizer


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ngram_range": (1, 2)},
        {"ngram_range": (2, 3)},
        {"ngram_range": (1, 6)},
        {"lowercase": False},
        {"binary": True},
        {"stop_words": "english"},
        {"stop_words": ["the", "beer"], "ngram_range": (1, 2)},
        {"analyzer": "char_wb", "ngram_range": (2, 4)},
        {"analyzer": "char_wb", "ngram_range": (5, 7)},
        {"analyzer": "char", "ngram_range": (1, 3)},
        {"analyzer": "char", "ngram_range": (3, 3), "lowercase": False},
        {"min_df": 2},
        {"max_df": 0.5},
        {"min_df": 0.2, "max_df": 4},
        {"max_features": 5},
        {"max_features": 7, "min_df": 2, "ngram_range": (1, 2)},
        {"max_features": 4, "binary": True},
        {"vocabulary": ["beer", "pizza", "wine"]},
        {"vocabulary": {"the pizza": 1, "beer": 0}, "ngram_range": (1, 2)},
        {"vocabulary": {"salad", "celeri", "pizza beer"}},
        {"strip_accents": "unicode"},
        {"strip_accents": "ascii"},
        {"preprocessor": str.upper},
        {"dtype": np.float32},
    ],
    ids=lambda given: "a set" if isinstance(given.get("vocabulary"), set) else repr(given),
)
def test_counts_are_those_of_scikit_learn(options):
    same(TextVectorizer(**options), CountVectorizer(**options))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"norm": "l1"},
        {"norm": None},
        {"use_idf": False},
        {"smooth_idf": False, "min_df": 1},
        {"sublinear_tf": True},
        {"binary": True, "ngram_range": (1, 2)},
        {"analyzer": "char_wb", "ngram_range": (3, 3), "max_features": 20},
    ],
    ids=repr,
)
def test_weights_are_those_of_scikit_learn(options):
    ours = TextVectorizer(**{"use_idf": True, "norm": "l2", **options})
    theirs = TfidfVectorizer(**options)
    same(ours, theirs)
    if ours.use_idf:
        np.testing.assert_allclose(ours.idf_, theirs.idf_, rtol=1e-12)


ASCII = st.text(st.characters(min_codepoint=0, max_codepoint=127), max_size=80)


@given(texts=st.lists(ASCII, min_size=1, max_size=6), longest=st.integers(1, 3))
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_equal_on_any_ascii_text(analyzer, texts, longest):
    options = {"analyzer": analyzer, "ngram_range": (1, longest)}
    try:
        expected = CountVectorizer(**options).fit(texts)
    except ValueError:
        with pytest.raises(DataError, match="there is no feature"):
            TextVectorizer(**options).fit(texts)
        return
    same(TextVectorizer(**options), expected, texts)


@given(texts=st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_equal_on_any_text_that_this_python_knows(texts):
    # Python and the kernel may know different versions of Unicode.
    texts = [t.encode("utf-8", "ignore").decode() for t in texts]
    analyze, expected = TextVectorizer().build_analyzer(), CountVectorizer().build_analyzer()
    for text in texts:
        if all(ord(c) < 0x2000 for c in text):
            assert analyze(text) == expected(text)


def test_equal_on_many_languages():
    texts = [
        "Ελλάδα, ΟΔΥΣΣΕΥΣ dal '68: l'été — naïve co-op",
        "日本語テスト 我爱你 नमस्ते 🇫🇷 ok",
        "İstanbul Straße ŒUVRE x\u00b2 ½ Ⅷ",
        "Привет, МИР! ¿Qué tal? \u00a0 fin",
    ]
    same(TextVectorizer(), CountVectorizer(), texts)
    options = {"analyzer": "char_wb", "ngram_range": (2, 3)}
    same(TextVectorizer(**options), CountVectorizer(**options), texts)


@pytest.mark.parametrize("kind", [np.int64, bool])
@pytest.mark.parametrize("options", [{"use_idf": True}, {"sublinear_tf": True}, {"norm": "l1"}])
def test_weights_are_not_cut_to_whole_numbers(kind, options):
    with pytest.warns(UserWarning, match="float64 it is"):
        found = TextVectorizer(dtype=kind, **options).fit_transform(TEXTS)
    assert found.dtype == np.float64
    assert (found != TextVectorizer(**options).fit_transform(TEXTS)).nnz == 0


def test_accents_are_stripped_as_scikit_learn_strips_them():
    options = {"strip_accents": "unicode"}
    same(TextVectorizer(**options), CountVectorizer(**options), ["Été à Genève", "ete geneve"])


# Words as Unicode defines them


def test_without_a_pattern_words_are_those_of_unicode():
    vectorizer = TextVectorizer(token_pattern=None)
    vectorizer.fit(["Don't panic: 3.14, I said", "मुझे यह पसंद है 👍🏽"])
    expected = ["3.14", "don't", "i", "panic", "said", "है", "पसंद", "मुझे", "यह", "👍🏽"]
    assert vectorizer.get_feature_names_out().tolist() == sorted(expected)


def test_without_a_pattern_a_model_sees_what_likely_sees():
    import likely

    texts, labels = zip(*[(t, c) for t, c in zip(TEXTS, LABELS, strict=True) if t], strict=True)
    model = likely.Classifier(likely.Multinomial()).fit(list(texts), list(labels))
    pipeline = make_pipeline(TextVectorizer(token_pattern=None), MultinomialNB())
    pipeline.fit(texts, labels)
    np.testing.assert_allclose(
        pipeline.predict_proba(texts), model.predict_proba(list(texts)), rtol=1e-10
    )


# What a scikit-learn estimator does


def estimators():
    return [
        TextVectorizer(),
        TextVectorizer(use_idf=True, norm="l2", token_pattern=None),
        LikelyClassifier(),
    ]


every = pytest.mark.parametrize("estimator", estimators(), ids=repr)


def outcome(estimator):
    return estimator.predict(TEXTS) if hasattr(estimator, "predict") else estimator.transform(TEXTS)


def equal(a, b):
    return (a != b).nnz == 0 if sp.issparse(a) else (a == b).all()


@every
def test_the_checks_that_scikit_learn_has_pass(estimator):
    if isinstance(estimator, TextVectorizer):
        with pytest.warns(match="Can't test estimator"):
            check_estimator(estimator)


@every
def test_a_clone_has_the_options_and_nothing_learned(estimator):
    copy = clone(estimator.fit(TEXTS, LABELS))
    assert copy.get_params() == estimator.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(copy)


@every
def test_options_can_be_read_and_set(estimator):
    params = estimator.get_params()
    assert clone(estimator).set_params(**params).get_params() == params


@every
def test_making_one_keeps_the_options_as_they_are(estimator):
    for name, value in estimator.get_params().items():
        assert getattr(estimator, name) is value


@every
def test_fitting_returns_the_estimator(estimator):
    estimator = clone(estimator)
    assert estimator.fit(TEXTS, LABELS) is estimator


@every
def test_fitting_changes_no_option(estimator):
    estimator = clone(estimator)
    before = dict(estimator.get_params())
    estimator.fit(TEXTS, LABELS)
    assert estimator.get_params() == before


@every
def test_fitting_again_forgets_what_was(estimator):
    estimator = clone(estimator).fit(["some other words"] * 2, ["a", "b"])
    fresh = clone(estimator).fit(TEXTS, LABELS)
    assert equal(outcome(estimator.fit(TEXTS, LABELS)), outcome(fresh))


@every
def test_fitting_twice_is_fitting_once(estimator):
    estimator = clone(estimator).fit(TEXTS, LABELS)
    once = outcome(estimator)
    assert equal(outcome(estimator.fit(TEXTS, LABELS)), once)


@every
def test_before_fitting_there_is_nothing_to_say(estimator):
    with pytest.raises(NotFittedError):
        outcome(clone(estimator))


@every
def test_asking_changes_nothing(estimator):
    estimator = clone(estimator).fit(TEXTS, LABELS)
    before = dict(vars(estimator))
    outcome(estimator)
    assert vars(estimator) == before


@every
def test_a_pickle_does_the_same(estimator):
    estimator = clone(estimator).fit(TEXTS, LABELS)
    assert equal(outcome(pickle.loads(pickle.dumps(estimator))), outcome(estimator))


@every
def test_rows_do_not_depend_on_each_other(estimator):
    estimator = clone(estimator).fit(TEXTS, LABELS)
    together = outcome(estimator)
    name = "predict" if hasattr(estimator, "predict") else "transform"
    for place, text in enumerate(TEXTS):
        assert equal(getattr(estimator, name)([text]), together[[place]])


@every
@pytest.mark.parametrize(
    "container",
    [list, tuple, np.array, lambda t: np.array(t, dtype=object), pd.Series, pl.Series],
    ids=["list", "tuple", "array", "objects", "pandas", "polars"],
)
def test_texts_come_in_any_container(estimator, container):
    a = clone(estimator).fit(container(TEXTS), LABELS)
    assert equal(outcome(a), outcome(clone(estimator).fit(TEXTS, LABELS)))


@every
def test_bytes_are_read_as_utf_8(estimator):
    a = clone(estimator).fit([text.encode() for text in TEXTS], LABELS)
    assert equal(outcome(a), outcome(clone(estimator).fit(TEXTS, LABELS)))


@every
def test_an_html_page_shows_it(estimator):
    assert type(estimator).__name__ in estimator._repr_html_()


@every
def test_its_repr_can_be_typed(estimator):
    assert repr(eval(repr(estimator))) == repr(estimator)


@every
def test_a_pandas_index_does_not_matter(estimator):
    series = pd.Series(TEXTS, index=range(100, 100 + len(TEXTS)))
    a = clone(estimator).fit(series, pd.Series(LABELS, index=series.index))
    assert equal(outcome(a), outcome(clone(estimator).fit(TEXTS, LABELS)))


# Frames


@pytest.mark.parametrize(("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_a_frame_has_the_features_for_columns(library, kind):
    vectorizer = TextVectorizer(sparse_output=False).set_output(transform=library)
    frame = vectorizer.fit_transform(TEXTS)
    assert isinstance(frame, kind)
    assert list(frame.columns) == vectorizer.get_feature_names_out().tolist()
    np.testing.assert_array_equal(frame.to_numpy(), TextVectorizer().fit_transform(TEXTS).toarray())


def test_a_frame_keeps_the_index_of_the_texts():
    series = pd.Series(TEXTS, index=list("abcdefgh"))
    vectorizer = TextVectorizer(sparse_output=False).set_output(transform="pandas")
    assert vectorizer.fit_transform(series).index.tolist() == list("abcdefgh")


def test_the_global_setting_is_heeded():
    with config_context(transform_output="pandas"):
        found = TextVectorizer(sparse_output=False).fit_transform(TEXTS)
    assert isinstance(found, pd.DataFrame)


# Inside other things


def test_in_a_pipeline():
    pipeline = Pipeline([("words", TextVectorizer()), ("model", MultinomialNB())])
    assert pipeline.fit(TEXTS, LABELS).predict(["burger beer"]).tolist() == ["junk"]
    assert pipeline[:-1].get_feature_names_out()[0] == "14"


def test_in_a_union():
    union = FeatureUnion(
        [("words", TextVectorizer()), ("chars", TextVectorizer(analyzer="char_wb"))]
    )
    assert union.fit_transform(TEXTS).shape[1] == len(union.get_feature_names_out())


def test_in_a_grid_search():
    pipeline = Pipeline([("words", TextVectorizer()), ("model", MultinomialNB())])
    grid = {"words__ngram_range": [(1, 1), (1, 2)], "words__token_pattern": [None]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(TEXTS, LABELS)
    assert len(search.cv_results_["params"]) == 2


def test_a_grid_search_over_likelihoods():
    import likely

    grid = {
        "likelihood": [
            likely.Multinomial(),
            likely.BinaryMultinomial(alpha=0.5),
            likely.Bernoulli(),
        ]
    }
    search = GridSearchCV(LikelyClassifier(), grid, cv=2).fit(TEXTS, LABELS)
    assert set(search.predict(TEXTS)) <= {"junk", "fine"}


def test_cross_validation_of_texts():
    found = cross_validate(LikelyClassifier(), TEXTS, LABELS, cv=2, return_train_score=True)
    assert len(found["test_score"]) == 2


# Odd texts


def test_an_empty_text_is_an_empty_row():
    assert TextVectorizer().fit(TEXTS).transform(["", " \n", "?!"]).nnz == 0


def test_no_texts_at_all():
    assert TextVectorizer().fit(TEXTS).transform([]).shape[0] == 0
    with pytest.raises(DataError, match="there is no feature"):
        TextVectorizer().fit([])


def test_features_never_learned_are_left_out():
    assert TextVectorizer().fit(["one two"]).transform(["two three"]).toarray().tolist() == [[0, 1]]


def test_a_very_long_word_is_a_word():
    long = "x" * 10_000
    assert TextVectorizer().fit([f"{long} {long}y"]).get_feature_names_out().tolist() == [
        long,
        long + "y",
    ]


def test_what_is_not_valid_can_be_replaced():
    vectorizer = TextVectorizer(decode_error="replace").fit([b"caf\xff bar", "x\ud800y ok"])
    assert vectorizer.get_feature_names_out().tolist() == ["bar", "caf", "ok"]


def test_nul_and_controls_separate_words():
    same(TextVectorizer(), CountVectorizer(), ["ab\x00cd\x1fef\x7fgh", "ab"])


def test_features_come_back():
    vectorizer = TextVectorizer().fit(TEXTS)
    theirs = CountVectorizer().fit(TEXTS)
    matrix = theirs.transform(TEXTS)
    for ours, expected in zip(
        vectorizer.inverse_transform(matrix), theirs.inverse_transform(matrix), strict=True
    ):
        assert sorted(ours) == sorted(expected)


def test_a_given_vocabulary_needs_no_fit():
    vectorizer = TextVectorizer(vocabulary=["pizza", "beer"])
    assert vectorizer.transform(["beer beer"]).toarray().tolist() == [[0, 2]]


# Bad input gets one clear sentence


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"analyzer": "lines"}, '`analyzer` is "word", "char" or "char_wb"'),
        ({"token_pattern": r"\w+"}, "`CountVectorizer` takes any pattern"),
        ({"ngram_range": (2, 1)}, r"`ngram_range` is like \(1, 2\)"),
        ({"ngram_range": 3}, r"`ngram_range` is like \(1, 2\)"),
        ({"ngram_range": (1, 10**9)}, "`ngram_range` ends at 255 or before"),
        ({"ngram_range": (0, 1)}, r"`ngram_range` is like \(1, 2\)"),
        ({"decode_error": "guess"}, '`decode_error` is "strict" or "replace"'),
        ({"norm": "max"}, '`norm` is "l1", "l2" or None'),
        ({"stop_words": "klingon"}, '`stop_words` is "english" or a list of words'),
        ({"strip_accents": "all"}, '`strip_accents` is "ascii"'),
        ({"min_df": 0}, "`min_df` is a number from 1 up or a share"),
        ({"max_df": 1.5}, "`max_df` is a number from 1 up or a share"),
        ({"min_df": 3, "max_df": 2}, "fewer documents"),
        ({"min_df": 9}, "fewer documents|no feature is left"),
        ({"max_features": 0}, "`max_features` is a number from 1 up"),
        ({"vocabulary": []}, "`vocabulary` is empty"),
        ({"vocabulary": ["a", 1]}, "`vocabulary` has 1, which is no string"),
        ({"vocabulary": ["a", "a"]}, "`vocabulary` has `a` twice"),
        ({"vocabulary": {"a": 0, "b": 2}}, "name the columns 0, 1, 2"),
    ],
    ids=repr,
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises((OptionError, DataError), match=message):
        TextVectorizer(**options).fit(TEXTS)


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("one text", DataTypeError, "a list of texts was expected"),
        (["fine", None], DataTypeError, "text 2 is None, not a string; leave the row out"),
        (["fine", 3.5], DataTypeError, r"text 2 is float \(3.5\), not a string"),
        ([b"\xff"], DataError, 'text 1 is not valid Unicode\nhint: `decode_error="replace"`'),
        (np.array([["a"], ["b"]]), DataError, "texts are one column"),
        (pd.DataFrame({"a": ["x y"]}), DataError, "name the column without brackets"),
    ],
    ids=repr,
)
def test_what_is_no_text_is_refused(texts, error, message):
    with pytest.raises(error, match=message):
        TextVectorizer().fit(texts)
