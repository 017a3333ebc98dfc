"""Rows drawn from a model have the moments and shares that it estimated."""

import itertools
import json
import math
from collections import Counter

import numpy as np
import pytest

import likely
from likely import (
    Bernoulli,
    BinaryMultinomial,
    Binned,
    Categorical,
    Classifier,
    Dates,
    Gaussian,
    JointTable,
    Multinomial,
    Text,
)
from likely.errors import DataError, OptionError

MANY = 20_000
# So many standard errors are no chance.
NEVER = 5.0

TEXTS = ["a fine cast", "fine and good", "good fun and a good cast", "too long", "a dull plot"]
LABELS = ["pos", "pos", "pos", "neg", "neg"]
SKIES = {
    "sky": ["clear", "clear", "grey", "grey", "grey", None],
    "wind": ["weak", "strong", "weak", "weak", "strong", "weak"],
}
RAIN = ["no", "no", "no", "yes", "yes", "yes"]


def near(found, share, n):
    """Whether a share of n draws is the expected one, up to chance."""
    return abs(found - share) <= NEVER * math.sqrt(share * (1 - share) / n) + 1e-12


def shares(cells):
    return {value: count / len(cells) for value, count in Counter(cells).items()}


def people(seed=0):
    chance = np.random.default_rng(seed)
    y = chance.integers(0, 2, 400)
    height = 160 + 12 * y + chance.normal(0, 6, 400)
    weight = 0.9 * height - 90 + chance.normal(0, 5, 400) * (1 + y)
    height[::9] = np.nan
    return {"height": height, "weight": weight}, y.tolist()


# Numbers


@pytest.mark.parametrize("covariance", ["diagonal", "shared", "full"])
def test_numbers_have_the_means_and_covariances_of_their_class(covariance):
    model = Classifier(Gaussian(covariance)).fit(*people())
    (expected,) = model.estimates.values()
    for place, label in enumerate(model.classes):
        drawn = model.sample(label, MANY, seed=place)
        rows = np.column_stack([drawn["height"], drawn["weight"]])
        at = place if len(expected.covariances) > 1 else 0
        sigma, deviations = expected.covariances[at], expected.deviations[place]
        assert np.abs(rows.mean(axis=0) - expected.means[place]) == pytest.approx(
            0, abs=NEVER * deviations.max() / math.sqrt(MANY)
        )
        scale = np.outer(deviations, deviations) * NEVER * math.sqrt(2 / MANY)
        assert (np.abs(np.cov(rows.T) - sigma) <= scale).all()


def test_columns_without_spread_stay_where_they_are():
    x = {"a": [1.0, 1.0, 1.0, 2.0, 2.0, 2.0], "b": [1.0, 2.0, 3.0, 4.0, 5.0, 9.0]}
    for covariance in ("diagonal", "shared", "full"):
        model = Classifier(Gaussian(covariance)).fit(x, RAIN)
        assert np.array(model.sample("yes", 50)["a"]) == pytest.approx(2.0, abs=1e-3)


def test_a_column_without_numbers_stays_empty():
    x = {"a": [None] * 6, "b": [1.0, 2.0, 3.0, 4.0, 5.0, 9.0]}
    model = Classifier(Gaussian()).fit(x, RAIN)
    assert model.sample("yes", 3)["a"] == [None] * 3
    assert None not in model.sample("yes", 3)["b"]
    binned = Classifier({"a": Binned(), "b": Categorical()}).fit(x, RAIN)
    assert binned.sample("yes", 3)["a"] == [None] * 3


def test_bins_give_the_numbers_that_were_seen_as_often_as_the_class_has_them():
    x, y = {"n": [1.0, 2.0, 2.0, 3.5, 3.5, 8.0]}, RAIN
    model = Classifier({"n": Binned(m=2)}).fit(x, y)
    (found,) = model.estimates.values()
    for place, label in enumerate(model.classes):
        drawn = shares(model.sample(label, MANY)["n"])
        for value, expected in zip(found.values["n"], found.probabilities["n"], strict=True):
            assert near(drawn.get(value, 0.0), expected[place], MANY)


# Categories and dates


@pytest.mark.parametrize(
    "likelihood",
    [
        Categorical(),
        Categorical(m=0),
        Categorical(alpha=2),
        Categorical(m=3, p={"sky": {"clear": 0.9, "grey": 0.1}}),
        Categorical(m=2, p="pooled"),
    ],
    ids=repr,
)
def test_categories_have_the_shares_of_the_m_estimate(likelihood):
    model = Classifier(likelihood).fit(SKIES, RAIN)
    (found,) = model.estimates.values()
    for place, label in enumerate(model.classes):
        drawn = model.sample(label, MANY, seed=7)
        for column, values in found.values.items():
            counted = shares(drawn[column])
            assert set(counted) <= set(values)
            for value, expected in zip(values, found.probabilities[column], strict=True):
                assert near(counted.get(value, 0.0), expected[place], MANY)


def test_cells_are_missing_only_where_that_is_a_value():
    for missing in ("skip", "value"):
        likelihood = Categorical(2, missing=missing)
        rows = {"sky": ["clear", "grey", "grey", "grey", "grey", None, "grey", "grey"]}
        model = Classifier(likelihood).fit(rows, ["no"] * 5 + ["yes"] * 3)
        # One of three is missing, and one of eight in all: (1 + 2/8) / (3 + 2).
        drawn = model.sample("yes", MANY)["sky"]
        expected = 0.0 if missing == "skip" else (1 + 2 / 8) / 5
        assert near(drawn.count(None) / MANY, expected, MANY)


def test_joint_tables_draw_whole_combinations():
    x = {"a": ["u", "u", "v", "v", "u", "v"], "b": ["x", "x", "y", "y", "y", "x"]}
    model = Classifier(JointTable(m=2)).fit(x, RAIN)
    (theta,) = model.estimates.values()
    for place, label in enumerate(model.classes):
        drawn = model.sample(label, MANY)
        counted = shares(list(zip(drawn["a"], drawn["b"], strict=True)))
        for (i, a), (j, b) in itertools.product(enumerate("uv"), enumerate("xy")):
            assert near(counted.get((a, b), 0.0), theta[i, j, place], MANY)


def test_dates_have_the_parts_of_the_dates_of_their_class():
    days = ["2024-01-05", "2024-01-06T10:20", "2024-03-05", "2023-02-05", "2023-02-28T00:10"]
    model = Classifier({"day": Dates()}).fit({"day": days * 2}, ["a", "a", "a", "b", "b"] * 2)
    (found,) = model.estimates.values()
    drawn = model.sample("b", MANY)
    again = Classifier({"day": Dates(m=0)}).fit(
        {"day": drawn["day"] + days}, ["b"] * MANY + ["a"] * 5
    )
    (read,) = again.estimates.values()
    for part in ("year", "month", "weekday", "hour"):
        own = dict(zip(read.values[f"day {part}"], read.probabilities[f"day {part}"], strict=True))
        for value, expected in zip(
            found.values[f"day {part}"], found.probabilities[f"day {part}"], strict=True
        ):
            assert near(own[value][1], expected[1], MANY / 4)
    with_time = sum("T" in day for day in drawn["day"]) / MANY
    assert near(with_time, 0.5, MANY)


# Texts


def learned(likelihood, times=1):
    return Classifier(likelihood).fit(TEXTS * times, LABELS * times)


def theta(model, label):
    """P(word | class), by the scores of texts of one word."""
    words = sorted({word for text in TEXTS for word in text.split()})
    place = model.classes.index(label)
    prior = np.log(np.array([LABELS.count(c) for c in model.classes]) / len(LABELS))
    return dict(zip(words, np.exp(model.log_joint(words) - prior)[:, place], strict=True))


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_words_have_the_shares_of_their_class(alpha):
    model = learned(Multinomial(alpha))
    for label in model.classes:
        texts = model.sample(label, 4_000, seed=3)
        words = [word for text in texts for word in text.split()]
        drawn = shares(words)
        for word, expected in theta(model, label).items():
            assert near(drawn.get(word, 0.0), expected, len(words))


def test_a_text_is_as_long_as_those_of_its_class_are_on_average():
    texts = learned(Multinomial()).sample("pos", MANY)
    lengths = np.array([len(text.split()) for text in texts])
    # Twelve words in three texts: one, and a Poisson number of three.
    assert lengths.min() == 1
    assert lengths.mean() == pytest.approx(4, abs=NEVER * math.sqrt(3 / MANY))
    assert lengths.var() == pytest.approx(3, abs=0.2)


def test_a_text_is_as_long_as_one_says():
    texts = learned(Multinomial()).sample("neg", 5, length=9)
    assert [len(text.split()) for text in texts] == [9] * 5


def test_with_bigrams_a_word_follows_one_that_it_followed():
    model = learned(Multinomial(0, text=Text(word_ngrams=(1, 2))), times=50)
    drawn = model.sample("neg", 500)
    assert {"too long", "a dull plot"} <= set(drawn)
    assert drawn.count("too long") + drawn.count("a dull plot") > 300
    assert max(len(text.split()) for text in model.sample("pos", 100, length=2)) <= 2


def test_bernoulli_words_are_there_or_not_one_by_one():
    model = learned(Bernoulli())
    texts = [set(text.split()) for text in model.sample("pos", MANY)]
    n_pos = LABELS.count("pos")
    for word in ("a", "good", "dull"):
        held = sum(word in text.split() for text in TEXTS[:n_pos])
        drawn = sum(word in text for text in texts) / MANY
        assert near(drawn, (held + 1) / (n_pos + 2), MANY)
    both = sum({"a", "good"} <= text for text in texts) / MANY
    assert near(both, (3 / 5) * (3 / 5), MANY)


def test_among_binary_texts_of_one_length_each_has_its_probability():
    texts, labels = ["a b", "a c", "a", "c d e"], ["x", "x", "x", "y"]
    model = Classifier(BinaryMultinomial(0.5)).fit(texts, labels)
    drawn = model.sample("x", MANY)
    mean = np.mean([len(text.split()) for text in drawn])
    assert mean == pytest.approx(5 / 3, abs=NEVER * math.sqrt(1.5 / MANY))
    pairs = [" ".join(pair) for pair in itertools.combinations("abcde", 2)]
    weights = np.exp(model.log_joint(pairs)[:, 0])
    two = [text for text in drawn if len(text.split()) == 2]
    counted = shares(two)
    for pair, expected in zip(pairs, weights / weights.sum(), strict=True):
        assert near(counted.get(pair, 0.0), expected, len(two))


def test_a_model_that_learns_what_another_says_comes_to_say_the_same():
    x = {
        "bio": TEXTS * 4,
        "height": np.random.default_rng(1).normal(170, 9, 20).tolist(),
        "team": ["red", "blue", "red", "red", "blue"] * 4,
    }
    given = {"bio": Multinomial(), "height": Gaussian(), "team": Categorical()}
    model = Classifier(given).fit(x, LABELS * 4)
    new = {"bio": ["a", "fun", "plot", "too"], "height": [160, 170, 180, 190], "team": ["red"] * 4}
    gaps = []
    for n in (100, 1_000, 50_000):
        again = Classifier(given).fit(*model.sample(n=n, seed=5))
        gaps.append(np.abs(again.predict_proba(new) - model.predict_proba(new)).max())
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.01
    assert again.column_roles == model.column_roles


# Classes, seeds and shapes


def test_without_a_class_the_prior_draws_it():
    model = learned(Multinomial())
    texts, labels = model.with_prior({"pos": 0.9, "neg": 0.1}).sample(n=MANY)
    assert len(texts) == MANY
    assert near((labels == "pos").mean(), 0.9, MANY)
    dull = [text for text, label in zip(texts, labels, strict=True) if label == "neg"]
    assert sum("dull" in text for text in dull) / len(dull) > 0.1


def test_rows_are_those_that_predict_takes():
    texts = learned(Multinomial())
    assert texts.predict(texts.sample("pos", 4)).shape == (4,)
    x, y = people()
    numbers = Classifier(Gaussian()).fit(np.column_stack(list(x.values())), y)
    drawn = numbers.sample(1, 200)
    assert list(drawn) == list(numbers.columns)
    assert (numbers.predict(drawn) == 1).mean() > 0.7
    mixed = Classifier({"t": Multinomial(), "n": Gaussian()})
    mixed.fit({"t": TEXTS, "n": [1.0, 2.0, 3.0, 4.0, 5.0]}, LABELS)
    assert list(mixed.sample("pos", 2)) == ["t", "n"]
    assert mixed.sample("pos", 0) == {"t": [], "n": []}


def test_equal_seeds_give_equal_rows_whatever_was_drawn_before():
    given = {"t": Multinomial(), ("n", "o"): Gaussian("full")}
    x = {"t": TEXTS, "n": [1.0, 2.0, 3.0, 4.0, 5.0], "o": [1.0, 2.5, 3.0, 1.0, 5.5]}
    model = Classifier(given).fit(x, LABELS)
    first = model.sample("pos", 3, seed=1)
    assert first != model.sample("pos", 3, seed=2)
    again = likely.classifier.from_bytes(model.to_bytes())
    assert json.dumps(again.sample("pos", 3, seed=1)) == json.dumps(first)


def test_the_rows_of_a_seed_are_the_same_on_every_machine():
    x, y = {"n": [1.0, 2.0, 4.0, 3.0], "o": [2.0, 1.0, 5.0, 2.0], "c": list("uvuv")}, [0, 0, 1, 1]
    given = {("n", "o"): Gaussian("shared"), "c": Categorical()}
    drawn = Classifier(given).fit(x, y).sample(1, 2)
    assert drawn == {
        "n": [3.5889046919352223, 3.4065877553389985],
        "o": [4.494599089843036, 3.554938923711354],
        "c": ["v", "v"],
    }


def test_a_compact_copy_and_a_model_of_soft_assignments_draw_too():
    plain = learned(Multinomial())
    assert plain.compact().sample("pos", 3) == plain.sample("pos", 3)
    soft = Classifier(Multinomial()).fit(
        TEXTS, LABELS, unlabeled=["good good", "so long"], unlabeled_weight=0.5
    )
    assert len(soft.sample("neg", 4)) == 4


def test_the_plain_model_of_a_default_one_draws_words_and_bins():
    x = {"t": TEXTS * 4, "n": [1.5, 2.5, 3.5, 4.5, 5.5] * 4}
    model = Classifier(columns={"t": "text", "n": "numeric"}).fit(x, LABELS * 4)
    with pytest.raises(OptionError, match=r"tuned model: .*\nhint: `model.plain\(\)`"):
        model.sample("pos")
    drawn = model.plain().sample("pos", 100)
    assert {word for text in drawn["t"] for word in text.split()} <= {
        word for text in TEXTS for word in text.split()
    }
    assert set(drawn["n"]) <= {1.5, 2.5, 3.5, 4.5, 5.5}


# What cannot be drawn


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        (likely.Complement(), r"cannot be drawn: Complement\(alpha=1\) gives no P\(x \| class\)"),
        (likely.ShortText(), "cannot be drawn: ShortText"),
        (Multinomial(tfidf=True), "cannot be drawn: Multinomial"),
        (Multinomial(text=Text(negation="en")), "negation marking"),
        (Bernoulli(text=Text(negation="en")), "negation marking"),
        (Bernoulli(text=Text(word_ngrams=(1, 2))), "Bernoulli reads more of `x` than single words"),
        (BinaryMultinomial(skip_top=2), "or skips some"),
        (Multinomial(text=Text(None, 3)), "needs single words"),
    ],
    ids=repr,
)
def test_what_has_no_probability_to_draw_by_is_refused(likelihood, message):
    with pytest.raises(OptionError, match=message):
        learned(likelihood).sample("pos")


def test_a_polarity_and_multi_label_rows_are_refused():
    lexicon = likely.Lexicon({"good": 1, "dull": -1})
    model = Classifier({"t": [Multinomial(), likely.Polarity(lexicon)]}).fit({"t": TEXTS}, LABELS)
    with pytest.raises(OptionError, match="cannot be drawn: Polarity"):
        model.sample("pos")
    several = Classifier(Multinomial()).fit(["a", "b", "a b"], [["x"], ["y"], ["x", "y"]])
    with pytest.raises(OptionError, match="`sample` is for single-label rows"):
        several.sample("x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"c": "maybe"}, "`maybe` is no class of the model"),
        ({"n": -1}, "`n` is a whole number from 0 to 100,000,000, not -1"),
        ({"n": 2.0}, "`n` is a whole number"),
        ({"n": True}, "`n` is a whole number"),
        ({"seed": -1}, "`seed` is a whole number from 0 up, not -1"),
        ({"length": 0}, "`length` is a whole number from 1"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        learned(Multinomial()).sample(**{"c": "pos", **options})


def test_a_length_is_for_texts_that_are_drawn_word_by_word():
    with pytest.raises(OptionError, match="`length` is that of a text, and the model reads none"):
        Classifier(Categorical()).fit(SKIES, RAIN).sample("no", length=3)
    with pytest.raises(OptionError, match="Bernoulli draws each word by itself"):
        learned(Bernoulli()).sample("pos", length=3)


def test_a_class_without_words_says_nothing_without_smoothing():
    model = Classifier(Multinomial(0)).fit(["a b", "", "a"], ["x", "y", "x"])
    with pytest.raises(DataError, match="no text of `y` has a word"):
        model.sample("y")
    smoothed = Classifier(Multinomial()).fit(["a b", "", "a"], ["x", "y", "x"])
    assert set(smoothed.sample("y", 50)) == {"a", "b"}
