"""How often each is right on texts, how well it knows that, and how long it learns.

LIKELY_DATA=data python -m benchmarks.accuracy [--quick] [--json FILE]
"""
