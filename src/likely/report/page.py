"""The page of a report: its facts, section by section."""

from collections.abc import Iterator

from likely import render
from likely.evaluation import shown
from likely.evaluation.intervals import Figure
from likely.render import Block, Section, Table
from likely.report import examples, quality, reasons
from likely.report.facts import Report

_SMALL = 0.01


def document(found: Report) -> str:
    """The whole page."""
    return render.document(
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
    always = render.tenth(judged.majority_baseline)
    tiles = [
        (
            "all labels right" if judged.is_multilabel else "accuracy",
            render.tenth(judged.accuracy),
            render.interval(judged.accuracy, render.tenth),
        ),
        (f"always {judged.commonest}", always, "right without looking"),
        *([_tile("micro-F1", judged.micro_f1)] if judged.is_multilabel else []),
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
        render.Tiles(tiles),
        _how(found),
        *_seen(found),
        *map(render.Caution, filter(None, [found.strange, *judged.warnings])),
    ]


def _how(found: Report) -> str:
    rows = render.counted(found.evaluation.rows, "row", "rows")
    if found.left_out:
        duplicates = " and exact duplicates of its text" if found.together else ""
        how, by = "leave-one-out", f"the counts without it{duplicates}"
        if found.in_folds:
            how, by = "cross-validation", "a model that has not seen its fold"
        said = (
            f"These are the rows that the model learned: this is {how}. Each of the {rows} was "
            f"judged by {by}, and no data was held out."
        )
        if found.accuracy_alone is not None:
            alone = render.tenth(found.accuracy_alone)
            said += f" With each row left out alone, its duplicates in place, {alone} are right."
        if found.optimism is not None:
            said += f" But {found.optimism}."
        return said
    return f"This is a test: {rows}, judged by the model as it is."


def _seen(found: Report) -> Iterator[Block]:
    """Whether the rows of a test were new to the model."""
    if found.left_out:
        return
    if found.learned:
        yield render.Caution(
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
    yield Section("figures", "Figures", list(quality.figures(found)))
    title = shown.named(judged)[1].capitalize()
    yield Section("classes", title, list(quality.classes(found)))
    yield Section("confusions", "Confusions", shown.confusions(judged))
    yield Section("calibration", "Calibration", list(quality.calibration(found)))
    yield Section("thresholds", "Thresholds", list(quality.thresholds(found)))
    yield Section("learning", "Learning curve", list(quality.learning(found)))
    yield Section("evidence", "Evidence", list(reasons.evidence(found)))
    title = "Column importance" if len(found.column_importance) > 1 else "Columns"
    yield Section("importance", title, list(reasons.columns(found)))
    yield Section("dependence", "Dependence", list(reasons.dependence(found)))
    yield Section("mistakes", "Mistakes", list(examples.mistakes(found)))
    yield Section("labels", "Suspicious labels", list(examples.label_issues(found)))
    yield Section("duplicates", "Duplicates", list(examples.duplicates(found)))
    yield Section("origin", "How to reproduce", list(_origin(found)))


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
        yield render.Code([origin.command])
    yield Table((), lines, left=2)
    yield from (f"note: {note}" for note in found.notes)


def _tile(what: str, figure: Figure) -> tuple[str, str, str]:
    # Of a small figure three decimals would leave little.
    spelled = render.number if figure < _SMALL else "{:.3f}".format
    return what, spelled(figure), render.interval(figure, spelled)
