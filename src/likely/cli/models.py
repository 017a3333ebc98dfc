"""The models by name, which columns each reads, and which options each heeds."""

from collections.abc import Iterable

import click

from likely.cli.options import asked
from likely.data.columns import Role
from likely.errors import DataError
from likely.likelihoods import TEXT_VIEWS

_TEXT = tuple(TEXT_VIEWS)
_NUMBER = ("gaussian", "lda", "qda")
_CATEGORY = ("categorical", "joint")

READS: dict[str, Role] = {
    **dict.fromkeys(_TEXT, "text"),
    **dict.fromkeys(_CATEGORY[:1], "categorical"),
    **dict.fromkeys(_NUMBER, "numeric"),
    **dict.fromkeys(_CATEGORY[1:], "categorical"),
}
"""The kind of the columns that each model reads."""
MODELS = list(READS)

_SPELLED = {"text": "texts", "numeric": "numbers", "categorical": "categories"}
_JOINT = tuple(model for model in MODELS if model != "complement")
_READING = (
    *(
        "--task",
        "--word-ngrams",
        "--char-ngrams",
        "--negation",
        "--stop-words",
        "--stem",
        "--punctuation",
    ),
    *("--surface-features", "--normalize", "--lexicon"),
)

HEEDED: dict[str, tuple[str, tuple[str, ...]]] = {
    "--alpha": ("smooths the counts of texts and categories", (*_TEXT, *_CATEGORY)),
    "--m": ("smooths the shares of categories", _CATEGORY),
    "--joint": ("is about columns of numbers or categories", (*_NUMBER, *_CATEGORY)),
    "--tfidf": ("weighs how often words occur", ("multinomial", "complement")),
    "--prior": ("says how common classes are", _JOINT),
    "--unlabeled": ("needs probabilities of rows", _JOINT),
    "--rules-as": ("makes rules part of a probability", _JOINT),
    **dict.fromkeys(_READING, ("is about texts", _TEXT)),
}
"""What an option does that not every model heeds, and the models that do."""


def refuse_unheeded(model: str | None) -> None:
    """Refuse options that were typed and that the model which was named would not heed."""
    if model is None:
        return
    for option in _typed():
        what, models = HEEDED[option]
        if model not in models:
            raise click.UsageError(
                f"{option} {what}, and --model {model}, which reads {_SPELLED[READS[model]]}, "
                f"does not heed it\nhint: models that heed it: {', '.join(models)}"
            )


def refuse_without_columns(kinds: Iterable[str]) -> None:
    """Refuse options that were typed and that no column would heed, whatever the model."""
    used = set(kinds)
    typed = _typed()
    for option in typed:
        what, models = HEEDED[option]
        heeding = {READS[model] for model in models}
        if option == "--alpha" and "--m" in typed:
            # Categories are smoothed in one of the two ways.
            heeding.discard("categorical")
        if heeding.isdisjoint(used):
            also = " beside --m" if option == "--alpha" and "--m" in typed else ""
            listed = " or ".join(_SPELLED[kind] for kind in _SPELLED if kind in heeding)
            raise DataError(f"{option} {what}, and{also} no column of {listed} is used")


def _typed() -> list[str]:
    """The options of the table that were typed, as far as they ask for what is in it."""
    params = click.get_current_context().params
    found = [option for option in asked(params) if option in HEEDED]
    if params.get("rules_as") == "evidence":
        # Rules that are counted are smoothed too.
        return [option for option in found if option != "--alpha"]
    return [option for option in found if option != "--rules-as"]
