"""Rows drawn from the model: a class by its prior, then each column by its likelihood.

Columns are drawn one by one, since they are independent given the class; those that share a
likelihood are drawn together. All chance comes from one generator, PCG64 with the given seed.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.labels import Label, label_array
from likely.errors import OptionError
from likely.explain.language_model import LanguageModel, check_readable
from likely.likelihoods.base import Draw, places_drawn
from likely.likelihoods.product import Factor
from likely.likelihoods.text import Multinomial, check_drawn
from likely.likelihoods.text_views import TextViews
from likely.model.fitted import Fitted

Rows = dict[str, list[Any]] | list[str]
"""Cells by column; of a model that reads one text column, a list of texts."""

_MOST_ROWS = 100_000_000


def sample(
    fitted: Fitted, label: Label | None, n: int, seed: int, length: int | None
) -> tuple[Rows, NDArray[Any]]:
    """Rows of one class, or of classes drawn by the prior, and their labels."""
    fitted.check_fitted()
    fitted.check_single("sample")
    fitted.check_compares_classes("sample")
    if fitted.tuning is not None:
        raise OptionError.of("tuned-not-drawn")
    n = _whole("n", n, 0, _MOST_ROWS)
    random = np.random.Generator(np.random.PCG64(_whole("seed", seed, 0)))
    if length is not None:
        length = _whole("length", length, 1, _MOST_ROWS)
        if not fitted.product.texts:
            raise OptionError("`length` is that of a text, and the model reads none")
    if label is None:
        places = places_drawn(random, np.exp(fitted.log_prior), n)
    else:
        places = np.full(n, fitted.labels.index(fitted.class_of(label)))
    columns = {name: np.empty(n, dtype=object) for name in fitted.product.columns}
    # In a fixed order, and those of a single class also if there are no rows to draw.
    for place in np.unique(places) if n else places[:0]:
        here = places == place
        asked = Draw(int(place), int(here.sum()), random, length)
        for factor, statistic in zip(
            fitted.product.factors, fitted.counted.statistics, strict=True
        ):
            for name, cells in _of_factor(fitted, factor, statistic, asked).items():
                columns[name][here] = cells
    drawn = {name: cells.tolist() for name, cells in columns.items()}
    is_one_text = fitted.product.texts == fitted.product.columns and len(drawn) == 1
    rows: Rows = next(iter(drawn.values())) if is_one_text else drawn
    return rows, label_array(fitted.labels)[places]


def _of_factor(fitted: Fitted, factor: Factor, statistic: Any, asked: Draw) -> dict[str, list[Any]]:
    """Cells of the columns that share a likelihood."""
    likelihood = factor.likelihood
    if isinstance(likelihood, TextViews):
        # Before tuning, its only view is that of single words.
        text = replace(likelihood.text, word_ngrams=1, char_ngrams=None, surface_features=())
        likelihood = Multinomial(likelihood.views[0].alpha, text=text)
    if not isinstance(likelihood, Multinomial) or not likelihood.is_joint:
        return likelihood.sample(statistic, fitted.classes, factor.columns, asked)
    return {factor.columns[0]: _texts(fitted, likelihood, factor.columns[0], statistic, asked)}


def _texts(
    fitted: Fitted,
    likelihood: Multinomial,
    column: str,
    statistic: _kernel.TextCounts,
    asked: Draw,
) -> list[str]:
    """Texts drawn word by word from the language model of the class.

    Of single words, a text has as many as one of the class has on average: one, and a number drawn
    from a Poisson distribution.
    """
    check_readable(likelihood)
    check_drawn(likelihood.text, column)
    language = LanguageModel(likelihood, statistic, fitted.classes, asked.place, column)
    lengths: list[int | None] = [asked.length] * asked.rows
    if asked.length is None and language.n == 1:
        more = max(language.mean_length - 1, 0.0)
        lengths = (1 + asked.random.poisson(more, asked.rows)).tolist()
    return language.draw(asked.random, lengths)


def _whole(name: str, given: Any, low: int, high: int | None = None) -> int:
    """A whole number within bounds; anything else is refused."""
    is_whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    if not is_whole or given < low or (high is not None and given > high):
        end = "up" if high is None else f"to {high:,}"
        raise OptionError(f"`{name}` is a whole number from {low} {end}, not {given!r}")
    return int(given)
