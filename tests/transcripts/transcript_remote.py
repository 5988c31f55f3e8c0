"""The queue manager that a transcript runs on, served: the same one as the embedded host's, behind real sockets.

The event_loop runs it in a thread; every application has a socket of its own, TCP or Unix-domain. A get that waits is a
thread here; whether it still waits is asked of the server, which knows, so that no step depends on how fast anything
is. Calls to consumers are taken from the connection one by one instead of by its own thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from transcript_host import DELIVERIES_MAX, NAME, EmbeddedHost

from libremq.client.remote.remote_access import RemoteAccess
from libremq.client.remote.remote_connection import RemoteConnection
from libremq.client.urls import Address, ClientAddress, parse
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCBD, MQGMO, MQMD
from libremq.testing.serving import Served, WaitingGet, open_to_clients, serve
from libremq.wire.messages import NEXT_CALL, Request, pack_request
from libremq.wire.protocol import Type
from libremq.wire.segments import frame


class RemoteHost:
    """A served queue manager, over `local` or `mq`."""

    def __init__(self, binding: str, folder: Path) -> None:
        self._binding = binding
        self._folder = folder
        self._where = Address("embedded", NAME, data=str(folder)).folder
        Path(self._where).mkdir(parents=True)  # of the socket: everything else is in memory
        self._inside = EmbeddedHost()
        self._accesses: list[RemoteAccess] = []
        self._asked: set[RemoteConnection] = set()  # they have said that their consumers may be called
        self._serve()

    def _serve(self) -> None:
        self._stack = ExitStack()
        open_to_clients(self._inside.qmgr)
        self._served: Served = self._stack.enter_context(serve(self._inside.qmgr, self._where, data=str(self._folder)))
        address = parse(self._served.url(self._binding))
        assert isinstance(address, ClientAddress)
        self._address = address
        self._operator = self._access()

    def _access(self) -> RemoteAccess:
        access = RemoteAccess([self._address])
        self._accesses.append(access)
        return access

    def _end(self) -> None:
        self._stack.close()
        for access in self._accesses:
            access.close()
        self._accesses.clear()

    def close(self) -> None:
        self._end()
        self._inside.qmgr.end()

    def connect(self, user: str, application: str) -> RemoteConnection:
        return self._access().connect(user, application)

    # Administration

    def define(self, kind: str, name: str, values: Mapping[str, str], like: str | None, replace: bool) -> None:
        self._operator.define(kind, name, values, like=like, replace=replace)

    def alter(self, kind: str, name: str, values: Mapping[str, str]) -> None:
        self._operator.alter(kind, name, values)

    def delete(self, kind: str, name: str, purge: bool) -> None:
        self._operator.delete(kind, name, purge=purge)

    def clear(self, name: str) -> None:
        self._operator.clear(name)

    def attribute(self, kind: str, name: str, keyword: str) -> str | None:
        return self._served.in_loop(lambda: self._inside.attribute(kind, name, keyword))

    def depth(self, name: str) -> int:
        return self._served.in_loop(lambda: self._inside.depth(name))

    # Time and restart

    def advance(self, seconds: float) -> None:
        def pass_time() -> None:
            with self._inside.qmgr.lock:
                self._inside.advance(seconds)
            self._served.event_loop.settle()

        self._served.in_loop(pass_time)

    def restart(self) -> None:
        self._end()
        self._inside.restart()
        self._serve()

    def kill(self) -> None:
        self._served.in_loop(lambda: self._served.event_loop.fail("the power went off"))
        self._end()
        self._inside.kill()
        self._serve()

    # Step by step

    def get(self, binding: RemoteConnection, hobj: int, md: MQMD, gmo: MQGMO, length: int | None) -> Got | WaitingGet:
        if not gmo.Options & C.MQGMO_WAIT:
            return binding.get(hobj, md, gmo, length)
        pending = WaitingGet(self._served, binding, lambda: binding.get(hobj, md, gmo, length))
        if not pending.done:
            return pending
        if pending.error is not None:
            raise pending.error
        assert pending.result is not None
        return pending.result

    def callback(
        self,
        binding: RemoteConnection,
        operation: int,
        cbd: MQCBD,
        function: Callable[..., Any],
        hobj: int,
        md: MQMD,
        gmo: MQGMO,
    ) -> None:
        binding.callback(operation, cbd, function, hobj, md, gmo)

    def control(self, binding: RemoteConnection, operation: int) -> None:
        """MQCTL without the consumer thread: `deliver` makes its calls."""
        binding._dispatch = _do_nothing  # type: ignore[method-assign]
        binding.control(operation)
        if operation in (C.MQOP_START, C.MQOP_START_WAIT):
            self._asked.add(binding)

    def deliver(self, binding: RemoteConnection) -> None:
        """Make every call to consumers that is due. The consumer may use the connection, as in its own thread."""
        for _ in range(DELIVERIES_MAX):
            if not binding.connected or not binding._registered or not self._deliver_one(binding):
                return
        raise AssertionError("consumers are called without end")

    def _deliver_one(self, binding: RemoteConnection) -> bool:
        link, slot = binding._link, binding._slot
        if binding not in self._asked:
            self._asked.add(binding)
            link.send(frame(Type.REQUEST_MSGS, pack_request(Request(0, flags=NEXT_CALL)), slot.number))
        while True:
            ready = self._served.is_ready(binding)
            link.tick()
            if slot.deliveries:
                break
            if ready:
                return False
        self._asked.discard(binding)
        before, binding._dispatcher = binding._dispatcher, threading.current_thread()
        try:
            return binding._call_one(link.receive(slot, deliveries=True))
        finally:
            binding._dispatcher = before


def _do_nothing() -> None:
    """In place of the consumer thread."""
