"""Guarantees about what is learned: exact sums, one file, forgetting, leave-one-out."""

import functools
import hashlib
import operator
import random
from typing import Any

from likely import Categorical, Classifier, Gaussian, Multinomial, textbook
from likely.prove.guarantee import Finding, Guarantee, farthest, spelled
from likely.prove.rows import labeled, messages

_PARTS = 7
_CLOSE = 1e-12
# By column, so that every row is retrained with the same likelihoods.
_PLAIN: dict[str, Any] = {
    "text": Multinomial(),
    "channel": Categorical(),
    "hour": Gaussian(),
    "weather": Categorical(),
    "waited_days": Gaussian(),
}


def sha256(model: Classifier) -> str:
    """The SHA-256 of the file that the model would be saved as."""
    return hashlib.sha256(model.to_bytes()).hexdigest()


def _one_file() -> Finding:
    rows = messages()
    shuffled = random.Random(7).sample(rows, len(rows))
    others = [{**row, "text": row["text"][::-1]} for row in shuffled[:30]]
    plan = Classifier(tune=False).plan(*labeled(rows))
    parts = [Classifier(plan).update(*labeled(shuffled[n::_PARTS])) for n in range(_PARTS)]
    forgetful = Classifier(plan).fit(*labeled(rows + others))
    before = sha256(forgetful)
    forgetful.forget(*labeled(others))
    files = {
        "given": sha256(Classifier(plan).fit(*labeled(rows))),
        "shuffled": sha256(Classifier(plan).fit(*labeled(shuffled))),
        "merged": sha256(functools.reduce(operator.add, parts)),
        "forgotten": sha256(forgetful),
    }
    n = len(set(files.values()))
    measured = (
        f"{len(rows)} messages in order, shuffled, merged from {_PARTS} parts, and after "
        f"{len(others)} more were learned and forgotten: {n} SHA-256"
    )
    is_one = n == 1 and before not in files.values()
    return Finding(is_one, f"{measured}, {files['given'][:16]}…" if is_one else measured, files)


_ONE_FILE = Guarantee(
    "one-sha256",
    "Equal rows give one SHA-256, however they were learned",
    _one_file,
    """\
likely example children
likely plan children.csv --target age --model gaussian -o plan.json
(head -n 1 children.csv; tail -n +2 children.csv | sort -r) > sorted.csv
likely train children.csv --plan plan.json -o given.likely
likely train sorted.csv --plan plan.json -o sorted.likely
for n in 0 1 2 3 4 5 6; do
  awk "NR == 1 || NR % 7 == $n" children.csv > part$n.csv
  likely tally part$n.csv --plan plan.json -o part$n.likely
done
likely merge part?.likely -o merged.likely
likely update given.likely part3.csv -o more.likely
likely forget more.likely part3.csv -o forgotten.likely
sha256sum given.likely sorted.likely merged.likely forgotten.likely
cmp given.likely sorted.likely && cmp given.likely merged.likely \\
  && cmp given.likely forgotten.likely
""",
)


def _threads() -> Finding:
    columns, labels = labeled(messages())
    models = {n: Classifier(threads=n).fit(columns, labels) for n in (1, 2, 5)}
    files = {n: sha256(model) for n, model in models.items()}
    predicted = {n: model.predict_proba(columns).tobytes() for n, model in models.items()}
    holds = len(set(files.values())) == len(set(predicted.values())) == 1
    what = "the same" if holds else "not the same"
    return Finding(
        holds,
        f"1, 2 and 5 threads: {what} file of a tuned model, and {what} {len(labels)} "
        "predictions, bit for bit",
        {str(n): file for n, file in files.items()},
    )


_THREADS = Guarantee(
    "threads",
    "No result depends on the number of threads",
    _threads,
    """\
likely example gullpoint
likely train gullpoint.csv --target office --threads 1 -o one.likely
likely train gullpoint.csv --target office --threads 4 -o four.likely
cmp one.likely four.likely
""",
)


def _tuned_forgets() -> Finding:
    rows = messages()
    gone, rest = rows[::13], [row for n, row in enumerate(rows) if n % 13]
    plan = Classifier().plan(*labeled(rows))
    model = Classifier(plan).fit(*labeled(rows))
    model.forget(*labeled(gone))
    stale = sha256(model)
    never = sha256(Classifier(plan).fit(*labeled(rest)))
    tuned = sha256(model.tune(*labeled(rest)))
    holds = tuned == never != stale
    what = "the file" if holds else "not the file"
    return Finding(
        holds,
        f"{len(gone)} of {len(rows)} messages forgotten, then tuned: {what} of a model that "
        "never saw them",
        {"tuned": tuned, "never_saw": never},
    )


_TUNED_FORGETS = Guarantee(
    "forget",
    "A tuned model forgets without a trace, once it is tuned again",
    _tuned_forgets,
    """\
likely example gullpoint
head -n 2 gullpoint.csv > first.csv
sed 2d gullpoint.csv > others.csv
likely train gullpoint.csv --target office -o town.likely
likely forget town.likely first.csv -o fewer.likely
likely tune fewer.likely others.csv -o tuned.likely
likely train others.csv --target office -o never.likely
cmp tuned.likely never.likely
""",
)


def _leave_one_out() -> Finding:
    rows = messages()
    columns, labels = labeled(rows)
    left_out = Classifier(_PLAIN).fit(columns, labels, loo=True).loo.scores
    difference = 0.0
    for place, row in enumerate(rows):
        others = rows[:place] + rows[place + 1 :]
        retrained = Classifier(_PLAIN).fit(*labeled(others))
        (expected,) = retrained.log_joint(labeled([row])[0]).tolist()
        difference = max(difference, farthest(left_out[place].tolist(), expected))
    return Finding(
        difference <= _CLOSE,
        f"{len(rows)} messages, all classes, closed form against {len(rows)} retrainings: "
        f"largest relative difference {spelled(difference)}",
        {"rows": len(rows), "largest_relative_difference": difference},
    )


_LEAVE_ONE_OUT = Guarantee(
    "leave-one-out",
    "Leave-one-out equals retraining without the row",
    _leave_one_out,
    """\
likely example reviews
likely train reviews.csv --model multinomial -o closed_form.likely
python -c 'import likely; \\
  rows = likely.open_table("reviews.csv"); \\
  loo = likely.load("closed_form.likely").leave_one_out(rows); \\
  print(*loo.probabilities.max(axis=1).round(6), sep="\\n")' > left_out.txt
for n in 2 3 4 5 6; do
  sed "${n}d" reviews.csv > rest.csv
  sed -n "1p;${n}p" reviews.csv > row.csv
  likely train rest.csv --model multinomial -o rest$n.likely > said.txt
  likely predict rest$n.likely row.csv | tail -n 1 | cut -d , -f 4
done > retrained.txt
paste left_out.txt retrained.txt
cmp left_out.txt retrained.txt
""",
)


def _exact_sums() -> Finding:
    near = [1e8 + n / 1000 for n in range(-20, 21)]
    far = [1e300, 1e-300, -1e300]
    xs, labels = [*near, *far, *near], ["a"] * (len(near) + len(far)) + ["b"] * len(near)
    likelihood = Gaussian(floor=0.0)
    forward = sha256(Classifier(likelihood).update({"x": xs}, labels))
    model = Classifier(likelihood).update({"x": xs[::-1]}, labels[::-1])
    backward = sha256(model)
    model.forget({"x": far}, ["a"] * len(far))
    (found,) = model.estimates.values()
    exact = [float(textbook.mean(near)), float(textbook.scatter(near, near) / len(near))]
    difference = farthest([found.means[0, 0], found.deviations[0, 0] ** 2], exact)
    what = "one file" if forward == backward else "two files"
    return Finding(
        forward == backward and difference <= _CLOSE,
        f"numbers up to ±10³⁰⁰, forward and backward: {what}; without the largest, the mean and "
        f"variance of 10⁸ ± 0.02: relative difference {spelled(difference)}",
        {"forward": forward, "backward": backward, "largest_relative_difference": difference},
    )


_EXACT_SUMS = Guarantee(
    "exact-sums",
    "Sums of numbers keep every bit",
    _exact_sums,
    """\
printf "x,size\\n1e300,a\\n1,a\\n1e-300,a\\n-1e300,a\\n2,b\\n5,b\\n" > up.csv
printf "x,size\\n5,b\\n2,b\\n-1e300,a\\n1e-300,a\\n1,a\\n1e300,a\\n" > down.csv
likely train up.csv --target size --model gaussian -o up.likely
likely train down.csv --target size --model gaussian -o down.likely
cmp up.likely down.likely
""",
)

GUARANTEES = (_ONE_FILE, _THREADS, _TUNED_FORGETS, _EXACT_SUMS, _LEAVE_ONE_OUT)
