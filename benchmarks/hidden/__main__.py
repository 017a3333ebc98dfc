"""The command: `python -m benchmarks.hidden`, all tables or some of them."""

from benchmarks import report
from benchmarks.hidden import gaussians, selecting, unlabelled

if __name__ == "__main__":
    report.run(
        "benchmarks.hidden",
        {"unlabelled": unlabelled, "gaussians": gaussians, "selecting": selecting},
    )
