"""What a running channel shows of itself."""

from __future__ import annotations

import pytest
from helper_ends import CHANNEL, Pair, sender_and_receiver

from libremq.kernel.objects.channel_sync_record import RECEIVER, SENDER
from libremq.mqi import constants as C


def test_both_ends_tell_what_compression_takes_and_saves() -> None:
    one, two = sender_and_receiver(COMPMSG=(C.MQCOMPRESS_ZLIBHIGH,))
    one.put("TARGET", b"the same again " * 1000, qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert two.depth("TARGET") == 1
    for agent in (pair.sender, pair.receiver):
        assert agent.counters.compression_time.long > 0
        assert agent.counters.compression_rate.long > 90
    assert pair.sender.instance().compression_rate == pair.receiver.instance().compression_rate


def test_both_ends_count_messages_that_could_not_be_compressed() -> None:
    one, two = sender_and_receiver(COMPMSG=(C.MQCOMPRESS_RLE,))
    data = [
        bytes(range(256)) * 4,
        bytes(1000),
        *(b"%d" % number for number in range(5)),
        bytes(range(200)),
    ]  # one of them has runs
    for number, each in enumerate(data):
        one.put("TARGET", each, qmgr="QM2", persistent=number % 2 == 0)
    pair = Pair(one, two)
    pair.run()
    assert two.depth("TARGET") == len(data)
    sent, came = pair.sender.counters, pair.receiver.counters
    assert sent.compression_rate == came.compression_rate
    assert (came.compression_rate.samples, came.compression_time.samples) == (len(data), len(data))
    assert 0 < came.compression_rate.long < 50
    assert pair.sender.instance().compression_rate == pair.receiver.instance().compression_rate


def test_nothing_is_counted_where_no_compression_was_agreed_on() -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", bytes(1000), qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    for agent in (pair.sender, pair.receiver):
        assert agent.counters.compression_rate.samples == agent.counters.compression_time.samples == 0


def test_messages_that_are_in_no_batch_make_none() -> None:
    one, two = sender_and_receiver(NPMSPEED=C.MQNPMS_FAST)
    for _ in range(5):
        one.put("TARGET", b"fast", qmgr="QM2", persistent=False)
    pair = Pair(one, two)
    pair.run()
    assert two.depth("TARGET") == 5
    assert (pair.sender.instance().batches, pair.sender.instance().batch_sizes) == (0, (0, 0))
    one.put("TARGET", b"sure", qmgr="QM2")
    pair.run()
    assert (pair.sender.instance().batches, pair.sender.instance().batch_sizes) == (1, (1, 1))


def test_the_substate_tells_what_the_sender_does() -> None:
    one, two = sender_and_receiver(BATCHSZ=9999, BATCHINT=1000)
    for number in range(3000):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    pair = Pair(one, two)
    assert pair.sender.substate == C.MQCHSSTATE_OTHER
    pair.step(pair.near)
    pair.step(pair.far)
    assert pair.sender.substate == C.MQCHSSTATE_RESYNCHING
    pair.step(pair.near)
    pair.near.full = True
    pair.step(pair.far)
    assert (pair.sender.status, pair.sender.substate) == (C.MQCHS_RUNNING, C.MQCHSSTATE_IN_MQGET)
    pair.near.full = False
    pair.sender.pump()
    assert 0 < pair.sender.instance().messages < 3000
    assert pair.sender.substate == C.MQCHSSTATE_SENDING
    pair.run()
    assert (pair.sender.instance().messages, pair.sender.substate) == (3000, C.MQCHSSTATE_IN_MQGET)


@pytest.mark.parametrize("full", [True, False])
def test_a_sender_with_a_pipeline_tells_when_it_only_waits_for_the_answer(full: bool) -> None:
    """All that it may send is sent: the next batch in full, or what there was."""
    one, two = sender_and_receiver(BATCHSZ=2)
    one.environment.pipeline_length = 2
    for number in range(6 if full else 2):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    pair = Pair(one, two)
    while not pair.sender.instance().in_doubt:
        assert pair.step(pair.near) or pair.step(pair.far)
    pair.sender.pump()
    shown = pair.sender.instance()
    assert (shown.in_doubt, shown.messages, shown.substate) == (True, 4 if full else 2, C.MQCHSSTATE_END_OF_BATCH)
    pair.run()
    shown = pair.sender.instance()
    assert (shown.in_doubt, shown.substate) == (False, C.MQCHSSTATE_IN_MQGET)


_Q_MGR, _NONE, _OFF, _LOW, _HIGH = C.MQMON_Q_MGR, C.MQMON_NONE, C.MQMON_OFF, C.MQMON_LOW, C.MQMON_HIGH


@pytest.mark.parametrize(
    ("every", "own", "in_force"),
    [
        (_NONE, _HIGH, _NONE),
        (_NONE, _Q_MGR, _NONE),
        (_OFF, _HIGH, _HIGH),
        (_OFF, _Q_MGR, _OFF),
        (_LOW, _HIGH, _HIGH),
        (_LOW, _Q_MGR, _LOW),
        (_LOW, _OFF, _OFF),
    ],
)
def test_monitoring_that_the_queue_manager_forbids(every: int, own: int, in_force: int) -> None:
    """MONCHL(NONE) of the queue manager counts for all channels; otherwise a channel may have its own."""
    one, two = sender_and_receiver()
    for node in (one, two):
        node.qm.alter("QMGR", "", {"MONCHL": every})
        node.qm.alter("CHANNEL", CHANNEL, {"MONCHL": own})
    pair = Pair(one, two)
    pair.run()
    assert pair.sender.instance().monitoring == pair.receiver.instance().monitoring == in_force


def test_whoever_was_called_keeps_an_address_without_a_port() -> None:
    for types in (("SDR", "RCVR"), ("SVR", "RQSTR")):
        one, two = sender_and_receiver(*types)
        one.put("TARGET", b"data", qmgr="QM2")
        pair = Pair(one, two) if types[1] == "RCVR" else Pair(two, one)
        pair.run()
        assert two.depth("TARGET") == 1
        kept = {}
        for node in (one, two):
            kept |= {sync.role: sync.conname for sync in node.qm.core.catalogue.channel_syncs.values()}
        called = RECEIVER if types[1] == "RCVR" else SENDER
        caller = SENDER if called == RECEIVER else RECEIVER
        assert "(" not in kept[called] and "(" in kept[caller], (types, kept)
        assert {pair.sender.instance().connection_name, pair.receiver.instance().connection_name} == {*kept.values()}
