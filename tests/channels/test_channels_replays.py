"""Somebody has recorded a connection and plays it again, byte for byte: nothing is taken, and the channel goes on.

And numbers that do not fit: the channel finds its way back where both ends have the same last batch, and nowhere else.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import pytest
from helper_ends import CHANNEL, Node, Pair, Wire, sender_and_receiver

from libremq.channels import negotiation
from libremq.channels.receiver import ReceivingAgent
from libremq.channels.sender import SendingAgent
from libremq.channels.transport import Peer
from libremq.kernel.objects.channel_sync_record import RECEIVER, SENDER
from libremq.kernel.state import object_changes
from libremq.kernel.units import channel_batches
from libremq.wire.message_channel import NO_NONCE, Resync
from libremq.wire.protocol import CAP3_MSG_PROP
from libremq.wire.segments import SegmentReader
from libremq.wire.session_flows import unpack_initial


class Recorder(Wire):
    """A wire that somebody listens to."""

    def __init__(self, node: Node, record: list[bytes]) -> None:
        super().__init__(node)
        self.record = record

    def send(self, data: bytes, lsn: int = 0) -> None:
        self.record.append(data)
        super().send(data, lsn)


class RecordedPair(Pair):
    def __init__(self, caller: Node, called: Node) -> None:
        self.of_caller: list[bytes] = []
        self.of_called: list[bytes] = []
        super().__init__(caller, called)

    def _agent(self, node: Node, definition: Any, wire: Wire, called: Any) -> Any:
        record = self.of_caller if node is self.caller else self.of_called
        recorder = Recorder(node, record)
        if node is self.caller:
            self.near = recorder
        else:
            recorder.reader = wire.reader
            self.far = recorder
        return super()._agent(node, definition, recorder, called)

    def _take(self, target: Wire, flow: Any) -> None:
        if target.agent is None:
            offered = unpack_initial(flow.body)
            agent = self._agent(self.called, self.called.channel(offered.channel), target, offered)
            self.far.agent = agent
            agent.begin()
        else:
            super()._take(target, flow)


def _numbers(one: Node, two: Node) -> list[tuple[int, str]]:
    sent = one.qm.channel_records.sync_of(SENDER, CHANNEL, "QM2", "QM2")
    received = two.qm.channel_records.sync_of(RECEIVER, CHANNEL, "QM1")
    return [(sync.sequence, sync.luwid) for sync in (sent, received) if sync is not None]


def _send(one: Node, two: Node, data: bytes, *, persistent: bool = True) -> RecordedPair:
    one.put("TARGET", data, qmgr="QM2", persistent=persistent)
    pair = RecordedPair(one, two)
    pair.run()
    pair.cut()
    return pair


def _replay_to_receiver(two: Node, segments: list[bytes]) -> str:
    """Play what a caller has sent once more; how that ended."""
    wire, reader = Wire(two), SegmentReader(1 << 20, 1 << 20)
    flows = [flow for data in segments for flow in reader.feed(data)]
    called = unpack_initial(flows[0].body)
    agent = ReceivingAgent(two.environment, two.channel(), wire, Peer(address="mallory(4711)"), called=called)
    agent.begin()
    for flow in flows[1:]:
        agent.take(flow)
    end = agent.ended
    agent.lost("the line was cut")
    assert end is not None and end.message is not None
    return end.message


@pytest.mark.parametrize("persistent", [True, False], ids=["in a batch", "fast"])
def test_a_recorded_sender_is_not_believed(persistent: bool) -> None:
    """Also where its numbers would fit: the channel was defined anew at both ends."""
    one, two = sender_and_receiver(NPMSPEED="FAST")
    pair = _send(one, two, b"once", persistent=persistent)
    assert two.content("TARGET") == [b"once"]
    for node, role, partner, queue in ((one, SENDER, "QM2", "QM2"), (two, RECEIVER, "QM1", "")):
        sync = node.qm.channel_records.sync_of(role, CHANNEL, partner, queue)
        if sync is not None:
            channel_batches.forget(node.qm, sync)
    before = _numbers(one, two)
    assert _replay_to_receiver(two, pair.of_caller).startswith("AMQ9592")
    assert (two.content("TARGET"), _numbers(one, two)) == ([b"once"], before)
    _send(one, two, b"twice", persistent=persistent)
    assert two.content("TARGET") == [b"once", b"twice"]


def test_a_recorded_reset_is_not_followed() -> None:
    one, two = sender_and_receiver()
    _send(one, two, b"a")
    channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, "QM2", "QM2", next_sequence=1)
    pair = _send(one, two, b"b")
    for data in (b"c", b"d"):
        _send(one, two, data)
    assert _replay_to_receiver(two, pair.of_caller).startswith("AMQ9592")
    assert two.content("TARGET") == [b"a", b"b", b"c", b"d"]
    _send(one, two, b"e")
    assert two.content("TARGET") == [b"a", b"b", b"c", b"d", b"e"]


def test_a_recorded_receiver_decides_nothing_about_a_batch_in_doubt() -> None:
    """It speaks of an older batch: to believe it would send the one in doubt once more."""
    one, two = sender_and_receiver()
    first = _send(one, two, b"a")
    one.put("TARGET", b"b", qmgr="QM2")
    pair = Pair(one, two)
    while not channel_batches.in_doubt(one.qm.core):
        assert pair.step(pair.near) or pair.step(pair.far)
        pair.near.agent.pump() if pair.near.agent is not None else None
    pair.cut()
    in_doubt = channel_batches.in_doubt(one.qm.core)
    wire = Wire(one)
    agent = SendingAgent(one.environment, one.channel(), wire, Peer(address="mallory(1414)"))
    agent.begin()
    reader = SegmentReader(1 << 20, 1 << 20)
    for data in first.of_called:
        for flow in reader.feed(data):
            agent.take(flow)
    assert agent.ended is not None and (agent.ended.message or "").startswith("AMQ9592")
    assert channel_batches.in_doubt(one.qm.core) == in_doubt
    Pair(one, two).run()
    assert two.content("TARGET") == [b"a", b"b"]


def _set_back(monkeypatch: pytest.MonkeyPatch, node: Node) -> None:
    """From now on it is of a release that knows nothing of nonces."""
    own = negotiation.own_initial_data

    def without(environment: Any, channel: Any, *, requests: bool = False) -> Any:
        data = own(environment, channel, requests=requests)
        if environment is node.environment:
            data = replace(data, capabilities=(*data.capabilities[:2], CAP3_MSG_PROP))
        return data

    monkeypatch.setattr(negotiation, "own_initial_data", without)


@pytest.mark.parametrize("reset_before", [False, True])
def test_what_was_recorded_before_both_ends_knew_it_is_refused_once_they_do(
    monkeypatch: pytest.MonkeyPatch, reset_before: bool
) -> None:
    one, two = sender_and_receiver(NPMSPEED="FAST")
    with monkeypatch.context() as patched:
        _set_back(patched, one)
        recorded = _send(one, two, b"transfer 100", persistent=False)
    if reset_before:  # the other end follows, and does not forget
        channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, "QM2", "QM2", next_sequence=9)
    _send(one, two, b"of today")
    assert _replay_to_receiver(two, recorded.of_caller).startswith("AMQ9596E")
    assert two.content("TARGET") == [b"transfer 100", b"of today"]
    _send(one, two, b"of tomorrow")
    assert two.content("TARGET")[2:] == [b"of tomorrow"]


def test_a_partner_that_is_set_back_is_served_after_reset_channel(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = sender_and_receiver()
    _send(one, two, b"a")
    before = _numbers(one, two)
    _set_back(monkeypatch, two)
    pair = _send(one, two, b"b")
    assert (pair.ends[pair.sender].message or "").startswith("AMQ9596E")
    assert (_numbers(one, two), two.content("TARGET")) == (before, [b"a"])
    channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, "QM2", "QM2", next_sequence=2)
    channel_batches.reset_sequence(two.qm, RECEIVER, CHANNEL, "QM1", next_sequence=2)
    _send(one, two, b"c")
    assert two.content("TARGET") == [b"a", b"b", b"c"]


@pytest.mark.parametrize("old", ["caller", "called"])
def test_a_partner_that_does_not_know_it_is_served_as_before(monkeypatch: pytest.MonkeyPatch, old: str) -> None:
    one, two = sender_and_receiver()
    _set_back(monkeypatch, one if old == "caller" else two)
    pair = _send(one, two, b"x")
    assert two.content("TARGET") == [b"x"]
    reader = SegmentReader(1 << 20, 1 << 20)
    flows = [flow for data in pair.of_caller for flow in reader.feed(data)]
    resync = [Resync.unpack(flow) for flow in flows if flow.kind == 6 or len(flow.body) == 28]
    assert len(resync) == 1 and resync[0].nonce == NO_NONCE


# Numbers that do not fit


def test_ends_with_the_same_last_batch_agree_on_a_number() -> None:
    one, two = sender_and_receiver()
    _send(one, two, b"x")
    channel_batches.reset_sequence(two.qm, RECEIVER, CHANNEL, "QM1", next_sequence=7)
    _send(one, two, b"y")
    assert any(text.startswith("AMQ9593W") for text in one.said)
    assert (two.content("TARGET"), one.depth("QM2")) == ([b"x", b"y"], 0)
    sent, received = _numbers(one, two)
    assert sent == received


def test_ends_with_different_last_batches_change_nothing() -> None:
    """The receiving end was restored from a backup, and lacks a batch: somebody has to know."""
    one, two = sender_and_receiver()
    _send(one, two, b"x")
    old = copy(two.qm.channel_records.sync_of(RECEIVER, CHANNEL, "QM1"))
    assert old is not None
    _send(one, two, b"y")
    object_changes.install_record(two.qm.core, old)
    before = _numbers(one, two)
    one.put("TARGET", b"z", qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert (pair.ends[pair.sender].message or "").startswith("AMQ9526")
    assert (_numbers(one, two), one.depth("QM2"), two.depth("TARGET")) == (before, 1, 2)


def test_ends_without_a_batch_change_nothing() -> None:
    """They have nothing in common that could prove anything."""
    one, two = sender_and_receiver()
    channel_batches.reset_sequence(two.qm, RECEIVER, CHANNEL, "QM1", next_sequence=7)
    one.put("TARGET", b"z", qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert (pair.ends[pair.sender].message or "").startswith("AMQ9526")
    assert (one.depth("QM2"), two.depth("TARGET")) == (1, 0)
