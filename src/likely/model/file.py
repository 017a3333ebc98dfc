"""A fitted model as the bytes of a .likely file, and back."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from likely.data.labels import Shares
from likely.errors import NONSENSE, ModelError
from likely.likelihoods import restore
from likely.likelihoods.product import Given, Product
from likely.model.adjust.group_thresholds import GroupThresholds
from likely.model.adjust.group_weights import GroupWeights, Reweighing
from likely.model.fitted import Fitted, target_of
from likely.model.plan import Plan
from likely.model.spec import Spec
from likely.model.target import MultiLabel, SingleLabel, Target
from likely.model.target import decision as decisions
from likely.model.target.decision import Costs
from likely.model.target.thresholds import ThresholdCriterion
from likely.model.tuning import Tuning
from likely.rules import Rules
from likely.tally import Tally, checked_fingerprint, container
from likely.tally.ledger import Ledger
from likely.text import of_today

# Prefixes of arrays beside the tally: the second tally of group weights, the linear model.
_MORE = "more/"
_STACKED = "stacked/"


def to_bytes(fitted: Fitted) -> bytes:
    """The model as the bytes of a .likely file."""
    arrays, tuning, reweighing = fitted.tally.arrays(), fitted.tuning, fitted.reweighing
    if tuning is not None:
        arrays |= {f"{_STACKED}{name}": array for name, array in tuning.arrays().items()}
    if reweighing is not None and reweighing.more is not None:
        arrays |= {f"{_MORE}{name}": array for name, array in reweighing.more.arrays().items()}
    return container.pack(_metadata(fitted), arrays)


def _metadata(fitted: Fitted) -> dict[str, Any]:
    """The metadata of a model."""
    spec, tuning, reweighing = fitted.spec, fitted.tuning, fitted.reweighing
    digest = {"tally": fitted.digest} if fitted.copied is None else {"copy of": fitted.copied}
    stale = {"stale": True} if fitted.was_stale else {}
    prior = spec.prior if isinstance(spec.prior, str) else sorted(spec.prior.items())
    target, thresholds = fitted.target, fitted.group_thresholds
    return {
        **fitted.tally.metadata,
        **digest,
        **stale,
        "plan": fitted.plan.to_json(),
        "spec": spec.to_json(fitted.plan.product),
        "model": {
            "prior": prior,
            "classes": list(spec.classes),
            **({} if spec.rules is None else {"rules": spec.rules.to_json()}),
            **({} if thresholds is None else {"group_thresholds": thresholds.to_json()}),
            **({} if reweighing is None else {"group_weights": _group_weights(reweighing)}),
            **({} if tuning is None else {"tuning": tuning.to_json()}),
            **_chosen(target),
        },
    }


def _chosen(target: Target) -> dict[str, Any]:
    """What was chosen on rows to turn probabilities into labels."""
    if isinstance(target, MultiLabel):
        return {"multilabel": target.to_json()}
    return {} if target.chosen_threshold is None else {"threshold": target.chosen_threshold}


def from_bytes(data: bytes, secret: bytes | None) -> Fitted:
    """Read a model; bytes that Likely would not write are refused."""
    metadata, arrays = container.unpack(data)
    try:
        fitted = _restored(metadata, arrays, secret)
    except ModelError:
        raise
    except NONSENSE as error:
        raise ModelError(f"its options make no sense: {error}") from error
    # The arrays were checked to be in canonical form; so are the options.
    if container.canonical(_metadata(fitted)) != container.canonical(metadata):
        raise ModelError("its options are not written the way Likely writes them")
    return fitted


def _restored(metadata: dict[str, Any], arrays: container.Arrays, secret: bytes | None) -> Fitted:
    schema, stored = metadata["schema"], metadata["model"]
    plan = Plan.from_json(schema, metadata["plan"], secret)
    plan = replace(plan, tunes=metadata["spec"]["tune"])
    _check_schema(schema, plan.product)
    # A model made under another version of Unicode predicts; it learns no more (its words might
    # differ), since the schemas then do.
    spec = _spec(metadata["spec"], stored, plan, secret)
    copied = metadata.get("copy of")
    if copied is not None and not re.fullmatch("[0-9a-f]{64}", copied):
        raise ModelError("it is a copy of nothing")
    was_stale = "stale" in metadata
    if was_stale and (copied is None or "tuning" not in stored):
        raise ModelError("it says that it is stale, and is no copy of a tuned model")
    if plan.product.is_multilabel != ("multilabel" in stored):
        raise ModelError("it has no thresholds for its labels")
    spec.check_decision(plan.product.is_multilabel)
    if spec.decision is not None and "group_thresholds" in stored:
        raise ModelError("thresholds by group and others decide at once")
    target = target_of(spec, plan)
    if "multilabel" in stored:
        target = MultiLabel.from_json(stored["multilabel"])
    elif "threshold" in stored:
        assert isinstance(target, SingleLabel)
        target = target.at(stored["threshold"])
    own, stacked, more = _split_arrays(arrays)
    if (stacked and "tuning" not in stored) or (more and ("group_weights" not in stored or copied)):
        raise ModelError("it has arrays that do not belong to a model")
    tally = Tally.from_arrays(schema, plan.product, own, digested=copied is None)
    return Fitted(
        spec,
        plan,
        tally,
        target,
        Tuning.from_json(stored["tuning"], plan.product, stacked) if "tuning" in stored else None,
        GroupThresholds.from_json(stored["group_thresholds"])
        if "group_thresholds" in stored
        else None,
        _reweighing(tally, plan.product, stored["group_weights"], more, copied is not None)
        if "group_weights" in stored
        else None,
        copied,
        was_stale,
    )


def _spec(
    options: Mapping[str, Any], stored: Mapping[str, Any], plan: Plan, secret: bytes | None
) -> Spec:
    """The options of a model."""
    likelihood: Given | Plan | None = None
    ledger, product = Ledger.named(options["ledger"], secret), plan.product
    if "product" in options:
        other = options["product"]
        product = restore({**product.schema, "factors": other["factors"]}, other["likelihoods"])
    if options["likelihood"] == "plan":
        likelihood = replace(plan, product=product, ledger=ledger)
    elif options["likelihood"] == "by column":
        likelihood = product.by_column
    elif options["likelihood"] == "one":
        (factor,) = product.factors
        likelihood = factor.likelihood
    prior, criterion = stored["prior"], options["criterion"]
    thresholds = None if criterion is None else ThresholdCriterion.from_json(criterion)
    decision = decisions.from_json(options["decision"]) if "decision" in options else None
    return Spec.of(
        likelihood,
        dict(options["columns"]),
        plan.product.missing,
        prior if isinstance(prior, str) else dict(prior),
        stored["classes"],
        Rules.from_json(stored["rules"]) if "rules" in stored else None,
        options["tune"],
        thresholds if decision is None or isinstance(decision, Costs) else decision,
        decision if isinstance(decision, Costs) else None,
        plan.separator,
        options["stack_linear"],
        ledger,
        options.get("one_vs_rest", False),
    )


def _split_arrays(
    arrays: container.Arrays,
) -> tuple[container.Arrays, container.Arrays, container.Arrays]:
    """The arrays of the tally, of the linear model, and of group weights."""
    stacked, more = (
        {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
        for prefix in (_STACKED, _MORE)
    )
    own = {n: a for n, a in arrays.items() if not n.startswith((_STACKED, _MORE))}
    return own, stacked, more


def _check_schema(schema: Mapping[str, Any], product: Product) -> None:
    """Refuse a schema that Likely would not write."""
    written = {**product.schema, "ledger": schema["ledger"]}
    if "parts" in schema:
        written |= {"parts": Shares.per_row, "ledger": "none"}
    today = {**schema, "factors": [of_today(factor) for factor in schema["factors"]]}
    if container.canonical(written) != container.canonical(today):
        raise ModelError("what it counts, and how, is not written the way Likely writes it")


def _group_weights(reweighing: Reweighing) -> dict[str, Any]:
    return {**reweighing.group_weights.to_json(), "chosen": reweighing.chosen}


def _reweighing(
    tally: Tally,
    product: Product,
    stored: Mapping[str, Any],
    arrays: container.Arrays,
    is_copy: bool,
) -> Reweighing:
    group_weights, more = GroupWeights.from_json(stored), None
    if not is_copy:
        more = Tally.from_arrays(tally.schema, product, arrays)
        if not set(more.classes) <= set(tally.classes):
            raise ModelError("rows of classes it has not learned count more than once")
    return Reweighing(group_weights, checked_fingerprint(stored["chosen"]), more)
