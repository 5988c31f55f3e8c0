"""What DISPLAY CONN tells of connections and what they have open, worked out where they are."""

from __future__ import annotations

from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Waiter
from libremq.kernel.verbs.connection_status import ConnectionStatus, HandleStatus, connections
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD


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
    assert getting.is_input and getting.is_exclusive and not getting.waits and not getting.has(C.MQOO_OUTPUT)
    assert putting.has(C.MQOO_OUTPUT) and not putting.is_input and putting.object_type == C.MQOT_Q
    waiter = session.qm.get(session.hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_WAIT, WaitInterval=1000))
    assert isinstance(waiter, Waiter)
    assert session.qm.handles_of_queue("ONE")[0].waits
    assert only(session)[1] == session.qm.handles_of_queue("ONE")


def test_a_queue_that_is_not_open_has_no_handles() -> None:
    session = Session()
    session.queue("ONE")
    assert session.qm.handles_of_queue("ONE") == session.qm.handles_of_queue("NONE") == []


def test_when_a_unit_of_work_began_and_when_it_first_wrote_to_the_log() -> None:
    session = Session()
    session.queue("ONE")

    def times() -> tuple[float, float]:
        ((status, _),) = session.qm.connection_statuses()
        return status.unit_started, status.unit_logged

    assert times() == (0.0, 0.0)
    began = session.clock.now()
    session.put("ONE", b"in memory only", syncpoint=True, Persistence=C.MQPER_NOT_PERSISTENT)
    session.clock.advance(10)
    assert times() == (began, 0.0)
    session.put("ONE", b"logged", syncpoint=True, Persistence=C.MQPER_PERSISTENT)
    session.clock.advance(10)
    session.put("ONE", b"logged", syncpoint=True, Persistence=C.MQPER_PERSISTENT)
    assert times() == (began, began + 10)
    session.qm.commit(session.hconn)
    assert times() == (0.0, 0.0)


def test_the_options_of_a_connect_and_the_branch_that_it_is_in() -> None:
    session = Session()
    hconn = session.qm.connect("alice", "other", options=C.MQCNO_RECONNECT)
    session.qm.xa_start(hconn, b"XID")
    status = next(one for one, _ in session.qm.connection_statuses() if one.hconn == hconn)
    assert (status.options, status.external_unit) == (C.MQCNO_RECONNECT, b"XID")


def test_a_branch_that_is_prepared_is_told_apart() -> None:
    session = Session()
    session.queue("ONE")
    session.qm.xa_start(session.hconn, b"XID")
    session.put("ONE", b"in a branch", syncpoint=True, Persistence=C.MQPER_PERSISTENT)
    unit = session.qm.connection(session.hconn).xa_unit
    assert unit is not None
    session.core.prepare(unit, b"XID")
    assert only(session)[0].unit_state == C.MQUOWST_PREPARED


def test_who_has_a_queue_alone_because_it_is_defined_so() -> None:
    session = Session()
    session.queue("ALONE", DEFSOPT=C.MQOO_INPUT_EXCLUSIVE)
    session.queue("SHARED", DEFSOPT=C.MQOO_INPUT_SHARED)
    for name in ("ALONE", "SHARED"):
        session.open(name, C.MQOO_INPUT_AS_Q_DEF)
    assert [one.is_exclusive for one in only(session)[1]] == [True, False]


def test_what_is_open_need_not_be_a_queue() -> None:
    session = Session()
    session.qm.open(session.hconn, MQOD(ObjectType=C.MQOT_Q_MGR), C.MQOO_INQUIRE)
    (handle,) = only(session)[1]
    assert (handle.object_type, handle.is_exclusive) == (C.MQOT_Q_MGR, False)


def test_connections_that_end_while_it_is_told_of_others_are_left_out() -> None:
    session = Session()
    second, third = session.qm.connect("bob", "second"), session.qm.connect("carol", "third")
    found = connections(session.core)
    assert next(found)[0].hconn == session.hconn
    session.qm.disconnect(second)
    assert [status.hconn for status, _ in found] == [third]
