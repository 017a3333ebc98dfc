"""Speed, accuracy and what is claimed of Naive Bayes, measured beside others.

python -m benchmarks [TABLE…] [--quick] [--json]
"""
