"""A compact copy scores like the model it was made of, and does nothing else."""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import likely
from likely import Classifier
from likely.classifier import from_bytes
from likely.errors import LikelyError, ModelError
from likely.likelihoods import TextViews
from likely.likelihoods.text_views import View
from likely.tally import container
from tests.laws.strategies import COLUMNS, rows
from tests.laws.test_laws import EVERY_MODEL, NUMBERS, VIEWS
from tests.raising import coded
from tests.tuned import with_weights

TEXTS = ["good fun", "so good", "bad", "so bad, so dull", "dull", "fine fun"]
LABELS = ["pos", "pos", "neg", "neg", "neg", "pos"]


@pytest.mark.parametrize("likelihood", EVERY_MODEL, ids=str)
@settings(max_examples=25, deadline=None)
@given(drawn=rows(max_size=10, numbers=st.floats(-10, 10)), asked=rows(max_size=4))
def test_a_copy_scores_to_the_last_bit_what_the_model_does(likelihood, drawn, asked):
    x = {name: [cells[name] for cells, _ in drawn] for name in COLUMNS}
    try:
        model = Classifier(likelihood).fit(x, [label for _, label in drawn])
    except LikelyError:
        assume(False)
    if any(one is VIEWS or one is NUMBERS for one in likelihood.values()):
        weights = [one.views if one in (VIEWS, NUMBERS) else 0.5 for one in likelihood.values()]
        model = with_weights(model, *weights)
    copy = from_bytes(model.compact().to_bytes())
    for cells in [*(cells for cells, _ in drawn), *(cells for cells, _ in asked)]:
        new = {name: [cells[name]] for name in COLUMNS}
        try:
            expected = model.predict_proba(new)
        except LikelyError as error:
            with pytest.raises(type(error)):
                copy.predict_proba(new)
            continue
        assert (copy.predict_proba(new) == expected).all()
        ours, theirs = copy.explain(cells).contributions, model.explain(cells).contributions
        assert [(a.name, a.kind, a.count) for a in ours] == [
            (b.name, b.kind, b.count) for b in theirs
        ]
        assert all((a.scores == b.scores).all() for a, b in zip(ours, theirs, strict=True))
    assert copy.compact().to_bytes() == copy.to_bytes()


@pytest.mark.parametrize(
    "options", [{"tfidf": True}, {"skip_top": 1}, {"tfidf": True, "skip_top": 2}]
)
@pytest.mark.parametrize("view", [likely.Multinomial, likely.BinaryMultinomial, likely.Complement])
def test_what_a_view_reads_is_kept(view, options):
    if view is likely.BinaryMultinomial and "tfidf" in options:
        pytest.skip("presence has no counts to weigh")
    model = Classifier(view(**options)).fit(TEXTS, LABELS)
    copy = from_bytes(model.compact().to_bytes())
    assert (copy.predict_proba(TEXTS) == model.predict_proba(TEXTS)).all()
    assert copy.top_features() == model.top_features()


def test_what_is_not_read_is_gone():
    model = Classifier(likely.Multinomial()).fit(TEXTS, LABELS)
    _, arrays = container.unpack(model.compact().to_bytes())
    assert "ledger" not in arrays
    assert set(arrays["0/words/documents"].tolist()) == {1}
    plain = Classifier({"text": TextViews()}).fit({"text": TEXTS}, LABELS)
    tuned = with_weights(plain, (View("word", "binary-multinomial", min_documents=2, whole=1.0),))
    _, before = container.unpack(tuned.to_bytes())
    _, after = container.unpack(tuned.compact().to_bytes())
    # Features of a single row take no part, nor do bigrams and pieces of words.
    assert 0 < len(after["0/words/codes"]) < len(before["0/words/codes"])
    assert len(after["0/2-grams/codes"]) == len(after["0/char-ngrams/codes"]) == 0
    documents, cells = after["0/words/documents"], after["0/words/cells"].astype(int)
    totals = np.add.reduceat(documents.astype(int), np.cumsum(cells) - cells)
    assert totals.min() >= 2


def test_a_copy_learns_nothing(tmp_path):
    model = Classifier(likely.Multinomial()).fit(TEXTS, LABELS)
    copy = model.compact()
    copy.save(tmp_path / "c.likely")
    copy = likely.load(tmp_path / "c.likely")
    for act in (
        lambda: copy.update(["new"], ["pos"]),
        lambda: copy.forget(TEXTS[:1], LABELS[:1]),
        lambda: copy.tune(TEXTS, LABELS),
        lambda: copy.leave_one_out(TEXTS, LABELS),
        lambda: copy + model,
        lambda: model + copy,
        lambda: setattr(copy, "tally", model.tally),
    ):
        with pytest.raises(ModelError, check=coded("compact-copy")):
            act()
    assert copy.to_bytes() == model.compact().to_bytes()
    assert "compact copy" in str(copy.info)


def test_it_says_whose_copy_it_is_and_changes_its_prior():
    model = Classifier(likely.Multinomial()).fit(TEXTS, LABELS)
    copy = pickle.loads(pickle.dumps(model.compact()))
    assert copy.digest == model.digest
    prior = {"pos": 0.01}
    other = copy.with_prior(prior)
    assert (other.predict_proba(TEXTS) == model.with_prior(prior).predict_proba(TEXTS)).all()
    with pytest.raises(ModelError, check=coded("compact-copy")):
        other.update(TEXTS, LABELS)


def test_a_copy_that_does_not_say_so_is_refused():
    model = Classifier(likely.Multinomial()).fit(TEXTS, LABELS)
    metadata, arrays = container.unpack(model.compact().to_bytes())
    del metadata["copy of"]
    with pytest.raises(ModelError, match="not written the way"):
        from_bytes(container.pack(metadata, arrays))
    metadata["copy of"] = "nothing"
    with pytest.raises(ModelError, match="it is a copy of nothing"):
        from_bytes(container.pack(metadata, arrays))
