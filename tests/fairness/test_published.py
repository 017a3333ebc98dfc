"""The sentences that others have published, under models of real data."""

import time

import pytest

import likely
from likely.fairness import of_term, persons, read_sentences, terms


@pytest.fixture(scope="module")
def trained(request):
    models = {}

    def trained(folder, name):
        if name not in models:
            table = likely.open_table(folder / name / "train.csv")
            models[name] = likely.Classifier(threads=2).fit(table)
        return models[name]

    return trained


def test_sentiment_on_sentences_about_persons(trained, public_data):
    model = trained(public_data, "sst2")
    sentences = read_sentences(str(public_data / "eec/all.csv"))
    assert len(sentences.texts) == 8640
    assert len(sentences.names) == 62  # 40 names, 18 noun phrases, he, him, she and her
    start = time.perf_counter()
    found = persons(model, sentences)
    assert time.perf_counter() - start < 20
    assert [(one.attribute, one.group) for one in found.contrasts] == [
        ("gender", "female"),
        ("race", "African-American"),
    ]
    # Names of one group score lower in most frames, if by little.
    race = found.contrasts[1]
    assert -0.1 < race.gap < 0
    assert race.lower > 0.5


def test_offence_on_sentences_that_name_identities(trained, public_data):
    model = trained(public_data, "tweeteval_offensive")
    sentences = read_sentences(str(public_data / "madlibs_en2020/all.csv"))
    assert len(sentences.texts) == 76564
    start = time.perf_counter()
    found = terms(model, sentences, "offensive")
    assert time.perf_counter() - start < 60
    assert found.hostile == 38282
    worst = max(found.terms, key=lambda one: one.false_positive_gap)
    assert worst.is_found
    assert worst.false_positive_gap > 0.3
    assert worst.bpsn_auc < found.auc
    why = of_term(model, sentences, worst.term, "offensive")
    assert why.carriers[0].name == worst.term
