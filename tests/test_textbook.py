"""The textbook and the kernel compute the same, on arbitrary small data."""

import itertools
import json
import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import likely
from likely import textbook
from tests import bundled

LABELS = st.sampled_from("abc")
WORDS = st.lists(st.sampled_from(["red", "green", "blue", "fish", "fun"]), max_size=6)
DOCUMENTS = WORDS.map(" ".join)
AMOUNTS = st.sampled_from([0, 0.1, 1, 2.5])
NUMBERS = st.integers(-40, 40).map(lambda n: n / 8)
COLUMNS = ("u", "v")


def data(x, min_size=2, max_size=9):
    """Rows with their classes, of which there are at least two."""
    rows = st.lists(st.tuples(x, LABELS), min_size=min_size, max_size=max_size)
    return rows.filter(lambda drawn: len(textbook.classes(drawn)) > 1)


def fitted(likelihood, D):
    x, y = zip(*D, strict=True)
    return likely.Classifier(likelihood).fit(as_table(x), y)


def as_table(x):
    """Texts as they are, other rows by column."""
    if isinstance(x[0], str):
        return list(x)
    return {name: list(cells) for name, cells in zip(COLUMNS, zip(*x, strict=True), strict=True)}


def close(expected):
    return pytest.approx(expected, rel=1e-9, abs=1e-9)


def assert_equal_in_fractions(model, x, D, likelihood, **options):
    """The joint as the model computes it by hand; joint, evidence and posterior as it predicts."""
    joint = textbook.joint(x, D, likelihood, **options)
    assert model.classes == tuple(joint)
    by_hand = model.by_hand(x if isinstance(x, str) else dict(zip(COLUMNS, x, strict=True)))
    assert [by_hand.product(place) for place in range(len(joint))] == list(joint.values())
    logs = [textbook.log(p) for p in joint.values()]
    assert model.log_joint(as_table([x]))[0] == close(logs)
    evidence = textbook.log(textbook.evidence(x, D, likelihood, **options))
    assert model.log_evidence(as_table([x]))[0] == close(evidence)
    posterior = textbook.posterior(x, D, likelihood, **options)
    assert sum(posterior.values()) == 1
    assert model.predict_proba(as_table([x]))[0] == close(list(map(float, posterior.values())))
    # Fractions tie where rounding may not.
    best = posterior[model.predict(as_table([x])).item()]
    assert float(best) == close(float(max(posterior.values())))


# Texts

TEXT_MODELS = pytest.mark.parametrize(
    ("model", "binary"),
    [(likely.Multinomial, False), (likely.BinaryMultinomial, True)],
    ids=["multinomial", "binary"],
)


@TEXT_MODELS
@given(D=data(DOCUMENTS), d=DOCUMENTS, alpha=AMOUNTS)
def test_texts_have_the_same_probabilities(model, binary, D, d, alpha):
    options = {"alpha": alpha, "binary": binary}
    new = f"unknown {d}"
    assert_equal_in_fractions(fitted(model(alpha), D), new, D, textbook.multinomial, **options)


@TEXT_MODELS
@given(D=data(DOCUMENTS), d=DOCUMENTS, alpha=AMOUNTS)
def test_the_pseudocode_finds_the_best_class_of_the_model(model, binary, D, d, alpha):
    logprior, loglikelihood, V = textbook.train_naive_bayes(D, alpha=alpha, binary=binary)
    kernel = fitted(model(alpha), D)
    assert tuple(logprior) == kernel.classes
    joint = dict(zip(kernel.classes, kernel.log_joint([d])[0].tolist(), strict=True))
    for c, total in joint.items():
        known = [w for w in textbook.words(d, binary=binary) if w in V]
        assert math.fsum([logprior[c], *(loglikelihood[w, c] for w in known)]) == close(total)
    found = textbook.test_naive_bayes(d, logprior, loglikelihood, list(joint), V, binary=binary)
    best = kernel.predict([d]).item()
    assert joint[found] == close(joint[best])
    if kernel.impossible([d]).item():
        assert logprior[found] == logprior[best] == max(logprior.values())


@given(D=data(DOCUMENTS), alpha=st.sampled_from([0.5, 1]))
def test_the_logarithms_are_those_of_the_fractions(D, alpha):
    logprior, loglikelihood, V = textbook.train_naive_bayes(D, alpha=alpha)
    for c in textbook.classes(D):
        P = textbook.language_model(c, D, alpha=alpha)
        assert logprior[c] == close(float(textbook.log(textbook.prior(c, D))))
        assert {w: loglikelihood[w, c] for w in V} == close(
            {w: textbook.log(p) for w, p in P.items()}
        )
        assert sum(P.values()) == (1 if V else 0)


def test_classes_may_be_given():
    logprior, loglikelihood, V = textbook.train_naive_bayes(textbook.REVIEWS, ["?", "-", "+"])
    assert list(logprior) == ["?", "-", "+"]
    assert logprior["?"] == -math.inf
    assert loglikelihood["fun", "?"] == close(-math.log(20))
    assert textbook.test_naive_bayes("fun", logprior, loglikelihood, logprior, V) == "+"


@given(D=data(DOCUMENTS.filter(bool)), d=DOCUMENTS, alpha=AMOUNTS)
def test_each_class_is_the_same_language_model(D, d, alpha):
    model = fitted(likely.Multinomial(alpha), D)
    for c in model.classes:
        P = textbook.language_model(c, D, alpha=alpha)
        log_prob = textbook.log(textbook.sentence_probability(d, P))
        assert model.language_model(c).log_prob(d) == close(log_prob)


@given(D=data(DOCUMENTS), d=DOCUMENTS, alpha=AMOUNTS)
def test_words_and_bigrams_are_one_multinomial(D, d, alpha):
    def features(text):
        return textbook.words(text) + textbook.ngrams(text, 2)

    model = fitted(likely.Multinomial(alpha, text=likely.Text(word_ngrams=(1, 2))), D)
    joint = textbook.joint(
        features(d), [(features(x), c) for x, c in D], textbook.multinomial, alpha=alpha
    )
    assert model.log_joint([d])[0] == close([textbook.log(p) for p in joint.values()])


@given(d=WORDS)
def test_the_coefficient_counts_the_orders_of_a_bag(d):
    assert textbook.multinomial_coefficient(d) == len(set(itertools.permutations(d)))


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_the_probabilities_of_all_bags_of_a_size_sum_to_one(n):
    D = [("red red fish", "a"), ("blue", "b")]
    bags = list(itertools.combinations_with_replacement(["red", "fish", "blue"], n))
    assert sum(textbook.bag_of_words(bag, "a", D) for bag in bags) == 1
    sentences = itertools.product(["red", "fish", "blue"], repeat=n)
    assert sum(textbook.multinomial(s, "a", D) for s in sentences) == 1


@given(D=data(DOCUMENTS), d=DOCUMENTS, alpha=AMOUNTS)
def test_the_posterior_of_the_bag_is_that_of_the_sentence(D, d, alpha):
    bag, sentence = (
        textbook.posterior(d, D, likelihood, alpha=alpha)
        for likelihood in (textbook.bag_of_words, textbook.multinomial)
    )
    assert bag == sentence


@pytest.mark.parametrize("scope", ["clause", "word"])
@given(
    tokens=st.lists(
        st.tuples(
            st.sampled_from(["did", "not", "didn't", "like", "this", "never", "but", "no"]),
            st.sampled_from(["", "", "", ",", ".", " !"]),
        ),
        max_size=9,
    )
)
def test_negation_is_marked_alike(scope, tokens):
    negators = ["not", "no", "never", "cannot", "*n't"]
    negation = likely.Negation(negators=negators, ends=["but"], scope=scope)
    text = " ".join(word + after for word, after in tokens)
    expected = likely.Text(negation=negation).features(text)
    assert textbook.mark_negation(text, only_next=scope == "word") == expected


# Attributes

VALUES = st.tuples(st.sampled_from(["calm", "fresh", "gale"]), st.sampled_from(["fog", "clear"]))


@given(D=data(VALUES), x=VALUES, m=AMOUNTS)
def test_attributes_have_the_same_probabilities(D, x, m):
    model = fitted(likely.Categorical(m), D)
    assert_equal_in_fractions(model, x, D, textbook.categorical, m=m)
    assert_equal_in_fractions(model, ("never seen", x[1]), D, textbook.categorical, m=m)


@given(D=data(VALUES), place=st.integers(0, 8))
def test_the_full_table_counts_the_same_cells(D, place):
    x, _ = D[place % len(D)]
    joint = textbook.joint(x, D, textbook.full_table)
    log_joint = fitted(likely.JointTable(0), D).log_joint(as_table([x]))[0]
    assert log_joint == close([textbook.log(p) for p in joint.values()])


@given(D=data(DOCUMENTS.filter(bool)), alpha=AMOUNTS)
def test_the_rule_of_laplace_is_an_m_estimate(D, alpha):
    V = {w for d, _ in D for w in d.split()}
    for c in textbook.classes(D):
        text = " ".join(textbook.rows(c, D)).split()
        for w, p in textbook.language_model(c, D, alpha=alpha).items():
            m = textbook.exact(alpha) * len(V)
            assert p == textbook.m_estimate(text.count(w), len(text), m, Fraction(1, len(V)))


def test_the_days_of_play_tennis():
    D = [(tuple(row[:-1]), row[-1]) for row in bundled.rows("tennis.csv")]
    new = ("sunny", "cool", "high", "strong")
    joint = textbook.joint(new, D, textbook.categorical, m=0)
    assert joint == {"no": Fraction(18, 875), "yes": Fraction(1, 189)}
    for m, expected in ((0, 0.795), (1, 0.759)):
        posterior = textbook.posterior(new, D, textbook.categorical, m=m)
        assert round(float(posterior["no"]), 3) == expected
    q = [len(set(column)) for column in zip(*(x for x, _ in D), strict=True)]
    assert textbook.table_parameters(q, 2) == {"full table": 36 * 2, "naive": 20}
    assert textbook.posterior(new, D, textbook.full_table) == {
        c: textbook.prior(c, D) for c in ("no", "yes")
    }


def test_attributes_of_equal_size_have_k_q_to_the_n_cells():
    for K, n, q in itertools.product([2, 3], [1, 2, 5], [2, 4]):
        cells = {"full table": K * q**n, "naive": K * n * q}
        assert textbook.table_parameters([q] * n, K) == cells


# Numbers

POINTS = st.tuples(NUMBERS, NUMBERS)
GAUSSIANS = {
    "diagonal": (likely.Gaussian("diagonal", floor=0), textbook.log_gaussian),
    "shared": (likely.Gaussian("shared", shrinkage=0), textbook.log_lda),
    "full": (likely.Gaussian("full", shrinkage=0), textbook.log_qda),
}


def is_regular(covariance, D):
    """Whether what is divided by is far enough from 0 for nine digits."""
    scatters = [textbook.scatter_of_class(c, D) for c in textbook.classes(D)]
    if covariance == "shared":
        scatters = [list(map(sum, zip(*scatters, strict=True)))]
    if covariance == "diagonal":
        return all(a > 0 and d > 0 for a, _, d in scatters)
    return all(a * d - b * b > a * d / 1000 for a, b, d in scatters)


@pytest.mark.parametrize("covariance", GAUSSIANS)
@settings(max_examples=60)
@given(D=data(POINTS, min_size=6, max_size=14), x=POINTS)
def test_points_have_the_same_densities(covariance, D, x):
    likelihood, log_likelihood = GAUSSIANS[covariance]
    assume(is_regular(covariance, D))
    model = fitted(likelihood, D)
    log_joint = textbook.log_joint(x, D, log_likelihood)
    assert model.log_joint(as_table([x]))[0] == close(list(log_joint.values()))
    posterior = list(textbook.softmax(log_joint).values())
    assert model.predict_proba(as_table([x]))[0] == close(posterior)


@pytest.mark.parametrize("covariance", GAUSSIANS)
def test_numbers_that_lie_far_from_zero_are_no_harder(covariance):
    D = [((1e8 + h / 1024, w / 1024), c) for (h, w), c in textbook.PEOPLE]
    x, (likelihood, log_likelihood) = (1e8 + 168 / 1024, 64 / 1024), GAUSSIANS[covariance]
    log_joint = textbook.log_joint(x, D, log_likelihood)
    assert fitted(likelihood, D).log_joint(as_table([x]))[0] == close(list(log_joint.values()))


@pytest.mark.parametrize(("D", "K"), [(1, 2), (2, 2), (3, 2), (2, 4), (5, 3)])
def test_the_parameters_are_those_that_the_models_count(D, K):
    x = np.random.default_rng(0).normal(size=(20 * K, D))
    y = np.arange(20 * K) % K
    named = {"QDA": "full", "Gaussian NB": "diagonal", "LDA": "shared"}
    for name, n in textbook.gaussian_parameters(D, K).items():
        model = likely.Classifier(likely.Gaussian(named[name])).fit(x, y)
        assert model.parameters.likelihood == n


# EM


@settings(max_examples=40)
@given(
    xs=st.lists(NUMBERS, min_size=4, max_size=10, unique=True),
    deviation=st.sampled_from([0.5, 1.0, 2.0]),
    k=st.sampled_from([2, 3]),
    seed=st.integers(0, 9),
)
def test_each_step_of_em_is_the_mixtures(xs, deviation, k, seed):
    start = np.random.default_rng(seed).dirichlet([0.5] * k, len(xs))
    known = likely.Gaussian(deviation=deviation)
    mixture = likely.Mixture(known, k, prior="uniform", tolerance=0, iterations=5, trace=True).fit(
        np.array(xs)[:, None], start=start
    )
    path = [step.means["x0"].tolist() for step in mixture.trace.steps]
    assert len(path) > 1
    for before, after in itertools.pairwise(path):
        z = [textbook.responsibilities(x, before, deviation**2) for x in xs]
        assume(all(sum(z_i[j] for z_i in z) > 0.01 for j in range(k)))
        # The kernel's responsibilities are whole multiples of 2⁻³².
        for j, mu in enumerate(textbook.em_step(xs, before, deviation**2)):
            n = sum(z_i[j] for z_i in z)
            assert after[j] == pytest.approx(mu, rel=1e-9, abs=1e-9 + 20 * len(xs) * 2**-32 / n)


@pytest.mark.parametrize("means", [[1, 2], [0, 10], [5, -1], [-1, 0, 4]])
def test_em_takes_the_path_of_the_mixture_from_the_same_means(means):
    xs = [float(x) for (x,) in bundled.rows("two-gaussians.csv")]
    known = likely.Gaussian(deviation=1.0)
    mixture = likely.Mixture(known, len(means), prior="uniform", tolerance=1e-12, trace=True)
    trace = mixture.fit(np.array(xs)[:, None], start_means=means).trace
    expected = textbook.em(xs, means, 1.0)
    assert len(trace.steps) > 8
    for step, theirs in zip(trace.steps, expected, strict=False):
        np.testing.assert_allclose(step.means["x0"], theirs, rtol=0, atol=1e-9)
        z = [textbook.responsibilities(x, theirs, 1.0) for x in xs]
        found = [[z_i[j] for j in range(len(means))] for z_i in z]
        np.testing.assert_allclose(step.responsibilities, found, rtol=0, atol=1e-9)
        odds = [[textbook.log_normal(x, mu, 1.0) for mu in theirs] for x in xs]
        objective = math.fsum(np.log(np.exp(each).mean()) for each in odds)
        assert step.objective == pytest.approx(objective, rel=1e-9)


def test_em_ends_where_the_mixture_does():
    xs = np.random.default_rng(11).normal([[0.0], [4.0]], 1.0, (2, 50)).ravel()
    path = textbook.em(xs.tolist(), [0.5, 1.0], 1.0)
    assert path[0] == [0.5, 1.0]
    assert path[-1] == pytest.approx([0, 4], abs=0.5)
    assert textbook.em_step(xs.tolist(), path[-1], 1.0) == pytest.approx(path[-1], abs=1e-8)
    known = likely.Gaussian(deviation=1.0)
    mixture = likely.Mixture(known, 2, prior="uniform", tolerance=1e-12).fit(xs[:, None])
    (found,) = mixture.model.estimates.values()
    assert sorted(found.means[:, 0]) == pytest.approx(path[-1], abs=1e-5)


def test_a_gaussian_that_no_point_came_from_stays():
    assert textbook.em_step([0.0, 1.0], [0.5, 1e6], 1.0) == [0.5, 1e6]


# Evaluation


@settings(max_examples=60)
@given(
    pairs=st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=12),
    beta=st.sampled_from([0.5, 1, 2, 0.1]),
)
def test_the_measures_are_those_of_evaluate(pairs, beta):
    gold, output = zip(*pairs, strict=True)
    classes = sorted({*gold, *output})
    assume(len(classes) > 1)
    found = likely.evaluate(gold, output, classes=classes, beta=beta, intervals=False)
    tables = [textbook.table(c, gold, output) for c in classes]

    def f_beta(table):
        return textbook.f_measure(table, beta)

    for one, table in zip(found.per_class, tables, strict=True):
        assert (one.precision, one.recall) == close(
            (float(textbook.precision(table)), float(textbook.recall(table)))
        )
        assert one.f1 == close(float(textbook.f_measure(table)))
    measures = {"precision": textbook.precision, "recall": textbook.recall}
    measures |= {"f1": textbook.f_measure, "f1" if beta == 1 else "f_beta": f_beta}
    for name, measure in measures.items():
        for average in (textbook.macro, textbook.micro):
            figure = getattr(found, f"{average.__name__}_{name}")
            assert figure == close(float(average(measure, tables)))
    right = sum(table.tp for table in tables)
    assert found.accuracy == close(right / len(pairs))
    assert textbook.micro(textbook.precision, tables) == Fraction(right, len(pairs))


def test_the_tables_of_urgent_normal_and_spam():
    C = ["urgent", "normal", "spam"]
    # Output in rows, gold in columns.
    counts = [list(map(int, row[1:])) for row in bundled.rows("urgent.csv")]
    cells = [(g, o) for o in range(3) for g in range(3) for _ in range(counts[o][g])]
    gold, output = ([C[place] for place in places] for places in zip(*cells, strict=True))
    tables = [textbook.table(c, gold, output) for c in C]
    assert tables == [(8, 11, 8, 340), (60, 55, 40, 212), (200, 33, 51, 83)]
    assert textbook.pooled(tables) == (268, 99, 99, 635)
    macro, micro = (a(textbook.precision, tables) for a in (textbook.macro, textbook.micro))
    assert (round(float(macro), 2), round(float(micro), 2)) == (0.60, 0.73)


def test_what_was_never_said_has_precision_zero():
    never = textbook.table("spam", gold=["spam", "ham"], output=["ham", "ham"])
    assert never == (0, 0, 1, 1)
    assert textbook.precision(never) == textbook.recall(never) == textbook.f_measure(never) == 0


def test_importing_it_brings_nothing_but_the_standard_library():
    program = "import json, sys, likely.textbook; print(json.dumps(sorted(sys.modules)))"
    modules = json.loads(subprocess.check_output([sys.executable, "-c", program]))
    assert {name for name in modules if name.startswith("likely")} == {"likely", "likely.textbook"}
    assert "numpy" not in modules
