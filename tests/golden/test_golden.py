"""Files of every release are read as `make.py` promises."""

import json

import numpy as np
import pytest

import likely
from likely.classifier import from_bytes
from likely.errors import ModelError

from .make import FOLDER, SECRET, make

FILES = sorted(path for path in FOLDER.glob("*/*.likely"))


def format_of(data):
    """The format that a file says it has."""
    length = int.from_bytes(data[:8], "little")
    return json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["likely"])["format"]


OURS = format_of(likely.Classifier().fit(["a", "b"], ["p", "q"]).to_bytes())


def check(path):
    """A file says what stands beside it, and is written again byte for byte."""
    data = path.read_bytes()
    if format_of(data) != OURS:
        try:
            model = from_bytes(data)
        except ModelError as refused:
            assert "anew" in str(refused)  # noqa: PT017
            return
    else:
        model = from_bytes(data)
        secret = SECRET if "secret" in path.name else None
        assert from_bytes(data, secret).to_bytes() == model.to_bytes() == data
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    said = model.predict(expected["asked"])
    assert list(model.classes) == expected["classes"]
    assert (said if isinstance(said, list) else said.tolist()) == expected["predict"]
    assert model.learns == expected["learns"]
    np.testing.assert_allclose(
        model.predict_proba(expected["asked"]), expected["predict_proba"], rtol=1e-12, atol=0
    )
    if format_of(data) == OURS:
        assert model.digest == expected["digest"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_of_a_release_says_what_it_said(path):
    check(path)


def test_files_are_made_that_keep_the_promise(tmp_path):
    make(tmp_path / "now")
    made = sorted((tmp_path / "now").glob("*.likely"))
    assert len(made) == len(list((tmp_path / "now").glob("*.json"))) > 10
    for path in made:
        check(path)
        assert path.stat().st_size < 40_000


def test_the_files_of_a_version_are_made_alike_each_time(tmp_path):
    for name in ("one", "other"):
        make(tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


def test_a_golden_file_that_says_otherwise_is_found(tmp_path):
    make(tmp_path / "now")
    path = tmp_path / "now" / "texts.json"
    expected = json.loads(path.read_text(encoding="utf-8"))
    expected["predict_proba"][0][0] *= 1 + 1e-11
    path.write_text(json.dumps(expected), encoding="utf-8")
    with pytest.raises(AssertionError):
        check(path.with_suffix(".likely"))
