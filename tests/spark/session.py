"""Sessions of Spark that talk to this machine alone, with tiny stages."""

import os
import sys
from pathlib import Path
from unittest import mock

import likely
from tests.conftest import ROOT

CONFIG = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.artifact.isolation.enabled": "false",
    "spark.log.level": "OFF",
}


def environment() -> dict[str, str]:
    """What the processes of Spark are told: Python as it is here, and the package under test."""
    package = str(Path(likely.__file__).parent.parent)
    return {
        "PYTHONPATH": os.pathsep.join([package, str(ROOT)]),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONWARNINGS": "ignore",
        # A JVM lives for seconds here; it is not worth compiling well.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto",
    }


def local():
    """A session in this process, whose tasks may fail three times."""
    from pyspark.sql import SparkSession

    with mock.patch.dict(os.environ, environment()):
        return SparkSession.builder.master("local[2,4]").config(map=CONFIG).getOrCreate()
