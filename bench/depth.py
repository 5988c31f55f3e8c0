"""A queue a million messages deep: memory, time to open, and a get by correlation id against a shallow queue.

Each phase is a process of its own, so that the memory is that of a queue manager and nothing else. As a program this
file is such a phase: `depth.py fill|open FOLDER MESSAGES`, with its findings as JSON on the last line.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from statistics import median
from typing import Any

from machine import memory_mb, reset_peak_memory
from table import Table, human, verdict
from workload import Application, start

from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQPMO

DEEP, SHALLOW = "BENCH.DEEP", "BENCH.SHALLOW"
SHALLOW_MESSAGES = 1000
MEMORY_MB_MAX = 300
OPEN_S_MAX = 10
CORRELATION_RATIO_MAX = 2
_DATA = bytes(range(256)) * 4
_UNIT = 500


def _correlation_id(number: int) -> bytes:
    return b"order %018d" % number


def _fill(application: Application, count: int) -> float:
    """Put persistent 1 KiB messages with correlation ids, in units of work."""
    put, hobj = application.connection.put, application.hobj
    pmo = MQPMO(Options=C.MQPMO_SYNCPOINT)
    started = time.perf_counter()
    for number in range(count):
        md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT, CorrelId=_correlation_id(number))
        put(hobj, md, pmo, _DATA)
        if number % _UNIT == _UNIT - 1:
            application.connection.commit()
    application.connection.commit()
    return time.perf_counter() - started


class _Correlated:
    """Gets by correlation id, in random order, of messages that are there; each is put back by a backout."""

    def __init__(self, application: Application, count: int) -> None:
        self._application = application
        self._numbers = random.Random(1)
        self._count = count

    def get(self) -> float:
        """Seconds for one get."""
        application = self._application
        md = MQMD(Version=2, CorrelId=_correlation_id(self._numbers.randrange(self._count)))
        gmo = MQGMO(Version=2, Options=C.MQGMO_SYNCPOINT, MatchOptions=C.MQMO_MATCH_CORREL_ID)
        started = time.perf_counter()
        application.connection.get(application.hobj, md, gmo)
        return time.perf_counter() - started


def _compare(deep: Application, shallow: Application, messages: int, rounds: int) -> tuple[list[float], list[float]]:
    """Times of gets by correlation id on both queues, in turns."""
    times: tuple[list[float], list[float]] = ([], [])
    gets = _Correlated(deep, messages), _Correlated(shallow, SHALLOW_MESSAGES)
    for _ in range(rounds):
        for getter, application, found in zip(gets, (deep, shallow), times):
            found.append(getter.get())
            application.connection.backout()
    return times


def phase_fill(folder: str, messages: int) -> dict[str, Any]:
    embedded = start(folder, DEEP, SHALLOW)
    empty, _ = memory_mb()
    deep, shallow = Application(embedded, DEEP), Application(embedded, SHALLOW)
    _fill(shallow, SHALLOW_MESSAGES)
    seconds = _fill(deep, messages)
    filled, peak = memory_mb()
    deep.close()
    shallow.close()
    started = time.perf_counter()
    embedded.end()
    return {
        "fill_s": seconds, "empty_mb": empty, "filled_mb": filled, "peak_mb": peak,
        "end_s": time.perf_counter() - started, "end_peak_mb": memory_mb()[1],
    }  # fmt: skip


def phase_open(folder: str, messages: int) -> dict[str, Any]:
    reset_peak_memory()
    started = time.perf_counter()
    embedded = start(folder)
    deep = Application(embedded, DEEP)
    md, gmo = MQMD(Version=2), MQGMO(Options=C.MQGMO_SYNCPOINT)
    deep.connection.get(deep.hobj, md, gmo)
    opened = time.perf_counter() - started
    assert md.CorrelId == _correlation_id(0)
    deep.connection.backout()
    resident, peak = memory_mb()
    shallow = Application(embedded, SHALLOW)
    assert embedded.manager.depth(DEEP) == messages
    first = _Correlated(deep, messages).get()
    deep.connection.backout()
    _Correlated(shallow, SHALLOW_MESSAGES).get()
    shallow.connection.backout()
    deep_times, shallow_times = _compare(deep, shallow, messages, 4000)
    indexed, indexed_peak = memory_mb()
    started = time.perf_counter()
    embedded.end()
    return {
        "open_s": opened, "open_mb": resident, "open_peak_mb": peak, "first_correlated_s": first,
        "deep_us": median(deep_times) * 1e6, "shallow_us": median(shallow_times) * 1e6, "indexed_mb": indexed,
        "indexed_peak_mb": indexed_peak, "end_s": time.perf_counter() - started,
    }  # fmt: skip


def _in_process(phase: str, folder: str, messages: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, phase, folder, str(messages)], stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(folder: str, messages: int) -> None:
    print(f"\nFilling a queue with {human(messages)} messages ...", flush=True)
    filled = _in_process("fill", folder, messages)
    opened = _in_process("open", folder, messages)
    again = _in_process("open", folder, messages)
    table = Table(f"Depth: {human(messages)} persistent 1 KiB messages on one queue")
    table.line("fill, in units of 500", f"{human(messages / filled['fill_s'])}/s", f"{filled['fill_s']:.0f} s in all")
    memory = [
        ("memory before", filled["empty_mb"]),
        ("memory filled", filled["filled_mb"]),
        ("memory, most while filling", filled["peak_mb"]),
        ("memory, most until ended", filled["end_peak_mb"]),
        ("memory opened again", opened["open_mb"]),
        ("memory, most while opening", opened["open_peak_mb"]),
        ("memory, most with gets by correlation id", max(opened["indexed_peak_mb"], again["indexed_peak_mb"])),
    ]
    for name, value in memory:
        table.line(name, f"{value:.0f} MB", f"at most {MEMORY_MB_MAX} MB: {verdict(value < MEMORY_MB_MAX)}")
    table.line("orderly end", f"{filled['end_s']:.2f} s")
    for name, found in (("open until the first get", opened), ("open once more", again)):
        seconds = found["open_s"]
        table.line(name, f"{seconds:.2f} s", f"under {OPEN_S_MAX} s: {verdict(seconds < OPEN_S_MAX)}")
    table.line("first get by correlation id (makes the index)", f"{opened['first_correlated_s']:.2f} s")
    table.line(f"get by correlation id, {human(SHALLOW_MESSAGES)} deep", f"{opened['shallow_us']:.1f} us", "median")
    reached = opened["deep_us"] / opened["shallow_us"]
    table.line(
        f"get by correlation id, {human(messages)} deep", f"{opened['deep_us']:.1f} us",
        f"{reached:.2f} times that; at most {CORRELATION_RATIO_MAX}: {verdict(reached <= CORRELATION_RATIO_MAX)}",
    )  # fmt: skip
    table.show()


if __name__ == "__main__":
    _, _phase, _folder, _messages = sys.argv
    print(json.dumps({"fill": phase_fill, "open": phase_open}[_phase](_folder, int(_messages))))
