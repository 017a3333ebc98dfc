"""One run: what a table is given, and how it is measured."""

import importlib
import sys
import time
import traceback
from dataclasses import dataclass, field

from benchmarks.catalogue import CATALOGUE
from benchmarks.data import MADE_UP, Corpus, Data, MissingError
from benchmarks.table import COMPARISON, Table


@dataclass(frozen=True)
class Run:
    data: Data
    quick: bool
    systems: tuple[str, ...] = ()
    """Those to compare the default model with in `tables.accuracy`; all but slow ones if empty."""
    minutes: float = 1
    """How long `serve.memory` watches a server."""
    sizes: tuple[float, ...] = ()
    """The megabytes of `cluster.growth`; those of the table if empty."""
    tables: dict[str, Table] = field(default_factory=dict)
    """The tables measured so far, by name."""
    corpora: dict[str, Corpus] = field(default_factory=dict)

    @property
    def train(self) -> Corpus:
        """As much text to learn from as IMDb has, or little less."""
        return self._reviews("train")

    @property
    def test(self) -> Corpus:
        return self._reviews("test")

    def _reviews(self, part: str) -> Corpus:
        if part not in self.corpora:
            self.corpora[part] = self.data.reviews(part, 33)
        if self.corpora[part].name == MADE_UP:
            list(self.data.present("imdb"))
        return self.corpora[part]

    def rounds(self, wanted: int) -> int:
        return min(wanted, 2) if self.quick else wanted

    def draws(self, wanted: int) -> range:
        """The seeds of so many draws."""
        return range(3 if self.quick else wanted)

    def measure(self, name: str) -> Table:
        """Whatever goes wrong with a table is noted in it."""
        entry, start = CATALOGUE[name], time.perf_counter()
        table = self.tables[name] = Table(name, entry.title, COMPARISON)
        self.data.missing.clear()
        try:
            from threadpoolctl import threadpool_limits

            module = importlib.import_module(f"benchmarks.{name.replace('-', '_')}")
            table.columns = getattr(module, "COLUMNS", COMPARISON)
            table.notes = getattr(module, "NOTES", "")
            with threadpool_limits(1):
                for row in module.rows(self):
                    table.rows.append(row)
                    print("  " + "  ".join(map(str, list(row.values())[:2])), file=sys.stderr)
            if self.data.missing and not table.rows:
                table.status = "skipped"
        except Exception as error:
            if is_missing(error):
                table.status = "skipped"
                self.data.missing.append(str(error))
            else:
                traceback.print_exc()
                table.status = "failed"
                self.data.missing.append(f"{type(error).__name__}: {error}")
        table.reasons = list(self.data.missing)
        table.seconds = time.perf_counter() - start
        return table


def is_missing(error: Exception) -> bool:
    """A dataset, a program or somebody else's package, but no module of ours."""
    if isinstance(error, ModuleNotFoundError):
        return (error.name or "").partition(".")[0] not in ("benchmarks", "likely")
    return isinstance(error, MissingError)
