"""Every capability has its flag, every flag its sentence, every command its example."""

import re

import click
import pytest

from likely.cli import COMMANDS, cli

CONTEXT = click.Context(cli, info_name="likely")

# What a user can ask for, and by which command and flags.
FLAGS = {
    "the classic models": ("train cv", "--model --alpha --m --category-prior"),
    "columns of every kind": (
        "train cv",
        "--text --numeric --categorical --date --drop-column --joint --drop-label",
    ),
    "priors": ("train cv predict explain evaluate report", "--prior"),
    "how probable a row is": ("predict", "--evidence"),
    "how a text is read": (
        "train cv",
        "--task --word-ngrams --char-ngrams --negation --stop-words --stem "
        "--surface-features --tfidf --lexicon",
    ),
    "the bag of a text": ("features", "--model --negation --stop-words --word-ngrams --json"),
    "rules": ("train cv", "--rules"),
    "unsure is an answer": ("predict evaluate", "--reject-below"),
    "multi-label data": ("train cv", "--multilabel --label-separator --thresholds"),
    "each class against the rest": ("train cv tally", "--one-vs-rest"),
    "what is said of a row": ("predict", "--proba -k --threshold"),
    "parts of one plan": ("train tally", "--plan"),
    "what a plan settles": (
        "plan",
        "--target --multilabel --label-separator --text --numeric --categorical --drop-column "
        "--joint --model --plain --alpha --m --category-prior --missing --task --word-ngrams "
        "--char-ngrams --rules --drop-label",
    ),
    "what a part is asked": ("tally", "--prior --rules --thresholds --stack-linear --drop-label"),
    "a gate": ("evaluate", "--min --max --beta"),
    "counts on a blackboard": ("evaluate", "--confusion --by-hand"),
    "folds": ("cv", "--folds --repeats --group --time --seed"),
    "EM step by step": ("mixture", "--trace --start-means --deviation"),
    "significance": ("compare", "--metric --test --seed --with"),
    "what if": ("explain", "--by-hand --bag --linear --without --prior"),
    "pictures": ("plot", "--columns --output"),
    "a page to show": ("report", "--output"),
    "a page at once": ("train", "--report"),
    "a page to play with": ("play", "--output"),
    "a receipt": ("forget", "--receipt"),
    "labels elsewhere": ("train cv evaluate compare update forget tune report", "--target"),
    "other encodings": (
        "train cv predict evaluate compare update forget plot report",
        "--encoding",
    ),
    "decimal commas": ("train cv predict evaluate compare update forget plot report", "--decimal"),
    "nothing is overwritten": (
        "train update forget plan tally merge compact plot report",
        "--force",
    ),
    "for programs": (
        "train predict evaluate cv compare explain top info update forget plan tally merge compact "
        "plot report",
        "--json",
    ),
}
MODELS = "multinomial binary-multinomial bernoulli complement categorical gaussian lda qda joint"


def options(command):
    found = cli.get_command(CONTEXT, command)
    return {flag: p for p in found.params if isinstance(p, click.Option) for flag in p.opts}


@pytest.mark.parametrize("what", FLAGS)
def test_what_can_be_asked_for_has_its_flags(what, root):
    page = (root / "docs" / "command-line.md").read_text("utf-8")
    commands, flags = FLAGS[what]
    for command in commands.split():
        known = options(command)
        for flag in flags.split():
            assert flag in known, f"likely {command} has no {flag}"
            assert known[flag].help, f"likely {command} {flag} says nothing"
            assert f"`{flag}" in page, f"{flag} is not on the page"


def test_every_classic_model_has_its_name():
    assert set(MODELS.split()) <= set(options("train")["--model"].type.choices)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command, root, run):
    help_text, _ = run(command, "--help")
    assert re.search(rf"^ +likely {command} ", help_text, re.MULTILINE), "there is no example"
    assert max(map(len, help_text.splitlines())) <= 80
    assert f"likely {command}" in (root / "docs" / "command-line.md").read_text("utf-8")
    for flag, option in options(command).items():
        assert option.help, f"{flag} says nothing"


def test_likely_alone_is_one_screen(run):
    _, shown = run(code=2)
    assert len(shown.splitlines()) <= 40
    for command in COMMANDS:
        assert f"  {command} " in shown


def test_train_has_few_options_in_groups_after_its_examples(run):
    assert len({id(option) for option in options("train").values()}) <= 41
    help_text, _ = run("train", "--help")
    heads = re.findall(r"^(\w+):$", help_text, re.MULTILINE)
    assert heads == ["Examples", "Data", "Text", "Model", "Output"]
    assert re.findall(r"^(\w+):$", run("top", "--help")[0], re.MULTILINE) == ["Examples", "Options"]


@pytest.mark.parametrize("given", [(), ("--alpha", "0.5")])
def test_the_default_model_can_be_named(run, tmp_path, given):
    (tmp_path / "d.csv").write_text("text,label\ngood,a\nbad,b\nso good,a\nso bad,b\n")
    run("train", "d.csv", "-o", "a.likely", *given)
    run("train", "d.csv", "-o", "b.likely", "--model", "default", *given)
    assert (tmp_path / "a.likely").read_bytes() == (tmp_path / "b.likely").read_bytes()
