"""The package as a whole: its names, its imports, its promises in the README."""

import json
import subprocess
import sys
import tomllib

import pytest

import likely

NAMES = [
    "Bernoulli",
    "BinaryMultinomial",
    "Binned",
    "Categorical",
    "Classifier",
    "Comparison",
    "Complement",
    "CrossValidation",
    "Dates",
    "Evaluation",
    "Explanation",
    "Gaussian",
    "JointTable",
    "LeaveOneOutPredictions",
    "Lexicon",
    "Mixture",
    "Multinomial",
    "Negation",
    "NumberViews",
    "Plan",
    "Polarity",
    "Receipt",
    "Rule",
    "RuleFeatures",
    "Rules",
    "ShortText",
    "Tally",
    "Text",
    "TextViews",
    "Vectors",
    "__version__",
    "compare",
    "cross_validate",
    "evaluate",
    "load",
    "near_duplicates",
    "open_table",
    "select_rows",
]


def test_the_public_names_are_these():
    assert sorted(likely.__all__) == NAMES
    for name in NAMES:
        assert getattr(likely, name) is not None


def test_one_version_everywhere(root):
    for file, table in (("pyproject.toml", "project"), ("kernel/Cargo.toml", "package")):
        found = tomllib.loads((root / file).read_text(encoding="utf-8"))
        assert found[table]["version"] == likely.__version__


def test_importing_brings_nothing_heavy():
    program = (
        "import json, sys, likely; likely.Classifier(); print(json.dumps(sorted(sys.modules)))"
    )
    modules = json.loads(subprocess.check_output([sys.executable, "-c", program]))
    heavy = {
        "dask",
        "pandas",
        "pyarrow",
        "sklearn",
        "scipy",
        "polars",
        "click",
        "starlette",
        "matplotlib",
    }
    assert not heavy & set(modules)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="Nothing"):
        _ = likely.Nothing


def test_ci_runs_the_command_of_the_readme(root):
    script = (root / ".ci" / "run").read_text()
    command = next(line for line in script.splitlines() if "just test" in line)
    assert command in (root / "README.md").read_text()
