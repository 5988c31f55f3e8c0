"""MOVE QLOCAL: all messages of a queue to another one, in one unit of work.

That is no put: PUT(DISABLED) does not count, nor does MAXUMSGS. What the queue can hold does (checks 12, 14 and 15 of
`put_plan`).
"""

from __future__ import annotations

from libremq.kernel.messages.put_plan import MAX_PRIORITY, plan_of
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state import journal, object_changes
from libremq.kernel.state.connection import Destination
from libremq.kernel.state.core import Core
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.store.space_handles import PERSISTENT
from libremq.store.stored_message import Message


def move_messages(core: Core, source: LocalQueue, target: LocalQueue, *, add: bool) -> int:
    """Move them in their order; all or none. Without `add` the target must be empty. The log position it depends on."""
    if source.name == target.name:
        raise mq_error(C.MQRC_OBJECT_IN_USE, source.name, "the messages are there already")
    taken, given = core.local_queue(source), core.local_queue(target)
    if taken.open_handles or (given.open_handles and not add):
        name = source.name if taken.open_handles else target.name
        raise mq_error(C.MQRC_OBJECT_IN_USE, name, "it is open; end its users first")
    if object_changes.has_uncommitted(core, taken):
        raise mq_error(C.MQRC_OBJECT_IN_USE, source.name, "messages on it belong to unfinished units of work")
    if not add and given.store.depth:
        raise mq_error(C.MQRC_Q_NOT_EMPTY, target.name, "it holds messages; TYPE(ADD) adds to them")
    if given.store.depth + len(taken.store.chains) > target.maxdepth:
        raise mq_error(C.MQRC_Q_FULL, target.name, f"MAXDEPTH({target.maxdepth}) is too small for all of them")
    plan = plan_of(core, Destination(given, path=(target,)))
    with core.all_or_nothing(None) as unit:
        for slot in list(taken.store.chains):
            stored = taken.store.message(slot)
            message = Message(stored.md, stored.properties, stored.data, stored.origin)
            flags, expiry_ms = taken.store.handles.flags[slot], taken.store.handles.expiry_ms[slot]
            plan.check_persistence(message.md, target.name)
            no_room = plan.no_room_because(len(message.data), len(message.properties))
            if no_room:
                raise plan.refusal(core, no_room, target.name, len(message.data))
            priority = min(message.md.Priority, MAX_PRIORITY)
            core.put(given, message, priority, bool(flags & PERSISTENT), expiry_ms, unit)
            core.take(taken, slot, unit, journal.GOT)
    return unit.end_lsn
