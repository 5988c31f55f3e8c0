"""Cursors, locks, marks and tokens of a queue: they follow the messages that come, go and come back."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD

_NEXT, _UNDER = C.MQGMO_BROWSE_NEXT, C.MQGMO_MSG_UNDER_CURSOR
_BOTH = C.MQOO_BROWSE | C.MQOO_INPUT_SHARED


@pytest.fixture
def session() -> Session:
    found = Session()
    found.queue("Q")
    for number in range(4):
        found.put("Q", b"%d" % number)
    return found


def _get(session: Session, hobj: int, options: int, token: bytes = b"") -> bytes:
    gmo = MQGMO(Version=4, Options=options)
    if token:
        gmo.MatchOptions, gmo.MsgToken = C.MQMO_MATCH_MSG_TOKEN, token
    got = session.qm.get(session.hconn, hobj, MQMD(Version=2), gmo)
    assert isinstance(got, Got)
    session.token = gmo.MsgToken  # type: ignore[attr-defined]
    return got.data


def _fails(session: Session, hobj: int, options: int, token: bytes = b"") -> int:
    with pytest.raises(MQError) as caught:
        _get(session, hobj, options, token)
    return caught.value.reason


def test_a_cursor_goes_on_behind_a_message_that_another_took(session: Session) -> None:
    hobj = session.open("Q", _BOTH)
    assert [_get(session, hobj, _NEXT) for _ in range(2)] == [b"0", b"1"]
    session.get("Q"), session.get("Q")
    assert _fails(session, hobj, _UNDER) == C.MQRC_NO_MSG_UNDER_CURSOR
    assert [_get(session, hobj, _NEXT) for _ in range(2)] == [b"2", b"3"]
    assert _fails(session, hobj, _NEXT) == C.MQRC_NO_MSG_AVAILABLE


def test_a_cursor_whose_message_has_gone_does_not_take_the_next_in_its_slot_for_it(session: Session) -> None:
    hobj = session.open("Q", _BOTH)
    assert _get(session, hobj, _NEXT) == b"0"
    assert [session.get("Q")[1] for _ in range(2)] == [b"0", b"1"]
    session.put("Q", b"4"), session.put("Q", b"5")  # in the slots of those
    assert [_get(session, hobj, _NEXT) for _ in range(4)] == [b"2", b"3", b"4", b"5"]


def test_a_cursor_does_not_show_its_message_twice_that_came_back(session: Session) -> None:
    hobj = session.open("Q", _BOTH)
    assert _get(session, hobj, _NEXT) == b"0"
    session.get("Q", syncpoint=True)
    session.qm.backout(session.hconn)
    assert _get(session, hobj, _NEXT) == b"1"


def test_a_message_of_higher_priority_that_comes_behind_a_cursor_stays_unseen(session: Session) -> None:
    hobj = session.open("Q", _BOTH)
    assert _get(session, hobj, _NEXT) == b"0"
    session.put("Q", b"urgent", Priority=9)
    assert _get(session, hobj, _NEXT) == b"1"
    assert _get(session, hobj, C.MQGMO_BROWSE_FIRST) == b"urgent"


def test_a_queue_in_order_of_arrival_knows_no_priority(session: Session) -> None:
    session.queue("FIFO", MSGDLVSQ="FIFO")
    for priority in (0, 9, 4):
        session.put("FIFO", b"%d" % priority, Priority=priority)
    assert [session.get("FIFO")[1] for _ in range(3)] == [b"0", b"9", b"4"]


def test_a_lock_goes_with_its_message(session: Session) -> None:
    hobj = session.open("Q", _BOTH)
    assert _get(session, hobj, _NEXT | C.MQGMO_LOCK) == b"0"
    assert session.get("Q")[1] == b"1"
    assert _get(session, hobj, _UNDER) == b"0"
    queue = session.core.queues["Q"]
    assert queue.locks == {} and session.qm.handle(session.hconn, hobj).locked == []
    session.put("Q", b"in its slot")
    assert [session.get("Q")[1] for _ in range(3)] == [b"2", b"3", b"in its slot"]


def test_marks_go_with_their_message(session: Session) -> None:
    hobj = session.open("Q", _BOTH | C.MQOO_CO_OP)
    assert _get(session, hobj, _NEXT | C.MQGMO_MARK_BROWSE_HANDLE) == b"0"
    assert _get(session, hobj, _NEXT | C.MQGMO_MARK_BROWSE_CO_OP) == b"1"
    session.get("Q"), session.get("Q")
    queue = session.core.queues["Q"]
    assert (queue.marks, queue.coop_marks, session.qm.handle(session.hconn, hobj).marks) == ({}, {}, set())


def test_marks_of_cooperating_handles_last_as_long_as_markint_says_whatever_the_clock(session: Session) -> None:
    hobj = session.open("Q", _BOTH | C.MQOO_CO_OP)
    options = C.MQGMO_BROWSE_FIRST | C.MQGMO_UNMARKED_BROWSE_MSG
    assert _get(session, hobj, options | C.MQGMO_MARK_BROWSE_CO_OP) == b"0"
    for years in (20, -40):
        session.clock.set_back(years * 365 * 86400)
        assert _get(session, hobj, options) == b"1"
    session.clock.set_back(60 * 365 * 86400)
    session.clock.advance(session.core.catalogue.qmgr.markint / 1000)
    assert _get(session, hobj, options) == b"0"


def test_a_token_names_one_message_and_never_the_next_in_its_slot(session: Session) -> None:
    hobj = session.open("Q", _BOTH)
    _get(session, hobj, _NEXT)
    token: bytes = session.token  # type: ignore[attr-defined]
    assert _get(session, hobj, C.MQGMO_BROWSE_FIRST, token) == b"0"
    assert session.get("Q")[1] == b"0"
    session.put("Q", b"in its slot")
    assert _fails(session, hobj, C.MQGMO_BROWSE_FIRST, token) == C.MQRC_NO_MSG_AVAILABLE
    assert _fails(session, hobj, C.MQGMO_BROWSE_FIRST, bytes(16)) == C.MQRC_NO_MSG_AVAILABLE


def test_a_token_of_another_queue_names_nothing(session: Session) -> None:
    session.queue("OTHER")
    session.put("OTHER", b"other")
    other = session.open("OTHER", C.MQOO_BROWSE)
    _get(session, other, _NEXT)
    token: bytes = session.token  # type: ignore[attr-defined]
    hobj = session.open("Q", C.MQOO_BROWSE)
    assert _fails(session, hobj, C.MQGMO_BROWSE_FIRST, token) == C.MQRC_NO_MSG_AVAILABLE
