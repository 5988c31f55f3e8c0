"""SingleWrite, DoubleWrite, TripleWrite: which page goes where, and what it costs."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from libremq.log import Log, LogConfig, LogStatistics, RecordType
from libremq.testing import FaultyFiles

FOLDER = "/log"
CONFIG = LogConfig(3, 2, 64)
EXTENT = f"{FOLDER}/S0000000.LOG"
SHADOW = f"{FOLDER}/amqhlshd.lfh"


def make(integrity: str) -> tuple[FaultyFiles, Log]:
    files = FaultyFiles()
    return files, Log.create(files, FOLDER, replace(CONFIG, write_integrity=integrity))


def put(log: Log, size: int) -> int:
    lsn = log.append(RecordType.PUT, 1, 0, (bytes(size),))
    log.force(lsn)
    return lsn


def used(page: bytes) -> int:
    return int.from_bytes(page[4:6], "little")


def versions(files: FaultyFiles, page: int = 0) -> tuple[int, int]:
    """Bytes used in a page at home and in the shadow."""
    return used(files.content(EXTENT)[page * 4096 :]), used(files.content(SHADOW))


def test_versions_of_a_page_go_home_and_to_the_shadow_in_turn() -> None:
    files, log = make("TripleWrite")
    seen = []
    for _ in range(5):
        put(log, 172)
        seen.append(versions(files))
    assert seen == [(240, 0), (240, 440), (640, 440), (640, 840), (1040, 840)]


def test_a_page_left_in_the_shadow_goes_home_with_the_next_write() -> None:
    files, log = make("TripleWrite")
    for size in (1472, 1472):
        put(log, size)
    assert versions(files) == (1540, 3040)
    before = files.operations
    put(log, 1472)  # does not fit any more
    assert files.operations == before + 2
    assert versions(files) == (3040, 3040) and used(files.content(EXTENT)[4096:]) == 1540


def test_a_batch_larger_than_foreseen_writes_the_page_twice() -> None:
    files, log = make("TripleWrite")
    put(log, 500)
    before = files.operations
    put(log, 8000)
    assert files.operations == before + 4  # shadow and sync, home and sync
    assert versions(files) == (4096, 4096)
    figures = log.statistics()
    assert (figures.logical_writes, figures.physical_writes, figures.physical_bytes) == (2, 3, 5 * 4096)


def test_single_write_overwrites_in_place() -> None:
    files, log = make("SingleWrite")
    lsns = [put(log, size) for size in (500, 8000, 10, 4000)]
    assert lsns == [40, 568, 568 + 8028 + 80, 568 + 8028 + 80 + 38]
    assert not files.exists(SHADOW)
    assert log.statistics().physical_writes == 4
    log.abandon()
    log = Log.open(files, FOLDER)
    assert [record.lsn for record in log.scan(40)] == lsns
    assert log.config.write_integrity == "SingleWrite"


def test_double_write_acts_as_triple_write() -> None:
    figures = []
    for integrity in ("DoubleWrite", "TripleWrite"):
        files, log = make(integrity)
        for size in (100, 200, 3000, 9000, 50, 60):
            put(log, size)
        figures.append((log.tail, log.statistics().physical_writes, files.content(SHADOW)[:8]))
    assert figures[0] == figures[1]


def test_integrity_may_change_at_each_opening() -> None:
    files, log = make("TripleWrite")
    lsns = []
    for integrity in ("SingleWrite", "TripleWrite", "DoubleWrite", "SingleWrite"):
        lsns += [put(log, size) for size in (100, 200, 5000, 300)]
        log.abandon()
        log = Log.open(files, FOLDER, write_integrity=integrity)
        assert [record.lsn for record in log.scan(40)] == lsns
    log.close()
    assert Log.open(files, FOLDER).config.write_integrity == "SingleWrite"


def pairs(count: int, integrity: str) -> LogStatistics:
    """Putter and getter pairs with messages of 600 bytes; a force takes along what the others appended meanwhile."""
    rng = random.Random(count)
    _, log = make(integrity)
    for _ in range(1500):
        for _ in range(1 if count == 1 else rng.randrange(1, count + 1)):
            size = rng.choice((650, 48))
            log.append(RecordType.PUT, 1, 0, (bytes(size),))
            log.append(RecordType.COMMIT, 1, 0, ())
        log.force()
        log.set_head(log.durable)
    return log.statistics()


@pytest.mark.parametrize(("count", "more_percent"), [(1, 25), (10, 2)])
def test_triple_write_costs_hardly_more_writes(count: int, more_percent: int) -> None:
    single, triple = pairs(count, "SingleWrite"), pairs(count, "TripleWrite")
    assert single.logical_bytes == triple.logical_bytes
    # Going from one extent to the next costs a write more in both.
    extents = triple.tail // CONFIG.extent_bytes + 1
    assert single.physical_writes <= 1500 + extents
    assert triple.physical_writes * 100 < single.physical_writes * (100 + more_percent)
    assert triple.useful_share > 0.08


@pytest.mark.parametrize("type_", ["CIRCULAR", "LINEAR"])
@pytest.mark.parametrize("integrity", ["SingleWrite", "TripleWrite"])
def test_small_forces_across_extents_with_the_head_close_behind(type_: str, integrity: str) -> None:
    """The page before the head may be in the shadow when its extent is reused or retired; its home must be whole."""
    for size in (172, 473, 900, 1300):
        files = FaultyFiles()
        config = LogConfig(2, 1, 64, type_, write_integrity=integrity)
        log = Log.create(files, FOLDER, config)
        lsns = []
        while log.tail < 5 * config.extent_bytes:
            lsns.append(put(log, size))
            log.set_head(log.durable)
        if type_ == "LINEAR":
            assert [record.lsn for record in log.scan(40)] == lsns
            # With the shadow gone, what is at home must do.
            homes = b"".join(files.content(f"{FOLDER}/S{number:07}.LOG") for number in range(4))
            pages = [homes[at : at + 4096] for at in range(0, len(homes), 4096)]
            befores = [int.from_bytes(page[8:10], "little") for page in pages]
            assert [used(page) for page in pages[:-1]] == befores[1:]
        log.abandon()
        log = Log.open(files, FOLDER)
        assert log.head in (log.tail, log.durable) or list(log.scan(log.head))[-1].lsn == lsns[-1]
