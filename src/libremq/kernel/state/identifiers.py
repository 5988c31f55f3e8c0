"""Message ids, group ids and dynamic queue names that no other queue manager and no other run will make.

A message id is `AMQ ` and the first twelve characters of the queue manager's name, as MQ makes it, then a 64-bit
stamp: the time when this run of the queue manager began, and a counter that the checkpoint carries over a restart.
"""

from __future__ import annotations

import struct

_TAIL = struct.Struct(">II")


class Identifiers:
    """Makes unique ids. `run` must differ in each run of the queue manager."""

    __slots__ = ("_counter", "_prefix", "_run")

    def __init__(self, qmgr_name: str, run: int = 0) -> None:
        self._prefix = b"AMQ " + qmgr_name[:12].encode("latin-1", "replace").ljust(12)
        self._run = run & 0xFFFFFFFF
        self._counter = 0

    def start_run(self, run: int) -> None:
        self._run = run & 0xFFFFFFFF
        self._counter = 0

    @property
    def run(self) -> int:
        return self._run

    def next_id(self) -> bytes:
        """A new message, correlation or group id: 24 bytes."""
        counter = self._counter = self._counter + 1
        if counter > 0xFFFFFFFF:
            self.start_run(self._run + 0x10000)
            counter = self._counter = 1
        return self._prefix + _TAIL.pack(self._run, counter)

    def next_ids(self, count: int) -> list[bytes]:
        """So many, the same that `next_id` would give one after the other."""
        counter = self._counter
        if counter + count > 0xFFFFFFFF:
            return [self.next_id() for _ in range(count)]
        self._counter = counter + count
        prefix, run, pack = self._prefix, self._run, _TAIL.pack
        return [prefix + pack(run, number) for number in range(counter + 1, counter + count + 1)]

    def next_unique(self) -> str:
        """Sixteen hexadecimal digits for the name of a dynamic queue."""
        return self.next_id()[-8:].hex().upper()
