"""Those we compare ourselves with: scikit-learn, boosted trees, Vowpal Wabbit, a word counter."""

import json
import re
import shutil
import struct
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.decomposition import TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data import Corpus, MissingError
from likely.sklearn import TextVectorizer

_CARGO = ["build", "--release", "--example", "wordcount", "--message-format", "json"]
_MANIFEST = Path(__file__).resolve().parents[1] / "kernel" / "Cargo.toml"
_WORD = re.compile(r"\w+")

GAUSSIANS = {
    "GaussianNB": GaussianNB,
    "scikit-learn's LDA": LinearDiscriminantAnalysis,
    "scikit-learn's QDA": QuadraticDiscriminantAnalysis,
}


# scikit-learn, from texts


def naive_bayes(ngrams: tuple[int, int] = (1, 1)) -> Any:
    return make_pipeline(CountVectorizer(ngram_range=ngrams), MultinomialNB())


def character_naive_bayes(alpha: float) -> Any:
    counts = CountVectorizer(analyzer="char_wb", ngram_range=(1, 4))
    return make_pipeline(counts, MultinomialNB(alpha=alpha, fit_prior=False))


def searched_logistic(threads: int) -> Any:
    """Logistic regression on words and bigrams, its penalty chosen by cross-validation."""
    search = GridSearchCV(logistic(), {"C": [1, 3, 10, 30]}, cv=3, n_jobs=threads)
    return make_pipeline(_tfidf(), search)


def word_logistic() -> Any:
    return make_pipeline(TfidfVectorizer(), logistic())


def bigram_logistic() -> Any:
    return make_pipeline(_tfidf(), logistic())


def linear_svc() -> Any:
    """On words, bigrams and 3- to 5-grams of characters."""
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return make_pipeline(make_union(_tfidf(), characters), LinearSVC())


def self_training(labeled: Corpus, unlabeled: list[str], asked: list[str]) -> Any:
    """Predictions of logistic regression that takes its own confident predictions as labels."""
    learned, y, classes, rows = _semi_supervised(labeled, unlabeled, asked)
    return classes[SelfTrainingClassifier(logistic()).fit(learned, y).predict(rows)]


def label_spreading(labeled: Corpus, unlabeled: list[str], asked: list[str]) -> Any:
    """Predictions of labels that spread over a graph of nearest neighbors, by angle."""
    learned, y, classes, rows = _semi_supervised(labeled, unlabeled, asked)
    angles = make_pipeline(TruncatedSVD(100, random_state=0), Normalizer())
    points = angles.fit_transform(learned)
    model = LabelSpreading(kernel="knn", n_neighbors=10, max_iter=100).fit(points, y)
    return classes[model.predict(angles.transform(rows))]


def _semi_supervised(
    labeled: Corpus, unlabeled: list[str], asked: list[str]
) -> tuple[Any, Any, Any, Any]:
    """TF-IDF of rows to learn from, the places of their labels (-1: none), labels, other rows."""
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    learned = vectorizer.fit_transform(labeled.texts + unlabeled)
    classes, places = np.unique(labeled.labels, return_inverse=True)
    y = np.concatenate([places, np.full(len(unlabeled), -1)])
    return learned, y, classes, vectorizer.transform(asked)


def multilabel_logistic() -> Any:
    each = LogisticRegression(C=10, solver="liblinear")
    return make_pipeline(_tfidf(), OneVsRestClassifier(each))


def vectorized_logistic(*, tfidf: bool = True) -> Any:
    """Our vectorizer reads the texts, so that what differs is the learning."""
    return make_pipeline(TextVectorizer(), logistic(tfidf=tfidf))


def _tfidf() -> TfidfVectorizer:
    return TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)


# scikit-learn, from matrices


def logistic(*, tfidf: bool = False) -> Any:
    model = LogisticRegression(max_iter=1000)
    return make_pipeline(TfidfTransformer(), model) if tfidf else model


def scaled_logistic(n_numbers: int) -> Any:
    """The first so many columns are standardized."""
    scale = (StandardScaler(), list(range(n_numbers)))
    return make_pipeline(make_column_transformer(scale, remainder="passthrough"), logistic())


def tree() -> Any:
    return DecisionTreeClassifier(random_state=0)


def searched_tree() -> Any:
    return GridSearchCV(tree(), {"min_samples_leaf": [1, 5, 20, 50]}, cv=5)


def searched_neighbors(n_rows: int, *, tfidf: bool = False) -> Any:
    """The nearest of so many rows, as many of them as five folds say; with `tfidf` by cosine."""
    nearest = KNeighborsClassifier(metric="cosine" if tfidf else "euclidean", algorithm="brute")
    numbers = [k for k in (1, 3, 5, 10, 20, 50, 100, 200) if k <= n_rows // 2]
    # Not stratified: a class may have fewer rows than there are folds.
    folds = KFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(nearest, {"n_neighbors": numbers}, cv=folds)
    return make_pipeline(TfidfTransformer(), search) if tfidf else search


def gaussian_mixture(x: Any, start: Any, covariance: str, steps: int) -> GaussianMixture:
    """So many steps of EM from given responsibilities."""
    theirs = {"diagonal": "diag", "shared": "tied", "full": "full"}[covariance]
    model = GaussianMixture(
        start.shape[1], covariance_type=theirs, reg_covar=0, tol=0, max_iter=steps
    )
    model._initialize_parameters = lambda given, *_, **__: model._initialize(given, start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(x)


# From data frames whose columns are numbers or of pandas' type `category`, in one thread


def frame_logistic() -> Any:
    return make_pipeline(_numbers_and_one_hot(), logistic())


def random_forest() -> Any:
    forest = RandomForestClassifier(500, n_jobs=1, random_state=0)
    return make_pipeline(_numbers_and_one_hot(), forest)


def hist_gradient_boosting() -> Any:
    return HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)


def light_gbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=200, learning_rate=0.05, n_jobs=1, random_state=0, verbose=-1
    )


def explainable_boosting() -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(n_jobs=1, random_state=0)


def khiops() -> Any:
    """Its package runs a program, which has to be installed too."""
    from khiops.core import get_runner
    from khiops.core.exceptions import KhiopsEnvironmentError, KhiopsRuntimeError
    from khiops.sklearn import KhiopsClassifier

    try:
        runner = get_runner()
        _ = runner.khiops_version
    except (KhiopsEnvironmentError, KhiopsRuntimeError) as error:
        raise MissingError(f"its program does not run: {error}") from None
    runner.max_cores = 1
    return KhiopsClassifier()


def _numbers_and_one_hot() -> Any:
    """Standardized numbers, the median and a mark where one is missing; one-hot categories."""
    numbers = make_pipeline(StandardScaler(), SimpleImputer(strategy="median", add_indicator=True))
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (one_hot, make_column_selector(dtype_include="category")),
    )


# Vowpal Wabbit


def write_vowpal_file(corpus: Corpus, path: Path) -> None:
    """Lower-cased words, cut beforehand: the format knows no punctuation."""
    signs = dict(zip(_two_classes(corpus), ("-1", "1"), strict=True))
    with path.open("w", encoding="utf-8") as file:
        for text, label in corpus.pairs:
            file.write(f"{signs[label]} | {' '.join(_WORD.findall(text.lower()))}\n")


def train_vowpal(path: Path) -> None:
    """One pass of its default online learner over 2^18 hashed weights, in this process, no cache.

    As a command: vw -d FILE -b 18 --loss_function logistic --quiet. The wheel has no such binary;
    `Workspace` runs the same C++ parser and learner over the file, in one thread.
    """
    from vowpalwabbit import Workspace

    arguments = ["-d", str(path), "-b", "18", "--loss_function", "logistic", "--quiet"]
    Workspace(arg_list=arguments).finish()


# The word counter, kernel/examples/wordcount.rs


def build_word_counter() -> Path:
    cargo = shutil.which("cargo")
    if cargo is None:
        raise MissingError("there is no `cargo` to build the word counter")
    command = [cargo, *_CARGO, "--manifest-path", str(_MANIFEST)]
    built = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    executables = (json.loads(line).get("executable") for line in built.splitlines())
    return next(Path(path) for path in executables if path)


def write_records(corpus: Corpus, path: Path) -> None:
    classes = {label: number for number, label in enumerate(_two_classes(corpus))}
    with path.open("wb") as file:
        for text, label in corpus.pairs:
            encoded = text.encode()
            file.write(struct.pack("<BI", classes[label], len(encoded)) + encoded)


def count_words(program: Path, records: Path) -> float:
    """Seconds of mere counting, the best of three: a fresh process has yet to warm up."""
    command = [str(program), str(records), "3"]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(printed.split()[0])


def _two_classes(corpus: Corpus) -> list[str]:
    classes = sorted(set(corpus.labels))
    if len(classes) != 2:
        raise ValueError(f"{corpus.name} has {len(classes)} classes, not 2")
    return classes
