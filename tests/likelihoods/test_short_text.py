"""Names, addresses and codes by their words and characters."""

import math
from collections import Counter

import numpy as np
import pytest

import likely
from likely import Classifier, Multinomial, ShortText, Text, TextViews
from likely.classifier import from_bytes
from likely.errors import DataTypeError, OptionError

CELLS = ["PC 17599", "A/5 21171", "PC 17601", "A/5 3540", None, "STON/O2. 3101282"]
LABELS = ["y", "n", "y", "n", "y", "y"]


def fitted(**options):
    model = Classifier({"ticket": ShortText(**options)}, prior="uniform")
    return model.fit({"ticket": CELLS}, LABELS)


def ngrams(cell):
    """Words in lower case, and n-grams of two to four of what stands between spaces."""
    padded = [f" {one} " for one in cell.lower().split()]
    chars = [
        one[start : start + n]
        for one in padded
        for n in (2, 3, 4)
        for start in range(len(one) - n + 1)
    ]
    return cell.lower().split(), chars


def test_the_score_is_by_hand_a_quarter_of_two_multinomials_over_the_root_of_the_length():
    cells, labels = ["ab cd", "ab", "ce", "ab ce"], ["x", "x", "y", "y"]
    model = Classifier({"c": ShortText(0.5)}, prior="uniform").fit({"c": cells}, labels)
    read = list(map(ngrams, cells))
    logs = {"x": 0.0, "y": 0.0}
    for kind, features in enumerate(ngrams("ab zz")):
        known = {f for one in read for f in one[kind]}
        for label in logs:
            counts = Counter(
                f for one, own in zip(read, labels, strict=True) if own == label for f in one[kind]
            )
            total = counts.total() + 0.5 * len(known)
            own = sum(math.log((counts[f] + 0.5) / total) for f in features if f in known)
            logs[label] += own / (4 * math.sqrt(len(features)))
    odds = logs["x"] - logs["y"]
    (proba,) = model.predict_proba({"c": ["ab zz"]})
    assert math.log(proba[0] / proba[1]) == pytest.approx(odds)


def test_it_is_explained_by_its_words_and_its_column():
    why = fitted().explain({"ticket": "PC 17755"})
    names = [one.name for one in why.contributions if one.kind == "short text"]
    assert names == ["ticket: pc", "ticket: other n-grams"]
    assert sum(map(why.log_odds, why.contributions)) == pytest.approx(why.total)
    assert why.prediction == "y"
    assert "ticket: pc" in dict(fitted().top_features(5)["y"])
    assert "ticket: pc" in str(fitted().by_hand({"ticket": "PC 17755"}))


def test_the_column_is_no_text_to_what_is_about_texts():
    table = {
        "body": ["the ferry is late", "a book is missing", "ferry tickets", "an old book"] * 6,
        "from": [f"{name}{n}@{'sea' if n % 2 else 'isle'}.example" for n in range(6) for name in
                 ("ada", "bo", "cy", "di")],
    }  # fmt: skip
    labels = ["harbour", "library"] * 12
    model = Classifier().fit(table, labels)
    assert model.column_roles["from"].role == "short text"
    assert model.text_columns == ("body",)
    plain = Classifier({"body": Multinomial(), "from": ShortText()}).fit(table, labels)
    assert plain.language_model("harbour").column == "body"


def test_missing_cells_say_nothing_whatever_their_spelling():
    model = fitted()
    half = pytest.approx([0.5, 0.5])
    for cell in (None, "", "NA", " ? ", float("nan")):
        assert model.predict_proba({"ticket": [cell]})[0] == half
    again = [cell or "N/A" for cell in CELLS]
    assert Classifier({"ticket": ShortText()}, prior="uniform").fit(
        {"ticket": again}, LABELS
    ).to_bytes() == (model.to_bytes())


def test_numbers_are_read_in_their_one_spelling():
    plz = {"plz": [10115, 10117, 80331, 80333]}
    model = Classifier({"plz": ShortText()}).fit(plz, ["b", "b", "m", "m"])
    floats = Classifier({"plz": ShortText()}).fit(
        {"plz": ["10115.0", 10117.0, "80331", 80333.0]}, ["b", "b", "m", "m"]
    )
    assert floats.digest == model.digest
    assert model.predict({"plz": [10119, 80337]}).tolist() == ["b", "m"]


def test_it_is_stored_and_comes_back():
    for likelihood in (ShortText(), ShortText(0.5, text=Text(1, (1, 3)), neutral=["pc"])):
        model = Classifier({"ticket": likelihood}).fit({"ticket": CELLS}, LABELS)
        assert from_bytes(model.to_bytes()).likelihood == {"ticket": likelihood}
    assert repr(ShortText()) == "ShortText(alpha=1)"


def test_rows_with_several_labels_learn_from_it():
    labels = [["a"], ["b"], ["a"], ["b"], [], ["a", "b"]]
    model = Classifier({"ticket": ShortText()}).fit({"ticket": CELLS}, labels)
    found = model.predict_proba({"ticket": ["PC 1", "A/5 2"]})
    assert found[0, 0] > found[1, 0]


def test_what_it_cannot_is_refused():
    model = fitted()
    with pytest.raises(OptionError, match="short texts are not linear"):
        model.linear_form()
    with pytest.raises(OptionError, match="no joint probability"):
        model.log_evidence({"ticket": ["PC 1"]})
    with pytest.raises(DataTypeError, match="row 1 of `ticket` is bytes, not a text"):
        model.predict({"ticket": [b"PC"]})


def test_a_column_of_noise_beside_others_does_no_harm():
    """Where such a column says nothing, it must not drown out those that do."""
    rng = np.random.default_rng(3)
    labels = rng.choice(["a", "b"], 300)
    good = np.where(rng.random(300) < 0.85, labels, rng.choice(["a", "b"], 300))
    codes = [f"{prefix}-{n}" for prefix, n in zip(rng.choice(["k", "l", "m"], 300),
             rng.integers(10_000, 99_999, 300), strict=True)]  # fmt: skip
    table = {"good": good.tolist(), "code": codes}
    model = Classifier().fit(table, labels.tolist())
    assert model.column_roles["code"].role == "short text"
    alone = Classifier(columns={"code": "drop"}).fit(table, labels.tolist())
    assert model.loo.accuracy >= alone.loo.accuracy - 0.02
    assert model.loo.log_probability.mean() > alone.loo.log_probability.mean() - 0.02


def test_for_names_it_is_better_than_views_of_a_text(public_data):
    """Names of boys and girls: the last letters tell, and no name comes twice."""
    rows = likely.open_table(public_data / "names_gender" / "all.csv")
    (table,) = rows.batches()
    order = np.random.default_rng(0).permutation(len(table))
    train, test = table.at(order[:1000]), table.at(order[1000:3000])
    right = {}
    for likelihood in (ShortText(), TextViews()):
        model = Classifier({"text": likelihood}, tune=True).fit(
            {"text": train.texts(["text"]).tolist()}, train.texts(["label"]).tolist()
        )
        found = model.predict({"text": test.texts(["text"]).tolist()})
        truth = np.array(test.texts(["label"]).tolist())
        right[likelihood.name] = float((found == truth).mean())
    assert right["short text"] > 0.76
    assert right["short text"] > right["views"]
