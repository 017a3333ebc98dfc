import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import likely
from likely.errors import OptionError
from likely.fairness import read_sentences, read_terms, terms


@pytest.fixture(scope="module")
def model():
    hostile = ["you pathetic liar", "disgusting gay creature", "get lost, worthless blind idiot"]
    kind = ["a friendly person", "many people came to the concert", "the book is about an engineer"]
    texts = hostile * 5 + kind * 5
    return likely.Classifier(likely.Multinomial()).fit(texts, ["off"] * 15 + ["fine"] * 15)


@pytest.fixture(scope="module")
def found(model):
    return terms(model, read_sentences("terms"), "off")


def test_rates_are_shares_of_the_sentences_of_a_term(model, found):
    sentences = read_sentences("terms")
    called = model.predict(sentences.texts) == "off"
    for at, one in enumerate(found.terms):
        here = sentences.terms == at
        fine, rest = here & ~sentences.hostile, ~here & ~sentences.hostile
        assert one.false_positives == pytest.approx(called[fine].mean())
        assert one.false_positive_gap == pytest.approx(called[fine].mean() - called[rest].mean())
        assert one.false_negatives == pytest.approx((~called)[here & sentences.hostile].mean())
        assert one.sentences == here.sum()


def test_orders_equal_scikit_learns(model, found):
    sentences = read_sentences("terms")
    scores = model.predict_proba(sentences.texts)[:, list(model.classes).index("off")]
    hostile = sentences.hostile
    assert found.auc == pytest.approx(roc_auc_score(hostile, scores))
    for at, one in enumerate(found.terms[::7]):
        here = sentences.terms == at * 7
        chosen = {
            "subgroup_auc": here,
            "bpsn_auc": (here & ~hostile) | (~here & hostile),
            "bnsp_auc": (here & hostile) | (~here & ~hostile),
        }
        for name, rows in chosen.items():
            expected = roc_auc_score(hostile[rows], scores[rows])
            assert getattr(one, name) == pytest.approx(expected), name
            assert getattr(one, name).low <= expected + 1e-9
            assert getattr(one, name).high >= expected - 1e-9


def test_terms_that_go_with_hostility_are_found(found):
    worst = sorted(found.terms, key=lambda one: -one.false_positive_gap)[:2]
    assert {one.term for one in worst} == {"gay", "blind"}
    assert all(one.is_found for one in worst)
    assert "most above it are `" in " ".join(str(found).split())


def test_sentences_of_others_are_searched_for_terms(model, tmp_path):
    lines = ["text,label,template"]
    for name in ("Ann", "Bo"):
        for term in ("gay", "deaf", "African  American"):
            lines += [f"{name} is a vile {term},toxic,t", f"{name} is a fine {term},nontoxic,t"]
    lines += ["You are a vile cook,toxic,t", "You are a fine cook,nontoxic,t"]
    (tmp_path / "m.csv").write_text(
        "\n".join(lines).replace("African  American", "African American")
    )
    sentences = read_sentences(str(tmp_path / "m.csv"))
    assert sentences.names == ["gay", "african american", "deaf"]
    assert (sentences.terms == -1).sum() == 2
    assert len(np.unique(sentences.frames)) == 6
    found = terms(model, sentences, "off")
    assert "only 4 sentences name `gay`" in found.warnings[0]
    named = read_sentences(str(tmp_path / "m.csv"), terms=["cook"])
    assert named.names == ["cook"]
    turned = read_sentences(str(tmp_path / "m.csv"), hostile="nontoxic")
    assert (turned.hostile != sentences.hostile).all()


def test_one_class_is_asked_about():
    model = likely.Classifier().fit(["a", "b", "c"], ["x", "y", "z"])
    with pytest.raises(OptionError, match="about one class against the rest") as refused:
        terms(model, read_sentences("terms"))
    assert "hint: `--score x` chooses one" in str(refused.value)
    assert terms(model, read_sentences("terms"), "y").label == "y"


def test_terms_that_say_nothing_are_all_alike(model):
    neutral = terms(model.with_neutral(read_terms("terms")), read_sentences("terms"), "off")
    assert "These figures are the same for every term" in str(neutral)
    assert "BPSN" not in str(neutral)
