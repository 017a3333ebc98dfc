"""The page of a report: its facts, section by section."""

from collections.abc import Iterator

from likely import render
from likely.evaluation import shown
from likely.evaluation.intervals import Figure
from likely.render import Block, Section, Table
from likely.report import examples, features, quality
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
    """The metrics that matter most, how they were measured, and warnings."""
    metrics = found.evaluation
    tiles = [
        (
            "subset accuracy" if metrics.is_multilabel else "accuracy",
            render.tenth(metrics.accuracy),
            render.interval(metrics.accuracy, render.tenth),
        ),
        (
            "majority baseline",
            render.tenth(metrics.majority_baseline),
            f"always {metrics.commonest}",
        ),
        *([_tile("micro-F1", metrics.micro_f1)] if metrics.is_multilabel else []),
        _tile("macro-F1", metrics.macro_f1),
    ]
    more = {
        "label ranking": metrics.label_ranking,
        "Hamming loss": metrics.hamming_loss,
        "log-loss": metrics.log_loss,
        "calibration error": metrics.ece,
    }
    tiles += [_tile(what, figure) for what, figure in more.items() if figure is not None]
    return [
        render.Tiles(tiles),
        _how(found),
        *_seen(found),
        *map(render.Caution, filter(None, [found.unseen_columns, *metrics.warnings])),
    ]


def _how(found: Report) -> str:
    rows = render.counted(found.evaluation.rows, "row", "rows")
    if found.left_out:
        duplicates = " and exact duplicates of its text" if found.duplicates_together else ""
        how, by = "Leave-one-out", f"the counts without it{duplicates}"
        if found.in_folds:
            how, by = "Cross-validation", "a model that has not seen its fold"
        text = (
            f"{how} on the training rows: each of the {rows} was predicted from {by}. No data was "
            "held out."
        )
        if found.accuracy_alone is not None:
            alone = render.tenth(found.accuracy_alone)
            text += f" With each row left out alone, its duplicates kept, the accuracy is {alone}."
        if found.optimism is not None:
            text += f" But {found.optimism}."
        return text
    return f"Test: {rows}, predicted by the model as it is."


def _seen(found: Report) -> Iterator[Block]:
    """Whether the rows of a test were new to the model."""
    if found.left_out:
        return
    if found.learned:
        yield render.Caution(
            f"{found.learned:,} of the {found.evaluation.rows:,} rows were learned by the model; "
            "their figures are too optimistic"
        )
    elif not found.knows_rows:
        yield (
            "The model keeps no open ledger of the rows it learned, so it cannot tell whether it "
            "has seen these."
        )
    else:
        yield "The model has seen none of them before."


def _sections(found: Report) -> Iterator[Section]:
    metrics = found.evaluation
    yield Section("metrics", "Metrics", list(quality.metrics(found)))
    title = shown.named(metrics)[1].capitalize()
    yield Section("classes", title, list(quality.classes(found)))
    yield Section("confusions", "Confusions", shown.confusions(metrics))
    yield Section("calibration", "Calibration", list(quality.calibration(found)))
    yield Section("thresholds", "Thresholds", list(quality.thresholds(found)))
    yield Section("learning", "Learning curve", list(quality.learning_curve(found)))
    yield Section("features", "Most informative features", list(features.top(found)))
    yield Section("shapes", "Shapes of columns", list(features.shapes(found)))
    title = "Column importance" if len(found.column_importance) > 1 else "Columns"
    yield Section("importance", title, list(features.columns(found)))
    yield Section("dependence", "Dependent features", list(features.dependence(found)))
    yield Section("mistakes", "Mistakes", list(examples.mistakes(found)))
    yield Section("labels", "Possible label errors", list(examples.label_issues(found)))
    yield Section("duplicates", "Exact duplicates", list(examples.duplicates(found)))
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
    # A small figure needs more than three decimals.
    spelled = render.number if figure < _SMALL else render.rate
    return what, spelled(figure), render.interval(figure, spelled)
