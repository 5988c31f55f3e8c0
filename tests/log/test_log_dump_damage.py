"""Dumping a damaged log: the records that lie on damaged pages are missing, with a reason; all others are shown."""

from __future__ import annotations

import random
from zlib import crc32

import pytest
from helper_log_dump import (
    EXTENT_BYTES,
    FOLDER,
    SMALL,
    checked,
    damage,
    end_of,
    gaps_of,
    make_log,
    pages_of,
    place,
    put,
    records_of,
    scanned,
)

from libremq.log import Log, LogConfig, LogDamaged, LogError
from libremq.log.log_control_file import CONTROL_FILE
from libremq.log.log_dump_reader import DumpStart, base_lsn, dump, start_of_extent
from libremq.log.pages import PAGE_BYTES, PAGE_HEADER, PAGE_HEADER_BYTES, page_checksum
from libremq.testing import FaultyFiles


@pytest.mark.parametrize("where", [0, 20, PAGE_HEADER_BYTES + 3, PAGE_BYTES - 64])
def test_each_bad_page_costs_the_records_on_it_and_no_other(where: int) -> None:
    good = make_log(7, records=50)
    records = scanned(good.copy(), 40)
    pages = sorted({page for record in records for page in pages_of(record)})
    for page in pages:
        files = good.copy()
        damage(files, page + where, bytes(byte ^ 0x5A for byte in _at(files, page + where, 64)))
        lines = checked(dump(files, FOLDER))
        lost = [record for record in records if page in pages_of(record)]
        assert records_of(lines) == [record for record in records if record not in lost]
        if page == pages[-1]:
            assert end_of(lines).damaged
            assert "was on disk up to LSN" in end_of(lines).why
            continue
        (gap,) = gaps_of(lines)
        assert gap.damaged
        assert gap.from_lsn == lost[0].lsn
        assert gap.to_lsn == next(record.lsn for record in records if record.lsn > lost[-1].lsn)
        assert gap.why in ("checksum error", "the page has no log page header")
        assert f"{FOLDER}/{gap.file}" == place(good, lost[0].lsn)[0]
        assert not end_of(lines).damaged


def _at(files: FaultyFiles, lsn: int, length: int) -> bytes:
    path, offset = place(files, lsn)
    return files.content(path)[offset : offset + length]


def test_several_bad_pages_make_several_gaps() -> None:
    files = make_log(8, records=100)
    records = scanned(files.copy(), 40)
    bad = [records[n].lsn // PAGE_BYTES * PAGE_BYTES for n in (10, 30, 31, 70)]
    for page in bad:
        damage(files, page + 100)
    lines = checked(dump(files, FOLDER))
    assert records_of(lines) == [r for r in records if not set(pages_of(r)) & set(bad)]
    assert len(gaps_of(lines)) >= 3
    assert all(gap.damaged for gap in gaps_of(lines))


@pytest.mark.parametrize("how", ["missing", "cut", "empty", "zeros", "other log", "unreadable"])
def test_a_lost_extent(how: str) -> None:
    files = make_log(9, records=160, config=LogConfig(4, 1, 64))
    records = scanned(files.copy(), 40)
    path = f"{FOLDER}/S0000001.LOG"
    kept = range(0)
    if how == "missing":
        files.remove(path)
    elif how == "cut":
        files.open(path).truncate(10 * PAGE_BYTES + 77)
        kept = range(EXTENT_BYTES, EXTENT_BYTES + 10 * PAGE_BYTES)
    elif how == "empty":
        files.open(path).truncate(0)
    elif how == "zeros":
        files.overwrite(path, 0, bytes(EXTENT_BYTES))
    elif how == "other log":
        files.overwrite(path, 0, make_log(1, 160).content(path))
    else:
        files.fail("read", path, times=None)
    lines = checked(dump(files, FOLDER))
    lost = range(EXTENT_BYTES, 2 * EXTENT_BYTES)
    expected = [r for r in records if all(page not in lost or page in kept for page in pages_of(r))]
    assert records_of(lines) == expected
    (gap,) = gaps_of(lines)
    assert gap.damaged
    words = {
        "missing": "S0000001.LOG is missing",
        "cut": "cut off",
        "empty": "cut off",
        "zeros": "never written",
        "other log": "another log",
        "unreadable": "cannot be read",
    }
    assert words[how] in gap.why
    assert not end_of(lines).damaged


def test_a_single_sector_that_cannot_be_read_costs_one_page() -> None:
    """The device refuses whole blocks that contain the sector, and the page itself."""
    files = make_log(10, records=50)
    records = scanned(files.copy(), 40)
    bad = records[20].lsn // PAGE_BYTES * PAGE_BYTES

    class Sector(FaultyFiles):
        def _read(self, number: int, path: str, offset: int, length: int) -> bytes:
            if path.endswith("S0000000.LOG") and offset < bad + PAGE_BYTES and offset + length > bad:
                raise OSError(5, "Input/output error", path)
            return super()._read(number, path, offset, length)

    files.__class__ = Sector
    lines = checked(dump(files, FOLDER, from_lsn=40))
    assert records_of(lines) == [r for r in records if bad not in pages_of(r)]
    assert gaps_of(lines)[0].why == "the page cannot be read: Input/output error"


@pytest.mark.parametrize("how", ["missing", "damaged", "unknown version", "unreadable"])
@pytest.mark.parametrize("turned", [False, True])
def test_without_the_control_file_the_extents_speak_for_themselves(how: str, turned: bool) -> None:
    files = FaultyFiles()
    log = Log.create(files, FOLDER, LogConfig(2, 2, 64))
    for number in range(400 if turned else 50):
        lsn = put(log, bytes(2500))
        log.force()
        if number % 40 == 39:
            log.record_checkpoint(lsn, lsn)
    last = lsn
    log.close()
    known = records_of(checked(dump(files, FOLDER)))
    path = f"{FOLDER}/{CONTROL_FILE}"
    if how == "missing":
        files.remove(path)
    elif how == "damaged":
        for offset in (100, 4196):
            files.overwrite(path, offset - 80, b"\xff" * 100)
    elif how == "unknown version":
        for offset in (0, 4096):
            slot = bytearray(files.content(path)[offset : offset + 4096])
            slot[8] = 99
            length = int.from_bytes(slot[12:16], "little")
            slot[24:28] = crc32(bytes(slot[28 : 28 + length]), crc32(bytes(slot[:24]))).to_bytes(4, "little")
            files.overwrite(path, offset, bytes(slot))
    else:
        files.fail("open", path, times=None)
    lines = checked(dump(files, FOLDER))
    start = lines[0]
    assert isinstance(start, DumpStart)
    assert start.problem and not start.head
    assert start.extent_bytes == EXTENT_BYTES
    shown = records_of(lines)
    assert shown[-1].lsn == last
    assert shown[len(shown) - len(known) :] == known
    assert not any(gap.damaged for gap in gaps_of(lines))
    assert base_lsn(files, FOLDER) == start.extents[0][0]


def test_a_folder_without_a_log_is_an_error_in_words() -> None:
    files = FaultyFiles()
    with pytest.raises(LogError, match="no log can be read there"):
        dump(files, "/nowhere")
    files.make_folder(FOLDER)
    with pytest.raises(LogError, match="there is no log in this folder"):
        dump(files, FOLDER)
    with pytest.raises(ValueError, match=r"no extent S0000007\.LOG"):
        dump(make_log(), FOLDER, extent=7)
    with pytest.raises(ValueError, match=r"no extent S0000007\.LOG"):
        start_of_extent(make_log(), FOLDER, 7)


def test_only_a_control_file_is_left() -> None:
    files = make_log(records=20)
    for name in files.list(FOLDER):
        if name != CONTROL_FILE:
            files.remove(f"{FOLDER}/{name}")
    lines = checked(dump(files, FOLDER))
    assert records_of(lines) == []
    assert end_of(lines).damaged
    assert "S0000000.LOG is missing" in end_of(lines).why


@pytest.mark.parametrize("reopened", [False, True])
@pytest.mark.parametrize("integrity", ["SingleWrite", "TripleWrite"])
def test_a_page_that_fell_back_to_an_earlier_version(integrity: str, reopened: bool) -> None:
    """A device that loses a write leaves a whole page, only an old one: the page after it gives it away."""
    files = FaultyFiles()
    log = Log.create(files, FOLDER, LogConfig(2, 1, 64, write_integrity=integrity))
    put(log, b"small " * 50)
    log.force()
    old = files.content(f"{FOLDER}/S0000000.LOG")[:PAGE_BYTES]
    put(log, b"more")
    log.force()
    if reopened:
        log.close()
        log = Log.open(files, FOLDER)
    for _ in range(3):
        put(log, bytes(5000))
        log.force()
    log.close()
    records = scanned(files.copy(), 40)
    assert records[1].lsn < PAGE_BYTES
    assert records_of(checked(dump(files, FOLDER))) == records
    files.overwrite(f"{FOLDER}/S0000000.LOG", 0, old)
    for name in files.list(FOLDER):
        if name in ("amqhltal.lfh", "amqhlshd.lfh"):
            files.overwrite(f"{FOLDER}/{name}", 0, bytes(PAGE_BYTES))
    lines = checked(dump(files, FOLDER))
    (gap,) = gaps_of(lines)
    assert (gap.damaged, gap.from_lsn) == (True, records[1].lsn)
    assert "version of the page before that is not there" in gap.why
    assert records_of(lines) == [r for r in records if 0 not in pages_of(r) or r is records[0]]


# ---- pages that are whole and wrong: a fault of the writer, or of a fuzzer ----


def rewrite_page(files: FaultyFiles, lsn: int, change: dict[int, bytes]) -> None:
    """Change bytes of a page and give it the right checksum."""
    page = bytearray(_at(files, lsn, PAGE_BYTES))
    for offset, data in change.items():
        page[offset : offset + len(data)] = data
    page[PAGE_HEADER_BYTES - 4 : PAGE_HEADER_BYTES] = page_checksum(memoryview(bytes(page)), 0).to_bytes(4, "little")
    damage(files, lsn, bytes(page))


@pytest.mark.parametrize("length", [0, 5, 27, 28, 29, 4000, 100_000, 0xFFFFFFFF])
def test_a_record_with_a_wrong_length_costs_its_page_at_most(length: int) -> None:
    files = make_log(11, records=50)
    records = scanned(files.copy(), 40)
    victim = next(r for r in records[10:] if 0 < len(r.payload) < 1000)
    page = victim.lsn // PAGE_BYTES * PAGE_BYTES
    rewrite_page(files, page, {victim.lsn - page: length.to_bytes(4, "little")})
    lines = checked(dump(files, FOLDER))
    shown = records_of(lines)
    assert victim not in shown
    assert shown == [r for r in records if r in shown]
    assert all(r in shown for r in records if page not in pages_of(r))
    assert all(r in shown for r in records if r.next_lsn <= victim.lsn)
    assert gaps_of(lines)[0].damaged
    assert gaps_of(lines)[0].from_lsn == victim.lsn


def test_a_record_with_a_wrong_checksum_is_not_shown() -> None:
    files = make_log(12, records=50)
    records = scanned(files.copy(), 40)
    for victim in (next(r for r in records[10:] if len(pages_of(r)) == 1 and r.payload), records[-1]):
        disk = files.copy()
        page = victim.lsn // PAGE_BYTES * PAGE_BYTES
        rewrite_page(disk, page, {victim.lsn - page + 9: b"\xff\xff"})
        lines = checked(dump(disk, FOLDER))
        assert victim not in records_of(lines)
        assert gaps_of(lines)[0].damaged
        assert gaps_of(lines)[0].from_lsn == victim.lsn


def test_a_page_that_does_not_begin_where_the_one_before_ended() -> None:
    files = FaultyFiles()
    log = Log.create(files, FOLDER, SMALL)
    for _ in range(4):
        put(log, bytes(PAGE_BYTES - PAGE_HEADER_BYTES - 28))
    log.close()
    rewrite_page(files, 2 * PAGE_BYTES, {6: (100).to_bytes(2, "little")})
    lines = checked(dump(files, FOLDER))
    assert gaps_of(lines)[0].from_lsn == 2 * PAGE_BYTES + PAGE_HEADER_BYTES
    assert gaps_of(lines)[0].damaged
    assert [record.lsn // PAGE_BYTES for record in records_of(lines)] == [0, 1, 3]


def _fuzz_page(files: FaultyFiles, rng: random.Random, lsn: int) -> None:
    kind = rng.randrange(4)
    if kind == 0:
        damage(files, lsn + rng.randrange(PAGE_BYTES - 64), rng.randbytes(64))
    elif kind == 1:
        damage(files, lsn, rng.randbytes(PAGE_BYTES))
    elif kind == 2:  # a header full of nonsense, whole
        fields = {offset: rng.randbytes(2) for offset in rng.sample(range(4, PAGE_HEADER.size - 4), 4)}
        rewrite_page(files, lsn, fields)
    else:  # record bytes full of nonsense, in a whole page
        rewrite_page(files, lsn, {rng.randrange(PAGE_HEADER_BYTES, PAGE_BYTES - 40): rng.randbytes(40)})


@pytest.mark.parametrize("seed", range(40))
def test_nonsense_in_the_files_is_no_more_than_gaps(seed: int) -> None:
    """Whatever bytes the extents hold, a dump ends in order, and what it shows are records that were written."""
    rng = random.Random(seed)
    files = make_log(seed, records=80)
    written = {record.lsn: record for record in scanned(files.copy(), 40)}
    start = next(iter(dump(files, FOLDER)))
    assert isinstance(start, DumpStart)
    for _ in range(rng.choice((1, 5, 40))):
        _fuzz_page(files, rng, rng.randrange(len(start.extents) * 64) * PAGE_BYTES)
    if rng.random() < 0.3:
        for _ in range(10):
            files.overwrite(f"{FOLDER}/{CONTROL_FILE}", rng.randrange(8000), rng.randbytes(50))
    operations = files.operations
    for lines in (dump(files, FOLDER), dump(files, FOLDER, from_lsn=0), dump(files, FOLDER, from_lsn=300_001)):
        for record in records_of(checked(lines)):
            assert written[record.lsn] == record
    for number in range(len(start.extents)):
        try:
            checked(dump(files, FOLDER, extent=number))
        except ValueError as error:  # with the control file gone, an extent may not say what it is
            assert "there is no extent" in str(error)
    assert files.operations == operations


@pytest.mark.parametrize("seed", range(10))
def test_files_of_nothing_but_noise(seed: int) -> None:
    rng = random.Random(seed)
    files = FaultyFiles()
    files.make_folder(FOLDER)
    names = ("S0000000.LOG", "S0000001.LOG", "S9999999.LOG", "S00.LOG", "amqhltal.lfh", "amqhlshd.lfh", CONTROL_FILE)
    for name in names:
        files.open(f"{FOLDER}/{name}", create=True).write(0, rng.randbytes(rng.choice((0, 10, 4096, 9000, 70_000))))
    lines = checked(dump(files, FOLDER))
    assert records_of(lines) == []


def test_the_verdict_of_a_dump_is_that_of_a_restart() -> None:
    """Bit flips over all the log: where a restart refuses, a dump shows damage; where it goes on, the same records."""
    good = FaultyFiles()
    log = Log.create(good, FOLDER, SMALL)
    rng = random.Random(77)
    for _ in range(12):
        put(log, rng.randbytes(rng.choice((100, 2000, 5000))))
        log.force()
    log.abandon()
    pages = sorted({page for record in records_of(dump(good, FOLDER)) for page in pages_of(record)})
    refused = 0
    for page in [*pages, pages[-1] + PAGE_BYTES]:
        for _ in range(3):
            files = good.copy()
            at = page + rng.randrange(PAGE_BYTES)
            damage(files, at, bytes([_at(files, at, 1)[0] ^ (1 << rng.randrange(8))]))
            lines = checked(dump(files, FOLDER))
            try:
                found = scanned(files.copy())
            except LogDamaged:
                refused += 1
                assert end_of(lines).damaged or any(gap.damaged for gap in gaps_of(lines))
            else:
                assert records_of(lines) == found
                assert not end_of(lines).damaged
    assert refused > 20
