"""Partners that break the rules of the protocol on purpose, or by mistake: agents stay whole, and messages too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helper_ends import Node, Pair, sender_and_receiver
from helper_network import CHANNEL, answer, network, offer

from libremq.kernel.messages.transmission import frame
from libremq.kernel.objects.channel_sync_record import RECEIVER, SENDER
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFGR, MQCFH, MQCFIN, pack_message
from libremq.mqi.structs import MQMD
from libremq.mqi.trace_route import ADMIN, TraceRoute, TraceRouteMessage
from libremq.wire import message_channel as flows
from libremq.wire import session_flows
from libremq.wire.protocol import (
    CAP1_MESSAGE_CHANNEL,
    CAP1_REQUESTER,
    CAP2_FAST_MESSAGES,
    CONFIRM_REQUEST,
    WHOLE,
    Status,
    Type,
)
from libremq.wire.segments import NO_LUWID, Flow, SegmentReader, frame_plain

LUWID = b"batch__1"


def flow_of(*segments: bytes, flags: int = 0) -> Flow:
    (flow,) = SegmentReader(1 << 20, 1 << 24).feed(b"".join(segments))
    flow.flags |= flags
    return flow


def message(sequence: int, luwid: bytes = LUWID, *, flags: int = 0) -> Flow:
    """A message for TARGET as it comes from QM1."""
    data = frame("TARGET", "QM2", MQMD(Version=2, Persistence=1, Priority=0, MsgId=b"m" * 24), b"tea", 1208)
    return flow_of(*flows.pack_message(data, sequence=sequence, luwid=luwid, max_segment=32000), flags=flags)


def called(pair: Pair, **answered: Any) -> None:
    """Answer the call of the sender as the other end, but for these values."""
    (asked,) = SegmentReader(1 << 20, 1 << 20).feed(pair.near.sent.popleft())
    values = {"queue_manager": "QM2", **answered}
    body = session_flows.pack_initial(replace(session_flows.unpack_initial(asked.body), **values))
    pair.sender.take(flow_of(frame_plain(Type.INITIAL_DATA, body, flags=WHOLE)))


def check_nothing_left(node: Node) -> None:
    assert len(node.qm.core.connections) == 1, "that of the application"
    assert [unit for unit in node.qm.core.units.values() if not unit.is_batch] == []


# The sending end


@pytest.mark.parametrize("agrees", [False, True])
def test_a_partner_that_wants_to_close_before_it_has_begun(agrees: bool) -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", b"tea", qmgr="QM2")
    pair = Pair(one, two)
    if agrees:
        called(pair)
    pair.sender.take(flow_of(flows.request_close()))
    assert pair.ends[pair.sender].kind == "retry"
    assert one.depth("QM2") == 1
    check_nothing_left(one)


@pytest.mark.parametrize("name", ["", "A B", "\xe9"])
def test_a_partner_without_a_name(name: str) -> None:
    one, two = sender_and_receiver()
    pair = Pair(one, two)
    called(pair, queue_manager=name)
    end = pair.ends[pair.sender]
    assert end.kind == "failed" and "does not name a queue manager" in str(end.message)
    check_nothing_left(one)


def test_a_reset_is_confirmed_only_after_it_was_asked_for() -> None:
    one, two = sender_and_receiver()
    channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, "QM2", "QM2", next_sequence=7)
    one.put("TARGET", b"tea", qmgr="QM2")
    first = Pair(one, two)
    while not channel_batches.in_doubt(one.qm.core):
        first.step(first.near)
        first.step(first.far)
    first.cut()
    second = Pair(one, two)
    called(second)
    second.sender.take(flow_of(flows.confirmed(NO_LUWID)))
    assert second.ends[second.sender].kind == "failed"
    one.put("TARGET", b"cake", qmgr="QM2")
    assert len(channel_batches.in_doubt(one.qm.core)) == 1
    third = Pair(one, two)
    third.run()
    assert two.content("TARGET") == [b"tea", b"cake"]
    assert channel_batches.in_doubt(one.qm.core) == []


def test_a_partner_that_says_twice_what_it_has() -> None:
    one, two = sender_and_receiver()
    channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, "QM2", "QM2", next_sequence=7)
    pair = Pair(one, two)
    called(pair)
    said = flow_of(flows.Resync(0, heard=pair.sender._nonce).pack())
    pair.sender.take(said)
    pair.sender.take(said)
    assert pair.ends[pair.sender].kind == "failed"


# The receiving end


def receiving(pair: Pair, **offered: Any) -> Any:
    """The receiver that was called by a sender which does what it likes."""
    values = {"channel": CHANNEL, "queue_manager": "QM1", "batch_size": 50, "sharing": 0, **offered}
    body = session_flows.pack_initial(
        session_flows.InitialData(capabilities=(CAP1_MESSAGE_CHANNEL, CAP2_FAST_MESSAGES, 0), **values)
    )
    pair.near.sent.clear()
    pair.near.sent.append(frame_plain(Type.INITIAL_DATA, body))
    pair.step(pair.near)
    pair.receiver.take(flow_of(flows.Resync(0).pack()))
    return pair.receiver


def test_a_fast_message_ends_no_batch() -> None:
    one, two = sender_and_receiver()
    pair = Pair(one, two)
    agent = receiving(pair)
    agent.take(message(1))
    agent.take(message(0, NO_LUWID, flags=CONFIRM_REQUEST))
    assert pair.ends[agent].kind == "failed"
    assert two.depth("TARGET") == 0
    assert list(two.qm.core.catalogue.channel_syncs) == []
    check_nothing_left(two)


def test_the_last_message_of_a_batch_may_be_suppressed(tmp_path: Path) -> None:
    one, two = sender_and_receiver()
    exits = tmp_path / "exits"
    exits.mkdir(mode=0o700)
    file = exits / "mine.py"
    file.write_text(
        "from libremq.mqi import constants as C\n"
        "from libremq.channels.exits import SuppressMessage\n"
        "def refuse(call):\n"
        "    if call.reason == C.MQXR_MSG:\n"
        "        raise SuppressMessage(C.MQFB_APPL_FIRST)\n"
    )
    file.chmod(0o600)
    two.environment.exit_path = str(exits)
    two.qm.alter("QMGR", "", {"DEADQ": "SYSTEM.DEAD.LETTER.QUEUE"})
    two.qm.alter("CHANNEL", CHANNEL, {"MSGEXIT": ["mine(refuse)"]})
    pair = Pair(one, two)
    agent = receiving(pair)
    agent.take(message(1, flags=CONFIRM_REQUEST))
    assert agent.ended is None, agent.ended
    assert (agent.instance().last_sequence, agent.instance().last_luwid) == (1, LUWID.hex())
    assert (two.depth("TARGET"), two.depth("SYSTEM.DEAD.LETTER.QUEUE")) == (0, 1)


# Calls


def test_a_call_for_which_there_is_no_room_leaves_a_channel_that_waits_for_its_next_try() -> None:
    net, one, two = network("SVR", "RQSTR")
    one.with_rules(active_max=1)
    net.drop(two)
    two.qm.alter("CHANNEL", CHANNEL, {"SEQWRAP": 1000})  # so that calls come to nothing, and are tried again
    one.qm.alter("CHANNEL", CHANNEL, {"CONNAME": "nowhere(1414)"})
    one.initiator.start(CHANNEL)
    net.run()
    assert one.states == {CHANNEL: "RETRYING"}
    one.clients = 1
    link = net.connect(two, one)
    body = session_flows.pack_initial(
        session_flows.InitialData(
            channel=CHANNEL, queue_manager="QM2", batch_size=50, sharing=0, capabilities=(CAP1_REQUESTER, 0, 0)
        )
    )
    link.near.send(frame_plain(Type.INITIAL_DATA, body))
    got = answer(net, link)
    assert got is not None and got.code == Status.CHANNEL_UNAVAILABLE
    assert one.states == {CHANNEL: "RETRYING"}
    assert one.initiator.next_deadline() is not None


def test_the_caller_of_a_receiver_that_is_not_there_learns_no_more() -> None:
    net, _, two = network()
    got = answer(net, offer(net, two, channel="NO.SUCH"))
    assert got is not None and (got.code, got.value) == (Status.NO_CHANNEL, None)


# Messages that cost more than they should


@pytest.mark.parametrize("nested", [False, True])
def test_a_trace_route_message_of_endless_parameters_is_not_taken_apart(nested: bool) -> None:
    group = TraceRoute(accumulate=C.MQROUTE_ACCUMULATE_AND_REPLY, deliver=C.MQROUTE_DELIVER_YES).group()
    header = MQCFH(Type=C.MQCFT_TRACE_ROUTE, Version=C.MQCFH_VERSION_3, Command=C.MQCMD_TRACE_ROUTE)

    def packed(count: int) -> bytes:
        many: list[Any] = [MQCFIN(Parameter=1, Value=2)] * count
        if nested:
            many = [MQCFGR(Parameter=C.MQGACF_ACTIVITY, Parameters=many)]
        return pack_message(header, [group, *many])

    few = TraceRouteMessage.read(ADMIN, packed(1000), C.MQENC_NATIVE, "latin-1")
    assert few is not None and few.trace.wants_reply
    assert TraceRouteMessage.read(ADMIN, packed(20_000), C.MQENC_NATIVE, "latin-1") is None


@pytest.mark.parametrize("queue", ["TARGET", "NO.SUCH"])
@pytest.mark.parametrize("report", [C.MQRO_COA, C.MQRO_EXCEPTION, C.MQRO_ACTIVITY])
def test_reports_on_its_messages_do_not_make_a_batch_too_long(report: int, queue: str) -> None:
    one, two = sender_and_receiver(BATCHSZ=5)
    for node in (one, two):
        node.qm.alter("QMGR", "", {"DEADQ": "SYSTEM.DEAD.LETTER.QUEUE", "MAXUMSGS": 5})
    two.define("QLOCAL", "QM1", USAGE=C.MQUS_TRANSMISSION)
    for number in range(12):
        one.put(queue, b"%d" % number, qmgr="QM2", Report=report, ReplyToQ="REPLIES")
    pair = Pair(one, two)
    pair.run()
    assert pair.ends == {}
    arrived = two.depth("TARGET" if queue == "TARGET" else "SYSTEM.DEAD.LETTER.QUEUE")
    assert (one.depth("QM2"), arrived) == (0, 12)


def test_invented_partners_do_not_fill_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("libremq.channels.receiver._PARTNERS_MAX", 2)
    one, two = sender_and_receiver()
    for name in ("QM8", "QM9"):
        channel_batches.reset_sequence(two.qm, RECEIVER, CHANNEL, name, next_sequence=5)
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert str(pair.ends[pair.receiver].message).startswith("AMQ9558")
    assert len(two.qm.core.catalogue.channel_syncs) == 2
