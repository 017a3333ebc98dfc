"""A second opinion: a linear model of the same features, weighed with the counts.

    score_c(x) = views_c(x) + weight · ( b_c + Σ_f w_cf · v_f(x) )

The views of a text say how its class would have produced it; the linear model, which tells each
class from the rest, only where the border is. It is learned, not counted: rows cannot be added to
it or taken back, so it stays as it is until it is formed anew.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.errors import ModelError, OptionError
from likely.evidence import Term
from likely.labels import Label, plain_label
from likely.likelihoods.base import Columns, Likelihood, Scores, amount
from likely.likelihoods.product import Product
from likely.likelihoods.views import View, Views
from likely.tally import Arrays, Classes
from likely.text import Text
from likely.truth import Truth

FOLDS = 5

# What the model of a class learns to say of the rows of others, so also of a class it never met.
# Labels that are questions of their own get what they are said of beyond the usual: nothing.
_NOT_THIS = -1.0
_AS_USUAL = 0.0


@dataclass(frozen=True, eq=False)
class Opinion:
    """What was learned of which classes, and how far it is trusted."""

    labels: tuple[Label, ...]
    model: _kernel.Opinion
    weight: float = 0.0

    def of(self, classes: Classes, scores: Scores) -> Scores:
        """Scores of its own classes, along the last axis, weighed, as those of all classes."""
        places = {label: place for place, label in enumerate(self.labels)}
        unknown = _AS_USUAL if classes.several else _NOT_THIS
        found = np.full((*scores.shape[:-1], len(classes)), unknown)
        for place, label in enumerate(classes.labels):
            if label in places:
                found[..., place] = scores[..., places[label]]
        return self.weight * found

    def terms(self, classes: Classes, part: _kernel.Texts) -> list[Term]:
        ours = np.array([label in self.labels for label in classes.labels])
        terms = [
            Term(name, kind, count, self.of(classes, np.array(scores)) * ours)
            for kind, name, count, scores in self.model.contributions(part)
        ]
        start = self.of(classes, np.array(self.model.intercepts))
        return [Term("second opinion", "intercept", 1, start), *terms]


class SecondOpinion(Views):
    """Views of a text, and beside them a linear model of its features."""

    name = "second opinion"

    def __init__(
        self,
        views: tuple[View, ...] | None = None,
        *,
        text: Text | None = None,
        neutral: Iterable[str] = (),
        opinion: Opinion | None = None,
    ):
        super().__init__(views or None, text=text, neutral=neutral)
        if opinion is not None and views is not None:
            # Where the opinion speaks, all views may be silent.
            self.views = tuple(views)
        self.opinion = opinion

    def without_views(self) -> "SecondOpinion":
        """The opinion alone."""
        return SecondOpinion((), text=self.text, neutral=self.neutral, opinion=self.opinion)

    def estimate(self, statistic: _kernel.TextCounts, classes: Classes, columns: Columns) -> Any:
        return super().estimate(statistic, classes, columns), classes

    def score(self, weights: Any, part: _kernel.Texts, threads: int) -> Scores:
        views, classes = weights
        scores = super().score(views, part, threads)
        scores += self.said(classes, part, threads)
        return scores

    def said(self, classes: Classes, part: _kernel.Texts, threads: int) -> Scores | float:
        """What the opinion adds to the views, if it is heard."""
        if self.opinion is None:
            return 0.0
        return self.opinion.of(classes, self.opinion.model.score(self.shown(part), threads))

    def terms(self, weights: Any, part: _kernel.Texts) -> list[Term]:
        views, classes = weights
        found = {(term.kind, term.name): term for term in self.of_features(views, part)}
        for term in [] if self.opinion is None else self.opinion.terms(classes, self.shown(part)):
            known = found.setdefault((term.kind, term.name), term)
            if known is not term:
                found[term.kind, term.name] = replace(known, scores=known.scores + term.scores)
        return self.by_word(list(found.values()))

    @property
    def settings(self) -> dict[str, Any]:
        found = None
        if self.opinion is not None:
            opinion = self.opinion
            found = [list(opinion.labels), opinion.model.rows, opinion.weight]
        return {**super().settings, "opinion": found}

    def __repr__(self) -> str:
        shown = super().__repr__().removeprefix("Views")
        trust = "not heard" if self.opinion is None else f"weight {self.opinion.weight:.3g}"
        return f"Views{shown} and a second opinion ({trust})"


def asked(product: Product) -> Product:
    """A product whose texts will have a second opinion, unless they have one already."""
    likelihoods = [getattr(f.likelihood, "likelihood", f.likelihood) for f in product.factors]
    if any(isinstance(likelihood, SecondOpinion) for likelihood in likelihoods):
        return product
    if not product.places_of_views:
        listed = ", ".join(dict.fromkeys(repr(factor.likelihood) for factor in product.factors))
        raise OptionError(
            f"a second opinion is one of texts, seen in `Views`; here there is only {listed}"
        )
    return _changed(product, lambda _, views: SecondOpinion(text=views.text, neutral=views.neutral))


def has_opinions(product: Product) -> bool:
    """Whether some text has a second opinion that is heard."""
    return bool(places_of_opinions(product))


def places_of_opinions(product: Product) -> list[int]:
    """The factors that have a second opinion that is heard."""
    factors = enumerate(product.factors)
    return [place for place, factor in factors if _opinion(factor.likelihood) is not None]


def _opinion(likelihood: Likelihood) -> Opinion | None:
    return likelihood.opinion if isinstance(likelihood, SecondOpinion) else None


def form(
    statistic: _kernel.TextCounts,
    classes: Classes,
    parts: Iterable[_kernel.Texts],
    truth: Truth,
    hashes: NDArray[np.uint64],
    threads: int,
) -> tuple[Opinion, Scores]:
    """The opinion of all rows, and the scores of each by an opinion that was formed without it.

    By the hashes of their texts, rows are put in order and dealt out to folds, so the order in
    which they come does not show.
    """
    every, rows = classes.every or (None, int(classes.rows.sum()))
    learner = _kernel.OpinionLearner(statistic, rows, every)
    for part in parts:
        learner.read(part, threads)
    order = np.lexsort((truth.ranks, hashes)).astype(np.uint32)
    folds = dealt(truth.dealt, hashes)
    model, scores = learner.learn(len(classes), classes.several, truth.sets, folds, order, threads)
    return Opinion(classes.labels, model), scores


def dealt(truth: NDArray[np.uint32], hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The fold of each row: each class is dealt out in turn, copies of a text together."""
    texts, of_row = np.unique(hashes, return_inverse=True)
    first = np.full(len(texts), np.iinfo(np.uint32).max, dtype=np.uint32)
    np.minimum.at(first, of_row, truth)
    fold = np.empty(len(texts), dtype=np.uint32)
    fold[np.lexsort((texts, first))] = np.arange(len(texts)) % FOLDS
    return np.asarray(fold[of_row])


# Being stored: opinions stand beside the tally, in arrays of their own


OPINION = "opinion/"


def opinion_arrays(product: Product) -> Arrays:
    """What the opinions of a product have learned."""
    found = [_opinion(factor.likelihood) for factor in product.factors]
    return {
        f"{OPINION}{place}/{name}": array
        for place, opinion in enumerate(found)
        if opinion is not None
        for name, array in opinion.model.arrays().items()
    }


def with_opinions(product: Product, settings: list[dict[str, Any]], arrays: Arrays) -> Product:
    """The product with the opinions that a model file has."""

    def restored(place: int, views: Views) -> Views:
        stored, prefix = settings[place].get("opinion"), f"{OPINION}{place}/"
        if not isinstance(views, SecondOpinion) or stored is None:
            return views
        given, rows, weight = stored
        labels = tuple(plain_label(label) for label in given)
        if list(labels) != sorted(set(labels)) or not amount("weight", weight):
            raise ModelError("its second opinion is one of no classes, or has no weight")
        mine = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
        try:
            model = _kernel.Opinion.from_arrays(views.text.reading, rows, len(labels), mine)
        except KeyError as error:
            raise ModelError(f"its second opinion has no {error}") from error
        seen = tuple(View(*view) for view in settings[place]["views"])
        opinion = Opinion(labels, model, weight)
        return SecondOpinion(seen, text=views.text, neutral=views.neutral, opinion=opinion)

    return _changed(product, restored)


def _changed(product: Product, change: Callable[[int, Views], Views]) -> Product:
    """The product with other views of its texts."""
    factors = list(product.factors)
    for place in product.places_of_views:
        views: Any = factors[place].likelihood
        factors[place] = replace(factors[place], likelihood=change(place, views))
    return replace(product, factors=tuple(factors))
