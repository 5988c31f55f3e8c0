"""Flows that are begun and not completed: they have their time, and who holds most gives way when memory is short."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from helper_partners import Partner, define, receiver
from helper_peers import Peer, get_flow, put_flow, wait_until

import libremq
from libremq.kernel.messages.transmission import frame as transmission_frame
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD
from libremq.server.net.event_loop import EventLoop, EventLoopLimits
from libremq.server.net.unfinished_flows import SLOWEST_BYTES_S, UnfinishedFlow, relieve
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import message_channel
from libremq.wire.protocol import FIRST, MAX_MESSAGE, MAX_SEGMENT, Type
from libremq.wire.segments import SegmentReader, frame

QUEUE = "UNFINISHED.Q"
ONE_MB = 1 << 20


@contextmanager
def serving(folder: Path, said: list[str], **limits: float) -> Iterator[Served]:
    made = EventLoopLimits(**limits)  # type: ignore[arg-type]
    with served_queue_manager(folder=folder / "libremq", limits=made, say=said.append) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
        yield served
        wait_until(lambda: not served.event_loop.sockets)
        assert served.in_loop(lambda: served.event_loop.buffered_bytes) == 0


def message_segments(size: int) -> list[bytes]:
    data = transmission_frame(QUEUE, "QM1", MQMD(Version=2, Priority=0, MsgId=b"m" * 24), bytes(size), 1208)
    return message_channel.pack_message(data, sequence=1, luwid=b"batch__1", max_segment=32000)


# Time


def test_a_flow_has_its_time_and_more_for_what_has_come_of_it() -> None:
    reader = SegmentReader(MAX_SEGMENT, MAX_MESSAGE)
    unfinished = UnfinishedFlow()
    reader.feed(frame(Type.MQPUT, bytes(10 * SLOWEST_BYTES_S), 1, flags=FIRST))
    assert not any(unfinished.is_late(reader, 0, now, 60) for now in range(100, 170))
    reader.feed(frame(Type.MQPUT, bytes(20 * SLOWEST_BYTES_S), 1, flags=0))
    assert not any(unfinished.is_late(reader, 0, now, 60) for now in range(170, 190))
    assert any(unfinished.is_late(reader, 0, now, 60) for now in range(190, 200))


def test_what_is_complete_in_time_is_not_blamed_for_what_follows() -> None:
    reader = SegmentReader(MAX_SEGMENT, MAX_MESSAGE)
    unfinished = UnfinishedFlow()
    segment = frame(Type.HEARTBEAT, b"", 1)
    reader.feed(segment[:10])
    for now in range(1000):
        reader.feed(segment[10:] + segment[:10])
        assert not unfinished.is_late(reader, 0, now, 60)
    assert any(unfinished.is_late(reader, 0, now, 60) for now in range(1000, 1070))


def test_one_conversation_does_not_hide_what_another_began() -> None:
    reader = SegmentReader(MAX_SEGMENT, MAX_MESSAGE)
    unfinished = UnfinishedFlow()
    reader.feed(frame(Type.MQPUT, b"", 1, flags=FIRST))

    def looks(now: int) -> bool:
        reader.feed(frame(Type.MQCMIT, b"", 2))
        return unfinished.is_late(reader, 0, now, 60)

    assert any(looks(now) for now in range(70))


def test_nobody_is_blamed_for_a_time_in_which_this_process_stood_still() -> None:
    reader = SegmentReader(MAX_SEGMENT, MAX_MESSAGE)
    unfinished = UnfinishedFlow()
    reader.feed(b"TSH ")
    assert not unfinished.is_late(reader, 0, 0, 60)
    assert not unfinished.is_late(reader, 0, 5000, 60)


@pytest.mark.parametrize("begun", ["half a segment", "half a flow", "bytes for exits"])
def test_a_client_that_does_not_go_on_is_closed(tmp_path: Path, begun: str) -> None:
    said: list[str] = []
    with serving(tmp_path, said, flow_s=0.5) as served:
        channel = "SYSTEM.DEF.SVRCONN"
        if begun == "bytes for exits":
            channel = "EXITS.SVRCONN"
            folder = Path(served.event_loop.folder) / "exits"
            folder.mkdir(mode=0o700, exist_ok=True)
            (folder / "mine.py").write_text("def look(call):\n    pass\n")
            (folder / "mine.py").chmod(0o600)
            define(served, "CHANNEL", channel, CHLTYPE="SVRCONN", RCVEXIT=["mine(look)"])
        with Peer(served.port, channel=channel) as peer, Peer(served.port) as other:
            peer.connect()
            other.connect()
            whole = frame(Type.MQPUT, bytes(100), 1, flags=FIRST)
            peer.send(whole if begun == "half a flow" else whole[:90])
            while peer.receive() is not None:
                pass
            other.open(QUEUE, C.MQOO_OUTPUT)  # it has begun nothing, and stays
        assert any(text.startswith("AMQ9999E") and "was not complete" in text for text in said)


def test_a_partner_that_does_not_go_on_is_closed(tmp_path: Path) -> None:
    said: list[str] = []
    with serving(tmp_path, said, flow_s=0.5) as served:
        receiver(served)
        with Partner(served.port) as partner:
            partner.agree()
            partner.resynchronise()
            partner.send(message_segments(50_000)[0][:200])
            while partner.receive() is not None:
                pass
        assert any("TO.QM1" in text and "was not complete" in text for text in said)


# Memory


def begin_put(peer: Peer, size: int, total: int = 4 * ONE_MB) -> int:
    """Send so many bytes of a put; the handle."""
    hobj = peer.open(QUEUE, C.MQOO_OUTPUT)
    peer.send(put_flow(hobj, bytes(total))[:size])
    return hobj


def test_who_holds_most_gives_way_and_not_whoever_comes_next(tmp_path: Path) -> None:
    said: list[str] = []
    with serving(tmp_path, said, buffer_bytes_max=4 * ONE_MB) as served:
        receiver(served)
        with Peer(served.port) as large, Peer(served.port) as small:
            large.connect()
            small.connect()
            begin_put(large, 3 * ONE_MB)
            wait_until(lambda: served.event_loop.buffered_bytes > 3 * ONE_MB - 100_000)
            hobj = small.open(QUEUE, C.MQOO_OUTPUT)
            small.send(put_flow(hobj, bytes(2 * ONE_MB)))
            assert small.answer().kind == Type.MQPUT + 0x10
            while large.receive() is not None:
                pass
        (line,) = [text for text in said if text.startswith("AMQ9595E")]
        port = line.partition("127.0.0.1(")[2].partition(")")[0]
        assert port.isdigit()


def test_the_address_that_holds_most_gives_way(tmp_path: Path) -> None:
    """Many that hold a little do not push out one that holds more."""
    said: list[str] = []
    with serving(tmp_path, said, buffer_bytes_max=4 * ONE_MB) as served:
        many = [Peer(served.port).connect() for _ in range(6)]
        for peer in many:
            begin_put(peer, ONE_MB // 2)
        wait_until(lambda: served.event_loop.buffered_bytes > 3 * ONE_MB - 200_000)
        assert not [text for text in said if text.startswith("AMQ9595E")]
        with Peer(served.port, source="127.0.0.2") as other:
            other.connect()
            hobj = other.open(QUEUE, C.MQOO_OUTPUT)
            other.send(put_flow(hobj, bytes(2 * ONE_MB)))  # it holds more than any one of them
            assert other.answer().kind == Type.MQPUT + 0x10
        lines = [text for text in said if text.startswith("AMQ9595E")]
        assert lines and all("127.0.0.1(" in line for line in lines)
        for peer in many:
            peer.socket.close()


class Holding:
    """A link that holds something."""

    def __init__(self, loop: Any, peer: str, held_bytes: int) -> None:
        self.loop, self.peer, self.held_bytes = loop, peer, held_bytes

    def give_way(self, message: str) -> None:
        self.loop.buffered_bytes -= self.held_bytes
        self.held_bytes = 0


def test_a_network_of_ipv6_holds_as_one_address() -> None:
    loop = SimpleNamespace(limits=SimpleNamespace(buffer_bytes_max=100), buffered_bytes=110, message_links=[])
    many = [Holding(loop, f"2001:db8::{number:x}(1414)", 10) for number in range(7)]
    other = Holding(loop, "192.0.2.1(1414)", 40)
    loop.links = [*many, other]
    relieve(cast(EventLoop, loop))
    assert other.held_bytes == 40 and sum(one.held_bytes for one in many) == 60


def test_a_partner_gives_way_too(tmp_path: Path) -> None:
    said: list[str] = []
    with serving(tmp_path, said, buffer_bytes_max=2 * ONE_MB) as served:
        receiver(served)
        with Partner(served.port) as partner, Peer(served.port) as peer:
            partner.agree()
            partner.resynchronise()
            for segment in message_segments(2 * ONE_MB)[:-10]:
                partner.send(segment)
            wait_until(lambda: served.event_loop.buffered_bytes > ONE_MB)
            peer.connect()
            hobj = peer.open(QUEUE, C.MQOO_OUTPUT)
            peer.send(put_flow(hobj, bytes(ONE_MB)))
            assert peer.answer().kind == Type.MQPUT + 0x10
            while partner.receive() is not None:
                pass
        assert any(text.startswith("AMQ9595E") for text in said)


def test_a_peer_that_does_not_take_its_answers_gives_way_to_one_that_gets(tmp_path: Path) -> None:
    said: list[str] = []
    with (
        serving(tmp_path, said, buffer_bytes_max=10 * ONE_MB) as served,
        libremq.connect(served.url("local")) as qm,
        qm.queue(QUEUE) as queue,
    ):
        qm.define_local("OTHER.Q")
        qm.put("OTHER.Q", "still there")
        queue.put(bytes(4 * ONE_MB - 1000))
        peers = [Peer(served.port, small_buffer=True).connect() for _ in range(6)]
        for peer in peers:
            hobj = peer.open(QUEUE, C.MQOO_BROWSE)
            peer.send(get_flow(hobj, C.MQGMO_BROWSE_FIRST | C.MQGMO_NO_SYNCPOINT) * 9)
        wait_until(lambda: sum(text.startswith("AMQ9595E") for text in list(said)) >= 2)
        assert qm.queue("OTHER.Q").get().text == "still there"
        for peer in peers:
            peer.socket.close()
