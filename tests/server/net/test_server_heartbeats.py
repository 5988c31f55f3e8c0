"""Heartbeats both ways: an idle line stays, a dead one is noticed at either end, and timeouts are the client's own."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helper_peers import Line, Peer, get_flow, wait_until
from helper_server import NAME
from helper_server import served as server_process

import libremq
from libremq import aio
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire.protocol import CONFIRM_REQUEST, Type
from libremq.wire.segments import frame

QUEUE = "BEAT.Q"
CHANNEL = "QUICK.SVRCONN"
SLOW_CHANNEL = "SLOW.SVRCONN"
INTERVALS = 3


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is taken for dead whose thread is only late with its answer."""
    monkeypatch.setattr("libremq.common.silence.ANSWER_MIN_S", 240.0)


@pytest.fixture
def served(tmp_path: Path, said: list[str]) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq", say=said.append) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
            qm.define("CHANNEL", CHANNEL, CHLTYPE="SVRCONN", HBINT=1)
            qm.define("CHANNEL", SLOW_CHANNEL, CHLTYPE="SVRCONN", HBINT=300)
        yield served


def quick(port: int, **keys: object) -> str:
    query = "&".join(f"{key}={value}" for key, value in {"channel": CHANNEL, "heartbeat": 1, **keys}.items())
    return f"mq://127.0.0.1:{port}/QM1?{query}"


class Beats:
    """Heartbeats that a link takes from now on, counted in the server."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._start = self._count()

    def _count(self) -> float:
        links = self._served.event_loop.links
        return self._served.in_loop(lambda: max((link.silence.heard for link in links), default=0.0))

    def seconds(self) -> float:
        """How long after the beginning something was heard last."""
        return self._count() - self._start


@pytest.mark.usefixtures("patient")
def test_an_idle_connection_stays_for_many_intervals(served: Served) -> None:
    """Nobody calls, and both ends know all the time that the other one is there."""
    with libremq.connect(quick(served.port)) as qm:
        queue = qm.queue(QUEUE)
        queue.put("before")
        beats = Beats(served)
        wait_until(lambda: beats.seconds() > INTERVALS, "heartbeats")
        assert queue.get().text == "before"


@pytest.mark.usefixtures("patient")
def test_a_get_that_waits_for_many_intervals(served: Served) -> None:
    with libremq.connect(quick(served.port)) as qm:
        queue = qm.queue(QUEUE)
        found: list[str] = []
        thread = threading.Thread(target=lambda: found.append(queue.get(wait=240).text))
        thread.start()
        wait_until(lambda: len(served.event_loop.manager.core.waiters) == 1)
        beats = Beats(served)
        wait_until(lambda: beats.seconds() > INTERVALS, "heartbeats")
        with libremq.connect(served.url("local")) as other:
            other.put(QUEUE, "late")
        thread.join(240)
        assert found == ["late"]


@pytest.mark.usefixtures("patient")
def test_the_queue_manager_asks_a_silent_peer_and_hears_its_answer(served: Served) -> None:
    with Peer(served.port, channel=CHANNEL, heartbeat_s=1) as peer:
        peer.connect()
        asked = 0
        while asked < 2:
            data = peer.socket.recv(36)
            assert data[9 + 8] == Type.HEARTBEAT and data[10 + 8] & CONFIRM_REQUEST
            peer.send(frame(Type.HEARTBEAT, b"", 1))
            asked += 1


@pytest.mark.usefixtures("patient")
def test_a_queue_manager_that_was_suspended_blames_no_client(served: Served, said: list[str]) -> None:
    """All its clocks have run out when it goes on: who was asked before that may still answer."""
    with Peer(served.port, channel=CHANNEL, heartbeat_s=1) as peer:
        peer.connect()

        def suspended() -> bool:
            (link,) = served.event_loop.links
            link.silence.heard = start = link.silence.heard - 1800
            for later in (2, 900, 1800):
                link.tick(start + later)
            return bool(link.silence.is_asking)

        assert served.in_loop(suspended)
        data = peer.socket.recv(36)
        assert data[9 + 8] == Type.HEARTBEAT and data[10 + 8] & CONFIRM_REQUEST
        peer.send(frame(Type.HEARTBEAT, b"", 1))
        wait_until(lambda: served.in_loop(lambda: all(not one.silence.is_asking for one in served.event_loop.links)))
        assert served.event_loop.connection_count() == 1
        assert not any("AMQ9259E" in text for text in said)


def test_a_peer_whose_line_is_dead_is_noticed_and_its_work_backed_out(served: Served, said: list[str]) -> None:
    with Line(served.port) as line, libremq.connect(served.url("local")) as other:
        dead = libremq.connect(quick(line.port))
        model = dead.dynamic_queue()
        exclusive = dead.queue(QUEUE, exclusive=True)
        with other.queue(QUEUE) as queue:
            queue.put("goes back")
        unit = dead.transaction()
        unit.__enter__()
        assert exclusive.get().text == "goes back"
        exclusive.put("never seen")
        line.cut()
        wait_until(lambda: served.event_loop.connection_count() == 1, "only the other one is left")
        assert any("AMQ9259E" in text for text in said)
        with other.queue(QUEUE) as queue:
            assert queue.get().text == "goes back"
            assert queue.get_or_none() is None
        assert not other.display("QLOCAL", model.name)
        with pytest.raises(MQError) as caught:
            exclusive.depth  # noqa: B018
        assert caught.value.reason == C.MQRC_CONNECTION_BROKEN
        with pytest.raises(MQError):
            unit.__exit__(None, None, None)


def test_a_get_of_a_peer_whose_line_is_dead_takes_no_message(served: Served) -> None:
    with Line(served.port) as line, libremq.connect(served.url("local")) as other:
        with Peer(line.port, channel=CHANNEL, heartbeat_s=1) as peer:
            peer.connect()
            hobj = peer.open(QUEUE, C.MQOO_INPUT_SHARED)
            peer.send(get_flow(hobj, C.MQGMO_WAIT | C.MQGMO_SYNCPOINT, -1))
            wait_until(lambda: len(served.event_loop.manager.core.waiters) == 1)
            line.cut()
            wait_until(lambda: not served.event_loop.manager.core.waiters, "the get is gone")
        other.put(QUEUE, "for somebody else")
        assert other.queue(QUEUE).get().text == "for somebody else"


def test_a_client_notices_that_the_queue_manager_is_gone(served: Served) -> None:
    """The call that waits fails, although nobody has closed the socket."""
    with Line(served.port) as line, libremq.connect(quick(line.port)) as qm:
        queue = qm.queue(QUEUE)
        queue.put("before")
        line.cut()
        with pytest.raises(MQError) as caught:
            queue.get(wait=600)
        assert caught.value.reason == C.MQRC_CONNECTION_BROKEN
        assert "silent" in caught.value.detail


def test_an_idle_client_notices_it_before_its_next_call(served: Served) -> None:
    with Line(served.port) as line, libremq.connect(quick(line.port)) as qm:
        queue = qm.queue(QUEUE)
        queue.put("before")
        link = qm.mqi.binding.link
        line.cut()
        wait_until(lambda: link.broken is not None, "the ticker breaks it")
        with pytest.raises(MQError) as caught:
            queue.put("after")
        assert caught.value.reason == C.MQRC_CONNECTION_BROKEN


def lose_patience(qm: libremq.QueueManager, limit_s: float = 0.5) -> None:
    """Calls from here on have a short limit: those before may take as long as a busy machine needs."""
    link = qm.mqi.binding.link
    assert link.address.call_timeout_s > 0
    link.address = replace(link.address, call_timeout_s=limit_s)


def test_a_call_has_a_limit_of_its_own(served: Served) -> None:
    """Long before a heartbeat would be due; the wait that a get asks for comes on top."""
    with Line(served.port) as line:
        url = f"mq://127.0.0.1:{line.port}/QM1?channel={SLOW_CHANNEL}&call_timeout=240"
        with libremq.connect(url) as qm:
            queue = qm.queue(QUEUE)
            queue.depth  # noqa: B018
            lose_patience(qm, 10)
            assert queue.get_or_none(wait=11) is None
            line.cut()
            lose_patience(qm)
            with pytest.raises(MQError) as caught:
                queue.put("never answered")
            assert caught.value.reason == C.MQRC_CONNECTION_BROKEN
            assert "in time" in caught.value.detail


def test_a_long_put_has_the_limit_of_a_call_too(served: Served) -> None:
    with Line(served.port) as line:
        url = f"mq://127.0.0.1:{line.port}/QM1?channel={SLOW_CHANNEL}&call_timeout=240"
        with libremq.connect(url) as qm:
            hobj = qm.mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_OUTPUT)
            line.cut()
            lose_patience(qm)
            with pytest.raises(MQError) as caught:
                for _ in range(100):
                    qm.mqi.MQPUT(hobj, *_async_put(), bytes(4 << 20))
            assert caught.value.reason == C.MQRC_CONNECTION_BROKEN


def _async_put() -> tuple[MQMD, MQPMO]:
    return MQMD(Persistence=0), MQPMO(Options=C.MQPMO_ASYNC_RESPONSE | C.MQPMO_NO_SYNCPOINT)


@pytest.mark.usefixtures("patient")
def test_one_dead_line_does_not_keep_the_others_from_their_heartbeats(served: Served) -> None:
    """A program with two connections: one thread is stuck in a send, the other connection stays."""
    with Line(served.port) as line:
        stuck = libremq.connect(f"mq://127.0.0.1:{line.port}/QM1?channel={SLOW_CHANNEL}")
        mqi = stuck.mqi
        hobj = mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_OUTPUT)
        line.cut()

        def send_on() -> None:
            with pytest.raises(MQError):
                while True:
                    mqi.MQPUT(hobj, *_async_put(), bytes(1 << 20))

        thread = threading.Thread(target=send_on)
        thread.start()
        with libremq.connect(quick(served.port)) as qm:
            other = qm.queue(QUEUE)
            other.put("before")
            beats = Beats(served)
            wait_until(lambda: beats.seconds() > INTERVALS, "heartbeats")
            assert other.get().text == "before"
        mqi.binding.link.close()
        thread.join(240)
        assert not thread.is_alive()


def test_a_long_message_on_its_way_is_a_sign_of_life(served: Served) -> None:
    """A peer that takes it slowly cannot be heard meanwhile, and is not taken for dead."""
    with libremq.connect(served.url("local")) as other:
        other.put(QUEUE, bytes(4_000_000))
    with Peer(served.port, channel=CHANNEL, heartbeat_s=1, small_buffer=True) as peer:
        peer.connect()
        hobj = peer.open(QUEUE, C.MQOO_BROWSE)
        peer.send(get_flow(hobj, C.MQGMO_BROWSE_FIRST | C.MQGMO_NO_SYNCPOINT) * 9)
        wait_until(lambda: served.in_loop(lambda: any(link.paused for link in served.event_loop.links)), "it is full")
        began = time.monotonic()
        while time.monotonic() < began + 6:  # several times what silence would be allowed to last
            assert peer.socket.recv(20_000)
            threading.Event().wait(0.05)
        assert served.event_loop.connection_count() == 1


def test_a_long_put_over_a_slow_line_is_no_silence(served: Served) -> None:
    """The answer is behind all of it, and comes much later than silence would be allowed to last."""
    with Line(served.port, rate=400_000) as line, libremq.connect(quick(line.port)) as qm:
        qm.queue(QUEUE).put(bytes(2_000_000))
        assert qm.queue(QUEUE).depth == 1


def test_a_long_put_over_a_slow_line_is_no_silence_for_asyncio(served: Served) -> None:
    async def main() -> None:
        async with aio.connect(quick(line.port)) as qm:
            await qm.put(QUEUE, bytes(2_000_000))

    with Line(served.port, rate=400_000) as line:
        asyncio.run(main())
    with libremq.connect(served.url("local")) as qm:
        assert qm.queue(QUEUE).depth == 1


def test_a_queue_manager_that_is_stopped_and_goes_on(tmp_path: Path) -> None:
    """SIGSTOP: a client with a limit gives up; one without waits, and is served when the process goes on."""
    with server_process(tmp_path / "qmgrs" / NAME) as process:
        run = process.start()
        port = run.ports[0]
        with libremq.connect(f"local:{NAME}?data={tmp_path}") as qm:
            qm.define_local(QUEUE)
        with (
            libremq.connect(f"mq://127.0.0.1:{port}/{NAME}?call_timeout=240") as hasty,
            libremq.connect(f"mq://127.0.0.1:{port}/{NAME}") as patient,
        ):
            queues = [qm.queue(QUEUE) for qm in (hasty, patient)]
            for queue in queues:
                queue.put("before")
            os.kill(run.process_id, signal.SIGSTOP)
            lose_patience(hasty)
            try:
                with pytest.raises(MQError) as caught:
                    queues[0].put("is not answered")
                assert caught.value.reason == C.MQRC_CONNECTION_BROKEN
                thread = threading.Thread(target=lambda: queues[1].put("is answered later"))
                thread.start()
            finally:
                os.kill(run.process_id, signal.SIGCONT)
            thread.join(240)
            texts = [message.text for message in queues[1].get_many(10)]
            assert texts[:2] == ["before", "before"] and "is answered later" in texts
