"""Message groups and segments.

A group is a set of logical messages with one group id and sequence numbers 1, 2, ...; a logical message may be cut
in segments, each with its offset. A handle keeps three sets of group and segment information: of its last put, its
last get that removed a message, and its last browse. Calls in logical order go on from there; other calls are told
by a warning that they left a group or message unfinished. A backout restores what its unit of work changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from libremq.kernel.state.connection import ObjectHandle
from libremq.kernel.state.queue_state import QueueState
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQPMO

NO_GROUP = C.MQGI_NONE
_IN_GROUP = C.MQMF_MSG_IN_GROUP | C.MQMF_LAST_MSG_IN_GROUP
_SEGMENT = C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT
_KNOWN_FLAGS = _IN_GROUP | _SEGMENT | C.MQMF_SEGMENTATION_ALLOWED
_BROWSE = C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
SEGMENT_ALIGNMENT = 16


@dataclass(frozen=True, slots=True)
class GroupState:
    """The group or message that the last call left unfinished, and what must come next in it."""

    group_id: bytes
    sequence: int
    offset: int
    in_group: bool
    in_message: bool  # segments of the logical message are still to come
    last_in_group: bool  # and that message is the last of its group
    persistence: int
    in_unit: bool
    logical: bool  # the call was in logical order

    @property
    def unfinished(self) -> int:
        """The reason that names what is unfinished: the message rather than the group."""
        return C.MQRC_INCOMPLETE_MSG if self.in_message else C.MQRC_INCOMPLETE_GROUP

    def broken_by(self, md: MQMD, in_unit: bool, *, numbered: bool, put: bool) -> int:
        """Why this message does not go on with the group or message; MQRC_NONE if it does.

        `numbered`: its group id, sequence number and offset are given, not assigned by the queue manager.
        """
        flags = md.MsgFlags
        if bool(flags & _IN_GROUP) != self.in_group or (
            self.in_message and (not flags & _SEGMENT or bool(flags & C.MQMF_LAST_MSG_IN_GROUP) != self.last_in_group)
        ):
            return self.unfinished
        if numbered and (md.GroupId, md.MsgSeqNumber, md.Offset) != (self.group_id, self.sequence, self.offset):
            return self.unfinished
        if put and md.Persistence != self.persistence:
            return C.MQRC_INCONSISTENT_PERSISTENCE
        return C.MQRC_NONE if in_unit == self.in_unit else C.MQRC_INCONSISTENT_UOW


def state_after(md: MQMD, length: int, *, logical: bool, in_unit: bool, whole: bool = False) -> GroupState | None:
    """What a successful put, get or browse of this message leaves unfinished. `whole`: all segments were returned."""
    flags = md.MsgFlags
    ends_message = whole or not flags & _SEGMENT or bool(flags & C.MQMF_LAST_SEGMENT)
    last = bool(flags & C.MQMF_LAST_MSG_IN_GROUP)
    in_group = bool(flags & _IN_GROUP) and not (last and ends_message)
    if ends_message and not in_group:
        return None
    return GroupState(
        md.GroupId,
        md.MsgSeqNumber + 1 if ends_message else md.MsgSeqNumber,
        0 if ends_message else md.Offset + length,
        in_group,
        not ends_message,
        last,
        md.Persistence,
        in_unit,
        logical,
    )


def is_plain(md: MQMD) -> bool:
    """Neither grouped nor segmented: the case that must cost nothing."""
    return md.Version < C.MQMD_VERSION_2 or not md.MsgFlags & (_IN_GROUP | _SEGMENT)


# Putting


def check_flags(md: MQMD, name: str) -> None:
    flags = md.MsgFlags
    if flags & ~_KNOWN_FLAGS:
        raise mq_error(C.MQRC_MSG_FLAGS_ERROR, name, f"message flags {flags:#x} are not all known")
    if not 1 <= md.MsgSeqNumber <= 999_999_999:
        raise mq_error(C.MQRC_MSG_SEQ_NUMBER_ERROR, name, f"MsgSeqNumber {md.MsgSeqNumber} is not 1 to 999999999")
    if not 0 <= md.Offset <= 999_999_999:
        raise mq_error(C.MQRC_OFFSET_ERROR, name, f"Offset {md.Offset} is not 0 to 999999999")


def number(
    state: GroupState | None, md: MQMD, pmo: MQPMO, length: int, new_id: Callable[[], bytes], in_unit: bool, name: str
) -> int:
    """Give the message its group id, sequence number and offset, by the queue manager's count or the application's.

    `state` is what the last put to this destination left unfinished. Returns the reason of a warning.
    """
    check_flags(md, name)
    if not md.MsgFlags and state is None:
        md.GroupId, md.MsgSeqNumber, md.Offset = NO_GROUP, 1, 0
        return C.MQRC_NONE
    if md.MsgFlags & C.MQMF_LAST_MSG_IN_GROUP:
        md.MsgFlags |= C.MQMF_MSG_IN_GROUP
    if md.MsgFlags & C.MQMF_LAST_SEGMENT:
        md.MsgFlags |= C.MQMF_SEGMENT
    flags = md.MsgFlags
    if flags & C.MQMF_SEGMENT and not length and not flags & C.MQMF_LAST_SEGMENT:
        raise mq_error(C.MQRC_SEGMENT_LENGTH_ZERO, name, "a segment that is not the last must have data")
    logical = bool(pmo.Options & C.MQPMO_LOGICAL_ORDER)
    if logical and state is not None:
        reason = state.broken_by(md, in_unit, numbered=False, put=True)
        if reason:
            raise mq_error(reason, name, "the put does not go on with the group or message that the last one left open")
        md.GroupId, md.MsgSeqNumber, md.Offset = state.group_id, state.sequence, state.offset
        return C.MQRC_NONE
    if not flags & _KNOWN_FLAGS:
        md.GroupId = NO_GROUP
    elif logical or md.GroupId == NO_GROUP:
        md.GroupId = new_id()
    if logical or not flags & _IN_GROUP:
        md.MsgSeqNumber = 1
    if logical or not flags & _SEGMENT:
        md.Offset = 0
    if state is None or not state.logical:
        return C.MQRC_NONE
    return state.broken_by(md, in_unit, numbered=True, put=True)


def segment_lengths(length: int, limit: int) -> list[int]:
    """How the queue manager cuts a message of this length so that each part fits the limit."""
    size = max(SEGMENT_ALIGNMENT, limit // SEGMENT_ALIGNMENT * SEGMENT_ALIGNMENT)
    return [min(size, length - start) for start in range(0, length, size)]


# Getting

WHOLE_GROUP = 0
"""Said instead of the sequence number of one logical message."""


def out_of_turn(md: MQMD, options: int, current: GroupState | None) -> bool:
    """Is it, by its place in its group or message, none that a get with these options may return?

    `current` is what the last call in logical order left unfinished; that the message comes next in it is known.
    """
    if options & C.MQGMO_LOGICAL_ORDER and current is None and (md.MsgSeqNumber, md.Offset) != (1, 0):
        return True
    return bool(options & C.MQGMO_COMPLETE_MSG and md.MsgFlags & _SEGMENT and md.Offset)


def needed(md: MQMD, options: int, current: GroupState | None) -> list[int]:
    """What of its group must be there with it: all, or the logical message with this number; mostly nothing."""
    flags, parts = md.MsgFlags, []
    segments = options & C.MQGMO_COMPLETE_MSG or (
        options & C.MQGMO_ALL_SEGMENTS_AVAILABLE and not (current is not None and current.in_message)
    )
    if options & C.MQGMO_ALL_MSGS_AVAILABLE and current is None:
        if flags & _IN_GROUP:
            parts.append(WHOLE_GROUP)
        else:
            segments = True
    if segments and flags & _SEGMENT:
        parts.append(md.MsgSeqNumber)
    return parts


class Reach:
    """What one handle can see of a queue at this moment: neither expired messages nor those that others locked."""

    __slots__ = ("_handle", "_now_ms", "_queue")

    def __init__(self, queue: QueueState, handle: ObjectHandle, now_ms: int) -> None:
        self._queue = queue
        self._handle = handle
        self._now_ms = now_ms

    def _sees(self, slot: int) -> bool:
        expiry_ms = self._queue.store.handles.expiry_ms[slot]
        if expiry_ms and expiry_ms <= self._now_ms:
            return False
        return self._queue.locks.get(slot, self._handle) is self._handle

    def _members(self, group_id: bytes) -> dict[tuple[int, int], int]:
        """Slots of a group by sequence number and offset; of equals the first in delivery order."""
        queue = self._queue
        found: dict[tuple[int, int], int] = {}
        for slot in sorted(filter(self._sees, queue.store.groups.get(group_id, ())), key=queue.delivery_order):
            md = queue.store.descriptor(slot)
            found.setdefault((md.MsgSeqNumber, md.Offset), slot)
        return found

    def segments_of(self, slot: int) -> list[int] | None:
        """All segments of the logical message that this slot is part of, in order; None if one is missing."""
        md = self._queue.store.descriptor(slot)
        if not md.MsgFlags & _SEGMENT:
            return [slot]
        return self._whole_message(self._members(md.GroupId), md.MsgSeqNumber)

    def _whole_message(self, members: dict[tuple[int, int], int], sequence: int) -> list[int] | None:
        offset = 0
        parts: list[int] = []
        while True:
            slot = members.get((sequence, offset))
            if slot is None:
                return None
            parts.append(slot)
            message = self._queue.store.message(slot)
            if not message.md.MsgFlags & _SEGMENT or message.md.MsgFlags & C.MQMF_LAST_SEGMENT:
                return parts
            if not message.data:
                return None  # a report on a segment is none: what follows it would be itself, without end
            offset += len(message.data)

    def has(self, group_id: bytes, part: int) -> bool:
        """Is this logical message there with all its segments, or every message of the group?"""
        members = self._members(group_id)
        if part != WHOLE_GROUP:
            return self._whole_message(members, part) is not None
        sequence = 1
        while True:
            parts = self._whole_message(members, sequence)
            if parts is None:
                return False
            if self._queue.store.descriptor(parts[0]).MsgFlags & C.MQMF_LAST_MSG_IN_GROUP:
                return True
            sequence += 1

    def accepts(self, slot: int, options: int, current: GroupState | None) -> bool:
        """May a get with these options return this message, as far as groups and segments go?"""
        md = self._queue.store.descriptor(slot)
        return (
            not out_of_turn(md, options, current)
            and all(self.has(md.GroupId, part) for part in needed(md, options, current))
            and (not options & C.MQGMO_COMPLETE_MSG or self.begins_message(slot))
        )

    def begins_message(self, slot: int) -> bool:
        """Is it the first of all segments, or the only part? There may be two with the same number and offset."""
        parts = self.segments_of(slot)
        return parts is not None and parts[0] == slot


def current(handle: ObjectHandle, options: int) -> GroupState | None:
    """What a get with these options goes on with: only one in logical order does, and a first browse begins anew."""
    if not options & C.MQGMO_LOGICAL_ORDER or options & C.MQGMO_BROWSE_FIRST:
        return None
    return handle.browse_group if options & _BROWSE else handle.get_group


def alike(queue: QueueState, segments: list[int]) -> tuple[list[int], int]:
    """The segments at the front that can be put together, and why not all: they differ in character set or encoding."""
    if len(segments) == 1:
        return segments, C.MQRC_NONE
    descriptors = [queue.store.descriptor(slot) for slot in segments]
    first = descriptors[0]
    for number, md in enumerate(descriptors):
        if md.CodedCharSetId != first.CodedCharSetId:
            return segments[:number], C.MQRC_INCONSISTENT_CCSIDS
        if md.Encoding != first.Encoding:
            return segments[:number], C.MQRC_INCONSISTENT_ENCODINGS
    return segments, C.MQRC_NONE


def fill_status(gmo: MQGMO, md: MQMD, whole: bool) -> None:
    """GroupStatus, SegmentStatus and Segmentation, as the get returns them."""
    flags = md.MsgFlags
    gmo.GroupStatus = "L" if flags & C.MQMF_LAST_MSG_IN_GROUP else "G" if flags & C.MQMF_MSG_IN_GROUP else " "
    last = whole or flags & C.MQMF_LAST_SEGMENT
    gmo.SegmentStatus = "L" if last else "S" if flags & C.MQMF_SEGMENT else " "
    gmo.Segmentation = "A" if flags & C.MQMF_SEGMENTATION_ALLOWED else " "


def unfinished(states: Iterable[GroupState | None]) -> int:
    """The warning of a close: calls in logical order left a group or message open."""
    reasons = [state.unfinished for state in states if state is not None and state.logical]
    return max(reasons, default=C.MQRC_NONE)
