"""A log that another machine writes: read as far as it was shipped, found wrong where it is, adopted in the end."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from libremq.log import (
    CONTROL_FILE,
    Log,
    LogConfig,
    LogDamaged,
    LogError,
    Record,
    RecordType,
    ShippedLog,
    log_identity,
)
from libremq.log.extents import extent_name
from libremq.testing import FaultyFiles, PowerCut

LIVE, BACKUP = "/live/log", "/backup/log"
EXTENT = 64 * 4096
CONFIG = LogConfig(3, 7, 64, "LINEAR")
SINGLE = replace(CONFIG, write_integrity="SingleWrite")
SHADOW = "amqhlshd.lfh"


class Live:
    """The live queue manager's log, and what was forced in it."""

    def __init__(self, config: LogConfig = CONFIG, seed: int = 1) -> None:
        self.files = FaultyFiles()
        self.log = Log.create(self.files, LIVE, config)
        self.rng = random.Random(seed)
        self.forced: list[int] = []
        self.base_copy()

    def put(self, *sizes: int) -> int:
        """Append records of these sizes and force them together."""
        lsns = [self.log.append(RecordType.PUT, 1, 0, (self.rng.randbytes(size),)) for size in sizes]
        self.log.force()
        self.forced += lsns
        self.log.set_head(lsns[0])
        return lsns[-1]

    def run_to(self, position: int) -> None:
        while self.log.tail < position:
            self.put(*[self.rng.choice((100, 900, 5000, 30_000)) for _ in range(self.rng.randrange(1, 4))])

    def base_copy(self) -> None:
        self.files.make_folder(BACKUP)
        self.write(CONTROL_FILE, self.files.content(f"{LIVE}/{CONTROL_FILE}"))

    def write(self, name: str, content: bytes) -> None:
        file = self.files.open(f"{BACKUP}/{name}", create=True)
        file.truncate(0)
        file.write(0, content)
        file.sync()
        self.files.sync_folder(BACKUP)

    def content(self, number: int) -> bytes:
        return self.files.content(f"{LIVE}/{extent_name(number)}")

    def ship(self, *numbers: int) -> None:
        """Copy extents; all that have something in them by default."""
        for number in numbers or range(self.log.durable // EXTENT + 1):
            if self.files.exists(f"{LIVE}/{extent_name(number)}"):
                self.write(extent_name(number), self.content(number))

    def open(self, from_lsn: int = 0) -> ShippedLog:
        return open_backup(self.files, from_lsn)


def open_backup(files: FaultyFiles, from_lsn: int = 0) -> ShippedLog:
    log_id, config = log_identity(files, BACKUP)
    operations = files.operations
    try:
        return ShippedLog.open(files, BACKUP, log_id, config.extent_bytes, from_lsn=from_lsn)
    finally:
        assert files.operations == operations  # it never writes


def lsns(records: Iterator[Record]) -> list[int]:
    return [record.lsn for record in records]


@pytest.fixture
def live() -> Live:
    live = Live()
    live.run_to(3 * EXTENT + 50_000)
    return live


def at_home(live: Live) -> int:
    """Put until the last page is at its home in the extent, with all that was forced; returns the last record."""
    while any(live.log._extents.latest) and live.log._writer.last.in_shadow:
        live.put(50)
    return live.forced[-1]


# ---- reading ----


@pytest.mark.parametrize("config", [CONFIG, SINGLE], ids=["TripleWrite", "SingleWrite"])
def test_what_was_shipped_is_read(config: LogConfig) -> None:
    live = Live(config)
    live.run_to(3 * EXTENT + 50_000)
    at_home(live)
    live.ship()
    shipped = live.open()
    assert lsns(shipped.scan(40)) == live.forced
    assert shipped.end_lsn == live.log.read(live.forced[-1]).next_lsn
    for lsn in live.forced[::7]:
        assert shipped.read(lsn) == live.log.read(lsn)
        assert lsns(shipped.scan(lsn)) == [other for other in live.forced if other >= lsn]
    middle = live.forced[len(live.forced) // 2]
    assert lsns(live.open(middle).scan(middle)) == [lsn for lsn in live.forced if lsn >= middle]
    with pytest.raises(LogError, match="ends at"):
        shipped.read(shipped.end_lsn)
    shipped.close()


def test_records_are_proven_by_what_was_written_after_them(live: Live) -> None:
    """The last force has no witness yet: a power cut of the live machine may take it away."""
    live.put(100)
    last = at_home(live)
    live.ship()
    shipped = live.open()
    assert lsns(shipped.scan(40))[-1] == last
    assert shipped.proven_lsn <= last and lsns(shipped.scan(40, proven_only=True)) == live.forced[:-1]
    before = live.forced[:-1]
    live.put(100)
    at_home(live)
    live.ship()
    shipped = live.open()
    proven = lsns(shipped.scan(40, proven_only=True))
    assert proven[: len(before) + 1] == [*before, last] and proven != live.forced
    # The control file is a witness too: it was written last of all.
    live.log.close()
    live.ship()
    live.base_copy()
    shipped = live.open()
    assert shipped.proven_lsn == shipped.end_lsn and lsns(shipped.scan(40, proven_only=True)) == live.forced


def test_the_shadow_may_be_shipped_too() -> None:
    live = Live()
    for _ in range(2):
        live.put(100)
    assert live.log._writer.last.in_shadow
    live.ship()
    assert lsns(live.open().scan(40)) == live.forced[:1]
    live.write(SHADOW, live.files.content(f"{LIVE}/{SHADOW}"))
    assert lsns(live.open().scan(40)) == live.forced
    # Later it is an old one, and does no harm.
    live.run_to(EXTENT)
    at_home(live)
    live.ship()
    assert lsns(live.open().scan(40)) == live.forced


def test_a_fuller_copy_replaces_the_last_extent(live: Live) -> None:
    seen: list[int] = []
    position = 0
    for _ in range(12):
        live.ship()
        shipped = live.open(position)
        seen += lsns(shipped.scan(position or 40))
        position = shipped.end_lsn
        shipped.close()
        live.run_to(live.log.tail + live.rng.randrange(1, 100_000))
    at_home(live)
    live.ship()
    seen += lsns(live.open(position).scan(position))
    assert seen == live.forced and live.log.tail > 4 * EXTENT


def test_nothing_new_has_come_after_the_last_extent() -> None:
    live = Live(SINGLE)
    live.run_to(EXTENT - 20_000)
    while live.log.tail < EXTENT:
        live.put(min(5000, EXTENT - live.log.tail - 28) if live.log.tail < EXTENT - 28 else 0)
    if live.log.tail != EXTENT + 40:
        live.put(100)
    live.ship(0)
    shipped = live.open()
    position = shipped.end_lsn
    assert position <= EXTENT + 40
    again = live.open(EXTENT + 40)
    assert again.end_lsn == EXTENT + 40 and lsns(again.scan(EXTENT + 40)) == []
    with pytest.raises(LogError, match=r"S0000002\.LOG: LSN"):
        live.open(2 * EXTENT + 5000)


def test_openings_of_the_live_log_are_followed() -> None:
    """Power cuts on the live side, unfinished forces among them: the shipped log has what its restarts found."""
    live = Live()
    for seed in range(8):
        live.run_to(live.log.tail + 40_000)
        live.log.append(RecordType.PUT, 1, 0, (bytes(30_000),))
        live.files.crash_at = live.files.operations + 1
        with pytest.raises(PowerCut):
            live.log.force()
        states = list(live.files.disk_states(random.Random(seed), limit=10))
        live.files = random.Random(seed).choice(states)
        live.log = Log.open(live.files, LIVE)
        live.forced = lsns(iter(live.log.scan(40)))
        live.put(10)
        at_home(live)
        live.ship()
        assert lsns(live.open().scan(40)) == live.forced


# ---- what is wrong ----


def test_a_missing_extent_is_named(live: Live) -> None:
    live.ship(0, 1, 3)
    with pytest.raises(LogError, match=r"S0000002\.LOG: this extent of the log is missing, but S0000003\.LOG"):
        live.open()
    live.ship(2)
    live.files.remove(f"{BACKUP}/S0000000.LOG")
    later = next(lsn for lsn in live.forced if lsn > EXTENT)
    shipped = live.open(later)
    for use in (shipped.read, shipped.scan):
        with pytest.raises(LogError, match=r"S0000000\.LOG: LSN \d+ is in this extent, which is not there"):
            use(live.forced[3])
    with pytest.raises(LogError, match=r"S0000000\.LOG"):
        live.open(live.forced[3])


def test_no_extent_and_no_folder(live: Live) -> None:
    with pytest.raises(LogError, match="no extent"):
        live.open()
    with pytest.raises(LogError, match="no log can be read there"):
        ShippedLog.open(live.files, "/nowhere", bytes(6), EXTENT)
    with pytest.raises(LogDamaged, match="no log control file"):
        log_identity(live.files, "/nowhere")


def test_an_extent_of_another_log_is_refused(live: Live) -> None:
    live.ship()
    other = Live(seed=2)
    other.run_to(2 * EXTENT)
    live.write(extent_name(1), other.content(1))
    with pytest.raises(LogDamaged, match=r"S0000001\.LOG: the extent belongs to another log"):
        live.open()
    live.write(extent_name(1), live.content(2))
    with pytest.raises(LogDamaged, match=r"S0000001\.LOG: the extent holds LSN 524288, not 262144"):
        live.open()


def test_an_extent_of_the_wrong_size_is_refused_unless_it_is_the_last(live: Live) -> None:
    live.ship()
    live.write(extent_name(1), live.content(1)[:-4096])
    with pytest.raises(LogDamaged, match=r"S0000001\.LOG: the extent has 258048 bytes instead of 262144"):
        live.open()
    live.ship()
    for size in (0, 100, 4096, 20_000, 40_960):
        live.write(extent_name(3), live.content(3)[:size])
        found = lsns(live.open().scan(40))
        assert found == live.forced[: len(found)] and found[-1] < 3 * EXTENT + max(size, 4096)
    live.write(extent_name(3), live.content(3) + b"x")
    with pytest.raises(LogDamaged, match="bytes instead of"):
        live.open()


def test_a_flipped_bit_is_found_as_far_as_later_pages_witness_it() -> None:
    live = Live()
    live.run_to(2 * EXTENT + 90_000)
    last = at_home(live)
    live.ship()
    last_page = last - last % 4096
    whole = live.open()
    found = ends = 0
    for seed in range(150):
        rng = random.Random(seed)
        disk = live.files.copy()
        position = rng.randrange(whole.end_lsn)
        path, offset = f"{BACKUP}/{extent_name(position // EXTENT)}", position % EXTENT
        disk.overwrite(path, offset, bytes([disk.content(path)[offset] ^ 1 << rng.randrange(8)]))
        try:
            shipped = open_backup(disk)
        except LogDamaged as error:
            assert error.path == path and "Ship the extent again" in str(error)
            found += 1
        else:
            # Only the pages of the last force have no witness: they are simply not there yet.
            read = lsns(shipped.scan(40))
            assert read == live.forced[: len(read)] and position >= whole.proven_lsn - whole.proven_lsn % 4096
            ends += 1
    assert found > 120 and last_page > 2 * EXTENT


def test_a_copy_older_than_the_extents_after_it_is_told(live: Live) -> None:
    """The last extent was copied half full, then only the ones after it."""
    live.ship()
    live.run_to(5 * EXTENT)
    live.ship(4, 5)
    with pytest.raises(LogDamaged, match=r"S0000003\.LOG: .*older than the extents after it"):
        live.open()
    live.ship(3)
    found = lsns(live.open().scan(40))
    assert found == live.forced[: len(found)] and found[-1] > 4 * EXTENT


@pytest.mark.parametrize("config", [CONFIG, SINGLE], ids=["TripleWrite", "SingleWrite"])
def test_an_extent_copied_while_it_is_written_ends_somewhere_and_is_no_damage(config: LogConfig) -> None:
    """Its blocks are read one after the other, and between them the live log goes on."""
    for seed in range(40):
        live = Live(config, seed)
        live.run_to(EXTENT + live.rng.randrange(200_000))
        live.ship(0)
        before = list(live.forced)
        at_home(live)
        blocks = []
        block_bytes = 4096 * live.rng.choice((1, 1, 2, 4, 8, 16))
        for offset in range(0, EXTENT, block_bytes):
            blocks.append(live.content(1)[offset : offset + block_bytes])
            if live.rng.random() < 0.4 and live.log.tail < 2 * EXTENT - 30_000:
                live.put(live.rng.choice((50, 300, 3000, 9000)))
        live.write(extent_name(1), b"".join(blocks))
        found = lsns(live.open().scan(40))
        assert found == live.forced[: len(found)]
        assert len(found) >= len(before) - 1, seed  # the last may be in the shadow
        # A fuller copy of it does replace it.
        at_home(live)
        live.ship()
        assert lsns(live.open().scan(40)) == live.forced


# ---- adopting ----


def adopt(files: FaultyFiles, checkpoint: int, head: int) -> int:
    return Log.adopt_shipped(files, BACKUP, checkpoint_lsn=checkpoint, head_lsn=head)


def go_on(files: FaultyFiles, head: int, expected: list[int]) -> None:
    """Open the adopted log as a restart does, and use it."""
    for _ in range(2):
        log = Log.open(files, BACKUP)
        assert lsns(iter(log.scan(head))) == expected
        assert log.config.second_folder == ""
        for size in (100, 5000, 60_000, 90_000, 90_000, 90_000):
            lsn = log.append(RecordType.PUT, 2, 0, (bytes(size),))
            log.force(lsn)
            expected.append(lsn)
        log.record_checkpoint(lsn, log.head)
        log.abandon()
    Log.open(files, BACKUP).close()


@pytest.mark.parametrize("config", [CONFIG, SINGLE, replace(CONFIG, second_folder="/live/copy")])
def test_an_adopted_log_goes_on(config: LogConfig) -> None:
    live = Live(config)
    live.run_to(3 * EXTENT + 50_000)
    at_home(live)
    live.ship()
    head = next(lsn for lsn in live.forced if lsn > EXTENT)
    checkpoint = live.forced[-5]
    end = live.open().end_lsn
    assert adopt(live.files, checkpoint, head) == end
    log = Log.open(live.files, BACKUP)
    assert (log.head, log.checkpoint, log.end_at_open) == (head, checkpoint, end)
    assert log.epoch == live.log.epoch + 1
    log.abandon()
    go_on(live.files, head, [lsn for lsn in live.forced if lsn >= head])


def test_adopting_a_copy_that_was_made_while_it_was_written() -> None:
    """Pages after a gap are not part of the log, and must not bear witness against it later."""
    for seed in range(25):
        live = Live(seed=seed)
        live.run_to(EXTENT + 20_000 + live.rng.randrange(100_000))
        early = live.content(1)
        for _ in range(12):
            live.put(live.rng.choice((50, 700, 4000, 6000)))
        late = live.content(1)
        cut = 4096 * live.rng.randrange(64)
        hole = early[:cut] + late[cut:]
        live.ship(0)
        live.write(extent_name(1), hole if seed % 3 else hole[: live.rng.randrange(100_000, EXTENT)])
        if seed % 2:
            live.write(SHADOW, live.files.content(f"{LIVE}/{SHADOW}"))
        expected = lsns(live.open().scan(40))
        adopt(live.files, expected[-3], expected[1])
        go_on(live.files, expected[1], expected[1:])


def test_adopting_can_be_interrupted_and_done_again() -> None:
    live = Live(seed=5)
    live.run_to(EXTENT + 100_000)
    early = live.content(1)
    for _ in range(14):
        live.put(live.rng.choice((50, 700, 4000, 6000)))
    late = live.content(1)
    tail = live.forced[-9] % EXTENT // 4096 * 4096
    live.ship(0)
    live.write(extent_name(1), (early[:tail] + late[tail:])[: EXTENT - 10_000])
    live.write(SHADOW, live.files.content(f"{LIVE}/{SHADOW}"))
    expected = lsns(live.open().scan(40))
    assert expected != live.forced
    rehearsal = live.files.copy()
    end = adopt(rehearsal, expected[-3], expected[0])
    count = rehearsal.operations
    assert count > 10
    for point in range(1, count + 1):
        files = live.files.copy()
        files.crash_at = point
        with pytest.raises(PowerCut):
            adopt(files, expected[-3], expected[0])
        for disk in files.disk_states(random.Random(point), limit=8):
            assert adopt(disk, expected[-3], expected[0]) == end, (point, disk.label)
            log = Log.open(disk, BACKUP)
            assert lsns(iter(log.scan(40))) == expected, (point, disk.label)
            log.abandon()


def test_adopting_is_refused_with_nothing_changed(live: Live) -> None:
    live.ship()
    before = live.files.operations
    first, last = live.forced[0], live.forced[-1]
    with pytest.raises(ValueError, match="after what a restart begins with"):
        adopt(live.files, first, last)
    with pytest.raises(LogError, match="no record starts"):
        adopt(live.files, first + 1, first)
    with pytest.raises(LogError, match="ends at"):
        adopt(live.files, live.log.tail + 4096, first)
    assert live.files.operations == before
    live.files.remove(f"{BACKUP}/S0000001.LOG")
    with pytest.raises(LogError, match=r"S0000001\.LOG"):
        adopt(live.files, last, first)
    Log.create(live.files, "/ring", LogConfig(3, 2, 64)).close()
    with pytest.raises(LogError, match="circular"):
        Log.adopt_shipped(live.files, "/ring", checkpoint_lsn=40, head_lsn=40)
