"""Whole tables: how often right on mixed columns, how fast from files, how much memory for large ones.

LIKELY_DATA=… python -m benchmarks.tables [--quick] [--json FILE] [accuracy] [reading] [large]
"""
