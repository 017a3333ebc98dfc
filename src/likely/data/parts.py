"""A table in several files, read one after another."""

from collections.abc import Iterator, Sequence
from functools import reduce

from likely.data.files import Progress, Source
from likely.data.table import Table


class Parts(Source):
    """The rows of several files, with the columns that all of them have.

    Rows are numbered in each file anew, and while a file is read, its name is that of the table:
    so a message about a row says which row of which file it is.
    """

    def __init__(self, files: Sequence[Source]):
        self.files = tuple(files)
        self._reading: Source | None = None
        common = reduce(set.intersection, (set(file.columns) for file in files))
        self.columns = tuple(name for name in files[0].columns if name in common)
        sizes = [file.size for file in files]
        self.size = None if None in sizes else sum(size for size in sizes if size)
        self.has_lines = any(file.has_lines for file in files)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The file that is being read, or else the first, and how many more there are."""
        if self._reading is not None or len(self.files) == 1:
            return (self._reading or self.files[0]).name
        return f"{self.files[0].name} and {len(self.files) - 1:,} more"

    def batches(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Table]:
        done = 0
        names = list(self.columns if columns is None else columns)
        for file in self.files:
            self._reading = file
            yield from file.batches(names, _after(done, progress))
            done += file.size or 0
        self._reading = None


def _after(done: int, progress: Progress | None) -> Progress | None:
    """Progress in a file after others; 0 means that a pass begins, so only the first says it."""
    if progress is None:
        return None
    return lambda read: progress(done + read)
