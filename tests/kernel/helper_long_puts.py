"""Puts of long messages in a kernel, driven by hand: parts of a thousand bytes, of messages of four times that."""

from __future__ import annotations

from collections.abc import Callable

from libremq.kernel.manager import QueueManager
from libremq.kernel.verbs.long_puts import LongPut
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO

PART = 1000
DATA = bytes(range(256)) * 40  # 10 parts, and one of 240 bytes


def with_short_parts(qm: QueueManager) -> None:
    qm.core.long_bytes, qm.core.part_bytes = 4 * PART, PART


class Put:
    """One MQPUT1 in turns."""

    def __init__(
        self, qm: QueueManager, hconn: int, queue: str, data: bytes = DATA, *, syncpoint: bool = False
    ) -> None:
        with_short_parts(qm)
        self._qm, self._hconn, self._queue, self._data = qm, hconn, queue, data
        self.md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
        self.pmo = MQPMO(Options=C.MQPMO_SYNCPOINT if syncpoint else C.MQPMO_NO_SYNCPOINT)
        begun = qm.begin_long_put1(hconn, MQOD(ObjectName=queue), self.md, self.pmo, data)
        assert begun is not None
        self.begun: LongPut = begun

    def log(self, parts: int = 1 << 30) -> None:
        """So many parts more, or all."""
        while parts and not self.begun.is_ready:
            self._qm.go_on_with_put(self.begun)
            parts -= 1

    def finish(self) -> None:
        """What is left of it."""
        self.log()
        try:
            self._qm.put1(self._hconn, MQOD(ObjectName=self._queue), self.md, self.pmo, self._data, long_put=self.begun)
        finally:
            self._qm.end_long_put(self.begun)


def put_long(
    qm: QueueManager,
    hconn: int,
    queue: str,
    data: bytes = DATA,
    *,
    syncpoint: bool = False,
    between: Callable[[], object] = lambda: None,
) -> None:
    """`between` happens when half of the parts are logged."""
    put = Put(qm, hconn, queue, data, syncpoint=syncpoint)
    put.log(len(data) // PART // 2)
    between()
    put.finish()
