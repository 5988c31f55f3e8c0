"""The one Spark session of a test process: whichever test needs Spark first makes it, the way users get theirs."""

from __future__ import annotations

from functools import cache
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
