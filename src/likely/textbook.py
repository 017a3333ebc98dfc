"""Naive Bayes and its relatives as one writes them on a blackboard, in plain Python.

Read it from top to bottom: each function is a formula, first as one writes it, then as one computes
it. Only the standard library is used. Where counts are all there is, numbers are fractions, so
nothing is rounded; densities are floats, and their logarithms are added.

    D   the data: pairs of a document (or a row of attributes, or a point) and its class
    C   the classes
    V   the vocabulary: all words of all documents of all classes

>>> C = ["+", "-"]
>>> logprior, loglikelihood, V = train_naive_bayes(REVIEWS, C)
>>> test_naive_bayes("predictable with no fun", logprior, loglikelihood, C, V)
'-'
>>> joint("predictable with no fun", REVIEWS, multinomial)
{'+': Fraction(4, 121945), '-': Fraction(3, 49130)}

The rest of the package computes the same, which the tests show, and does more: it reads texts by
the rules of Unicode, leaves missing cells out, lends singular covariances some variance, and is
fast.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

Class = str
Document = str | Sequence[str]
Data = Sequence[tuple[Any, Class]]
Number = Fraction | float
Likelihood = Callable[..., Fraction]  # likelihood(x, c, D) is P(x | c)
Measure = Callable[["Table"], Fraction]
Key = TypeVar("Key")

# `test_naive_bayes` has its name from the pseudocode; it is nothing for pytest to collect.
__test__: dict[str, str] = {}

REVIEWS = [
    ("just plain boring", "-"),
    ("entirely predictable and lacks energy", "-"),
    ("no surprises and very few laughs", "-"),
    ("very powerful", "+"),
    ("the most fun film of the summer", "+"),
]

PEOPLE = [
    *[((h, w), "first") for h, w in [(158, 51), (163, 54), (166, 57), (170, 66), (173, 61)]],
    *[((h, w), "second") for h, w in [(169, 64), (174, 78), (177, 74), (183, 79), (188, 90)]],
]
"""Heights and weights of two groups, in centimeters and kilograms."""


def words(document: Document, *, binary: bool = False) -> list[str]:
    """d = w_1, …, w_n: a text in lower case, split at white space; or words, as they are.

    With `binary`, each word counts once in a document. (The kernel also separates punctuation.)

    >>> words("No no fun"), words("No no fun", binary=True)
    (['no', 'no', 'fun'], ['no', 'fun'])
    """
    found = document.lower().split() if isinstance(document, str) else list(document)
    return list(dict.fromkeys(found)) if binary else found


def classes(D: Data) -> list[Class]:
    """C: the classes in D, sorted."""
    return sorted({c for _, c in D})


def rows(c: Class, D: Data) -> list[Any]:
    """The documents, or other rows, of class c."""
    return [x for x, own in D if own == c]


def log(p: Fraction) -> float:
    """log a/b = log a − log b, also of fractions too small for a float; log 0 = −∞."""
    return math.log(p.numerator) - math.log(p.denominator) if p else -math.inf


def ratio(a: Fraction | int, b: Fraction | int) -> Fraction:
    """a / b, where 0 / 0 is 0."""
    return Fraction(a) / b if b else Fraction(0)


def exact(number: Number) -> Fraction:
    """The number as it is written: 0.1 is 1/10."""
    return Fraction(str(number))


def argmax(scores: Mapping[Key, Number]) -> Key:
    """argmax_c score(c); of equals the one that comes first."""
    return max(scores, key=lambda c: scores[c])


# The pseudocode, line by line


def train_naive_bayes(
    D: Data, C: Iterable[Class] | None = None, *, alpha: Number = 1, binary: bool = False
) -> tuple[dict[Class, float], dict[tuple[str, Class], float], set[str]]:
    """log P(c) and log P(w | c), with P(w | c) = (count(w, c) + α) / Σ_w' (count(w', c) + α).

    Binary multinomial Naive Bayes is the same, after repeated words are removed from each document.

    >>> logprior, loglikelihood, V = train_naive_bayes(REVIEWS)
    >>> len(V), round(math.exp(logprior["-"]), 4), round(math.exp(loglikelihood["no", "-"]), 4)
    (20, 0.6, 0.0588)
    """
    C = classes(D) if C is None else list(C)
    D, alpha = [(words(d, binary=binary), c) for d, c in D], exact(alpha)
    logprior, loglikelihood = {}, {}
    for c in C:  # calculate P(c) terms
        N_doc = len(D)
        N_c = len(rows(c, D))
        logprior[c] = log(Fraction(N_c, N_doc))
    V = {w for d, _ in D for w in d}
    for c in C:  # calculate P(w | c) terms
        bigdoc = [w for d in rows(c, D) for w in d]
        count = Counter(bigdoc)
        total = sum(count[w] + alpha for w in V)
        for w in V:
            loglikelihood[w, c] = log(ratio(count[w] + alpha, total))
    return logprior, loglikelihood, V


def test_naive_bayes(
    testdoc: Document,
    logprior: Mapping[Class, float],
    loglikelihood: Mapping[tuple[str, Class], float],
    C: Iterable[Class],
    V: Collection[str],
    *,
    binary: bool = False,
) -> Class:
    """c_NB = argmax_c [ log P(c) + Σ_i log P(w_i | c) ], over the positions i of known words.

    Without smoothing every class may be impossible; then the prior decides.
    """
    total = {}
    for c in C:
        total[c] = logprior[c]
        for word in words(testdoc, binary=binary):  # each position i in testdoc
            if word in V:
                total[c] += loglikelihood[word, c]
    if max(total.values()) == -math.inf:
        return argmax({c: logprior[c] for c in total})
    return argmax(total)


# Bayes' rule: posterior = prior · likelihood / evidence, in fractions. From one classifier to the
# next, only the likelihood differs.


def prior(c: Class, D: Data) -> Fraction:
    """P(c) = N_c / N."""
    return Fraction(len(rows(c, D)), len(D))


def joint(x: Any, D: Data, likelihood: Likelihood, **options: Any) -> dict[Class, Fraction]:
    """P(c, x) = P(c) · P(x | c), for each class c: prior times likelihood."""
    return {c: prior(c, D) * likelihood(x, c, D, **options) for c in classes(D)}


def evidence(x: Any, D: Data, likelihood: Likelihood, **options: Any) -> Fraction:
    """P(x) = Σ_c P(c) · P(x | c)."""
    return sum(joint(x, D, likelihood, **options).values(), Fraction())


def posterior(x: Any, D: Data, likelihood: Likelihood, **options: Any) -> dict[Class, Fraction]:
    """P(c | x) = P(c) · P(x | c) / P(x); where every class is impossible, the prior.

    >>> d = "predictable with no fun"
    >>> round(float(posterior(d, REVIEWS, multinomial)["-"]), 4)
    0.6505
    >>> round(float(posterior(d, REVIEWS, multinomial, binary=True)["-"]), 4)
    0.6262
    >>> posterior(d, REVIEWS, multinomial, alpha=0)
    {'+': Fraction(2, 5), '-': Fraction(3, 5)}
    """
    p_x = evidence(x, D, likelihood, **options)
    if not p_x:
        return {c: prior(c, D) for c in classes(D)}
    return {c: p / p_x for c, p in joint(x, D, likelihood, **options).items()}


# Texts: each class is a language model


def language_model(
    c: Class, D: Data, *, alpha: Number = 1, binary: bool = False
) -> dict[str, Fraction]:
    """P(w | c) = (n_w + α) / (n + α·V), for all V words of the vocabulary.

    n_w of the n words of class c are w. Smoothing is for words that a class lacks; a word that no
    class has is not in the vocabulary, and is ignored.
    """
    V = {w for d, _ in D for w in words(d)}
    n = Counter(w for d in rows(c, D) for w in words(d, binary=binary))
    return {w: ratio(n[w] + exact(alpha), n.total() + exact(alpha) * len(V)) for w in V}


def sentence_probability(s: Document, P: Mapping[str, Fraction]) -> Fraction:
    """P(s | c) = ∏_i P(w_i | c), over the positions i of known words.

    >>> s = "I love this fun film"
    >>> positive = dict(zip(words(s), map(exact, [0.1, 0.1, 0.01, 0.05, 0.1])))
    >>> negative = dict(zip(words(s), map(exact, [0.2, 0.001, 0.01, 0.005, 0.1])))
    >>> float(sentence_probability(s, positive)), float(sentence_probability(s, negative))
    (5e-07, 1e-09)
    """
    return math.prod((P[w] for w in words(s) if w in P), start=Fraction(1))


def multinomial(
    d: Document, c: Class, D: Data, *, alpha: Number = 1, binary: bool = False
) -> Fraction:
    """P(d | c) = ∏_i P(w_i | c): the document is a sentence of the language of its class."""
    P = language_model(c, D, alpha=alpha, binary=binary)
    return sentence_probability(words(d, binary=binary), P)


def multinomial_coefficient(d: Document) -> int:
    """(Σ x_i)! / (x_1! · … · x_d!): the number of sentences that have the same bag of words.

    >>> multinomial_coefficient("fun fun film"), multinomial_coefficient("very fun film")
    (3, 6)
    """
    x = Counter(words(d))
    return math.factorial(x.total()) // math.prod(map(math.factorial, x.values()))


def bag_of_words(d: Document, c: Class, D: Data, *, alpha: Number = 1) -> Fraction:
    """P(x | c) = (Σ x_i)! / (x_1! · … · x_d!) · ∏_i p_ci^x_i, of the counts x of known words.

    The coefficient is the same for all classes, so the posterior is that of the sentence.

    >>> d = "very very fun"
    >>> posterior(d, REVIEWS, bag_of_words) == posterior(d, REVIEWS, multinomial)
    True
    """
    P = language_model(c, D, alpha=alpha)
    known = [w for w in words(d) if w in P]
    return multinomial_coefficient(known) * sentence_probability(known, P)


def ngrams(d: Document, n: int) -> list[str]:
    """w_i … w_(i+n−1), for each i: the n-grams of a document, which are features like words.

    >>> ngrams("I did not like it", 2)
    ['i did', 'did not', 'not like', 'like it']
    >>> bigrams = [(words(d) + ngrams(d, 2), c) for d, c in REVIEWS]
    >>> multinomial(ngrams("the most boring", 2), "+", bigrams)
    Fraction(1, 27)
    """
    w = words(d)
    return [" ".join(w[i : i + n]) for i in range(len(w) - n + 1)]


def mark_negation(text: str, *, only_next: bool = False) -> list[str]:
    """not w_1 w_2 … → not NOT_w_1 NOT_w_2 …, until punctuation or "but"; or only the next word.

    >>> " ".join(mark_negation("I did not like this movie, but I laughed"))
    'i did not NOT_like NOT_this NOT_movie but i laughed'
    >>> mark_negation("didn't like it", only_next=True)
    ["didn't", 'NOT_like', 'it']
    """
    marked, is_negated = [], False
    for token in words(text):
        word = token.rstrip(".,;:!?")
        is_negator = word in ("not", "no", "never", "cannot") or word.endswith("n't")
        is_negated = is_negated and word != "but"
        if word:
            marked.append(f"NOT_{word}" if is_negated and not is_negator else word)
        goes_on = word == token  # no punctuation
        is_negated = goes_on and (is_negator or (is_negated and not only_next))
    return marked


# Attributes: rows ⟨a_1, …, a_n⟩ of categories


def m_estimate(n_c: int, n: int, m: Number, p: Fraction) -> Fraction:
    """P(a | v) = (n_c + m·p) / (n + m): n_c of n rows have the value, and m·p of m virtual ones.

    Laplace's rule is the case m = α·V, p = 1/V. PlayTennis has 9 days with play, of which 2, 3, 3
    and 3 were sunny, cool, humid and windy, and 5 without, of which 3, 1, 4 and 3 were. On a day
    that is all of it, they do not play:

    >>> def day(m, n, counts):
    ...     p = [Fraction(1, q) for q in (3, 3, 2, 2)]
    ...     return Fraction(n, 14) * math.prod(map(m_estimate, counts, [n] * 4, [m] * 4, p))
    >>> for m in (0, 1):
    ...     yes, no = day(m, 9, [2, 3, 3, 3]), day(m, 5, [3, 1, 4, 3])
    ...     print(f"{float(yes):.4f} {float(no):.4f} {float(no / (yes + no)):.3f}")
    0.0053 0.0206 0.795
    0.0061 0.0193 0.759
    """
    return (n_c + exact(m) * p) / (n + exact(m))


def categorical(x: Sequence[str], c: Class, D: Data, *, m: Number = 1) -> Fraction:
    """P(a_1, …, a_n | c) = ∏_i P(a_i | c), by m-estimates with p = 1/q, q the number of values.

    Given the class, attributes are taken to be independent. A value that was never seen is ignored,
    like an unknown word. Does the ferry sail?

    >>> days = "calm no yes, fresh no yes, calm fog yes, gale no no, fresh fog no".split(", ")
    >>> ferry = [((wind, fog), sails) for wind, fog, sails in map(str.split, days)]
    >>> joint(("gale", "fog"), ferry, categorical)
    {'no': Fraction(4, 45), 'yes': Fraction(3, 160)}
    """
    found = Fraction(1)
    for i, a in enumerate(x):
        values = {row[i] for row, _ in D}
        column = [row[i] for row in rows(c, D)]
        if a in values:
            found *= m_estimate(column.count(a), len(column), m, Fraction(1, len(values)))
    return found


def full_table(x: Sequence[str], c: Class, D: Data) -> Fraction:
    """P(a_1, …, a_n | c) = n_x / n: nothing is assumed, and nearly every cell is empty."""
    return Fraction(rows(c, D).count(x), len(rows(c, D)))


def table_parameters(q: Sequence[int], K: int) -> dict[str, int]:
    """K·qⁿ probabilities in the full table, K·n·q in the naive model; beside them, K priors.

    `q` has the number of values of each attribute. PlayTennis, with its priors:

    >>> {model: n + 2 for model, n in table_parameters([3, 3, 2, 2], K=2).items()}
    {'full table': 74, 'naive': 22}
    """
    return {"full table": K * math.prod(q), "naive": K * sum(q)}


# Numbers: each class is a Gaussian


def log_joint(x: Any, D: Data, log_likelihood: Callable[..., float]) -> dict[Class, float]:
    """log P(c) + log p(x | c), for each class c. The logarithm of a density may be above 0.

    >>> for log_likelihood in (log_gaussian, log_lda, log_qda):
    ...     p = softmax(log_joint((168, 64), PEOPLE, log_likelihood))
    ...     print(f"{p['first']:.2f} {p['second']:.2f}")
    0.91 0.09
    0.65 0.35
    0.56 0.44
    """
    return {c: log(prior(c, D)) + log_likelihood(x, c, D) for c in classes(D)}


def softmax(scores: Mapping[Key, float]) -> dict[Key, float]:
    """e^s_c / Σ_k e^s_k: the posterior, from log_joint. Less the maximum, nothing underflows."""
    most = max(scores.values())
    odds = {c: math.exp(s - most) for c, s in scores.items()}
    return {c: each / math.fsum(odds.values()) for c, each in odds.items()}


def mean(x: Sequence[Number]) -> Fraction:
    """μ = Σ x_i / n."""
    return sum((Fraction(x_i) for x_i in x), Fraction()) / len(x)


def scatter(x: Sequence[Number], y: Sequence[Number]) -> Fraction:
    """S_xy = Σ (x_i − μ_x) · (y_i − μ_y)."""
    mu_x, mu_y, pairs = mean(x), mean(y), zip(x, y, strict=True)
    return sum(((Fraction(a) - mu_x) * (Fraction(b) - mu_y) for a, b in pairs), Fraction())


def log_normal(x: Number, mu: Number, variance: Number) -> float:
    """log N(x; μ, σ²) = − ½ [ log 2π + log σ² + (x − μ)² / σ² ]."""
    distance = (Fraction(x) - Fraction(mu)) ** 2 / Fraction(variance)
    return -0.5 * (math.log(2 * math.pi) + log(Fraction(variance)) + float(distance))


def log_gaussian(x: Sequence[float], c: Class, D: Data) -> float:
    """Gaussian NB: log p(x | c) = Σ_j log N(x_j; μ_cj, σ²_cj), with σ² = S / n."""
    columns = list(zip(*rows(c, D), strict=True))
    variances = [scatter(column, column) / len(column) for column in columns]
    return math.fsum(map(log_normal, x, map(mean, columns), variances))


def scatter_of_class(c: Class, D: Data) -> list[Fraction]:
    """S_c = Σ (x_i − μ_c) (x_i − μ_c)ᵀ of two columns: its entries a, b, d, as in [a b; b d]."""
    x, y = zip(*rows(c, D), strict=True)
    return [scatter(x, x), scatter(x, y), scatter(y, y)]


def log_normal_2d(x: Sequence[float], mu: Sequence[Fraction], sigma: Iterable[Fraction]) -> float:
    """log N(x; μ, Σ) = − ½ [ 2 log 2π + log det Σ + (x − μ)ᵀ Σ⁻¹ (x − μ) ].

    For Σ = [a b; b d], det Σ = ad − b² and Σ⁻¹ = [d −b; −b a] / det Σ.
    """
    a, b, d = sigma
    det = a * d - b**2
    u, v = Fraction(x[0]) - mu[0], Fraction(x[1]) - mu[1]
    distance = (d * u**2 - 2 * b * u * v + a * v**2) / det
    return -0.5 * (2 * math.log(2 * math.pi) + log(det) + float(distance))


def log_qda(x: Sequence[float], c: Class, D: Data) -> float:
    """QDA: log p(x | c) = log N(x; μ_c, Σ_c), with Σ_c = S_c / (n_c − 1); for two columns."""
    x_c = rows(c, D)
    sigma = [s / (len(x_c) - 1) for s in scatter_of_class(c, D)]
    return log_normal_2d(x, [mean(column) for column in zip(*x_c, strict=True)], sigma)


def log_lda(x: Sequence[float], c: Class, D: Data) -> float:
    """LDA: log p(x | c) = log N(x; μ_c, Σ), with Σ = Σ_k S_k / (n − K); for two columns."""
    entries = zip(*(scatter_of_class(k, D) for k in classes(D)), strict=True)
    sigma = [sum(s) / (len(D) - len(classes(D))) for s in entries]
    return log_normal_2d(x, [mean(column) for column in zip(*rows(c, D), strict=True)], sigma)


def gaussian_parameters(D: int, K: int) -> dict[str, int]:
    """D·K + K·D(D+1)/2 for QDA, 2·D·K for Gaussian NB, D·K + D(D+1)/2 for LDA; D columns.

    >>> gaussian_parameters(D=2, K=2)
    {'QDA': 10, 'Gaussian NB': 8, 'LDA': 7}
    """
    triangle = D * (D + 1) // 2
    return {"QDA": D * K + K * triangle, "Gaussian NB": 2 * D * K, "LDA": D * K + triangle}


# EM: which Gaussian a point came from is not observed


def responsibilities(x: float, means: Sequence[float], variance: float) -> dict[int, float]:
    """E[z_j] = N(x; μ_j, σ²) / Σ_k N(x; μ_k, σ²): the E step, of one point."""
    return softmax({j: log_normal(x, mu, variance) for j, mu in enumerate(means)})


def em_step(xs: Sequence[float], means: Sequence[float], variance: float) -> list[float]:
    """μ_j ← Σ_i E[z_ij] · x_i / Σ_i E[z_ij]: the M step, after an E step by the old means.

    The Gaussians are equally probable, and their variance is known. One without points stays.

    >>> em_step([0, 1, 10, 11], means=[0, 10], variance=1)
    [0.5, 10.5]
    """
    z = [responsibilities(x, means, variance) for x in xs]
    n = [math.fsum(z_i[j] for z_i in z) for j in range(len(means))]
    sums = [math.fsum(z_i[j] * x for z_i, x in zip(z, xs, strict=True)) for j in range(len(means))]
    return [sums[j] / n[j] if n[j] else mu for j, mu in enumerate(means)]


def em(
    xs: Sequence[float], means: Sequence[float], variance: float, *, tolerance: float = 1e-9
) -> list[list[float]]:
    """μ, step(μ), step(step(μ)), …: the means after each step, until they hardly move.

    >>> path = em([-1, 0, 1, 3, 4, 5], means=[1, 2], variance=1)
    >>> [[round(mu, 2) for mu in means] for means in (path[0], path[1], path[-1])]
    [[1, 2], [0.26, 3.38], [0.01, 3.99]]
    """
    path = [list(means), em_step(xs, means, variance)]
    while math.dist(path[-1], path[-2]) > tolerance * (1 + math.hypot(*path[-1])):
        path.append(em_step(xs, path[-1], variance))
    return path


# Evaluation: a table for each class


class Table(NamedTuple):
    """What the system said of one class, against the gold labels.

    A million tweets, a hundred of them about the thing, and a system that never says so:

    >>> tweets = Table(tp=0, fp=0, fn=100, tn=999_900)
    >>> float(accuracy(tweets)), recall(tweets)
    (0.9999, Fraction(0, 1))
    """

    tp: int
    fp: int
    fn: int
    tn: int


def table(c: Any, gold: Sequence[Any], output: Sequence[Any]) -> Table:
    """tp, fp, fn, tn: class c against all others."""
    n = Counter((said == c, truth == c) for said, truth in zip(output, gold, strict=True))
    return Table(n[True, True], n[True, False], n[False, True], n[False, False])


def pooled(tables: Iterable[Table]) -> Table:
    """Σ_c of each cell."""
    return Table(*map(sum, zip(*tables, strict=True)))


def accuracy(t: Table) -> Fraction:
    """(tp + tn) / (tp + fp + fn + tn)."""
    return ratio(t.tp + t.tn, sum(t))


def precision(t: Table) -> Fraction:
    """tp / (tp + fp), and 0 where nothing was said to be of the class."""
    return ratio(t.tp, t.tp + t.fp)


def recall(t: Table) -> Fraction:
    """tp / (tp + fn), and 0 where nothing is of the class."""
    return ratio(t.tp, t.tp + t.fn)


def f_measure(t: Table, beta: Number = 1) -> Fraction:
    """F_β = (β² + 1)·P·R / (β²·P + R): above 1, β favors recall; below, precision.

    >>> half_found = Table(tp=5, fp=0, fn=5, tn=0)
    >>> [str(f_measure(half_found, beta)) for beta in (0.5, 1, 2)]
    ['5/6', '2/3', '5/9']
    """
    P, R, squared = precision(t), recall(t), exact(beta) ** 2
    return ratio((squared + 1) * P * R, squared * P + R)


def macro(measure: Measure, tables: Sequence[Table]) -> Fraction:
    """Σ_c measure(c) / K: every class counts the same.

    >>> urgent, normal, spam = Table(8, 11, 8, 340), Table(60, 55, 40, 212), Table(200, 33, 51, 83)
    >>> tables = [urgent, normal, spam]
    >>> [str(precision(t)) for t in tables], pooled(tables)
    (['8/19', '12/23', '200/233'], Table(tp=268, fp=99, fn=99, tn=635))
    >>> f"macro {float(macro(precision, tables)):.2f} micro {float(micro(precision, tables)):.2f}"
    'macro 0.60 micro 0.73'
    """
    return sum(map(measure, tables), Fraction()) / len(tables)


def micro(measure: Measure, tables: Sequence[Table]) -> Fraction:
    """The measure of the pooled table: every decision counts the same, so large classes prevail."""
    return measure(pooled(tables))
