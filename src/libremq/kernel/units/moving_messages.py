"""MOVE QLOCAL: all messages of a queue to another one, in one unit of work.

That is no put: PUT(DISABLED) does not count, nor does MAXUMSGS. What the queue can hold does (checks 12, 14 and 15 of
`put_plan`).

It works in slices, and applications have their turn in between. Nobody can open the queue for input meanwhile. Those
who put to it do not make the move longer: it is about as many messages as there were. What it has done is in a unit of
work, so neither queue can be deleted, cleared or moved by somebody else.
"""

from __future__ import annotations

from itertools import islice

from libremq.kernel.messages.put_plan import MAX_PRIORITY, PutPlan, plan_of
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state import journal, object_changes, undo
from libremq.kernel.state.connection import Destination
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import UNDOING
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.store.space_handles import PERSISTENT
from libremq.store.stored_message import Message

_MESSAGES, _BYTES = 30, 1 << 18
"""A slice has so many messages at most, and ends behind so many bytes: some two milliseconds."""


class Move:
    """One, from its checks to its end. Without `add` the target must be empty."""

    def __init__(self, core: Core, source: LocalQueue, target: LocalQueue, *, add: bool) -> None:
        if source.name == target.name:
            raise mq_error(C.MQRC_OBJECT_IN_USE, source.name, "the messages are there already")
        taken, given = core.local_queue(source), core.local_queue(target)
        if taken.open_handles or (given.open_handles and not add):
            name = source.name if taken.open_handles else target.name
            raise mq_error(C.MQRC_OBJECT_IN_USE, name, "it is open; end its users first")
        if taken.exclusive or object_changes.has_uncommitted(core, taken):
            raise mq_error(C.MQRC_OBJECT_IN_USE, source.name, "messages on it belong to unfinished units of work")
        if not add and given.store.depth:
            raise mq_error(C.MQRC_Q_NOT_EMPTY, target.name, "it holds messages; TYPE(ADD) adds to them")
        self._left = len(taken.store.chains)
        if given.store.depth + self._left > target.maxdepth:
            raise self._too_deep(target)
        self._core, self._taken, self._given = core, taken, given
        self._unit = core.begin_unit()
        taken.exclusive, taken.input_count = True, taken.input_count + 1

    def _too_deep(self, target: LocalQueue) -> MQError:
        return mq_error(C.MQRC_Q_FULL, target.name, f"MAXDEPTH({target.maxdepth}) is too small for all of them")

    def go_on(self) -> bool:
        """Do a slice; True if there is more to do. It may be called again if that has failed for want of room."""
        self._check()
        plan = plan_of(self._core, Destination(self._given, path=(self._given.definition,)))
        moved_bytes = 0
        for slot in list(islice(self._taken.store.chains, min(self._left, _MESSAGES))):
            moved_bytes += self._move(slot, plan)
            self._left -= 1
            if moved_bytes >= _BYTES:
                break
        return self._left > 0 and len(self._taken.store.chains) > 0

    def _check(self) -> None:
        """The log may have needed the room: then it is backed out, or about to be."""
        if self._core.units.get(self._unit.id) is not self._unit or self._unit.state is UNDOING:
            raise undo.half_undone(self._core)

    def _move(self, slot: int, plan: PutPlan) -> int:
        core, taken, given = self._core, self._taken, self._given
        name = given.name
        if slot in taken.locks:
            raise mq_error(C.MQRC_OBJECT_IN_USE, taken.name, "somebody who browses it has locked a message")
        stored = taken.store.message(slot)
        message = Message(stored.md, stored.properties, stored.data, stored.origin)
        flags, expiry_ms = taken.store.handles.flags[slot], taken.store.handles.expiry_ms[slot]
        plan.check_persistence(message.md, name)
        no_room = plan.no_room_because(len(message.data), len(message.properties))
        if no_room == C.MQRC_Q_FULL:
            raise self._too_deep(given.definition)
        if no_room:
            raise plan.refusal(core, no_room, name, len(message.data))
        priority = min(message.md.Priority, MAX_PRIORITY)
        with core.all_or_nothing(self._unit) as unit:
            core.put(given, message, priority, bool(flags & PERSISTENT), expiry_ms, unit)
            core.take(taken, slot, unit, journal.GOT)
        return len(message.data) + len(message.properties)

    def commit(self) -> int:
        """All is moved. The log position it depends on."""
        self._check()
        lsn = self._core.commit(self._unit)
        self._release()
        return lsn

    def give_up(self) -> None:
        """Nothing is moved."""
        self._release()
        self._core.backout(self._unit, counted=False)

    def _release(self) -> None:
        if not self._taken.out_of_use and self._taken.exclusive:
            self._taken.exclusive, self._taken.input_count = False, self._taken.input_count - 1
