"""`likely explain`: the views of a prediction that a course asks for."""

import json
from fractions import Fraction

import pytest

import likely
from likely import textbook

ROW = "predictable with no fun"


@pytest.fixture
def reviews(run, tmp_path):
    """The five reviews, and a model of each kind that reads them."""
    lines = [f"{text},{'pos' if label == '+' else 'neg'}" for text, label in textbook.REVIEWS]
    (tmp_path / "reviews.csv").write_text("\n".join(["text,label", *lines, ""]))
    for model in ("multinomial", "bernoulli", "complement"):
        run("train", "reviews.csv", "--model", model, "-o", f"{model}.likely")
    return tmp_path


def test_by_hand_is_bayes_rule(run, reviews):
    out, _ = run("explain", "multinomial.likely", ROW, "--by-hand")
    assert "prior  · likelihood\nP(neg) · P(predictable | neg) · P(no | neg)" in out
    assert "  = 3/5 · 2/34 · 2/34 · 1/34\n  = 3/49130 ≈ 6.11·10⁻⁵\n" in out
    assert "evidence\nP(row) = 6.11·10⁻⁵ + 3.28·10⁻⁵ = 9.39·10⁻⁵\n" in out
    assert "posterior = prior · likelihood / evidence\nP(neg | row) = " in out
    facts = json.loads(run("explain", "multinomial.likely", ROW, "--by-hand", "--json")[0])
    exact = textbook.joint(ROW, textbook.REVIEWS, textbook.multinomial)
    assert list(map(Fraction, facts["by_hand"]["products"])) == [exact["-"], exact["+"]]


def test_a_bag_has_the_multinomial_coefficient(run, reviews):
    row = f"{ROW} fun"
    out, _ = run("explain", "multinomial.likely", row, "--by-hand", "--bag")
    assert "Sentences with this bag of words, all equally probable: 4!/2! = 12\n" in out
    given = run("explain", "multinomial.likely", row, "--by-hand", "--bag", "--json")[0]
    exact = textbook.joint(row, textbook.REVIEWS, textbook.bag_of_words)
    found = json.loads(given)["by_hand"]
    assert list(map(Fraction, found["products"])) == [exact["-"], exact["+"]]
    posterior = textbook.posterior(row, textbook.REVIEWS, textbook.multinomial)
    assert found["posterior"] == pytest.approx([float(posterior["-"]), float(posterior["+"])])
    _, err = run("explain", "bernoulli.likely", row, "--by-hand", "--bag", code=2)
    assert "that of a multinomial of single words, not of `Bernoulli(alpha=1)`" in err


def test_the_linear_form_of_a_model_needs_no_row(run, reviews):
    out, _ = run("explain", "multinomial.likely", "--linear")
    assert out.startswith("log-odds of pos against neg = intercept + Σ weight · count\n")
    form = likely.load(reviews / "multinomial.likely").linear_form()
    assert out == f"{form}\n"
    facts = json.loads(run("explain", "multinomial.likely", "--linear", "--json")[0])
    assert facts == {"linear": form.to_json()}
    even, _ = run("explain", "multinomial.likely", "--linear", "--prior", "uniform")
    assert "intercept    +0.000\n" in even


def test_the_linear_form_of_a_row_sums_to_what_the_model_computes(run, reviews):
    out, _ = run("explain", "multinomial.likely", ROW, "--linear")
    found = {line[:21].strip(): line.split()[-1] for line in out.splitlines()[3:]}
    log_odds = textbook.log(Fraction(4, 121945)) - textbook.log(Fraction(3, 49130))
    assert found["sum"] == found["computed by the model"] == f"{log_odds:.3f}".replace("-", "−")
    facts = json.loads(run("explain", "multinomial.likely", ROW, "--linear", "--json")[0])
    assert facts["prediction"] == "neg"
    sums = facts["linear"]["sums"]
    assert sums["pos"] - sums["neg"] == pytest.approx(log_odds)
    out, _ = run("explain", "multinomial.likely", ROW, "--linear", "--without", "no")
    assert out.startswith("without `no` (with it: neg (65.1%))\n\nlog-odds of pos against neg")


def test_a_model_that_is_not_linear_says_what_would_be(run, tmp_path):
    rows = "\n".join(f"{n}.5,{n * n % 7}.25,{'ab'[n % 2]}" for n in range(12))
    (tmp_path / "n.csv").write_text(f"x,y,label\n{rows}\n")
    run("train", "n.csv", "--model", "gaussian", "-o", "n.likely")
    _, err = run("explain", "n.likely", "--linear", code=2)
    assert err == (
        "likely: `Gaussian()` is not linear: its log-odds are quadratic in the numbers\n"
        "hint: `--model multinomial`, `bernoulli`, `categorical` and `lda` are linear, and so are "
        "texts with `--plain`\n"
    )
    run("train", "n.csv", "--model", "lda", "-o", "lda.likely")
    assert "intercept + Σ weight · value" in run("explain", "lda.likely", "--linear")[0]
    _, err = run("explain", "lda.likely", "x=1", "--linear", code=3)
    assert "cells of the row are missing or were never seen in training" in err


def test_a_rule_that_decides_comes_before_the_linear_form(run, reviews):
    (reviews / "rules.toml").write_text(
        '[[rule]]\nname = "fun"\nlabel = "pos"\nwords = ["fun"]\n', "utf-8"
    )
    given = ("--model", "multinomial", "--rules", "rules.toml", "-o", "ruled.likely")
    run("train", "reviews.csv", *given)
    out, _ = run("explain", "ruled.likely", ROW, "--linear")
    assert out.startswith("pos by rule `fun`; the counts alone say:\n\nlog-odds of pos against neg")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "missing argument 'ROW...'"),
        (("--by-hand",), "missing argument 'ROW...'"),
        ((ROW, "--by-hand", "--linear"), "--by-hand and --linear are two views"),
        ((ROW, "--linear", "--surprisal"), "--linear and --surprisal are two views"),
        ((ROW, "--bag"), "--bag says what --by-hand computes"),
        (("--linear", "--without", "no"), "--without leaves something out of a row, and no ROW"),
    ],
)
def test_what_makes_no_sense_together_is_refused(run, reviews, given, message):
    out, err = run("explain", "multinomial.likely", *given, code=2)
    assert (out, err.startswith(f"likely: {message}")) == ("", True)


def test_why_there_are_no_fractions_is_said(run, reviews):
    out, _ = run("explain", "complement.likely", ROW, "--by-hand")
    assert "no probability of the row, so scores are added, and there are no fractions" in " ".join(
        out.split()
    )
