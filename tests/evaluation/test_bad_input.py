"""What cannot be evaluated is refused, with a sentence that says what and where."""

import re

import numpy as np
import pytest

import likely
from likely.errors import DataError, DataTypeError, OptionError

Y, SAID = ["a", "b", "a"], ["a", "b", "b"]
GOOD = [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((Y, ["a"]), {}, DataError, "there are 3 true labels, but the predictions have 1 rows"),
        (([], []), {}, DataError, "there is nothing to evaluate: no rows were given"),
        (([[]], [[]]), {}, DataError, "there is nothing to evaluate: no row has a label"),
        ((Y, [0, 1, 0]), {}, DataTypeError, "labels are of one kind, but 'b' is text and 1 is int"),
        ((["a", 1, "b"], SAID), {}, DataTypeError, "the true labels: labels are of one kind"),
        ((Y, ["a", None, "b"]), {}, DataError, "the predictions: label 2 is missing (None)"),
        ((Y, [1.0, float("nan"), 2.0]), {}, DataError, "the predictions: label 2 is missing (nan)"),
        (("aba", SAID), {}, DataTypeError, "the true labels: labels are a list"),
        ((3, SAID), {}, DataTypeError, "the true labels: labels are a list"),
        (([["a"], ["b"], []], SAID), {}, DataTypeError, "the true labels are multi-label, but"),
        (([["a"], "b", []], [[], [], []]), {}, DataTypeError, "row 2 is 'b', not a list of labels"),
        ((np.eye(3), np.eye(4)[:3]), {}, DataError, "the matrices have 3 columns and 4"),
        (
            ([["a"], ["b", None]], [[], []]),
            {},
            DataError,
            "the true labels: row 2: label 2 is miss",
        ),
        (([["a"], [1]], [[], []]), {}, DataTypeError, "the true labels: labels are of one kind"),
        (({"a"}, ["a"]), {}, DataTypeError, "the true labels: labels are a list"),
        ((np.eye(3), 2 * np.eye(3)), {}, DataError, "row 1 has 2.0 where a matrix of labels has 0"),
        ((np.eye(3), np.eye(3)), {"classes": "ab"}, OptionError, "`classes` is a list of labels"),
        ((np.eye(3), np.eye(3)), {"classes": ["a"]}, DataError, "the matrix has 3 columns, but"),
        ((Y, SAID), {"classes": ["a", "c"]}, DataError, "the true labels: `b` is not among the cl"),
        ((Y, SAID), {"classes": ["a", "a"]}, OptionError, "`classes` has `a` twice"),
        ((Y, SAID), {"classes": []}, OptionError, "`classes` is empty"),
        ((Y, SAID), {"classes": [0, 1]}, DataTypeError, "labels are of one kind"),
        ((Y, SAID, GOOD[:2]), {}, DataError, "there are 3 rows but 2 of probabilities"),
        ((Y, SAID, [0.5, 0.1, 0.2]), {}, DataError, "a column per class, not the shape (3,)"),
        ((Y, SAID, np.ones((3, 3)) / 3), {}, DataError, "have 3 columns, but there are 2 classes"),
        ((Y, SAID, [[0.5, 0.6]] * 3), {}, DataError, "row 1 of the probabilities sums to 1.1"),
        ((Y, SAID, [*GOOD[:2], [1.5, -0.5]]), {}, DataError, "row 3 of the probabilities has 1.5"),
        ((Y, SAID, [*GOOD[:2], [1, np.nan]]), {}, DataError, "row 3 of the probabilities has NaN"),
        ((Y, SAID, [["x", "y"]] * 3), {}, DataTypeError, "the probabilities are no matrix of num"),
        ((np.eye(2), np.eye(2), [[1, 2, 3]] * 2), {}, DataError, "the scores have 3 columns"),
        ((Y, SAID), {"weights": [1, 2]}, DataError, "there are 3 rows, but the weights have the"),
        ((Y, SAID), {"weights": [1, -2, 1]}, DataError, "weight 1 is -2; weights are numbers from"),
        ((Y, SAID), {"weights": [1, np.nan, 1]}, DataError, "weight 1 is nan"),
        ((Y, SAID), {"weights": [0, 0, 0]}, DataError, "every weight is 0"),
        ((Y, SAID), {"weights": "many"}, DataTypeError, "the weights are no list of numbers"),
        ((Y, SAID), {"beta": -1}, OptionError, "`beta` is a number from 0 up, not -1"),
        ((Y, SAID), {"beta": float("nan")}, OptionError, "`beta` is a number from 0 up, not nan"),
        ((Y, SAID), {"beta": "2"}, OptionError, "`beta` is a number from 0 up, not '2'"),
        ((Y, SAID), {"level": 95}, OptionError, "`level` lies between 0 and 1, 95 does not"),
        ((Y, SAID), {"resamples": 0}, OptionError, "`resamples` is a whole number from 1 up"),
        ((Y, SAID), {"seed": -1}, OptionError, "`seed` is a whole number from 0 up, not -1"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_evaluate_says_what_is_wrong(arguments, options, error, message):
    with pytest.raises(error, match=re.escape(message)):
        likely.evaluate(*arguments, **options)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((Y, SAID, ["a"]), {}, DataError, "the predictions of B have 1 rows"),
        ((Y, SAID, Y), {"test": "t"}, OptionError, "`test` is one of mcnemar, randomisation, boot"),
        ((Y, SAID, Y), {"metric": "auc"}, OptionError, "`metric` is one of accuracy, balanced_ac"),
        ((Y, SAID, Y), {"names": ["one"]}, OptionError, "a name of its own for each of 2 systems"),
        ((Y, SAID, Y), {"names": ["x", "x"]}, OptionError, "a name of its own for each of 2"),
        ((Y, SAID, Y), {"names": "xy"}, OptionError, "a name of its own for each of 2"),
        (
            (Y, SAID, Y),
            {"metric": "macro_f1", "test": "mcnemar"},
            OptionError,
            "McNemar's test is of accuracy, not of macro_f1",
        ),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_compare_says_what_is_wrong(arguments, options, error, message):
    with pytest.raises(error, match=re.escape(message)):
        likely.compare(*arguments, **options)
