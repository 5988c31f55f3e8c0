"""MQGET: find, hand out, remove; browse, lock, mark; wait.

`get` returns a result, or a Waiter that a later event completes: a message that comes, or a search that takes more than
a slice and goes on in its turn (`searching`, `state.turns`). A message is removed only when nothing more can go wrong
with the call: a buffer that is too small, a full unit of work or an answer that cannot be made leaves it where it is.
So what the caller gets is made on copies first, its answer on the wire too (`PackReply`); then the message is taken;
and then the copies take their places, which cannot fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from libremq.kernel.conversion.convert_message import convert
from libremq.kernel.events import queue_manager_events
from libremq.kernel.messages.descriptor_extension import with_extension
from libremq.kernel.messages.time_to_live import time_left
from libremq.kernel.objects.object_types import AliasQueue, LocalQueue, MQObject
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_delivery import may_hold_properties, present
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import FAILURES, PASSING, as_mq_error, unexpected
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import UnitOfWork
from libremq.kernel.state.waiting_gets import (
    BROWSES,
    GENERAL,
    SPECIFIC,
    WHATEVER_COMES,
    Got,
    Ids,
    PackReply,
    Waiter,
    no_message,
)
from libremq.kernel.verbs import expiry, groups, reports
from libremq.kernel.verbs.matching import GROUP_OPTIONS, MORE, Wanted, first, reach, takes_any
from libremq.kernel.verbs.searching import Search
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD
from libremq.store.space_handles import LINKED, NONE, PERSISTENT
from libremq.store.stored_message import Message

_SYNCPOINTS = C.MQGMO_SYNCPOINT | C.MQGMO_NO_SYNCPOINT | C.MQGMO_SYNCPOINT_IF_PERSISTENT
_MOVING = C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT
_BROWSE = _MOVING | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
_PLACES = _BROWSE | C.MQGMO_MSG_UNDER_CURSOR
_UNDER_CURSOR = C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
_MARKS = C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_MARK_BROWSE_CO_OP
_UNMARKS = C.MQGMO_UNMARK_BROWSE_CO_OP | C.MQGMO_UNMARK_BROWSE_HANDLE
_ALL_MARKS = _MARKS | _UNMARKS | C.MQGMO_UNMARKED_BROWSE_MSG
_HANDLE_MARKS = C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_UNMARK_BROWSE_HANDLE
_CO_OP_MARKS = C.MQGMO_MARK_BROWSE_CO_OP | C.MQGMO_UNMARK_BROWSE_CO_OP
_PROPERTIES = (
    C.MQGMO_PROPERTIES_FORCE_MQRFH2
    | C.MQGMO_NO_PROPERTIES
    | C.MQGMO_PROPERTIES_IN_HANDLE
    | C.MQGMO_PROPERTIES_COMPATIBILITY
)
_KNOWN = (
    _SYNCPOINTS | _BROWSE | _MARKS | _UNMARKS | _PROPERTIES | C.MQGMO_WAIT | C.MQGMO_ACCEPT_TRUNCATED_MSG
    | C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_LOCK | C.MQGMO_UNLOCK | C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_CONVERT
    | C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_ALL_SEGMENTS_AVAILABLE
    | C.MQGMO_UNMARKED_BROWSE_MSG
)  # fmt: skip
# These with one of the syncpoint options need no look at what they may be combined with
_SIMPLE = C.MQGMO_WAIT | C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_CONVERT | C.MQGMO_ACCEPT_TRUNCATED_MSG | _PROPERTIES
_ONE_SYNCPOINT = (C.MQGMO_SYNCPOINT, C.MQGMO_NO_SYNCPOINT, C.MQGMO_SYNCPOINT_IF_PERSISTENT)
_MATCHES = (
    C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID | C.MQMO_MATCH_GROUP_ID | C.MQMO_MATCH_MSG_SEQ_NUMBER
    | C.MQMO_MATCH_OFFSET | C.MQMO_MATCH_MSG_TOKEN
)  # fmt: skip


class Unfinished:
    """Said of a try that has used up its slice and goes on in another one."""


UNFINISHED = Unfinished()


def get(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    md: MQMD,
    gmo: MQGMO,
    buffer_length: int | None = None,
    pack: PackReply | None = None,
) -> Got | Waiter:
    """MQGET. A buffer length of None means that any message fits; `pack` makes the `reply` of the result."""
    queue = _checked(core, handle, md, gmo)
    options = gmo.Options
    if options & C.MQGMO_UNLOCK:
        unlocked = _unlock(core, handle, queue)
        if pack is not None:
            unlocked.reply = packed(pack, handle, queue, md, gmo, unlocked)
        return unlocked
    if options & C.MQGMO_SYNCPOINT:
        core.syncpoint_unit(connection)  # a unit of work that is full says so before the message is looked for
    search = _search_for(core, handle, queue, md, gmo)
    result = attempt(core, connection, handle, queue, md, gmo, buffer_length, search, pack=pack)
    if isinstance(result, Got):
        return result
    waits = bool(options & C.MQGMO_WAIT and gmo.WaitInterval)
    if isinstance(result, Unfinished):
        waiter = _waiter(core, handle, queue, md, gmo, buffer_length, search, pack, waits=waits)
        _go_on_later(core, waiter)
        return waiter
    _leave_lock(core, handle, queue, options)
    if waits:
        return _waiter(core, handle, queue, md, gmo, buffer_length, search, pack)
    raise no_message(queue)


def get_if_found(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    md: MQMD,
    gmo: MQGMO,
    buffer_length: int | None = None,
    search: Search | None = None,
    pack: PackReply | None = None,
) -> Got | Search | Unfinished:
    """MQGET for one who looks again by itself, as channels and consumers do, instead of waiting.

    If it is unfinished, the next time is to be told how it searched: one slice follows the other.
    """
    queue = _checked(core, handle, md, gmo)
    if gmo.Options & C.MQGMO_SYNCPOINT:
        core.syncpoint_unit(connection)
    search = search or _search_for(core, handle, queue, md, gmo)
    result = attempt(core, connection, handle, queue, md, gmo, buffer_length, search, pack=pack)
    if result is None:
        _leave_lock(core, handle, queue, gmo.Options)
        raise no_message(queue)
    return search if isinstance(result, Unfinished) and search is not None else result


def _search_for(core: Core, handle: ObjectHandle, queue: QueueState, md: MQMD, gmo: MQGMO) -> Search | None:
    """How the message is looked for; None if it is the first there is, or the one under the cursor."""
    if gmo.Options & _UNDER_CURSOR or takes_any(handle, md, gmo):
        return None
    return Search(core, handle, queue, md, gmo)


def _leave_lock(core: Core, handle: ObjectHandle, queue: QueueState, options: int) -> None:
    """Nothing was found, and the cursor was to leave the locked message."""
    if handle.locked and options & _MOVING:
        _release(core, handle, queue)


def _waiter(
    core: Core,
    handle: ObjectHandle,
    queue: QueueState,
    md: MQMD,
    gmo: MQGMO,
    buffer_length: int | None,
    search: Search | None,
    pack: PackReply | None,
    *,
    waits: bool = True,
) -> Waiter:
    if search is None and not gmo.Options & _BROWSE:
        return Waiter(core, handle, queue, md, gmo, buffer_length, GENERAL, WHATEVER_COMES, pack=pack, waits=waits)
    search = search or Search(core, handle, queue, md, gmo)
    wanted = search.wanted
    ids: Ids | None = None
    if not gmo.Options & GROUP_OPTIONS and wanted.token is None:  # else one message may make another one available
        told = wanted.ids
        if told != WHATEVER_COMES:
            ids = told
    return Waiter(core, handle, queue, md, gmo, buffer_length, _rank(wanted), ids, search, pack, waits=waits)


def _rank(wanted: Wanted) -> int:
    """Whose turn it is when a message comes; a browse that locks takes the message from others like a get."""
    if wanted.options & _BROWSE and not wanted.options & C.MQGMO_LOCK:
        return BROWSES
    return SPECIFIC if wanted.specific else GENERAL


def _checked(core: Core, handle: ObjectHandle, md: MQMD, gmo: MQGMO) -> QueueState:
    """Everything that can be wrong with the call itself."""
    name, options = handle.object_name, gmo.Options
    queue = handle.queue
    if not 1 <= gmo.Version <= C.MQGMO_CURRENT_VERSION:
        raise mq_error(C.MQRC_GMO_ERROR, name, f"MQGMO version {gmo.Version} is not known")
    if md.Version not in (C.MQMD_VERSION_1, C.MQMD_VERSION_2):
        raise mq_error(C.MQRC_MD_ERROR, name, f"MQMD version {md.Version} is not known")
    if options & ~_KNOWN:
        raise mq_error(C.MQRC_OPTIONS_ERROR, name, f"unknown get options {options & ~_KNOWN:#x}")
    _check_together(handle, gmo, name)
    if options & _PLACES and not handle.has(C.MQOO_BROWSE):
        raise mq_error(C.MQRC_NOT_OPEN_FOR_BROWSE, name, "open it with MQOO_BROWSE to browse")
    may_read = handle.is_input or (options & (_BROWSE | C.MQGMO_UNLOCK) and handle.has(C.MQOO_BROWSE))
    if queue is None or not may_read:
        raise mq_error(C.MQRC_NOT_OPEN_FOR_INPUT, name, "open it with an MQOO_INPUT_* option to get")
    if options & C.MQGMO_BROWSE_NEXT and handle.browse_logical not in (None, bool(options & C.MQGMO_LOGICAL_ORDER)):
        raise mq_error(
            C.MQRC_INCONSISTENT_BROWSE, name, "the browse changes between logical and physical order: begin it anew"
        )
    if queue.deleted:
        raise mq_error(C.MQRC_Q_DELETED, name, "the dynamic queue no longer exists")
    if core.quiescing and options & C.MQGMO_FAIL_IF_QUIESCING:
        raise mq_error(C.MQRC_Q_MGR_QUIESCING, core.qmgr_name)
    inhibited = get_inhibited(handle, queue)
    if inhibited:
        queue_manager_events.get_inhibited(core, handle)
        raise mq_error(C.MQRC_GET_INHIBITED, inhibited, "GET(DISABLED) on this definition")
    if gmo.WaitInterval < 0 and gmo.WaitInterval != C.MQWI_UNLIMITED and options & C.MQGMO_WAIT:
        raise mq_error(C.MQRC_WAIT_INTERVAL_ERROR, name, f"wait interval {gmo.WaitInterval} is negative")
    return queue


def get_inhibited(handle: ObjectHandle, queue: QueueState) -> str:
    """The name of the definition that forbids gets, or an empty string."""
    if queue.definition.get == C.MQQA_GET_INHIBITED:
        return queue.name
    obj = handle.obj
    if isinstance(obj, AliasQueue) and obj.get == C.MQQA_GET_INHIBITED:
        return obj.name
    return ""


def _check_together(handle: ObjectHandle, gmo: MQGMO, name: str) -> None:
    """Options that exclude or need each other."""
    options = gmo.Options
    if options & ~_SIMPLE and options & ~_SIMPLE not in _ONE_SYNCPOINT:
        places, syncpoints, browse = options & _PLACES, options & _SYNCPOINTS, options & _BROWSE
        wrong = (
            places & (places - 1)
            or syncpoints & (syncpoints - 1)
            or (browse and options & (C.MQGMO_SYNCPOINT | C.MQGMO_SYNCPOINT_IF_PERSISTENT))
            or (options & C.MQGMO_COMPLETE_MSG and options & C.MQGMO_SYNCPOINT_IF_PERSISTENT)
            or (options & (C.MQGMO_LOCK | _ALL_MARKS) and not browse)
            or (options & C.MQGMO_UNLOCK and options & ~(C.MQGMO_UNLOCK | C.MQGMO_NO_SYNCPOINT))
            or (options & _ALL_MARKS and options & (C.MQGMO_LOCK | GROUP_OPTIONS))
            or (options & _UNMARKS and options & C.MQGMO_UNMARKED_BROWSE_MSG)
            or options & _HANDLE_MARKS == _HANDLE_MARKS
            or options & _CO_OP_MARKS == _CO_OP_MARKS
            or (options & _CO_OP_MARKS and not handle.has(C.MQOO_CO_OP))
        )
        if wrong:
            raise mq_error(C.MQRC_OPTIONS_ERROR, name, "get options exclude each other, or one needs another")
    if gmo.Version >= C.MQGMO_VERSION_2 and gmo.MatchOptions & ~_MATCHES:
        raise mq_error(C.MQRC_MATCH_OPTIONS_ERROR, name, f"match options {gmo.MatchOptions:#x} are not all known")
    if gmo.Version < C.MQGMO_VERSION_3 and gmo.Version >= 2 and gmo.MatchOptions & C.MQMO_MATCH_MSG_TOKEN:
        raise mq_error(C.MQRC_MATCH_OPTIONS_ERROR, name, "a match by message token needs MQGMO version 3")


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
    browse = options & _BROWSE
    current: groups.GroupState | None = None
    if options & _UNDER_CURSOR:
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
    out_gmo = _filled(queue, slot, md, out_md, gmo, got, messages[0], whole)
    if pack is not None:
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
    md.__dict__, gmo.__dict__ = out_md.__dict__, out_gmo.__dict__
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
    if not options & _BROWSE and before is not None and before.logical and not logical and not got.reason:
        got.reason = before.broken_by(message.md, in_unit, numbered=True, put=False)
        got.comp_code = C.MQCC_WARNING if got.reason else C.MQCC_OK
    return state


def note_group(handle: ObjectHandle, options: int, state: groups.GroupState | None) -> None:
    """Keep what a get or browse has left unfinished."""
    if options & C.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        return
    if options & _BROWSE:
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
    if hmsg or options & _PROPERTIES or message.properties or may_hold_properties(out.Format):
        properties = Properties.decode(message.properties) if message.properties else None
        data, out.Format, out.CodedCharSetId, out.Encoding, for_handle = present(
            properties, out.Format, out.CodedCharSetId, out.Encoding, data,
            gmo_options=options & _PROPERTIES, propctl=handle.propctl, has_handle=bool(hmsg),
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


def _filled(
    queue: QueueState, slot: int, md: MQMD, out: MQMD, gmo: MQGMO, got: Got, message: Message, whole: bool
) -> MQGMO:
    """Make `out` the descriptor that the caller gets back; the options that it gets back."""
    out.Version = md.Version
    if whole:
        out.Offset = 0
        out.MsgFlags |= C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT  # the only one
        out.OriginalLength = C.MQOL_UNDEFINED
    filled = gmo.copy()
    filled.ResolvedQName = queue.name
    if gmo.Version >= C.MQGMO_VERSION_2:
        groups.fill_status(filled, message.md, whole)
    if gmo.Version >= C.MQGMO_VERSION_3:
        filled.MsgToken = queue.token(slot)
        filled.ReturnedLength = len(got.data)
    return filled


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
    if options & _MOVING:
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


def _release(core: Core, handle: ObjectHandle, queue: QueueState) -> None:
    for slot in list(handle.locked):
        queue.release_lock(slot)
    core.on_arrival({queue: ()})


def _unlock(core: Core, handle: ObjectHandle, queue: QueueState) -> Got:
    if not handle.locked:
        return Got(b"", 0, C.MQCC_WARNING, C.MQRC_NO_MSG_LOCKED, lsn=0)
    _release(core, handle, queue)
    return Got(b"", 0, lsn=0)


# Waking those who wait


def cancel_inhibited(core: Core, definition: MQObject | None) -> None:
    """A definition changed: a wait ends when gets are inhibited, whatever is on the queue."""
    waiters: list[Waiter] = []
    if isinstance(definition, LocalQueue) and definition.name in core.queues:
        waiters = list(core.queues[definition.name].waiters)
    elif isinstance(definition, AliasQueue):
        waiters = [waiter for handle in core.alias_handles.get(definition.name, ()) for waiter in handle.waiters]
    for waiter in waiters:
        inhibited = get_inhibited(waiter.handle, waiter.queue)
        if inhibited:
            queue_manager_events.get_inhibited(waiter.core, waiter.handle)
            waiter.fail(mq_error(C.MQRC_GET_INHIBITED, inhibited, "GET(DISABLED) was set while the get waited"))


def serve_waiters(core: Core, queue: QueueState, slots: Sequence[int] = ()) -> None:
    """Let the waiting gets try, each in its turn: the messages in these slots became available, or none knows which.

    Whoever waits has found nothing, so nothing but what has just come can be for it. Whoever is still looking hears of
    it by itself. When the work of a slice is done, those who follow go on in theirs, in the same order.
    """
    left = core.turns.slice
    for waiter in _in_turn(queue, slots):
        if not len(queue.store.chains):
            return
        if waiter.done or waiter.unfinished:
            continue
        search = _search_of(waiter)
        if search is not None:
            if slots:
                search.note_all(slots)
            else:
                search.begin_anew()
        if left <= 0:
            _go_on_later(core, waiter)
            continue
        try:
            result = _attempt(core, waiter, left)
        except PASSING as error:
            waiter.fail(as_mq_error(error, core.qmgr_name))
            continue
        if search is not None:
            left = search.left
        if isinstance(result, Unfinished):
            _go_on_later(core, waiter)


def _search_of(waiter: Waiter) -> Search | None:
    search = waiter.search
    assert search is None or isinstance(search, Search)
    return search


def _attempt(core: Core, waiter: Waiter, left: int | None = None) -> Got | Unfinished | None:
    """One try of a waiting get, which ends it if it comes to a result, or goes wrong."""
    handle = waiter.handle
    waiter.tries = True
    try:
        result = attempt(
            core, handle.connection, handle, waiter.queue, waiter.md, waiter.gmo, waiter.buffer_length,
            _search_of(waiter), left, waiter.pack,
        )  # fmt: skip
    except MQError as error:
        waiter.fail(error)
        return None
    except FAILURES:
        raise
    except Exception as error:
        waiter.fail(unexpected(error, waiter.queue.name))  # it is not the fault of whoever has put the message
        return None
    finally:
        waiter.tries = False
    if isinstance(result, Got):
        waiter.complete(result)
    return result


def _go_on_later(core: Core, waiter: Waiter) -> None:
    """It has more to look at than this call may take: the rest has its turn. Those who take any have one in common."""
    search = _search_of(waiter)
    if search is not None:
        search.watch()
        waiter.turn = SearchTurn(core, waiter)
        core.turns.add(waiter.turn)
    elif waiter.queue.takers_turn is None:
        waiter.queue.takers_turn = TakersTurn(core, waiter.queue)
        core.turns.add(waiter.queue.takers_turn)


class SearchTurn:
    """The search of one get, in slices."""

    __slots__ = ("_core", "_waiter")

    def __init__(self, core: Core, waiter: Waiter) -> None:
        self._core = core
        self._waiter = waiter

    def go_on(self) -> bool:
        waiter = self._waiter
        result = _attempt(self._core, waiter)
        if waiter.done:
            return False
        if isinstance(result, Unfinished):
            return True
        waiter.turn = None
        _leave_lock(self._core, waiter.handle, waiter.queue, waiter.gmo.Options)
        if not waiter.waits and not waiter.done:
            waiter.give_up()
        return False

    def fail(self, error: MQError) -> None:
        self._waiter.fail(error)


@dataclass(frozen=True)
class TellAgain:
    """Whoever empties a queue by itself is to look again, when others had their turn."""

    core: Core
    queue: QueueState

    def go_on(self) -> bool:
        self.core.woken.add(self.queue.notified)
        return False

    def fail(self, error: MQError) -> None:
        """Nothing in it can fail."""


class TakersTurn:
    """Those who take whatever comes first from a queue, when too much before it has expired."""

    __slots__ = ("_core", "_queue")

    def __init__(self, core: Core, queue: QueueState) -> None:
        self._core = core
        self._queue = queue

    def go_on(self) -> bool:
        queue = self._queue
        for waiter in queue.waiters.takers():
            result = None if waiter.done else _attempt(self._core, waiter)
            if isinstance(result, Unfinished):
                return True
            if result is None and not waiter.done and not queue.locks:
                break  # nothing is left for the others either
        queue.takers_turn = None
        for waiter in queue.waiters.takers():
            if not waiter.waits:
                waiter.give_up()
        return False

    def fail(self, error: MQError) -> None:
        self._queue.takers_turn = None
        for waiter in self._queue.waiters.takers():
            waiter.fail(error)


def _in_turn(queue: QueueState, slots: Sequence[int]) -> Iterator[Waiter]:
    waiters = queue.waiters
    if queue.locks:
        return iter(waiters.everybody())  # what is locked for one is there for the handle that has locked it
    if not slots or len(slots) > len(waiters):
        return waiters.in_turn()
    handles = queue.store.handles
    return waiters.in_turn([(handles.message_hash[slot], handles.correl_hash[slot]) for slot in slots])
