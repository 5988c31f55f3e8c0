"""Gets of whatever comes first, one or many, of messages about which there is nothing to decide.

Such a message is handed on as its bytes: descriptor and data go into the answer as they were stored, and so do
properties, where the getter wants them in a handle. It may be one that is asked for by MsgId or CorrelId, if it is the
first that the index knows. As soon as anything is special (a group, a report on delivery, a lock, a definition that
forbids it), nothing is done, and an ordinary get decides (`getting`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from libremq.common.checksum import crc32
from libremq.kernel.messages.time_to_live import time_left
from libremq.kernel.properties.property_delivery import FORMATS_WITH_PROPERTIES
from libremq.kernel.state import runs
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import PASSING
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import UnitOfWork
from libremq.kernel.state.verb_result import Positioned
from libremq.kernel.verbs import reports
from libremq.kernel.verbs.getting import get_inhibited
from libremq.kernel.verbs.matching import first
from libremq.mqi import constants as C
from libremq.mqi.descriptor_bytes import (
    BACKOUT_COUNT_AT,
    EXPIRY_AT,
    EXPIRY_END,
    FLAGS_AT,
    FLAGS_END,
    FORMAT_AT,
    FORMAT_END,
    REPORT_END,
    packed_integer,
    read_body,
)
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD
from libremq.store.space_handles import NONE, PERSISTENT
from libremq.store.stored_message import Message


class Plain(NamedTuple):
    """A message as its getter sees it."""

    message: Message
    body: bytes  # its descriptor, with the backouts it has seen and what is left of its Expiry
    token: bytes

    @property
    def md(self) -> MQMD:
        return self.message.md if self.body is self.message.body else read_body(self.body)


BeforeTaking = Callable[[list[Plain]], int]
"""Is given the messages before they are taken, one or several, and says how many of them are: the first ones.

The others stay where they are; all do if it raises something. Fewer may be taken in the end.
"""

PLAIN_OPTIONS = (
    C.MQGMO_SYNCPOINT
    | C.MQGMO_NO_SYNCPOINT
    | C.MQGMO_SYNCPOINT_IF_PERSISTENT
    | C.MQGMO_FAIL_IF_QUIESCING
    | C.MQGMO_PROPERTIES_IN_HANDLE
    | C.MQGMO_NO_PROPERTIES
)
"""Get options that decide nothing about a message without properties. A wait, too, where there is a message."""
_IDS = C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID
ANY = bytes(48)
"""MsgId and CorrelId of a get that takes whatever comes."""
_ANY_ID = bytes(24)
_NONE = bytes(4)
_RUN_BYTES = 64 << 10
"""Of messages that are looked at as one run: whoever is given them may not take all, and they may have to be read."""
_HOLD_PROPERTIES = frozenset(name.encode() for name in FORMATS_WITH_PROPERTIES)


def nothing_first(found: list[Plain]) -> int:
    """For whoever makes no answer of them."""
    return len(found)


def take_plain(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    options: int,
    before: BeforeTaking = nothing_first,
    most: int = 1,
    *,
    ids: bytes = ANY,
    with_properties: bool = False,
) -> Positioned[list[Plain]]:
    """So many of the first messages at most; fewer, or none, as soon as one is special or there is none.

    `ids`: MsgId and CorrelId that it must have, zeros for one that may be any. `with_properties`: the getter takes
    them, in a handle; else a message that has some is special.
    """
    taken: list[Plain] = []
    queue = handle.queue
    if (
        queue is None
        or queue.deleted
        or connection.is_lost
        or handle.get_group is not None
        or (core.quiescing and options & C.MQGMO_FAIL_IF_QUIESCING)
        or get_inhibited(handle, queue)
    ):
        return taken, 0
    position = 0
    try:
        run = _take_run(core, connection, handle, queue, options, before, most, with_properties) if most > 1 else None
        if run is not None:
            taken, position = run
            most = 0  # the rest comes with the next call
        while len(taken) < most:
            found, lsn = _take_first(core, connection, handle, queue, options, before, ids, with_properties)
            if found is None:
                break
            if lsn > position:
                position = lsn
            taken.append(found)
    except (MQError, *PASSING):
        pass  # what was taken is on its way; an ordinary get says what is wrong with the next
    if taken and queue.visible_lsn > position:
        position = queue.visible_lsn  # whoever sees a message sees it with all that made it visible
    return taken, position


def _take_first(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    queue: QueueState,
    options: int,
    before: BeforeTaking,
    ids: bytes,
    with_properties: bool,
) -> Positioned[Plain | None]:
    slot = first(core, handle, queue) if ids == ANY else _first_with(queue, ids)
    if slot < 0:  # none, or it takes an ordinary get to find out
        return None, 0
    found = _seen(core, queue, slot, queue.store.message(slot), options, with_properties)
    if found is None:
        return None, 0
    unit: UnitOfWork | None = None
    if options & C.MQGMO_SYNCPOINT or (
        options & C.MQGMO_SYNCPOINT_IF_PERSISTENT and queue.store.handles.flags[slot] & PERSISTENT
    ):
        unit = core.syncpoint_unit(connection)
    if not before([found]):
        return None, 0
    got_before = queue.statistics.dequeued
    try:
        lsn = core.take(queue, slot, unit)
    except (MQError, *PASSING):
        if queue.statistics.dequeued == got_before:
            raise
        lsn = core.log.tail - 1  # it is taken, and nobody else has it: what failed is what followed
    if unit is not None:
        unit.message_count += 1
        if handle not in unit.get_groups:
            unit.get_groups[handle] = None  # a backout restores what was before the first get
    if handle.has(C.MQOO_SAVE_ALL_CONTEXT):
        handle.save_context(found.message)
    return found, lsn


def _first_with(queue: QueueState, ids: bytes) -> int:
    """The first message with these ids, or NONE: it may be that it takes a search to find it."""
    store = queue.store
    chains = store.chains
    message_id, correlation_id = ids[:24], ids[24:]
    by_message = message_id != _ANY_ID
    # While the index is made it has those from the front on: what it finds is the first, too
    index = chains.by_message() if by_message else chains.by_correlation()
    slot = chains.first_with(index, crc32(message_id if by_message else correlation_id))
    if slot == NONE or queue.locks or store.handles.expiry_ms[slot]:
        return NONE
    its_id, its_correlation_id, _ = store.message(slot).ids()
    if by_message and its_id != message_id:
        return NONE
    return slot if correlation_id in (_ANY_ID, its_correlation_id) else NONE


def _seen(
    core: Core, queue: QueueState, slot: int, message: Message, options: int, with_properties: bool
) -> Plain | None:
    """The message as a getter sees it; None if it is special."""
    store, body = queue.store, message.body
    if (message.properties and not with_properties) or is_special(body, options):
        return None
    if expires := store.handles.expiry_ms[slot]:
        expiry = int.from_bytes(body[EXPIRY_AT:EXPIRY_END], "little", signed=True)
        left = packed_integer(time_left(expires, core.clock.now(), expiry))
        body = body[:EXPIRY_AT] + left + body[EXPIRY_END:]
    if count := store.backout_count(slot):
        body = body[:BACKOUT_COUNT_AT] + packed_integer(count) + body[BACKOUT_COUNT_AT + 4 :]
    return Plain(message, body, queue.token(slot))


def _take_run(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    queue: QueueState,
    options: int,
    before: BeforeTaking,
    most: int,
    with_properties: bool,
) -> Positioned[list[Plain]] | None:
    """Take the first messages as one step, as far as they are alike. None if each has to be looked at."""
    store = queue.store
    handles = store.handles
    slot = store.chains.first_of_all()
    expiries = handles.expiry_ms
    if slot == NONE or expiries[slot] or options & C.MQGMO_SYNCPOINT_IF_PERSISTENT:
        return None
    if not runs.may_be_taken(core, queue):
        return None
    unit: UnitOfWork | None = None
    if options & C.MQGMO_SYNCPOINT:
        unit = core.syncpoint_unit(connection)
        most = min(most, core.catalogue.qmgr.maxumsgs - unit.message_count)
    following, flags = handles.next, handles.flags
    alike = flags[slot] & PERSISTENT
    slots: list[int] = []
    while slot != NONE and len(slots) < most and not expiries[slot] and flags[slot] & PERSISTENT == alike:
        slots.append(slot)
        slot = following[slot]
    taken = _first_plain(core, queue, slots, options, with_properties)
    del slots[len(taken) :]
    wanted = before(taken) if taken else 0
    del taken[wanted:], slots[wanted:]
    if not taken:
        return taken, 0
    count, lsn = runs.take_run(core, queue, slots, unit)
    del taken[count:]
    if taken and unit is not None:
        unit.message_count += count
        if handle not in unit.get_groups:
            unit.get_groups[handle] = None
    if taken and handle.has(C.MQOO_SAVE_ALL_CONTEXT):
        handle.save_context(taken[-1].message)
    return taken, lsn


def _first_plain(
    core: Core, queue: QueueState, slots: Sequence[int], options: int, with_properties: bool
) -> list[Plain]:
    """The first of these messages, up to one that is special, or that cannot be read, or for which there is no room."""
    found: list[Plain] = []
    room = _RUN_BYTES
    try:
        while len(found) < len(slots):
            for message in queue.store.messages(slots[len(found) :]):
                slot = slots[len(found)]
                one = _seen(core, queue, slot, message, options, with_properties) if room > 0 else None
                if one is None:
                    return found
                found.append(one)
                room -= message.weight
    except (MQError, *PASSING):
        pass  # an ordinary get says what is wrong
    return found


def is_plain(handle: ObjectHandle, gmo: MQGMO) -> bool:
    """Are gets with these options of whatever comes first, or first with an id, as it is stored?"""
    options, match = gmo.Options, gmo.MatchOptions
    return not options & ~(PLAIN_OPTIONS | C.MQGMO_WAIT) and not match & ~_IDS and handle.selector is None


def is_special(body: bytes, options: int) -> bool:
    """Does this descriptor ask for more than to be handed on?"""
    return (
        body[FLAGS_AT:FLAGS_END] != _NONE
        or (body[:REPORT_END] != _NONE and bool(int.from_bytes(body[:REPORT_END], "little") & reports.COD_MASK))
        or (
            body[FORMAT_AT:FORMAT_END].rstrip(b" \0") in _HOLD_PROPERTIES
            and not options & C.MQGMO_PROPERTIES_FORCE_MQRFH2
        )
    )
