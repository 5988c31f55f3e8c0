"""Failed writes and syncs are final; damaged, missing or foreign files are refused untouched."""

from __future__ import annotations

import errno

import pytest

from libremq.log import Log, LogConfig, LogDamaged, LogFailed, RecordType
from libremq.testing import FaultyFiles

FOLDER = "/log"
SMALL = LogConfig(2, 1, 64)
FIRST = f"{FOLDER}/S0000000.LOG"
CONTROL = f"{FOLDER}/amqhlctl.lfh"


def make(count: int = 5) -> tuple[FaultyFiles, Log, list[int]]:
    """A log with so many records, each too large to share a page with the next."""
    files = FaultyFiles()
    log = Log.create(files, FOLDER, SMALL)
    lsns = []
    for number in range(count):
        lsns.append(log.append(RecordType.PUT, number, 0, ((b"forced %d" % number).ljust(3000, b"\0"),)))
        log.force()
    return files, log, lsns


def texts(log: Log) -> list[bytes]:
    return [record.payload.rstrip(b"\0") for record in log.scan(log.head)]


@pytest.mark.parametrize(
    ("kind", "code"), [("sync", errno.EIO), ("write", errno.EIO), ("write", errno.ENOSPC), ("write", errno.EDQUOT)]
)
def test_a_failed_write_or_sync_is_final(kind: str, code: int) -> None:
    files, log, _ = make(2)
    files.fail(kind, "*.LOG", OSError(code, "no"))
    lsn = log.append(RecordType.PUT, 9, 0, (b"lost",))
    with pytest.raises(LogFailed, match="must end") as caught:
        log.force(lsn)
    assert isinstance(caught.value.__cause__, OSError) and caught.value.__cause__.errno == code
    assert isinstance(log.failed, LogFailed)
    operations = files.operations
    for use in (
        lambda: log.force(lsn),
        lambda: log.append(RecordType.PUT, 9, 0, (b"x",)),
        lambda: log.append(RecordType.PUT, 9, 0, (b"x",), reserve=True),
        lambda: log.force(),
    ):
        with pytest.raises(LogFailed):
            use()
    log.close()
    assert files.operations == operations
    for disk in files.disk_states():
        assert texts(Log.open(disk, FOLDER))[:2] == [b"forced 0", b"forced 1"]


def test_a_failed_control_write_is_final() -> None:
    files, log, lsns = make(2)
    files.fail("sync", CONTROL)
    with pytest.raises(LogFailed):
        log.record_checkpoint(lsns[1], lsns[0])
    with pytest.raises(LogFailed):
        log.append(RecordType.PUT, 9, 0, (b"x",))
    for disk in files.disk_states():
        assert texts(Log.open(disk, FOLDER)) == [b"forced 0", b"forced 1"]


def test_forces_after_a_new_extent_needs_the_control_file() -> None:
    files, log, _ = make(1)
    log.append(RecordType.PUT, 1, 0, (bytes(2 * 64 * 4096),), reserve=True)
    files.fail("write", CONTROL)
    with pytest.raises(LogFailed):
        log.force()


def refused(files: FaultyFiles, match: str) -> LogDamaged:
    before = {name: files.content(f"{FOLDER}/{name}") for name in files.list(FOLDER)}
    operations = files.operations
    with pytest.raises(LogDamaged, match=match) as caught:
        Log.open(files, FOLDER)
    assert files.operations == operations
    assert {name: files.content(f"{FOLDER}/{name}") for name in files.list(FOLDER)} == before
    assert caught.value.action
    return caught.value


def test_a_missing_extent() -> None:
    files, _, _ = make()
    files.remove(FIRST)
    assert refused(files, "missing").path == FIRST


def test_a_truncated_extent() -> None:
    files, _, _ = make()
    files.open(FIRST).truncate(64 * 4096 - 1)
    assert refused(files, "262143 bytes instead of 262144").path == FIRST


def test_an_extent_of_another_log() -> None:
    files, _, _ = make()
    other, _, _ = make()
    files.overwrite(FIRST, 0, other.content(FIRST))
    assert refused(files, "another log").path == FIRST


def test_a_missing_control_file() -> None:
    files, _, _ = make()
    files.remove(CONTROL)
    assert refused(files, "no log control file").path == CONTROL


def test_a_control_file_older_than_the_extents() -> None:
    files, log, _ = make()
    old = files.content(CONTROL)
    for _ in range(12):
        lsn = log.append(RecordType.PUT, 1, 0, (bytes(60_000),))
        log.force()
        log.set_head(lsn)
    log.abandon()
    files.overwrite(CONTROL, 0, old)
    refused(files, "does not know of yet")


def test_an_unknown_version() -> None:
    files, _, _ = make()
    files.remove(CONTROL)
    from libremq.log import SlotFile

    SlotFile.create(files, FOLDER, "amqhlctl.lfh", b"LMQLCTL\0", 3, b"from the future")
    files.sync_folder(FOLDER)
    refused(files, "version 3 is not known")


@pytest.mark.parametrize("page", range(4))
def test_a_bad_page_before_one_that_was_written_later_is_damage(page: int) -> None:
    """Page n was durable when page n + 1 was written, and page n + 1 says so."""
    files, log, _ = make(5)
    log.abandon()
    files.overwrite(FIRST, page * 4096 + 50, b"\xff")
    error = refused(files, f"stops at LSN {page * 4096} ")
    assert error.path == FIRST and "checksum" in error.what


@pytest.mark.parametrize("integrity", ["SingleWrite", "TripleWrite"])
@pytest.mark.parametrize("survived", range(1, 4))
@pytest.mark.parametrize("sizes", [[4028], [4028, 4028], [4028, 12140]])
def test_an_unfinished_record_alone_on_the_last_pages_is_the_end(
    sizes: list[int], survived: int, integrity: str
) -> None:
    """The last page where a record starts has none that is whole; the end is before it, and nothing is lost."""
    files = FaultyFiles()
    log = Log.create(files, FOLDER, LogConfig(2, 1, 64, write_integrity=integrity))
    for size in sizes:  # which together fill pages to the last byte
        log.append(RecordType.PUT, size, 0, (bytes(size),))
        log.force()
    end = log.tail - 40
    assert end % 4096 == 0
    before = files.copy()
    log.append(RecordType.PUT, 99, 0, (bytes(20_000),))
    log.force()
    log.abandon()
    pages = files.content(FIRST)[end : end + survived * 4096]
    before.overwrite(FIRST, end, pages)
    log = Log.open(before, FOLDER)
    assert [record.txn for record in log.scan(40)] == sizes
    assert log.end_at_open == end + 40
    log.force(log.append(RecordType.PUT, 7, 0, (b"next",)))
    log.abandon()
    assert [record.txn for record in Log.open(before, FOLDER).scan(40)] == [*sizes, 7]


def test_every_byte_of_a_page_is_watched() -> None:
    files, log, _ = make(2)
    log.abandon()
    for offset in [*range(90), 2000, 4095]:
        copy = files.copy()
        copy.overwrite(FIRST, offset, bytes([copy.content(FIRST)[offset] ^ 1]))
        refused(copy, "stops at LSN 0 ")


def test_a_lost_last_page_is_damage_after_an_orderly_end() -> None:
    """Only the very last force before a cut has no witness; the control file is one after an orderly end."""
    files, log, _ = make(3)
    crashed = files.copy()
    log.close()
    for disk in (crashed, files):
        disk.overwrite(FIRST, 2 * 4096, bytes(4096))
    assert texts(Log.open(crashed, FOLDER)) == [b"forced 0", b"forced 1"]
    refused(files, "never written")


def test_damage_met_while_reading() -> None:
    files, log, lsns = make(4)
    files.overwrite(FIRST, 2 * 4096 + 60, b"\xff")
    with pytest.raises(LogDamaged, match="S0000000"):
        log.read(lsns[2])
    found = []
    with pytest.raises(LogDamaged, match="checksum"):
        for record in log.scan(log.head):
            found.append(record.lsn)
    assert found == lsns[:2]
    assert log.read(lsns[3]).payload.startswith(b"forced 3")


def test_one_slot_of_the_control_file_is_enough() -> None:
    for slot in (0, 4096):
        files, log, lsns = make()
        log.record_checkpoint(lsns[3], lsns[1])
        log.abandon()
        files.overwrite(CONTROL, slot + 30, b"\xff\xff\xff")
        log = Log.open(files, FOLDER)
        assert log.checkpoint == lsns[3] and len(texts(log)) == 4


def test_a_read_only_folder() -> None:
    files = FaultyFiles()
    files.make_folder("/data")
    files.read_only("/data")
    with pytest.raises(PermissionError):
        Log.create(files, "/data/log", SMALL)
