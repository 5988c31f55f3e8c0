"""Messages that go to a client without a call for each: batches, and calls to consumers.

A batch is one request and many messages: the first is waited for, the others are taken along as long as there are any.
In a unit of work they all belong to it. With read ahead only messages that are not persistent are taken along, since
those that the application never asks for are lost with it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from libremq.common.messages.amq_messages import amq
from libremq.kernel.state.failure_reasons import unexpected
from libremq.kernel.state.waiting_gets import Got, Waiter
from libremq.kernel.verbs.consumers import Delivery
from libremq.kernel.verbs.matching import takes_any
from libremq.kernel.verbs.plain_gets import PLAIN_OPTIONS, Plain
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD
from libremq.server.net import known_calls
from libremq.server.net.turn_budget import BYTES_A_TURN, FLOWS_A_TURN
from libremq.wire import session_flows
from libremq.wire.messages import (
    BATCH,
    STREAM,
    Request,
    frames_front,
    message_frames,
    pack_message,
    pack_notification,
    pack_plain_message,
)
from libremq.wire.protocol import Notice, Type
from libremq.wire.segments import Flow

if TYPE_CHECKING:
    from libremq.server.net.conversation import Conversation

BATCH_MAX = 10_000
_BATCH_BYTES_MAX = 64 << 20


def packed_message(
    conversation: Conversation, hobj: int, md: MQMD, gmo: MQGMO, got_data: bytes, length: int, reason: int, *,
    removed: bool = True, state: int = 0, selection_index: int = 1,
) -> bytes:  # fmt: skip
    """The next ASYNC_MESSAGE: made before its message is taken, so that one that cannot be sent stays where it is."""
    hmsg = gmo.MsgHandle
    properties = (conversation.properties_in(hmsg) or b"") if hmsg else b""
    return pack_message(
        hobj, _next_index(conversation), md, gmo, got_data, length, reason=reason, properties=properties,
        removed=removed, state=state, selection_index=selection_index, foreign=not conversation.link.ours,
    )  # fmt: skip


def send_message(conversation: Conversation, request: int, body: bytes) -> int:
    """Send it; its size."""
    link = conversation.link
    assert link.agreed is not None and conversation.connection is not None
    conversation.sent = _next_index(conversation)
    whole = link.framed(Type.ASYNC_MESSAGE, body, conversation.number, request)
    link.send(whole, conversation.connection.lsn)
    return len(whole)


def _next_index(conversation: Conversation) -> int:
    return conversation.sent + 1 & 0xFFFFFFFF


class Batch:
    """One REQUEST_MSGS, served."""

    __slots__ = (
        "_conversation", "_count", "_cut", "_flow", "_gmo", "_max_length", "_md", "_options", "_request", "_room",
        "_sent",
    )  # fmt: skip

    def __init__(self, conversation: Conversation, flow: Flow, request: Request) -> None:
        self._conversation = conversation
        self._flow = flow
        self._request = request
        flags = request.flags
        self._count = min(max(1, request.count), BATCH_MAX) if flags & (BATCH | STREAM) else 1
        self._room = min(max(1, request.requested_bytes), _BATCH_BYTES_MAX)
        self._sent = 0
        self._max_length = None if request.max_length < 0 else request.max_length
        self._options = request.options & ~C.MQGMO_WAIT  # of all but the first
        limit = conversation.length_limit(request.hobj)
        self._cut = limit is not None and self._max_length is None and conversation.link.ours
        if self._cut:
            self._max_length = limit
        self._md = request.md or MQMD(Version=2)
        self._gmo = MQGMO(
            Version=4, Options=request.options, WaitInterval=request.wait_ms, MatchOptions=request.match_options
        )
        if request.token:
            self._gmo.MsgToken = request.token
        if conversation.link.ours and not request.options & ~_ANY_PROPERTIES & _PROPERTIES:
            self._gmo.MsgHandle = conversation.scratch()

    def begin(self) -> None:
        conversation = self._conversation
        md, gmo = self._md.copy(), self._gmo.copy()
        try:
            conversation.check_memory()
            if self._is_plain and self._take_plain(min(self._count, FLOWS_A_TURN)):
                self._rest()
                return
            result = conversation.manager.get(
                conversation.hconn, self._request.hobj, md, gmo, self._max_length, self._pack
            )
        except MQError as error:
            self._end(error)
            return
        if isinstance(result, Waiter):
            conversation.batch = self
            conversation.wait_for(result)
            return
        self._first(result)

    def came(self, waiter: Waiter) -> None:
        """The first message, which was waited for; or another one whose search took more than one call."""
        if waiter.error is not None:
            self._end(None if self._sent else waiter.error)
            return
        assert waiter.result is not None
        if not self._sent:
            self._first(waiter.result)
        elif self._take(waiter.result):
            self._rest()
        else:
            self._end(None)

    def _first(self, got: Got) -> None:
        if self._cut and got.reason == C.MQRC_TRUNCATED_MSG_FAILED:
            self._end(self._conversation.too_long(got.length))
            return
        self._send(got.reply)
        self._rest()

    def _pack(self, hobj: int, md: MQMD, gmo: MQGMO, got: Got) -> bytes:
        return packed_message(
            self._conversation, hobj, md, gmo, got.data, got.length, got.reason,
            removed=got.reason != C.MQRC_TRUNCATED_MSG_FAILED, selection_index=self._request.selection_index,
        )  # fmt: skip

    def _send(self, body: bytes) -> None:
        self._sent += 1
        self._room -= send_message(self._conversation, self._flow.request, body)

    @property
    def _takes_any(self) -> bool:
        """Does whatever comes first do?"""
        handle = self._conversation.manager.handle(self._conversation.hconn, self._request.hobj)
        return takes_any(handle, self._md, self._gmo)

    @property
    def _is_plain(self) -> bool:
        """Do messages about which nothing is special go as they are?"""
        return (
            self._conversation.link.ours
            and known_calls.are_run()
            and not self._request.flags & STREAM
            and self._max_length is None
            and not self._options & ~PLAIN_OPTIONS
            and self._takes_any
        )

    def _take_plain(self, most: int) -> bool:
        """Take along messages about which nothing is special, and send them; False if the next is none of these."""
        conversation, request = self._conversation, self._request
        link, connection, options = conversation.link, conversation.connection, self._options
        assert connection is not None
        name = self._queue_name
        frames: list[bytes] = []
        sizes: list[int] = []

        def before(found: list[Plain]) -> int:
            done, room = len(sizes), min(self._room, BYTES_A_TURN) - sum(sizes)
            more: list[int] = []
            try:
                front = frames_front(
                    request.hobj, name, request.selection_index, conversation.number, self._flow.request
                )
                before_data = len(front) + len(found[0].body)
                for one in found:
                    if room <= 0:
                        break
                    more.append(before_data + len(one.message.data))
                    room -= more[-1]
                wanted = found[: len(more)]
                if link.shares and max(more, default=0) <= link.max_segment:
                    bodies, tokens = [one.body for one in wanted], [one.token for one in wanted]
                    contents = [one.message.data for one in wanted]
                    frames.append(message_frames(front, conversation.sent + done + 1, bodies, tokens, contents))
                else:
                    framed = [self._framed(one, name, number) for number, one in enumerate(wanted, done + 1)]
                    frames.extend(framed)
                    more = [len(one) for one in framed]
                sizes.extend(more)
            except Exception as error:
                raise unexpected(error, name.decode("latin-1")) from error
            return len(wanted)

        taken = len(conversation.manager.get_plain(conversation.hconn, request.hobj, options, before, most))
        if not taken:
            return False
        whole = b"".join(frames)
        if taken < len(sizes):
            whole = whole[: sum(sizes[:taken])]  # what was not taken in the end is not sent either
        conversation.sent = conversation.sent + taken & 0xFFFFFFFF
        self._sent += taken
        self._room -= len(whole)
        link.send(whole, connection.lsn, taken)
        return True

    def _framed(self, found: Plain, name: bytes, number: int) -> bytes:
        """The frame, or the frames, of the message with this number among those that are sent."""
        conversation, request = self._conversation, self._request
        index = conversation.sent + number & 0xFFFFFFFF
        body = pack_plain_message(
            request.hobj, index, found.body, name, found.token, found.message.data, request.selection_index
        )
        return conversation.link.framed(Type.ASYNC_MESSAGE, body, conversation.number, self._flow.request)

    @property
    def _queue_name(self) -> bytes:
        queue = self._conversation.manager.handle(self._conversation.hconn, self._request.hobj).queue
        return queue.name.encode("latin-1") if queue is not None else b""

    def go_on(self) -> None:
        """The client takes more."""
        self._rest()

    def _rest(self) -> None:
        """Take along what is there, as long as the client takes it."""
        conversation, hobj = self._conversation, self._request.hobj
        link = conversation.link
        manager = conversation.manager
        ahead = self._request.flags & STREAM
        template = self._gmo.copy()
        template.Options = self._options
        plain = self._is_plain
        until, room = self._sent + FLOWS_A_TURN, self._room - BYTES_A_TURN
        try:
            while self._sent < self._count and self._room > 0:
                if link.is_full():
                    conversation.batch = self
                    return
                if self._sent >= until or self._room <= room:
                    # The client reads these while the next are got, and others have their turn
                    conversation.batch = self
                    link.go_on_soon()
                    return
                if plain and self._take_plain(min(self._count, until) - self._sent):
                    continue
                if ahead and not manager.next_is_nonpersistent(conversation.hconn, hobj, self._md, template):
                    break
                md, gmo = self._md.copy(), template.copy()
                got = manager.get(conversation.hconn, hobj, md, gmo, self._max_length, self._pack)
                if isinstance(got, Waiter):
                    conversation.batch = self
                    conversation.wait_for(got)
                    return
                if not self._take(got):
                    break
        except MQError as error:
            # What was sent is theirs; if more than emptiness is wrong, the next request will hear of it
            if error.reason == C.MQRC_BACKED_OUT and self._sent and conversation.connection is not None:
                conversation.connection.backed_out = True  # it is said once: a commit must not seem to succeed
            if error.reason != C.MQRC_NO_MSG_AVAILABLE and not self._sent:
                self._end(error)
                return
        self._end(None)

    def _take(self, got: Got) -> bool:
        """Send one that is taken along; False if it is the last."""
        if got.reason == C.MQRC_TRUNCATED_MSG_FAILED:
            if not self._cut:  # else the next request will hear of it
                self._send(got.reply)
            return False
        self._send(got.reply)
        return True

    def _end(self, error: MQError | None) -> None:
        """The end of the batch; without a message it has the reason."""
        conversation = self._conversation
        link = conversation.link
        lsn = conversation.connection.lsn if conversation.connection is not None else 0
        if error is not None and link.ours:
            words = session_flows.pack_explanation(error.object_name, error.detail)
            link.send(link.framed(Type.PING_DATA, words, conversation.number, self._flow.request), lsn)
        if error is not None or self._request.flags & (BATCH | STREAM):
            reason = error.reason if error is not None else 0
            notice = pack_notification(self._request.hobj, Notice.CLIENT_ASYNC_EMPTY, reason)
            link.send(link.framed(Type.NOTIFICATION, notice, conversation.number, self._flow.request), lsn)


_PROPERTIES = (
    C.MQGMO_PROPERTIES_FORCE_MQRFH2
    | C.MQGMO_NO_PROPERTIES
    | C.MQGMO_PROPERTIES_IN_HANDLE
    | C.MQGMO_PROPERTIES_COMPATIBILITY
)
_ANY_PROPERTIES = C.MQGMO_PROPERTIES_IN_HANDLE


# Consumers


def register(
    conversation: Conversation, operation: int, cbd: MQCBD, hobj: int, md: MQMD, gmo: MQGMO, area: object
) -> None:
    """MQCB. The kernel keeps the consumer; its function is at the other end."""
    connection = conversation.connection
    assert connection is not None
    new = 0
    limit = conversation.length_limit(hobj)
    if limit is not None and not 0 <= cbd.MaxMsgLength <= limit:
        cbd.MaxMsgLength = limit
    if operation & C.MQOP_REGISTER and gmo.MsgHandle:
        new = gmo.MsgHandle = connection.message_handles.create()
    try:
        function = _at_the_other_end if area else None
        conversation.manager.callback(conversation.hconn, operation, cbd, function, hobj, md, gmo)
    except MQError:
        if new:
            connection.message_handles.delete(new)
        raise
    if operation & C.MQOP_REGISTER or operation & C.MQOP_DEREGISTER:
        forget_handle(conversation, hobj)
    if new:
        conversation.consumer_handles[hobj] = new


def _at_the_other_end(*arguments: object) -> None:
    raise AssertionError("consumers are called by the client")


def forget_handle(conversation: Conversation, hobj: int) -> None:
    hmsg = conversation.consumer_handles.pop(hobj, 0)
    if hmsg and conversation.connection is not None:
        try:
            conversation.connection.message_handles.delete(hmsg)
        except MQError:
            pass


def next_call(conversation: Conversation) -> None:
    """Send what the kernel wants a consumer called with."""
    manager, link, connection = conversation.manager, conversation.link, conversation.connection
    assert connection is not None
    try:
        delivery = manager.next_delivery(conversation.hconn, partial(_pack_delivery, conversation))
    except MQError as error:
        manager.say(amq(5078, error))
        return
    if delivery is None:
        if not connection.consuming:
            # They were stopped: the client's thread that waits for calls may end
            conversation.ready = False
            notice = pack_notification(0, Notice.CONSUMER_CALL, 0, 0)
            link.send(link.framed(Type.NOTIFICATION, notice, conversation.number), connection.lsn)
        return
    conversation.ready = False
    cbc = delivery.cbc
    if delivery.md is None or delivery.gmo is None or delivery.data is None:
        packed = cbc.CallType << 16 | cbc.CompCode << 8 | cbc.State
        notice = pack_notification(cbc.Hobj, Notice.CONSUMER_CALL, cbc.Reason, packed)
        link.send(link.framed(Type.NOTIFICATION, notice, conversation.number), connection.lsn)
        return
    send_message(conversation, 0, delivery.packed)


def _pack_delivery(conversation: Conversation, delivery: Delivery) -> bytes:
    assert delivery.md is not None and delivery.gmo is not None and delivery.data is not None
    cbc = delivery.cbc
    return packed_message(
        conversation, cbc.Hobj, delivery.md, delivery.gmo, delivery.data, cbc.DataLength, cbc.Reason,
        removed=cbc.CallType == C.MQCBCT_MSG_REMOVED, state=cbc.State,
    )  # fmt: skip
