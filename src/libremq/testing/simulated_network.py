"""A network in memory: connections that carry segments with a delay, lose them, and break at chosen moments.

Bytes leave in order, and none before the log of their queue manager is on disk as far as they depend on it. Each
arrival of a segment is an event of its own, so that a connection can break between any two. What is on its way then is
lost, and each end hears of it in its own time: an end that hears late believes in a connection that is no more, while
its partner calls again already. A connection may also carry nothing for a while and then come alive again, with all
that was on its way; and a call may arrive twice.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from libremq.channels.agent import Agent
from libremq.channels.transport import Peer
from libremq.testing.simulated_time import EventLoop
from libremq.wire.message_channel import unpack_message, unpack_status
from libremq.wire.protocol import MAX_SEGMENT, ProtocolError, Type
from libremq.wire.segments import FLOW_OVERHEAD, Flow, SegmentReader

PORT = 1414
_READ_AHEAD = 2  # segments that come even though a transport was paused: they were read with the one before
_LENGTH_AT = slice(4, 8)  # of a segment, in its header


class Host(Protocol):
    """The machine at one end of connections."""

    name: str

    @property
    def durable_lsn(self) -> int:
        """The log is on disk up to here."""

    def force_soon(self) -> None:
        """Something waits for the log: write it, then call `release` of all transports."""

    def run(self, action: Callable[[], None]) -> None:
        """Do something at this end. If the machine goes down with it, that is the host's concern."""

    def connected(self, transport: SimulatedTransport) -> None:
        """The other end has made a connection."""

    def accept(self, flow: Flow, transport: SimulatedTransport) -> None:
        """The first flow of a connection that was made to this end."""


@dataclass(slots=True)
class LinkSettings:
    """What lies between two hosts. It may be changed at any time, and is in force for what leaves from then on."""

    latency_s: float = 0.0
    jitter_s: float = 0.0  # added to the latency, by seed
    bytes_per_s: float = 0.0  # each way; 0 for no limit
    window_bytes: int = 1 << 20  # a transport is full when so much is on its way
    refuses: bool = False  # nobody answers calls


@dataclass(frozen=True, slots=True)
class Arrival:
    """A segment that is about to arrive."""

    sender: SimulatedTransport
    data: bytes


class Network:
    """All connections there are."""

    def __init__(self, events: EventLoop, rng: random.Random) -> None:
        self.events = events
        self.rng = rng
        self.arrivals = 0
        """Segments that have arrived, or would have."""
        self.before_arrival: Callable[[Arrival], None] = lambda arrival: None
        """May cut the connection: then it does not arrive."""
        self.connections: list[SimulatedConnection] = []
        self._settings: dict[frozenset[str], LinkSettings] = {}
        self._ports = 50000

    def link(self, one: str, other: str) -> LinkSettings:
        """What is between two hosts, by their names, both ways."""
        return self._settings.setdefault(frozenset((one, other)), LinkSettings())

    def connect(self, caller: Host, called: Host) -> SimulatedConnection:
        """A connection that both ends can send on at once."""
        self._ports += 1
        connection = SimulatedConnection(self, caller, called, self._ports)
        self.connections.append(connection)
        return connection

    def forget(self, connection: SimulatedConnection) -> None:
        if connection in self.connections:
            self.connections.remove(connection)


class SimulatedConnection:
    """Two ends and what is on its way between them."""

    def __init__(self, network: Network, caller: Host, called: Host, port: int) -> None:
        self.network = network
        self.port = port
        self.is_cut = False
        self.stalled_until = 0.0
        self.call = b""
        """The segment with which it began."""
        self.caller = SimulatedTransport(self, caller)
        self.called = SimulatedTransport(self, called)
        self.caller.other, self.called.other = self.called, self.caller

    def __str__(self) -> str:
        return f"{self.caller.host.name}-{self.called.host.name}:{self.port}"

    @property
    def ends(self) -> tuple[SimulatedTransport, SimulatedTransport]:
        return self.caller, self.called

    def peer_of(self, transport: SimulatedTransport) -> Peer:
        """Whom this end sees at the other."""
        here, there = f"{self.caller.host.name}({self.port})", f"{self.called.host.name}({PORT})"
        if transport is self.caller:
            return Peer(address=there, local_address=here)
        return Peer(address=here, local_address=there)

    def cut(
        self, *, caller_hears_s: float = 0.0, called_hears_s: float = 0.0, straggles_s: float | None = None
    ) -> None:
        """Break it; each end hears of it so much later. What is on its way is lost.

        `straggles_s`: what is on its way arrives all the same, but so late, where an end has not heard by then.
        """
        if self.is_cut:
            return
        late = "" if straggles_s is None else f"; what is on its way arrives after {straggles_s:g} s"
        self.network.events.note(
            f"{self} is cut; {self.caller.host.name} hears after {caller_hears_s:g} s, "
            f"{self.called.host.name} after {called_hears_s:g} s{late}"
        )
        self.is_cut = True
        for end, delay_s in ((self.caller, caller_hears_s), (self.called, called_hears_s)):
            end.lose(straggles_s)
            self.network.events.after(delay_s, end.hear_break)
        self.network.forget(self)

    def stall(self, seconds: float) -> None:
        """Carry nothing for so long, either way. What is on its way arrives then, for whoever is still there."""
        self.network.events.note(f"{self} stalls for {seconds:g} s")
        self.stalled_until = self.network.events.clock.now() + seconds

    def duplicate(self, lasts_s: float) -> None:
        """The call arrives once more, on a connection of its own that has nobody at its other end; it breaks later."""
        if not self.call:
            return
        twin = self.network.connect(self.caller.host, self.called.host)
        self.network.events.note(f"{self} is called again as {twin}; that breaks after {lasts_s:g} s")
        twin.caller.is_over = True
        twin.called.host.connected(twin.called)
        twin.called.take(self.call)
        self.network.events.after(lasts_s, twin.cut)


class SimulatedTransport:
    """One end of a connection, as an agent sees it."""

    def __init__(self, connection: SimulatedConnection, host: Host) -> None:
        self.connection = connection
        self.host = host
        self.other: SimulatedTransport = self
        self.agent: Agent | None = None
        self.is_over = False
        """This end was told of the end, or does not exist any more."""
        self.paused = False
        self._network = connection.network
        self._reader = SegmentReader(MAX_SEGMENT, MAX_SEGMENT + FLOW_OVERHEAD)
        self._held: deque[tuple[bytes, int]] = deque()  # what waits for the log, with how much of it
        self._flying: deque[bytes | None] = deque()  # what is on its way to the other end; None: the end of it
        self._line_free = self._last_arrival = 0.0
        self._untaken_bytes = 0
        self._was_full = False
        self._closing = self._closed = False
        self._woken = False
        self._read_ahead = 0
        self._unread = 0  # segments that have come while it was paused

    @property
    def peer(self) -> Peer:
        return self.connection.peer_of(self)

    @property
    def _settings(self) -> LinkSettings:
        return self._network.link(self.host.name, self.other.host.name)

    # What an agent may do

    def send(self, data: bytes, lsn: int = 0) -> None:
        if self.is_over or self._closing:
            return
        start = 0
        while start < len(data):
            end = start + int.from_bytes(data[start:][_LENGTH_AT], "big")
            self._held.append((data[start:end], lsn))
            start = end
        self._untaken_bytes += len(data)
        self.release()

    def is_full(self) -> bool:
        full = self._untaken_bytes >= self._settings.window_bytes
        self._was_full |= full
        return full

    def limit(self, *, max_segment: int, max_flow: int) -> None:
        self._reader.max_segment, self._reader.max_flow = max_segment, max_flow

    def pause(self, paused: bool) -> None:
        self.paused = paused
        self._read_ahead = _READ_AHEAD
        if not paused:
            for _ in range(self._unread):
                self._network.events.after(0.0, self.other._arrive)
            self._unread = 0

    def close(self) -> None:
        if not self.is_over and not self._closing:
            self._closing = True
            self.release()

    def abort(self) -> None:
        if not self.is_over:
            self._closing = True
            self._held.clear()
            self.release()

    def wake(self) -> None:
        if not self._woken and not self.is_over:
            self._woken = True
            self._network.events.after(0.0, self._pump)

    def _pump(self) -> None:
        self._woken = False
        agent = self.agent
        if agent is not None and not self.is_over:
            self.host.run(agent.pump)

    # On the way

    def release(self) -> None:
        """Let go what the log is on disk for."""
        durable = self.host.durable_lsn
        while self._held and self._held[0][1] < durable:
            self._fly(self._held.popleft()[0])
        if self._held:
            self.host.force_soon()
        elif self._closing and not self.is_over and not self._closed:
            self._closed = True
            self._fly(None)
            self._network.events.after(0.0, self.hear_end)

    def _fly(self, data: bytes | None) -> None:
        connection, events, link = self.connection, self._network.events, self._settings
        if connection.is_cut:
            return
        if not connection.call and self is connection.caller:
            connection.call = data or b""
        self._flying.append(data)
        now = events.clock.now()
        if link.bytes_per_s and data is not None:
            self._line_free = max(self._line_free, now) + len(data) / link.bytes_per_s
        delay_s = link.latency_s + (self._network.rng.random() * link.jitter_s if link.jitter_s else 0.0)
        self._last_arrival = max(self._last_arrival, max(self._line_free, now) + delay_s)
        events.after(self._last_arrival - now, self._arrive)

    def _arrive(self) -> None:
        """The oldest that is on its way reaches the other end, if nothing comes between."""
        if self._is_stalled():
            return
        if self.other.paused:
            if not self.other._read_ahead:
                self.other._unread += 1
                return
            self.other._read_ahead -= 1
        if self._flying and self._flying[0] is not None:
            self._network.arrivals += 1
            self._network.before_arrival(Arrival(self, self._flying[0]))
        if not self._flying or self._is_stalled():
            return
        data = self._flying.popleft()
        if data is None:
            self._network.forget(self.connection)
            self.other.hear_end()
            return
        self._untaken_bytes -= len(data)
        self.other.take(data)
        if self._was_full and 2 * self._untaken_bytes < self._settings.window_bytes:
            self._was_full = False
            self.wake()

    def _is_stalled(self) -> bool:
        """Does nothing arrive just now? Then it does later."""
        wait_s = self.connection.stalled_until - self._network.events.clock.now()
        if wait_s > 0:
            self._network.events.after(wait_s, self._arrive)
        return wait_s > 0

    def lose(self, straggles_s: float | None = None) -> None:
        """What is on its way from here does not arrive, or late."""
        stragglers, self._flying = self._flying, deque()

        def arrive() -> None:
            for data in stragglers:
                if data is not None:
                    self.other.take(data)

        if straggles_s is not None:
            self._network.events.after(straggles_s, arrive)

    # What happens at this end

    def take(self, data: bytes) -> None:
        if self._closing or self.is_over:
            return
        flows = self._reader.feed(data)
        if self._reader.failed is not None:
            raise self._reader.failed
        for flow in flows:
            if flow.kind != Type.HEARTBEAT:  # too many to be of interest
                self._network.events.note(f"{self.other.host.name} > {self.host.name}: {in_words(flow)}")
            self.host.run(lambda flow=flow: self._take_flow(flow))  # type: ignore[misc]

    def _take_flow(self, flow: Flow) -> None:
        if self._closing or self.is_over:
            return
        if self.agent is not None:
            self.agent.take(flow)
        else:
            self.host.accept(flow, self)

    def hear_end(self) -> None:
        self._hear("the connection was closed")

    def hear_break(self) -> None:
        """What had arrived before the break was taken by now."""
        self._network.forget(self.connection)
        self._hear("the connection is broken")

    def _hear(self, why: str) -> None:
        if self.is_over:
            return
        self.is_over = True
        self._held.clear()
        agent = self.agent
        if agent is not None:
            self.host.run(lambda: agent.lost(why))

    def die(self, partner_hears_s: float) -> None:
        """The queue manager at this end is gone, and with it all that it held. What has left arrives all the same.

        The system of a machine whose process has died closes the connection. If the machine is gone too
        (`partner_hears_s`), it takes longer until that is known.
        """
        self._held.clear()
        self.is_over = True
        self.agent = None
        if partner_hears_s:
            self._network.events.after(partner_hears_s, self.other.hear_break)
        else:
            self._fly(None)


def in_words(flow: Flow) -> str:
    """A flow in a line, for people."""
    name = Type(flow.kind).name
    try:
        if flow.kind == Type.MESSAGE_DATA:
            message = unpack_message(flow, compression=flow.flags2)
            where = "outside of batches" if message.fast else f"{message.sequence} of batch {message.luwid.hex()}"
            return f"message {where}"
        if flow.kind == Type.STATUS_DATA:
            status = unpack_status(flow)
            if status.confirm_request:
                return f"confirm batch {status.luwid.hex()}?"
            if status.accepted:
                return f"batch {status.luwid.hex()} is confirmed"
            return f"status {status.code} {status.value if status.value is not None else ''}".rstrip()
    except ProtocolError as error:
        return f"{name} that cannot be read: {error}"
    return name
