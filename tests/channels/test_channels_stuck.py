"""What must not hold up a channel: messages that cannot travel, and moments at which something else happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helper_delivery import framed
from helper_ends import CHANNEL, Node, Pair, sender_and_receiver
from helper_exits import IMPORTS
from helper_network import network, running

from libremq.kernel.objects.channel_sync_record import RECEIVER, SENDER
from libremq.kernel.units import channel_batches
from libremq.log import Log, LogFull
from libremq.mqi import constants as C
from libremq.mqi.structs import MQDLH, MQMD1, MQMDE, MQXQH

SUPPRESSES = "def change(call):\n    if call.reason == C.MQXR_MSG: return SuppressMessage('not today')\n"


def with_dead_letters(*nodes: Node) -> None:
    for node in nodes:
        node.define("QLOCAL", "DLQ")
        node.qm.alter("QMGR", "", {"DEADQ": "DLQ"})


def with_exit(path: Path, text: str, **attributes: Any) -> tuple[Node, Node]:
    (path / "mine.py").write_text(IMPORTS + text)
    path.chmod(0o700)
    (path / "mine.py").chmod(0o600)
    one, two = sender_and_receiver(MSGEXIT=("mine(change)",), **attributes)
    with_dead_letters(one, two)
    one.environment.exit_path = str(path)
    return one, two


def reason_on(node: Node) -> int:
    _, data = node.get("DLQ")
    return int(MQDLH.unpack(data).Reason)


# Messages that cannot travel


@pytest.mark.parametrize("fields", [{"CodedCharSetId": 99999}, {"CodedCharSetId": -2}, {"Encoding": -1}])
@pytest.mark.parametrize("persistent", [True, False])
def test_a_header_in_a_character_set_that_no_segment_can_name(fields: dict[str, int], persistent: bool) -> None:
    one, two = sender_and_receiver()
    with_dead_letters(one)
    good = {"Format": "MQXMIT", "CodedCharSetId": 1208, "Encoding": 546}
    one.put("QM2", framed(b"x", queue="TARGET", qmgr="QM2"), persistent=persistent, **(good | fields))
    one.put("TARGET", b"behind it", qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert pair.ends == {}
    assert (one.depth("QM2"), two.content("TARGET")) == (0, [b"behind it"])
    assert reason_on(one) == C.MQFB_XMIT_Q_MSG_ERROR


@pytest.mark.parametrize("convert", [C.MQCDC_NO_SENDER_CONVERSION, C.MQCDC_SENDER_CONVERSION])
def test_an_exit_suppresses_a_message_with_a_header_of_another_machine(tmp_path: Path, convert: int) -> None:
    one, two = with_exit(tmp_path, SUPPRESSES, CONVERT=convert)
    inner = MQMD1(
        MsgId=b"M" * 24, Format="MQSTR", CodedCharSetId=500, Encoding=273, Persistence=1, Priority=4,
        PutDate="20230101", PutTime="12000099",
    )  # fmt: skip
    head = MQXQH(RemoteQName="TARGET", RemoteQMgrName="QM2", MsgDesc=inner).pack(big_endian=True, charset="cp500")
    one.put("QM2", head + "hello".encode("cp500"), Format="MQXMIT", CodedCharSetId=500, Encoding=273)
    pair = Pair(one, two)
    pair.run()
    assert pair.ends == {}
    assert (one.depth("QM2"), one.depth("DLQ"), two.depth("TARGET")) == (0, 1, 0)


def test_an_exit_suppresses_a_message_whose_extension_is_damaged(tmp_path: Path) -> None:
    one, two = with_exit(tmp_path, SUPPRESSES)
    extension = bytearray(MQMDE(Format="MQSTR").pack())
    extension[8:12] = (5).to_bytes(4, "little")  # its length
    data = bytearray(framed(bytes(extension) + b"data", queue="TARGET", qmgr="QM2"))
    at = data.find(b"MQSTR   ")
    data[at : at + 8] = b"MQHMDE  "
    one.put("QM2", bytes(data), Format="MQXMIT", CodedCharSetId=1208, Encoding=546)
    pair = Pair(one, two)
    pair.run()
    assert pair.ends == {}
    assert (one.depth("QM2"), one.depth("DLQ")) == (0, 1)


@pytest.mark.parametrize("more", [100, 5000, 200_000])
def test_an_exit_makes_a_message_longer_than_the_channel_takes(tmp_path: Path, more: int) -> None:
    change = f"return call.data + bytes({more}) if len(call.data) > 900 else None"
    text = f"def change(call):\n    if call.reason == C.MQXR_MSG: {change}\n"
    one, two = with_exit(tmp_path, text, MAXMSGL=1000)
    one.put("TARGET", b"x" * 950, qmgr="QM2")
    one.put("TARGET", b"y", qmgr="QM2")
    pair = Pair(one, two)
    pair.run()
    assert pair.ends == {}
    assert (one.depth("QM2"), two.content("TARGET"), two.depth("DLQ")) == (0, [b"y"], 0)
    assert reason_on(one) == C.MQRC_MSG_TOO_BIG_FOR_CHANNEL


# Sequence numbers at the wrap


def at_the_wrap() -> tuple[Node, Node]:
    one, two = sender_and_receiver(SEQWRAP=100)
    for number in range(100):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    stopped(one, two)
    return one, two


def stopped(one: Node, two: Node) -> None:
    """Start the channel, and stop it."""
    pair = Pair(one, two)
    pair.run()
    assert pair.sender.status == C.MQCHS_RUNNING, pair.ends
    pair.sender.stop(C.MQMODE_QUIESCE)
    pair.run()


def numbers(*nodes: Node) -> list[tuple[str, int]]:
    return [(one.luwid, one.sequence) for node in nodes for one in channel_batches.syncs_of(node.qm.core, CHANNEL)]


def test_a_reset_to_1_at_the_wrap() -> None:
    one, two = at_the_wrap()
    channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, "QM2", "QM2", next_sequence=1)
    stopped(one, two)
    mine, theirs = numbers(one, two)
    assert mine == theirs and mine[1] == 0
    stopped(one, two)


def test_a_reset_to_1_of_the_receiver_alone_at_the_wrap() -> None:
    """The sender's next number is 1 as well: there is nothing to complain about."""
    one, two = at_the_wrap()
    channel_batches.reset_sequence(two.qm, RECEIVER, CHANNEL, "QM1", next_sequence=1)
    stopped(one, two)
    one.put("TARGET", b"the first one again", qmgr="QM2")
    stopped(one, two)
    mine, theirs = numbers(one, two)
    assert mine == theirs and mine[1] == 1


# Moments


@pytest.mark.parametrize("buried", [False, True])
def test_the_disconnect_interval_is_for_channels_without_work(buried: bool) -> None:
    """Also if nothing needs to be confirmed: fast messages, or some that go aside."""
    one, two = sender_and_receiver(BATCHSZ=1, DISCINT=30)
    with_dead_letters(one)
    pair = Pair(one, two)
    pair.run()
    for _ in range(40):
        if buried:
            one.put("QM2", b"no header")
        else:
            one.put("TARGET", b"x", qmgr="QM2", persistent=False)
        pair.pass_time(1)
    assert pair.ends == {}
    assert (one.depth("QM2"), two.depth("TARGET") + one.depth("DLQ")) == (0, 40)
    pair.pass_time(31)
    assert pair.sender.ended.kind == "closed"


def test_a_ping_that_comes_late_leaves_a_running_channel_alone() -> None:
    net, one, two = network()
    outcome: list[Any] = []
    one.initiator.ping(CHANNEL, b"abc", outcome.append)
    late, net.calls = net.calls, []  # a name service that takes its time
    running(net, one)
    net.calls += late
    net.run()
    assert [answer.number for answer in outcome] == [9514]
    assert (one.states, two.states) == ({CHANNEL: "RUNNING"}, {CHANNEL: "RUNNING"})


def test_a_requester_that_is_refused_does_not_stop_the_sender_from_trying() -> None:
    net, one, two = network("SDR", "RQSTR")
    net.down.add("qm2")
    one.initiator.start(CHANNEL)
    net.run()
    net.down.clear()
    one.with_rules(channels_max=1)
    one.clients = 1
    two.initiator.start(CHANNEL)
    net.run()
    assert CHANNEL in one.states
    one.clients = 0
    net.pass_time(300)
    assert one.states == {CHANNEL: "RUNNING"}


@pytest.mark.parametrize("fails_from", [1, 2])
def test_a_batch_that_is_half_undone_takes_no_further_message(fails_from: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is full in the middle of a message with a report; its unit of work ends by the clock."""
    one, two = sender_and_receiver()
    two.define("QLOCAL", "REPLIES")
    pair = Pair(one, two)
    pair.run()
    log, append = two.qm.core.log, Log.append
    state = {"full": False, "writes": 0, "messages": 0}

    def limited(self: Log, kind: int, *values: Any, **more: Any) -> int:
        if state["full"] and self is log:
            state["writes"] += 1
            if state["writes"] >= fails_from:
                raise LogFull("no next extent")
        return append(self, kind, *values, **more)

    monkeypatch.setattr(Log, "append", limited)
    delivery = pair.receiver._delivery
    put = delivery.put

    def put_with_little_room(data: bytes, **more: Any) -> Any:
        state["messages"] += 1
        state["full"] = state["messages"] == 2
        try:
            return put(data, **more)
        finally:
            state["full"] = False

    monkeypatch.setattr(delivery, "put", put_with_little_room)
    texts = [b"first", b"second", b"third"]
    for text in texts:
        report = {"Report": C.MQRO_COA, "ReplyToQ": "REPLIES", "ReplyToQMgr": "QM2"} if text == b"second" else {}
        one.put("TARGET", text, qmgr="QM2", **report)
    pair.run()
    two.qm.finish_backouts()
    pair.pass_time(5)
    monkeypatch.undo()
    pair.cut()
    again = Pair(one, two)
    again.run()
    for _ in range(2):
        assert (two.content("TARGET"), two.depth("TARGET"), two.depth("REPLIES")) == (texts, 3, 1)
        two.qm.core.log.force()
        two.crash()
