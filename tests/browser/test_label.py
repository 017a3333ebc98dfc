"""Teaching a model in the page of `likely label`: by keyboard, together, by several people."""

import csv
import io
import json
import time

import pytest

import likely
from tests.browser.labeling import press, settled, shown

TEXTS = [
    *(f"win a prize now, number {n}" for n in range(40)),
    *(f"see you at lunch, table {n}" for n in range(40)),
]


def kind(text):
    return "spam" if "prize" in text else "ham"


@pytest.fixture
def messages(labeling):
    """Messages of two kinds."""
    with open(labeling.folder / "data.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in TEXTS)])
    return labeling


def exported(labeling):
    return list(csv.DictReader(io.StringIO(labeling.get("/export.csv"))))


def test_fifty_rows_from_nothing_by_keyboard_and_a_kill_loses_nothing(messages):
    messages.start()
    page = messages.page()
    page.keyboard.press("+")
    for name in ("spam", "ham"):
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        page.locator(f".label [title], .label bdi:text-is('{name}')").wait_for()
    page.keyboard.press("Escape")
    for n in range(50):
        text = shown(page)
        if n == 12:
            settled(page, 12)
            messages.kill()
            press(page, "1" if kind(text) == "spam" else "2")
            page.locator("#connection:visible").wait_for()
            assert "1 answer will be sent" in page.inner_text("#connection")
            messages.start()
            page.locator("#connection").wait_for(state="hidden")
            settled(page, 13)
        elif n > 20 and page.inner_text(".label >> nth=0").split()[1] == kind(text):
            press(page, "Enter")
        else:
            press(page, "1" if kind(text) == "spam" else "2")
    settled(page, 50)
    rows = exported(messages)
    assert len(rows) == 50
    assert all(row["label"] == kind(row["text"]) for row in rows)
    assert {row["answered_by"] for row in rows} == {"me"}
    page.locator("#progress .figure:has-text('%')").wait_for()
    assert "random rows only" in page.inner_text("#progress")
    # Chromium says of each request to the killed server that it failed.
    messages.said[:] = [text for text in messages.said if "ERR_CONNECTION" not in text
                        and "ERR_EMPTY_RESPONSE" not in text]  # fmt: skip


def test_undo_brings_the_row_back_and_the_model_forgets_it(messages):
    messages.start("--labels", "spam,ham")
    page = messages.page()
    before = json.loads(messages.get("/model?digest=full"))["full_digest"]
    first = shown(page)
    press(page, "1")
    second = shown(page)
    settled(page, 1)
    press(page, "Backspace")
    assert shown(page) == first
    settled(page, 0)
    assert json.loads(messages.get("/model?digest=full"))["full_digest"] == before
    press(page, "Space")
    assert shown(page) == second
    settled(page, 1)
    assert exported(messages) == []
    assert page.inner_text("#said").startswith("Skipped. Next: ")


def test_rows_with_a_word_are_labeled_together_and_taken_back_at_once(messages):
    messages.start("--labels", "spam,ham")
    page = messages.page()
    messages.post("/api/answer", {"items": [0, 1], "labels": ["spam"]})
    page.locator("#search-text").fill("prize")
    page.keyboard.press("Enter")
    page.locator("#list-note:has-text('40 rows, 38 of them unanswered')").wait_for()
    page.click("#list-back")
    page.keyboard.press(".")
    word = page.evaluate("document.activeElement.textContent")
    assert word in ("win", "see")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.locator(f"#list-title:has-text('{word}')").wait_for()
    page.locator("#list-note:has-text('40 rows')").wait_for()
    n = 38 if word == "win" else 40
    page.select_option("#bulk-label", "spam" if word == "win" else "ham")
    page.click("#bulk-go")
    assert page.inner_text("#sure-title").startswith(f"Label {n} rows as")
    page.keyboard.press("Enter")
    page.locator("#list-note:has-text('rows, 0 of them unanswered')").wait_for()
    assert len(exported(messages)) == n + 2
    page.click("#list-title")
    page.keyboard.press("Backspace")
    page.locator(f"#list-note:has-text('rows, {n} of them unanswered')").wait_for()
    assert len(exported(messages)) == 2


def test_several_labels_are_toggled_and_confirmed(messages):
    messages.start("--multilabel", "--labels", "joy,anger,fear")
    page = messages.page()
    page.keyboard.press("1")
    page.keyboard.press("3")
    assert page.locator(".label[aria-pressed=true]").count() == 2
    page.keyboard.press("3")
    page.keyboard.press("2")
    press(page, "Enter")
    settled(page, 1)
    press(page, "Enter")
    settled(page, 2)
    rows = [json.loads(line) for line in messages.get("/export.jsonl").splitlines()]
    assert sorted(row["label"] for row in rows) == [[], ["anger", "joy"]]


def test_of_several_labels_the_contributions_to_one_are_shown(messages):
    messages.start("--multilabel", "--labels", "joy,anger")
    for item in range(60):
        labels = ["joy", "anger"] if item % 5 == 0 else ["joy"] if item < 40 else ["anger"]
        messages.post("/api/answer", {"items": [item], "labels": labels})
    cells = {"text": "a prize"}
    told = messages.post("/api/try", {"cells": cells})
    (why,) = messages.post("/explain", [cells], **{"Content-Type": "application/json"})[
        "explanations"
    ]
    summed = sum(one["log_odds"] for one in told["contributions"])
    assert told["about"] == "joy"
    assert summed == pytest.approx(why["log_odds"]["joy"])
    page = messages.page(tab="try")
    page.fill("#try-fields textarea", cells["text"])
    page.locator("#try-said h3:has-text('Contributions to joy')").wait_for()
    terms = page.locator("#try-said .chances >> nth=1").inner_text()
    assert "prize" in terms
    assert "NaN" not in terms


def test_two_people_answer_the_same_rows_and_see_how_far_they_agree(messages):
    messages.start("--labels", "spam,ham")
    pages = [messages.page(name=name) for name in ("Ann", "Zoë")]
    for place, page in enumerate(pages):
        page.select_option("#queue", "random")
        page.locator("#queue-purpose:has-text('by lot')").wait_for()
        for n in range(8):
            key = "1" if kind(shown(page)) == "spam" else "2"
            press(page, "1" if place and n == 3 else key)
        page.locator("#where:has-text('8 by you')").wait_for()
    pages[1].locator("#progress:has-text('both answered 8 rows')").wait_for()
    assert "κ\u00a0=\u00a0" in pages[1].inner_text("#progress")
    assert {row["answered_by"] for row in exported(messages)} == {"Ann", "Zoë"}


def test_a_refused_answer_is_said_and_its_row_comes_back(messages):
    messages.start("--labels", "spam,ham")
    page = messages.page()
    first = shown(page)
    refusal = json.dumps({"error": {"code": "x", "message": "the disk is full"}})
    page.route("**/api/answer", lambda route: route.fulfill(status=422, body=refusal))
    page.keyboard.press("1")
    page.locator("#problem:has-text('the disk is full')").wait_for()
    assert shown(page) == first
    page.unroute("**/api/answer")
    press(page, "1")
    settled(page, 1)
    messages.said[:] = [text for text in messages.said if "422" not in text]


def test_the_other_tabs_show_what_was_learned(messages):
    messages.start("--labels", "spam,ham")
    messages.post("/api/answer", {"items": list(range(0, 30)), "labels": ["spam"]})
    messages.post("/api/answer", {"items": list(range(40, 70)), "labels": ["ham"]})
    page = messages.page(tab="try")
    page.fill("#try-fields textarea", "a prize")
    page.locator("#try-said .figure:has-text('spam')").wait_for()
    page.click("#try-said .word:has-text('prize')")
    page.locator("#try-said .word.struck").wait_for()
    page.click("#tab-model")
    page.locator("#report:visible").wait_for()
    page.frame_locator("#report").locator("h1").first.wait_for()
    with page.expect_download() as download:
        page.click("text=XLSX")
    assert download.value.suggested_filename == "labels.xlsx"
    page.click("#tab-data")
    page.locator("#data-said h3:has-text('Duplicates')").first.wait_for()


def test_a_table_without_a_text_is_tried(labeling):
    rows = [[n % 7, "north" if n % 2 else "south"] for n in range(40)]
    with open(labeling.folder / "data.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["size", "place"], *rows])
    labeling.start()
    for first, label in ((0, "yes"), (1, "no")):
        labeling.post("/api/answer", {"items": [*range(first, 40, 2)], "labels": [label]})
    page = labeling.page(tab="try")
    page.fill("#try-fields input >> nth=1", "south")
    page.locator("#try-said .figure:has-text('yes')").wait_for()
    assert "null" not in page.inner_text("#try-said")


def test_a_possible_label_error_that_is_skipped_stays_as_it_is(messages):
    messages.start("--labels", "spam,ham")
    for items, label in ((range(40), "spam"), (range(40, 80), "ham"), ([6], "ham")):
        messages.post("/api/answer", {"items": [*items], "labels": [label]})
    page = messages.page()
    page.select_option("#queue", "errors")
    page.locator("#row-title:has-text('Row 7 of')").wait_for()
    assert page.inner_text(".label >> nth=0").split()[1] == "spam"
    page.click("#skip")
    page.locator("#said:has-text('Left as it was.')").wait_for(state="attached")
    (row,) = [row for row in exported(messages) if row["text"] == TEXTS[6]]
    assert row["label"] == "ham"


def test_a_closed_terminal_ends_the_session_and_its_model_is_written(messages):
    messages.start("--labels", "spam,ham")
    messages.post("/api/answer", {"items": [0, 1], "labels": ["spam"]})
    assert messages.hang_up() == 0
    assert likely.load(messages.folder / "m.likely").tally.n_rows == 2


def test_a_row_shows_at_once_while_the_answer_is_written(messages):
    messages.start("--labels", "spam,ham")
    page = messages.page()
    page.route("**/api/answer", lambda route: (time.sleep(1), route.continue_()))
    page.evaluate("""() => {
      let began;
      window.took = [];
      document.addEventListener("keydown", () => { began = performance.now(); }, true);
      new MutationObserver(() => { if (began) window.took.push(performance.now() - began); })
        .observe(document.querySelector("#row-title"), { childList: true });
    }""")
    page.wait_for_timeout(500)
    press(page, "1")
    page.wait_for_function("window.took.length > 0")
    assert page.evaluate("window.took[0]") < 300
    settled(page, 1)
