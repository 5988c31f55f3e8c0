"""What DISPLAY QSTATUS tells of a queue, worked out where the queue is."""

from __future__ import annotations

from helper_qmgr import Session

from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.verbs.queue_status import QueueStatus
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQPMO


def status(session: Session, name: str = "ONE") -> QueueStatus:
    definition = session.qm.find("QLOCAL", name)
    assert isinstance(definition, LocalQueue)
    return session.qm.queue_status(definition)


def test_a_queue_that_nobody_used() -> None:
    session = Session()
    session.queue("ONE")
    found = status(session)
    assert (found.depth, found.input_count, found.output_count, found.is_open) == (0, 0, 0, False)
    assert (found.last_put, found.last_get, found.uncommitted, found.age_of_oldest_s) == (0.0, 0.0, False, 0)
    assert found.media_extent == ""  # the log is circular


def test_messages_age_and_handles_count() -> None:
    session = Session()
    session.queue("ONE")
    session.put("ONE", b"old")
    put_at = session.clock.now()
    session.clock.advance(70)
    session.put("ONE", b"young")
    hobj = session.open_input("ONE")
    found = status(session)
    assert (found.depth, found.age_of_oldest_s) == (2, 70)
    assert (found.input_count, found.output_count, found.is_open) == (1, 0, True)
    assert found.last_put == put_at + 70
    assert session.get(hobj)[1] == b"old"
    assert status(session).age_of_oldest_s == 0
    assert status(session).last_get == session.clock.now()


def test_what_is_not_committed_shows() -> None:
    session = Session()
    session.queue("ONE")
    session.put("ONE", b"perhaps", syncpoint=True)
    assert status(session).uncommitted
    session.qm.commit(session.hconn)
    assert not status(session).uncommitted


def test_of_a_linear_log_the_extent_where_media_recovery_begins() -> None:
    session = Session(LogConfig(file_pages=64, type="LINEAR"))
    session.queue("ONE")
    session.put("ONE", b"kept", Persistence=C.MQPER_PERSISTENT)
    assert status(session).media_extent == session.qm.log.current_extent


def test_no_age_is_larger_than_a_command_message_can_hold() -> None:
    """The clock may jump, and whoever may set all context may name any date."""
    session = Session()
    session.queue("ONE")
    hobj = session.open("ONE", C.MQOO_OUTPUT | C.MQOO_SET_ALL_CONTEXT)
    md = MQMD(Version=2, PutDate="00010101", PutTime="00000000")
    session.qm.put(session.hconn, hobj, md, MQPMO(Options=C.MQPMO_SET_ALL_CONTEXT | C.MQPMO_NO_SYNCPOINT), b"")
    assert status(session).age_of_oldest_s == 999_999_999
