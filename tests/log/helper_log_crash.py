"""What the crash tests of the log share: a ledger of what was promised, small workloads, the kinds of log."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from libremq.log import Log, LogConfig, RecordType
from libremq.testing import FaultyFiles, PowerCut
from libremq.testing.disk import Operation, part

FOLDER = "/log"
SECOND = "/copy"
SMALL = LogConfig(primary_files=2, secondary_files=1, file_pages=64)
PAGE = 4096


class Ledger:
    """What was appended, and how much of it was promised."""

    def __init__(self) -> None:
        self.appended: list[tuple[int, bytes]] = []
        self.promised = 0
        self.head = 0
        self.media = 0

    def append(self, log: Log, size: int) -> int:
        payload = random.Random(len(self.appended)).randbytes(size)
        lsn = log.append(RecordType.PUT, len(self.appended), 0, (payload[:5], payload[5:]))
        self.appended.append((lsn, payload))
        return lsn

    def force(self, log: Log) -> None:
        log.force(self.appended[-1][0])
        self.promised = len(self.appended)

    def checkpoint(self, log: Log, head: int, size: int = 30) -> None:
        lsn = self.append(log, size)
        self.head = head
        log.record_checkpoint(lsn, head)
        self.promised = len(self.appended)

    def check(self, log: Log, label: str) -> list[tuple[int, bytes]]:
        """Compare what the log holds from its head on (linear: from the media LSN on); returns it."""
        start = min(log.head, log.media) if log.config.linear else log.head
        found = [(record.lsn, record.payload) for record in log.scan(start)]
        expected = [(lsn, payload) for lsn, payload in self.appended if lsn >= start]
        assert log.head <= max(self.head, 40), label
        assert found == expected[: len(found)], label
        assert len(found) >= len([1 for lsn, _ in self.appended[: self.promised] if lsn >= start]), label
        for lsn, payload in found[-3:]:
            assert log.read(lsn).payload == payload, label
        return found


Workload = Callable[[Log, Ledger], None]


def one_force(log: Log, ledger: Ledger) -> None:
    ledger.append(log, 100)
    ledger.force(log)


def several_forces(log: Log, ledger: Ledger) -> None:
    for sizes in ([10], [3000, 2000], [4028, 0, 4027], [20000]):
        for size in sizes:
            ledger.append(log, size)
        ledger.force(log)
    ledger.append(log, 10)


def small_forces(log: Log, ledger: Ledger) -> None:
    """Versions of a page in turn at home and in the shadow; pages left in either; batches larger than foreseen."""
    for size in (1000, 900, 900, 900, 300, 200, 100, 50, 5000, 20, 30, 9000, 1500, 1500, 1500):
        ledger.append(log, size)
        ledger.force(log)
    ledger.append(log, 700)


def checkpoints(log: Log, ledger: Ledger) -> None:
    ledger.append(log, 500)
    ledger.force(log)
    ledger.checkpoint(log, ledger.appended[0][0])
    ledger.append(log, 6000)
    ledger.force(log)
    ledger.append(log, 30)


def wrap(log: Log, ledger: Ledger) -> None:
    """Three times round a ring of two (or along a sequence), the head following closely."""
    for _ in range(12):
        ledger.append(log, 60_000)
        ledger.force(log)
        ledger.head = ledger.appended[-1][0]
        log.set_head(ledger.head)
    ledger.append(log, 9000)


def wrap_with_secondary(log: Log, ledger: Ledger) -> None:
    """Into the secondary because the head stays, then round the ring of three."""
    for number in range(14):
        ledger.append(log, 70_000)
        ledger.force(log)
        if number >= 6:
            ledger.head = ledger.appended[-4][0]
            log.set_head(ledger.head)
    assert log.statistics().file_numbers != (0, 1) and log.statistics().file_count == 3


def stretch_and_release(log: Log, ledger: Ledger) -> None:
    """Into the secondary, then with the head close behind until the secondary is given back, and on."""
    for _ in range(8):
        ledger.append(log, 70_000)
        ledger.force(log)
    assert log.statistics().file_count == 3
    ledger.checkpoint(log, ledger.appended[-1][0])
    for _ in range(14):
        ledger.append(log, 70_000)
        ledger.force(log)
        ledger.checkpoint(log, ledger.appended[-1][0])
    assert log.statistics().file_count == 2
    ledger.append(log, 500)
    ledger.force(log)


def sequence(log: Log, ledger: Ledger) -> None:
    """Along a linear log: formatted ahead, media LSN and head following, extents deleted at checkpoints."""
    for number in range(10):
        ledger.append(log, 70_000)
        ledger.force(log)
        log.prepare_next()
        if number % 3 == 2:
            ledger.media = ledger.appended[-3][0]
            log.set_media(ledger.media)
            ledger.checkpoint(log, ledger.appended[-1][0])
    ledger.append(log, 300)
    ledger.force(log)


def close(log: Log, ledger: Ledger) -> None:
    ledger.append(log, 100)
    ledger.force(log)
    ledger.append(log, 100)
    log.close()
    ledger.promised = len(ledger.appended)


def torn_states(files: FaultyFiles, rng: random.Random, states_max: int | None) -> Iterator[FaultyFiles]:
    return files.disk_states(rng, states_max)


def atomic_page_states(files: FaultyFiles, rng: random.Random, states_max: int | None) -> Iterator[FaultyFiles]:
    """What a device leaves that writes 4 KiB as a whole: any of the pages of the unsynced writes, none torn."""
    operations: list[Operation] = []
    for operation in files._pending:
        if operation.kind != "write":
            operations.append(operation)
            continue
        start, end = operation.offset, operation.offset + len(operation.data)
        while start < end:
            stop = min(end, (start // PAGE + 1) * PAGE)
            operations.append(part(operation, start, stop))
            start = stop
    yield files._after("nothing unsynced survived", ())
    if operations:
        yield files._after("everything survived", operations)
        for number in range(min(len(operations), states_max or 16)):
            keep = rng.choice((0.2, 0.5, 0.8))
            yield files._after(f"random pages {number}", [o for o in operations if rng.random() < keep])


@dataclass(frozen=True)
class Kind:
    """A kind of log, and what a power cut does to it."""

    name: str
    config: LogConfig
    states: Callable[[FaultyFiles, random.Random, int | None], Iterator[FaultyFiles]] = torn_states
    direct: bool = False
    """Pages are written past the system's cache."""

    def __str__(self) -> str:
        return self.name

    def template(self) -> FaultyFiles:
        files = FaultyFiles(direct=self.direct)
        Log.create(files, FOLDER, self.config).abandon()
        return files

    def open(self, files: FaultyFiles) -> Log:
        return Log.open(files, FOLDER, second_folder=self.config.second_folder, parallel_sync=False)

    def run(self, template: FaultyFiles, workload: Workload, ledger: Ledger, crash_at: int | None) -> FaultyFiles:
        files = template.copy()
        files.crash_at = crash_at
        try:
            workload(self.open(files), ledger)
        except PowerCut:
            pass
        return files


CIRCULAR = Kind("circular", SMALL)
SINGLE = Kind("single write", replace(SMALL, write_integrity="SingleWrite"), atomic_page_states)
DUAL = Kind("dual", replace(SMALL, second_folder=SECOND))
LINEAR = Kind("linear", LogConfig(2, 2, 64, "LINEAR", log_management="Automatic"))
LINEAR_DUAL = Kind("linear dual", replace(LINEAR.config, second_folder=SECOND))

DIRECT = replace(CIRCULAR, name="direct", direct=True)
DIRECT_SINGLE = replace(SINGLE, name="direct single write", direct=True)
DIRECT_DUAL = replace(DUAL, name="direct dual", direct=True)
DIRECT_LINEAR = replace(LINEAR, name="direct linear", direct=True)
