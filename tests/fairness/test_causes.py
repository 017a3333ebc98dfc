import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely.data.files import open_table
from likely.errors import OptionError
from likely.fairness import causes, of_contrast, of_group, of_term, persons, read_sentences
from likely.fairness.shares import slopes

TEXTS = [
    "ann is bad",
    "ann was late, awful",
    "a bad day",
    "bob is good",
    "bob was kind",
    "a good day",
]
LABELS = ["neg", "neg", "neg", "pos", "pos", "pos"]

MODELS = {
    "weighed": None,
    "multinomial": likely.Multinomial(),
    "bernoulli": likely.Bernoulli(),
    "complement": likely.Complement(text=likely.Text((1, 2), (2, 3))),
}


@pytest.mark.parametrize("kind", MODELS)
@settings(max_examples=15)
@given(data=st.data())
def test_carriers_and_views_add_up_to_the_gap(kind, data):
    model = likely.Classifier(MODELS[kind]).fit(TEXTS * 2, LABELS * 2)
    words = st.lists(st.sampled_from(["ann", "bob", "is", "was", "bad", "good", "zzz"]), max_size=5)
    sides = [data.draw(st.lists(words.map(" ".join), min_size=1, max_size=4)) for _ in range(2)]
    found = causes(model, *({"x": side} for side in sides), label="pos")
    means = [model.predict_proba(side)[:, 1].mean() for side in sides]
    assert found.means == pytest.approx(means, abs=1e-12)
    assert found.gap == pytest.approx(means[0] - means[1], abs=1e-12)
    assert sum(one.share for one in found.carriers) == pytest.approx(found.gap, abs=1e-9)
    assert sum(one.share for one in found.views) == pytest.approx(found.gap, abs=1e-9)


@settings(max_examples=25)
@given(data=st.data())
def test_slopes_are_those_of_the_straight_way_between_scores(data):
    numbers = st.floats(-8, 8)
    classes = data.draw(st.integers(2, 4))
    lines = st.lists(numbers, min_size=classes, max_size=classes)
    one, other = (np.array(data.draw(st.lists(lines, min_size=1, max_size=3))) for _ in range(2))
    found = slopes(one, other, 0, None)
    assert found.share(one, other) == pytest.approx(found.gap, abs=1e-12)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    ways = one[:, None] - other
    on_the_way = other[None, :, None] + ways[:, :, None] * ((nodes + 1) / 2)[:, None]
    p = np.exp(on_the_way - on_the_way.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    change = p[..., :1] * ((np.arange(classes) == 0) - p)
    wanted = (change * weights[:, None] / 2).sum(axis=2) / (len(one) * len(other))
    # Of two classes the form is closed; of more, the way has a few steps.
    near = 1e-7 if classes == 2 else 0.02
    assert found.sides[0] == pytest.approx(wanted.sum(axis=1), abs=near)
    assert found.sides[1] == pytest.approx(-wanted.sum(axis=0), abs=near)


def test_scores_as_far_apart_as_numbers_go_are_dealt_out_too():
    one, other = np.array([[3000.0, 0.0, -4000.0]]), np.array([[0.0, 2000.0, 0.0]])
    found = slopes(one, other, 0, None)
    assert found.gap == 1.0
    assert found.share(one, other) == pytest.approx(1.0)


def _planted(rows, seed=0):
    """Two groups that differ in one column of each kind in turn, and in nothing else."""
    chance = np.random.default_rng(seed)
    y = chance.integers(0, 2, rows)
    who = chance.integers(0, 2, rows)
    other = chance.normal(y * 1.0, 1.0)
    # Wild values of either group alike: unbounded evidence, no gap.
    wild = np.where(chance.random(rows) < 0.01, 30.0 * y, chance.normal(0, 1, rows))
    return chance, y, who, other, wild


@pytest.mark.parametrize("kind", ["numeric", "categorical", "word"])
def test_a_planted_cause_ranks_first(kind):
    chance, y, who, other, wild = _planted(2_000)
    leaning = chance.random(2_000) < 0.1 + 0.8 * y
    held = np.where(who == 1, leaning | (chance.random(2_000) < 0.5), leaning)
    cells = {
        "numeric": (chance.normal(held * 3.0, 1.0), likely.Gaussian()),
        "categorical": (np.where(held, "yes", "no").tolist(), likely.Categorical()),
        "word": ([f"so {'rich' if one else 'plain'}" for one in held], likely.Multinomial()),
    }
    column, likelihood = cells[kind]
    x = {"other": other, "wild": wild, "cause": column}
    ways = {"other": likely.Gaussian(), "wild": likely.Gaussian(), "cause": likelihood}
    names = np.array(["no", "yes"])
    model = likely.Classifier(ways).fit(x, names[y])
    rows = x | {"y": names[y].tolist(), "who": who.astype(str)}
    found = of_group(model, rows, "y", "who", "1", "yes")
    assert found.gap > 0.05
    first = found.carriers[0]
    assert first.name in ("cause", "rich", "plain")
    cause = sum(one.share for one in found.carriers if one.name in ("cause", "rich", "plain"))
    assert cause > 0.75 * found.gap
    assert sum(one.share for one in found.carriers) == pytest.approx(found.gap)
    # The rows taken apart stand for all.
    p = model.predict_proba(x)[:, 1]
    assert found.gap == pytest.approx(p[who == 1].mean() - p[who == 0].mean(), abs=0.003)


def test_a_column_that_is_alike_in_both_groups_carries_hardly_anything():
    chance, y, who, other, wild = _planted(4_000, 1)
    cause = chance.normal(y + 1.5 * who, 1.0)
    x = {"other": other, "wild": wild, "cause": cause}
    model = likely.Classifier(likely.Gaussian()).fit(x, np.array(["no", "yes"])[y])
    found = causes(
        model, *({n: c[who == side] for n, c in x.items()} for side in (1, 0)), label="yes"
    )
    shares = {one.name: one.share for one in found.carriers}
    assert shares["cause"] == pytest.approx(found.gap, rel=0.2)
    assert abs(shares["wild"]) < 0.1 * found.gap
    assert abs(shares["other"]) < 0.1 * found.gap


def test_what_a_frame_says_of_both_sides_carries_nothing():
    model = likely.Classifier(likely.Multinomial()).fit(TEXTS * 2, LABELS * 2)
    sides = ["ann is bad", "ann was kind"], ["bob is bad", "bob was kind"]
    frames = (np.arange(2), np.arange(2))
    found = causes(model, *({"x": side} for side in sides), label="pos", frames=frames)
    assert {one.name for one in found.carriers} == {"ann", "bob"}
    assert sum(one.share for one in found.carriers) == pytest.approx(found.gap)
    apart = (np.zeros(2, dtype=int), np.ones(2, dtype=int))
    with pytest.raises(OptionError, match="no frame has rows of both sides"):
        causes(model, *({"x": side} for side in sides), label="pos", frames=apart)


@pytest.mark.parametrize("tune", [True, False])
def test_family_carries_the_gap_of_adults_and_capital_gain_little_of_it(tune, public_data):
    path = public_data / "tab_adult" / "train.csv"
    model = likely.Classifier(tune=tune).fit(path, "income")
    rows = open_table(path)
    found = of_group(model, rows, "income", "sex", "Female", ">50K")
    shares = {one.name: one.share for one in found.carriers}
    family = ("relationship", "marital_status", "sex")
    first = {one.name for one in found.carriers[:3]}
    assert set(family[:2]) <= first
    assert (shares["relationship"] + shares["marital_status"]) / found.gap > 0.4
    # Without capital gains a model makes more of the rest, and the gap does not become smaller.
    assert shares["capital_gain"] / found.gap < 0.2
    without = likely.Classifier(tune=tune, columns={"capital_gain": "drop"})
    gap = of_group(without.fit(path, "income"), rows, "income", "sex", "Female", ">50K").gap
    assert gap < found.gap < 0
    # Without what carries it, it does.
    without = likely.Classifier(tune=tune, columns=dict.fromkeys(family, "drop"))
    without.fit(path, "income")
    assert of_group(without, rows, "income", "sex", "Female", ">50K").gap > 0.6 * found.gap


def test_words_rows_and_labels_behind_a_gap():
    texts, labels = TEXTS * 6, LABELS * 6
    texts, labels = [*texts, "ann is good and kind"], [*labels, "neg"]
    model = likely.Classifier().fit({"text": texts, "y": labels}, "y")
    one, other = {"text": ["ann is here"]}, {"text": ["bob is here"]}
    found = causes(model, one, other, label="pos", x={"text": texts, "y": labels})
    assert {carrier.name for carrier in found.carriers[:2]} == {"ann", "bob"}
    ann = next(carrier for carrier in found.carriers if carrier.name == "ann")
    assert ann.rows == {"neg": 13, "pos": 0}
    assert not ann.is_for
    assert found.learned == 37
    assert all(row.label == ("neg" if "ann" in row.carriers else "pos") for row in found.rows)
    held = sum("ann" in text or "bob" in text for text in texts)
    assert found.contradicted[1::2] == (held, 37 - held)
    shown = str(found)
    for heading in ("Data:", "Labels:", "Resources:", "Architecture:"):
        assert heading in shown
    assert "None contribute to the gap" in shown


def test_rows_that_were_not_learned_are_not_taken_for_training_rows():
    model = likely.Classifier().fit(TEXTS, LABELS)
    found = causes(model, {"x": ["ann"]}, {"x": ["bob"]}, label="pos", x=["ann"], y=["pos"])
    assert (found.rows, found.learned, found.contradicted) == ((), 0, None)
    assert "whether other rows agree with their labels" in " ".join(str(found).split())


def test_what_a_lexicon_carries_is_a_resource():
    lexicon = likely.Lexicon({"ann": "villain", "bob": "hero"})
    model = likely.Classifier(likely.Multinomial(text=likely.Text(lexicon=lexicon)))
    model.fit(TEXTS, LABELS)
    found = causes(model, {"x": ["ann"]}, {"x": ["bob"]}, label="pos")
    own = sum(one.share for one in found.carriers if one.kind == "lexicon")
    assert found.resources == pytest.approx(own)
    assert found.resources < 0


def test_a_compact_copy_knows_no_rows_by_word():
    model = likely.Classifier(likely.Multinomial()).fit(TEXTS * 3, LABELS * 3)
    found = causes(model.compact(), {"x": ["ann"]}, {"x": ["bob"]}, label="pos")
    assert all(one.rows is None for one in found.carriers)


def test_without_smoothing_there_is_nothing_to_take_apart():
    model = likely.Classifier(likely.Multinomial(alpha=0)).fit(TEXTS, LABELS)
    with pytest.raises(OptionError, match="without smoothing"):
        causes(model, {"x": ["ann"]}, {"x": ["bob"]}, label="pos")


def test_a_column_can_carry_a_gap():
    x = {"height": [1.0, 2.0, 3.0, 4.0] * 5, "team": ["a", "a", "b", "b"] * 5}
    model = likely.Classifier({"height": likely.Gaussian(), "team": likely.Categorical()})
    model.fit(x, ["lo", "lo", "hi", "hi"] * 5)
    found = causes(
        model,
        {"height": [2.0], "team": ["a"]},
        {"height": [2.0], "team": ["b"]},
        label="lo",
    )
    assert found.carriers[0].kind == "categorical"
    assert found.gap == pytest.approx(sum(one.share for one in found.carriers[:2]))


def test_words_have_their_rows_where_a_column_carries_most_of_the_gap():
    x = {"text": [*TEXTS, "ann is a bob"] * 9, "team": ["a", "a", "a", "b", "b", "b", "b"] * 9}
    model = likely.Classifier({"text": likely.Multinomial(), "team": likely.Categorical()})
    rows = x | {"y": [*LABELS, "pos"] * 9}
    model.fit(rows, "y")
    one, other = {"text": ["ann"], "team": ["a"]}, {"text": ["late day"], "team": ["b"]}
    found = causes(model, one, other, label="pos", x=rows)
    assert found.carriers[0].kind == "categorical"
    ann = next(carrier for carrier in found.carriers if carrier.name == "ann")
    assert abs(ann.share) < 0.2 * abs(found.carriers[0].share)
    assert any("ann" in row.carriers for row in found.rows)
    assert "No training row holds" not in str(found)
    one, other = ({"text": [""], "team": [team]} for team in "ab")
    alike = causes(model, one, other, label="pos", x=rows)
    assert (alike.rows, alike.learned, alike.contradicted) == ((), 63, None)
    assert "No training row holds" not in str(alike)


def test_of_a_group():
    x = {"text": TEXTS * 4, "who": ["a", "a", "c", "b", "b", "c"] * 4, "label": LABELS * 4}
    model = likely.Classifier(columns={"who": "drop"}).fit(x, "label")
    found = of_group(model, x, None, "who", "a", "pos")
    assert (found.one, found.other, found.compared) == ("`a`", "the rest", (8, 16))
    assert found.carriers[0].name in {"ann", "bob", "good"}
    assert found.learned == 24


def test_of_persons_and_of_terms():
    model = likely.Classifier().fit([*TEXTS, "gay idiot", "emily is here"], [*LABELS, "neg", "pos"])
    sentences = read_sentences("persons")
    contrast = persons(model, sentences).contrasts[0]
    found = of_contrast(model, sentences, contrast)
    assert (found.one, found.other) == ("`female`", "`male`")
    named = of_term(model, read_sentences("terms"), "gay", "neg")
    assert named.carriers[0].name == "gay"
    assert named.compared == (60, 600)
