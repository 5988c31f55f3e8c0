"""What a checkpoint does to those who put meanwhile: the latency of put and commit with checkpoints and without.

A queue holds 100 000 persistent messages and changes at both ends: each round times puts of one message in a unit of
work, with its commit, and gets the oldest message after each, untimed. Rounds without a checkpoint and rounds in which
another thread takes one after the other are in turns. A third kind of round is a large checkpoint: 40 000 changes
(at 50 000 one would come of itself) gather first, and the puts from its beginning to its end are timed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from statistics import median

from table import Table, human
from workload import QUEUE, Application, start

from libremq.host.embedded_access import EmbeddedAccess
from libremq.log import LogConfig

_MESSAGE = bytes(range(256)) * 4
_FILL_UNIT = 500
_LOG = LogConfig(file_pages=16384)  # so large that no checkpoint is due for lack of space
_PERCENTILES = (("median", 0.5), ("p99", 0.99), ("longest", 1.0))


class _Checkpointer:
    """Takes checkpoints in a thread of its own, until told to stop."""

    def __init__(self, access: EmbeddedAccess, *, once: bool = False) -> None:
        self._access = access
        self._once = once
        self._stop = threading.Event()
        self.seconds: list[float] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            started = time.perf_counter()
            self._access.checkpoint()
            self.seconds.append(time.perf_counter() - started)
            if self._once:
                return

    def running(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


def _latencies(application: Application, go_on: Callable[[], bool]) -> list[float]:
    """Seconds of each put with its commit, in turns with gets that keep the depth as it is."""
    found: list[float] = []
    while go_on():
        found.append(application.put_units(1, 1, _MESSAGE))
        application.get_units(1, 1)
    return found


def _for(seconds: float) -> Callable[[], bool]:
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() < end


def _percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def run(folder: str, messages: int, changes: int, rounds: int, seconds: float) -> None:
    place = f"{folder}/checkpoints"
    embedded = start(place, QUEUE, log_config=_LOG)
    access = EmbeddedAccess(embedded, place)
    application = Application(embedded, QUEUE)
    application.put_units(messages // _FILL_UNIT, _FILL_UNIT, _MESSAGE)
    access.checkpoint()
    quiet: list[float] = []
    busy: list[float] = []
    large: list[float] = []
    taken: list[float] = []
    taken_large: list[float] = []
    for _ in range(rounds):
        quiet += _latencies(application, _for(seconds))
        checkpointer = _Checkpointer(access)
        busy += _latencies(application, _for(seconds))
        checkpointer.stop()
        taken += checkpointer.seconds
        application.put_units(changes // 2 // _FILL_UNIT, _FILL_UNIT, _MESSAGE)
        application.get_units(changes // 2 // _FILL_UNIT, _FILL_UNIT)
        checkpointer = _Checkpointer(access, once=True)
        large += _latencies(application, checkpointer.running)
        checkpointer.stop()
        taken_large += checkpointer.seconds
    application.close()
    access.close()
    table = Table(f"Checkpoints: put of 1 KiB and commit on a queue of {human(messages)} messages", "us")
    table.line("checkpoints taken one after the other", human(len(taken)), f"{median(taken) * 1e3:.1f} ms each")
    table.line(
        f"checkpoints after {human(changes)} changes",
        human(len(taken_large)),
        f"{median(taken_large) * 1e3:.1f} ms each",
    )
    for name, share in _PERCENTILES:
        basis = _percentile(quiet, share)
        table.line(f"{name}, no checkpoint", human(basis * 1e6), f"of {human(len(quiet))} puts")
        for what, times in (("one after the other", busy), ("a large one", large)):
            found = _percentile(times, share)
            remark = f"of {human(len(times))} puts; {found / basis:.2f} times that without"
            table.line(f"{name}, {what}", human(found * 1e6), remark)
    table.show()
