"""Long messages that clients put: others are served between their parts, and whatever becomes of them, it is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helper_peers import LIMIT_S, Peer, put_flow, wait_until
from helper_power_cut import site

import libremq
from libremq.kernel.manager import QueueManager
from libremq.kernel.state.core import Core
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import calls
from libremq.wire.protocol import MAX_SEGMENT, REPLY, Type
from libremq.wire.segments import LongFlow, SegmentReader, frame

LONG, PART = 100_000, 10_000
DATA = bytes(range(256)) * 2_000  # 52 parts, and eight segments
PERSISTENT = C.MQPER_PERSISTENT


def shorten(core: Core) -> None:
    core.long_bytes, core.part_bytes = LONG, PART


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        shorten(served.embedded.manager.core)
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("LONG.Q")
            qm.define_local("OTHER.Q")
        yield served


class Watched:
    """Counts the parts of puts, and does something before each, in the loop."""

    def __init__(self, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
        self.parts = 0
        self.between: Callable[[], None] = lambda: None
        self.waits: Callable[[], bool] = lambda: False  # a turn passes in which nothing is logged
        go_on = QueueManager.go_on_with_put

        def noted(manager: QueueManager, long_put: Any) -> None:
            self.between()
            if not self.waits():
                self.parts += 1
                go_on(manager, long_put)

        monkeypatch.setattr(QueueManager, "go_on_with_put", noted)


@pytest.fixture
def watched(served: Served, monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(served, monkeypatch)


def _units(served: Served) -> int:
    return served.in_loop(lambda: len(served.embedded.manager.core.units))


def _is_over(served: Served) -> bool:
    core = served.embedded.manager.core
    return served.in_loop(lambda: not core.long_puts and not core.units)


@pytest.mark.parametrize("binding", ["mq", "local"])
@pytest.mark.parametrize("way", ["put", "put1", "syncpoint", "several", "properties"])
def test_a_long_message_is_put_in_parts(served: Served, watched: Watched, binding: str, way: str) -> None:
    with libremq.connect(served.url(binding)) as qm:
        if way == "put1":
            qm.put("LONG.Q", DATA, persistent=True)
        else:
            with qm.queue("LONG.Q") as queue:
                if way == "syncpoint":
                    with qm.transaction():
                        queue.put(DATA, persistent=True)
                elif way == "several":
                    queue.put_many([DATA, b"x"], persistent=True)
                elif way == "properties":
                    queue.put(DATA, persistent=True, properties={"colour": "red", "size": 7})
                else:
                    queue.put(DATA, persistent=True)
        assert watched.parts == len(DATA) // PART + 1
        with qm.queue("LONG.Q") as queue:
            found = queue.get()
            assert found.data == DATA
            if way == "properties":
                assert dict(found.properties) == {"colour": "red", "size": 7}
    assert _is_over(served)


def test_one_that_is_not_persistent_is_put_at_once(served: Served, watched: Watched) -> None:
    with libremq.connect(served.url()) as qm, qm.queue("LONG.Q") as queue:
        queue.put(DATA, persistent=False)
        queue.put(DATA, persistent=False, properties={"colour": "red"})
        queue.put(DATA[: LONG - 1], persistent=True)
        assert [message.data for message in queue.get_many(3)] == [DATA, DATA, DATA[: LONG - 1]]
    assert not watched.parts


def test_others_are_served_between_the_parts(served: Served, watched: Watched) -> None:
    """The put goes on at these parts when another client was answered: it would never, if that had to wait for it."""
    at = {10, 20, 30}
    answered = 0

    def others() -> None:
        nonlocal answered
        with libremq.connect(served.url()) as qm, qm.queue("OTHER.Q") as queue:
            for _ in at:
                queue.put(b"x", persistent=True)
                answered += 1

    thread = threading.Thread(target=others)
    watched.waits = lambda: watched.parts in at and answered < sorted(at).index(watched.parts) + 1

    def begin() -> None:
        if not watched.parts and not thread.ident:
            thread.start()

    watched.between = begin
    with libremq.connect(served.url()) as qm:
        qm.put("LONG.Q", DATA, persistent=True)
    thread.join()
    assert answered == 3 and watched.parts == len(DATA) // PART + 1


def test_calls_of_the_same_connection_keep_their_order(served: Served, watched: Watched) -> None:
    with Peer(served.port) as peer:
        peer.connect()
        hobj = peer.open("LONG.Q", C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED)
        peer.send(
            put_flow(hobj, DATA, persistence=PERSISTENT)
            + put_flow(hobj, b"second", persistence=PERSISTENT)
            + put_flow(hobj, DATA[::-1], persistence=PERSISTENT)
            + put_flow(hobj, b"fourth", persistence=PERSISTENT)
        )
        for _ in range(4):
            assert calls.unpack_api(peer.answer().body).reason == C.MQRC_NONE
    with libremq.connect(served.url()) as qm, qm.queue("LONG.Q") as queue:
        assert [message.data for message in queue.get_many(5)] == [DATA, b"second", DATA[::-1], b"fourth"]


@pytest.mark.parametrize("binding", ["embedded", "mq"])
@pytest.mark.parametrize("way", ["put", "put1", "syncpoint"])
def test_what_was_answered_survives_a_power_cut(tmp_path: Path, binding: str, way: str) -> None:
    with site(binding, tmp_path) as here:
        here.inside(lambda manager: shorten(manager.core))
        options = C.MQPMO_SYNCPOINT if way == "syncpoint" else C.MQPMO_NO_SYNCPOINT
        if binding == "mq":  # its link reads the limit as it connects
            here.reader.disconnect()
            here.reader = here.connect_again()
        md, pmo, data = MQMD(Version=2, Persistence=PERSISTENT), MQPMO(Options=options), DATA[:200_000]
        if way == "put1":
            here.reader.put1(MQOD(ObjectName="Q"), md, pmo, data)
        else:
            here.reader.put(here.open(C.MQOO_OUTPUT), md, pmo, data)
        if way == "syncpoint":
            assert here.after_power_cut() == []
            here.reader.commit()
        assert here.inside(lambda manager: manager.core.log.tail) > 200_000
        assert here.after_power_cut() == [data]


@pytest.mark.parametrize("way", ["put", "put1"])
def test_a_refusal_at_the_end_reaches_the_application(served: Served, watched: Watched, way: str) -> None:
    def inhibit() -> None:
        if watched.parts == 19:
            served.embedded.manager.alter("QLOCAL", "LONG.Q", {"put": C.MQQA_PUT_INHIBITED})

    watched.between = inhibit
    with libremq.connect(served.url()) as qm, qm.queue("LONG.Q") as queue:
        with pytest.raises(MQError) as caught:
            if way == "put1":
                qm.put("LONG.Q", DATA, persistent=True)
            else:
                queue.put(DATA, persistent=True)
        assert caught.value.reason == C.MQRC_PUT_INHIBITED
        qm.put("OTHER.Q", b"goes on")
    assert _is_over(served)


def test_an_asynchronous_put_that_is_refused_is_told_by_mqstat(served: Served, watched: Watched) -> None:
    from libremq.mqi.structs import MQSTS

    def inhibit() -> None:
        if watched.parts == 19:
            served.embedded.manager.alter("QLOCAL", "LONG.Q", {"put": C.MQQA_PUT_INHIBITED})

    watched.between = inhibit
    with Peer(served.port) as peer:
        peer.connect()
        hobj = peer.open("LONG.Q", C.MQOO_OUTPUT)
        options = C.MQPMO_NO_SYNCPOINT | C.MQPMO_ASYNC_RESPONSE
        peer.send(put_flow(hobj, DATA, options, PERSISTENT) + put_flow(hobj, b"x", C.MQPMO_NO_SYNCPOINT))
        while (reply := peer.answer()).kind != Type.MQPUT + REPLY:
            pass  # what the reason is about
        assert calls.unpack_api(reply.body).reason == C.MQRC_PUT_INHIBITED  # that of the second
        sts = MQSTS()
        served.in_loop(lambda: served.embedded.manager.status(peer.hconn, C.MQSTAT_TYPE_ASYNC_ERROR, sts))
        assert (sts.PutFailureCount, sts.Reason) == (1, C.MQRC_PUT_INHIBITED)
    wait_until(lambda: _is_over(served), "its unit of work ended")


@pytest.mark.parametrize("options", [C.MQPMO_NO_SYNCPOINT, C.MQPMO_SYNCPOINT])
@pytest.mark.parametrize("parts", [0, 30])
def test_a_client_that_goes_away_in_between_has_put_nothing(
    served: Served, watched: Watched, options: int, parts: int
) -> None:
    peer = Peer(served.port).connect()
    hobj = peer.open("LONG.Q", C.MQOO_OUTPUT)
    gone = threading.Event()

    def go_away() -> None:
        if watched.parts == parts:
            for link in list(served.event_loop.links):
                if any(one.hconn == peer.hconn for one in link.conversations.values()):
                    link.abort()
                    gone.set()

    watched.between = go_away
    peer.send(put_flow(hobj, DATA, options, PERSISTENT))
    assert gone.wait(LIMIT_S)
    peer.socket.close()
    wait_until(lambda: _is_over(served), "its unit of work was backed out")
    with libremq.connect(served.url()) as qm, qm.queue("LONG.Q") as queue:
        assert queue.get_or_none() is None
    assert watched.parts < len(DATA) // PART


def test_the_end_of_the_queue_manager_in_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        shorten(served.embedded.manager.core)
        watched = Watched(served, monkeypatch)
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("LONG.Q")
        begun = threading.Event()
        watched.between = begun.set
        watched_parts: list[int] = []

        def put() -> None:
            try:
                with libremq.connect(served.url()) as qm:
                    qm.put("LONG.Q", DATA * 7, persistent=True)
            except MQError as error:
                watched_parts.append(error.reason)

        thread = threading.Thread(target=put)
        thread.start()
        assert begun.wait(LIMIT_S)
    thread.join()
    with libremq.connect(f"embedded:QM1?data={tmp_path / 'libremq'}") as qm, qm.queue("LONG.Q") as queue:
        assert (queue.get_or_none() is None) == bool(watched_parts)


def test_what_is_gathered_of_the_log_stays_bounded(tmp_path: Path) -> None:
    """Several clients put at once; the loop never forces more than the buffer and a part for each."""
    with served_queue_manager(folder=tmp_path / "libremq", log_config=LogConfig(buffer_pages=18)) as served:
        core = served.embedded.manager.core
        shorten(core)
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("LONG.Q")
        most = 0
        go_on = served.embedded.manager.go_on_with_put

        def noted(long_put: Any) -> None:
            nonlocal most
            go_on(long_put)
            most = max(most, core.log.position - core.log._batch_begin)

        served.embedded.manager.go_on_with_put = noted  # type: ignore[method-assign]

        def put() -> None:
            with libremq.connect(served.url()) as qm:
                qm.put("LONG.Q", DATA, persistent=True)

        threads = [threading.Thread(target=put) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 0 < most <= 18 * 4096 + 4 * (PART + 100)
        with libremq.connect(served.url()) as qm, qm.queue("LONG.Q") as queue:
            assert [message.data for message in queue.get_many(5)] == [DATA] * 4


def test_mqconn_and_others_do_not_wait_for_a_put_of_one_conversation(served: Served, watched: Watched) -> None:
    """Conversations that share a socket are served beside it, too."""
    with Peer(served.port) as peer:
        peer.connect()
        hobj = peer.open("LONG.Q", C.MQOO_OUTPUT)
        body = calls.pack_put1(MQOD(ObjectName="LONG.Q"), MQMD(Persistence=PERSISTENT), MQPMO(Options=4), DATA)
        peer.send(frame(Type.MQPUT1, body, 1, max_segment=MAX_SEGMENT))
        peer.send(frame(Type.HEARTBEAT, b"", 1))
        assert calls.unpack_api(peer.answer().body).reason == C.MQRC_NONE
        assert hobj
    assert watched.parts > 50


# The flow in pieces


def test_a_long_put_stays_in_pieces() -> None:
    reader = SegmentReader(MAX_SEGMENT, 1 << 24)
    reader.long_bytes = LONG
    body = calls.pack_put(7, MQMD(), MQPMO(), DATA)
    (flow,) = reader.feed(frame(Type.MQPUT, body, 1, 3, max_segment=MAX_SEGMENT))
    assert isinstance(flow, LongFlow)
    assert (flow.kind, flow.conversation, flow.request, flow.length) == (Type.MQPUT, 1, 3, len(body))
    assert b"".join(flow.pieces) == flow.body == body
    hobj, _, _, place = calls.unpack_put_front(flow.front(calls.FRONT_BYTES), flow.length)
    assert (hobj, body[place]) == (7, DATA)
    (other,) = reader.feed(frame(Type.EXTENSION, body, 1, max_segment=MAX_SEGMENT))
    assert not other.is_long and other.body == body
    (short,) = reader.feed(frame(Type.MQPUT, body[: LONG - 1], 1, max_segment=MAX_SEGMENT))
    assert not short.is_long and short.length == LONG - 1


@pytest.mark.parametrize("size", [1, 7, 100, 5000])
def test_what_is_cut_from_pieces_is_what_is_cut_from_the_whole(size: int) -> None:
    from libremq.server.net.puts_in_turns import _joined

    whole = DATA[:3000]
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    for place in (slice(0, 3000), slice(5, 2999), slice(100, 101), slice(700, 700)):
        for before in (0, 1, min(90, place.stop - place.start)):
            if before <= place.stop - place.start:
                data = whole[place]
                assert _joined(pieces, place, before) == (data[:before], data[before:])
