"""The ring of extents: reuse, secondaries at the point of need, the reserve, a full log, changed sizes."""

from __future__ import annotations

import errno
import os
from contextlib import suppress

import pytest

from libremq.log import Log, LogConfig, LogError, LogFull, RecordType
from libremq.testing import FaultyFiles

FOLDER = "/log"
EXTENT = 64 * 4096


def make(primaries: int = 3, secondaries: int = 2) -> tuple[FaultyFiles, Log]:
    files = FaultyFiles()
    return files, Log.create(files, FOLDER, LogConfig(primaries, secondaries, 64))


def put(log: Log, size: int = 60_000, *, reserve: bool = False) -> int:
    lsn = log.append(RecordType.PUT, 1, 0, (bytes(size),), reserve=reserve)
    log.force(lsn)
    return lsn


def fill(log: Log, *, reserve: bool = False) -> None:
    """Write until no more is taken."""
    with suppress(LogFull):
        while True:
            put(log, reserve=reserve)


def fill_to(log: Log, extent: int) -> None:
    """Write until the tail is in an extent, by its number."""
    while log.tail // EXTENT < extent:
        put(log, 8000, reserve=True)


def extents(files: FaultyFiles) -> list[str]:
    return [name for name in files.list(FOLDER) if name.endswith(".LOG")]


def test_creation_makes_the_primaries_whole() -> None:
    files, _ = make()
    assert files.list(FOLDER) == ["S0000000.LOG", "S0000001.LOG", "S0000002.LOG", "amqhlctl.lfh", "amqhlshd.lfh"]
    assert all(len(files.content(f"{FOLDER}/{name}")) == EXTENT for name in extents(files))


def test_the_ring_turns_when_the_head_moves() -> None:
    files, log = make()
    for _ in range(60):
        log.set_head(put(log))
    assert extents(files) == ["S0000000.LOG", "S0000001.LOG", "S0000002.LOG"]
    assert log.tail > 12 * EXTENT
    figures = log.statistics()
    start = figures.file_numbers[0]
    assert figures.file_numbers == tuple((start + i) % 3 for i in range(3))
    with pytest.raises(LogError, match="no longer in the log"):
        log.read(40)
    with pytest.raises(LogError, match="no longer in the log"):
        log.scan(40)


def test_secondaries_are_put_where_they_are_needed() -> None:
    """0,1,2 with the oldest in 2 becomes 0,1,3,2; with the oldest in 1 then 0,4,1,3,2, read as a ring."""
    files, log = make()
    fill_to(log, 2)
    log.set_head(put(log))  # only extent 2, in file 2, is needed
    fill_to(log, 5)  # 3 and 4 go to files 0 and 1; then file 2 is in the way
    assert log.statistics().file_numbers == (2, 0, 1, 3)
    log.set_head(4 * EXTENT + 40)  # file 1 is the oldest now
    fill_to(log, 8)  # 5 is in file 3, 6 in 2, 7 in 0; then file 1 is in the way
    assert log.statistics().file_numbers == (1, 3, 2, 0, 4)
    assert extents(files) == [f"S000000{n}.LOG" for n in range(5)]
    log.abandon()
    log = Log.open(files, FOLDER)
    assert log.statistics().file_numbers == (1, 3, 2, 0, 4)


def test_ordinary_records_leave_a_fifth_in_reserve() -> None:
    files, log = make()
    fill(log)
    before = log.tail, files.operations, log.space()
    with pytest.raises(LogFull, match="are kept to end what has been begun"):
        put(log)
    assert (log.tail, files.operations, log.space()) == before
    space = log.space()
    assert space.capacity_bytes == 5 * EXTENT and space.limit_bytes == 4 * EXTENT
    assert 0.7 < space.used_fraction <= 0.8
    fill(log, reserve=True)
    with pytest.raises(LogFull):
        put(log, reserve=True)
    assert log.space().used_fraction > 0.94
    assert len(list(log.scan(log.head))) > 15
    log.set_head(3 * EXTENT + 40)
    put(log)


def test_small_records_still_fit_where_large_ones_do_not() -> None:
    _, log = make(2, 1)
    with pytest.raises(LogFull):
        put(log, 3 * EXTENT)
    with pytest.raises(LogFull):
        put(log, 3 * EXTENT, reserve=True)
    put(log, 10)


def test_a_record_across_several_extents() -> None:
    files, log = make()
    put(log, 100_000)
    payload = bytes(range(256)) * (3 * EXTENT // 256)
    lsn = log.append(RecordType.PUT, 7, 0, (payload,), reserve=True)
    log.force(lsn)
    assert log.read(lsn).payload == payload
    log.abandon()
    assert [r.txn for r in Log.open(files, FOLDER).scan(40)] == [1, 7]
    assert log.statistics().physical_writes == 5


def test_no_room_for_a_secondary_is_a_full_log_not_a_failed_one() -> None:
    files, log = make()
    fill_to(log, 2)
    lsn = put(log)
    files.set_free_space(100_000)
    with pytest.raises(LogFull, match="could not be made"):
        while True:
            lsn = put(log)
    assert log.failed is None
    assert extents(files) == ["S0000000.LOG", "S0000001.LOG", "S0000002.LOG"]
    log.set_head(lsn)
    put(log)
    log.abandon()
    files.heal()
    assert next(iter(Log.open(files, FOLDER).scan(lsn))).lsn == lsn


def test_nor_are_too_many_open_files_and_the_remedy_is_another_one() -> None:
    files, log = make()
    fill_to(log, 2)
    files.fail("open", "*", OSError(errno.EMFILE, os.strerror(errno.EMFILE)), times=None)
    files.fail("create", "*", OSError(errno.EMFILE, os.strerror(errno.EMFILE)), times=None)
    with pytest.raises(LogFull, match=r"Too many open files.*Let the process open more files"):
        while True:
            put(log)
    assert log.failed is None
    files.heal()
    put(log)


def test_head_and_checkpoint_never_go_back_or_too_far() -> None:
    _, log = make()
    first, second = put(log, 10), put(log, 10)
    log.record_checkpoint(second, first)
    assert (log.checkpoint, log.head) == (second, first)
    for wrong in (40 - 1, log.tail):
        with pytest.raises(ValueError):
            log.set_head(wrong)
    with pytest.raises(ValueError):
        log.record_checkpoint(first, first)
    third = log.append(RecordType.CHECKPOINT, 0, 0, (b"",))
    log.record_checkpoint(third, second)
    assert log.durable > third


def test_the_checkpoint_is_found_again() -> None:
    files, log = make()
    first, second = put(log, 10), put(log, 10)
    log.record_checkpoint(second, first)
    log.abandon()
    log = Log.open(files, FOLDER)
    assert (log.checkpoint, log.head) == (second, first)


def test_sizes_changed_at_a_restart() -> None:
    files, log = make(2, 1)
    log.close()
    log = Log.open(files, FOLDER, primary_files=4, secondary_files=3, buffer_pages=100)
    assert log.space().capacity_bytes == 7 * EXTENT
    fill_to(log, 4)
    put(log, 10)
    assert log.statistics().file_numbers == (0, 1, 2, 3, 4)
    log.close()
    assert Log.open(files, FOLDER).config == LogConfig(4, 3, 64, buffer_pages=100)
    # Fewer than are in use: the ring stays until its extents are free, and restart has room.
    log = Log.open(files, FOLDER, primary_files=2, secondary_files=1)
    assert log.space().capacity_bytes == 5 * EXTENT
    put(log, 100, reserve=True)
    with pytest.raises(ValueError, match="not valid"):
        Log.open(files, FOLDER, primary_files=700)


def test_a_full_disk_at_creation_leaves_nothing_behind() -> None:
    files = FaultyFiles()
    files.set_free_space(EXTENT + 5000)
    with pytest.raises(OSError) as caught:
        Log.create(files, FOLDER, LogConfig(3, 2, 64))
    assert caught.value.errno == errno.ENOSPC
    assert files.list(FOLDER) == []


def test_secondaries_are_given_back_after_a_turn_without_need() -> None:
    """The ring is stretched by a long unit of work, then goes on with the head close behind."""
    files, log = make()
    fill_to(log, 4)
    lsn = put(log, 10, reserve=True)
    assert log.statistics().file_numbers == (0, 1, 2, 3, 4)
    log.record_checkpoint(lsn, lsn)
    seen = []
    begun = [log.tail // EXTENT]
    for _ in range(60):
        lsn = put(log)
        log.record_checkpoint(lsn, lsn)
        if not seen or seen[-1] != log.statistics().file_count:
            seen.append(log.statistics().file_count)
            begun.append(log.tail // EXTENT)
            assert len(extents(files)) == seen[-1]
    assert seen == [5, 4, 3]
    assert begun[2] - begun[0] >= 5  # all five were begun again: making one costs more than to keep it
    assert extents(files) == ["S0000000.LOG", "S0000001.LOG", "S0000002.LOG"]
    assert log.statistics().file_count == 3
    log.abandon()
    log = Log.open(files, FOLDER)
    assert sorted(log.statistics().file_numbers) == [0, 1, 2]
    # And the ring stretches again where it must.
    fill(log)
    assert log.statistics().file_count == 4


def test_secondaries_in_use_are_not_given_back() -> None:
    _, log = make()
    first = put(log)
    fill_to(log, 3)
    for _ in range(5):
        lsn = put(log, 100)
        log.record_checkpoint(lsn, first)
    assert log.statistics().file_count == 4


def test_extents_in_the_ring_count_as_primaries_when_there_are_to_be_more() -> None:
    files, log = make(2, 3)
    fill_to(log, 3)
    put(log, 10, reserve=True)
    assert log.statistics().file_count == 4
    log.close()
    log = Log.open(files, FOLDER, primary_files=4, secondary_files=1)
    for _ in range(80):
        lsn = put(log)
        log.record_checkpoint(lsn, lsn)
    assert log.statistics().file_count == 4
    log.close()
    # Fewer again: the surplus leaves by and by.
    log = Log.open(files, FOLDER, primary_files=2)
    for _ in range(80):
        lsn = put(log)
        log.record_checkpoint(lsn, lsn)
    assert log.statistics().file_count == 2


def test_an_extent_left_over_by_a_release_cut_short_is_removed() -> None:
    files, log = make()
    log.close()
    files.open(f"{FOLDER}/S0000007.LOG", create=True).write(0, bytes(100))
    Log.open(files, FOLDER)
    assert extents(files) == ["S0000000.LOG", "S0000001.LOG", "S0000002.LOG"]
