"""A model as the bytes of a .likely file, and back."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from likely import storage
from likely.decision import Decision
from likely.errors import ModelError
from likely.labels import Label, Shares, one_kind
from likely.ledger import Ledger
from likely.likelihoods import restore
from likely.likelihoods.opinion import (
    OPINION,
    SecondOpinion,
    opinion_arrays,
    places_of_opinions,
)
from likely.likelihoods.product import Given, Product
from likely.model import Model
from likely.reweighing import Reweighing, Times
from likely.rules import Rules
from likely.tally import Tally, checked_fingerprint
from likely.text import of_today
from likely.thresholds import Thresholds

M = TypeVar("M", bound=Model)

# What options that make no sense may raise: they are tried as if they did.
_NONSENSE = (
    KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip

# What rows count beyond once stands beside the tally, in arrays of its own.
_MORE = "more/"


def to_bytes(model: Model) -> bytes:
    """The model as the bytes of a .likely file."""
    reweighing = model._reweighing
    beside = opinion_arrays(model._settled)
    if reweighing is not None and reweighing.more is not None:
        beside |= {f"{_MORE}{name}": array for name, array in reweighing.more.arrays().items()}
    return storage.pack(_metadata(model), {**model.tally.arrays(), **beside})


def _metadata(model: Model) -> dict[str, Any]:
    """All of a model but its arrays."""
    product, reweighing = model._settled, model._reweighing
    kept = {"tally": model.digest} if model._copied is None else {"copy of": model._copied}
    prior = model.prior if isinstance(model.prior, str) else sorted(model.prior.items())
    return {
        **model.tally.metadata,
        "model": {
            "likelihoods": product.settings,
            "prior": prior,
            "classes": list(model._known),
            "by_column": isinstance(model.likelihood, Mapping),
            "target": model.target,
            **({} if model.rules is None else {"rules": model.rules.to_json()}),
            **({} if model.thresholds is None else {"thresholds": model.thresholds.to_json()}),
            **({} if reweighing is None else {"times": _times(reweighing)}),
            **({} if model.trust is None else {"trust": model.trust.to_json()}),
            **({} if model._decision is None else {"decision": model._decision.to_json()}),
            **({} if model.separator is None else {"separator": model.separator}),
        },
        **kept,
    }


def from_bytes(kind: type[M], data: bytes, secret: bytes | None, threads: int) -> M:
    """Read a model of some kind; whatever the bytes, it is one that would be written like that."""
    metadata, arrays = storage.unpack(data)
    try:
        schema, settings = metadata["schema"], metadata["model"]
        product = restore(schema, settings["likelihoods"], arrays)
        _check_schema(schema, product)
        prior = settings["prior"]
        given: Given = product.by_column
        if not settings["by_column"]:
            (factor,) = product.factors
            given = factor.likelihood
        model = kind(
            given,
            missing=product.missing,
            prior=prior if isinstance(prior, str) else dict(prior),
            classes=settings["classes"],
            rules=Rules.from_json(settings["rules"]) if "rules" in settings else None,
            separator=settings.get("separator"),
            ledger=Ledger.named(schema["ledger"], secret),
            threads=threads,
        )
        # A model made under another version of Unicode predicts; it learns no more (its words might
        # differ), since the schemas then do.
        model._product, model.target = product, settings["target"]
        if "thresholds" in settings:
            model._thresholds = Thresholds.from_json(settings["thresholds"])
        if "trust" in settings:
            from likely.weighing import Trust

            model._trust = Trust.from_json(settings["trust"])
        if product.several != ("decision" in settings):
            raise ModelError("it does not say from where on its labels are said")
        if "decision" in settings:
            model._decision = Decision.from_json(settings["decision"])
            model._goal = model._decision.goal
        model._copied = metadata.get("copy of")
        if model._copied is not None and not re.fullmatch("[0-9a-f]{64}", model._copied):
            raise ModelError("it is a copy of nothing")
        if model.target is not None and not isinstance(model.target, str):
            raise ModelError("its target is no name")
        own, opinions, more = _parted(arrays)
        model._tally = Tally.from_arrays(schema, product, own)
        if "times" in settings:
            model._reweighing = _reweighing(model, settings["times"], more)
        heard = {str(place) for place in places_of_opinions(product)}
        if opinions != heard or (more and not _counts_more(model)):
            raise ModelError("it holds arrays that nobody reads")
        one_kind([*model.tally.classes, *model._known, *_labels_in_options(model)])
    except ModelError:
        raise
    except _NONSENSE as error:
        raise ModelError(f"its options make no sense: {error}") from error
    # The arrays were proven to be written the way Likely writes them; so are the options.
    if storage.canonical(_metadata(model)) != storage.canonical(metadata):
        raise ModelError("its options are not written the way Likely writes them")
    return model


def _parted(arrays: storage.Arrays) -> tuple[storage.Arrays, set[str], storage.Arrays]:
    """The arrays of the tally, the places of opinions, and those of rows that count more."""
    more = {n.removeprefix(_MORE): a for n, a in arrays.items() if n.startswith(_MORE)}
    opinions = {name.split("/")[1] for name in arrays if name.startswith(OPINION)}
    own = {n: a for n, a in arrays.items() if not n.startswith((_MORE, OPINION))}
    return own, opinions, more


def _counts_more(model: Model) -> bool:
    return model._reweighing is not None and model._reweighing.more is not None


def _check_schema(schema: Mapping[str, Any], product: Product) -> None:
    """Refuse whatever a model that counts like this would not have written."""
    written = {**product.schema, "ledger": schema["ledger"]}
    if "parts" in schema:
        written |= {"parts": Shares.per_row, "ledger": "none"}
    today = {**schema, "factors": [of_today(factor) for factor in schema["factors"]]}
    if storage.canonical(written) != storage.canonical(today):
        raise ModelError("what it counts, and how, is not written the way Likely writes it")


def _labels_in_options(model: Model) -> Iterator[Label]:
    """The labels that options speak of, which are of the same kind as those that were learned."""
    if model.trust is not None:
        yield from model.trust.bias
    if model._decision is not None:
        yield from (*model._decision.offsets, *model._decision.thresholds)
    if model.thresholds is not None:
        yield model.thresholds.label
    for factor in model._settled.factors:
        if isinstance(factor.likelihood, SecondOpinion) and factor.likelihood.opinion is not None:
            yield from factor.likelihood.opinion.labels


def _times(reweighing: Reweighing) -> dict[str, Any]:
    return {**reweighing.times.to_json(), "chosen": reweighing.chosen}


def _reweighing(model: Model, stored: Mapping[str, Any], arrays: storage.Arrays) -> Reweighing:
    times, more = Times.from_json(stored), None
    if model._copied is None:
        more = Tally.from_arrays(model.tally.schema, model._settled, arrays)
        if not set(more.classes) <= set(model.tally.classes):
            raise ModelError("rows of classes it has not learned count more than once")
    return Reweighing(times, checked_fingerprint(stored["chosen"]), more)
