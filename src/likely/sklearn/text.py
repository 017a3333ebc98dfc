"""Texts as a matrix of counts or of TF-IDF weights."""

import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import (
    ENGLISH_STOP_WORDS,
    strip_accents_ascii,
    strip_accents_unicode,
)
from sklearn.preprocessing import normalize

from likely import _kernel
from likely.errors import DataError, DataTypeError, OptionError
from likely.sklearn.base import all_or_nothing

PATTERN = r"(?u)\b\w\w+\b"

_LONGEST = 255

_STRIPPERS = {"ascii": strip_accents_ascii, "unicode": strip_accents_unicode}


class TextVectorizer(TransformerMixin, BaseEstimator):
    """Texts as a sparse matrix: a row per text, a column per word n-gram or character n-gram.

    >>> vectorizer = TextVectorizer(ngram_range=(1, 2))
    >>> vectorizer.fit_transform(["To be or not to be"]).toarray()
    array([[2, 1, 1, 1, 1, 1, 2, 2]])
    >>> vectorizer.get_feature_names_out().tolist()
    ['be', 'be or', 'not', 'not to', 'or', 'or not', 'to', 'to be']

    By default it is `CountVectorizer`; with `use_idf=True, norm="l2"` it is `TfidfVectorizer`,
    whose parameters it shares. `token_pattern` is scikit-learn's default, or None for words as
    Unicode defines them: `don't` and one-letter words whole, words of every script, emoji.
    `sparse_output=False` gives arrays, which `set_output` makes into frames. Texts are strings, or
    bytes in UTF-8; with `decode_error="replace"` what is not valid is read as U+FFFD, not refused.
    """

    def __init__(
        self,
        *,
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Callable[[Any], str] | None = None,
        stop_words: Any = None,
        token_pattern: str | None = PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: str = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = None,
        norm: str | None = None,
        use_idf: bool = False,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        sparse_output: bool = True,
    ):
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.sparse_output = sparse_output

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False
        tags.requires_fit = self.vocabulary is None or self.use_idf
        return tags

    # Learning

    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn which features there are, and how rare each is."""
        with all_or_nothing(self) as new:
            new._learn(raw_documents)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None, **params: Any) -> Any:
        """Learn the features of these texts, and give their matrix; the texts are read once."""
        with all_or_nothing(self) as new:
            return new._weighted(new._learn(raw_documents))

    def _learn(self, raw_documents: Any) -> Any:
        """The counts of texts whose features become known."""
        reading = self._reading()
        texts = self._texts(raw_documents)
        if self.vocabulary is not None:
            kernel = _kernel.Vectorizer(reading, _given_names(self.vocabulary))
            X = self._matrix(kernel.count(texts), len(kernel))
        else:
            kernel, found = _kernel.Vectorizer.learn(reading, texts)
            X = self._matrix(found, len(kernel))
            if not X.shape[1]:
                raise DataError("there is no feature: the texts are empty, or all stop words")
            kept = self._kept(X)
            if kept is not None:
                kernel = kernel.keep(kept.astype(np.uint32))
                X = X[:, kept]
        self.__dict__.pop("vocabulary_", None)
        self.__dict__.pop("_names", None)
        self._kernel = kernel
        self.fixed_vocabulary_ = self.vocabulary is not None
        if self.use_idf:
            plus = int(bool(self.smooth_idf))
            documents = np.bincount(X.indices, minlength=X.shape[1]) + plus
            with np.errstate(divide="ignore"):
                self.idf_ = np.log((X.shape[0] + plus) / documents) + 1.0
        return X

    def _kept(self, X: Any) -> NDArray[np.intp] | None:
        """The columns that `min_df`, `max_df` and `max_features` leave; None if all of them."""
        least, most = (
            _number_of("min_df", self.min_df, X.shape[0]),
            _number_of("max_df", self.max_df, X.shape[0]),
        )
        if most < least:
            raise OptionError("`max_df` is fewer documents than `min_df`")
        if self.max_features is not None and not (
            isinstance(self.max_features, Integral) and self.max_features > 0
        ):
            raise OptionError(f"`max_features` is a number from 1 up, not {self.max_features!r}")
        if least <= 1 and most >= X.shape[0] and self.max_features is None:
            return None
        documents = np.bincount(X.indices, minlength=X.shape[1])
        kept = np.flatnonzero((documents >= least) & (documents <= most))
        if self.max_features is not None:
            times = np.asarray(X.sum(axis=0)).ravel()[kept]
            kept = np.sort(kept[(-times).argsort()[: self.max_features]])
        if not len(kept):
            raise DataError("no feature is left\nhint: try a lower `min_df` or a higher `max_df`")
        return kept

    # Transforming

    def transform(self, raw_documents: Any) -> Any:
        """The matrix of texts; features that were not learned are left out."""
        if not hasattr(self, "_kernel") and (self.vocabulary is None or self.use_idf):
            raise NotFittedError("this vectorizer has learned nothing yet; `fit` comes first")
        kernel = getattr(self, "_kernel", None)
        if kernel is None:
            kernel = _kernel.Vectorizer(self._reading(), _given_names(self.vocabulary))
        found = kernel.count(self._texts(raw_documents))
        return self._weighted(self._matrix(found, len(kernel)))

    def _matrix(self, found: Any, columns: int) -> Any:
        starts, places, counts = found
        if self.binary:
            counts.fill(1)
        if len(counts) < 2**31:
            starts = starts.astype(np.int32)
        shape = (len(starts) - 1, columns)
        matrix = sp.csr_matrix((counts, places, starts), shape=shape, copy=False)
        matrix.has_sorted_indices = matrix.has_canonical_format = True
        return matrix

    def _weighted(self, X: Any) -> Any:
        """Counts with the chosen options: sublinear, TF-IDF, normalized."""
        X.data = X.data.astype(self._kind(), copy=False)
        if self.sublinear_tf:
            X.data = np.log(X.data) + 1
        if self.use_idf:
            X.data *= self.idf_.astype(X.dtype).take(X.indices)
        if self.norm is not None:
            X = normalize(X, norm=self.norm, copy=False)
        return X if self.sparse_output else X.toarray()

    def _kind(self) -> np.dtype[Any]:
        """The numbers of the matrix; weights are never cut to whole numbers."""
        tuned = self.use_idf or self.sublinear_tf or self.norm is not None
        kind = np.dtype(self.dtype or (np.float64 if tuned else np.int64))
        if tuned and kind.kind != "f":
            warnings.warn(f"weights are no {kind}; float64 it is", UserWarning, stacklevel=4)
            return np.dtype(np.float64)
        return kind

    def inverse_transform(self, X: Any) -> list[NDArray[Any]]:
        """For each row, the features it has."""
        names = self.get_feature_names_out()
        rows = sp.csr_array(X)
        pairs = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        return [names[rows.indices[a:b][rows.data[a:b] != 0]] for a, b in pairs]

    # Inspection

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_kernel")

    @cached_property
    def _names(self) -> NDArray[Any]:
        return np.array(self._kernel.names, dtype=object)

    @cached_property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each feature."""
        return {name: place for place, name in enumerate(self._names.tolist())}

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The feature of each column."""
        if not hasattr(self, "_kernel"):
            raise NotFittedError("this vectorizer has learned nothing yet; `fit` comes first")
        return self._names.copy()

    def get_stop_words(self) -> frozenset[str] | None:
        """The words that are left out, if any."""
        if self.stop_words is None:
            return None
        if isinstance(self.stop_words, str):
            if self.stop_words != "english":
                raise OptionError(
                    f'`stop_words` is "english" or a list of words, not {self.stop_words!r}'
                )
            return frozenset(ENGLISH_STOP_WORDS)
        return frozenset(self.stop_words)

    def build_analyzer(self) -> Callable[[str], list[str]]:
        """What gives the features of one text.

        >>> TextVectorizer(token_pattern=None).build_analyzer()("Don't panic, 3.14!")
        ["don't", 'panic', '3.14']
        """
        reading, prepare = self._reading(), self._preparing()

        def analyze(text: str) -> list[str]:
            return _kernel.Vectorizer.features(reading, prepare(text) if prepare else text)

        return analyze

    # Reading

    def _reading(self) -> tuple[str, tuple[int, int], bool, list[str]]:
        """What the kernel needs to know."""
        if self.analyzer not in ("word", "char", "char_wb"):
            raise OptionError(f'`analyzer` is "word", "char" or "char_wb", not {self.analyzer!r}')
        if self.token_pattern not in (PATTERN, None):
            raise OptionError(
                f"`token_pattern` is {PATTERN!r} or None (words as Unicode defines them), "
                f"not {self.token_pattern!r}\nhint: `CountVectorizer` takes any pattern"
            )
        try:
            shortest, longest = self.ngram_range
        except (TypeError, ValueError):
            shortest = longest = 0
        whole = isinstance(shortest, Integral) and isinstance(longest, Integral)
        if not whole or not 1 <= shortest <= longest:
            raise OptionError(f"`ngram_range` is like (1, 2), not {self.ngram_range!r}")
        if longest > _LONGEST:
            raise OptionError(f"`ngram_range` ends at {_LONGEST} or before, not at {longest}")
        if self.norm not in ("l1", "l2", None):
            raise OptionError(f'`norm` is "l1", "l2" or None, not {self.norm!r}')
        names = {"word": "words" if self.token_pattern is None else "pattern"}
        analyzer = names.get(self.analyzer, self.analyzer)
        stop_words = self.get_stop_words() if self.analyzer == "word" else None
        lowercase = bool(self.lowercase) and self.preprocessor is None
        return analyzer, (int(shortest), int(longest)), lowercase, sorted(stop_words or ())

    def _preparing(self) -> Callable[[Any], str] | None:
        """What is done to each text before the kernel reads it, if anything."""
        if self.preprocessor is not None:
            return self.preprocessor
        if self.strip_accents is None:
            return None
        strip = self.strip_accents
        if not callable(strip):
            if strip not in _STRIPPERS:
                raise OptionError(f'`strip_accents` is "ascii", "unicode" or None, not {strip!r}')
            strip = _STRIPPERS[strip]
        return (lambda text: strip(text.lower())) if self.lowercase else strip

    def _texts(self, raw_documents: Any) -> _kernel.Texts:
        if isinstance(raw_documents, (str, bytes)):
            raise DataTypeError("one text was given where a list of texts was expected")
        if len(getattr(raw_documents, "shape", (0,))) != 1:
            raise DataError(
                f"texts are one column, not a table of the shape {raw_documents.shape}"
                "\nhint: in a ColumnTransformer, name the column without brackets"
            )
        prepare = self._preparing()
        if prepare is not None:
            raw_documents = [prepare(text) for text in raw_documents]
        if self.decode_error not in ("strict", "replace"):
            raise OptionError(f'`decode_error` is "strict" or "replace", not {self.decode_error!r}')
        try:
            return _kernel.Texts(raw_documents, self.decode_error == "replace")
        except DataError as error:
            sentence = str(error).split("\n")[0]
            raise DataError(f'{sentence}\nhint: `decode_error="replace"` reads it') from None


def _number_of(name: str, given: Any, documents: int) -> float:
    """A number of documents, given as such or as a share of all."""
    whole = isinstance(given, Integral) and float(given) >= 1
    share = isinstance(given, Real) and not isinstance(given, Integral) and 0 <= float(given) <= 1
    if not whole and not share:
        raise OptionError(
            f"`{name}` is a number from 1 up or a share from 0.0 to 1.0, not {given!r}"
        )
    return float(given) if whole else float(given) * documents


def _given_names(vocabulary: Any) -> list[str]:
    """The features of a given vocabulary, in the order of their columns."""
    if isinstance(vocabulary, (set, frozenset)):
        vocabulary = sorted(vocabulary)
    if isinstance(vocabulary, Mapping):
        names = sorted(vocabulary, key=vocabulary.__getitem__)
        if [vocabulary[name] for name in names] != list(range(len(names))):
            raise OptionError("`vocabulary` has to name the columns 0, 1, 2, … once each")
    else:
        names = list(vocabulary)
    if not names:
        raise OptionError("`vocabulary` is empty")
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise OptionError(f"`vocabulary` has {wrong[0]!r}, which is no string")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise OptionError(f"`vocabulary` has `{twice}` twice")
    return names
