"""One session of Spark for all tests of a process; they are skipped where there can be none."""

import importlib.util
import shutil
from pathlib import Path

import pytest

if importlib.util.find_spec("pyspark") is None:
    WHY_NOT = "PySpark is not installed"
elif shutil.which("java") is None:
    WHY_NOT = "Spark needs Java, and there is none"
else:
    WHY_NOT = ""

_FOREIGN = (
    # PySpark warns of every pandas from version 3 on.
    "ignore:PySpark does not yet fully support pandas:FutureWarning",
    # Its validators leave the closing of their threads to Python.
    "ignore:unclosed running multiprocessing pool:ResourceWarning",
    "ignore:Exception ignored in. <function Pool.__del__:pytest.PytestUnraisableExceptionWarning",
)


def pytest_collection_modifyitems(items):
    here = [item for item in items if item.path.parent == Path(__file__).parent]
    for item in here:
        for foreign in _FOREIGN:
            item.add_marker(pytest.mark.filterwarnings(foreign))
        if WHY_NOT:
            item.add_marker(pytest.mark.skip(reason=WHY_NOT))


@pytest.fixture(scope="session")
def spark():
    from tests.spark.session import local

    session = local()
    yield session
    session.stop()
