import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import likely
from likely.errors import NotLearnedError, OptionError
from likely.likelihoods.product import every
from tests.laws.strategies import COLUMNS, rows
from tests.laws.test_laws import EVERY_MODEL
from tests.raising import coded

HUNDREDTHS = st.one_of(
    st.sampled_from([None, 0.0, 1.0]), st.integers(-1000, 1000).map(lambda n: n / 100)
)


def table(rows):
    return {name: [cells[name] for cells, _ in rows] for name in COLUMNS}


@pytest.mark.parametrize("given_likelihoods", EVERY_MODEL, ids=str)
@pytest.mark.parametrize("prior", ["empirical", "uniform", "empirical+1", {"ham": 0.1}])
@settings(max_examples=25)
@given(data=rows(max_size=8, numbers=HUNDREDTHS), threads=st.integers(1, 3))
def test_it_equals_retraining_without_the_row(given_likelihoods, prior, data, threads):
    labels = [label for _, label in data]
    takes_prior = all(likelihood.takes_prior for likelihood in every(given_likelihoods))
    if prior != "empirical" and not takes_prior:
        with pytest.raises(OptionError, match="takes no prior"):
            likely.Classifier(given_likelihoods, prior=prior)
        return
    assume(len(set(labels)) > 1)
    model = likely.Classifier(given_likelihoods, prior=prior, threads=threads)
    model.fit(table(data), labels, loo=True)
    for row, (_, label) in enumerate(data):
        others = data[:row] + data[row + 1 :]
        retrained = likely.Classifier(given_likelihoods, prior=prior)
        retrained.update(table(others), [y for _, y in others])
        if len(retrained.classes) < 2:
            continue
        found = dict(zip(model.loo.classes, model.loo.scores[row], strict=True))
        if label not in retrained.classes:
            assert found.pop(label) == -np.inf
        expected = retrained.fitted.scores_of(table(data[row : row + 1]), 1)[0]
        assert list(found.values()) == pytest.approx(expected.tolist(), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("view", [likely.Multinomial, likely.BinaryMultinomial, likely.Bernoulli])
def test_without_smoothing_the_prior_decides_the_impossible(view):
    texts, labels = ["a b", "a", "b", "b", "b"], ["p", "p", "q", "q", "q"]
    model = likely.Classifier(view(0)).fit(texts, labels, loo=True)
    for row, prediction in enumerate(model.loo.predictions):
        others = texts[:row] + texts[row + 1 :], labels[:row] + labels[row + 1 :]
        assert prediction == likely.Classifier(view(0)).fit(*others).predict([texts[row]])[0]


def test_it_sees_what_a_row_gives_away():
    """A word that only one row has cannot help that row."""
    texts = ["tell apart one", "tell apart two", "tell apart three", "tell apart four"]
    model = likely.Classifier(likely.Multinomial()).fit(texts, ["x", "y", "x", "y"], loo=True)
    assert (model.predict(texts) == ["x", "y", "x", "y"]).all()
    assert model.loo.accuracy == 0.0


def test_rows_that_were_not_learned_are_refused():
    for ledger in (True, False):
        model = likely.Classifier(likely.Multinomial(), ledger=ledger).fit(["a b", "c"], ["x", "y"])
        for text in ("a", "zzz never"):
            with pytest.raises(NotLearnedError, match=r"(text|row) 2 "):
                model.leave_one_out(["a b", text], ["x", "y"])
    with pytest.raises(NotLearnedError, check=coded("class-not-learned")):
        model.leave_one_out(["a b"], ["z"])
