"""What begins with an underscore is used where it is defined, and nowhere else."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src/likely"

# What named tuples call so, and what modules do, `os._exit` among them.
PUBLIC = ("_replace", "_asdict", "_fields", "_make", "_kernel", "_exit")


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def owned(scope):
    """The names that a class gives itself."""
    for node in ast.walk(scope):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
            yield ast.unparse(node).removeprefix("self.")


def trespasses(node, own=frozenset(), selves=("self", "cls", "super()")):
    """Lines and names of private attributes of others, and of private names from other modules."""
    if isinstance(node, ast.ClassDef):
        own, selves = {*own, *owned(node)}, (*selves, *map(ast.unparse, node.bases))
    elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
        yield from () if ast.unparse(node.value) in selves else [(node.lineno, ast.unparse(node))]
    elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("likely"):
        yield from ((node.lineno, one.name) for one in node.names if is_private(one.name))
    for child in ast.iter_child_nodes(node):
        yield from trespasses(child, own, selves)


def test_what_is_private_to_others_is_found():
    code = """
from likely.a import _b, _kernel
class One(Base):
    def _own(self, other):
        return other._own, self._all, super()._all, Base._all, other._theirs, pair._replace()
one._own
"""
    found = [name for _, name in trespasses(ast.parse(code))]
    assert found == ["_b", "other._theirs", "one._own"]


def test_nobody_reads_what_is_private_to_others():
    found = {}
    for path in SOURCE.rglob("*.py"):
        read = list(trespasses(ast.parse(path.read_text(encoding="utf-8"))))
        found[path.relative_to(SOURCE).as_posix()] = read
    assert {name: read for name, read in found.items() if read} == {}
