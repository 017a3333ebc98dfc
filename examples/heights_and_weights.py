"""Three models of the same heights and weights, side by side: their ellipses and boundaries.

QDA has a covariance for each group, LDA one for both, and Gaussian Naive Bayes only variances.
`python examples/heights_and_weights.py > heights-and-weights.svg` draws them.
"""

import numpy as np

from likely import Classifier, Gaussian
from likely.render.plot import Ellipses, decision_regions
from likely.textbook import PEOPLE

COLUMNS = ("height", "weight")
POINTS = np.array([point for point, _ in PEOPLE], dtype=float)
GROUPS = [group for _, group in PEOPLE]
MODELS = {
    "QDA": Gaussian("full"),
    "Gaussian Naive Bayes": Gaussian("diagonal"),
    "LDA": Gaussian("shared"),
}


def ellipses(model):
    """A covariance for each group; those of Naive Bayes lie along the axes."""
    (found,) = model.estimates.values()
    return Ellipses(found.means, found.covariances)


def picture():
    table = dict(zip(COLUMNS, POINTS.T, strict=True))
    models = {
        title: Classifier(likelihood).fit(table, GROUPS) for title, likelihood in MODELS.items()
    }
    return decision_regions(
        models,
        POINTS,
        GROUPS,
        columns=COLUMNS,
        about="Ellipses: where a model expects 95 % of a group.",
        ellipses={title: ellipses(model) for title, model in models.items()},
    )


if __name__ == "__main__":
    print(picture())
