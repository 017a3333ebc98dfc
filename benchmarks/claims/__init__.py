"""What is said of Naive Bayes, measured: a table for each claim, and a verdict on all of them.

LIKELY_DATA=… python -m benchmarks.claims [--quick] [--json FILE] [few] [irrelevant] [fragments]
    [optimal] [correlated] [argmax] [stop_words] [ngrams] [presence] [cost]
"""
