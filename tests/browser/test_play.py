"""The page to play with, as somebody uses it: what it shows is what the textbook computes."""

import math
import random
from fractions import Fraction

from likely import textbook
from likely.play import page as written
from tests import bundled
from tests.browser.shown import places, ratio, rounded, shown

SENTENCE = "predictable with no fun"
REVIEWS = [(text, {"-": "neg", "+": "pos"}[c]) for text, c in textbook.REVIEWS]
ATTRIBUTES = ("outlook", "temperature", "humidity", "wind")
DAY = ("sunny", "cool", "high", "strong")
DAYS = [(tuple(row[:-1]), row[-1]) for row in bundled.rows("tennis.csv")]
POINTS = [float(x) for (x,) in bundled.rows("two-gaussians.csv")]

# The texts of the cells of a table, row by row.
CELLS = "table => [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"


def cells(page, selector):
    return page.locator(selector).first.evaluate(CELLS)


def fields(page, **values):
    """Fill in fields by their id, with - for _."""
    for name, value in values.items():
        page.fill(f"#{name.replace('_', '-')}", value)


def test_the_committed_page_is_what_the_package_writes(root):
    """After a change on purpose, `likely play -o docs/play.html --force` writes it again."""
    assert (root / "docs" / "play.html").read_text("utf-8") == written()


def test_it_opens_by_double_click_with_the_first_lesson(opened, play):
    page = opened(play)
    assert page.title() == "Naive Bayes, by hand and live"
    assert page.locator("[role=tabpanel]:visible").get_attribute("id") == "panel-reviews"
    assert cells(page, "#reviews-counts table")[-2:] == [["n", "14", "9"], ["reviews", "3", "2"]]
    assert page.inner_text("#reviews-counted") == "|V| = 20 different words in all classes"


def test_the_address_names_the_lesson_and_a_reload_keeps_it(opened, play):
    page = opened(play, "#em")
    assert page.locator("[role=tab][aria-selected=true]").inner_text() == "EM"
    page.click("#tab-tennis")
    assert page.url.endswith("#tennis")
    page.reload()
    assert page.locator("[role=tabpanel]:visible").get_attribute("id") == "panel-tennis"
    page.go_back()
    assert page.locator("[role=tabpanel]:visible").get_attribute("id") == "panel-em"


# Reviews


def computation(prior, factors, joint, evidence, posterior, ignored=()):
    """The rows of a card: factors are a name, a top and a bottom; the ignored have no numbers."""

    def line(name, p, logarithm):
        fraction = str(p) if len(str(p)) <= 12 else "…"
        return [name, fraction, shown(p), places(logarithm, 3)]

    likelihood = math.prod((top / bottom for _, top, bottom in factors), start=Fraction(1))
    rows = [["", "fraction", "decimal", "log"], line("prior", prior, textbook.log(prior))]
    for name, top, bottom in factors:
        p = top / bottom
        rows.append([name, ratio(top, bottom), shown(p), places(textbook.log(p), 3)])
    for place, name in ignored:
        rows.insert(2 + place, [name, "unknown, ignored"])
    logs = [textbook.log(p) for p in (likelihood, joint, evidence)]
    # Where every class is impossible, the prior decides.
    last = textbook.log(prior) if not evidence else logs[1] - logs[2]
    products = ("likelihood", likelihood), ("prior · likelihood", joint), ("evidence", evidence)
    rows += [line(name, p, log) for (name, p), log in zip(products, logs, strict=True)]
    return [*rows, line("posterior", posterior, last)]


def test_sentences_are_computed_as_in_the_textbook(opened, play):
    page = opened(play)
    for seed in range(6):
        page.click("#reviews-reset")
        assert_sentence(page, random.Random(seed), is_binary=seed % 2 == 0)


def assert_sentence(page, chance, is_binary):
    alpha = chance.choice(["0", "0.5", "1", "2", "0.05"])
    prior = chance.choice(["data", "uniform", "own"])
    weights = {"neg": "0.02", "pos": "0.98"}
    known = [word for text, _ in REVIEWS for word in text.split()]
    document = chance.sample([*known, "with", "new"], 5)
    fields(page, reviews_alpha=alpha, reviews_sentence=" ".join([*document, document[0]]))
    page.check(f"[name=reviews-prior][value={prior}]")
    if prior == "own":
        for c, weight in weights.items():
            page.get_by_label(c, exact=True).fill(weight)
    if is_binary:
        page.check("#reviews-binary")
    read = document if is_binary else [*document, document[0]]
    data = [(textbook.words(text, binary=is_binary), c) for text, c in REVIEWS]
    own = {c: Fraction(w) for c, w in weights.items()}
    priors = {
        "data": {c: textbook.prior(c, data) for c in own},
        "uniform": dict.fromkeys(own, Fraction(1, 2)),
        "own": own,
    }[prior]
    joint = {
        c: p * textbook.multinomial(read, c, data, alpha=alpha, binary=is_binary)
        for c, p in priors.items()
    }
    evidence = sum(joint.values())
    vocabulary = len(set(known))
    for place, (c, p) in enumerate(priors.items()):
        count = [word for text, own_class in data if own_class == c for word in text]
        bottom = len(count) + Fraction(alpha) * vocabulary
        factors = [(w, count.count(w) + Fraction(alpha), bottom) for w in read if w in known]
        ignored = [(i, w) for i, w in enumerate(read) if w not in known]
        posterior = joint[c] / evidence if evidence else p
        expected = computation(p, factors, joint[c], evidence, posterior, ignored)
        assert cells(page, f"#reviews-steps article:nth-child({place + 1}) table") == expected
        bar = page.locator("#reviews-verdict li").nth(place).inner_text().split()
        assert bar == [c, shown(posterior)]
    assert ("Every class is impossible" in page.inner_text("#reviews-verdict")) == (not evidence)


def test_the_sentence_of_the_course(opened, play):
    page = opened(play)
    assert page.locator("#reviews-tokens s").all_inner_texts() == ["with"]
    assert "“with” is in no review, so ignored." in page.inner_text("#reviews-verdict")
    steps = page.inner_text("#reviews-steps")
    assert all(number in steps for number in ("3/49130", "4/121945", "0.6505", "0.3495"))
    page.check("#reviews-binary")
    assert "0.6262" in page.inner_text("#reviews-verdict")
    page.check("#reviews-negation")
    assert page.locator("#reviews-tokens bdi").all_inner_texts() == [
        *("predictable", "with", "no", "NOT_fun")
    ]
    page.check("#reviews-bigrams")
    assert "no NOT_fun" in page.locator("#reviews-tokens s").all_inner_texts()


def test_reviews_and_classes_come_and_go(opened, play):
    page = opened(play)
    page.fill("#reviews-class-name", "mixed")
    page.click("text=Add the class")
    page.get_by_label("Text of review 6").fill("fun, but predictable")
    page.get_by_label("Class of review 1").select_option("mixed")
    page.get_by_label("Remove review 5").click()
    data = [("just plain boring", "mixed"), *REVIEWS[1:4], ("fun but predictable", "mixed")]
    posterior = textbook.posterior(SENTENCE, data, textbook.multinomial)
    bars = [li.split() for li in page.locator("#reviews-verdict li").all_inner_texts()]
    assert dict(bars) == {c: shown(p) for c, p in posterior.items()}
    page.click("#reviews-reset")
    assert "3/49130" in page.inner_text("#reviews-steps")


def test_a_long_sentence_underflows_and_its_logarithms_go_on(opened, play):
    page = opened(play)
    for _ in range(3):
        page.click("#reviews-repeat")
    assert page.inner_text("#reviews-times") == "250 times"
    repeated = " ".join([SENTENCE] * 250)
    _, *rows = cells(page, "#reviews-plain table")
    for (name, product, logarithm), c in zip(rows, ("neg", "pos"), strict=True):
        model = textbook.language_model(c, REVIEWS)
        factors = [model[word] for word in textbook.words(repeated) if word in model]
        value, zero_at = float(textbook.prior(c, REVIEWS)), None
        for place, factor in enumerate(factors, 1):
            value *= float(factor)
            zero_at = zero_at or (place if value == 0 else None)
        assert (name, product) == (c, f"0, from factor {zero_at} on")
        expected = textbook.log(textbook.joint(repeated, REVIEWS, textbook.multinomial)[c])
        assert logarithm == places(expected, 3)
    posterior = textbook.posterior(repeated, REVIEWS, textbook.multinomial)
    shares = [li.split()[1] for li in page.locator("#reviews-verdict li").all_inner_texts()]
    assert shares == [shown(posterior["neg"]), shown(posterior["pos"])]
    page.check("#reviews-binary")
    expected = "250 times, but each word counts once (binary)"
    assert page.inner_text("#reviews-times") == expected
    assert "from factor" not in page.inner_text("#reviews-plain")


# Tennis


def test_days_are_computed_as_in_the_textbook(opened, play):
    page = opened(play, "#tennis")
    for m, posterior in {"0": "0.7954", "1": "0.7590"}.items():
        fields(page, tennis_m=m)
        assert_day(page, DAY, m)
        assert posterior in page.inner_text("#tennis-verdict")
    chance = random.Random(7)
    for m in ("0.5", "10", "2.25"):
        fields(page, tennis_m=m)
        day = tuple(chance.choice(DAYS)[0][i] for i in range(4))
        for name, value in zip(ATTRIBUTES, day, strict=True):
            page.locator("#tennis-day").get_by_label(name).select_option(value)
        assert_day(page, day, m)


def assert_day(page, day, m):
    joint = textbook.joint(day, DAYS, textbook.categorical, m=m)
    evidence = sum(joint.values())
    for place, c in enumerate(("no", "yes")):
        own = [x for x, label in DAYS if label == c]
        factors = []
        for i, value in enumerate(day):
            p = Fraction(1, len({x[i] for x, _ in DAYS}))
            n = [x[i] for x in own].count(value)
            factors.append((value, n + Fraction(m) * p, len(own) + Fraction(m)))
        prior, posterior = textbook.prior(c, DAYS), joint[c] / evidence
        expected = computation(prior, factors, joint[c], evidence, posterior)
        assert cells(page, f"#tennis-steps article:nth-child({place + 1}) table") == expected


def test_virtual_days_may_have_values_of_ones_own(opened, play):
    page = opened(play, "#tennis")
    fields(page, tennis_m="3")
    page.check("[name=tennis-p][value=own]")
    page.locator("#tennis-weights").get_by_label("overcast", exact=True).fill("2")
    head, *rows = cells(page, "#tennis-attributes .card:nth-child(1) table")
    assert head == ["outlook", "no", "yes", "p"]
    # (3 + 3 · 1/4) / (5 + 3), (0 + 3 · 2/4) / (5 + 3) and so on, by hand
    assert rows == [
        ["sunny", "3.75/8", "2.75/12", "1/4"],
        ["overcast", "1.5/8", "5.5/12", "1/2"],
        ["rain", "2.75/8", "3.75/12", "1/4"],
    ]


def test_days_can_be_changed_and_probabilities_counted(opened, play):
    page = opened(play, "#tennis")
    assert cells(page, "#tennis-parameters table") == [
        ["model", "probabilities", "in all", "of them free"],
        ["full table", "2·3·3·2·2 + 2", "74", "71"],
        ["naive", "2·(3 + 3 + 2 + 2) + 2", "22", "13"],
    ]
    page.get_by_label("wind of day 1", exact=True).fill("gale")
    page.get_by_label("Remove day 14").click()
    page.click("#tennis-add")
    page.keyboard.type("sunny")
    data = [((*DAYS[0][0][:3], "gale"), "no"), *DAYS[1:13]]
    posterior = textbook.posterior(DAY, data, textbook.categorical, m=0)
    bars = [li.split() for li in page.locator("#tennis-verdict li").all_inner_texts()]
    assert bars == [[c, shown(posterior[c])] for c in ("no", "yes")]
    assert cells(page, "#tennis-parameters table")[1][2] == "110"


# Gaussians

MODELS = {
    "QDA": textbook.log_qda,
    "Gaussian NB": textbook.log_gaussian,
    "LDA": textbook.log_lda,
}


def assert_posteriors(page, person, data):
    rows = []
    for model, log_likelihood in MODELS.items():
        p = textbook.softmax(textbook.log_joint(person, data, log_likelihood))
        rows.append([model, rounded(p["first"]), rounded(p["second"])])
    assert cells(page, "#gaussians-posterior table")[1:] == rows


def test_three_models_of_ten_people(opened, play):
    page = opened(play, "#gaussians")
    assert_posteriors(page, (168, 64), textbook.PEOPLE)
    counts = page.locator(".models .count").all_inner_texts()
    assert counts == ["10 parameters", "8 parameters", "7 parameters"]
    for name, variances in {
        "QDA": [["34.5", "34.7", "30.25"], ["55.7", "88", "64"]],
        "Gaussian NB": [
            ["27.6", "27.76", "0, by assumption"],
            ["44.56", "70.4", "0, by assumption"],
        ],
        "LDA": [["45.1", "61.35", "47.125"]] * 2,
    }.items():
        page.check(f"[name=gaussians-model][value='{name}']", force=True)
        _, first, second = cells(page, "#gaussians-numbers table")
        assert [first, second] == [
            ["first", "5", "166", "57.8", *variances[0]],
            ["second", "5", "178.2", "77", *variances[1]],
        ]


def test_points_move_by_keys_and_by_mouse_and_models_follow(opened, play):
    page = opened(play, "#gaussians")
    people = [[*x, c] for x, c in textbook.PEOPLE]
    page.get_by_label("first, point 1", exact=True).focus()
    for key in ("ArrowLeft", "ArrowUp", "Shift+ArrowUp"):
        page.keyboard.press(key)
    people[0] = [157.5, 56.5, "first"]
    assert_posteriors(page, (168, 64), [((h, w), c) for h, w, c in people])
    handle = page.get_by_label("second, point 10")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y + 40, steps=3)
    page.mouse.up()
    moved = handle.evaluate("(node) => node.ariaValueText.match(/[\\d.]+/g)")
    assert moved != ["188", "90"]
    people[9] = [*map(float, moved), "second"]
    fields(page, gaussians_x="171.5", gaussians_y="60")
    page.click("text=Add x to second")
    people.append([171.5, 60, "second"])
    fields(page, gaussians_x="180")
    assert_posteriors(page, (180, 60), [((h, w), c) for h, w, c in people])
    page.get_by_label("first, point 2", exact=True).focus()
    page.keyboard.press("Delete")
    del people[1]
    assert_posteriors(page, (180, 60), [((h, w), c) for h, w, c in people])
    assert page.evaluate("document.activeElement.ariaLabel") == "first, point 2"


def test_points_on_a_line_are_too_few_for_a_covariance(opened, play):
    page = opened(play, "#gaussians")
    for _ in range(3):
        page.get_by_label("first, point 1", exact=True).focus()
        page.keyboard.press("Delete")
    assert "QDA needs more points" in page.inner_text("#gaussians-problem")
    assert cells(page, "#gaussians-posterior table")[1] == ["QDA", "–", "–"]
    assert cells(page, "#gaussians-posterior table")[3] != ["LDA", "–", "–"]


# EM


def assert_means(page, expected):
    assert cells(page, "#em-path table")[1][1:3] == [places(mu) for mu in expected]


def test_em_goes_step_by_step_forward_and_back(opened, play):
    page = opened(play, "#em")
    path = textbook.em(POINTS, [1, 2], 1)
    assert_means(page, [1, 2])
    for step in (1, 2, 3):
        page.click("#em-next")
        z = [textbook.responsibilities(x, path[step - 1], 1) for x in POINTS]
        rows = [
            [places(x, 2), places(z_i[0]), places(z_i[1])] for x, z_i in zip(POINTS, z, strict=True)
        ]
        assert cells(page, "#em-table table")[1:] == rows
        assert page.inner_text("#em-state").startswith(f"Step {step}, E")
        page.click("#em-next")
        assert_means(page, path[step])
    page.click("#em-back")
    assert_means(page, path[2])
    page.click("#em-run")
    assert_means(page, path[-1])
    shown_steps = cells(page, "#em-path table")[1:]
    logs = [
        math.fsum(
            math.log(math.fsum(math.exp(textbook.log_normal(x, mu, 1)) for mu in means) / 2)
            for x in POINTS
        )
        for means in path
    ]
    steps = len(shown_steps)
    assert abs(steps - len(path)) <= 1
    expected = [[str(t), *map(places, [*path[t], logs[t]])] for t in range(min(steps, len(path)))]
    assert shown_steps[::-1][: len(expected)] == expected


def test_em_starts_where_the_means_are_put(opened, play):
    page = opened(play, "#em")
    fields(page, em_points="-1 0 1; 3, 4 5", em_variance="2.5")
    page.get_by_label("Mean of the 1st Gaussian").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowLeft")
    page.click("#em-run")
    assert_means(page, textbook.em([-1, 0, 1, 3, 4, 5], [0.1, 2], 2.5)[-1])
    fields(page, em_points="1, two")
    assert "“two” is not a number" in page.inner_text("#em-problem")


# Confusion


def test_measures_of_a_matrix(opened, play):
    page = opened(play, "#confusion")
    names, matrix = ["urgent", "normal", "spam"], [[8, 10, 1], [5, 60, 50], [3, 30, 200]]
    assert_measures(page, names, matrix, 1)
    page.get_by_label("said 2, gold 3").fill("7")
    matrix[1][2] = 7
    fields(page, confusion_beta="0.5")
    assert_measures(page, names, matrix, "0.5")
    page.click("#confusion-add")
    page.keyboard.type("rest")
    for row in matrix:
        row.append(0)
    matrix.append([0, 0, 4, 9])
    page.get_by_label("said 4, gold 3").fill("4")
    page.get_by_label("said 4, gold 4").fill("9")
    page.get_by_label("Remove class 1").click()
    matrix = [row[1:] for row in matrix[1:]]
    assert_measures(page, ["normal", "spam", "rest"], matrix, "0.5")
    page.get_by_label("said 1, gold 1").fill("1.5")
    assert "whole numbers" in page.inner_text("#confusion-problem")


def assert_measures(page, names, matrix, beta):
    said, gold = zip(
        *[(r, c) for r, row in enumerate(matrix) for c, n in enumerate(row) for _ in range(n)],
        strict=True,
    )
    tables = [textbook.table(c, gold, said) for c in range(len(names))]

    def f(t):
        return textbook.f_measure(t, beta)

    rows = []
    for name, t in [*zip(names, tables, strict=True), ("micro", textbook.pooled(tables))]:
        p = f"{t.tp}/{t.tp + t.fp}\n{shown(textbook.precision(t))}"
        r = f"{t.tp}/{t.tp + t.fn}\n{shown(textbook.recall(t))}"
        rows.append([name, p, r, f"{f(t)}\n{shown(f(t))}"])
    macro = [textbook.macro(m, tables) for m in (textbook.precision, textbook.recall, f)]
    rows.insert(-1, ["macro", *(f"{m}\n{shown(m)}" for m in macro)])
    assert cells(page, "#confusion-measures table")[1:] == rows
    for place, t in enumerate([*tables, textbook.pooled(tables)]):
        found = cells(page, f"#confusion-tables .card:nth-child({place + 1}) table")[1:]
        assert found == [
            ["said yes", f"tp {t.tp}", f"fp {t.fp}"],
            ["said no", f"fn {t.fn}", f"tn {t.tn}"],
        ]


def test_a_threshold_trades_precision_for_recall(opened, play):
    page = opened(play, "#confusion")
    page.get_by_label("gold: urgent, of “please call me back today”").check()
    scored = [
        (float(score), page.locator("#confusion-scored input").nth(i).is_checked())
        for i, (score, *_) in enumerate(cells(page, ".scored")[1:])
    ]
    for threshold in ("0", "0.04", "0.5", "0.61", "0.62", "1"):
        fields(page, confusion_threshold=threshold)
        t = textbook.table(True, [g for _, g in scored], [s >= float(threshold) for s, _ in scored])
        assert cells(page, "#confusion-at table")[1:] == [
            ["said yes", f"tp {t.tp}", f"fp {t.fp}"],
            ["said no", f"fn {t.fn}", f"tn {t.tn}"],
        ]
        p, r = shown(textbook.precision(t)), shown(textbook.recall(t))
        said = f"precision {p} · recall {r} · F₁ {shown(textbook.f_measure(t))}"
        assert page.inner_text("#confusion-said") == said


# Independence


def test_correlations_over_all_and_within_ages(opened, play):
    page = opened(play, "#independence")
    children = [tuple(map(Fraction, row)) for row in bundled.rows("children.csv")]

    def squares(group):
        _, h, v = zip(*group, strict=True)
        return [textbook.scatter(h, h), textbook.scatter(h, v), textbook.scatter(v, v)]

    def r(xx, xy, yy):
        return places(xy / math.sqrt(xx * yy), 3)

    ages = sorted({age for age, *_ in children})
    of = {age: squares([child for child in children if child[0] == age]) for age in ages}
    within = r(*map(sum, zip(*of.values(), strict=True)))
    tiles = page.locator("#independence-tiles b").all_inner_texts
    assert tiles() == [r(*squares(children)), within]
    rows = [[str(age), "8", r(*of[age])] for age in ages]
    assert cells(page, "#independence-table table")[1:] == rows
    page.check("[name=independence-age][value='7']", force=True)
    assert tiles() == [r(*squares(children)), within, r(*of[7])]
    assert page.locator("#independence-plot .dot:not(.faint)").count() == 8
