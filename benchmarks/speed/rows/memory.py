"""Peak memory of training, over and above the texts."""

from collections.abc import Iterator

from benchmarks.speed.fresh import memory_of_training
from benchmarks.speed.setting import Setting
from benchmarks.speed.table import Row, Target


def rows(setting: Setting) -> Iterator[Row]:
    for name, words in (("words", (1, 1)), ("1-2-grams", (1, 2))):
        ours, peer = (
            memory_of_training(who, words, setting.data, setting.quick)
            for who in ("likely", "scikit-learn")
        )
        target = Target(0.25, at_most=True)
        yield Row(f"memory of training, {name}", ours, "MB", peer, "scikit-learn", target)
