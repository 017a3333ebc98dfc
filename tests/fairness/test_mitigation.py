import numpy as np
import pytest

import likely
from likely import render
from likely.errors import DataError, ModelError, OptionError
from likely.fairness import of_contrast, persons, read_sentences
from likely.fairness.mitigation import balanced, measured, with_reweighing
from likely.fairness.rows import grouped_rows
from likely.fairness.thresholding import with_equal_rates
from likely.model.adjust.group_thresholds import GroupThresholds
from tests.fairness.test_persons import FRAMES, MEN, WOMEN, planted


@pytest.fixture(scope="module")
def rows():
    texts, labels = planted(0.9)
    who = ["f" if text.split()[0] in WOMEN else "m" for text in texts]
    return {"text": texts, "who": who, "label": labels}


@pytest.fixture(scope="module")
def model(rows):
    return likely.Classifier(columns={"who": "drop"}).fit(rows, "label")


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    path = tmp_path_factory.mktemp("frames") / "frames.toml"
    path.write_text(FRAMES)
    return read_sentences(str(path))


def test_a_planted_gap_is_found_explained_and_closed(model, rows, frames):
    (contrast,) = persons(model, frames).contrasts
    assert contrast.is_found
    why = of_contrast(model, frames, contrast, rows)
    names = {name.lower() for name in WOMEN + MEN}
    assert {carrier.name for carrier in why.carriers[:8]} == names
    assert why.rows
    after = model.with_neutral(WOMEN + MEN)
    found = measured(model, after, "neutral about names", sentences=[frames], x=rows)
    (gap,) = found.gaps
    assert "Sentences of a frame all score alike" in str(persons(after, frames))
    assert gap.before == contrast.gap
    assert gap.after == 0.0
    before, then = found.accuracy.systems.values()
    assert before == pytest.approx(model.leave_one_out(rows).accuracy)
    assert then < before
    assert found.method == "leave-one-out"
    assert after.digest == model.digest
    shown = str(found)
    assert "−0." in shown
    assert "McNemar's test" in shown


def test_without_rows_the_cost_is_not_known(model, frames):
    found = measured(model, model.with_neutral(["Ada"]), "neutral about one", sentences=[frames])
    assert found.accuracy is None
    assert "The change in accuracy was not measured" in str(found)


def test_rows_that_were_not_learned_are_predicted_by_the_model_as_it_is(model, rows):
    test = {"text": ["Ada had lovely cake", "Bob had awful cake"], "label": ["pos", "neg"]}
    found = measured(model, model.with_neutral(WOMEN), "neutral", x=test)
    assert found.method == "predicted by the model as it is"
    assert found.accuracy.rows == 2


@pytest.mark.parametrize("likelihood", [None, likely.Multinomial()])
def test_balancing_is_retraining_without_the_rows(rows, likelihood):
    texts = {"text": rows["text"], "label": rows["label"]}
    model = likely.Classifier(likelihood).fit(texts, "label")
    after, how, (truth, before, predicted, _) = balanced(model, rows, None, "who")
    assert len(truth) == len(before) == len(predicted) == 240
    kept = after.was_learned(texts)
    assert f"{240 - kept.sum()} of 240 rows were forgotten" in how
    again = likely.Classifier(likelihood).fit(
        {
            name: [cell for cell, stays in zip(cells, kept, strict=True) if stays]
            for name, cells in texts.items()
        },
        "label",
    )
    assert after.to_bytes() == again.to_bytes()
    who, label = np.array(rows["who"])[kept], np.array(rows["label"])[kept]
    shares = [(label[who == group] == "pos").mean() for group in ("f", "m")]
    assert shares[0] == pytest.approx(shares[1], abs=0.1)


def test_reweighing_makes_group_and_label_independent(model, rows):
    after, how, (truth, before, predicted, judged) = with_reweighing(model, rows, None, "who")
    assert judged == "each row predicted by models without its fold"
    assert len(truth) == len(before) == len(predicted)
    used = after.group_weights.of(rows["who"], rows["label"])
    assert f"weights from {used.min()} to {used.max()}" in how
    assert not after.is_stale
    assert after.digest == model.digest
    assert after.tally == model.tally
    assert (after.leave_one_out(rows).predictions == predicted).all()
    cells = grouped_rows(model, rows, None, "who")
    pairs = [(group, name) for group in cells.groups for name in cells.names]
    times = after.group_weights.of(*zip(*pairs, strict=True)).reshape(2, 2)
    counted = times * cells.counts
    odds = counted[0, 0] * counted[1, 1] / (counted[0, 1] * counted[1, 0])
    before_odds = np.divide(*(cells.counts.prod(where=np.eye(2)[::way] > 0) for way in (1, -1)))
    assert before_odds > 50
    assert 0.5 < odds < 2
    again, _, _ = with_reweighing(after, rows, None, "who")
    assert again.to_bytes() == after.to_bytes()


def test_thresholds_give_every_group_the_same_selection_rate():
    chance = np.random.default_rng(0)
    who = chance.choice(["f", "m"], 400)
    height = chance.normal(size=400) + (who == "m")
    label = np.where(height + chance.normal(size=400) > 0.5, "tall", "short")
    rows = {"height": height.tolist(), "who": who.tolist(), "label": label.tolist()}
    model = likely.Classifier({"height": likely.Gaussian()}).fit(rows, "label")
    after, how, (_, before, predicted, judged), _ = with_equal_rates(
        model, rows, None, "who", "tall"
    )
    rates = [(predicted[who == group] == "tall").mean() for group in ("f", "m")]
    assert rates[0] == pytest.approx((before == "tall").mean(), abs=0.005)
    assert rates[0] == pytest.approx(rates[1], abs=0.01)
    assert judged == "leave-one-out"
    assert "threshold for each `who`" in how
    assert (after.leave_one_out(rows).predictions == predicted).all()
    assert after.digest == model.digest


def test_thresholds_say_how_they_shift_the_probabilities_of_each_group(model, rows):
    after, how, judged, shifted = with_equal_rates(model, rows, None, "who", "pos")
    found = measured(model, after, how, x=rows, judged=judged, shifted=shifted)
    who, truth = np.array(rows["who"]), judged[0]
    for one in shifted:
        here = who == one.group
        assert one.rows == here.sum()
        assert one.labeled == pytest.approx((truth[here] == "pos").mean())
        for mean, each in ((one.before, model), (one.after, after)):
            expected = each.leave_one_out(rows).probabilities[here, 1].mean()
            assert mean == pytest.approx(expected)
    assert abs(shifted[0].after - shifted[0].before) > 0.01
    assert [one["group"] for one in found.to_json()["shifted"]] == ["f", "m"]
    assert "thresholds shift probabilities" in str(found)
    assert "mean P after" in render.html(found.sections()[1].blocks)


def test_groups_are_measured_before_and_after(model, rows):
    after, how, judged = balanced(model, rows, None, "who")
    found = measured(model, after, how, x=rows, group_columns=["who"], score="pos", judged=judged)
    gaps = {gap.what: gap for gap in found.gaps}
    called = gaps["selection rate, who: m − f"]
    who = np.array(rows["who"])
    for change, predicted in ((called.before, judged[1]), (called.after, judged[2])):
        rates = [(predicted[who == group] == "pos").mean() for group in ("m", "f")]
        assert change == pytest.approx(rates[0] - rates[1])
        assert change.low < change < change.high
    assert called.after < called.before


def test_thresholds_are_kept_shown_and_explained(model, rows, tmp_path):
    strict = model.with_group_thresholds(GroupThresholds("who", "pos", {"f": 0.2, "m": 0.9}))
    strict.save(tmp_path / "m.likely")
    back = likely.load(tmp_path / "m.likely")
    assert back.to_bytes() == strict.to_bytes()
    assert "f 0.2, m 0.9" in str(back.info)
    assert back.columns == ("text", "who")
    test = {"text": ["some tea"] * 3, "who": ["f", "m", "x"]}
    plain = model.predict_proba({"text": test["text"]})[:, 1]
    assert (back.predict(test) == "pos").tolist() == (plain >= [0.2, 0.9, 0.5]).tolist()
    shifted = back.predict_proba(test)[:, 1]
    odds = np.log(shifted / (1 - shifted)) - np.log(plain / (1 - plain))
    assert odds == pytest.approx([np.log(4), -np.log(9), 0.0])
    why = back.explain({"text": "some tea", "who": "f"})
    assert why.scores[1] - why.scores[0] == pytest.approx(np.log(shifted[0] / (1 - shifted[0])))
    assert back.with_group_thresholds(None).to_bytes() == model.to_bytes()
    with pytest.raises(OptionError, match="not part of the computation by hand"):
        back.by_hand({"text": "some tea", "who": "f"})


def test_thresholds_that_make_no_sense_are_refused(model):
    with pytest.raises(OptionError, match="lies between 0 and 1"):
        GroupThresholds("who", "pos", {"f": 1.0})
    with pytest.raises(OptionError, match="a probability for each"):
        GroupThresholds("who", "pos", {})
    with pytest.raises(OptionError, match="`good` is no class"):
        model.with_group_thresholds(GroupThresholds("who", "good", {"f": 0.4}))
    with pytest.raises(DataError, match="column `who` is missing"):
        model.with_group_thresholds(GroupThresholds("who", "pos", {"f": 0.4})).predict(
            {"text": ["x"]}
        )
    with pytest.raises(ModelError, match="thresholds make no sense"):
        GroupThresholds.from_json({"column": "who"})
    other = model.with_group_thresholds(GroupThresholds("who", "pos", {"f": 0.4}))
    with pytest.raises(ModelError, match="differ in their thresholds by group"):
        model + other


def test_rows_that_were_not_learned_cannot_be_taken_back(model, rows):
    strange = {"text": ["hello", "there"], "who": ["f", "m"], "label": ["pos", "neg"]}
    with pytest.raises(DataError, match="the training rows are needed"):
        balanced(model, strange, None, "who")
    with pytest.raises(DataError, match="no column `whom`"):
        with_reweighing(model, rows, None, "whom")
