"""ALTER and DEFINE REPLACE of a queue that is in use: what its users would feel takes FORCE."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq.client.queue_manager import QueueManager
from libremq.mqi import constants as C


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[QueueManager]:
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}") as made:
        made.mqsc("DEFINE QLOCAL(WORK)")
        yield made


def reason(manager: QueueManager, command: str) -> int:
    (answer,) = manager.mqsc(command)
    return answer.reason


def attributes(manager: QueueManager) -> tuple[object, object]:
    (answer,) = manager.mqsc("DISPLAY QLOCAL(WORK) USAGE SHARE")
    (row,) = answer.rows
    return row["usage"], row["share"]


def test_usage_of_a_queue_with_messages(manager: QueueManager) -> None:
    before = attributes(manager)
    manager.put("WORK", b"a message")
    for command in ("ALTER QLOCAL(WORK) USAGE(XMITQ)", "DEFINE QLOCAL(WORK) USAGE(XMITQ) REPLACE"):
        assert reason(manager, command) == C.MQRC_OBJECT_IN_USE
        assert attributes(manager) == before
    assert reason(manager, "ALTER QLOCAL(WORK) USAGE(NORMAL) MAXDEPTH(7)") == 0  # no change of it
    assert reason(manager, "ALTER QLOCAL(WORK) USAGE(XMITQ) FORCE") == 0
    assert attributes(manager) != before


def test_a_queue_that_is_open(manager: QueueManager) -> None:
    with manager.queue("WORK") as queue:
        queue.put(b"a message")
        assert queue.get() is not None
        assert reason(manager, "ALTER QLOCAL(WORK) USAGE(XMITQ)") == C.MQRC_OBJECT_IN_USE
        assert reason(manager, "ALTER QLOCAL(WORK) NOSHARE") == 0  # one gets from it, and may go on
    assert reason(manager, "ALTER QLOCAL(WORK) USAGE(XMITQ)") == 0


def test_noshare_where_several_get(manager: QueueManager) -> None:
    with manager.queue("WORK") as one, manager.queue("WORK") as two:
        for queue in (one, two):
            queue.put(b"a message")
            assert queue.get() is not None
        before = attributes(manager)
        assert reason(manager, "ALTER QLOCAL(WORK) NOSHARE") == C.MQRC_OBJECT_IN_USE
        assert attributes(manager) == before
        assert reason(manager, "ALTER QLOCAL(WORK) NOSHARE FORCE") == 0
