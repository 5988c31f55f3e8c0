"""The one Spark session of a test process: whichever test needs Spark first makes it, the way users get theirs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
"""What compiles little and collects in one thread: good for a life of a minute."""

SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "2g",
    # Test data is small: what Spark saves by compiling big plans is less than the compiling takes.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # The same holds for Java itself.
    "spark.driver.extraJavaOptions": _QUICK_JAVA,
}


@cache
def session() -> SparkSession:
    """The session of this test process. It ends with it."""
    pytest.importorskip("pyspark")
    from libremq.pipeline.spark_session import make_session

    return make_session("local[2]", settings=SETTINGS)


def quick_spark(folder: Path) -> dict[str, str]:
    """The environment in which a program that makes its own session has one like ours."""
    pytest.importorskip("pyspark")
    from libremq.pipeline.spark_session import find_java

    java = folder / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f'#!/bin/sh\nexec "{find_java()}" {_QUICK_JAVA} "$@"\n', encoding="utf-8")
    java.chmod(0o755)
    own = [f"{key} {value}\n" for key, value in SETTINGS.items() if key.startswith("spark.sql.codegen")]
    (folder / "spark-defaults.conf").write_text("".join(own), encoding="utf-8")
    return {"JAVA_HOME": str(folder), "SPARK_CONF_DIR": str(folder)}
