"""Options that the chosen model would not heed are refused, all of them, by every model."""

import itertools
import random

import click
import pytest

from likely.cli import cli
from likely.cli.models import APPLIES_TO, MODELS

TYPED = {
    "--alpha": ("--alpha", "0.3"),
    "--m": ("--m", "5"),
    "--category-prior": ("--category-prior", "p.csv"),
    "--joint": ("--joint", "n1,n2"),
    "--tfidf": ("--tfidf",),
    "--one-vs-rest": ("--one-vs-rest",),
    "--prior": ("--prior", "a=0.9,b=0.1"),
    "--unlabeled": ("--unlabeled", "more.csv", "--unlabeled-weight", "1"),
    "--rules": ("--rules", "features:r.toml"),
    "--task": ("--task", "sentiment"),
    "--word-ngrams": ("--word-ngrams", "1-2"),
    "--char-ngrams": ("--char-ngrams", "2-3"),
    "--negation": ("--negation", "en"),
    "--stop-words": ("--stop-words", "stop.txt"),
    "--stem": ("--stem", "en"),
    "--surface-features": ("--surface-features",),
    "--lexicon": ("--lexicon", "lexicon.tsv"),
}
# What every model heeds, and what has a check of its own.
BY_ALL = [
    "--output",
    "--plan",
    "--target",
    "--multilabel",
    "--label-separator",
    "--thresholds",
    "--text",
    "--numeric",
    "--categorical",
    "--date",
    "--vectors",
    "--drop-column",
    "--drop-label",
    "--model",
    "--plain",
    "--stack-linear",
    "--unlabeled-weight",
    "--missing",
    "--threads",
    "--encoding",
    "--decimal",
    "--report",
    "--force",
    "--json",
]


@pytest.fixture
def place(run, tmp_path):
    chance = random.Random(0)
    rows = []
    for label in "ab" * 30:
        words = ("good", "fun", "So!", "not") if label == "a" else ("bad", "dull", "so", "never")
        numbers = [f"{chance.gauss(label == 'b', 1):.3f}", f"{chance.gauss(3, 1):.3f}"]
        cells = [" ".join(chance.choices(words, k=5)), *numbers, chance.choice("xyz")]
        rows.append(",".join([*cells, chance.choice("uv"), label]))
    table = "\n".join(["text,n1,n2,c1,c2,label", *rows]) + "\n"
    (tmp_path / "t.csv").write_text(table)
    unlabeled = "\n".join(line.rpartition(",")[0] for line in table.splitlines()) + "\n"
    (tmp_path / "more.csv").write_text(unlabeled)
    (tmp_path / "lexicon.tsv").write_text("good\t1\nbad\t-1\n")
    (tmp_path / "stop.txt").write_text("so\n")
    (tmp_path / "p.csv").write_text("column,value,p\nc2,u,0.9\nc2,v,0.1\n")
    rule = '[[rule]]\nname = "r"\nlabel = "a"\ncolumn = "text"\nwords = ["fun"]\n'
    (tmp_path / "r.toml").write_text(rule)
    return tmp_path


@pytest.mark.parametrize("model", MODELS)
def test_an_option_is_heeded_or_refused(run, place, model):
    train = ("train", "t.csv", "--target", "label", "--model", model, "--force", "-o")
    run(*train, "bare.likely")
    bare = (place / "bare.likely").read_bytes()
    for option, typed in TYPED.items():
        what, models = APPLIES_TO[option]
        if option == "--joint" and model in ("categorical", "joint"):
            typed = ("--joint", "c1,c2")
        if model in models:
            run(*train, "m.likely", *typed)
            # Columns that a model takes together of itself change nothing.
            by_itself = option == "--joint" and model in ("lda", "qda", "joint")
            same = (place / "m.likely").read_bytes() == bare
            assert same == by_itself, f"--model {model} forgets {option}"
        else:
            _, err = run(*train, "m.likely", *typed, code=2)
            assert f"{option} {what}, so it does not apply to --model {model}" in err
            assert f"hint: it applies to {', '.join(models)}" in err


def test_every_option_of_train_is_known_to_be_heeded_by_some_or_by_all():
    context = click.Context(cli, info_name="likely")
    params = cli.get_command(context, "train").params
    options = {param.opts[-1] for param in params if isinstance(param, click.Option)}
    assert options == set(APPLIES_TO) | set(BY_ALL)
    assert not set(APPLIES_TO) & set(BY_ALL)
    assert set(TYPED) == set(APPLIES_TO)


@pytest.mark.parametrize("command", [("cv", "t.csv", "--target", "label"), ("mixture", "t.csv")])
def test_other_commands_refuse_them_too(run, place, command):
    more = ("-k", "2", "--drop-column", "label") if command[0] == "mixture" else ()
    _, err = run(*command, *more, "--model", "gaussian", "--word-ngrams", "1-2", code=2)
    assert "--word-ngrams is about text, so it does not apply to --model gaussian" in err


def test_what_no_column_heeds_is_refused_without_a_model_too(run, place):
    train = ("train", "t.csv", "--target", "label", "-o", "m.likely")
    numbers = ("--drop-column", "text", "--drop-column", "c1", "--drop-column", "c2")
    _, err = run(*train, *numbers, "--alpha", "1", code=3)
    assert "--alpha smooths counts of text and categories, and no text or categorical column" in err
    _, err = run(*train, "--drop-column", "c1", "--drop-column", "c2", "--m", "1", code=3)
    assert "--m smooths categorical columns, and no categorical column is used" in err
    for model in ((), ("--model", "categorical"), ("--model", "joint")):
        _, err = run(*train, *model, "--drop-column", "text", "--alpha", "1", "--m", "1", code=3)
        assert "--alpha smooths counts of text and categories, and beside --m no text column" in err
    run(*train, "--alpha", "1", "--m", "1")


def test_folds_are_for_models_that_are_trained(run, place):
    _, err = run("compare", "a.likely", "b.likely", "t.csv", "--folds", "5", code=2)
    assert "--folds needs --with" in err


def test_counted_rules_are_smoothed_beside_any_model(run, place):
    rules = ("--rules", "features:r.toml")
    train = ("train", "t.csv", "--target", "label", "--model", "gaussian", *rules, "-o")
    run(*train, "one.likely")
    run(*train, "less.likely", "--alpha", "0.1")
    assert (place / "one.likely").read_bytes() != (place / "less.likely").read_bytes()


def test_an_option_that_takes_one_value_is_not_typed_twice(run, place):
    for flag, values in {"--target": "ab", "--alpha": "12", "-o": "ab", "--prior": "ab"}.items():
        typed = itertools.chain.from_iterable((flag, value) for value in values)
        _, err = run("train", "t.csv", *typed, code=2)
        assert f"{flag} is given 2 times; it takes one" in err
    _, err = run("predict", "m.likely", "--reject-below", "0.5", "--reject-below", "0.6", code=2)
    assert "--reject-below is given 2 times; it takes one" in err
