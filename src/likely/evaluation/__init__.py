"""How good predictions are, how sure that is, and whether others are better.

Everything here is a function of labels and probabilities; where they came from does not matter.
`likely.evaluate` and `likely.compare` are the entry points.
"""

from likely.evaluation.reject import Coverage, coverage

__all__ = ["Coverage", "coverage"]
