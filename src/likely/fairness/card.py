"""A model card: what a model is, what it is for, how it does, and what it should not be used for.

What numbers say is measured. What only people know (what it is for, who may be harmed) its author
answers in a small TOML file; a question without an answer is shown as one.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from likely import render
from likely.classifier import Classifier
from likely.errors import DataError
from likely.evaluation.evaluate import evaluate
from likely.evaluation.facts import Evaluation
from likely.evaluation.model_predictions import left_out, predict_rows
from likely.explain.info import Info
from likely.fairness import PersonSentences, groups, persons, read_sentences, terms
from likely.fairness.facts import Facts
from likely.fairness.sentences import Sentences
from likely.render.markdown import markdown

QUESTIONS = {
    "purpose": "What does the model decide, and what happens then?",
    "intended_use": "For which texts or rows, by whom, in which language?",
    "unintended_use": "For what must it not be used?",
    "people": "Who is affected by its decisions, and who might be harmed by a wrong one?",
    "data": "Where do the rows come from, of when, and did the people in them consent?",
    "labels": "Who gave the labels, by which rule, and how far did they agree?",
    "oversight": "Who looks at its decisions, and how does one object to them?",
    "limits": "What is known not to work?",
    "contact": "Whom should one contact?",
    "licence": "Under which licence may it be used?",
}
_FIGURES = {
    "macro_f1": "macro-F1",
    "log_loss": "log-loss",
    "ece": "calibration error (ECE)",
    "roc_auc": "ROC-AUC",
}
MISSING = "not answered by the author"


@dataclass(frozen=True, eq=False)
class Card:
    """What there is to know of a model before it is used."""

    name: str
    version: str
    sha256: str
    bytes: int
    digest: str
    is_stale: bool
    info: Info
    answers: dict[str, str]
    data: dict[str, Any] | None
    """The file the figures come from: its name, SHA-256, rows and how they were evaluated."""
    evaluation: Evaluation | None
    audits: tuple[Facts, ...]
    commands: tuple[str, ...]

    @property
    def unanswered(self) -> list[str]:
        return [key for key in QUESTIONS if not self.answers.get(key)]

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "likely": self.version,
            "sha256": self.sha256,
            "bytes": self.bytes,
            "digest": self.digest,
            "is_stale": self.is_stale,
            "rows": {str(label): rows for label, rows in self.info.rows.items()},
            "answers": {key: self.answers.get(key) for key in QUESTIONS},
            "unanswered": self.unanswered,
            "data": self.data,
            "evaluation": None if self.evaluation is None else self.evaluation.to_json(),
            "audit": {one.kind: one.to_json() for one in self.audits},
            "notes": list(self.info.notes),
            "commands": list(self.commands),
        }

    def markdown(self) -> str:
        return markdown(*self._page())

    def html(self) -> str:
        title, lead, sections, closing = self._page()
        return render.document(title, lead, [], sections, closing)

    def _page(self) -> tuple[str, str, list[render.Section], str]:
        lead = self.answers.get("purpose") or (
            "What the model is, what it is for, how it does, and what it should not be used for."
        )
        sections = [
            render.Section(
                "use", "Use", self._answered("purpose", "intended_use", "unintended_use")
            ),
            render.Section("people", "People", self._answered("people", "oversight", "contact")),
            render.Section("model", "Model", self._model()),
            render.Section("data", "Data", [*self._rows(), *self._answered("data", "labels")]),
            render.Section("figures", "Metrics", self._figures()),
            render.Section("audit", "Audit", self._audit()),
            render.Section("limits", "Limits", self._limits()),
            render.Section("reproduce", "How to reproduce", self._reproduce()),
        ]
        missing = len(self.unanswered)
        closing = f"Made by likely {self.version}." + (
            f" {missing} of {len(QUESTIONS)} questions are not answered." if missing else ""
        )
        return f"Model card: {self.name}", lead, sections, closing

    def _answered(self, *keys: str) -> list[render.Block]:
        return [
            render.Subsection(
                QUESTIONS[key],
                [self.answers[key] if self.answers.get(key) else render.Caution(MISSING)],
            )
            for key in keys
        ]

    def _model(self) -> list[render.Block]:
        numbers = self.info.parameters
        rows = [
            *((f"reads {', '.join(columns)}", text) for columns, text in self.info.likelihoods),
            *((f"reads {column}", text) for column, text in self.info.readings),
            ("prior", self.info.prior if isinstance(self.info.prior, str) else "given"),
            ("parameters", f"{numbers.likelihood:,}, {numbers.free:,} of them free"),
            ("rows learned", self.info.ledger),
        ]
        exact = (
            "the model was tuned on other rows than those learned; the counts are exact, the "
            "weights are stale until `likely tune`"
            if self.is_stale
            else "the same rows give the same tally, in any order, on any machine"
        )
        return [render.Table(("", ""), rows, left=2), f"Exactness: {exact}."]

    def _rows(self) -> list[render.Block]:
        total = sum(self.info.rows.values())
        rows = [
            (render.Name(label), f"{n:,}", render.percent(round(n / total, 4)))
            for label, n in self.info.rows.items()
        ]
        return [
            f"{total:,} rows in {len(self.info.rows)} classes.",
            render.Table(("class", "rows learned", "share"), rows),
        ]

    def _figures(self) -> list[render.Block]:
        if self.evaluation is None or self.data is None:
            return [render.Caution("Not measured: no rows with labels were given.")]
        found = self.evaluation
        shown = {
            "accuracy": found.accuracy,
            "majority baseline": found.majority_baseline,
            **{
                spelled: found.figures[name]
                for name, spelled in _FIGURES.items()
                if name in found.figures
            },
        }
        rows = [(name, render.number(one), render.interval(one)) for name, one in shown.items()]
        classes = [
            (
                render.Name(one.label),
                render.count(one.rows),
                render.number(one.precision),
                render.number(one.recall),
                render.number(one.f1),
                render.interval(one.f1),
            )
            for one in found.per_class
        ]
        return [
            f"{found.rows:,} rows of {self.data['name']}, {self.data['method']}.",
            render.Table(("metric", "", "95 % interval"), rows),
            render.Table(("class", "rows", "precision", "recall", "F1", "95 % interval"), classes),
            *(render.Caution(warning) for warning in found.warnings),
        ]

    def _audit(self) -> list[render.Block]:
        if not self.audits:
            return [
                render.Caution(
                    "Not audited: the model reads no single text, and no group was named."
                )
            ]
        return [block for one in self.audits for block in one.blocks()]

    def _limits(self) -> list[render.Block]:
        blocks: list[render.Block] = [*self._answered("limits")]
        blocks += [f"{note[:1].upper()}{note[1:]}." for note in self.info.notes]
        if self.audits:
            blocks.append(
                "The audit uses a few English sentences. Where it found no gap, there may still be "
                "one; other groups and wordings were not measured."
            )
        return blocks

    def _reproduce(self) -> list[render.Block]:
        data = []
        if self.data is not None and self.data["sha256"]:
            data = [(self.data["name"], self.data["sha256"])]
        return [
            render.Table(
                ("", "SHA-256"), [(self.name, self.sha256), ("tally", self.digest), *data], left=2
            ),
            render.Code(self.commands),
            "The same rows under the same options give the same tally, and this card again.",
            *self._answered("licence"),
        ]


def card(
    model: Classifier,
    *,
    name: str,
    sha256: str,
    size: int,
    version: str,
    answers: Mapping[str, str] | None = None,
    x: Any = None,
    y: Any = None,
    data: Mapping[str, Any] | None = None,
    sentences: Sequence[Sentences] = (),
    group_columns: Sequence[str] = (),
    score: Any = None,
    commands: tuple[str, ...] = (),
) -> Card:
    """Measure a model by rows with labels, if there are any, and audit it.

    A model that reads one text is audited with `sentences`, or ours about persons.
    """
    found, described = None, None
    if x is not None:
        rows = model.labeled(x, y)
        left = left_out(model, rows)
        if left is not None:
            given = left.labels, left.predictions, left.probabilities
            classes, method = left.classes, "leave-one-out"
        else:
            one = predict_rows(model, rows)
            given, classes = (one.truth, one.predictions, one.probabilities), one.classes
            method = "which the model had not learned"
            if one.learned:
                method = (
                    f"{one.learned:,} of which the model had learned, so figures are too optimistic"
                )
        found = evaluate(*given, classes=classes)
        described = {**(data or {}), "rows": found.rows, "method": method}
    if not sentences and len(model.text_columns) == 1:
        sentences = [read_sentences("persons")]
    audits: list[Facts] = [
        persons(model, each, score)
        if isinstance(each, PersonSentences)
        else terms(model, each, score)
        for each in sentences
    ]
    if x is not None:
        audits += [groups(model, rows, group=column, score=score) for column in group_columns]
    return Card(
        name,
        version,
        sha256,
        size,
        model.digest,
        model.is_stale,
        model.info,
        dict(answers or {}),
        described,
        found,
        tuple(audits),
        commands,
    )


def blank() -> str:
    """The questions, to be answered."""
    return "".join(f'# {question}\n{key} = ""\n\n' for key, question in QUESTIONS.items())


def read_answers(path: str) -> dict[str, str]:
    """The author's answers; what is no question is refused."""
    try:
        given = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is no TOML: {error}") from None
    for key, answer in given.items():
        if key not in QUESTIONS:
            raise DataError(
                f"{path}: `{key}` is no question of the card; there are {', '.join(QUESTIONS)}"
            )
        if not isinstance(answer, str):
            raise DataError(f"{path}: the answer to `{key}` is a text in quotes")
    return {key: answer.strip() for key, answer in given.items() if answer.strip()}
