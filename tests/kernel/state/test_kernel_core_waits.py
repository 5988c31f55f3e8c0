"""What the core waits for the disk for, and what it does not: as its opening says."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from helper_qmgr import Session

from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD
from libremq.store.stored_message import Message
from libremq.testing.faulty_files import FaultyFiles

PERSISTENT = C.MQPER_PERSISTENT
QUEUES = 40


def _session(file_pages: int = 64) -> tuple[Session, FaultyFiles]:
    session = Session(LogConfig(file_pages=file_pages, primary_files=3, secondary_files=2))
    session.queue("Q")
    session.core.log.force(session.core.log.tail - 1)
    assert isinstance(session.core.files, FaultyFiles)
    return session, session.core.files


def test_puts_gets_and_the_ends_of_units_ask_nothing_of_the_disk() -> None:
    session, files = _session()
    before = files.operations
    for syncpoint in (False, True):
        session.put("Q", b"data", syncpoint=syncpoint, Persistence=PERSISTENT)
        session.qm.commit(session.hconn)
        session.get("Q", syncpoint=syncpoint)
        session.qm.backout(session.hconn)
        session.qm.commit(session.hconn)
    assert session.core.log.tail > session.core.log.durable
    assert files.operations == before


def _puts(session: Session) -> Callable[[], object]:
    """Puts in a unit of work that does not end, with no checkpoint between: on many queues, so that none gets full."""
    for number in range(QUEUES):
        session.queue(f"Q{number}")
    core = session.core
    core.log.force(core.log.tail - 1)
    unit, queues = core.begin_unit(), itertools.cycle([core.queues[f"Q{number}"] for number in range(QUEUES)])

    def put() -> None:
        core.put(next(queues), Message(MQMD(Version=2), b"", bytes(10_000)), 0, True, 0, unit)

    return put


def test_an_overfull_buffer_of_the_log_is_forced_by_the_put_that_finds_it() -> None:
    session, files = _session(file_pages=1024)
    log, put = session.core.log, _puts(session)
    before = files.operations
    put()
    assert files.operations == before
    while not log.pressure:
        put()
    overfull = log.tail
    assert log.durable < overfull
    put()
    assert overfull <= log.durable < log.tail


def test_a_record_that_needs_a_secondary_extent_has_it_made() -> None:
    session, files = _session()
    log, put = session.core.log, _puts(session)
    primaries = files.list(log.folder)
    while log.tail // log.config.extent_bytes < log.config.primary_files:
        assert files.list(log.folder) == primaries
        put()
    assert set(files.list(log.folder)) - set(primaries) == {"S0000003.LOG"}
