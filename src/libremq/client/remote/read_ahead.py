"""Read ahead: messages of one handle that came before they were asked for.

Of messages that are got only those are read ahead that are not persistent, or that belong to a unit of work: what the
application never asks for is lost. What is browsed stays on its queue, so any message may be read ahead, on a handle
that was opened with MQOO_READ_AHEAD for browse and not for input; the messages are then those of a moment ago.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from libremq.client.remote import remote_calls as rc
from libremq.kernel.properties.message_handles import MessageHandles
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQGMO, MQMD
from libremq.wire.messages import BATCH, STREAM
from libremq.wire.protocol import Type
from libremq.wire.segments import Flow, frame

READ_AHEAD_MESSAGES = 100
READ_AHEAD_BYTES = 1 << 20
_INPUT = C.MQOO_INPUT_AS_Q_DEF | C.MQOO_INPUT_SHARED | C.MQOO_INPUT_EXCLUSIVE
_ALWAYS = (
    C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT | C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_PROPERTIES_IN_HANDLE
)  # fmt: skip
_GOT = _ALWAYS | C.MQGMO_SYNCPOINT_IF_PERSISTENT
_BROWSED = _ALWAYS | C.MQGMO_BROWSE_NEXT
_FILLED = ("ResolvedQName", "MsgToken", "GroupStatus", "SegmentStatus", "Segmentation", "ReturnedLength")


def for_handle(options: int, default: int) -> ReadAhead | None:
    """By the options of the open, or DEFREADA of the queue if they do not say; DISABLED means never."""
    if default == C.MQREADA_DISABLED or options & C.MQOO_NO_READ_AHEAD:
        return None
    if options & C.MQOO_READ_AHEAD or (default == C.MQREADA_YES and options & _INPUT):
        return ReadAhead(browses=not options & _INPUT)
    return None


class ReadAhead:
    """Of one handle."""

    __slots__ = ("_wanted", "browses", "messages")

    def __init__(self, *, browses: bool) -> None:
        self.browses = browses
        self.messages: deque[Flow] = deque()
        self._wanted: tuple[object, ...] = ()  # what the gets ask for that the messages are for

    def is_for(self, gmo: MQGMO) -> bool:
        """Is this get for what was read ahead, or may be?"""
        options = gmo.Options
        if self.browses:
            if options & C.MQGMO_BROWSE_FIRST:
                self.messages.clear()  # it begins anew
            may_be = options & C.MQGMO_BROWSE_NEXT and not options & ~_BROWSED
        else:
            may_be = not options & ~_GOT
        return bool(self.messages) or (bool(may_be) and rc.is_batchable(gmo))

    def check(self, md: MQMD, gmo: MQGMO) -> None:
        """MQError if the messages are for another get."""
        if self._wanted != _what(md, gmo):
            raise mq_error(
                C.MQRC_OPTIONS_CHANGED,
                detail="messages that were read ahead match what earlier gets asked for: get them first",
            )

    def request(self, conversation: int, hobj: int, md: MQMD, gmo: MQGMO) -> bytes:
        """For the next messages. A browse does not wait for them: see `waits_alone`."""
        self._wanted = _what(md, gmo)
        flags = STREAM
        if self.browses:
            flags = BATCH
            gmo = gmo.copy()
            gmo.Options &= ~C.MQGMO_WAIT
        body = rc.batch_request(
            hobj, md, gmo, flags=flags, count=READ_AHEAD_MESSAGES, max_bytes=READ_AHEAD_BYTES, max_length=None
        )
        return frame(Type.REQUEST_MSGS, body, conversation, 1)

    def waits_alone(self, gmo: MQGMO, reason: int) -> bool:
        """Nothing is there now to browse: is it to be waited for, by an ordinary get?"""
        return self.browses and reason == C.MQRC_NO_MSG_AVAILABLE and bool(gmo.Options & C.MQGMO_WAIT)

    def take(self, handles: MessageHandles, md: MQMD, gmo: MQGMO, buffer_length: int | None) -> Got:
        """The first of the messages, as an MQGET returns it."""
        first = rc.arrived(self.messages[0])
        too_long = buffer_length is not None and len(first.data) > buffer_length
        if too_long and not gmo.Options & C.MQGMO_ACCEPT_TRUNCATED_MSG:
            rc.refill_md(md, first.md)
            return Got(first.data[:buffer_length], first.length, C.MQCC_WARNING, C.MQRC_TRUNCATED_MSG_FAILED)
        if gmo.Version >= C.MQGMO_VERSION_4 and gmo.MsgHandle:
            rc.receive(handles, gmo.MsgHandle, first.md, first.properties)
        self.messages.popleft()  # now that nothing can go wrong: it may be on no queue any more
        version = md.Version
        rc.refill_md(md, first.md)
        md.Version = version
        for name in _FILLED:
            setattr(gmo, name, getattr(first.gmo, name))
        if too_long:
            return Got(first.data[:buffer_length], first.length, C.MQCC_WARNING, C.MQRC_TRUNCATED_MSG_ACCEPTED)
        return Got(first.data, first.length, C.MQCC_WARNING if first.reason else C.MQCC_OK, first.reason)

    def outlive(self) -> None:
        """The connection is lost, and with it its units of work and where it browses."""
        options = self._wanted[-1] if self._wanted else 0
        if self.browses:
            self.messages.clear()
        elif isinstance(options, int) and options & C.MQGMO_SYNCPOINT_IF_PERSISTENT:
            self.messages = deque(not_persistent(self.messages))


def _what(md: MQMD, gmo: MQGMO) -> tuple[object, ...]:
    return gmo.MatchOptions, md.MsgId, md.CorrelId, md.GroupId, gmo.Options & ~C.MQGMO_WAIT


def not_persistent(messages: Iterable[Flow]) -> list[Flow]:
    return [flow for flow in messages if rc.arrived(flow).md.Persistence != C.MQPER_PERSISTENT]
