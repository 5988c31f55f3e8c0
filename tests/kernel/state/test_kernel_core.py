"""Units of work: all of it or nothing, its limits, the room that the log keeps for its end, and what counts it."""

from __future__ import annotations

from typing import Any

import pytest
from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Waiter
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD

_PERSISTENT = C.MQPER_PERSISTENT


@pytest.fixture
def session() -> Session:
    found = Session()
    found.queue("Q")
    return found


def _refused(session: Session, reason: int, queue: str = "Q", data: bytes = b"x", **fields: Any) -> None:
    with pytest.raises(MQError) as caught:
        session.put(queue, data, syncpoint=True, **fields)
    assert caught.value.reason == reason


@pytest.mark.parametrize("persistence", [C.MQPER_NOT_PERSISTENT, _PERSISTENT])
def test_a_backout_undoes_everything_the_last_first(session: Session, persistence: int) -> None:
    for number in range(3):
        session.put("Q", b"%d" % number, Persistence=persistence)
    session.get("Q", syncpoint=True)
    session.put("Q", b"new", syncpoint=True, Persistence=persistence)
    session.get("Q", syncpoint=True)
    session.qm.backout(session.hconn)
    found = [session.get("Q") for _ in range(3)]
    assert [(data, md.BackoutCount) for md, data in found] == [(b"0", 1), (b"1", 1), (b"2", 0)]
    assert session.depth("Q") == 0
    assert session.core.units == {}


def test_what_was_committed_is_there_after_a_restart_and_no_more(session: Session) -> None:
    session.put("Q", b"got", Persistence=_PERSISTENT)
    session.get("Q", syncpoint=True)
    session.put("Q", b"put", syncpoint=True, Persistence=_PERSISTENT)
    session.qm.commit(session.hconn)
    session.put("Q", b"not committed", syncpoint=True, Persistence=_PERSISTENT)
    session.kill_and_start()
    assert session.depth("Q") == 1 and session.get("Q")[1] == b"put"


def test_backouts_count(session: Session) -> None:
    session.put("Q", b"x", Persistence=_PERSISTENT)
    for number in range(3):
        assert session.get("Q", syncpoint=True)[0].BackoutCount == number
        session.qm.backout(session.hconn)


def test_a_message_that_comes_back_ends_the_wait_of_another(session: Session) -> None:
    session.put("Q", b"x")
    session.get("Q", syncpoint=True)
    other = session.qm.connect("bob", "waits")
    hobj = session.qm.open(other, MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    gmo = MQGMO(Options=C.MQGMO_WAIT, WaitInterval=C.MQWI_UNLIMITED)
    waiter = session.qm.get(other, hobj, MQMD(Version=2), gmo)
    assert isinstance(waiter, Waiter) and not waiter.done
    session.qm.backout(session.hconn)
    assert waiter.result is not None and waiter.result.data == b"x"


@pytest.mark.parametrize("end", ["commit", "backout"])
def test_the_log_keeps_room_for_the_end_of_a_unit_and_gives_it_back(session: Session, end: str) -> None:
    before = session.core.undo_bytes
    kept = []
    for _ in range(3):
        session.put("Q", b"x", syncpoint=True, Persistence=_PERSISTENT)
        kept.append(session.core.undo_bytes)
    assert before < kept[0] < kept[1] < kept[2]
    getattr(session.qm, end)(session.hconn)
    assert session.core.undo_bytes == before


def test_a_unit_of_work_has_at_most_maxumsgs_messages(session: Session) -> None:
    session.qm.alter("QMGR", "", {"MAXUMSGS": 2})
    session.put("Q", b"1", syncpoint=True)
    session.put("Q", b"2", syncpoint=True)
    _refused(session, C.MQRC_SYNCPOINT_LIMIT_REACHED)
    session.qm.commit(session.hconn)
    assert session.depth("Q") == 2
    session.get("Q", syncpoint=True)
    session.get("Q", syncpoint=True)
    _refused(session, C.MQRC_SYNCPOINT_LIMIT_REACHED)


def test_a_log_that_is_full_leaves_no_part_of_a_put() -> None:
    session = Session(LogConfig(primary_files=2, secondary_files=1, file_pages=64))
    session.queue("Q", MAXMSGL=4_000_000)
    session.put("Q", b"fits", Persistence=_PERSISTENT)
    with pytest.raises(MQError) as caught:
        session.put("Q", bytes(1_000_000), Persistence=_PERSISTENT)
    assert caught.value.reason == C.MQRC_RESOURCE_PROBLEM
    store = session.core.queues["Q"].store
    assert store.used_count == len(store.chains) == session.depth("Q") == 1


def test_a_verb_of_several_operations_that_fails_leaves_the_unit_as_it_was(session: Session) -> None:
    """A message cut in segments, of which the third has no place on the queue."""
    session.queue("SMALL", MAXMSGL=16, MAXDEPTH=2)
    session.qm.alter("QMGR", "", {"MAXUMSGS": 3})
    session.put("Q", b"before", syncpoint=True, Persistence=_PERSISTENT)
    _refused(session, C.MQRC_Q_FULL, "SMALL", bytes(40), MsgFlags=C.MQMF_SEGMENTATION_ALLOWED)
    assert session.depth("SMALL") == 0
    session.put("Q", b"behind", syncpoint=True)
    session.put("Q", b"behind", syncpoint=True)
    session.qm.commit(session.hconn)
    assert session.depth("Q") == 3


def test_statistics_of_a_queue_follow_what_happens_to_it(session: Session) -> None:
    start = session.clock.now()
    for _ in range(3):
        session.put("Q", b"x")
    session.clock.advance(5)
    session.get("Q")
    session.clock.advance(5)
    session.put("Q", b"x")
    session.clock.advance(5)
    statistics = session.core.queues["Q"].statistics
    assert (statistics.enqueued, statistics.dequeued, statistics.high_depth) == (4, 1, 3)
    assert (statistics.last_put, statistics.last_get) == (start + 10, start + 5)


def test_a_queue_counts_from_its_definition_on(session: Session) -> None:
    session.clock.advance(100)
    session.queue("NEW")
    session.clock.advance(5)
    assert session.core.clock.monotonic() - session.core.queues["NEW"].statistics.since == 5


def test_what_was_got_in_a_unit_is_gone_with_its_commit(session: Session) -> None:
    session.put("Q", b"x", Persistence=_PERSISTENT)
    session.get("Q", syncpoint=True)
    assert session.depth("Q") == 0
    session.qm.commit(session.hconn)
    session.qm.backout(session.hconn)
    assert session.depth("Q") == 0
    assert session.core.queues["Q"].store.is_empty


def test_a_prepared_branch_outlives_its_connection(session: Session) -> None:
    session.qm.xa_start(session.hconn, b"x")
    session.put("Q", b"x", syncpoint=True, Persistence=_PERSISTENT)
    session.qm.xa_end(session.hconn, b"x")
    session.qm.xa_prepare(session.hconn, b"x")
    session.qm.disconnect(session.hconn)
    other = session.qm.connect("bob", "recovery")
    assert session.qm.xa_recover(other) == [b"x"]
    assert [unit.xid for unit in session.core.prepared_units()] == [b"x"]
    assert session.core.active_units() == []
