"""The classifiers that take part: each makes a model that learns from texts and labels."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import likely
from benchmarks import peers

# What one would type; scikit-learn's searches may use as many processors as Likely does.
_THREADS = 2
_likely = partial(partial, likely.Classifier, threads=_THREADS)

System = dict[str, Callable[[], Any]]

DEFAULT: System = {"Classifier()": _likely()}
STACKED: System = {"+ linear model": _likely(stack_linear=True)}
CLASSIC: System = {
    "Multinomial()": _likely(likely.Multinomial()),
    "Binary()": _likely(likely.BinaryMultinomial()),
    "Bernoulli()": _likely(likely.Bernoulli()),
    "Complement()": _likely(likely.Complement()),
}
SEARCHED = "TF-IDF + logistic"
SVM = "TF-IDF w+c + SVM"
PEERS: System = {
    "MultinomialNB": peers.naive_bayes,
    SEARCHED: partial(peers.searched_logistic, _THREADS),
    SVM: peers.linear_svc,
}


def answers(model: Any, x: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """The classes, the predicted label of each row, and probabilities if the model has any."""
    if not hasattr(model, "predict_proba"):
        return None, np.asarray(model.predict(x)), None
    proba = model.predict_proba(x)
    classes = np.asarray(model.classes if hasattr(model, "classes") else model.classes_)
    return classes, classes[proba.argmax(axis=1)], proba
