"""No code here changes what the whole process shares: limits, locale, environment, filters."""

import ast

from tests.conftest import ROOT

# What changes a process, and not just the thing it is called on.
FORBIDDEN = {
    "csv.field_size_limit",
    "locale.setlocale",
    "np.random.seed",
    "np.seterr",
    "np.set_printoptions",
    "os.chdir",
    "os.putenv",
    "os.umask",
    "os.unsetenv",
    "pd.set_option",
    "random.seed",
    "sklearn.set_config",
    "sys.set_int_max_str_digits",
    "sys.setrecursionlimit",
    "tempfile.tempdir",
    "time.tzset",
}
FILTERS = {"warnings.filterwarnings", "warnings.simplefilter", "warnings.resetwarnings"}
# The command prepares the streams of a process that is its own.
OWN = {"src/likely/streams.py": {"sys.stderr", "sys.stdout"}}
FOLDERS = ("src", "tests", "benchmarks", "docs", "examples")


def changes(tree):
    """The calls that change the process, and assignments to its environment."""
    kept = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.With) and any(
            "catch_warnings" in ast.unparse(i) for i in node.items
        ):
            kept.update(id(inner) for inner in ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in FORBIDDEN or (name in FILTERS and id(node) not in kept):
                yield node.lineno, name
            if name.startswith("os.environ.") and name.split(".")[2] not in ("get", "copy"):
                yield node.lineno, name
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            targets = node.targets if hasattr(node, "targets") else [node.target]
            for target in map(ast.unparse, targets):
                if target.startswith(("os.environ", "sys.std", "sys.path", "sys.argv")):
                    yield node.lineno, target


def test_what_changes_a_process_is_found():
    code = "import os\nos.environ['A'] = '1'\nos.chdir('x')\nwarnings.simplefilter('error')\n"
    assert [name for _, name in changes(ast.parse(code))] == [
        "os.environ['A']",
        "os.chdir",
        "warnings.simplefilter",
    ]


def test_no_file_changes_the_process():
    found = {}
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        changed = changes(ast.parse(path.read_text(encoding="utf-8")))
        found[name] = [(line, what) for line, what in changed if what not in OWN.get(name, ())]
    assert {name: changed for name, changed in found.items() if changed} == {}
