"""Taking a gap apart: the words, columns and views that carry it, and the rows behind them."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.audit.causes import SHOWN, Carrier, Causes, Row, ViewGap
from likely.audit.persons import REST, Contrast
from likely.audit.scores import Array, of_texts
from likely.audit.sentences import PersonSentences, TermSentences
from likely.audit.swaps import BOTH, FIRST, swapped_rows
from likely.classifier import Classifier
from likely.errors import OptionError
from likely.inputs import Table
from likely.inputs.labelled import whole
from likely.judging import left_out
from likely.labels import Label, plain_list
from likely.thresholds import group_names

# Rows are taken apart one by one; so many of each side stand for all.
_TAKEN_APART = 600
# Of a term so many frames, and for each so many other terms.
_FRAMES, _BESIDE_IT = 60, 10
_ROWS = 6
_BESIDE = ("prior", "absence")
# What both sides say alike, but for rounding, carries nothing.
_NOTHING = 1e-12
_RESOURCES = ("lexicon", "polarity", "rule")
# A label is contradicted if without the row another one is at least so probable.
_SURE = 0.9
# What carries less of the gap than this share of the first carrier is not looked for in rows.
_TELLING = 0.2


def causes(
    model: Classifier,
    one: Any,
    other: Any,
    *,
    label: Label,
    names: tuple[str, str] = ("the first", "the second"),
    x: Any = None,
    y: Any = None,
) -> Causes:
    """Take the gap between two sets of rows apart; `x` and `y` are the training rows, if any."""
    place = model.classes.index(label)
    tables = [_thinned(Table.of(rows)) for rows in (one, other)]
    sums = [_mean_terms(model, table, place) for table in tables]
    keys = dict.fromkeys([*sums[0], *sums[1]])
    gaps = {key: sums[0].get(key, 0.0) - sums[1].get(key, 0.0) for key in keys}
    found = sorted(
        (key for key, gap in gaps.items() if key[1] not in _BESIDE and abs(gap) > _NOTHING),
        key=lambda key: (-abs(gaps[key]), key),
    )
    counts = _documents(model, found[:SHOWN])
    carriers = tuple(
        Carrier(
            *key,
            gaps[key],
            max((side.get(key, 0.0) for side in sums), key=abs) > 0,
            counts.get(key),
        )
        for key in found
    )
    total = sum(gaps.values())
    if not np.isfinite(total):
        raise OptionError("without smoothing some evidence is infinite, and cannot be taken apart")
    rows, learned, contradicted = _training_rows(model, carriers[:SHOWN], total, label, x, y)
    unweighed = None
    if model.trust is not None:
        plain = _gaps(model.unweighed(), tables, place)
        unweighed = sum(view.evidence for view in plain)
    return Causes(
        *names,
        label,
        (len(tables[0]), len(tables[1])),
        total,
        carriers,
        sum(gaps[key] for key in gaps if key[1] in _RESOURCES),
        _gaps(model, tables, place),
        unweighed,
        rows,
        learned,
        contradicted,
    )


def of_contrast(
    model: Classifier, sentences: PersonSentences, contrast: Contrast, x: Any = None, y: Any = None
) -> Causes:
    """What carries the gap between two groups of persons."""
    given = np.array(sentences.attributes[contrast.attribute])
    group = given == contrast.group
    sides = (group, (given != "") & ~group if contrast.other == REST else given == contrast.other)
    people = [np.flatnonzero(side) for side in sides]
    frames = _frames(sentences, max(map(len, people)))
    tables = [of_texts(model, _of_persons(sentences, each, frames)) for each in people]
    names = (f"`{contrast.group}`", "the rest" if contrast.other == REST else f"`{contrast.other}`")
    return causes(model, *tables, label=contrast.label, names=names, x=x, y=y)


def of_term(
    model: Classifier,
    sentences: TermSentences,
    term: str,
    label: Label,
    x: Any = None,
    y: Any = None,
) -> Causes:
    """What sets the sentences of one term apart from the same frames with other terms."""
    here = np.flatnonzero(sentences.terms == sentences.names.index(term))
    here = here[np.linspace(0, len(here) - 1, min(len(here), _FRAMES)).astype(int)]
    beside: list[int] = []
    for turn, place in enumerate(here):
        others = np.flatnonzero(
            (sentences.frames == sentences.frames[place]) & (sentences.terms >= 0)
        )
        others = others[others != place]
        # As many of each frame, not always of the same terms.
        beside.extend(np.roll(others, -turn * _BESIDE_IT)[:_BESIDE_IT])
    tables = [of_texts(model, [sentences.texts[n] for n in rows]) for rows in (here, beside)]
    names = (f"`{term}`", "the other terms")
    return causes(model, *tables, label=label, names=names, x=x, y=y)


def of_group(model: Classifier, x: Any, y: Any, column: str, group: str, label: Label) -> Causes:
    """What sets the rows of one group apart from all others."""
    rows = model._labelled(x, y)
    table, _ = whole(rows)
    here = np.array(group_names(table.columns[column])) == group
    read = Table({name: table.columns[name] for name in model.columns}, len(table), named=True)
    tables = [read.at(np.flatnonzero(rows)) for rows in (here, ~here)]
    return causes(model, *tables, label=label, names=(f"`{group}`", "the rest"), x=rows)


def of_swap(
    model: Classifier,
    rows: Any,
    pairs: Sequence[tuple[str, str]],
    label: Label,
    x: Any = None,
    y: Any = None,
) -> Causes:
    """What sets rows about one side of pairs apart from the same rows about the other."""
    sides: tuple[dict[str, list[Any]], ...] = tuple({n: [] for n in model.columns} for _ in (0, 1))
    for each in swapped_rows(model, rows, pairs):
        pure = each.sides != BOTH
        is_first = (each.sides == FIRST)[pure]
        for name in model.columns:
            here, swapped = (
                [
                    cell
                    for cell, kept in zip(plain_list(table.columns[name]), pure, strict=True)
                    if kept
                ]
                for table in (each.here, each.swapped)
            )
            for cells, mine in zip(sides, (is_first, ~is_first), strict=True):
                cells[name] += [
                    a if own else b for own, a, b in zip(mine, here, swapped, strict=True)
                ]
    first, second = (f"the side of `{word}`" for word in pairs[0])
    return causes(model, *sides, label=label, names=(first, second), x=x, y=y)


def _frames(sentences: PersonSentences, persons: int) -> NDArray[np.intp]:
    """Some of the frames, the same for all persons, so that they cancel out."""
    every = np.unique(sentences.frames)
    wanted = min(max(1, _TAKEN_APART // max(persons, 1)), len(every))
    return np.asarray(every[np.linspace(0, len(every) - 1, wanted).astype(int)])


def _of_persons(
    sentences: PersonSentences, persons: NDArray[np.intp], frames: NDArray[np.intp]
) -> list[str]:
    rows = np.isin(sentences.persons, persons) & np.isin(sentences.frames, frames)
    return [sentences.texts[n] for n in np.flatnonzero(rows)]


def _thinned(table: Table) -> Table:
    if not len(table):
        raise OptionError("there are no rows on one side, so there is nothing to compare")
    if len(table) <= _TAKEN_APART:
        return table
    return table.at(np.linspace(0, len(table) - 1, _TAKEN_APART).astype(int))


def _mean_terms(model: Classifier, table: Table, place: int) -> dict[tuple[str, str], float]:
    """The mean evidence of every word and cell, for a class against the mean of the others."""
    sums: dict[tuple[str, str], float] = {}
    columns = {name: plain_list(cells) for name, cells in table.columns.items()}
    for row in range(len(table)):
        cells = {name: column[row] for name, column in columns.items()}
        for term in model.explain(cells).terms:
            # Of numbers there are too many to tell apart; a column of them speaks as one.
            name = term.name.partition("=")[0] if term.kind == "number" else term.name
            key = name, term.kind
            sums[key] = sums.get(key, 0.0) + _against(term.scores, place)
    return {key: value / len(table) for key, value in sums.items()}


def _against(scores: Array, place: int) -> float:
    others = np.delete(scores, place)
    return float(scores[place] - others.mean())


def _gaps(model: Classifier, tables: Sequence[Table], place: int) -> tuple[ViewGap, ...]:
    """The gap through each kind of evidence, the largest first."""
    by_kind = zip(*(model.evidence_by_kind(table) for table in tables), strict=True)
    found = []
    for (kind, one), (_, other) in by_kind:
        means = [np.mean([_against(row, place) for row in scores]) for scores in (one, other)]
        found.append(
            ViewGap(
                kind.columns,
                kind.spelled,
                kind.weight,
                kind.weight_over_root,
                float(means[0] - means[1]),
            )
        )
    return tuple(sorted(found, key=lambda view: -abs(view.evidence)))


def _documents(
    model: Classifier, keys: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], dict[Label, int]]:
    """How many training rows of each class hold each word or run of words."""
    tally, found = model.tally, {}
    classes = tally.view()
    for factor, statistic in zip(tally.schema["factors"], tally.statistics, strict=True):
        if factor["kind"] != "text" or tally.per_row > 1:
            continue
        counts: Any = statistic
        codes, arrays = counts.codes(), counts.arrays(classes.slots)
        starts = np.concatenate([[0], np.cumsum(arrays["cells"])]).astype(int)
        first = np.concatenate([[0], np.cumsum(codes.sizes)]).astype(int)
        # A copy that only scores does not know in how many rows a word was.
        is_copy = (arrays["documents"] == 1).all() and (arrays["times"] > 1).any()
        wanted = {} if is_copy else {key: _block(key[1]) for key in keys}
        names = codes.names if any(block is not None for block in wanted.values()) else []
        for key, block in wanted.items():
            if block is None or block + 1 >= len(first):
                continue
            here = names[first[block] : first[block + 1]]
            if key[0] in here:
                at = first[block] + here.index(key[0])
                cells = slice(starts[at], starts[at + 1])
                held = dict.fromkeys(classes.labels, 0)
                for place, n in zip(
                    arrays["classes"][cells], arrays["documents"][cells], strict=True
                ):
                    held[classes.labels[place]] = int(n)
                found[key] = held
    return found


def _block(kind: str) -> int | None:
    """Where runs of so many words are counted."""
    if kind == "word":
        return 0
    return int(kind.split()[0]) - 1 if kind.endswith(" words") else None


def _training_rows(
    model: Classifier, carriers: Sequence[Carrier], total: float, label: Label, x: Any, y: Any
) -> tuple[tuple[Row, ...], int, tuple[int, int, int, int] | None]:
    """The training rows that hold carriers, and how many labels the others contradict."""
    if x is None or not model.text_columns:
        return (), 0, None
    rows = model._labelled(x, y)
    left = left_out(model, rows)
    if left is None:
        return (), 0, None
    sure = (left.probabilities.max(axis=1) >= _SURE) & (left.predicted != left.truth)
    words = {
        one.name: re.compile(rf"(?<!\w){re.escape(one.name)}(?!\w)", re.IGNORECASE)
        for one in carriers
        if abs(one.evidence) >= _TELLING * abs(carriers[0].evidence)
        and one.evidence * total > 0
        and _block(one.kind) is not None
    }
    for_it = {one.name: one.is_for for one in carriers}
    found: list[Row] = []
    held, row = np.zeros(len(sure), dtype=bool), 0
    for table, labels in rows.batches(model.columns):
        columns = [plain_list(table.columns[name]) for name in model.text_columns]
        for own, *texts in zip(labels.lists, *columns, strict=True):
            text = " ".join(map(str, texts))
            hits = tuple(word for word, pattern in words.items() if pattern.search(text))
            held[row] = bool(hits)
            leaning = tuple(word for word in hits if for_it[word] == (own == label))
            if leaning:
                found.append(Row(row, own, leaning, text, bool(sure[row])))
            row += 1
    found.sort(key=lambda one: (-len(one.carriers), not one.contradicted, one.row))
    counts = int(sure[held].sum()), int(held.sum()), int(sure[~held].sum()), int((~held).sum())
    return tuple(found[:_ROWS]), len(sure), counts
