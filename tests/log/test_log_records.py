"""Append, force, read: what goes in comes out, whatever the sizes and page boundaries."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from libremq.log import Log, LogConfig, LogError, LogFull, RecordType
from libremq.log.pages import PAGE_BYTES, PAGE_DATA_BYTES, PAGE_HEADER_BYTES, lsn_of, page_end, stream_of
from libremq.testing import FaultyFiles, VirtualClock

FOLDER = "/log"


def make(file_pages: int = 64, primaries: int = 3, secondaries: int = 2) -> tuple[FaultyFiles, Log]:
    files = FaultyFiles()
    config = LogConfig(primaries, secondaries, file_pages)
    return files, Log.create(files, FOLDER, config, clock=VirtualClock(1000.0))


def test_positions_convert_both_ways() -> None:
    for position in (0, 1, PAGE_DATA_BYTES - 1, PAGE_DATA_BYTES, 10 * PAGE_DATA_BYTES + 77):
        lsn = lsn_of(position)
        assert stream_of(lsn) == position
        assert lsn % PAGE_BYTES >= PAGE_HEADER_BYTES
        assert page_end(position) % PAGE_DATA_BYTES == 0 and 0 <= page_end(position) - position < PAGE_DATA_BYTES
    assert stream_of(PAGE_BYTES) == stream_of(PAGE_BYTES + 40) == PAGE_DATA_BYTES


@pytest.mark.parametrize("seed", range(8))
def test_a_run_is_what_its_records_are_one_by_one(seed: int) -> None:
    rng = random.Random(seed)
    files, log = make()
    single = make()[1]
    last = 0
    for number in range(25):
        sizes = [rng.choice((0, 1, 30, 700, 4000, 4028, 4029, 9000)) for _ in range(rng.randrange(6))]
        payloads: list[tuple[bytes, ...]] = [(rng.randbytes(size), b"", rng.randbytes(3)) for size in sizes]
        txn = rng.choice((0, number))
        first = last if txn else 0
        lsns = log.append_run(RecordType.PUT, txn, first, payloads, flags=number)
        last = first
        for lsn, parts in zip(lsns, payloads, strict=True):
            assert single.append(RecordType.PUT, txn, last if txn else 0, parts, flags=number) == lsn
            last = lsn
        assert log.tail == single.tail
        if rng.random() < 0.4:
            log.force()
            single.force()
    for one in (log, single):
        one.append(RecordType.COMMIT, 1, 0, ())
        one.force()
    expected = list(single.scan(single.head))
    assert list(log.scan(log.head)) == expected and len(expected) > 20
    assert log.statistics().records == len(expected) == single.statistics().records
    log.abandon()
    assert list(Log.open(files, FOLDER).scan(40)) == expected


def test_a_run_that_does_not_fit_is_not_begun() -> None:
    _, log = make(primaries=2, secondaries=1)
    payloads: list[tuple[bytes, ...]] = [(bytes(60_000),)] * 3
    with pytest.raises(LogFull):
        while True:
            before = log.position
            log.append_run(RecordType.PUT, 0, 0, payloads)
    assert log.position == before > 0
    lsn = log.append(RecordType.PUT, 0, 0, payloads[0])
    assert log.append_run(RecordType.GET, 0, 0, payloads[:2], reserve=True)[0] > lsn
    with pytest.raises(LogFull):
        log.append_run(RecordType.GET, 0, 0, payloads[:1], reserve=True, keep=1 << 20)
    log.force()
    assert len(list(log.scan(log.head))) == before // 60_028 + 3


@pytest.mark.parametrize("seed", range(8))
def test_records_of_any_size_come_back(seed: int) -> None:
    rng = random.Random(seed)
    files, log = make()
    expected = []
    prev_lsn = 0
    for _ in range(60):
        size = rng.choice((0, 1, 3, 27, 100, 4000, 4027, 4028, 4029, 4055, 4056, 8000, 8084, rng.randrange(20000)))
        payload = rng.randbytes(size)
        cut = rng.randrange(size + 1)
        type_ = rng.choice(list(RecordType))
        txn = rng.getrandbits(64)
        flags = rng.randrange(256)
        lsn = log.append(type_, txn, prev_lsn, (payload[:cut], payload[cut:]), flags=flags)
        assert log.tail > lsn
        expected.append((lsn, type_, flags, txn, prev_lsn, payload))
        prev_lsn = lsn
        if rng.random() < 0.3:
            log.force(lsn)
            assert log.durable > lsn
    log.force()
    for reopened in (False, True):
        if reopened:
            log.abandon()
            log = Log.open(files, FOLDER)
        scan = log.scan(log.head)
        records = list(scan)
        assert [(r.lsn, r.type, r.flags, r.txn, r.prev_lsn, r.payload) for r in records] == expected
        assert scan.end_lsn == records[-1].next_lsn and scan.why == "end of the log"
        for record in rng.sample(records, len(records)):
            assert log.read(record.lsn) == record
        for index, record in enumerate(records):
            assert next(iter(log.scan(record.lsn)), None) == record
            assert list(islice(log.scan(record.next_lsn), 1)) == records[index + 1 : index + 2]
        assert log.end_at_open in (40, records[-1].next_lsn)


def test_a_scan_from_the_middle_of_a_record_begins_with_the_next() -> None:
    _, log = make()
    log.append(RecordType.PUT, 1, 0, (bytes(9000),))
    second = log.append(RecordType.PUT, 2, 0, (b"x",))
    log.force()
    assert [r.lsn for r in log.scan(4096)] == [r.lsn for r in log.scan(8192)] == [second]


def test_a_record_larger_than_the_buffer() -> None:
    files = FaultyFiles()
    log = Log.create(files, FOLDER, LogConfig(2, 1, 64, buffer_pages=18))
    assert not log.pressure
    lsn = log.append(RecordType.PUT, 1, 0, (bytes(200_000),))
    assert log.pressure
    log.force(lsn)
    assert not log.pressure
    assert len(log.read(lsn).payload) == 200_000


def test_reading_outside_the_log() -> None:
    _, log = make()
    lsn = log.append(RecordType.PUT, 1, 0, (b"x",))
    with pytest.raises(LogError, match="not on disk"):
        log.read(lsn)
    log.force(lsn)
    for wrong in (10, lsn + 1, lsn + 29):
        with pytest.raises(LogError):
            log.read(wrong)
    with pytest.raises(ValueError, match="tail"):
        log.force(log.tail)
    assert list(log.scan(log.tail)) == []


def test_a_force_of_what_is_durable_writes_nothing() -> None:
    files, log = make()
    lsn = log.append(RecordType.PUT, 1, 0, (b"x",))
    log.force(lsn)
    before = files.operations
    log.force(lsn)
    log.force()
    assert files.operations == before


def test_a_force_is_one_write_and_one_sync() -> None:
    files, log = make()
    for _ in range(10):
        lsn = log.append(RecordType.PUT, 1, 0, (bytes(3000),))
    before = files.operations
    log.force(lsn)
    assert files.operations == before + 2


def test_a_lone_committer_does_not_burn_a_page_each_time() -> None:
    _, log = make()
    lsns = []
    for _ in range(40):
        lsns.append(log.append(RecordType.PUT, 1, 0, (bytes(72),)))
        log.force()
    assert lsns == [40 + 100 * n for n in range(40)]
    lsns.append(log.append(RecordType.PUT, 1, 0, (bytes(72),)))
    log.force()
    assert lsns[-1] == 4096 + 40
    assert [record.lsn for record in log.scan(40)] == lsns
    assert [log.read(lsn).lsn for lsn in lsns] == lsns
    figures = log.statistics()
    assert (figures.logical_writes, figures.physical_writes) == (41, 41)
    assert figures.physical_bytes == 42 * 4096  # the first page's last version was in the shadow and goes home


def test_large_batches_do_not_share_pages() -> None:
    _, log = make()
    first = log.append(RecordType.PUT, 1, 0, (bytes(3000),))
    log.force(first)
    second = log.append(RecordType.PUT, 1, 0, (b"x",))
    assert first == 40 and second == 4096 + 40


def test_each_opening_begins_an_epoch_at_a_page() -> None:
    files, log = make()
    assert log.epoch == 1
    log.force(log.append(RecordType.PUT, 1, 0, (b"x",)))
    log.close()
    for epoch in (2, 3):
        log = Log.open(files, FOLDER)
        assert log.epoch == epoch
        assert log.durable == log.tail == 4096 + 40
        log.abandon()


def test_a_closed_log_takes_nothing() -> None:
    files, log = make()
    lsn = log.append(RecordType.PUT, 1, 0, (b"gathered",))
    log.close()
    log.close()
    with pytest.raises(LogError, match="closed"):
        log.append(RecordType.PUT, 1, 0, (b"x",))
    assert Log.open(files, FOLDER).read(lsn).payload == b"gathered"


def test_statistics_count_bytes_and_writes() -> None:
    _, log = make()
    for _ in range(3):
        log.append(RecordType.PUT, 1, 0, (bytes(972),))
    log.force()
    log.force(log.append(RecordType.PUT, 1, 0, (bytes(4972),)))
    figures = log.statistics()
    assert (figures.records, figures.logical_bytes) == (4, 8000)
    assert (figures.physical_bytes, figures.logical_writes, figures.physical_writes) == (3 * 4096, 2, 2)
    assert (figures.forces, figures.forces_shared) == (2, 0)
    assert figures.write_size_max == 8192
    assert 4096 < figures.write_size_long < figures.write_size_short < 8192
    assert figures.write_time_max_us >= figures.write_time_short_high_us >= 0
    assert figures.write_time_max_at == 1000.0
    assert [number for number, _ in figures.extent_write_times_us] == [0]
    assert (figures.file_count, figures.file_numbers) == (3, (0, 1, 2))
    assert (figures.head, figures.tail, figures.durable) == (40, log.tail, log.durable)


def test_create_refuses_a_folder_with_a_log() -> None:
    files, log = make()
    log.close()
    with pytest.raises(LogError, match="already"):
        Log.create(files, FOLDER)
    with pytest.raises(ValueError, match="not valid"):
        Log.create(files, "/other", LogConfig(primary_files=600))
    assert not files.exists("/other")
