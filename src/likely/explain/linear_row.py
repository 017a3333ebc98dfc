"""One row under a linear form: what each of its features adds, and that the sum is the model's."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely import render
from likely.data.labels import Label
from likely.numbers import json_number

Array = NDArray[np.float64]

# So many features are printed; of more classes than this, the most probable.
_SHOWN, _SHOWN_CLASSES = 20, 4
# Sums of floats in another order may differ by this share of what is summed.
_TOLERANCE = 1e-9
# Below, three decimals show fewer than three digits; sums of floats leave less than the second.
_SMALL, _NOTHING = 0.1, 1e-12


@dataclass(frozen=True, eq=False)
class LinearRow:
    """The features of a row, their weights in each class, and the sums; print it."""

    classes: tuple[Label, ...]
    features: tuple[str, ...]
    x: Array
    """How often the row has each feature, or its value."""
    weights: Array
    intercepts: Array
    computed: Array
    """The scores that the model computes without the linear form."""
    probabilities: Array
    unit: str
    """What x is: a count, or a value."""

    @property
    def products(self) -> Array:
        """weight · x, a row per class and a column per feature."""
        return np.asarray(self.weights * self.x)

    @property
    def sums(self) -> Array:
        """The intercept of each class, and all that its features add."""
        return np.asarray(self.intercepts + self.products.sum(axis=1))

    @property
    def constant(self) -> float:
        """What the model adds to the sum of each class: something under LDA, else 0."""
        there = np.isfinite(self.sums) & np.isfinite(self.computed)
        apart = self.computed[there] - self.sums[there]
        return float(apart[0]) if np.abs(apart).max(initial=0.0) > self._tolerance else 0.0

    @property
    def is_the_models(self) -> bool:
        """Whether the sums are what the model computes, but for a number that all share."""
        shifted = self.sums + self.constant
        return np.allclose(shifted, self.computed, rtol=0, atol=self._tolerance)

    @property
    def _tolerance(self) -> float:
        sizes = np.abs(self.products).sum(axis=1) + np.abs(self.computed)
        return _TOLERANCE * (1 + float(sizes[np.isfinite(sizes)].max(initial=0.0)))

    def to_json(self) -> dict[str, Any]:
        names = list(map(str, self.classes))

        def by_class(values: Array) -> dict[str, float | str]:
            return dict(zip(names, map(json_number, values.tolist()), strict=True))

        return {
            "classes": list(self.classes),
            "intercepts": by_class(self.intercepts),
            "terms": [
                {
                    "feature": feature,
                    self.unit: float(x),
                    "weights": by_class(self.weights[:, place]),
                    "products": by_class(self.products[:, place]),
                }
                for place, (feature, x) in enumerate(zip(self.features, self.x, strict=True))
            ],
            "sums": by_class(self.sums),
            "computed": by_class(self.computed),
            "constant": self.constant,
            "posterior": by_class(self.probabilities),
        }

    def __str__(self) -> str:
        best = np.argsort(-self.probabilities, kind="stable")[:_SHOWN_CLASSES].tolist()
        heads, (weights, products, intercepts, sums, computed) = against(
            self.classes,
            best,
            *(self.weights, self.products, self.intercepts, self.sums, self.computed),
        )
        order = np.argsort(-reach(products), kind="stable")
        shown, rest = order[:_SHOWN], order[_SHOWN:]
        # The name, the count, the weight, and what that adds to each class.
        lines = [("intercept", "", "", intercepts)]
        lines += [
            (named(self.features[f]), f"{self.x[f]:.6g}", spelled(weights[0, f]), products[:, f])
            for f in shown
        ]
        if len(rest):
            lines.append((f"{len(rest):,} more", "", "", products[:, rest].sum(axis=1)))
        lines += [("sum", "", "", sums), ("computed by the model", "", "", computed)]
        if len(self.classes) == 2:
            return self._of_two(lines)
        rows = [(name, x, *map(spelled, of)) for name, x, _, of in lines]
        rows.append(("P(class | row)", "", *(f"{self.probabilities[c]:.4f}" for c in best)))
        parts = [title(self.classes, self.unit), render.Table(("", self.unit, *heads), rows).text()]
        if self.constant:
            added = spelled(self.constant)
            parts.append(f"the model adds {added} to each, which changes nothing between classes")
        if len(self.classes) > len(best):
            parts.append(f"and {len(self.classes) - len(best):,} less probable classes")
        return "\n\n".join(parts)

    def _of_two(self, lines: list[tuple[str, str, str, Array]]) -> str:
        rows = [(name, x, weight, spelled(of[0])) for name, x, weight, of in lines]
        last = f"P({render.name(self.classes[1])} | row)"
        rows.append((last, "", "", f"{self.probabilities[1]:.4f}"))
        heads = ("", self.unit, "weight", f"weight · {self.unit}")
        return f"{title(self.classes, self.unit)}\n\n{render.Table(heads, rows).text()}"


def title(classes: tuple[Label, ...], unit: str) -> str:
    """What is summed."""
    if len(classes) != 2:
        return f"score of a class = intercept + Σ weight · {unit}"
    first, second = (render.name(label) for label in classes)
    return f"log-odds of {second} against {first} = intercept + Σ weight · {unit}"


def against(
    classes: tuple[Label, ...], shown: list[int], *values: Array
) -> tuple[tuple[str, ...], list[Array]]:
    """Values by class as they are shown: the second of two against the first, else each."""
    if len(classes) == 2:
        return ("",), [each[1:] - each[:1] for each in values]
    return tuple(render.name(classes[place]) for place in shown), [each[shown] for each in values]


def reach(values: Array) -> Array:
    """How much each feature can tell of classes: its log-odds, or how far they are apart."""
    found = np.abs(values[0]) if len(values) == 1 else np.ptp(values, axis=0)
    return np.asarray(found)


def named(feature: str) -> str:
    """A feature on one line; one with space around it, as n-grams of characters have, in quotes."""
    return render.name(feature if feature == feature.strip() else repr(feature))


def spelled(value: float) -> str:
    """A number with its sign and three decimals, or if it is small, three digits.

    >>> spelled(-0.5), spelled(0.00031)
    ('−0.500', '+0.00031')
    """
    if _NOTHING < abs(value) < _SMALL:
        return f"{value:+.3g}".replace("-", "−")
    return render.signed(value, 3)
