"""Journals that are damaged, replaced, full or held by another."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

import likely
from likely.server.journal import Journal, JournalError
from likely.server.living import LivingModel, begin, folder_of, named, nothing_learned
from likely.server.verifying import verified

WITHOUT_ROOM = """
import resource, signal, sys
from pathlib import Path
from likely.server.journal import JournalError
from likely.server.living import LivingModel
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
model, learned, refused = LivingModel(Path(sys.argv[1])), 0, 0
for limit in (150_000, resource.RLIM_INFINITY):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    for n in range(30):
        try:
            model.learn([{"text": f"word{n} " * 300}], ["spam"]).result()
            learned += 1
        except JournalError:
            refused += 1
print(learned, refused, model.served.classifier.tally.n_rows)
"""


@pytest.fixture
def opened():
    """Opens living models, which are closed in the end."""
    models = []

    def opened(path):
        models.append(LivingModel(path))
        return models[-1]

    yield opened
    for model in models:
        model.close()


def learn(model, text):
    return model.learn([{"text": text}], ["spam"]).result()


def snapshots(path):
    journal = Journal(folder_of(path))
    try:
        return [folder_of(path) / named(one.sha256) for one in journal.snapshots]
    finally:
        journal.close()


def holds(path):
    journal = Journal(folder_of(path))
    try:
        return verified(path, journal).holds
    finally:
        journal.close()


def twice_saved(path, opened):
    """A journal with two snapshots, and the digest that its model has."""
    model = opened(path)
    learn(model, "first words")
    model.close()
    assert len(snapshots(path)) == 2
    return model.served.classifier.digest


@pytest.mark.parametrize("damage", ["changed", "missing"])
@pytest.mark.parametrize("has_model", [True, False])
def test_a_damaged_snapshot_is_written_anew(saved, opened, damage, has_model):
    digest = twice_saved(saved, opened)
    newest = snapshots(saved)[-1]
    if damage == "missing":
        newest.unlink()
    else:
        newest.write_bytes(newest.read_bytes()[:-1] + b"x")
    if not has_model:
        saved.unlink()
    model = opened(saved)
    assert model.served.classifier.digest == digest
    model.close()
    assert likely.load(saved).digest == digest
    assert holds(saved)


def test_a_tuned_model_keeps_its_tuning_when_its_snapshot_is_damaged(saved, opened):
    texts, labels = ["free prize", "see you", "win cash", "lunch"] * 10, ["spam", "ham"] * 20
    half = likely.Classifier().fit({"text": texts, "label": labels}, "label")
    saved.unlink()
    begin(saved, nothing_learned(half.fitted.plan))
    model = opened(saved)
    model.learn([{"text": text} for text in texts], labels).result()
    model.tune().result()
    expected = model.served.classifier.predict_proba([{"text": "free lunch"}]).tolist()
    model.close()
    snapshots(saved)[-1].write_bytes(b"")
    again = opened(saved).served.classifier
    assert again.tuning is not None
    assert again.predict_proba([{"text": "free lunch"}]).tolist() == expected


def test_a_model_file_of_somebody_else_is_not_overwritten(saved, opened):
    model = opened(saved)
    learn(model, "first words")
    likely.Classifier().fit({"text": ["x", "y"], "label": ["p", "q"]}, "label").save(saved)
    theirs = saved.read_bytes()
    forgotten = model.forget([{"text": "free prize"}], ["spam"]).result()
    assert "it was replaced" in forgotten["unpublished"]
    learn(model, "more words")
    with pytest.raises(JournalError, match="it was replaced"):
        model.close()
    assert saved.read_bytes() == theirs


def test_only_one_process_has_a_journal(saved, opened):
    opened(saved)
    other = subprocess.run(
        [sys.executable, "-m", "likely", "serve", str(saved), "--learn", "--port", "0"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert other.returncode == 3
    assert other.stderr.endswith("another process is using this journal\n")


def test_what_finds_no_room_on_the_disk_is_not_acknowledged(saved, opened):
    pytest.importorskip("resource", reason="there is no limit to set on the size of files")
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_ROOM, str(saved)], capture_output=True, text=True,
        timeout=120, check=True,
    )  # fmt: skip
    learned, refused, rows = map(int, found.stdout.split())
    assert 0 < refused < 30
    assert learned + refused == 60
    assert rows == 4 + learned
    model = opened(saved)
    assert model.served.classifier.tally.n_rows == rows
    model.close()
    assert holds(saved)


def test_no_word_of_a_forgotten_row_is_in_any_file(saved, opened):
    model = opened(saved)
    learn(model, "zanzibar parrot")
    model.close()
    model = opened(saved)
    learn(model, "late walrus")
    for text in ("zanzibar parrot", "late walrus"):
        model.forget([{"text": text}], ["spam"]).result()
        words = [word.encode() for word in text.split()]
        for file in (saved, *folder_of(saved).iterdir()):
            content = file.read_bytes().lower()
            assert not [word for word in words if word in content], file


@pytest.mark.parametrize("left", ["cells", "label"])
def test_verify_finds_what_is_left_of_a_forgotten_row(saved, opened, left):
    model = opened(saved)
    learn(model, "late walrus")
    model.forget([{"text": "late walrus"}], ["spam"]).result()
    model.close()
    assert holds(saved)
    with closing(sqlite3.connect(folder_of(saved) / "journal.sqlite")) as database, database:
        database.execute(f"UPDATE row SET {left} = '\"late\"' WHERE forgotten IS NOT NULL")
    assert not holds(saved)


def damaged(content, what):
    """A database file that somebody else has written to."""
    if what == "cells":
        return content.replace(b"late walrus", b"late \xff\xff\xffrus")
    if what == "quotes":
        return content.replace(b'late walrus"', b"late walrus,")
    return content[:4096] + b"\xff" * (len(content) - 4096)


@pytest.mark.parametrize("what", ["cells", "quotes", "pages"])
def test_a_damaged_database_is_said_to_be_one(saved, opened, what):
    model = opened(saved)
    for text in ("late walrus", "early bird"):
        learn(model, text)
    model.close()
    path = folder_of(saved) / "journal.sqlite"
    path.write_bytes(damaged(path.read_bytes(), what))
    found = subprocess.run(
        [sys.executable, "-m", "likely", "journal", "verify", str(saved)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "Traceback" not in found.stderr
    if what == "pages":
        assert found.returncode == 3
        assert "the journal cannot be read" in found.stderr
        with pytest.raises(JournalError, match="the journal cannot be read"):
            opened(saved)
    else:
        assert found.returncode == 1
        assert "✗ the database is whole" in found.stdout
