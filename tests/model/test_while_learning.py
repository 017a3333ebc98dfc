"""One thread learns while others predict and save: each sees some version of the model, whole.

`LIKELY_SOAK=600 python -m pytest tests/model/test_while_learning.py` goes on for ten minutes.
"""

import hashlib
import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from likely import Categorical, Classifier, Gaussian, Multinomial
from likely.classifier import from_bytes

SECONDS = float(os.environ.get("LIKELY_SOAK", "5"))
READERS = 8
STEPS = 6


def rows(n, seed, labels):
    """Rows of a text, a number and a category, and what they are labeled with."""
    chosen = random.Random(seed)
    words = [f"w{i}" for i in range(400)]
    return {
        "text": [" ".join(chosen.choices(words, k=20)) for _ in range(n)],
        "number": [chosen.random() for _ in range(n)],
        "category": chosen.choices("abcdef", k=n),
    }, [labels(chosen) for _ in range(n)]


def one(chosen):
    return chosen.choice("pqr")


def is_multilabel(chosen):
    return chosen.sample("pqr", k=chosen.randint(0, 2))


COLUMNS = {"text": Multinomial(), "number": Gaussian(), "category": Categorical()}
MODELS = {
    "plain": (lambda: Classifier(COLUMNS), one),
    "weighed": (lambda: Classifier(), one),
    "several labels": (lambda: Classifier({"text": Multinomial()}, thresholds="f1"), is_multilabel),
}


def walk(model, batches):
    """Learn batch by batch, then forget them one by one, and pause after each step."""
    for batch in batches:
        model.update(*batch)
        yield
    for batch in reversed(batches):
        model.forget(*batch)
        yield


def digest(file):
    return hashlib.sha256(file).hexdigest()


def seen(model, asked):
    """What a model says of rows, to the last bit."""
    return digest(model.predict_proba(asked).tobytes())


@pytest.mark.parametrize("kind", MODELS)
def test_each_answer_and_each_file_is_that_of_some_version(kind):
    make, labels = MODELS[kind]
    batches = [rows(20, seed, labels) for seed in range(STEPS)]
    asked, _ = rows(30, -1, labels)
    model = make().fit(*rows(300, -2, labels))
    # A walk by a copy tells which versions there are; it ends where it began.
    copy = from_bytes(model.to_bytes())
    answers, files = {seen(copy, asked)}, {digest(copy.to_bytes())}
    for _ in walk(copy, batches):
        answers.add(seen(copy, asked))
        files.add(digest(copy.to_bytes()))
    assert copy.to_bytes() == model.to_bytes()
    assert len(answers) == len(files) == STEPS + 1

    over, steps = threading.Event(), 0

    def learn():
        nonlocal steps
        for _ in walk(model, batches):
            steps += 1
            if over.is_set():
                return

    def predict():
        assert seen(model, asked) in answers, "an answer of no version"

    def save():
        file = model.to_bytes()
        assert digest(file) in files, "a file of no version"
        assert seen(from_bytes(file), asked) in answers, "a file that answers otherwise"

    def until_over(act):
        """Again and again; how often it was."""
        times = 0
        try:
            while not over.is_set():
                act()
                times += 1
        finally:
            # What fails ends the test for all.
            over.set()
        return times

    acts = [learn, save, *[predict] * READERS]
    with ThreadPoolExecutor(len(acts)) as pool:
        running = [pool.submit(until_over, act) for act in acts]
        end = time.monotonic() + SECONDS / len(MODELS)
        over.wait(max(0.0, end - time.monotonic()))
        over.set()
    _, saved, *predicted = [each.result() for each in running]
    assert steps > 1
    assert saved > 0
    assert sum(predicted) > 0


class Watched(Classifier):
    """A classifier that tells how often what it has learned was looked at."""

    looks = 0

    @property
    def _fitted(self):
        self.looks += 1
        return vars(self)["fitted now"]

    @_fitted.setter
    def _fitted(self, fitted):
        vars(self)["fitted now"] = fitted


TEXTS, LABELS = ["buy now", "buy pills", "see you", "see it"] * 5, ["p", "p", "q", "q"] * 5
ONE = TEXTS[:4], LABELS[:4]
ASKED = {
    "predict": lambda model: model.predict(TEXTS),
    "predict_proba": lambda model: model.predict_proba(TEXTS),
    "log_joint": lambda model: model.log_joint(TEXTS),
    "log_evidence": lambda model: model.log_evidence(TEXTS),
    "unseen": lambda model: model.unseen(TEXTS),
    "leave_one_out": lambda model: model.leave_one_out(TEXTS, LABELS),
    "explain_left_out": lambda model: model.explain_left_out(*ONE),
    "was_learned": lambda model: model.was_learned(*ONE),
    "decide": lambda model: model.decide(np.full((1, 2), 0.5)),
    "with_decision": lambda model: model.with_decision(thresholds={"p": 0.9}),
    "explain": lambda model: model.explain("buy"),
    "dependences": lambda model: model.dependences(*ONE),
    "contributions": lambda model: model.column_importance(*ONE, left_out=True),
    "influence": lambda model: model.influence("buy", TEXTS, LABELS),
    "top": lambda model: model.top_features(),
    "giveaways": lambda model: model.target_leakage(),
    "language": lambda model: model.language_model("p"),
    "worked": lambda model: model.by_hand("buy"),
    "compact": lambda model: model.compact(),
    "to_bytes": lambda model: model.to_bytes(),
    "__reduce__": lambda model: model.__reduce__(),
    "_repr_html_": lambda model: model._repr_html_(),
    "__repr__": repr,
    "update": lambda model: model.update(*ONE),
    "forget": lambda model: model.forget(*ONE),
    "tune": lambda model: model.tune(TEXTS, LABELS),
    "observe": lambda model: model.observe(*ONE),
    "__add__": lambda model: model + model.with_prior("empirical"),
    **{
        name: lambda model, name=name: getattr(model, name)
        for name in [
            "fitted",
            "likelihood",
            "ledger",
            "criterion",
            "decision",
            "tunes",
            "column_roles",
            "target",
            "columns",
            "classes",
            "is_multilabel",
            "group_thresholds",
            "group_weights",
            "tuning",
            "learned",
            "learns",
            "is_stale",
            "digest",
            "loo",
            "has_loo",
            "info",
            "parameters",
            "optimism",
            "tuned_numbers",
            "estimates",
            "tally",
        ]
    },
}


@pytest.mark.parametrize("name", ASKED)
def test_each_answer_comes_of_one_version(name):
    model = Watched(Multinomial()).fit(TEXTS, LABELS, loo=True)
    model.looks = 0
    ASKED[name](model)
    assert model.looks == 1 + (name == "__add__")
