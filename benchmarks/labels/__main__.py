"""The command: `python -m benchmarks.labels`."""

from benchmarks import report
from benchmarks.labels import contest

if __name__ == "__main__":
    report.run("benchmarks.labels", {"contest": contest})
