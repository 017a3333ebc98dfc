"""The net polarity of a text, as a number."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.table import Numbers, Table
from likely.errors import ModelError, OptionError
from likely.likelihoods.base import Columns, one_column
from likely.likelihoods.contribution import Contribution
from likely.likelihoods.gaussian import Gaussian, GaussianWeights
from likely.likelihoods.linear_inputs import NumberInput
from likely.tally import Arrays
from likely.text import Lexicon, Negation


class Polarity(Gaussian):
    """A Gaussian per class over the net polarity of a text by a lexicon.

    A text's net polarity is the sum over the words the lexicon knows, those under a `negation`
    turned round; a text without such words has 0. `normalize` puts both into a normal form first,
    as in `Text`. It helps most where labels are few, beside the words:

        Classifier({"review": [Multinomial(), Polarity(lexicon)]})
    """

    name = "polarity"
    is_naive = False
    reads_numbers = False

    def __init__(
        self,
        lexicon: Lexicon,
        *,
        negation: Negation | str | None = None,
        normalize: bool = False,
    ):
        super().__init__()
        if not isinstance(lexicon, Lexicon):
            raise OptionError(f"`lexicon` is a `Lexicon`, not {lexicon!r}")
        lexicon.check_polar()
        self.lexicon = lexicon
        self.negation = Negation.of(negation)
        self.normalize = normalize
        self._reading = lexicon.reading(negation, normalize)

    @property
    def schema(self) -> dict[str, Any]:
        negation = None if self.negation is None else self.negation.to_json()
        schema = {"kind": "polarity", "lexicon": self.lexicon.to_json(), "negation": negation}
        form = f"NFKC {_kernel.NORMAL_VERSION}"
        return {**schema, "normalize": form} if self.normalize else schema

    def read(self, table: Table, columns: Columns) -> Numbers:
        one_column(columns, "Polarity")
        texts = table.texts(columns)
        return Numbers(self._reading.polarity(texts, 1).reshape(-1, 1))

    def from_arrays(
        self, arrays: Arrays, rows: NDArray[np.uint64], is_multilabel: bool, columns: Columns
    ) -> _kernel.Moments:
        one_column(columns, "Polarity")
        return super().from_arrays(arrays, rows, is_multilabel, columns)

    def linear_inputs(self, columns: Columns) -> list[NumberInput[Numbers, _kernel.Moments]]:
        (one,) = super().linear_inputs(columns)
        return [NumberInput((), one.cells, one.spread, "polarity", "polarity")]

    def contributions(self, weights: GaussianWeights, part: Numbers) -> list[Contribution]:
        said = f"polarity={part.values[0, 0]:.12g}"
        return [
            Contribution(said, "polarity", 1, contribution.scores)
            for contribution in super().contributions(weights, part)
        ]

    @property
    def settings(self) -> dict[str, Any]:
        return {"likelihood": self.name}

    @classmethod
    def restored(cls, schema: dict[str, Any], settings: dict[str, Any]) -> Self:
        try:
            given = schema["negation"]
            negation = None if given is None else Negation.from_json(given)
            lexicon = Lexicon.from_json(schema["lexicon"])
            return cls(lexicon, negation=negation, normalize="normalize" in schema)
        except (KeyError, TypeError, IndexError, AttributeError, OptionError) as error:
            raise ModelError(f"the model's options make no sense: {error}") from error

    def __repr__(self) -> str:
        normalize = ", normalize=True" if self.normalize else ""
        return f"Polarity({self.lexicon!r}, negation={self.negation!r}{normalize})"
