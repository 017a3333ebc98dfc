"""Pictures of a model over numeric columns, as SVG text that any browser shows.

`decision_regions` draws where models predict which class; `class_densities` draws what Gaussian
each class has in each column.
"""

from likely.render.plot.densities import class_densities
from likely.render.plot.regions import Ellipses, Model, decision_regions

__all__ = ["Ellipses", "Model", "class_densities", "decision_regions"]
