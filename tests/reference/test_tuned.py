"""The tuned default model against a slow twin of it, which counts anew for every row.

First the twin is given the numbers that the package tuned, and must come to the same probabilities.
Then it finds these numbers itself. Of how they are found it takes nothing from the package but the
settings of views that have a weight, each of which must be as good as the best of those tried.
"""

import math
import random
import statistics
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely.tally import container
from likely.tally.encoded import EncodedLabels

from .tuned_twin import (
    LONG,
    LONG_AND_MANY,
    MS,
    SHORT,
    Category,
    Fit,
    NumberView,
    Reading,
    Tuning,
    Twin,
    View,
    plain_numbers,
)


@dataclass(frozen=True)
class Tuned:
    """What a model of the package was tuned to."""

    columns: dict
    """How each is read."""
    bits: int | None
    """To how many significant bits numbers are rounded, if there are any."""
    tuning: Tuning
    thresholds: dict
    rows: int
    """How many took part, and how probable their labels were, per row."""
    log_likelihood: float

    @classmethod
    def of(cls, model):
        """All that is read of the package's own numbers, from the file that it would write."""
        metadata = container.unpack(model.to_bytes())[0]
        options = metadata["model"]
        columns, bits, texts, numbers, categories = {}, None, {}, [], []
        tuning, schemas = options["tuning"], metadata["schema"]["factors"]
        for factor, found in zip(schemas, tuning["factors"] or [None] * len(schemas), strict=True):
            names, kind = tuple(factor["columns"]), factor["kind"]
            if kind == "number views":
                columns, bits = columns | dict.fromkeys(names, "numeric"), factor["bits"]
                if found is None:
                    numbers += plain_numbers(names)
                else:
                    stored = found["views"]
                    numbers += [NumberView(kind, tuple(own), *rest) for kind, own, *rest in stored]
                continue
            (name,) = names
            if kind == "text":
                chars = factor["char_ngrams"]
                columns[name] = Reading(factor["word_ngrams"][1], chars and tuple(chars))
                plain = [["word", "multinomial", 1.0, 1, 1.0, 0.0]]
                texts[name] = [View(*view) for view in (plain if found is None else found["views"])]
            else:
                assert kind == "categories"
                columns[name] = "categorical"
                one = {"missing": None, "weight": 1.0} if found is None else found
                categories.append(Category(name, one["missing"] or "skip", one["weight"]))
        nothing = {"own": 1.0, "others": 0.0, "offsets": [], "thresholds": []}
        labels = options.get("multilabel", nothing)
        rivalry = labels["own"], labels["others"], dict(labels["offsets"])
        found = Tuning(texts, numbers, categories, dict(tuning["bias"]), *rivalry)
        thresholds = dict(labels["thresholds"])
        return cls(columns, bits, found, thresholds, tuning["rows"], tuning["log_likelihood"])


# Rows


@dataclass(frozen=True)
class Task:
    """Rows of a made-up language: words that each class likes, and words that all use."""

    seed: int
    rows: int = 30
    classes: int = 2
    words: tuple[int, int] = (2, 9)
    columns: tuple[str, ...] = ("text",)
    is_multilabel: bool = False
    repeats: int = 3
    """How many rows repeat the text of another, a third of them under another label."""
    lonely: bool = False
    """Whether some class has one row."""
    signal: int = 1
    """Whether numbers and categories have anything to do with the class: 1 or 0."""

    def made(self):
        """A table, labels, and new rows without."""
        chance = random.Random(f"task {self.seed}")
        names = [f"c{n}" for n in range(self.classes)]
        common = [self._word(chance) for _ in range(25)]
        liked = {name: [self._word(chance) for _ in range(8)] for name in names}

        def text(own):
            pool = [word for name in own for word in liked[name]] or common
            said = []
            for _ in range(chance.randint(*self.words)):
                word = chance.choice(pool if chance.random() < 0.35 else common)
                said.append(word.upper() if chance.random() < 0.1 else word)
                said[-1] += chance.choice(["", "", "", "", ",", "!", "...", "!?"])
            return " ".join(said)

        numbers = random.Random(f"numbers {self.seed}")

        def row(own):
            place = self.signal * sum(map(names.index, own))
            size, noise = numbers.gauss(place, 1.5), numbers.gauss(0, 0.5)
            made = {
                "text": lambda: text(own),
                "title": lambda: text(own)[:20],
                "size": lambda: chance.choice([None, *[round(size, 2)] * 9]),
                "flat": lambda: chance.choice([0.25, 0.5 + place]),
                "colour": lambda: chance.choice(["red", "green", "blue", None, f"hue {place}"]),
                # Classes differ in how width and height go with each other.
                "height": lambda: round(size, 3),
                "width": lambda: round((-size if place == 1 else size) + noise, 3),
                "twice": lambda: round(2 * size, 3),
                "moment": lambda: 1.7e9 + round(86400 * numbers.random() ** (1 + place)),
                "gap": lambda: None if numbers.random() < 0.1 + place / 2 else round(noise, 1),
                "shade": lambda: None if numbers.random() < 0.1 + place / 2 else "dark",
                "same": lambda: 3.5,
                **{name: lambda: numbers.randint(0, 3) + place for name in MANY},
            }
            return {column: made[column]() for column in self.columns}

        def label():
            if not self.is_multilabel:
                return (chance.choice(names),)
            return tuple(name for name in names if chance.random() < 0.4)

        labels = [label() for _ in range(self.rows)]
        labels[: self.classes] = [(name,) for name in names]
        table = [row(own) for own in labels]
        for n in range(self.repeats):
            source, here = chance.sample(range(self.classes, self.rows), 2)
            table[here]["text"] = table[source]["text"]
            labels[here] = labels[source] if n % 3 else labels[here]
        if self.lonely:
            labels[-1] = ("zz",)
        new = [row(label()) for _ in range(8)]
        if "text" in self.columns:
            new[0]["text"] += " never Seen before: 7,5"
            new[1]["text"] = ""
            if any(map(str.isalpha, table[1]["text"])):
                # Like another text, but not the same: it stays where the other leaves.
                table[0]["text"] = table[1]["text"].upper() + " "
        if not self.is_multilabel:
            labels = [own for (own,) in labels]
        return _by_column(self.columns, table), _by_column(self.columns, new), labels

    @staticmethod
    def _word(chance):
        letters = [chance.choice("abdeiknorst") for _ in range(chance.randint(1, 6))]
        word = "".join(letters)
        kinds = [word, word, word, word, f"{word}'s", f"{word}2", f"{chance.randint(1, 99)}"]
        return chance.choice([*kinds, "3.14", f"{word}-{letters[0]}", f"({word})"])


def _by_column(columns, rows):
    return {name: [row[name] for row in rows] for name in columns}


PHRASES = (150, 190)
LINES = (55, 75)
TABLE = ("text", "size", "colour", "flat")
MANY = tuple(f"n{place}" for place in range(65))
TABLES = [
    ("text",),
    ("text", "title"),
    TABLE,
    ("colour", "text", "size"),
    ("size",),
    ("size", "flat", "gap"),
    ("height", "width", "moment", "same"),
    ("height", "twice", "shade", "gap"),
]

TASKS = {
    "two classes": Task(1),
    "two classes again": Task(2, rows=36, words=(1, 5), repeats=6),
    "three classes": Task(3, classes=3),
    "five classes and a lonely row": Task(4, rows=40, classes=5, lonely=True),
    "long texts": Task(5, rows=16, words=PHRASES),
    "long texts of three classes": Task(6, rows=18, classes=3, words=PHRASES),
    "a table of two classes": Task(7, columns=TABLE),
    "a table of three classes": Task(8, rows=32, classes=3, columns=TABLE, repeats=5),
    "two texts": Task(9, rows=24, columns=("text", "title", "size")),
    # Weights are given up where they cost more than two standard errors: here 2.2, and 1.96.
    "repeated texts": Task(168, rows=40, words=(1, 4), repeats=30),
    "repeated texts again": Task(0, rows=40, words=(1, 4), repeats=30),
    "no text": Task(10, columns=("size", "colour", "flat"), repeats=0),
    "one number": Task(20, columns=("size",), repeats=0),
    "numbers": Task(21, rows=40, columns=("height", "width", "moment"), repeats=0),
    "numbers of three classes": Task(22, 36, 3, columns=("height", "width", "same"), repeats=0),
    "collinear numbers": Task(200, columns=("height", "twice", "gap"), repeats=0, lonely=True),
    "gaps": Task(24, columns=("gap", "shade", "size"), repeats=0),
    "more numbers than have covariances": Task(25, rows=14, columns=MANY, repeats=0),
    "chance": Task(300, columns=("height", "width", "colour"), repeats=0, signal=0),
    # The evidence is larger than that of the prior by 0.007, and smaller by 0.005.
    "just enough evidence": Task(415, rows=24, columns=("size", "colour"), repeats=0),
    "just too little evidence": Task(534, rows=24, columns=("size", "colour"), repeats=0),
    "any of two labels": Task(11, is_multilabel=True),
    "any of four labels": Task(12, rows=36, classes=4, is_multilabel=True, repeats=5),
    # One imagined row less, or one more, would move thresholds.
    "any of five labels": Task(206, rows=24, classes=5, is_multilabel=True, repeats=2),
    "any of five labels again": Task(207, rows=24, classes=5, is_multilabel=True, repeats=2),
    "any of three labels, longer texts": Task(13, 18, 3, words=LINES, is_multilabel=True),
    "any of three labels of a table": Task(14, 24, 3, columns=TABLE, is_multilabel=True),
    "any of two labels of numbers": Task(
        504, 36, columns=("height", "width", "gap", "shade"), is_multilabel=True, repeats=0
    ),
    "labels by chance": Task(
        15, columns=("height", "gap", "shade", "moment"), is_multilabel=True, repeats=0
    ),
}

KINDS = {
    "text": "text",
    "title": "text",
    "size": "numeric",
    **dict.fromkeys(("flat", "height", "width", "twice", "moment", "gap", "same"), "numeric"),
    **dict.fromkeys(MANY, "numeric"),
    "colour": "categorical",
    "shade": "categorical",
}


class Case:
    """A model of the package, fit to a task, and its twin."""

    def __init__(self, task):
        table, new, self.y = task.made()
        self.x, self.new, kinds = table, new, {name: KINDS[name] for name in task.columns}
        if task.columns == ("text",):
            self.x, self.new, kinds = table["text"], new["text"], {}
        self.model = likely.Classifier(columns=kinds).fit(self.x, self.y)
        self.tuned = Tuned.of(self.model)
        self.tuning, columns = self.tuned.tuning, self.tuned.columns
        # The one column of a list of texts has a name of the package's.
        named = dict(zip(columns, table.values(), strict=True)) if not kinds else table
        self.new_rows = [
            dict(zip(named, cells, strict=True)) for cells in zip(*new.values(), strict=True)
        ]
        labels = [frozenset(own) for own in self.y] if task.is_multilabel else self.y
        self.twin = Twin({name: columns[name] for name in named}, named, labels)

    @cached_property
    def fit(self):
        return Fit(self.twin, Tuning() if self.is_plain else self.tuning)

    @property
    def is_plain(self):
        """Whether the package kept plain Naive Bayes."""
        return not self.tuning.bias

    def check_new(self):
        """New rows have the scores and probabilities of the twin."""
        scores = [self.twin.scores(self.tuning, cells) for cells in self.new_rows]
        self._check_probabilities(self.model.predict_proba(self.new), scores)
        for n, cells in enumerate(self.new_rows):
            said = self.model.explain(self.new[n] if isinstance(self.new, list) else cells)
            if self.twin.is_multilabel:
                close(said.log_odds, self.twin.log_odds(self.tuning, scores[n]), self.near)
            else:
                close(said.scores, scores[n], self.near)

    def check_left_out(self, alone):
        """Learned rows have those of the twin that counts the others."""
        scores = [self.twin.scores_left_out(self.tuning, n, alone) for n in self.twin.rows]
        found = self.model.leave_one_out(self.x, self.y, alone=alone)
        assert found.classes == tuple(self.twin.classes)
        close(found.scores, scores, self.near)
        self._check_probabilities(found.probabilities, scores)
        if not alone:
            # A difference of weighted sums, or a weighted sum of differences.
            near = self.near if self.twin.is_multilabel and self.twin.numeric else 0.0
            close(self.model.loo.probabilities, found.probabilities, near)

    def _check_probabilities(self, found, scores):
        expected = [self.twin.probabilities(self.tuning, row) for row in scores]
        close(found, expected, self.near)

    @property
    def near(self):
        # Of log-densities in the millions, as rows have that are far from all others, digits go.
        return 1e-9 + 1e-15 * self.twin.farthest


@cache
def case_of(name):
    return Case(TASKS[name])


PLAIN = "repeated texts"
PRIOR_ALONE = ["one number", "chance", "just too little evidence", "labels by chance"]
LABELS = [name for name, task in TASKS.items() if task.is_multilabel]


@pytest.fixture(params=TASKS)
def case(request):
    return case_of(request.param)


@pytest.fixture(params=[name for name in TASKS if name not in (PLAIN, *PRIOR_ALONE)])
def weighed_case(request):
    return case_of(request.param)


@pytest.fixture(params=[name for name, task in TASKS.items() if "text" not in task.columns])
def textless_case(request):
    return case_of(request.param)


@pytest.fixture(params=[name for name in TASKS if name not in LABELS])
def one_label_case(request):
    return case_of(request.param)


@pytest.fixture(params=LABELS)
def labels_case(request):
    return case_of(request.param)


def close(ours, theirs, near=1e-9):
    np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=near, atol=near)


# Scores


@pytest.mark.parametrize("alone", [False, True])
def test_learned_rows_have_the_probabilities_of_the_twin_that_counts_the_others(case, alone):
    case.check_left_out(alone)


def test_new_rows_have_the_probabilities_of_the_twin(case):
    case.check_new()


def test_without_tuning_rows_have_the_probabilities_of_plain_naive_bayes(one_label_case):
    twin, tuning = one_label_case.twin, one_label_case.fit.plain()
    scores = [twin.scores(tuning, cells) for cells in one_label_case.new_rows]
    expected = [twin.probabilities(tuning, row) for row in scores]
    close(one_label_case.model.plain().predict_proba(one_label_case.new), expected)


def test_the_most_probable_is_said_and_labels_from_their_threshold_on(case):
    found = case.model.predict_proba(case.new)
    said, classes = case.model.predict(case.new), case.twin.classes
    if case.twin.is_multilabel:
        bars = [case.tuned.thresholds[label] for label in classes]
        pairs = [zip(classes, row >= bars, strict=True) for row in found]
        assert said == [[label for label, is_said in row if is_said] for row in pairs]
    else:
        assert said.tolist() == [classes[place] for place in found.argmax(axis=1)]


def test_texts_are_read_by_their_length(case):
    for name in case.twin.texts:
        length = statistics.median(map(len, case.twin.table[name]))
        is_long = length > (300 if case.twin.is_multilabel else 800)
        long = LONG_AND_MANY if case.twin.is_multilabel else LONG
        assert case.twin.columns[name] == (long if is_long else SHORT)


def test_numbers_are_rounded_to_as_many_bits_as_tell_them_apart(textless_case):
    assert textless_case.tuned.bits == textless_case.twin.bits


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(8, 16),
    classes=st.integers(2, 5),
    words=st.sampled_from([(0, 2), (1, 1), (1, 4), (2, 9)]),
    columns=st.sampled_from(TABLES),
    is_multilabel=st.booleans(),
    repeats=st.integers(0, 16),
    lonely=st.booleans(),
)
def test_any_rows_have_the_probabilities_of_the_twin(
    columns, is_multilabel, lonely, repeats, **options
):
    task = Task(
        columns=columns,
        is_multilabel=is_multilabel,
        lonely=lonely and not is_multilabel,
        repeats=repeats if "text" in columns else 0,
        **options,
    )
    case = Case(task)
    case.check_new()
    case.check_left_out(alone=False)
    case.check_left_out(alone=True)


# Weights


def test_rows_that_leave_none_of_their_class_take_no_part_in_the_fit(case):
    assert case.tuned.rows == len(case.fit.scored)


def test_no_smoothing_makes_labels_more_probable_than_the_one_chosen(weighed_case):
    fit, is_multilabel = weighed_case.fit, weighed_case.twin.is_multilabel
    for name, views in weighed_case.tuning.views.items():
        for view in views:
            tried = fit.tried(name, view)
            chosen = tried[replace(view, whole=0.0, rooted=0.0)]
            others = list(tried.values())
            if is_multilabel:
                # Occurrences or presence, whichever is better.
                others += fit.tried(name, replace(view, model="multinomial")).values()
                others += fit.tried(name, replace(view, model="binary-multinomial")).values()
            elif view.model == "binary-multinomial":
                others += fit.tried(name, replace(view, min_documents=1)).values()
                others += fit.tried(name, replace(view, min_documents=2)).values()
            assert chosen > max(others) - 1e-6
    for view in weighed_case.tuning.numbers:
        if view.kind == "bins":
            tried = fit.tried_numbers(view)
            assert tried[replace(view, weight=0.0)] > max(tried.values()) - 1e-6
    for category in weighed_case.tuning.categories:
        tried = fit.tried_category(category.column)
        assert tried[replace(category, weight=0.0)] > max(tried.values()) - 1e-6


def test_every_choice_is_the_best_somewhere():
    """So that a choice that is not offered, or another one, would be noticed."""
    views = [view for name in TASKS for view in case_of(name).tuning.numbers]
    categories = [one for name in TASKS for one in case_of(name).tuning.categories if one.weight]
    assert {view.kind for view in views} == {"bins", "shared", "full"}
    assert {view.m for view in views if view.kind == "bins"} == set(MS)
    assert {view.missing for view in views if view.kind == "bins"} == {"skip", "value"}
    assert {one.missing for one in categories} == {"skip", "value"}


def check_best(problem, found):
    best = problem.best()
    assert problem.at_most_above(best) < 1e-9
    assert problem.objective(found) > problem.objective(best) - 1e-6
    assert max(problem.gains(found).values()) < 1e-6


def test_no_weights_make_left_out_labels_more_probable_than_those_found(weighed_case):
    fit = weighed_case.fit
    found = fit.parameters(weighed_case.tuning)
    check_best(fit.weighing, found)
    reached = fit.weighing.likelihood(found) / len(fit.scored)
    assert weighed_case.tuned.log_likelihood == pytest.approx(reached, abs=1e-4)


def test_the_prior_alone_is_kept_where_the_evidence_is_no_larger(textless_case):
    fit, tuning = textless_case.fit, textless_case.tuning
    is_silent = not any(fit.parameters(tuning))
    assert fit.is_by_prior_alone == is_silent
    if is_silent:
        reached = fit.log_prior / len(fit.scored)
        assert textless_case.tuned.log_likelihood == pytest.approx(reached, abs=1e-9)


def test_what_is_decided_by_the_prior_alone_is_still_so():
    silent = [name for name in TASKS if not any(case_of(name).tuning.bias.values())]
    assert [name for name in silent if name != PLAIN] == PRIOR_ALONE


def test_the_evidence_is_the_objective_less_half_the_log_determinant(one_label_case):
    problem = one_label_case.fit.weighing
    truth = EncodedLabels(np.array([own for (own,) in problem.truth], dtype=np.uint32))
    kinds = [np.array(scores) for scores in problem.kinds]
    start = problem.start[: len(kinds)]
    # The search ends where a step promises less than 1e-8; the curvature is less exact than that.
    found = truth.fit_weights(kinds, np.array(problem.prior), start, True, 1)
    assert found.evidence == pytest.approx(problem.evidence(one_label_case.fit.best), abs=1e-4)


def test_plain_naive_bayes_is_kept_where_weights_make_it_worse(one_label_case):
    fit, tuning = one_label_case.fit, one_label_case.tuning
    found = fit.tuning(fit.best) if one_label_case.is_plain else tuning
    assert fit.is_worse_than_plain(found) == one_label_case.is_plain


def test_what_is_plain_is_naive_bayes_of_words():
    case = case_of(PLAIN)
    assert case.tuning == case.fit.plain()
    reached = []
    for row, (own,) in enumerate(case.twin.truth):
        scores = case.twin.scores_left_out(case.tuning, row, alone=True)
        reached.append(math.log(case.twin.probabilities(case.tuning, scores)[own]))
    found = case.tuned.log_likelihood
    assert found == pytest.approx(statistics.fmean(reached), abs=1e-9)


# Any number of labels


def test_labels_are_rivals_as_far_as_left_out_rows_say(labels_case):
    tuning = labels_case.tuning
    offsets = [tuning.offsets[label] for label in labels_case.twin.classes]
    problem = labels_case.fit.rivalry(tuning)
    check_best(problem, [tuning.own, tuning.others, *offsets])


def test_no_threshold_has_a_better_f1(labels_case):
    found = labels_case.tuned.thresholds
    for label, by_threshold in labels_case.fit.f1_by_threshold(labels_case.tuning).items():
        assert by_threshold[found[label]] == pytest.approx(max(by_threshold.values()), abs=1e-12)
