"""How far a long replay has come: records, share of the log, time left. A short one says nothing on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from libremq.common.messages.amq_messages import amq

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core

_LOOK_RECORDS = 4096
_QUIET_S = 2.0
"""Seconds before the first message, and between two."""


class Progress:
    """Counts the records of a replay and speaks up from time to time."""

    def __init__(self, say: Callable[[str], None], core: Core, start: int) -> None:
        self._say = say
        self._core = core
        self._start = start
        self._began = self._spoke = core.clock.monotonic()
        self.records = 0
        self._next_look = _LOOK_RECORDS

    def next(self, count: int, lsn: int) -> None:
        """So many more records, the last of them at `lsn`, are done."""
        self.records += count
        if self.records >= self._next_look:
            self._next_look = self.records + _LOOK_RECORDS
            self._look(lsn)

    def _look(self, lsn: int) -> None:
        now = self._core.clock.monotonic()
        if now - self._spoke < _QUIET_S:
            return
        self._spoke = now
        done = (lsn - self._start) / max(1, self._core.log.durable - self._start)
        left = (now - self._began) * (1 - done) / done if done else 0.0
        so_far = f", {done:.0%} of the log; about {left:.0f} seconds left"
        self._say(amq(7229, self.records, self._core.qmgr_name, so_far))
