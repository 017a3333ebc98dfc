"""The classifiers that take part: each makes a model that learns from a data frame and labels."""

from functools import partial

import likely
from benchmarks import peers
from benchmarks.accuracy.systems import System
from benchmarks.data import MissingError

DEFAULT = "Classifier()"

_SYSTEMS: System = {
    DEFAULT: likely.Classifier,
    "stack_linear": partial(likely.Classifier, stack_linear=True),
    "LogisticRegression": peers.frame_logistic,
    "RandomForest": peers.random_forest,
    "HistGradientBoosting": peers.hist_gradient_boosting,
    "LightGBM": peers.light_gbm,
    "Khiops": peers.khiops,
    "EBM": peers.explainable_boosting,
}
# It takes minutes where a table has many rows or no noise.
_SLOW = ("EBM",)


def chosen(names: tuple[str, ...]) -> System:
    """The default model and the systems of these names, or all but slow ones."""
    for name in names:
        if name not in _SYSTEMS:
            raise MissingError(f"there is no system `{name}`; there are {', '.join(_SYSTEMS)}")
    names = names or tuple(name for name in _SYSTEMS if name not in _SLOW)
    return {name: make for name, make in _SYSTEMS.items() if name in (DEFAULT, *names)}
