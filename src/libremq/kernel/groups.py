"""Message groups and segments.

A group is a set of logical messages with one group id and sequence numbers 1, 2, ...; a logical message may be cut
in segments, each with its offset. Putting in logical order the queue manager numbers them; getting, it can keep to
that order, wait until a group or message is complete, and put segments together again. The queue's group table
(group id -> slots) makes these questions cheap.
"""

from __future__ import annotations

from dataclasses import dataclass

from libremq.kernel.connection import ObjectHandle
from libremq.kernel.queues import QueueState
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQPMO

NO_GROUP = C.MQGI_NONE
_IN_GROUP = C.MQMF_MSG_IN_GROUP | C.MQMF_LAST_MSG_IN_GROUP
_SEGMENT = C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT
_KNOWN_FLAGS = _IN_GROUP | _SEGMENT | C.MQMF_SEGMENTATION_ALLOWED
SEGMENT_ALIGNMENT = 16


@dataclass(slots=True)
class PutGroup:
    """Where a handle stands in the group or message that it puts in logical order."""

    group_id: bytes
    sequence: int = 1
    offset: int = 0
    in_group: bool = False
    in_message: bool = False
    persistence: int = C.MQPER_NOT_PERSISTENT
    in_unit: bool = False


@dataclass(slots=True)
class GetGroup:
    """Where a handle stands in the group or message that it gets in logical order."""

    group_id: bytes
    sequence: int
    offset: int
    in_unit: bool
    browsing: bool = False


def is_plain(md: MQMD) -> bool:
    """Neither grouped nor segmented: the case that must cost nothing."""
    return md.Version < C.MQMD_VERSION_2 or not md.MsgFlags & (_IN_GROUP | _SEGMENT)


def check_flags(md: MQMD, name: str) -> None:
    flags = md.MsgFlags
    if flags & ~_KNOWN_FLAGS:
        raise mq_error(C.MQRC_MSG_FLAGS_ERROR, name, f"message flags {flags:#x} are not all known")
    if not 1 <= md.MsgSeqNumber <= 999_999_999:
        raise mq_error(C.MQRC_MSG_SEQ_NUMBER_ERROR, name, f"MsgSeqNumber {md.MsgSeqNumber} is not 1 to 999999999")
    if not 0 <= md.Offset <= 999_999_999:
        raise mq_error(C.MQRC_OFFSET_ERROR, name, f"Offset {md.Offset} is not 0 to 999999999")


def number(
    handle: ObjectHandle | None, md: MQMD, pmo: MQPMO, length: int, new_id: bytes, in_unit: bool, name: str
) -> None:
    """Give the message its group id, sequence number and offset, by the queue manager's count or the application's."""
    check_flags(md, name)
    if pmo.Options & C.MQPMO_LOGICAL_ORDER and handle is not None:
        _number_logical(handle, md, length, new_id, in_unit, name)
        return
    if handle is not None and handle.put_group is not None and not is_plain(md):
        # An application that numbers by itself may do what it likes between logically ordered puts
        pass
    if is_plain(md):
        md.GroupId, md.MsgSeqNumber, md.Offset = NO_GROUP, 1, 0
        return
    if md.GroupId == NO_GROUP:
        md.GroupId = new_id
    if not md.MsgFlags & _IN_GROUP:
        md.MsgSeqNumber = 1
    if not md.MsgFlags & _SEGMENT:
        md.Offset = 0
    elif not length and not md.MsgFlags & C.MQMF_LAST_SEGMENT:
        raise mq_error(C.MQRC_SEGMENT_LENGTH_ZERO, name, "a segment that is not the last must have data")


def _number_logical(handle: ObjectHandle, md: MQMD, length: int, new_id: bytes, in_unit: bool, name: str) -> None:
    flags = md.MsgFlags
    group = handle.put_group
    if group is not None:
        if group.in_message and not flags & _SEGMENT:
            raise mq_error(C.MQRC_INCOMPLETE_MSG, name, "the last segment of the message was not put yet")
        if group.in_group and not flags & _IN_GROUP:
            raise mq_error(C.MQRC_INCOMPLETE_GROUP, name, "the last message of the group was not put yet")
        if group.persistence != md.Persistence:
            raise mq_error(C.MQRC_INCONSISTENT_PERSISTENCE, name, "a group is persistent as a whole or not at all")
        if group.in_unit != in_unit:
            raise mq_error(
                C.MQRC_INCONSISTENT_UOW, name, "a group is put inside a unit of work as a whole or not at all"
            )
    if not flags & (_IN_GROUP | _SEGMENT):
        md.GroupId, md.MsgSeqNumber, md.Offset = NO_GROUP, 1, 0
        return
    if group is None:
        group = PutGroup(new_id, persistence=md.Persistence, in_unit=in_unit)
    if flags & C.MQMF_SEGMENT and not length and not flags & C.MQMF_LAST_SEGMENT:
        raise mq_error(C.MQRC_SEGMENT_LENGTH_ZERO, name, "a segment that is not the last must have data")
    md.GroupId, md.MsgSeqNumber, md.Offset = group.group_id, group.sequence, group.offset
    # What the handle's state becomes if the put succeeds: kept by `advance`


def advance(handle: ObjectHandle, md: MQMD, length: int, in_unit: bool) -> None:
    """A logically ordered put succeeded: where the next one stands."""
    flags = md.MsgFlags
    if not flags & (_IN_GROUP | _SEGMENT):
        handle.put_group = None
        return
    group = handle.put_group or PutGroup(md.GroupId, persistence=md.Persistence, in_unit=in_unit)
    ends_message = not flags & _SEGMENT or bool(flags & C.MQMF_LAST_SEGMENT)
    group.in_message = not ends_message
    group.in_group = bool(flags & _IN_GROUP) and not (flags & C.MQMF_LAST_MSG_IN_GROUP and ends_message)
    if ends_message:
        group.sequence += 1
        group.offset = 0
    else:
        group.offset += length
    handle.put_group = group if group.in_message or group.in_group else None


def segment_lengths(length: int, limit: int) -> list[int]:
    """How the queue manager cuts a message of this length so that each part fits the limit."""
    size = max(SEGMENT_ALIGNMENT, limit // SEGMENT_ALIGNMENT * SEGMENT_ALIGNMENT)
    return [min(size, length - start) for start in range(0, length, size)]


# Getting


def _members(queue: QueueState, group_id: bytes) -> dict[tuple[int, int], int]:
    """Slots of a group by sequence number and offset."""
    found: dict[tuple[int, int], int] = {}
    for slot in queue.store.groups.get(group_id, ()):
        md = queue.store.descriptor(slot)
        found.setdefault((md.MsgSeqNumber, md.Offset), slot)
    return found


def segments_of(queue: QueueState, slot: int) -> list[int] | None:
    """All segments of the logical message that this slot is part of, in order; None if one is missing."""
    md = queue.store.descriptor(slot)
    if not md.MsgFlags & _SEGMENT:
        return [slot]
    return _whole_message(queue, _members(queue, md.GroupId), md.MsgSeqNumber)


def _whole_message(queue: QueueState, members: dict[tuple[int, int], int], sequence: int) -> list[int] | None:
    offset = 0
    parts: list[int] = []
    while True:
        slot = members.get((sequence, offset))
        if slot is None:
            return None
        parts.append(slot)
        message = queue.store.message(slot)
        if not message.md.MsgFlags & _SEGMENT or message.md.MsgFlags & C.MQMF_LAST_SEGMENT:
            return parts
        offset += len(message.data)


def whole_group(queue: QueueState, slot: int) -> bool:
    """Is every message of this slot's group on the queue, each with all its segments?"""
    md = queue.store.descriptor(slot)
    if not md.MsgFlags & _IN_GROUP:
        return segments_of(queue, slot) is not None
    members = _members(queue, md.GroupId)
    sequence = 1
    while True:
        parts = _whole_message(queue, members, sequence)
        if parts is None:
            return False
        if queue.store.descriptor(parts[0]).MsgFlags & C.MQMF_LAST_MSG_IN_GROUP:
            return True
        sequence += 1


def acceptable(queue: QueueState, slot: int, handle: ObjectHandle, gmo: MQGMO) -> bool:
    """May a get with these options return this message, as far as groups and segments go?"""
    options = gmo.Options
    md = queue.store.descriptor(slot)
    flags = md.MsgFlags
    if options & C.MQGMO_LOGICAL_ORDER:
        state = handle.get_group
        if state is not None:
            if (md.GroupId, md.MsgSeqNumber, md.Offset) != (state.group_id, state.sequence, state.offset):
                return False
        elif flags & (_IN_GROUP | _SEGMENT) and (md.MsgSeqNumber, md.Offset) != (1, 0):
            return False
    within = options & C.MQGMO_LOGICAL_ORDER and handle.get_group is not None
    if options & C.MQGMO_ALL_MSGS_AVAILABLE and not within and not whole_group(queue, slot):
        return False
    if options & (C.MQGMO_COMPLETE_MSG | C.MQGMO_ALL_SEGMENTS_AVAILABLE) and not (
        within and not options & C.MQGMO_COMPLETE_MSG
    ):
        parts = segments_of(queue, slot)
        if parts is None or (options & C.MQGMO_COMPLETE_MSG and parts[0] != slot):
            return False
    return True


def moved_on(handle: ObjectHandle, md: MQMD, length: int, in_unit: bool, whole: bool) -> None:
    """A logically ordered get succeeded: what the next one must return."""
    flags = md.MsgFlags
    if not flags & (_IN_GROUP | _SEGMENT):
        handle.get_group = None
        return
    ends_message = whole or not flags & _SEGMENT or bool(flags & C.MQMF_LAST_SEGMENT)
    if ends_message and (not flags & _IN_GROUP or flags & C.MQMF_LAST_MSG_IN_GROUP):
        handle.get_group = None
    elif ends_message:
        handle.get_group = GetGroup(md.GroupId, md.MsgSeqNumber + 1, 0, in_unit)
    else:
        handle.get_group = GetGroup(md.GroupId, md.MsgSeqNumber, md.Offset + length, in_unit)


def fill_status(gmo: MQGMO, md: MQMD, whole: bool) -> None:
    """GroupStatus, SegmentStatus and Segmentation, as the get returns them."""
    flags = md.MsgFlags
    gmo.GroupStatus = "L" if flags & C.MQMF_LAST_MSG_IN_GROUP else "G" if flags & C.MQMF_MSG_IN_GROUP else " "
    if whole:
        gmo.SegmentStatus = " "
    else:
        gmo.SegmentStatus = "L" if flags & C.MQMF_LAST_SEGMENT else "S" if flags & C.MQMF_SEGMENT else " "
    gmo.Segmentation = "A" if flags & C.MQMF_SEGMENTATION_ALLOWED else " "
