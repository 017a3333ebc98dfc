"""The sections of a report that show rows to look at."""

from collections.abc import Iterator

from likely import render
from likely.data.labels import Label
from likely.render import Block, Cell, Name, Table
from likely.report.facts import Claim, Report, Row
from likely.report.rows import labels_of

# Of the labels of a row so many are named.
_NAMED = 6


def mistakes(found: Report) -> Iterator[Block]:
    if not found.mistakes:
        yield "There are none."
        return
    which = "all there are"
    if len(found.mistakes) < found.n_mistakes:
        which = f"those made with most confidence, of {found.n_mistakes:,}; a few of every kind"
    sides = ("the label in question", "against it")
    if not found.evaluation.is_multilabel:
        sides = ("the prediction", "for the label")
    yield (
        f"Mistakes, {which}. Words that speak for {sides[0]} are shaded blue; words that speak "
        f"{sides[1]} are shaded orange and underlined. The darker, the louder."
    )
    if found.explained_left_out:
        yield "Each row is explained by the model without it, as it was judged."
    elif found.left_out:
        yield render.Caution(
            "rows are explained by the model as it is, which has learned them: where some count "
            "more than once, they are judged in folds"
        )
    if not found.evaluation.is_multilabel:
        yield render.Cards([_card(row, found.left_out) for row in found.mistakes])
    for heading, is_there in (("Said, but not there", False), ("There, but not said", True)):
        claims = [
            row for row in found.mistakes if isinstance(row, Claim) and row.is_there == is_there
        ]
        if claims:
            yield render.Subsection(
                heading, [render.Cards([_card(row, found.left_out) for row in claims])]
            )


def _card(row: Row | Claim, left_out: bool) -> tuple[str, str]:
    loudest = max((abs(value) for _, value in row.pieces), default=0.0)
    if isinstance(row, Claim):
        about = (
            f"row {row.number:,}: `{render.full_name(row.label)}` is given "
            f"{render.percent(row.probability)}; the row has {_names(row.labels)}, the model says "
            f"{_names(row.said)}"
        )
    else:
        about = (
            f"row {row.number:,}: labeled `{render.full_name(row.label)}`, said to be "
            f"`{render.full_name(row.said)}` with {render.percent(row.probability)}"
        )
    if row.unknown:
        judge = "without this row the model" if left_out else "the model"
        about += f"; {judge} does not know `{render.full_name(row.label)}`"
    return about, render.highlighted(row.pieces, loudest) or "(an empty row)"


def _names(labels: tuple[Label, ...]) -> str:
    """Labels in a sentence."""
    named = ", ".join(f"`{render.full_name(label)}`" for label in labels[:_NAMED])
    more = f" and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
    return f"{named}{more}" or "no label"


def label_issues(found: Report) -> Iterator[Block]:
    if not found.label_issues:
        yield "No label is held all but impossible, with less than 1 %, by the rest of the data."
        return
    judge = "the other rows give" if found.left_out else "the model gives"
    rows = render.counted(found.n_suspicious, "row has", "rows have")
    what = f"{rows} a label to which {judge} less than 1 %"
    if found.evaluation.is_multilabel:
        times = render.counted(found.n_suspicious, "time", "times")
        what = (
            f"{times} a row has a label to which {judge} less than 1 %, or lacks one to which "
            f"{'they give' if found.left_out else 'it gives'} more than 99 %"
        )
    more = ""
    if len(found.label_issues) < found.n_suspicious:
        more = f" The {len(found.label_issues)} strangest:"
    yield f"{what}; look at {'it' if found.n_suspicious == 1 else 'them'} again.{more}"
    rather = "which the row" if found.evaluation.is_multilabel else "rather"
    lines: list[tuple[Cell, ...]] = [
        (
            f"{row.number:,}",
            Name(row.label),
            ("has" if row.is_there else "lacks") if isinstance(row, Claim) else Name(row.said),
            render.percent(row.probability),
            _short("".join(piece for piece, _ in row.pieces)),
        )
        for row in found.label_issues
    ]
    yield Table(("row", "label", rather, "probability", "what it says"), lines, left=5)


def duplicates(found: Report) -> Iterator[Block]:
    seen = found.duplicates
    if not seen.rows:
        yield "No row stands there twice."
        return
    copies = render.counted(seen.rows, "row is a copy", "rows are copies")
    originals = render.counted(seen.groups, "row", "different rows")
    yield f"{copies} of another in all that the model reads: copies of {originals}."
    if seen.at_odds:
        different = render.counted(seen.at_odds, "of these has", "of these have")
        yield render.Caution(
            f"{different} different labels on equal rows, which no model can all get right"
        )
    else:
        yield "Copies have the same label throughout."
    lines: list[tuple[Cell, ...]] = [
        (
            f"{sum(n for _, n in one.labels):,}",
            render.Phrase(
                "; ".join(f"{_names(labels_of(answer))} {n:,}" for answer, n in one.labels[:3])
                + (f"; and {len(one.labels) - 3} more" if len(one.labels) > 3 else "")
            ),
            _short(one.shown),
        )
        for one in seen.examples
    ]
    yield Table(("times", "labels", "what it says"), lines, left=3)
    left = seen.groups - len(lines)
    if left:
        yield f"and {render.counted(left, 'row', 'different rows')} that have copies, not shown"


def _short(text: str) -> str:
    return render.name(" ".join(text.split()), 160)
