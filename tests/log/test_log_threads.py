"""A checkpoint thread beside the one that appends: forces, checkpoints, figures and extents at the same time.

The appender holds the kernel's lock, as in a queue manager; everything else is called without it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from libremq.common.files.file_layer import Files, RealFiles
from libremq.log import CONTROL_FILE, Log, LogConfig, LogError, LogFull, LogSpace, RecordType
from libremq.testing import FaultyFiles
from libremq.testing.faulty_files import FaultyFile

EXTENT = 64 * 4096

CONFIGS = {
    "circular": LogConfig(3, 2, 64),
    "SingleWrite": LogConfig(3, 2, 64, write_integrity="SingleWrite"),
    "linear": LogConfig(3, 2, 64, "LINEAR"),
    "archive": LogConfig(3, 2, 64, "LINEAR", log_management="Archive"),
    "automatic": LogConfig(3, 2, 64, "LINEAR", log_management="Automatic"),
}


def check_space(space: LogSpace, config: LogConfig) -> None:
    """A snapshot of one moment fits together."""
    assert space.head <= space.tail
    assert space.used_bytes == space.tail - space.head // EXTENT * EXTENT
    assert 0 <= space.used_bytes <= space.capacity_bytes == config.files_max * EXTENT
    assert space.limit_bytes == space.capacity_bytes * 80 // 100


class Shop:
    """A log with an appender and those around it."""

    def __init__(self, files: Files, folder: str, config: LogConfig) -> None:
        self.files = files
        self.folder = folder
        self.log = Log.create(files, folder, config)
        self.kernel_lock = threading.Lock()
        self.appended: list[tuple[int, int]] = []
        self.ended = threading.Event()
        self.errors: list[BaseException] = []
        self.checkpoints = 0

    def guarded(self, work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except BaseException as error:
                self.errors.append(error)
                self.ended.set()

        return run

    def append(self, txn: int, size: int) -> int:
        with self.kernel_lock:
            lsn = self.log.append(RecordType.PUT, txn, 0, (bytes(size),))
            self.appended.append((lsn, txn))
        return lsn

    def put(self) -> None:
        txn = 0
        while self.log.tail < 6 * EXTENT or self.checkpoints < 3:
            if self.ended.is_set():
                return
            txn += 1
            try:
                lsn = self.append(txn, (txn * 37) % 9000)
            except LogFull:
                with self.kernel_lock:  # as the kernel does: what is oldest is given up
                    self.log.force()
                    self.log.set_head(max(self.log.head, self.log.checkpoint))
                continue
            if txn % 3:
                self.log.force(lsn)
                assert self.log.durable > lsn

    def take_checkpoints(self) -> None:
        log = self.log
        while not self.ended.is_set():
            with self.kernel_lock:
                lsn = log.append(RecordType.CHECKPOINT, 0, 0, (b"checkpoint",), reserve=True)
                self.appended.append((lsn, 0))
                head = log.head
            log.record_checkpoint(lsn, max(head, log.checkpoint))
            self.checkpoints += 1
            check_space(log.space(), log.config)
            shown = log.statistics()
            assert shown.head <= shown.checkpoint <= shown.durable and shown.head <= shown.tail
            if log.config.linear:
                log.set_media(log.head)
                log.prepare_next()
                log.archive(f"{self.folder}-archive")
                log.delete_extents()
                assert all(extent.extent * EXTENT == extent.first_lsn for extent in log.extents())

    def look(self) -> None:
        log = self.log
        while not self.ended.is_set():
            check_space(log.space(), log.config)
            extents = log.extents()
            assert [extent.extent for extent in extents] == sorted({extent.extent for extent in extents})
            log.force()
            if self.appended:
                lsn, txn = self.appended[-1]
                if lsn < log.durable:
                    self.read(lsn, txn)

    def read(self, lsn: int, txn: int) -> None:
        try:
            found = self.log.read(lsn)
        except LogError as error:
            if type(error) is not LogError or lsn >= self.log.head:
                raise
            return  # while this thread slept, checkpoints have let go of the record
        assert found.txn == txn


@pytest.mark.parametrize("real", [False, True], ids=["double", "real files"])
@pytest.mark.parametrize("kind", CONFIGS)
def test_checkpoints_and_figures_beside_the_appender(kind: str, real: bool, tmp_path: Path) -> None:
    files: Files = RealFiles() if real else FaultyFiles()
    shop = Shop(files, str(tmp_path / "log") if real else "/data/log", CONFIGS[kind])
    threads = [threading.Thread(target=shop.guarded(work)) for work in (shop.take_checkpoints, shop.look)]
    for thread in threads:
        thread.start()
    shop.guarded(shop.put)()
    shop.ended.set()
    for thread in threads:
        thread.join()
    assert shop.errors == []
    log = shop.log
    log.force()
    head = log.head
    expected = [row for row in shop.appended if row[0] >= head]
    assert [(record.lsn, record.txn) for record in log.scan(head)] == expected
    log.abandon()
    log = Log.open(files, shop.folder)
    assert log.head <= head
    assert [(record.lsn, record.txn) for record in log.scan(head)] == expected
    log.close()


def test_an_extent_is_there_although_another_is_being_formatted() -> None:
    """The formatter works on the one after the next; the appender takes the next and does not wait for it."""
    entered, leave = threading.Event(), threading.Event()

    class Slow(FaultyFiles):
        armed = False

        def sync_folder(self, path: str) -> None:
            if self.armed and threading.current_thread() is formatter:
                entered.set()
                assert leave.wait(30)
            super().sync_folder(path)

    files = Slow()
    log = Log.create(files, "/log", LogConfig(4, 2, 64, "LINEAR"))
    while log.tail < 3 * EXTENT:
        lsn = log.append(RecordType.PUT, 1, 0, (bytes(60_000),))
        log.force(lsn)
        log.set_head(lsn)
    formatter = threading.Thread(target=log.prepare_next)
    assert log.prepare_next()  # extent 4
    files.armed = True
    formatter.start()  # extent 5
    assert entered.wait(30)
    while log.tail < 4 * EXTENT + 9000:
        lsn = log.append(RecordType.PUT, 1, 0, (bytes(60_000),))
        log.force(lsn)
    leave.set()
    formatter.join()
    assert [extent.extent for extent in log.extents() if extent.state == "free"] == [5]
    while log.tail < 5 * EXTENT + 9000:
        log.force(log.append(RecordType.PUT, 1, 0, (bytes(60_000),)))
    assert len(list(log.scan(40))) > 20


class WatchedFile(FaultyFile):
    """A file that tells when it has been synced."""

    def sync(self) -> None:
        super().sync()
        assert isinstance(self._files, WatchedFiles)
        self._files.synced()


class WatchedFiles(FaultyFiles):
    synced: Callable[[], None] = staticmethod(lambda: None)

    def open(self, path: str, *, create: bool = False) -> FaultyFile:
        file = super().open(path, create=create)
        return WatchedFile(self, file._number, path) if path.endswith(CONTROL_FILE) else file


def test_what_is_deleted_is_not_needed_by_the_control_file() -> None:
    """The head moves on while the control file is written: what that says a restart needs must stay."""
    files = WatchedFiles()
    log = Log.create(files, "/log", LogConfig(3, 4, 64, "LINEAR"))
    lsns = []
    while log.tail < 4 * EXTENT:
        lsns.append(log.append(RecordType.PUT, 1, 0, (bytes(60_000),)))
        log.force()
    first = next(lsn for lsn in lsns if lsn > EXTENT)
    log.set_head(first)
    log.set_media(first)

    def the_head_moves() -> None:
        log.set_head(lsns[-1])
        log.set_media(lsns[-1])

    files.synced = the_head_moves
    assert log.delete_extents() == ["S0000000.LOG"]
    assert log.head == lsns[-1]
    log.abandon()
    log = Log.open(files, "/log")
    assert log.head == first and [record.lsn for record in log.scan(first)] == [lsn for lsn in lsns if lsn >= first]
