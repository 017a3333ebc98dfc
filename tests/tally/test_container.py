import hashlib
import json
import os
import signal
import stat
import struct
import subprocess
import sys
import time

import numpy as np
import pytest
from safetensors.numpy import load as safetensors_load

import likely
from likely.classifier import from_bytes
from likely.errors import ModelError, NotFittedError
from likely.tally import container


@pytest.fixture
def model():
    texts = ["buy cheap pills", "cheap cheap watches", "lunch at noon", "naïve 日本"]
    reading = likely.Text(word_ngrams=(1, 2), char_ngrams=(2, 3))
    model = likely.Classifier(
        likely.Multinomial(0.5, text=reading), prior={"ham": 0.9, "spam": 0.1}
    )
    return model.fit(texts, ["spam", "spam", "ham", "ham"])


def sealed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


def with_metadata(data: bytes, change) -> bytes:
    """A file with other metadata and a seal that fits."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = json.loads(header["__metadata__"]["likely"])
    change(metadata)
    header["__metadata__"]["likely"] = container.canonical(metadata)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return sealed(struct.pack("<Q", len(text)) + text + data[8 + length : -32])


def test_a_model_comes_back_whole(model, tmp_path):
    model.save(tmp_path / "m.likely")
    back = likely.load(tmp_path / "m.likely")
    assert back.to_bytes() == model.to_bytes()
    assert back.likelihood == model.likelihood
    assert back.prior == model.prior
    new = ["cheap lunch", "日本 noon"]
    assert back.log_joint(new).tolist() == model.log_joint(new).tolist()
    assert back.forget(["lunch at noon"], ["ham"]).rows == 1


@pytest.mark.parametrize("labels", [[2, -1], [0.5, -2.5], [True, False], ["", "ß"]])
def test_labels_of_every_kind_come_back(labels):
    model = likely.Classifier().fit(["a", "b"], labels)
    back = from_bytes(model.to_bytes())
    assert back.classes == model.classes
    assert [type(label) for label in back.classes] == [type(label) for label in model.classes]


def test_a_model_of_another_unicode_version_predicts_and_may_be_fit_anew(model):
    def older(metadata):
        metadata["schema"]["factors"][0]["unicode"] = "9.0.0"
        tally = {"format": metadata["format"], "schema": metadata["schema"]}
        metadata["tally"] = container.digest(tally, model.tally.arrays())

    back = from_bytes(with_metadata(model.to_bytes(), older))
    assert back.predict(["cheap"])[0] == "spam"
    with pytest.raises(ModelError, match=r"`unicode` is '9\.0\.0' here"):
        back.update(["x"], ["ham"])
    assert back.fit(["a", "b"], ["ham", "spam"]).tally.n_rows == 2


def test_a_model_that_forgot_everything_comes_back(model):
    model.tally -= model.tally
    assert from_bytes(model.to_bytes()).tally.n_rows == 0
    with pytest.raises(NotFittedError):
        likely.Classifier().to_bytes()


def test_large_counts_come_back():
    texts = ["a " * 70_000, "b " * 300 + "a", "b"]
    model = likely.Classifier().fit(texts, ["x", "x", "y"])
    back = from_bytes(model.to_bytes())
    assert back.tally == model.tally
    assert back.forget(texts[:1], ["x"]).rows == 1


def test_it_is_a_safetensors_container(model):
    data = model.to_bytes()
    tensors = safetensors_load(data)
    assert bytes(tensors["~sha256"]) == data[-32:] == hashlib.sha256(data[:-32]).digest()
    assert tensors["rows"].tolist() == [2, 2]


def test_every_altered_byte_is_refused(model):
    data = model.to_bytes()
    for place in range(len(data)):
        for flip in (0x01, 0x80):
            broken = bytearray(data)
            broken[place] ^= flip
            with pytest.raises(ModelError):
                from_bytes(bytes(broken))


def test_every_cut_is_refused(model):
    data = model.to_bytes()
    for length in range(len(data)):
        with pytest.raises(ModelError):
            from_bytes(data[:length])
    for more in (b"\0", b" ", data):
        with pytest.raises(ModelError):
            from_bytes(data + more)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no Likely model"),
        (b"text,label\nhello,world\n" * 10, "no Likely model"),
        (b"\x80\x04\x95" * 50, "no Likely model"),
        (struct.pack("<Q", 2**63) + b'{"__metadata__":{"x' * 10, "cut off or damaged"),
    ],
)
def test_foreign_files_are_refused(content, message, tmp_path):
    path = tmp_path / "other.bin"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message) as refusal:
        likely.load(path)
    assert str(path) in str(refusal.value)


def test_a_newer_format_is_named(model):
    def newer(metadata):
        metadata["format"] = 3

    with pytest.raises(ModelError, match=r"newer version of Likely \(format 3; this one reads 2\)"):
        from_bytes(with_metadata(model.to_bytes(), newer))


@pytest.mark.parametrize(
    "change",
    [
        lambda metadata: metadata.pop("schema"),
        lambda metadata: metadata.pop("tally"),
        lambda metadata: metadata.update(tally="0" * 64),
        lambda metadata: metadata.update(format="1"),
        lambda metadata: metadata.update(format=True),
        lambda metadata: metadata.update(format=0),
        lambda metadata: metadata.update(more=1),
        lambda metadata: metadata.update(schema=[]),
        lambda metadata: metadata["schema"].update(factors=[]),
        lambda metadata: metadata["schema"].update(ledger="banana"),
        lambda metadata: metadata["schema"].update(ledger=5),
        lambda metadata: metadata["plan"]["likelihoods"][0].update(alpha=True),
        lambda metadata: metadata["schema"]["factors"][0].update(chars=[1, 1]),
        lambda metadata: metadata["plan"]["likelihoods"][0].update(likelihood="oracle"),
        lambda metadata: metadata["plan"]["likelihoods"][0].update(alpha=-1),
        lambda metadata: metadata["model"].update(prior="flat"),
        lambda metadata: metadata["model"].update(classes="ham"),
        lambda metadata: metadata["plan"].update(likelihoods=[]),
        lambda metadata: metadata["schema"]["factors"][0].update(columns=[]),
        lambda metadata: metadata["schema"]["factors"][0].update(columns=["a", "b"]),
        lambda metadata: metadata["schema"]["factors"][0].update(kind="numbers"),
        lambda metadata: metadata["schema"].update(ledger="none"),
        lambda metadata: metadata["schema"]["factors"][0].update(words=[3, 3]),
        lambda metadata: metadata["schema"]["factors"][0].update(words="many"),
        lambda metadata: metadata["schema"]["factors"][0].update(unknown=1),
    ],
)
def test_sealed_nonsense_is_refused(model, change):
    with pytest.raises(ModelError):
        from_bytes(with_metadata(model.to_bytes(), change))


def test_counts_that_no_rows_could_give_are_refused(model):
    metadata, arrays = container.unpack(model.to_bytes())
    for name, array in arrays.items():
        for place in range(min(len(array), 40)):
            for change in (1, 1000):
                other = array.copy()
                other[place] += np.array(change).astype(other.dtype)
                changed = {**arrays, name: other}
                metadata["tally"] = container.digest(model.tally.metadata, changed)
                try:
                    back = from_bytes(container.pack(metadata, changed))
                except ModelError:
                    continue
                # What is accepted could have been written by us, and is read as it is written.
                assert back.to_bytes() == container.pack(metadata, changed)


@pytest.mark.parametrize(
    ("name", "value"),
    [("0/payload", np.zeros(3, dtype=np.uint8)), ("rows", np.array([1.7, 2.0]))],
)
def test_arrays_that_do_not_belong_are_refused(model, name, value):
    metadata, arrays = container.unpack(model.to_bytes())
    with pytest.raises(ModelError):
        from_bytes(container.pack(metadata, {**arrays, name: value}))


def test_what_is_no_file_is_not_replaced(model, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path, tmp_path / "none" / "m.likely"):
        with pytest.raises(OSError, match=r"is no file|folder is not there"):
            model.save(place)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_an_old_file_stays_until_the_new_one_is_whole(model, tmp_path, monkeypatch):
    path = tmp_path / "m.likely"
    path.write_bytes(b"precious")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        model.save(path)
    assert path.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [path]


def test_a_killed_save_leaves_the_old_file(model, tmp_path):
    path = tmp_path / "m.likely"
    model.save(path)
    program = (
        "import sys, likely\n"
        "rows = range(3000)\n"
        "model = likely.Classifier().fit([f'w{i}' for i in rows], [i % 2 for i in rows])\n"
        "print('ready', flush=True)\n"
        "for _ in range(10_000): model.save(sys.argv[1])\n"
    )
    for attempt in range(8):
        process = subprocess.Popen(
            [sys.executable, "-c", program, path], stdout=subprocess.PIPE, text=True
        )
        process.stdout.readline()
        time.sleep(0.01 * attempt)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        likely.load(path)
    model.save(path)
    assert list(tmp_path.iterdir()) == [path], "what killed saves left behind is gone"


@pytest.fixture
def saving(tmp_path):
    """Another process that has begun to save, and stays at it."""
    program = (
        "import os, sys, time\n"
        "from likely.tally import container\n"
        "def wait(_):\n"
        "    print('writing', flush=True)\n"
        "    sys.stdin.readline()\n"
        "os.fsync = wait\n"
        "container.write(sys.argv[1], b'theirs')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, tmp_path / "m.likely"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "writing\n"
    yield process
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def test_a_save_that_goes_on_elsewhere_is_not_disturbed(saving, tmp_path):
    path = tmp_path / "m.likely"
    (draft,) = tmp_path.iterdir()
    container.write(path, b"ours")
    assert path.read_bytes() == b"ours"
    assert set(tmp_path.iterdir()) == {path, draft}
    saving.stdin.write("\n\n")
    saving.stdin.flush()
    assert saving.wait() == 0
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_the_draft_of_a_killed_save_is_removed_by_the_next(saving, tmp_path):
    path = tmp_path / "m.likely"
    saving.kill()
    saving.wait()
    (draft,) = tmp_path.iterdir()
    container.write(tmp_path / "other.likely", b"")
    assert draft.exists(), "it is none of another file"
    container.write(path, b"ours")
    assert set(tmp_path.iterdir()) == {path, tmp_path / "other.likely"}


def test_what_only_looks_like_a_draft_stays(tmp_path):
    path = tmp_path / "m.likely"
    for name in (".m.likely", ".m.likely.bak", ".m.likely.0123456789AB", ".m.likely.0123456789abc"):
        (tmp_path / name).write_text("mine")
    (tmp_path / "mine").write_text("mine")
    (tmp_path / ".m.likely.0123456789ab").symlink_to("mine")
    os.mkfifo(tmp_path / ".m.likely.0123456789ac")
    (tmp_path / ".m.likely.0123456789ad").mkdir()
    before = set(tmp_path.iterdir())
    container.write(path, b"")
    assert set(tmp_path.iterdir()) == before | {path}


def test_a_draft_that_is_taken_away_before_it_is_locked_is_made_anew(tmp_path, monkeypatch):
    lock, path = container.fcntl.flock, tmp_path / "m.likely"
    taken = []

    def taking(held, how):
        if not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].unlink()
        lock(held, how)

    monkeypatch.setattr(container.fcntl, "flock", taking)
    container.write(path, b"ours")
    assert len(taken) == 1
    assert path.read_bytes() == b"ours"
    assert list(tmp_path.iterdir()) == [path]


def test_many_saves_of_one_file_at_once_all_succeed(tmp_path):
    path = tmp_path / "m.likely"
    program = (
        "import sys\n"
        "from likely.tally import container\n"
        "for _ in range(150): container.write(sys.argv[1], sys.argv[2].encode() * 1000)\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", program, path, who]) for who in "abc"]
    assert [process.wait() for process in started] == [0, 0, 0]
    assert path.read_bytes() in (b"a" * 1000, b"b" * 1000, b"c" * 1000)
    assert list(tmp_path.iterdir()) == [path]


def test_links_and_permissions_are_kept(model, tmp_path):
    target = tmp_path / "real.likely"
    model.save(target)
    target.chmod(0o640)
    link = tmp_path / "link.likely"
    link.symlink_to(target)
    model.update(["x"], ["ham"]).save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert likely.load(target).tally.n_rows == 5


def test_no_pickle_is_ever_read(monkeypatch, model):
    import pickle

    monkeypatch.setattr(pickle, "loads", None)
    monkeypatch.setattr(pickle, "load", None)
    assert from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
