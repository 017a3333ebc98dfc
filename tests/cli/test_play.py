"""`likely play` writes one page, opens it, and says where it is."""

import json

import pytest

from likely.play import page


@pytest.fixture
def opened(monkeypatch):
    """The addresses that a browser was asked to open."""
    urls = []
    monkeypatch.setattr("webbrowser.open", lambda url: not urls.append(url))
    return urls


def test_the_page_is_kept_in_the_cache_and_opened(run, tmp_path, monkeypatch, opened):
    monkeypatch.setattr("sys.platform", "linux")
    _, err = run("play")
    place = tmp_path / "cache" / "likely" / "play.html"
    assert place.read_text("utf-8") == page()
    assert opened == [place.as_uri()]
    assert err.startswith(f"{place}: ")
    assert "`likely play -o play.html` writes it here" in err
    run("play")


def test_without_a_browser_it_says_so(run, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    _, err = run("play")
    assert err.endswith("hint: no browser was found; open this file in one\n")
    out, _ = run("play", "--json")
    assert json.loads(out) == {
        "page": str(tmp_path / "cache" / "likely" / "play.html"),
        "bytes": len(page().encode()),
        "opened": False,
    }


def test_it_is_written_to_a_file_and_nothing_is_opened(run, tmp_path, opened):
    _, err = run("play", "-o", "play.html")
    content = (tmp_path / "play.html").read_bytes()
    assert content == page().encode()
    assert err == f"play.html: {len(content):,} bytes\n"
    assert opened == []
    assert not (tmp_path / "cache").exists()
    _, err = run("play", "-o", "play.html", code=2)
    assert "play.html exists already" in err
    run("play", "-o", "play.html", "--force")


def test_force_alone_has_nothing_to_overwrite(run):
    _, err = run("play", "--force", code=2)
    assert err.startswith("likely: --force goes with -o FILE\n")


def test_without_a_home_it_can_still_be_written(run, monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("pathlib.Path.home", homeless)
    monkeypatch.delenv("XDG_CACHE_HOME")
    _, err = run("play", code=2)
    assert err.startswith(
        "likely: there is no home folder to keep the page in\nhint: `likely play -o"
    )


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_cache_that_cannot_be_written_is_an_error(run, tmp_path, monkeypatch, platform):
    (tmp_path / "home").write_text("a file")
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    _, err = run("play", code=3)
    assert err.startswith(f"likely: {tmp_path / 'home'}")
