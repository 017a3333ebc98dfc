"""What the benchmarks compute by themselves."""

import pytest

from benchmarks.text.ablation import mcnemar
from benchmarks.text.hostile import colliding_words, fnv1a
from benchmarks.text.lexicon import points


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
    assert points({"w": 51.0, "v": 52.4, "V": 52.4}) == "  w  vV"
    assert points({}) == ""
