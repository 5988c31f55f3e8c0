"""The log's books: kept once, here, cheaply; every report about the log is a view of them.

Averages are weighted towards the latest writes (over about 64 and about 1024 of them), as the logger's service aid
shows them; times are in microseconds. A write is a batch on its way to the disk, from the first byte to the end of the
sync. A trap tells somebody at once when one takes longer than a limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

_SHORT = 64
_LONG = 1024
_EXTENTS_KEPT = 8


@dataclass(frozen=True, slots=True)
class LogStatistics:
    """A snapshot. Logical: what callers asked to be logged; physical: what went to the devices, all copies together."""

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
    """The extents in ring order; of a linear log the active ones."""
    head: int
    tail: int
    checkpoint: int
    durable: int
    log_type: str = "CIRCULAR"
    write_integrity: str = "TripleWrite"
    copies: int = 1
    media: int = 0
    current_extent: str = ""
    restart_extent: str = ""
    media_extent: str = ""
    traps: int = 0
    """Writes that took longer than the limit of the trap."""

    @property
    def file_count(self) -> int:
        return len(self.file_numbers)

    @property
    def useful_share(self) -> float:
        """Bytes asked for as a share of bytes written."""
        return self.logical_bytes / self.physical_bytes if self.physical_bytes else 0.0


class SlowWrite(NamedTuple):
    """A write that took longer than the trap allows."""

    time_us: int
    size: int
    file_number: int
    at: float


class WriteFigures:
    """The counters, changed by whoever leads a force and by nobody else at that time."""

    __slots__ = (
        "_extent",
        "_now",
        "_trap",
        "_trap_us",
        "control_writes",
        "extent_times",
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
        "traps",
    )

    def __init__(self, now: Callable[[], float]) -> None:
        """`now` tells the time of day, for the moment of the longest write."""
        self._now = now
        self.records = self.logical_bytes = self.physical_bytes = 0
        self.logical_writes = self.physical_writes = self.control_writes = self.traps = 0
        self.size_short = self.size_long = 0.0
        self.size_max = 0
        self.time_short = self.time_long = self.time_short_high = self.time_long_high = self.time_max = 0.0
        self.time_max_at = 0.0
        self.extent_times: dict[int, float] = {}
        self._extent = -1
        """The file that was written to last."""
        self._trap: Callable[[SlowWrite], None] | None = None
        self._trap_us = 0.0

    def set_trap(self, limit_us: float, trap: Callable[[SlowWrite], None] | None) -> None:
        """Call `trap` after each write that takes longer than the limit, in the thread that led the force."""
        self._trap_us = limit_us
        self._trap = trap

    def note_write(
        self,
        records: int,
        logical_bytes: int,
        size: int,
        writes: int,
        copies: int,
        seconds: float,
        extent: int,
    ) -> None:
        """A batch reached the disk: `size` bytes in `writes` calls for each copy, the last page to file `extent`."""
        self.records += records
        self.logical_bytes += logical_bytes
        self.physical_bytes += size * copies
        self.physical_writes += writes * copies
        self.logical_writes += 1
        time_us = seconds * 1e6
        if self.logical_writes == 1:
            self.size_short = self.size_long = float(size)
            time_short = time_long = time_us
        else:
            self.size_short += (size - self.size_short) / _SHORT
            self.size_long += (size - self.size_long) / _LONG
            time_short = self.time_short
            time_short += (time_us - time_short) / _SHORT
            time_long = self.time_long
            time_long += (time_us - time_long) / _LONG
        self.time_short = time_short
        self.time_long = time_long
        if size > self.size_max:
            self.size_max = size
        if time_short > self.time_short_high:
            self.time_short_high = time_short
        if time_long > self.time_long_high:
            self.time_long_high = time_long
        if time_us > self.time_max:
            self.time_max = time_us
            self.time_max_at = self._now()
        times = self.extent_times
        if extent == self._extent:
            if time_us > times[extent]:
                times[extent] = time_us
        else:
            # Another extent, or the same file come round again, of which the last pass says nothing.
            times.pop(extent, None)
            times[extent] = time_us
            self._extent = extent
            if len(times) > _EXTENTS_KEPT:
                del times[next(iter(times))]
        trap = self._trap
        if trap is not None and time_us > self._trap_us:
            self.traps += 1
            try:
                trap(SlowWrite(round(time_us), size, extent, self._now()))
            except Exception:
                # The records are on disk and somebody waits for them: a broken trap is taken away, not passed on.
                self._trap = None

    def snapshot(self, **rest: Any) -> LogStatistics:
        """The figures kept here, with those that the log adds."""
        return LogStatistics(
            records=self.records,
            logical_bytes=self.logical_bytes,
            physical_bytes=self.physical_bytes,
            logical_writes=self.logical_writes,
            physical_writes=self.physical_writes,
            control_writes=self.control_writes,
            write_size_short=round(self.size_short),
            write_size_long=round(self.size_long),
            write_size_max=self.size_max,
            write_time_short_us=round(self.time_short),
            write_time_short_high_us=round(self.time_short_high),
            write_time_long_us=round(self.time_long),
            write_time_long_high_us=round(self.time_long_high),
            write_time_max_us=round(self.time_max),
            write_time_max_at=self.time_max_at,
            extent_write_times_us=tuple((number, round(us)) for number, us in tuple(self.extent_times.items())),
            traps=self.traps,
            **rest,
        )
