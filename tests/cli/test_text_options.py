"""How texts are read, said on the command line."""

import json

import pytest

import likely
from likely import Lexicon, Negation, Polarity, Text

ROWS = "text,label\nnot good at all,neg\nso good :),pos\nbad,neg\nnot bad!!,pos\n"


@pytest.fixture
def data(tmp_path):
    (tmp_path / "d.csv").write_text(ROWS, "utf-8")
    (tmp_path / "lexicon.txt").write_text("good\t2\nbad\t-2\n", "utf-8")
    (tmp_path / "stop.txt").write_text("# two words\nat\n\nall\n", "utf-8")
    (tmp_path / "nothing.txt").write_text("# none\n\n", "utf-8")
    (tmp_path / "moods.txt").write_text("good\tjoy\nbad\tfear\n", "utf-8")
    (tmp_path / "de.toml").write_text(
        'negators = ["nicht"]\nends = ["aber"]\nscope = "word"\n', "utf-8"
    )
    (tmp_path / "typo.toml").write_text('negator = ["nicht"]\n', "utf-8")
    (tmp_path / "text.toml").write_text('negators = "nicht"\n', "utf-8")
    (tmp_path / "none.toml").write_text('ends = ["aber"]\n', "utf-8")
    (tmp_path / "torn.toml").write_text("\nends = [\n", "utf-8")
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "hyphen.txt").write_text("at\nco-op\n", "utf-8")
    return "d.csv"


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (["--word-ngrams", "1-2", "--char-ngrams", "3-5"], Text((1, 2), (3, 5))),
        (["--word-ngrams", "none", "--char-ngrams", "2"], Text(None, 2)),
        (["--negation", "en"], Text(negation="en")),
        (["--negation", "en:word"], Text(negation=Negation("en", scope="word"))),
        (
            ["--negation", "de.toml"],
            Text(negation=Negation(negators=["nicht"], ends=["aber"], scope="word")),
        ),
        (["--stop-words", "en"], Text(stop_words="en")),
        (["--stop-words", "stop.txt"], Text(stop_words=["at", "all"])),
        (["--stem", "en"], Text(stem="english")),
        (["--surface-features"], Text(surface_features=True)),
        (["--task", "sentiment"], Text.sentiment("en")),
        (["--task", "topic"], Text.topic()),
        (["--task", "language"], Text.language_id()),
        (["--task", "authorship"], Text.authorship()),
        (["--task", "spam"], Text.spam()),
        (
            ["--task", "spam", "--char-ngrams", "none"],
            Text((1, 2), normalize=True, surface_features=True),
        ),
    ],
)
def test_flags_are_a_text(run, data, tmp_path, flags, text):
    run("train", data, "-o", "m.likely", "--plain", *flags)
    assert likely.load(tmp_path / "m.likely").likelihood == {"text": likely.Multinomial(text=text)}


def test_flags_change_how_the_default_model_reads(run, data, tmp_path):
    run("train", data, "-o", "m.likely", "--negation", "en")
    model = likely.load(tmp_path / "m.likely")
    assert model.tuning is not None
    (views,) = model.likelihood.values()
    assert views.text == Text((1, 2), (3, 5), punctuation=True, negation="en")
    run("train", data, "-o", "m.likely", "--word-ngrams", "none", "--char-ngrams", "2", "--force")
    (views,) = likely.load(tmp_path / "m.likely").likelihood.values()
    assert views.text == Text(None, 2)


def test_views_are_asked_for_too(run, data, tmp_path):
    _, err = run("train", data, "-o", "m.likely", "--tfidf", "--stop-words", "top:2")
    assert err == "d.csv: target `label`; text `text`; plain Naive Bayes (--tfidf)\n"
    model = likely.load(tmp_path / "m.likely")
    assert model.likelihood == {"text": likely.Multinomial(tfidf=True, skip_top=2)}


def test_a_lexicon_is_features_and_a_number(run, data, tmp_path):
    run("train", data, "-o", "m.likely", "--lexicon", "lexicon.txt", "--negation", "en", "--plain")
    lexicon = Lexicon({"good": "positive", "bad": "negative"}, {"good": 2, "bad": -2})
    text = Text(lexicon=lexicon, negation="en")
    both = [likely.Multinomial(text=text), Polarity(lexicon, negation=Negation("en"))]
    assert likely.load(tmp_path / "m.likely").likelihood == {"text": both}
    out, _ = run("explain", "m.likely", "not good")
    assert "NOT_LEX_positive" in out
    assert "polarity=-2" in out


def test_a_lexicon_without_polarities_is_features_alone(run, data, tmp_path):
    run("train", data, "-o", "m.likely", "--lexicon", "moods.txt", "--plain")
    text = Text(lexicon=Lexicon({"good": "joy", "bad": "fear"}))
    assert likely.load(tmp_path / "m.likely").likelihood == {"text": likely.Multinomial(text=text)}


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--negation", "de"], "--negation de: `en` and `it` are built in"),
        (
            ["--negation", "en:line"],
            "`en:word` is for the next word only\nhint: a file, words.toml",
        ),
        (["--negation", "typo.toml"], "typo.toml: `negator` is not known here"),
        (["--negation", "text.toml"], "text.toml: `negators` is a list of words, not 'nicht'"),
        (["--negation", "none.toml"], "none.toml: a negation needs `negators`"),
        (["--negation", "torn.toml"], "torn.toml, at its end: "),
        (["--lexicon", "a", "--lexicon", "b"], "--lexicon is given 2 times; it takes one"),
        (["--stop-words", "nothing.txt"], "nothing.txt: there are no words in it"),
        (
            ["--tfidf", "--stack-linear"],
            "--stack-linear needs a tuned model, and --tfidf makes a plain one",
        ),
        (["--stop-words", "none.txt"], "none.txt: there is no such file, nor is it a lang"),
        (["--stop-words", "top:many"], "--stop-words top:many: top:50 removes 50 words"),
        (["--stem", "xx"], "there are stems for arabic"),
        (["--lexicon", "none.txt"], "none.txt: No such file or directory"),
        (
            ["--model", "binary-multinomial", "--tfidf"],
            "so it does not apply to --model binary-multinomial",
        ),
        (["--stop-words", "hyphen.txt"], "hyphen.txt: stop words are single words, but 'co-op'"),
        (["--stop-words", "folder.txt"], "folder.txt: it is a directory, not a file of words"),
        (["--negation", "stop.txt"], "a file that lists words is TOML, and its name ends in .toml"),
        (["--task", "spam", "--task", "topic"], "--task is given 2 times; it takes one"),
    ],
)
def test_what_makes_no_sense_is_said(run, data, flags, message):
    code = 3 if flags[1].endswith((".txt", ".toml")) else 2
    _, err = run("train", data, "-o", "m.likely", *flags, code=code)
    assert message in err


def test_reading_needs_texts(run, tmp_path):
    (tmp_path / "n.csv").write_text("a,label\n1,x\n2,y\n3,x\n4,y\n", "utf-8")
    _, err = run("train", "n.csv", "-o", "m.likely", "--word-ngrams", "1-2", code=3)
    assert "--word-ngrams is about text, and no text column is used" in err


def test_info_says_how_texts_are_read(run, data):
    run("train", data, "-o", "m.likely", "--negation", "en", "--char-ngrams", "none")
    out, _ = run("info", "m.likely")
    assert "text is read as Text(word_ngrams=(1, 2), punctuation=True, negation='en')" in out
    facts = json.loads(run("info", "m.likely", "--json")[0])
    assert facts["texts"][0]["column"] == "text"
    assert facts["texts"][0]["text"] == "Text(word_ngrams=(1, 2), punctuation=True, negation='en')"
