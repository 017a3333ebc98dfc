"""Which likelihood suits which column: one rule, for Python and the command line."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from likely.data.columns import Role
from likely.data.table import Table
from likely.likelihoods import TEXT_VIEWS, AnyLikelihood
from likely.likelihoods.categorical import Categorical
from likely.likelihoods.dates import Dates
from likely.likelihoods.gaussian import Gaussian
from likely.likelihoods.joint_table import JointTable
from likely.likelihoods.number_views import NumberViews
from likely.likelihoods.polarity import Polarity
from likely.likelihoods.short_text import ShortText
from likely.likelihoods.text_views import TextViews
from likely.likelihoods.vectors import Vectors
from likely.text import Text

READS: dict[str, Role] = {
    **dict.fromkeys(TEXT_VIEWS, "text"),
    "categorical": "categorical",
    **dict.fromkeys(("gaussian", "lda", "qda"), "numeric"),
    "joint": "categorical",
}
"""The models by name, and the role of the columns that each reads."""

# These take all their columns together, unless groups of columns are given.
TAKES_ALL = ("lda", "qda", "joint")


def choose(
    roles: Mapping[str, Role],
    sample: Table | None,
    *,
    is_multilabel: bool = False,
    model: str | None = None,
    joint: Sequence[tuple[str, ...]] = (),
    smoothing: Mapping[str, float] | None = None,
    priors: Mapping[str, Mapping[str, float]] | None = None,
    preprocess: Callable[[Text], Text] = lambda text: text,
    counts: Mapping[str, Any] | None = None,
) -> dict[Any, Any]:
    """The likelihood of each column, or of each group of columns that share one.

    With a sample, a text and all numbers together get the views that suit them, to be tuned;
    without one, a single plain model. A model by name is that of all columns, which it then has to
    be able to read.
    `smoothing` is `alpha` or `m`, `priors` the prior of values by column; `preprocess` changes how
    a text is read, `counts` how it counts.
    """
    smoothing, priors = smoothing or {}, priors or {}
    # Categories are smoothed in one of the two ways.
    by_m = "m" in smoothing or bool(priors)
    cells: dict[str, Any] = {"m": smoothing.get("m", 1.0)} if by_m else {**smoothing}
    together: dict[Role, AnyLikelihood] = {
        "numeric": Gaussian("shared" if model == "lda" else "full"),
        "categorical": JointTable(**cells),
    }
    alone: dict[Role, AnyLikelihood] = {
        "numeric": Gaussian(),
        "categorical": Categorical(**cells),
        "short text": ShortText(smoothing.get("alpha", 1.0)),
        "date": Dates(),
        "day-first date": Dates(day_first=True),
        "vector": Vectors(),
    }
    if model in TAKES_ALL:
        alone = together
        if not joint and len(roles) > 1:
            joint = [tuple(roles)]
    view = TEXT_VIEWS.get(model or "", TEXT_VIEWS["multinomial"])

    def of_text(name: str) -> Any:
        if sample is None:
            text = preprocess(Text())
            found: AnyLikelihood = view(smoothing.get("alpha"), text=text, **counts or {})
        else:
            text = preprocess(TextViews.of_texts(sample.texts((name,)), is_multilabel).text)
            found = TextViews(text=text)
        if text.lexicon is None or not text.lexicon.is_polar or not view.takes_prior:
            return found
        polarity = Polarity(text.lexicon, negation=text.negation, normalize=text.normalize)
        return [found, polarity]

    grouped = {name for group in joint for name in group}
    chosen: dict[Any, Any] = {group: together[roles[group[0]]] for group in joint}
    left = {name: role for name, role in roles.items() if name not in grouped}
    numeric = tuple(name for name, role in left.items() if role == "numeric")
    for name, role in left.items():
        if role != "numeric" or sample is None:
            chosen[name] = of_text(name) if role == "text" else alone[role]
            if name in priors:
                chosen[name] = Categorical(cells["m"], p=priors[name])
        elif name == numeric[0]:
            chosen[numeric] = NumberViews.of_numbers(sample.numbers(numeric))
        if role == "vector" and sample is not None:
            chosen[name] = alone[role].settled(sample, (name,))
    return chosen
