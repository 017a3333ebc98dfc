"""Who is right most often on how many sets."""

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from benchmarks.accuracy.systems import CLASSIC, DEFAULT, PEERS, SECOND, VECTORS

LEGEND = """\
On how many sets the default model is right more often, as often, less often than the other; on how
many of them that is more than chance (p < .05); how many times faster it learns, at least. In the
last two lines, the model with a second opinion."""
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
    ours, second = (
        {row["set"]: row for row in found if row["system"] in systems}
        for systems in (DEFAULT, SECOND)
    )
    best: dict[str, dict[str, Any]] = {}
    for row in found:
        if row["system"] in PEERS:
            best[row["set"]] = max(best.get(row["set"], row), row, key=lambda r: r["accuracy"])
    for system in [*CLASSIC, *PEERS]:
        yield _against(system, ours, [row for row in found if row["system"] == system])
    yield _against("the best peer", ours, list(best.values()))
    vectors = [row for row in found if row["system"] == VECTORS]
    yield _against(VECTORS, second, vectors, sure=False)
    yield _against("the best peer", second, list(best.values()), sure=False)


def _against(
    system: str, ours: dict[str, Any], theirs: list[dict[str, Any]], sure: bool = True
) -> dict[str, Any]:
    """Where the p-values are those of another model, nothing is said to be sure."""
    ahead = [ours[row["set"]]["accuracy"] - row["accuracy"] for row in theirs]
    is_sure = [row["p_value"] < 0.05 for row in theirs]
    faster = [row["took"] / ours[row["set"]]["took"] for row in theirs]
    return {
        "system": system,
        "ahead": sum(by > 0 for by in ahead),
        "level": sum(by == 0 for by in ahead),
        "behind": sum(by < 0 for by in ahead),
        "surely ahead": sum(by > 0 and s for by, s in zip(ahead, is_sure, strict=True))
        if sure
        else None,
        "surely behind": sum(by < 0 and s for by, s in zip(ahead, is_sure, strict=True))
        if sure
        else None,
        "times faster": f"{min(faster):.1f}" if faster else None,
    }
