"""Two queue managers on files in memory and a wire between them: agents as they run, without sockets or threads."""

from __future__ import annotations

from collections import deque
from typing import Any

from libremq.channels.agent import Agent
from libremq.channels.channel_end import End
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.receiver import ReceivingAgent
from libremq.channels.sender import SendingAgent
from libremq.channels.transport import Peer
from libremq.host import lifecycle
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing import FaultyFiles, VirtualClock
from libremq.wire.protocol import MAX_SEGMENT, ProtocolError
from libremq.wire.segments import Flow, SegmentReader
from libremq.wire.session_flows import InitialData, unpack_initial

LOG = LogConfig(primary_files=3, secondary_files=5, file_pages=128)
CHANNEL = "QM1.TO.QM2"


class Node:
    """A queue manager, and what one application does with it."""

    def __init__(self, name: str, clock: VirtualClock) -> None:
        self.name, self.clock = name, clock
        self.files = FaultyFiles()
        self.said: list[str] = []
        lifecycle.create(self.files, name, name, clock, LOG)
        self.start()

    def start(self) -> None:
        self.qm = lifecycle.start(self.files, self.name, self.name, self.clock, say=self.said.append)
        self.environment = ChannelEnvironment(self.qm, self.said.append)
        self.application = self.qm.connect("alice", "teller")

    def crash(self) -> None:
        self.qm.abandon()
        self.start()

    def define(self, kind: str, name: str, **attributes: Any) -> Any:
        self.qm.define(kind, name, attributes)
        return self.qm.core.catalogue.find("CHANNEL" if kind in ("SDR", "SVR", "RCVR", "RQSTR") else "QUEUE", name)

    def channel(self, name: str = CHANNEL) -> Any:
        return self.qm.core.catalogue.channels[name]

    def put(self, queue: str, data: bytes, *, qmgr: str = "", persistent: bool = True, **fields: Any) -> None:
        md = MQMD(Version=2, Persistence=int(persistent), **fields)
        od = MQOD(ObjectName=queue, ObjectQMgrName=qmgr)
        self.qm.put1(self.application, od, md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), data)

    def get(self, queue: str) -> tuple[MQMD, bytes]:
        hobj = self.qm.open(self.application, MQOD(ObjectName=queue), C.MQOO_INPUT_SHARED)
        md = MQMD(Version=2)
        try:
            got = self.qm.get(self.application, hobj, md, MQGMO(Version=2, Options=C.MQGMO_NO_SYNCPOINT))
        finally:
            self.qm.close(self.application, hobj)
        assert isinstance(got, Got)
        return md, got.data

    def depth(self, queue: str) -> int:
        definition = self.qm.core.catalogue.queues[queue]
        assert isinstance(definition, LocalQueue)
        return self.qm.core.local_queue(definition).store.depth

    def content(self, queue: str) -> list[bytes]:
        """What is to be seen on a queue, in order."""
        definition = self.qm.core.catalogue.queues[queue]
        assert isinstance(definition, LocalQueue)
        store = self.qm.core.local_queue(definition).store
        return [store.message(slot).data for slot in store.chains]


class Wire:
    """One end of a connection: what it sends is on its way until the other end is fed with it."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.sent: deque[bytes] = deque()
        self.reader = SegmentReader(MAX_SEGMENT, MAX_SEGMENT)
        self.agent: Agent | None = None
        self.closing = self.closed = False
        self.woken = False
        self.full = False
        self.paused = False

    def send(self, data: bytes, lsn: int = 0) -> None:
        if not self.closed and not self.closing:
            self.node.qm.force(lsn)
            self.sent.append(data)

    def is_full(self) -> bool:
        return self.full

    def limit(self, *, max_segment: int, max_flow: int) -> None:
        self.reader.max_segment, self.reader.max_flow = max_segment, max_flow

    def pause(self, paused: bool) -> None:
        self.paused = paused

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.closed = True
        self.sent.clear()

    def wake(self) -> None:
        self.woken = True


class Pair:
    """A channel between two nodes, called by the first."""

    def __init__(self, caller: Node, called: Node, name: str = CHANNEL) -> None:
        self.caller, self.called, self.name = caller, called, name
        self.near, self.far = Wire(caller), Wire(called)
        self.ends: dict[Agent, End] = {}
        definition = caller.channel(name)
        self.near.agent = self._agent(caller, definition, self.near, None)
        self.near.agent.begin()

    def _agent(self, node: Node, definition: Any, wire: Wire, called: InitialData | None) -> Agent:
        sends = definition.kind in ("SDR", "SVR")
        other = self.called if node is self.caller else self.caller
        peer = Peer(address=f"{other.name.lower()}(1414)")
        made: type[Agent] = SendingAgent if sends else ReceivingAgent
        agent = made(node.environment, definition, wire, peer, called=called)
        agent.on_end = self.ends.__setitem__
        return agent

    @property
    def sender(self) -> Any:
        return next(one for one in (self.near.agent, self.far.agent) if isinstance(one, SendingAgent))

    @property
    def receiver(self) -> Any:
        return next(one for one in (self.near.agent, self.far.agent) if isinstance(one, ReceivingAgent))

    def step(self, source: Wire) -> bool:
        """Move one segment; False if none is on its way, or the other end does not read."""
        target = self.far if source is self.near else self.near
        if target.paused:
            return False
        if not source.sent:
            if source.closing and not source.closed:
                source.closed = True
                if target.agent is not None and not target.closed:
                    target.closed = True
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
            self._take(target, flow)
        return True

    def _take(self, target: Wire, flow: Flow) -> None:
        if target.agent is None:
            offered = unpack_initial(flow.body)
            definition = self.called.channel(offered.channel)
            target.agent = self._agent(self.called, definition, target, offered)
            target.agent.begin()
        else:
            target.agent.take(flow)

    def run(self) -> None:
        """Until nothing moves any more."""
        moved = True
        while moved:
            moved = False
            for wire in (self.near, self.far):
                if wire.woken and wire.agent is not None:
                    wire.woken = False
                    wire.agent.pump()
                    moved = True
                while self.step(wire):
                    moved = True

    def pass_time(self, seconds: float) -> None:
        """Let time pass in the steps that the agents ask for."""
        clock = self.caller.clock
        end = clock.monotonic() + seconds
        while True:
            self.run()
            agents = [wire.agent for wire in (self.near, self.far) if wire.agent is not None]
            due = [when for agent in agents if (when := agent.next_deadline()) is not None and when <= end]
            clock.advance(max(0.0, min(due, default=end) - clock.monotonic()))
            if not due:
                return
            for agent in agents:
                agent.tick()

    def cut(self) -> None:
        """The connection is gone, for both."""
        for wire in (self.near, self.far):
            wire.abort()
            if wire.agent is not None:
                wire.agent.lost("the line was cut")


def sender_and_receiver(sender: str = "SDR", receiver: str = "RCVR", **attributes: Any) -> tuple[Node, Node]:
    """QM1 with a channel to QM2, where the queue TARGET is."""
    clock = VirtualClock()
    one, two = Node("QM1", clock), Node("QM2", clock)
    one.define("QLOCAL", "QM2", USAGE=C.MQUS_TRANSMISSION)
    sending = {"XMITQ": "QM2", "CONNAME": "qm2(1414)"}
    both = {key: value for key, value in attributes.items() if key in ("SEQWRAP", "MAXMSGL", "COMPMSG", "COMPHDR")}
    one.define(sender, CHANNEL, **sending, **attributes)
    calls = {"CONNAME": "qm1(1414)"} if receiver == "RQSTR" else {}
    two.define(receiver, CHANNEL, **calls, **both)
    two.define("QLOCAL", "TARGET")
    return one, two
