"""What a get or browse asks for, and whether a message is that.

The plain get of the next message looks at one slot. Expired messages met on the way are discarded, a slice at a time.
How all others find theirs is in `searching`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.common.checksum import crc32
from libremq.kernel.properties.property_lookup import look_up
from libremq.kernel.state.connection import ObjectHandle
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.turns import DISCARD
from libremq.kernel.verbs import expiry, groups
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQGMO, MQMD
from libremq.store.space_handles import NONE
from libremq.store.stored_message import Message

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core

MORE = -2
"""No slot either: the slice is used up, and it is not known yet."""
_NO_ID = bytes(24)
_COMPARED = 11  # a unit of work for each 2048 comparisons of a character of a text with one of a LIKE pattern
GROUP_OPTIONS = (
    C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_ALL_SEGMENTS_AVAILABLE
)
_PARTICULAR = GROUP_OPTIONS | C.MQGMO_UNMARKED_BROWSE_MSG | C.MQGMO_BROWSE_NEXT
_IDS = C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID


class Wanted:
    """What a get must match, worked out once a call (or once a wait)."""

    __slots__ = (
        "correl_id", "cost", "current", "demands", "group_id", "message_id", "offset", "options", "plain", "selector",
        "sequence", "specific", "token", "unmarked",
    )  # fmt: skip

    def __init__(self, handle: ObjectHandle, md: MQMD, gmo: MQGMO) -> None:
        version = gmo.Version
        options = self.options = gmo.Options
        match = gmo.MatchOptions if version >= C.MQGMO_VERSION_2 else C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID
        self.message_id = md.MsgId if match & C.MQMO_MATCH_MSG_ID and md.MsgId != _NO_ID else None
        self.correl_id = md.CorrelId if match & C.MQMO_MATCH_CORREL_ID and md.CorrelId != _NO_ID else None
        self.group_id = md.GroupId if match & C.MQMO_MATCH_GROUP_ID and md.GroupId != _NO_ID else None
        self.sequence = md.MsgSeqNumber if match & C.MQMO_MATCH_MSG_SEQ_NUMBER else None
        self.offset = md.Offset if match & C.MQMO_MATCH_OFFSET else None
        self.token = gmo.MsgToken if version >= C.MQGMO_VERSION_3 and match & C.MQMO_MATCH_MSG_TOKEN else None
        self.selector = handle.selector
        self.cost = 0  # of the latest question to the selector, in units of work
        self.unmarked = options & C.MQGMO_UNMARKED_BROWSE_MSG
        self.specific = bool(
            self.message_id or self.correl_id or self.group_id or self.sequence is not None or self.offset is not None
            or self.token or self.selector
        )  # fmt: skip
        self.plain = not (self.specific or self.unmarked or options & GROUP_OPTIONS)
        self.current: groups.GroupState | None = None  # what a get in logical order goes on with
        self.demands: tuple[bytes | None, bytes | None, bytes | None, int | None, int | None] | None = None
        if options & C.MQGMO_LOGICAL_ORDER:
            self._follow_logical_order(handle)

    @property
    def ids(self) -> tuple[int | None, int | None]:
        """Hashes of the message id and the correlation id that it must have; None for one that may be any."""
        message_id, correl_id = self._ids()
        return (
            None if message_id is None else crc32(message_id),
            None if correl_id is None else crc32(correl_id),
        )

    def _ids(self) -> tuple[bytes | None, bytes | None]:
        """Those that it was given, or else those that its selector asks for."""
        selector = self.selector
        if selector is None:
            return self.message_id, self.correl_id
        return self.message_id or selector.msg_id, self.correl_id or selector.correl_id

    def _follow_logical_order(self, handle: ObjectHandle) -> None:
        """The queue manager knows what comes next. Fields that cannot choose must agree with it all the same."""
        self.demands = (self.message_id, self.correl_id, self.group_id, self.sequence, self.offset)
        self.sequence = self.offset = None
        self.current = current = groups.current(handle, self.options)
        if current is not None:
            self.message_id = self.correl_id = None
            self.group_id, self.sequence, self.offset = current.group_id, current.sequence, current.offset

    def check_demands(self, md: MQMD, name: str) -> None:
        """In logical order: do the match options agree with the message that comes next?"""
        if self.demands is None:
            return
        found = (md.MsgId, md.CorrelId, md.GroupId, md.MsgSeqNumber, md.Offset)
        if any(demand is not None and demand != value for demand, value in zip(self.demands, found, strict=True)):
            raise mq_error(
                C.MQRC_MATCH_OPTIONS_ERROR, name, "the message that comes next in logical order does not match"
            )

    def fits(self, md: MQMD) -> bool:
        """Do the fields of this descriptor match, group options aside?"""
        return (
            (self.message_id is None or md.MsgId == self.message_id)
            and (self.correl_id is None or md.CorrelId == self.correl_id)
            and (self.group_id is None or md.GroupId == self.group_id)
            and (self.sequence is None or md.MsgSeqNumber == self.sequence)
            and (self.offset is None or md.Offset == self.offset)
        )

    def selects(self, message: Message) -> bool:
        """Does the selector of the handle, if there is one, choose this message?"""
        selector = self.selector
        if selector is None:
            return True
        self.cost = selector.cost
        if not selector.needs_properties:
            return selector.matches(message.md, None)
        properties, looked = look_up(message.md, message.properties, message.data, selector.names)
        self.cost += looked
        if selector.compares:
            texts = sum(len(one.value) for one in properties.entries() if isinstance(one.value, str))
            self.cost += texts * selector.compares >> _COMPARED
        return selector.matches(message.md, properties)


def takes_any(handle: ObjectHandle, md: MQMD, gmo: MQGMO) -> bool:
    """Is this a plain get or browse, for which whatever comes first will do? Told without making a `Wanted`."""
    if handle.selector is not None or gmo.Options & _PARTICULAR:
        return False
    match = gmo.MatchOptions if gmo.Version >= C.MQGMO_VERSION_2 else _IDS
    return (
        not match & ~_IDS
        and (md.MsgId == _NO_ID or not match & C.MQMO_MATCH_MSG_ID)
        and (md.CorrelId == _NO_ID or not match & C.MQMO_MATCH_CORREL_ID)
    )


def first(core: Core, handle: ObjectHandle | None, queue: QueueState) -> int:
    """The first slot that the handle may have, or anybody; NONE, or MORE. Nearly always it is the first of all."""
    store = queue.store
    slot = store.chains.first_of_all()
    if slot == NONE or not (store.handles.expiry_ms[slot] or queue.locks):
        return slot
    return _first_in_reach(core, handle, queue)


def _first_in_reach(core: Core, handle: ObjectHandle | None, queue: QueueState) -> int:
    """The first that has not expired and that no other handle has locked; MORE if too many before it have expired."""
    chains, expiry_ms = queue.store.chains, queue.store.handles.expiry_ms
    now_ms = int(core.clock.now() * 1000)
    left = core.turns.slice
    slot = chains.first_of_all()
    while slot != NONE:
        if expiry_ms[slot] and expiry_ms[slot] <= now_ms:
            if left <= 0:
                return MORE
            left -= DISCARD
            expiry.discard(core, queue, slot)
            slot = chains.first_of_all()
        elif not queue.locks or queue.locks.get(slot, handle) is handle:
            return slot
        else:
            slot = chains.after(slot)
    return NONE


def reach(core: Core, handle: ObjectHandle, queue: QueueState) -> groups.Reach:
    return groups.Reach(queue, handle, int(core.clock.now() * 1000))


def is_marked(core: Core, handle: ObjectHandle, queue: QueueState, slot: int) -> bool:
    """Marked by this handle, or by the cooperating ones less than MARKINT ago."""
    if slot in handle.marks:
        return True
    if not handle.has(C.MQOO_CO_OP):
        return False
    marked = queue.coop_marks.get(slot)
    if marked is None:
        return False
    interval = core.catalogue.qmgr.markint
    if interval >= 0 and core.clock.monotonic() >= marked + interval / 1000:
        del queue.coop_marks[slot]
        return False
    return True
