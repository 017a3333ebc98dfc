"""The family on numbers and categories, beside scikit-learn: how often right, and how fast.

    python -m benchmarks.family [--quick] [--data DIR] [--json FILE] [accuracy] [speed]

Everything runs in one thread, ours and theirs, and what is compared is measured in one run.
"""
