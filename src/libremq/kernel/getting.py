"""MQGET: find, hand out, remove; browse, lock, mark; wait.

`get` returns a result, or a Waiter that a later event completes. A message is removed only when nothing more can go
wrong with the call: a buffer that is too small or a full unit of work leaves it where it is.
"""

from __future__ import annotations

from libremq.kernel import expiry, groups, reports
from libremq.kernel.connection import Connection, ObjectHandle
from libremq.kernel.conversion import convert
from libremq.kernel.core import Core
from libremq.kernel.descriptor_extension import with_extension
from libremq.kernel.matching import Wanted, find
from libremq.kernel.objects import AliasQueue
from libremq.kernel.properties import Properties
from libremq.kernel.property_delivery import present
from libremq.kernel.queues import QueueState
from libremq.kernel.units import UnitOfWork
from libremq.kernel.waiting import Got, Waiter
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD
from libremq.store.handles import LINKED, NONE, PERSISTENT
from libremq.store.message import Message

_SYNCPOINTS = C.MQGMO_SYNCPOINT | C.MQGMO_NO_SYNCPOINT | C.MQGMO_SYNCPOINT_IF_PERSISTENT
_BROWSE = C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
_MARKS = C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_MARK_BROWSE_CO_OP
_UNMARKS = C.MQGMO_UNMARK_BROWSE_CO_OP | C.MQGMO_UNMARK_BROWSE_HANDLE
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
_GROUP_OPTIONS = (
    C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_ALL_SEGMENTS_AVAILABLE
)
_MATCHES = (
    C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID | C.MQMO_MATCH_GROUP_ID | C.MQMO_MATCH_MSG_SEQ_NUMBER
    | C.MQMO_MATCH_OFFSET | C.MQMO_MATCH_MSG_TOKEN
)  # fmt: skip


def get(
    core: Core, connection: Connection, handle: ObjectHandle, md: MQMD, gmo: MQGMO, buffer_length: int | None = None
) -> Got | Waiter:
    """MQGET. A buffer length of None means that any message fits."""
    queue = _checked(core, handle, md, gmo)
    options = gmo.Options
    if options & C.MQGMO_UNLOCK:
        return _unlock(core, handle, queue)
    if options & _UNMARKS and not options & (_BROWSE | C.MQGMO_MSG_UNDER_CURSOR):
        return _unmark(handle, queue, gmo)
    if options & C.MQGMO_SYNCPOINT:
        core.syncpoint_unit(connection)  # a unit of work that is full says so before the message is looked for
    result = attempt(core, connection, handle, queue, md, gmo, buffer_length)
    if result is not None:
        return result
    if options & C.MQGMO_WAIT and gmo.WaitInterval:
        return Waiter(core, handle, queue, md, gmo, buffer_length)
    raise no_message(queue, handle)


def no_message(queue: QueueState, handle: ObjectHandle) -> MQError:
    return mq_error(C.MQRC_NO_MSG_AVAILABLE, queue.name, "no message that fits is available")


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
    browse = options & _BROWSE
    if browse or options & (C.MQGMO_LOCK | C.MQGMO_UNLOCK):
        if not handle.has(C.MQOO_BROWSE):
            raise mq_error(C.MQRC_NOT_OPEN_FOR_BROWSE, name, "open it with MQOO_BROWSE to browse")
    elif not handle.is_input and not options & _UNMARKS:
        raise mq_error(C.MQRC_NOT_OPEN_FOR_INPUT, name, "open it with an MQOO_INPUT_* option to get")
    if options & C.MQGMO_MSG_UNDER_CURSOR and not (handle.is_input and handle.has(C.MQOO_BROWSE)):
        raise mq_error(C.MQRC_NOT_OPEN_FOR_BROWSE, name, "a get under the cursor needs an open for input and browse")
    _check_together(handle, gmo, name)
    assert queue is not None
    if queue.deleted:
        raise mq_error(C.MQRC_Q_DELETED, name, "the dynamic queue no longer exists")
    if core.quiescing and options & C.MQGMO_FAIL_IF_QUIESCING:
        raise mq_error(C.MQRC_Q_MGR_QUIESCING, core.qmgr_name)
    inhibited = get_inhibited(handle, queue)
    if inhibited:
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
    browse = options & _BROWSE
    wrong = (
        bool(browse & (browse - 1))
        or bool(options & _SYNCPOINTS & ((options & _SYNCPOINTS) - 1))
        or bool(browse and options & (C.MQGMO_SYNCPOINT | C.MQGMO_SYNCPOINT_IF_PERSISTENT | C.MQGMO_MSG_UNDER_CURSOR))
        or bool(options & C.MQGMO_LOCK and not browse)
        or bool(options & C.MQGMO_LOCK and options & C.MQGMO_UNLOCK)
        or bool(options & C.MQGMO_UNLOCK and options & (_BROWSE | C.MQGMO_MSG_UNDER_CURSOR))
        or bool(options & _MARKS and not browse)
        or bool(options & C.MQGMO_UNMARKED_BROWSE_MSG and not browse)
        or bool(options & C.MQGMO_MARK_BROWSE_CO_OP and not handle.has(C.MQOO_CO_OP))
        or bool(options & C.MQGMO_MSG_UNDER_CURSOR and options & C.MQGMO_WAIT)
        or bool(options & C.MQGMO_COMPLETE_MSG and options & _UNMARKS)
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
) -> Got | None:
    """One try; None if no message fits at this moment."""
    options = gmo.Options
    browse = options & _BROWSE
    if options & (C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_BROWSE_MSG_UNDER_CURSOR):
        slot = _under_cursor(handle, queue)
    else:
        wanted = Wanted(handle, md, gmo)
        after = handle.cursor if options & C.MQGMO_BROWSE_NEXT else None
        slot = find(core, handle, queue, wanted, gmo, after=after)
        if slot == NONE:
            return None
    slots = [slot]
    if options & C.MQGMO_COMPLETE_MSG:
        slots = groups.segments_of(queue, slot) or slots
    messages = [queue.store.message(part) for part in slots]
    got, out_md = _prepare(core, connection, handle, queue, slots, messages, md, gmo, buffer_length)
    failed = got.reason == C.MQRC_TRUNCATED_MSG_FAILED
    if browse:
        if not failed:
            _stand_on(core, handle, queue, slot, options)
    elif not failed:
        _remove(core, connection, queue, slots, messages, options)
    connection.depend_on(queue.visible_lsn)
    _fill(queue, slot, md, out_md, gmo, got, messages[0], len(slots) > 1)
    if failed:
        return got
    if handle.has(C.MQOO_SAVE_ALL_CONTEXT) and not browse:
        handle.saved_context = messages[0].md
    if options & C.MQGMO_LOGICAL_ORDER:
        groups.moved_on(
            handle, messages[0].md, len(messages[0].data), bool(options & C.MQGMO_SYNCPOINT), len(slots) > 1
        )
    return got


def _under_cursor(handle: ObjectHandle, queue: QueueState) -> int:
    cursor = handle.cursor
    if cursor is None or not cursor.on_message or not queue.store.handles.flags[cursor.slot] & LINKED:
        raise mq_error(C.MQRC_NO_MSG_UNDER_CURSOR, queue.name, "browse a message first; it may have been got since")
    if queue.locks.get(cursor.slot, handle) is not handle:
        raise mq_error(C.MQRC_NO_MSG_UNDER_CURSOR, queue.name, "another handle has locked the message")
    return cursor.slot


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
    first = messages[0]
    out = first.md.copy()
    if queue.store.handles.expiry_ms[slots[0]]:
        out.Expiry = expiry.remaining(queue.store.handles.expiry_ms[slots[0]], core.clock.now())
    out.BackoutCount = queue.store.backout_count(slots[0])
    return shape(core, connection, handle, first, out, b"".join(part.data for part in messages), md, gmo, buffer_length)


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
    return Got(data, length, comp_code, reason), out


def _fill(
    queue: QueueState, slot: int, md: MQMD, out: MQMD, gmo: MQGMO, got: Got, message: Message, whole: bool
) -> None:
    """Return the descriptor and options to the caller."""
    version = md.Version
    md.__dict__.update(out.__dict__)
    md.Version = version
    if whole:
        md.Offset = 0
        md.MsgFlags &= ~(C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT)
        md.OriginalLength = C.MQOL_UNDEFINED
    gmo.ResolvedQName = queue.name
    if gmo.Version >= C.MQGMO_VERSION_2:
        groups.fill_status(gmo, message.md, whole)
    if gmo.Version >= C.MQGMO_VERSION_3:
        gmo.MsgToken = queue.token(slot)
        gmo.ReturnedLength = len(got.data)


def _remove(
    core: Core, connection: Connection, queue: QueueState, slots: list[int], messages: list[Message], options: int
) -> None:
    """Take the message, or all segments of one, with its report; in the connection's unit of work or at once."""
    persistent = any(queue.store.handles.flags[slot] & PERSISTENT for slot in slots)
    unit: UnitOfWork | None = None
    if options & C.MQGMO_SYNCPOINT or (options & C.MQGMO_SYNCPOINT_IF_PERSISTENT and persistent):
        unit = core.syncpoint_unit(connection)
    wants_report = messages[0].md.Report & reports.COD_MASK
    if len(slots) == 1 and not wants_report:
        connection.depend_on(core.take(queue, slots[0], unit))
        if unit is not None:
            unit.message_count += 1
        return
    with core.all_or_nothing(unit) as own:
        for slot in slots:
            core.take(queue, slot, own)
        own.message_count += 1
        if wants_report:
            reports.confirm_delivery(core, messages[0], queue, own, core.clock.now())
    if unit is None:
        connection.depend_on(core.committed_lsn)


# Browsing: cursor, lock, marks


def _stand_on(core: Core, handle: ObjectHandle, queue: QueueState, slot: int, options: int) -> None:
    cursor = handle.cursor
    if cursor is None or cursor.slot != slot or not cursor.on_message:
        handle.cursor = queue.place_cursor(cursor, slot)
    if handle.locked_slot not in (NONE, slot):
        _release(core, handle, queue)
    if options & C.MQGMO_LOCK:
        queue.locks[slot] = handle
        handle.locked_slot = slot
    sequence = queue.store.handles.sequence[slot]
    if options & C.MQGMO_MARK_BROWSE_HANDLE:
        handle.marks[slot] = sequence
    if options & C.MQGMO_MARK_BROWSE_CO_OP:
        queue.coop_marks[slot] = (sequence, core.clock.now())
    if options & C.MQGMO_UNMARK_BROWSE_HANDLE:
        handle.marks.pop(slot, None)
    if options & C.MQGMO_UNMARK_BROWSE_CO_OP:
        queue.coop_marks.pop(slot, None)


def _release(core: Core, handle: ObjectHandle, queue: QueueState) -> None:
    slot = handle.locked_slot
    queue.release_lock(slot)
    core.on_arrival({queue: ()})


def _unlock(core: Core, handle: ObjectHandle, queue: QueueState) -> Got:
    if handle.locked_slot == NONE:
        return Got(b"", 0, C.MQCC_WARNING, C.MQRC_NO_MSG_LOCKED)
    _release(core, handle, queue)
    return Got(b"", 0)


def _unmark(handle: ObjectHandle, queue: QueueState, gmo: MQGMO) -> Got:
    """Take the mark off the message of the token in the options, or of the cursor."""
    if gmo.Version >= C.MQGMO_VERSION_3 and gmo.MatchOptions & C.MQMO_MATCH_MSG_TOKEN:
        slot = queue.slot_of_token(gmo.MsgToken)
    else:
        slot = handle.cursor.slot if handle.cursor is not None and handle.cursor.on_message else NONE
    if slot == NONE:
        raise no_message(queue, handle)
    if gmo.Options & C.MQGMO_UNMARK_BROWSE_HANDLE:
        handle.marks.pop(slot, None)
    if gmo.Options & C.MQGMO_UNMARK_BROWSE_CO_OP:
        queue.coop_marks.pop(slot, None)
    return Got(b"", 0)


# Waking those who wait


def serve_waiters(core: Core, queue: QueueState) -> None:
    """Messages became available: let the waiting gets try, the latest first, so that one getter stays hot."""
    for waiter in reversed(list(queue.waiters)):
        if not len(queue.store.chains):
            return
        if waiter.done:
            continue
        try:
            result = attempt(
                core, waiter.handle.connection, waiter.handle, queue, waiter.md, waiter.gmo, waiter.buffer_length
            )
        except MQError as error:
            waiter.fail(error)
            continue
        if result is not None:
            waiter.complete(result)
