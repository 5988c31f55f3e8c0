"""What the tests of dumps share: logs to dump, and ways to look at what a dump shows."""

from __future__ import annotations

import random
from collections.abc import Iterable

from libremq.common.files.file_layer import Files
from libremq.log import Log, LogConfig, Record, RecordType
from libremq.log.log_dump_reader import DumpEnd, DumpExtent, DumpGap, DumpLine, DumpStart, dump
from libremq.log.pages import PAGE_BYTES, PAGE_HEADER_BYTES
from libremq.testing import FaultyFiles

FOLDER = "/log"
SMALL = LogConfig(2, 1, 64)
KINDS = {
    "circular": SMALL,
    "circular, SingleWrite": LogConfig(2, 1, 64, write_integrity="SingleWrite"),
    "linear": LogConfig(2, 1, 64, "LINEAR"),
}
EXTENT_BYTES = 64 * PAGE_BYTES


def put(log: Log, payload: bytes, txn: int = 1, prev: int = 0) -> int:
    return log.append(RecordType.PUT, txn, prev, (payload,))


def make_log(seed: int = 1, records: int = 60, config: LogConfig = SMALL, folder: str = FOLDER) -> FaultyFiles:
    """A log, ended in order, of records from a few bytes to several pages, forced now and then."""
    files = FaultyFiles()
    fill(files, seed, records, config, folder).close()
    return files


def fill(files: Files, seed: int, records: int, config: LogConfig, folder: str = FOLDER) -> Log:
    rng = random.Random(seed)
    log = Log.create(files, folder, config)
    for number in range(records):
        size = rng.choice((0, 30, 500, 3000, 4056, 9000))
        put(log, rng.randbytes(size), number + 1)
        if rng.random() < 0.3:
            log.force()
    log.force()
    return log


def records_of(lines: Iterable[DumpLine]) -> list[Record]:
    return [line for line in lines if isinstance(line, Record)]


def gaps_of(lines: Iterable[DumpLine]) -> list[DumpGap]:
    return [line for line in lines if isinstance(line, DumpGap)]


def checked(lines: Iterable[DumpLine]) -> list[DumpLine]:
    """The lines, of which the first is a start, the last the only end, and the LSNs go up."""
    found = list(lines)
    assert isinstance(found[0], DumpStart)
    assert isinstance(found[-1], DumpEnd)
    assert sum(isinstance(line, (DumpStart, DumpEnd)) for line in found) == 2
    last = 0
    for line in found[1:-1]:
        lsn = line.from_lsn if isinstance(line, DumpGap) else line.lsn  # type: ignore[union-attr]
        if not isinstance(line, DumpExtent):  # a record that goes on in the next extent ends there
            assert lsn >= last
        if isinstance(line, Record):
            last = line.next_lsn
        elif isinstance(line, DumpGap):
            assert line.to_lsn >= line.from_lsn
            last = line.to_lsn
    return found


def end_of(lines: list[DumpLine]) -> DumpEnd:
    assert isinstance(lines[-1], DumpEnd)
    return lines[-1]


def scanned(files: Files, from_lsn: int | None = None, folder: str = FOLDER) -> list[Record]:
    log = Log.open(files, folder)
    try:
        return list(log.scan(log.head if from_lsn is None else from_lsn))
    finally:
        log.abandon()


def pages_of(record: Record) -> range:
    """The LSNs of the pages that a record lies on."""
    last = record.next_lsn - (PAGE_HEADER_BYTES if record.next_lsn % PAGE_BYTES == PAGE_HEADER_BYTES else 0) - 1
    return range(record.lsn // PAGE_BYTES * PAGE_BYTES, last // PAGE_BYTES * PAGE_BYTES + 1, PAGE_BYTES)


def place(files: Files, lsn: int) -> tuple[str, int]:
    """The path and the offset where an LSN is on disk."""
    start = next(iter(dump(files, FOLDER)))
    assert isinstance(start, DumpStart)
    name = dict(start.extents)[lsn // start.extent_bytes * start.extent_bytes]
    return f"{FOLDER}/{name}", lsn % start.extent_bytes


def damage(files: FaultyFiles, lsn: int, data: bytes = b"\xee" * 64) -> None:
    path, offset = place(files, lsn)
    files.overwrite(path, offset, data)


def contents(files: FaultyFiles) -> dict[str, bytes]:
    return {name: files.content(f"{FOLDER}/{name}") for name in files.list(FOLDER)}
