"""Spark: beside MLlib, beside one machine, and as tables grow."""
