"""The ledger: hashes of learned rows, so that only those can be forgotten.

A ledger is a sorted list of 64-bit hashes, one per learned row, repeats included. Kept open, it
lets anyone who has the model test whether a row they guess was learned; under a secret, only the
secret's holder can.
"""

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from likely import _kernel
from likely.data.labels import Shares
from likely.data.table import Batch, row_hashes
from likely.errors import ModelError, OptionError

Hashes = NDArray[np.uint64]

# A part of a ledger that is at least this share of the one before it is merged with it.
_LARGE = 8


@dataclass(frozen=True)
class Ledger:
    """Whether and how rows are hashed. A model file holds the name, never the secret."""

    name: str
    secret: bytes | None = field(default=None, repr=False)

    @classmethod
    def of(cls, given: bool | bytes) -> "Ledger":
        """True for an open ledger, False for none, some bytes for one under that secret."""
        if given is True:
            return cls("open")
        if given is False:
            return cls("none")
        if not isinstance(given, bytes) or not given:
            raise OptionError(
                f"`ledger` is True, False or a secret in bytes, not {type(given).__name__}"
            )
        # The name tells one secret from another without giving either away.
        return cls(f"keyed {_kernel.chain(0, b'', given):016x}", given)

    @classmethod
    def named(cls, name: str, secret: bytes | None) -> "Ledger":
        """The ledger of a stored model, with its secret if there is one at hand."""
        if name in ("open", "none"):
            return cls(name)
        if not isinstance(name, str) or not re.fullmatch("keyed [0-9a-f]{16}", name):
            raise ModelError(f"it keeps a ledger called {name!r}, which is not known here")
        if secret is None:
            return cls(name)
        ledger = cls.of(secret)
        if ledger.name != name:
            raise ModelError.of("ledger-secret-wrong")
        return ledger

    def check(self, learned: Hashes | None, batch: Batch) -> None:
        """Refuse rows that were not learned, naming one."""
        hashes = self.hashes(batch)
        if learned is not None and hashes is not None:
            _kernel.ledger_check(learned, hashes)

    def hashes(self, batch: Batch, threads: int = 1) -> Hashes | None:
        """The hashes of some rows, in their order."""
        if self.name == "none":
            return None
        if self.name != "open" and self.secret is None:
            raise ModelError.of("ledger-secret-needed")
        # Softly assigned rows have no ledger.
        assert not isinstance(batch.labels, Shares)
        spelled, of_row = batch.labels.spelled
        first = [_kernel.chain(0, one, self.secret) for one in spelled]
        links = np.array(first, dtype=np.uint64)[of_row]
        return row_hashes(batch.parts, links, self.secret, threads)


def few_hashes(parts: tuple[Hashes, ...]) -> tuple[Hashes, ...]:
    """The same hashes in few parts, each much smaller than the one before, so adding is cheap."""
    kept: list[Hashes] = []
    for part in sorted(parts, key=len, reverse=True):
        while kept and _LARGE * len(part) >= len(kept[-1]):
            part = np.sort(np.concatenate([kept.pop(), part]))
        kept.append(part)
    return tuple(kept)


def merged_hashes(parts: tuple[Hashes, ...]) -> Hashes:
    """All hashes, sorted."""
    if len(parts) == 1:
        return parts[0]
    return np.sort(np.concatenate([np.zeros(0, dtype=np.uint64), *parts]))
