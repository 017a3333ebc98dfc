"""What `likely serve`, `label` and `journal` refuse before they begin."""

import sys

import pytest

import likely
from likely.data.files import open_table
from likely.server.labeling.session import start
from likely.server.living import LivingModel

HINT = "hint: `pip install 'likely[serve]'` installs them\n"


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.likely"
    table = {"text": ["free prize", "see you"], "label": ["spam", "ham"]}
    likely.Classifier().fit(table, "label").save(path)
    (tmp_path / "data.csv").write_text("text\nfree prize\nsee you\n")
    return path


@pytest.mark.parametrize(
    "command", [["serve", "m.likely"], ["label", "data.csv", "-o", "n.likely"]]
)
def test_without_the_packages_of_a_server_nothing_begins(run, model, monkeypatch, command):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    _, err = run(*command, "--port", "0", code=2)
    assert err == f"likely: a server needs more packages\n{HINT}"
    assert not list(model.parent.glob("n.likely*"))


@pytest.mark.parametrize(
    "origin", ["*", "https://*.example.org", "https://a.example/", "a.example"]
)
def test_what_no_browser_sends_as_an_origin_is_refused(run, model, origin):
    _, err = run("serve", model, "--cors", origin, code=2)
    assert err == f"likely: --cors: `{origin}` is no origin, as `https://example.org` is\n"


@pytest.mark.parametrize("name", ["https://ml.example.org", "ml.example.org:8000", "a b", ""])
def test_a_name_that_no_host_has_is_refused(run, model, name):
    _, err = run("serve", model, "--allow-host", name, code=2)
    assert err == f"likely: --allow-host: `{name}` is no name of a host; it has no port\n"


def test_off_this_machine_a_token_is_compulsory(run, model, monkeypatch):
    monkeypatch.delenv("LIKELY_TOKEN", raising=False)
    more = ["--cors", "https://a.example:8443", "--allow-host", "ml.example", "--allow-host", "::2"]
    _, err = run("serve", model, "--host", "0.0.0.0", *more, code=2)
    assert err.startswith("likely: on 0.0.0.0 others can reach this server, so it needs a token\n")
    (model.parent / "token").write_text("two words")
    _, err = run("serve", model, "--token", "token", code=2)
    assert err == "likely: token: a token is one word of ASCII characters\n"


def test_a_model_that_is_being_labeled_learns_from_answers_only(run, model):
    path = model.with_name("n.likely")
    table = open_table(model.with_name("data.csv"))
    start(path, table, likely.Classifier(), False, ("spam",)).close()
    _, err = run("serve", path, "--learn", "--port", "0", code=3)
    assert "it has the answers of `likely label`, and learns from those" in err
    start(path, table, likely.Classifier(), False, ()).close()


def test_a_journal_is_verified_and_its_events_are_listed(run, model):
    _, err = run("journal", "verify", model, code=3)
    assert err.endswith("m.likely.journal: there is no journal\n")
    living = LivingModel(model)
    living.learn([{"text": "win cash"}], ["spam"]).result()
    living.close()
    out, _ = run("journal", "verify", model)
    assert "✗" not in out
    assert out.endswith(f"\n3 rows, digest {likely.load(model).digest}\n")
    out, _ = run("journal", "events", model)
    assert [line.split()[2:] for line in out.splitlines()] == [["start", "+2"], ["learn", "+1"]]
    model.write_bytes(b"")
    out, _ = run("journal", "verify", model, code=1)
    assert "✗ m.likely is the newest snapshot" in out
