"""What a day of administering channels brought to light."""

from __future__ import annotations

import pytest
from helper_ends import CHANNEL, Pair, sender_and_receiver

from libremq.kernel.objects.channel_sync_record import NO_LUWID, SENDER
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C


def test_the_end_of_the_queue_manager_is_no_error_of_a_channel_that_has_work() -> None:
    """Gets fail from the moment on that the end is asked for; the channel is told a little later."""
    one, two = sender_and_receiver(BATCHSZ=3)
    pair = Pair(one, two)
    pair.run()
    for number in range(8):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    one.qm.core.quiescing = True
    pair.sender.pump()
    pair.run()
    assert pair.sender.ended is None
    pair.sender.stop(C.MQMODE_QUIESCE)
    pair.run()
    assert (pair.sender.ended.kind, pair.sender.ended.message) == ("stopped", None)
    assert one.depth("QM2") + two.depth("TARGET") == 8


def test_a_quiesced_stop_does_not_lose_what_a_paused_receiver_has_in_hand() -> None:
    """Fast messages are nowhere else. A second stop of the kind changes nothing, a forced one ends it."""
    one, two = sender_and_receiver()
    two.define("QLOCAL", "SHUT", PUT=C.MQQA_PUT_INHIBITED)
    two.define("QLOCAL", "DLQ")
    two.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    pair = Pair(one, two)
    for number in range(3):
        one.put("SHUT", b"%d" % number, qmgr="QM2", persistent=False)
    pair.run()
    assert pair.receiver.status == C.MQCHS_PAUSED
    for _ in range(2):
        pair.receiver.stop(C.MQMODE_QUIESCE)
        pair.run()
        assert (pair.receiver.status, pair.receiver.ended) == (C.MQCHS_STOPPING, None)
    pair.pass_time(60)
    assert pair.receiver.ended.kind == "stopped"
    assert two.depth("DLQ") == 3


def test_what_was_agreed_about_compression_and_what_the_last_message_got() -> None:
    zlib, system, none = C.MQCOMPRESS_ZLIBFAST, C.MQCOMPRESS_SYSTEM, C.MQCOMPRESS_NONE
    one, two = sender_and_receiver(COMPMSG=(zlib,), COMPHDR=(system,))
    pair = Pair(one, two)
    pair.run()
    for data, last in ((None, (none, none)), (bytes(5000), (system, zlib)), (b"short", (system, none))):
        if data is not None:
            one.put("TARGET", data, qmgr="QM2")
            pair.run()
        for end in (pair.sender.instance(), pair.receiver.instance()):
            assert end.header_compression == (system, last[0])
            assert end.message_compression == (zlib, last[1])


def test_both_ends_count_the_same_batches() -> None:
    one, two = sender_and_receiver()
    pair = Pair(one, two)
    for persistent in (False, True, False):
        one.put("TARGET", b"data", qmgr="QM2", persistent=persistent)
        pair.run()
    sent, received = pair.sender.instance(), pair.receiver.instance()
    assert (sent.messages, sent.batches) == (received.messages, received.batches) == (3, 1)


@pytest.mark.parametrize("persistent", [True, False])
def test_what_is_altered_counts_from_the_next_start(persistent: bool) -> None:
    """Both ends have agreed on what they were when they met."""
    one, two = sender_and_receiver(SEQWRAP=1000)
    two.define("QLOCAL", "DLQ")
    two.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    pair = Pair(one, two)
    for number in range(200):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    pair.run()
    one.qm.alter("CHANNEL", CHANNEL, {"SEQWRAP": 100, "BATCHLIM": 1, "DISCINT": 1})
    two.qm.alter("CHANNEL", CHANNEL, {"SEQWRAP": 100, "MAXMSGL": 1000, "USEDLQ": C.MQUSEDLQ_NO})
    one.put("TARGET", bytes(5000), qmgr="QM2", persistent=persistent)
    one.put("NOWHERE", b"x", qmgr="QM2", persistent=persistent)
    pair.pass_time(5)
    assert pair.ends == {}
    assert (two.depth("TARGET"), two.depth("DLQ"), one.depth("QM2")) == (201, 1, 0)
    pair.cut()
    again = Pair(one, two)
    again.pass_time(5)
    assert again.sender.ended.kind == "closed"  # DISCINT


def test_a_paused_receiver_tries_as_often_as_it_had_to_when_it_began() -> None:
    one, two = sender_and_receiver()
    two.define("QLOCAL", "SHUT", PUT=C.MQQA_PUT_INHIBITED)
    two.define("QLOCAL", "DLQ")
    two.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    two.qm.alter("CHANNEL", CHANNEL, {"MRRTY": 100, "MRTMR": 500})
    pair = Pair(one, two)
    one.put("SHUT", b"later", qmgr="QM2")
    pair.run()
    two.qm.alter("CHANNEL", CHANNEL, {"MRRTY": 0})
    pair.pass_time(3)
    assert (pair.receiver.status, two.depth("DLQ")) == (C.MQCHS_PAUSED, 0)
    two.qm.alter("QLOCAL", "SHUT", {"PUT": C.MQQA_PUT_ALLOWED})
    pair.pass_time(3)
    assert two.depth("SHUT") == 1


@pytest.mark.parametrize("ran", [True, False])
def test_both_ends_agree_after_a_reset_before_the_next_batch(ran: bool) -> None:
    """The number and the last batch are the same at both ends as soon as they have met, also after a crash."""
    one, two = sender_and_receiver()
    if ran:
        pair = Pair(one, two)
        one.put("TARGET", b"x", qmgr="QM2")
        pair.run()
        pair.cut()
    partner = "QM2" if ran else ""
    channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, partner, "QM2", next_sequence=500)
    assert channel_batches.pending_reset(one.qm.core, CHANNEL, "QM2") is not None
    Pair(one, two).run()
    for _ in range(2):
        (mine,) = channel_batches.syncs_of(one.qm.core, CHANNEL)
        (theirs,) = channel_batches.syncs_of(two.qm.core, CHANNEL)
        assert (mine.luwid, mine.sequence) == (theirs.luwid, theirs.sequence)
        assert (mine.sequence, mine.partner, mine.luwid == NO_LUWID) == (499, "QM2", not ran)
        assert channel_batches.pending_reset(one.qm.core, CHANNEL, "QM2") is None
        one.qm.core.log.force()
        one.crash()
    last = Pair(one, two)
    one.put("TARGET", b"y", qmgr="QM2")
    last.run()
    assert last.ends == {}
    assert channel_batches.syncs_of(two.qm.core, CHANNEL)[0].sequence == 500
