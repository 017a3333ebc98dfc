"""Our side of the comparisons."""

import likely

Ngrams = tuple[int, int]

BY_NAME: dict[str, Ngrams] = {"words": (1, 1), "1-2-grams": (1, 2)}


def model(ngrams: Ngrams = (1, 1), threads: int = 1) -> likely.Classifier:
    likelihood = likely.Multinomial(text=likely.Text(word_ngrams=ngrams))
    return likely.Classifier(likelihood, threads=threads)


def train(
    texts: list[str], labels: list[str], ngrams: Ngrams = (1, 1), threads: int = 1
) -> likely.Classifier:
    return model(ngrams, threads).fit(texts, labels)


def train_and_estimate(
    texts: list[str], labels: list[str], ngrams: Ngrams = (1, 1), threads: int = 1
) -> likely.Classifier:
    """Train up to the point where predicting is mere looking up.

    We estimate when first asked, scikit-learn at the end of `fit`.
    """
    trained = train(texts, labels, ngrams, threads)
    trained.predict(texts[:1])
    return trained
