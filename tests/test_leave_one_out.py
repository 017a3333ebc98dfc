import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import likely
from likely.errors import NotLearnedError

from .laws.strategies import rows
from .laws.test_laws import EVERY_LIKELIHOOD


@pytest.mark.parametrize("likelihood", EVERY_LIKELIHOOD, ids=repr)
@pytest.mark.parametrize("prior", ["empirical", "uniform"])
@given(data=rows(max_size=8), threads=st.integers(1, 3))
def test_it_equals_retraining_without_the_row(likelihood, prior, data, threads):
    texts, labels = [text for text, _ in data], [label for _, label in data]
    if len(set(labels)) < 2 or (prior == "uniform" and not likelihood.is_joint):
        return
    model = likely.Classifier(likelihood, prior=prior, threads=threads).fit(texts, labels, loo=True)
    for row, (text, label) in enumerate(data):
        others = data[:row] + data[row + 1 :]
        retrained = likely.Classifier(likelihood, prior=prior)
        retrained.update([t for t, _ in others], [y for _, y in others])
        if len(retrained.classes) < 2:
            continue
        found = dict(zip(model.loo.classes, model.loo.scores[row], strict=True))
        if label not in retrained.classes:
            assert found.pop(label) == -np.inf
        expected = retrained._scores(retrained._texts([text]))[0]
        if prior == "uniform" and label not in retrained.classes:
            # One class fewer shares the prior.
            expected = expected + np.log(len(retrained.classes) / (len(retrained.classes) + 1))
        assert list(found.values()) == pytest.approx(expected.tolist(), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("view", [likely.Multinomial, likely.Binary, likely.Bernoulli])
def test_without_smoothing_the_prior_decides_the_impossible(view):
    texts, labels = ["a b", "a", "b", "b", "b"], ["p", "p", "q", "q", "q"]
    model = likely.Classifier(view(0)).fit(texts, labels, loo=True)
    for row, prediction in enumerate(model.loo.predictions):
        others = texts[:row] + texts[row + 1 :], labels[:row] + labels[row + 1 :]
        assert prediction == likely.Classifier(view(0)).fit(*others).predict([texts[row]])[0]


def test_it_sees_what_a_row_gives_away():
    """A word that only one row has cannot help that row."""
    texts = ["tell apart one", "tell apart two", "tell apart three", "tell apart four"]
    model = likely.Classifier().fit(texts, ["x", "y", "x", "y"], loo=True)
    assert (model.predict(texts) == ["x", "y", "x", "y"]).all()
    assert model.loo.accuracy == 0.0


def test_rows_that_were_not_learned_are_refused():
    for ledger in (True, False):
        model = likely.Classifier(ledger=ledger).fit(["a b", "c"], ["x", "y"])
        for text in ("a", "zzz never"):
            with pytest.raises(NotLearnedError, match=r"(text|row) 1 "):
                model.leave_one_out(["a b", text], ["x", "y"])
    with pytest.raises(NotLearnedError, match="no row of `z`"):
        model.leave_one_out(["a b"], ["z"])
