"""MAXFSIZE: what is on a queue fits in a file of that size; no more is taken, and nothing that was taken is lost."""

from __future__ import annotations

import random
from typing import Any

import pytest
from helper_qmgr import Session

from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.verbs.queue_status import queue_status
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

MEGABYTE = bytes(1_000_000)
LARGE_LOG = LogConfig(primary_files=4, secondary_files=4, file_pages=4096)


def limited(**attributes: Any) -> Session:
    session = Session(LARGE_LOG)
    session.queue("ONE", **{"maxfsize": 20, **attributes})
    return session


def the_queue(session: Session) -> QueueState:
    definition = session.qm.find("QLOCAL", "ONE")
    assert isinstance(definition, LocalQueue)
    return session.qm.core.local_queue(definition)


def file_bytes(session: Session) -> int:
    return the_queue(session).store.file_bytes


def fill(session: Session, data: bytes = MEGABYTE, **fields: Any) -> int:
    """Put until no more is taken; how many were."""
    for count in range(100):
        try:
            session.put("ONE", data, **fields)
        except MQError as error:
            assert error.reason == C.MQRC_Q_SPACE_NOT_AVAILABLE
            assert "MAXFSIZE" in str(error) and error.object_name == "ONE"
            return count
    raise AssertionError("there is no limit")


@pytest.mark.parametrize("persistence", [C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT])
def test_no_more_is_taken_than_the_file_may_hold(persistence: int) -> None:
    session = limited()
    assert fill(session, Persistence=persistence) == 20
    session.qm.checkpoint()
    assert file_bytes(session) <= 20 << 20
    assert session.depth("ONE") == 20
    session.put("ONE", b"there is room for a small one")
    session.get("ONE")
    assert fill(session, Persistence=persistence) == 1


def test_what_is_not_committed_takes_room_until_it_is_backed_out() -> None:
    session = limited()
    for _ in range(20):
        session.put("ONE", MEGABYTE, syncpoint=True)
    assert fill(session) == 0
    session.qm.backout(session.hconn)
    assert fill(session) == 20


def test_a_lower_limit_drops_nothing_and_a_higher_one_takes_more() -> None:
    session = limited(maxfsize=30)
    count = fill(session)
    session.qm.alter("QLOCAL", "ONE", {"maxfsize": 20})
    assert fill(session) == 0
    for _ in range(count - 19):
        session.get("ONE")
    assert fill(session) == 1
    session.qm.alter("QLOCAL", "ONE", {"maxfsize": C.MQQFS_DEFAULT})
    for _ in range(15):
        session.put("ONE", MEGABYTE)
    assert session.depth("ONE") == 35


def test_a_restart_knows_what_is_there() -> None:
    session = limited()
    assert fill(session, Persistence=C.MQPER_PERSISTENT) == 20
    session.qm.checkpoint()
    session.kill_and_start()
    assert fill(session) == 0
    session.get("ONE")
    assert fill(session) == 1


def test_a_queue_that_stays_at_its_limit_has_a_file_that_stays_near_it() -> None:
    """What has left the queue keeps its place until the next checkpoint: one is taken before that is too much."""
    session = limited()
    largest = fill(session, Persistence=C.MQPER_PERSISTENT)
    assert largest == 20
    for _ in range(60):
        session.get("ONE")
        session.put("ONE", MEGABYTE, Persistence=C.MQPER_PERSISTENT)
        largest = max(largest, file_bytes(session))
    assert 20_000_000 < largest < (20 << 20) * 9 // 8 + 3 * len(MEGABYTE)
    assert session.depth("ONE") == 20


def test_holes_are_filled_before_the_file_grows_beyond_its_limit() -> None:
    session = limited()
    rng = random.Random(16)
    taken = refused = 0
    for _ in range(400):
        if rng.random() < 0.45 and session.depth("ONE"):
            session.get("ONE")
            continue
        try:
            session.put("ONE", bytes(rng.choice((3_000, 40_000, 900_000, 2_500_000))))
            taken += 1
        except MQError as error:
            assert error.reason == C.MQRC_Q_SPACE_NOT_AVAILABLE
            refused += 1
    session.qm.checkpoint()
    assert taken > 100 and refused > 10
    assert file_bytes(session) <= 20 << 20
    while session.depth("ONE"):
        session.get("ONE")


def test_a_message_that_no_hole_is_long_enough_for_is_scattered_over_them() -> None:
    session = limited()
    for number in range(20):
        session.put("ONE", MEGABYTE, Priority=number % 2)
    for _ in range(6):
        session.get("ONE")  # every other one
    for data in (b"a" * 2_500_000, b"b" * 2_500_000):
        session.put("ONE", data, Priority=9)
    session.put("ONE", MEGABYTE)  # those before it leave the buffer
    assert file_bytes(session) <= 20 << 20
    assert [session.get("ONE")[1][:1] for _ in range(2)] == [b"a", b"b"]


def test_the_status_says_both_sizes_in_megabytes() -> None:
    session = limited()
    definition = session.qm.find("QLOCAL", "ONE")
    assert isinstance(definition, LocalQueue)
    assert queue_status(session.qm.core, definition).file_bytes_max == 20 << 20
    session.qm.alter("QLOCAL", "ONE", {"maxfsize": C.MQQFS_DEFAULT})
    assert queue_status(session.qm.core, definition).file_bytes_max == (2**31 - 1) * 512
