"""Reports go only where the sender of the message could have put it itself: the queue manager lends nobody its pen."""

from __future__ import annotations

import pytest
from helper_authority import Rig

from libremq.kernel.authority import object_authority
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

FORBIDDEN = b"what alice may not put there"


@pytest.fixture
def rig() -> Rig:
    """As in a server: who is not connected is nobody special. Alice may put to Q and get from it."""
    rig = Rig()
    rig.qm.core.authorities.trusting = False
    rig.qm.define("QLOCAL", "DEAD", {})
    rig.qm.alter("QMGR", "", {"deadq": "DEAD"})
    for name, add in (("self", ("CONNECT",)), ("Q", ("PUT", "GET"))):
        of = C.MQOT_Q_MGR if name == "self" else C.MQOT_Q
        object_authority.set_authority(rig.qm.core, name, of, principals=("alice",), add=add, known=True)
    return rig


def put(rig: Rig, report: int, reply_to: str, manager: str = "", expiry: int = C.MQEI_UNLIMITED) -> None:
    hconn = rig.qm.connect("alice", "app", privileged=False)
    md = MQMD(Version=C.MQMD_VERSION_2, Report=report, ReplyToQ=reply_to, ReplyToQMgr=manager, Expiry=expiry)
    rig.qm.put1(hconn, MQOD(ObjectName="Q"), md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), FORBIDDEN)
    rig.qm.disconnect(hconn)


def depth(rig: Rig, name: str) -> int:
    queue = rig.qm.core.queues.get(name)
    return queue.store.depth if queue is not None else 0


def make_report(rig: Rig, event: str, reply_to: str, manager: str = "") -> None:
    if event == "arrival":
        put(rig, C.MQRO_COA_WITH_FULL_DATA, reply_to, manager)
    elif event == "expiry":
        put(rig, C.MQRO_EXPIRATION_WITH_FULL_DATA, reply_to, manager, expiry=1)
        rig.clock.advance(1.0)
    else:
        put(rig, C.MQRO_COD_WITH_FULL_DATA, reply_to, manager)
    hconn = rig.qm.connect("owner", "app")
    hobj = rig.qm.open(hconn, MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    try:
        rig.qm.get(hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT), None)
    except Exception:
        assert event == "expiry"
    rig.qm.disconnect(hconn)


EVENTS = ("arrival", "delivery", "expiry")


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(("queue", "manager"), [("TWO", ""), ("TWO", "QM1"), ("TWO", "HERE"), ("ALIAS", "")])
def test_a_report_does_not_go_where_its_sender_may_not_put(rig: Rig, event: str, queue: str, manager: str) -> None:
    rig.qm.alter("QALIAS", "ALIAS", {"target": "TWO"})
    make_report(rig, event, queue, manager)
    assert (depth(rig, "TWO"), depth(rig, "DEAD")) == (0, 1)
    assert any("AMQ8077" in line and "alice" in line for line in rig.said), rig.said


@pytest.mark.parametrize("event", EVENTS)
def test_a_report_goes_where_its_sender_may_put(rig: Rig, event: str) -> None:
    object_authority.set_authority(rig.qm.core, "TWO", C.MQOT_Q, principals=("alice",), add=("PUT",), known=True)
    make_report(rig, event, "TWO")
    assert (depth(rig, "TWO"), depth(rig, "DEAD")) == (1, 0)


@pytest.mark.parametrize("event", EVENTS)
def test_a_report_to_another_queue_manager_needs_its_transmission_queue(rig: Rig, event: str) -> None:
    make_report(rig, event, "FAR", "OTHER")
    assert (depth(rig, "XMIT"), depth(rig, "DEAD")) == (0, 1)
    object_authority.set_authority(rig.qm.core, "XMIT", C.MQOT_Q, principals=("alice",), add=("PUT",), known=True)
    make_report(rig, event, "FAR", "OTHER")
    assert (depth(rig, "XMIT"), depth(rig, "DEAD")) == (1, 1)


def test_the_maker_of_a_temporary_queue_gets_its_reports_there(rig: Rig) -> None:
    core = rig.qm.core
    object_authority.set_authority(core, "MODEL", C.MQOT_Q, principals=("alice",), add=("GET", "DSP"), known=True)
    hconn = rig.qm.connect("alice", "app", privileged=False)
    od = MQOD(ObjectName="MODEL")
    rig.qm.open(hconn, od, C.MQOO_INPUT_SHARED)
    put(rig, C.MQRO_COA, od.ObjectName)
    assert (depth(rig, od.ObjectName), depth(rig, "DEAD")) == (1, 0)
