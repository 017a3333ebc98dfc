"""One rule says which likelihood suits which column."""

import pytest

from likely import Categorical, Classifier, Gaussian, JointTable, Multinomial, NumberViews
from likely.likelihoods.choose import READS, choose

ROLES = {"note": "text", "size": "numeric", "weight": "numeric", "kind": "categorical"}


def test_each_column_gets_what_suits_its_role():
    assert choose(ROLES, None) == {
        "note": Multinomial(),
        "size": Gaussian(),
        "weight": Gaussian(),
        "kind": Categorical(),
    }


def test_columns_may_share_a_likelihood_and_details_are_given_once():
    found = choose(ROLES, None, joint=[("size", "weight")], smoothing={"alpha": 0.5, "m": 2.0})
    assert found[("size", "weight")] == Gaussian("full")
    assert (found["note"], found["kind"]) == (Multinomial(0.5), Categorical(m=2.0))


@pytest.mark.parametrize(
    ("model", "shared"), [("lda", Gaussian("shared")), ("joint", JointTable())]
)
def test_some_models_take_all_their_columns_together(model, shared):
    assert choose(dict.fromkeys("ab", READS[model]), None, model=model) == {("a", "b"): shared}


def test_a_classifier_picks_by_the_same_rule():
    table = {"size": [1.5, 2.5, 3.5, 4.0] * 5, "kind": list("xyxx") * 5}
    model = Classifier().fit(table, list("abab") * 5)
    assert model.likelihood == {"size": NumberViews(), "kind": Categorical()}
