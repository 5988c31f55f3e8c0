"""Dumping a log: all that can be read is shown, all that cannot is told, and no file is touched.

The yardstick is the log itself: a dump of a good log shows what a scan of it gives, and a dump of a damaged one shows
the same records but for those that lie on the damaged pages.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from helper_log_dump import (
    EXTENT_BYTES,
    FOLDER,
    KINDS,
    SMALL,
    checked,
    contents,
    end_of,
    fill,
    gaps_of,
    make_log,
    pages_of,
    put,
    records_of,
    scanned,
)

from libremq.common.files.file_layer import RealFiles
from libremq.common.files.read_only_files import ReadOnlyFiles
from libremq.log import Log, LogConfig, LogDamaged, Record
from libremq.log.log_dump_reader import DumpExtent, DumpLine, DumpStart, base_lsn, dump, start_of_extent
from libremq.log.pages import PAGE_BYTES, PAGE_HEADER_BYTES
from libremq.testing import FaultyFiles, PowerCut

# ---- good logs ----


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_a_dump_shows_what_a_scan_gives(seed: int, kind: str) -> None:
    files = make_log(seed, config=KINDS[kind])
    before, operations = contents(files), files.operations
    lines = checked(dump(files, FOLDER))
    assert (contents(files), files.operations) == (before, operations)
    assert gaps_of(lines) == []
    assert not end_of(lines).damaged
    records = records_of(lines)
    assert len(records) == 60
    assert records == scanned(files)
    assert end_of(lines).lsn == records[-1].next_lsn


def test_the_start_says_what_the_control_file_says() -> None:
    files = FaultyFiles()
    log = fill(files, 1, 60, SMALL)
    middle = records_of(dump(files, FOLDER))[30].lsn
    log.record_checkpoint(middle, middle)
    log.close()
    start = next(iter(dump(files, FOLDER)))
    assert isinstance(start, DumpStart)
    assert (start.folder, start.problem, start.type) == (FOLDER, "", "CIRCULAR")
    assert (start.head, start.checkpoint, start.epoch) == (middle, middle, 1)
    assert middle < start.durable <= log.tail + PAGE_BYTES
    assert start.extent_bytes == EXTENT_BYTES
    assert start.extents[:2] == ((0, "S0000000.LOG"), (EXTENT_BYTES, "S0000001.LOG"))
    lines = checked(dump(files, FOLDER))
    assert records_of(lines) == scanned(files, 40)[30:]
    assert base_lsn(files, FOLDER) == middle - middle % EXTENT_BYTES


def test_extents_are_announced_before_their_records() -> None:
    lines = checked(dump(make_log(records=120), FOLDER))
    extents = [line for line in lines if isinstance(line, DumpExtent)]
    assert [line.file for line in extents] == ["S0000000.LOG", "S0000001.LOG", "S0000002.LOG"][: len(extents)]
    assert len(extents) >= 2
    second = lines.index(extents[1])
    assert all(r.lsn < EXTENT_BYTES for r in records_of(lines[:second]))
    assert all(r.next_lsn > EXTENT_BYTES for r in records_of(lines[second:]))


def test_any_range_can_be_asked_for() -> None:
    files = make_log(3)
    records = scanned(files, 40)
    rng = random.Random(3)
    for _ in range(60):
        first, last = sorted((rng.randrange(records[-1].next_lsn + 5000), rng.randrange(records[-1].next_lsn + 5000)))
        lines = checked(dump(files, FOLDER, from_lsn=first, to_lsn=last))
        assert records_of(lines) == [r for r in records if first <= r.lsn <= last]
        assert gaps_of(lines) == []
    exact = records[20]
    assert records_of(dump(files, FOLDER, from_lsn=exact.lsn, to_lsn=exact.lsn)) == [exact]
    for beyond in (1 << 40, 1 << 63, (1 << 64) - 1):
        assert records_of(checked(dump(files, FOLDER, from_lsn=beyond))) == []


def test_the_extents_together_are_the_log() -> None:
    files = make_log(2, records=130)
    records = scanned(files, 40)
    start = next(iter(dump(files, FOLDER)))
    assert isinstance(start, DumpStart)
    found: list[Record] = []
    for number, (lsn, _) in enumerate(start.extents):
        lines = checked(dump(files, FOLDER, extent=number))
        part = records_of(lines)
        assert all(lsn <= record.lsn < lsn + EXTENT_BYTES for record in part)
        assert gaps_of(lines) == []
        found += part
        assert start_of_extent(files, FOLDER, number) == lsn
    assert found == records
    assert max(len(pages_of(r)) for r in records) > 2


def test_a_ring_that_has_turned() -> None:
    files = FaultyFiles()
    log = Log.create(files, FOLDER, LogConfig(2, 2, 64))
    lsns = []
    for number in range(700):
        lsns.append(put(log, bytes(2000 + number), number))
        log.force()
        if number % 40 == 39:
            log.record_checkpoint(lsns[-1], lsns[-20])
    log.close()
    lines = checked(dump(files, FOLDER))
    start = lines[0]
    assert isinstance(start, DumpStart)
    assert start.extents[0][0] > 3 * EXTENT_BYTES
    assert sorted(file for _, file in start.extents) != [file for _, file in start.extents]
    assert records_of(lines) == scanned(files)
    assert not end_of(lines).damaged
    base = checked(dump(files, FOLDER, from_lsn=base_lsn(files, FOLDER)))
    assert len(records_of(base)) > len(records_of(lines))
    assert gaps_of(base) == []
    old = checked(dump(files, FOLDER, from_lsn=40))
    assert [(gap.from_lsn, gap.damaged) for gap in gaps_of(old)] == [(40, False)]
    assert records_of(old)[-1] == records_of(lines)[-1]


def linear_log(files: FaultyFiles) -> tuple[Log, list[int]]:
    """A linear log of several extents of which restart needs the last and media recovery the last three."""
    log = Log.create(files, FOLDER, LogConfig(2, 2, 64, "LINEAR"))
    lsns = []
    for number in range(400):
        lsns.append(put(log, bytes(2500), number))
        log.force()
        log.set_head(lsns[-1])
    log.set_media(lsns[-150])
    log.record_checkpoint(lsns[-1], lsns[-1])
    return log, lsns


def test_inactive_extents_of_a_linear_log_can_be_dumped() -> None:
    files = FaultyFiles()
    log, lsns = linear_log(files)
    assert [r.lsn for r in records_of(checked(dump(files, FOLDER)))] == lsns[-1:]
    everything = checked(dump(files, FOLDER, from_lsn=0))
    assert [r.lsn for r in records_of(everything)] == lsns
    assert gaps_of(everything) == []
    first = checked(dump(files, FOLDER, extent=0))
    assert [r.lsn for r in records_of(first)] == [lsn for lsn in lsns if lsn < EXTENT_BYTES]
    log.archive("/archive")
    archived = checked(dump(files, "/archive"))
    assert isinstance(archived[0], DumpStart)
    assert "no log control file" in archived[0].problem
    shown = [r.lsn for r in records_of(archived)]
    assert shown == lsns[: len(shown)]
    assert len(shown) > 50
    deleted = log.delete_extents()
    assert deleted
    rest = checked(dump(files, FOLDER, from_lsn=40))
    assert [(gap.from_lsn, gap.damaged) for gap in gaps_of(rest)] == [(40, False)]
    assert records_of(rest)[-1].lsn == lsns[-1]
    log.abandon()


@pytest.mark.parametrize(("number", "needed"), [(1, False), (3, True)])
def test_a_hole_in_a_linear_log_is_damage_if_media_recovery_needs_it(number: int, needed: bool) -> None:
    files = FaultyFiles()
    log, lsns = linear_log(files)
    log.abandon()
    media = lsns[-150] // EXTENT_BYTES
    assert (number >= media) == needed
    files.remove(f"{FOLDER}/S{number:07}.LOG")
    lines = checked(dump(files, FOLDER, from_lsn=40))
    (gap,) = gaps_of(lines)
    assert gap.damaged == needed
    assert f"extent {number}" in gap.why or f"S{number:07}.LOG is missing" in gap.why
    assert records_of(lines)[-1].lsn == lsns[-1]


# ---- beside a running queue manager, and after its death ----


def test_what_is_forced_is_seen_while_the_log_is_open() -> None:
    files = FaultyFiles()
    log = Log.create(files, FOLDER, SMALL)
    shown: list[int] = []
    for number in range(30):
        lsn = put(log, b"%d" % number)
        assert [r.lsn for r in records_of(checked(dump(files, FOLDER)))] == shown
        log.force()
        shown.append(lsn)
        lines = checked(dump(files, FOLDER))
        assert [r.lsn for r in records_of(lines)] == shown
        assert not end_of(lines).damaged
    log.abandon()


def test_an_extent_that_is_used_again_under_the_dump() -> None:
    files = FaultyFiles()
    log = Log.create(files, FOLDER, LogConfig(2, 1, 64))
    lsns = []

    def write(count: int) -> None:
        for _ in range(count):
            lsns.append(put(log, bytes(3900)))
            log.force()
            log.set_head(lsns[-1])

    write(70)
    lines: list[DumpLine] = []
    dumping = iter(dump(files, FOLDER, from_lsn=40))
    while len(records_of(lines)) < 3:
        lines.append(next(dumping))
    write(200)
    lines = checked(lines + list(dumping))
    log.abandon()
    assert [gap.damaged for gap in gaps_of(lines)] == [False]
    assert "used again" in gaps_of(lines)[0].why
    assert not end_of(lines).damaged
    shown = [record.lsn for record in records_of(lines)]
    assert shown[-1] == lsns[-1]
    assert shown[-50:] == lsns[-50:]


@pytest.mark.parametrize("integrity", ["SingleWrite", "TripleWrite"])
def test_writing_goes_on_under_the_dump_without_false_alarms(integrity: str) -> None:
    """A page that was empty or half full when its block was read, and has more in it since, is no damage."""
    files = FaultyFiles()
    log = Log.create(files, FOLDER, LogConfig(3, 1, 64, write_integrity=integrity))
    lsns = []

    def write(size: int) -> None:
        lsns.append(put(log, bytes(size)))
        log.force()

    for _ in range(60):
        write(200)
    lines: list[DumpLine] = []
    for line in dump(files, FOLDER):
        lines.append(line)
        if len(lsns) < 105:  # on into the next extent before the dump gets to the end of what it has read
            write(200 if len(lsns) < 70 else 8000)
    log.abandon()
    checked(lines)
    assert gaps_of(lines) == []
    assert not end_of(lines).damaged
    assert [record.lsn for record in records_of(lines)] == lsns


def test_a_linear_log_that_grows_under_the_dump() -> None:
    files = FaultyFiles()
    log = Log.create(files, FOLDER, LogConfig(2, 1, 64, "LINEAR"))
    lsns = []

    def write() -> None:
        lsns.append(put(log, bytes(4000)))
        log.force()
        log.set_head(lsns[-1])

    for _ in range(120):
        write()
    lines: list[DumpLine] = []
    for line in dump(files, FOLDER, from_lsn=40):
        lines.append(line)
        if len(lsns) < 400:
            for _ in range(4):
                write()
    log.abandon()
    checked(lines)
    assert gaps_of(lines) == []
    assert [record.lsn for record in records_of(lines)] == lsns


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_after_a_power_cut_it_shows_what_a_restart_finds(seed: int, kind: str) -> None:
    """Over crash points and the disks they may leave: the same records, the same end, the same verdict."""

    def work(files: FaultyFiles) -> None:
        rng = random.Random(seed)
        log = Log.open(files, FOLDER)
        for round_ in range(6):
            for _ in range(rng.randrange(1, 4)):
                lsn = put(log, rng.randbytes(rng.choice((10, 700, 5000))))
            log.force()
            if round_ == 3:
                log.record_checkpoint(lsn, lsn)
        log.abandon()
        log = Log.open(files, FOLDER)
        put(log, rng.randbytes(6000))
        log.force()
        log.close()

    base = FaultyFiles()
    Log.create(base, FOLDER, KINDS[kind]).close()
    rehearsal = base.copy()
    work(rehearsal)
    compared = 0
    for n in range(1, rehearsal.operations + 1):
        files = base.copy()
        files.crash_at = n
        with pytest.raises(PowerCut):
            work(files)
        for disk in files.disk_states(random.Random(n), limit=5):
            lines = checked(dump(disk, FOLDER))
            damaged = end_of(lines).damaged or any(gap.damaged for gap in gaps_of(lines))
            try:
                found = scanned(disk)
            except LogDamaged:
                assert kind == "circular, SingleWrite"  # which trusts the device to write a page as a whole
                assert damaged, disk.label
                continue
            assert not damaged, disk.label
            assert records_of(lines) == found, disk.label
            compared += 1
    assert compared > 100


def test_a_record_that_was_never_finished_is_told_and_no_damage() -> None:
    """A force of several pages of which the last were lost, and then a later opening of the log."""
    files = FaultyFiles()
    log = Log.create(files, FOLDER, SMALL)
    first = put(log, b"promised")
    log.force()
    put(log, b"whole, and keeps the page on which the next one begins")
    put(log, bytes(3 * PAGE_BYTES))
    files.crash_at = files.operations + 1  # in the write
    with pytest.raises(PowerCut):
        log.force()
    told = 0
    for disk in files.disk_states(random.Random(1)):
        ended = end_of(checked(dump(disk, FOLDER)))
        assert not ended.damaged
        log = Log.open(disk, FOLDER)
        later = put(log, b"later")
        log.force()
        log.abandon()
        lines = checked(dump(disk, FOLDER))
        assert not any(gap.damaged for gap in gaps_of(lines))
        assert [r.lsn for r in records_of(lines)] == [r.lsn for r in scanned(disk)]
        assert {first, later} <= {r.lsn for r in records_of(lines)}
        told += len(gaps_of(lines))
    assert told > 0


def test_leftovers_of_earlier_openings_are_not_taken_for_the_log() -> None:
    """Two forces cut short one after the other, of whole pages: what one left behind fits the other by its looks."""
    page = bytes(PAGE_BYTES - PAGE_HEADER_BYTES - 28)  # a record that fills a page

    def cut_short(files: FaultyFiles, payloads: list[bytes]) -> list[FaultyFiles]:
        log = Log.open(files, FOLDER)
        for payload in payloads:
            put(log, payload)
        files.crash_at = files.operations + 1
        with pytest.raises(PowerCut):
            log.force()
        return list(files.disk_states(random.Random(len(payloads)), limit=20))

    files = FaultyFiles()
    log = Log.create(files, FOLDER, SMALL)
    put(log, b"promised")
    log.close()
    kinds = set()
    for payloads in ([page] * 5, [bytes(6 * PAGE_BYTES)]):
        for first in cut_short(files.copy(), payloads):
            for disk in cut_short(first, [page] * 4):
                lines = checked(dump(disk, FOLDER))
                assert not end_of(lines).damaged
                kinds.add(end_of(lines).why.split(" epoch")[0])
                assert records_of(lines) == scanned(disk), (first.label, disk.label)
                disk.remove(f"{FOLDER}/amqhlctl.lfh")  # which says where the last epoch began
                kinds.add(end_of(checked(dump(disk, FOLDER))).why.split(" epoch")[0])
    assert {"the page is left over from", "the page belongs to"} <= kinds


def test_a_page_of_an_earlier_opening_does_not_count_where_a_later_one_began() -> None:
    """Half of it was left by the first, and the second wrote the other half: the same bytes, as it happened."""
    files = FaultyFiles()
    log = Log.create(files, FOLDER, SMALL)
    put(log, b"promised")
    log.close()
    before = files.copy()
    log = Log.open(files, FOLDER)
    put(log, b"never promised")
    log.force()
    page = files.content(f"{FOLDER}/S0000000.LOG")[PAGE_BYTES : 2 * PAGE_BYTES]
    log = Log.open(before, FOLDER)  # as if that force had left nothing
    log.abandon()
    log = Log.open(before, FOLDER)
    assert log.epoch == 3
    log.abandon()
    before.overwrite(f"{FOLDER}/S0000000.LOG", PAGE_BYTES, page)
    lines = checked(dump(before, FOLDER))
    assert [record.payload for record in records_of(lines)] == [b"promised"]
    assert "left over from epoch 2" in end_of(lines).why and not end_of(lines).damaged
    assert records_of(lines) == scanned(before)


# ---- on a real disk ----


def test_a_dump_of_real_files_leaves_them_alone(tmp_path: Path) -> None:
    folder = str(tmp_path / "log")
    log = fill(RealFiles(), 1, 60, SMALL, folder)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in (tmp_path / "log").iterdir()}
    lines = checked(dump(ReadOnlyFiles(), folder))
    assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in (tmp_path / "log").iterdir()} == before
    assert len(records_of(lines)) == 60
    assert records_of(lines) == list(log.scan(40))
    log.close()
    for path in (tmp_path / "log").iterdir():
        path.chmod(0o400)
    assert len(records_of(checked(dump(ReadOnlyFiles(), folder)))) == 60
