"""What a run works on."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.speed import corpus
from benchmarks.speed.corpus import Corpus


@dataclass(frozen=True)
class Setting:
    """Where the texts are, and whether this is only a rehearsal."""

    data: Path
    quick: bool

    @cached_property
    def train(self) -> Corpus:
        return corpus.reviews(self.data, "train", self.megabytes)

    @cached_property
    def test(self) -> Corpus:
        return corpus.reviews(self.data, "test", self.megabytes)

    @property
    def megabytes(self) -> int:
        """How much text to learn from; IMDb has little more than this."""
        return 3 if self.quick else 33

    def rounds(self, wanted: int) -> int:
        return min(wanted, 2) if self.quick else wanted
