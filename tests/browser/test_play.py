"""The page to play with: its numbers are those of the textbook, to the last digit shown."""

import json
import random
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import pytest

import likely
from likely import textbook
from likely.play import page as written

TABS = ["reviews", "tennis", "gaussians", "em", "confusion", "independence"]
WORDS = ["fun", "no", "not", "film,", "dull.", "plot", "didn't", "but", "Éclair", "good!", "!?"]
ALPHAS = ["0", "1", "0.05", "0.1", "1.95", "2", "0.333"]
STOPS = ".,;:!?"


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    """The page as `likely play -o` writes it."""
    path = tmp_path_factory.mktemp("play") / "play.html"
    path.write_text(written(), "utf-8")
    return path


@pytest.fixture
def chance():
    return random.Random(7)


def test_the_committed_page_is_what_the_package_writes(root):
    """`likely play -o docs/play.html --force` writes it again."""
    assert (root / "docs" / "play.html").read_text("utf-8") == written()


# Computed in bulk, by the functions of the page


def close(expected):
    return pytest.approx(expected, rel=1e-12, abs=1e-12)


def features(text, negation=False, bigrams=False, binary=False):
    """What the page counts of a text."""
    tokens = [word.rstrip(STOPS) for word in textbook.words(text)]
    found = textbook.mark_negation(text) if negation else list(filter(None, tokens))
    found += textbook.ngrams(found, 2) if bigrams else []
    return textbook.words(found, binary=binary)


def a_text(chance, most=8):
    return " ".join(chance.choices(WORDS, k=chance.randint(0, most)))


def a_review_case(chance):
    rows = [[a_text(chance), c] for c in "ab"]
    rows += [[a_text(chance), chance.choice("abc")] for _ in range(chance.randint(0, 6))]
    return {
        "rows": chance.sample(rows, len(rows)),
        "sentence": a_text(chance, 12),
        "how": {one: chance.random() < 0.4 for one in ("negation", "bigrams", "binary")},
        "alpha": chance.choice(ALPHAS),
        "prior": chance.choice(["data", "data", "uniform", "own"]),
        "weights": [chance.choice(["1", "0", "0.02"]), chance.choice(["1", "0.98"]), "0"],
    }


MULTINOMIAL = """cases => cases.map(({ rows, sentence, how, alpha, prior, weights }) => {
  const counts = countWords(rows.map(([text, c]) => [features(text, how), c]));
  const given = { alpha: exact(alpha), prior, weights: weights.map(exact) };
  const found = multinomial(counts, features(sentence, how), given);
  return [found.best, found.classes.map((one) => [
    one.name, String(one.prior), String(one.joint), String(one.posterior), one.logJoint,
  ])];
})"""


def prior_of(case, C, D):
    if case["prior"] == "data":
        return {c: textbook.prior(c, D) for c in C}
    weights = [1] * len(C) if case["prior"] == "uniform" else map(Fraction, case["weights"])
    weights = dict(zip(C, weights, strict=False))
    return {c: Fraction(weights[c]) / sum(weights.values()) for c in C}


def test_reviews_are_computed_as_in_the_textbook(opened, file, chance):
    cases = [a_review_case(chance) for _ in range(300)]
    for case, (best, found) in zip(
        cases, opened(file).evaluate(MULTINOMIAL, cases), strict=True
    ):
        D = [(features(text, **case["how"]), c) for text, c in case["rows"]]
        C = list(dict.fromkeys(c for _, c in D))
        prior = prior_of(case, C, D)
        document, alpha = features(case["sentence"], **case["how"]), Fraction(case["alpha"])
        joint = {
            c: prior[c] * textbook.multinomial(document, c, D, alpha=case["alpha"]) for c in C
        }
        evidence = sum(joint.values())
        posterior = {c: p / evidence for c, p in joint.items()} if evidence else prior
        expected = [[c, *map(str, (prior[c], joint[c], posterior[c]))] for c in C]
        assert [one[:4] for one in found] == expected, (case, alpha)
        assert best == textbook.argmax(dict(sorted(posterior.items())))
        for name, *_, log in found:
            expected_log = textbook.log(joint[name])
            assert log == close(expected_log)


def test_reviews_are_computed_as_by_the_kernel(opened, file, chance):
    words = ["red", "green", "blue", "fish", "fun"]
    likelihoods = {False: likely.Multinomial, True: likely.BinaryMultinomial}
    cases = []
    for _ in range(40):
        case = a_review_case(chance)
        case["rows"] = [[" ".join(chance.choices(words, k=4)), c] for _, c in case["rows"]]
        case["sentence"] = " ".join(chance.choices([*words, "new"], k=5))
        case["how"] = {"binary": chance.random() < 0.5}
        case["prior"] = "data"
        cases.append(case)
    for case, (_, found) in zip(cases, opened(file).evaluate(MULTINOMIAL, cases), strict=True):
        texts, labels = zip(*case["rows"], strict=True)
        likelihood = likelihoods[case["how"]["binary"]](alpha=float(case["alpha"]))
        model = likely.Classifier(likelihood).fit(texts, labels)
        (proba,) = model.predict_proba([case["sentence"]])
        posterior = {name: float(Fraction(p)) for name, *_, p, _ in found}
        assert [posterior[c] for c in model.classes] == close(proba.tolist())


def test_floating_point_falls_to_zero_where_it_does_in_python(opened, file):
    case = {"rows": textbook.REVIEWS, "how": {}, "alpha": "1", "prior": "data", "weights": []}
    script = MULTINOMIAL.replace("one.logJoint", "one.plain.product, one.plain.zeroAt")
    lengths = [10, 150, 209, 210, 211, 220, 400]
    cases = [{**case, "sentence": " ".join(["fun"] * n)} for n in lengths]
    for n, (_, found) in zip(lengths, opened(file).evaluate(script, cases), strict=True):
        for name, *_, product, zero_at in found:
            factor = float(textbook.language_model(name, textbook.REVIEWS)["fun"])
            expected, first = float(textbook.prior(name, textbook.REVIEWS)), None
            for place in range(1, n + 1):
                expected *= factor
                first = place if first is None and expected == 0 else first
            assert (product, zero_at) == (expected, first)


def test_texts_are_read_as_in_the_textbook(opened, file, chance):
    odd = ["a\u00a0b\u2003c", "\x1cd\x85e", "ΣΑΣ ΟΔΟΣ", "İstanbul", "not\ufeffgood", "x!!x ...",
           "👩‍👩‍👧 fun!", "לא טוב, but", "CANNOT. no; isn't it?", "don't: never but no fun"]
    texts = odd + [a_text(chance, 20) for _ in range(200)]
    ways = [{"negation": n, "bigrams": b, "binary": o} for n in (0, 1) for b in (0, 1) for o in (0, 1)]
    found = opened(file).evaluate(
        "([texts, ways]) => texts.map((text) => ways.map((way) => features(text, way)))",
        [texts, ways],
    )
    assert found == [[features(text, **way) for way in ways] for text in texts]
