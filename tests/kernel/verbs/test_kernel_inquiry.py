"""MQSET is heard by those whom it concerns, as ALTER is: waiting gets, and consumers."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Waiter
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCBD, MQGMO, MQMD

FORBIDDEN = {C.MQIA_INHIBIT_GET: C.MQQA_GET_INHIBITED}
ALLOWED = {C.MQIA_INHIBIT_GET: C.MQQA_GET_ALLOWED}


@pytest.fixture(params=["Q", "ALIAS"])
def name(request: pytest.FixtureRequest) -> str:
    """Where gets are inhibited: a queue, or the alias under which it is open."""
    return str(request.param)


@pytest.fixture
def session() -> Session:
    made = Session()
    made.queue("Q")
    made.qm.define("QALIAS", "ALIAS", {"TARGET": "Q"})
    return made


def test_a_get_that_waits_is_ended(session: Session, name: str) -> None:
    gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=C.MQWI_UNLIMITED)
    waiter = session.qm.get(session.hconn, session.open_input(name), MQMD(Version=2), gmo)
    assert isinstance(waiter, Waiter)
    setter = session.open(name, C.MQOO_SET)
    session.qm.set(session.hconn, setter, {C.MQIA_INHIBIT_PUT: C.MQQA_PUT_INHIBITED})
    assert not waiter.done
    session.qm.set(session.hconn, setter, FORBIDDEN)
    assert waiter.done
    assert waiter.error is not None and waiter.error.reason == C.MQRC_GET_INHIBITED


def test_a_consumer_is_asked_again(session: Session, name: str) -> None:
    woken: list[bool] = []
    hobj, setter = session.open_input(name), session.open(name, C.MQOO_SET)
    gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=C.MQWI_UNLIMITED)
    session.qm.callback(session.hconn, C.MQOP_REGISTER, MQCBD(), lambda *_: None, hobj, MQMD(), gmo)
    session.qm.control(session.hconn, C.MQOP_START)
    session.qm.connection(session.hconn).wake = lambda: woken.append(True)
    for values in (FORBIDDEN, ALLOWED):
        session.qm.set(session.hconn, setter, values)
        assert woken, values
        woken.clear()
