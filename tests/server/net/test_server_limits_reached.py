"""Limits of a queue manager that serves: one more is refused, with its reason code, and the others go on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from helper_peers import Peer, wait_until

import libremq
from libremq.common.users_file import set_password
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQPMO, MQSTS
from libremq.server.net.event_loop import EventLoopLimits
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import calls, session_flows
from libremq.wire.protocol import FIRST, MAX_SEGMENT, Status, Type
from libremq.wire.segments import frame, frame_plain

QUEUE = "LIMITS.Q"
SMALL = 10_000


@contextmanager
def serving(folder: Path, **limits: float) -> Iterator[Served]:
    with served_queue_manager(folder=folder / "libremq", limits=EventLoopLimits(**limits)) as served:  # type: ignore[arg-type]
        yield served


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
        yield served


def refused(url: str) -> MQError:
    with pytest.raises(MQError) as caught:
        libremq.connect(url).queue(QUEUE).depth  # noqa: B018
    return caught.value


def define_channel(served: Served, name: str, **attributes: object) -> None:
    with libremq.connect(served.url("local")) as qm:
        qm.define("CHANNEL", name, CHLTYPE="SVRCONN", **attributes)


# Connections


def test_one_connection_more_than_there_may_be(tmp_path: Path) -> None:
    with serving(tmp_path, connections_max=3) as served, libremq.connect(served.url("local")) as qm:
        qm.define_local(QUEUE)
        others = [libremq.connect(served.url("mq")) for _ in range(2)]
        for other in others:
            assert other.queue(QUEUE).depth == 0
        assert qm.queue(QUEUE).depth == 0
        error = refused(served.url("mq"))
        assert error.reason == C.MQRC_MAX_CONNS_LIMIT_REACHED and "3" in error.detail
        assert refused(served.url("local")).reason == C.MQRC_MAX_CONNS_LIMIT_REACHED
        others[0].close()
        wait_until(lambda: served.event_loop.connection_count() == 2)
        with libremq.connect(served.url("mq")) as again:
            assert again.queue(QUEUE).depth == 0
        others[1].close()


def test_connections_whose_passwords_are_checked_at_the_same_time(tmp_path: Path) -> None:
    """The limit holds also when many ask before the first of them is in."""
    with serving(tmp_path, connections_max=2) as served:
        set_password(served.event_loop.manager.core.files, served.event_loop.folder, "app", "secret")
        url = served.url("mq").replace("mq://", "mq://app:secret@")
        peers = [Peer(served.port).negotiate() for _ in range(6)]
        for peer in peers:
            body = session_flows.pack_connect(session_flows.Connect("", "many", C.MQAT_UNIX))
            credentials = frame(Type.CONAUTH_INFO, session_flows.pack_credentials("app", "secret"), 1)
            peer.send(credentials + frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, 1))
        reasons = []
        for peer in peers:
            while (flow := peer.answer()).kind != Type.MQCONN + 0x10:
                pass
            reasons.append(calls.unpack_api(flow.body).reason)
        assert sorted(reasons) == [0, 0] + [C.MQRC_MAX_CONNS_LIMIT_REACHED] * 4
        assert refused(url).reason == C.MQRC_MAX_CONNS_LIMIT_REACHED
        for peer in peers:
            peer.socket.close()


def test_one_socket_more_than_there_may_be(tmp_path: Path) -> None:
    """It is told so, if it speaks."""
    with serving(tmp_path, links_max=3) as served, libremq.connect(served.url("local")) as qm:
        qm.define_local(QUEUE)
        peers = [Peer(served.port).connect() for _ in range(2)]
        error = refused(served.url("mq"))
        assert error.reason == C.MQRC_CHANNEL_NOT_AVAILABLE
        assert qm.queue(QUEUE).depth == 0
        peers.pop().socket.close()
        wait_until(lambda: served.event_loop.sockets == 2)
        with libremq.connect(served.url("mq")) as again:
            assert again.queue(QUEUE).depth == 0
        peers.pop().socket.close()


def test_instances_of_a_channel(served: Served) -> None:
    define_channel(served, "FEW.SVRCONN", MAXINST=2)
    url = served.url("mq", channel="FEW.SVRCONN", sharing=1)
    with libremq.connect(url) as one, libremq.connect(url) as two:
        assert one.queue(QUEUE).depth == two.queue(QUEUE).depth == 0
        error = refused(url)
        assert error.reason == C.MQRC_CHANNEL_NOT_AVAILABLE and error.object_name == "FEW.SVRCONN"
        with libremq.connect(served.url("mq")) as other:
            assert other.queue(QUEUE).depth == 0
    wait_until(lambda: not served.event_loop.instances)
    with libremq.connect(url) as again:
        assert again.queue(QUEUE).depth == 0


def test_instances_of_a_channel_from_one_address(served: Served) -> None:
    define_channel(served, "FROM.SVRCONN", MAXINST=5, MAXINSTC=1)
    url = served.url("mq", channel="FROM.SVRCONN", sharing=1)
    with libremq.connect(url) as one:
        assert one.queue(QUEUE).depth == 0
        assert refused(url).reason == C.MQRC_CHANNEL_NOT_AVAILABLE
        with libremq.connect(served.url("mq")) as other:
            assert other.queue(QUEUE).depth == 0
    wait_until(lambda: not served.event_loop.instances)


def test_a_channel_that_is_not_there_or_is_of_another_type(served: Served) -> None:
    assert refused(served.url("mq", channel="NO.SUCH.CHANNEL")).reason == C.MQRC_UNKNOWN_CHANNEL_NAME


# Time


def shorten_handshakes(served: Served) -> None:
    """For a peer that has come as far as it is to come: however long that took, it was in time."""
    served.event_loop.limits = replace(served.event_loop.limits, handshake_s=0.2)


@pytest.mark.parametrize("said", ["nothing", "one byte", "initial data", "TLS"])
def test_who_does_not_connect_in_time_is_shown_out(tmp_path: Path, said: str) -> None:
    with serving(tmp_path, handshake_s=60 if said == "initial data" else 0.5) as served:
        with Peer(served.port) as peer:
            if said == "one byte":
                peer.send(b"T")
            elif said == "initial data":
                peer.negotiate()
                shorten_handshakes(served)
            elif said == "TLS":
                peer.send(b"\x16\x03\x01\x02\x00")
                while peer.socket.recv(100):  # an alert: this queue manager has no certificate
                    pass
            while peer.receive() is not None:
                pass
        wait_until(lambda: served.event_loop.sockets == 0 and not served.event_loop.links)


def test_who_keeps_talking_without_connecting_is_shown_out_too(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        with Peer(served.port) as peer:
            peer.negotiate()
            shorten_handshakes(served)
            peer.socket.settimeout(0.05)
            heartbeat = frame(Type.HEARTBEAT, b"", 1)
            with pytest.raises((ConnectionError, EOFError)):
                while True:
                    peer.send(heartbeat)
                    try:
                        if not peer.socket.recv(4096):
                            raise EOFError
                    except TimeoutError:
                        pass
        wait_until(lambda: served.event_loop.sockets == 0)


def test_who_is_connected_may_take_as_long_as_he_likes(tmp_path: Path) -> None:
    with serving(tmp_path) as served, Peer(served.port) as peer:
        peer.connect()
        shorten_handshakes(served)
        ticks = served.event_loop.loop.time()
        wait_until(lambda: served.event_loop.loop.time() > ticks + 2.5)
        assert served.event_loop.connection_count() == 1


# Handles


def test_more_handles_than_maxhands(served: Served) -> None:
    with libremq.connect(served.url("local")) as qm:
        qm.alter("QMGR", "", MAXHANDS=5)
    with libremq.connect(served.url("mq")) as qm:
        mqi = qm.mqi
        handles = [mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_OUTPUT) for _ in range(5)]
        with pytest.raises(MQError) as caught:
            mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_OUTPUT)
        assert caught.value.reason == C.MQRC_HANDLE_NOT_AVAILABLE
        mqi.MQCLOSE(handles.pop())
        mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_OUTPUT)


# Lengths


@pytest.fixture
def small(served: Served) -> str:
    """A channel that carries messages of 10 000 bytes."""
    define_channel(served, "SMALL.SVRCONN", MAXMSGL=SMALL)
    return served.url("mq", channel="SMALL.SVRCONN")


def test_a_message_that_is_too_long_for_the_channel_is_not_sent(served: Served, small: str) -> None:
    """2010, whichever way it is put; and the connection stays."""
    with libremq.connect(small) as qm, qm.queue(QUEUE) as queue:
        queue.put(bytes(SMALL))
        ways = (
            lambda: queue.put(bytes(SMALL + 1)),
            lambda: qm.put(QUEUE, bytes(SMALL + 1)),
            lambda: queue.put_many([b"short", bytes(SMALL + 1)]),
            lambda: queue.put(bytes(20 * SMALL)),
        )
        for way in ways:
            with pytest.raises(MQError) as caught:
                way()
            assert caught.value.reason == C.MQRC_DATA_LENGTH_ERROR
            assert caught.value.object_name == "SMALL.SVRCONN"
        assert queue.depth == 1
        assert len(queue.get().data) == SMALL


def test_an_asynchronous_put_that_is_too_long_for_the_channel(served: Served, small: str) -> None:
    with libremq.connect(small) as qm:
        hobj = qm.mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_OUTPUT)
        with pytest.raises(MQError) as caught:
            qm.mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_ASYNC_RESPONSE), bytes(SMALL + 1))
        assert caught.value.reason == C.MQRC_DATA_LENGTH_ERROR
        sts = MQSTS()
        qm.mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, sts)
        assert (sts.PutSuccessCount, sts.PutFailureCount) == (0, 0)


@pytest.mark.parametrize("limit", ["channel", "client"])
def test_a_message_on_the_queue_that_is_too_long_for_the_channel(served: Served, small: str, limit: str) -> None:
    """It stays there; its reader hears 2010, and can get others by their ids."""
    url = small if limit == "channel" else served.url("mq", max_message=SMALL)
    with libremq.connect(served.url("local")) as other, other.queue(QUEUE) as queue:
        queue.put(bytes(SMALL + 1))
        short = queue.put("short")
    with libremq.connect(url) as qm, qm.queue(QUEUE) as queue:
        for way in (queue.get, lambda: queue.get(wait=5), lambda: queue.get_many(2)):
            with pytest.raises(MQError) as caught:
                way()
            assert caught.value.reason == C.MQRC_DATA_LENGTH_ERROR, way
        assert queue.depth == 2
        assert queue.get(message_id=short).text == "short"
        hobj = qm.mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_INPUT_SHARED)
        got = qm.mqi.MQGET(hobj, MQMD(), MQGMO(Options=C.MQGMO_ACCEPT_TRUNCATED_MSG | C.MQGMO_NO_SYNCPOINT), 100)
        assert got is not None and queue.depth == 0


def test_a_get_that_waits_for_a_message_that_is_too_long_for_the_channel(served: Served, small: str) -> None:
    with libremq.connect(small) as qm, libremq.connect(served.url("local")) as other:
        queue = qm.queue(QUEUE)
        reasons: list[int] = []

        def get() -> None:
            try:
                queue.get(wait=60)
            except MQError as error:
                reasons.append(error.reason)

        thread = threading.Thread(target=get)
        thread.start()
        wait_until(lambda: len(served.event_loop.manager.core.waiters) == 1)
        other.put(QUEUE, bytes(SMALL + 1))
        thread.join(60)
        assert reasons == [C.MQRC_DATA_LENGTH_ERROR]
        assert queue.depth == 1


def test_a_batch_ends_before_a_message_that_is_too_long_for_the_channel(served: Served, small: str) -> None:
    with libremq.connect(served.url("local")) as other, other.queue(QUEUE) as queue:
        for data in (b"one", b"two", bytes(SMALL + 1), b"three"):
            queue.put(data)
    with libremq.connect(small) as qm, qm.queue(QUEUE) as queue:
        assert [message.data for message in queue.get_many(10)] == [b"one", b"two"]
        with pytest.raises(MQError) as caught:
            queue.get_many(10)
        assert caught.value.reason == C.MQRC_DATA_LENGTH_ERROR


def test_a_consumer_of_a_message_that_is_too_long_for_the_channel(served: Served, small: str) -> None:
    """It is called with a part of it, and the message stays."""
    with libremq.connect(served.url("local")) as other:
        other.put(QUEUE, bytes(SMALL + 1))
    called = threading.Event()
    seen: list[tuple[int, int]] = []

    def take(md: object, gmo: object, data: bytes | None, cbc: object) -> None:
        seen.append((len(data or b""), cbc.Reason))  # type: ignore[attr-defined]
        called.set()

    with libremq.connect(small) as qm:
        mqi = qm.mqi
        hobj = mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_INPUT_SHARED)
        mqi.binding.callback(C.MQOP_REGISTER, MQCBD(), take, hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
        mqi.MQCTL(C.MQOP_START)
        assert called.wait(60)
        mqi.MQCTL(C.MQOP_STOP)
        assert seen[0] == (SMALL, C.MQRC_TRUNCATED_MSG_FAILED)


def test_a_segment_that_is_longer_than_agreed_ends_the_channel(served: Served) -> None:
    with Peer(served.port) as peer:
        peer.connect()
        peer.send(frame(Type.MQPUT, bytes(MAX_SEGMENT), 1))
        flow = peer.answer()
        assert flow.kind == Type.STATUS_DATA
        assert session_flows.unpack_status(flow.body) == Status.PROTOCOL_LENGTH_ERROR
        assert peer.receive() is None
    wait_until(lambda: not served.event_loop.links)


def test_a_flow_that_is_longer_than_the_channel_carries_ends_it(served: Served, small: str) -> None:
    with Peer(served.port, channel="SMALL.SVRCONN") as peer:
        peer.connect()
        piece = frame(Type.MQPUT, bytes(30_000), 1, flags=0)
        peer.send(frame(Type.MQPUT, bytes(30_000), 1, flags=FIRST) + piece * 3)
        flow = peer.answer()
        assert session_flows.unpack_status(flow.body) == Status.MESSAGE_LENGTH_ERROR
        assert peer.receive() is None


def test_nothing_long_is_taken_from_who_has_not_said_who_he_is(served: Served) -> None:
    with Peer(served.port) as peer:
        peer.send(frame_plain(Type.MQPUT, bytes(60_000), flags=FIRST) * 3)
        while peer.receive() is not None:
            pass
    wait_until(lambda: not served.event_loop.links and served.event_loop.buffered_bytes == 0)
