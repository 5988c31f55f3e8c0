"""Wireshark's decoder reads what two queue managers say to each other over a message channel that really runs.

A recording proxy stands between them. The comparison, and what the decoder may have no words for, are those of
`test_wire_tshark`: nothing is unknown but the body of RESYNC_DATA, which has no public layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import helper_recording as recording
import pytest
from helper_recording import RecordingProxy
from test_wire_tshark import BETWEEN_QUEUE_MANAGERS, check, wait_until

import libremq
from libremq.testing.serving import served_queue_manager
from libremq.wire.protocol import Status, Type

pytestmark = pytest.mark.skipif(recording.TSHARK is None, reason="tshark is not installed (Debian package tshark)")

CHANNEL = "QM1.TO.QM2"
LONG = b"0123456789" * 15_000


class Pair:
    """QM1 sends to QM2, and everything is recorded."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        one = stack.enter_context(served_queue_manager("QM1", folder=folder / "one"))
        two = stack.enter_context(served_queue_manager("QM2", folder=folder / "two"))
        self.proxy = stack.enter_context(RecordingProxy(two.port))
        self.one = stack.enter_context(libremq.connect(one.url("local")))
        self.two = stack.enter_context(libremq.connect(two.url("local")))

    def define(self, sender: str = "", receiver: str = "") -> None:
        self.run(self.two, "DEFINE QLOCAL(TARGET.Q)", "DEFINE QLOCAL(DEAD.Q)", "ALTER QMGR DEADQ(DEAD.Q)")
        self.run(self.two, f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR) MRRTY(0) {receiver}")
        self.run(self.one, "DEFINE QLOCAL(QM2) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)")
        address = f"CONNAME('127.0.0.1({self.proxy.port})')"
        self.run(self.one, f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) {address} XMITQ(QM2) {sender}")

    @staticmethod
    def run(manager: libremq.QueueManager, *commands: str) -> None:
        for command in commands:
            (answer,) = manager.mqsc(command)
            assert answer.state == "done", answer

    def put(self, *data: bytes, queue: str = "TARGET.Q", persistent: bool = True) -> None:
        with self.one.transaction():
            self.one.queue(queue, manager="QM2").put_many(list(data), persistent=persistent)

    def wait_for(self, count: int, queue: str = "TARGET.Q") -> None:
        wait_until(lambda: self.two.queue(queue).depth == count)

    def stop(self) -> None:
        """At the end of the batch. A trigger may start it again."""
        self.run(self.one, f"STOP CHANNEL({CHANNEL}) STATUS(INACTIVE)")
        wait_until(lambda: not self.one.mqsc(f"DISPLAY CHSTATUS({CHANNEL})")[0].rows)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with ExitStack() as stack:
        yield Pair(tmp_path, stack)


def test_batches_segments_heartbeats_and_the_end(pair: Pair, tmp_path: Path) -> None:
    pair.define("BATCHSZ(3) HBINT(1)", "HBINT(1)")
    pair.put(*(b"message %d" % number for number in range(8)))
    pair.put(b"nobody waits for it", persistent=False)
    pair.put(LONG)
    pair.put(b"lost", queue="NO.SUCH.Q")
    pair.wait_for(10)
    pair.wait_for(1, "DEAD.Q")
    recorded = pair.proxy.connections[0]

    def beats() -> set[tuple[bool, int]]:
        return {(client, each.flags & 1) for client, each in recorded.segments() if each.kind == Type.HEARTBEAT}

    wait_until(lambda: {(True, 1), (False, 0)} <= beats())
    pair.stop()
    pair.put(b"and once more")  # a new instance: both ends say what the last batch was
    pair.wait_for(11)
    pair.stop()
    capture = tmp_path / "channel.pcap"
    kinds = check(pair.proxy.finished(), pair.proxy.port, capture, BETWEEN_QUEUE_MANAGERS)
    assert kinds == {Type.INITIAL_DATA, Type.RESYNC_DATA, Type.MESSAGE_DATA, Type.STATUS_DATA, Type.HEARTBEAT}
    segments = [segment for _, segment in recorded.segments() if segment.kind == Type.MESSAGE_DATA]
    assert [one.flags & 0x30 for one in segments if one.flags & 0x30 != 0x30] == [0x10, 0, 0x20]
    names = {one.get("show") for shown in recording.decode(capture, pair.proxy.port) for one in shown.iter()}
    assert {"TARGET.Q", "NO.SUCH.Q"} <= {str(name).strip() for name in names}


def test_what_is_told_to_a_partner_that_is_refused(pair: Pair, tmp_path: Path) -> None:
    pair.define("SEQWRAP(1000)", "SEQWRAP(999)")
    pair.run(pair.two, "DEFINE CHANNEL(OTHER) CHLTYPE(SVRCONN)")
    address = f"CONNAME('127.0.0.1({pair.proxy.port})') XMITQ(QM2)"
    for name in ("NOWHERE", "OTHER"):
        pair.run(pair.one, f"DEFINE CHANNEL({name}) CHLTYPE(SDR) {address}")
    for name in (CHANNEL, "NOWHERE", "OTHER"):
        (answer,) = pair.one.mqsc(f"PING CHANNEL({name})")
        assert answer.state == "failed", answer
    check(pair.proxy.finished(), pair.proxy.port, tmp_path / "refused.pcap", BETWEEN_QUEUE_MANAGERS)
    told = [
        int.from_bytes(segment.raw[32:36], "little")
        for connection in pair.proxy.connections
        for client, segment in connection.segments()
        if segment.kind == Type.STATUS_DATA and not client
    ]
    assert told == [Status.WRAP_VALUE_ERROR, Status.NO_CHANNEL, Status.CHANNEL_WRONG_TYPE]
