"""Units of work: what was put and got and is not decided yet.

The operations of a unit of work are kept in memory, in order; the log keeps those on persistent messages, chained
backwards. Commit links the puts and removes the gets; backout removes the puts and links the gets, each persistent
one with a compensation record first, so that a restart in the middle of a backout goes on where it stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from libremq.kernel.state.queue_state import QueueState

if TYPE_CHECKING:
    from libremq.kernel.state.connection import Connection, ObjectHandle
    from libremq.kernel.verbs.groups import GroupState

PUT = 0
GET = 1

ACTIVE = "active"
PREPARED = "prepared"
UNDOING = "being backed out"
"""The log had no room for all of its backout: it can only be backed out, and is as soon as there is room."""

BATCH_XID = b"LMQBATCH"
"""What the XIDs of batches begin with, see `channel_batches`: no transaction manager knows of them."""


class Operation(NamedTuple):
    kind: int
    queue: QueueState
    slot: int
    lsn: int  # of its log record; 0 if it is not logged


class UnitOfWork:
    """One unit of work; `id` is its transaction id in the log."""

    __slots__ = (
        "connection", "end_lsn", "first_lsn", "get_groups", "id", "last_lsn", "log_started", "message_count",
        "operations", "owner", "parts_under_way", "put_groups", "started", "state", "undo_bytes", "xid",
    )  # fmt: skip

    def __init__(self, unit_id: int) -> None:
        self.id = unit_id
        self.operations: list[Operation] = []
        self.message_count = 0
        self.started = self.log_started = 0.0  # by the clock on the wall; 0: before the start of the queue manager
        self.first_lsn = 0
        self.last_lsn = 0
        self.end_lsn = 0  # of its commit, if that was logged: what the answer of whoever committed it depends on
        self.state = ACTIVE
        self.xid = b""
        self.connection: Connection | None = None  # the one that began or joined the branch last
        self.owner = ""  # the user that began the branch; blank: it is none, or its log does not say
        self.undo_bytes = 0  # of the log, kept free so that it can be ended
        self.parts_under_way = 0  # long messages of which parts are logged, and no put that names them
        # Group and segment information of handles as it was before this unit of work, for the backout
        self.get_groups: dict[ObjectHandle, GroupState | None] = {}
        self.put_groups: dict[ObjectHandle, dict[int, GroupState]] = {}

    def logged(self, lsn: int) -> None:
        if not self.last_lsn:
            self.first_lsn = lsn
        self.last_lsn = lsn

    def restore_groups(self) -> None:
        """It was backed out: its handles stand in their groups where they stood before it."""
        for handle, group in self.get_groups.items():
            handle.get_group = group
        for handle, groups in self.put_groups.items():
            handle.put_groups = groups

    @property
    def is_in_use(self) -> bool:
        """Is it a branch that a connection is in?"""
        return self.connection is not None and self.connection.xa_unit is self

    @property
    def is_logged(self) -> bool:
        return bool(self.last_lsn)

    @property
    def is_batch(self) -> bool:
        """Is it a batch of a message channel that was prepared?"""
        return self.xid.startswith(BATCH_XID)
