"""scikit-learn's own checks of each estimator: `SCIPY_ARRAY_API=1 python tests/sklearn/checks.py`.

The variable has to be set before SciPy is imported, so the checks have a process of their own.
"""

import json
import sys
from functools import partial
from typing import Any

from sklearn.utils import estimator_checks as checks

import likely
import likely.sklearn as ours

ESTIMATORS = [getattr(ours, name)() for name in ours.__all__ if name != "TextVectorizer"]
OTHERS = [
    ours.BernoulliNB(alpha=0, binarize=None),
    ours.ComplementNB(norm=True),
    ours.LikelyClassifier(likely.Gaussian("full")),
    ours.LikelyClassifier(likely.Gaussian("shared"), ledger=False),
    ours.LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
    ours.MultinomialNB(alpha=0, fit_prior=False),
    ours.QuadraticDiscriminantAnalysis(reg_param=0.1),
]

# What `check_estimator` leaves to scikit-learn's own test suite.
MORE = [
    checks.check_dataframe_column_names_consistency,
    checks.check_inplace_ensure_writeable,
    checks.check_estimator_cloneable,
]
OF_TRANSFORMERS = [
    checks.check_get_feature_names_out_error,
    checks.check_transformer_get_feature_names_out,
    checks.check_transformer_get_feature_names_out_pandas,
    checks.check_set_output_transform,
    checks.check_set_output_transform_pandas,
    checks.check_set_output_transform_polars,
    checks.check_global_output_transform_pandas,
    checks.check_global_set_output_transform_polars,
]


def results(estimator: Any) -> list[dict[str, str]]:
    found = [
        {
            "check": result["check_name"],
            "status": result["status"],
            "why": str(result["exception"] or ""),
        }
        for result in checks.check_estimator(estimator, on_fail=None, on_skip=None)
    ]
    more = MORE + (OF_TRANSFORMERS if hasattr(estimator, "transform") else [])
    name = type(estimator).__name__
    return found + [_result(partial(check, name), estimator) for check in more]


def _result(check: partial[None], estimator: Any) -> dict[str, str]:
    status, why = "passed", ""
    try:
        check(estimator)
    except checks.SkipTest as skipped:
        status, why = "skipped", str(skipped)
    except Exception as error:
        status, why = "failed", repr(error)
    return {"check": check.func.__name__, "status": status, "why": why}


def main() -> None:
    every = {repr(estimator): results(estimator) for estimator in ESTIMATORS + OTHERS}
    for name, found in every.items():
        count = {s: sum(r["status"] == s for r in found) for s in ("passed", "skipped", "failed")}
        print(f"{name}: {len(found)} ran, {count}", file=sys.stderr)
    print(json.dumps(every))


if __name__ == "__main__":
    main()
