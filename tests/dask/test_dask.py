"""Dask DataFrames give the model of one machine, byte for byte, and its predictions."""

import importlib
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import likely
import likely.dask
from likely.errors import DataError, OptionError
from likely.model import partitions
from tests.dask.frames import ROWS, changed, frame_of, partitioned, with_cell
from tests.model.test_partitions import MODELS


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n", [1, 7])
def test_partitions_give_the_file_of_one_machine(name, n):
    model, rows = MODELS[name]
    rows = pd.DataFrame(rows())
    made = likely.dask.fit(model(), partitioned(rows, n), "label")
    assert made.to_bytes() == model().fit(rows, "label").to_bytes()


def test_many_partitions_some_of_them_empty():
    df = partitioned(ROWS, 64)
    sizes = df.map_partitions(len).compute()
    assert (sizes == 0).any()
    assert sizes.max() >= len(ROWS) / 2
    made = likely.dask.fit(likely.Classifier(), df)
    assert made.to_bytes() == likely.Classifier().fit(ROWS).to_bytes()


def test_processes_give_the_same_file():
    df = partitioned(ROWS, 7)
    started = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, started) as pool, dask.config.set(scheduler="processes", pool=pool):
        made = likely.dask.fit(likely.Classifier(), df)
        bad = said(likely.Classifier(), changed(with_cell("label", 16, None)))
    assert made.to_bytes() == likely.Classifier().fit(ROWS).to_bytes()
    assert bad == "partition 3: row 17: the label in `label` is empty"


def test_the_tree_of_sums_has_several_levels(monkeypatch):
    monkeypatch.setattr(likely.dask, "_WIDTH", 2)
    model = likely.dask.fit(likely.Classifier(tune=False), partitioned(ROWS, 13))
    assert model.to_bytes() == likely.Classifier(tune=False).fit(ROWS).to_bytes()


def test_strings_of_dask_are_those_of_pandas(tmp_path):
    for place in range(3):
        ROWS[place::3].to_parquet(tmp_path / f"{place}.parquet")
    df = dd.read_parquet(tmp_path)
    made = likely.dask.fit(likely.Classifier(), df)
    assert made.to_bytes() == likely.Classifier().fit(ROWS).to_bytes()


def test_columns_of_numbers_as_names_are_texts():
    rows = pd.DataFrame({0: ROWS["size"], 1: ROWS["kind"], 2: ROWS["label"]})
    made = likely.dask.fit(likely.Classifier(), partitioned(rows, 3), "2")
    assert made.to_bytes() == likely.Classifier().fit(rows, "2").to_bytes()
    found = likely.dask.predict(made, partitioned(rows, 3)).compute().sort_index()
    assert found.tolist() == made.predict(rows).tolist()


def test_more_rows_are_learned_tuned_on_and_forgotten():
    model = likely.dask.fit(likely.Classifier(), partitioned(ROWS[:200], 4))
    twin = likely.Classifier().fit(ROWS[:200])
    before = model.to_bytes()
    assert likely.dask.update(model, partitioned(ROWS[200:], 3)) is model
    assert model.to_bytes() == twin.update(ROWS[200:]).to_bytes()
    assert model.is_stale
    tuned = likely.dask.tune(likely.Classifier.of(model.spec, model.fitted), partitioned(ROWS, 5))
    assert tuned.to_bytes() == likely.Classifier().fit(ROWS).to_bytes()
    receipt = likely.dask.forget(model, partitioned(ROWS[200:], 7))
    assert receipt == twin.forget(ROWS[200:])
    assert (receipt.rows, receipt.rows_left) == (100, 200)
    assert model.to_bytes() == before


def test_what_was_never_learned_is_not_forgotten():
    model = likely.dask.fit(likely.Classifier(), partitioned(ROWS[:200], 4))
    before = model.to_bytes()
    with pytest.raises(DataError, match="partition 0: row 1 was never learned"):
        likely.dask.forget(model, partitioned(ROWS[190:], 3))
    with pytest.raises(DataError, match="learned 200 rows, and 300 were given"):
        likely.dask.tune(model, partitioned(ROWS, 3))
    assert model.to_bytes() == before


def test_predictions_are_lazy_and_keep_the_index():
    model = likely.Classifier().fit(ROWS)
    df = partitioned(ROWS, 5).drop(columns="label")
    labels, chances = likely.dask.predict(model, df), likely.dask.predict_proba(model, df)
    # What is learned later does not change them.
    wanted, probabilities = model.predict(ROWS), model.predict_proba(ROWS)
    model.update(ROWS.assign(label="sea"))
    assert (type(labels), labels.name) == (dd.Series, "prediction")
    found, index = labels.compute(), df.index.compute()
    assert found.dtype == labels.dtype
    assert found.index.equals(index)
    assert found.tolist() == wanted[index].tolist()
    assert list(chances.columns) == ["park", "sea", "town"]
    assert (chances.compute().to_numpy() == probabilities[index]).all()


def test_predictions_stand_beside_the_rows():
    model = likely.Classifier().fit(ROWS)
    df = partitioned(ROWS, 5)
    right = (df.assign(found=likely.dask.predict(model, df)).eval("found == label")).mean()
    assert right.compute() == (model.predict(ROWS) == ROWS["label"]).mean()


@pytest.mark.parametrize("labels", [[3, 5, 5], [True, False, False], [0.5, 1.5, 1.5]])
def test_labels_of_any_type_are_predicted_as_such(labels):
    rows = pd.DataFrame({"size": [1.0, 2.0, 2.1] * 5, "label": labels * 5})
    df = frame_of([rows[:4], rows[4:4], rows[4:]])
    model = likely.dask.fit(likely.Classifier(), df)
    assert model.to_bytes() == likely.Classifier().fit(rows).to_bytes()
    found = likely.dask.predict(model, df)
    assert found.dtype == found.compute().dtype
    assert found.compute().tolist() == model.predict(rows).tolist()


def test_multi_label_predictions_are_lists():
    make, rows = MODELS["multi-label"]
    rows = pd.DataFrame(rows())
    model = make().fit(rows)
    found = likely.dask.predict(model, frame_of([rows[:90], rows[90:]])).compute()
    assert found.tolist() == model.predict(rows)
    chances = likely.dask.predict_proba(model, frame_of([rows[:90], rows[90:]])).compute()
    assert (chances.to_numpy() == model.predict_proba(rows)).all()


def test_rules_overrule_here_too():
    rules = likely.Rules([likely.Rule("late", "park", words=["late"])])
    model = likely.Classifier(rules=rules).fit(ROWS)
    found = likely.dask.predict(model, frame_of([ROWS[:90], ROWS[90:]])).compute()
    assert found.tolist() == model.predict(ROWS).tolist()


def test_a_ledger_beyond_the_bound_is_asked_for(monkeypatch):
    monkeypatch.setattr(partitions, "MOST_IN_LEDGER", 299)
    df = partitioned(ROWS, 3)
    with pytest.raises(OptionError, match="a ledger has eight bytes for each row"):
        likely.dask.fit(likely.Classifier(), df)
    made = likely.dask.fit(likely.Classifier(), df, ledger=True)
    assert made.to_bytes() == likely.Classifier().fit(ROWS).to_bytes()
    assert likely.dask.fit(likely.Classifier(ledger=False), df).ledger.name == "none"


# Refused


def said(model, df, y=None, verb=likely.dask.fit):
    """What is said of rows that are refused, by each verb that reads them."""

    def run():
        return verb(model, df).compute() if verb is likely.dask.predict else verb(model, df, y)

    with pytest.raises(likely.errors.LikelyError) as caught:
        run()
    assert caught.value.__cause__ is None
    return str(caught.value)


TYPES = {
    "texts for numbers": (
        lambda part: part.assign(size="big"),
        "partition 3: column `size` holds texts, and numbers by the DataFrame's dtypes",
    ),
    "numbers for texts": (
        lambda part: part.assign(text=1.5),
        "partition 3: column `text` holds numbers, and texts by the DataFrame's dtypes",
    ),
    "dates for categories": (
        lambda part: part.assign(kind=pd.Timestamp("2020-01-01")),
        "partition 3: column `kind` holds dates, and texts by the DataFrame's dtypes",
    ),
    "truth values for numbers": (
        lambda part: part.assign(size=True),
        "partition 3: column `size` holds truth values, and numbers by the DataFrame's dtypes",
    ),
    "one odd cell": (
        with_cell("size", 16, "big"),
        "partition 3: row 17 of `size` is 'big', which is no number",
    ),
    "an infinite cell": (
        lambda part: part.assign(size=part["size"].where(part.index != 16, np.inf)),
        "partition 3: row 17 of `size` is infinite\n"
        "hint: leave the row out, or make the cell missing (NaN)",
    ),
}


@pytest.mark.parametrize("case", TYPES)
@pytest.mark.parametrize("verb", ["fit", "update", "predict"])
def test_other_types_in_a_partition_are_named(case, verb):
    change, sentence = TYPES[case]
    columns = {"size": likely.Gaussian(), "text": likely.Multinomial()}
    model = likely.Classifier({**columns, "kind": likely.Categorical()}).fit(ROWS)
    assert said(model, changed(change), "label", getattr(likely.dask, verb)) == sentence


LABELS = {
    "one null": (
        with_cell("label", 16, None),
        "partition 3: row 17: the label in `label` is empty",
    ),
    "one NaN": (
        with_cell("label", 16, float("nan")),
        "partition 3: row 17: the label in `label` is empty",
    ),
    "nulls alone": (
        lambda part: part.assign(label=None),
        "partition 3: row 1: the label in `label` is empty",
    ),
    "numbers": (
        lambda part: part.assign(label=1),
        "partition 3: column `label` holds numbers, and texts by the DataFrame's dtypes",
    ),
    "no label": (
        lambda part: part.drop(columns="label"),
        "partition 3: column `label` is missing; the table has `text`, `size`, `kind`",
    ),
}


@pytest.mark.parametrize("case", LABELS)
@pytest.mark.parametrize("verb", ["fit", "update", "forget", "tune"])
def test_labels_that_are_not_like_the_others_are_named(case, verb):
    change, sentence = LABELS[case]
    model = likely.Classifier(tune=False).fit(ROWS)
    assert said(model, changed(change), "label", getattr(likely.dask, verb)) == sentence


def test_of_several_bad_partitions_the_first_is_named():
    df = changed(lambda part: part.assign(label=None), place=1)
    more = changed(lambda part: part.assign(label=None), place=4)
    both = frame_of([*df.partitions[:4].compute().pipe(_parts), *_parts(more.compute())])
    assert said(likely.Classifier(), both, "label").startswith("partition 1: row 1: ")


def _parts(rows):
    return [rows[at : at + 50] for at in range(0, len(rows), 50)]


def test_a_column_of_missing_cells_is_like_any_other():
    rows = ROWS.copy()
    rows.loc[150:199, ["size", "kind"]] = None
    df = changed(lambda part: part.assign(size=None, kind=np.nan))
    made = likely.dask.fit(likely.Classifier(), df)
    assert made.to_bytes() == likely.Classifier().fit(rows).to_bytes()


def test_columns_in_another_order_are_the_same():
    df = changed(lambda part: part[["label", "kind", "size", "text"]])
    made = likely.dask.fit(likely.Classifier(), df)
    assert made.to_bytes() == likely.Classifier().fit(ROWS).to_bytes()


def test_a_schema_that_changed_since_fit_is_refused():
    model, df = likely.Classifier().fit(ROWS), partitioned(ROWS, 3)
    wrong = "the table has no column `size`, which the model reads; there are "
    for verb in (likely.dask.update, likely.dask.forget, likely.dask.tune, likely.dask.predict):
        assert said(model, df.drop(columns="size"), verb=verb).startswith(wrong)
    other = df.rename(columns={"label": "place"})
    assert said(model, other, verb=likely.dask.update).startswith("the table has no column `label`")
    texts = frame_of([ROWS.assign(size="big")])
    sentence = "partition 0: row 1 of `size` is 'big', which is no number"
    assert said(model, texts, verb=likely.dask.update) == sentence
    numbers = frame_of([ROWS.assign(label=1)])
    assert said(model, numbers, verb=likely.dask.update).startswith(
        "partition 0: row 1: the label 1 is not a text, as those of the model are"
    )


def test_no_rows_are_refused_or_change_nothing():
    empty = frame_of([ROWS[:0], ROWS[:0]])
    assert said(likely.Classifier(), empty) == (
        "there is nothing to learn from: no rows were given"
    )
    model = likely.Classifier().fit(ROWS)
    before = model.to_bytes()
    likely.dask.update(model, empty)
    assert likely.dask.forget(model, empty).rows == 0
    assert model.to_bytes() == before
    assert likely.dask.predict(model, empty).compute().tolist() == []


def test_other_things_than_dask_dataframes_are_refused():
    sentence = "`df` is a Dask DataFrame, not a {}\nhint: a classifier has methods of the same name"
    for df, what in ((ROWS, "DataFrame of pandas"), ([1], "list of builtins")):
        assert said(likely.Classifier(), df).startswith(sentence.format(what))
    df = partitioned(ROWS, 2)
    assert said(likely.Classifier(), df, df["label"]) == (
        "the table has its labels in a column, which is given by its name"
    )
    assert said(likely.Classifier(), df, "lable").startswith("the table has no column `lable`")
    assert said(likely.Classifier(), df[["label"]]) == "the table has no column beside its labels"
    unnamed = said(likely.Classifier(), df.rename(columns={"label": "place"}))
    assert 'hint: name the label column, for example `fit(table, "place")`' in unnamed


@pytest.mark.parametrize("verb", ["update", "forget", "tune", "predict", "predict_proba"])
def test_a_model_that_has_learned_nothing_says_so(verb):
    sentence = "the model has learned nothing yet"
    with pytest.raises(likely.errors.NotFittedError, match=sentence):
        getattr(likely.dask, verb)(likely.Classifier(), partitioned(ROWS, 2))


def test_without_dask_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    monkeypatch.delitem(sys.modules, "likely.dask")
    with pytest.raises(ImportError, match=r"needs Dask\nhint: `pip install 'likely\[dask\]'`"):
        importlib.import_module("likely.dask")
