"""Our side of the comparisons."""

import likely

Words = tuple[int, int]


def model(words: Words = (1, 1), threads: int = 1) -> likely.Classifier:
    likelihood = likely.Multinomial(text=likely.Text(words=words))
    return likely.Classifier(likelihood, threads=threads)


def train(
    texts: list[str], labels: list[str], words: Words = (1, 1), threads: int = 1
) -> likely.Classifier:
    return model(words, threads).fit(texts, labels)


def train_and_estimate(
    texts: list[str], labels: list[str], words: Words = (1, 1), threads: int = 1
) -> likely.Classifier:
    """Train up to the point where predicting is mere looking up.

    We estimate when first asked, scikit-learn at the end of `fit`.
    """
    trained = train(texts, labels, words, threads)
    trained.predict(texts[:1])
    return trained
