"""Messages whose time is over: who discards them, when, and what he must leave alone."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Got
from libremq.kernel.verbs import expiry
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD

_ONE_SECOND = 10
_LOCK = C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK


@pytest.fixture
def session() -> Session:
    found = Session()
    found.queue("Q")
    return found


def _browse(session: Session, hobj: int, options: int) -> bytes:
    got = session.qm.get(session.hconn, hobj, MQMD(Version=2), MQGMO(Options=options))
    assert isinstance(got, Got)
    return got.data


def _no_message(session: Session, hobj: int, options: int = C.MQGMO_NO_SYNCPOINT) -> bool:
    with pytest.raises(MQError) as caught:
        _browse(session, hobj, options)
    return caught.value.reason == C.MQRC_NO_MSG_AVAILABLE


def test_a_scan_discards_what_is_over_and_nothing_else(session: Session) -> None:
    session.put("Q", b"short", Expiry=_ONE_SECOND)
    session.put("Q", b"long", Expiry=2 * _ONE_SECOND)
    session.put("Q", b"for ever")
    session.clock.advance(1)
    assert session.qm.scan_expired() == 1
    assert session.depth("Q") == 2
    assert session.get("Q")[1] == b"long"


def test_a_message_lives_to_the_end_of_its_last_tenth(session: Session) -> None:
    session.put("Q", b"short", Expiry=_ONE_SECOND)
    session.clock.advance(0.9)
    assert session.qm.scan_expired() == 0
    assert session.get("Q")[1] == b"short"


def test_a_scan_leaves_a_message_that_a_browse_has_locked(session: Session) -> None:
    """Whoever has locked it may still get it under its cursor, or find out by himself that it is over."""
    hobj = session.open("Q", C.MQOO_BROWSE | C.MQOO_INPUT_SHARED)
    session.put("Q", b"locked", Expiry=_ONE_SECOND)
    session.put("Q", b"free", Expiry=_ONE_SECOND)
    assert _browse(session, hobj, _LOCK) == b"locked"
    session.clock.advance(2)
    assert session.qm.scan_expired() == 1
    assert session.depth("Q") == 1
    _browse(session, hobj, C.MQGMO_UNLOCK)
    assert session.qm.scan_expired() == 1
    assert session.depth("Q") == 0


def test_the_lock_of_a_closed_handle_is_none(session: Session) -> None:
    hobj = session.open("Q", C.MQOO_BROWSE)
    session.put("Q", b"locked", Expiry=_ONE_SECOND)
    _browse(session, hobj, _LOCK)
    session.clock.advance(2)
    session.close(hobj)
    assert session.qm.scan_expired() == 1


def test_a_locked_message_that_is_over_is_not_got_under_the_cursor(session: Session) -> None:
    hobj = session.open("Q", C.MQOO_BROWSE | C.MQOO_INPUT_SHARED)
    session.put("Q", b"locked", Expiry=_ONE_SECOND)
    _browse(session, hobj, _LOCK)
    session.clock.advance(2)
    with pytest.raises(MQError) as caught:
        _browse(session, hobj, C.MQGMO_MSG_UNDER_CURSOR)
    assert caught.value.reason == C.MQRC_NO_MSG_UNDER_CURSOR
    assert session.depth("Q") == 0


def test_a_scan_leaves_what_somebody_has_got_and_not_committed(session: Session) -> None:
    session.put("Q", b"got", Expiry=_ONE_SECOND)
    session.get("Q", syncpoint=True)
    session.put("Q", b"put", syncpoint=True, Expiry=_ONE_SECOND)
    session.clock.advance(2)
    assert session.qm.scan_expired() == 0
    session.qm.backout(session.hconn)
    assert session.depth("Q") == 1
    assert session.qm.scan_expired() == 1


@pytest.mark.parametrize("options", [C.MQGMO_NO_SYNCPOINT, C.MQGMO_SYNCPOINT, C.MQGMO_BROWSE_FIRST])
def test_who_meets_a_message_that_is_over_discards_it(session: Session, options: int) -> None:
    hobj = session.open("Q", C.MQOO_BROWSE | C.MQOO_INPUT_SHARED)
    session.put("Q", b"over", Expiry=_ONE_SECOND)
    session.clock.advance(1)
    assert session.depth("Q") == 1
    assert _no_message(session, hobj, options)
    assert session.depth("Q") == 0


def test_a_get_says_how_much_of_its_time_is_left(session: Session) -> None:
    session.put("Q", b"x", Expiry=5 * _ONE_SECOND)
    session.clock.advance(2)
    assert session.get("Q")[0].Expiry == 3 * _ONE_SECOND


def test_the_sender_hears_of_it_together_with_the_end_of_the_message(session: Session) -> None:
    session.queue("REPORTS")
    session.put(
        "Q", b"over", Expiry=_ONE_SECOND, Report=C.MQRO_EXPIRATION_WITH_FULL_DATA, ReplyToQ="REPORTS",
        MsgType=C.MQMT_REQUEST,
    )  # fmt: skip
    session.clock.advance(1)
    session.qm.scan_expired()
    md, data = session.get("REPORTS")
    assert (md.MsgType, md.Feedback, data) == (C.MQMT_REPORT, C.MQFB_EXPIRATION, b"over")
    assert session.depth("Q") == 0


def test_a_report_that_cannot_be_put_is_no_reason_to_keep_the_message(session: Session) -> None:
    session.put("Q", b"over", Expiry=_ONE_SECOND, Report=C.MQRO_EXPIRATION, ReplyToQ="NOWHERE")
    session.clock.advance(1)
    assert session.qm.scan_expired() == 1
    assert session.depth("Q") == 0


def test_a_scan_lets_a_queue_go_that_was_unloaded_between_its_slices(session: Session) -> None:
    """What a checkpoint has unloaded may be loaded anew: to log twice that a message is over would damage the queue."""
    persistent = C.MQPER_PERSISTENT
    session.put("Q", b"short", Expiry=_ONE_SECOND, Persistence=persistent)
    session.put("Q", b"precious", Persistence=persistent)
    session.queue("Z")
    for _ in range(50):
        session.put("Z", b"short", Expiry=_ONE_SECOND, Persistence=persistent)
    session.qm.checkpoint()  # from now on the queue is idle
    session.clock.advance(2)
    kept = session.open("Z", C.MQOO_OUTPUT)
    core = session.core
    core.turns.slice = 200
    scan = expiry.Scan(core)
    core.turns.add(scan)
    session.qm.next_turn()  # it is in the middle of Z
    session.qm.checkpoint()
    assert "Q" not in core.queues
    hobj = session.open_input("Q")
    while core.turns:
        session.qm.next_turn()
    assert scan.count == 50
    assert session.get(hobj)[1] == b"precious"
    session.close(kept)
    session.put("Q", b"as precious", Persistence=persistent)
    core.log.force()
    session.kill_and_start()
    assert session.get("Q")[1] == b"as precious"
