"""The fit of weights to labels: its evidence, against integrals and finite differences."""

import numpy as np
import pytest

from likely.tally.encoded import EncodedLabels, EncodedLabelSets


def some_rows(rows, classes, views, seed=0):
    """Scores of each view that lean to the class of a row, and the classes."""
    random = np.random.default_rng(seed)
    places = random.integers(0, classes, rows).astype(np.uint32)
    scores = [random.normal(size=(rows, classes)) for _ in range(views)]
    for strength, each in enumerate(scores):
        each[np.arange(rows), places] += 0.6 + 0.2 * strength
    return scores, places


def label_sets(matrix):
    """Rows with the labels that a matrix says; after these comes the place of all rows."""
    labels = matrix.shape[1]
    own = [[*np.flatnonzero(row), labels] for row in matrix]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in own])])
    slots = np.concatenate(own)
    return EncodedLabelSets((starts.astype(np.uint32), slots.astype(np.uint32)), labels)


class Objective:
    """The log-probability of labels less the penalties, by definition, in plain NumPy."""

    def __init__(self, scores, truth, log_prior, is_multilabel, has_bias):
        self.scores, self.truth, self.log_prior = scores, truth, log_prior
        self.is_multilabel = is_multilabel
        centered = [s if is_multilabel else s - s.mean(axis=1, keepdims=True) for s in scores]
        holds = [4 * (each**2).mean() for each in centered]
        self.hold = np.array([*holds, *[2.0] * (len(log_prior) if has_bias else 0)])

    def log_likelihood(self, at):
        weights, bias = at[: len(self.scores)], at[len(self.scores) :]
        z = self.log_prior + (bias if len(bias) else 0.0)
        z = z + sum(w * s for w, s in zip(weights, self.scores, strict=True))
        if self.is_multilabel:
            return -np.logaddexp(0, np.where(self.truth, -z, z)).sum()
        z = z - np.logaddexp.reduce(z, axis=1, keepdims=True)
        return z[np.arange(len(z)), self.truth].sum()

    def __call__(self, at):
        return self.log_likelihood(at) - (self.hold * np.square(at)).sum() / 2

    def curvature(self, at, step=1e-3):
        """The negative second derivatives, by central differences."""
        steps = np.eye(len(at)) * step

        def mixed(a, b):
            return self(at + a + b) - self(at + a - b) - self(at - a + b) + self(at - a - b)

        return -np.array([[mixed(a, b) for b in steps] for a in steps]) / (4 * step**2)

    def climbed(self, at):
        """The best parameters, by Newton's method with these derivatives."""
        for _ in range(8):
            steps = np.eye(len(at)) * 1e-4
            slope = np.array([self(at + one) - self(at - one) for one in steps]) / 2e-4
            at = at + np.linalg.solve(self.curvature(at), slope)
        return at


@pytest.mark.parametrize("rows", [40, 160, 640])
@pytest.mark.parametrize("is_multilabel", [False, True])
def test_the_evidence_of_one_weight_is_an_integral(rows, is_multilabel):
    (scores,), places = some_rows(rows, 3, 1)
    log_prior, matrix = np.log([0.2, 0.5, 0.3]), np.eye(3, dtype=bool)[places]
    truth = label_sets(matrix) if is_multilabel else EncodedLabels(places)
    given = matrix if is_multilabel else places
    found = truth.fit_weights([scores], log_prior, [0.0], False, 1)
    objective = Objective([scores], given, log_prior, is_multilabel, False)
    # log ∫ P(labels | w) · N(w; 0, 1 / hold) dw, where the fit is far from the bound w ≥ 0
    (hold,) = objective.hold
    weights = np.linspace(-2, 6, 2_001)
    logs = np.array([objective(np.array([w])) for w in weights])
    best = logs.max()
    area = np.trapezoid(np.exp(logs - best), weights)
    integral = best + np.log(area) + 0.5 * np.log(hold / (2 * np.pi))
    # Laplace's approximation is wrong by a share of 1 / n.
    assert found.evidence == pytest.approx(integral, abs=1 / rows)
    # Half a determinant more or less would be far away.
    assert integral - objective(np.array(found.weights)) < -20 / rows


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("is_multilabel", [False, True])
def test_the_evidence_is_the_objective_less_half_the_log_determinant(is_multilabel, has_bias):
    scores, places = some_rows(80, 3, 2, seed=1)
    log_prior, matrix = np.log([0.2, 0.5, 0.3]), np.eye(3, dtype=bool)[places]
    matrix[::4, 0] = True
    truth = label_sets(matrix) if is_multilabel else EncodedLabels(places)
    given = matrix if is_multilabel else places
    found = truth.fit_weights(scores, log_prior, [0.0, 0.0], has_bias, 1)
    assert min(found.weights) > 0.1
    objective = Objective(scores, given, log_prior, is_multilabel, has_bias)
    start = np.array([*found.weights, *(found.bias if has_bias else [])])
    at = objective.climbed(start)
    np.testing.assert_allclose(at, start, atol=1e-4)
    # In units of the prior: a parameter that the labels say nothing of changes nothing.
    curvature = objective.curvature(at) / np.sqrt(np.outer(objective.hold, objective.hold))
    sign, log_determinant = np.linalg.slogdet(curvature)
    assert sign == 1
    assert log_determinant > 1
    expected = objective(at) - log_determinant / 2
    assert found.evidence == pytest.approx(expected, abs=1e-4)
    assert found.log_likelihood * len(truth) == pytest.approx(
        objective.log_likelihood(at), abs=1e-4
    )


def test_a_view_that_is_left_at_zero_costs_no_evidence():
    (scores,), places = some_rows(60, 3, 1, seed=2)
    truth, log_prior = EncodedLabels(places), np.log(np.full(3, 1 / 3))
    alone = truth.fit_weights([scores], log_prior, [0.0], True, 1)
    both = truth.fit_weights([scores, -scores], log_prior, [0.0, 0.0], True, 1)
    assert both.weights[1] == 0
    assert both.evidence == pytest.approx(alone.evidence, abs=1e-6)


def test_a_view_of_chance_costs_evidence():
    (scores,), places = some_rows(200, 2, 1, seed=3)
    truth, log_prior = EncodedLabels(places), np.log([0.5, 0.5])
    noise = np.random.default_rng(4).normal(size=scores.shape)
    noise[np.arange(200), places] += 0.1
    alone = truth.fit_weights([scores], log_prior, [0.0], False, 1)
    both = truth.fit_weights([scores, noise], log_prior, [0.0, 0.0], False, 1)
    assert both.weights[1] > 0
    assert both.log_likelihood >= alone.log_likelihood
    assert both.evidence < alone.evidence


def test_the_prior_alone_gives_labels_its_probability():
    places = np.array([0, 1, 1, 2], dtype=np.uint32)
    log_prior = np.log([0.2, 0.5, 0.3])
    expected = np.log(0.2 * 0.5 * 0.5 * 0.3)
    assert EncodedLabels(places).log_likelihood(log_prior) == pytest.approx(expected)
    matrix = np.array([[True, False], [True, True], [False, False]])
    log_odds = np.log([0.6 / 0.4, 0.1 / 0.9])
    expected = np.log((0.6 * 0.9) * (0.6 * 0.1) * (0.4 * 0.9))
    assert label_sets(matrix).log_likelihood(log_odds) == pytest.approx(expected)
