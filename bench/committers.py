"""Shared forces: how many commits a second 1, 10 and 50 applications get out of a device that forces one at a time.

Each committer puts one persistent message in a unit of work and commits, again and again, in a thread of its own. The
device's force rate (write 4 KiB, fdatasync) is measured in turns with them, in the same folder.
"""

from __future__ import annotations

import threading
import time
from statistics import median
from typing import NamedTuple

from machine import RawDevice
from table import Table, human
from workload import QUEUE, Application, start

from libremq.host.embedded import EmbeddedQueueManager
from libremq.mqi import constants as C

COMMITTERS = (1, 10, 50)
_MESSAGE = bytes(range(256)) * 4
_DRAIN_UNIT = 200


class _Committer:
    """Commits one put after the other, from when all are ready until the end of the round."""

    def __init__(self, application: Application, ready: threading.Barrier, seconds: float) -> None:
        self.commits = 0
        self._application = application
        self._ready = ready
        self._seconds = seconds
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        self._ready.wait()
        end = time.perf_counter() + self._seconds
        while time.perf_counter() < end:
            self._application.put_units(1, 1, _MESSAGE)
            self.commits += 1


class _Turn(NamedTuple):
    """Commits of all committers together, the seconds they took, the writes of the log for them."""

    commits: int
    seconds: float
    writes: int


def _turn(embedded: EmbeddedQueueManager, applications: list[Application], seconds: float) -> _Turn:
    log = embedded.manager.core.log
    ready = threading.Barrier(len(applications) + 1)
    before = log.statistics().logical_writes
    committers = [_Committer(application, ready, seconds) for application in applications]
    ready.wait()
    started = time.perf_counter()
    for committer in committers:
        committer.thread.join()
    taken = time.perf_counter() - started
    commits = sum(committer.commits for committer in committers)
    return _Turn(commits, taken, log.statistics().logical_writes - before)


def _device(raw: RawDevice, seconds: float) -> float:
    """Forces a second, over about so long."""
    count = 0
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        raw.run(5)
        count += 5
    return count / (time.perf_counter() - started)


def run(folder: str, rounds: int, seconds: float) -> None:
    raw = RawDevice(folder, 4096)
    embedded = start(folder, QUEUE)
    applications = [Application(embedded, QUEUE) for _ in range(max(COMMITTERS))]
    device: list[float] = []
    rates: dict[int, list[float]] = {many: [] for many in COMMITTERS}
    ratios: dict[int, list[float]] = {many: [] for many in COMMITTERS}
    shared: dict[int, list[float]] = {many: [] for many in COMMITTERS}
    for number in range(rounds + 1):  # the first one only warms up
        for many in COMMITTERS:
            before = _device(raw, seconds / 4)
            turn = _turn(embedded, applications[:many], seconds)
            # The device changes its pace from second to second: a ratio is of what was measured around it
            forced = (before + _device(raw, seconds / 4)) / 2
            _drain(applications[0], turn.commits)
            if number:
                device.append(forced)
                rates[many].append(turn.commits / turn.seconds)
                ratios[many].append(turn.commits / turn.seconds / forced)
                shared[many].append(turn.commits / turn.writes)
    for one in applications:
        one.close()
    embedded.end()
    raw.close()
    table = Table("Shared forces: put of 1 KiB and commit, from several threads", "commits/s")
    table.rates("device: write 4 KiB and fdatasync", device)
    for many in COMMITTERS:
        table.rates(
            f"{many} committer{'s' if many > 1 else ''}", rates[many],
            f"{median(ratios[many]):.2f} times the device; {human(median(shared[many]))} commits a log write",
        )  # fmt: skip
    table.show()


def _drain(application: Application, count: int) -> None:
    for done in range(0, count, _DRAIN_UNIT):
        application.gets(min(_DRAIN_UNIT, count - done), C.MQGMO_SYNCPOINT)
        application.connection.commit()
