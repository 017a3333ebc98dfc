"""The page of a report: its facts, section by section."""

import unicodedata
from collections.abc import Iterator

from likely import page
from likely.contributions import Contribution
from likely.evaluation import shown
from likely.evaluation.facts import ClassFigures
from likely.evaluation.intervals import Figure
from likely.labels import Label
from likely.page import Bar, Block, Cell, Line, Name, Plot, Section, Table
from likely.report.facts import Answer, Calibration, Claim, Report, Row
from likely.report.rows import labels_of

# Of more classes than this, those with the lowest F1 and those with the most rows are shown.
_MANY_CLASSES = 30
_TOP_IN_COLUMNS = 12
_TOP_IN_LINES = 40
_WORDS_IN_LINES = 8
_SMALL = 0.01
# Of the labels of a row so many are named.
_NAMED = 6
_GOALS = {"f1": "the best F1"}
# Below this, what two columns have in common is hardly worth a thought.
_WEAK = 0.1


def document(found: Report) -> str:
    """The whole page."""
    return page.document(
        f"{found.origin.model} on {found.origin.data}",
        found.verdict,
        opening(found),
        [section for section in _sections(found) if section.blocks],
        f"Made by Likely {found.origin.likely}. This page is one file: it loads nothing and runs "
        "nothing.",
    )


def opening(found: Report) -> list[Block]:
    """The figures that matter most, how they came about, and what to be wary of."""
    judged = found.evaluation
    always = page.tenth(judged.majority_baseline)
    tiles = [
        (
            "all labels right" if judged.several else "accuracy",
            page.tenth(judged.accuracy),
            page.interval(judged.accuracy, page.tenth),
        ),
        (f"always {judged.commonest}", always, "right without looking"),
        *([_tile("micro-F1", judged.micro_f1)] if judged.several else []),
        _tile("macro-F1", judged.macro_f1),
    ]
    more = {
        "label ranking": judged.label_ranking,
        "Hamming loss": judged.hamming_loss,
        "log-loss": judged.log_loss,
        "calibration error": judged.ece,
    }
    tiles += [_tile(what, figure) for what, figure in more.items() if figure is not None]
    return [
        page.Tiles(tiles),
        _how(found),
        *_seen(found),
        *map(page.Warned, judged.warnings),
    ]


def _how(found: Report) -> str:
    rows = page.counted(found.evaluation.rows, "row", "rows")
    if found.left_out:
        return (
            "These are the rows that the model learned. Each of the "
            f"{rows} was judged by the model without it, exactly as if it had been left out of "
            "training: nothing was judged by a model that had seen it, and no data was held out."
        )
    return f"This is a test: {rows}, judged by the model as it is."


def _seen(found: Report) -> Iterator[Block]:
    """Whether the rows of a test were new to the model."""
    if found.left_out:
        return
    if found.learned:
        yield page.Warned(
            f"{found.learned:,} of the {found.evaluation.rows:,} rows were learned by the model; "
            "their figures flatter it"
        )
    elif not found.knows_rows:
        yield (
            "The model keeps no open record of the rows it learned, so it cannot tell whether it "
            "has seen these."
        )
    else:
        yield "The model has seen none of them before."


def _sections(found: Report) -> Iterator[Section]:
    judged = found.evaluation
    tables = [shown.headlines(judged), shown.averages(judged)]
    figures: list[Block] = [page.Beside(tables), _PRECISION]
    yield Section("figures", "Figures", [*figures, *([_OF_LABELS] if judged.several else [])])
    title = shown.named(judged)[1].capitalize()
    yield Section("classes", title, list(_classes(found)))
    yield Section("confusions", "Confusions", shown.confusions(judged))
    yield Section("calibration", "Calibration", list(_calibration(found)))
    yield Section("thresholds", "Thresholds", list(_thresholds(found)))
    yield Section("learning", "Learning curve", list(_learning(found)))
    yield Section("evidence", "Evidence", list(_evidence(found)))
    title = "Contributions" if found.contributions else "Columns"
    yield Section("contributions", title, list(_columns(found)))
    yield Section("dependence", "Dependence", list(_dependence(found)))
    yield Section("mistakes", "Mistakes", list(_mistakes(found)))
    yield Section("labels", "Suspicious labels", list(_suspicious(found)))
    yield Section("duplicates", "Duplicates", list(_duplicates(found)))
    yield Section("origin", "How to reproduce", list(_origin(found)))


_OF_LABELS = (
    "A row is right if all its labels are said and no other: that is the subset accuracy. The "
    "Hamming loss is the share of wrong answers among all pairs of a row and a label, of which "
    "nearly all are easy. Label ranking is how high, on average, probabilities put the labels that "
    "a row has; it does not depend on thresholds. Micro averages count every label of every row "
    "alike, macro averages every label."
)
_ALL_LABELS = (
    "Instead of a threshold for each label, say every label whose probability is at least",
    ("said", "labels"),
    "of these are right",
    "of all labels are found",
)
_AS_MANY = "rows that are given it, as many are right"
_PRECISION = (
    "Precision is how many of the rows said to be of a class are; recall how many of its rows are "
    "found; F1 is between the two. An interval is where the figure would lie 95 times in 100 if as "
    "many rows were drawn anew."
)


def _classes(found: Report) -> Iterator[Block]:
    judged, bars = found.evaluation, found.thresholds
    if found.goal is not None:
        yield (
            "Each label is said from a probability of its own on, chosen on left-out rows for "
            f"{_GOALS.get(found.goal, found.goal)}."
        )
    if len(judged.classes) <= _MANY_CLASSES:
        yield from shown.classes(judged, bars)
        return
    lowest = sorted((one for one in judged.per_class if one.rows), key=_f1)[: _MANY_CLASSES // 2]
    several = shown.named(judged)[1]
    yield page.Part(
        f"The {len(lowest)} of {len(judged.classes)} {several} with the lowest F1",
        [shown.table_of_classes(judged, lowest, bars)],
    )
    yield page.Part(f"The {several} with the most rows", shown.classes(judged, bars))


def _f1(one: ClassFigures) -> tuple[float, float]:
    return float(one.f1), -one.rows


def _calibration(found: Report) -> Iterator[Block]:
    after, before = found.calibration, found.calibration_before
    if after is None:
        return
    several = found.evaluation.several
    given = "labels that are given it, as many are there" if several else _AS_MANY
    yield (
        f"A probability can be believed if, of the {given}: then the points lie on the dotted "
        "line. Below it the model is too sure of itself. Larger points stand for more "
        f"{'labels' if several else 'rows'}; small ones may lie anywhere."
    )
    if before is not None:
        yield (
            "Plain Naive Bayes counts evidence fully even where its pieces say the same thing; "
            "weighing the evidence tempers it. The calibration error fell from "
            f"{before.ece:.3f} to {after.ece:.3f}, the log-loss from {before.log_loss:.3f} to "
            f"{after.log_loss:.3f}."
            if before.ece >= after.ece and before.log_loss >= after.log_loss
            else "Plain Naive Bayes, before its evidence was weighed, has a calibration error of "
            f"{before.ece:.3f} and a log-loss of {before.log_loss:.3f}; weighed, they are "
            f"{after.ece:.3f} and {after.log_loss:.3f}."
        )
    if several:
        yield (
            f"Counted here: the {after.rows:,} times that a row was given a label with 1 % or "
            "more, said or not. The log-loss is that of all labels of a row together."
        )
    elif after.rows < found.evaluation.rows:
        yield f"Looked at here: {after.rows:,} of the rows."
    curves = {"as it is": after}
    if before is not None:
        curves = {"weighed, as it is": after, "plain Naive Bayes": before}
    yield Plot(
        "How probable labels were said to be, and how often they were there"
        if several
        else "How probable predictions were said to be, and how often they were right",
        "probability of the label" if several else "said to be right",
        "there" if several else "right",
        [
            Line(
                name,
                [one.confidence for one in each.reliability],
                [one.accuracy for one in each.reliability],
                sizes=[(one.rows / each.rows) ** 0.5 for one in each.reliability],
            )
            for name, each in curves.items()
        ],
        _reliability(curves, *(("labels", "there") if several else ("rows", "right"))),
        diagonal=True,
    )


def _reliability(curves: dict[str, Calibration], what: str, came_true: str) -> Table:
    rows = [
        (
            name,
            f"{one.low:.3f} – {one.high:.3f}",
            page.count(one.rows),
            page.number(one.confidence),
            page.number(one.accuracy),
        )
        for name, each in curves.items()
        for one in each.reliability
    ]
    return Table(("model", "probability", what, "on average", came_true), rows, left=2)


def _thresholds(found: Report) -> Iterator[Block]:
    if found.unsure:
        yield page.Explorer(
            "unsure",
            "Leave a row to a person if its probability is below",
            [
                page.Stop(
                    _chance(one.probability),
                    page.Tiles(
                        [
                            ("answered", page.tenth(one.answered), _rows(found, one.answered)),
                            ("right of these", page.tenth(one.right) if one.answered else "–", ""),
                            ("left to a person", page.tenth(1 - one.answered), ""),
                        ]
                    ),
                )
                for one in found.unsure
            ],
            next(i for i, one in enumerate(found.unsure) if one.probability >= 0.9),
            Table(
                ("unsure below", "answered", "", "right of these"),
                [
                    (
                        _chance(one.probability),
                        page.number(one.answered),
                        Bar(one.answered),
                        page.number(one.right) if one.answered else "–",
                    )
                    for one in found.unsure
                ],
            ),
        )
    if found.cuts:
        question, said, precise, recalled = _ALL_LABELS
        if found.cut_of is not None:
            label = f"`{page.name(found.cut_of)}`"
            question = f"Say {label} if its probability is at least"
            said = (f"said to be {label}", "rows")
            precise, recalled = f"of these are {label}", f"of all {label} are found"
        yield page.Explorer(
            "cut",
            question,
            [
                page.Stop(
                    _chance(one.probability),
                    page.Tiles(
                        [
                            (said[0], f"{one.said:,}", said[1]),
                            ("precision", page.tenth(one.precision), precise),
                            ("recall", page.tenth(one.recall), recalled),
                            ("F1", f"{one.f1:.3f}", ""),
                        ]
                    ),
                )
                for one in found.cuts
            ],
            next(i for i, one in enumerate(found.cuts) if one.probability >= 0.5),
            Table(
                ("probability", f"{said[1]} said", "precision", "recall", "F1", ""),
                [
                    (
                        _chance(one.probability),
                        f"{one.said:,}",
                        page.number(one.precision),
                        page.number(one.recall),
                        page.number(one.f1),
                        Bar(one.f1),
                    )
                    for one in found.cuts
                ],
            ),
        )


def _learning(found: Report) -> Iterator[Block]:
    steps = found.learning
    if not steps:
        return
    several = found.evaluation.several
    what = "micro-F1" if several else "accuracy"
    right = [step.micro_f1 if several else step.accuracy for step in steps]
    gained = float(right[-1]) - float(right[-2:][0])
    yield (
        "How a model of fewer rows would do, each row judged without itself. The last doubling "
        f"of the rows brought {_points(gained)} points of {what}."
    )
    values = [bound for one in right for bound in (one.low, one.high) if bound]
    values += [step.macro_f1 for step in steps] + [float(one) for one in right]
    low, high = min(values), max(values)
    room = max(high - low, 0.02) * 0.08
    yield Plot(
        f"{what[0].upper()}{what[1:]} and macro-F1 by the number of rows learned",
        "rows learned",
        "figure",
        [
            Line(
                what,
                [step.rows for step in steps],
                [float(one) for one in right],
                [one.low or 0.0 for one in right],
                [one.high or 0.0 for one in right],
            ),
            Line("macro-F1", [step.rows for step in steps], [step.macro_f1 for step in steps]),
        ],
        Table(
            ("rows", what, "95 % interval", "macro-F1"),
            [
                (
                    f"{step.rows:,}",
                    page.number(one),
                    page.interval(one),
                    page.number(step.macro_f1),
                )
                for step, one in zip(steps, right, strict=True)
            ],
        ),
        x_range=(steps[0].rows, steps[-1].rows),
        y_range=(max(low - room, 0.0), min(high + room, 1.0)),
        doubling=True,
    )


def _evidence(found: Report) -> Iterator[Block]:
    """What speaks most for each class; of many classes, for those with the most rows."""
    sizes = {one.label: one.rows for one in found.evaluation.per_class}
    ranked = sorted(
        (label for label, best in found.top.items() if best), key=lambda one: -sizes.get(one, 0)
    )
    if not ranked:
        return
    one = shown.named(found.evaluation)[0]
    yield (
        f"What speaks most for each {one}, in log-odds of the {one} against all "
        f"{'rows without it' if found.evaluation.several else 'others'}; what was seen more often "
        "comes first."
    )
    if len(ranked) <= _TOP_IN_COLUMNS:
        largest = max(odds for label in ranked for _, odds in found.top[label]) or 1.0
        yield page.Beside(
            [
                page.Part(f"`{page.name(label)}`", [_speaking(found, label, largest)])
                for label in ranked
            ]
        )
        return
    lines = [
        (
            Name(label),
            page.Phrase(
                "  ".join(f"`{_feature(name)}`" for name, _ in found.top[label][:_WORDS_IN_LINES])
            ),
        )
        for label in ranked[:_TOP_IN_LINES]
    ]
    yield Table((one, "what speaks for it"), lines, left=2)
    if len(ranked) > len(lines):
        yield shown.fewer(found.evaluation, len(ranked) - len(lines))


def _speaking(found: Report, label: Label, largest: float) -> Table:
    lines: list[tuple[Cell, ...]] = [
        (_feature(name), f"{odds:+.2f}".replace("-", "−"), Bar(odds / largest))
        for name, odds in found.top[label]
    ]
    return Table(("", "log-odds", ""), lines)


def _columns(found: Report) -> Iterator[Block]:
    kinds, whole = found.contributions, found.calibration
    for columns, likelihood in found.likelihoods if not kinds or whole is None else ():
        yield f"{', '.join(f'`{page.name(name)}`' for name in columns)}: {likelihood}"
    if not kinds or whole is None:
        return
    yield (
        "What each kind of evidence contributes: how much worse the rest would do without it. "
        f"All together, {page.tenth(whole.accuracy)} of {whole.rows:,} rows are right, at a "
        f"log-loss of {whole.log_loss:.3f}. What others say as well can be spared, however much it "
        "says."
    )
    wholes = [one for one in kinds if not one.is_part]
    if len(wholes) > 1:
        yield _worth(wholes, whole)
    views = [one for one in kinds if one.is_part]
    if views:
        yield _worth(views, whole)


def _worth(kinds: list[Contribution], whole: Calibration) -> Table:
    """Kinds of evidence, those that would be missed most first."""
    losses = [one.log_loss - whole.log_loss for one in kinds]
    largest = max(map(abs, losses)) or 1.0
    both_ways = min(losses) < -0.02 * largest
    weighed = any(one.weight is not None for one in kinds)
    rows: list[tuple[Cell, ...]] = []
    for one, loss in sorted(zip(kinds, losses, strict=True), key=lambda pair: -pair[1]):
        trust = _weight(one.weight, one.weight_over_root)
        rows.append(
            (
                ", ".join(page.name(name) for name in one.columns),
                one.kind,
                *([trust] if weighed else []),
                page.number(one.accuracy),
                page.signed(round(loss, 4)),
                Bar(loss / largest, both_ways=both_ways),
            )
        )
    head = ("column", "evidence", *(["weight"] if weighed else []))
    return Table((*head, "accuracy without it", "log-loss rises by", ""), rows, left=2)


def _weight(weight: float | None, over_root: float | None) -> str:
    if weight is None:
        return ""
    parts = [] if not weight else [f"{weight:.3g}"]
    if over_root:
        parts.append(f"{over_root:.3g} / √length")
    return " + ".join(parts) or "0"


def _dependence(found: Report) -> Iterator[Block]:
    pairs = [one for one in found.dependences if one.within >= _WEAK]
    if not found.dependences:
        return
    yield (
        "Naive Bayes takes columns and words to be independent within a class. From 0, which they "
        "are, to 1, where one follows from the other; the strongest first."
    )
    if not pairs:
        yield "No two of them have much to do with each other within the classes."
        return
    lines: list[tuple[Cell, ...]] = [
        (
            _feature(one.first),
            _feature(one.second),
            page.number(one.within),
            Bar(one.within),
            page.number(one.overall),
        )
        for one in pairs
    ]
    yield Table(("", "and", "within classes", "", "overall"), lines, left=2)


def _mistakes(found: Report) -> Iterator[Block]:
    if not found.mistakes:
        yield "There are none."
        return
    which = "all there are"
    if len(found.mistakes) < found.n_mistakes:
        which = f"those made with most confidence, of {found.n_mistakes:,}; a few of every kind"
    sides = ("the label in question", "against it")
    if not found.evaluation.several:
        sides = ("the prediction", "for the label")
    yield (
        f"Mistakes, {which}. Words that speak for {sides[0]} are shaded blue; words that speak "
        f"{sides[1]} are shaded orange and underlined. The darker, the louder."
    )
    if not found.evaluation.several:
        yield page.Cards([_card(row) for row in found.mistakes])
    for heading, is_there in (("Said, but not there", False), ("There, but not said", True)):
        claims = [
            row for row in found.mistakes if isinstance(row, Claim) and row.is_there == is_there
        ]
        if claims:
            yield page.Part(heading, [page.Cards([_card(row) for row in claims])])


def _card(row: Row | Claim) -> tuple[str, str]:
    loudest = max((abs(value) for _, value in row.pieces), default=0.0)
    if isinstance(row, Claim):
        about = (
            f"row {row.number:,}: `{page.name(row.label)}` is given "
            f"{page.percent(row.probability)}; the row has {_names(row.labels)}, the model says "
            f"{_names(row.said)}"
        )
    else:
        about = (
            f"row {row.number:,}: labelled `{page.name(row.label)}`, said to be "
            f"`{page.name(row.said)}` with {page.percent(row.probability)}"
        )
    return about, page.highlighted(row.pieces, loudest) or "(an empty row)"


def _names(labels: tuple[Label, ...]) -> str:
    """Labels in a sentence."""
    named = [f"`{page.name(label)}`" for label in labels[:_NAMED]]
    more = [f"{len(labels) - _NAMED} more"] if len(labels) > _NAMED else []
    return ", ".join([*named, *more]) or "no label"


def _suspicious(found: Report) -> Iterator[Block]:
    if not found.suspicious:
        yield "No label is held all but impossible, with less than 1 %, by the rest of the data."
        return
    judge = "the other rows give" if found.left_out else "the model gives"
    rows = page.counted(found.n_suspicious, "row has", "rows have")
    what = f"{rows} a label to which {judge} less than 1 %"
    if found.evaluation.several:
        times = page.counted(found.n_suspicious, "time", "times")
        what = (
            f"{times} a row has a label to which {judge} less than 1 %, or lacks one to which "
            f"{'they give' if found.left_out else 'it gives'} more than 99 %"
        )
    more = ""
    if len(found.suspicious) < found.n_suspicious:
        more = f" The {len(found.suspicious)} strangest:"
    yield f"{what}; look at {'it' if found.n_suspicious == 1 else 'them'} again.{more}"
    rather = "which the row" if found.evaluation.several else "rather"
    lines: list[tuple[Cell, ...]] = [
        (
            f"{row.number:,}",
            Name(row.label),
            ("has" if row.is_there else "lacks") if isinstance(row, Claim) else Name(row.said),
            page.percent(row.probability),
            _short("".join(piece for piece, _ in row.pieces)),
        )
        for row in found.suspicious
    ]
    yield Table(("row", "label", rather, "probability", "what it says"), lines, left=5)


def _duplicates(found: Report) -> Iterator[Block]:
    seen = found.duplicates
    if not seen.rows:
        yield "No row stands there twice."
        return
    copies = page.counted(seen.rows, "row is a copy", "rows are copies")
    originals = page.counted(seen.groups, "row", "different rows")
    yield f"{copies} of another in all that the model reads: copies of {originals}."
    if seen.at_odds:
        different = page.counted(seen.at_odds, "of these has", "of these have")
        yield page.Warned(
            f"{different} different labels on equal rows, which no model can all get right"
        )
    else:
        yield "Copies have the same label throughout."
    lines: list[tuple[Cell, ...]] = [
        (
            f"{sum(n for _, n in one.labels):,}",
            "; ".join(f"{_spelled(answer)} {n:,}" for answer, n in one.labels[:3])
            + (f"; and {len(one.labels) - 3} more" if len(one.labels) > 3 else ""),
            _short(one.shown),
        )
        for one in seen.examples
    ]
    yield Table(("times", "labels", "what it says"), lines, left=3)


def _spelled(answer: Answer) -> str:
    """The label of a row, or its labels."""
    return ", ".join(page.name(label) for label in labels_of(answer)) or "no label"


def _origin(found: Report) -> Iterator[Block]:
    origin = found.origin
    lines = [
        (name, value)
        for name, value in (
            ("data", origin.data),
            ("SHA-256 of the data", origin.data_sha256),
            ("model", origin.model),
            ("SHA-256 of the model", origin.model_sha256),
            ("tally", origin.tally),
            ("Likely", origin.likely),
        )
        if value
    ]
    if origin.command:
        yield "This command made the page; the same files give the same page, byte for byte."
        yield page.Code([origin.command])
    yield Table((), lines, left=2)
    yield from (f"note: {note}" for note in found.notes)


def _tile(what: str, figure: Figure) -> tuple[str, str, str]:
    # Of a small figure three decimals would leave little.
    spelled = page.number if figure < _SMALL else "{:.3f}".format
    return what, spelled(figure), page.interval(figure, spelled)


def _chance(probability: float) -> str:
    return f"{probability * 100:g} %"


def _points(difference: float) -> str:
    return f"{difference * 100 + 0.0:+.1f}".replace("-", "−")


def _rows(found: Report, share: float) -> str:
    return f"{round(share * found.evaluation.rows):,} rows"


def _feature(name: str) -> str:
    """A feature as people can read it: spaces at its ends would be lost, marks alone not seen."""
    if all(unicodedata.category(sign)[0] in "CMZ" for sign in name):
        return page.name(ascii(name), 60)
    return page.name(name if name == name.strip() else repr(name), 60)


def _short(text: str) -> str:
    return page.name(" ".join(text.split()), 160)
