"""A local queue while the queue manager runs: its definition, its store, and who is using it.

What belongs to a session (browse cursors, locks, marks) hangs on the handles and is only indexed here, so that
a message that leaves the queue can tell the cursors that stand on it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state.queue_monitoring import QueueMonitoring
from libremq.kernel.state.waiting_gets import WaitingGets
from libremq.mqi import constants as C
from libremq.store.queue_store import QueueStore
from libremq.store.space_handles import NONE, PRIORITY_MASK
from libremq.store.store_errors import StoreDamaged

if TYPE_CHECKING:
    from libremq.kernel.state.connection import ObjectHandle
    from libremq.kernel.state.turns import Turn

COMMAND_QUEUE = "SYSTEM.ADMIN.COMMAND.QUEUE"
"""Where the command server finds PCF commands."""
_TOKEN = struct.Struct("<qII")  # sequence number, slot, queue id


class Cursor:
    """A browse cursor: the message it stands on, or the place where that message was."""

    __slots__ = ("on_message", "priority", "sequence", "slot")

    def __init__(self, slot: int, priority: int, sequence: int) -> None:
        self.slot = slot  # the message, or when it has gone the one before it in the chain (NONE: chain start)
        self.priority = priority
        self.sequence = sequence
        self.on_message = True


class Watcher(Protocol):
    """A search that is not through with the queue: it hears of what happens where it has looked already."""

    def note(self, slot: int) -> None:
        """This message has come, or come back, or is no longer locked or marked."""

    def note_gone(self, slot: int) -> None:
        """This message is about to go, or out of reach for others."""


class QueueStatistics:
    """What happened on a queue since its statistics were reset, counted once for whoever wants to know."""

    __slots__ = ("dequeued", "enqueued", "high_depth", "last_get", "last_put", "monitoring", "service_since", "since")

    def __init__(self) -> None:
        # Monotonic: the last reset, or the creation; 0 means the start of the queue manager
        self.since = 0.0
        self.high_depth = 0  # at least the depth at this moment, where no put or get has told yet
        self.enqueued = 0  # by committed puts or not, backed out since or not; the same for gets
        self.dequeued = 0
        # When the first message came or the last get left some; None while there are none. Kept while it is watched
        self.service_since: float | None = 0.0
        # By the clock on the wall; 0 if there was none since the start of the queue manager. Not reset
        self.last_put = self.last_get = 0.0
        self.monitoring = QueueMonitoring()

    def reset(self, now: float, depth: int) -> None:
        self.since = now
        self.high_depth = depth
        self.enqueued = self.dequeued = 0


class QueueState:
    """A local queue in use."""

    __slots__ = (
        "consumed", "coop_marks", "creator", "cursors", "damage", "definition", "deleted", "exclusive", "folder",
        "id", "input_count", "is_limited", "is_monitored", "last_trigger_time", "locks", "looked_at", "marks",
        "notified", "open_handles", "output_count", "recoverable", "serves_commands", "statistics", "store",
        "takers_turn", "visible_lsn", "waiters", "watchers",
    )  # fmt: skip

    def __init__(self, definition: LocalQueue, queue_id: int, folder: str, store: QueueStore) -> None:
        self.definition = definition
        self.id = queue_id
        self.folder = folder
        self.store = store
        self.looked_at = -1  # the version of all definitions when a put last looked; of it are the next two
        self.is_monitored = False  # MONQ
        self.is_limited = False  # MAXFSIZE
        self.recoverable = not definition.is_temporary  # a temporary dynamic queue does not outlive its creator
        self.open_handles: set[ObjectHandle] = set()
        self.input_count = 0
        self.output_count = 0
        self.exclusive = False
        self.waiters = WaitingGets()
        self.watchers: list[Watcher] = []  # searches that go on in another slice; nearly always there is none
        self.takers_turn: Turn | None = None  # on its way to serve those who take whatever comes
        self.notified: Callable[[], None] | None = None  # a channel that empties it wants to know of arrivals
        self.consumed: set[ObjectHandle] = set()  # handles for whose messages a function is registered
        self.cursors: dict[int, list[Cursor]] = {}
        self.locks: dict[int, ObjectHandle] = {}  # slot -> the handle that browsed it with a lock
        self.marks: dict[int, set[ObjectHandle]] = {}  # slot -> the handles that marked it for themselves
        self.coop_marks: dict[int, float] = {}  # slot -> when it was marked for the cooperating handles, monotonic
        self.statistics = QueueStatistics()
        self.creator = ""  # of a temporary queue: the user that may do everything with it
        self.serves_commands = definition.name == COMMAND_QUEUE
        self.visible_lsn = 0  # the log position on which what a get or browse sees depends
        self.last_trigger_time: float | None = None  # monotonic
        self.deleted = False
        self.damage: StoreDamaged | None = None  # what is in the store does not count: no verb may touch it

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def out_of_use(self) -> bool:
        """Deleted or damaged: the end of a unit of work has nothing to do here."""
        return self.deleted or self.damage is not None

    @property
    def attended(self) -> bool:
        """Does anybody want to hear of arrivals: a waiting get, a consumer, a trigger monitor, a server, a channel?"""
        return bool(
            self.waiters
            or self.consumed
            or self.definition.trigger != C.MQTC_OFF
            or self.serves_commands
            or self.notified is not None
        )

    def chain_for(self, priority: int) -> int:
        """The chain of a message: its priority, or the queue's default where delivery is first in, first out."""
        if self.definition.msgdlvsq == C.MQMDS_FIFO:
            return self.definition.defprty
        return priority

    # Message tokens: a name for a message on this queue that costs no memory

    def token(self, slot: int) -> bytes:
        return _TOKEN.pack(self.store.handles.sequence[slot], slot, self.id)

    def slot_of_token(self, token: bytes) -> int:
        sequence, slot, queue_id = _TOKEN.unpack(token)
        handles = self.store.handles
        if queue_id == self.id and slot < len(handles) and handles.sequence[slot] == sequence and handles.flags[slot]:
            return int(slot)
        return NONE

    # Taking messages out of sight and putting them back keeps cursors, locks and marks right

    def link(self, slot: int) -> None:
        self.store.link(slot)
        if self.watchers:
            self._tell_watchers(slot)

    def link_run(self, slots: list[int]) -> None:
        """`link` for several whose sequence numbers rise."""
        self.store.link_run(slots)
        if self.watchers:
            for slot in slots:
                self._tell_watchers(slot)

    @property
    def is_observed(self) -> bool:
        """Must somebody be told of a message that leaves: a search under way, a cursor, who has locked or marked it?"""
        return bool(self.watchers or self.cursors or self.locks or self.marks or self.coop_marks)

    def _tell_watchers(self, slot: int) -> None:
        for watcher in self.watchers:
            watcher.note(slot)

    def _tell_of_gone(self, slot: int) -> None:
        for watcher in self.watchers:
            watcher.note_gone(slot)

    def unlink(self, slot: int, unit: int = 0) -> None:
        if self.watchers:
            self._tell_of_gone(slot)
        if self.cursors:
            standing = self.cursors.pop(slot, None)
            if standing:
                before = self.store.handles.prev[slot]
                for cursor in standing:
                    cursor.on_message = False
                    cursor.slot = before
                if before != NONE:
                    self.cursors.setdefault(before, []).extend(standing)
        if self.locks:
            self.release_lock(slot)
        if self.marks:
            for handle in self.marks.pop(slot, ()):
                handle.marks.discard(slot)
        if self.coop_marks:
            self.coop_marks.pop(slot, None)
        self.store.unlink(slot, unit)

    def lock(self, slots: list[int], handle: ObjectHandle) -> None:
        """For this handle, which has no others locked."""
        self.locks.update(dict.fromkeys(slots, handle))
        handle.locked = list(slots)
        if self.watchers:
            for slot in slots:
                self._tell_of_gone(slot)

    def release_lock(self, slot: int) -> None:
        holder = self.locks.pop(slot, None)
        if holder is not None:
            holder.locked.remove(slot)
            if self.watchers:
                self._tell_watchers(slot)

    def mark(self, slot: int, handle: ObjectHandle) -> None:
        self.marks.setdefault(slot, set()).add(handle)
        handle.marks.add(slot)

    def unmark(self, slot: int, handle: ObjectHandle) -> None:
        if slot in handle.marks:
            handle.marks.discard(slot)
            self.marks[slot].discard(handle)
            if not self.marks[slot]:
                del self.marks[slot]
            if self.watchers:
                self._tell_watchers(slot)

    def unmark_for_all(self, slot: int) -> None:
        """It is not marked for the cooperating handles any more."""
        self.coop_marks.pop(slot, None)
        if self.watchers:
            self._tell_watchers(slot)

    def delivery_order(self, slot: int) -> tuple[int, int]:
        """Sorts slots in the order in which gets find them: the highest chain first, each by sequence number."""
        handles = self.store.handles
        return -(handles.flags[slot] & PRIORITY_MASK), handles.sequence[slot]

    def place_cursor(self, old: Cursor | None, slot: int) -> Cursor:
        """Stand on this message, leaving the place where `old` stood."""
        self.drop_cursor(old)
        handles = self.store.handles
        cursor = Cursor(slot, handles.flags[slot] & PRIORITY_MASK, handles.sequence[slot])
        self.cursors.setdefault(slot, []).append(cursor)
        return cursor

    def cursor_before(self, slot: int) -> Cursor:
        """Stand right before this message: it comes next, unless it goes or something comes in between."""
        handles = self.store.handles
        cursor = Cursor(handles.prev[slot], handles.flags[slot] & PRIORITY_MASK, handles.sequence[slot] - 1)
        cursor.on_message = False
        if cursor.slot != NONE:
            self.cursors.setdefault(cursor.slot, []).append(cursor)
        return cursor

    def drop_cursor(self, cursor: Cursor | None) -> None:
        if cursor is None or cursor.slot == NONE:
            return
        standing = self.cursors.get(cursor.slot)
        if standing and cursor in standing:
            standing.remove(cursor)
            if not standing:
                del self.cursors[cursor.slot]

    def after_cursor(self, cursor: Cursor) -> int:
        """The first message behind the cursor in delivery order. Those put back before it stay unseen."""
        chains, handles = self.store.chains, self.store.handles
        if cursor.slot != NONE:
            slot = chains.after(cursor.slot)
        else:
            slot = chains.first(cursor.priority)
            if slot == NONE:
                return chains.first_below(cursor.priority)
        while slot != NONE and handles.flags[slot] & PRIORITY_MASK == cursor.priority:
            if handles.sequence[slot] > cursor.sequence:
                return slot
            slot = chains.after(slot)
        return slot
