"""Models of Dask DataFrames: fit, tune, update, forget and predict wherever Dask computes.

>>> import dask.dataframe as dd, pandas as pd
>>> import likely, likely.dask
>>> rows = pd.DataFrame({"text": ["good fun", "so dull", "fun"], "label": ["pos", "neg", "pos"]})
>>> df = dd.from_pandas(rows, npartitions=2)
>>> model = likely.dask.fit(likely.Classifier(), df)
>>> model.to_bytes() == likely.Classifier().fit(rows).to_bytes()
True
>>> likely.dask.predict(model, df).compute().tolist()
['pos', 'neg', 'pos']

These are functions, not a second class: the model is a `likely.Classifier` before and after, which
explains, saves and serves as any other, and one that was loaded or fitted elsewhere needs no
conversion. They do what its methods of the same names do, and it is byte for byte the model that
one machine fits to the same rows, however they are partitioned. Computing is left to Dask: threads,
processes, or the current `distributed.Client`.

Learning reads the DataFrame a few times, so `df.persist()` pays where it fits into memory. It must
be the same each time. Errors count partitions as `df.partitions[n]` does, from 0, and rows within a
partition from 1.
"""

import pickle
from collections.abc import Mapping, Sequence
from typing import Any, cast

import likely
from likely.classifier import Classifier
from likely.data.labels import label_array
from likely.data.table import Table, named, repeated
from likely.errors import DataError, DataTypeError, LikelyError, ModelError
from likely.model import partitions
from likely.model.fitted import Fitted
from likely.model.learning import Receipt
from likely.model.partitions import Add, Made, Task

try:
    import dask
    import dask.dataframe as dd
    import pandas as pd
    from pandas.api import types
except ImportError as error:
    raise ImportError("`likely.dask` needs Dask\nhint: `pip install 'likely[dask]'`") from error

__all__ = ["fit", "forget", "predict", "predict_proba", "tune", "update"]

# So many tallies are added at once.
_WIDTH = 8


def fit(model: Classifier, df: Any, y: str | None = None, *, ledger: bool = False) -> Classifier:
    """Learn from these rows alone; `y` names the column of the labels.

    Of lists, Dask makes strings: lists of labels need `dask.config.set({"dataframe.convert-string":
    False})` before the DataFrame is made, or stand in cells with a `separator`.

    A ledger of more than 100 million rows is kept only with `ledger=True`. The stacked linear
    model, and thresholds that are to be chosen, need all rows on one machine, and are refused where
    there are too many.
    """
    rows = _Rows(df)

    def fitted() -> Fitted:
        given = model.spec, rows, y
        return partitions.fit(*given, asks_for_ledger=ledger, threads=model.threads)

    return model.becomes(lambda: (fitted(), model))


def tune(model: Classifier, df: Any, y: str | None = None) -> Classifier:
    """Tune the model on the rows that it has learned: weights, biases, thresholds."""
    rows = _Rows(df)
    return model.becomes(lambda: (partitions.retuned(model.fitted, rows, y, model.threads), model))


def update(model: Classifier, df: Any, y: str | None = None) -> Classifier:
    """Learn from more rows, as if they had been there from the start."""
    rows = _Rows(df)
    return model.becomes(lambda: (partitions.updated(model.fitted, rows, y), model))


def forget(model: Classifier, df: Any, y: str | None = None) -> Receipt:
    """Take rows back, as if they had never been there."""
    rows = _Rows(df)
    return model.becomes(lambda: partitions.forgotten(model.fitted, rows, y))


def predict(model: Classifier, df: Any) -> Any:
    """The label of each row, or of a multi-label model a list of labels; a lazy Dask Series."""
    meta = _series(label_array(model.classes), model.fitted)[:0]
    return _predicted(model, df, "predict", meta)


def predict_proba(model: Classifier, df: Any) -> Any:
    """P(c | x), a column for each class; a lazy Dask DataFrame."""
    meta = pd.DataFrame(columns=model.classes, dtype=float)
    return _predicted(model, df, "predict_proba", meta)


class _Rows:
    """A Dask DataFrame as the core sees partitions, whose errors name their partition.

    An error comes back as a value, so that Dask neither logs nor wraps it.
    """

    def __init__(self, df: Any):
        if not isinstance(df, dd.DataFrame):
            home = type(df).__module__.partition(".")[0]
            raise DataTypeError(
                f"`df` is a Dask DataFrame, not a {type(df).__name__} of {home}\n"
                "hint: a classifier has methods of the same name for rows in memory"
            )
        self._df = df
        self.columns = tuple(map(str, df.columns))
        if (twice := repeated(self.columns)) is not None:
            raise DataError.of("repeated-column", column=twice)
        self._places = dict(zip(self.columns, df.columns, strict=True))

    def count(self) -> int:
        return len(self._df)

    def map(self, columns: Sequence[str], task: Task[Made]) -> list[Made]:
        (found,) = dask.compute(self._started(columns, task))
        for one in found:
            _refuse(one)
        return cast(list[Made], found)

    def total(self, columns: Sequence[str], task: Task[bytes], add: Add) -> bytes:
        parts = self._started(columns, task)
        added = dask.delayed(_added_up, pure=False)
        while len(parts) > 1:
            parts = [added(parts[at : at + _WIDTH], add) for at in range(0, len(parts), _WIDTH)]
        (total,) = dask.compute(parts[0])
        _refuse(total)
        return cast(bytes, total)

    def reading(self, columns: Sequence[str]) -> tuple[Any, dict[str, str]]:
        """The DataFrame with these columns, and what each holds as far as it is known."""
        df = self._df
        # A projection that drops nothing would only hide that a partition lacks a column.
        if len(columns) < len(self.columns):
            df = df[[self._places[name] for name in columns]]
        types = dict(zip(self.columns, self._df.dtypes, strict=True))
        return df, {name: _kind(types[name]) for name in columns}

    def _started(self, columns: Sequence[str], task: Any) -> list[Any]:
        df, kinds = self.reading(columns)
        run = dask.delayed(_on_partition, pure=False)
        # As bytes, so that a worker of another version reads it only after a look at that.
        shared = dask.delayed(pickle.dumps(task), pure=False)
        return [
            run(frame, place, kinds, likely.__version__, shared)
            for place, frame in enumerate(df.to_delayed())
        ]


# What runs on the workers


def _on_partition(
    frame: Any, place: int, kinds: Mapping[str, str], version: str, task: bytes
) -> Any:
    """What a task makes of a partition, or the error."""
    try:
        table = _table(frame, kinds, version)
        return pickle.loads(task)(iter([table]))
    except LikelyError as error:
        return error.within(f"partition {place}: ")


def _added_up(parts: Sequence[Any], add: Any) -> Any:
    """Tallies added up, or the first error."""
    failed = (one for one in parts if isinstance(one, LikelyError))
    try:
        return next(failed, None) or add(iter(parts))
    except LikelyError as error:
        return error


def _table(frame: Any, kinds: Mapping[str, str], version: str) -> Table:
    """These columns of a partition, if they are what they are elsewhere."""
    if version != likely.__version__:
        raise ModelError(
            f"its worker has Likely {likely.__version__}, and the client has {version}; "
            "install the same on both"
        )
    table = Table.of(frame)
    for name, kind in kinds.items():
        if name not in table.columns:
            raise DataError.of("missing-column", column=name, known=named(table.names))
        column = table.columns[name]
        found = _kind(column.dtype)
        if found and kind and found != kind and not column.isna().all():
            raise DataError(f"column `{name}` holds {found}, and {kind} by the DataFrame's dtypes")
    columns = {name: table.columns[name] for name in kinds}
    return Table(columns, len(table), named=True)


def _kind(dtype: Any) -> str:
    """What a column of this type holds; nothing is known of objects and categories."""
    if types.is_object_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
        return ""
    if types.is_bool_dtype(dtype):
        return "truth values"
    if types.is_numeric_dtype(dtype):
        return "numbers"
    if types.is_datetime64_any_dtype(dtype):
        return "dates"
    return "texts" if types.is_string_dtype(dtype) else ""


def _refuse(found: Any) -> None:
    if isinstance(found, LikelyError):
        raise found.with_traceback(None) from None


# Predicting


def _predicted(model: Classifier, df: Any, verb: str, meta: Any) -> Any:
    fitted = model.fitted
    fitted.check_fitted()
    rows = _Rows(df)
    partitions.check_columns(fitted, rows.columns)
    read, kinds = rows.reading(fitted.columns)
    # Predictions are those of the model as it is now; a compact copy predicts the same.
    shared = dask.delayed(model.compact(), pure=False)
    return read.map_partitions(
        _prediction, shared, kinds, likely.__version__, verb, meta=meta, enforce_metadata=False
    )


def _prediction(
    frame: Any,
    model: Classifier,
    kinds: Mapping[str, str],
    version: str,
    verb: str,
    partition_info: Mapping[str, int] | None = None,
) -> Any:
    """The predictions for a partition, under the index of its rows."""
    try:
        fitted = model.fitted
        table = _table(frame, kinds, version)
        if verb == "predict_proba":
            found = fitted.proba_and_impossible(table, 1)[0]
            return pd.DataFrame(found, frame.index, fitted.labels)
        labels = fitted.predict(table, 1)
        return _series(labels, fitted, frame.index)
    except LikelyError as error:
        place = 0 if partition_info is None else partition_info["number"]
        raise error.within(f"partition {place}: ") from None


def _series(labels: Any, fitted: Fitted, index: Any = None) -> Any:
    kind = object if fitted.is_multilabel else None
    return pd.Series(labels, index, dtype=kind, name="prediction")
