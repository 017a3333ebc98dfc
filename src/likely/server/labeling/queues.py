"""Which row to ask about next.

    uncertain   the row whose two most probable labels are closest; nearest to its threshold, if it
                may have several
    random      the next row in a random order: the first of these tell how good the model is
    errors      an answered row whose answer the other answers contradict
    unlike      a row with the most words that no answered row has
    disputed    a row of which as many people say one thing as another
    mixed       uncertain, and every fourth time random; random while little is known

What chooses by a model chooses by one that knows no answers of the rows that check it, and none of
those rows. Of many rows only some are looked at for each suggestion, others the next time, so that
it comes at once however many there are.
"""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from likely.classifier import Classifier
from likely.errors import OptionError
from likely.server.labeling.answers import Answer, consensus
from likely.server.labeling.left_out import label_issues
from likely.server.labeling.pool import Places
from likely.server.labeling.session import Session

Queue = Literal["uncertain", "random", "errors", "unlike", "disputed", "mixed"]

# The share of new answers that the model that chooses need not know.
_LAG = 0.02
_RANDOM_EVERY = 4
_RANDOM_FIRST = 10
# Rows that are looked at for a suggestion; fewer where that takes longer than this many seconds.
_MOST, _FEWEST, _SECONDS = 4096, 64, 0.05
_AT_FIRST = 1024


@dataclass(frozen=True)
class Suggestion:
    """A row to ask about, and the queue that it comes from."""

    item: int
    queue: str


class Suggester:
    """Suggests rows; it remembers only where in the pool it looks next.

    For each suggestion it looks at as many rows as it can in so many seconds. None: at 1,024 rows
    each time, so that a simulation is the same on every machine.
    """

    def __init__(self, session: Session, seconds: float | None = _SECONDS):
        self._session = session
        self._seconds = seconds
        self._at = 0
        self._size = _AT_FIRST

    def next(self, queue: str, n: int, who: str, without: Collection[int]) -> list[Suggestion]:
        """The next rows of a queue for somebody; fewer than asked for where it ends."""
        if queue not in get_args(Queue):
            known = ", ".join(get_args(Queue))
            raise OptionError(f"there is no queue {queue!r}; there are {known}")
        seen = self._session.seen
        mine = {item for item, by in seen.answers.items() if who in by}
        gone = mine | set(without)
        if queue == "mixed":
            return self._mixed(len(mine) + len(without), n, who, without)
        if queue == "errors":
            issues = label_issues(self._session)
            found = [issue.item for issue in issues if issue.item not in without][:n]
        elif queue == "disputed":
            disputed = [item for item, by in seen.answers.items() if is_disputed(by)]
            found = [item for item in disputed if item not in without][:n]
        elif queue == "random":
            found = self._random(gone, n)
        else:
            score = self._uncertainty if queue == "uncertain" else self._novelty
            found = self._best(score, gone, n) or self._random(gone, n)
        return [Suggestion(int(item), queue) for item in found]

    def _mixed(self, answered: int, n: int, who: str, without: Collection[int]) -> list[Suggestion]:
        """Uncertain rows, with random ones at their places among them."""
        places = range(answered, answered + n)
        are_random = [p < _RANDOM_FIRST or p % _RANDOM_EVERY == 0 for p in places]
        random = self.next("random", sum(are_random), who, without) if any(are_random) else []
        chosen = {one.item for one in random}
        n_uncertain = n - sum(are_random)
        uncertain = (
            self.next("uncertain", n_uncertain, who, {*without, *chosen}) if n_uncertain else []
        )
        found = []
        for is_random in are_random:
            first, second = (random, uncertain) if is_random else (uncertain, random)
            if one := first or second:
                found.append(one.pop(0))
        return found

    def _random(self, gone: Collection[int], n: int) -> list[int]:
        order = self._session.order
        found: list[int] = []
        for place in range(len(order)):
            item = int(order[place])
            if item not in gone:
                found.append(item)
                if len(found) == n:
                    break
        return found

    def _best(
        self, score: Callable[[Places], NDArray[np.float64]], gone: Collection[int], n: int
    ) -> list[int]:
        """The rows with the highest scores, of those that are looked at this time."""
        order = self._session.order[len(self._session.check_rows) :]
        picked: list[int] = []
        for _ in range(len(order)):
            item = int(order[self._at % len(order)])
            self._at += 1
            if item not in gone:
                picked.append(item)
                if len(picked) >= max(self._size, n):
                    break
        if not picked:
            return []
        places = np.array(picked, dtype=np.intp)
        began = time.perf_counter()
        scores = score(places)
        if self._seconds is not None:
            took = time.perf_counter() - began
            fits = len(places) * self._seconds / max(took, 1e-6)
            fewest, most = max(_FEWEST, self._size // 2), min(_MOST, 2 * self._size)
            self._size = int(np.clip(fits, fewest, most))
        return [int(place) for place in places[np.argsort(-scores, kind="stable")[:n]]]

    _chooses: tuple[int, Classifier] | None = None
    """The model that chooses, and how many rows it knew."""

    def _chooser(self) -> Classifier:
        """The model that chooses, made the seldomer the more it knows, since that takes longer."""
        learned = len(self._session.seen.agreed)
        known, classifier = self._chooses or (0, None)
        if classifier is None or abs(learned - known) > _LAG * known:
            classifier = self._session.knowing_no_check_rows()
            self._chooses = learned, classifier
        return classifier

    def _uncertainty(self, places: Places) -> NDArray[np.float64]:
        classifier = self._chooser()
        if len(classifier.classes) < (1 if classifier.is_multilabel else 2):
            return np.zeros(len(places))
        probabilities = classifier.predict_proba(self._session.pool.table(places))
        if classifier.is_multilabel:
            limits = np.array(list(classifier.thresholds.values()))
            return np.asarray(-np.abs(probabilities - limits).min(axis=1))
        best = np.sort(probabilities, axis=1)
        return np.asarray(best[:, -2] - best[:, -1])

    def _novelty(self, places: Places) -> NDArray[np.float64]:
        """The share of a row's words that no answered row has; of short rows, drawn to a half."""
        pool, known = self._session.pool, self._known()
        found = np.empty(len(places))
        for at, item in enumerate(places.tolist()):
            words = pool.words(item)
            found[at] = (len(words - known) + 1) / (len(words) + 2)
        return found

    def _known(self) -> set[str]:
        pool = self._session.pool
        return set().union(*(pool.words(item) for item in self._session.seen.answers))


def is_disputed(by_person: Mapping[str, Answer]) -> bool:
    """Whether as many people say one thing of a row as another."""
    said = [answer.labels for answer in by_person.values() if answer.labels is not None]
    return len(said) > 1 and consensus(said) is None
