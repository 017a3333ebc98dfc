"""The command: ten tables, or some of them, and the verdicts they carry."""

from benchmarks import report
from benchmarks.claims import (
    argmax,
    correlated,
    cost,
    few,
    fragments,
    irrelevant,
    ngrams,
    optimal,
    presence,
    stop_words,
    verdicts,
)

if __name__ == "__main__":
    parts = {
        "few": few,
        "irrelevant": irrelevant,
        "fragments": fragments,
        "optimal": optimal,
        "correlated": correlated,
        "argmax": argmax,
        "stop_words": stop_words,
        "ngrams": ngrams,
        "presence": presence,
        "cost": cost,
    }
    report.run("benchmarks.claims", parts, closing=verdicts)
