"""The command: three tables, or some of them."""

from benchmarks import report
from benchmarks.tables import accuracy, large, reading

if __name__ == "__main__":
    parts = {"accuracy": accuracy, "reading": reading, "large": large}
    report.run("benchmarks.tables", parts)
