"""Netting: a message whose put was replayed waits here, beside the store of its queue, for the get that takes it away.

Few messages that a log put are still there at its end. Those only enter the store, when the replay is over; of the
others a replay notes the put, and drops the note. What waits is as much in the queue as what is in the store: the rules
of the replay ask both, and a slot is in one of them at most. When too much waits the older half enters the store,
so that the memory a replay takes does not depend on the log.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from libremq.kernel.state import journal
from libremq.kernel.state.unit_of_work import ACTIVE, Operation, UnitOfWork
from libremq.store.space_handles import LINKED, PERSISTENT
from libremq.store.stored_message import StoredMessage

if TYPE_CHECKING:
    from libremq.kernel.recovery.replay import Replay
    from libremq.kernel.state.queue_state import QueueState

Done = tuple[int, "QueueState", int, int]
"""What a unit of work did: an `Operation` without the names, as a replay makes one for nearly every record."""

Waiting = tuple[int, int, bytes]
"""Sequence number, LSN and payload of a put record."""


class NettedQueue:
    """What waits of one queue."""

    __slots__ = ("backout_counts", "held", "queue", "store", "waiting")

    def __init__(self, queue: QueueState) -> None:
        self.queue = queue
        self.store = queue.store
        self.waiting: dict[int, Waiting] = {}
        """By slot, in the order of the puts."""
        self.held: dict[int, int] = {}
        """Slots of those out of reach of gets: with the unit of work that put it, or, negative, one that got it."""
        self.backout_counts: dict[int, int] = {}

    @property
    def size(self) -> int:
        """Bytes of the payloads that wait. What is noted of each besides takes some 300 more."""
        return sum([len(payload) for _, _, payload in self.waiting.values()])

    def has(self, slot: int, sequence: int, *, linked: bool) -> bool:
        """Is this persistent message there, and within reach of gets, or not? Sequence number 0: whichever it is."""
        found = self.waiting.get(slot)
        if found is not None:
            return (not sequence or found[0] == sequence) and (slot not in self.held) == linked
        handles = self.store.handles
        return (
            slot < len(handles)
            and (not sequence or handles.sequence[slot] == sequence)
            and handles.flags[slot] & (PERSISTENT | LINKED) == (PERSISTENT | LINKED if linked else PERSISTENT)
        )

    def get(self, slot: int, unit: int) -> None:
        """A message within reach is got: by a unit of work, or for good."""
        if slot not in self.waiting:
            self.store.unlink(slot, unit)
            if not unit:
                self.store.remove(slot)
        elif unit:
            self.held[slot] = -unit
        else:
            self._drop(slot)

    def link(self, slot: int) -> None:
        """It is within reach of gets: the unit of work that put it is committed, or the get undone."""
        if slot in self.waiting:
            del self.held[slot]
        else:
            self.store.link(slot)

    def remove(self, slot: int) -> None:
        """It is gone: the unit of work that got it is committed, or the put undone."""
        if slot in self.waiting:
            del self.held[slot]
            self._drop(slot)
        else:
            self.store.remove(slot)

    def _drop(self, slot: int) -> None:
        del self.waiting[slot]
        if self.backout_counts:
            self.backout_counts.pop(slot, None)

    def backout_count(self, slot: int) -> int:
        if slot in self.waiting:
            return self.backout_counts.get(slot, 0)
        return self.store.backout_count(slot)

    def set_backout_count(self, slot: int, count: int) -> None:
        if slot in self.waiting:
            self.backout_counts[slot] = count
        else:
            self.store.set_backout_count(slot, count)

    def clear(self) -> None:
        """All messages within reach of gets are gone."""
        store = self.store
        for slot in list(store.chains):
            store.unlink(slot)
            store.remove(slot)
        for slot in [slot for slot in self.waiting if slot not in self.held]:
            self._drop(slot)

    def settle(self, replay: Replay, most: int | None = None) -> None:
        """Have what waits, or so many of the oldest, in the store."""
        queue, store, waiting, held = self.queue, self.store, self.waiting, self.held
        if queue.out_of_use:
            waiting.clear()
            held.clear()
            self.backout_counts.clear()
            return
        for slot in list(islice(waiting, most)):
            sequence, lsn, payload = waiting[slot]
            put = journal.read_put(payload)
            message = StoredMessage(replay.image_at(lsn, queue) if put.flags else put.image)
            message.lsn = lsn
            replay.make_room(queue, message)
            unit = held.get(slot, 0)
            store.insert(message, put.priority, True, put.expiry_ms, max(unit, 0), slot=slot, sequence=sequence)
            if unit <= 0:
                store.link(slot)
            if unit < 0:
                store.unlink(slot, -unit)
            if slot in self.backout_counts:
                store.set_backout_count(slot, self.backout_counts.pop(slot))
            held.pop(slot, None)
            del waiting[slot]


class ReplayedUnit:
    """A unit of work that was not ended yet, as far as the log is replayed."""

    __slots__ = ("first_lsn", "last_lsn", "operations", "owner", "state", "xid")

    def __init__(self) -> None:
        self.operations: list[Done] = []
        self.first_lsn = 0
        self.last_lsn = 0
        self.state = ACTIVE
        self.xid = b""
        self.owner = ""

    def logged(self, lsn: int) -> None:
        if not self.last_lsn:
            self.first_lsn = lsn
        self.last_lsn = lsn

    def left(self, unit_id: int) -> UnitOfWork:
        """What is left of it when the replay is over."""
        unit = UnitOfWork(unit_id)
        unit.operations = [Operation(*done) for done in self.operations]
        unit.message_count = len(unit.operations)
        unit.first_lsn, unit.last_lsn = self.first_lsn, self.last_lsn
        unit.state, unit.xid, unit.owner = self.state, self.xid, self.owner
        return unit
