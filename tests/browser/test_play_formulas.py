"""The functions of the page to play with, on arbitrary data: they equal the textbook's."""

import itertools
import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest

import likely
from likely import textbook
from tests.browser.shown import shown

WORDS = ["fun", "no", "not", "film,", "dull.", "plot", "didn't", "but", "Éclair", "good!", "!?"]
ALPHAS = ["0", "1", "0.05", "0.1", "1.95", "2", "0.333"]


@pytest.fixture
def chance():
    return random.Random(7)


def close(expected):
    return pytest.approx(expected, rel=1e-12, abs=1e-12)


# Fractions and their decimals


def a_fraction(chance):
    n, d = (chance.randint(1, 10 ** chance.randint(1, 40)) for _ in range(2))
    return Fraction(n, d) ** chance.choice([1, 1, 7]) * chance.choice([1, -1])


def test_fractions_are_rounded_to_the_nearest_float_and_decimal(compute, chance):
    fractions = [a_fraction(chance) for _ in range(300)]
    fractions += [Fraction(n, d) for n in range(8) for d in (1, 2, 3, 7, 1000, 8000)]
    fractions += [Fraction(99995, 10**k) for k in (0, 3, 5, 9)] + [Fraction(1, 3**700)]
    found = compute(
        """pairs => pairs.map(([n, d, digits]) => {
          const fraction = new Fraction(BigInt(n), BigInt(d));
          return [+fraction, decimal(fraction, digits), String(fraction), log(fraction)];
        })""",
        [[str(f.numerator), str(f.denominator), 3 + i % 3] for i, f in enumerate(fractions)],
    )
    for i, (f, (number, digits, text, log)) in enumerate(zip(fractions, found, strict=True)):
        assert float(number) == float(f)
        assert digits == ("−" if f < 0 else "") + shown(abs(f), 3 + i % 3)
        assert text == str(f)
        if f > 0:
            assert log == close(textbook.log(f))


def test_numbers_are_read_as_they_are_written(compute, chance):
    texts = [
        "0.1",
        "1e-3",
        "-2.50",
        ".5",
        "7.",
        "+3",
        "1E2",
        "0.05",
        "1e-20",
        "12345678901234567890",
    ]
    assert compute("texts => texts.map((text) => String(exact(text)))", texts) == [
        str(Fraction(text)) for text in texts
    ]
    numbers = [struct.unpack("d", chance.randbytes(8))[0] for _ in range(200)]
    numbers = [n for n in numbers if math.isfinite(n)]
    found = compute("numbers => numbers.map((n) => +exact(n))", numbers)
    assert list(map(float, found)) == numbers


# Texts


def features(text, negation=False, bigrams=False, binary=False):
    """What the page counts of a text."""
    tokens = [word.rstrip(".,;:!?") for word in textbook.words(text)]
    found = textbook.mark_negation(text) if negation else list(filter(None, tokens))
    found += textbook.ngrams(found, 2) if bigrams else []
    return textbook.words(found, binary=binary)


def a_text(chance, most=8):
    return " ".join(chance.choices(WORDS, k=chance.randint(0, most)))


def test_texts_are_read_as_in_the_textbook(compute, chance):
    texts = [
        *("a\u00a0b\u2003c", "\x1cd\x85e", "ΣΑΣ ΟΔΟΣ", "İstanbul", "not\ufeffgood", "x!!x ..."),
        *("👩‍👩‍👧 fun!", "לא טוב, but", "CANNOT. no; isn't it?", "don't: never but no fun", ""),
        *(a_text(chance, 20) for _ in range(200)),
    ]
    names = ("negation", "bigrams", "binary")
    ways = [{name: bool(n >> i & 1) for i, name in enumerate(names)} for n in range(8)]
    found = compute(
        "([texts, ways]) => texts.map((text) => ways.map((way) => features(text, way)))",
        [texts, ways],
    )
    assert found == [[features(text, **way) for way in ways] for text in texts]


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
    one.plain.product, one.plain.zeroAt,
  ])];
})"""


def priors(case, classes, data):
    if case["prior"] == "data":
        return {c: textbook.prior(c, data) for c in classes}
    weights = [1] * len(classes) if case["prior"] == "uniform" else map(Fraction, case["weights"])
    of = dict(zip(classes, weights, strict=False))
    return {c: Fraction(of[c]) / sum(of.values()) for c in classes}


def test_reviews_are_computed_as_in_the_textbook(compute, chance):
    cases = [a_review_case(chance) for _ in range(300)]
    for case, (best, found) in zip(cases, compute(MULTINOMIAL, cases), strict=True):
        data = [(features(text, **case["how"]), c) for text, c in case["rows"]]
        classes = list(dict.fromkeys(c for _, c in data))
        prior = priors(case, classes, data)
        document = features(case["sentence"], **case["how"])
        likelihood = {
            c: textbook.multinomial(document, c, data, alpha=case["alpha"]) for c in classes
        }
        joint = {c: prior[c] * likelihood[c] for c in classes}
        evidence = sum(joint.values())
        posterior = {c: p / evidence for c, p in joint.items()} if evidence else prior
        expected = [[c, *map(str, (prior[c], joint[c], posterior[c]))] for c in classes]
        assert [one[:4] for one in found] == expected
        assert [one[4] for one in found] == close([textbook.log(joint[c]) for c in classes])
        assert best == textbook.argmax(dict(sorted(posterior.items())))


def test_reviews_are_computed_as_by_the_kernel(compute, chance):
    words = ["red", "green", "blue", "fish", "fun"]
    cases = []
    for _ in range(40):
        case = {**a_review_case(chance), "how": {"binary": chance.random() < 0.5}, "prior": "data"}
        case["rows"] = [[" ".join(chance.choices(words, k=4)), c] for _, c in case["rows"]]
        case["sentence"] = " ".join(chance.choices([*words, "new"], k=5))
        cases.append(case)
    for case, (_, found) in zip(cases, compute(MULTINOMIAL, cases), strict=True):
        texts, labels = zip(*case["rows"], strict=True)
        view = likely.BinaryMultinomial if case["how"]["binary"] else likely.Multinomial
        model = likely.Classifier(view(alpha=float(case["alpha"]))).fit(texts, labels)
        posterior = {name: float(Fraction(p)) for name, _, _, p, *_ in found}
        (proba,) = model.predict_proba([case["sentence"]])
        assert [posterior[c] for c in model.classes] == close(proba.tolist())


def test_products_in_floating_point_become_0_where_they_do_in_python(compute):
    given = {"rows": textbook.REVIEWS, "how": {}, "alpha": "1", "prior": "data", "weights": []}
    lengths = [10, 150, *range(200, 225), 400]
    cases = [{**given, "sentence": " ".join(["fun"] * n)} for n in lengths]
    for n, (_, found) in zip(lengths, compute(MULTINOMIAL, cases), strict=True):
        for c, *_, product, zero_at in found:
            factor = float(textbook.language_model(c, textbook.REVIEWS)["fun"])
            value, first = float(textbook.prior(c, textbook.REVIEWS)), None
            for place in range(1, n + 1):
                value *= factor
                first = first or (place if value == 0 else None)
            assert (product, zero_at) == (value, first)


# Attributes

CATEGORICAL = """cases => cases.map(({ rows, x, m, shares }) => {
  const counts = countValues(rows);
  const share = shares ? (i, a) => exact(shares[i][a]) : undefined;
  const found = categorical(counts, x, { m: exact(m), share });
  const values = counts.n.map((each) => each.size);
  const parameters = tableParameters(values, counts.C.length);
  return [
    found.classes.map((one) => [one.name, String(one.joint), String(one.posterior)]),
    [parameters.full.all, parameters.naive.all],
  ];
})"""


def a_table_case(chance):
    rows = [[chance.choice("uvw"), chance.choice("xy"), chance.choice("yn")] for _ in range(8)]
    return {
        "rows": rows,
        "x": [chance.choice("uvwz"), chance.choice("xy")],
        "m": chance.choice(["0", "1", "0.5", "10", "3.3"]),
        "shares": None,
    }


def test_days_are_computed_as_in_the_textbook(compute, chance):
    cases = [a_table_case(chance) for _ in range(300)]
    for case, (found, parameters) in zip(cases, compute(CATEGORICAL, cases), strict=True):
        data = [(tuple(row[:-1]), row[-1]) for row in case["rows"]]
        x, m = tuple(case["x"]), case["m"]
        joint = textbook.joint(x, data, textbook.categorical, m=m)
        posterior = textbook.posterior(x, data, textbook.categorical, m=m)
        assert {c: (p, q) for c, p, q in found} == {
            c: (str(joint[c]), str(posterior[c])) for c in joint
        }
        q, n_classes = [len({x[i] for x, _ in data}) for i in range(2)], len(joint)
        counted = textbook.table_parameters(q, n_classes)
        assert parameters == [counted["full table"] + n_classes, counted["naive"] + n_classes]


def test_virtual_rows_may_have_their_own_values(compute, chance):
    shares = [{"u": "0.5", "v": "0.3", "w": "0.2"}, {"x": "0.9", "y": "0.1"}]
    cases = [{**a_table_case(chance), "shares": shares} for _ in range(100)]
    for case, (found, _) in zip(cases, compute(CATEGORICAL, cases), strict=True):
        data = [(tuple(row[:-1]), row[-1]) for row in case["rows"]]
        for c, joint, _ in found:
            own = textbook.rows(c, data)
            factors = [
                textbook.m_estimate(
                    [row[i] for row in own].count(a), len(own), case["m"], Fraction(shares[i][a])
                )
                for i, a in enumerate(case["x"])
                if a in {row[i] for row, _ in data}
            ]
            assert joint == str(textbook.prior(c, data) * math.prod(factors))


# Gaussians

GAUSSIANS = """cases => cases.map(({ points, x }) => {
  const classes = points.map(moments);
  const sigmas = covariances(classes);
  return [
    classes.map((one) => one.mean.map(String)),
    ["QDA", "Gaussian NB", "LDA"].map((model) => gaussianPosterior(x, classes, sigmas[model])),
    ["QDA", "Gaussian NB", "LDA"].map((model) => {
      if (sigmas[model].some((sigma) => !sigma)) return null;
      const [A, B, C, D, E, F] = logOdds(classes, sigmas[model], [10, 20]);
      const [u, v] = [x[0] - 10, x[1] - 20];
      return A * u * u + B * u * v + C * v * v + D * u + E * v + F;
    }),
  ];
})"""
MODELS = (textbook.log_qda, textbook.log_gaussian, textbook.log_lda)


def a_gaussian_case(chance):
    def point():
        return [chance.randint(0, 80) / 2, chance.randint(0, 80) / 2]

    return {"points": [[point() for _ in range(chance.randint(2, 7))] for _ in "ab"], "x": point()}


def test_gaussians_are_computed_as_in_the_textbook(compute, chance):
    cases = [a_gaussian_case(chance) for _ in range(200)]
    usable = 0
    for case, (means, posteriors, odds) in zip(cases, compute(GAUSSIANS, cases), strict=True):
        data = [(tuple(x), c) for c, own in zip("ab", case["points"], strict=True) for x in own]
        columns = [zip(*own, strict=True) for own in case["points"]]
        assert means == [[str(textbook.mean(column)) for column in both] for both in columns]
        for log_likelihood, found, difference in zip(MODELS, posteriors, odds, strict=True):
            try:
                scores = textbook.log_joint(case["x"], data, log_likelihood)
            except (ValueError, ZeroDivisionError):
                assert found is None
                continue
            if found is not None:
                usable += 1
                assert found == close(list(textbook.softmax(scores).values()))
                assert difference == pytest.approx(scores["a"] - scores["b"], rel=1e-9, abs=1e-9)
    assert usable > 300


def test_gaussians_are_computed_as_by_the_kernel(compute, chance):
    cases = [a_gaussian_case(chance) for _ in range(40)]
    for case in cases:
        for own in case["points"]:
            own += [[1, 3], [30, 11], [17, 38]]
    kinds = [likely.Gaussian("full"), likely.Gaussian(), likely.Gaussian("shared")]
    for case, (_, posteriors, _) in zip(cases, compute(GAUSSIANS, cases), strict=True):
        x = np.array([point for own in case["points"] for point in own], float)
        y = [c for c, own in zip("ab", case["points"], strict=True) for _ in own]
        for kind, found in zip(kinds, posteriors, strict=True):
            (proba,) = likely.Classifier(kind).fit(x, y).predict_proba([case["x"]])
            # The kernel adds a billionth of the largest variance to those of Gaussian NB.
            assert found == pytest.approx(proba.tolist(), rel=1e-6, abs=1e-9)


def test_parameters_are_counted_as_in_the_textbook(compute):
    pairs = [[columns, k] for columns in range(1, 9) for k in range(1, 6)]
    found = compute("pairs => pairs.map((pair) => gaussianParameters(...pair))", pairs)
    assert found == [textbook.gaussian_parameters(*pair) for pair in pairs]


# EM


def test_em_takes_the_steps_of_the_textbook(compute, chance):
    cases = []
    for _ in range(16):
        k = chance.choice([1, 2, 2, 3])
        xs = [round(chance.gauss(chance.choice([0, 4]), 1), 2) for _ in range(12)]
        means = [chance.uniform(-3, 7) for _ in range(k)]
        cases.append({"xs": xs, "means": means, "variance": chance.choice([0.3, 1, 2.5])})
    found = compute(
        """cases => cases.map(({ xs, means, variance }) => {
          const path = em(xs, means, variance);
          return [
            path, expectation(xs, means, variance),
            path.map((each) => logLikelihood(xs, each, variance)),
          ];
        })""",
        cases,
    )
    for case, (path, z, logs) in zip(cases, found, strict=True):
        xs, means, variance = case.values()
        expected = textbook.em(xs, means, variance)
        # Rounding may end it one step sooner or later.
        assert abs(len(path) - len(expected)) <= 1
        for mine, theirs in zip(path, expected, strict=False):
            assert mine == pytest.approx(theirs, rel=1e-11, abs=1e-11)
        for x, z_i in zip(xs, z, strict=True):
            assert z_i == close(list(textbook.responsibilities(x, means, variance).values()))
        for each, log in zip(path, logs, strict=True):
            densities = (
                [math.exp(textbook.log_normal(x, mu, variance)) for mu in each] for x in xs
            )
            assert log == close(math.fsum(math.log(math.fsum(p) / len(each)) for p in densities))
        assert all(after >= before - 1e-9 for before, after in itertools.pairwise(logs))


def test_em_does_not_underflow_far_from_all_means(compute):
    found = compute("() => expectation([1000, -1000], [0, 1], 0.1)")
    assert found == [[0, 1], [1, 0]]


# Evaluation


def test_measures_are_those_of_the_textbook_and_of_evaluate(compute, chance):
    matrices = [
        [[chance.choice([0, 0, 1, 5, 90]) for _ in range(k)] for _ in range(k)]
        for k in (2, 3, 4)
        for _ in range(40)
    ]
    matrices = [matrix for matrix in matrices if sum(map(sum, matrix))]
    betas = ["1", "0.5", "2", "0"]
    found = compute(
        """([matrices, betas]) => matrices.map((matrix) => {
          const all = tables(matrix);
          const fs = betas.map((b) => (t) => fMeasure(t, exact(b)));
          const measures = [precision, recall, accuracy, ...fs];
          return [
            all.map(({ tp, fp, fn, tn }) => [tp, fp, fn, tn]),
            measures.map((m) => [...all.map(m), macro(m, all), micro(m, all)].map(String)),
          ];
        })""",
        [matrices, betas],
    )
    measures = [textbook.precision, textbook.recall, textbook.accuracy]
    measures += [lambda t, b=b: textbook.f_measure(t, b) for b in betas]
    for matrix, (cells, values) in zip(matrices, found, strict=True):
        pairs = [
            (r, c) for r, row in enumerate(matrix) for c, n in enumerate(row) for _ in range(n)
        ]
        said, gold = zip(*pairs, strict=True)
        tables = [textbook.table(c, gold, said) for c in range(len(matrix))]
        assert cells == list(map(list, tables))
        for measure, each in zip(measures, values, strict=True):
            averages = textbook.macro(measure, tables), textbook.micro(measure, tables)
            assert each == [str(measure(t)) for t in tables] + list(map(str, averages))
        names = np.array([f"c{n}" for n in range(len(matrix))])
        if set(gold) | set(said) == set(range(len(matrix))):
            evaluated = likely.evaluate(
                names[list(gold)], names[list(said)], classes=names.tolist()
            )
            macro_f1 = float(Fraction(values[3][-2]))
            assert evaluated.macro_f1 == pytest.approx(macro_f1, abs=1e-12)


def test_correlations_are_exact_until_the_root(compute, chance):
    columns = []
    for _ in range(50):
        x = [chance.randint(-50, 50) / 4 for _ in range(12)]
        columns.append([x, [a * chance.choice([0, 0.5, 1]) + chance.random() for a in x]])
    found = compute(
        """columns => columns.map((both) => {
          const [x, y] = both.map((column) => column.map(exact));
          return correlation([scatter(x, x), scatter(x, y), scatter(y, y)]);
        })""",
        columns,
    )
    assert found == close([float(np.corrcoef(*both)[0, 1]) for both in columns])
    assert compute("() => correlation([ZERO, ZERO, ONE])") is None
