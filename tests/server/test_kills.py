"""A living model is killed at any moment: what was acknowledged is there, once, and no more."""

import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import likely
from likely.server.journal import Journal
from likely.server.living import LivingModel, folder_of
from likely.server.verifying import verified

# `LIKELY_KILLS=1000` kills as often as a release is to stand.
KILLS = int(os.environ.get("LIKELY_KILLS", "12"))
TEXTS, LABELS = ["free prize", "win cash", "see you", "lunch at two"], ["spam"] * 2 + ["ham"] * 2


def killed_after(path, run, seconds):
    """What a learner said until it was killed."""
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("learner.py")), str(path), str(run)],
        stdout=subprocess.PIPE,
        text=True,
    ) as learner:
        lines = [learner.stdout.readline()]
        timer = threading.Timer(seconds, learner.kill)
        timer.start()
        lines += learner.stdout.readlines()
        timer.join()
    return [json.loads(line) for line in lines if line.endswith("\n")]


def test_what_was_acknowledged_survives_kills_and_what_was_forgotten_is_gone(tmp_path):
    path = tmp_path / "m.likely"
    likely.Classifier(likely.Multinomial()).fit({"text": TEXTS, "y": LABELS}, "y").save(path)
    draw, expected, forgotten, unsure = random.Random(0), set(), set(), None
    for run in range(KILLS):
        begun, *said = killed_after(path, run, draw.uniform(0, 0.15))
        live = set(begun["live"])
        assert len(begun["live"]) == len(live), "a row was learned twice"
        assert live - {unsure} == expected - {unsure}
        assert begun["rows"] == len(TEXTS) + len(live)
        if unsure is not None and unsure not in live:
            forgotten.add(unsure)
        expected, unsure = live, None
        for step in said:
            if text := step.get("learns") or step.get("forgets"):
                unsure = text
            elif (text := step["done"]) in expected:
                expected.remove(text)
                forgotten.add(text)
            else:
                expected.add(text)
            if "done" in step:
                unsure = None
    model = LivingModel(path)
    live = {row.cells["text"] for row in model.ask(lambda _: model.journal.live_rows())}
    digest = model.served.classifier.digest
    model.close()
    assert live - {unsure} == expected - {unsure}
    texts, labels = [*TEXTS, *sorted(live)], [*LABELS, *["spam"] * len(live)]
    again = likely.Classifier(likely.Multinomial()).fit({"text": texts, "y": labels}, "y")
    assert again.digest == digest == likely.load(path).digest
    journal = Journal(folder_of(path))
    try:
        assert verified(path, journal).holds
    finally:
        journal.close()
    words = {text.split()[0].encode() for text in forgotten - live}
    for file in (path, *folder_of(path).iterdir()):
        content = file.read_bytes()
        assert not [word for word in words if word + b" " in content or word + b'"' in content], (
            file
        )
    assert len(forgotten) > KILLS
