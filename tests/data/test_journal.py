"""The journal of a model as a table to train on."""

import pytest

import likely
from likely import Classifier, Multinomial, open_table
from likely.errors import DataError
from likely.server.living import LivingModel, folder_of

ROWS = {"text": ["win a prize", "lunch", None, "see you"], "place": ["a", "b", "b", "a"]}
LABELS = ["spam", "ham", "ham", "ham"]


def begun(folder, labels=LABELS):
    path = folder / "m.likely"
    model = Classifier({"text": Multinomial(), "place": likely.Categorical()})
    model.fit({**ROWS, "kind": labels}, "kind").save(path)
    return path, LivingModel(path)


def learned(model, n=3):
    rows = [dict(zip(ROWS, cells, strict=True)) for cells in zip(*ROWS.values(), strict=True)]
    model.learn(rows[:n], LABELS[:n]).result()


def test_the_rows_of_a_journal_are_a_table(tmp_path):
    path, model = begun(tmp_path)
    learned(model)
    model.forget([{"text": "lunch", "place": "b"}], ["ham"]).result()
    model.close()
    source = open_table(folder_of(path))
    assert source.columns == ("text", "place", "label")
    (table,) = source.batches()
    found = [list(table.columns[name]) for name in source.columns]
    assert found == [["win a prize", None], ["a", "b"], ["spam", "ham"]]
    (table,) = source.batches(["label"])
    assert list(table.columns) == ["label"]


def test_training_on_a_journal_is_training_on_its_rows(tmp_path):
    path, model = begun(tmp_path)
    learned(model, 4)
    model.close()
    same = Classifier({"text": Multinomial(), "place": likely.Categorical()})
    expected = same.fit({**ROWS, "label": LABELS}, "label")
    again = Classifier({"text": Multinomial(), "place": likely.Categorical()})
    assert again.fit(folder_of(path), "label").digest == expected.digest


def test_a_journal_in_use_is_refused(tmp_path):
    path, model = begun(tmp_path)
    learned(model)
    try:
        with pytest.raises(DataError, match="a server is using this journal"):
            open_table(folder_of(path))
    finally:
        model.close()


def test_a_journal_without_rows_or_that_is_none(tmp_path):
    path, model = begun(tmp_path)
    model.close()
    with pytest.raises(DataError, match="no rows"):
        open_table(folder_of(path))
    (folder_of(path) / "journal.sqlite").write_bytes(b"something else, longer than a header" * 9)
    with pytest.raises(DataError, match="cannot be read"):
        open_table(folder_of(path))
