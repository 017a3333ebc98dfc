"""The command: a row for each set and system, and who wins."""

from benchmarks import report
from benchmarks.accuracy import contest, wins

if __name__ == "__main__":
    report.run("benchmarks.accuracy", {"contest": contest}, closing=wins)
