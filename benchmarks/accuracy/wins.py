"""Who is right most often on how many sets."""

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from benchmarks.accuracy.systems import CLASSIC, DEFAULT, PEERS

LEGEND = """\
On how many sets the default model is right more often, as often, less often than the other; on how
many of them that is more than chance (p < .05); how many times faster it learns, at least."""
WIDTHS = {
    "system": 17,
    "ahead": 5,
    "level": 5,
    "behind": 6,
    "surely ahead": 12,
    "surely behind": 13,
    "times faster": 12,
}


def rows(parts: Mapping[str, ModuleType], report: dict[str, Any]) -> Iterator[dict[str, Any]]:
    found = report.get("contest", [])
    ours = {row["set"]: row for row in found if row["system"] in DEFAULT}
    best: dict[str, dict[str, Any]] = {}
    for row in found:
        if row["system"] in PEERS:
            best[row["set"]] = max(best.get(row["set"], row), row, key=lambda r: r["accuracy"])
    for system in [*CLASSIC, *PEERS]:
        yield _against(system, ours, [row for row in found if row["system"] == system])
    yield _against("the best peer", ours, list(best.values()))


def _against(system: str, ours: dict[str, Any], theirs: list[dict[str, Any]]) -> dict[str, Any]:
    ahead = [ours[row["set"]]["accuracy"] - row["accuracy"] for row in theirs]
    sure = [row["p_value"] < 0.05 for row in theirs]
    faster = [row["took"] / ours[row["set"]]["took"] for row in theirs]
    return {
        "system": system,
        "ahead": sum(by > 0 for by in ahead),
        "level": sum(by == 0 for by in ahead),
        "behind": sum(by < 0 for by in ahead),
        "surely ahead": sum(by > 0 and is_sure for by, is_sure in zip(ahead, sure, strict=True)),
        "surely behind": sum(by < 0 and is_sure for by, is_sure in zip(ahead, sure, strict=True)),
        "times faster": f"{min(faster):.1f}" if faster else None,
    }
