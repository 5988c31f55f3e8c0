"""Commands on message channels of a queue manager that serves, with a partner that is real."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helper_partners import OFFER, Partner
from helper_server import NAME, served, until

import libremq
from libremq.mqi import constants as C
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import session_flows
from libremq.wire.message_channel import Resync
from libremq.wire.protocol import CONFIRM_REQUEST, ERROR, MAX_MESSAGE, MAX_SEGMENT, Type
from libremq.wire.segments import FLOW_OVERHEAD, SegmentReader, frame_plain

CHANNEL = "QM1.TO.QM2"


class Mute(Partner):
    """A receiver that takes a batch, and is gone before it has confirmed it."""

    def __init__(self, accepted: socket.socket) -> None:
        self.socket = accepted
        self._reader = SegmentReader(MAX_SEGMENT, MAX_MESSAGE + FLOW_OVERHEAD)
        self._flows = []

    def take_batch(self) -> bytes:
        """The LUWID of the batch that it was asked to confirm."""
        offered = session_flows.unpack_initial(self.answer(Type.INITIAL_DATA).body)
        agreed = session_flows.agree_message_channel(offered, replace(OFFER, channel=CHANNEL, queue_manager="QM2"))
        flags = ERROR if session_flows.corrected(agreed) else 0
        self.send(frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(agreed), flags=flags))
        self.answer(Type.RESYNC_DATA)
        self.send(Resync(0).pack())
        while (flow := self.receive()) is not None:
            if flow.flags & CONFIRM_REQUEST and flow.kind in (Type.MESSAGE_DATA, Type.STATUS_DATA):
                return flow.luwid
        raise AssertionError("the sender was gone first")


class Pair:
    """QM1 in processes of its own; QM2 in this one."""

    def __init__(self, data: Path, partner: Served) -> None:
        self.data = data
        self.one = libremq.connect(f"local:{NAME}?data={data}", application="administrator")
        self.two = libremq.connect(partner.url("local"), application="administrator")
        self.port = partner.port

    def close(self) -> None:
        self.one.close()
        self.two.close()

    def done(self, command: str, at: Any = None) -> list[dict[str, Any]]:
        (answer,) = (at or self.one).mqsc(command)
        assert answer.state == "done", answer
        rows: list[dict[str, Any]] = answer.rows
        return rows

    def refused(self, command: str) -> tuple[str, int]:
        (answer,) = self.one.mqsc(command)
        assert answer.state == "failed", answer
        return answer.lines[0][:8], answer.reason

    def rows(self, command: str) -> list[dict[str, Any]]:
        (answer,) = self.one.mqsc(command)
        return answer.rows

    def status(self, name: str = CHANNEL) -> str:
        found = self.rows(f"DISPLAY CHSTATUS({name}) STATUS")
        return str(found[0]["status"]) if found else ""

    def exchange(self, count: int) -> None:
        for number in range(count):
            self.one.put("REMOTE.Q", b"%d" % number, persistent=True)
        target = self.two.queue("TARGET.Q")
        assert [target.get(wait=120).data for _ in range(count)] == [b"%d" % number for number in range(count)]

    def saved(self, at: Any) -> dict[str, Any]:
        (row,) = self.done(f"DISPLAY CHSTATUS({CHANNEL}) SAVED ALL", at)
        return {name: row[name] for name in ("lstluwid", "lstseqno", "curluwid", "curseqno", "indoubt")}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    data = tmp_path_factory.mktemp("channels")
    with served(data / "qmgrs" / NAME) as qm, served_queue_manager("QM2", folder=data / "QM2") as partner:
        qm.start()
        made = Pair(data, partner)
        made.done("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
        made.done("DEFINE QREMOTE(REMOTE.Q) RNAME(TARGET.Q) RQMNAME(QM2)")
        made.done("DEFINE QLOCAL(TARGET.Q)", made.two)
        yield made
        made.close()


@pytest.fixture
def pair(running: Pair) -> Iterator[Pair]:
    """With a channel that never ran."""
    running.done(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('127.0.0.1({running.port})') XMITQ(QM2) SHORTTMR(1)")
    running.done(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR)", running.two)
    yield running
    running.one.mqsc(f"STOP CHANNEL({CHANNEL}) MODE(FORCE)")
    until(lambda: running.status() == "STOPPED", "the channel is stopped")
    running.done(f"DELETE CHANNEL({CHANNEL})")
    until(lambda: running.two.mqsc(f"DELETE CHANNEL({CHANNEL})")[0].state == "done", "the other end is gone")


def test_a_channel_from_its_start_to_its_end(pair: Pair) -> None:
    assert pair.rows(f"DISPLAY CHSTATUS({CHANNEL})") == []
    pair.done(f"START CHANNEL({CHANNEL})")
    pair.exchange(10)
    (row,) = pair.done(f"DISPLAY CHSTATUS({CHANNEL}) ALL")
    assert (row["status"], row["rqmname"], row["xmitq"], row["chltype"]) == ("RUNNING", "QM2", "QM2", "SDR")
    assert row["conname"] == f"127.0.0.1({pair.port})"
    (used,) = pair.done(f"DISPLAY CONN(*) WHERE(CHANNEL EQ {CHANNEL}) CONNAME URTYPE PID")
    assert (used["conname"], used["urtype"], used["pid"] > 0) == ("127.0.0.1", "QMGR", True)
    (handle,) = pair.done("DISPLAY QSTATUS(QM2) TYPE(HANDLE) CHANNEL INPUT")
    assert (handle["channel"], handle["input"]) == (CHANNEL, "EXCL")
    assert (row["msgs"], row["stopreq"], row["monchl"], row["xqtime"]) == (10, "NO", "OFF", [-1, -1])
    assert pair.refused(f"START CHANNEL({CHANNEL})") == ("AMQ9514E", C.MQRCCF_CHANNEL_IN_USE)
    pair.done(f"START CHANNEL({CHANNEL}) IGNSTATE(YES)")
    for command in (
        "RESET CHANNEL({})",
        "RESOLVE CHANNEL({}) ACTION(COMMIT)",
        "PING CHANNEL({})",
        "DELETE CHANNEL({})",
    ):
        assert pair.refused(command.format(CHANNEL)) == ("AMQ9514E", C.MQRCCF_CHANNEL_IN_USE)
    pair.done(f"STOP CHANNEL({CHANNEL}) STATUS(INACTIVE)")
    until(lambda: pair.status() == "", "the channel is inactive")
    assert pair.refused(f"STOP CHANNEL({CHANNEL}) STATUS(INACTIVE)") == ("AMQ9533W", C.MQRCCF_CHANNEL_NOT_ACTIVE)
    # Both ends have the same in their books
    assert pair.saved(pair.one) == pair.saved(pair.two)
    assert pair.saved(pair.one)["lstseqno"] == 10
    pair.done(f"STOP CHANNEL({CHANNEL})")
    assert pair.status() == "STOPPED"


def test_the_other_end_follows_a_reset(pair: Pair) -> None:
    pair.done(f"RESET CHANNEL({CHANNEL}) SEQNUM(100)")
    assert pair.done(f"DISPLAY CHANNEL({CHANNEL}) RESETSEQ")[0]["resetseq"] == 100
    pair.done(f"START CHANNEL({CHANNEL})")
    until(lambda: pair.done(f"DISPLAY CHANNEL({CHANNEL}) RESETSEQ")[0]["resetseq"] == "NO", "both have it")
    assert pair.saved(pair.one) == pair.saved(pair.two)
    pair.exchange(3)
    until(lambda: pair.saved(pair.one)["lstseqno"] == 102, "the batch is confirmed")
    assert pair.saved(pair.one) == pair.saved(pair.two)
    assert pair.done(f"DISPLAY CHANNEL({CHANNEL}) RESETSEQ")[0]["resetseq"] == "NO"


def test_a_number_that_only_one_end_has_is_set_right_by_a_reset(pair: Pair) -> None:
    pair.done(f"START CHANNEL({CHANNEL})")
    pair.exchange(3)
    pair.done(f"STOP CHANNEL({CHANNEL})")
    until(lambda: pair.status() == "STOPPED", "the channel is stopped")
    pair.done(f"DELETE CHANNEL({CHANNEL})")  # it forgets its number
    pair.done(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('127.0.0.1({pair.port})') XMITQ(QM2) SHORTTMR(1)")
    pair.done(f"START CHANNEL({CHANNEL})")
    until(lambda: pair.status() in ("RETRYING", "STOPPED"), "the ends do not agree")
    pair.done(f"STOP CHANNEL({CHANNEL}) STATUS(INACTIVE) IGNSTATE(YES)")
    until(lambda: pair.status() in ("", "STOPPED"), "it is not tried again")
    pair.done(f"RESET CHANNEL({CHANNEL})")
    pair.done(f"START CHANNEL({CHANNEL})")
    pair.exchange(2)
    until(lambda: pair.saved(pair.one)["lstseqno"] == 2, "the batch is confirmed")
    assert pair.saved(pair.one) == pair.saved(pair.two)


def test_a_ping(pair: Pair) -> None:
    for length in ("", "DATALEN(16)", "DATALEN(32768)"):
        pair.done(f"PING CHANNEL({CHANNEL}) {length}")
    assert pair.status() == ""
    assert pair.rows(f"DISPLAY CHSTATUS({CHANNEL}) SAVED") == []


def test_pings_that_fail(pair: Pair) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # taken, so that nobody else listens there
        port = nobody.getsockname()[1]
        pair.done(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('127.0.0.1({port})')")
        assert pair.refused(f"PING CHANNEL({CHANNEL})") == ("AMQ9202E", C.MQRCCF_HOST_NOT_AVAILABLE)
    pair.done(f"DEFINE CHANNEL(UNKNOWN) CHLTYPE(SDR) CONNAME('127.0.0.1({pair.port})') XMITQ(QM2) REPLACE")
    assert pair.refused("PING CHANNEL(UNKNOWN)") == ("AMQ9520E", C.MQRCCF_UNKNOWN_REMOTE_CHANNEL)


@pytest.mark.parametrize("action", ["COMMIT", "BACKOUT"])
def test_in_doubt_by_hand(pair: Pair, action: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        port = listener.getsockname()[1]
        pair.done(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('127.0.0.1({port})') BATCHINT(60000) BATCHSZ(3)")
        for number in range(3):
            pair.one.put("REMOTE.Q", b"%d" % number, persistent=True)
        pair.done(f"START CHANNEL({CHANNEL})")
        with Mute(listener.accept()[0]) as partner:
            luwid = partner.take_batch()
            (row,) = pair.done(f"DISPLAY CHSTATUS({CHANNEL}) INDOUBT CURLUWID CURMSGS CURSEQNO")
            assert (row["indoubt"], row["curmsgs"], row["curseqno"]) == ("YES", 3, 3)
            assert pair.refused(f"RESOLVE CHANNEL({CHANNEL}) ACTION({action})") == ("AMQ9514E", C.MQRCCF_CHANNEL_IN_USE)
    pair.done(f"STOP CHANNEL({CHANNEL}) MODE(FORCE)")
    until(lambda: pair.status() == "STOPPED", "the channel is stopped")
    for command in (f"RESET CHANNEL({CHANNEL})", f"DELETE CHANNEL({CHANNEL})"):
        assert pair.refused(command) == ("AMQ9507E", C.MQRCCF_CHANNEL_INDOUBT)
    (row,) = pair.done(f"DISPLAY CHSTATUS({CHANNEL}) SAVED ALL")
    assert (row["indoubt"], row["curluwid"], row["curmsgs"], row["curseqno"]) == ("YES", luwid.hex().upper(), 3, 3)
    assert (row["lstseqno"], row["rqmname"]) == (0, "QM2")
    pair.done(f"RESOLVE CHANNEL({CHANNEL}) ACTION({action})")
    (queue,) = pair.done("DISPLAY QSTATUS(QM2) CURDEPTH UNCOM")
    assert (queue["curdepth"], queue["uncom"]) == (0 if action == "COMMIT" else 3, "NO")
    pair.done(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('127.0.0.1({pair.port})') BATCHINT(0)")
    pair.done(f"RESET CHANNEL({CHANNEL})")  # the real QM2 has never heard of this channel
    pair.done(f"START CHANNEL({CHANNEL})")
    left = [] if action == "COMMIT" else [b"0", b"1", b"2"]
    pair.one.put("REMOTE.Q", b"last", persistent=True)
    target = pair.two.queue("TARGET.Q")
    assert [target.get(wait=120).data for _ in range(len(left) + 1)] == [*left, b"last"]


def test_the_channel_initiator(pair: Pair) -> None:
    assert pair.done("DISPLAY QMSTATUS CHINIT")[0]["chinit"] == "RUNNING"
    assert pair.refused("START CHINIT")[1] == C.MQRC_OBJECT_IN_USE
    pair.done("DEFINE QLOCAL(MY.INITQ) REPLACE")
    pair.done("START CHINIT INITQ(MY.INITQ)")
    pair.done(f"ALTER QLOCAL(QM2) TRIGGER TRIGTYPE(FIRST) INITQ(MY.INITQ) TRIGDATA({CHANNEL})")
    pair.exchange(2)
    pair.done("ALTER QLOCAL(QM2) NOTRIGGER")
    assert pair.refused("START CHINIT INITQ(NO.SUCH.QUEUE)")[1] == C.MQRC_UNKNOWN_OBJECT_NAME


def test_a_stopped_receiver(pair: Pair) -> None:
    pair.done("DEFINE CHANNEL(FROM.QM3) CHLTYPE(RCVR) REPLACE")
    assert pair.status("FROM.QM3") == ""
    pair.done("STOP CHANNEL(FROM.QM3)")
    assert pair.status("FROM.QM3") == "STOPPED"
    pair.done("START CHANNEL(FROM.QM3)")
    assert pair.status("FROM.QM3") == ""
    pair.done("STOP CHANNEL(FROM.QM3)")
    pair.done("DELETE CHANNEL(FROM.QM3)")
    pair.done("DEFINE CHANNEL(FROM.QM3) CHLTYPE(RCVR)")
    assert pair.status("FROM.QM3") == ""
