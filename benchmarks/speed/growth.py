"""Does much text cost more per megabyte than little?

The texts come in batches, so that memory is bounded by the model. Before each batch, a fresh model
learns a little text from the same place: so both figures are of like texts, and of the same minutes
of the machine.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.data import Corpus, Pair, take
from benchmarks.made_up.endless import endless
from benchmarks.made_up.language import Language
from benchmarks.measure import timed
from benchmarks.run import Run
from benchmarks.speed import ours
from benchmarks.table import Row, Target, comparison


def rows(run: Run) -> Iterator[Row]:
    fixed = Language(50_000).pairs(seed=4)
    yield _row(run, "fixed vocabulary", fixed, Target(0.8))
    diverse = run.data.diverse(megabytes=75)
    yield _row(run, "growing vocabulary", endless(diverse), Target(0.6))


@dataclass
class _Pace:
    """Megabytes learned so far, and the seconds that took."""

    megabytes: float = 0.0
    seconds: float = 0.0

    def learn(self, texts: Corpus, fit: Callable[[list[str], list[str]], object]) -> None:
        self.seconds += timed(lambda: fit(texts.texts, texts.labels))()
        self.megabytes += texts.megabytes

    @property
    def speed(self) -> float:
        return self.megabytes / self.seconds


def _row(run: Run, vocabulary: str, texts: Iterator[Pair], target: Target) -> Row:
    little, much, batch = (1, 4, 2) if run.quick else (10, 1000, 64)
    apart, together = _Pace(), _Pace()
    model = ours.model()
    while together.megabytes < much:
        apart.learn(take("little", texts, little), ours.model().fit)
        fit = model.update if model.classes else model.fit
        together.learn(take("batch", texts, min(batch, much - together.megabytes)), fit)
    what = f"train, {vocabulary}, {much:,} MB"
    return comparison(what, together.speed, "MB/s", apart.speed, f"ours, {little} MB", target)
