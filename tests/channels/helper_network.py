"""Some queue managers with their channel initiators, and a network between them that a test can take down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from helper_ends import Node, Wire

from libremq.admin.operations import ChannelInstance
from libremq.channels.agent import Agent
from libremq.channels.channel_refusal import ChannelRefusal
from libremq.channels.initiator import ChannelRules, Initiator
from libremq.channels.outgoing_call import OutgoingCall
from libremq.channels.transport import Peer
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFIN, unpack_message
from libremq.testing import VirtualClock
from libremq.wire.message_channel import StatusData, unpack_status
from libremq.wire.protocol import CAP1_MESSAGE_CHANNEL, ProtocolError, Type
from libremq.wire.segments import Flow, SegmentReader, frame_plain
from libremq.wire.session_flows import InitialData, pack_initial, unpack_initial

CHANNEL = "QM1.TO.QM2"
TRIGGER = {"TRIGGER": "TRIGGER", "TRIGTYPE": "FIRST", "INITQ": "SYSTEM.CHANNEL.INITQ"}
STATES = {value: name[6:] for name, value in vars(C).items() if name.startswith("MQCHS_")}


class Host(Node):
    """A queue manager whose channels run."""

    initiator: Initiator

    def __init__(self, name: str, network: Network) -> None:
        self.network = network
        self.rules = ChannelRules()
        self.clients = 0
        super().__init__(name, network.clock)

    def start(self) -> None:
        super().start()
        self.initiator = Initiator(
            self.environment, self.network.dialler(self), rules=self.rules, clients=lambda: self.clients
        )
        self.initiator.resume()

    def with_rules(self, **rules: Any) -> None:
        self.rules = ChannelRules(**rules)
        self.crash()

    def crash(self) -> None:
        self.network.drop(self)
        self.qm.core.log.force()
        super().crash()

    def restart(self) -> None:
        """An orderly end, and a start."""
        self.initiator.quiesce()
        self.network.run()
        assert not self.initiator.agents
        self.qm.disconnect(self.application)
        self.qm.end()
        self.network.drop(self)
        self.start()

    @property
    def states(self) -> dict[str, str]:
        """The channels that are not inactive."""
        return {one.channel: STATES[one.status] for one in self.initiator.instances()}

    def shown(self, name: str) -> ChannelInstance:
        (found,) = [one for one in self.initiator.instances() if one.channel == name]
        return found

    def last_said(self, number: int) -> str:
        return next(text for text in reversed(self.said) if text.startswith(f"AMQ{number:04}"))

    def times_said(self, number: int) -> int:
        return sum(text.startswith(f"AMQ{number:04}") for text in self.said)


@dataclass(eq=False)
class Link:
    """A connection: two wires."""

    near: Wire
    far: Wire
    ends: dict[Wire, Peer] = field(default_factory=dict)

    def other(self, wire: Wire) -> Wire:
        return self.far if wire is self.near else self.near


class Network:
    def __init__(self, *names: str) -> None:
        self.clock = VirtualClock()
        self.calls: list[tuple[Host, OutgoingCall]] = []
        self.dialled: list[str] = []
        self.links: list[Link] = []
        self.down: set[str] = set()  # hosts that do not answer
        self.holding = False  # calls are neither answered nor refused
        self.hosts: dict[str, Host] = {}
        for name in names:
            self.hosts[name.lower()] = Host(name, self)

    def dialler(self, host: Host) -> Any:
        def dial(call: OutgoingCall) -> None:
            self.dialled.append(call.channel.name)
            self.calls.append((host, call))

        return dial

    def _connect(self, host: Host, call: OutgoingCall) -> None:
        if call.cancelled:
            return
        name = call.conname.partition("(")[0]
        target = self.hosts.get(name)
        if target is None or name in self.down:
            call.failed("connection refused")
            return
        link = Link(Wire(host), Wire(target))
        link.ends = {link.near: Peer(address=call.conname), link.far: Peer(address=f"{host.name.lower()}(50000)")}
        agent = call.build(link.near, link.ends[link.near])
        if agent is not None:
            link.near.agent = agent
            self.links.append(link)
            agent.begin()

    def connect(self, host: Host, target: Host, address: str = "") -> Link:
        """A connection without an agent at the near end: a test speaks there."""
        link = Link(Wire(host), Wire(target))
        link.ends = {link.far: Peer(address=f"{address or host.name.lower()}(50000)")}
        self.links.append(link)
        return link

    def run(self) -> None:
        """Until nothing moves any more, at this moment."""
        for _ in range(100_000):
            if not self._step():
                return
        raise AssertionError("it does not come to rest")

    def run_until(self, reached: Callable[[], bool]) -> None:
        """One segment after the other, until something is so."""
        while not reached():
            if not any(self._move(link, wire) for link in self.links for wire in (link.near, link.far)):
                assert self._step(moves=False), "it came to rest before"

    def _step(self, *, moves: bool = True) -> bool:
        moved = False
        if self.calls and not self.holding:
            calls, self.calls = self.calls, []
            for host, call in calls:
                self._connect(host, call)
            moved = True
        for link in list(self.links):
            for wire in (link.near, link.far):
                if wire.woken and wire.agent is not None:
                    wire.woken = False
                    wire.agent.pump()
                    moved = True
                while moves and self._move(link, wire):
                    moved = True
        for host in self.hosts.values():
            due = host.initiator.next_deadline()
            if due is not None and due <= self.clock.monotonic():
                host.initiator.tick()
                moved = True
        return moved

    def _move(self, link: Link, source: Wire) -> bool:
        target = link.other(source)
        if not source.sent:
            if source.closing and not source.closed:
                source.closed = True
            if source.closed and not target.closed:
                target.closed = True
                if target.agent is not None:
                    target.agent.lost()
                return True
            return False
        data = source.sent.popleft()
        if target.closed:
            return True
        try:
            flows = target.reader.feed(data)
        except ProtocolError as error:
            if target.agent is not None:
                target.agent.refuse(error)
            return True
        for flow in flows:
            self._take(link, target, flow)
        return True

    def _take(self, link: Link, target: Wire, flow: Flow) -> None:
        if target.agent is not None:
            target.agent.take(flow)
            return
        if target is not link.far or target.closing:
            return  # it was refused
        host = target.node
        assert isinstance(host, Host)
        try:
            target.agent = host.initiator.called(unpack_initial(flow.body), target, link.ends[target])
        except ChannelRefusal as refusal:
            target.send(refusal.segment)
            target.close()
        else:
            target.agent.begin()

    def agents(self) -> list[Agent]:
        return [wire.agent for link in self.links for wire in (link.near, link.far) if wire.agent is not None]

    def pass_time(self, seconds: float) -> None:
        """In the steps that agents and initiators ask for."""
        end = self.clock.monotonic() + seconds
        while True:
            self.run()
            ticking: list[Any] = [*self.agents(), *(host.initiator for host in self.hosts.values())]
            deadlines = [due for one in ticking if (due := one.next_deadline()) is not None]
            due = min(deadlines, default=end + 1)
            if due > end:
                self.clock.advance(end - self.clock.monotonic())
                return
            self.clock.advance(max(0.0, due - self.clock.monotonic()))
            for one in ticking:
                one.tick()

    def cut(self, *hosts: Host) -> None:
        """All connections of these hosts, or of all, are gone, for both ends."""
        for link in list(self.links):
            if not hosts or link.near.node in hosts or link.far.node in hosts:
                self.links.remove(link)
                for wire in (link.near, link.far):
                    if not wire.closed:
                        wire.abort()
                        if wire.agent is not None:
                            wire.agent.lost("the line was cut")

    def drop(self, host: Host) -> None:
        """A queue manager is gone: its agents hear nothing of it, the other ends do."""
        self.calls = [one for one in self.calls if one[0] is not host]
        for link in list(self.links):
            for wire in (link.near, link.far):
                if wire.node is host:
                    wire.agent = None
                    wire.abort()


def network(
    sender: str = "SDR", receiver: str = "RCVR", *, trigger: dict[str, str] | None = None, **attributes: Any
) -> tuple[Network, Host, Host]:
    """QM1 with a channel to QM2, where TARGET is."""
    net = Network("QM1", "QM2")
    one, two = net.hosts["qm1"], net.hosts["qm2"]
    one.define("QLOCAL", "QM2", USAGE=C.MQUS_TRANSMISSION, **(trigger or {}))
    one.define(sender, CHANNEL, **{"XMITQ": "QM2", "CONNAME": "qm2(1414)", **attributes})
    two.define(receiver, CHANNEL, **({"CONNAME": "qm1(1414)"} if receiver == "RQSTR" else {}))
    two.define("QLOCAL", "TARGET")
    return net, one, two


def refused(reason: int) -> pytest.RaisesExc[MQError]:
    return pytest.raises(MQError, match=f"\\({reason}\\)")


def running(net: Network, one: Host) -> None:
    one.initiator.start(CHANNEL)
    net.run()
    assert one.states == {CHANNEL: "RUNNING"}


def events(host: Host) -> list[tuple[int, int | None]]:
    """Reason and qualifier of the channel events so far."""
    found = []
    for data in host.content("SYSTEM.ADMIN.CHANNEL.EVENT"):
        header, parameters = unpack_message(data)
        values = {one.Parameter: one.Value for one in parameters if isinstance(one, MQCFIN)}
        found.append((header.Reason, values.get(C.MQIACF_REASON_QUALIFIER)))
    return found


def offer(net: Network, target: Host, caps: int = CAP1_MESSAGE_CHANNEL, **fields: Any) -> Link:
    """Call a channel as some queue manager does."""
    values = {"channel": CHANNEL, "queue_manager": "QM1", "batch_size": 50, "sharing": 0, **fields}
    address = values.pop("address", "qm1")
    link = net.connect(net.hosts["qm1"], target, address)
    link.near.send(frame_plain(Type.INITIAL_DATA, pack_initial(InitialData(capabilities=(caps, 0, 0), **values))))
    return link


def answer(net: Network, link: Link) -> StatusData | None:
    """What the other end says; None if it takes the call."""
    reader = SegmentReader(1 << 20, 1 << 20)
    for _ in range(100):
        net._move(link, link.near)
        while link.far.sent:
            for flow in reader.feed(link.far.sent.popleft()):
                if flow.kind == Type.STATUS_DATA:
                    return unpack_status(flow)
                assert flow.kind == Type.INITIAL_DATA
                return None
    raise AssertionError("no answer")
