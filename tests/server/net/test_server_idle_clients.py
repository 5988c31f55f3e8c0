"""DISCINT and KAINT of a server-connection channel: who makes no calls is let go, and how the system looks after it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_peers import wait_until

import libremq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.server.net.client_link import Link
from libremq.testing.serving import Served, served_queue_manager

QUEUE = "IDLE.Q"
CHANNEL = "IDLE.SVRCONN"
IDLE_S = 100_000  # no clock of a test runs so far: the link is told what time it is


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def served(tmp_path: Path, said: list[str]) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq", say=said.append) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
            qm.define("CHANNEL", CHANNEL, CHLTYPE="SVRCONN", HBINT=0, DISCINT=IDLE_S, KAINT=77)
        yield served


def the_link(served: Served) -> Link:
    return next(link for link in served.event_loop.links if not link.local)


def later(served: Served, seconds: float) -> None:
    """Let the link have its look so much later."""
    served.in_loop(lambda: (link := the_link(served)).tick(link.silence.heard + seconds))


def test_a_client_without_a_call_for_so_long_is_let_go(served: Served, said: list[str]) -> None:
    with libremq.connect(served.url(channel=CHANNEL)) as qm:
        queue = qm.queue(QUEUE)
        queue.put("before")
        later(served, IDLE_S - 10)
        assert queue.get().text == "before"
        later(served, IDLE_S + 1)
        with pytest.raises(MQError) as gone:
            queue.put("too late")
        assert gone.value.reason == C.MQRC_CONNECTION_BROKEN
    assert any("AMQ9545" in text and CHANNEL in text for text in said)


def test_a_get_that_waits_is_a_call(served: Served, said: list[str]) -> None:
    found: list[str] = []
    with libremq.connect(served.url(channel=CHANNEL)) as qm:
        queue = qm.queue(QUEUE)
        thread = threading.Thread(target=lambda: found.append(queue.get(wait=240).text))
        thread.start()
        wait_until(lambda: len(served.event_loop.manager.core.waiters) == 1)
        later(served, IDLE_S + 1)
        later(served, 3 * IDLE_S)
        with libremq.connect(served.url("local")) as other:
            other.put(QUEUE, "late")
        thread.join(240)
        later(served, IDLE_S - 10)
        queue.put("next")
        assert queue.get().text == "next"
    assert found == ["late"] and not any("AMQ9545" in text for text in said)


def test_without_an_interval_nobody_is_let_go(served: Served) -> None:
    with libremq.connect(served.url("local")) as qm:
        qm.alter("CHANNEL", CHANNEL, DISCINT=0)
    with libremq.connect(served.url(channel=CHANNEL)) as qm:
        later(served, 100 * IDLE_S)
        qm.put(QUEUE, "still there")


@pytest.mark.parametrize(("interval", "kept"), [(77, 1), (0, 0)])
def test_the_system_looks_after_a_silent_client_as_kaint_says(served: Served, interval: int, kept: int) -> None:
    with libremq.connect(served.url("local")) as qm:
        qm.alter("CHANNEL", CHANNEL, KAINT=interval)
    with libremq.connect(served.url(channel=CHANNEL)):

        def options() -> tuple[int, int]:
            transport = the_link(served)._transport
            assert transport is not None
            found = transport.get_extra_info("socket")
            return (
                found.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE),
                found.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE),
            )

        asked, idle_s = served.in_loop(options)
    assert bool(asked) == bool(kept)
    assert not kept or idle_s == interval
