"""MQGET in the reference model: which message a get or browse returns, what it changes, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model_groups import get_broken, position_after, whole_group, whole_message
from model_parts import (
    GOT,
    HERE,
    INPUT,
    NO_ID,
    Connection,
    GetRequest,
    Handle,
    Message,
    Outcome,
    Position,
    Queue,
    Refused,
)  # fmt: skip

from libremq.mqi import constants as C

if TYPE_CHECKING:
    from reference_model import Model

FIRST_OR_NEXT = C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT
BROWSE = FIRST_OR_NEXT | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
UNDER_CURSOR = C.MQGMO_BROWSE_MSG_UNDER_CURSOR | C.MQGMO_MSG_UNDER_CURSOR
GROUPS = (
    C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_ALL_SEGMENTS_AVAILABLE
)  # fmt: skip
MARKING = (
    C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_MARK_BROWSE_CO_OP | C.MQGMO_UNMARK_BROWSE_HANDLE
    | C.MQGMO_UNMARK_BROWSE_CO_OP | C.MQGMO_UNMARKED_BROWSE_MSG
)  # fmt: skip


def _count(options: int, *choices: int) -> int:
    return sum(bool(options & choice) for choice in choices)


def check_options(handle: Handle, request: GetRequest) -> None:
    """The combinations that are not valid, one rule after the other."""
    options = request.options
    has = request.has
    at_most_one = (
        (C.MQGMO_SYNCPOINT, C.MQGMO_NO_SYNCPOINT, C.MQGMO_SYNCPOINT_IF_PERSISTENT),
        (
            C.MQGMO_BROWSE_FIRST,
            C.MQGMO_BROWSE_NEXT,
            C.MQGMO_BROWSE_MSG_UNDER_CURSOR,
            C.MQGMO_MSG_UNDER_CURSOR,
            C.MQGMO_UNLOCK,
        ),
        (C.MQGMO_MARK_BROWSE_HANDLE, C.MQGMO_UNMARK_BROWSE_HANDLE),
        (C.MQGMO_MARK_BROWSE_CO_OP, C.MQGMO_UNMARK_BROWSE_CO_OP),
        (C.MQGMO_UNMARK_BROWSE_HANDLE, C.MQGMO_UNMARKED_BROWSE_MSG),
        (C.MQGMO_UNMARK_BROWSE_CO_OP, C.MQGMO_UNMARKED_BROWSE_MSG),
        (C.MQGMO_SYNCPOINT_IF_PERSISTENT, C.MQGMO_COMPLETE_MSG),
        (BROWSE, C.MQGMO_SYNCPOINT),
        (BROWSE, C.MQGMO_SYNCPOINT_IF_PERSISTENT),
        (MARKING, C.MQGMO_LOCK),
        (MARKING, GROUPS),
    )
    if any(_count(options, *choices) > 1 for choices in at_most_one):
        raise Refused(C.MQRC_OPTIONS_ERROR)
    if (has(C.MQGMO_LOCK) or has(MARKING)) and not has(BROWSE):
        raise Refused(C.MQRC_OPTIONS_ERROR)
    if has(C.MQGMO_UNLOCK) and options & ~(C.MQGMO_UNLOCK | C.MQGMO_NO_SYNCPOINT):
        raise Refused(C.MQRC_OPTIONS_ERROR)
    if has(C.MQGMO_MARK_BROWSE_CO_OP | C.MQGMO_UNMARK_BROWSE_CO_OP) and not handle.has(C.MQOO_CO_OP):
        raise Refused(C.MQRC_OPTIONS_ERROR)


def check(model: Model, handle: Handle, request: GetRequest) -> None:
    check_options(handle, request)
    if request.has(BROWSE | C.MQGMO_MSG_UNDER_CURSOR) and not handle.has(C.MQOO_BROWSE):
        raise Refused(C.MQRC_NOT_OPEN_FOR_BROWSE)
    reads = handle.has(INPUT) or (request.has(BROWSE | C.MQGMO_UNLOCK) and handle.has(C.MQOO_BROWSE))
    if not reads:
        raise Refused(C.MQRC_NOT_OPEN_FOR_INPUT)
    changes_order = handle.browse_logical not in (None, request.has(C.MQGMO_LOGICAL_ORDER))
    if request.has(C.MQGMO_BROWSE_NEXT) and changes_order:
        raise Refused(C.MQRC_INCONSISTENT_BROWSE)
    if handle.queue.get_inhibited:
        raise Refused(C.MQRC_GET_INHIBITED)
    if request.has(C.MQGMO_WAIT) and request.wait_ms < 0 and request.wait_ms != C.MQWI_UNLIMITED:
        raise Refused(C.MQRC_WAIT_INTERVAL_ERROR)


def unlock(model: Model, handle: Handle, observed: int) -> Outcome:
    """Whether the lock on an expired message is still there depends on whether somebody has met the message."""
    locked = [message for message in handle.queue.messages if message.lock is handle]
    release_locks(handle)
    may_be_gone = all(message.expired(model.now_ms) for message in locked)
    if not locked or (may_be_gone and observed == C.MQRC_NO_MSG_LOCKED):
        return Outcome(C.MQCC_WARNING, C.MQRC_NO_MSG_LOCKED)
    return Outcome()


def release_locks(handle: Handle) -> None:
    for message in handle.queue.messages:
        if message.lock is handle:
            message.lock = None


# Which message


def is_specific(request: GetRequest) -> bool:
    return any(value is not None for value in demands(request).values())


def demands(request: GetRequest) -> dict[str, bytes | int | None]:
    """What the match options ask for; an id of zeros matches everything."""
    match = request.match
    return {
        "msg_id": (match & C.MQMO_MATCH_MSG_ID and request.msg_id != NO_ID and request.msg_id) or None,
        "correl_id": (match & C.MQMO_MATCH_CORREL_ID and request.correl_id != NO_ID and request.correl_id) or None,
        "group_id": (match & C.MQMO_MATCH_GROUP_ID and request.group_id != NO_ID and request.group_id) or None,
        "sequence": request.sequence if match & C.MQMO_MATCH_MSG_SEQ_NUMBER else None,
        "offset": request.offset if match & C.MQMO_MATCH_OFFSET else None,
    }


def matches(message: Message, wanted: dict[str, bytes | int | None]) -> bool:
    return all(value is None or getattr(message, name) == value for name, value in wanted.items())


def current_position(handle: Handle, request: GetRequest) -> Position | None:
    if not request.has(C.MQGMO_LOGICAL_ORDER) or request.has(C.MQGMO_BROWSE_FIRST):
        return None
    return handle.browse_position if request.has(BROWSE) else handle.get_position


def _is_marked(model: Model, handle: Handle, message: Message) -> bool:
    if handle in message.marked_by:
        return True
    if not handle.has(C.MQOO_CO_OP) or message.co_op_mark_ms is None:
        return False
    return model.now_ms < message.co_op_mark_ms + model.mark_interval_ms


def accepted(message: Message, request: GetRequest, position: Position | None, visible: list[Message]) -> bool:
    """As far as groups and segments go, may this be the message?"""
    logical = request.has(C.MQGMO_LOGICAL_ORDER)
    if logical and position is None and (message.sequence, message.offset) != (1, 0):
        return False
    if request.has(C.MQGMO_ALL_MSGS_AVAILABLE) and position is None and not whole_group(message, visible):
        return False
    parts = whole_message(message, visible)
    if request.has(C.MQGMO_COMPLETE_MSG):
        return parts is not None and parts[0] is message
    if request.has(C.MQGMO_ALL_SEGMENTS_AVAILABLE) and not (position is not None and position.in_message):
        return parts is not None
    return True


def find(model: Model, handle: Handle, request: GetRequest) -> Message | None:
    """The message that the get returns, by looking at all of them in delivery order."""
    visible = handle.queue.visible(handle, model.now_ms)
    position = current_position(handle, request)
    wanted = demands(request)
    logical = request.has(C.MQGMO_LOGICAL_ORDER)
    if logical:
        wanted["sequence"] = wanted["offset"] = None
    if position is not None:
        wanted = {"group_id": position.group_id, "sequence": position.sequence, "offset": position.offset}
    behind: tuple[int, int] | None = None
    if request.has(C.MQGMO_BROWSE_NEXT) and position is None:
        behind = handle.group_start if logical else handle.cursor
    for message in visible:
        if behind is not None and message.place <= behind:
            continue
        if request.has(C.MQGMO_UNMARKED_BROWSE_MSG) and _is_marked(model, handle, message):
            continue
        if matches(message, wanted) and accepted(message, request, position, visible):
            if logical and not matches(message, demands(request)):
                raise Refused(C.MQRC_MATCH_OPTIONS_ERROR)
            return message
    return None


def under_cursor(model: Model, handle: Handle, request: GetRequest) -> Message:
    message = handle.under_cursor
    if message is None or message.where != HERE or message.expired(model.now_ms):
        raise Refused(C.MQRC_NO_MSG_UNDER_CURSOR)
    if message.lock not in (None, handle):
        raise Refused(C.MQRC_NO_MSG_UNDER_CURSOR)
    if request.has(C.MQGMO_COMPLETE_MSG) and message.offset:
        raise Refused(C.MQRC_INVALID_MSG_UNDER_CURSOR)
    return message


# The get itself


def attempt(model: Model, handle: Handle, request: GetRequest) -> Outcome | None:
    """One try; None if there is no message for it now."""
    queue, connection = handle.queue, handle.connection
    position: Position | None = None
    if request.has(UNDER_CURSOR):
        found: Message | None = under_cursor(model, handle, request)
    else:
        found = find(model, handle, request)
        position = current_position(handle, request)
    if found is None:
        return None
    parts = [found]
    if request.has(C.MQGMO_COMPLETE_MSG):
        whole = whole_message(found, queue.visible(handle, model.now_ms))
        if whole is None:
            raise Refused(C.MQRC_NO_MSG_AVAILABLE)
        parts = whole
    browse = request.has(BROWSE)
    in_unit = False
    if not browse:
        in_unit = decide_unit(model, connection, parts, request)
        if position is not None and position.in_unit != in_unit:
            raise Refused(C.MQRC_INCONSISTENT_UOW)
    outcome = answer(model, parts, request)
    if outcome.reason == C.MQRC_TRUNCATED_MSG_FAILED:
        return outcome
    if browse:
        _browsed(model, handle, request, parts, position)
    else:
        for part in parts:
            take(model, queue, part, connection if in_unit else None)
    note_position(handle, request, found, outcome, in_unit, whole=len(parts) > 1)
    return outcome


def decide_unit(model: Model, connection: Connection, parts: list[Message], request: GetRequest) -> bool:
    persistent = parts[0].persistent
    if request.has(C.MQGMO_SYNCPOINT) or (request.has(C.MQGMO_SYNCPOINT_IF_PERSISTENT) and persistent):
        model.check_unit(connection)
        return True
    if len(parts) > 1 and persistent and connection.operations:
        raise Refused(C.MQRC_UOW_NOT_AVAILABLE)
    return False


def answer(model: Model, parts: list[Message], request: GetRequest) -> Outcome:
    first = parts[0]
    data = b"".join(part.data for part in parts)
    outcome = Outcome(data=data, length=len(data))
    if request.buffer is not None and len(data) > request.buffer:
        outcome.comp_code = C.MQCC_WARNING
        accept = request.has(C.MQGMO_ACCEPT_TRUNCATED_MSG)
        outcome.reason = C.MQRC_TRUNCATED_MSG_ACCEPTED if accept else C.MQRC_TRUNCATED_MSG_FAILED
        outcome.data = data[: request.buffer]
    outcome.fields = describe(model, first, whole=len(parts) > 1)
    return outcome


def describe(model: Model, message: Message, *, whole: bool) -> dict[str, object]:
    flags = message.flags
    if whole:
        flags |= C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT  # the only one
    expiry = C.MQEI_UNLIMITED
    if message.expires_ms is not None:
        expiry = max(1, (message.expires_ms - model.now_ms) // 100)
    group_status = {0: " ", C.MQMF_MSG_IN_GROUP: "G"}.get(flags & (C.MQMF_MSG_IN_GROUP | C.MQMF_LAST_MSG_IN_GROUP), "L")
    segment_status = {0: " ", C.MQMF_SEGMENT: "S"}.get(flags & (C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT), "L")
    if whole:
        segment_status = "L"
    return {
        "MsgId": message.msg_id,
        "CorrelId": message.correl_id,
        "GroupId": message.group_id,
        "MsgSeqNumber": message.sequence,
        "Offset": message.offset,
        "MsgFlags": flags,
        "Priority": message.priority,
        "Persistence": message.persistence,
        "Expiry": expiry,
        "BackoutCount": message.backouts,
        "GroupStatus": group_status,
        "SegmentStatus": segment_status,
    }


def take(model: Model, queue: Queue, message: Message, connection: Connection | None) -> None:
    """Remove it from the queue, for good or as part of the unit of work."""
    message.leave()
    for handle in model.handles():
        if handle.under_cursor is message:
            handle.under_cursor = None
    if connection is None:
        queue.messages.remove(message)
    else:
        message.where = GOT
        connection.operations.append((GOT, queue, message))


def _browsed(
    model: Model, handle: Handle, request: GetRequest, parts: list[Message], position: Position | None
) -> None:
    first = parts[0]
    handle.under_cursor, handle.cursor = first, first.place
    if request.has(FIRST_OR_NEXT):
        handle.browse_logical = request.has(C.MQGMO_LOGICAL_ORDER)
        if handle.browse_logical and position is None:
            handle.group_start = first.place
    release_locks(handle)
    if request.has(C.MQGMO_LOCK):
        for part in parts:
            part.lock = handle
    if request.has(C.MQGMO_MARK_BROWSE_HANDLE):
        first.marked_by.add(handle)
    if request.has(C.MQGMO_UNMARK_BROWSE_HANDLE):
        first.marked_by.discard(handle)
    if request.has(C.MQGMO_MARK_BROWSE_CO_OP):
        first.co_op_mark_ms = model.now_ms
    if request.has(C.MQGMO_UNMARK_BROWSE_CO_OP):
        first.co_op_mark_ms = None


def note_position(
    handle: Handle, request: GetRequest, message: Message, outcome: Outcome, in_unit: bool, *, whole: bool
) -> None:
    """What the handle remembers of groups, and the warning if the get left one in the middle."""
    if request.has(C.MQGMO_BROWSE_MSG_UNDER_CURSOR):
        return
    logical = request.has(C.MQGMO_LOGICAL_ORDER)
    after = position_after(
        message.group_id, message.sequence, message.offset, message.flags, len(message.data),
        persistence=message.persistence, in_unit=in_unit, logical=logical, whole=whole,
    )  # fmt: skip
    if request.has(BROWSE):
        handle.browse_position = after
        return
    before = handle.get_position
    if before is not None and before.logical and not logical and not outcome.reason:
        outcome.reason = get_broken(before, message, in_unit)
        outcome.comp_code = C.MQCC_WARNING if outcome.reason else C.MQCC_OK
    if in_unit:
        handle.connection.saved_gets.setdefault(handle, before)
    handle.get_position = after
