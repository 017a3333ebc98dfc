"""Likely's models in scikit-learn's interface.

>>> from likely.sklearn import MultinomialNB, TextVectorizer
>>> from sklearn.pipeline import make_pipeline
>>> spam = make_pipeline(TextVectorizer(), MultinomialNB())
>>> spam.fit(["free money", "see you at lunch"], ["spam", "ham"]).predict(["money for lunch, free"])
array(['spam'], dtype='<U4')

Names, parameters and attributes are scikit-learn's, and so are the numbers wherever the definitions
agree. What is new: exact sums (any order, any batches, counts beyond 2^53), `partial_fit` and
`sample_weight` everywhere, labels that nobody announced are refused, and a vectorizer that reads
text an order of magnitude faster. `docs/from-scikit-learn.md` tells the rest.
"""

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(
        "`likely.sklearn` needs scikit-learn\nhint: `pip install 'likely[sklearn]'`"
    ) from error

from likely.sklearn.categorical import CategoricalNB
from likely.sklearn.classifier import LikelyClassifier
from likely.sklearn.counts import BernoulliNB, BinaryNB, ComplementNB, MultinomialNB
from likely.sklearn.gaussian import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from likely.sklearn.text import TextVectorizer

__all__ = [
    "BernoulliNB",
    "BinaryNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "LikelyClassifier",
    "LinearDiscriminantAnalysis",
    "MultinomialNB",
    "QuadraticDiscriminantAnalysis",
    "TextVectorizer",
]
