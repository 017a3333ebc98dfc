"""What reading texts closely brings, what it costs, and whether it can be made to fail.

LIKELY_DATA=… python -m benchmarks.text [--quick] [--json FILE]
    [ablation] [language] [throughput] [adversarial] [lexicon]
"""
