"""How likely what is read is, given the class. One file per kind of column."""

from typing import Any

from likely.errors import ModelError
from likely.likelihoods.text import Bernoulli as Bernoulli
from likely.likelihoods.text import Binary as Binary
from likely.likelihoods.text import Complement as Complement
from likely.likelihoods.text import Multinomial as Multinomial
from likely.likelihoods.text import TextLikelihood as TextLikelihood

Likelihood = TextLikelihood

KINDS: dict[str, type[Likelihood]] = {
    "multinomial": Multinomial,
    "binary": Binary,
    "bernoulli": Bernoulli,
    "complement": Complement,
}


def restore(schema: dict[str, Any], settings: dict[str, Any]) -> Likelihood:
    """The likelihood that a model file describes."""
    kind = settings.get("likelihood")
    if kind not in KINDS:
        raise ModelError(f"the model has a likelihood called {kind!r}, which is not known here")
    return KINDS[kind].from_json(schema, settings)
