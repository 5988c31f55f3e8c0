"""A peer that sends without end has its turns, and no more: what is counted is the work in one turn of the loop."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from helper_partners import Partner, define, receiver
from helper_peers import Peer, get_flow, put_flow, wait_until

import libremq
from libremq.kernel.messages.transmission import frame as transmission_frame
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD
from libremq.server.net.client_link import Link
from libremq.server.net.message_link import MessageLink
from libremq.server.net.turn_budget import BYTES_A_TURN, EARLY_BYTES_MAX, EARLY_FLOWS_MAX, FLOWS_A_TURN
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import message_channel, session_flows
from libremq.wire.protocol import CONFIRM_REQUEST, FIRST, WHOLE, Type
from libremq.wire.segments import NO_LUWID, frame, frame_plain

QUEUE = "TURNS.Q"
MANY = 3000
HEARTBEAT = frame(Type.HEARTBEAT, b"", 1, flags=WHOLE | CONFIRM_REQUEST)
NO_ANSWER = frame(Type.HEARTBEAT, b"", 1)
PLAIN_NO_ANSWER = frame_plain(Type.HEARTBEAT, b"")
PLAIN_HEARTBEAT = frame_plain(Type.HEARTBEAT, b"", flags=WHOLE | CONFIRM_REQUEST)
EXIT = "def look(call):\n    pass\n"


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def served(tmp_path: Path, said: list[str]) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq", say=said.append) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE, MAXDEPTH=100_000)
        yield served


@contextmanager
def watched(served: Served, count: Callable[[], int]) -> Iterator[list[int]]:
    """How much was done in each turn of the loop in which anything was, as `count` counts it."""
    steps: list[int] = []
    watching = True
    last = served.in_loop(count)

    def look() -> None:
        nonlocal last
        now = count()
        if now != last:
            steps.append(now - last)
            last = now
        if watching:
            served.event_loop.loop.call_soon(look)

    served.event_loop.loop.call_soon_threadsafe(look)
    try:
        yield steps
    finally:
        watching = False


def take(connection: socket.socket, size: int) -> None:
    while size:
        size -= len(connection.recv(min(size, 1 << 16)))


def has_exits(served: Served) -> str:
    """Write an exit that looks at every segment; its name."""
    folder = Path(served.event_loop.folder) / "exits"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "mine.py").write_text(EXIT)
    (folder / "mine.py").chmod(0o600)
    return "mine(look)"


def only_link(served: Served) -> Link:
    (link,) = served.event_loop.links
    return link


def only_message_link(served: Served) -> MessageLink:
    (link,) = served.event_loop.message_links
    return link


# Who has not logged in


@pytest.mark.parametrize("negotiates", [False, True])
def test_heartbeats_without_end_from_nobody_end_the_link(served: Served, said: list[str], negotiates: bool) -> None:
    with Peer(served.port) as peer:
        if negotiates:
            peer.negotiate()
        with suppress(ConnectionError):
            peer.send((NO_ANSWER if negotiates else PLAIN_NO_ANSWER) * MANY)
            peer.receive()  # a socket that is closed with data unread may take the words with it
    wait_until(lambda: not served.event_loop.sockets)
    (line,) = [text for text in said if "has not logged in" in text]
    assert line.startswith("AMQ9999E: Channel to 127.0.0.1(") and f"over {EARLY_FLOWS_MAX} flows" in line


def test_long_flows_without_end_from_nobody_end_the_link(served: Served, said: list[str]) -> None:
    with Peer(served.port) as peer:
        peer.negotiate()
        with suppress(ConnectionError):
            peer.send(frame(Type.PING_DATA, bytes(50_000), 1) * 9)
            while peer.receive() is not None:
                pass
    (line,) = [text for text in said if "has not logged in" in text]
    assert f"over {EARLY_BYTES_MAX} bytes" in line


def test_a_channel_that_does_not_get_on_may_not_talk_either(served: Served, said: list[str]) -> None:
    receiver(served)
    with Partner(served.port) as partner:
        partner.agree()
        with suppress(ConnectionError):
            partner.send(PLAIN_NO_ANSWER * MANY)
            while partner.receive() is not None:
                pass
    wait_until(lambda: not served.event_loop.sockets)
    (line,) = [text for text in said if "has not logged in" in text]
    assert "TO.QM1" in line and "127.0.0.1(" in line


def test_failed_log_ins_leave_room_for_one_that_succeeds(served: Served) -> None:
    with Peer(served.port) as peer:
        peer.negotiate()
        peer.send(frame(Type.USERID_DATA, session_flows.pack_user("peer"), 1) * (EARLY_FLOWS_MAX - 10))
        peer.send(HEARTBEAT)
        take(peer.socket, len(HEARTBEAT))
        assert only_link(served).takes_more


# Turns


@pytest.mark.parametrize("exits", [False, True])
def test_heartbeats_of_a_client_are_answered_in_turns(served: Served, exits: bool) -> None:
    channel = "SYSTEM.DEF.SVRCONN"
    if exits:
        channel = "EXITS.SVRCONN"
        define(served, "CHANNEL", channel, CHLTYPE="SVRCONN", RCVEXIT=[has_exits(served)])
    with Peer(served.port, channel=channel) as peer:
        peer.connect()
        counters = only_link(served).counters
        with watched(served, lambda: counters.calls) as steps:
            peer.send(HEARTBEAT * MANY)
            take(peer.socket, MANY * len(HEARTBEAT))
            wait_until(lambda: sum(steps) == MANY)
        assert max(steps) <= FLOWS_A_TURN
        peer.open(QUEUE, C.MQOO_OUTPUT)  # and it goes on


def test_segments_that_complete_nothing_are_taken_apart_in_turns(served: Served) -> None:
    with Peer(served.port) as peer:
        peer.connect()
        link = only_link(served)
        begun = frame(Type.MQPUT, b"", 1, flags=FIRST) + frame(Type.MQPUT, b"", 1, flags=0) * MANY
        with watched(served, lambda: link._reader._partial_bytes) as steps:
            peer.send(begun)
            wait_until(lambda: link._reader._partial_bytes >= MANY * 64)
        assert max(steps) <= FLOWS_A_TURN * 64 + 1024


def test_long_calls_are_run_in_turns(served: Served) -> None:
    with Peer(served.port) as peer:
        peer.connect()
        hobj = peer.open(QUEUE, C.MQOO_OUTPUT)
        size, count = 20_000, 60
        manager = served.event_loop.manager
        with watched(served, lambda: manager.depth(QUEUE)) as steps:
            peer.send(put_flow(hobj, bytes(size), C.MQPMO_NO_SYNCPOINT | C.MQPMO_ASYNC_RESPONSE) * count)
            wait_until(lambda: sum(steps) == count)
        assert max(steps) <= BYTES_A_TURN // size + 1


def test_calls_behind_a_get_that_waits_are_run_in_turns(served: Served) -> None:
    with Peer(served.port) as peer, libremq.connect(served.url("local")) as qm:
        qm.define_local("OTHER.Q")
        peer.connect()
        hobj = peer.open(QUEUE, C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT)
        other = peer.open("OTHER.Q", C.MQOO_OUTPUT)
        manager = served.event_loop.manager
        put = put_flow(other, b"x", C.MQPMO_NO_SYNCPOINT | C.MQPMO_ASYNC_RESPONSE)
        peer.send(get_flow(hobj, C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, 60_000) + put * MANY)
        (link,) = [link for link in served.event_loop.links if not link.local]
        wait_until(lambda: served.in_loop(lambda: len(link.conversations[1]._backlog)) == MANY)
        with watched(served, lambda: manager.depth("OTHER.Q")) as steps:
            qm.put(QUEUE, "that is what it waits for")
            wait_until(lambda: sum(steps) == MANY)
        assert max(steps) <= FLOWS_A_TURN


@pytest.mark.parametrize("exits", [False, True])
def test_heartbeats_of_a_partner_are_answered_in_turns(served: Served, exits: bool) -> None:
    receiver(served, RCVEXIT=[has_exits(served)] if exits else [])
    with Partner(served.port) as partner:
        partner.agree()
        partner.resynchronise()
        link = only_message_link(served)
        with watched(served, lambda: link._reader._complete) as steps:
            partner.send(PLAIN_HEARTBEAT * MANY)
            take(partner.socket, MANY * len(PLAIN_HEARTBEAT))
            wait_until(lambda: sum(steps) == MANY)
        assert max(steps) <= FLOWS_A_TURN
        partner.send(message_channel.close_channel())
        while partner.receive() is not None:
            pass


def test_long_messages_of_a_partner_are_taken_in_turns(served: Served) -> None:
    receiver(served)
    size, count = 20_000, 60
    md = MQMD(Version=2, Persistence=C.MQPER_NOT_PERSISTENT, Priority=0, MsgId=b"m" * 24)
    data = transmission_frame(QUEUE, "QM1", md, bytes(size), 1208)
    fast = message_channel.pack_message(data, sequence=0, luwid=NO_LUWID, max_segment=32_000)
    with Partner(served.port) as partner:
        partner.agree()
        partner.resynchronise()
        manager = served.event_loop.manager
        with watched(served, lambda: manager.depth(QUEUE)) as steps:
            partner.send(b"".join(fast) * count)
            wait_until(lambda: sum(steps) == count)
        assert max(steps) <= BYTES_A_TURN // size + 1


def test_a_link_that_read_much_lets_others_have_their_turn(served: Served) -> None:
    """What one read brings is no measure: a loop may read on at once, as long as there is something."""
    with Peer(served.port) as peer:
        peer.connect()
        link = only_link(served)
        part = frame(Type.MQPUT, bytes(30_000), 1, flags=0)

        async def two_reads() -> tuple[bool, bool]:
            link.data_received(frame(Type.MQPUT, bytes(1000), 1, flags=FIRST) + part * (BYTES_A_TURN // 30_000 + 1))
            rests = not link._transport.is_reading()  # type: ignore[union-attr]
            while link._goes_on:
                await asyncio.sleep(0)
            return rests, link._transport.is_reading()  # type: ignore[union-attr]

        assert served.run(two_reads()) == (True, True)


def test_what_was_sent_before_a_reset_is_run_once_and_no_more_is_made_of_it(served: Served) -> None:
    """A link that ends in the middle of its turns is over."""
    with Peer(served.port) as peer:
        peer.connect()
        peer.send(HEARTBEAT * MANY)
        peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wait_until(lambda: not served.event_loop.links and not served.event_loop.sockets)
    assert served.in_loop(lambda: served.event_loop.buffered_bytes) == 0
