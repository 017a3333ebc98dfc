"""The family on numbers and categories, beside scikit-learn: how often right, and how fast.

LIKELY_DATA=… python -m benchmarks.family [--quick] [--json FILE] [accuracy] [speed]
"""
