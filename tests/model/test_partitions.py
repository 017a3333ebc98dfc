"""Rows in partitions give the model that one machine makes, byte for byte."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from likely import Classifier, Gaussian, Multinomial
from likely.data.table import Table
from likely.errors import DataError, LikelyError, NotLearnedError
from likely.model import partitions, tuning
from likely.model.file import to_bytes
from likely.tally import Tally


class InMemory:
    """An engine that runs one partition after another, and pickles what engines pickle."""

    def __init__(self, parts: Sequence[dict[str, list[Any]]]):
        self.parts = parts

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.parts[0])

    def count(self) -> int:
        return sum(len(next(iter(part.values()))) for part in self.parts)

    def map(self, columns: Sequence[str], task: Callable[[Iterator[Table]], Any]) -> list[Any]:
        found = []
        for number, part in enumerate(self.parts):
            rows = Table({name: part[name] for name in columns}, len(part[columns[0]]), named=True)
            try:
                made = pickle.loads(pickle.dumps(task))(rows.cut(7))
            except LikelyError as error:
                raise error.within(f"partition {number}: ") from None
            found.append(pickle.loads(pickle.dumps(made)))
        return found

    def total(self, columns: Sequence[str], task: Any, add: Any) -> bytes:
        found = self.map(columns, task)
        while len(found) > 1:
            found = [add(iter(found[at : at + 3])) for at in range(0, len(found), 3)]
        return found[0]


def split(table: dict[str, list[Any]], parts: int, seed: int = 0) -> InMemory:
    """Rows in any order, in partitions of any size, some of them empty."""
    r = np.random.RandomState(seed)
    n = len(next(iter(table.values())))
    order = r.permutation(n)
    cuts = np.sort(r.randint(0, n + 1, parts - 1)) if parts > 1 else np.array([], dtype=int)
    places = np.split(order, cuts)
    return InMemory([{k: [v[i] for i in own] for k, v in table.items()} for own in places])


WORDS = (
    *("the", "ferry", "leaves", "late", "harbour", "fish"),
    *("boat", "storm", "lamp", "street", "tree", "park", "bench"),
)


def table(n: int = 300, seed: int = 1) -> dict[str, list[Any]]:
    r = np.random.RandomState(seed)
    labels = r.choice(["sea", "town", "park"], n).tolist()
    texts = []
    for label in labels:
        at = {"sea": 0, "town": 4, "park": 8}[label]
        picked = r.choice([*WORDS, *WORDS[at : at + 5], *WORDS[at : at + 5]], r.randint(1, 7))
        texts.append(" ".join(picked))
    sizes = [None if r.rand() < 0.1 else float(r.normal(len(label))) for label in labels]
    kinds = [None if r.rand() < 0.1 else str(r.choice(["a", "b", label])) for label in labels]
    return {"text": texts, "size": sizes, "kind": kinds, "label": labels}


def lists(n: int = 200) -> dict[str, list[Any]]:
    made = table(n)
    more = np.random.RandomState(2).rand(n)
    made["label"] = [
        [] if x < 0.1 else [one] if x < 0.7 else sorted({one, "sea"})
        for one, x in zip(made["label"], more, strict=True)
    ]
    return made


MODELS = {
    "default": (Classifier, table),
    "texts alone": (Classifier, lambda: {k: table()[k] for k in ("text", "label")}),
    "numbers alone": (Classifier, lambda: {k: table()[k] for k in ("size", "label")}),
    "plain": (lambda: Classifier(tune=False), table),
    "multinomial": (lambda: Classifier({"text": Multinomial()}), table),
    "gaussian": (lambda: Classifier({"size": Gaussian()}), table),
    "no ledger": (lambda: Classifier(ledger=False), table),
    "secret ledger": (lambda: Classifier(ledger=b"secret"), table),
    "multi-label": (Classifier, lists),
    "plain multi-label": (lambda: Classifier({"text": Multinomial()}), lists),
    "stacked": (lambda: Classifier(stack_linear=True), table),
    "threshold": (lambda: Classifier(thresholds={"sea": "precision>=0.9"}), table),
    "one against the rest": (lambda: Classifier({"text": Multinomial()}, one_vs_rest=True), table),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("parts", [1, 7, 40])
def test_partitions_give_the_file_of_one_machine(name: str, parts: int) -> None:
    model, rows = MODELS[name]
    made = partitions.fit(model().spec, split(rows(), parts), "label")
    assert to_bytes(made) == model().fit(rows(), "label").to_bytes()


SAMPLED = ["default", "texts alone", "numbers alone", "multi-label"]


@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.parametrize("parts", [1, 5])
def test_partitions_of_more_rows_than_tuning_looks_at(
    name: str, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "_MOST_SCORES", 900)
    monkeypatch.setattr(tuning, "_FEWEST_ROWS", 40)
    monkeypatch.setattr(tuning, "_SAMPLED_ROWS", 30)
    monkeypatch.setattr(tuning, "_COMPARED", 50)
    monkeypatch.setattr(partitions, "SAMPLE", 60)
    monkeypatch.setattr("likely.data.columns.SAMPLE", 60)
    monkeypatch.setattr("likely.data.labeled.SAMPLE", 60)
    model, rows = MODELS[name]
    given = rows()
    # Half of the texts occur twice, some under another label.
    if "text" in given:
        given["text"][100:200] = given["text"][:100]
    wanted = model().fit(given, "label")
    assert wanted.tuning.rows < len(given["label"])
    made = partitions.fit(model().spec, split(given, parts), "label")
    assert to_bytes(made) == wanted.to_bytes()


def test_messages_name_the_partition_and_the_row() -> None:
    first, second = table(20), table(40, seed=2)
    second["size"][29] = "heavy"
    with pytest.raises(DataError, match=r"^partition 1: row 30 of `size` is 'heavy'"):
        partitions.fit(Classifier({"size": Gaussian()}).spec, InMemory([first, second]), "label")


def test_rows_that_were_never_learned_are_named() -> None:
    rows = table(60)
    model = Classifier({"text": Multinomial()}).fit(rows, "label")
    known = {name: cells[:20] for name, cells in rows.items()}
    strange = {name: cells[20:] for name, cells in rows.items()}
    strange["text"][10] = "a quay, unheard of"
    with pytest.raises(NotLearnedError, match=r"^partition 1: row 11 was never learned"):
        partitions.forgotten(model.fitted, InMemory([known, strange]), "label")
    with pytest.raises(NotLearnedError, match=r"^partition 0: row \d+ was never .* more often"):
        partitions.forgotten(model.fitted, InMemory([rows, known]), "label")


def test_a_label_column_may_have_a_comma_in_its_name() -> None:
    rows = {name: cells for name, cells in table(60).items() if name != "size"}
    rows = {"text": rows["text"], "kind": rows["kind"], "sea, town": rows["label"]}
    made = partitions.fit(Classifier(tune=False).spec, split(rows, 3), "sea, town")
    assert to_bytes(made) == Classifier(tune=False).fit(rows, "sea, town").to_bytes()


def test_tallies_of_no_partitions_are_none() -> None:
    model = Classifier({"text": Multinomial()}).fit(table(60), "label")
    plan = model.fitted.plan
    assert not Tally.from_bytes(partitions.Add(plan.to_bytes())(iter(())), plan).n_rows
