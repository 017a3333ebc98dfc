"""Matrices into models. What is timed is compared first: probabilities agree to ten digits."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import sklearn.discriminant_analysis
import sklearn.naive_bayes

import likely.sklearn as ours
from benchmarks.measure import race, timed
from benchmarks.run import Run
from benchmarks.table import Row, comparison

NOTES = "Thousands of rows per second: word counts of the texts, or ten made-up numbers a row."


def rows(run: Run) -> Iterator[Row]:
    words = ours.TextVectorizer().fit_transform(run.train.texts)
    labels = np.array(run.train.labels)
    draw, n = np.random.default_rng(0), 20_000 if run.quick else 500_000
    numbers, classes = draw.normal(size=(n, 10)), draw.integers(0, 3, n)
    naive, discriminant = sklearn.naive_bayes, sklearn.discriminant_analysis
    for name, module, x, y in (
        ("MultinomialNB", naive, words, labels),
        ("BernoulliNB", naive, words, labels),
        ("ComplementNB", naive, words, labels),
        ("GaussianNB", naive, numbers, classes),
        ("LinearDiscriminantAnalysis", discriminant, numbers, classes),
        ("QuadraticDiscriminantAnalysis", discriminant, numbers, classes),
    ):
        mine, theirs = getattr(ours, name)(), getattr(module, name)()
        if name.endswith("NB"):
            found, expected = (m.fit(x, y).predict_log_proba(x[:500]) for m in (mine, theirs))
            if not np.allclose(found, expected, rtol=1e-10):
                raise ValueError(f"{name}: the probabilities differ")
        for what in ("fit", "predict"):
            arguments = (x, y) if what == "fit" else (x,)
            seconds, peer_seconds = race(
                *(timed(partial(getattr(one, what), *arguments)) for one in (mine, theirs)),
                rounds=run.rounds(3),
            )
            speed, peer_speed = (x.shape[0] / 1000 / spent for spent in (seconds, peer_seconds))
            yield comparison(f"{what}, {name}", speed, "k/s", peer_speed, "scikit-learn")
