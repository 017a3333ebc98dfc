"""What the benchmarks compute by themselves."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import multivariate_normal

from benchmarks.claims import argmax, fragments
from benchmarks.claims.contest import of_columns, of_texts
from benchmarks.claims.correlated import with_copies
from benchmarks.claims.cost import times
from benchmarks.claims.intervals import mean, percent, points, turned
from benchmarks.claims.irrelevant import with_noise
from benchmarks.claims.ngrams import sparsity
from benchmarks.claims.verdicts import speaks, verdict
from benchmarks.speed.corpus import Corpus
from benchmarks.text.ablation import mcnemar
from benchmarks.text.hostile import colliding_words, fnv1a
from benchmarks.text.lexicon import points as places
from likely.evaluation.intervals import Figure


def test_an_even_split_is_no_evidence_and_a_clean_sweep_is():
    assert mcnemar(0, 0) == mcnemar(3, 3) == 1
    assert mcnemar(8, 0) == mcnemar(0, 8) == pytest.approx(2 / 2**8)
    assert mcnemar(9, 1) == pytest.approx(2 * (1 + 10) / 2**10)


def test_fnv1a_is_the_published_one():
    assert fnv1a("") == 0x811C9DC5
    assert fnv1a("foobar") == 0xBF9CF968


def test_words_made_to_collide_are_different_and_collide():
    words = colliding_words(3)
    assert len(set(words)) == 8
    assert len({fnv1a(word) for word in words}) == 1


def test_letters_of_a_chart_stand_at_their_places():
    assert places({"w": 51.0, "v": 52.4, "V": 52.4}) == "  w  vV"
    assert places({}) == ""


def test_an_interval_speaks_if_all_of_it_is_on_one_side():
    assert speaks(Figure(0.02, 0.01, 0.03)) == "for"
    assert speaks(Figure(0.02, -0.01, 0.05)) == "open"
    assert speaks(Figure(-0.02, -0.03, -0.01)) == "against"
    assert speaks(Figure(-0.005, -0.009, -0.001), above=-0.01) == "for"


def test_a_verdict_follows_from_what_speaks():
    assert verdict(["for", "for", "open"]) == "holds"
    assert verdict(["for", "open"]) == "holds in part"
    assert verdict(["for", "for", "for", "against"]) == "holds in part"
    assert verdict(["for", "against", "against"]) == "does not hold here"
    assert verdict(["open", "open"]) == "does not hold here"


def test_the_interval_of_a_mean_is_students():
    figure = mean([1.0, 2.0, 3.0])
    assert figure == 2
    assert figure.high - 2 == 2 - figure.low == pytest.approx(4.3027 / np.sqrt(3), abs=1e-4)


def test_figures_are_printed_in_percent_and_points():
    figure = Figure(0.012, 0.008, 0.016)
    assert percent(figure) == "1.2 ± 0.4"
    assert points(figure) == "+1.2 [+0.8, +1.6]"
    assert points(turned(figure)) == "-1.2 [-1.6, -0.8]"


def test_a_ratio_is_a_geometric_mean():
    assert times(np.array([1.0, 2.0]), np.array([4.0, 32.0])) == pytest.approx(8)


def test_sparsity_counts_what_is_seen_once_and_what_is_new():
    learned, asked = csr_matrix([[2, 1, 0], [0, 0, 0]]), csr_matrix([[3, 0, 1]])
    assert sparsity(learned, asked) == (2, 0.5, 0.25)


def test_the_true_posterior_is_bayes_rule():
    x, y, posterior = argmax.draw(False, 0.6, 4000, np.random.default_rng(0))
    assert np.mean((posterior > 0.5) == y) > 0.8
    # Where the posterior says 30 %, about 30 % are of class 1.
    near = abs(posterior - 0.3) < 0.15
    assert y[near].mean() == pytest.approx(posterior[near].mean(), abs=0.06)
    centres = [x[y == c].mean(axis=0) for c in (0, 1)]
    within = np.cov(np.vstack([x[y == c] - centres[c] for c in (0, 1)]).T)
    density = [multivariate_normal(centres[c], within).logpdf(x) for c in (0, 1)]
    assert np.mean((density[1] > density[0]) == (posterior > 0.5)) > 0.95


def test_bits_tell_less_the_more_there_are():
    for n_bits in (1, 25, 125):
        x, y = fragments.draw(n_bits, 4000, 0)
        assert np.mean((x.sum(axis=1) > n_bits / 2) == y) == pytest.approx(0.9, abs=0.02)


def test_noise_columns_hold_the_cells_of_others_and_copies_their_own():
    column = np.arange(50.0)
    contest = of_columns("rows", {"a": column}, np.array(["x", "y"] * 25))
    noisy, copied = with_noise(contest, 2, 0).cells, with_copies(contest, 3, 0).cells
    assert len(noisy) == len(copied) == 3
    assert all(sorted(cells) == column.tolist() for cells in noisy.values())
    assert sum((cells == column).all() for cells in noisy.values()) == 1
    assert all((cells == column).all() for cells in copied.values())


def test_noise_words_are_as_many_and_none_is_known():
    contest = of_texts(Corpus("texts", ["good fun", "dull"], ["pos", "neg"]))
    good, dull = with_noise(contest, 3, 0).cells
    assert good.startswith("good fun ")
    assert len(good.split()) == 8
    assert len(dull.split()) == 4
    assert all(word.startswith("noise") for word in [*good.split()[2:], *dull.split()[1:]])
