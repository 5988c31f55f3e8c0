"""Who gives way when the log is full, and what those hear who did."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helper_qmgr import Session

from libremq.common.clock import SystemClock
from libremq.common.files.file_layer import RealFiles
from libremq.host import lifecycle
from libremq.kernel.recovery import log_room
from libremq.kernel.state import undo
from libremq.kernel.state.waiting_gets import Waiter
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQOR, MQPMO
from libremq.store.store_errors import damaged_queue

SMALL = LogConfig(primary_files=2, secondary_files=1, file_pages=64)


@pytest.fixture
def session() -> Session:
    session = Session(SMALL)
    session.queue("Q")
    session.queue("R")
    return session


def another(session: Session, queue: str = "Q") -> int:
    """A second application, with a unit of work."""
    hconn = session.qm.connect("bob", "clerk")
    put_in_unit(session, hconn, queue)
    return hconn


def put_in_unit(session: Session, hconn: int, queue: str = "Q") -> None:
    md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
    session.qm.put1(hconn, MQOD(ObjectName=queue), md, MQPMO(Options=C.MQPMO_SYNCPOINT), b"in a unit of work")


def refused(reason: int) -> pytest.RaisesExc[MQError]:
    return pytest.raises(MQError, match=f"\\({reason}\\)")


def test_a_put_that_no_log_would_take_rolls_back_nobody(session: Session) -> None:
    others = [another(session) for _ in range(5)]
    with refused(C.MQRC_RESOURCE_PROBLEM):
        session.put("Q", bytes(2_000_000), Persistence=C.MQPER_PERSISTENT)
    assert not any(session.core.connections[hconn].backed_out for hconn in others)
    for hconn in others:
        session.qm.commit(hconn)
    assert session.depth("Q") == 5


@pytest.mark.parametrize("prepared", [0, 1, 40])
@pytest.mark.parametrize("size", [500_000, 600_000, 650_000, 760_000, 900_000])
def test_a_large_put_beside_a_prepared_unit_of_work_ends_one_way_or_the_other(
    session: Session, size: int, prepared: int
) -> None:
    if prepared:
        session.qm.xa_start(session.hconn, b"x")
        for _ in range(prepared):
            session.put("Q", b"", syncpoint=True, Persistence=C.MQPER_PERSISTENT)
        session.qm.xa_end(session.hconn, b"x")
        session.qm.xa_prepare(session.hconn, b"x")
    try:
        session.put("R", bytes(size), Persistence=C.MQPER_PERSISTENT)
    except MQError as error:
        assert error.reason == C.MQRC_RESOURCE_PROBLEM and ("full" in str(error) or "too small" in str(error))
    assert session.qm.xa_recover(session.hconn) == ([b"x"] if prepared else [])


def test_the_owner_hears_of_it_even_when_it_only_disconnects(session: Session) -> None:
    hconn = another(session)
    log_room.give_way(session.core)
    with refused(C.MQRC_BACKED_OUT):
        session.qm.disconnect(hconn)
    with refused(C.MQRC_HCONN_ERROR):
        session.qm.commit(hconn)
    assert session.depth("Q") == 0


def test_what_a_waiting_get_brought_since_is_backed_out_too(session: Session) -> None:
    """The application commits in the belief that it is all one unit of work."""
    hconn = another(session)
    hobj = session.qm.open(hconn, MQOD(ObjectName="R"), C.MQOO_INPUT_SHARED)
    options = C.MQGMO_SYNCPOINT | C.MQGMO_WAIT
    waiter = session.qm.get(hconn, hobj, MQMD(Version=2), MQGMO(Options=options, WaitInterval=-1))
    assert isinstance(waiter, Waiter)
    log_room.give_way(session.core)
    session.put("R", b"comes late", Persistence=C.MQPER_PERSISTENT)
    assert waiter.done
    with refused(C.MQRC_BACKED_OUT):
        session.qm.commit(hconn)
    session.qm.commit(hconn)
    assert session.depth("R") == 1


def test_a_branch_that_was_rolled_back_cannot_be_joined_or_prepared(session: Session) -> None:
    for call in (session.qm.xa_start, session.qm.xa_prepare):
        session.qm.xa_start(session.hconn, b"x")
        session.put("Q", b"first", syncpoint=True, Persistence=C.MQPER_PERSISTENT)
        session.qm.xa_end(session.hconn, b"x")
        log_room.give_way(session.core)
        with refused(C.MQRC_BACKED_OUT):
            call(session.hconn, b"x")
    assert session.depth("Q") == 0


def test_what_was_undone_of_a_unit_that_was_logged_once_more_stays_undone(session: Session) -> None:
    """A backout stands still where the disk of the next extent is full; a checkpoint and a kill come in between."""
    for number in range(2):
        session.put("R", b"%d" % number, Persistence=C.MQPER_PERSISTENT)
    hconn = session.hconn
    for _ in range(2):
        put_in_unit(session, hconn)
    hobj = session.open_input("R")
    for _ in range(2):
        session.get(hobj, syncpoint=True)
    unit = session.core.connections[hconn].unit
    assert unit is not None
    log_room.soft_image(session.core, unit)
    undo.undo_behind(session.core, unit, 1, True, {})
    session.qm.take_checkpoint()
    session.kill_and_start()
    assert (session.depth("Q"), session.depth("R")) == (0, 2)
    assert [session.get("R")[1] for _ in range(2)] == [b"0", b"1"]


def test_a_distribution_list_goes_on_when_the_log_turns(session: Session) -> None:
    records = [MQOR(ObjectName="Q"), MQOR(ObjectName="R")]
    hobj = session.qm.open(session.hconn, MQOD(Version=2), C.MQOO_OUTPUT, records)
    for _ in range(20):
        md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
        session.qm.put(session.hconn, hobj, md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), bytes(150_000))
        assert (session.depth("Q"), session.depth("R")) == (1, 1)
        session.get("Q")
        session.get("R")


def test_an_object_whose_deletion_cannot_be_logged_stays(session: Session) -> None:
    session.qm.define("QALIAS", "ALIAS", {"TARGET": "Q"})
    session.core.checkpoint_bytes = 10**9  # as much as is to be kept free
    with refused(C.MQRC_RESOURCE_PROBLEM):
        session.qm.delete("QALIAS", "ALIAS")
    assert session.core.catalogue.find("QALIAS", "ALIAS") is not None


def test_a_damaged_queue_does_not_stop_the_scan_for_expired_messages(session: Session) -> None:
    for queue in ("Q", "R"):
        session.put(queue, b"short-lived", Persistence=C.MQPER_PERSISTENT, Expiry=10)
    session.core.note_damage(session.core.queues["Q"], damaged_queue("Q", "file", "damaged by a test"))
    session.clock.advance(100)
    session.qm.scan_expired()
    assert session.depth("R") == 0


def test_a_start_that_is_refused_leaves_no_file_open(tmp_path: Path) -> None:
    folder = str(tmp_path / "qm")
    lifecycle.create(RealFiles(), folder, "QM1", SystemClock(), SMALL)
    settings = tmp_path / "qm" / "qm.ini"
    settings.write_text(settings.read_text().replace("LogFilePages=64", "LogFilePages=128"))
    descriptors = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    for _ in range(3):
        with refused(C.MQRC_Q_MGR_NOT_AVAILABLE):
            lifecycle.start(RealFiles(), folder, "QM1", SystemClock())
    if descriptors:
        assert len(os.listdir("/proc/self/fd")) == descriptors


def test_a_message_that_the_log_is_too_small_for_is_told_so_and_what_would_do() -> None:
    """To commit sooner, as for a full log, would be of no use."""
    data = b"x" * 1_000_000
    session = Session(SMALL)
    session.queue("Q", MAXMSGL="2000000")
    with refused(C.MQRC_RESOURCE_PROBLEM) as caught:
        session.put("Q", data, Persistence=C.MQPER_PERSISTENT)
    words = caught.value.detail
    assert "the log is too small for a record of 10" in words and "Commit sooner" not in words
    files = int(words.partition("LogSecondaryFiles to ")[2].split()[0])
    assert files > SMALL.files_max
    enough = Session(LogConfig(primary_files=2, secondary_files=files - 2, file_pages=64))
    enough.queue("Q", MAXMSGL="2000000")
    for _ in range(3):  # wherever in the log it begins
        enough.put("Q", data, Persistence=C.MQPER_PERSISTENT)
        assert enough.get("Q")[1] == data
