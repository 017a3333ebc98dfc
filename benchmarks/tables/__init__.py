"""Tables with columns of every kind: how often right, how fast from files, how much memory.

LIKELY_DATA=… python -m benchmarks.tables [--quick] [--json FILE] [accuracy] [reading] [large]
"""
