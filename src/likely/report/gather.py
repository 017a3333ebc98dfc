"""From a model and labelled rows to the facts of a report.

Rows are read a few times over, batch by batch. What would take a second training (probabilities
before weighing, evidence left out in turn) looks at some of the rows, those with the smallest
hashes: the same whatever order the rows come in.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import page
from likely.classifier import Classifier
from likely.errors import DataError, NotLearnedError, OptionError
from likely.evaluation import coverage
from likely.evaluation.evaluate import evaluate
from likely.evaluation.facts import Evaluation
from likely.evidence import Evidence, spoken
from likely.inputs import Table
from likely.inputs.labelled import Labelled, labelled
from likely.judging import judge, meant
from likely.labels import Label, label_array, plain_list
from likely.leave_one_out import LeaveOneOut
from likely.report.facts import (
    Answered,
    Calibration,
    Copied,
    Cut,
    Duplicates,
    Origin,
    Pieces,
    Report,
    Row,
    Step,
)
from likely.suspects import doubts, rows_at

# So many rows are enough to compare models by; smaller files are taken whole.
_SAMPLE = 10_000
# Of many classes fewer rows are: about so many probabilities.
_SAMPLE_CELLS = 400_000
# The learning curve doubles its rows up to all of them, so many times.
_DOUBLINGS = 6
_FEWEST_ROWS = 32

_SHOWN_ROWS = 10
# Of one confusion so many mistakes are shown at least: others are worth seeing too.
_OF_A_KIND = 3
_SHOWN_SUSPECTS = 20
_SHOWN_COPIES = 8
_SHOWN_DEPENDENCES = 10
_TOP = 10
# Characters of a cell that are shown.
_CELL = 700

_UNSURE = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
# A logarithm for what is all but impossible.
_IMPOSSIBLE = -1e6
_CUTS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)

Codes = NDArray[np.intp]


def report(
    model: Classifier,
    x: Any,
    y: Any = None,
    *,
    loo: LeaveOneOut | None = None,
    origin: Origin | None = None,
) -> Report:
    """Judge a model by rows with labels, and find out what there is to know of both.

    If the model has learned all of the rows, each is judged by the model without it; `loo` has
    these predictions, in the order of the rows, if they are at hand. Otherwise it is a test.
    """
    if model.several:
        raise OptionError("a report is of rows with one label each, and these have any number")
    rows = _Rows.of(model, labelled(x, model.target if y is None else y))
    found = _left_out(rows, loo) if loo is not None or rows.are_learned else None
    left_out = found is not None
    found = found or _tested(rows)
    judged = found.evaluated(intervals=True)
    sample = rows.sample(min(_SAMPLE, _SAMPLE_CELLS // len(found.classes)))
    here, known = found.take(sample.places), sample.known(model)
    mistakes, suspicious = _mistakes(found, rows.hashes), found.doubted[:_SHOWN_SUSPECTS]
    shown = _shown(rows, found, {*mistakes, *suspicious}, left_out and rows.are_learned)
    info = model.info
    return Report(
        verdict=_verdict(judged),
        left_out=left_out,
        learned=int(rows.learned.sum()),
        knows_rows=model.ledger.name == "open" or model.ledger.secret is not None,
        evaluation=judged,
        likelihoods=tuple(info.likelihoods),
        calibration=_calibration(here),
        calibration_before=_before(model, known, left_out),
        learning=_learning(rows, sample, judged) if left_out and rows.are_learned else (),
        top=model.top(_TOP),
        mistakes=tuple(shown[place] for place in mistakes),
        n_mistakes=int(np.count_nonzero(found.said != found.truth)),
        suspicious=tuple(shown[place] for place in suspicious),
        n_suspicious=len(found.doubted),
        duplicates=_duplicates(rows),
        unsure=_unsure(found),
        cut_of=(cut_of := _rarer(found)),
        cuts=() if cut_of is None else _cuts(found, cut_of),
        contributions=tuple(model.contributions(known.cells, known.labels, left_out=left_out)),
        dependences=tuple(model.dependences(known.cells, known.labels, _SHOWN_DEPENDENCES)),
        notes=info.notes,
        origin=origin or Origin(tally=model.digest),
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows with labels, in batches, and what is known of each before it is judged."""

    model: Classifier
    source: Labelled
    labels: list[Label]
    hashes: NDArray[np.uint64]
    """Of all that the model reads; rows of equal hash are copies."""
    learned: NDArray[np.bool_]

    @classmethod
    def of(cls, model: Classifier, source: Labelled) -> "_Rows":
        labels: list[Label] = []
        hashes, learned = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=bool)]
        for table, own in _batches(model, source):
            labels.extend(own)
            hashes.append(_hashed(model, table))
            learned.append(model.was_learned(table, own))
        if not labels:
            raise DataError("there are no rows to report on")
        return cls(model, source, labels, np.concatenate(hashes), np.concatenate(learned))

    @property
    def are_learned(self) -> bool:
        return bool(self.learned.all())

    def __len__(self) -> int:
        return len(self.labels)

    def batches(self) -> Iterator[tuple[Table, list[Label]]]:
        return _batches(self.model, self.source)

    def tables(self) -> Iterator[Table]:
        return (table for table, _ in self.batches())

    def sample(self, most: int) -> "_Sample":
        """About so many rows, those of the smallest hashes."""
        places = np.arange(len(self))
        if len(self) > most:
            places = np.sort(np.argsort(self.hashes, kind="stable")[:most])
        cells: dict[str, list[Any]] = {name: [] for name in self.model.columns}
        before = 0
        for table in self.tables():
            here = places[(places >= before) & (places < before + len(table))] - before
            for name, column in table.at(here).columns.items():
                cells[name].extend(plain_list(column))
            before += len(table)
        return _Sample(places, self.hashes[places], cells, [self.labels[at] for at in places])


@dataclass(frozen=True, eq=False)
class _Sample:
    """Some of the rows, in memory."""

    places: Codes
    hashes: NDArray[np.uint64]
    cells: dict[str, list[Any]]
    labels: list[Label]

    def take(self, which: NDArray[np.bool_]) -> "_Sample":
        kept = np.flatnonzero(which).tolist()
        return _Sample(
            self.places[kept],
            self.hashes[kept],
            {name: [column[at] for at in kept] for name, column in self.cells.items()},
            [self.labels[at] for at in kept],
        )

    def known(self, model: Classifier) -> "_Sample":
        """Those with a label that the model knows."""
        classes = set(model.classes)
        return self.take(np.array([label in classes for label in self.labels], dtype=bool))


@dataclass(frozen=True, eq=False)
class _Found:
    """What a model says of rows."""

    classes: tuple[Label, ...]
    truth: Codes
    probabilities: NDArray[np.float64]
    doubted: list[int] = field(default_factory=list)
    """Rows whose labels are all but impossible, the strangest first."""

    @property
    def said(self) -> Codes:
        return np.asarray(self.probabilities.argmax(axis=1))

    def evaluated(self, intervals: bool) -> Evaluation:
        names = label_array(self.classes)
        return evaluate(
            names[self.truth],
            names[self.said],
            self.probabilities,
            classes=self.classes,
            intervals=intervals,
        )

    def take(self, places: Codes) -> "_Found":
        return _Found(self.classes, self.truth[places], self.probabilities[places])


def _batches(model: Classifier, source: Labelled) -> Iterator[tuple[Table, list[Label]]]:
    for table, labels in source.batches(model.columns):
        yield table.only(model.columns).reading(model.missing), meant(model, labels)


def _hashed(model: Classifier, table: Table) -> NDArray[np.uint64]:
    links = np.zeros(len(table), dtype=np.uint64)
    for name in model.columns:
        if name in model.text_columns:
            links = table.texts((name,), replace_invalid=True).chain(links)
        else:
            links = table.categories((name,)).chain(links)
    return links


# Judging


def _left_out(rows: _Rows, loo: LeaveOneOut | None) -> _Found | None:
    """Every row judged by the model without it; None if some stand there too often for that."""
    truth, probabilities = [], []
    doubted: list[tuple[float, int]] = []
    before = 0
    try:
        for part in [loo] if loo is not None else _parts(rows):
            truth.append(part.truth.astype(np.intp))
            probabilities.append(part.probabilities)
            places, margins = doubts(part)
            doubted += zip(margins.tolist(), (places + before).tolist(), strict=True)
            before += len(part.truth)
    except NotLearnedError:
        return None
    return _Found(
        rows.model.classes,
        np.concatenate(truth),
        np.concatenate(probabilities),
        [place for _, place in sorted(doubted)],
    )


def _parts(rows: _Rows) -> Iterator[LeaveOneOut]:
    kinds = {type(label) for label in rows.labels}
    if kinds == {str} or rows.source.target is None:
        return rows.model.leave_one_out_batches(rows.source)
    # The labels of a file are spelled; those of the model are numbers.
    return (rows.model.leave_one_out(table, own) for table, own in rows.batches())


def _tested(rows: _Rows) -> _Found:
    """Rows judged by the model as it is."""
    judged = judge(rows.model, rows.source)
    places = {label: place for place, label in enumerate(judged.classes)}
    truth = np.array([places[label] for label in rows.labels], dtype=np.intp)
    # What the model has never heard of is not doubted.
    heard = np.isin(label_array(judged.classes), label_array(rows.model.classes))
    with np.errstate(divide="ignore"):
        scores = np.where(heard, np.maximum(np.log(judged.probabilities), _IMPOSSIBLE), -np.inf)
    none = np.zeros(len(truth), dtype=bool)
    said = LeaveOneOut(judged.classes, scores, judged.probabilities, truth.astype(np.uint32), none)
    doubted, margins = doubts(said)
    order = doubted[np.argsort(margins, kind="stable")]
    return _Found(judged.classes, truth, judged.probabilities, order.tolist())


def _verdict(judged: Evaluation) -> str:
    """What a person should take away, in a sentence."""
    right, always = judged.accuracy, judged.majority_baseline
    shown = f"Right for {page.tenth(right)} of {page.counted(judged.rows, 'row', 'rows')}"
    if right.low is not None and right.high is not None:
        shown += f" ({page.tenth(right.low)} to {page.tenth(right.high)})"
    shown += f", where always saying {judged.commonest} is right for {page.tenth(always)}: "
    low, high = (right if end is None else end for end in (right.low, right.high))
    if always >= 1:
        return shown + "there is nothing to tell apart."
    if high < always:
        return shown + "worse than not looking at the rows at all."
    if low <= always:
        return shown + "no better, as far as these rows can tell."
    return shown + f"it avoids {page.tenth((right - always) / (1 - always))} of the mistakes."


# Believing


def _calibration(found: _Found) -> Calibration | None:
    judged = found.evaluated(intervals=False)
    if judged.log_loss is None or judged.ece is None:
        return None
    return Calibration(
        judged.rows,
        float(judged.accuracy),
        float(judged.log_loss),
        float(judged.ece),
        judged.reliability,
    )


def _before(model: Classifier, sample: "_Sample", left_out: bool) -> Calibration | None:
    """The calibration of plain Naive Bayes, of which the evidence was weighed."""
    if model.trust is None or not model.learns or not sample.labels:
        return None
    plain = model.unweighed()
    if left_out:
        made = plain.leave_one_out(sample.cells, sample.labels)
        found = _Found(made.classes, made.truth.astype(np.intp), made.probabilities)
    else:
        places = {label: place for place, label in enumerate(plain.classes)}
        truth = np.array([places[label] for label in sample.labels], dtype=np.intp)
        found = _Found(plain.classes, truth, plain.predict_proba(sample.cells))
    return _calibration(found)


def _unsure(found: _Found) -> tuple[Answered, ...]:
    names = label_array(found.classes)
    curve = coverage(
        names[found.truth], names[found.said], found.probabilities, classes=found.classes
    )
    return tuple(Answered(share, *curve.at(share)) for share in _UNSURE)


def _rarer(found: _Found) -> Label | None:
    """Of two classes, the one with fewer rows."""
    sizes = np.bincount(found.truth, minlength=len(found.classes))
    return found.classes[int(sizes.argmin())] if len(found.classes) == 2 else None


def _cuts(found: _Found, label: Label) -> tuple[Cut, ...]:
    place = found.classes.index(label)
    given, is_it = found.probabilities[:, place], found.truth == place
    cuts = []
    for share in _CUTS:
        said = given >= share
        n_said, hits, there = (int(np.count_nonzero(a)) for a in (said, said & is_it, is_it))
        cuts.append(
            Cut(
                share,
                n_said,
                hits / n_said if n_said else 0.0,
                hits / there if there else 0.0,
                2 * hits / (n_said + there) if n_said + there else 0.0,
            )
        )
    return tuple(cuts)


# Learning


def _learning(rows: _Rows, sample: _Sample, judged: Evaluation) -> tuple[Step, ...]:
    """Models of ever more of the rows, each judged by its own rows left out.

    The rows that come first are those of the smallest hashes, so the order of a file, which may be
    sorted, plays no part. Each tally is the one before and the rows that join; weights stay.
    """
    model, n_rows = rows.model, len(rows)
    fewest = max(_FEWEST_ROWS, 2 * len(model.classes))
    sizes = [n_rows // 2**k for k in range(_DOUBLINGS, 0, -1) if n_rows // 2**k >= fewest]
    if not sizes or model.learned is not None or model.times is not None:
        return ()
    limits = np.unique(np.sort(rows.hashes)[np.array(sizes) - 1])
    bands = np.searchsorted(limits, rows.hashes)
    tallies: list[Any] = [0] * len(limits)
    before = 0
    for table, own in rows.batches():
        joins = bands[before : before + len(table)]
        before += len(table)
        for band in np.unique(joins[joins < len(limits)]).tolist():
            here = np.flatnonzero(joins == band)
            tallies[band] += model.observe(table.at(here), [own[at] for at in here])
    steps, smaller = [], model.with_prior(model.prior)
    for limit, tally in zip(limits, itertools.accumulate(tallies), strict=True):
        smaller.tally = tally
        some = sample.take(sample.hashes <= limit)
        if len(smaller.classes) > 1:
            made = smaller.leave_one_out(some.cells, some.labels)
            found = evaluate(made.labels, made.predictions, resamples=200)
            steps.append(Step(tally.n_rows, found.accuracy, float(found.macro_f1)))
    return (*steps, Step(model.tally.n_rows, judged.accuracy, float(judged.macro_f1)))


# Rows


def _mistakes(found: _Found, hashes: NDArray[np.uint64]) -> list[int]:
    """The mistakes made with most confidence, copies once, and not all of one kind."""
    said = found.said
    wrong = np.flatnonzero(said != found.truth)
    confidence = found.probabilities[wrong, said[wrong]]
    n_kinds = len(np.unique(np.stack([found.truth[wrong], said[wrong]]), axis=1).T)
    most = max(_OF_A_KIND, _SHOWN_ROWS // max(n_kinds, 1))
    chosen: list[int] = []
    kinds: Counter[tuple[int, int]] = Counter()
    seen: set[int] = set()
    for place in wrong[np.argsort(-confidence, kind="stable")].tolist():
        kind = int(found.truth[place]), int(said[place])
        if kinds[kind] < most and int(hashes[place]) not in seen:
            kinds[kind] += 1
            seen.add(int(hashes[place]))
            chosen.append(place)
        if len(chosen) == _SHOWN_ROWS:
            break
    return chosen


def _shown(rows: _Rows, found: _Found, places: set[int], forget: bool) -> dict[int, Row]:
    """Rows with their cells, in pieces that say something for the prediction or for the label."""
    cells = rows_at(rows.tables(), places)
    said = found.said
    forget = forget and rows.model.times is None
    explaining = _without(rows, cells) if forget and cells else rows.model
    shown = {}
    for place, (number, row) in cells.items():
        label, rather = found.classes[found.truth[place]], found.classes[said[place]]
        why = explaining.explain(row)
        shown[place] = Row(
            number,
            label,
            rather,
            float(found.probabilities[place, said[place]]),
            float(found.probabilities[place, found.truth[place]]),
            _pieces(rows.model, row, why, rather, label),
        )
    return shown


def _without(rows: _Rows, cells: dict[int, tuple[int, dict[str, Any]]]) -> Classifier:
    """The model that has not seen these rows, which shall not speak for their own labels."""
    model = rows.model.with_prior(rows.model.prior)
    table = {name: [row[name] for _, row in cells.values()] for name in rows.model.columns}
    model.forget(table, [rows.labels[place] for place in cells])
    return model if model.classes == rows.model.classes else rows.model


def _pieces(
    model: Classifier, row: dict[str, Any], why: Evidence, said: Label, label: Label
) -> Pieces:
    """The cells of a row, texts word by word."""
    for_it, against = (
        why.classes.index(one) if one in why.classes else None for one in (said, label)
    )

    def odds(scores: NDArray[np.float64]) -> float:
        least = 0.0 if against is None else scores[against]
        return float(np.nan_to_num((0.0 if for_it is None else scores[for_it]) - least))

    spoken_for = [(term, odds(term.scores)) for term in why.terms if term.kind != "prior"]
    pieces: list[tuple[str, float]] = []
    for name, cell in row.items():
        if cell in (None, ""):
            continue
        if len(row) > 1:
            pieces.append((f"{' · ' if pieces else ''}{name}: ", 0.0))
        if name in model.text_columns:
            pieces += spoken(_cut(cell), spoken_for)
        else:
            said_by = [(term.name.split(", "), value) for term, value in spoken_for]
            value = sum(
                value / len(parts)
                for parts, value in said_by
                if any(part.startswith(f"{name}=") for part in parts)
            )
            pieces.append((_cut(cell), value))
    return tuple(pieces)


def _duplicates(rows: _Rows) -> Duplicates:
    _, first, group, sizes = np.unique(
        rows.hashes, return_index=True, return_inverse=True, return_counts=True
    )
    copied = np.flatnonzero(sizes > 1)
    labels: dict[int, Counter[Label]] = {int(one): Counter() for one in copied}
    for place in np.flatnonzero(sizes[group] > 1).tolist():
        labels[int(group[place])][rows.labels[place]] += 1
    at_odds = [one for one in labels if len(labels[one]) > 1]
    ranked = sorted(labels, key=lambda one: (len(labels[one]) < 2, -sizes[one], first[one]))
    shown = {int(first[one]): one for one in ranked[:_SHOWN_COPIES]}
    cells = rows_at(rows.tables(), shown)
    examples = tuple(
        Copied(tuple(labels[one].most_common()), _spelled(cells[place][1]))
        for place, one in shown.items()
    )
    return Duplicates(int((sizes[copied] - 1).sum()), len(copied), len(at_odds), examples)


def _spelled(row: dict[str, Any]) -> str:
    cells = [
        (name, " ".join(str(cell)[:_CELL].split()))
        for name, cell in row.items()
        if cell is not None
    ]
    return " · ".join(f"{name}: {cell}" if len(row) > 1 else cell for name, cell in cells)


def _cut(cell: Any) -> str:
    shown = str(cell)
    return shown if len(shown) <= _CELL else f"{shown[:_CELL]}…"
