"""Restart after a crash: how fast a million log records are replayed.

One process writes the log: units of work of ten puts and of ten gets on one queue, all after the last checkpoint, and
stops as if it had been killed. Another starts the queue manager and takes the time of the replay, and of a bare read of
the same records for comparison. As a program this file is such a process: `replay.py write|restart FOLDER RECORDS`,
with its findings as JSON on the last line.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from typing import Any

from machine import memory_mb, reset_peak_memory
from table import Table, human
from workload import QMGR, QUEUE, Application, define

from libremq.common.clock import SystemClock
from libremq.common.files.file_layer import RealFile, RealFiles
from libremq.host import lifecycle
from libremq.host.embedded import EmbeddedQueueManager
from libremq.kernel.manager import QueueManager
from libremq.log import Log, LogConfig
from libremq.mqi import constants as C

UNIT = 10
_CYCLE_RECORDS = 2 * (UNIT + 1)
_MESSAGE = bytes(range(256))
_CYCLE_LOG_PAGES = -(-UNIT * (len(_MESSAGE) + 500) // 4096) + 1  # a commit alone often leaves the rest of its page free
_KEPT = 10_000  # messages left on the queue, so that the gets are not of the message put last
_FILE_PAGES = 16384
_REPLAYED = re.compile(r"AMQ7229I?: (\d+) log records")


class _UnsyncedFile(RealFile):
    __slots__ = ()

    def sync(self) -> None:
        """Leave it to the system: nothing crashes but this queue manager."""


class _UnsyncedFiles(RealFiles):
    """The log is only material here; waiting for the disk at each commit would be most of the time it takes."""

    __slots__ = ()

    def open(self, path: str, *, create: bool = False) -> RealFile:
        file = super().open(path, create=create)
        file.__class__ = _UnsyncedFile
        return file


class _NeverCheckpointing(QueueManager):
    """A queue manager that lets its log grow: the next start replays all of it."""

    def checkpoint_due(self) -> None:
        pass


def _log_config(records: int) -> LogConfig:
    """A log that holds them all in its 80 %."""
    pages = (records // _CYCLE_RECORDS + _KEPT // UNIT) * _CYCLE_LOG_PAGES
    return LogConfig(file_pages=_FILE_PAGES, primary_files=2 + pages * 5 // 4 // _FILE_PAGES)


def phase_write(folder: str, records: int) -> dict[str, Any]:
    files, clock = _UnsyncedFiles(), SystemClock()
    lifecycle.create(files, f"{folder}/{QMGR}", QMGR, clock, _log_config(records))
    manager = lifecycle.start(files, f"{folder}/{QMGR}", QMGR, clock)
    manager.__class__ = _NeverCheckpointing
    embedded = EmbeddedQueueManager(manager)
    define(embedded, QUEUE)
    log = embedded.manager.core.log
    checkpoint, tail = log.checkpoint, log.tail
    application = Application(embedded, QUEUE)
    kept = min(_KEPT, records // 4)
    started = time.perf_counter()
    application.put_units(kept // UNIT, UNIT, _MESSAGE)
    for _ in range((records - kept // UNIT * (UNIT + 1)) // _CYCLE_RECORDS):
        application.put_units(1, UNIT, _MESSAGE)
        application.get_units(1, UNIT)
    seconds = time.perf_counter() - started
    if log.checkpoint != checkpoint:
        raise SystemExit("a checkpoint was taken meanwhile: there is less to replay than was written")
    written = log.tail - tail
    embedded.manager.abandon()
    return {"seconds": seconds, "bytes": written, "depth": kept // UNIT * UNIT}


def phase_restart(folder: str, depth: int) -> dict[str, Any]:
    place = f"{folder}/{QMGR}"
    read = _read_log(f"{place}/log")
    reset_peak_memory()
    said: list[tuple[float, str]] = []
    started = time.perf_counter()
    embedded = EmbeddedQueueManager.start(
        place, QMGR, say=lambda text: said.append((time.perf_counter() - started, text))
    )
    seconds = time.perf_counter() - started
    peak = memory_mb()[1]
    found = [(when, int(match[1])) for when, text in said if (match := _REPLAYED.match(text))]
    replayed_s, records = found[-1]  # those before are of its progress
    if embedded.manager.depth(QUEUE) != depth:
        raise SystemExit(f"the queue holds {embedded.manager.depth(QUEUE)} messages, not {depth}")
    application = Application(embedded, QUEUE)
    application.gets(UNIT, C.MQGMO_SYNCPOINT)
    application.close()
    embedded.end()
    return {"records": records, "replay_s": replayed_s, "start_s": seconds, "peak_mb": peak, **read}


def _read_log(folder: str) -> dict[str, Any]:
    """Only read the records: open the log, scan it, let it go. The opening is part of it, as of a restart."""
    started = time.perf_counter()
    log = Log.open(RealFiles(), folder, clock=SystemClock())
    count = sum(1 for _ in log.scan(log.checkpoint))
    seconds = time.perf_counter() - started
    log.abandon()
    return {"read_records": count, "read_s": seconds}


def _in_process(phase: str, folder: str, number: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, phase, folder, str(number)], stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(folder: str, records: int) -> None:
    place = f"{folder}/replay"
    written = _in_process("write", place, records)
    found = _in_process("restart", place, written["depth"])
    shutil.rmtree(place)
    replayed, read = found["records"] / found["replay_s"], found["read_records"] / found["read_s"]
    table = Table(
        f"Restart: {human(found['records'])} log records after the last checkpoint, {human(written['bytes'] / 1e6)} MB"
    )
    table.line("written, without waiting for the disk", f"{human(records / written['seconds'])}/s", "records")
    table.line("read and checked only", f"{human(read)}/s", "records")
    table.line(
        "replayed", f"{human(replayed)}/s",
        f"records; {replayed / (records / written['seconds']):.2f} of writing, {replayed / read:.2f} of reading only",
    )  # fmt: skip
    table.line(
        "start in all", f"{found['start_s']:.2f} s", f"{found['start_s'] / found['replay_s']:.2f} times the replay"
    )
    table.line("memory, most while starting", f"{found['peak_mb']:.0f} MB")
    table.show()


if __name__ == "__main__":
    _, _phase, _folder, _number = sys.argv
    print(json.dumps({"write": phase_write, "restart": phase_restart}[_phase](_folder, int(_number))))
