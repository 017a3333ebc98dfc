"""The models by name, and which options apply to each."""

from collections.abc import Iterable

import click

from likely.cli.options import given_options
from likely.errors import DataError
from likely.likelihoods import TEXT_VIEWS
from likely.likelihoods.choose import READS

MODELS = list(READS)
FEATURES = "features:"
"""What stands before a file of rules that become features, rather than overrule the model."""

_TEXT = tuple(TEXT_VIEWS)
_CATEGORICAL = ("categorical", "joint")
_NUMERIC = ("gaussian", "lda", "qda")
_GENERATIVE = tuple(model for model in MODELS if model != "complement")
_AGAINST_REST = tuple(model for model in MODELS if model not in ("bernoulli", "complement"))
_PREPROCESSING = (
    *("--task", "--word-ngrams", "--char-ngrams", "--negation", "--stop-words", "--stem"),
    *("--surface-features", "--lexicon"),
)

APPLIES_TO: dict[str, tuple[str, tuple[str, ...]]] = {
    "--alpha": ("smooths counts of text and categories", (*_TEXT, *_CATEGORICAL)),
    "--m": ("smooths categorical columns", _CATEGORICAL),
    "--category-prior": ("is the prior of values, column by column", ("categorical",)),
    "--joint": ("is about numeric or categorical columns", (*_NUMERIC, *_CATEGORICAL)),
    "--tfidf": ("is a weighting of word counts", ("multinomial", "complement")),
    "--one-vs-rest": ("needs counts of all rows without a class", _AGAINST_REST),
    "--prior": ("sets P(class)", _GENERATIVE),
    "--unlabeled": ("needs P(row | class)", _GENERATIVE),
    "--rules": ("with features:FILE adds features to P(row | class)", _GENERATIVE),
    **dict.fromkeys(_PREPROCESSING, ("is about text", _TEXT)),
}
"""What an option does that does not apply to every model, and the models it applies to."""


def refuse_for_model(model: str | None) -> None:
    """Refuse options that do not apply to the model that was named."""
    for option in _limited_options() if model is not None else ():
        what, models = APPLIES_TO[option]
        if model not in models:
            raise click.UsageError(
                f"{option} {what}, so it does not apply to --model {model}\n"
                f"hint: it applies to {', '.join(models)}"
            )


def refuse_without_columns(roles: Iterable[str]) -> None:
    """Refuse options that apply to none of the columns that are used, whatever the model."""
    used = set(roles)
    options = _limited_options()
    for option in options:
        what, models = APPLIES_TO[option]
        needed: set[str] = {READS[model] for model in models}
        if option == "--alpha":
            needed.add("short text")
        # Categories are smoothed in one of the two ways.
        others = [one for one in ("--m", "--category-prior") if one in options]
        beside = others if option == "--alpha" else []
        if beside:
            needed.discard("categorical")
        if needed.isdisjoint(used):
            also = f" beside {beside[0]}" if beside else ""
            listed = " or ".join(r for r in ("text", "numeric", "categorical") if r in needed)
            raise DataError(f"{option} {what}, and{also} no {listed} column is used")


def _limited_options() -> list[str]:
    """The given options that do not apply to every model."""
    params = click.get_current_context().params
    found = [option for option in given_options(params) if option in APPLIES_TO]
    has_features = str(params.get("rules") or "").startswith(FEATURES)
    # Rules that are features are smoothed too.
    return [option for option in found if option != ("--alpha" if has_features else "--rules")]
