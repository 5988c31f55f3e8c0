"""The rules of groups and segments, for the reference model.

The table of the MQPUT options for groups, the conditions under which a call goes on with a group, and the search for
complete messages and groups, written down one by one.
"""

from __future__ import annotations

from dataclasses import replace

from model_parts import NO_ID, Message, Position, PutRequest, Refused

from libremq.mqi import constants as C

IN_GROUP = C.MQMF_MSG_IN_GROUP | C.MQMF_LAST_MSG_IN_GROUP
SEGMENT = C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT


def implied(flags: int) -> int:
    """The last of something is also one of it."""
    if flags & C.MQMF_LAST_MSG_IN_GROUP:
        flags |= C.MQMF_MSG_IN_GROUP
    if flags & C.MQMF_LAST_SEGMENT:
        flags |= C.MQMF_SEGMENT
    return flags


def numbered(request: PutRequest, position: Position | None, logical: bool, new_group: bytes) -> PutRequest:
    """The request with the group id, sequence number and offset that the message will have."""
    flags = implied(request.flags)
    if logical and position is not None:
        return replace(
            request, flags=flags, group_id=position.group_id, sequence=position.sequence, offset=position.offset
        )
    if not flags:
        return replace(request, flags=0, group_id=NO_ID, sequence=1, offset=0)
    group_id = request.group_id
    if logical or group_id == NO_ID:
        group_id = new_group
    sequence = request.sequence if flags & IN_GROUP and not logical else 1
    offset = request.offset if flags & SEGMENT and not logical else 0
    return replace(request, flags=flags, group_id=group_id, sequence=sequence, offset=offset)


def why_not_next(position: Position, flags: int, place: tuple[bytes, int, int] | None) -> int:
    """The reason if a message with these flags (and this place, if it has one already) does not come next."""
    unfinished = C.MQRC_INCOMPLETE_MSG if position.in_message else C.MQRC_INCOMPLETE_GROUP
    if position.in_group and not flags & IN_GROUP:
        return unfinished
    if not position.in_group and flags & IN_GROUP:
        return unfinished
    if position.in_message and not flags & SEGMENT:
        return unfinished
    if position.in_message and bool(flags & C.MQMF_LAST_MSG_IN_GROUP) != position.last_message:
        return unfinished
    if place is not None and place != (position.group_id, position.sequence, position.offset):
        return unfinished
    return C.MQRC_NONE


def put_broken(position: Position, request: PutRequest, persistence: int, in_unit: bool, with_place: bool) -> int:
    place = (request.group_id, request.sequence, request.offset) if with_place else None
    reason = why_not_next(position, implied(request.flags), place)
    if reason:
        return reason
    if persistence != position.persistence:
        return C.MQRC_INCONSISTENT_PERSISTENCE
    if in_unit != position.in_unit:
        return C.MQRC_INCONSISTENT_UOW
    return C.MQRC_NONE


def get_broken(position: Position, message: Message, in_unit: bool) -> int:
    reason = why_not_next(position, message.flags, (message.group_id, message.sequence, message.offset))
    if not reason and in_unit != position.in_unit:
        reason = C.MQRC_INCONSISTENT_UOW
    return reason


def position_after(
    group_id: bytes, sequence: int, offset: int, flags: int, length: int,
    *, persistence: int, in_unit: bool, logical: bool, whole: bool,
) -> Position | None:  # fmt: skip
    """Where a handle stands after a message; None if nothing is left open."""
    last_message = bool(flags & C.MQMF_LAST_MSG_IN_GROUP)
    in_message = bool(flags & C.MQMF_SEGMENT) and not flags & C.MQMF_LAST_SEGMENT and not whole
    in_group = bool(flags & C.MQMF_MSG_IN_GROUP) and (in_message or not last_message)
    if not in_message and not in_group:
        return None
    if in_message:
        sequence, offset = sequence, offset + length
    else:
        sequence, offset = sequence + 1, 0
    return Position(group_id, sequence, offset, in_group, in_message, last_message, persistence, in_unit, logical)


def whole_message(message: Message, visible: list[Message]) -> list[Message] | None:
    """The segments of the logical message that this one belongs to, from the first to the last; None if incomplete."""
    if not message.flags & C.MQMF_SEGMENT:
        return [message]
    return _segments(message.group_id, message.sequence, visible)


def _segments(group_id: bytes, sequence: int, visible: list[Message]) -> list[Message] | None:
    parts: list[Message] = []
    offset = 0
    while True:
        for part in visible:
            if (part.group_id, part.sequence, part.offset) == (group_id, sequence, offset):
                break
        else:
            return None
        parts.append(part)
        if not part.flags & C.MQMF_SEGMENT or part.flags & C.MQMF_LAST_SEGMENT:
            return parts
        offset += len(part.data)


def whole_group(message: Message, visible: list[Message]) -> bool:
    """Are all messages of its group here, from number 1 to the last, with all their segments?"""
    if not message.flags & C.MQMF_MSG_IN_GROUP:
        return whole_message(message, visible) is not None
    sequence = 1
    while True:
        parts = _segments(message.group_id, sequence, visible)
        if parts is None:
            return False
        if parts[0].flags & C.MQMF_LAST_MSG_IN_GROUP:
            return True
        sequence += 1


def segment_sizes(length: int, limit: int) -> list[int]:
    """How the queue manager cuts a message: pieces as large as fit, in steps of 16 bytes."""
    piece = limit - limit % 16
    sizes = []
    while length > piece:
        sizes.append(piece)
        length -= piece
    return [*sizes, length]


def check_length(flags: int, length: int) -> None:
    if flags & C.MQMF_SEGMENT and not flags & C.MQMF_LAST_SEGMENT and not length:
        raise Refused(C.MQRC_SEGMENT_LENGTH_ZERO)
