"""The four views against scikit-learn, on the same counts."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import likely
from likely import _kernel

WORDS = st.sampled_from(
    ["the", "a", "cat", "dog", "don't", "runs", "sleeps", "NAPS", "3.14", "über", "走"]
)
TEXTS = st.lists(WORDS, min_size=0, max_size=8).map(" ".join)
ROWS = st.lists(st.tuples(TEXTS, st.sampled_from("abc")), min_size=3, max_size=15).filter(
    lambda rows: len({label for _, label in rows}) > 1 and any(text for text, _ in rows)
)
ALPHAS = st.sampled_from([0.01, 0.5, 1.0, 3.0])


def words(text):
    return _kernel.words(text, True)


def word_runs(text):
    found = words(text)
    return found + [" ".join(pair) for pair in itertools.pairwise(found)]


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("reading", "analyzer"), [((1, 1), words), ((1, 2), word_runs)])
@given(rows=ROWS, alpha=ALPHAS, new=st.lists(TEXTS, min_size=1, max_size=4))
def test_the_joint_models_equal_scikit_learn(reading, analyzer, rows, alpha, new):
    texts, labels = zip(*rows, strict=True)
    vectorizer = CountVectorizer(analyzer=analyzer).fit(texts)
    train, test = vectorizer.transform(texts), vectorizer.transform(new)
    text = likely.Text(word_ngrams=reading)
    for ours, theirs, counts in [
        (likely.Multinomial(alpha, text=text), MultinomialNB(alpha=alpha), lambda x: x),
        (
            likely.BinaryMultinomial(alpha, text=text),
            MultinomialNB(alpha=alpha),
            lambda x: (x > 0) * 1,
        ),
        (likely.Bernoulli(alpha, text=text), BernoulliNB(alpha=alpha), lambda x: x),
    ]:
        model = likely.Classifier(ours).fit(texts, labels)
        theirs.fit(counts(train), labels)
        assert list(model.classes) == list(theirs.classes_)
        close(model.log_joint(new), theirs.predict_joint_log_proba(counts(test)))
        close(model.predict_proba(new), theirs.predict_proba(counts(test)))


@given(rows=ROWS, alpha=ALPHAS, new=st.lists(TEXTS, min_size=1, max_size=4))
def test_tfidf_equals_scikit_learn_without_a_norm(rows, alpha, new):
    texts, labels = zip(*rows, strict=True)
    vectorizer = TfidfVectorizer(analyzer=words, norm=None).fit(texts)
    train, test = vectorizer.transform(texts), vectorizer.transform(new)
    model = likely.Classifier(likely.Multinomial(alpha, tfidf=True)).fit(texts, labels)
    theirs = MultinomialNB(alpha=alpha).fit(train, labels)
    scores = np.array([model.explain(text).scores for text in new])
    close(scores, theirs.predict_joint_log_proba(test))
    close(model.predict_proba(new), theirs.predict_proba(test))


@given(rows=ROWS, new=st.lists(TEXTS, min_size=1, max_size=4), skipped=st.integers(0, 4))
def test_skipping_the_most_frequent_equals_a_list_of_them(rows, new, skipped):
    texts, labels = zip(*rows, strict=True)
    counts = Counter(word for text in texts for word in words(text))
    top = sorted(counts, key=lambda word: (-counts[word], word.encode()))[:skipped]
    by_rank = likely.Classifier(likely.BinaryMultinomial(skip_top=skipped)).fit(texts, labels)
    by_list = likely.Classifier(likely.BinaryMultinomial(text=likely.Text(stop_words=top)))
    close(by_rank.log_joint(new), by_list.fit(texts, labels).log_joint(new))
    assert by_rank.tally == likely.Classifier(likely.BinaryMultinomial()).fit(texts, labels).tally


@given(rows=ROWS, alpha=ALPHAS, new=st.lists(TEXTS, min_size=1, max_size=4))
def test_complement_equals_scikit_learn(rows, alpha, new):
    texts, labels = zip(*rows, strict=True)
    vectorizer = CountVectorizer(analyzer=words).fit(texts)
    theirs = ComplementNB(alpha=alpha).fit(vectorizer.transform(texts), labels)
    model = likely.Classifier(likely.Complement(alpha)).fit(texts, labels)
    scores = model.fitted.scores_of(new, 1)
    close(scores, vectorizer.transform(new) @ theirs.feature_log_prob_.T)
    close(model.predict_proba(new), theirs.predict_proba(vectorizer.transform(new)))


@given(
    texts=st.lists(st.text("abé ß\tΣ.", max_size=15), min_size=1, max_size=5),
    low=st.integers(1, 4),
    more=st.integers(0, 3),
)
def test_runs_of_characters_equal_char_wb(texts, low, more):
    vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=(low, low + more))
    analyze = vectorizer.build_analyzer()
    reading = likely.Text(word_ngrams=None, char_ngrams=(low, low + more))
    counts = _kernel.TextCounts.observe(
        reading.reading, _kernel.Texts(texts), np.zeros(len(texts), dtype=np.uint32), 1, 1
    )
    starts, columns, numbers, names = counts.matrix(_kernel.Texts(texts), 1)
    for row, text in enumerate(texts):
        # Python lower-cases Σ by the whole text, the kernel by the word.
        if "Σ" in text:
            continue
        expected = analyze(text)
        entries = slice(int(starts[row]), int(starts[row + 1]))
        found = {names[c]: int(n) for c, n in zip(columns[entries], numbers[entries], strict=True)}
        assert found == {name: expected.count(name) for name in expected}


def test_many_classes_are_scored_as_few_are():
    """From five classes on, scoring goes by what was seen only; the numbers stay the same."""
    texts = [f"w{i % 7} w{i % 3} common" for i in range(60)]
    labels = [i % 6 for i in range(60)]
    vectorizer = CountVectorizer(analyzer=words).fit(texts)
    theirs = MultinomialNB().fit(vectorizer.transform(texts), labels)
    model = likely.Classifier(likely.Multinomial()).fit(texts, labels)
    new = ["common w1", "w6 w6 w2 unknown", ""]
    close(model.log_joint(new), theirs.predict_joint_log_proba(vectorizer.transform(new)))


def test_imdb_agrees_with_scikit_learn(public_data):
    import csv

    with open(public_data / "imdb" / "train.csv", newline="", encoding="utf-8") as file:
        rows = [row for _, row in zip(range(2000), csv.DictReader(file), strict=False)]
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    vectorizer = CountVectorizer(analyzer=words).fit(texts[:1500])
    theirs = MultinomialNB().fit(vectorizer.transform(texts[:1500]), labels[:1500])
    model = likely.Classifier(likely.Multinomial()).fit(texts[:1500], labels[:1500])
    expected = theirs.predict_joint_log_proba(vectorizer.transform(texts[1500:]))
    np.testing.assert_allclose(model.log_joint(texts[1500:]), expected, rtol=1e-12)
