"""Log-ins that are refused: neither words nor wait, nor who is closed first, tell whether the password was right."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helper_partners import define
from helper_peers import Peer, wait_until

import libremq
from libremq.common.users_file import set_password
from libremq.mqi import constants as C
from libremq.server.net.event_loop import EventLoopLimits
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import calls, session_flows
from libremq.wire.protocol import REPLY, Type
from libremq.wire.segments import frame

CHANNEL = "APP.SVRCONN"
LACKS_CONNECT, WRONG = "secret", "a guess"


@contextmanager
def serving(folder: Path, **limits: int) -> Iterator[Served]:
    """The user pat has a password, and no authority."""
    with served_queue_manager(folder=folder, secured=True, limits=EventLoopLimits(**limits)) as served:
        define(served, "CHANNEL", CHANNEL, CHLTYPE="SVRCONN")
        set_password(served.event_loop.manager.core.files, served.event_loop.folder, "pat", "secret")
        yield served


class Delayed:
    """Refusals whose time comes when the test says so."""

    def __init__(self, served: Served, patched: pytest.MonkeyPatch) -> None:
        self._served = served
        self.held: list[Callable[[], object]] = []
        loop = served.event_loop.loop
        call_at = loop.call_at

        def hold(when: float, callback: Any, *given: Any, **more: Any) -> Any:
            if getattr(callback, "__name__", "") != "_go_on":
                return call_at(when, callback, *given, **more)
            self.held.append(partial(callback, *given))
            return None

        patched.setattr(loop, "call_at", hold)

    def await_number(self, number: int) -> None:
        wait_until(lambda: len(self.held) == number, "refusals wait for their time")

    def release(self) -> None:
        for refuse in self.held:
            self._served.in_loop(refuse)
        self.held.clear()


def log_in(peer: Peer, password: str) -> None:
    body = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX))
    peer.send(
        frame(Type.CONAUTH_INFO, session_flows.pack_credentials("pat", password), 1)
        + frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, 1)
    )


def told(peer: Peer) -> list[tuple[int, bytes]]:
    """All that it hears up to the answer."""
    heard: list[tuple[int, bytes]] = []
    while not heard or heard[-1][0] != Type.MQCONN + REPLY:
        flow = peer.answer()
        heard.append((flow.kind, bytes(flow.body)))
    return heard


@pytest.mark.parametrize("state", ["as ever", "full", "quiescing"])
def test_they_are_the_same_whatever_else_would_be_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    limit = 1 if state == "full" else 100
    with serving(tmp_path, connections_max=limit) as served, libremq.connect(served.url("local")):
        heard = []
        with monkeypatch.context() as patched:
            delayed = Delayed(served, patched)
            for password in (WRONG, LACKS_CONNECT):
                with Peer(served.port, channel=CHANNEL) as peer:
                    peer.negotiate()
                    manager = served.event_loop.manager
                    manager.core.quiescing = state == "quiescing"
                    log_in(peer, password)
                    delayed.await_number(1)
                    delayed.release()
                    heard.append(told(peer))
                    manager.core.quiescing = False
        assert heard[0] == heard[1]
        assert calls.unpack_api(heard[0][-1][1]).reason == C.MQRC_NOT_AUTHORIZED


def test_both_wait_for_their_answer_though_their_address_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, pending_per_address_max=2) as served, monkeypatch.context() as patched:
        delayed = Delayed(served, patched)
        with Peer(served.port, channel=CHANNEL) as lacking, Peer(served.port, channel=CHANNEL) as wrong:
            for peer, password in ((lacking, LACKS_CONNECT), (wrong, WRONG)):
                peer.negotiate()
                log_in(peer, password)
            delayed.await_number(2)
            with socket.create_connection(("127.0.0.1", served.port), timeout=60) as newcomer:
                assert newcomer.recv(1) == b""  # it goes, as both are being looked at
            delayed.release()
            assert told(lacking)[-1] == told(wrong)[-1]
