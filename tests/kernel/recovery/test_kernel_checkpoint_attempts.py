"""Checkpoints that fail again and again, since the disk is full: attempts without end must not use up the log."""

from __future__ import annotations

from libremq.host import lifecycle
from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.object_types import LocalQueue
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.testing import FaultyFiles, VirtualClock

LOG = LogConfig(primary_files=3, secondary_files=1, file_pages=64)
ATTEMPTS = 300  # if each took a page of the log, that were more than there is


def put(qm: QueueManager, hconn: int) -> None:
    md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
    qm.put1(hconn, MQOD(ObjectName="A"), md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"x")


def depth(qm: QueueManager) -> int:
    queue = qm.core.catalogue.queues["A"]
    assert isinstance(queue, LocalQueue)
    return qm.core.local_queue(queue).store.depth


def test_an_attempt_begins_where_the_one_before_did_if_nothing_was_logged_since() -> None:
    files, clock = FaultyFiles(), VirtualClock()
    lifecycle.create(files, "qm", "QM1", clock, LOG)
    qm = lifecycle.start(files, "qm", "QM1", clock)
    qm.define("QLOCAL", "A", {})
    hconn = qm.connect("app", "teller")
    put(qm, hconn)
    files.fail("write", "qm/queues/*", OSError(28, "No space left on device"), times=None)
    files.fail("create", "qm/queues/*", OSError(28, "No space left on device"), times=None)
    checkpoint = qm.core.log.checkpoint
    qm.take_checkpoint()
    end = qm.core.log.end_of_records
    for _ in range(ATTEMPTS):
        qm.take_checkpoint()
    assert qm.core.log.end_of_records == end
    assert qm.core.log.checkpoint == checkpoint
    md = MQMD(Version=2, Persistence=C.MQPER_NOT_PERSISTENT)
    qm.define("QLOCAL", "B", {})  # logged: the next one must begin behind it
    files.heal()
    qm.put1(hconn, MQOD(ObjectName="B"), md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"fleeting")
    qm.take_checkpoint()
    assert qm.core.log.checkpoint > checkpoint
    put(qm, hconn)
    qm.force(qm.core.log.tail - 1)
    qm.abandon()
    qm = lifecycle.start(files, "qm", "QM1", clock)
    assert depth(qm) == 2
    assert "B" in qm.core.catalogue.queues
    qm.end()
