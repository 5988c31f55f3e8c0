"""The log: append records, force them, read them back; a ring of extents underneath.

Appending only gathers: the record's pieces go on a list, its LSN follows from their lengths. A force takes the list,
cuts it into pages with headers and checksums, writes and syncs, all without the lock that append needs. A force always
begins a new page, so no page is ever written twice and no write can harm what an earlier one made durable.

Threads: one appender at a time (the kernel's lock); `force`, `read`, `scan`, `record_checkpoint` and the properties
from any thread at any time.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from libremq.common.clock import Clock, SystemClock, elapsed
from libremq.common.files import Files
from libremq.log.config import LogConfig
from libremq.log.control import CONTROL_FILE, ControlState, create_control, open_control
from libremq.log.errors import LogDamaged, LogError, LogFailed, LogFull
from libremq.log.extents import Extents, extent_name, format_extent
from libremq.log.force import SharedForce
from libremq.log.pages import (
    FIRST_LSN,
    PAGE_BYTES,
    PAGE_DATA_BYTES,
    PAGE_HEADER_BYTES,
    build_pages,
    lsn_of,
    page_end,
    stream_of,
)
from libremq.log.reader import RecordReader, RecordWalk, find_end
from libremq.log.records import RECORD_BYTES_MAX, RECORD_HEADER_BYTES, RECORD_PREFIX, Record
from libremq.log.slots import SlotFile
from libremq.log.statistics import LogStatistics, WriteBooks
from libremq.log.tail import find_copies, secure_tail

RESERVE_PERCENT = 20
"""Share of the log kept for ending work: commits, backouts, compensation, checkpoints."""

_prefix = RECORD_PREFIX.pack


@dataclass(frozen=True, slots=True)
class LogSpace:
    """How full the log is. Used space counts from the start of the extent that holds the head: it is reused whole."""

    head: int
    tail: int
    used_bytes: int
    capacity_bytes: int
    limit_bytes: int
    """Where ordinary records stop; the rest is the reserve."""

    @property
    def active_bytes(self) -> int:
        """From head to tail."""
        return self.tail - self.head

    @property
    def used_fraction(self) -> float:
        return self.used_bytes / self.capacity_bytes


class _Batch:
    """What a force takes from the buffer."""

    __slots__ = ("begin", "end", "pieces", "records", "starts")

    def __init__(self, begin: int, end: int, pieces: list[bytes], starts: list[int], records: int) -> None:
        self.begin = begin
        self.end = end
        self.pieces = pieces
        self.starts = starts
        self.records = records


class LogScan:
    """Iterate to get the records in order; afterwards `end_lsn` and `why` say where it ended and why."""

    __slots__ = ("_limit", "_log", "_walk")

    def __init__(self, log: Log, walk: RecordWalk, limit: int) -> None:
        self._log = log
        self._walk = walk
        self._limit = limit

    @property
    def end_lsn(self) -> int:
        return self._walk.end_lsn

    @property
    def why(self) -> str:
        return self._walk.why

    def __iter__(self) -> Iterator[Record]:
        walk = self._walk
        yield from walk
        if walk.refused_lsn < self._limit:
            self._log._check_in_log(walk.refused_lsn)
            what = f"the page at LSN {walk.refused_lsn} cannot be used ({walk.why}), but the log goes on after it"
            path = self._log._extents.path_of(walk.refused_lsn)
            raise LogDamaged(path, what, "Restore the log folder and the queue manager's folder from a backup")


class Log:
    """An open log. Make one with `Log.create` or `Log.open`."""

    __slots__ = (
        "_batch_begin",
        "_books",
        "_buffer_bytes",
        "_clock",
        "_closed",
        "_control",
        "_control_guard",
        "_epoch",
        "_extents",
        "_force",
        "_gather",
        "_in_flight",
        "_limit",
        "_limit_reserve",
        "_log_id",
        "_mapped_end",
        "_pieces",
        "_position",
        "_reader",
        "_records",
        "_started_page",
        "_starts",
        "checkpoint",
        "config",
        "end_at_open",
        "end_reason",
        "folder",
        "head",
    )

    # ---- making and opening ----

    @classmethod
    def create(cls, files: Files, folder: str, config: LogConfig | None = None, *, clock: Clock | None = None) -> Log:
        """Make a log in the folder and open it. Raises ValueError for settings too high, LogError if one is there.

        The control file comes last: a creation cut short leaves no log, and can be done again.
        """
        config = (config or LogConfig()).checked()
        files.make_folder(folder)
        if files.exists(f"{folder}/{CONTROL_FILE}"):
            raise LogError(f"{folder}: there is a log here already; delete it or choose another folder")
        ring = tuple(range(config.primary_files))
        try:
            for number in ring:
                format_extent(files, folder, number, config.extent_bytes).close()
        except OSError:
            for number in ring:
                if files.exists(f"{folder}/{extent_name(number)}"):
                    files.remove(f"{folder}/{extent_name(number)}")
            raise
        files.sync_folder(folder)
        state = ControlState(secrets.token_bytes(8), 0, config, FIRST_LSN, 0, FIRST_LSN, 0, ring)
        create_control(files, folder, state).close()
        return cls.open(files, folder, clock=clock)

    @classmethod
    def open(
        cls,
        files: Files,
        folder: str,
        *,
        primary_files: int | None = None,
        secondary_files: int | None = None,
        buffer_pages: int | None = None,
        clock: Clock | None = None,
    ) -> Log:
        """Open the log of the folder and find its end; the three sizes may be changed by it.

        Raises LogDamaged, with nothing changed, if the files are not a whole log. Otherwise a new epoch begins.
        """
        slots, state = open_control(files, folder)
        extents = Extents(files, folder, state.config.extent_bytes)
        try:
            config = replace(
                state.config,
                primary_files=state.config.primary_files if primary_files is None else primary_files,
                secondary_files=state.config.secondary_files if secondary_files is None else secondary_files,
                buffer_pages=state.config.buffer_pages if buffer_pages is None else buffer_pages,
            ).checked()
            extents.open_all(state.log_id, state.base, state.ring)
            start = state.checkpoint or state.head
            extents.copies = find_copies(files, folder, extents, state.log_id)
            end = find_end(extents, state.log_id, start, state.durable)
            tail = lsn_of(page_end(stream_of(end.lsn)))
            secure_tail(files, folder, extents, end.witnessed - PAGE_HEADER_BYTES, tail - PAGE_HEADER_BYTES)
            epoch = max(end.epoch, state.epoch) + 1
            log = cls(slots, extents, state, config, end.lsn, epoch, clock or SystemClock())
            log.folder = folder
            log.end_reason = end.why
            log._write_control()
        except BaseException:
            extents.close()
            slots.close()
            raise
        return log

    def __init__(
        self,
        control: SlotFile,
        extents: Extents,
        state: ControlState,
        config: LogConfig,
        end: int,
        epoch: int,
        clock: Clock,
    ) -> None:
        """Used by `open`."""
        self.config = config
        self._buffer_bytes = config.buffer_bytes
        self.folder = ""
        self.head = state.head
        self.checkpoint = state.checkpoint
        self.end_at_open = end
        self.end_reason = ""
        self._control = control
        self._control_guard = threading.Lock()
        self._extents = extents
        self._log_id = state.log_id
        self._epoch = epoch
        self._clock = clock
        self._closed = False
        self._mapped_end = 0
        self._reader = RecordReader(extents, state.log_id)
        self._books = WriteBooks()
        self._gather = threading.Lock()
        self._position = self._batch_begin = page_end(stream_of(end))
        self._pieces: list[bytes] = []
        self._starts: list[int] = []
        self._started_page = -1
        self._records = 0
        self._in_flight: _Batch | None = None
        self._force = SharedForce(lsn_of(self._position), self._write_batch)
        self._limit = self._limit_reserve = 0
        self._set_limits()

    def close(self) -> None:
        """Force what is gathered and end in good order; after a failure, or again, only let the files go."""
        if not self._closed:
            try:
                if self.failed is None:
                    self.force()
                    self._control_or_fail()
            finally:
                self.abandon()

    def abandon(self) -> None:
        """Let the files go without another write, as if the process had been killed."""
        if not self._closed:
            self._closed = True
            with self._gather:
                self._limit = self._limit_reserve = 0
            self._extents.close()
            self._control.close()

    # ---- appending ----

    def append(
        self,
        type: int,
        txn: int,
        prev_lsn: int,
        parts: Sequence[bytes],
        *,
        reserve: bool = False,
        keep: int = 0,
        flags: int = 0,
    ) -> int:
        """Add a record with the parts as its payload; returns its LSN. Durable only after a force.

        Raises LogFull, with nothing changed, if the record would enter the reserve; `reserve=True` may use it, for
        records that end work. In any case `keep` bytes must be left. Raises LogFailed after a failure.
        """
        length = RECORD_HEADER_BYTES
        for part in parts:
            length += len(part)
        if length > RECORD_BYTES_MAX:
            raise LogFull(f"a log record of {length} bytes is more than any log takes; send smaller messages")
        prefix = _prefix(length, type, flags, txn, prev_lsn)
        checksum = crc32(prefix)
        for part in parts:
            checksum = crc32(part, checksum)
        with self._gather:
            start = self._position
            end = start + length
            if end > (self._limit_reserve if reserve else self._limit) or end + keep > self._limit_reserve:
                self._make_room(end, reserve, keep)
            page = start // PAGE_DATA_BYTES
            if page != self._started_page:
                self._started_page = page
                self._starts.append(start)
            pieces = self._pieces
            pieces.append(prefix + checksum.to_bytes(4, "little"))
            pieces += parts
            self._records += 1
            self._position = end
        return start + PAGE_HEADER_BYTES * (page + 1)

    def _make_room(self, end: int, reserve: bool, keep: int) -> None:
        """Provide extents up to a stream position, or raise LogFull. Called with the gather lock held."""
        self._check_usable()
        space = self.space()
        last_lsn = lsn_of(end - 1)
        used = last_lsn + 1 - (space.tail - space.used_bytes)
        if used > (space.capacity_bytes if reserve else space.limit_bytes) or used + keep > space.capacity_bytes:
            kept = max(keep, 0 if reserve else space.capacity_bytes - space.limit_bytes)
            raise LogFull(
                f"{self.folder}: the log is full: {space.used_bytes} of {space.capacity_bytes} bytes are needed by the "
                f"oldest unit of work or the last checkpoint, and {kept} are kept to end what has been begun. "
                "Commit sooner, or raise LogPrimaryFiles or LogSecondaryFiles and restart"
            )
        try:
            self._extents.provide(last_lsn // self.config.extent_bytes, self.head, self._files_max())
        except OSError as error:
            raise LogFull(
                f"{self.folder}: the log is full: its extents are in use and another could not be made: {error}. "
                "Free space on the disk, or commit so that the oldest extent can be reused"
            ) from error
        finally:
            self._set_limits()

    def _files_max(self) -> int:
        """Extents the ring may have; never fewer than it has, or a lowered setting could leave restart no room."""
        configured = self.config.primary_files + self.config.secondary_files
        return max(configured, self._extents.end - self._extents.base)

    def _set_limits(self) -> None:
        """Up to which stream positions append needs no second look. Called with the gather lock held."""
        space = self.space()
        start = space.tail - space.used_bytes
        mapped = self._extents.end * self.config.file_pages * PAGE_DATA_BYTES
        self._limit_reserve = min(mapped, stream_of(start + space.capacity_bytes))
        self._limit = min(mapped, stream_of(start + space.limit_bytes))
        if self._force.failed is not None or self._closed:
            self._limit = self._limit_reserve = 0

    def _check_usable(self) -> None:
        if self._force.failed is not None:
            raise LogFailed(str(self._force.failed)) from self._force.failed.__cause__
        if self._closed:
            raise LogError(f"{self.folder}: the log is closed")

    # ---- forcing ----

    def force(self, lsn: int | None = None) -> None:
        """Return when the record at `lsn` (None: everything appended so far) is durable. Shared between threads."""
        force = self._force
        if lsn is None:
            position = self._position
            if lsn_of(position) <= force.durable:
                return
            lsn = lsn_of(position - 1)
        elif lsn >= force.durable and lsn >= self.tail:
            raise ValueError(f"LSN {lsn} is at or after the tail of the log, {self.tail}")
        force(lsn)

    def _write_batch(self) -> int:
        """Write and sync what is gathered; in one thread at a time. Returns the LSN up to which all is durable.

        An interrupt on the way (not an I/O error: those are final) leaves the batch in flight, and the next leader
        writes the same bytes to the same place again.
        """
        batch = self._in_flight
        if batch is None:
            with self._gather:
                self._check_usable()
                if self._position == self._batch_begin:
                    return lsn_of(self._position)  # an interrupt came after the write and before it was noted
                batch = _Batch(self._batch_begin, self._position, self._pieces, self._starts, self._records)
                following = page_end(batch.end)
                pieces: list[bytes] = []
                starts: list[int] = []
                # Assignments only: an interrupt finds the batch taken or not taken
                self._in_flight = batch
                self._pieces = pieces
                self._starts = starts
                self._records = 0
                self._position = self._batch_begin = following
        begin, end = batch.begin, batch.end
        extents = self._extents
        try:
            if lsn_of(end - 1) // extents.extent_bytes >= self._mapped_end:
                self._write_control()
            durable = self._force.durable
            lsn = lsn_of(begin) - PAGE_HEADER_BYTES
            buffers = build_pages(self._log_id, self._epoch, durable, begin, end, batch.pieces, batch.starts)
            started = elapsed()
            written = extents.write(lsn, buffers)
            for file in written:
                file.sync()
        except OSError as error:
            raise self._fail(error) from error
        seconds = elapsed() - started
        size = len(buffers) // 2 * PAGE_BYTES
        number = extents.number_of(lsn + size - 1)
        self._books.note_write(batch.records, end - begin, size, len(written), seconds, number, self._clock.now())
        durable = lsn_of(page_end(end))
        self._in_flight = None
        return durable

    def _fail(self, error: OSError) -> LogFailed:
        """Stop for good: what reached the disk is unknown, and the next sync may claim success for lost data."""
        failure = LogFailed(
            f"{self.folder}: writing the log failed: {error}. The queue manager must end; correct the cause and start "
            "it again: everything that was acknowledged is on disk"
        )
        failure.__cause__ = error
        self._force.failed = failure
        with self._gather:
            # Appends find out by their limit, which costs them no check of their own.
            self._limit = self._limit_reserve = 0
        return failure

    # ---- positions and space ----

    @property
    def tail(self) -> int:
        """The LSN just after the last record; the next one may lie further on, at the start of a page."""
        return lsn_of(self._position)

    @property
    def durable(self) -> int:
        """Everything below this LSN is on disk."""
        return self._force.durable

    @property
    def failed(self) -> LogFailed | None:
        """What made the log unusable."""
        return self._force.failed

    @property
    def log_id(self) -> bytes:
        """Eight random bytes from its creation: what belongs to this log and to no other."""
        return self._log_id

    @property
    def epoch(self) -> int:
        """How many times the log was opened."""
        return self._epoch

    @property
    def pressure(self) -> bool:
        """More is gathered than the buffer is meant to hold: force soon."""
        return self._position - self._batch_begin > self._buffer_bytes

    def space(self) -> LogSpace:
        extent_bytes = self.config.extent_bytes
        head = self.head
        tail = self.tail
        capacity = self._files_max() * extent_bytes
        limit = capacity * (100 - RESERVE_PERCENT) // 100
        return LogSpace(head, tail, tail - head // extent_bytes * extent_bytes, capacity, limit)

    def would_fit(self, payload_bytes: int, *, reserve: bool = False) -> bool:
        """Would a record of that size be taken now, as far as the log's own size goes?"""
        space = self.space()
        end = lsn_of(self._position + RECORD_HEADER_BYTES + payload_bytes - 1) + 1
        used = end - space.tail + space.used_bytes
        return used <= (space.capacity_bytes if reserve else space.limit_bytes)

    def set_head(self, lsn: int) -> None:
        """Nothing before `lsn` is needed any more, by no unit of work and no restart: its extents may be reused.

        In memory at once; in the control file before an extent is reused, or with the next checkpoint.
        """
        with self._gather:
            self._move_head(lsn, self.checkpoint)

    def record_checkpoint(self, checkpoint_lsn: int, head_lsn: int) -> None:
        """Restart begins at `checkpoint_lsn` from now on and needs nothing before `head_lsn`. Durable on return."""
        self.force(checkpoint_lsn)
        with self._gather:
            if checkpoint_lsn < self.checkpoint:
                raise ValueError(f"checkpoint LSN {checkpoint_lsn} is before the last one, {self.checkpoint}")
            self._move_head(head_lsn, checkpoint_lsn)
            self.checkpoint = checkpoint_lsn
        self._control_or_fail()

    def _move_head(self, lsn: int, checkpoint: int) -> None:
        if lsn < self.head:
            raise ValueError(f"head LSN {lsn} is before the present one, {self.head}")
        if lsn > (checkpoint or self.durable):
            raise ValueError(f"head LSN {lsn} is after what a restart begins with, {checkpoint or self.durable}")
        self.head = lsn
        self._set_limits()

    def _control_or_fail(self) -> None:
        try:
            self._write_control()
        except OSError as error:
            raise self._fail(error) from error

    def _write_control(self) -> None:
        """Write the control file: the ring as it is now, and what is durable."""
        with self._control_guard:
            with self._gather:
                extents = self._extents
                end = extents.end
                state = ControlState(
                    self._log_id,
                    self._epoch,
                    self.config,
                    self.head,
                    self.checkpoint,
                    self._force.durable,
                    extents.base,
                    extents.ring(),
                )
            self._control.write(state.pack())
            self._mapped_end = end
            self._books.control_writes += 1

    # ---- reading ----

    def scan(self, from_lsn: int) -> LogScan:
        """The durable records from an LSN on, in order. Raises LogDamaged where they cannot be read."""
        self._check_in_log(from_lsn)
        # Durable ends at the first byte after a page header; the page it is in was not written yet.
        limit = self.durable - PAGE_HEADER_BYTES
        return LogScan(self, RecordWalk(self._extents, self._log_id, from_lsn, limit), limit)

    def read(self, lsn: int) -> Record:
        """The record at an LSN, which must be durable."""
        self._check_in_log(lsn)
        if lsn >= self.durable:
            raise LogError(f"LSN {lsn} is not on disk: the log is durable up to {self.durable}")
        return self._reader.read(lsn)

    def _check_in_log(self, lsn: int) -> None:
        first = self._extents.base * self.config.extent_bytes
        if lsn < first:
            raise LogError(f"LSN {lsn} is no longer in the log, which begins at {first}")

    def statistics(self) -> LogStatistics:
        books = self._books
        with self._gather:
            ring = self._extents.ring()
        return LogStatistics(
            records=books.records,
            logical_bytes=books.logical_bytes,
            physical_bytes=books.physical_bytes,
            logical_writes=books.logical_writes,
            physical_writes=books.physical_writes,
            forces=self._force.calls,
            forces_shared=self._force.shared,
            control_writes=books.control_writes,
            write_size_short=round(books.size_short),
            write_size_long=round(books.size_long),
            write_size_max=books.size_max,
            write_time_short_us=round(books.time_short),
            write_time_short_high_us=round(books.time_short_high),
            write_time_long_us=round(books.time_long),
            write_time_long_high_us=round(books.time_long_high),
            write_time_max_us=round(books.time_max),
            write_time_max_at=books.time_max_at,
            extent_write_times_us=tuple((number, round(us)) for number, us in tuple(books.extent_times.items())),
            buffer_bytes=self.config.buffer_bytes,
            primary_files=self.config.primary_files,
            secondary_files=self.config.secondary_files,
            file_numbers=ring,
            head=self.head,
            tail=self.tail,
            checkpoint=self.checkpoint,
            durable=self.durable,
        )
