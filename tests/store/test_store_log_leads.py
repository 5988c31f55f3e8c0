"""Contract 3: a queue file is written only after the log that describes the data is forced."""

from __future__ import annotations

from libremq.mqi.structs import MQMD
from libremq.store.queue_store import LogGate, QueueStore, StoreLimits
from libremq.store.stored_message import Message
from libremq.testing import FaultyFiles

LIMIT = 8 * 1024
BLOCKS = "data/queues/Q/q"


class Log:
    """How far the log is on disk, and what the file held whenever somebody asked for more."""

    def __init__(self, files: FaultyFiles) -> None:
        self.files = files
        self.durable = 0
        self.forced: list[int] = []
        self.file_was_there: list[bool] = []

    def force(self, lsn: int) -> None:
        self.file_was_there.append(self.files.exists(BLOCKS))
        self.forced.append(lsn)
        self.durable = lsn + 1


def filled(count: int) -> tuple[FaultyFiles, Log, QueueStore]:
    """A queue that was given messages of 1 KiB under log records 1, 2, ..., none of them forced."""
    files = FaultyFiles()
    files.make_folder("data/queues")
    log = Log(files)
    gate = LogGate(lambda: log.durable, log.force)
    store = QueueStore(files, "data/queues/Q", 1, "Q", gate, StoreLimits(persistent_buffer_bytes=LIMIT))
    store.load(store.position)
    store.recovered()
    for number in range(1, count + 1):
        put(store, number)
    return files, log, store


def put(store: QueueStore, lsn: int) -> int:
    message = Message(MQMD(Version=2, MsgId=lsn.to_bytes(24, "big")), b"", bytes(1024))
    store.make_room(message, True)
    slot = store.insert(message, 0, True)
    message.lsn = lsn
    store.link(slot)
    return slot


def test_a_full_buffer_keeps_what_the_log_has_not_got() -> None:
    files, log, store = filled(12)
    assert log.forced == []
    assert store.spilled_messages == 0
    assert not files.exists(BLOCKS)


def test_only_what_is_on_disk_in_the_log_goes_to_the_file() -> None:
    _, log, store = filled(12)
    log.durable = 6
    put(store, 13)
    assert store.spilled_messages == 5
    assert log.forced == []


def test_a_buffer_that_is_full_several_times_over_has_the_log_forced_first() -> None:
    files, log, store = filled(60)
    assert log.forced
    assert not log.file_was_there[0]
    assert 0 < store.spilled_messages <= log.forced[-1]
    assert files.exists(BLOCKS)
