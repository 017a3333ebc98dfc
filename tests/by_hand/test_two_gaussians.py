"""Two Gaussians of known variance: the steps of EM, and where they end."""

import importlib.util
import itertools

import numpy as np
import pytest


@pytest.fixture
def example(root):
    spec = importlib.util.spec_from_file_location("two", root / "examples" / "two_gaussians.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_step_is_the_one_in_the_notes(example):
    """E[z] = exp(−½(x − μ)²) over the sum; μ = Σ E[z]·x / Σ E[z]."""
    x, path = example.points()[:, 0], example.steps()
    assert len(path) > 5
    for before, after in itertools.pairwise(path):
        odds = np.exp(-0.5 * (x[:, None] - np.array(before)) ** 2)
        share = odds / odds.sum(axis=1, keepdims=True)
        expected = (share * x[:, None]).sum(axis=0) / share.sum(axis=0)
        np.testing.assert_allclose(after, expected, rtol=1e-7, atol=1e-8)


def test_the_means_are_found(example):
    assert example.steps()[-1] == pytest.approx([0, 4], abs=0.5)


def test_the_picture_shows_every_step(example):
    drawn = example.picture()
    assert drawn.count("<circle") == 2 * len(example.steps())
    assert drawn.rstrip().endswith("</svg>")
