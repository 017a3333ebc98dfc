"""What the help of every command shows as an example, run as it stands there."""

import gzip
import re
import shlex
import shutil

import pytest

from likely.cli import COMMANDS

REVIEWS = ["what a cast,positive", "fine and good,positive", "too long,negative", "slow,negative"]
REVIEWS += ["good fun and a good cast,positive", "so good,positive", "a dull plot,negative"]
REVIEWS += ["bad and so dull,negative", "fun from the start,positive", "a thin plot,negative"]
TWEETS = [
    f"you are {word} number {n},{label},{'fm'[n % 2]},{'north' if n % 3 else 'south'}"
    for n in range(12)
    for word, label in (("awful", "offensive"), ("kind", "fine"))
]
BIRDS = [
    f"{40 + n % 5}.{n},{9 + n % 4}.5,quay,gull\n{18 + n % 3}.{n},{2 + n % 2}.{n},hedge,wren"
    for n in range(9)
]
FLOWERS = [f"{n % 3 + 4}.{n},{n % 3}.{n + 1},{'abc'[n % 3]}" for n in range(9)] * 2

FILES = {
    "reviews.csv more.csv test.csv monday.csv tuesday.csv": ["text,label", *REVIEWS],
    "new.csv": ["text", "a fine cast"],
    "erased.csv": ["text,label", REVIEWS[0]],
    "mail.jsonl": ['{"text": "buy now"}'],
    "rules.toml": ["[[rule]]", 'name = "sale"', 'label = "spam"', 'words = ["buy"]'],
    "spam.csv": ["text,label", "buy now,spam", "see you,ham"],
    "news.csv": ["text,topics", "oil and wheat,oil;wheat", "wheat,wheat", "oil,oil", "chess,"],
    "moods.csv": ["text,joy,anger,fear", "ha,1,0,0", "argh,0,1,1", "ah ha,1,0,0", "oh argh,0,1,0"],
    "all.csv train.csv": ["text,label,gender,region", *TWEETS],
    "posts.csv": ["text,author,gender", *(f"words {n},a{n % 11},{'fm'[n % 2]}" for n in range(44))],
    "birds.csv": ["wing,weight,seen,bird", *BIRDS],
    "iris.csv flowers.csv": ["length,width,species", *FLOWERS],
    "articles.csv": ["text", *(f"w{n} w{n % 7} w{n % 5}" for n in range(60))],
    "crawl.csv": ["text", *(row.split(",")[0] for row in REVIEWS + TWEETS)],
    "names.txt": ["ann", "bob"],
    "messages.csv": ["text", "buy now", "see you", "lunch at two"],
    "points.csv": ["x", *(f"{n % 5 + 4 * (n % 2)}.5" for n in range(30))],
    "urgent.csv": [
        "predicted,urgent,normal,spam",
        "urgent,8,10,1",
        "normal,5,60,50",
        "spam,3,30,9",
    ],
}
MODELS = {
    "reviews old new a b c monday tuesday": ("reviews.csv",),
    "plain": ("reviews.csv", "--plain"),
    "merged tweets loans": ("all.csv", "--drop-column", "gender", "--drop-column", "region"),
    "spam": ("spam.csv",),
    "birds": ("birds.csv", "--target", "bird"),
    "iris": ("iris.csv", "--target", "species"),
}


def test_the_examples_of_every_command_run(run, tmp_path, monkeypatch):
    pytest.importorskip("sklearn", reason="an example compares with its classifiers")
    # Servers start, and end at once.
    monkeypatch.setattr("likely.server.run.serve", lambda model, *others: model.close())
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    for names, lines in FILES.items():
        for name in names.split():
            (tmp_path / name).write_text("\n".join([*lines, ""]), "utf-8")
    (tmp_path / "crawl.csv.gz").write_bytes(gzip.compress((tmp_path / "crawl.csv").read_bytes()))
    for names, given in MODELS.items():
        first, *others = names.split()
        run("train", *given, "-o", f"{first}.likely")
        for other in others:
            shutil.copy(tmp_path / f"{first}.likely", tmp_path / f"{other}.likely")
    run("plan", "reviews.csv", "-o", "plan.json")
    (tmp_path / "town").mkdir()
    for command in COMMANDS:
        text, _ = run(command, "--help")
        examples = re.findall(r"^  ((?:echo .* \| )?likely .+)$", text, re.MULTILINE)
        assert examples, command
        for example in examples:
            before, _, typed = example.rpartition(" | ")
            typed, _, place = typed.replace(">>", ">").partition(" > ")
            given = shlex.split(typed)[1:]
            # `label` goes on where it was left, and never replaces a model.
            is_replacing = "-o" in given and "--force" not in given and command != "label"
            replacing = ["--force"] if is_replacing else []
            out, _ = run(*given, *replacing, stdin=before.removeprefix("echo "))
            if place.endswith(("toml", "csv")):
                (tmp_path / place).write_text(out, "utf-8")
