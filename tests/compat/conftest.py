"""A queue manager with the queue Q1, reached through each binding that the packages can use.

An application changes nothing else, so every test here runs over each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import libremq
from libremq.client.queue_manager import QueueManager
from libremq.compat import ibmmqc
from libremq.testing.queue_managers import temporary_queue_manager
from libremq.testing.serving import served_queue_manager

Connect = Callable[[], int]


@pytest.fixture(params=["embedded", "local", "mq"])
def queue_manager(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[QueueManager]:
    """For the administration of the test. The environment says where MQCONN finds it, as it would for anybody."""
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path))
    for name in ("MQSERVER", "MQCCDTURL", "MQCHLLIB", "MQCHLTAB"):
        monkeypatch.delenv(name, raising=False)
    with ExitStack() as stack:
        if request.param == "embedded":
            made = stack.enter_context(temporary_queue_manager(folder=tmp_path))
        else:
            served = stack.enter_context(served_queue_manager(folder=tmp_path))
            made = stack.enter_context(libremq.connect(served.url("local")))
            if request.param == "mq":
                monkeypatch.setenv("MQSERVER", f"SYSTEM.DEF.SVRCONN/TCP/127.0.0.1({served.port})")
        made.define("QLOCAL", "Q1")
        yield made


@pytest.fixture
def connect(queue_manager: QueueManager) -> Iterator[Connect]:
    """Makes a connection, over the binding of the test; its handle."""
    handles = []

    def new() -> int:
        hconn, comp_code, reason = ibmmqc.MQCONN(b"QM1")
        assert (comp_code, reason) == (0, 0)
        handles.append(hconn)
        return hconn

    yield new
    for hconn in handles:
        ibmmqc.MQDISC(hconn)


@pytest.fixture
def hconn(connect: Connect) -> int:
    return connect()
