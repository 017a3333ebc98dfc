"""The others: scikit-learn, Vowpal Wabbit, and a plain word counter."""

import functools
import json
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.speed.corpus import Corpus

_CARGO = ["build", "--release", "--example", "wordcount", "--message-format", "json"]
_MANIFEST = Path(__file__).resolve().parents[2] / "kernel" / "Cargo.toml"
_WORD = re.compile(r"\w+")


class MissingError(Exception):
    """Somebody we compare ourselves with is not here."""


# scikit-learn


def train(texts: list[str], labels: list[str], words: tuple[int, int]) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    return make_pipeline(CountVectorizer(ngram_range=words), MultinomialNB()).fit(texts, labels)


@functools.cache
def trained(corpus: Corpus, words: tuple[int, int]) -> Any:
    """The same, once per run: with pairs of words it takes half a minute."""
    return train(corpus.texts, corpus.labels, words)


def cross_validate(texts: list[str], labels: list[str], folds: int) -> Any:
    """Texts are read anew for each fold: its vocabulary is that of the other folds."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(CountVectorizer(), MultinomialNB())
    return cross_val_predict(pipeline, texts, labels, cv=folds)


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
