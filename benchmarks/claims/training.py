"""One training for the cost table: what there is to learn from, and who learns it.

python -m benchmarks.claims.training naive|logistic DATA [quick]

trains in a process of its own and prints by how many megabytes the memory grew at its peak.
"""

import sys
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from benchmarks.speed.corpus import reviews
from benchmarks.speed.peak import peak, reset_peak
from likely import Classifier, Multinomial
from likely.sklearn import TextVectorizer


def naive(texts: list[str], labels: list[str]) -> Any:
    model = Classifier(Multinomial()).fit(texts, labels)
    # We estimate when first asked, scikit-learn at the end of `fit`.
    model.predict(texts[:1])
    return model


def logistic(texts: list[str], labels: list[str]) -> Any:
    """Our vectorizer reads the texts for it, so that what differs is the learning."""
    steps = TextVectorizer(), TfidfTransformer(), LogisticRegression(max_iter=1000)
    return make_pipeline(*steps).fit(texts, labels)


def megabytes(quick: bool) -> int:
    return 3 if quick else 33


def main() -> None:
    who, data, *quick = sys.argv[1:]
    train = {"naive": naive, "logistic": logistic}[who]
    # A first, tiny training imports and sets up what every training needs once.
    train(["red fish", "blue car"], ["animal", "thing"])
    corpus = reviews(Path(data), "train", megabytes(bool(quick)))
    before = reset_peak()
    with threadpool_limits(1):
        model = train(corpus.texts, corpus.labels)
    print(peak() - before)
    del model


if __name__ == "__main__":
    main()
