"""Speed and memory, ours beside others', in one table.

    python -m benchmarks.speed [--quick] [--data DIR] [--json FILE] [ROWS…]

Absolute figures move with the machine and the hour. So everything that is compared is measured in
one run, in turns, and the column that counts is the ratio.
"""
