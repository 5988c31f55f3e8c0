"""Pairs of agents that walk through their states by chance, and a record of the rows that they have used.

Two queue managers have one channel after the other, of each type, with and without security exits, pipelines and
BATCHHB. Messages are put, segments move one by one, time passes, a queue cannot be put to for a while, the way to the
other end is full, either end is stopped, the connection is cut. A guest does at any moment what the table has a row
for, and what was not done before: it says what a partner of ours would not have said just then (a heartbeat, a ping,
that it closes), or gives a command.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helper_ends import CHANNEL, Node, Pair, Wire, sender_and_receiver
from helper_exits import IMPORTS

from libremq.channels.agent import Agent
from libremq.channels.agent_states import Event, State
from libremq.channels.pinging import PingingAgent
from libremq.channels.receiver import ReceivingAgent
from libremq.channels.sender import SendingAgent
from libremq.channels.transport import Peer
from libremq.kernel.objects.channel_sync_record import SENDER
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C
from libremq.wire import message_channel as flows
from libremq.wire.protocol import CAP3_MSG_PROP, Status, Type
from libremq.wire.segments import Flow, SegmentReader
from libremq.wire.session_flows import InitialData

AGENTS: tuple[type[Agent], ...] = (SendingAgent, ReceivingAgent, PingingAgent)
Row = tuple[str, State, Event]

EXITS = """
def talk(call):
    if call.reason == C.MQXR_INIT_SEC: return SendSecurity(b'1')
    if call.reason == C.MQXR_SEC_MSG and len(call.data) < 9: return SendSecurity(call.data + b'1')
"""
_PUTS = (C.MQQA_PUT_ALLOWED, C.MQQA_PUT_ALLOWED, C.MQQA_PUT_INHIBITED)


def _take(agent: Agent, segment: bytes) -> None:
    (flow,) = SegmentReader(1 << 20, 1 << 20).feed(segment)
    agent.take(flow)


_GUESTS: dict[Event, Callable[[Agent], None]] = {
    Event.HEARTBEAT: lambda agent: _take(agent, flows.heartbeat()),
    Event.PING: lambda agent: _take(agent, flows.ping(b"are you there?")),
    Event.CLOSE_REQUEST: lambda agent: _take(agent, flows.request_close()),
    Event.CLOSE: lambda agent: _take(agent, flows.status(Status.QM_TERMINATING)),
    Event.STOP: lambda agent: agent.stop(C.MQMODE_QUIESCE),
    Event.END: lambda agent: agent.lost(),
}


def all_rows() -> set[Row]:
    return {(one.__name__, state, event) for one in AGENTS for state, rows in one.table.items() for event in rows}


class _Rows(dict[Event, Any]):
    """The rows of a state, which note what is looked up."""

    def __init__(self, agent: str, state: State, rows: dict[Event, Any], used: set[Row]) -> None:
        super().__init__(rows)
        self._place, self._used = (agent, state), used

    def get(self, event: Event, default: Any = None) -> Any:  # type: ignore[override]
        row = super().get(event, default)
        if row is not default:
            self._used.add((*self._place, event))
        return row

    def __getitem__(self, event: Event) -> Any:
        self._used.add((*self._place, event))
        return super().__getitem__(event)


@contextmanager
def recorded() -> Iterator[set[Row]]:
    """The rows that agents use meanwhile."""
    used: set[Row] = set()
    with pytest.MonkeyPatch.context() as patch:
        for one in AGENTS:
            rows = {state: _Rows(one.__name__, state, rows, used) for state, rows in one._actions.items()}
            patch.setattr(one, "_actions", rows)
        yield used


class WalkingPair(Pair):
    """One that may be ended before it has begun, and that may ping."""

    def __init__(self, caller: Node, called: Node, rng: random.Random, *, pings: bool) -> None:
        self.rng, self.pings = rng, pings
        self.is_old = rng.random() < 0.2  # the caller does not know how to prove that it is there
        super().__init__(caller, called)

    def _agent(self, node: Node, definition: Any, wire: Wire, called: InitialData | None) -> Agent:
        agent: Agent
        if self.pings and called is None:
            agent = PingingAgent(node.environment, definition, wire, Peer(address="qm2(1414)"), data=b"ping")
            agent.on_end = self.ends.__setitem__
        else:
            if called is not None and self.is_old:
                called = replace(called, capabilities=(*called.capabilities[:2], CAP3_MSG_PROP))
            agent = super()._agent(node, definition, wire, called)
        if self.rng.random() < 0.03:
            agent.stop(C.MQMODE_QUIESCE)
        elif self.rng.random() < 0.02:
            agent.lost()
        return agent

    def step(self, source: Wire) -> bool:
        """What was read before the transport was paused still comes."""
        target = self.far if source is self.near else self.near
        paused, target.paused = target.paused, target.paused and self.rng.random() < 0.5
        try:
            return super().step(source)
        finally:
            target.paused |= paused and target.agent is not None and target.agent.status == C.MQCHS_PAUSED

    def _take(self, target: Wire, flow: Flow) -> None:
        if target.agent is not None or flow.kind == Type.INITIAL_DATA:  # else it has ended before it called
            super()._take(target, flow)

    @property
    def agents(self) -> list[Agent]:
        return [wire.agent for wire in (self.near, self.far) if wire.agent is not None]


class Walker:
    """Two queue managers and what happens to the channel between them.

    `used`: with a guest, who looks for rows that are not among these.
    """

    def __init__(
        self, folder: Path, types: str, rng: random.Random, *, batchhb: int, used: set[Row] | None = None
    ) -> None:
        sender, receiver = types.split()
        self.rng, self.used = rng, used
        self.one, self.two = sender_and_receiver(
            sender, receiver, BATCHSZ=3, BATCHINT=500, BATCHHB=batchhb, HBINT=20, DISCINT=60
        )
        self.calls_from_receiver = receiver == "RQSTR"
        self.two.qm.alter(receiver, CHANNEL, {"MRRTY": 1_000_000, "MRTMR": 1000, "HBINT": 20})
        (folder / "mine.py").write_text(IMPORTS + EXITS)
        folder.chmod(0o700)
        (folder / "mine.py").chmod(0o600)
        for node in (self.one, self.two):
            node.environment.exit_path = str(folder)

    def walk(self, steps: int, check: Callable[[Agent], None] = lambda agent: None) -> WalkingPair:
        """One instance of the channel, from its call to its end."""
        rng, one, two = self.rng, self.one, self.two
        one.environment.pipeline_length = rng.choice((1, 2))
        secured = rng.choice(("", "", "", "both", "both", "sender", "receiver"))
        for node, end in ((one, "sender"), (two, "receiver")):
            exits = {"SCYEXIT": "mine(talk)" if secured in ("both", end) else ""}
            node.qm.alter(node.channel().kind, CHANNEL, exits)
        if rng.random() < 0.3 and not channel_batches.in_doubt(one.qm.core):
            number = rng.randint(1, 1000)
            channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, "QM2", "QM2", next_sequence=number)
        ends = (two, one) if self.calls_from_receiver else (one, two)
        pair = WalkingPair(*ends, rng, pings=not self.calls_from_receiver and rng.random() < 0.3)
        for _ in range(steps):
            rng.choice(self._moves)(self, pair)
            for agent in pair.agents:
                check(agent)
            if all(agent.ended is not None for agent in pair.agents):
                break
        two.qm.alter("QLOCAL", "TARGET", {"PUT": C.MQQA_PUT_ALLOWED})
        pair.cut()
        return pair

    def _put(self, pair: WalkingPair) -> None:
        self.one.put("TARGET", b"x", qmgr="QM2", persistent=self.rng.random() < 0.6)

    def _step(self, pair: WalkingPair) -> None:
        wire = self.rng.choice((pair.near, pair.far))
        if wire.woken and wire.agent is not None:
            wire.woken = False
            wire.agent.pump()
        pair.step(wire)

    def _run(self, pair: WalkingPair) -> None:
        for _ in range(10):
            self._step(pair)

    def _time(self, pair: WalkingPair) -> None:
        clock, now = self.one.clock, self.one.clock.monotonic()
        due = min((when for one in pair.agents if (when := one.next_deadline()) is not None), default=now)
        clock.advance(max(0.0, due - now) if self.rng.random() < 0.1 else self.rng.choice((0.2, 0.6, 1.1)))
        for one in pair.agents:
            one.tick()

    def _stop(self, pair: WalkingPair) -> None:
        if self.rng.random() < 0.3:
            self.rng.choice(pair.agents).stop(C.MQMODE_QUIESCE)

    def _inhibit(self, pair: WalkingPair) -> None:
        self.two.qm.alter("QLOCAL", "TARGET", {"PUT": self.rng.choice(_PUTS)})

    def _fill(self, pair: WalkingPair) -> None:
        """The way is full, or free again."""
        wire = self.rng.choice((pair.near, pair.far))
        wire.full = not wire.full and self.rng.random() < 0.5
        wire.woken = wire.woken or not wire.full

    def _guest(self, pair: WalkingPair) -> None:
        if self.used is not None:
            agent = self.rng.choice(pair.agents)
            for _ in range(self.rng.randint(1, 3)):
                self._disturb(agent)

    def _disturb(self, agent: Agent) -> None:
        rows = [(event, after) for event, (_, after) in agent.table[agent.state].items() if event in _GUESTS]
        new = [event for event, _ in rows if self._is_new(agent, agent.state, event)]
        if not new and self.rng.random() < 0.3:  # on to where there is something new
            new = [event for event, after in rows if any(self._is_new(agent, after, one) for one in agent.table[after])]
        if new:
            _GUESTS[self.rng.choice(new)](agent)

    def _is_new(self, agent: Agent, state: State, event: Event) -> bool:
        assert self.used is not None
        return (type(agent).__name__, state, event) not in self.used

    _moves = (
        _put, _put, _step, _step, _run, _run, _run, _run, _time, _time, _time, _stop, _inhibit, _fill, _guest, _guest,
    )  # fmt: skip
