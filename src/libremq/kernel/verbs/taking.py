"""One try of a get: find the message, make its answer, take it; or stand on it, lock and mark it, for a browse.

A message is removed only when nothing more can go wrong with the call: a buffer that is too small, a full unit of work
or an answer that cannot be made leaves it where it is. So what the caller gets is made on copies first, its answer on
the wire too (`PackReply`); then the message is taken; and then the copies take their places, which cannot fail.
"""

from __future__ import annotations

from libremq.kernel.conversion.convert_message import convert
from libremq.kernel.messages.descriptor_extension import with_extension
from libremq.kernel.messages.time_to_live import time_left
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_delivery import may_hold_properties, present
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import unexpected
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import UnitOfWork
from libremq.kernel.state.waiting_gets import Got, PackReply, no_message
from libremq.kernel.verbs import expiry, groups, reports
from libremq.kernel.verbs.matching import MORE, first, reach, takes_any
from libremq.kernel.verbs.searching import Search
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD
from libremq.store.space_handles import LINKED, NONE, PERSISTENT
from libremq.store.stored_message import Message

MOVING = C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT
BROWSE = MOVING | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
UNDER_CURSOR = C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
PROPERTIES = (
    C.MQGMO_PROPERTIES_FORCE_MQRFH2
    | C.MQGMO_NO_PROPERTIES
    | C.MQGMO_PROPERTIES_IN_HANDLE
    | C.MQGMO_PROPERTIES_COMPATIBILITY
)


class Unfinished:
    """Said of a try that has used up its slice and goes on in another one."""


UNFINISHED = Unfinished()


# Looking for the message


def attempt(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    queue: QueueState,
    md: MQMD,
    gmo: MQGMO,
    buffer_length: int | None,
    search: Search | None,
    left: int | None = None,
    pack: PackReply | None = None,
) -> Got | Unfinished | None:
    """One try, with so much work `left` for it, or a slice; None if no message fits at this moment."""
    options = gmo.Options
    browse = options & BROWSE
    current: groups.GroupState | None = None
    if options & UNDER_CURSOR:
        slot = _under_cursor(core, handle, queue, options)
    elif search is None:
        slot = first(core, handle, queue)
    else:
        slot = search.go_on(core.turns.slice if left is None else left)
    if slot == NONE:
        return None
    if slot == MORE:
        return UNFINISHED
    if search is not None:
        wanted = search.wanted
        current = wanted.current
        if wanted.demands is not None:
            wanted.check_demands(queue.store.descriptor(slot), queue.name)
    slots, torn = [slot], C.MQRC_NONE
    if options & C.MQGMO_COMPLETE_MSG:
        segments = reach(core, handle, queue).segments_of(slot)
        if segments is None:  # under the cursor only: a search looks for this
            raise no_message(queue)
        slots, torn = groups.alike(queue, segments)
    whole = len(slots) > 1 and not torn
    messages = [queue.store.message(part) for part in slots]
    unit = None if browse else _unit_for(core, connection, queue, slots, options)
    if current is not None and not browse and current.in_unit != (unit is not None):
        raise mq_error(
            C.MQRC_INCONSISTENT_UOW, queue.name, "a group is got inside a unit of work as a whole or not at all"
        )
    got, out_md = _prepare(core, connection, handle, queue, slots, messages, md, gmo, buffer_length)
    if torn and not got.reason:
        got.comp_code, got.reason = C.MQCC_WARNING, torn
    failed = got.reason == C.MQRC_TRUNCATED_MSG_FAILED
    grouped, group = False, None
    if not failed and (
        handle.get_group is not None or handle.browse_group is not None or not groups.is_plain(messages[0].md)
    ):
        part = messages[-1] if torn else messages[0]
        grouped, group = True, group_after(handle, part, options, got, in_unit=unit is not None, whole=whole)
    _fill_descriptor(out_md, md.Version, whole)
    token = queue.token(slot) if gmo.Version >= C.MQGMO_VERSION_3 else b""
    if pack is not None:
        out_gmo = gmo.copy()
        _fill_options(out_gmo, queue.name, token, got, messages[0], whole)
        got.reply = packed(pack, handle, queue, out_md, out_gmo, got)
    taken = 0
    if not failed:
        if browse:
            _stand_on(core, handle, queue, slots, options)
            handle.read_origin = messages[0].origin
        else:
            taken = _remove(core, queue, slots, messages, unit)
            if handle.has(C.MQOO_SAVE_ALL_CONTEXT):
                handle.save_context(messages[0])
        if unit is not None and handle not in unit.get_groups:
            unit.get_groups[handle] = handle.get_group  # a backout restores what was before the first get
        if grouped:
            note_group(handle, options, group)
    visible = queue.visible_lsn  # whoever sees a message sees it with all that made it visible
    got.lsn = taken if taken > visible else visible
    md.__dict__ = out_md.__dict__
    _fill_options(gmo, queue.name, token, got, messages[0], whole)
    return got


def next_is_nonpersistent(core: Core, handle: ObjectHandle, md: MQMD, gmo: MQGMO) -> bool:
    """Is the message that a get without wishes would take there, and not persistent?"""
    queue = handle.queue
    if queue is None or queue.deleted or not takes_any(handle, md, gmo):
        return False
    slot = first(core, handle, queue)
    return slot >= 0 and not queue.store.handles.flags[slot] & PERSISTENT


def _under_cursor(core: Core, handle: ObjectHandle, queue: QueueState, options: int) -> int:
    cursor = handle.cursor
    if cursor is None or not cursor.on_message or not queue.store.handles.flags[cursor.slot] & LINKED:
        raise mq_error(C.MQRC_NO_MSG_UNDER_CURSOR, queue.name, "browse a message first; it may have been got since")
    slot = cursor.slot
    if queue.locks.get(slot, handle) is not handle:
        raise mq_error(C.MQRC_NO_MSG_UNDER_CURSOR, queue.name, "another handle has locked the message")
    if 0 < queue.store.handles.expiry_ms[slot] <= int(core.clock.now() * 1000):
        expiry.discard(core, queue, slot)
        raise mq_error(C.MQRC_NO_MSG_UNDER_CURSOR, queue.name, "the message has expired")
    if options & C.MQGMO_COMPLETE_MSG and queue.store.descriptor(slot).Offset:
        raise mq_error(
            C.MQRC_INVALID_MSG_UNDER_CURSOR, queue.name, "the cursor is not on the first segment of the message"
        )
    return slot


def _unit_for(
    core: Core, connection: Connection, queue: QueueState, slots: list[int], options: int
) -> UnitOfWork | None:
    """The unit of work in which the get removes the message; None for a get outside syncpoint."""
    if options & C.MQGMO_SYNCPOINT:
        return core.syncpoint_unit(connection)
    if options & C.MQGMO_SYNCPOINT_IF_PERSISTENT and queue.store.handles.flags[slots[0]] & PERSISTENT:
        return core.syncpoint_unit(connection)
    if len(slots) > 1 and core.in_syncpoint(connection) and queue.store.handles.flags[slots[0]] & PERSISTENT:
        raise mq_error(
            C.MQRC_UOW_NOT_AVAILABLE,
            queue.name,
            "a persistent message in segments is got within the unit of work that the connection has",
        )
    return None


def group_after(
    handle: ObjectHandle, message: Message, options: int, got: Got, *, in_unit: bool = False, whole: bool = False
) -> groups.GroupState | None:
    """What this get or browse will leave unfinished; warns if it breaks off what the one before left."""
    logical = bool(options & C.MQGMO_LOGICAL_ORDER)
    state = groups.state_after(message.md, len(message.data), logical=logical, in_unit=in_unit, whole=whole)
    before = handle.get_group
    if not options & BROWSE and before is not None and before.logical and not logical and not got.reason:
        got.reason = before.broken_by(message.md, in_unit, numbered=True, put=False)
        got.comp_code = C.MQCC_WARNING if got.reason else C.MQCC_OK
    return state


def note_group(handle: ObjectHandle, options: int, state: groups.GroupState | None) -> None:
    """Keep what a get or browse has left unfinished."""
    if options & C.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        return
    if options & BROWSE:
        handle.browse_group = state
    else:
        handle.get_group = state


# Handing it out


def _prepare(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    queue: QueueState,
    slots: list[int],
    messages: list[Message],
    md: MQMD,
    gmo: MQGMO,
    buffer_length: int | None,
) -> tuple[Got, MQMD]:
    """The data and descriptor as this application wants to see them; nothing is changed yet."""
    slot, message = slots[0], messages[0]
    store = queue.store
    out = message.md.copy()
    if store.handles.expiry_ms[slot]:
        out.Expiry = time_left(store.handles.expiry_ms[slot], core.clock.now(), out.Expiry)
    out.BackoutCount = store.backout_count(slot)
    data = message.data if len(messages) == 1 else b"".join([part.data for part in messages])
    return shape(core, connection, handle, message, out, data, md, gmo, buffer_length)


def shape(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    message: Message,
    out: MQMD,
    data: bytes,
    md: MQMD,
    gmo: MQGMO,
    buffer_length: int | None,
) -> tuple[Got, MQMD]:
    """Properties in the form asked for, descriptor extension for old callers, conversion, truncation."""
    options = gmo.Options
    hmsg = gmo.MsgHandle if gmo.Version >= C.MQGMO_VERSION_4 else 0
    for_handle: Properties | None = None
    if hmsg or options & PROPERTIES or message.properties or may_hold_properties(out.Format):
        properties = Properties.decode(message.properties) if message.properties else None
        data, out.Format, out.CodedCharSetId, out.Encoding, for_handle = present(
            properties, out.Format, out.CodedCharSetId, out.Encoding, data,
            gmo_options=options & PROPERTIES, propctl=handle.propctl, has_handle=bool(hmsg),
        )  # fmt: skip
    if md.Version < C.MQMD_VERSION_2:
        data = with_extension(out, data, core.catalogue.qmgr.ccsid)
    comp_code, reason = C.MQCC_OK, C.MQRC_NONE
    length = len(data)
    fits = buffer_length is None or length <= buffer_length
    if options & C.MQGMO_CONVERT and (fits or options & C.MQGMO_ACCEPT_TRUNCATED_MSG):
        converted = convert(
            data, out.Format, out.Encoding, out.CodedCharSetId, md.Encoding, md.CodedCharSetId,
            buffer_length=buffer_length, accept_truncated=bool(options & C.MQGMO_ACCEPT_TRUNCATED_MSG),
            truncated=out.MsgType == C.MQMT_REPORT, q_mgr_ccsid=core.catalogue.qmgr.ccsid,
        )  # fmt: skip
        comp_code, reason = converted.comp_code, converted.reason
        if reason == C.MQRC_TRUNCATED_MSG_ACCEPTED:
            length = max(length, len(converted.data))
        else:
            length = len(converted.data)
        data, out.CodedCharSetId, out.Encoding = converted.data, converted.ccsid, converted.encoding
        fits = buffer_length is None or len(data) <= buffer_length
    if not fits:
        comp_code = C.MQCC_WARNING
        accepted = options & C.MQGMO_ACCEPT_TRUNCATED_MSG
        reason = reason or (C.MQRC_TRUNCATED_MSG_ACCEPTED if accepted else C.MQRC_TRUNCATED_MSG_FAILED)
        data = data[:buffer_length]
    if hmsg and reason != C.MQRC_TRUNCATED_MSG_FAILED:
        target = connection.message_handles.get(hmsg)
        if for_handle is not None:
            target.receive(out, for_handle)
    return Got(data, length, comp_code, reason, origin=message.origin), out


def _fill_descriptor(out: MQMD, version: int, whole: bool) -> None:
    """Make it the descriptor that the caller gets back."""
    out.Version = version
    if whole:
        out.Offset = 0
        out.MsgFlags |= C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT  # the only one
        out.OriginalLength = C.MQOL_UNDEFINED


def _fill_options(gmo: MQGMO, name: str, token: bytes, got: Got, message: Message, whole: bool) -> None:
    """What the caller gets back in its options. Nothing here can fail: the message may be taken already."""
    gmo.ResolvedQName = name
    version = gmo.Version
    if version >= C.MQGMO_VERSION_2:
        groups.fill_status(gmo, message.md, whole)
        if version >= C.MQGMO_VERSION_3:
            gmo.MsgToken = token
            gmo.ReturnedLength = len(got.data)


def packed(pack: PackReply, handle: ObjectHandle, queue: QueueState, md: MQMD, gmo: MQGMO, got: Got) -> bytes:
    """The binding's answer. MQRC_UNEXPECTED_ERROR if it cannot be made: that is told instead of the message."""
    try:
        return pack(handle.hobj, md, gmo, got)
    except MQError:
        raise
    except Exception as error:
        raise unexpected(error, queue.name) from error


def _remove(core: Core, queue: QueueState, slots: list[int], messages: list[Message], unit: UnitOfWork | None) -> int:
    """Take the message, or all segments of one, with its report; in the unit of work or at once. The log position."""
    wants_report = messages[0].md.Report & reports.COD_MASK
    if len(slots) == 1 and not wants_report:
        lsn = core.take(queue, slots[0], unit)
        if unit is not None:
            unit.message_count += 1
        return lsn
    with core.all_or_nothing(unit) as own:
        for slot in slots:
            core.take(queue, slot, own)
        own.message_count += len(slots)
        if wants_report:
            reports.confirm_delivery(core, messages[0], queue, own, core.clock.now())
    return own.end_lsn


# Browsing: cursor, lock, marks


def _stand_on(core: Core, handle: ObjectHandle, queue: QueueState, slots: list[int], options: int) -> None:
    """The browse succeeded: cursor, lock and marks as it asked. The lock of an earlier browse ends with it."""
    slot = slots[0]
    cursor = handle.cursor
    if cursor is None or cursor.slot != slot or not cursor.on_message:
        handle.cursor = queue.place_cursor(cursor, slot)
    if options & MOVING:
        logical = bool(options & C.MQGMO_LOGICAL_ORDER)
        handle.browse_logical = logical
        if logical and groups.current(handle, options) is None:
            handle.group_cursor = queue.place_cursor(handle.group_cursor, slot)
    freed = [locked for locked in handle.locked if not options & C.MQGMO_LOCK or locked not in slots]
    for locked in freed:
        queue.release_lock(locked)
    if options & C.MQGMO_LOCK:
        queue.lock(slots, handle)
    if options & C.MQGMO_MARK_BROWSE_HANDLE:
        queue.mark(slot, handle)
    if options & C.MQGMO_MARK_BROWSE_CO_OP:
        queue.coop_marks[slot] = core.clock.monotonic()
    if options & C.MQGMO_UNMARK_BROWSE_HANDLE:
        queue.unmark(slot, handle)
    if options & C.MQGMO_UNMARK_BROWSE_CO_OP:
        queue.unmark_for_all(slot)
    if freed or options & C.MQGMO_UNMARK_BROWSE_CO_OP:
        core.on_arrival({queue: ()})
