"""Puts and gets that are like the one before, many at a time: what was checked and worked out once counts for them too.

A program that puts a hundred messages in a unit of work puts the same descriptor a hundred times, and one that gets a
hundred takes whatever comes first. A short way serves them as long as nothing is special; as soon as anything is (a
definition was changed, the queue is full, a message has properties, belongs to a group, wants a report, may expire), it
does nothing and says so, and the ordinary way decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from libremq.kernel.messages.message_context import put_date_time
from libremq.kernel.messages.put_plan import APPLICATION, MAX_PRIORITY, PutPlan, plan_of
from libremq.kernel.properties.property_delivery import may_hold_properties
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import UnitOfWork
from libremq.kernel.state.verb_result import Positioned
from libremq.kernel.verbs import reports
from libremq.kernel.verbs.getting import get_inhibited
from libremq.kernel.verbs.matching import first
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQPMO
from libremq.store.space_handles import PERSISTENT
from libremq.store.stored_message import Message

_PUT_OPTIONS = C.MQPMO_SYNCPOINT | C.MQPMO_FAIL_IF_QUIESCING | C.MQPMO_ASYNC_RESPONSE
_NO_ID = bytes(24)
_OF_EACH = ("MsgId", "CorrelId", "PutDate", "PutTime")

BeforeTaking = Callable[[Message, bytes], None]
"""Is given the message and its token before it is taken: what it raises leaves the message where it is."""


def nothing_first(message: Message, token: bytes) -> None:
    """For whoever makes no answer of it."""


class RepeatedPut:
    """A put under syncpoint that can be done again with other ids and other data."""

    __slots__ = ("_connection", "_core", "_fields", "_handle", "_options", "_persistent", "_plan", "_priority")

    def __init__(
        self, core: Core, connection: Connection, handle: ObjectHandle, plan: PutPlan, md: MQMD, options: int
    ) -> None:
        self._core = core
        self._connection = connection
        self._handle = handle
        self._plan = plan
        self._options = options
        self._fields: dict[str, Any] = {name: value for name, value in md.__dict__.items() if name not in _OF_EACH}
        self._priority = min(md.Priority, MAX_PRIORITY)
        self._persistent = md.Persistence == C.MQPER_PERSISTENT

    def put(self, message_id: bytes, correlation_id: bytes, data: bytes) -> bool:
        """Put one more; False, with nothing done, if that takes the ordinary way."""
        core, connection, plan = self._core, self._connection, self._plan
        unit = connection.xa_unit or connection.unit
        if (
            unit is None
            or message_id == _NO_ID
            or self._handle.put_groups  # a group was begun through it since
            or connection.is_lost
            or plan.closed_because(core, self._options)
            or core.unit_closed_because(unit, limited=APPLICATION.is_limited)
            or plan.no_room_because(len(data))
        ):
            return False
        md = MQMD.__new__(MQMD)
        fields = md.__dict__
        fields.update(self._fields)
        fields["MsgId"] = message_id
        if correlation_id != _NO_ID:
            fields["CorrelId"] = correlation_id
        fields["PutDate"], fields["PutTime"] = put_date_time(core.clock.now())
        core.put(plan.queue, Message(md, b"", data), self._priority, self._persistent, 0, unit)
        unit.message_count += 1
        connection.async_puts.successes += 1
        return True


def repeat_of(core: Core, connection: Connection, handle: ObjectHandle, md: MQMD, pmo: MQPMO) -> RepeatedPut | None:
    """After a put that went well: can it be repeated the short way? `md` is as the put has filled it."""
    destination = handle.destination
    if destination is None:
        return None
    plain = (
        not destination.is_remote
        and not pmo.Options & ~_PUT_OPTIONS
        and pmo.Options & C.MQPMO_SYNCPOINT
        and md.Version == C.MQMD_VERSION_2
        and md.MsgType == C.MQMT_DATAGRAM
        and md.Expiry == C.MQEI_UNLIMITED
        and not (md.Report or md.MsgFlags or md.ReplyToQ or md.Feedback)
        and not handle.put_groups
        and not handle.destinations
        and (core.catalogue.qmgr.maxpropl == C.MQPROP_UNRESTRICTED_LENGTH or not may_hold_properties(md.Format))
    )
    return RepeatedPut(core, connection, handle, plan_of(core, destination), md, pmo.Options) if plain else None


def take_plain(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    options: int,
    before: BeforeTaking = nothing_first,
) -> Positioned[tuple[Message, bytes] | None]:
    """A get that takes whatever comes first: the message and its token; None, with nothing done, if it is special."""
    queue = handle.queue
    if (
        queue is None
        or queue.deleted
        or connection.is_lost
        or handle.get_group is not None
        or (core.quiescing and options & C.MQGMO_FAIL_IF_QUIESCING)
        or get_inhibited(handle, queue)
    ):
        return None, 0
    slot = first(core, handle, queue)
    if slot < 0:  # none, or it takes an ordinary get to find out
        return None, 0
    store = queue.store
    message = store.message(slot)
    md = message.md
    if (
        message.properties
        or md.Report & reports.COD_MASK
        or md.MsgFlags
        or (may_hold_properties(md.Format) and not options & C.MQGMO_PROPERTIES_FORCE_MQRFH2)
        or store.handles.expiry_ms[slot]
        or store.backout_count(slot)
    ):
        return None, 0
    unit: UnitOfWork | None = None
    if options & C.MQGMO_SYNCPOINT or (
        options & C.MQGMO_SYNCPOINT_IF_PERSISTENT and store.handles.flags[slot] & PERSISTENT
    ):
        unit = core.syncpoint_unit(connection)
        if handle not in unit.get_groups:
            unit.get_groups[handle] = None
    token = queue.token(slot)
    before(message, token)
    taken = core.take(queue, slot, unit)
    if unit is not None:
        unit.message_count += 1
    if handle.has(C.MQOO_SAVE_ALL_CONTEXT):
        handle.save_context(message)
    visible = queue.visible_lsn
    return (message, token), taken if taken > visible else visible
