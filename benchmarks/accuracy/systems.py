"""Who takes part: something that learns from texts and gives probabilities, or only labels."""

from collections.abc import Callable
from typing import Any

import numpy as np

import likely

Learner = Callable[[list[str], list[str]], Any]

# What one would type; scikit-learn's searches may use as many processors as Likely does.
_THREADS = 2


def _likely(likelihood: Any = None, **options: Any) -> Learner:
    return lambda x, y: likely.Classifier(likelihood, threads=_THREADS, **options).fit(x, y)


def _naive_bayes(x: list[str], y: list[str]) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    return make_pipeline(CountVectorizer(), MultinomialNB()).fit(x, y)


def _logistic(x: list[str], y: list[str]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    search = GridSearchCV(
        LogisticRegression(max_iter=1000), {"C": [1, 3, 10, 30]}, cv=3, n_jobs=_THREADS
    )
    return make_pipeline(words, search).fit(x, y)


def _vectors(x: list[str], y: list[str]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.svm import LinearSVC

    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return make_pipeline(make_union(words, characters), LinearSVC()).fit(x, y)


DEFAULT: dict[str, Learner] = {"Classifier()": _likely()}
SECOND: dict[str, Learner] = {"+ second opinion": _likely(second_opinion=True)}
CLASSIC: dict[str, Learner] = {
    "Multinomial()": _likely(likely.Multinomial()),
    "Binary()": _likely(likely.Binary()),
    "Bernoulli()": _likely(likely.Bernoulli()),
    "Complement()": _likely(likely.Complement()),
}
SEARCHED = "TF-IDF + logistic"
VECTORS = "TF-IDF w+c + SVM"
PEERS: dict[str, Learner] = {
    "MultinomialNB": _naive_bayes,
    SEARCHED: _logistic,
    VECTORS: _vectors,
}


def answers(model: Any, texts: list[str]) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """The classes, the label a model gives each text, and probabilities if it has any."""
    if not hasattr(model, "predict_proba"):
        return None, np.asarray(model.predict(texts)), None
    proba = model.predict_proba(texts)
    classes = np.asarray(model.classes if hasattr(model, "classes") else model.classes_)
    return classes, classes[proba.argmax(axis=1)], proba
