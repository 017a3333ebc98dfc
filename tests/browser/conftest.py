"""A real browser, which opens pages as a double-click does."""

import shutil

import pytest

from likely.play import page as written
from tests.browser.labeling import Labeling

# A busy machine is slow, not wrong.
PATIENCE = 30_000


@pytest.fixture(scope="session")
def browser():
    """Chromium, started once."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("there is no chromium to open pages in")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found,
            args=["--no-sandbox", "--disable-dev-shm-usage", "--renderer-process-limit=1"],
        )
        yield browser
        browser.close()


@pytest.fixture
def opened(browser):
    """Open a file; in the end, it has loaded nothing else and complained about nothing."""
    contexts, said, asked, files = [], [], [], set()

    def opened(path, address="", *, width=1280, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        files.add(path.as_uri())
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{path.as_uri()}{address}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []
    assert set(asked) <= files


@pytest.fixture(scope="session")
def play(tmp_path_factory):
    """The page to play with, as `likely play -o` writes it."""
    path = tmp_path_factory.mktemp("play") / "play.html"
    path.write_text(written(), "utf-8")
    return path


@pytest.fixture(scope="session")
def compute(browser, play):
    """Calls functions of the page to play with."""
    page = browser.new_page()
    page.goto(play.as_uri())
    return page.evaluate


@pytest.fixture
def labeling(browser, tmp_path):
    """A labeling session; its pages have asked nobody else, and complained about nothing."""
    pytest.importorskip("uvicorn", reason="uvicorn serves the page")
    found = Labeling(tmp_path, browser)
    yield found
    found.stop()
    assert found.said == []
    own = f"http://127.0.0.1:{found.port}/"
    assert [url for url in found.asked if not url.startswith((own, f"blob:{own}"))] == []
