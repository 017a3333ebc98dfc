"""Guarantees about what a model answers: by hand, against scikit-learn, and in its explanations."""

import math
import re
from fractions import Fraction

from likely import Bernoulli, Classifier, Multinomial, open_table, textbook
from likely.examples import path
from likely.prove.guarantee import Finding, Guarantee, farthest, spelled
from likely.prove.rows import labeled, messages

_REVIEW = "predictable with no fun"
_BY_HAND = {"neg": Fraction(3, 49130), "pos": Fraction(4, 121945)}
_CLOSE = 1e-9
_TWELVE_DIGITS = 1e-12


def _by_hand() -> Finding:
    model = Classifier(Multinomial()).fit(open_table(path("reviews.csv")), "label")
    computed = model.by_hand(_REVIEW)
    shown = {str(label): computed.product(place) for place, label in enumerate(model.classes)}
    written = textbook.joint(_REVIEW, textbook.REVIEWS, textbook.multinomial)
    names = {"neg": "-", "pos": "+"}
    (logs,) = model.log_joint([_REVIEW]).tolist()
    difference = farthest([math.exp(log) for log in logs], [*map(float, _BY_HAND.values())])
    holds = (
        list(model.classes) == list(_BY_HAND)
        and shown == _BY_HAND == {label: written[sign] for label, sign in names.items()}
        and difference <= _TWELVE_DIGITS
    )
    fractions = ", ".join(f"P({label}, review) = {share}" for label, share in shown.items())
    return Finding(
        holds,
        f"{fractions}, equal to likely.textbook's; the logarithms a prediction adds up: relative "
        f"difference {spelled(difference)}",
        {
            **{label: str(share) for label, share in shown.items()},
            "largest_relative_difference": difference,
        },
    )


_FRACTIONS = Guarantee(
    "by-hand",
    "What is shown by hand is computed by hand, in fractions",
    _by_hand,
    """\
likely example reviews
likely train reviews.csv --model multinomial -o fun.likely
likely explain fun.likely "predictable with no fun" --by-hand > shown.txt
python -c 'from likely.textbook import *; \\
  print(joint("predictable with no fun", REVIEWS, multinomial))'
python -c 'from fractions import Fraction as F; \\
  print(F(3, 5) * F(2, 34) * F(2, 34) * F(1, 34))' > by_hand.txt
grep -f by_hand.txt shown.txt
""",
)


def _scikit_learn() -> Finding:
    try:
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.naive_bayes import BernoulliNB, MultinomialNB
    except ImportError:
        return Finding(
            None, "skipped: scikit-learn is not installed; `pip install 'likely[sklearn]'`"
        )
    columns, labels = labeled(messages())
    # Both cut such texts at the same places.
    texts = [" ".join(re.findall("[a-z]+", text.lower())) for text in columns["text"]]
    counts = CountVectorizer(token_pattern="[a-z]+").fit_transform(texts)
    difference = 0.0
    for ours, theirs in ((Multinomial(), MultinomialNB()), (Bernoulli(), BernoulliNB())):
        found = Classifier(ours).fit(texts, labels).log_joint(texts)
        expected = theirs.fit(counts, labels).predict_joint_log_proba(counts)
        difference = max(difference, farthest(found.ravel().tolist(), expected.ravel().tolist()))
    return Finding(
        difference <= _TWELVE_DIGITS,
        f"multinomial and Bernoulli, {len(texts)} texts, all classes: largest relative difference "
        f"{spelled(difference)}",
        {"rows": len(texts), "largest_relative_difference": difference},
    )


_SCIKIT_LEARN = Guarantee(
    "scikit-learn",
    "Log-probabilities are those of scikit-learn, to twelve digits",
    _scikit_learn,
    """\
likely example film-sentence
likely train film-sentence.csv --model multinomial -o films.likely
python -c 'import csv, likely; \\
  from sklearn.feature_extraction.text import CountVectorizer; \\
  from sklearn.naive_bayes import MultinomialNB; \\
  texts, labels = zip(*list(csv.reader(open("film-sentence.csv")))[1:]); \\
  counts = CountVectorizer(analyzer=str.split, lowercase=False); \\
  theirs = MultinomialNB().fit(counts.fit_transform(texts), labels); \\
  expected = theirs.predict_joint_log_proba(counts.transform(texts)); \\
  found = likely.load("films.likely").log_joint(texts); \\
  print(abs(found / expected - 1).max()); \\
  assert abs(found / expected - 1).max() < 1e-12'
""",
)


def _explanations() -> Finding:
    rows = messages()[::4]
    columns, _ = labeled(rows)
    model = Classifier().fit(*labeled(messages()))
    difference = 0.0
    for place, probabilities in enumerate(model.predict_proba(columns).tolist()):
        why = model.explain({name: cells[place] for name, cells in columns.items()})
        added = math.fsum(why.log_odds(contribution) for contribution in why.contributions)
        share = dict(zip(model.classes, probabilities, strict=True))
        log_odds = math.log(share[why.prediction]) - math.log(share[why.rival])
        difference = max(difference, abs(added - log_odds))
    return Finding(
        difference <= _CLOSE,
        f"{len(rows)} messages, tuned model: their sum against log P(c | x) / P(rival | x): "
        f"largest difference {spelled(difference)}",
        {"rows": len(rows), "largest_difference": difference},
    )


_EXPLANATIONS = Guarantee(
    "explanations",
    "The contributions of an explanation add up to the log-odds",
    _explanations,
    """\
likely example gullpoint
likely train gullpoint.csv --target office -o offices.likely
likely explain offices.likely "a tree fell on the street" --json > why.json
python -c 'import json, math; \\
  why = json.load(open("why.json")); \\
  p = why["probabilities"]; \\
  log_odds = math.log(p[why["prediction"]] / p[why["against"]]); \\
  added = sum(each["log_odds"] for each in why["contributions"]); \\
  print(added, log_odds); \\
  assert abs(added - log_odds) < 1e-9'
""",
)

GUARANTEES = (_FRACTIONS, _SCIKIT_LEARN, _EXPLANATIONS)
