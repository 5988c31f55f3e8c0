"""One socket of a message channel, and the agent that it drives.

Bytes come in and become flows for the agent; what the agent sends leaves in its order, and nothing before the log is on
disk as far as it depends on it. An agent is called in the loop's thread, under the kernel's lock, but a command in
another thread may call it too (STOP CHANNEL): so what an agent asks of its transport only changes what is kept here,
under that lock, and the loop catches up with it. A peer that does not read what is answered to it is not read from. One
that has much to say is served in turns (`turn_budget`).
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from libremq.channels.agent import Agent
from libremq.channels.transport import Peer
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.common.messages.spoken_of import speak_of
from libremq.common.silence import LATE_S
from libremq.server.admission.tls_peers import TlsPeer, handshake_failure, peer_of
from libremq.server.net.deadline_timer import DeadlineTimer
from libremq.server.net.incoming_call import IncomingCall
from libremq.server.net.link_counters import LinkCounters
from libremq.server.net.receive_exits import RawSegments
from libremq.server.net.served_link import ServedLink
from libremq.server.net.socket_options import follow_keep_alive, local_address_of, untaken
from libremq.server.net.strangers import Stranger
from libremq.server.net.traced_links import trace_received, trace_sent
from libremq.server.net.turn_budget import BYTES_A_TURN, FLOWS_A_TURN
from libremq.server.net.unfinished_flows import late_words
from libremq.wire import message_channel
from libremq.wire.protocol import ProtocolError, Status
from libremq.wire.segments import TSH_BYTES, Flow, SegmentReader
from libremq.wire.session_flows import InitialData

if TYPE_CHECKING:
    from libremq.server.net.event_loop import EventLoop

_WRITE_HIGH = 1 << 20
_BINDING_BYTES = 1 << 20  # of one flow until the channel runs: a part of its first message may be there already
_ANSWERS_MAX = 1 << 18  # bytes of answers, for a peer that does not take what is sent to it
_LAST_WORDS_S = 5.0  # for a peer to read what was said before its socket is closed


class MessageLink(ServedLink):
    """A socket to another queue manager: the transport of an agent."""

    __slots__ = (
        "_aborted", "_answers", "_closing", "_ended", "_flows", "_held", "_held_lsn", "_in_take", "_max_flow", "_out",
        "_pause_asked", "_raw", "_reading", "_refused", "_rests", "_running", "_scheduled", "_starved", "_taken",
        "_timer", "_transport", "_unsent", "_why", "_woken", "_writing", "agent", "channel", "counters", "tls",
    )  # fmt: skip

    def __init__(self, event_loop: EventLoop, where: str, reader: SegmentReader | None = None) -> None:
        """`where`: the address and port at the other end."""
        super().__init__(event_loop, where, reader)
        self.agent: Agent | None = None
        self.channel = ""  # for messages
        self.tls: TlsPeer | None = None
        self.counters = LinkCounters()  # until there is an agent, which has its own
        self._transport: asyncio.Transport | None = None
        self._raw = RawSegments()  # for receive exits
        self._max_flow = self._reader.max_flow  # that was agreed on
        self._flows: deque[Flow] = deque()  # that came, and were not given to the agent yet
        self._rests = False  # it has had its turn: nothing is read until the next one
        self._pause_asked = False  # by the agent: it takes no flows
        self._reading = True  # from the socket
        self._out: list[bytes] = []
        self._held: deque[tuple[int, bytes]] = deque()
        self._held_lsn = 0  # the highest of them
        self._unsent = 0  # bytes in both of them
        self._writing = True  # the transport has room
        self._starved = False  # the agent heard that there is no room
        self._taken = 0  # bytes that had arrived at the peer, when it was looked
        self._in_take = False
        self._answers = 0  # bytes that flows have made this end send, since there was no room
        self._woken = False  # the agent is going to be pumped
        self._scheduled = False  # the loop is going to catch up
        self._running = False
        self._closing = 0.0  # since when it is to be closed
        self._aborted = False
        self._refused = False
        self._ended = False
        self._why = ""
        self._timer = DeadlineTimer(event_loop, self._ring)

    # The socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=_WRITE_HIGH)
        self.tls = peer_of(self._transport)
        self.event_loop.message_links.add(self)

    def data_received(self, data: bytes) -> None:
        event_loop = self.event_loop
        speak_of(self.peer)
        event_loop.replies.heard_of(self)
        try:
            self._received(data)
        finally:
            event_loop.replies.served()

    def _received(self, data: bytes) -> None:
        agent = self.agent
        counters = self.counters if agent is None else agent.counters
        counters.bytes_received += len(data)
        counters.buffers_received += 1
        if self._closing or self._ended:
            return
        try:
            if agent is not None and agent.sees_segments:
                self._feed_through_exits(agent, data)
            elif self._flows or self._reader.has_more:
                self._reader.keep(data)  # behind those
            else:
                self._flows += self._reader.feed(data, FLOWS_A_TURN)
        except ProtocolError as error:
            self._not_the_protocol(error)
            return
        if agent is not None and not self._flows:
            agent.heard()  # a part of a long message
        if len(data) >= BYTES_A_TURN and not self._rests:
            self._rests = True
            self.event_loop.loop.call_soon(self._rested)
        self._serve()

    def _rested(self) -> None:
        """Others have had their turn."""
        self._rests = False
        self._look_at_reading()

    @property
    def _has_flows(self) -> bool:
        """Has more come than the agent was given?"""
        return bool(self._flows) or self._reader.has_more or self._raw.has_more

    def _feed_through_exits(self, agent: Agent, data: bytes) -> None:
        def through_exits(segment: bytes) -> bytes | None:
            with self.event_loop.lock:
                segment = agent.received(segment)
            return None if self._closing else segment

        self._raw.feed(data, through_exits, self._reader, self._flows)

    def _go_on(self) -> None:
        self._goes_on = False
        speak_of(self.peer)
        self._serve()

    def _refill(self) -> None:
        """Take apart more of what came, if the agent has had what was taken apart before."""
        agent = self.agent
        if agent is None or self._flows or self._closing or self._ended:
            return
        if self._raw.has_more:
            self._feed_through_exits(agent, b"")
        elif self._reader.has_more:
            self._flows += self._reader.feed(b"", FLOWS_A_TURN)

    def _serve(self) -> None:
        """Give the agent what came, in its order, as far as it takes it and its turn goes."""
        try:
            self._refill()
        except ProtocolError as error:
            self._not_the_protocol(error)
            return
        if self.agent is not None and self._flows:
            self._run(self._take_flows)
        failed = self._reader.failed
        if failed is not None and not self._flows:
            self._not_the_protocol(failed)
        self._go_on_or_read()
        self._note_buffered()

    def _take_flows(self) -> None:
        agent = self.agent
        assert agent is not None
        flows, held = self._flows, self._held
        left, room = FLOWS_A_TURN, BYTES_A_TURN
        self._in_take = True
        try:
            while flows and not self._pause_asked and not self._closing and not self._aborted and not self._is_flooded:
                if not left or room < 0:
                    break  # others have their turn
                flow = flows.popleft()
                left -= 1
                room -= len(flow.body)
                if agent.state.is_binding:
                    self._early.spend(len(flow.body) + TSH_BYTES)
                if flow.shared:
                    raise ProtocolError(
                        Status.PROTOCOL_SEGMENT_TYPE, "a segment with conversation ids, which message channels have not"
                    )
                waiting = len(held)
                if (trace := self.event_loop.trace) is not None:
                    trace_received(trace, self, flow)
                agent.take(flow)
                if len(held) > waiting:
                    break  # an answer waits for the log: that is forced first, and the rest comes after it
        finally:
            self._in_take = False

    @property
    def _is_flooded(self) -> bool:
        """Does the peer ask on and on, and not take the answers?"""
        return self._answers > _ANSWERS_MAX

    def _look_at_reading(self) -> None:
        if self._transport is None or self._ended or self._transport.is_closing():
            return
        waits = self.agent is None or self._pause_asked or self._has_flows or self._is_flooded or self._rests
        wanted = self._closing > 0 or not waits
        if wanted is not self._reading:
            self._reading = wanted
            if wanted:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()

    def _note_buffered(self) -> None:
        """Count what this link holds: messages that are not complete or not taken, and what the peer does not take."""
        if self._ended or self._closing or self._transport is None:
            return
        held = self._reader.held_bytes + self._raw.held_bytes + sum(len(flow.body) for flow in self._flows)
        if self._starved:
            held += self._unsent + self._transport.get_write_buffer_size()
        self._count_held(held)

    def give_way(self, message: AmqMessage) -> None:
        super().give_way(message)
        self._raw.clear()
        self._flows.clear()
        starved = self._starved
        self.refuse(Status.CHANNEL_UNAVAILABLE, message)
        if starved:
            self.end()  # it would not hear it

    def eof_received(self) -> bool | None:
        return None  # close

    def connection_lost(self, error: Exception | None) -> None:
        event_loop = self.event_loop
        self._ended = True
        self._no_stranger()
        self._timer.cancel()
        if isinstance(error, ssl.SSLError):
            self._why = self._why or handshake_failure(error, self.peer).text
        elif error is not None:
            self._why = self._why or getattr(error, "strerror", None) or str(error)
        try:
            with event_loop.lock:
                self._forget()
                if self.agent is not None:
                    self.agent.lost(self._why)
        except Exception as unexpected:
            event_loop.note_unexpected(self.peer, unexpected)
        self._let_go()
        event_loop.message_link_lost(self)
        event_loop.settle()
        event_loop.channels.look()

    def _forget(self) -> None:
        self._out.clear()
        self._held.clear()
        self._flows.clear()
        self._unsent = 0

    def pause_writing(self) -> None:
        self._writing = False

    def resume_writing(self) -> None:
        self._writing = True
        self._catch_up()
        self._note_buffered()

    # What the agent asks for: under the kernel's lock, from any thread

    def send(self, data: bytes, lsn: int = 0) -> None:
        if self._closing or self._aborted or self._ended:
            return
        self._unsent += len(data)
        if self._in_take and (not self._writing or self._unsent > _WRITE_HIGH):
            self._answers += len(data)
        log = self.event_loop.manager.log
        if lsn >= log.durable:
            lsn = min(lsn, log.tail - 1)  # "all that is logged so far" may be said with the tail
        if self._held or lsn >= log.durable:
            self._held.append((lsn, data))
            self._held_lsn = max(self._held_lsn, lsn)
        else:
            self._out.append(data)
        self._soon()

    def is_full(self) -> bool:
        if self._writing and self._unsent <= _WRITE_HIGH:
            return False
        self._starved = True
        return True

    def limit(self, *, max_segment: int, max_flow: int) -> None:
        self._reader.max_segment = max_segment
        self._max_flow = max_flow
        # Whole messages are for a channel that runs. One that has only agreed with us may be anybody
        self._reader.max_flow = max_flow if self.stranger is None else min(max_flow, _BINDING_BYTES)

    def pause(self, paused: bool) -> None:
        self._pause_asked = paused
        self._soon()

    def close(self) -> None:
        if not self._closing:
            self._closing = self.event_loop.loop.time()
            self._soon()

    def abort(self) -> None:
        if self._refused:
            self.close()  # the peer is told why
        elif not self._aborted:
            self._aborted = True
            self._closing = self._closing or self.event_loop.loop.time()
            self._soon()

    def wake(self) -> None:
        if not self._woken:
            self._woken = True
            self.event_loop.soon(self._pump)

    def _soon(self) -> None:
        if not self._running and not self._scheduled:
            self._scheduled = True
            self.event_loop.soon(self._catch_up)

    # What the loop does

    def _run(self, work: Callable[[], None]) -> None:
        """Have the agent do something; whatever goes wrong ends this link and nothing else."""
        if self._ended or self._refused:
            return
        event_loop = self.event_loop
        try:
            with event_loop.lock:
                self._running = True
                try:
                    work()
                    self._arm()
                finally:
                    self._running = False
        except ProtocolError as error:
            self._not_the_protocol(error)
        except Exception as error:
            self.refuse_unexpected(error)
        if self.stranger is not None and self.agent is not None and not self.agent.state.is_binding:
            self._reader.max_flow = self._max_flow
            if self.agent.is_proven:
                self._no_stranger()
            elif not self.stranger.stay():
                self.refuse(Status.CHANNEL_UNAVAILABLE, None)  # the error log hears of all of them together
        self._catch_up()
        event_loop.settle()
        event_loop.channels.look()

    def _pump(self) -> None:
        self._woken = False
        agent = self.agent
        if agent is None:
            return
        event_loop = self.event_loop
        event_loop.replies.heard_of(self)
        try:
            self._run(agent.pump)
        finally:
            event_loop.replies.served()

    def _catch_up(self) -> None:
        """Do at the socket what was asked for."""
        self._scheduled = False
        if self._held and not self._aborted:
            self.event_loop.replies.hold(self, self._held_lsn)
        self._serve_socket()

    def _serve_socket(self) -> None:
        transport = self._transport
        if transport is None or self._ended:
            return
        with self.event_loop.lock:
            if self._aborted:
                self._forget()
                transport.abort()
                return
            if self._out:
                self._write(transport)
            if self._closing:
                self._flows.clear()
                if not self._held and not transport.is_closing():
                    transport.close()
                return
            if self._writing and self._unsent <= _WRITE_HIGH:
                self._answers = 0
                if self._starved:
                    self._starved = False
                    self._note_buffered()
                    self.wake()
        self._go_on_or_read()

    def _go_on_or_read(self) -> None:
        """There may be more for the agent: it has its next turn for that, or more is read."""
        waits = self.agent is None or self._pause_asked or self._is_flooded
        if self._has_flows and not waits and not self._goes_on:
            self._goes_on = True
            self.event_loop.loop.call_soon(self._go_on)
        self._look_at_reading()

    def _write(self, transport: asyncio.Transport) -> None:
        out = self._out
        data = out[0] if len(out) == 1 else b"".join(out)
        out.clear()
        self._unsent = max(0, self._unsent - len(data)) if self._held else 0
        if not transport.is_closing():
            if (trace := self.event_loop.trace) is not None:
                trace_sent(trace, self, data)
            counters = self.counters if self.agent is None else self.agent.counters
            counters.bytes_sent += len(data)
            counters.buffers_sent += 1
            transport.write(data)

    def release(self, durable: int) -> bool:
        """Write what is durable; True if something still has to wait."""
        with self.event_loop.lock:
            held = self._held
            while held and held[0][0] < durable:
                self._out.append(held.popleft()[1])
            if not held:
                self._held_lsn = 0
        self._serve_socket()
        return bool(held)

    # Time

    def _arm(self) -> None:
        """Under the lock: see that the agent is told when its next deadline comes."""
        if self.agent is not None:
            self._timer.set(self.agent.next_deadline())

    def _ring(self, late_s: float) -> None:
        if self.agent is not None:
            if late_s > LATE_S:
                self.agent.was_away(late_s)
            self._look_at_progress(self.agent)
            self._run(self.agent.tick)

    def _look_at_progress(self, agent: Agent) -> None:
        """Has the peer taken something since the last look? What it has to answer may be far behind that.

        It cannot answer what has not left: while the log is written, nobody loses patience.
        """
        before, self._taken = self._taken, agent.counters.bytes_sent - untaken(self._transport)
        if self._taken > before or self._held:
            agent.heard()

    def tick(self, now: float) -> None:
        """Once a second: what no timer sees."""
        if self._closing:
            if now - self._closing > _LAST_WORDS_S and self._transport is not None:
                self._transport.abort()  # it does not read what was said last
        elif self.agent is not None:
            self._look_at_progress(self.agent)
            if self._reading and self._is_late(self._raw.held_bytes, now):
                words = late_words(self.event_loop.limits.flow_s)
                self._not_the_protocol(ProtocolError(Status.PROTOCOL_GENERAL, words))
                return
            # A clock that is moved by hand wakes no timer, and a command may have changed what the agent waits for
            deadline = self.agent.next_deadline()
            if self._timer.late_s > LATE_S:
                pass  # it rings next
            elif deadline is not None and deadline <= self.event_loop.manager.clock.monotonic():
                self._run(self.agent.tick)
            elif deadline is not None and not self._timer.rings_by(deadline):
                self._run(lambda: None)

    # The beginning

    def take_over(self, transport: asyncio.Transport, counters: LinkCounters, stranger: Stranger | None) -> None:
        """A socket on which somebody else has listened. It is a stranger's until the channel runs, or its end."""
        self.connection_made(transport)
        self.counters = counters
        self.stranger = stranger
        if stranger is not None:
            stranger.shut = self.end
        transport.set_protocol(self)

    def called(self, offered: InitialData, flows: list[Flow]) -> None:
        """The other end has called, and these are the flows that came behind its initial data."""
        self._flows += flows
        self.channel = offered.channel
        IncomingCall(self, offered).decide()
        self._look_at_reading()

    def begin(self, make: Callable[[], Agent | None]) -> None:
        """Have an agent made, and let it begin. What `make` raises is for the caller."""
        event_loop = self.event_loop
        with event_loop.lock:
            self._running = True
            try:
                agent = make()
            finally:
                self._running = False
            if agent is None:
                self.end()  # nobody wants it any more
                return
            for name in ("bytes_sent", "bytes_received", "buffers_sent", "buffers_received"):
                setattr(agent.counters, name, getattr(agent.counters, name) + getattr(self.counters, name))
            self.agent, self.channel = agent, agent.channel.name
        if event_loop.keep_alive and self._transport is not None:
            follow_keep_alive(self._transport.get_extra_info("socket"), agent.channel)
        event_loop.replies.heard_of(self)
        try:
            self._run(agent.begin)
        finally:
            event_loop.replies.served()
        if agent.sees_segments and (self._flows or self._reader.held_bytes):
            self._not_the_protocol(
                ProtocolError(Status.PROTOCOL_GENERAL, "segments came before the initial data was answered")
            )  # and past the receive exits
        self._serve()

    def described(self, *, mca_user: str | None = None) -> Peer:
        """Who is at the other end."""
        tls = self.tls
        return Peer(
            address=self.peer,
            cipher=tls.cipher_spec if tls is not None else "",
            protocol=tls.protocol if tls is not None else "",
            subject=tls.subject if tls is not None else "",
            issuer=tls.issuer if tls is not None else "",
            local_address=local_address_of(self._transport),
            mca_user=mca_user,
        )

    # The end

    def _not_the_protocol(self, error: ProtocolError) -> None:
        """The agent says so, if there is one: it knows what to make of it."""
        if self._closing or self._ended:
            return
        agent = self.agent
        if agent is None or agent.ended is not None:
            self.refuse(error.status, error.detail)
        else:
            self._flows.clear()
            self._run(lambda: agent.refuse(error))

    def refuse(self, status: Status, text: str | None) -> None:
        """Tell the peer why, and close. None: it was said already."""
        if text is not None and not isinstance(text, AmqMessage):
            text = amq(9207, self.peer, self.channel, text)
        self.refuse_with(message_channel.status(status), text)

    def refuse_with(self, segment: bytes, message: AmqMessage | None) -> None:
        """Let this segment be the last. None: it was said already why."""
        if self._ended or self._refused:
            return
        event_loop = self.event_loop
        if message is not None:
            event_loop.say(message)
        with event_loop.lock:
            self._held.clear()  # nothing of the agent leaves before it
            self.send(segment)
            self._refused = True
            self._why = self._why or (message.text if message is not None else "it was refused")
            self.close()
        self._catch_up()

    def refuse_unexpected(self, error: BaseException) -> None:
        """A mistake of ours: it must not take other connections with it. There is a report, one for each place."""
        if isinstance(error, Exception):
            self.event_loop.note_unexpected(self.peer, error)
        self.refuse(Status.PROTOCOL_GENERAL, amq(9604, self.channel, f"{type(error).__name__}: {error}"))

    def refresh(self) -> None:
        """REFRESH SECURITY TYPE(SSL): the channel goes on over a new connection, and what was not confirmed with it."""
        self.refuse_with(message_channel.status(Status.SSL_REFRESHING), None)

    @property
    def has_ended(self) -> bool:
        return self._ended

    def end(self) -> None:
        """Close at once: the queue manager has failed, or waits no longer."""
        self._aborted = True
        self._closing = self._closing or self.event_loop.loop.time()
        self._catch_up()
