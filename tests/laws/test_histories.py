"""Whatever a model has been through, it is the model of the rows it has learned.

A machine makes up histories: rows come and go, models are weighed, copied, added, saved, refuse
what they are given, are interrupted anywhere. Beside the model it keeps a list of the rows that the
model should have learned, and asks a fresh model of these what is right.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from likely import Categorical, Classifier, Dates, Gaussian, Multinomial, Rule, Rules
from likely.classifier import from_bytes
from likely.errors import LikelyError, ModelError, NotFittedError, NotLearnedError
from likely.model.adjust.group_thresholds import GroupThresholds

from ..interrupting import interrupted

WORDS = ["goal", "vote", "match", "judge", "late", "a", "the", "not"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
NUMBERS = st.sampled_from([0.0, 0.1, -2.5, 1.0, 3.0, 1e8 + 1e-3, 7.25])
LABELS = st.sampled_from(["law", "sport", "art"])
SETS = st.lists(LABELS, max_size=2, unique=True).map(sorted).map(tuple)
DATES = st.sampled_from(["2024-03-05", "2024-03-12", "2023-12-31T23:59", None])
CELLS = {
    **{"t": TEXTS, "a": NUMBERS, "b": NUMBERS},
    **{"c": st.sampled_from(["u", "v", None]), "d": DATES},
}

# What no model has learned, and what no column of the kind can hold.
STRANGER = {"t": "stranger", "a": 999.5, "b": 999.5, "c": "w", "d": "1999-01-01"}
MORE = ["a goal", "the match", "vote, judge", "match, striker"]
RULES = Rules([Rule("prize", "law", column="t", words=["lottery"])])


@dataclass(frozen=True)
class Kind:
    """A way to make models, and what their rows are."""

    name: str
    columns: str
    options: dict[str, Any] = field(default_factory=dict)
    is_multilabel: bool = False
    tuned: bool = False
    examples: int = 45

    @property
    def chooses(self):
        """Whether `fit` chooses anything on rows, such as weights and thresholds."""
        return self.tuned or "thresholds" in self.options

    def make(self, **options):
        return Classifier(**self.options, **options)

    def rows(self, drawn):
        """Rows as a model takes them: texts as a list, all else as a table."""
        labels = [list(label) if self.is_multilabel else label for _, label in drawn]
        if self.columns == "t":
            return [cells["t"] for cells, _ in drawn], labels
        return {name: [cells[name] for cells, _ in drawn] for name in self.columns}, labels


COSTS = {("law", "sport"): 4, ("sport", "law"): 0.5}
STRICT = {"law": "precision>=0.9"}
BY_COLUMN = {"t": Multinomial(), "a": Gaussian(), "c": Categorical(), "d": Dates()}
AS_NAMED = {"t": "text", "a": "numeric", "c": "short text", "d": "date"}
KINDS = [
    Kind("texts", "t", {"likelihood": Multinomial()}),
    Kind("texts of several labels", "t", {"likelihood": Multinomial()}, is_multilabel=True),
    Kind("numbers", "ab", {"likelihood": {("a", "b"): Gaussian("full")}}),
    Kind("mixed columns", "tacd", {"likelihood": BY_COLUMN}),
    Kind("texts, weighed", "t", {}, tuned=True, examples=20),
    Kind("texts of several labels, weighed", "t", {}, is_multilabel=True, tuned=True, examples=20),
    Kind("mixed columns, weighed", "tacd", {"columns": AS_NAMED}, tuned=True, examples=20),
    Kind("texts with costs", "t", {"likelihood": Multinomial(), "costs": COSTS}),
    Kind("texts with a threshold", "t", {"likelihood": Multinomial(), "thresholds": STRICT}),
    Kind("texts, weighed, with a threshold", "t", {"thresholds": STRICT}, tuned=True, examples=20),
]


def outcome(act):
    """What came of it: a model, or the kind of error."""
    try:
        return act()
    except LikelyError as error:
        return type(error)


def file(model):
    """The digest of a model's file, if it has learned anything."""
    try:
        return hashlib.sha256(model.to_bytes()).hexdigest()
    except NotFittedError:
        return None


def state(model):
    """All that a model shows of itself."""
    return {
        "file": file(model),
        "loo": model.has_loo,
        "repr": repr(model),
        "likelihood": repr(model.likelihood),
        "classes": model.classes,
        "learned": str(model.learned),
        "choices": repr(model.column_roles),
        "stale": model.is_stale,
        "learns": model.learns,
    }


def drawn(most):
    """Some rows, each with a single label and with several."""
    cells = st.fixed_dictionaries(CELLS)
    return st.lists(st.tuples(cells, st.tuples(LABELS, SETS)), min_size=1, max_size=most)


class Histories(RuleBasedStateMachine):
    kind: Kind

    @initialize()
    def begin(self):
        self.given = repr(self.kind.options)
        self.options = {}
        self.model = self.kind.make()
        # The rows learned; None if not whole rows were, but shares of them.
        self.rows = []
        # Whether anything was chosen on rows, such as weights and thresholds.
        self.chosen = False
        # Models that were made of this one, and are to stay as they are.
        self.aside = []

    def fresh(self):
        return self.kind.make(**self.options)

    @property
    def is_fitted(self):
        return file(self.model) is not None

    @property
    def can_learn(self):
        return self.model.learns and self.rows is not None

    def unchanged(self, errors, act, *args, **named):
        """A call is refused, and everything is as it was."""
        before = state(self.model)
        with pytest.raises(errors):
            act(*args, **named)
        assert state(self.model) == before

    # Learning

    def of_kind(self, drawn):
        """Drawn rows, with the labels that rows of this kind have."""
        return [
            (cells, is_multilabel if self.kind.is_multilabel else single)
            for cells, (single, is_multilabel) in drawn
        ]

    def seen(self, rows):
        """Rows as a ledger tells them apart."""
        return Counter(
            (tuple(cells[name] for name in self.kind.columns), label) for cells, label in rows
        )

    def after_fit(self, rows, expected):
        self.rows, self.chosen = list(rows), self.kind.chooses
        assert state(self.model) == state(expected)

    def after_parts(self, expected):
        self.rows = None
        assert state(self.model) == state(expected)

    def after_change(self, rows):
        """Rows were learned or forgotten."""
        self.rows = list(rows)
        if not rows:
            return
        expected = outcome(lambda: self.fresh().update(*self.kind.rows(rows)))
        assert self.model.digest == expected.digest
        assert self.model.classes == expected.classes
        if not self.chosen:
            assert self.model.to_bytes() == expected.to_bytes()

    @rule(rows=drawn(7))
    def fit(self, rows):
        rows = self.of_kind(rows)
        expected = outcome(lambda: self.fresh().fit(*self.kind.rows(rows)))
        if isinstance(expected, type):
            self.unchanged(expected, self.model.fit, *self.kind.rows(rows))
        else:
            self.model.fit(*self.kind.rows(rows))
            self.after_fit(rows, expected)

    @precondition(lambda self: self.kind.columns == "t")
    @rule(rows=drawn(6), weight=st.sampled_from([0.5, 1, "auto"]))
    def fit_with_unlabeled_rows(self, rows, weight):
        rows = self.of_kind(rows)
        more = {"unlabeled": MORE, "unlabeled_weight": weight}
        expected = outcome(lambda: self.fresh().fit(*self.kind.rows(rows), **more))
        if isinstance(expected, type):
            self.unchanged(expected, self.model.fit, *self.kind.rows(rows), **more)
        else:
            self.model.fit(*self.kind.rows(rows), **more)
            if expected.learned.weight:
                self.after_parts(expected)
            else:
                self.after_fit(rows, expected)

    @precondition(lambda self: self.can_learn)
    @rule(rows=drawn(3))
    def update(self, rows):
        rows = self.of_kind(rows)
        self.model.update(*self.kind.rows(rows))
        self.after_change(self.rows + rows)

    @precondition(lambda self: self.can_learn and self.rows)
    @rule(data=st.data())
    def forget(self, data):
        places = st.lists(st.integers(0, len(self.rows) - 1), min_size=1, max_size=3, unique=True)
        gone = data.draw(places)
        self.model.forget(*self.kind.rows([self.rows[place] for place in gone]))
        self.after_change([row for place, row in enumerate(self.rows) if place not in gone])

    @precondition(lambda self: self.can_learn and self.rows)
    @rule(rows=drawn(3))
    def update_then_forget(self, rows):
        rows = self.kind.rows(self.of_kind(rows))
        before, digest = self.model.to_bytes(), self.model.digest
        self.model.update(*rows)
        self.model.forget(*rows)
        assert self.model.digest == digest
        if not self.chosen:
            assert self.model.to_bytes() == before

    @precondition(lambda self: self.can_learn and self.rows)
    @rule()
    def tune(self):
        rows = self.kind.rows(self.rows)
        expected = outcome(lambda: self.fresh().update(*rows).tune(*rows))
        if isinstance(expected, type):
            self.unchanged(expected, self.model.tune, *rows)
        else:
            self.model.tune(*rows)
            self.chosen = True
            assert self.model.to_bytes() == expected.to_bytes()
            assert not self.model.is_stale

    # Made of it

    def keep(self, copy):
        """Set a model aside that is not to change any more; the last few are looked at."""
        self.aside = [*self.aside[-2:], (copy, state(copy))]

    @precondition(lambda self: self.is_fitted)
    @rule(
        way=st.sampled_from(
            ["rules", "thresholds", "decision", "neutral", "unweighed", "prior", "compact"]
        ),
    )
    def copy(self, way):
        ways = {
            "rules": lambda: self.model.with_rules(RULES),
            "thresholds": lambda: self.model.with_group_thresholds(
                GroupThresholds("c", "law", {"u": 0.9})
            ),
            "decision": lambda: self.model.with_decision(costs=COSTS),
            "neutral": lambda: self.model.with_neutral(["criterion"]),
            "unweighed": lambda: self.model.plain(),
            "prior": lambda: self.model.with_prior("uniform"),
            "compact": lambda: self.model.compact(),
        }
        before = state(self.model)
        copy = outcome(ways[way])
        assert state(self.model) == before
        if isinstance(copy, Classifier):
            assert copy.digest == self.model.digest
            self.keep(copy)

    @precondition(lambda self: self.is_fitted)
    @rule(prior=st.sampled_from(["uniform", "empirical+1", "empirical"]))
    def go_on_under_another_prior(self, prior):
        before = state(self.model)
        copy = self.model.with_prior(prior)
        assert state(self.model) == before
        self.keep(self.model)
        self.model, self.options = copy, {"prior": prior}

    @precondition(lambda self: self.is_fitted)
    @rule()
    def go_on_with_a_compact_copy(self):
        before = state(self.model)
        copy = self.model.compact()
        assert state(self.model) == before
        self.keep(self.model)
        self.model = copy

    @precondition(lambda self: self.is_fitted)
    @rule(rows=drawn(3))
    def a_copy_learns(self, rows):
        """What a model that was made of it goes through does not reach it."""
        rows, before = self.kind.rows(self.of_kind(rows)), state(self.model)
        copy = self.model.with_prior("uniform")
        outcome(lambda: copy.update(*rows))
        outcome(lambda: copy.tune(*rows))
        outcome(lambda: copy.fit(*rows))
        assert state(self.model) == before

    @precondition(lambda self: self.is_fitted)
    @rule(rows=drawn(4), go_on=st.booleans())
    def add(self, rows, go_on):
        rows = self.of_kind(rows)
        other = outcome(lambda: self.fresh().fit(*self.kind.rows(rows)))
        if isinstance(other, type):
            return
        before = state(self.model), state(other)
        there = outcome(lambda: self.model + other)
        back = outcome(lambda: other + self.model)
        assert before == (state(self.model), state(other))
        if isinstance(there, type) or isinstance(back, type):
            assert there == back
            return
        assert there.to_bytes() == back.to_bytes()
        self.keep(other)
        if go_on and self.can_learn:
            self.keep(self.model)
            self.model, self.chosen = there, self.chosen or self.kind.chooses
            self.after_change(self.rows + rows)

    @precondition(lambda self: self.is_fitted)
    @rule(rows=drawn(3), go_on=st.booleans())
    def save_and_load(self, rows, go_on):
        asked, _ = self.kind.rows(self.of_kind(rows))
        before = self.model.to_bytes()
        loaded = from_bytes(before)
        assert loaded.to_bytes() == before
        for name in ("predict_proba", "predict"):
            said = [outcome(partial(getattr(m, name), asked)) for m in (self.model, loaded)]
            assert repr(said[0]) == repr(said[1])
        assert self.model.to_bytes() == before
        self.keep(loaded)
        # A file tells which likelihoods there are, not that they were picked.
        if go_on and not self.kind.tuned and not self.chosen:
            self.model = from_bytes(before)

    @precondition(lambda self: self.rows)
    @rule(rows=drawn(3))
    def observe(self, rows):
        before, rows = state(self.model), self.kind.rows(self.of_kind(rows))
        outcome(lambda: self.model.observe(*rows))
        assert state(self.model) == before

    # Refused

    @precondition(lambda self: self.is_fitted)
    @rule(rows=drawn(3), call=st.sampled_from(["fit", "update", "forget", "tune", "observe"]))
    def labels_are_missing(self, rows, call):
        x, y = self.kind.rows(self.of_kind(rows))
        self.unchanged(LikelyError, getattr(self.model, call), x, y[:-1])
        self.unchanged(LikelyError, getattr(self.model, call), x)

    @precondition(lambda self: self.is_fitted)
    @rule(rows=drawn(3), call=st.sampled_from(["update", "forget", "tune"]))
    def columns_are_wrong(self, rows, call):
        _, y = self.kind.rows(self.of_kind(rows))
        self.unchanged(LikelyError, getattr(self.model, call), {"z": ["x"] * len(y)}, y)

    @precondition(lambda self: self.is_fitted and self.rows and "a" in self.kind.columns)
    @rule(rows=drawn(3), call=st.sampled_from(["fit", "update", "forget", "observe"]))
    def a_cell_is_no_number(self, rows, call):
        rows = [*self.of_kind(rows), *self.of_kind(rows)[:1]]
        x, y = self.kind.rows(rows)
        x["a"][-1] = "much"
        self.unchanged(LikelyError, getattr(self.model, call), x, y)

    @precondition(lambda self: self.is_fitted)
    @rule(rows=drawn(3), call=st.sampled_from(["update", "forget", "tune"]))
    def labels_are_of_another_kind(self, rows, call):
        x, y = self.kind.rows(self.of_kind(rows))
        other = ["law" for _ in y] if self.kind.is_multilabel else [["law"] for _ in y]
        self.unchanged((LikelyError, TypeError), getattr(self.model, call), x, other)

    @precondition(lambda self: self.is_fitted and self.can_learn)
    @rule(rows=drawn(3))
    def strangers_cannot_be_forgotten(self, rows):
        known = self.of_kind(rows)
        stranger = (STRANGER, ("law",) if self.kind.is_multilabel else "law")
        self.unchanged(NotLearnedError, self.model.forget, *self.kind.rows([*known, stranger]))
        if not self.seen(known) <= self.seen(self.rows):
            self.unchanged(NotLearnedError, self.model.forget, *self.kind.rows(known))

    @precondition(lambda self: self.is_fitted and not self.can_learn)
    @rule(rows=drawn(3), call=st.sampled_from(["update", "forget"]))
    def what_cannot_learn_says_so(self, rows, call):
        rows = self.kind.rows(self.of_kind(rows))
        self.unchanged(ModelError, getattr(self.model, call), *rows)

    @precondition(lambda self: self.is_fitted)
    @rule()
    def no_such_prior(self):
        self.unchanged(LikelyError, self.model.with_prior, {"law": 2.0})
        self.unchanged(LikelyError, self.model.with_prior, "by guess")

    @rule()
    def nothing_to_learn_from(self):
        x, y = self.kind.rows([])
        self.unchanged(LikelyError, self.model.fit, x, y)
        self.unchanged(LikelyError, self.model.fit, x, y, unlabeled=MORE)

    # Interrupted

    @rule(rows=drawn(5), at=st.integers(0, 150))
    def interrupted_fit(self, rows, at):
        rows = self.of_kind(rows)
        expected = outcome(lambda: self.fresh().fit(*self.kind.rows(rows)))
        if isinstance(expected, type):
            return
        before = state(self.model)
        if interrupted(lambda: self.model.fit(*self.kind.rows(rows)), at):
            assert state(self.model) == before
        else:
            self.after_fit(rows, expected)

    @precondition(lambda self: self.kind.columns == "t" and not self.kind.is_multilabel)
    @rule(rows=drawn(4), at=st.integers(0, 400))
    def interrupted_fit_with_unlabeled_rows(self, rows, at):
        rows = self.kind.rows(self.of_kind(rows))
        more = {"unlabeled": MORE, "unlabeled_weight": 1}
        expected = outcome(lambda: self.fresh().fit(*rows, **more))
        if isinstance(expected, type):
            return
        before = state(self.model)
        if interrupted(lambda: self.model.fit(*rows, **more), at):
            assert state(self.model) == before
        else:
            self.after_parts(expected)

    @precondition(lambda self: self.can_learn and self.rows)
    @rule(rows=drawn(3), at=st.integers(0, 30))
    def interrupted_update_and_forget(self, rows, at):
        rows = self.of_kind(rows)
        before = state(self.model)
        if interrupted(lambda: self.model.update(*self.kind.rows(rows)), at):
            assert state(self.model) == before
            return
        self.after_change(self.rows + rows)
        before = state(self.model)
        if interrupted(lambda: self.model.forget(*self.kind.rows(rows)), at):
            assert state(self.model) == before
        else:
            self.after_change(self.rows[: -len(rows)])

    @precondition(lambda self: self.can_learn and self.rows)
    @rule(at=st.integers(0, 150))
    def interrupted_refit(self, at):
        rows = self.kind.rows(self.rows)
        expected = outcome(lambda: self.fresh().update(*rows).tune(*rows))
        if isinstance(expected, type):
            return
        before = state(self.model)
        if interrupted(lambda: self.model.tune(*rows), at):
            assert state(self.model) == before
        else:
            self.chosen = True
            assert self.model.to_bytes() == expected.to_bytes()

    # Always

    @invariant()
    def nothing_else_has_changed(self):
        """Neither what the model was given, nor what was made of it."""
        assert repr(self.kind.options) == self.given
        for model, before in self.aside:
            assert state(model) == before


def of(kind):
    """The histories of models of one kind."""
    machine = type("Histories", (Histories,), {"kind": kind})
    machine.TestCase.settings = settings(
        max_examples=kind.examples,
        stateful_step_count=15,
        # To shrink a history takes minutes; whoever needs that adds `Phase.shrink`.
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    return machine.TestCase


TestTexts, TestTextsOfSeveralLabels, TestNumbers, TestMixedColumns = map(of, KINDS[:4])
TestWeighedTexts, TestWeighedTextsOfSeveralLabels, TestWeighedMixedColumns = map(of, KINDS[4:7])
TestCosts, TestThreshold, TestWeighedThreshold = map(of, KINDS[7:])
