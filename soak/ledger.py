"""The ledger: one append-only file a thread, an intent before each call and the answer after it.

A line is a JSON list: nanoseconds of the machine's monotonic clock, what happened, and to what. Each goes out with
one `os.write` before the thread does anything else. What a process has written stays when the process is killed, so
no line needs a sync; only the very last one may be cut, and then it counts as not written.

    put NUMBER QUEUE PRIORITY PERSISTENT EXPIRY UNIT    is about to put; expiry in seconds, 0 for never
    ok NUMBER, no NUMBER REASON                         the put returned, or was refused: nothing was put
    get QUEUE UNIT NUMBER                               is about to get; the number if it is asked for
    got NUMBER QUEUE UNIT, none QUEUE REASON            the get returned a message, or none
    commit UNIT, committed UNIT                         so for: backout, prepare
    decide UNIT COMMITS, decided UNIT                   the second phase of a prepared one
    alarm TEXT                                          the worker itself saw what must not be

UNIT is "" outside syncpoint.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path


class Ledger:
    """The file of one thread."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)

    def write(self, what: str, *details: object) -> None:
        line = json.dumps([time.monotonic_ns(), what, *details], separators=(",", ":")).encode() + b"\n"
        if os.write(self._descriptor, line) != len(line):
            raise OSError("the ledger could not be written: is the disk full?")

    def close(self) -> None:
        os.close(self._descriptor)


def read(path: Path) -> list[list[object]]:
    """The lines of one file; one that was cut by the kill is left out."""
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    return [json.loads(line) for line in whole.splitlines()]
