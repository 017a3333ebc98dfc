"""The command: five tables, or some of them."""

from benchmarks import report
from benchmarks.text import ablation, adversarial, language, lexicon, throughput

if __name__ == "__main__":
    parts = {
        "ablation": ablation,
        "language": language,
        "throughput": throughput,
        "adversarial": adversarial,
        "lexicon": lexicon,
    }
    report.run("benchmarks.text", parts)
