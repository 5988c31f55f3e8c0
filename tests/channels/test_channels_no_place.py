"""A message that neither its queue nor the dead-letter queue takes: what is said, and where it is then."""

from __future__ import annotations

import pytest
from helper_delivery import Receiving, framed
from helper_ends import CHANNEL, Pair, sender_and_receiver

from libremq.channels.undelivered import Undeliverable
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C

DEAD_LETTER_QUEUES = {
    "full": ("QLOCAL", {"maxdepth": 0}, "MQRC_Q_FULL (2053) DLQ"),
    "inhibited": ("QLOCAL", {"put": "DISABLED"}, "MQRC_PUT_INHIBITED (2051) DLQ"),
    "too short": ("QLOCAL", {"maxmsgl": 10}, "MQRC_MSG_TOO_BIG_FOR_Q (2030) DLQ"),
    "alias": ("QALIAS", {"target": "NOWHERE"}, "MQRC_UNKNOWN_ALIAS_BASE_Q (2082) DLQ"),
    "model": ("QMODEL", {}, "MQRC_Q_TYPE_ERROR (2057) DLQ"),
    "remote": ("QREMOTE", {"rname": "DLQ", "rqmname": "QM2", "xmitq": "QM2"}, "MQRC_OBJECT_TYPE_ERROR (2043) DLQ"),
    "missing": ("", {}, "MQRC_UNKNOWN_OBJECT_NAME (2085) DLQ"),
}


@pytest.mark.parametrize("case", DEAD_LETTER_QUEUES)
def test_the_dead_letter_queue_says_itself_why_it_takes_nothing(case: str) -> None:
    here = Receiving()
    kind, attributes, reason = DEAD_LETTER_QUEUES[case]
    here.queue("QM2", usage="XMITQ")
    here.queue("DLQ", kind or "QLOCAL", **attributes)
    here.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    if not kind:
        here.qm.delete("QLOCAL", "DLQ")
    with pytest.raises(Undeliverable) as ended:
        here.put(framed(queue="GONE"))
    said = ended.value.message
    assert (said.number, ended.value.reason, ended.value.retry) == (9566, C.MQRC_UNKNOWN_OBJECT_NAME, True)
    assert reason in said and "MQRC_UNKNOWN_OBJECT_NAME (2085) GONE" in said
    assert said.index(reason) < said.index("GONE") and ".." not in said
    here.qm.backout(here.hconn)
    assert here.depth("QM2") == 0


@pytest.mark.parametrize(
    ("usedlq", "deadq", "words"),
    [
        ("YES", False, "and the queue manager has no dead-letter queue (DEADQ): MQRC"),
        ("NO", True, "and the channel must not use the dead-letter queue (USEDLQ(NO)): MQRC"),
        ("NO", False, "and the channel must not use the dead-letter queue (USEDLQ(NO)): MQRC"),
    ],
)
def test_a_channel_without_a_dead_letter_queue_says_why_it_has_none(usedlq: str, deadq: bool, words: str) -> None:
    here = Receiving(usedlq=usedlq)
    if deadq:
        here.with_dead_letter_queue()
    with pytest.raises(Undeliverable) as ended:
        here.put(framed(queue="GONE"))
    assert (ended.value.message.number, ended.value.retry) == (9565, False)
    assert words in ended.value.message and "(2085) GONE" in ended.value.message


@pytest.mark.parametrize("deadq", [False, True])
def test_at_the_receiving_end_the_batch_is_undone_and_in_doubt_at_the_sender_until_the_next_start(deadq: bool) -> None:
    """As docs/reference/channels.md says."""
    one, two = sender_and_receiver(BATCHSZ=10)
    if deadq:
        two.define("QLOCAL", "DLQ", MAXDEPTH=0)
        two.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    one.put("TARGET", b"good", qmgr="QM2")
    one.put("GONE", b"bad", qmgr="QM2")
    for _ in range(2):
        pair = Pair(one, two)
        pair.run()
        assert pair.ends[pair.sender].kind == "retry"
        assert "could not store" in str(pair.ends[pair.sender].message)
        assert pair.ends[pair.receiver].kind == ("retry" if deadq else "failed")
        assert f"AMQ{9566 if deadq else 9565}E" in str(pair.ends[pair.receiver].message)
        assert (one.qm.depth("QM2"), len(channel_batches.in_doubt(one.qm.core, CHANNEL))) == (0, 1)
        assert two.depth("TARGET") == 0
    two.define("QLOCAL", "GONE")
    Pair(one, two).run()
    assert (two.content("TARGET"), two.content("GONE")) == ([b"good"], [b"bad"])
    assert not channel_batches.in_doubt(one.qm.core, CHANNEL)


def test_at_the_sending_end_the_batch_is_backed_out_and_the_channel_stops() -> None:
    one, two = sender_and_receiver(MAXMSGL=1000)
    one.put("TARGET", b"good", qmgr="QM2")
    one.put("TARGET", bytes(2000), qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert pair.ends[pair.sender].kind == "failed" and "AMQ9565E" in str(pair.ends[pair.sender].message)
    assert (one.qm.depth("QM2"), channel_batches.in_doubt(one.qm.core, CHANNEL)) == (2, [])
    assert two.depth("TARGET") == 0
