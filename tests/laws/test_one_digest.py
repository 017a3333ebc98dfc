"""Equal rows give one file, byte for byte, however the model came about."""

import hashlib
import random
import subprocess
import sys

import pytest

import likely

VIEWS = [
    likely.Multinomial(),
    likely.Bernoulli(text=likely.Text(word_ngrams=(1, 2), char_ngrams=(2, 3))),
]


@pytest.fixture(scope="module")
def some_rows():
    chance = random.Random(7)
    words = [f"{a}{b}{c}" for a in "bdfg" for b in "aeio" for c in "lmnrst"] + ["été", "e-mail"]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    texts = [" ".join(chance.choices(words, weights, k=chance.randrange(12))) for _ in range(200)]
    return texts, [chance.choice(["x", "y", "z"]) for _ in texts]


def sha256(model):
    return hashlib.sha256(model.to_bytes()).hexdigest()


@pytest.mark.parametrize("view", VIEWS, ids=repr)
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("chunks", [1, 2, 7])
def test_chunks_order_and_threads_do_not_show(some_rows, view, threads, chunks):
    texts, labels = some_rows
    expected = sha256(likely.Classifier(view).fit(texts, labels))
    rows = list(zip(texts, labels, strict=True))
    random.Random(chunks).shuffle(rows)
    model = likely.Classifier(view, threads=threads)
    for chunk in range(chunks):
        part = rows[chunk::chunks]
        model.update([text for text, _ in part], [label for _, label in part])
    assert sha256(model) == expected


@pytest.mark.parametrize("view", VIEWS, ids=repr)
def test_updating_and_forgetting_does_not_show(some_rows, view):
    texts, labels = some_rows
    model = likely.Classifier(view).fit(texts, labels)
    before = sha256(model)
    model.update(["a word never seen", "bal bam"], ["new class", "x"])
    assert sha256(model) != before
    model.forget(["bal bam", "a word never seen"], ["x", "new class"])
    assert sha256(model) == before


def test_two_processes_that_each_saw_half_give_the_same_file(some_rows, tmp_path):
    texts, labels = some_rows
    program = (
        "import json, sys, likely\n"
        "texts, labels = json.load(sys.stdin)\n"
        "likely.Classifier(likely.Multinomial()).update(texts, labels).save(sys.argv[1])\n"
    )
    import json

    halves = []
    for half in (0, 1):
        path = tmp_path / f"{half}.likely"
        rows = json.dumps([texts[half::2], labels[half::2]])
        subprocess.run([sys.executable, "-c", program, path], input=rows, text=True, check=True)
        halves.append(likely.load(path))
    merged = halves[1] + halves[0]
    assert sha256(merged) == sha256(likely.Classifier(likely.Multinomial()).fit(texts, labels))
