"""Columns and words that alone tell the label."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import likely
from likely.explain.target_leakage import warned

LABELS = ["spam", "ham", "ham"] * 20


def texts(mark, every=1):
    """Words by chance, and a mark in every so many rows of spam."""
    random = np.random.default_rng(0)
    rows = []
    for row, label in enumerate(LABELS):
        words = [f"w{word}" for word in random.integers(0, 40, 6)]
        rows.append(" ".join([*words, mark] if label == "spam" and row % every == 0 else words))
    return rows


def test_a_word_that_only_one_label_has_is_found():
    model = likely.Classifier().fit(texts("verdict"), LABELS)
    (found,) = [one for one in model.target_leakage() if one.label == "spam"]
    assert (found.what, found.right, found.of, found.others) == ("verdict", 20, 20, 0)
    assert "`verdict` alone tells `spam`: 20 of its 20 rows have it" in warned([found])[0]


def test_a_word_that_half_of_them_have_is_evidence():
    assert likely.Classifier().fit(texts("verdict", every=2), LABELS).target_leakage() == []


def test_of_few_rows_nothing_is_said():
    rows = texts("verdict")[:30]
    assert likely.Classifier(likely.Multinomial()).fit(rows, LABELS[:30]).target_leakage() == []


def test_with_several_labels_a_word_tells_one_against_all_other_rows():
    labels = [[label, "odd"][: 1 + row % 2] for row, label in enumerate(LABELS)]
    model = likely.Classifier(likely.Multinomial()).fit(texts("verdict"), labels)
    assert [(one.what, one.label) for one in model.target_leakage()] == [("verdict", "spam")]


def test_pieces_of_words_are_no_giveaway_where_words_are_read():
    # The letters of a script tell its language, and nobody put them in.
    rows = [f"{'αβ' if label == 'spam' else 'ab'}{row}" for row, label in enumerate(LABELS)]
    text = likely.Text(word_ngrams=(1, 1), char_ngrams=(1, 2))
    assert likely.Classifier(likely.Multinomial(text=text)).fit(rows, LABELS).target_leakage() == []
    text = likely.Text(word_ngrams=None, char_ngrams=(1, 2))
    found = likely.Classifier(likely.Multinomial(text=text)).fit(rows, LABELS).target_leakage()
    assert {one.label for one in found} == {"spam", "ham"}


def table(column):
    return {"text": texts("w1"), "code": column, "y": LABELS}


@pytest.mark.parametrize(
    ("column", "tells"),
    [
        ([{"spam": "s", "ham": "h"}[label] for label in LABELS], True),
        # Two values for one label tell it too.
        ([f"{label[0]}{row // 3 % 2}" for row, label in enumerate(LABELS)], True),
        # A value of one row says nothing of others,
        ([f"id{row}" for row in range(len(LABELS))], False),
        # and what is right in nine rows of ten is evidence.
        ([label[0] if row % 10 else "?" for row, label in enumerate(LABELS)], False),
    ],
)
def test_columns(column, tells):
    model = likely.Classifier(columns={"text": "text", "code": "categorical"}, tune=False)
    found = model.fit(table(column), "y").target_leakage()
    assert [one.what for one in found] == (["code"] if tells else [])
    assert all("leave it out: `--drop-column code`" in str(one) for one in found)


def test_one_column_alone_has_nothing_to_give_away():
    rows = {"code": [label[0] for label in LABELS], "y": LABELS}
    assert likely.Classifier(tune=False).fit(rows, "y").target_leakage() == []


@given(st.lists(st.tuples(st.sets(st.sampled_from("abc")), st.booleans()), min_size=40))
def test_what_is_found_is_what_the_rows_show(rows):
    labels = [label for _, label in rows]
    assume(len(set(labels)) == 2)
    model = likely.Classifier(likely.Multinomial())
    model.fit([" ".join(sorted(words)) for words, _ in rows], labels)
    found = {one.label: one for one in model.target_leakage()}
    for label in (False, True):
        there = labels.count(label)
        best = 0.0
        for word in "abc":
            right = sum(word in words for words, own in rows if own == label)
            said = sum(word in words for words, _ in rows)
            best = max(best, min(right / max(said, 1), right / max(there, 1)))
        enough = min(there, len(rows) - there) >= 20
        assert (label in found) == (enough and best >= 0.98)


def test_many_are_summed_up():
    many = [likely.explain.target_leakage.TargetLeak("w", str(n), 20, 20) for n in range(5)]
    assert len(warned(many)) == 4
    assert warned(many)[-1] == "2 more alone tell a label"


def test_honest_newswire_is_not_suspected(public_data):
    rows = likely.open_table(public_data / "r8" / "train.csv")
    assert likely.Classifier(likely.Multinomial()).fit(rows, "label").target_leakage() == []


def test_a_finer_label_gives_the_label_away(public_data):
    rows = likely.open_table(public_data / "trec_qc" / "train.csv")
    found = likely.Classifier(tune=False).fit(rows, "label").target_leakage()
    assert [one.what for one in found] == ["fine_label"]
