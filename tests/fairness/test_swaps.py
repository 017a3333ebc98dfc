import json

import pytest

import likely
from likely.errors import DataError, OptionError
from likely.fairness import of_swap, read_pairs, swaps


@pytest.fixture(scope="module")
def model():
    texts = ["she is late", "she is bad", "she was rude", "he is kind", "he is good", "he was nice"]
    return likely.Classifier(likely.Multinomial()).fit(
        texts * 3, ["neg", "neg", "neg", "pos", "pos", "pos"] * 3
    )


TEXTS = ["She is here", "HE is here", "so is he and she", "rain", "he and his mother"]


def test_flips_are_counted_and_shown(model):
    found = swaps(model, TEXTS)
    assert (found.rows, found.touched) == (5, 4)
    before = model.predict(TEXTS)
    after = model.predict(
        ["He is here", "SHE is here", "so is she and he", "rain", "she and her father"]
    )
    flipped = [row for row in range(5) if before[row] != after[row]]
    assert found.flipped == len(flipped) > 0
    assert {flip.row for flip in found.flips} == set(flipped)
    (first,) = [flip for flip in found.flips if flip.row == 0]
    assert (first.text, first.swapped) == ("She is here", "He is here")
    assert (first.before, first.after) == (before[0], after[0])


def test_the_gap_is_of_rows_about_one_side(model):
    (one,) = swaps(model, TEXTS).scores
    scores = model.predict_proba(["She is here", "He is here"])[:, 1]
    assert one.rows == 2
    assert one.gap == pytest.approx(scores[0] - scores[1])
    assert (one.gained, one.lost) == (0, 2)
    assert one.p_value == 0.5


def test_a_missing_text_and_labels_of_other_kinds():
    x = {"text": ["she is late", None, "he is kind", "Mrs He"], "n": [1.0, 2.0, None, 4.0]}
    model = likely.Classifier({"text": likely.Multinomial(), "n": likely.Gaussian()})
    model.fit({"text": ["she", "he", "she", "he"], "n": [1.0, 2.0, 3.0, 5.0]}, [1, 0, 1, 0])
    found = swaps(model, {**x, "text": [text or "" for text in x["text"]]}, score="1")
    assert (found.touched, found.scores[0].label) == (3, 1)
    assert json.loads(json.dumps(found.to_json()))["scores"][0]["label"] == 1


def test_pairs_come_from_a_file(model, tmp_path):
    (tmp_path / "pairs.csv").write_text("# ours\nrain;snow\n\nlate\tearly\n")
    pairs = read_pairs(str(tmp_path / "pairs.csv"))
    assert pairs == [("rain", "snow"), ("late", "early")]
    found = swaps(model, TEXTS, pairs)
    assert (found.touched, found.flipped) == (1, 0)
    assert "No prediction changed" in str(found)


def test_our_pairs_change_places_and_back():
    assert ("she", "he") in read_pairs()
    assert all(one != other for one, other in read_pairs())


@pytest.mark.parametrize("text", ["she,he,they\n", "she\n", "she,she\n", "she,\n"])
def test_what_is_no_pair_is_refused(tmp_path, text):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(DataError, match="line 1: a pair is two different words"):
        read_pairs(str(tmp_path / "bad.csv"))


def test_rows_without_such_words_are_refused(model, tmp_path):
    with pytest.raises(DataError, match="none of the 2 rows has a word of 24 pairs"):
        swaps(model, ["rain", "snow"])
    (tmp_path / "none.csv").write_text("# nothing\n")
    with pytest.raises(DataError, match="has no pairs of words"):
        read_pairs(str(tmp_path / "none.csv"))
    numbers = likely.Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    with pytest.raises(OptionError, match="no words to swap"):
        swaps(numbers, [[1.0]])


def test_what_carries_a_swap_adds_up_and_is_traced_to_rows():
    texts = ["she is late", "he is kind", "she was rude", "he was nice", "so it is", "it was"] * 4
    labels = ["neg", "pos", "neg", "pos", "pos", "neg"] * 4
    rows = {"text": texts, "label": labels}
    model = likely.Classifier(likely.Multinomial()).fit(rows, "label")
    new = {"text": ["She is here", "he was late", "he and she", "rain"] * 5}
    pairs = read_pairs()
    swapped = swaps(model, new, pairs)
    assert swapped.apart is swapped.scores[0]
    assert swapped.learned == 0
    assert swaps(model, rows, pairs).learned == 24
    assert "24 of the rows were learned by the model" in str(swaps(model, rows, pairs))
    why = of_swap(model, new, pairs, "pos", rows)
    assert why.compared == (10, 10)
    assert why.one == "the side of `she`"
    texts = ["she is here", "he is here", "she was late", "he was late"]
    p = model.predict_proba(texts)[:, 1]
    assert why.gap == pytest.approx((p[0] - p[1] + p[2] - p[3]) / 2)
    assert {carrier.name for carrier in why.carriers} == {"she", "he"}
    assert sum(carrier.share for carrier in why.carriers) == pytest.approx(why.gap)
    assert {row.text.split()[0] for row in why.rows} <= {"she", "he"}
    assert why.rows


def test_where_swapping_moves_nothing_there_is_nothing_to_take_apart(model):
    assert swaps(model.with_neutral(["she", "he", "her", "his"]), TEXTS[:3]).apart is None
