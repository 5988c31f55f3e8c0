"""What DISPLAY CONN tells of connections and what they have open, worked out where they are."""

from __future__ import annotations

from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Waiter
from libremq.kernel.verbs.connection_status import ConnectionStatus, HandleStatus
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD


def only(session: Session) -> tuple[ConnectionStatus, list[HandleStatus]]:
    (found,) = session.qm.connection_statuses()
    return found


def test_a_connection_without_a_unit_of_work() -> None:
    connection, handles = only(Session())
    assert (connection.user, connection.application, connection.is_consuming) == ("alice", "teller", False)
    assert (connection.unit_state, connection.unit_name, connection.unit_extent) == (C.MQUOWST_NONE, "0.0", "")
    assert handles == []


def test_a_unit_of_work_has_a_name_and_a_place_in_the_log() -> None:
    session = Session()
    session.queue("ONE")
    session.put("ONE", b"kept", syncpoint=True, Persistence=C.MQPER_PERSISTENT)
    connection, _ = only(session)
    assert connection.unit_state == C.MQUOWST_ACTIVE and connection.unit_type == C.MQUOWT_Q_MGR
    assert connection.unit_name == connection.own_unit_name != "0.0"
    assert connection.unit_extent == session.qm.log.current_extent


def test_a_branch_is_of_its_transaction_manager_once_it_is_prepared() -> None:
    session = Session()
    session.queue("ONE")
    xid = b"\x01\x00\x00\x00" + bytes([4, 4]) + b"gggg" + b"bbbb"
    session.qm.xa_start(session.hconn, xid)
    session.put("ONE", b"in a branch", syncpoint=True)
    connection, _ = only(session)
    assert (connection.unit_state, connection.own_unit_name) == (C.MQUOWST_ACTIVE, "0.0")
    assert connection.unit_name != "0.0" and connection.unit_type == C.MQUOWT_XA


def test_what_is_open_and_whether_it_waits() -> None:
    session = Session()
    session.queue("ONE")
    hobj = session.open("ONE", C.MQOO_INPUT_EXCLUSIVE)
    session.open("ONE", C.MQOO_OUTPUT)
    getting, putting = session.qm.handles_of_queue("ONE")
    assert getting.is_input and getting.is_exclusive and not getting.waits
    assert putting.has(C.MQOO_OUTPUT) and not putting.is_input and putting.object_type == C.MQOT_Q
    waiter = session.qm.get(session.hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_WAIT, WaitInterval=1000))
    assert isinstance(waiter, Waiter)
    assert session.qm.handles_of_queue("ONE")[0].waits
    assert only(session)[1] == session.qm.handles_of_queue("ONE")


def test_a_queue_that_is_not_open_has_no_handles() -> None:
    session = Session()
    session.queue("ONE")
    assert session.qm.handles_of_queue("ONE") == session.qm.handles_of_queue("NONE") == []
