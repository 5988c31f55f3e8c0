"""The exits of a client's channel: each conversation on its socket has its own, and every segment goes through them.

Segments are taken one at a time: what one of them begins (a conversation) must be there for the next. They are written
through the exits in the order in which they leave. Whoever sends anything before its initial data was answered would
get past the exits, and is refused. A link without exits has none of this.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.exits import ChannelExitError, Exits
from libremq.channels.transport import Peer
from libremq.common.files.queue_manager_files import EXITS
from libremq.common.indicator import Indicator
from libremq.kernel.objects.object_types import ServerConnection
from libremq.server.net.turn_budget import FLOWS_A_TURN
from libremq.wire import session_flows
from libremq.wire.protocol import ProtocolError, Status, Type
from libremq.wire.segments import TSH_BYTES, TSHM_BYTES, header_bytes

if TYPE_CHECKING:
    from libremq.server.net.client_link import Link

_LENGTH_AT = slice(4, 8)
_CONVERSATION_AT = slice(8, 12)
_KIND_AT = -19  # from the end of the header
_STARTS = (b"TSH", b"\xe3\xe2\xc8")
# What may come without a conversation: it is about the socket, or of a conversation that has just ended
_OF_NO_CONVERSATION = frozenset(
    {Type.INITIAL_DATA, Type.SOCKET_ACTION, Type.STATUS_DATA, Type.HEARTBEAT, Type.REQUEST_MSGS, Type.NOTIFICATION}
)


def begin_exits(
    link: Link, definition: ServerConnection, agreed: session_flows.InitialData, *, waits: bool
) -> LinkExits | None:
    """The exits of a channel that is to start; None if it cannot run with them, which was said.

    `waits`: the client waits for the answer to its initial data.
    """
    if not waits:
        link.refuse(Status.PROTOCOL_GENERAL, "it did not wait for the answer to its initial data, and there are exits")
        return None
    try:
        return LinkExits(link, definition, max_segment=agreed.max_segment, shared=agreed.sharing > 0)
    except ChannelExitError as error:
        link.refuse(error.status, error.message)
        return None


class LinkExits:
    """The exits of one instance of a server-connection channel, as its definition named them when it started."""

    __slots__ = ("_by_conversation", "_failed", "_first", "_link", "_raw", "_shared", "exit_time")

    def __init__(self, link: Link, definition: ServerConnection, *, max_segment: int, shared: bool) -> None:
        """ChannelExitError if the channel cannot run with them."""
        event_loop, tls = link.event_loop, link.tls
        peer = Peer(
            link.peer.partition("(")[0],
            subject=tls.subject if tls is not None else "",
            issuer=tls.issuer if tls is not None else "",
        )
        exit_path = os.path.join(event_loop.folder, EXITS)
        environment = ChannelEnvironment(event_loop.manager, event_loop.say, exit_path=exit_path)
        self._link = link
        self._first = Exits.load(environment, definition, sending=False, client=peer)
        self._first.meet("", peer, max_segment=max_segment)
        self._by_conversation = {1: self._first}
        self._shared = shared
        self._raw = b""  # what has come and was not taken yet
        self._failed = False
        self.exit_time = Indicator()
        """EXITTIME: microseconds, of a segment."""

    @property
    def send_space(self) -> int:
        """By how much segments must be shorter than was agreed, so that send exits can lengthen them."""
        return max((exits.send_space for exits in self._by_conversation.values()), default=0)

    @property
    def held_bytes(self) -> int:
        return len(self._raw)

    # Conversations

    def open(self, number: int) -> bool:
        """Another conversation begins. False if its exits do not want that, which is the end of the channel."""
        try:
            self._by_conversation[number] = self._first.another(number)
        except ChannelExitError as error:
            self._link.refuse(error.status, error.message)
            return False
        return True

    def close(self, number: int) -> None:
        exits = self._by_conversation.pop(number, None)
        if exits is not None:
            exits.end()

    def close_all(self) -> None:
        for number in list(self._by_conversation):
            self.close(number)

    def admit(self, number: int, asserted: str, user: str) -> str:
        """As whom a conversation connects that says it is `asserted`, after the rules have said `user`.

        ChannelExitError if it may not.

        From whatever thread.
        """
        with self._link.event_loop.lock:
            exits = self._by_conversation.get(number)
            if exits is None or not exits.any_security:
                return user
            try:
                return exits.security_of_client(asserted, user)
            finally:
                self.exit_time.add(exits.microseconds)

    # What comes

    def received(self, data: bytes) -> None:
        self._raw += data
        self.go_on()

    def go_on(self) -> None:
        """Give the link what came, segment by segment, as long as it takes it."""
        link, data, start = self._link, self._raw, 0
        limit, left = link.segment_limit, FLOWS_A_TURN
        try:
            while link.takes_more and len(data) - start >= TSH_BYTES:
                head = data[start : start + TSH_BYTES]
                length = int.from_bytes(head[_LENGTH_AT], "big")
                if head[:3] not in _STARTS or not header_bytes(head) <= length <= limit:
                    link.take_in(data[start:])  # which says what is wrong with it
                    start = len(data)
                elif len(data) - start < length:
                    break
                else:
                    segment = data[start : start + length]
                    start += length
                    link.take_in(self._through_receive_exits(segment))
                    left -= 1
                    if not left:
                        link.rest()
        except ChannelExitError as error:
            link.refuse(error.status, error.message)
        except ProtocolError as error:
            link.refuse(error.status, str(error))
        self._raw = data[start:]

    def _through_receive_exits(self, segment: bytes) -> bytes:
        exits = self._exits_of(segment)
        if exits is None:
            kind = segment[header_bytes(segment) + _KIND_AT]
            if kind in _OF_NO_CONVERSATION:
                return segment
            raise ProtocolError(Status.CONV_ID_ERROR, f"a segment of type {kind:#x} of no conversation")
        if not exits.any_receive:
            return segment
        with self._link.event_loop.lock:
            segment = exits.receive(segment)
            self.exit_time.add(exits.microseconds)
        return segment

    def _exits_of(self, segment: bytes) -> Exits | None:
        if not self._shared:
            return self._by_conversation.get(1)
        if header_bytes(segment) != TSHM_BYTES:
            return None
        return self._by_conversation.get(int.from_bytes(segment[_CONVERSATION_AT], "big"))

    # What leaves

    def outgoing(self, data: bytes) -> bytes:
        """Whole segments, as they are to be written. If an exit ends the channel, what comes after it is not."""
        if self._failed:
            return b""
        if not self._first.any_send:
            return data
        passed: list[bytes] = []
        start = 0
        with self._link.event_loop.lock:
            while start < len(data):
                length = int.from_bytes(data[start + 4 : start + 8], "big")
                segment = data[start : start + length]
                start += length
                exits = self._exits_of(segment)
                if exits is None:
                    passed.append(segment)
                    continue
                try:
                    passed.append(exits.send(segment))
                except ChannelExitError as error:
                    self._failed = True
                    passed.append(self._link.end_behind(error.status, error.message))
                    break
                self.exit_time.add(exits.microseconds)
        return b"".join(passed)
