"""The log: append records, force them, read them back.

Appending only gathers: the record's pieces go on a list, its LSN follows from their lengths. A force takes the list,
cuts it into pages with headers and checksums, writes and syncs, all without the lock that append needs. What is below
has a file of its own: writer.py puts pages on disk, ring.py and sequence.py say where, reader.py reads them back,
opening.py puts it all together after whatever happened before.

Threads: one appender at a time (the kernel's lock); everything else from any thread at any time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from zlib import crc32

from libremq.common.clock import Clock, SystemClock, elapsed
from libremq.common.files import Files
from libremq.log.config import LogConfig
from libremq.log.control import ControlState
from libremq.log.copies import Say
from libremq.log.errors import LogError, LogFailed, LogFull
from libremq.log.extents import extent_name
from libremq.log.force import SharedForce
from libremq.log.management import (
    ArchivedExtents,
    Archiver,
    ExtentState,
    archive_extents,
    delete_extents,
    list_extents,
    number_in,
)
from libremq.log.opening import OpenedLog, create_files, open_files
from libremq.log.pages import PAGE_BYTES, PAGE_DATA_BYTES, PAGE_HEADER_BYTES, lsn_of, stream_of
from libremq.log.reader import RecordReader
from libremq.log.records import RECORD_BYTES_MAX, RECORD_HEADER_BYTES, RECORD_PREFIX, Record
from libremq.log.ring import Ring
from libremq.log.scan import LogScan
from libremq.log.sequence import EXTENT_NUMBER_MAX, EXTENT_NUMBER_STOP
from libremq.log.sequence import Sequence as LinearSequence
from libremq.log.space import RESERVE_PERCENT, LogSpace
from libremq.log.statistics import LogStatistics, SlowWrite, WriteBooks
from libremq.log.writer import Batch, PageWriter

_prefix = RECORD_PREFIX.pack


def _silent(text: str) -> None:
    pass


class Log:
    """An open log. Make one with `Log.create` or `Log.open`."""

    __slots__ = (
        "_archived",
        "_batch_begin",
        "_books",
        "_buffer_bytes",
        "_change",
        "_clock",
        "_closed",
        "_control_guard",
        "_controls",
        "_epoch",
        "_extents",
        "_files",
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
        "_recorded",
        "_records",
        "_started_page",
        "_starts",
        "_writer",
        "checkpoint",
        "config",
        "end_at_open",
        "end_reason",
        "folder",
        "head",
        "media",
    )

    # ---- making and opening ----

    @classmethod
    def create(
        cls,
        files: Files,
        folder: str,
        config: LogConfig | None = None,
        *,
        clock: Clock | None = None,
        say: Say = _silent,
    ) -> Log:
        """Make a log in the folder and open it. Raises ValueError for settings too high, LogError if one is there.

        A creation cut short leaves no log, and can be done again.
        """
        config = (config or LogConfig()).checked()
        create_files(files, folder, config)
        return cls.open(files, folder, clock=clock, say=say)

    @classmethod
    def open(
        cls,
        files: Files,
        folder: str,
        *,
        primary_files: int | None = None,
        secondary_files: int | None = None,
        buffer_pages: int | None = None,
        write_integrity: str | None = None,
        log_management: str | None = None,
        second_folder: str | None = None,
        clock: Clock | None = None,
        say: Say = _silent,
        parallel_sync: bool = True,
    ) -> Log:
        """Open the log of the folder and find its end. The settings given apply from now on; None leaves one as it is.

        With a second copy, pass its folder: if the first is lost, nothing else tells where it is. "" ends dual
        logging, a new folder begins it. What was made good in one copy from the other is told through `say`.
        Raises LogDamaged, with nothing changed, if the files are not a whole log. Otherwise a new epoch begins.
        """
        given = {
            "primary_files": primary_files,
            "secondary_files": secondary_files,
            "buffer_pages": buffer_pages,
            "write_integrity": write_integrity,
            "log_management": log_management,
        }
        settings = {name: value for name, value in given.items() if value is not None}
        log = cls(files, folder, open_files(files, folder, settings, say, second_folder), clock or SystemClock())
        if parallel_sync:
            log._extents.sync_in_parallel()
        log._tell_missing(say)
        return log

    def __init__(self, files: Files, folder: str, opened: OpenedLog, clock: Clock) -> None:
        """Used by `open`."""
        state = opened.state
        extents = opened.extents
        end = opened.end
        self.config = state.config
        self.folder = folder
        self._buffer_bytes = self.config.buffer_bytes
        self.head = state.head
        self.checkpoint = state.checkpoint
        self.media = state.media
        self.end_at_open = end.lsn
        self.end_reason = end.why
        self._files = files
        self._controls = opened.controls
        self._control_guard = threading.Lock()
        self._change = state.change
        self._recorded = state
        self._archived = ArchivedExtents(state.archived)
        self._extents = extents
        self._log_id = state.log_id
        self._epoch = state.epoch
        self._clock = clock
        self._closed = False
        self._mapped_end = extents.end
        self._reader = RecordReader(extents)
        self._books = WriteBooks()
        self._books.control_writes = 1
        self._gather = threading.Lock()
        self._position = self._batch_begin = end.page_lsn // PAGE_BYTES * PAGE_DATA_BYTES
        self._pieces: list[bytes] = []
        self._starts: list[int] = []
        self._started_page = -1
        self._records = 0
        self._in_flight: Batch | None = None
        self._writer = PageWriter(extents, opened.shadow, state.epoch, end.lsn, end.used_before)
        self._force = SharedForce(lsn_of(self._position), self._write_batch)
        self._limit = self._limit_reserve = 0
        self._set_limits()

    def _tell_missing(self, say: Say) -> None:
        if isinstance(self._extents, LinearSequence):
            missing = self._extents.missing_from(self.media // self.config.extent_bytes)
            if missing is not None:
                say(
                    f"{self.folder}/{extent_name(missing)}: this extent is needed for media recovery and is not there. "
                    "Put it back from the archive before recovering an object, or record new media images"
                )

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
            self._writer.close()
            self._extents.close()
            for control in self._controls:
                control.close()

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
        current = last_lsn // self.config.extent_bytes
        if self.config.linear and current >= (EXTENT_NUMBER_MAX if reserve else EXTENT_NUMBER_STOP):
            raise LogFull(
                f"{self.folder}: the log is at its end: extent numbers reach {EXTENT_NUMBER_MAX}, and the last of them "
                "are kept for ending work. End the queue manager and give it a new log"
            )
        used = last_lsn + 1 - (space.tail - space.used_bytes)
        if used > (space.capacity_bytes if reserve else space.limit_bytes) or used + keep > space.capacity_bytes:
            kept = max(keep, 0 if reserve else space.capacity_bytes - space.limit_bytes)
            raise LogFull(
                f"{self.folder}: the log is full: {space.used_bytes} of {space.capacity_bytes} bytes are needed by the "
                f"oldest unit of work or the last checkpoint, and {kept} are kept to end what has been begun. "
                "Commit sooner, or raise LogPrimaryFiles or LogSecondaryFiles and restart"
            )
        try:
            self._extents.provide(current, self.head, self._files_max())
            if isinstance(self._extents, Ring):
                self._extents.note_use(self.head // self.config.extent_bytes, current, self.config.primary_files)
        except OSError as error:
            raise LogFull(
                f"{self.folder}: the log is full: its extents are in use and another could not be made: {error}. "
                "Free space on the disk, or commit so that the oldest extent can be reused"
            ) from error
        finally:
            self._set_limits()

    def _files_max(self) -> int:
        """Extents the ring may have; never fewer than it has, or a lowered setting could leave restart no room."""
        return max(self.config.files_max, self._extents.end - self._extents.base)

    def _set_limits(self) -> None:
        """Up to which stream positions append needs no second look. Called with the gather lock held."""
        space = self.space()
        start = space.tail - space.used_bytes
        mapped = self._extents.end * self.config.file_pages * PAGE_DATA_BYTES
        self._limit_reserve = min(mapped, stream_of(start + space.capacity_bytes))
        self._limit = min(mapped, stream_of(start + space.limit_bytes))
        if self.config.linear:
            self._limit = min(self._limit, EXTENT_NUMBER_STOP * self.config.file_pages * PAGE_DATA_BYTES)
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
            with self._gather:
                if self._position > self._batch_begin:
                    lsn = lsn_of(self._position - 1)
                elif self._in_flight is not None:
                    lsn = lsn_of(self._in_flight.end - 1)
                else:
                    return
        elif lsn >= force.durable and lsn >= self.tail:
            raise ValueError(f"LSN {lsn} is at or after the tail of the log, {self.tail}")
        force(lsn)

    def _write_batch(self) -> int:
        """Write and sync what is gathered; in one thread at a time. Returns the LSN up to which all is durable.

        An interrupt on the way (not an I/O error: those are final) leaves the batch in flight, and the next leader
        writes the same bytes to the same place again.
        """
        writer = self._writer
        batch = self._in_flight
        if batch is None:
            with self._gather:
                self._check_usable()
                begin, end = self._batch_begin, self._position
                if end == begin:
                    return lsn_of(end)  # an interrupt came after the write and before it was noted
                next_begin = writer.next_begin(begin, end)
                batch = Batch(begin, end, next_begin, self._pieces, self._starts, self._records)
                pieces: list[bytes] = []
                starts: list[int] = []
                # Assignments only: an interrupt finds the batch taken or not taken
                self._in_flight = batch
                self._pieces = pieces
                self._starts = starts
                self._records = 0
                self._position = self._batch_begin = next_begin
        try:
            if lsn_of(batch.end - 1) // self._extents.extent_bytes >= self._mapped_end:
                self._write_control()
            started = elapsed()
            done = writer.write(batch)
        except OSError as error:
            raise self._fail(error) from error
        self._books.note_write(
            batch.records,
            batch.end - batch.begin,
            done.bytes,
            done.writes,
            len(self._controls),
            elapsed() - started,
            done.number,
            self._clock.now(),
        )
        durable = lsn_of(batch.next_begin)
        # Assignments only, again
        writer.page = done.page
        self._extents.latest = done.latest
        self._in_flight = None
        return durable

    def _fail(self, error: OSError) -> LogFailed:
        """Stop for good: what reached the disk is unknown, and the next sync may claim success for lost data."""
        failure = LogFailed(
            f"{self.folder}: writing the log failed: {error}. The queue manager must end; correct the cause and start "
            f"it again: everything that was acknowledged is on disk{self._fail_advice()}"
        )
        failure.__cause__ = error
        self._force.failed = failure
        with self._gather:
            # Appends find out by their limit, which costs them no check of their own.
            self._limit = self._limit_reserve = 0
        return failure

    def _fail_advice(self) -> str:
        if len(self._controls) == 1:
            return ""
        return ", in the other copy if one is lost. Without that copy it does not go on: protection was asked for"

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
        """Six random bytes from its creation: what belongs to this log and to no other."""
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
        """Restart begins at `checkpoint_lsn` from now on and needs nothing before `head_lsn`. Durable on return.

        Extents that are not needed any more then leave: a secondary of a circular log that was long not used, and those
        of a linear log that LogManagement lets go.
        """
        self.force(checkpoint_lsn)
        leaving = None
        with self._gather:
            if checkpoint_lsn < self.checkpoint:
                raise ValueError(f"checkpoint LSN {checkpoint_lsn} is before the last one, {self.checkpoint}")
            self._move_head(head_lsn, checkpoint_lsn)
            self.checkpoint = checkpoint_lsn
            if isinstance(self._extents, Ring):
                size = self.config.extent_bytes
                leaving = self._extents.release(self.head // size, self.tail // size, self.config.primary_files)
                self._set_limits()
        self._control_or_fail()
        try:
            if leaving is not None:
                leaving.close()
                self._extents.remove_files(leaving.number)
            if self.config.linear and self.config.log_management != "Manual":
                self.delete_extents()
        except OSError:
            # It costs space only, and is tried again: at the next opening, or the next checkpoint.
            pass

    def _move_head(self, lsn: int, checkpoint: int) -> None:
        if lsn < self.head:
            raise ValueError(f"head LSN {lsn} is before the present one, {self.head}")
        if lsn > (checkpoint or self.durable):
            raise ValueError(f"head LSN {lsn} is after what a restart begins with, {checkpoint or self.durable}")
        self.head = lsn
        if isinstance(self._extents, LinearSequence):
            self._extents.retire(lsn // self.config.extent_bytes)
        self._set_limits()

    def _control_or_fail(self) -> None:
        try:
            self._write_control()
        except OSError as error:
            raise self._fail(error) from error

    def _write_control(self) -> None:
        """Write the control files: the extents as they are now, and what is durable."""
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
                    self.media,
                    self._writer.page.durable,
                    extents.base,
                    extents.ring(),
                    self._archived.bound,
                    self._change + 1,
                    self._recorded.epoch_start,
                )
            payload = state.pack()
            for control in self._controls:
                control.write(payload)
            self._change += 1
            self._recorded = state
            self._mapped_end = end
            self._books.control_writes += 1

    # ---- extents ----

    def extents(self) -> list[ExtentState]:
        """Every extent file, oldest first, and what it is there for."""
        return list_extents(self)

    def unneeded(self) -> list[str]:
        """Names of the extents of a linear log that neither restart nor media recovery needs."""
        return [extent.name for extent in self.extents() if extent.state == "unneeded"]

    @property
    def current_extent(self) -> str:
        """The name of the extent that is written to (CURRLOG)."""
        return self._name_of(self.tail)

    @property
    def restart_extent(self) -> str:
        """The name of the oldest extent that a restart needs (RECLOG, AMQ7467)."""
        return self._name_of(self.head)

    @property
    def media_extent(self) -> str:
        """The name of the oldest extent that media recovery needs (MEDIALOG, AMQ7468); empty in a circular log."""
        return self._name_of(self.media) if self.config.linear else ""

    def _name_of(self, lsn: int) -> str:
        extent = lsn // self.config.extent_bytes
        if self.config.linear:
            return extent_name(extent)
        # With the ring at its end the tail may be where no file is yet: the one before is still the current one.
        entry = self._extents.entry(extent) or self._extents.entry(extent - 1)
        return extent_name(entry.number) if entry is not None else ""

    def set_media(self, lsn: int) -> None:
        """Media recovery needs nothing before `lsn`. In the control file with the next checkpoint."""
        self._check_linear()
        with self._gather:
            if lsn < self.media:
                raise ValueError(f"media LSN {lsn} is before the present one, {self.media}")
            if lsn > self.durable:
                raise ValueError(f"media LSN {lsn} is not on disk: the log is durable up to {self.durable}")
            self.media = lsn

    def prepare_next(self) -> bool:
        """Format one extent of a linear log ahead of need; True if there was need. For a thread that has time."""
        extents = self._extents
        if not isinstance(extents, LinearSequence) or self._closed:
            return False
        current = self.tail // self.config.extent_bytes
        ahead = max(1, self.config.primary_files - (current - extents.base + 1))
        return extents.prepare_next(current, ahead)

    def archive(self, to: Archiver) -> list[str]:
        """Archive the unneeded extents: copy them to a folder, or have a function do it, given each path."""
        self._check_linear()
        return archive_extents(self, self._files, to)

    def mark_archived(self, name: str) -> None:
        """Take note that somebody has archived an extent. In the control file with the next checkpoint."""
        self._check_linear()
        assert isinstance(self._extents, LinearSequence)
        self._archived.note(number_in(name), self._extents.inactive())

    def delete_extents(self) -> list[str]:
        """Delete the unneeded extents (with LogManagement=Archive the archived ones of them); returns their names."""
        self._check_linear()
        if (self.head, self.media) != (self._recorded.head, self._recorded.media):
            # What is deleted must not be needed by what a restart will read.
            self._control_or_fail()
        return delete_extents(self)

    def _check_linear(self) -> None:
        if not self.config.linear:
            raise LogError(f"{self.folder}: the log is circular: its extents are used again, not kept")

    # ---- reading ----

    def scan(self, from_lsn: int) -> LogScan:
        """The durable records from an LSN on, in order. Raises LogDamaged where they cannot be read."""
        self._check_in_log(from_lsn)
        return LogScan(self._extents, from_lsn, self.durable, self._check_in_log)

    def read(self, lsn: int) -> Record:
        """The record at an LSN, which must be durable."""
        self._check_in_log(lsn)
        durable = self.durable
        if lsn >= durable:
            raise LogError(f"LSN {lsn} is not on disk: the log is durable up to {durable}")
        return self._reader.read(lsn, durable)

    def _check_in_log(self, lsn: int) -> None:
        extents = self._extents
        extent = lsn // self.config.extent_bytes
        if extent >= extents.base:
            return
        if isinstance(extents, LinearSequence):
            missing = extents.missing_from(extent)
            if missing is None:
                return
            raise LogError(f"LSN {lsn} is no longer in the log: extent {extent_name(missing)} was archived or deleted")
        raise LogError(f"LSN {lsn} is no longer in the log, which begins at {extents.base * self.config.extent_bytes}")

    # ---- figures ----

    def on_slow_write(self, limit_us: float, trap: Callable[[SlowWrite], None] | None) -> None:
        """Have a function called after each write that takes longer than the limit; None: no longer.

        It is called by the thread that led the force, which others wait for, and so must be quick.
        """
        self._books.set_trap(limit_us, trap)

    def statistics(self) -> LogStatistics:
        with self._gather:
            ring = self._extents.ring()
        return self._books.snapshot(
            forces=self._force.calls,
            forces_shared=self._force.shared,
            buffer_bytes=self.config.buffer_bytes,
            primary_files=self.config.primary_files,
            secondary_files=self.config.secondary_files,
            file_numbers=ring,
            head=self.head,
            tail=self.tail,
            checkpoint=self.checkpoint,
            durable=self.durable,
            log_type=self.config.type,
            write_integrity=self.config.write_integrity,
            copies=len(self._controls),
            media=self.media,
            current_extent=self.current_extent,
            restart_extent=self.restart_extent,
            media_extent=self.media_extent,
        )
