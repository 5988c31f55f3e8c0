"""Peers that do not read, do not go on, or do not stop: others are served meanwhile, and what is kept is bounded."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from helper_peers import Peer, batch_flow, get_flow, held_bytes, put_flow, wait_until

import libremq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQPMO
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import calls
from libremq.wire.extensions import callback_call
from libremq.wire.messages import NEXT_CALL, Request, pack_request
from libremq.wire.protocol import FIRST, Type
from libremq.wire.segments import frame, frame_plain

QUEUE, OTHER = "SLOW.Q", "OTHER.Q"
INPUT = C.MQOO_INPUT_SHARED | C.MQOO_BROWSE
ONE_MB = 1 << 20
WRITE_HIGH = ONE_MB  # of the server: beyond that it makes nothing more for a peer
SOCKET_BYTES = 8 * ONE_MB  # what the system may keep for a socket on loopback
BROWSE_FIRST = C.MQGMO_BROWSE_FIRST | C.MQGMO_NO_SYNCPOINT


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE, MAXDEPTH=100_000)
            qm.define_local(OTHER)
        yield served
        # A socket that never said anything is no link: that it is gone is noticed a moment later
        loop = served.event_loop
        wait_until(lambda: not loop.links and not loop.sockets and not loop.connection_count(), "all are gone")
        assert (served.event_loop.buffered_bytes, served.event_loop.instances) == (0, {})
        assert not served.event_loop.failed.done()


def fill(served: Served, count: int, size: int) -> None:
    with libremq.connect(served.url("local")) as qm, qm.queue(QUEUE) as queue:
        for start in range(0, count, 100):
            queue.put_many([bytes(size)] * min(100, count - start), persistent=False)


def check_others(served: Served) -> None:
    """Somebody else connects, puts, gets in a unit of work and commits."""
    for binding in ("mq", "local"):
        with libremq.connect(served.url(binding)) as qm, qm.queue(OTHER) as queue:
            for text in ("one", "two", "three"):
                queue.put(text)
            with qm.transaction():
                assert [queue.get().text for _ in range(3)] == ["one", "two", "three"]


def stops(served: Served) -> None:
    """The server has noticed that a peer does not read."""
    wait_until(lambda: served.in_loop(lambda: any(link.paused for link in served.event_loop.links)), "the peer is full")


@contextmanager
def slow(served: Served) -> Iterator[tuple[Peer, int]]:
    with Peer(served.port, small_buffer=True) as peer:
        peer.connect()
        yield peer, peer.open(QUEUE, INPUT | C.MQOO_OUTPUT)


def test_a_peer_that_asks_for_long_messages_and_does_not_read(served: Served) -> None:
    """A hundred requests for four megabytes each, all at once: the second is run when the first was taken."""
    fill(served, 1, 4 * ONE_MB - 1000)
    with slow(served) as (peer, hobj):
        peer.send(get_flow(hobj, BROWSE_FIRST) * 100)
        stops(served)
        check_others(served)
        assert held_bytes(served) < SOCKET_BYTES + 2 * 4 * ONE_MB
        for _ in range(100):
            reply = peer.answer()
            assert reply.kind == Type.MQGET + 0x10 and len(reply.body) > 4 * ONE_MB - 1000
        check_others(served)


def test_a_batch_stops_while_its_peer_does_not_read(served: Served) -> None:
    """Messages stay on the queue until there is room for them; then all come, in their order."""
    count, size = 3000, 10_000
    fill(served, count, size)
    with slow(served) as (peer, hobj):
        peer.send(batch_flow(hobj, count))
        stops(served)
        check_others(served)
        assert held_bytes(served) < 2 * WRITE_HIGH + 2 * size + 70_000
        with libremq.connect(served.url("local")) as qm:
            assert qm.queue(QUEUE).depth > count - (SOCKET_BYTES + WRITE_HIGH) // size
        got = 0
        while (flow := peer.answer()).kind == Type.ASYNC_MESSAGE:
            got += 1
        assert flow.kind == Type.NOTIFICATION and got == count
        assert calls.unpack_api(peer_commit(peer)).reason == C.MQRC_NONE


def peer_commit(peer: Peer) -> bytes:
    peer.send(frame(Type.MQCMIT, calls.pack_api(0, 0, 0), 1))
    return peer.answer().body


def test_a_batch_in_a_unit_of_work_that_is_never_read_goes_back(served: Served) -> None:
    count = 2000
    fill(served, count, 10_000)
    with slow(served) as (peer, hobj):
        peer.send(batch_flow(hobj, count, C.MQGMO_SYNCPOINT) + batch_flow(hobj, count, C.MQGMO_SYNCPOINT))
        stops(served)
        check_others(served)
    wait_until(lambda: served.event_loop.connection_count() == 0)
    with libremq.connect(served.url("local")) as qm, qm.queue(QUEUE) as queue:
        assert queue.depth == count


def test_many_batches_asked_for_at_once(served: Served) -> None:
    fill(served, 2000, 10_000)
    with slow(served) as (peer, hobj):
        peer.send(batch_flow(hobj, 10_000, BROWSE_FIRST) * 50)
        stops(served)
        check_others(served)
        assert held_bytes(served) < 2 * WRITE_HIGH + 70_000


def test_persistent_messages_of_a_batch_wait_for_the_log_in_bounds(served: Served) -> None:
    """Gets outside a unit of work are logged: what waits for the force counts, too."""
    count, size = 600, 20_000
    with libremq.connect(served.url("local")) as qm, qm.queue(QUEUE) as queue:
        for start in range(0, count, 100):
            queue.put_many([f"{start + i}".encode().ljust(size) for i in range(100)], persistent=True)
    with slow(served) as (peer, hobj):
        peer.send(batch_flow(hobj, count))
        stops(served)
        check_others(served)
        assert held_bytes(served) < 2 * WRITE_HIGH + 2 * size + 70_000
        got = 0
        while peer.answer().kind == Type.ASYNC_MESSAGE:
            got += 1
        assert got == count


def test_a_consumer_that_does_not_read(served: Served) -> None:
    """It asks for the next call again and again, and takes none of them."""
    fill(served, 500, 50_000)
    following = frame(Type.REQUEST_MSGS, pack_request(Request(0, flags=NEXT_CALL)), 1)
    with slow(served) as (peer, hobj):
        cbd = MQCBD(CallbackType=C.MQCBT_MESSAGE_CONSUMER)
        gmo = MQGMO(Version=4, Options=C.MQGMO_NO_SYNCPOINT | C.MQGMO_NO_PROPERTIES)
        peer.call(Type.EXTENSION, callback_call(C.MQOP_REGISTER, cbd, hobj, MQMD(), gmo, function=True))
        peer.send(frame(Type.EXTENSION, calls.pack_extension("control", {"operation": C.MQOP_START}), 1))
        peer.send(following * 500)
        stops(served)
        check_others(served)
        assert held_bytes(served) < 2 * WRITE_HIGH
        got = 0
        while got < 500:
            got += peer.answer().kind == Type.ASYNC_MESSAGE


def test_a_flood_of_requests_whose_replies_are_not_read(served: Served) -> None:
    """It is not read from while its replies are not taken, so the flood stops at its own end."""
    with slow(served) as (peer, hobj):
        inquire = frame(Type.MQINQ, calls.pack_inquire(hobj, [C.MQCA_Q_NAME] * 100), 1)
        peer.socket.settimeout(0.5)
        sent = 0
        with pytest.raises(TimeoutError):
            while sent < 400 * ONE_MB:
                sent += peer.socket.send(inquire * 100)
        peer.socket.settimeout(60)
        check_others(served)
        assert held_bytes(served) < 2 * WRITE_HIGH + ONE_MB


def test_a_peer_that_is_refused_and_does_not_read_goes_all_the_same(served: Served) -> None:
    """What was written would never leave: the socket is closed without waiting for that for ever."""
    fill(served, 1, 4 * ONE_MB - 1000)
    with slow(served) as (peer, hobj):
        peer.send(get_flow(hobj, BROWSE_FIRST) + b"this is no segment")
        wait_until(lambda: not served.event_loop.links, "the peer is gone")
        check_others(served)


def test_a_peer_that_has_ended_its_side_and_does_not_read(served: Served) -> None:
    fill(served, 1, 4 * ONE_MB - 1000)
    with slow(served) as (peer, hobj):
        peer.send(put_flow(hobj, b"x", C.MQPMO_SYNCPOINT) + get_flow(hobj, BROWSE_FIRST) * 9)
        peer.socket.shutdown(socket.SHUT_WR)
        stops(served)
        check_others(served)
    wait_until(lambda: not served.event_loop.links, "the peer is gone")


@pytest.mark.parametrize("already_said", ["nothing", "half a header", "half a segment", "half a flow", "half a call"])
def test_half_open_peers(served: Served, already_said: str) -> None:
    with Peer(served.port) as peer:
        if already_said == "half a header":
            peer.send(b"TSH \0\0")
        elif already_said == "half a segment":
            peer.send(frame_plain(Type.INITIAL_DATA, bytes(240))[:100])
        elif already_said == "half a flow":
            peer.connect()
            peer.send(frame(Type.MQPUT, bytes(30_000), 1, flags=FIRST))
        elif already_said == "half a call":
            peer.connect()
            hobj = peer.open(QUEUE, C.MQOO_OUTPUT)
            peer.send(put_flow(hobj, bytes(ONE_MB))[: ONE_MB // 2])
            wait_until(lambda: served.event_loop.buffered_bytes > ONE_MB // 4)
        check_others(served)


def test_calls_that_waited_are_not_counted_when_they_have_been_run(served: Served) -> None:
    with slow(served) as (peer, hobj):
        peer.send(get_flow(hobj, C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, 60_000) + put_flow(hobj, bytes(ONE_MB)) * 3)
        wait_until(lambda: served.event_loop.buffered_bytes > 3 * ONE_MB)
        with libremq.connect(served.url("local")) as qm:
            qm.put(QUEUE, "that is what it waits for")
        assert peer.answer().kind == Type.MQGET + 0x10
        for _ in range(3):
            assert peer.answer().kind == Type.MQPUT + 0x10
        wait_until(lambda: served.event_loop.buffered_bytes == 0, "nothing waits any more")


def test_thousands_of_puts_behind_a_get_that_waits(served: Served) -> None:
    """Nobody waits for their outcome, so a program may send as many as it likes."""
    with slow(served) as (peer, hobj):
        put = put_flow(hobj, b"x", C.MQPMO_NO_SYNCPOINT | C.MQPMO_ASYNC_RESPONSE)
        peer.send(get_flow(hobj, C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, 60_000) + put * 5000)
        wait_until(lambda: served.event_loop.buffered_bytes > 5000 * 500)
        with libremq.connect(served.url("local")) as qm, qm.queue(QUEUE) as queue:
            queue.put("that is what it waits for")
            assert peer.answer().kind == Type.MQGET + 0x10
            assert calls.unpack_api(peer_commit(peer)).reason == C.MQRC_NONE
            assert queue.depth == 5000


def test_calls_that_waited_are_run_as_the_peer_takes_their_answers(served: Served) -> None:
    """A hundred requests for four megabytes each, behind a get that waits: when it is answered, not all are run."""
    with slow(served) as (peer, hobj), libremq.connect(served.url("local")) as qm:
        qm.put(OTHER, bytes(4 * ONE_MB - 1000))
        waited = get_flow(hobj, C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, 60_000)
        other = peer.open(OTHER, C.MQOO_BROWSE)
        peer.send(waited + get_flow(other, BROWSE_FIRST) * 100)
        wait_until(lambda: served.event_loop.buffered_bytes > 100 * 500)
        qm.put(QUEUE, "that is what it waits for")
        stops(served)
        qm.queue(QUEUE).put("goes on")
        assert held_bytes(served) < SOCKET_BYTES + 2 * 4 * ONE_MB
        assert b"that is what it waits for" in peer.answer().body
        for _ in range(100):
            assert len(peer.answer().body) > 4 * ONE_MB - 1000


def in_a_second(served: Served) -> libremq.QueueManager:
    """A client that gives up on connecting after a second; a busy machine may need more than one attempt."""
    made: list[libremq.QueueManager] = []

    def connected() -> bool:
        with suppress(MQError):
            made.append(libremq.connect(served.url("local", connect_timeout=1)))
        return bool(made)

    wait_until(connected, "a connection")
    return made[0]


def test_a_client_that_sends_a_long_message_to_a_server_that_is_slow_to_read(served: Served) -> None:
    """The connect timeout is for connecting: a put may take longer than that."""
    with in_a_second(served) as qm:
        mqi = qm.mqi
        queue = qm.queue(OTHER)
        hobj = queue.handle("output")
        done = threading.Event()

        def put() -> None:
            mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), bytes(4 * ONE_MB))
            done.set()

        with served.event_loop.lock:  # the loop stands still when it has the first part of the put
            thread = threading.Thread(target=put)
            thread.start()
            assert not done.wait(1.5)
        thread.join(240)
        assert done.is_set()
        assert len(queue.get().data) == 4 * ONE_MB
