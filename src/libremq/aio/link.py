"""One socket to a queue manager, shared by conversations, on the event loop.

Calls of a conversation are answered in their order, so each has its place in a line, and a reply goes to the first.
The event loop calls when bytes come; there is no task that reads, and no thread. A timer sends heartbeats and notices
that the queue manager is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from libremq.aio.pending_calls import Call, to_the_end
from libremq.client.remote import remote_greeting as greeting
from libremq.client.urls import ClientAddress
from libremq.common.silence import Silence, unacknowledged
from libremq.common.tls.tls_context import check_agreed, client_context
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.security.peer_names import check_partner
from libremq.wire import session_flows
from libremq.wire.messages import unpack_notification
from libremq.wire.protocol import (
    CLOSE_CHANNEL,
    CONFIRM_REQUEST,
    ERROR,
    MAX_SEGMENT,
    WHOLE,
    Action,
    Notice,
    ProtocolError,
    Status,
    Type,
)
from libremq.wire.segments import FLOW_OVERHEAD, Flow, SegmentReader, frame, frame_plain

T = TypeVar("T")
Words = tuple[str, str] | None

PATIENCE_S = 30.0
"""For the answer to what should be answered at once, after which the line counts as lost."""
_GOODBYE_S = 1.0
_WRITE_HIGH = 1 << 20
_READ_BYTES = 1 << 16


class Exchange(Call[T], Generic[T]):
    """A call over a socket: `read` makes the result of its reply, as soon as that comes."""

    __slots__ = ("_read", "timer")

    def __init__(self, loop: asyncio.AbstractEventLoop, read: Callable[[Flow, Words], T]) -> None:
        super().__init__(loop)
        self._read = read
        self.timer: asyncio.TimerHandle | None = None

    def take(self, flow: Flow, words: Words) -> bool:
        """A segment for this call; True if it was the last."""
        try:
            self.succeed(self._read(flow, words))
        except MQError as error:
            self.refuse(error)
        return True

    def refuse(self, error: MQError) -> None:
        """The call failed. If its reply cannot be read, nothing that follows it can."""
        if isinstance(error, ProtocolError):
            raise error
        if error.reason == C.MQRC_CONNECTION_BROKEN:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, error.detail) from error
        self.fail(error)

    def _settle(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        super()._settle()


class Slot:
    """One conversation: its calls that are not answered yet, in their order."""

    __slots__ = ("calls", "explanation", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self.calls: deque[Exchange[object]] = deque()
        self.explanation: Words = None  # of the error that is on its way


class Link(asyncio.BufferedProtocol):
    """A client channel. Made by `Link.open`."""

    def __init__(self, address: ClientAddress, host: tuple[str, int] | None) -> None:
        self.address = address
        self.where = f"{host[0]}:{host[1]}" if host else address.shown
        self.loop = asyncio.get_running_loop()
        self.slots: dict[int, Slot] = {1: Slot(1)}
        self.broken: MQError | None = None
        self.ended = False  # by this end, in good order
        self.agreed = greeting.offer(address)
        self._over_tcp = host is not None
        self._reader = SegmentReader(MAX_SEGMENT, address.max_message_bytes + FLOW_OVERHEAD)
        # A buffer of its own: to make one of the usual size for each reply costs more than to read the reply
        self._buffer = memoryview(bytearray(_READ_BYTES))
        self._transport: asyncio.Transport | None = None
        self._greeted = False
        self._first_free = True
        self._next_number = 3
        self._writable: asyncio.Future[None] | None = None  # while the peer does not read
        self._lost: asyncio.Future[None] = self.loop.create_future()
        self._timer: asyncio.TimerHandle | None = None
        self.spoke = self.loop.time()
        self._silence = Silence(self.spoke)

    # Connecting

    @classmethod
    async def open(cls, address: ClientAddress, host: tuple[str, int] | None) -> Link:
        """Connect and negotiate. OSError if there is nobody, MQError if the queue manager refuses."""
        link = cls(address, host)
        try:
            async with asyncio.timeout(address.connect_timeout_s or None):
                await link._connect(host)
                await link._negotiate()
        except TimeoutError:
            link.abort()
            raise mq_error(
                C.MQRC_HOST_NOT_AVAILABLE, address.name, f"{link.where} did not answer in {address.connect_timeout_s} s"
            ) from None
        except ssl.SSLError as error:
            link.abort()
            raise greeting.tls_error(address, link.where, error) from error
        except BaseException:
            link.abort()
            raise
        return link

    async def _connect(self, host: tuple[str, int] | None) -> None:
        if host is None:
            await self.loop.create_unix_connection(lambda: self, self.address.socket_path)
            return
        tls = self.address.tls
        context, name = client_context(tls, host[0], self.address.channel) if tls is not None else (None, None)
        await self.loop.create_connection(lambda: self, host[0], host[1], ssl=context, server_hostname=name)
        if tls is not None and self._transport is not None:
            check_agreed(tls, self._transport.get_extra_info("ssl_object"), self.address.name)
            if tls.peer_name:
                check_partner(tls.peer_name, self._transport.get_extra_info("peercert"), self.address.name)

    async def _negotiate(self) -> None:
        flags = WHOLE | CONFIRM_REQUEST
        data = frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(self.agreed), flags=flags)
        answer = await self._greet(data)
        if session_flows.corrected(answer):
            await self._greet(frame(Type.INITIAL_DATA, session_flows.pack_initial(answer), 1, flags=flags))
        self.agreed = answer
        self._greeted = True
        self._reader.max_segment = max(answer.max_segment, 1024)
        self._look_after()

    async def _greet(self, data: bytes) -> session_flows.InitialData:
        call = Exchange(self.loop, lambda flow, words: greeting.read_answer(self.address, self.where, flow))
        self.begin(self.slots[1], call, data)
        await call.wait()
        return call.result()

    # The transport calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=_WRITE_HIGH)
        if self._over_tcp:
            with contextlib.suppress(OSError):
                self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def get_buffer(self, sizehint: int) -> memoryview:  # TLS fills it piece by piece
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._received(bytes(self._buffer[:nbytes]))

    def eof_received(self) -> None:
        """The transport is closed, and `connection_lost` says so."""

    def _received(self, data: bytes) -> None:
        self._silence.heard = self.loop.time()
        try:
            for flow in self._reader.feed(data):
                self._dispatch(flow)
                if self.broken is not None:
                    return
            if self._reader.failed is not None:
                raise self._reader.failed
        except ProtocolError as error:
            if self._greeted:
                self.lose(f"what {self.where} sent is not understood: {error.detail}")
            else:
                detail = f"what answers at {self.where} is no queue manager: {error.detail}"
                self._lose_with(mq_error(C.MQRC_HOST_NOT_AVAILABLE, self.address.name, detail))

    def connection_lost(self, error: Exception | None) -> None:
        if not self._greeted and self.broken is None:
            if isinstance(error, ssl.SSLError):
                self._lose_with(greeting.tls_error(self.address, self.where, error))
            else:
                self._lose_with(greeting.closed_at_once(self.address, self.where))
        self.lose(f"{self.where} is gone: {error}" if error is not None else f"{self.where} closed the connection")
        if not self._lost.done():
            self._lost.set_result(None)

    def pause_writing(self) -> None:
        self._writable = self.loop.create_future()

    def resume_writing(self) -> None:
        writable, self._writable = self._writable, None
        if writable is not None and not writable.done():
            writable.set_result(None)

    # What comes

    def _dispatch(self, flow: Flow) -> None:
        kind = flow.kind
        slot = self.slots.get(flow.conversation or 1)
        if kind == Type.HEARTBEAT:
            if flow.flags & CONFIRM_REQUEST:
                self.write(frame(Type.HEARTBEAT, b"", flow.conversation))
        elif kind == Type.STATUS_DATA and (flow.flags & ERROR or not self._greeted):
            self._lose_with(greeting.status_error(self.address, flow))
        elif slot is None or kind == Type.STATUS_DATA:
            pass  # of a conversation that is over; or credentials were accepted, and the reply to MQCONN says the rest
        elif kind == Type.PING_DATA:
            slot.explanation = session_flows.unpack_explanation(flow.body)
        elif kind == Type.NOTIFICATION and unpack_notification(flow.body, flow.big_endian).code == Notice.QM_QUIESCING:
            pass  # the next call hears of it
        elif not slot.calls:
            raise ProtocolError(Status.PROTOCOL_SEGMENT_TYPE, f"a segment of type {kind:#x} to no call")
        else:
            words, slot.explanation = slot.explanation, None
            if slot.calls[0].take(flow, words):
                slot.calls.popleft()

    # What goes

    def write(self, data: bytes) -> None:
        if self._transport is not None and self.broken is None:
            self.spoke = self.loop.time()
            self._transport.write(data)

    def begin(self, slot: Slot, call: Exchange[T], data: bytes) -> None:
        """Send a call; its place in the line is taken in the same moment."""
        if self.broken is not None:
            raise self.broken_again()
        slot.calls.append(cast("Exchange[object]", call))
        self.write(data)

    async def writable(self) -> None:
        """Wait until the peer reads what was written before: what is kept for it is bounded."""
        while self._writable is not None:
            await asyncio.shield(self._writable)

    def limit(self, call: Exchange[T], seconds: float) -> None:
        """The line counts as lost if the call is not answered in time."""
        if not call.settled and call.timer is None:
            call.timer = self.loop.call_later(seconds, self.lose, f"{self.where} did not answer in time")

    # Conversations

    @property
    def has_room(self) -> bool:
        return self.broken is None and (self._first_free or len(self.slots) < self.agreed.sharing)

    async def new_slot(self) -> Slot:
        """Begin another conversation; only if there is room."""
        if self._first_free:
            self._first_free = False
            return self.slots[1]
        slot = Slot(self._next_number)
        self._next_number += 2
        self.slots[slot.number] = slot
        call: Exchange[None] = Exchange(self.loop, lambda flow, words: None)
        try:
            self.begin(
                slot, call,
                frame_plain(Type.SOCKET_ACTION, session_flows.pack_action(slot.number, Action.START), letter=b"C"),
            )  # fmt: skip
            self.limit(call, self.address.connect_timeout_s or PATIENCE_S)
            await call.wait()
            call.result()
        except BaseException:
            self.end_slot(slot)
            raise
        return slot

    def end_slot(self, slot: Slot) -> None:
        """The conversation is over, as a disconnect leaves it; with the last one the socket is closed."""
        if self.slots.pop(slot.number, None) is None:
            return
        last = not self.slots
        body = session_flows.pack_action(slot.number, Action.END)
        flags = WHOLE | (CLOSE_CHANNEL if last else 0)
        self.write(frame_plain(Type.SOCKET_ACTION, body, flags=flags, letter=b"C"))
        self._fail(slot, self.broken_again() if self.broken is not None else self._over())
        if last:
            self.close()

    @staticmethod
    def _fail(slot: Slot, error: MQError) -> None:
        while slot.calls:
            slot.calls.popleft().fail(mq_error(error.reason, error.object_name, error.detail))

    # Silence

    def _look_after(self) -> None:
        """Send a heartbeat if nothing was sent or heard for long; give up if it is not answered."""
        self._timer = None
        interval = self.agreed.heartbeat_s
        if not interval or self.broken is not None:
            return
        now, silence = self.loop.time(), self._silence
        if self._transport is not None and now - silence.heard >= interval:
            connection = self._transport.get_extra_info("socket")
            untaken = unacknowledged(connection.fileno()) if connection is not None else 0
            silence.note_untaken(self._transport.get_write_buffer_size() + untaken, now)
        if silence.is_gone(now, interval):
            self.lose(f"{self.where} was silent for {now - silence.heard:.0f} seconds")
            return
        due = min(self.spoke, silence.heard) + interval
        if due <= now:
            if now - self.spoke >= interval or not silence.is_asking:
                silence.ask(now)
                number = next(iter(self.slots), 1)
                self.write(frame(Type.HEARTBEAT, b"", number, flags=WHOLE | CONFIRM_REQUEST))
            due = now + min(interval, 1.0)
        self._timer = self.loop.call_at(due, self._look_after)

    # The end

    def lose(self, detail: str) -> None:
        """The connection is lost: every call that waits hears of it."""
        self._lose_with(mq_error(C.MQRC_CONNECTION_BROKEN, self.address.name, detail))

    def _lose_with(self, error: MQError) -> None:
        if self.broken is not None:
            return
        self.broken = error
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for slot in list(self.slots.values()):
            self._fail(slot, error)
        self.resume_writing()
        if self._transport is not None:
            self._transport.abort()

    def broken_again(self) -> MQError:
        """A fresh exception for each who asks."""
        assert self.broken is not None
        return mq_error(self.broken.reason, self.broken.object_name, self.broken.detail)

    def _over(self) -> MQError:
        return mq_error(C.MQRC_HCONN_ERROR, self.address.name, "the connection was ended")

    def close(self) -> None:
        """End it; what was written still goes out."""
        if self.broken is None:
            self.ended = True
            transport, self._transport = self._transport, None
            self._lose_with(self._over())
            self._transport = transport
            if transport is not None:
                transport.close()

    def abort(self) -> None:
        self.ended = True
        self._lose_with(self._over())
        if self._transport is not None:
            self._transport.abort()

    async def closed(self) -> None:
        """Until the socket is closed; one that does not get on with it is cut off."""
        if self._transport is None:
            return
        timer = self.loop.call_later(_GOODBYE_S, self._transport.abort)
        gone: Call[None] = Call(self.loop)
        self._lost.add_done_callback(lambda _: gone.succeed(None))
        try:
            await to_the_end(gone)
        finally:
            timer.cancel()
