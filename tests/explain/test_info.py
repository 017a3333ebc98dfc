import numpy as np
import pytest

import likely
from likely.errors import NotFittedError


def test_it_counts_rows_and_parameters():
    x = {"sky": ["blue", "grey", "grey"], "degrees": [20.0, 10.0, None]}
    given = {"sky": likely.Categorical(), "degrees": likely.Gaussian()}
    info = likely.Classifier(given).fit(x, ["out", "in", "in"]).info
    assert info.rows == {"in": 2, "out": 1}
    assert (info.parameters.likelihood, info.parameters.prior, info.parameters.free) == (8, 2, 7)
    assert info.likelihoods == [(("sky",), "Categorical()"), (("degrees",), "Gaussian()")]
    assert "3 rows in 2 classes" in str(info)
    assert "8 parameters and 2 priors, 7 of them free" in str(info)


def test_of_many_classes_the_largest_are_shown_and_lines_end_at_80():
    labels = [f"c{place:02}" for place in range(40)] + ["c39"] * 1200
    info = likely.Classifier().fit(["a b"] * len(labels), labels).info
    first, second, *_ = str(info).split("\n")[1:]
    assert (first, second) == ("  c39  1,201", "  c00      1")
    assert "\n  and 10 classes with as many rows or fewer\n" in str(info)
    assert max(map(len, str(info).split("\n"))) <= 80


def test_shrinkage_is_said():
    x = np.random.default_rng(0).normal(size=(6, 8))
    y = [0, 0, 0, 1, 1, 1]
    info = likely.Classifier(likely.Gaussian("full")).fit(x, y).info
    assert sum("is singular; it was shrunk by" in note for note in info.notes) == 2
    fixed = likely.Classifier(likely.Gaussian("shared", shrinkage=0.5)).fit(x, y).info
    assert any("of all classes was shrunk by 0.5" in note for note in fixed.notes)
    lonely = likely.Classifier(likely.Gaussian("full")).fit(x, [0, 0, 0, 0, 0, 1]).info
    assert any("`1` has too few rows for a covariance" in note for note in lonely.notes)


def test_the_ledger_says_what_it_gives_away():
    fit = lambda **options: likely.Classifier(**options).fit(["a", "b"], ["x", "y"]).info.ledger  # noqa: E731
    assert "can test whether a row was learned" in fit()
    assert "no ledger" in fit(ledger=False)
    assert "under a secret" in fit(ledger=b"key")


def test_a_model_without_rows_has_nothing_to_say():
    with pytest.raises(NotFittedError):
        _ = likely.Classifier().info


def test_how_texts_are_read_is_said_once():
    text = likely.Text((1, 2), negation="en", surface_features=True)
    rows = ["not good", "so good", "bad", "not bad"] * 5
    labels = ["neg", "pos", "neg", "pos"] * 5
    model = likely.Classifier({"text": likely.TextViews(text=text)}, tune=True)
    info = model.fit({"text": rows}, labels).info
    (reading,) = info.texts
    assert (reading.column, reading.text) == ("text", repr(text))
    assert "surface feature" in reading.silent
    assert f"text is read as {text!r} prior: " in " ".join(str(info).split())
    assert "weight 0: " in " ".join(info.notes)
    assert f"tuned on {len(rows)} rows" in str(info)
    plain = likely.Classifier(likely.Multinomial(text=text)).fit(rows, labels).info
    assert " ".join(str(plain).split()).count(repr(text)) == 1
    assert plain.texts[0].silent == ()
    assert "is read as Text(word_ngrams=(1, 1))" in str(
        likely.Classifier(likely.Multinomial()).fit(rows, labels).info
    )
