"""The logger's figures, the trap for slow writes, and what they advise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libremq.log import Log, LogConfig, LogStatistics, RecordType, SlowWrite, findings
from libremq.log.log_statistics import WriteFigures
from libremq.testing import FaultyFiles, VirtualClock

FOLDER = "/log"


def figures() -> LogStatistics:
    log = Log.create(FaultyFiles(), FOLDER, LogConfig(3, 2, 64), clock=VirtualClock(1000.0))
    log.force(log.append(RecordType.PUT, 1, 0, (b"x",)))
    return replace(log.statistics(), write_time_max_us=300)


def test_a_healthy_log_needs_no_advice() -> None:
    assert findings(figures()) == []


@pytest.mark.parametrize(
    ("id_", "change", "parts"),
    [
        ("SECONDARIES_IN_USE", {"file_numbers": (0, 1, 3, 2)}, ("4 extents", "LogPrimaryFiles=4")),
        ("BUFFER_NEARLY_FULL", {"write_size_max": 2_000_000}, ("2000000 bytes", "2097152", "LogBufferPages=1024")),
        ("SLOW_WRITE", {"write_time_max_us": 23_400}, ("23.4 ms", "1970-01-01 00:16:40 UTC")),
    ],
)
def test_each_finding_names_its_figures(id_: str, change: dict[str, object], parts: tuple[str, ...]) -> None:
    found = findings(replace(figures(), **change))  # type: ignore[arg-type]
    assert [finding.id for finding in found] == [id_]
    assert all(part in found[0].text for part in parts), found[0].text


def test_puts_outside_syncpoint_are_told_by_the_queue_manager() -> None:
    (finding,) = findings(figures(), puts_outside_syncpoint=17)
    assert finding.id == "PUTS_OUTSIDE_SYNCPOINT" and finding.text.startswith("17 persistent messages")
    assert finding.values["puts_outside_syncpoint"] == 17


def note(books: WriteFigures, size: int, microseconds: float, extent: int) -> None:
    books.note_write(1, size // 2, size, 1, 1, microseconds / 1e6, extent)


def test_averages_and_high_water_marks() -> None:
    clock = VirtualClock(0.0)
    books = WriteFigures(clock.now)
    for _ in range(2000):
        note(books, 4096, 100.0, 0)
    assert (round(books.size_short), round(books.time_short), round(books.time_long)) == (4096, 100, 100)
    clock.advance(50.0)
    for _ in range(64):
        note(books, 8192, 1000.0, 0)
        clock.advance(1.0)
    # After 64 writes the short average has come about 1 - 1/e of the way, the long one a sixteenth of it.
    assert 0.60 < (books.time_short - 100) / 900 < 0.67
    assert 0.05 < (books.time_long - 100) / 900 < 0.07
    assert 0.60 < (books.size_short - 4096) / 4096 < 0.67
    high = books.time_short_high, books.time_long_high
    for _ in range(500):
        note(books, 4096, 100.0, 0)
    assert books.time_short < 110 and (books.time_short_high, books.time_long_high) == high
    assert (round(books.time_max), books.time_max_at, books.size_max) == (1000, 50.0, 8192)


def test_the_longest_write_of_each_of_the_last_eight_extents() -> None:
    books = WriteFigures(lambda: 0.0)
    for extent in range(12):
        note(books, 4096, 100.0 + extent, extent)
        note(books, 4096, 50.0, extent)
    assert [(n, round(us)) for n, us in books.extent_times.items()] == [(n, 100 + n) for n in range(4, 12)]
    # The file comes round again: a new extent in an old file.
    note(books, 4096, 7.0, 6)
    assert [(n, round(us)) for n, us in books.extent_times.items()][-2:] == [(11, 111), (6, 7)]
    assert len(books.extent_times) == 8


def test_the_trap_for_slow_writes() -> None:
    books = WriteFigures(VirtualClock(77.0).now)
    caught: list[SlowWrite] = []
    books.set_trap(500, caught.append)
    note(books, 4096, 499.0, 2)
    note(books, 8192, 501.0, 3)
    assert caught == [SlowWrite(501, 8192, 3, 77.0)] and books.traps == 1
    books.set_trap(500, None)
    note(books, 8192, 900.0, 3)
    assert len(caught) == 1


def test_a_broken_trap_does_not_harm_the_log() -> None:
    log = Log.create(FaultyFiles(), FOLDER, LogConfig(3, 2, 64))

    def broken(slow: SlowWrite) -> None:
        raise RuntimeError(f"cannot tell anybody of {slow}")

    log.on_slow_write(-1, broken)
    for _ in range(2):
        log.force(log.append(RecordType.PUT, 1, 0, (b"x",)))
    assert log.statistics().traps == 1 and len(list(log.scan(40))) == 2


def test_statistics_name_the_extents() -> None:
    log = Log.create(FaultyFiles(), FOLDER, LogConfig(3, 2, 64, "LINEAR"))
    shown = log.statistics()
    assert (shown.log_type, shown.write_integrity, shown.copies) == ("LINEAR", "TripleWrite", 1)
    assert shown.current_extent == shown.restart_extent == shown.media_extent == "S0000000.LOG"
    assert shown.media == 40 and shown.useful_share == 0.0
