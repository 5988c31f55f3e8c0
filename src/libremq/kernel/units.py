"""Units of work: what was put and got and is not decided yet.

The operations of a unit of work are kept in memory, in order; the log keeps those on persistent messages, chained
backwards. Commit links the puts and removes the gets; backout removes the puts and links the gets, each persistent
one with a compensation record first, so that a restart in the middle of a backout goes on where it stopped.
"""

from __future__ import annotations

from typing import NamedTuple

from libremq.kernel.queues import QueueState

PUT = 0
GET = 1

ACTIVE = "active"
PREPARED = "prepared"


class Operation(NamedTuple):
    kind: int
    queue: QueueState
    slot: int
    lsn: int  # of its log record; 0 if it is not logged


class UnitOfWork:
    """One unit of work; `id` is its transaction id in the log."""

    __slots__ = ("first_lsn", "id", "last_lsn", "message_count", "operations", "state", "xid")

    def __init__(self, unit_id: int) -> None:
        self.id = unit_id
        self.operations: list[Operation] = []
        self.message_count = 0
        self.first_lsn = 0
        self.last_lsn = 0
        self.state = ACTIVE
        self.xid = b""

    def logged(self, lsn: int) -> None:
        if not self.last_lsn:
            self.first_lsn = lsn
        self.last_lsn = lsn

    @property
    def is_logged(self) -> bool:
        return bool(self.last_lsn)
