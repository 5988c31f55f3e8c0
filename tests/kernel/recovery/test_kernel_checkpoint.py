"""Checkpoints: what must be on disk before one counts, how far back a restart reads, and what one leaves undone."""

from __future__ import annotations

import errno
import os
from contextlib import suppress

from helper_qmgr import Session

from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.testing.faulty_files import PowerCut

_PERSISTENT = C.MQPER_PERSISTENT
_SMALL = LogConfig(primary_files=2, secondary_files=2, file_pages=64)


def _after_power_cut(session: Session) -> Session:
    """From a disk that has lost all that was not synced."""
    again = Session.__new__(Session)
    again.clock = session.clock
    again.files = next(session.files.copy().disk_states())
    again._start()
    return again


def test_a_checkpoint_that_is_complete_needs_nothing_that_is_not_on_disk() -> None:
    session = Session()
    session.queue("Q")
    session.put("Q", b"x", Persistence=_PERSISTENT)
    session.qm.checkpoint()
    assert _after_power_cut(session).depth("Q") == 1


def test_the_power_fails_at_each_moment_of_a_checkpoint() -> None:
    """The one before is in force, or this one; each has on disk what it names."""
    for moment in range(1, 1000):
        session = Session()
        session.queue("Q")
        session.put("Q", b"x", Persistence=_PERSISTENT)
        session.core.log.force()
        session.files.crash_at = session.files.operations + moment
        with suppress(PowerCut):
            session.qm.checkpoint()
        assert _after_power_cut(session).depth("Q") == 1, session.files.crashed_in
        if session.files.powered:
            break
    assert 10 < moment < 999


def test_the_log_is_kept_from_the_first_record_of_a_unit_of_work() -> None:
    session = Session(_SMALL)
    session.queue("Q")
    session.qm.xa_start(session.hconn, b"x")
    session.put("Q", b"of the branch", syncpoint=True, Persistence=_PERSISTENT)
    session.qm.xa_end(session.hconn, b"x")
    session.qm.xa_prepare(session.hconn, b"x")
    first = session.core.prepared_units()[0].first_lsn
    session.put("Q", b"behind it", Persistence=_PERSISTENT)
    session.qm.checkpoint()
    assert session.core.log.head <= first
    session.kill_and_start()
    assert session.qm.xa_recover(session.hconn) == [b"x"]
    session.qm.xa_commit(session.hconn, b"x")
    assert session.depth("Q") == 2


def test_a_definition_whose_checkpoint_failed_is_in_the_next() -> None:
    session = Session()
    session.qm.checkpoint()
    session.queue("NEW")
    session.files.fail("write", "*QMQMOBJCAT*", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    session.qm.checkpoint()
    assert session.qm.failure is None
    session.files.heal()
    assert session.core.catalogue_changed
    session.qm.checkpoint()
    assert not session.core.catalogue_changed
    assert _after_power_cut(session).depth("NEW") == 0
