"""Any history of answers leaves the model that was trained on what people agree on."""

import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely import Classifier
from likely.data.files import open_table
from likely.errors import DataError
from likely.model import learning
from likely.server.journal import Request
from likely.server.labeling.answers import consensus
from likely.server.labeling.session import Session, start
from likely.server.living import LivingModel, labeled, nothing_learned

TEXTS = ["a prize for you", "lunch at noon", "a prize for you", "call me", "win now", "see you"]
ITEMS = st.lists(st.integers(0, len(TEXTS) - 1), min_size=1, max_size=4)
LABELS = ["spam", "ham", "a, b"]


def history(given_labels):
    """Answers to one row or several, skips and undos, by two people."""
    who = st.sampled_from(["Ann", "Zoë"])
    said = st.one_of(st.none(), given_labels)
    return st.lists(
        st.one_of(st.tuples(who, ITEMS, said), st.tuples(who, st.none(), st.none())), max_size=14
    )


SINGLE = history(st.sampled_from(LABELS).map(lambda label: [label]))
SEVERAL = history(st.lists(st.sampled_from(LABELS), unique=True))


def begun(folder, *, is_multilabel=False):
    path = folder / "data.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text", "place"], *([text, "here"] for text in TEXTS)])
    return start(folder / "m.likely", open_table(path), Classifier(), is_multilabel, LABELS)


def told(session, events):
    """Tell a session a history; what each person says of each row in the end."""
    said, done = {}, {"Ann": [], "Zoë": []}
    for who, items, labels in events:
        if items is not None:
            session.answer(items, labels, who, "search", Request())
            before = {item: said.get((item, who)) for item in items}
            done[who].append(before)
            now = (None if labels is None else tuple(sorted(labels)),)
            said |= {(item, who): now for item in items}
        elif done[who]:
            session.undo(who, Request())
            said |= {(item, who): answer for item, answer in done[who].pop().items()}
        else:
            with pytest.raises(DataError, match="no answer to take back"):
                session.undo(who, Request())
    return {place: answer[0] for place, answer in said.items() if answer is not None}


def agreed_rows(said):
    """By hand: a row has what all say who say something; two of two minds say nothing."""
    found = {}
    for item in range(len(TEXTS)):
        votes = {said.get((item, who)) for who in ("Ann", "Zoë")} - {None}
        if len(votes) == 1:
            found[item] = votes.pop()
    return found


def digest_from_scratch(session, agreed):
    fitted = nothing_learned(session.model.served.classifier.fitted.plan).fitted
    if agreed:
        cells = [{n: session.pool.columns[n][i] for n in fitted.columns} for i in agreed]
        labels = [session.label(labels) for labels in agreed.values()]
        fitted = learning.updated(fitted, labeled(fitted, cells, labels), 1)
    return fitted.digest


@pytest.mark.parametrize(
    ("events", "is_multilabel"), [(SINGLE, False), (SEVERAL, True)], ids=["single", "multi-label"]
)
def test_a_history_is_training_on_what_people_agree_on(events, is_multilabel, tmp_path_factory):
    @settings(max_examples=25, deadline=None)
    @given(events)
    def holds(events):
        session = begun(tmp_path_factory.mktemp("history"), is_multilabel=is_multilabel)
        try:
            agreed = agreed_rows(told(session, events))
            assert dict(session.seen.agreed) == agreed
            digest = session.model.served.classifier.digest
            assert digest == digest_from_scratch(session, agreed)
        finally:
            session.close()
        again = Session(session.model.path, session.pool)
        try:
            assert again.seen.answers == session.seen.answers
            assert again.model.served.classifier.digest == digest
        finally:
            again.close()
        assert likely.load(session.model.path).digest == digest

    holds()


def test_what_most_people_say():
    assert consensus([]) is None
    assert consensus([None, None]) is None
    assert consensus([("a",), None]) == ("a",)
    assert consensus([("a",), ("b",)]) is None
    assert consensus([("a",), ("b",), ("b",)]) == ("b",)
    assert consensus([("a", "b"), ("a", "b"), ("a",)]) == ("a", "b")
    assert consensus([(), ()]) == ()


def test_an_undone_row_is_as_if_nobody_had_answered_it(tmp_path):
    session = begun(tmp_path)
    session.answer([0, 1], ["spam"], "Ann", "random", Request())
    session.undo("Ann", Request())
    assert session.seen.answers == {}
    session.close()


def test_a_request_that_is_sent_again_is_done_once(tmp_path):
    session = begun(tmp_path)
    session.answer([0], ["spam"], "Ann", "search", Request("k1", b"1", "Ann"))
    session.answer([1], ["ham"], "Ann", "search", Request("k2", b"2", "Ann"))
    first = session.undo("Ann", Request("k3", b"3", "Ann"))
    again = session.undo("Ann", Request("k3", b"3", "Ann"))
    assert first["items"] == again["items"] == [1]
    assert set(session.seen.answers) == {0}
    session.answer([0], ["spam"], "Ann", "search", Request("k1", b"1", "Ann"))
    assert session.model.served.classifier.tally.n_rows == 1
    session.close()


def test_other_rows_under_the_same_output_are_refused(tmp_path):
    session = begun(tmp_path)
    session.close()
    other = tmp_path / "other.csv"
    other.write_text("text,place\nanother,row\n")
    with pytest.raises(DataError, match="not the rows that were labeled"):
        start(tmp_path / "m.likely", open_table(other), Classifier(), False, ())
    with pytest.raises(likely.errors.ModelError, match="not of labels"):
        _of_a_served_model(tmp_path)


def _of_a_served_model(folder):
    path = folder / "served.likely"
    Classifier(likely.Multinomial()).fit({"text": TEXTS, "y": LABELS * 2}, "y").save(path)
    LivingModel(path).close()
    start(path, open_table(folder / "data.csv"), Classifier(), False, ())
