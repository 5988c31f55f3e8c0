"""Ctrl-C at every call inside a verb and its force: what was acknowledged is there afterwards, and it can be started.

CPython looks for signals when a function is entered and when a call returns, so an interrupt is raised at each of
these points in turn. The program catches it and goes on; if the queue manager has stopped, it connects again.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import libremq
from libremq.host import lifecycle
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing import FaultyFiles, VirtualClock

pytestmark = (
    pytest.mark.embedded
)  # a verb that is interrupted inside the kernel; test_client_interrupts_remote has the others

FOLDER = "data/QM1"


def _template() -> FaultyFiles:
    files = FaultyFiles()
    lifecycle.create(files, FOLDER, "QM1", VirtualClock(1_000_000.0), LogConfig(file_pages=64))
    return files


def _start(files: FaultyFiles) -> tuple[EmbeddedQueueManager, EmbeddedConnection, int]:
    embedded = EmbeddedQueueManager.start(FOLDER, "QM1", files=files, clock=VirtualClock(2_000_000.0), background=False)
    connection = EmbeddedConnection(embedded, "me", "test")
    od = MQOD(ObjectName="SYSTEM.DEFAULT.LOCAL.QUEUE")
    hobj = connection.open(od, C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED)
    return embedded, connection, hobj


def _put(connection: EmbeddedConnection, hobj: int, data: bytes, options: int = C.MQPMO_NO_SYNCPOINT) -> None:
    connection.put(hobj, MQMD(Persistence=C.MQPER_PERSISTENT), MQPMO(Options=options), data)


def _put_once(connection: EmbeddedConnection, hobj: int) -> None:
    _put(connection, hobj, b"interrupted")


def _commit_two(connection: EmbeddedConnection, hobj: int) -> None:
    _put(connection, hobj, b"interrupted", C.MQPMO_SYNCPOINT)
    connection.commit()


def _get_once(connection: EmbeddedConnection, hobj: int) -> None:
    connection.get(hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))


def _interrupt_at(number: int, work: Callable[[], None]) -> bool:
    """Run the work with an interrupt at its n-th point; False if it has fewer."""
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
        return True
    finally:
        sys.setprofile(None)
        gc.enable()
    return False


@pytest.mark.parametrize("verb", [_put_once, _commit_two, _get_once])
def test_an_interrupt_at_any_point_loses_nothing_acknowledged(verb: Callable[[EmbeddedConnection, int], None]) -> None:
    template = _template()
    number = 0
    while True:
        number += 1
        files = template.copy()
        embedded, connection, hobj = _start(files)
        acknowledged = [b"before 0", b"before 1"]
        for data in acknowledged:
            _put(connection, hobj, data)
        struck = _interrupt_at(number, lambda: verb(connection, hobj))  # noqa: B023
        try:
            for data in (b"after 0", b"after 1"):
                _put(connection, hobj, data)
                acknowledged.append(data)
        except libremq.MQError as error:
            assert error.reason in (C.MQRC_CONNECTION_BROKEN, C.MQRC_HCONN_ERROR), (number, error)
        embedded.end()
        embedded, connection, hobj = _start(files)
        found = []
        while True:
            try:
                found.append(connection.get(hobj, MQMD(), MQGMO()).data)
            except libremq.NoMessageAvailable:
                break
        embedded.end()
        certain = [data for data in found if data != b"interrupted"]
        if verb is _get_once and certain[:1] != [b"before 0"]:
            acknowledged.pop(0)
        assert certain == acknowledged, number
        assert found.count(b"interrupted") <= 1, number
        if not struck:
            break
    assert number > 100
