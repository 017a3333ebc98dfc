import csv
import os
import shutil
import subprocess

import numpy as np
import pytest

WORDS = ["cheap", "pills", "win", "lunch", "noon", "meeting", "free", "see", "you", "cash"]


@pytest.fixture
def mail():
    """A mixed table of two classes: 300 rows to learn from and 100 to test with."""
    rng = np.random.default_rng(1)
    tables = []
    for rows in (300, 100):
        labels = np.where(rng.random(rows) < 0.3, "spam", "ham").tolist()
        weights = {"ham": np.arange(1, 11) / 55, "spam": np.arange(10, 0, -1) / 55}
        texts = [" ".join(rng.choice(WORDS, 4, p=weights[label])) for label in labels]
        hour = [float(round(rng.normal(9 if label == "ham" else 15, 4))) for label in labels]
        tables.append(({"text": texts, "hour": hour}, labels))
    return tables


@pytest.fixture
def write(tmp_path):
    """Write rows to a CSV file in a folder of its own."""

    def write(name, rows):
        path = tmp_path / name
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        return path

    return write


@pytest.fixture
def browser(tmp_path):
    """Open a page in Chromium, and give back the document as it is once all is loaded."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    found = os.environ.get("LIKELY_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("there is no Chromium; LIKELY_CHROMIUM may name one")

    def opened(path):
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/c"]
        done = subprocess.run(
            [found, *options, "--dump-dom", path.as_uri()], capture_output=True, timeout=120
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    return opened
