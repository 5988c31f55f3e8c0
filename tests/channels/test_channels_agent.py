"""Agents: batches, sequence numbers, doubt and its end, pipelines, fast messages, heartbeats, stops."""

from __future__ import annotations

from typing import Any

import pytest
from helper_ends import CHANNEL, Node, Pair, Wire, sender_and_receiver

from libremq.channels.channel_end import End
from libremq.kernel.objects.channel_sync_record import RECEIVER, SENDER
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C
from libremq.wire import message_channel as flows
from libremq.wire.protocol import Status, Type
from libremq.wire.segments import Flow, SegmentReader, frame_plain

FAST, NORMAL = C.MQNPMS_FAST, C.MQNPMS_NORMAL


def syncs(one: Node, two: Node) -> tuple[Any, Any]:
    """LUWID and sequence number of the last batch at both ends."""
    sent = channel_batches.sync_of(one.qm.core, SENDER, CHANNEL, "QM2", "QM2")
    received = channel_batches.sync_of(two.qm.core, RECEIVER, CHANNEL, "QM1")
    return tuple(None if found is None else (found.luwid, found.sequence) for found in (sent, received))  # type: ignore[return-value]


def in_flight(wire: Wire) -> list[str]:
    """The kinds of segments that are on their way."""
    reader = SegmentReader(1 << 20, 1 << 24)
    return [Type(flow.kind).name for data in wire.sent for flow in reader.feed(data)]


def test_messages_arrive_in_order_and_both_ends_agree_about_the_last_batch() -> None:
    one, two = sender_and_receiver(BATCHSZ=3)
    for number in range(10):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert two.content("TARGET") == [b"%d" % number for number in range(10)]
    assert one.depth("QM2") == 0
    sent, received = syncs(one, two)
    assert sent == received
    assert sent[1] == 10
    shown = pair.sender.instance()
    assert (shown.status, shown.messages, shown.batches, shown.batch_size) == (C.MQCHS_RUNNING, 10, 4, 3)
    assert (shown.last_luwid, shown.last_sequence, shown.partner, shown.xmitq) == (*sent, "QM2", "QM2")
    got = pair.receiver.instance()
    assert (got.messages, got.batches, got.last_luwid, got.last_sequence, got.partner) == (10, 4, *received, "QM1")


def test_the_message_keeps_its_identity_and_context() -> None:
    one, two = sender_and_receiver()
    md_in = {
        "MsgId": b"m" * 24, "CorrelId": b"c" * 24, "Priority": 7, "Format": "MQSTR", "ReplyToQ": "ANSWERS",
        "MsgType": C.MQMT_REQUEST,
    }  # fmt: skip
    one.put("TARGET", b"hello", qmgr="QM2", **md_in)
    Pair(one, two).run()
    md, data = two.get("TARGET")
    assert data == b"hello"
    assert {name: getattr(md, name).rstrip() if isinstance(getattr(md, name), str) else getattr(md, name)
            for name in md_in} == md_in  # fmt: skip
    assert (md.ReplyToQMgr.rstrip(), md.UserIdentifier.rstrip(), md.Persistence) == ("QM1", "alice", 1)


def test_a_message_that_comes_while_the_channel_runs_leaves_at_once() -> None:
    one, two = sender_and_receiver()
    pair = Pair(one, two)
    pair.run()
    one.put("TARGET", b"late", qmgr="QM2")
    pair.run()
    assert two.content("TARGET") == [b"late"]


@pytest.mark.parametrize("pipeline", [1, 2])
def test_a_pipeline_goes_on_sending_while_a_batch_is_in_doubt(pipeline: int) -> None:
    one, two = sender_and_receiver(BATCHSZ=2)
    one.environment.pipeline_length = pipeline
    for number in range(6):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    pair = Pair(one, two)
    while not pair.sender.instance().in_doubt:
        assert pair.step(pair.near) or pair.step(pair.far)
    assert pair.near.woken is (pipeline == 2)  # the question leaves first
    pair.sender.pump()
    expected = {
        1: ["RESYNC_DATA"] + ["MESSAGE_DATA"] * 2 + ["STATUS_DATA"],
        2: ["RESYNC_DATA"] + ["MESSAGE_DATA"] * 2 + ["STATUS_DATA"] + ["MESSAGE_DATA"] * 2,
    }
    assert in_flight(pair.near) == expected[pipeline]
    assert len(channel_batches.in_doubt(one.qm.core)) == 1
    pair.run()
    assert two.content("TARGET") == [b"%d" % number for number in range(6)]


def test_batchint_keeps_a_batch_open_and_batchlim_ends_it_by_bytes() -> None:
    one, two = sender_and_receiver(BATCHINT=2000, BATCHLIM=1)
    pair = Pair(one, two)
    pair.run()
    one.put("TARGET", b"a", qmgr="QM2")
    pair.run()
    assert two.content("TARGET") == []
    assert pair.receiver.instance().current_messages == 1
    pair.pass_time(1.0)
    one.put("TARGET", b"b", qmgr="QM2")
    pair.run()
    assert two.content("TARGET") == []
    pair.pass_time(1.1)
    assert two.content("TARGET") == [b"a", b"b"]
    one.put("TARGET", bytes(2000), qmgr="QM2")
    pair.run()
    assert two.content("TARGET") == [b"a", b"b", bytes(2000)]  # committed: it is not only counted


@pytest.mark.parametrize("cut_after_commit", [False, True])
def test_a_batch_in_doubt_is_resolved_by_what_the_other_end_has(cut_after_commit: bool) -> None:
    one, two = sender_and_receiver()
    for number in range(3):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    pair = Pair(one, two)
    while not pair.sender.instance().in_doubt:
        assert pair.step(pair.near) or pair.step(pair.far)
    if cut_after_commit:
        while pair.step(pair.near):
            pass
        assert two.depth("TARGET") == 3
    pair.cut()
    assert {end.kind for end in pair.ends.values()} == {"retry"}
    (doubt,) = channel_batches.in_doubt(one.qm.core)
    assert (doubt.first, doubt.last) == (1, 3)
    one.crash()
    assert channel_batches.in_doubt(one.qm.core) == [doubt]
    again = Pair(one, two)
    again.run()
    assert two.content("TARGET") == [b"0", b"1", b"2"]
    assert one.depth("QM2") == 0
    assert channel_batches.in_doubt(one.qm.core) == []
    sent, received = syncs(one, two)
    assert sent == received
    assert (sent[0] == doubt.luwid) is cut_after_commit


def test_a_batch_in_doubt_with_another_queue_manager_stops_the_channel() -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    while not pair.sender.instance().in_doubt:
        assert pair.step(pair.near) or pair.step(pair.far)
    pair.cut()
    other = Node("QM3", one.clock)
    other.define("RCVR", CHANNEL)
    other.define("QLOCAL", "TARGET")
    wrong = Pair(one, other)
    wrong.run()
    end = wrong.ends[wrong.sender]
    assert end.kind == "failed"
    assert end.message is not None and end.message.startswith("AMQ9507")
    assert other.depth("TARGET") == 0
    assert len(channel_batches.in_doubt(one.qm.core)) == 1
    Pair(one, two).run()
    assert two.content("TARGET") == [b"x"]


def test_sequence_numbers_wrap() -> None:
    one, two = sender_and_receiver(SEQWRAP=100, BATCHSZ=40)
    for number in range(250):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    Pair(one, two).run()
    assert two.content("TARGET") == [b"%d" % number for number in range(250)]
    sent, received = syncs(one, two)
    assert sent == received
    assert sent[1] == 50


def test_a_different_wrap_value_is_refused() -> None:
    one, two = sender_and_receiver(SEQWRAP=1000)
    two.qm.alter("CHANNEL", CHANNEL, {"SEQWRAP": 2000})
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert [end.kind for end in pair.ends.values()] == ["failed", "failed"]
    assert one.depth("QM2") == 1


def test_different_sequence_numbers_end_the_channel_until_a_reset() -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    first = Pair(one, two)
    first.run()
    first.cut()
    had = two.qm.channel_records.sync_of(RECEIVER, CHANNEL, "QM1")
    assert had is not None
    channel_batches.forget(two.qm, had)  # else both would have the same last batch, and agree by themselves
    channel_batches.reset_sequence(two.qm, RECEIVER, CHANNEL, "QM1", next_sequence=7)
    before = syncs(one, two)
    one.put("TARGET", b"y", qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    end = pair.ends[pair.sender]
    assert end.message is not None and end.message.startswith("AMQ9526")
    assert (syncs(one, two), one.depth("QM2"), two.depth("TARGET")) == (before, 1, 1)
    channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, "QM2", "QM2", next_sequence=5)
    Pair(one, two).run()
    assert two.content("TARGET") == [b"x", b"y"]
    sent, received = syncs(one, two)
    assert sent == received
    assert sent[1] == 5


def test_fast_messages_are_in_no_batch() -> None:
    one, two = sender_and_receiver(NPMSPEED=FAST, BATCHINT=10_000)
    for number in range(3):
        one.put("TARGET", b"fast %d" % number, qmgr="QM2", persistent=False)
    one.put("TARGET", b"safe", qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert two.content("TARGET") == [b"fast 0", b"fast 1", b"fast 2"]
    pair.pass_time(10)
    assert two.content("TARGET")[-1] == b"safe"
    assert syncs(one, two)[0][1] == 1


def test_non_persistent_messages_are_in_the_batch_if_one_end_is_normal() -> None:
    one, two = sender_and_receiver(NPMSPEED=FAST, BATCHINT=10_000)
    two.qm.alter("CHANNEL", CHANNEL, {"NPMSPEED": NORMAL})
    one.put("TARGET", b"x", qmgr="QM2", persistent=False)
    pair = Pair(one, two)
    pair.run()
    assert two.content("TARGET") == []
    pair.pass_time(10)
    assert two.content("TARGET") == [b"x"]
    assert syncs(one, two)[0][1] == 1


def test_the_batch_size_is_the_lowest_of_both_ends_and_of_maxumsgs() -> None:
    one, two = sender_and_receiver(BATCHSZ=50)
    two.qm.alter("CHANNEL", CHANNEL, {"BATCHSZ": 20})
    pair = Pair(one, two)
    pair.run()
    assert pair.sender.instance().batch_size == 20
    two.qm.alter("QMGR", "", {"MAXUMSGS": 5})
    pair.cut()
    again = Pair(one, two)
    again.run()
    assert (again.sender.instance().batch_size, again.receiver.instance().batch_size) == (5, 5)


def test_a_long_message_travels_in_segments() -> None:
    one, two = sender_and_receiver()
    data = bytes(range(256)) * 1000
    one.put("TARGET", data, qmgr="QM2")
    Pair(one, two).run()
    assert two.content("TARGET") == [data]


def test_priorities_of_the_transmission_queue_count() -> None:
    one, two = sender_and_receiver()
    two.qm.alter("QLOCAL", "TARGET", {"MSGDLVSQ": C.MQMDS_FIFO})
    for priority in (1, 9, 5):
        one.put("TARGET", b"%d" % priority, qmgr="QM2", Priority=priority)
    Pair(one, two).run()
    assert two.content("TARGET") == [b"9", b"5", b"1"]


@pytest.mark.parametrize(("sender", "receiver"), [("SDR", "RCVR"), ("SVR", "RCVR"), ("SVR", "RQSTR"), ("SDR", "RQSTR")])
def test_the_sending_end_calls(sender: str, receiver: str) -> None:
    one, two = sender_and_receiver(sender, receiver)
    one.put("TARGET", b"x", qmgr="QM2")
    Pair(one, two).run()
    assert two.content("TARGET") == [b"x"]


def test_a_requester_calls_a_server() -> None:
    one, two = sender_and_receiver("SVR", "RQSTR")
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(two, one)
    pair.run()
    assert two.content("TARGET") == [b"x"]
    assert pair.near.agent is pair.receiver


# Time


def test_the_disconnect_interval_ends_an_idle_channel() -> None:
    one, two = sender_and_receiver(DISCINT=100, HBINT=30)
    pair = Pair(one, two)
    pair.run()
    pair.pass_time(99)
    assert pair.ends == {}
    one.put("TARGET", b"x", qmgr="QM2")
    pair.pass_time(99)
    assert pair.ends == {}
    pair.pass_time(2)
    assert {end.kind for end in pair.ends.values()} == {"closed"}
    assert any(text.startswith("AMQ9545") for text in one.said)


def test_heartbeats_keep_both_ends_sure_of_each_other() -> None:
    one, two = sender_and_receiver(DISCINT=0, HBINT=5)
    two.qm.alter("CHANNEL", CHANNEL, {"HBINT": 5})
    pair = Pair(one, two)
    pair.run()
    pair.pass_time(300)
    assert pair.ends == {}
    # From now on nothing comes through
    pair.near.send = lambda data, lsn=0: None  # type: ignore[method-assign]
    pair.pass_time(20)
    assert {end.kind for end in pair.ends.values()} == {"retry"}


def test_batchhb_backs_out_instead_of_getting_in_doubt() -> None:
    one, two = sender_and_receiver(BATCHHB=500, BATCHINT=1000)
    pair = Pair(one, two)
    pair.run()
    one.put("TARGET", b"x", qmgr="QM2")
    pair.run()
    pair.far.sent.clear()
    pair.far.send = lambda data, lsn=0: None  # type: ignore[method-assign]
    pair.pass_time(3)
    assert pair.ends[pair.sender].kind == "retry"
    assert channel_batches.in_doubt(one.qm.core) == []
    assert one.depth("QM2") == 1
    Pair(one, two).pass_time(2)
    assert two.content("TARGET") == [b"x"]


def test_batchhb_costs_nothing_while_the_partner_is_there() -> None:
    one, two = sender_and_receiver(BATCHHB=500, BATCHINT=1000)
    pair = Pair(one, two)
    pair.run()
    one.put("TARGET", b"x", qmgr="QM2")
    pair.pass_time(2)
    assert two.content("TARGET") == [b"x"]


# Stops


@pytest.mark.parametrize("which", ["sender", "receiver"])
def test_stop_quiesce_ends_at_the_end_of_the_batch(which: str) -> None:
    one, two = sender_and_receiver(BATCHINT=60_000)
    pair = Pair(one, two)
    pair.run()
    one.put("TARGET", b"x", qmgr="QM2")
    pair.run()
    agent = getattr(pair, which)
    agent.stop(C.MQMODE_QUIESCE)
    assert agent.instance().status == C.MQCHS_STOPPING
    pair.run()
    assert two.content("TARGET") == [b"x"]
    assert pair.ends[agent].kind == "stopped"
    assert len(pair.ends) == 2
    assert channel_batches.in_doubt(one.qm.core) == []


@pytest.mark.parametrize("mode", [C.MQMODE_FORCE, C.MQMODE_TERMINATE])
def test_stop_force_leaves_the_batch_in_doubt(mode: int) -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    while not pair.sender.instance().in_doubt:
        assert pair.step(pair.near) or pair.step(pair.far)
    pair.sender.stop(mode)
    assert pair.ends[pair.sender] == End("stopped")
    assert len(channel_batches.in_doubt(one.qm.core)) == 1
    pair.run()
    Pair(one, two).run()
    assert two.content("TARGET") == [b"x"]


def test_a_message_that_does_not_fit_is_tried_again_and_the_channel_is_paused() -> None:
    one, two = sender_and_receiver()
    two.qm.alter("CHANNEL", CHANNEL, {"MRRTY": 5, "MRTMR": 1000})
    two.qm.alter("QLOCAL", "TARGET", {"PUT": C.MQQA_PUT_INHIBITED})
    for number in range(3):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert pair.receiver.instance().status == C.MQCHS_PAUSED
    pair.pass_time(2.5)
    two.qm.alter("QLOCAL", "TARGET", {"PUT": C.MQQA_PUT_ALLOWED})
    pair.pass_time(1)
    assert two.content("TARGET") == [b"0", b"1", b"2"]
    assert pair.receiver.instance().status == C.MQCHS_RUNNING
    assert syncs(one, two)[0] == syncs(one, two)[1]


def test_a_sender_does_not_lose_patience_while_a_message_is_tried_again() -> None:
    one, two = sender_and_receiver(HBINT=5, DISCINT=0)
    two.qm.alter("CHANNEL", CHANNEL, {"MRRTY": 100, "MRTMR": 20_000, "HBINT": 5})
    two.qm.alter("QLOCAL", "TARGET", {"PUT": C.MQQA_PUT_INHIBITED})
    one.put("TARGET", b"fast", qmgr="QM2", persistent=False)
    one.put("TARGET", b"safe", qmgr="QM2")
    pair = Pair(one, two)
    pair.pass_time(100)
    assert pair.ends == {}
    two.qm.alter("QLOCAL", "TARGET", {"PUT": C.MQQA_PUT_ALLOWED})
    pair.pass_time(30)
    assert two.content("TARGET") == [b"fast", b"safe"]


def test_a_batch_in_doubt_shows_its_messages() -> None:
    one, two = sender_and_receiver()
    for number in range(3):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    pair = Pair(one, two)
    while not pair.sender.instance().in_doubt:
        assert pair.step(pair.near) or pair.step(pair.far)
    shown = pair.sender.instance()
    (doubt,) = channel_batches.in_doubt(one.qm.core)
    assert (shown.current_luwid, shown.current_messages, shown.current_sequence) == (doubt.luwid, 3, 3)
    assert shown.last_sequence == 0
    pair.run()
    shown = pair.sender.instance()
    assert (shown.current_luwid, shown.current_messages, shown.last_luwid) == ("0" * 16, 0, doubt.luwid)


# Peers that are wrong


def raw(pair: Pair, segment: bytes) -> None:
    pair.near.sent.append(segment)
    pair.run()


@pytest.mark.parametrize(
    "bad",
    [
        flows.pack_message(b"x" * 500, sequence=5, luwid=b"12345678", max_segment=32000)[0],
        flows.confirm_request(b"12345678"),
        flows.confirmed(b"12345678"),
        flows.Resync(5, b"12345678").pack(),
        frame_plain(Type.INITIAL_DATA, b"nonsense"),
        frame_plain(Type.MQCONN, bytes(100)),
        frame_plain(Type.MESSAGE_DATA, b"no header"),
        frame_plain(Type.SECURITY_DATA, b"hello"),
        b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
    ],
)
def test_what_is_out_of_order_ends_the_channel_and_changes_nothing(bad: bytes) -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    before = syncs(one, two)
    raw(pair, bad)
    end = pair.ends[pair.receiver]
    assert end.kind == "failed"
    assert end.message is not None and end.message.startswith("AMQ95")
    assert syncs(one, two) == before
    assert two.content("TARGET") == [b"x"]
    again = Pair(one, two)
    again.run()
    one.put("TARGET", b"y", qmgr="QM2")
    again.run()
    assert two.content("TARGET") == [b"x", b"y"]


def test_a_batch_of_more_messages_than_agreed_is_refused() -> None:
    one, two = sender_and_receiver(BATCHSZ=2)
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    while not pair.sender.instance().in_doubt:
        assert pair.step(pair.near) or pair.step(pair.far)
    pair.step(pair.near)  # what the receiver has to hear before it takes any
    message, *_ = pair.near.sent
    pair.near.sent.clear()
    flow: Flow = SegmentReader(1 << 20, 1 << 24).feed(message)[0]
    data = flows.unpack_message(flow)
    for sequence in (1, 2, 3):
        raw(pair, flows.pack_message(data.data, sequence=sequence, luwid=data.luwid, max_segment=32000)[0])
    assert pair.ends[pair.receiver].kind == "failed"
    assert two.depth("TARGET") == 0


def test_ping_is_answered() -> None:
    one, two = sender_and_receiver()
    pair = Pair(one, two)
    pair.run()
    pair.near.sent.append(flows.ping(b"abc"))
    pair.step(pair.near)
    (answer,) = pair.far.sent
    assert flows.unpack_ping(SegmentReader(1 << 16, 1 << 16).feed(answer)[0]) == flows.Ping(b"abc", reply=True)


def test_nothing_leaves_before_the_log_is_on_disk() -> None:
    """The question and its answer wait for the force: what a crash forgets, nobody has heard of."""
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    depends: list[tuple[str, int, int]] = []

    def watch(wire: Wire, end: str) -> None:
        send = wire.send

        def watched(data: bytes, lsn: int = 0) -> None:
            if data[9] == Type.STATUS_DATA:
                depends.append((end, lsn, wire.node.qm.durable_lsn))
            send(data, lsn)

        wire.send = watched  # type: ignore[method-assign]

    watch(pair.near, "question")
    watch(pair.far, "answer")
    pair.run()
    assert [end for end, lsn, durable in depends if lsn >= durable] == ["question", "answer"]


def test_statuses_say_what_they_mean() -> None:
    one, two = sender_and_receiver()
    pair = Pair(one, two)
    pair.run()
    pair.far.sent.append(flows.status(Status.CAN_NOT_STORE))
    pair.run()
    end = pair.ends[pair.sender]
    assert end.kind == "retry"
    assert end.message is not None and "could not store" in end.message
