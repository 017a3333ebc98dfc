"""Taking a gap apart: the words, columns and views that carry it, and the rows behind them."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.classifier import Classifier
from likely.data.labeled import whole
from likely.data.labels import Label, plain_list
from likely.data.table import Table
from likely.errors import OptionError
from likely.evaluation.model_predictions import left_out
from likely.explain.explanation import Explanation
from likely.fairness.causes import SHOWN, Carrier, Causes, TrainingRow, ViewGap
from likely.fairness.persons import REST, Contrast
from likely.fairness.scores import Array, of_texts
from likely.fairness.sentences import Codes, PersonSentences, TermSentences
from likely.fairness.shares import Slopes, slopes
from likely.fairness.swaps import BOTH, FIRST, swapped_rows
from likely.likelihoods import TextLikelihood
from likely.likelihoods.contribution import BESIDE_THE_ROW, Contribution
from likely.model.adjust.group_thresholds import group_names
from likely.text import WORD_NGRAMS

# So many rows of each side are compared; they stand for all.
_COMPARED = 600
# Of a term so many frames, and for each so many other terms.
_FRAMES, _BESIDE_IT = 60, 10
_ROWS = 6
# A smaller share is a rounding error.
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
    frames: tuple[Codes, Codes] | None = None,
) -> Causes:
    """Attribute the gap in the mean probability of a class between two sets of rows to features.

    Each row is compared with every row of the other side, or if the rows of either side have
    `frames`, with those of its own. The change of P(label) between two rows is attributed to the
    words and columns in which they differ, as far as each makes it along the straight way between
    their scores (the Aumann–Shapley value). Of two classes, with e_j what j adds to the log-odds z:

        share_j = mean over pairs of (e_j(x) − e_j(y)) · (p(x) − p(y)) / (z(x) − z(y))

    The shares add up to the difference of the mean probabilities, and what is alike in both rows
    gets nothing. `x` and `y` are the training rows, if any. Rules take no part.
    """
    place = model.classes.index(label)
    tables = [Table.of(rows) for rows in (one, other)]
    if not all(map(len, tables)):
        raise OptionError("there are no rows on one side, so there is nothing to compare")
    if frames is not None and not np.intersect1d(*frames).size:
        raise OptionError("no frame has rows of both sides, so there is nothing to compare")
    if frames is None:
        tables = [_thinned(model, table, place) for table in tables]
    explained = [_explained(model, table) for table in tables]
    scores = [np.array([why.scores for why in side]) for side in explained]
    if not all(np.isfinite(side).all() for side in scores):
        raise OptionError(
            "without smoothing some contributions are infinite, so the gap cannot be attributed"
        )
    found = slopes(scores[0], scores[1], place, frames)
    shares, leanings = _shares(explained, found, place)
    keys = sorted(
        (
            key
            for key, share in shares.items()
            if key[1] not in BESIDE_THE_ROW and abs(share) > _NOTHING
        ),
        key=lambda key: (-abs(shares[key]), key),
    )
    counts = _documents(model, keys[:SHOWN])
    carriers = tuple(Carrier(*key, shares[key], leanings[key] > 0, counts.get(key)) for key in keys)
    rows, learned, contradicted = _training_rows(model, carriers[:SHOWN], found.gap, label, x, y)
    plain = None
    if model.tuning is not None:
        ours, theirs = (_log_probabilities(model.plain(), table) for table in tables)
        plain = slopes(ours, theirs, place, frames).gap
    return Causes(
        *names,
        label,
        (len(tables[0]), len(tables[1])),
        found.means,
        found.gap,
        carriers,
        sum(share for key, share in shares.items() if key[1] in _RESOURCES),
        _views(model, tables, found),
        plain,
        model.rules is not None,
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
    rows = [_of_persons(sentences, each, frames) for each in people]
    tables = [of_texts(model, [sentences.texts[n] for n in side]) for side in rows]
    names = (f"`{contrast.group}`", "the rest" if contrast.other == REST else f"`{contrast.other}`")
    within = (sentences.frames[rows[0]], sentences.frames[rows[1]])
    return causes(model, *tables, label=contrast.label, names=names, x=x, y=y, frames=within)


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
    within = (sentences.frames[here], sentences.frames[beside])
    return causes(model, *tables, label=label, names=names, x=x, y=y, frames=within)


def of_group(model: Classifier, x: Any, y: Any, column: str, group: str, label: Label) -> Causes:
    """What sets the rows of one group apart from all others."""
    rows = model.labeled(x, y)
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
    tables = [Table.of(side) for side in sides]
    shown = np.linspace(0, len(tables[0]) - 1, min(len(tables[0]), _COMPARED)).astype(int)
    return causes(
        model,
        *(table.at(shown) for table in tables),
        label=label,
        names=(first, second),
        x=x,
        y=y,
        frames=(shown, shown),
    )


def _frames(sentences: PersonSentences, persons: int) -> NDArray[np.intp]:
    """Some of the frames, the same for all persons, so that they cancel out."""
    every = np.unique(sentences.frames)
    wanted = min(max(1, _COMPARED // max(persons, 1)), len(every))
    return np.asarray(every[np.linspace(0, len(every) - 1, wanted).astype(int)])


def _of_persons(
    sentences: PersonSentences, persons: NDArray[np.intp], frames: NDArray[np.intp]
) -> NDArray[np.intp]:
    """The sentences of some persons in some frames, by their places."""
    return np.flatnonzero(np.isin(sentences.persons, persons) & np.isin(sentences.frames, frames))


def _thinned(model: Classifier, table: Table, place: int) -> Table:
    """Some of the rows, spread evenly from the least probable to the most."""
    if len(table) <= _COMPARED:
        return table
    order = np.argsort(model.predict_proba(table)[:, place], kind="stable")
    middles = (np.arange(_COMPARED) + 0.5) * len(table) / _COMPARED
    return table.at(order[middles.astype(int)])


def _explained(model: Classifier, table: Table) -> list[Explanation]:
    columns = {name: plain_list(cells) for name, cells in table.columns.items()}
    return [
        model.explain({name: column[row] for name, column in columns.items()})
        for row in range(len(table))
    ]


def _shares(
    sides: Sequence[Sequence[Explanation]], found: Slopes, place: int
) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]]:
    """What each word and column carries of the gap; and its log-odds where they are largest."""
    shares: dict[tuple[str, str], float] = {}
    leanings: dict[tuple[str, str], float] = {}
    for side, slopes_of_rows in zip(sides, found.sides, strict=True):
        for why, slope in zip(side, slopes_of_rows, strict=True):
            for term in why.contributions:
                key = _carrier(term)
                shares[key] = shares.get(key, 0.0) + float(term.scores @ slope)
                odds = _against(term.scores, place)
                leanings[key] = max(leanings.get(key, 0.0), odds, key=abs)
    return shares, leanings


def _carrier(term: Contribution) -> tuple[str, str]:
    """A word, or the column of a cell: columns are compared with each other as a whole."""
    return ", ".join(term.columns) or term.name, term.kind


def _against(scores: Array, place: int) -> float:
    others = np.delete(scores, place)
    return float(scores[place] - others.mean())


def _views(model: Classifier, tables: Sequence[Table], found: Slopes) -> tuple[ViewGap, ...]:
    """What goes through each view, the largest share first."""
    by_kind = zip(*(model.scores_by_view(table) for table in tables), strict=True)
    views = [
        ViewGap(
            kind.columns,
            kind.spelled,
            kind.weight,
            kind.weight_over_root,
            found.share(one, other),
        )
        for (kind, one), (_, other) in by_kind
    ]
    return tuple(sorted(views, key=lambda view: -abs(view.share)))


def _log_probabilities(model: Classifier, table: Table) -> Array:
    """The logarithms of probabilities, as scores of rows; of nothing, a very small one."""
    return np.log(np.maximum(model.predict_proba(table), np.finfo(np.float64).tiny))


def _documents(
    model: Classifier, keys: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], dict[Label, int]]:
    """How many training rows of each class hold each word n-gram."""
    tally, found = model.tally, {}
    classes = tally.view()
    for factor, counts in zip(model.fitted.product.factors, tally.statistics, strict=True):
        if not isinstance(factor.likelihood, TextLikelihood) or tally.per_row > 1:
            continue
        assert isinstance(counts, _kernel.TextCounts)
        codes, (lengths, of, occurrences, documents) = counts.codes(), counts.cells()
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(int)
        first = np.concatenate([[0], np.cumsum(codes.sizes)]).astype(int)
        # A model that only scores does not know in how many rows a word was.
        is_copy = (documents == 1).all() and (occurrences > 1).any()
        wanted = {} if is_copy else {key: _ngram_place(key[1]) for key in keys}
        names = codes.names if any(ngram is not None for ngram in wanted.values()) else []
        for key, ngram in wanted.items():
            if ngram is None or ngram + 1 >= len(first):
                continue
            here = names[first[ngram] : first[ngram + 1]]
            if key[0] in here:
                at = first[ngram] + here.index(key[0])
                cells = slice(starts[at], starts[at + 1])
                held = dict.fromkeys(classes.labels, 0)
                for place, n in zip(of[cells], documents[cells], strict=True):
                    held[classes.labels[place]] = int(n)
                found[key] = held
    return found


def _ngram_place(kind: str) -> int | None:
    """Where word n-grams of this kind are counted."""
    return WORD_NGRAMS.index(kind) if kind in WORD_NGRAMS else None


def _training_rows(
    model: Classifier, carriers: Sequence[Carrier], gap: float, label: Label, x: Any, y: Any
) -> tuple[tuple[TrainingRow, ...], int, tuple[int, int, int, int] | None]:
    """The training rows that hold carriers, and how many labels the others contradict."""
    if x is None or not model.text_columns:
        return (), 0, None
    rows = model.labeled(x, y)
    left = left_out(model, rows)
    if left is None:
        return (), 0, None
    sure = (left.probabilities.max(axis=1) >= _SURE) & (left.most_probable != left.truth)
    spoken = [one for one in carriers if _ngram_place(one.kind) is not None and one.share * gap > 0]
    words = {
        one.name: re.compile(rf"(?<!\w){re.escape(one.name)}(?!\w)", re.IGNORECASE)
        for one in spoken
        if abs(one.share) >= _TELLING * abs(spoken[0].share)
    }
    if not words:
        return (), len(sure), None
    for_it = {one.name: one.is_for for one in carriers}
    found: list[TrainingRow] = []
    held, row = np.zeros(len(sure), dtype=bool), 0
    for table, labels in rows.batches(model.columns):
        columns = [plain_list(table.columns[name]) for name in model.text_columns]
        for own, *texts in zip(labels.lists, *columns, strict=True):
            text = " ".join(map(str, texts))
            hits = tuple(word for word, pattern in words.items() if pattern.search(text))
            held[row] = bool(hits)
            leaning = tuple(word for word in hits if for_it[word] == (own == label))
            if leaning:
                found.append(TrainingRow(row, own, leaning, text, bool(sure[row])))
            row += 1
    found.sort(key=lambda one: (-len(one.carriers), not one.contradicted, one.row))
    counts = int(sure[held].sum()), int(held.sum()), int(sure[~held].sum()), int((~held).sum())
    return tuple(found[:_ROWS]), len(sure), counts
