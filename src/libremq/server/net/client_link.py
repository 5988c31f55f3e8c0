"""One socket of a client: what is read and run, heartbeats, and what is written back.

Replies leave in the order in which they were made. One whose log record is not on disk yet holds up those behind it on
the same socket, and nobody else. A peer that does not read is not read from either: what is kept for it is bounded. One
that has much to say is served in turns (`turn_budget`).
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import deque
from typing import TYPE_CHECKING, cast

from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.common.messages.spoken_of import speak_of
from libremq.common.silence import Silence
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.server.admission.tls_peers import TlsPeer, peer_of
from libremq.server.diagnostics.unexpected import described
from libremq.server.net import client_session
from libremq.server.net.conversation import Conversation
from libremq.server.net.known_calls import KnownCalls
from libremq.server.net.link_counters import LinkCounters
from libremq.server.net.link_exits import LinkExits
from libremq.server.net.message_link import MessageLink
from libremq.server.net.served_link import ServedLink
from libremq.server.net.server_connection_channels import Channel
from libremq.server.net.socket_options import peer_process, untaken
from libremq.server.net.strangers import Stranger
from libremq.server.net.traced_links import trace_received, trace_sent
from libremq.server.net.turn_budget import BYTES_A_TURN, FLOWS_A_TURN
from libremq.server.net.unfinished_flows import late_words
from libremq.wire import session_flows
from libremq.wire.messages import pack_notification
from libremq.wire.protocol import (
    CLOSE_CHANNEL,
    CONFIRM_REQUEST,
    ERROR,
    MAX_SEGMENT,
    REQUEST_ACCEPTED,
    WHOLE,
    Notice,
    ProtocolError,
    Status,
    Type,
)
from libremq.wire.segments import FLOW_OVERHEAD, TSH_BYTES, Flow, frame, frame_plain

if TYPE_CHECKING:
    from libremq.server.net.event_loop import EventLoop

_WRITE_HIGH = 1 << 20
_LAST_WORDS_S = 5.0  # for a peer to read what was said before its socket is closed
_IDLE_LOOK_S = 0.05


class Link(ServedLink):
    """A client channel."""

    __slots__ = (
        "_called", "_closing", "_deferred", "_ended", "_held", "_out", "_started", "_stopped", "_successor",
        "_transport", "_unsent", "agreed", "backlog_bytes", "channel", "conversations", "counters", "exits",
        "heartbeat_s", "known", "known_calls", "local", "max_segment", "ours", "paused", "peer_pid", "peer_product",
        "silence", "socket_user", "stopping", "tls", "user",
    )  # fmt: skip

    def __init__(
        self,
        event_loop: EventLoop,
        unix_socket: socket.socket | None,
        where: str = "",
        stranger: Stranger | None = None,
    ) -> None:
        """`where`: the address and port of a client that is not local."""
        super().__init__(event_loop, "local" if unix_socket is not None else where)
        self.local = unix_socket is not None
        self.tls: TlsPeer | None = None  # who it is, if it came with TLS
        self.counters = LinkCounters()
        self.known = False  # somebody was let in
        self.known_calls = KnownCalls(self)
        self.stranger = stranger
        self.stopping = False  # STOP CHANNEL: it ends when nobody has a call under way
        self.peer_pid, self.socket_user = peer_process(unix_socket) if unix_socket is not None else (0, "")
        self.peer_product = ""  # and its version, as the client says
        self.user = ""  # as the client says
        self.agreed: session_flows.InitialData | None = None
        self.channel: Channel | None = None
        self.exits: LinkExits | None = None  # of a channel that names some
        self.max_segment = MAX_SEGMENT  # of what is sent
        self.conversations: dict[int, Conversation] = {}
        self.ours = False  # the other end is a LibreMQ
        self.heartbeat_s = 0
        self.paused = False  # the peer does not read
        self._started = time.monotonic()  # since when nobody is connected
        self._called = self._started  # when the latest call came, or was still under way
        self.silence = Silence(self._started)
        self._closing = 0.0  # since when it is to be closed
        self.backlog_bytes = 0  # of calls that wait for the one before
        self._out: list[bytes] = []
        self._held: deque[tuple[int, bytes]] = deque()
        self._unsent = 0  # bytes in both of them
        self._stopped = False  # it is not read from until what is for it has left
        self._deferred: list[Flow] = []  # calls that came before it was stopped, and were not run
        self._ended = False
        self._successor: tuple[MessageLink, session_flows.InitialData] | None = None  # it is another queue manager
        self._transport: asyncio.Transport | None = None

    # The socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=_WRITE_HIGH)
        self.tls = peer_of(self._transport)
        self.event_loop.links.add(self)
        if self.stranger is not None:
            self.stranger.shut = lambda: self.say_last(Status.CHANNEL_UNAVAILABLE)

    @property
    def has_socket(self) -> bool:
        """Was it given its socket? Then it is told of its end, too."""
        return self._transport is not None

    def data_received(self, data: bytes) -> None:
        event_loop = self.event_loop
        replies = event_loop.replies
        speak_of(self.peer)
        replies.heard_of(self)
        try:
            self.silence.heard = event_loop.loop.time()
            self.counters.received(len(data))
            if self._ended:
                pass
            elif self.exits is None:
                self.take_in(data)
            else:
                self.exits.received(data)
                if len(data) >= BYTES_A_TURN:
                    self.rest()
        finally:
            replies.served()

    def take_in(self, data: bytes) -> None:
        """Run the calls that these bytes complete, as far as its turn goes."""
        if self._stopped:
            self._reader.keep(data)
        else:
            self._run_flows(data)
            if self._deferred or self._reader.has_more or len(data) >= BYTES_A_TURN:
                self.rest()
        held = self._reader.held_bytes + self.backlog_bytes
        if held != self._buffered or self._stopped:
            self._note_buffered()

    @property
    def takes_more(self) -> bool:
        """May more be taken in, now?"""
        return not (self._ended or self._stopped)

    @property
    def segment_limit(self) -> int:
        """The longest segment that may come."""
        return self._reader.max_segment

    def rest(self) -> None:
        """It has had its turn: others have theirs before more is taken from it."""
        self._stop_reading()
        self.go_on_soon()

    @property
    def turn_share(self) -> int:
        """Calls that one of its conversations may run in a turn."""
        return max(1, FLOWS_A_TURN // max(1, len(self.conversations)))

    def _run_flows(self, data: bytes = b"") -> None:
        """Take apart what came, and run it: so many segments."""
        try:
            if self.known and self._reader.is_between:
                data, is_over = self._run_known(self._reader.take_back() + data)
                if is_over:
                    return
            flows = self._reader.feed(data, FLOWS_A_TURN)
        except ProtocolError as error:
            self.refuse(error.status, str(error))
        else:
            self._serve(flows)

    def _run_known(self, data: bytes) -> tuple[bytes, bool]:
        """Run the calls at the beginning that are like ones before. What is left, and is its turn over with that?"""
        event_loop = self.event_loop
        if event_loop.trace is not None or self._deferred or self._ended or self.is_full():
            return data, False
        used = calls = 0
        try:
            with event_loop.lock:
                used, calls = self.known_calls.take(data)
        except Exception as error:
            if event_loop.manager.failure is None or not isinstance(error, MQError):
                self.refuse_unexpected(error)  # who waits for answers must not wait for ever
                return b"", True
            used, calls = len(data), 1  # the queue manager has failed; `settle` tells
        if not calls:
            return data, False
        self._called = self.silence.heard
        self._reader.note_taken(calls)
        rest = data[used:]
        is_over = not rest or calls >= FLOWS_A_TURN or used > BYTES_A_TURN
        if is_over:
            if rest:
                self._reader.keep(rest)
            self._answer()
        return rest, is_over

    def _serve(self, flows: list[Flow]) -> None:
        """Run calls in their order. The rest is put off if the peer does not take the answers, or its turn is over."""
        event_loop = self.event_loop
        rest: list[Flow] = []
        room = BYTES_A_TURN
        try:
            if flows:
                self.counters.calls += len(flows)
                self.counters.last_call = time.time()
            with event_loop.lock:
                for done, flow in enumerate(flows, 1):
                    if not self.known:
                        self._early.spend(flow.length + TSH_BYTES)
                    self._take(flow)
                    if self._ended:
                        rest = flows[done:]
                        break
                    room -= flow.length
                    if room < 0 or (self._unsent > _WRITE_HIGH and self.is_full()):
                        self._deferred = flows[done:]
                        break
            if self._successor is not None:
                self._successor[0].called(self._successor[1], rest)
            elif self._reader.failed is not None and not self._deferred:
                raise self._reader.failed
        except ProtocolError as error:
            self.refuse(error.status, str(error))
        except Exception as error:
            self.refuse_unexpected(error)
        self._answer()

    def _answer(self) -> None:
        """Its turn is over. Whoever waited for what it put goes first: a request is on its way then."""
        self.event_loop.settle()
        if self._out:
            self._write()

    def is_full(self) -> bool:
        """Is more ready for the peer than it takes? Then nothing more is made for it, until `_go_on`."""
        if self._out and self._unsent > _WRITE_HIGH:
            self._write()
        if not self.paused and self._unsent <= _WRITE_HIGH:
            return False
        self._stop_reading()
        return True

    def _stop_reading(self) -> None:
        self._stopped = True
        if self._transport is not None and not self._ended:
            self._transport.pause_reading()

    def go_on_soon(self) -> None:
        """Something was begun for the peer, and put off for the sake of others."""
        if not self._goes_on:
            self._goes_on = True
            self.event_loop.loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        """There is room again: first what was begun, then the calls that were put off, then new ones."""
        self._goes_on = False
        if self._ended or self._transport is None:
            return
        speak_of(self.peer)
        try:
            with self.event_loop.lock:
                for conversation in list(self.conversations.values()):
                    if not self._ended and not self.is_full():
                        conversation.go_on_sending()
        except Exception as error:
            self.refuse_unexpected(error)
        if not self._ended and not self.is_full():
            flows, self._deferred = self._deferred, []
            if flows or not self._reader.has_more:
                self._serve(flows)
            else:
                self._run_flows()
        self.flush()
        if not self._stopped or self._ended or self.is_full():
            pass  # it may be read from, or never again, or when the peer has taken something
        elif self._deferred or self._reader.has_more:
            self.go_on_soon()
        else:
            self._stopped = False
            self._transport.resume_reading()
            if self.exits is not None:
                self.exits.go_on()
        self._note_buffered()
        self.event_loop.settle()

    def note_backlog(self, more: int) -> None:
        """Calls of a conversation wait for the one before them, and take memory."""
        self.backlog_bytes += more
        if more < 0 and self._buffered:
            self._note_buffered()

    def _note_buffered(self) -> None:
        """Count what this link holds: calls that are not complete or not run, answers that the peer does not take."""
        if self._transport is None or self._ended:
            return
        held = self._reader.held_bytes + self.backlog_bytes
        if self.exits is not None:
            held += self.exits.held_bytes
        if self._stopped:
            held += self._unsent + sum(flow.length for flow in self._deferred)
        if self.paused:
            held += self._transport.get_write_buffer_size()
        self._count_held(held)

    def give_way(self, message: AmqMessage) -> None:
        super().give_way(message)
        self._deferred.clear()
        self.event_loop.say(message)
        if self.paused:
            self.abort()  # it would not hear it
        else:
            self.say_last(Status.CHANNEL_UNAVAILABLE)

    def eof_received(self) -> bool | None:
        self._closing = self._closing or self.event_loop.loop.time()
        return None  # close

    def connection_lost(self, error: Exception | None) -> None:
        """Whatever the reason: units of work are backed out, handles closed, temporary queues deleted."""
        event_loop = self.event_loop
        self._ended = True
        self._no_stranger()
        self._out.clear()
        self._held.clear()
        self._deferred.clear()
        self._let_go()
        with event_loop.lock:
            for conversation in list(self.conversations.values()):
                conversation.lost()
            if self.exits is not None:
                self.exits.close_all()
        self.conversations.clear()
        if self.channel is not None:
            self.channel.release(event_loop.instances)
            self._tell(C.MQRC_CHANNEL_STOPPED_BY_USER if self.stopping else C.MQRC_CHANNEL_STOPPED)
            self.channel = None
        event_loop.link_lost(self)
        event_loop.settle()

    def pause_writing(self) -> None:
        self.paused = True
        self._stop_reading()
        self._note_buffered()

    def resume_writing(self) -> None:
        self.paused = False
        self._go_on()

    # Writing

    def send(self, data: bytes, lsn: int = 0, count: int = 1) -> None:
        """Write so many frames once the log is on disk as far as they depend on it, after those before them."""
        self._unsent += len(data)
        replies = self.event_loop.replies
        if self._held or lsn >= replies.log.durable:
            self._held.append((lsn, data))
            replies.hold(self, lsn)
        else:
            self._out.append(data)
            replies.answered += count

    def release(self, durable: int) -> bool:
        """Write what is durable; True if something still has to wait."""
        held = self._held
        out = self._out
        while held and held[0][0] < durable:
            out.append(held.popleft()[1])
        if out:
            self._write()
        if self._stopped and not held and not self.paused:
            self.go_on_soon()
        return bool(held)

    def flush(self) -> None:
        if self._out:
            self._write()

    def _write(self) -> None:
        out = self._out
        data = out[0] if len(out) == 1 else b"".join(out)
        out.clear()
        self._unsent = max(0, self._unsent - len(data)) if self._held else 0
        if self._transport is not None and not self._transport.is_closing():
            if (trace := self.event_loop.trace) is not None:
                trace_sent(trace, self, data)
            if self.exits is not None:
                data = self.exits.outgoing(data)
            self.counters.sent(len(data))
            self._transport.write(data)

    def refuse(self, status: Status, text: str) -> None:
        """Tell the peer why, and close."""
        if self._ended:
            return
        self.event_loop.say(text if isinstance(text, AmqMessage) else amq(9999, self.peer, text))
        self.say_last(status)

    def say_last(self, status: Status) -> None:
        """Tell the peer that this is the end, and close."""
        if not self._ended:
            self._out.append(self._status(status))
            self._close()

    def refuse_unexpected(self, error: Exception) -> None:
        """A mistake of ours: it must not take other connections with it. There is a report, one for each place."""
        self.event_loop.note_unexpected(self.peer, error)
        self.refuse(Status.PROTOCOL_GENERAL, f"unexpected {described(error)}")

    def _status(self, status: Status) -> bytes:
        body = session_flows.pack_status(status)
        flags = WHOLE | ERROR | CLOSE_CHANNEL
        if self.agreed is not None and self.agreed.sharing:
            return frame(Type.STATUS_DATA, body, min(self.conversations, default=1), flags=flags)
        return frame_plain(Type.STATUS_DATA, body, flags=flags)

    def end_behind(self, status: Status, message: AmqMessage) -> bytes:
        """A send exit ends the channel while something is written: what to write instead. It is closed behind that."""
        self.event_loop.say(message)
        self._ended = True
        self._closing = self._closing or self.event_loop.loop.time()
        self._held.clear()
        if self._transport is not None:
            self.event_loop.loop.call_soon(self._transport.close)
        return self._status(status)

    def _close(self) -> None:
        if self._ended:
            return
        self._ended = True
        self._closing = self._closing or self.event_loop.loop.time()
        self._held.clear()
        if self._out:
            self._write()
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close without a word, and without what was still to be written."""
        self._ended = True
        self._out.clear()
        self._held.clear()
        if self._transport is not None:
            self._transport.abort()

    # Flows

    def _take(self, flow: Flow) -> None:
        if (trace := self.event_loop.trace) is not None:
            trace_received(trace, self, flow)
        if flow.kind >= 0x80 or flow.kind in (Type.REQUEST_MSGS, Type.NOTIFICATION, Type.CONAUTH_INFO):
            conversation = self.conversations.get(flow.conversation if self.shares else 1)
            if conversation is None:
                if flow.kind in (Type.REQUEST_MSGS, Type.NOTIFICATION) and self.agreed is not None:
                    return  # of a conversation that has just ended
                raise ProtocolError(Status.CONV_ID_ERROR, f"there is no conversation {flow.conversation}")
            self._called = self.silence.heard
            conversation.take(flow)
        elif flow.kind == Type.HEARTBEAT:
            if flow.flags & CONFIRM_REQUEST:
                self._out.append(self.framed(Type.HEARTBEAT, b"", flow.conversation, flags=WHOLE))
        elif flow.kind == Type.SOCKET_ACTION:
            client_session.take_socket_action(self, flow)
        elif flow.kind == Type.USERID_DATA:
            self.user = session_flows.unpack_user(flow.body, flow.charset)
        elif flow.kind == Type.INITIAL_DATA:
            client_session.begin(self, flow)
        elif flow.kind == Type.STATUS_DATA:
            if flow.flags & (CLOSE_CHANNEL | ERROR):
                self._close()
        elif flow.kind == Type.PING_DATA:
            self._out.append(self.framed(Type.PING_DATA, flow.body, flow.conversation))
        else:
            raise ProtocolError(
                Status.PROTOCOL_SEGMENT_TYPE, f"a client channel has no segments of type {flow.kind:#x}"
            )

    @property
    def shares(self) -> bool:
        return self.agreed is not None and self.agreed.sharing > 0

    def framed(self, kind: int, body: bytes, conversation: int, request: int = 0, *, flags: int = WHOLE) -> bytes:
        """The segments of a flow, with conversation ids if they were agreed."""
        if self.shares:
            return frame(kind, body, conversation, request, flags=flags, max_segment=self.max_segment)
        return frame_plain(kind, body, flags=flags, max_segment=self.max_segment)

    def let_in(self) -> None:
        """Somebody has connected over it: from now on messages may come."""
        self.known = True
        self._no_stranger()
        assert self.agreed is not None
        self._reader.max_flow = self.agreed.max_message + FLOW_OVERHEAD
        self._reader.long_bytes = self.event_loop.manager.long_bytes

    def _tell(self, reason: int) -> None:
        """Make a channel event, if anybody wants one."""
        if self.local or self.channel is None or not self.event_loop.manager.definitions.qmgr.chlev:
            return
        with self.event_loop.lock:
            self.event_loop.manager.events.channel(
                reason, channel=self.channel.name, connection_name=self.peer.partition("(")[0]
            )

    # Time and end

    def tick(self, now: float) -> None:
        if self._closing:
            if now - self._closing > _LAST_WORDS_S:
                self.abort()  # it does not read what was said last
            return
        if not any(conversation.connected for conversation in self.conversations.values()):
            if now - self._started > self.event_loop.limits.handshake_s:
                self.refuse(Status.PROTOCOL_GENERAL, "it did not connect in time")
            return
        self._started = now
        raw_bytes = self.exits.held_bytes if self.exits is not None else 0
        if not self._stopped and self._is_late(raw_bytes, now):
            self.refuse(Status.PROTOCOL_GENERAL, late_words(self.event_loop.limits.flow_s))
            return
        if self._is_idle(now):
            assert self.channel is not None
            self.event_loop.say(amq(9545, self.channel.name))
            self._close()
            return
        interval, silence = self.heartbeat_s, self.silence
        if not interval or not (self.shares or any(each.waits for each in self.conversations.values())):
            # Without shared conversations a client that does not wait says nothing for as long as it likes. The
            # system notices by itself when the other machine is gone
            silence.heard = max(silence.heard, now - interval)
            return
        if now - silence.heard <= interval:
            return
        silence.note_untaken(untaken(self._transport), now)  # who takes something cannot be heard while it is not read
        if silence.is_gone(now, interval):
            self.event_loop.say(amq(9259, self.peer, round(now - silence.heard)))
            self.abort()
        elif not silence.is_asking:
            silence.ask(now)
            number = next(iter(self.conversations))
            self._out.append(self.framed(Type.HEARTBEAT, b"", number, flags=WHOLE | CONFIRM_REQUEST))
            self._write()

    def _is_idle(self, now: float) -> bool:
        """DISCINT of a client's channel: nobody has made a call for so long. One that waits is one."""
        if any(each.has_call for each in self.conversations.values()):
            self._called = max(self._called, now)
        served = self.channel.served if self.channel is not None else None
        return served is not None and 0 < served.discint <= now - self._called

    @property
    def reconnectable(self) -> bool:
        """Do all of its applications reconnect by themselves?"""
        return bool(self.conversations) and all(one.reconnectable for one in self.conversations.values())

    def quiesce(self, reason: int = C.MQRC_Q_MGR_QUIESCING) -> None:
        """The queue manager is ending: applications that ask hear it with their next call, others now."""
        for conversation in self.conversations.values():
            if conversation.connected and self.shares:
                notice = pack_notification(0, Notice.QM_QUIESCING, reason)
                self._out.append(self.framed(Type.NOTIFICATION, notice, conversation.number))

    def end(self, reconnect: bool = False) -> None:
        """End it now; calls that were answered are answered."""
        self.say_last(Status.USER_CLOSED if reconnect else Status.QM_TERMINATING)

    def stop(self) -> None:
        """STOP CHANNEL in the gentle way: applications hear of it, and it is closed once no call is under way."""
        self.stopping = True
        self.quiesce(C.MQRC_CONNECTION_QUIESCING)
        self.flush()
        self._close_if_idle()

    def _close_if_idle(self) -> None:
        if self._ended:
            return
        if any(conversation.is_busy for conversation in self.conversations.values()) or self._held:
            self.event_loop.loop.call_later(_IDLE_LOOK_S, self._close_if_idle)
        else:
            self._close()

    def accepted(self, conversation: int) -> bytes:
        return self.framed(Type.STATUS_DATA, b"", conversation, flags=REQUEST_ACCEPTED)
