"""A model on Spark learns, forgets and is tuned as on one machine."""

import pytest

from likely import Classifier, Multinomial
from likely.errors import DataError, NotLearnedError
from tests.spark.tables import CASES, digest, framed, mixed, several


def part(rows, places):
    return {name: cells[places] for name, cells in rows.items()}


EARLY, LATE = slice(0, 160), slice(160, None)


@pytest.mark.parametrize("name", ["mixed", "multi-label"])
def test_a_model_learns_forgets_and_is_tuned(spark, name):
    from likely.spark import LikelyModel

    rows = CASES[name].rows()
    local = Classifier().fit(part(rows, EARLY), "label")
    model = LikelyModel.fromLocal(local)
    start = digest(local)

    late = framed(spark, part(rows, LATE), 3)
    assert model.update(late) is model
    assert model.isStale
    assert digest(local) == start
    local.update(part(rows, LATE), "label")
    assert digest(model.toLocal()) == digest(local)

    model.tune(framed(spark, rows, 4))
    assert not model.isStale
    local.tune(rows, "label")
    assert digest(model.toLocal()) == digest(local)

    receipt = model.forget(late)
    assert receipt == local.forget(part(rows, LATE), "label")
    assert (receipt.rows, receipt.rows_left) == (80, 160)
    assert digest(model.toLocal()) == digest(local)


def test_no_rows_change_nothing(spark):
    from likely.spark import LikelyModel

    model = LikelyModel.fromLocal(CASES["plain"].local())
    before, none = model.digest, framed(spark, CASES["plain"].rows(), 2).limit(0)
    assert model.update(none).digest == before
    assert model.forget(none).rows == 0
    assert model.digest == before


def test_a_copy_learns_by_itself(spark):
    from likely.spark import LikelyModel

    model = LikelyModel.fromLocal(CASES["plain"].local())
    copy = model.copy()
    copy.update(framed(spark, CASES["plain"].rows(), 1))
    assert (model.toLocal().tally.n_rows, copy.toLocal().tally.n_rows) == (240, 480)


def test_rows_that_were_never_learned_are_named(spark):
    from likely.spark import LikelyModel

    known = [("a quay, unheard of", "sea")] * 2
    local = (
        CASES["plain"].local().update([text for text, _ in known], [label for _, label in known])
    )
    model = LikelyModel.fromLocal(local)
    before = model.digest
    rows = [*known, ("never seen", "sea")]
    frame = spark.createDataFrame(rows, "text string, label string").coalesce(1)
    with pytest.raises(NotLearnedError, match=r"^partition 0: row 3 was never learned"):
        model.forget(frame)
    thrice = spark.createDataFrame([*known, known[0]], "text string, label string")
    with pytest.raises(NotLearnedError, match="never learned"):
        model.forget(thrice)
    assert model.digest == before


def test_a_secret_ledger_names_them_too(spark):
    from likely.spark import LikelyClassifier

    frame = framed(spark, CASES["plain"].rows(), 3)
    model = LikelyClassifier(likelihood=Multinomial(), ledger=b"secret").fit(frame)
    assert digest(model.toLocal()) == digest(
        Classifier(Multinomial(), ledger=b"secret").fit(CASES["plain"].rows(), "label")
    )
    other = spark.createDataFrame([("never seen", "sea")], "text string, label string")
    with pytest.raises(NotLearnedError, match=r"^partition \d: row 1 was never learned"):
        model.forget(other)
    assert model.forget(frame.filter("label = 'sea'")).classes_gone == ("sea",)


def test_tuning_takes_all_rows(spark):
    from likely.spark import LikelyModel

    rows = mixed()
    model = LikelyModel.fromLocal(CASES["mixed"].local())
    with pytest.raises(DataError, match="the model has learned 240 rows, and 160 were given"):
        model.tune(framed(spark, part(rows, EARLY), 2))


def test_no_labels_at_all_are_some_labels_too(spark):
    from likely.spark import LikelyModel

    model = LikelyModel.fromLocal(CASES["multi-label"].local())
    rows = part(several(), slice(0, 3)) | {"label": [None, [], ["sea"]]}
    assert model.update(framed(spark, rows, 1)).toLocal().tally.n_rows == 243
