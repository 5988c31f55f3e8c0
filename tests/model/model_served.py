"""The harness of a served queue manager: that of the embedded one inside, behind the real event loop and TCP.

All connections of a run share a socket. A get that waits is a thread.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack

from model_harness import EmbeddedHarness, Pending

from libremq.client.remote.remote_access import RemoteAccess
from libremq.client.remote.remote_connection import RemoteConnection
from libremq.client.urls import ClientAddress, parse
from libremq.host.binding import Binding
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD
from libremq.testing.serving import Served, WaitingGet, open_to_clients, serve


class ServedHarness:
    def __init__(self) -> None:
        self._inside = EmbeddedHarness()
        self._serve()

    def _serve(self) -> None:
        self._stack = ExitStack()
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="libremq-model-"))  # of the socket
        open_to_clients(self._inside.embedded)
        self._served: Served = self._stack.enter_context(serve(self._inside.embedded, folder, data=folder))
        address = parse(self._served.url("mq"))
        assert isinstance(address, ClientAddress)
        self._access = RemoteAccess([address])
        self._stack.callback(self._access.close)
        self._operator = RemoteAccess([address])  # on sockets of its own: those of the application have its user
        self._stack.callback(self._operator.close)

    def connect(self) -> Binding:
        return self._access.connect("model", "reference")

    def start_get(self, binding: Binding, hobj: int, md: MQMD, gmo: MQGMO, buffer: int | None) -> Got | Pending:
        assert isinstance(binding, RemoteConnection)
        if not gmo.Options & C.MQGMO_WAIT:
            return binding.get(hobj, md, gmo, buffer)
        waiting = WaitingGet(self._served, binding, lambda: binding.get(hobj, md, gmo, buffer))
        if not waiting.done:
            return waiting
        if waiting.error is not None:
            raise waiting.error
        assert waiting.result is not None
        return waiting.result

    def define(self, name: str, attributes: Mapping[str, int | str]) -> None:
        self._operator.define("QLOCAL", name, attributes, like=None, replace=False)

    def alter(self, kind: str, name: str, attributes: Mapping[str, int | str]) -> None:
        self._operator.alter(kind, name, attributes)

    def now(self) -> float:
        return self._inside.now()

    def _work(self, work: Callable[[], None]) -> None:
        """What no application can do is done in the thread of the server."""

        def in_turn() -> None:
            with self._inside.embedded.lock:
                work()
            self._served.event_loop.settle()

        self._served.in_loop(in_turn)

    def advance(self, seconds: float) -> None:
        self._work(lambda: self._inside.advance(seconds))

    def settle(self) -> None:
        if self._inside.manager.core.turns:
            self._work(self._inside.settle)

    def scan_expired(self) -> None:
        self._work(self._inside.scan_expired)

    def checkpoint(self) -> None:
        self._operator.checkpoint()

    def restart(self, *, clean: bool) -> None:
        if not clean:
            self._served.in_loop(lambda: self._served.event_loop.fail("it was killed"))
        self._stack.close()
        self._inside.restart(clean=clean)
        self._serve()

    def end(self) -> None:
        self._stack.close()
        self._inside.end()
