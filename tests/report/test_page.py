"""The page of a report: hostile files, many classes, empty sections, a browser."""

import html
import re

import numpy as np
import pytest

import likely
from likely.report import report

HOSTILE = [
    "<script>document.title='owned'</script>",
    "</td></table></body><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    '"><svg onload="document.title=\'owned\'">',
    "<style>body{display:none}</style><link rel=stylesheet href=//example.invalid/x.css>",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://example.invalid/","click")',
    "&lt;b&gt; &#60;script&#62; {{7*7}} ${7*7}",
    "<a href=\"javascript:document.title='owned'\">x</a> `<u>`",
    "\u202egnp.exe\u202c \x00\x1b[31m \ufeff",
]
# A label is the text without what no label may be.
LABELS = ["<script>document.title='owned'</script>", "=1+1 `</code><script>`"]
RULES = likely.Rules([likely.Rule("r", "b", words=["x"])])


def of_rows(texts, labels, **options):
    model = likely.Classifier(**options).fit(texts, labels)
    return report(model, texts, labels)


@pytest.fixture(scope="module")
def hostile():
    """A report on a file in which everything tries to be more than text."""
    rng = np.random.default_rng(0)
    texts, labels = [], []
    for row in range(120):
        texts.append(" ".join(rng.choice(HOSTILE, 2)) + f" word{row % 7}")
        labels.append(LABELS[row % 2 if row % 5 else 0])
    # The same rows under other labels, so that there are duplicates, mistakes and suspects.
    texts += texts[:20]
    labels += [LABELS[1 - LABELS.index(label)] for label in labels[:20]]
    column = "<b onclick=alert(1)>column"
    table = {column: texts, "n": [float(row) for row in range(len(texts))]}
    return of_rows(table, labels, columns={column: "text"})


def sections(page):
    return re.findall('<section id="([a-z]+)"', page)


def test_in_a_browser_a_hostile_file_is_plain_text(hostile, browser, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(hostile.html(), "utf-8")
    document = browser(path)
    assert "owned" not in re.search("<title>(.*?)</title>", document)[1]
    tags = set(re.findall("<([a-zA-Z][a-zA-Z0-9]*)", document))
    known = "html head meta title style body a header h1 p dl div dt dd b small nav ol li main "
    known += "section h2 h3 table thead tbody tr th td svg rect path g text figure figcaption span "
    known += "details summary caption fieldset legend input label code mark pre footer"
    assert tags <= set(known.split())
    assert "onclick" not in set(re.findall(r'<[^>"]*? (on\w+)=', document))
    shown = html.unescape(re.sub("<[^>]*>", "", document))
    # Highlighting cuts texts into pieces, but loses nothing of them.
    for text in HOSTILE[:9]:
        assert "".join(text.split()) in "".join(shown.split())


def test_the_policy_of_the_page_keeps_scripts_and_styles_of_others_out(hostile, browser, tmp_path):
    path = tmp_path / "report.html"
    smuggled = "<script>document.title='owned'</script><p style='color:red' id='me'>x</p></main>"
    path.write_text(hostile.html().replace("</main>", smuggled), "utf-8")
    assert "owned" not in re.search("<title>(.*?)</title>", browser(path))[1]
    # Without the policy it would have run.
    free = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", path.read_text("utf-8"))
    path.write_text(free, "utf-8")
    assert "owned" in re.search("<title>(.*?)</title>", browser(path))[1]


def test_every_section_is_there(hostile):
    expected = "metrics classes confusions calibration thresholds learning features importance "
    expected += "dependence mistakes labels duplicates origin"
    assert sections(hostile.html()) == expected.split()


def test_the_same_rows_give_the_same_page(hostile):
    assert hostile.html() == hostile.html()
    assert not re.search(r"\b0x[0-9a-f]{6,}|20[0-9]{2}-[0-9]{2}-[0-9]{2}", hostile.html())


@pytest.mark.parametrize("n_classes", [3, 16, 17, 52, 75, 300])
def test_many_classes_with_long_names_fit_and_those_left_out_are_counted(n_classes):
    rng = np.random.default_rng(0)
    names = [
        f"a class, number {k}, with a long name {'of many words ' * 8}" for k in range(n_classes)
    ]
    places = [*range(n_classes), *rng.integers(0, n_classes, 3 * n_classes + 200)]
    texts = [f"word{place} word{rng.integers(n_classes)} common" for place in places]
    page = of_rows(texts, [names[place] for place in places], tune=False).html()
    assert len(page) < 300_000
    if n_classes > 30:
        assert f"The 15 of {n_classes} classes with the lowest F1" in page
        assert f"and {n_classes - 30:,} classes with as many rows or fewer" in page
    if n_classes > 40:
        assert f"and {n_classes - 40:,} classes with as many rows or fewer" in page
    assert ("Confusion matrix" in page) == (n_classes <= 16)


def test_long_texts_are_cut():
    rng = np.random.default_rng(0)
    labels = ["a", "b"] * 30
    texts = [" ".join(rng.choice(["x", "yy", "zzz"], 20_000)) for _ in labels]
    assert len(of_rows(texts, labels, tune=False).html()) < 150_000


def test_texts_from_right_to_left_keep_their_direction():
    texts, labels = ["שלום עולם", "مرحبا بالعالم"] * 20, ["עברית", "العربية"] * 20
    labels[0] = "العربية"
    page = of_rows(texts, labels).html()
    assert '<code dir="auto">עברית</code>' in page
    assert re.search('<p class="words" dir="auto">.*שלום', page)


@pytest.mark.parametrize(
    "model",
    [
        likely.Classifier(likely.Bernoulli()),
        likely.Classifier(likely.Complement()),
        likely.Classifier(tune=False),
        likely.Classifier(likely.Multinomial(), prior="uniform", ledger=b"secret"),
        likely.Classifier(
            likely.Multinomial(), rules=likely.Rules([likely.Rule("r", "b", words=["x"])])
        ),
    ],
    ids=["bernoulli", "complement", "plain", "keyed", "rules"],
)
def test_models_of_every_kind_have_a_report(model):
    texts, labels = ["x y", "y z", "z w", "w v"] * 12, ["a", "b", "b", "a"] * 12
    model.fit(texts, labels)
    found = report(model, texts, labels)
    assert found.left_out
    assert "metrics" in sections(found.html())


@pytest.mark.parametrize("covariance", ["diagonal", "full", "shared"])
def test_a_table_of_numbers_has_a_report(covariance):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    labels = np.where(x[:, 0] + rng.normal(size=80) > 0, "p", "n").tolist()
    model = likely.Classifier(likely.Gaussian(covariance)).fit(x, labels)
    found = report(model, x, labels)
    assert found.left_out
    assert all(value for row in found.mistakes for piece, value in row.pieces if piece[:1] == "-")
    assert "x0" in found.html()


def test_a_compact_copy_has_a_report_on_a_test():
    texts, labels = ["x y", "y z", "z w", "w v"] * 12, ["a", "b", "b", "a"] * 12
    model = likely.Classifier().fit(texts, labels)
    found = report(model.compact(), texts, labels)
    assert not found.left_out
    assert found.calibration_plain is None
    assert found.evaluation.accuracy == np.mean(model.predict(texts) == labels)


def test_without_mistakes_and_without_duplicates_it_says_so():
    texts = [f"good fun {k}" for k in range(30)] + [f"dull film {k}" for k in range(30)]
    page = of_rows(texts, ["pos"] * 30 + ["neg"] * 30).html()
    assert "There are none." in page
    assert "There are no exact duplicates." in page
    assert "No label has a probability below 1" in page


def test_many_classes_that_are_all_right_are_neither_low_nor_confused():
    labels = [f"number {k}" for k in range(40)] * 5
    texts = [f"word{label[7:]} row{row}" for row, label in enumerate(labels)]
    found = of_rows(texts, labels)
    page = found.html()
    assert found.evaluation.accuracy == 1
    assert "Accuracy 100 % on 200 rows (98.1 % to 100 %); majority" in found.verdict
    assert "No class is taken for another." in page
    assert "with the lowest F1" not in page
    assert "The classes with the most rows" in page


def test_one_kind_of_evidence_is_named_and_not_compared():
    texts, labels = ["x y", "y z", "z w", "w v"] * 12, ["a", "b", "b", "a"] * 12
    model = likely.Classifier(likely.Multinomial()).fit(texts, labels)
    page = report(model, texts, labels).html()
    assert ">Columns</h2>" in page
    assert "how much worse the rest would do" not in page
    both = {"one": texts, "two": texts}
    page = report(likely.Classifier().fit(both, labels), both, labels).html()
    assert ">Column importance</h2>" in page
    assert '<th scope="col" class="left" dir="auto">column</th>' in page


def test_signs_that_cannot_be_seen_are_spelled():
    texts = ["\u2800 fine", "\u2800 good", "bad", "poor"] * 8
    assert r"&#39;\u2800&#39;" in of_rows(texts, ["a", "a", "b", "b"] * 8).html()


def test_few_rows_and_a_label_of_its_own_do_not_break_it():
    page = of_rows(["good fun", "dull", "so dull", ""], ["pos", "neg", "neg", "odd"]).html()
    assert "4 rows are few" in page


def test_labels_that_the_model_does_not_know_are_evaluated_all_the_same():
    texts, labels = ["x y", "y z", "z w", "w v"] * 12, ["a", "b", "b", "a"] * 12
    model = likely.Classifier().fit(texts, labels)
    found = report(model, ["x", "z", "q"], ["a", "b", "new"])
    assert found.evaluation.classes == ("a", "b", "new")
    assert found.n_label_issues == len(found.label_issues) == 0
    assert "predicted" in found.html()


def test_no_rows_are_refused():
    model = likely.Classifier().fit(["x", "y"], ["a", "b"])
    with pytest.raises(likely.errors.DataError, match="no rows to report on"):
        report(model, [], [])


def test_it_can_be_shown_in_a_notebook(hostile):
    shown = hostile._repr_html_()
    assert shown.startswith('<div class="likely"><style>')
    assert "<script" not in shown
    model = likely.Classifier().fit(["x y", "z"], [LABELS[0], "b"])
    for one in (model, likely.Classifier(), model.info, model.explain("x y <script>")):
        assert one._repr_html_().startswith('<div class="likely"><style>')
        assert "<script" not in one._repr_html_()
