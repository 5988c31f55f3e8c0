"""Ctrl-C at every call inside a verb over a network: nothing hangs, no reply is taken for another, nothing is lost.

As for the embedded binding, an interrupt is raised at each point at which CPython looks for signals, in turn. Either
the connection goes on or it is broken; what was acknowledged is on the queue, once. The waiting get has a promise
beyond that: the message is returned, or it is on the queue; if both came at once, the next call hears of the interrupt.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import libremq
from libremq.client.remote.remote_access import RemoteAccess
from libremq.client.remote.remote_connection import RemoteConnection
from libremq.client.urls import ClientAddress, parse
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing.serving import Served, served_queue_manager

QUEUE = "SYSTEM.DEFAULT.LOCAL.QUEUE"
BROKEN = (C.MQRC_CONNECTION_BROKEN, C.MQRC_HCONN_ERROR)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("interrupts")
    with served_queue_manager(folder=folder) as found:
        yield found


class Program:
    """A program with a connection of its own."""

    def __init__(self, served: Served) -> None:
        address = parse(served.url("mq"))
        assert isinstance(address, ClientAddress)
        self.served = served
        self.access = RemoteAccess([address])
        self.connection: RemoteConnection = self.access.connect("me", "test")
        self.hobj = self.connection.open(MQOD(ObjectName=QUEUE), C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED)

    def put(self, data: bytes, options: int = C.MQPMO_NO_SYNCPOINT) -> None:
        self.connection.put(self.hobj, MQMD(Persistence=C.MQPER_PERSISTENT), MQPMO(Options=options), data)

    def get(self, options: int = C.MQGMO_NO_SYNCPOINT, wait_ms: int = 0) -> bytes:
        gmo = MQGMO(Options=options, WaitInterval=wait_ms)
        return self.connection.get(self.hobj, MQMD(), gmo).data

    def rest(self) -> list[bytes]:
        """What is on the queue."""
        found = []
        with suppress(libremq.NoMessageAvailable):
            while True:
                found.append(self.get())
        return found

    def end(self) -> None:
        """Returns when the queue manager has noticed it, too."""
        with suppress(libremq.MQError):
            self.connection.disconnect()
        self.access.close()
        until = time.monotonic() + 60
        while self.served.in_loop(self.served.event_loop.connection_count):
            assert time.monotonic() < until, self.served.in_loop(self.left)

    def left(self) -> str:
        """What the queue manager still has, for whoever reads of a failure."""
        loop = self.served.event_loop
        links = [
            (link.peer, link.takes_more, {n: vars(c) for n, c in link.conversations.items()}) for link in loop.links
        ]
        return f"connections {list(map(vars, loop.manager.connections.values()))}, links {links}, {vars(self.access)}"


def _put_once(program: Program) -> None:
    program.put(b"interrupted")


def _commit_one(program: Program) -> None:
    program.put(b"interrupted", C.MQPMO_SYNCPOINT)
    program.connection.commit()


def _get_once(program: Program) -> None:
    program.get()


def _get_waiting(program: Program) -> None:
    program.get(C.MQGMO_NO_SYNCPOINT | C.MQGMO_WAIT, 60_000)


def _interrupt_at(number: int, work: Callable[[], None]) -> tuple[bool, bool]:
    """Run the work with an interrupt at its n-th point: was there one, and was it raised?"""
    seen = 0

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal seen
        if event in ("call", "c_return"):
            seen += 1
            if seen == number:
                sys.setprofile(None)
                raise KeyboardInterrupt

    gc.disable()  # what is collected meanwhile is not ours, and would swallow the interrupt
    sys.setprofile(profile)
    try:
        work()
    except KeyboardInterrupt:
        return True, True
    finally:
        sys.setprofile(None)
        gc.enable()
    return seen >= number, False


@pytest.mark.parametrize("verb", [_put_once, _commit_one, _get_once, _get_waiting])
def test_an_interrupt_at_any_point_of_a_remote_call(served: Served, verb: Callable[[Program], None]) -> None:
    program = Program(served)
    program.put(b"a message")
    verb(program)  # what is remembered from call to call is there from now on: every run has the same points
    program.rest()
    program.end()
    number, broken = 0, 0
    while True:
        number += 1
        program = Program(served)
        acknowledged = [b"before 0", b"before 1"]
        for data in acknowledged:
            program.put(data)
        struck, raised = _interrupt_at(number, lambda: verb(program))  # noqa: B023
        if struck and not raised:
            assert verb is _get_waiting, number
            with pytest.raises(KeyboardInterrupt):
                program.put(b"the next call hears of it")
        try:
            for data in (b"after 0", b"after 1"):
                program.put(data)
                acknowledged.append(data)
        except libremq.MQError as error:
            assert error.reason in BROKEN, (number, error)
            broken += 1
        program.end()
        program = Program(served)
        found = program.rest()
        program.end()
        certain = [data for data in found if data != b"interrupted"]
        if verb in (_get_once, _get_waiting) and certain[:1] != [b"before 0"]:
            acknowledged.pop(0)
        assert certain == acknowledged, number
        assert found.count(b"interrupted") <= 1, number
        if not struck:
            break
    assert number > 50
    assert 0 < broken < number
