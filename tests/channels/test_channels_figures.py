"""What a running channel shows of itself."""

from __future__ import annotations

from helper_ends import Pair, sender_and_receiver

from libremq.kernel.objects_channel_sync import RECEIVER, SENDER
from libremq.mqi import constants as C


def test_both_ends_tell_what_compression_takes_and_saves() -> None:
    one, two = sender_and_receiver(COMPMSG=(C.MQCOMPRESS_ZLIBHIGH,))
    one.put("TARGET", b"the same again " * 1000, qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert two.depth("TARGET") == 1
    for agent in (pair.sender, pair.receiver):
        assert agent.books.compression_time.long > 0
        assert agent.books.compression_rate.long > 90
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
    sent, came = pair.sender.books, pair.receiver.books
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
        assert agent.books.compression_rate.samples == agent.books.compression_time.samples == 0


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
    assert (pair.sender.state, pair.sender.substate) == (C.MQCHS_RUNNING, C.MQCHSSTATE_IN_MQGET)
    pair.near.full = False
    pair.sender.pump()
    assert 0 < pair.sender.instance().messages < 3000
    assert pair.sender.substate == C.MQCHSSTATE_SENDING
    pair.run()
    assert (pair.sender.instance().messages, pair.sender.substate) == (3000, C.MQCHSSTATE_IN_MQGET)


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
