"""Checkpoints in a thread of their own: applications go on, and wait for one only when the log is full."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from libremq.host.embedded import EmbeddedQueueManager
from libremq.kernel.recovery.checkpoint import Checkpoint
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

pytestmark = pytest.mark.embedded  # the thread that takes checkpoints, seen from inside

SMALL = LogConfig(primary_files=2, secondary_files=1, file_pages=64)


class Application:
    def __init__(self, embedded: EmbeddedQueueManager) -> None:
        self.embedded = embedded
        self.manager = embedded.manager
        self.hconn = self.manager.connect("alice", "teller")

    def put(self, data: bytes) -> None:
        md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
        pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
        self.embedded.call(self.hconn, self.manager.put1, self.hconn, MQOD(ObjectName="Q"), md, pmo, data)

    def get(self) -> bytes:
        hobj = self.embedded.call(self.hconn, self.manager.open, self.hconn, MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
        got = self.embedded.get(self.hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT), None)
        self.embedded.call(self.hconn, self.manager.close, self.hconn, hobj)
        return got.data


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EmbeddedQueueManager]:
    made = EmbeddedQueueManager.start(str(tmp_path / "qm"), "QM1", create=True, log_config=SMALL)
    made.admin(lambda: made.manager.define("QLOCAL", "Q", {}))
    yield made
    made.end()


def again(embedded: EmbeddedQueueManager) -> EmbeddedQueueManager:
    folder = embedded.manager.core.folder
    embedded.manager.abandon()
    embedded.end()
    return EmbeddedQueueManager.start(folder, "QM1")


def test_puts_and_gets_go_on_between_the_steps_of_a_checkpoint(embedded: EmbeddedQueueManager) -> None:
    manager = embedded.manager
    application = Application(embedded)
    for number in range(4):
        application.put(b"before %d" % number)
    with embedded.lock:
        current = Checkpoint.begin(manager.core, manager._checkpoint_file)
    application.put(b"captured? no")
    assert application.get() == b"before 0"
    current.write()
    assert application.get() == b"before 1"
    with embedded.lock:
        current.record()
    application.put(b"after the record")
    current.settle()
    assert application.get() == b"before 2"
    with embedded.lock:
        current.complete()
    later = again(embedded)
    application = Application(later)
    left = [application.get() for _ in range(3)]
    later.end()
    assert left == [b"before 3", b"captured? no", b"after the record"]


def test_a_full_log_waits_for_the_checkpoint_that_is_under_way(embedded: EmbeddedQueueManager) -> None:
    manager = embedded.manager
    application = Application(embedded)
    with embedded.lock:
        current = Checkpoint.begin(manager.core, manager._checkpoint_file)
    done = threading.Event()

    def fill() -> None:
        for _ in range(80):
            application.put(bytes(10_000))
            application.get()
        done.set()

    thread = threading.Thread(target=fill)
    thread.start()
    assert not done.wait(0.5)  # the log has room for fewer, and nothing else frees it
    assert thread.is_alive() and manager.core.checkpoint is current
    current.write()
    with embedded.lock:
        current.record()
    current.settle()
    with embedded.lock:
        current.complete()
    assert done.wait(60)
    thread.join()


def test_the_end_waits_for_the_checkpoint_that_is_under_way(embedded: EmbeddedQueueManager) -> None:
    manager = embedded.manager
    Application(embedded).put(b"stays")
    with embedded.lock:
        current = Checkpoint.begin(manager.core, manager._checkpoint_file)
    ending = threading.Thread(target=embedded.end)
    ending.start()
    current.write()
    with embedded.lock:
        current.record()
    current.settle()
    with embedded.lock:
        current.complete()
    ending.join(60)
    assert not ending.is_alive() and manager.failure is None
    later = EmbeddedQueueManager.start(manager.core.folder, "QM1")
    assert Application(later).get() == b"stays"
    later.end()


def test_many_threads_and_checkpoints_without_end(embedded: EmbeddedQueueManager) -> None:
    """Whatever the interleaving, a kill afterwards finds exactly what was acknowledged."""
    stop = threading.Event()

    def keep_on() -> None:
        while not stop.is_set():
            embedded.checkpoint()

    counts = [0, 0, 0]

    def work(index: int) -> None:
        application = Application(embedded)
        for number in range(60):
            application.put(b"%d %d" % (index, number) + bytes(700 * (number % 5)))
            counts[index] += 1
            if number % 3 == 2:
                application.get()
                counts[index] -= 1

    threads = [threading.Thread(target=work, args=(index,)) for index in range(3)]
    checkpointing = threading.Thread(target=keep_on)
    checkpointing.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    checkpointing.join()
    later = again(embedded)
    assert later.manager.depth("Q") == sum(counts) == 120
    later.end()
