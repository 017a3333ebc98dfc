"""The sections of a report that show rows to look at."""

from collections.abc import Iterator

from likely import render
from likely.data.labels import Label
from likely.render import Block, Cell, Name, Table
from likely.report.facts import Report, ShownLabel, ShownRow
from likely.report.rows import labels_of

# How many labels of a row are named.
_NAMED = 6


def mistakes(found: Report) -> Iterator[Block]:
    if not found.mistakes:
        yield "There are none."
        return
    which = "all there are"
    if len(found.mistakes) < found.n_mistakes:
        which = f"the most confident of {found.n_mistakes:,}, a few of every kind"
    sides = ("for the label in question", "against it")
    if not found.evaluation.is_multilabel:
        sides = ("for the prediction", "for the label")
    yield (
        f"Mistakes: {which}. Blue shading is a contribution {sides[0]}; orange shading with an "
        f"underline is a contribution {sides[1]}. The darker, the larger (log-odds)."
    )
    if found.explained_left_out:
        yield "Each row is explained by the model without it, which also predicted it."
    elif found.left_out:
        yield render.Caution(
            "rows are explained by the model as it is, which has learned them: under group weights "
            "they are predicted in folds"
        )
    if not found.evaluation.is_multilabel:
        yield render.Cards([_card(row, found.left_out) for row in found.mistakes])
    for heading, has_label in (("False positives", False), ("False negatives", True)):
        shown = [
            row
            for row in found.mistakes
            if isinstance(row, ShownLabel) and row.has_label == has_label
        ]
        if shown:
            yield render.Subsection(
                heading, [render.Cards([_card(row, found.left_out) for row in shown])]
            )


def _card(row: ShownRow | ShownLabel, left_out: bool) -> tuple[str, str]:
    largest = max((abs(value) for _, value in row.pieces), default=0.0)
    if isinstance(row, ShownLabel):
        about = (
            f"row {row.number:,}: P(`{render.full_name(row.label)}`) is "
            f"{render.percent(row.probability)}; labels {_names(row.labels)}, predicted "
            f"{_names(row.predictions)}"
        )
    else:
        about = (
            f"row {row.number:,}: label `{render.full_name(row.label)}`, predicted "
            f"`{render.full_name(row.prediction)}` with {render.percent(row.probability)}"
        )
    if row.unknown:
        model = "without this row the model" if left_out else "the model"
        about += f"; {model} does not know `{render.full_name(row.label)}`"
    return about, render.highlighted(row.pieces, largest) or "(an empty row)"


def _names(labels: tuple[Label, ...]) -> str:
    """Labels in a sentence."""
    named = ", ".join(f"`{render.full_name(label)}`" for label in labels[:_NAMED])
    more = f" and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
    return f"{named}{more}" or "no label"


def label_issues(found: Report) -> Iterator[Block]:
    if not found.label_issues:
        yield "No label has a probability below 1 %."
        return
    issues = render.counted(found.n_label_issues, "possible label error", "possible label errors")
    what = f"{issues}: labels with a probability below 1 %"
    if found.evaluation.is_multilabel:
        what += ", or missing labels with a probability above 99 %"
    if found.left_out:
        what += ", given the other rows"
    more = ""
    if len(found.label_issues) < found.n_label_issues:
        more = f" The {len(found.label_issues)} least probable:"
    yield f"{what}.{more}"
    predicted = "the row" if found.evaluation.is_multilabel else "predicted"
    lines: list[tuple[Cell, ...]] = [
        (
            f"{row.number:,}",
            Name(row.label),
            ("has" if row.has_label else "lacks")
            if isinstance(row, ShownLabel)
            else Name(row.prediction),
            render.percent(row.probability),
            _short("".join(piece for piece, _ in row.pieces)),
        )
        for row in found.label_issues
    ]
    yield Table(("row", "label", predicted, "probability", "text"), lines, left=5)


def duplicates(found: Report) -> Iterator[Block]:
    seen = found.duplicates
    if not seen.rows:
        yield "There are no exact duplicates."
        return
    duplicates = render.counted(seen.rows, "row is an exact duplicate", "rows are exact duplicates")
    originals = render.counted(seen.groups, "row", "different rows")
    yield f"{duplicates} of another in all columns that the model reads, of {originals} in all."
    if seen.conflicting:
        different = render.counted(seen.conflicting, "of these has", "of these have")
        yield render.Caution(f"{different} conflicting labels, which no model can all predict")
    else:
        yield "Duplicates have the same label throughout."
    lines: list[tuple[Cell, ...]] = [
        (
            f"{sum(n for _, n in one.labels):,}",
            render.Phrase(
                "; ".join(f"{_names(labels_of(answer))} {n:,}" for answer, n in one.labels[:3])
                + (f"; and {len(one.labels) - 3} more" if len(one.labels) > 3 else "")
            ),
            _short(one.text),
        )
        for one in seen.examples
    ]
    yield Table(("rows", "labels", "text"), lines, left=3)
    left = seen.groups - len(lines)
    if left:
        yield f"and {render.counted(left, 'row', 'different rows')} with duplicates, not shown"


def _short(text: str) -> str:
    return render.name(" ".join(text.split()), 160)
