"""Verbs that meet a full log or fail half-way: nothing is put twice, counted twice, or lost with a branch."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.host import lifecycle
from libremq.kernel.recovery import log_room
from libremq.log import LogConfig, LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQOR, MQPMO

SMALL = LogConfig(primary_files=2, secondary_files=1, file_pages=64)
PERSISTENT = C.MQPER_PERSISTENT
NEVER = 1 << 60


@pytest.fixture
def session() -> Session:
    made = Session(SMALL)
    for name in "AB":
        made.queue(name)
    return made


def unit_of(session: Session, application: str) -> int:
    """A connection with a message in its unit of work."""
    hconn = session.qm.connect("bob", application)
    put_in_unit(session, hconn)
    return hconn


def put_in_unit(session: Session, hconn: int) -> None:
    md = MQMD(Version=2, Persistence=PERSISTENT)
    session.qm.put1(hconn, MQOD(ObjectName="A"), md, MQPMO(Options=C.MQPMO_SYNCPOINT), b"in a unit of work")


def reason_of(error: pytest.ExceptionInfo[MQError]) -> int:
    return error.value.reason


def test_a_small_unit_of_work_is_pulled_up_before_one_is_rolled_back(session: Session) -> None:
    other = unit_of(session, "small")
    session.qm._checkpoint_due = session.qm._records_due = NEVER  # the log fills before one is due
    for _ in range(40):
        session.put("B", bytes(40_000), Persistence=PERSISTENT)
        session.get("B")
        session.qm._checkpoint_due = session.qm._records_due = NEVER
    session.qm.commit(other)
    assert session.depth("A") == 1


def begin_branch(session: Session, xid: bytes) -> None:
    session.qm.xa_start(session.hconn, xid)
    put_in_unit(session, session.hconn)
    session.qm.xa_end(session.hconn, xid)


def test_the_transaction_manager_hears_of_a_branch_that_was_rolled_back(session: Session) -> None:
    for xid in (b"x", b"y"):
        begin_branch(session, xid)
        log_room.give_way(session.core)
    with pytest.raises(MQError) as told:
        session.qm.xa_prepare(session.hconn, b"x")
    assert reason_of(told) == C.MQRC_BACKED_OUT
    session.qm.xa_rollback(session.hconn, b"y")  # which is what has been done
    who = session.core.branches.who_was_rolled_back
    assert who(b"x") is None and who(b"y") is None and not session.core.units


def test_a_distribution_list_is_not_put_twice_when_the_log_is_full_in_the_middle(session: Session) -> None:
    qm = session.qm
    hobj = qm.open(session.hconn, MQOD(Version=2), C.MQOO_OUTPUT, [MQOR(ObjectName="A"), MQOR(ObjectName="B")])
    outcomes = set()
    for number in range(1, 61):
        qm._checkpoint_due = qm._records_due = NEVER
        md, pmo = MQMD(Version=2, Persistence=PERSISTENT), MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
        outcomes.add(qm.put(session.hconn, hobj, md, pmo, bytes(37_000)))
        assert session.depth("A") == number
    assert outcomes == {C.MQRC_NONE, C.MQRC_MULTIPLE_REASONS}


def test_a_verb_that_failed_half_way_leaves_the_backout_count(session: Session) -> None:
    """The application has not seen the message; also not after a restart."""
    session.put("A", b"once", Persistence=PERSISTENT)
    queue = session.core.queues["A"]
    with pytest.raises(LogFull), session.core.all_or_nothing(None) as unit:
        session.core.take(queue, next(iter(queue.store.chains)), unit)
        raise LogFull("the report found no room")
    session.core.log.force()
    files = session.core.files
    session.qm.abandon()
    again = lifecycle.start(files, "qm", "QM1", session.clock)
    hconn = again.connect()
    md = MQMD(Version=2)
    hobj = again.open(hconn, MQOD(ObjectName="A"), C.MQOO_INPUT_SHARED)
    again.get(hconn, hobj, md, MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
    assert md.BackoutCount == 0


def test_the_end_backs_out_a_branch_that_no_connection_is_in(session: Session) -> None:
    """A message that is kept over an orderly end (NPMCLASS(HIGH)) would be lost with its get."""
    session.qm.define("QLOCAL", "HIGH", {"NPMCLASS": "HIGH"})
    session.put("HIGH", b"kept", Persistence=C.MQPER_NOT_PERSISTENT)
    session.qm.xa_start(session.hconn, b"x")
    session.get("HIGH", syncpoint=True)
    session.qm.xa_end(session.hconn, b"x")
    session.qm.end()
    again = lifecycle.start(session.core.files, "qm", "QM1", session.clock)
    assert again.depth("HIGH") == 1
