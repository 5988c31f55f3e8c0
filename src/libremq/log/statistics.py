"""The log's books: kept once, here, cheaply; every report about the log is a view of them.

Averages are weighted towards the latest writes (over about 64 and about 1024 of them), as the logger's service aid
shows them; times are in microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass

_SHORT = 64
_LONG = 1024
_EXTENTS_KEPT = 8


@dataclass(frozen=True, slots=True)
class LogStatistics:
    """A snapshot. Logical: what callers asked to be logged; physical: what went to the device."""

    records: int
    logical_bytes: int
    physical_bytes: int
    logical_writes: int
    physical_writes: int
    forces: int
    forces_shared: int
    control_writes: int
    write_size_short: int
    write_size_long: int
    write_size_max: int
    write_time_short_us: int
    write_time_short_high_us: int
    write_time_long_us: int
    write_time_long_high_us: int
    write_time_max_us: int
    write_time_max_at: float
    extent_write_times_us: tuple[tuple[int, int], ...]
    """The longest write to each of the last eight extents, as (file number, microseconds), latest last."""
    buffer_bytes: int
    primary_files: int
    secondary_files: int
    file_numbers: tuple[int, ...]
    """The extents in ring order."""
    head: int
    tail: int
    checkpoint: int
    durable: int

    @property
    def file_count(self) -> int:
        return len(self.file_numbers)


class WriteBooks:
    """The counters, changed by whoever leads a force and by nobody else at that time."""

    __slots__ = (
        "control_writes",
        "extent_times",
        "forces",
        "forces_shared",
        "logical_bytes",
        "logical_writes",
        "physical_bytes",
        "physical_writes",
        "records",
        "size_long",
        "size_max",
        "size_short",
        "time_long",
        "time_long_high",
        "time_max",
        "time_max_at",
        "time_short",
        "time_short_high",
    )

    def __init__(self) -> None:
        self.records = self.logical_bytes = self.physical_bytes = 0
        self.logical_writes = self.physical_writes = self.control_writes = 0
        self.forces = self.forces_shared = 0
        self.size_short = self.size_long = 0.0
        self.size_max = 0
        self.time_short = self.time_long = self.time_short_high = self.time_long_high = self.time_max = 0.0
        self.time_max_at = 0.0
        self.extent_times: dict[int, float] = {}

    def note_write(
        self, records: int, logical_bytes: int, size: int, writes: int, seconds: float, extent: int, now: float
    ) -> None:
        """A batch reached the disk: `size` bytes in `writes` calls, the last of them to file `extent`."""
        self.records += records
        self.logical_bytes += logical_bytes
        self.physical_bytes += size
        self.physical_writes += writes
        self.logical_writes += 1
        time_us = seconds * 1e6
        if self.logical_writes == 1:
            self.size_short = self.size_long = float(size)
            self.time_short = self.time_long = time_us
        else:
            self.size_short += (size - self.size_short) / _SHORT
            self.size_long += (size - self.size_long) / _LONG
            self.time_short += (time_us - self.time_short) / _SHORT
            self.time_long += (time_us - self.time_long) / _LONG
        if size > self.size_max:
            self.size_max = size
        if self.time_short > self.time_short_high:
            self.time_short_high = self.time_short
        if self.time_long > self.time_long_high:
            self.time_long_high = self.time_long
        if time_us > self.time_max:
            self.time_max = time_us
            self.time_max_at = now
        times = self.extent_times
        longest = times.get(extent)
        if longest is None:
            times[extent] = time_us
            if len(times) > _EXTENTS_KEPT:
                del times[next(iter(times))]
        elif time_us > longest:
            times[extent] = time_us
