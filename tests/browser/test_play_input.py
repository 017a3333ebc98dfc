"""Whatever is typed into the page to play with stays text, and nothing is too much for it."""

import re

from likely.play import page as written

ATTACK = "<img src=x onerror='broken=1'>"
TEXTS = [
    "🙂👩‍👩‍👧 fun",
    "כיף גדול",
    "‮drawkcab",
    "a\u0000b",
    "\ud7ff￿",
    "${1}",
    "__proto__ constructor",
    ATTACK,
]


def test_the_script_never_makes_elements_of_text():
    script = written().partition("<script>")[2]
    dangerous = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc"
    )
    assert not re.search(dangerous, script)


def test_a_policy_allows_its_own_script_and_style_only():
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', written())
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; "
        r"img-src data:; base-uri 'none'; form-action 'none'",
        policy,
    )


def test_what_is_typed_stays_text(opened, play):
    page = opened(play)
    images = page.locator("img, script, iframe").count()
    page.fill("#reviews-class-name", ATTACK)
    page.click("text=Add the class")
    page.get_by_label("Class of review 1").select_option(ATTACK)
    for i, text in enumerate(TEXTS[:5]):
        page.get_by_label(f"Text of review {i + 1}").fill(text)
    page.fill("#reviews-sentence", " ".join(TEXTS))
    page.check("[name=reviews-prior][value=own]")
    assert "<img" in page.inner_text("#reviews-tokens")
    page.click("#tab-tennis")
    page.get_by_label("outlook of day 1", exact=True).fill(ATTACK)
    page.get_by_label("play of day 1", exact=True).fill("__proto__")
    assert "<img" in page.inner_text("#tennis-attributes")
    assert "__proto__" in page.inner_text("#tennis-verdict")
    page.click("#tab-em")
    page.fill("#em-points", ATTACK)
    assert "“<img”" in page.inner_text("#em-problem")
    page.click("#tab-confusion")
    page.get_by_label("Name of class 1").fill(ATTACK)
    assert "<img" in page.inner_text("#confusion-measures")
    assert page.locator("img, script, iframe").count() == images
    assert page.evaluate("window.broken") is None


def test_words_that_objects_have_are_words(opened, play):
    page = opened(play)
    page.get_by_label("Text of review 1").fill("__proto__ constructor toString")
    page.fill("#reviews-sentence", "__proto__ hasOwnProperty toString")
    assert page.locator("#reviews-tokens s").all_inner_texts() == ["hasownproperty"]
    _, _, *rows = page.locator("#reviews-steps table").first.evaluate(
        "table => [...table.rows].map((row) => row.cells[1].innerText)"
    )
    assert rows[0] == "2/34"


def test_very_long_texts_are_cut_and_it_says_so(opened, play):
    page = opened(play)
    page.fill("#reviews-sentence", "fun " * 20_000)
    assert page.inner_text("#reviews-times") == ("1 time; of 20000 words the first 2000 are read")
    assert page.inner_text("#reviews-tokens").endswith("… 2000 in all")
    page.fill("#reviews-sentence", "x" * 100_000 + "!" * 100_000 + "x")
    page.get_by_label("Text of review 1").fill("word " * 10_000)
    assert page.locator("#reviews-counts tbody tr").first.inner_text().split() == [
        *("word", "1000", "0")
    ]


def test_two_hundred_rows_are_enough(opened, play):
    page = opened(play)
    page.evaluate("for (let i = 0; i < 300; i += 1) document.getElementById('reviews-add').click()")
    assert page.locator("#reviews-rows tr").count() == 200
    assert page.is_disabled("#reviews-add")
    assert "200 rows are as many as this page takes" in page.inner_text("#reviews-problem")
    page.get_by_label("Remove review 200").click()
    assert page.is_enabled("#reviews-add")
    page.click("#tab-em")
    page.fill("#em-points", "1 " * 201)
    assert "200 points" in page.inner_text("#em-problem")


def test_all_rows_can_go_and_it_asks_for_one(opened, play):
    page = opened(play)
    for _ in range(5):
        page.get_by_label("Remove review 1").click()
    assert page.inner_text("#reviews-verdict") == "Add a review first."
    page.click("#tab-tennis")
    for _ in range(14):
        page.get_by_label("Remove day 1", exact=True).click()
    assert page.inner_text("#tennis-verdict") == "Add a day first."
    page.click("#tennis-add")
    page.click("#tennis-reset")
    assert "0.7954" in page.inner_text("#tennis-verdict")


def test_fields_refuse_what_is_no_number_of_theirs(opened, play):
    page = opened(play)
    before = page.inner_text("#reviews-steps")
    page.fill("#reviews-alpha", "3")
    assert page.get_attribute("#reviews-alpha", "aria-invalid") == "true"
    assert page.inner_text("#reviews-steps") == before
    page.fill("#reviews-alpha", "")
    assert page.get_attribute("#reviews-alpha", "aria-invalid") == "true"
    page.fill("#reviews-alpha", "1e-300")
    assert page.get_attribute("#reviews-alpha", "aria-invalid") == "false"
    page.check("[name=reviews-prior][value=own]")
    for c in ("neg", "pos"):
        page.get_by_label(c, exact=True).fill("0")
    assert page.inner_text("#reviews-verdict") == "One of the weights has to be above 0."
