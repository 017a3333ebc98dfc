"""Categorical columns whose values were never seen in training."""

from typing import TYPE_CHECKING

from likely.data.table import Table

if TYPE_CHECKING:
    from likely.predictor import Predictor

# So many columns are named; of the others it is said how many they are.
_NAMED = 8


class UnseenValues:
    """Categorical columns in which all values so far were unseen in training, and how many."""

    def __init__(self) -> None:
        self._never: dict[str, int] = {}
        self._known: set[str] = set()
        self._is_open = True

    def look(self, predictor: "Predictor", table: Table) -> None:
        """Take note of a batch of rows."""
        found = predictor.unseen(table) if self._is_open else {}
        for name, rows in found.items():
            if rows.seen.any():
                self._known.add(name)
            if name in self._known:
                self._never.pop(name, None)
            else:
                self._never[name] = self._never.get(name, 0) + int(rows.never.sum())
        # Once every column has had a known value, there is nothing more to look for.
        self._is_open = bool(self._never)

    @property
    def sentence(self) -> str | None:
        """Which columns have values that were all never seen in training, if any have."""
        unseen = [(name, n) for name, n in self._never.items() if n]
        if not unseen:
            return None
        # Imported here, since it is seldom needed and slow to import.
        from likely import render

        named = unseen[:_NAMED]
        shown = ", ".join(f"`{name}` ({render.counted(n, 'row', 'rows')})" for name, n in named)
        left = len(unseen) - len(named)
        more = f" and {render.counted(left, 'more column', 'more columns')}" if left else ""
        nothing = "they say nothing" if unseen[1:] else "it says nothing"
        return f"no value in {shown}{more} was ever seen in training, so {nothing}"
