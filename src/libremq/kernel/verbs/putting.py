"""MQPUT and MQPUT1: checks, defaults, context, and the way to the queue.

The order is MQ's: what is wrong with the call is said before anything happens (`put_plan` has the list); a waiting
getter outside syncpoint takes the message from hand to hand, with no queue and no log between; else the message is
stored and logged, and those who wait, trigger monitors and report messages are served after that.
"""

from __future__ import annotations

from libremq.kernel.authority import message_origin
from libremq.kernel.events import performance_events, queue_manager_events
from libremq.kernel.messages import message_context, name_resolution, transmission
from libremq.kernel.messages.descriptor_extension import without_extension
from libremq.kernel.messages.field_checks import check_descriptor
from libremq.kernel.messages.put_plan import APPLICATION, CHANNEL, MAX_PRIORITY, OWN, PutPlan, Way, plan_of
from libremq.kernel.messages.time_to_live import expires_ms
from libremq.kernel.properties.message_handles import properties_too_big, resolve_put_properties
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_delivery import may_hold_properties, property_bytes_in_data
from libremq.kernel.state.connection import Connection, Destination, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.undo import half_undone
from libremq.kernel.state.unit_of_work import UNDOING, UnitOfWork
from libremq.kernel.state.verb_result import Positioned
from libremq.kernel.verbs import groups, put_to_waiting_getter, reports
from libremq.kernel.verbs.long_puts import LongPut
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQMD, MQPMO
from libremq.store.stored_message import LongMessage, Message

_SYNCPOINTS = C.MQPMO_SYNCPOINT | C.MQPMO_NO_SYNCPOINT
_RESPONSES = C.MQPMO_ASYNC_RESPONSE | C.MQPMO_SYNC_RESPONSE
_KNOWN = (
    _SYNCPOINTS | _RESPONSES | C.MQPMO_NEW_MSG_ID | C.MQPMO_NEW_CORREL_ID | C.MQPMO_LOGICAL_ORDER
    | C.MQPMO_NO_CONTEXT | C.MQPMO_DEFAULT_CONTEXT | C.MQPMO_PASS_IDENTITY_CONTEXT | C.MQPMO_PASS_ALL_CONTEXT
    | C.MQPMO_SET_IDENTITY_CONTEXT | C.MQPMO_SET_ALL_CONTEXT | C.MQPMO_ALTERNATE_USER_AUTHORITY
    | C.MQPMO_FAIL_IF_QUIESCING | C.MQPMO_RESOLVE_LOCAL_Q | C.MQPMO_MD_FOR_OUTPUT_ONLY
)  # fmt: skip
_NO_ID = bytes(24)
_RETURNED_TO_VERSION_1 = (
    "MsgId", "CorrelId", "Priority", "Persistence", "Expiry", "CodedCharSetId", "Encoding", "ReplyToQMgr",
    "UserIdentifier", "AccountingToken", "ApplIdentityData", "PutApplType", "PutApplName", "PutDate", "PutTime",
    "ApplOriginData", "BackoutCount",
)  # fmt: skip
_MESSAGE_TYPES = (C.MQMT_REQUEST, C.MQMT_REPLY, C.MQMT_DATAGRAM, C.MQMT_REPORT)


def put(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    md: MQMD,
    pmo: MQPMO,
    data: bytes,
    long_put: LongPut | None = None,
) -> Positioned[int]:
    """MQPUT through an open handle. Returns the reason of a warning, or MQRC_NONE, and the log position."""
    destination = handle.destination
    if destination is None:
        raise mq_error(C.MQRC_NOT_OPEN_FOR_OUTPUT, handle.object_name, "open it with MQOO_OUTPUT to put")
    return put_to(core, connection, handle, destination, md, pmo, data, long_put=long_put)


def is_async(handle: ObjectHandle, pmo: MQPMO) -> bool:
    """Is the outcome told by MQSTAT only? If the options do not say, DEFPRESP of the first definition does."""
    response = pmo.Options & _RESPONSES
    if response or handle.destination is None:
        return response == C.MQPMO_ASYNC_RESPONSE
    return handle.destination.path[0].defpresp == C.MQPRT_ASYNC_RESPONSE  # type: ignore[attr-defined, no-any-return]


def put_to(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    destination: Destination,
    md: MQMD,
    pmo: MQPMO,
    data: bytes,
    *,
    put1: bool = False,
    long_put: LongPut | None = None,
) -> Positioned[int]:
    """One put: the handle gives defaults and context, the destination says where. A long one is logged already."""
    if long_put is not None:
        long_put.check()
        data = long_put.logged.data
    name = handle.object_name
    options = pmo.Options
    if not 1 <= pmo.Version <= C.MQPMO_CURRENT_VERSION:
        raise mq_error(C.MQRC_PMO_ERROR, name, f"MQPMO version {pmo.Version} is not known")
    not_here = C.MQPMO_LOGICAL_ORDER if put1 else C.MQPMO_ALTERNATE_USER_AUTHORITY
    if options & (~_KNOWN | not_here) or options & _SYNCPOINTS == _SYNCPOINTS or options & _RESPONSES == _RESPONSES:
        raise mq_error(C.MQRC_OPTIONS_ERROR, name, "unknown or conflicting put options")
    plan = plan_of(core, destination)
    closed = plan.closed_because(core, options)
    if closed:
        raise _refusal(core, handle, plan, closed, APPLICATION)
    unknown_report = check_values(md, name, remote=destination.is_remote)
    unit = core.syncpoint_unit(connection) if options & C.MQPMO_SYNCPOINT else None
    now = core.clock.now()
    stored = md.copy()
    stored.Version = C.MQMD_VERSION_2
    stored.BackoutCount = 0
    if md.Version < C.MQMD_VERSION_2:
        data = without_extension(stored, data)
    warning = plan.fill_defaults(core, stored, options, name) or unknown_report
    before = handle.put_groups.get(id(destination)) if handle.put_groups else None
    if md.Version >= C.MQMD_VERSION_2 or stored.MsgFlags or before is not None:
        broken = groups.number(before, stored, pmo, len(data), core.identifiers.next_id, unit is not None, name)
        warning = warning or broken
    message_context.set_context(connection, handle, stored, pmo, now, put1=put1)
    if stored.ReplyToQ:
        stored.ReplyToQ, stored.ReplyToQMgr = name_resolution.reply_to(core, stored.ReplyToQ, stored.ReplyToQMgr)
    properties = b""
    if pmo.Version >= C.MQPMO_VERSION_3:
        properties, data = resolve_put_properties(
            connection.message_handles, pmo, stored, data, core.catalogue.qmgr.maxpropl
        )
    if core.catalogue.qmgr.maxpropl != C.MQPROP_UNRESTRICTED_LENGTH and may_hold_properties(stored.Format):
        _check_properties(stored, properties, data, core.catalogue.qmgr.maxpropl)
    origin = message_context.passed_origin(connection, pmo)
    if long_put is not None and data is long_put.logged.data and long_put.logged.is_complete:
        message: Message = LongMessage(stored, properties, data, origin, long_put.logged.checksum, long_put.logged)
    else:
        message = Message(stored, properties, data if type(data) is bytes else bytes(data), origin)
    lsn = deliver(core, connection, plan, message, unit, now, APPLICATION)
    if unit is not None and not put1 and handle not in unit.put_groups:
        unit.put_groups[handle] = dict(handle.put_groups)  # a backout restores what was before the first put
    if before is not None or not groups.is_plain(stored):
        logical = bool(options & C.MQPMO_LOGICAL_ORDER)
        state = groups.state_after(stored, len(data), logical=logical, in_unit=unit is not None)
        _note_group(handle, destination, state)
    _return_to_caller(core, md, pmo, stored, destination)
    return warning, lsn


def _check_properties(md: MQMD, properties: bytes, data: bytes, limit: int) -> None:
    """MAXPROPL counts the properties in an MQRFH2 of the data as well."""
    in_data = property_bytes_in_data(data, md.Format, md.CodedCharSetId, md.Encoding)
    if in_data:
        length = in_data + Properties.decode(properties).data_length
        if length > limit:
            raise properties_too_big(length, limit)


def _refusal(core: Core, handle: ObjectHandle, plan: PutPlan, reason: int, way: Way) -> MQError:
    """Nothing can be put there now: what the application is told, and an event if MQ has one."""
    if reason == C.MQRC_PUT_INHIBITED and way.tells_of_inhibition:
        queue_manager_events.put_inhibited(core, handle, plan.destination)
    return plan.refusal(core, reason, handle.object_name)


def open_for_arrival(
    core: Core, connection: Connection, handle: ObjectHandle, destination: Destination, md: MQMD, *, syncpoint: bool
) -> tuple[PutPlan, UnitOfWork | None]:
    """May a message that has come over a channel be put, its descriptor as it is? How, and in which unit of work."""
    name = handle.object_name
    if connection.is_lost:
        raise mq_error(C.MQRC_BACKED_OUT, name, "the queue manager backed the batch out to release log space")
    plan = plan_of(core, destination)
    closed = plan.closed_because(core, C.MQPMO_NONE)
    if closed:
        raise _refusal(core, handle, plan, closed, CHANNEL)
    if md.Report and not destination.is_remote:
        reports.check_options(md, name)
    unit = core.syncpoint_unit(connection, limited=CHANNEL.is_limited) if syncpoint else None
    plan.fill_defaults(core, md, C.MQPMO_NONE, name)
    return plan, unit


def deliver_own(core: Core, destination: Destination, message: Message, unit: UnitOfWork | None, now: float) -> None:
    """Put a message that the queue manager itself has made: see `own_messages`, whose business a refusal is.

    Nobody waits for it to be on disk, unless it is in a unit of work for whose end somebody does.
    """
    plan = plan_of(core, destination)
    closed = plan.closed_because(core, C.MQPMO_NONE)
    if closed:
        raise plan.refusal(core, closed, destination.queue.name)
    if unit is not None and unit.state is UNDOING:
        raise half_undone(core)
    plan.check_persistence(message.md, destination.queue.name)
    deliver(core, None, plan, message, unit, now, OWN)


def _note_group(handle: ObjectHandle, destination: Destination, state: groups.GroupState | None) -> None:
    """Keep what this put leaves unfinished of a group or segmented message."""
    if state is None:
        handle.put_groups.pop(id(destination), None)
    else:
        handle.put_groups[id(destination)] = state


def check_values(md: MQMD, name: str, *, remote: bool) -> int:
    """Refuse values that mean nothing. Returns the reason of a warning."""
    if md.Version not in (C.MQMD_VERSION_1, C.MQMD_VERSION_2):
        raise mq_error(C.MQRC_MD_ERROR, name, "the version of the MQMD is not known; it is 1 or 2")
    check_descriptor(md, name)
    kind = md.MsgType
    if kind not in _MESSAGE_TYPES and not (
        C.MQMT_APPL_FIRST <= kind <= C.MQMT_APPL_LAST or C.MQMT_SYSTEM_FIRST <= kind <= C.MQMT_SYSTEM_LAST
    ):
        raise mq_error(C.MQRC_MSG_TYPE_ERROR, name, f"message type {kind} is not known")
    if md.Persistence not in (0, 1, 2):
        raise mq_error(C.MQRC_PERSISTENCE_ERROR, name, f"persistence {md.Persistence} is not known")
    if md.Priority < C.MQPRI_PRIORITY_AS_Q_DEF:
        raise mq_error(C.MQRC_PRIORITY_ERROR, name, f"priority {md.Priority} is negative")
    if md.Expiry < 1 and md.Expiry != C.MQEI_UNLIMITED:
        raise mq_error(C.MQRC_EXPIRY_ERROR, name, f"expiry {md.Expiry} is neither positive nor MQEI_UNLIMITED")
    report = md.Report
    warning = reports.check_options(md, name, remote=remote) if report else C.MQRC_NONE
    if (kind == C.MQMT_REQUEST or (report and reports.wants_any(report))) and not md.ReplyToQ:
        raise mq_error(C.MQRC_MISSING_REPLY_TO_Q, name, "a request, or a message that asks for reports, needs ReplyToQ")
    if kind == C.MQMT_REPORT and not reports.is_feedback(md.Feedback):
        raise mq_error(C.MQRC_FEEDBACK_ERROR, name, f"feedback {md.Feedback} is not known")
    return warning


def _return_to_caller(core: Core, md: MQMD, pmo: MQPMO, stored: MQMD, destination: Destination) -> None:
    """What MQ returns in the caller's descriptor and options."""
    if md.Version >= C.MQMD_VERSION_2:
        # All of the stored descriptor, but reply queue and flags stay as the application gave them
        reply_to_q, flags = md.ReplyToQ, md.MsgFlags
        md.__dict__ = stored.__dict__.copy()
        md.ReplyToQ, md.MsgFlags = reply_to_q, flags
    else:
        for field in _RETURNED_TO_VERSION_1:
            setattr(md, field, getattr(stored, field))
    if destination.is_remote and not pmo.Options & C.MQPMO_RESOLVE_LOCAL_Q:
        pmo.ResolvedQName, pmo.ResolvedQMgrName = destination.remote_queue, destination.remote_qmgr
    else:
        pmo.ResolvedQName, pmo.ResolvedQMgrName = destination.queue.name, core.qmgr_name
    pmo.KnownDestCount, pmo.UnknownDestCount, pmo.InvalidDestCount = (0, 1, 0) if destination.is_remote else (1, 0, 0)


def deliver(
    core: Core,
    connection: Connection | None,
    plan: PutPlan,
    message: Message,
    unit: UnitOfWork | None,
    now: float,
    way: Way,
    by: Connection | None = None,
) -> int:
    """Put a complete message where it belongs: cut in segments, wrapped for the way, from hand to hand, or stored.

    Returns the log position that the answer depends on: 0 in a unit of work, and where nothing was logged.
    `by` is a channel's agent, if its authority counts for a report that the message has arrived.
    """
    destination, queue = plan.destination, plan.queue
    if message.origin is not None and not message.origin.proven:
        message_origin.check_unproven(core, plan, message)
    if destination.is_remote:
        message = transmission.wrap(core, destination, message)
    md = message.md
    length, properties_length = len(message.data), len(message.properties)
    if (
        length + properties_length > plan.bytes_max
        and md.MsgFlags & C.MQMF_SEGMENTATION_ALLOWED
        and way.may_be_cut
        and not destination.is_remote
    ):
        return _deliver_segments(core, connection, plan, message, unit, now, way, by)
    no_room = plan.no_room_because(length, properties_length)
    if no_room and no_room != C.MQRC_Q_FULL:
        counted = length if no_room == C.MQRC_MSG_TOO_BIG_FOR_Q else length + properties_length
        raise plan.refusal(core, no_room, queue.name, counted)
    wants_coa = md.Report & reports.COA_MASK and not destination.is_remote
    if (
        unit is None
        and queue.waiters
        and not destination.is_remote
        and not wants_coa
        and put_to_waiting_getter.to_waiting_getter(core, queue, message)
    ):
        return 0
    if no_room:
        if core.catalogue.qmgr.perfmev:
            performance_events.queue_full(core, queue)
        raise plan.refusal(core, no_room, queue.name)
    begun = None
    if unit is None and type(message) is LongMessage and message.logged.serves(core, queue, message.logged.unit):
        begun = message.logged.unit
    if wants_coa or begun is not None:
        with core.all_or_nothing(unit, begun=begun) as own:
            _store(core, queue, message, own, now)
            if wants_coa:
                reports.confirm_arrival(core, message, queue, own, now, by)
        return own.end_lsn
    return _store(core, queue, message, unit, now)


def _store(core: Core, queue: QueueState, message: Message, unit: UnitOfWork | None, now: float) -> int:
    md = message.md
    expires = expires_ms(md.Expiry, now)
    priority = min(md.Priority, MAX_PRIORITY)
    lsn = core.put(queue, message, priority, md.Persistence == C.MQPER_PERSISTENT, expires, unit)
    if unit is not None:
        unit.message_count += 1
    return lsn


def _deliver_segments(
    core: Core,
    connection: Connection | None,
    plan: PutPlan,
    message: Message,
    unit: UnitOfWork | None,
    now: float,
    way: Way,
    by: Connection | None,
) -> int:
    """Queue-manager segmentation: all parts or none, in a unit of work of their own if the put has none."""
    limit, name = plan.bytes_max - len(message.properties), plan.queue.name
    if limit < groups.SEGMENT_ALIGNMENT:
        raise mq_error(C.MQRC_MSG_TOO_BIG_FOR_Q, name, "MAXMSGL is too small to cut the message in segments")
    if unit is None and connection is not None and core.in_syncpoint(connection):
        raise mq_error(
            C.MQRC_UOW_NOT_AVAILABLE,
            name,
            "a message that must be cut in segments is put within the unit of work that the connection has",
        )
    with core.all_or_nothing(unit) as own:
        md = message.md
        if md.GroupId == _NO_ID:
            md.GroupId = core.identifiers.next_id()
        was_last = not md.MsgFlags & C.MQMF_SEGMENT or md.MsgFlags & C.MQMF_LAST_SEGMENT
        start = 0
        lengths = groups.segment_lengths(len(message.data), limit)
        for index, length in enumerate(lengths):
            part = md.copy()
            part.MsgFlags |= C.MQMF_SEGMENT
            if index == len(lengths) - 1 and was_last:
                part.MsgFlags |= C.MQMF_LAST_SEGMENT
            else:
                part.MsgFlags &= ~C.MQMF_LAST_SEGMENT
            part.Offset = md.Offset + start
            part.OriginalLength = C.MQOL_UNDEFINED
            piece = Message(part, message.properties, message.data[start : start + length], message.origin)
            deliver(core, connection, plan, piece, own, now, way, by)
            start += length
    return own.end_lsn
