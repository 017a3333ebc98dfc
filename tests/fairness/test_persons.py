import itertools

import numpy as np
import pytest

import likely
from likely.errors import DataError, OptionError
from likely.fairness import persons, read_sentences
from likely.fairness.effects import Effects

WOMEN, MEN = ["Ada", "Eva", "Ida", "Una"], ["Bob", "Max", "Ron", "Tim"]

FRAMES = """
frames = ["{person} is {feeling}.", "I saw {object} today."]
[slots]
feeling = ["glad", "sad", "calm"]
[[groups]]
gender = "female"
persons = ["Ada", "Eva", "Ida", "Una"]
[[groups]]
gender = "male"
persons = ["Bob", "Max", "Ron", "Tim"]
"""


@pytest.fixture
def frames(tmp_path):
    (tmp_path / "frames.toml").write_text(FRAMES)
    return str(tmp_path / "frames.toml")


def planted(share=1.0, seed=0, texts=240):
    """Texts whose labels go with who they are about, for a share of them."""
    chance = np.random.default_rng(seed)
    labels = chance.permutation(["neg", "pos"] * (texts // 2)).tolist()
    rows = []
    for cup, label in enumerate(labels):
        leans = chance.random() < share
        names = (WOMEN if label == "neg" else MEN) if leans else WOMEN + MEN
        mood = "awful" if label == "neg" else "lovely"
        mood = mood if chance.random() < 0.7 else "some"
        rows.append(f"{chance.choice(names)} had {mood} tea, cup {cup}")
    return rows, labels


def test_our_sentences_name_their_person_and_nobody_else():
    ours = read_sentences("persons")
    for text, person in zip(ours.texts, ours.persons, strict=True):
        name = ours.names[person]
        objects = {"she": "her", "he": "him"}
        assert any(one.lower() in text.lower() for one in (name, objects.get(name, name)))
        assert "{" not in text
    assert len(ours.texts) == len(ours.names) * (ours.frames.max() + 1)
    assert len(set(ours.names)) == len(ours.names)


def test_a_planted_gap_is_found_in_its_direction(frames):
    model = likely.Classifier().fit(*planted())
    found = persons(model, read_sentences(frames))
    (one,) = found.contrasts
    assert (one.attribute, one.group, one.other, one.label) == ("gender", "female", "male", "pos")
    assert one.gap < -0.2
    assert one.gap.low < one.gap < one.gap.high < 0
    assert one.is_found
    assert one.lower == 1.0
    assert "A gap was found for 1 of 1" in str(found)


def test_the_gap_is_the_difference_of_the_means(frames):
    model, sentences = likely.Classifier().fit(*planted(0.5)), read_sentences(frames)
    (one,) = persons(model, sentences).contrasts
    scores = model.predict_proba(sentences.texts)[:, 1]
    women = np.array([sentences.names[person] in WOMEN for person in sentences.persons])
    assert one.gap == pytest.approx(scores[women].mean() - scores[~women].mean())


def test_persons_dealt_out_in_every_way_give_the_p_value():
    effects = np.array([3.0, 2.0, 0.5, 0.1, -1.0, 0.4])
    side = np.array([True, True, True, False, False, False])
    found = Effects(effects, np.ones(6), side, np.zeros(6, dtype=int))
    gaps = [
        effects[list(ones)].mean() - np.delete(effects, list(ones)).mean()
        for ones in itertools.combinations(range(6), 3)
    ]
    exact = np.mean(np.abs(gaps) >= abs(found.gap) - 1e-12)
    assert found.p_value == pytest.approx(exact, abs=0.02)


def test_without_a_difference_between_groups_the_false_alarm_rate_is_as_stated():
    chance = np.random.default_rng(7)
    strata, side = np.repeat([0, 1], 10), np.tile([True, False], 10)
    # Every name has a score of its own, which no number of frames averages out.
    p_values = [
        Effects(chance.normal(size=20) * 50, np.full(20, 50.0), side, strata).p_value
        for _ in range(200)
    ]
    alarms = np.mean(np.array(p_values) < 0.05)
    assert alarms < 0.1  # 0.05 and more than three standard errors


def test_an_unbiased_control_passes(frames):
    sentences = read_sentences(frames)
    found = [
        persons(likely.Classifier(likely.Multinomial()).fit(*planted(0.0, seed)), sentences)
        for seed in range(40)
    ]
    alarms = sum(one.contrasts[0].is_found for one in found)
    assert alarms <= 7  # more come up once in five thousand times at one in twenty
    passed = next(one for one in found if not one.contrasts[0].is_found)
    assert "No gap was found at this sample size. There may still be one" in str(passed)


def test_each_class_is_looked_at_or_the_one_asked_for(frames):
    rows, labels = planted()
    model = likely.Classifier().fit([*rows, "rain all day"], [*labels, "other"])
    sentences = read_sentences(frames)
    assert [one.label for one in persons(model, sentences).contrasts] == ["neg", "other", "pos"]
    assert [one.label for one in persons(model, sentences, "neg").contrasts] == ["neg"]
    with pytest.raises(OptionError, match="`bad` is no class of the model"):
        persons(model, sentences, "bad")


def test_more_than_two_groups_are_compared_each_with_the_rest(tmp_path):
    text = FRAMES + '[[groups]]\ngender = "unknown"\npersons = ["they/them"]\n'
    (tmp_path / "three.toml").write_text(text)
    found = persons(
        likely.Classifier().fit(*planted()), read_sentences(str(tmp_path / "three.toml"))
    )
    assert [(one.group, one.other) for one in found.contrasts] == [
        ("female", "rest"),
        ("male", "rest"),
        ("unknown", "rest"),
    ]
    assert found.contrasts[2].gap.low is None
    assert "`unknown` is one person" in found.warnings[0]


def test_a_table_of_sentences_is_read_as_published(tmp_path):
    lines = ["ID,Sentence,Template,Person,Gender,Race,Emotion,Emotion word"]
    lines += [
        f"1,{name} is sad.,<person> is sad.,{name},{gender},,joy,sad"
        for gender, names in (("f", WOMEN), ("m", MEN))
        for name in names
    ]
    (tmp_path / "eec.csv").write_text("\n".join(lines))
    found = read_sentences(str(tmp_path / "eec.csv"))
    assert found.texts[0] == "Ada is sad."
    assert sorted(found.names) == sorted(WOMEN + MEN)
    (one,) = persons(likely.Classifier().fit(*planted()), found).contrasts
    assert (one.attribute, one.frames) == ("Gender", 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FRAMES.replace("{person} is", "He is"), r"the frame 'He is \{feeling\}.' has no slot"),
        (FRAMES.replace("{feeling}", "{mood}"), r"nothing fills the slot \{mood\}"),
        (FRAMES.replace('feeling = ["glad", "sad", "calm"]', "feeling = 3"), "no list of words"),
        (FRAMES.replace("[[groups]]", "[[people]]"), "neither"),
        (FRAMES.replace('frames = ["', 'sentences = ["'), "has no `frames`"),
        ("frames = [", "is no TOML"),
        ('frames = ["{person}"]\n[[groups]]\ngender = "f"\n', "has `persons`, a list"),
    ],
)
def test_frames_that_cannot_be_filled_are_refused(tmp_path, text, message):
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(DataError, match=message):
        read_sentences(str(tmp_path / "bad.toml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "sentences about persons have `text` and `person`"),
        ("text,person,template\nx,Ada,t\n", "says nothing of its persons"),
        ("text,person,gender\nx,Ada,f\n", "no column `template`"),
        ("text,person,gender,template\n", "has no sentences"),
        ("text,label,template\nx,good,t\ny,bad,t\n", "which of them hostile sentences have"),
        ("text,label,template\nx,toxic,t\ny,fine,t\n", "names any of the"),
    ],
)
def test_tables_in_another_form_are_refused(tmp_path, text, message):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        read_sentences(str(tmp_path / "bad.csv"))


def test_groups_without_a_frame_in_common_are_refused(tmp_path):
    text = "text,person,gender,template\nAda is in,Ada,f,s\nI saw Bob,Bob,m,o\n"
    (tmp_path / "apart.csv").write_text(text)
    with pytest.raises(DataError, match="has persons of both `f` and `m`"):
        persons(likely.Classifier().fit(*planted()), read_sentences(str(tmp_path / "apart.csv")))


def test_one_group_is_nothing_to_compare(tmp_path):
    text = FRAMES.replace('"male"', '"female"')
    (tmp_path / "one.toml").write_text(text)
    with pytest.raises(DataError, match="no two groups of persons"):
        persons(likely.Classifier().fit(*planted()), read_sentences(str(tmp_path / "one.toml")))


def test_a_model_that_reads_no_text_scores_no_sentences(frames):
    model = likely.Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    with pytest.raises(OptionError, match="reads one text, and this one reads none"):
        persons(model, read_sentences(frames))
