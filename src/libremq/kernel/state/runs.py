"""Puts and gets of a run: several of one queue, as one step, with one append to the log.

What they do is what `Core.put` and `Core.take` do for each. It is for the many: where each message has to be looked at
(monitoring, events, a file that may be full, cursors, whoever waits for arrivals), they go one by one, and so they do
where not all of them find room: a run is done as a whole, or nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING

from libremq.kernel.state import journal, media_image
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import GET, PUT, Operation, UnitOfWork
from libremq.kernel.state.verb_result import Positioned
from libremq.log import LogFull
from libremq.log import RecordType as R
from libremq.store.space_handles import PERSISTENT
from libremq.store.stored_message import Message

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core

_operation = partial(tuple.__new__, Operation)
NOT_DONE = -1
"""Nothing of the run is done: its members have to go one by one."""


def _one_by_one(core: Core, queue: QueueState) -> bool:
    return bool(queue.damage is not None or queue.is_monitored or core.catalogue.qmgr.perfmev)


def may_be_put(core: Core, queue: QueueState, *, in_unit: bool) -> bool:
    """Does nobody have to look at each message that comes to this queue?"""
    if queue.looked_at != core.definitions_version:
        core.look_at_definition(queue)
    return not (_one_by_one(core, queue) or core.disk_full or queue.is_limited or (queue.attended and not in_unit))


def put_run(
    core: Core,
    queue: QueueState,
    messages: Sequence[Message],
    fronts: list[bytes],
    data: list[bytes],
    ids: list[bytes],
    priority: int,
    persistent: bool,
    expiry_ms: int,
    unit: UnitOfWork | None,
) -> int:
    """`Core.put` for messages of no group, made of these, that may be put. The log position, or NOT_DONE."""
    store, count = queue.store, len(messages)
    weight = sum([message.weight for message in messages])
    if not store.has_buffer_for(weight, persistent):
        return NOT_DONE
    if persistent and core.log.pressure:
        core.log.force(core.log.tail - 1)
    store.make_room_for(weight, persistent)
    chain = queue.chain_for(priority)
    sequence = store.next_sequence
    unit_id = unit.id if unit else 0
    slots = store.insert_run(messages, ids, chain, persistent, expiry_ms, unit_id)
    lsns: Sequence[int] = ()
    if persistent and queue.recoverable:
        payloads = journal.put_run_parts(queue.id, slots, sequence, chain, expiry_ms, fronts, data)
        keep = core.keep_for(unit, count) if unit else core.kept_bytes
        try:
            lsns = core.log.append_run(R.PUT, unit_id, unit.last_lsn if unit else 0, payloads, keep=keep)
        except LogFull:
            store.withdraw_run(slots)
            return NOT_DONE
        for message, lsn in zip(messages, lsns, strict=True):
            message.lsn = lsn
        core.logged_operations += count
    if unit:
        _note(core, unit, PUT, queue, slots, lsns)
    else:
        queue.link_run(slots)
        if lsns:
            queue.visible_lsn = lsns[-1]
            core.puts_outside_syncpoint += count
    statistics = queue.statistics
    statistics.enqueued += count
    statistics.last_put = core.clock.now()
    depth = store.depth
    if depth > statistics.high_depth:
        statistics.high_depth = depth
    return lsns[-1] if lsns and not unit else 0


def may_be_taken(core: Core, queue: QueueState) -> bool:
    """Are messages gone from this queue nobody's business but their getter's?"""
    return not (_one_by_one(core, queue) or queue.is_observed)


def take_run(core: Core, queue: QueueState, slots: Sequence[int], unit: UnitOfWork | None) -> Positioned[int]:
    """`Core.take` for the first messages of a chain in their order, all persistent or none of them, that may be taken.

    How many of them were taken: fewer if the log is full.
    """
    store, count = queue.store, len(slots)
    lsns: Sequence[int] = ()
    if queue.recoverable and store.handles.flags[slots[0]] & PERSISTENT:
        payloads = journal.get_run_parts(queue.id, slots, store.handles.sequence)
        try:
            if unit:
                lsns = core.log.append_run(R.GET, unit.id, unit.last_lsn, payloads, keep=core.keep_for(unit, count))
            else:
                lsns = core.log.append_run(R.GET, 0, 0, payloads, reserve=True, keep=core.kept_bytes)
        except LogFull:
            if count == 1:
                return 0, 0
            return take_run(core, queue, slots[: count // 2], unit)  # the next call says what is wrong with the rest
        core.logged_operations += count
    statistics = queue.statistics
    before = store.depth
    if unit:
        store.unlink_run(slots, unit.id)
        _note(core, unit, GET, queue, slots, lsns)
    else:
        store.unlink_run(slots)
        store.remove_run(slots)
        if lsns and core.media:
            media_image.record_if_empty(core, queue)
    statistics.dequeued += count
    statistics.last_get = core.clock.now()
    if before > statistics.high_depth:
        statistics.high_depth = before  # it was that deep when it was loaded
    return count, lsns[-1] if lsns and not unit else 0


def _note(
    core: Core, unit: UnitOfWork, kind: int, queue: QueueState, slots: Sequence[int], lsns: Sequence[int]
) -> None:
    """They are operations of the unit of work, logged or not."""
    unit.operations += map(_operation, zip(repeat(kind), repeat(queue), slots, lsns or repeat(0), strict=False))
    if lsns:
        core.note_logged(unit, lsns[0], len(lsns))
        unit.logged(lsns[-1])
