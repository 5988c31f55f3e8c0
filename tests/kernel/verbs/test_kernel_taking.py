"""A message is taken when nothing more can go wrong with its answer: what fails before that leaves it where it is."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest
from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Got, Waiter
from libremq.kernel.verbs import taking
from libremq.kernel.verbs.consumers import Delivery
from libremq.kernel.verbs.plain_gets import Plain
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQPMO

_20_YEARS = 20 * 366 * 86400.0
_NO_SYNCPOINT = C.MQGMO_NO_SYNCPOINT
_PERSISTENT = C.MQPER_PERSISTENT


@pytest.fixture
def session() -> Session:
    found = Session()
    found.queue("Q")
    return found


def _broken(*arguments: Any, **named: Any) -> NoReturn:
    raise ValueError("planted")


def _put(session: Session, data: bytes = b"data", **fields: Any) -> None:
    session.put("Q", data, Persistence=_PERSISTENT, **fields)


def _still_there(session: Session, data: bytes = b"data") -> bool:
    """In memory, and when the log is replayed."""
    assert session.depth("Q") == 1
    session.kill_and_start()
    return session.get("Q")[1] == data


# The clock


@pytest.mark.parametrize("expiry", [1, 600, 2**31 - 1])
def test_a_clock_that_is_set_back_gives_no_message_more_time_than_it_had(session: Session, expiry: int) -> None:
    _put(session, Expiry=expiry)
    session.clock.set_back(_20_YEARS)
    md, data = session.get("Q")
    assert (md.Expiry, data) == (expiry, b"data")
    assert len(md.pack()) > 0


def test_nor_a_report_that_takes_over_what_is_left(session: Session) -> None:
    session.queue("REPLIES")
    _put(session, Expiry=600, Report=C.MQRO_COD | C.MQRO_PASS_DISCARD_AND_EXPIRY, ReplyToQ="REPLIES")
    session.clock.set_back(_20_YEARS)
    session.get("Q")
    assert session.get("REPLIES")[0].Expiry == 600


# Gets


@pytest.mark.parametrize("options", [_NO_SYNCPOINT, C.MQGMO_SYNCPOINT])
def test_a_get_whose_answer_cannot_be_made_takes_nothing(session: Session, options: int) -> None:
    _put(session)
    hobj = session.open_input("Q")
    md, gmo = MQMD(Version=2, MsgId=bytes(24)), MQGMO(Options=options)
    with pytest.raises(MQError) as caught:
        session.qm.get(session.hconn, hobj, md, gmo, None, _broken)
    assert caught.value.reason == C.MQRC_UNEXPECTED_ERROR and "planted" in caught.value.detail
    assert md == MQMD(Version=2, MsgId=bytes(24)) and gmo.ResolvedQName == ""
    assert _still_there(session)


@pytest.mark.parametrize("step", ["_fill_descriptor", "group_after", "shape", "_prepare"])
def test_whatever_fails_on_the_way_takes_nothing(session: Session, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    _put(session, MsgFlags=C.MQMF_LAST_MSG_IN_GROUP, GroupId=b"g".ljust(24))
    hobj = session.open_input("Q")
    with monkeypatch.context() as planted:
        planted.setattr(taking, step, _broken)
        with pytest.raises(ValueError, match="planted"):
            session.qm.get(session.hconn, hobj, MQMD(Version=2), MQGMO(Options=_NO_SYNCPOINT))
    assert _still_there(session)


def test_the_answer_is_what_the_get_returns(session: Session) -> None:
    _put(session)
    hobj = session.open_input("Q")
    md, gmo = MQMD(Version=2), MQGMO(Version=4, Options=_NO_SYNCPOINT)
    seen: list[tuple[int, MQMD, MQGMO]] = []

    def pack(hobj: int, md: MQMD, gmo: MQGMO, got: Got) -> bytes:
        seen.append((hobj, md.copy(), gmo.copy()))
        assert session.depth("Q") == 1, "it is not taken yet"
        return b"packed " + got.data

    got = session.qm.get(session.hconn, hobj, md, gmo, None, pack)
    assert isinstance(got, Got) and got.reply == b"packed data"
    assert seen == [(hobj, md, gmo)] and gmo.ResolvedQName == "Q"
    assert session.depth("Q") == 0


@pytest.mark.parametrize("locked", [True, False])
def test_an_unlock_takes_nothing_and_has_an_answer(session: Session, locked: bool) -> None:
    _put(session)
    hobj = session.open("Q", C.MQOO_BROWSE | C.MQOO_INPUT_SHARED)
    if locked:
        session.qm.get(session.hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK))
    got = session.qm.get(session.hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_UNLOCK), None, lambda *all: b"packed")
    assert isinstance(got, Got) and got.reply == b"packed"
    assert got.reason == (C.MQRC_NONE if locked else C.MQRC_NO_MSG_LOCKED)


def test_a_browse_whose_answer_cannot_be_made_does_not_move_on(session: Session) -> None:
    _put(session)
    hobj = session.open("Q", C.MQOO_BROWSE)
    gmo = MQGMO(Options=C.MQGMO_BROWSE_NEXT)
    with pytest.raises(MQError):
        session.qm.get(session.hconn, hobj, MQMD(Version=2), gmo, None, _broken)
    got = session.qm.get(session.hconn, hobj, MQMD(Version=2), gmo)
    assert isinstance(got, Got) and got.data == b"data"


def test_a_plain_get_whose_answer_cannot_be_made_takes_nothing(session: Session) -> None:
    _put(session)
    hobj = session.open_input("Q")
    with pytest.raises(ValueError, match="planted"):
        session.qm.get_plain(session.hconn, hobj, _NO_SYNCPOINT, _broken)
    assert _still_there(session)


# Gets that wait


def _waiter(session: Session, hobj: int, pack: Any = None, options: int = _NO_SYNCPOINT) -> Waiter:
    gmo = MQGMO(Version=4, Options=options | C.MQGMO_WAIT, WaitInterval=C.MQWI_UNLIMITED)
    found = session.qm.get(session.hconn, hobj, MQMD(Version=2), gmo, None, pack)
    assert isinstance(found, Waiter)
    return found


@pytest.mark.parametrize("options", [_NO_SYNCPOINT, C.MQGMO_SYNCPOINT], ids=["hand to hand", "by the queue"])
def test_a_waiting_get_whose_answer_cannot_be_made_leaves_the_message(session: Session, options: int) -> None:
    """The putter is not concerned: its message was put."""
    waiter = _waiter(session, session.open_input("Q"), _broken, options)
    _put(session)
    assert waiter.error is not None and waiter.error.reason == C.MQRC_UNEXPECTED_ERROR
    assert _still_there(session)


def test_the_next_who_waits_gets_what_the_first_could_not_be_answered_with(session: Session) -> None:
    hobj = session.open_input("Q")
    patient = _waiter(session, hobj)
    unlucky = _waiter(session, hobj, _broken)  # the latest is served first
    _put(session)
    assert unlucky.error is not None
    assert patient.result is not None and patient.result.data == b"data"


@pytest.mark.parametrize("step", ["shape", "group_after"])
def test_a_waiting_get_that_fails_on_the_way_is_no_fault_of_the_putter(
    session: Session, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    waiter = _waiter(session, session.open_input("Q"), None, C.MQGMO_SYNCPOINT)
    with monkeypatch.context() as planted:
        planted.setattr(taking, step, _broken)
        _put(session, MsgFlags=C.MQMF_LAST_MSG_IN_GROUP, GroupId=b"g".ljust(24))
    assert waiter.error is not None and waiter.error.reason == C.MQRC_UNEXPECTED_ERROR
    assert _still_there(session)


# Consumers


def test_a_consumer_whose_call_cannot_be_made_is_told_and_the_message_stays(session: Session) -> None:
    hobj = session.open_input("Q")
    cbd = MQCBD(CallbackType=C.MQCBT_MESSAGE_CONSUMER)
    session.qm.callback(session.hconn, C.MQOP_REGISTER, cbd, print, hobj, MQMD(Version=2), MQGMO(Options=_NO_SYNCPOINT))
    session.qm.control(session.hconn, C.MQOP_START)
    _put(session)
    delivery = session.qm.next_delivery(session.hconn, _broken)
    assert delivery is not None and delivery.data is None
    assert delivery.cbc.Reason == C.MQRC_UNEXPECTED_ERROR
    assert session.qm.next_delivery(session.hconn) is None, "it is suspended: the same would come for ever"
    assert _still_there(session)


def test_a_delivery_is_made_before_its_message_is_taken(session: Session) -> None:
    hobj = session.open_input("Q")
    cbd = MQCBD(CallbackType=C.MQCBT_MESSAGE_CONSUMER)
    session.qm.callback(session.hconn, C.MQOP_REGISTER, cbd, print, hobj, MQMD(Version=2), MQGMO(Options=_NO_SYNCPOINT))
    session.qm.control(session.hconn, C.MQOP_START)
    _put(session)

    def pack(delivery: Delivery) -> bytes:
        assert session.depth("Q") == 1 and delivery.cbc.CallType == C.MQCBCT_MSG_REMOVED
        return b"packed " + (delivery.data or b"")

    delivery = session.qm.next_delivery(session.hconn, pack)
    assert delivery is not None and delivery.packed == b"packed data" and session.depth("Q") == 0


# What follows a call


@pytest.mark.parametrize("follows", ["checkpoint_due", "run_commands"])
def test_what_follows_a_get_does_not_take_its_answer(
    session: Session, monkeypatch: pytest.MonkeyPatch, follows: str
) -> None:
    said: list[str] = []
    _put(session)
    hobj = session.open_input("Q")
    session.qm.say = said.append
    session.qm._records_due = 0
    session.qm.commands_wait = True
    with monkeypatch.context() as planted:
        planted.setattr(session.qm, follows, _broken)
        got = session.qm.get(session.hconn, hobj, MQMD(Version=2), MQGMO(Options=_NO_SYNCPOINT))
    assert isinstance(got, Got) and got.data == b"data"
    assert any("AMQ7493" in text and "planted" in text for text in said)


def test_nor_does_one_whom_it_has_woken_and_the_others_are_told(session: Session) -> None:
    told: list[str] = []
    said: list[str] = []
    session.qm.say = said.append
    hobj = session.open_input("Q")
    last, first = _waiter(session, hobj), _waiter(session, hobj)
    first.notify, last.notify = _broken, lambda: told.append("told")
    session.put("Q", b"one", syncpoint=True)
    session.put("Q", b"two", syncpoint=True)
    session.qm.commit(session.hconn)
    assert told == ["told"] and first.result is not None and last.result is not None
    assert any("AMQ7493" in text for text in said)


def test_a_message_that_was_taken_is_that_of_the_token(session: Session) -> None:
    _put(session)
    hobj = session.open_input("Q")
    seen: list[Plain] = []

    def note(found: list[Plain]) -> int:
        seen.extend(found)
        return len(found)

    assert session.qm.get_plain(session.hconn, hobj, _NO_SYNCPOINT, note) == seen and len(seen) == 1


# What comes to the queue while a waiting get is served


@pytest.mark.parametrize("match", [0, C.MQMO_MATCH_MSG_SEQ_NUMBER])
@pytest.mark.parametrize("syncpoint", [C.MQGMO_NO_SYNCPOINT, C.MQGMO_SYNCPOINT])
@pytest.mark.parametrize(
    "fields", [{"Expiry": 1, "Report": C.MQRO_EXPIRATION}, {"Report": C.MQRO_COD}], ids=["expired", "delivered"]
)
def test_a_waiting_get_whose_report_comes_to_its_own_queue_takes_one_message(
    session: Session, match: int, syncpoint: int, fields: dict[str, Any]
) -> None:
    """The report arrives in the middle of the try, and whoever is being served was served again by it."""
    gmo = MQGMO(Version=2, Options=C.MQGMO_WAIT | syncpoint, WaitInterval=C.MQWI_UNLIMITED, MatchOptions=match)
    waiter = session.qm.get(session.hconn, session.open_input("Q"), MQMD(Version=2), gmo)
    putter = session.qm.connect("bob", "putter")
    for number, more in enumerate((fields, {}, {})):
        md = MQMD(Version=2, ReplyToQ="Q", Feedback=number, MsgType=C.MQMT_DATAGRAM, **more)
        data = str(number).encode()
        session.qm.put1(putter, MQOD(ObjectName="Q"), md, MQPMO(Options=C.MQPMO_SYNCPOINT), data)
    session.clock.advance(1)
    session.qm.commit(putter)
    assert isinstance(waiter, Waiter) and waiter.result is not None
    session.qm.commit(session.hconn)
    found = [waiter.result.data]
    while session.depth("Q"):
        found.append(session.get("Q")[1])
    there = [b"1", b"2"] if "Expiry" in fields else [b"0", b"1", b"2"]
    assert found == [*there, b""], "each once, and the report behind them"


def test_a_message_that_is_whole_again_is_not_of_a_longer_one(session: Session) -> None:
    segment = MQMD(Version=2, GroupId=b"g" * 24, OriginalLength=100)
    for offset, flags in ((0, C.MQMF_SEGMENT), (3, C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT)):
        segment.Offset, segment.MsgFlags = offset, flags
        pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
        session.qm.put1(session.hconn, MQOD(ObjectName="Q"), segment.copy(), pmo, b"new")
    md = MQMD(Version=2)
    options = C.MQGMO_NO_SYNCPOINT | C.MQGMO_COMPLETE_MSG
    got = session.qm.get(session.hconn, session.open_input("Q"), md, MQGMO(Version=2, Options=options))
    assert isinstance(got, Got) and got.data == b"newnew"
    assert (md.Offset, md.OriginalLength) == (0, C.MQOL_UNDEFINED)


# Under the cursor


def test_a_message_under_the_cursor_that_somebody_has_locked_is_not_taken(session: Session) -> None:
    _put(session)
    both = C.MQOO_BROWSE | C.MQOO_INPUT_SHARED
    mine, other = session.open("Q", both), session.open("Q", both)

    def look(hobj: int, options: int) -> Got | Waiter:
        return session.qm.get(session.hconn, hobj, MQMD(Version=2), MQGMO(Options=options | _NO_SYNCPOINT))

    look(mine, C.MQGMO_BROWSE_FIRST)
    look(other, C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK)
    with pytest.raises(MQError, match="another handle has locked the message"):
        look(mine, C.MQGMO_MSG_UNDER_CURSOR)
    assert session.depth("Q") == 1
    look(other, C.MQGMO_UNLOCK)
    assert isinstance(look(mine, C.MQGMO_MSG_UNDER_CURSOR), Got)
    assert session.depth("Q") == 0
