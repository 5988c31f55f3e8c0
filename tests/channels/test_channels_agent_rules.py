"""The rules by which a message arrives exactly once, one by one: each test fails if an agent leaves its rule out.

What leaves is on disk before; a batch is known by its LUWID; numbers come one after the other; one batch at a time is
in doubt; nobody else's doubt is decided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from helper_ends import CHANNEL, Node, Pair, Wire, sender_and_receiver

from libremq.host import lifecycle
from libremq.kernel.manager import QueueManager
from libremq.kernel.messages.transmission import frame
from libremq.kernel.objects.channel_sync_record import RECEIVER, SENDER
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state.batch_identity import BatchIdentity
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.testing import FaultyFiles
from libremq.wire import message_channel as flows
from libremq.wire.protocol import CONFIRM_REQUEST, Status, Type
from libremq.wire.segments import Flow, SegmentReader

LUWID = b"batch__1"


def flow_of(*segments: bytes) -> Flow:
    (flow,) = SegmentReader(1 << 20, 1 << 24).feed(b"".join(segments))
    return flow


def message(sequence: int, luwid: bytes = LUWID, *, persistent: bool = True) -> Flow:
    """A message for TARGET as it comes from QM1."""
    md = MQMD(Version=2, Persistence=int(persistent), Priority=0, MsgId=b"m" * 24, CodedCharSetId=1208)
    data = frame("TARGET", "QM2", md, b"tea", 1208)
    return flow_of(*flows.pack_message(data, sequence=sequence, luwid=luwid, max_segment=32000))


def until_in_doubt(pair: Pair) -> BatchIdentity:
    while not pair.sender.instance().in_doubt:
        assert pair.step(pair.near) or pair.step(pair.far)
    (doubt,) = channel_batches.in_doubt(pair.caller.qm.core)
    return doubt


def said(pair: Pair, which: str) -> str:
    return str(pair.ends[getattr(pair, which)].message)


def luwids(node: Node, role: str) -> list[tuple[str, int]]:
    return [(one.luwid, one.sequence) for one in channel_batches.syncs_of(node.qm.core, CHANNEL, role)]


# Nothing leaves before the log is on disk


@dataclass
class Left:
    """A flow that has left, and the disk of that moment without all that was not synced."""

    node: Node
    flow: Flow
    disk: FaultyFiles

    def restarted(self) -> QueueManager:
        return lifecycle.start(self.disk, self.node.name, self.node.name, self.node.clock)


def watch(wire: Wire) -> list[Left]:
    """What leaves from now on."""
    left: list[Left] = []
    send = wire.send

    def watched(data: bytes, lsn: int = 0) -> None:
        send(data, lsn)
        left.append(Left(wire.node, flow_of(data), next(wire.node.files.disk_states())))

    wire.send = watched  # type: ignore[method-assign]
    return left


def only(left: list[Left], kind: Type, fits: Callable[[Flow], bool] = lambda flow: True) -> Left:
    (found,) = [one for one in left if one.flow.kind == kind and fits(one.flow)]
    return found


def test_a_batch_that_the_other_end_is_asked_about_is_in_doubt_after_a_crash() -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    left = watch(pair.near)
    doubt = until_in_doubt(pair)
    asked = only(left, Type.STATUS_DATA, lambda flow: flows.unpack_status(flow).confirm_request)
    assert channel_batches.in_doubt(asked.restarted().core) == [doubt]


def test_a_batch_that_is_confirmed_is_there_after_a_crash() -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    left = watch(pair.far)
    pair.run()
    answer = only(left, Type.STATUS_DATA, lambda flow: flows.unpack_status(flow).accepted)
    core = answer.restarted().core
    assert [sync.sequence for sync in channel_batches.syncs_of(core, CHANNEL, RECEIVER)] == [1]


def test_what_both_ends_say_at_the_start_is_so_after_a_crash() -> None:
    """Though neither the question of the last run has left, nor its answer."""
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    first = Pair(one, two)
    first.step(first.near)
    first.step(first.far)  # both know each other
    for wire in (first.near, first.far):
        wire.send = lambda data, lsn=0, wire=wire: wire.sent.append(data)  # type: ignore[method-assign,misc]
    doubt = until_in_doubt(first)
    while first.step(first.near):
        pass
    first.cut()
    assert luwids(two, RECEIVER) == [(doubt.luwid, 1)]
    second = Pair(one, two)
    near, far = watch(second.near), watch(second.far)
    second.run()
    asked = only(near, Type.RESYNC_DATA, lambda flow: flows.Resync.unpack(flow).in_doubt)
    told = only(far, Type.RESYNC_DATA)
    assert flows.Resync.unpack(asked.flow).in_doubt_luwid.hex() == doubt.luwid
    assert channel_batches.in_doubt(asked.restarted().core) == [doubt]
    assert flows.Resync.unpack(told.flow).luwid.hex() == doubt.luwid
    kept = channel_batches.syncs_of(told.restarted().core, CHANNEL, RECEIVER)
    assert [(sync.luwid, sync.sequence) for sync in kept] == [(doubt.luwid, 1)]
    assert two.content("TARGET") == [b"x"]


def test_a_number_that_the_receiver_has_taken_is_so_after_a_crash() -> None:
    one, two = sender_and_receiver()
    channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, "QM2", "QM2", next_sequence=7)
    pair = Pair(one, two)
    left = watch(pair.far)
    pair.run()
    confirmed = only(left, Type.STATUS_DATA)
    kept = channel_batches.syncs_of(confirmed.restarted().core, CHANNEL, RECEIVER)
    assert [sync.sequence for sync in kept] == [6]


def test_a_fast_message_does_not_leave_before_the_unit_of_work_that_it_was_put_in() -> None:
    one, two = sender_and_receiver(NPMSPEED=C.MQNPMS_FAST, BATCHINT=60_000)
    pair = Pair(one, two)
    pair.run()
    left = watch(pair.near)
    for persistence in (C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT):
        md, od = MQMD(Version=2, Persistence=persistence), MQOD(ObjectName="TARGET", ObjectQMgrName="QM2")
        one.qm.put1(one.application, od, md, MQPMO(Options=C.MQPMO_SYNCPOINT), b"x")
    one.qm.commit(one.application)
    pair.run()
    fast = only(left, Type.MESSAGE_DATA, lambda flow: flows.unpack_message(flow).fast)
    core = fast.restarted().core
    definition = core.catalogue.queues["QM2"]
    assert isinstance(definition, LocalQueue)
    assert len(core.local_queue(definition).store.chains) == 1


# A batch is known by its LUWID


def test_a_batch_in_doubt_is_not_taken_for_another_one_with_the_same_number() -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    doubt = until_in_doubt(pair)
    pair.cut()
    channel_batches.reset_sequence(two.qm, RECEIVER, CHANNEL, "QM1", next_sequence=doubt.last + 1)
    again = Pair(one, two)
    again.run()
    assert (one.depth("QM2"), two.depth("TARGET")) == (1, 0)
    assert channel_batches.in_doubt(one.qm.core) == []
    assert "AMQ9526" in said(again, "sender")


def test_an_answer_about_another_batch_is_none() -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    doubt = until_in_doubt(pair)
    pair.sender.take(flow_of(flows.confirmed(b"another_")))
    assert pair.ends[pair.sender].kind == "failed"
    assert channel_batches.in_doubt(one.qm.core) == [doubt]
    pair.cut()
    Pair(one, two).run()
    assert (two.content("TARGET"), one.depth("QM2")) == ([b"x"], 0)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (message(2), None),  # the first number is 1
        (message(1), message(1)),
        (message(1), message(3)),
        (message(1), message(2, b"batch__2")),
        (message(1), flow_of(flows.pack_reset(9))),
        (message(1), flow_of(flows.confirm_request(b"batch__2"))),
        (message(1), flow_of(flows.Resync(0, bytes(8)).pack())),
        (message(0, bytes(8), persistent=False), None),  # NPMSPEED(NORMAL)
    ],
    ids=["not 1", "twice", "gap", "another batch", "reset in a batch", "end of another", "resync in a batch", "fast"],
)
def test_a_receiver_takes_nothing_that_is_out_of_order(first: Flow, second: Flow | None) -> None:
    one, two = sender_and_receiver(NPMSPEED=C.MQNPMS_NORMAL)
    pair = Pair(one, two)
    pair.run()
    receiver = pair.receiver
    receiver.take(first)
    if second is not None:
        assert pair.ends == {}
        receiver.take(second)
    assert pair.ends[receiver].kind == "failed"
    assert (two.depth("TARGET"), luwids(two, RECEIVER)) == (0, [])
    assert len(two.qm.core.units) == 0


def test_a_message_before_the_ends_have_met_is_refused() -> None:
    one, two = sender_and_receiver()
    pair = Pair(one, two)
    pair.step(pair.near)
    pair.receiver.take(message(1))
    assert pair.ends[pair.receiver].kind == "failed"
    assert two.depth("TARGET") == 0


# One batch at a time


def test_a_channel_that_stops_waits_for_its_answer_also_with_a_pipeline() -> None:
    one, two = sender_and_receiver(BATCHSZ=2)
    one.environment.pipeline_length = 2
    for number in range(4):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    pair = Pair(one, two)
    until_in_doubt(pair)
    pair.sender.stop(C.MQMODE_QUIESCE)
    assert pair.ends == {}
    pair.run()
    assert pair.ends[pair.sender].kind == "stopped"
    assert channel_batches.in_doubt(one.qm.core) == []
    assert two.depth("TARGET") + one.depth("QM2") == 4


def test_a_sender_that_gets_no_answer_gives_up_and_stays_in_doubt() -> None:
    one, two = sender_and_receiver(HBINT=5, DISCINT=0)
    two.qm.alter("CHANNEL", CHANNEL, {"HBINT": 5})
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    doubt = until_in_doubt(pair)
    pair.near.sent.clear()
    pair.near.send = lambda data, lsn=0: None  # type: ignore[method-assign]
    for _ in range(20):
        one.clock.advance(1.0)
        pair.sender.tick()
    assert "AMQ9259" in said(pair, "sender")
    assert channel_batches.in_doubt(one.qm.core) == [doubt]


def test_an_end_that_was_away_itself_does_not_blame_the_other_one() -> None:
    one, two = sender_and_receiver(HBINT=5, DISCINT=0)
    two.qm.alter("CHANNEL", CHANNEL, {"HBINT": 5})
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    until_in_doubt(pair)
    pair.step(pair.near)  # the receiver believes that the sender is there
    one.clock.advance(904.0)
    for agent in (pair.sender, pair.receiver):
        agent.was_away(900.0)
        agent.tick()
    pair.run()
    assert pair.ends == {}
    assert (two.depth("TARGET"), channel_batches.in_doubt(one.qm.core)) == (1, [])


def test_a_batch_behind_the_highest_number_begins_with_1() -> None:
    one, two = sender_and_receiver(SEQWRAP=100, BATCHSZ=100)
    for number in range(101):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    pair = Pair(one, two)
    while two.depth("TARGET") < 100:
        assert pair.step(pair.near) or pair.step(pair.far) or not pair.sender.pump()
    doubt = until_in_doubt_again(pair)
    assert (doubt.first, doubt.last) == (1, 1)


def until_in_doubt_again(pair: Pair) -> BatchIdentity:
    while True:
        found = channel_batches.in_doubt(pair.caller.qm.core)
        if found and found[0].last != 100:
            return found[0]
        assert pair.step(pair.near) or pair.step(pair.far) or not pair.sender.pump()


# What belongs to somebody else


def test_a_batch_in_doubt_of_another_channel_keeps_its_transmission_queue() -> None:
    one, two = sender_and_receiver()
    one.define("SDR", "OTHER", XMITQ="QM2", CONNAME="qm2(1414)")
    two.define("RCVR", "OTHER")
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    doubt = until_in_doubt(pair)
    pair.cut()
    one.put("TARGET", b"y", qmgr="QM2")
    other = Pair(one, two, "OTHER")
    other.run()
    assert "AMQ9507" in said(other, "sender")
    assert channel_batches.in_doubt(one.qm.core) == [doubt]
    Pair(one, two).run()
    assert two.content("TARGET") == [b"x", b"y"]


def test_a_transmission_queue_that_somebody_reads_is_not_shared() -> None:
    one, two = sender_and_receiver()
    one.qm.open(one.application, MQOD(ObjectName="QM2"), C.MQOO_INPUT_SHARED)
    pair = Pair(one, two)
    assert pair.ends[pair.sender].kind == "retry"
    assert "AMQ9509" in said(pair, "sender")


# The end


def test_a_message_with_the_end_of_its_batch_waits_until_it_is_put() -> None:
    """A message that is tried again is not there yet, whatever it says about its batch."""
    one, two = sender_and_receiver()
    two.qm.alter("CHANNEL", CHANNEL, {"MRRTY": 5, "MRTMR": 1000})
    two.qm.alter("QLOCAL", "TARGET", {"PUT": C.MQQA_PUT_INHIBITED})
    pair = Pair(one, two)
    pair.run()
    last = message(1)
    last.flags |= CONFIRM_REQUEST
    pair.receiver.take(last)
    assert (luwids(two, RECEIVER), pair.receiver.instance().status) == ([], C.MQCHS_PAUSED)
    two.qm.alter("QLOCAL", "TARGET", {"PUT": C.MQQA_PUT_ALLOWED})
    one.clock.advance(1.0)
    pair.receiver.tick()
    assert (luwids(two, RECEIVER), two.depth("TARGET")) == ([(LUWID.hex(), 1)], 1)


def test_what_comes_behind_a_message_that_is_tried_again_waits_its_turn() -> None:
    one, two = sender_and_receiver()
    two.qm.alter("CHANNEL", CHANNEL, {"MRRTY": 5, "MRTMR": 1000})
    two.qm.alter("QLOCAL", "TARGET", {"PUT": C.MQQA_PUT_INHIBITED})
    pair = Pair(one, two)
    pair.run()
    for flow in (message(1), message(2), flow_of(flows.confirm_request(LUWID))):
        pair.receiver.take(flow)
    assert pair.far.paused
    assert (luwids(two, RECEIVER), two.depth("TARGET")) == ([], 0)
    two.qm.alter("QLOCAL", "TARGET", {"PUT": C.MQQA_PUT_ALLOWED})
    one.clock.advance(1.0)
    pair.receiver.tick()
    assert not pair.far.paused
    assert (luwids(two, RECEIVER), two.depth("TARGET")) == ([(LUWID.hex(), 2)], 2)


def test_an_agent_that_has_ended_does_nothing() -> None:
    one, two = sender_and_receiver()
    pair = Pair(one, two)
    pair.run()
    sender, receiver = pair.sender, pair.receiver
    pair.cut()
    ends = dict(pair.ends)
    receiver.take(message(1))
    one.put("TARGET", b"x", qmgr="QM2")
    for agent in (sender, receiver):
        agent.pump()
        agent.tick()
        agent.lost()
        agent.stop(C.MQMODE_QUIESCE)
    assert pair.ends == ends
    assert (one.depth("QM2"), two.depth("TARGET")) == (1, 0)


def test_a_partner_that_never_answers_the_call_is_given_up() -> None:
    one, two = sender_and_receiver()
    pair = Pair(one, two)
    deadline = pair.sender.next_deadline()
    assert deadline is not None
    one.clock.advance(deadline - one.clock.monotonic())
    pair.sender.tick()
    assert (pair.ends[pair.sender].kind, "AMQ9259" in said(pair, "sender")) == ("retry", True)


def test_numbers_that_differ_are_worth_another_try_at_both_ends() -> None:
    """The other end may be restored meanwhile."""
    one, two = sender_and_receiver()
    channel_batches.reset_sequence(two.qm, RECEIVER, CHANNEL, "QM1", next_sequence=7)
    pair = Pair(one, two)
    pair.run()
    assert [pair.ends[agent].kind for agent in (pair.sender, pair.receiver)] == ["retry", "retry"]


def test_a_batch_that_could_not_be_committed_is_worth_another_try() -> None:
    one, two = sender_and_receiver()
    one.put("TARGET", b"x", qmgr="QM2")
    pair = Pair(one, two)
    doubt = until_in_doubt(pair)
    pair.sender.take(flow_of(flows.status(Status.BATCH_FAILURE)))
    assert pair.ends[pair.sender].kind == "retry"
    assert channel_batches.in_doubt(one.qm.core) == [doubt]


# Delivery


def dead_letters(two: Node) -> int:
    return two.depth("SYSTEM.DEAD.LETTER.QUEUE")


def test_each_message_has_its_own_attempts() -> None:
    one, two = sender_and_receiver()
    two.qm.alter("QMGR", "", {"DEADQ": "SYSTEM.DEAD.LETTER.QUEUE"})
    two.qm.alter("CHANNEL", CHANNEL, {"MRRTY": 1, "MRTMR": 1000})
    two.qm.alter("QLOCAL", "TARGET", {"PUT": C.MQQA_PUT_INHIBITED})
    pair = Pair(one, two)
    pair.run()
    for sequence in (1, 2):
        pair.receiver.take(message(sequence))
        assert (pair.receiver.instance().status, dead_letters(two)) == (C.MQCHS_PAUSED, sequence - 1)
        one.clock.advance(1.0)
        pair.receiver.tick()
        assert (pair.receiver.instance().status, dead_letters(two)) == (C.MQCHS_RUNNING, sequence)


def test_a_queue_takes_no_more_than_it_may_have() -> None:
    """Also from messages that are like the one before, which takes less looking."""
    one, two = sender_and_receiver()
    two.qm.alter("QMGR", "", {"DEADQ": "SYSTEM.DEAD.LETTER.QUEUE"})
    two.qm.alter("CHANNEL", CHANNEL, {"MRRTY": 0})
    two.qm.alter("QLOCAL", "TARGET", {"MAXDEPTH": 2})
    pair = Pair(one, two)
    pair.run()
    for sequence in (1, 2, 3):
        pair.receiver.take(message(sequence))
    assert (two.depth("TARGET"), dead_letters(two)) == (2, 1)
