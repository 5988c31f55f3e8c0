"""Processes under the pipeline's benchmark: what a tree of them takes, and a Spark cluster on loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_LOOPBACK = "127.0.0.1"


def _processes() -> dict[int, tuple[int, float, int]]:
    """Parent, processor seconds (with those of children that ended) and resident bytes of all processes."""
    found: dict[int, tuple[int, float, int]] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        seconds = sum(map(int, fields[11:15])) / _TICKS
        found[int(entry)] = int(fields[1]), seconds, int(fields[21]) * _PAGE_BYTES
    return found


def tree(roots: list[int]) -> tuple[float, int]:
    """Processor seconds and resident bytes of processes and all below them. What they share counts for each."""
    every = _processes()
    inside = set(roots)
    grown = True
    while grown:
        more = {pid for pid, (parent, _, _) in every.items() if parent in inside} - inside
        inside |= more
        grown = bool(more)
    mine = [every[pid] for pid in inside if pid in every]
    return sum(seconds for _, seconds, _ in mine), sum(resident for _, _, resident in mine)


class Watch:
    """Samples trees of processes from a thread: the most memory they had together, and their processor seconds."""

    def __init__(self, roots: list[int], interval: float = 0.1) -> None:
        self.peak_bytes = 0
        self.cpu_seconds = 0.0
        self._roots = roots
        self._interval = interval
        self._before, _ = tree(roots)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def _sample(self) -> None:
        while not self._over.wait(self._interval):
            seconds, resident = tree(self._roots)
            self.peak_bytes = max(self.peak_bytes, resident)
            self.cpu_seconds = max(self.cpu_seconds, seconds - self._before)

    def stop(self) -> None:
        self._over.set()
        self._thread.join()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        return int(probe.getsockname()[1])


@contextmanager
def cluster(folder: str, workers: int, cores_each: int = 1) -> Iterator[tuple[str, list[int]]]:
    """A master and workers of Spark on loopback: the address of the master, and their process ids."""
    import pyspark

    from libremq.pipeline.spark_session import find_java, java_home_for

    home = Path(folder, "cluster")
    home.mkdir()
    environment = {
        **os.environ,
        "JAVA_HOME": str(java_home_for(find_java(), home)),
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_LOCAL_IP": _LOOPBACK,
        "PYSPARK_PYTHON": sys.executable,
    }
    program = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    port, status_port = _free_port(), _free_port()
    address = f"spark://{_LOOPBACK}:{port}"
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *arguments: str) -> None:
        with open(home / f"{name}.log", "wb") as log:
            command = [program, *arguments]
            started.append(
                subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=home, start_new_session=True)
            )

    at = ("--host", _LOOPBACK)
    try:
        status = ("--port", str(port), "--webui-port", str(status_port))
        start("master", "org.apache.spark.deploy.master.Master", *at, *status)
        _wait_for(home, status_port, 0)
        for number in range(workers):
            size = ("--cores", str(cores_each), "--memory", "2g", "--webui-port", "0")
            work = ("--work-dir", str(home / f"work-{number}"))
            start(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", *at, *size, *work, address)
        _wait_for(home, status_port, workers)
        yield address, [process.pid for process in started]
    finally:
        for process in reversed(started):
            end(process)


def _wait_for(home: Path, status_port: int, workers: int, seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"http://{_LOOPBACK}:{status_port}/json/", timeout=5) as answer:
                if json.load(answer)["aliveworkers"] >= workers:
                    return
        except (urllib.error.URLError, OSError, ValueError, KeyError):
            pass
        time.sleep(0.3)
    logs = "\n".join(path.read_text(errors="replace")[-1500:] for path in sorted(home.glob("*.log")))
    raise SystemExit(f"the cluster did not come up within {seconds:.0f} s\n{logs}")


def end(process: subprocess.Popen[Any]) -> None:
    """End a process, if it is still there, and all it started: they are a session of their own."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
        except ProcessLookupError:
            break
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            continue
    process.wait()
