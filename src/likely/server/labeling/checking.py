"""How many of the rows that check the model it gets right, each predicted by the model without it.

Without its counts: leave-one-out. And without its part in the tuning, since weights that were
fitted with a row among few others flatter it: the rows are divided, and each part is predicted with
weights that were fitted without it. Of many rows no single one has a say in the weights.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

from likely.classifier import Classifier
from likely.data.labeled import Labeled
from likely.errors import LikelyError
from likely.model import learning
from likely.model.fitted import Fitted
from likely.server.labeling.answers import Said
from likely.server.labeling.session import Session
from likely.server.living import labeled
from likely.tally import Tally

_PARTS = 3
# From here on, tuning flatters by about a point or less, and fitting weights takes longer.
_MANY = 500


class Check:
    """The answered rows that are a random sample, and the model without them."""

    def __init__(self, session: Session):
        self.session = session
        self.rows = random_rows(session)
        self._agreed = session.seen.agreed
        self._fitted = session.model.served.classifier.fitted

    def right(self, known: Collection[int] | None = None) -> float | None:
        """How many of the rows are right, if the model knows all answers or only some of them.

        None if that is too little to predict anything.
        """
        if not self.rows or self._fitted.tally.n_rows != len(self._agreed):
            # The latter where somebody answered in between.
            return None
        try:
            tally = self._fitted.tally if known is None else self._tally(sorted(known))
            return sum(self._right(part, tuned, tally, known) for part, tuned in self._parts)
        except LikelyError:
            # One class alone, or none.
            return None

    def _right(
        self, part: list[int], tuned: Fitted, tally: Tally, known: Collection[int] | None
    ) -> float:
        fitted = tuned.with_tally(tally)
        fitted.check_fitted()
        model, table = Classifier.of(fitted.spec, fitted), self.session.pool.table
        inside = [item for item in part if known is None or item in known]
        outside = [item for item in part if known is not None and item not in known]
        right = 0.0
        if inside:
            left_out = model.leave_one_out(table(inside), self._labels(inside))
            right += sum(map(_same, left_out.predictions, self._said(inside)))
        if outside:
            right += sum(map(_same, model.predict(table(outside)), self._said(outside)))
        return right

    @cached_property
    def _parts(self) -> list[tuple[list[int], Fitted]]:
        """The rows in parts, each with the model whose tuning knows none of them."""
        now = self._fitted
        if now.tuning is None or now.tally.n_rows > _MANY:
            return [(self.rows, now)]
        found = []
        for start in range(min(_PARTS, len(self.rows))):
            part = self.rows[start::_PARTS]
            left, _ = learning.forgotten(now, self._labeled(part), 1)
            gone = set(part)
            others = [item for item in self._agreed if item not in gone]
            try:
                found.append((part, learning.retuned(left, self._labeled(others), 1)))
            except LikelyError:
                # All of them have one label.
                found.append((part, now.untuned()))
        return found

    def _tally(self, items: Sequence[int]) -> Tally:
        plan = self._fitted.plan
        return learning.observe(plan.product, plan.ledger, self._labeled(items), 1)

    def _labeled(self, items: Sequence[int]) -> Labeled:
        columns, names = self.session.pool.columns, self._fitted.columns
        cells = [{name: columns[name][item] for name in names} for item in items]
        return labeled(self._fitted, cells, self._labels(items))

    def _labels(self, items: Sequence[int]) -> list[Any]:
        return [self.session.label(said) for said in self._said(items)]

    def _said(self, items: Sequence[int]) -> list[Said]:
        return [self._agreed[item] for item in items]


def random_rows(session: Session) -> list[int]:
    """The answered rows that are a random sample: the first of those that check the model.

    Rows that were skipped or are disputed are no part of it, and it goes on after them.
    """
    found: list[int] = []
    answers, agreed = session.seen.answers, session.seen.agreed
    for item in session.check_rows.tolist():
        if item not in answers:
            break
        if item in agreed:
            found.append(item)
    return found


def _same(predicted: Any, said: Said) -> bool:
    """Whether a row is right; a multi-label row has to get all of its labels and no other."""
    found = predicted if isinstance(predicted, (list, tuple)) else [str(predicted)]
    return tuple(sorted(map(str, found))) == said
