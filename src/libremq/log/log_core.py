"""The moving parts of an open log: records gather, a force takes them to disk, the control file follows.

Appending only gathers: the record's pieces go on a list, its LSN follows from their lengths. A force takes the list,
has it cut into pages and written (writer.py), all without the lock that append needs. Whoever is interrupted by Ctrl-C
between any two calls leaves all this consistent: what belongs together is changed by assignments, without a call.

Threads: one appender at a time (the kernel's lock); everything else from any thread at any time. Of the two locks the
one for the control file is taken first, and held over its syncs; the other, the gather lock, only for moments, or for
as long as it takes to format an extent that was not ready in time.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from libremq.common.checksum import crc32
from libremq.common.clock import Clock, elapsed
from libremq.common.files.file_layer import Files
from libremq.common.files.open_files import OUT_OF_FILES
from libremq.log.force import SharedForce
from libremq.log.log_control_file import ControlState
from libremq.log.log_errors import LogError, LogFailed, LogFull
from libremq.log.log_opening import OpenedLog
from libremq.log.log_space import RESERVE_PERCENT, LogSpace
from libremq.log.log_statistics import WriteFigures
from libremq.log.management import ArchivedExtents
from libremq.log.pages import PAGE_BYTES, PAGE_DATA_BYTES, PAGE_HEADER_BYTES, lsn_of, stream_of
from libremq.log.records import RECORD_BYTES_MAX, RECORD_HEADER_BYTES, RECORD_PREFIX, build_run, too_long
from libremq.log.ring import Ring
from libremq.log.sequence import EXTENT_NUMBER_MAX, EXTENT_NUMBER_STOP
from libremq.log.sequence import Sequence as LinearSequence
from libremq.log.writer import Batch, PageWriter

_prefix = RECORD_PREFIX.pack


class LogCore:
    """What `Log` is made of, apart from reading and from what becomes of its extents."""

    __slots__ = (
        "_archived",
        "_batch_begin",
        "_buffer_bytes",
        "_change",
        "_closed",
        "_control_guard",
        "_controls",
        "_epoch",
        "_extent_data",
        "_extents",
        "_files",
        "_force",
        "_forced_end",
        "_gather",
        "_in_flight",
        "_limit",
        "_limit_reserve",
        "_log_id",
        "_mapped",
        "_pieces",
        "_position",
        "_recorded",
        "_records",
        "_started_page",
        "_starts",
        "_write_figures",
        "_writer",
        "checkpoint",
        "config",
        "end_at_open",
        "end_reason",
        "folder",
        "head",
        "media",
    )

    def __init__(self, files: Files, folder: str, opened: OpenedLog, clock: Clock) -> None:
        """Used by `Log.open`."""
        state = opened.state
        extents = opened.extents
        end = opened.end
        self.config = state.config
        self.folder = folder
        self._buffer_bytes = self.config.buffer_bytes
        self._extent_data = self.config.file_pages * PAGE_DATA_BYTES
        """Record bytes in an extent."""
        self.head = state.head
        self.checkpoint = state.checkpoint
        self.media = state.media
        self.end_at_open = end.lsn
        self.end_reason = end.why
        self._files = files
        self._controls = opened.controls
        self._control_guard = threading.RLock()
        self._change = state.change
        self._recorded = state
        """What the control file says."""
        self._archived = ArchivedExtents(state.archived)
        self._extents = extents
        self._log_id = state.log_id
        self._epoch = state.epoch
        self._closed = False
        self._mapped = extents.end * self._extent_data
        """The stream position up to which the control file says where pages are."""
        self._write_figures = WriteFigures(clock.now)
        self._write_figures.control_writes = 1
        self._gather = threading.Lock()
        self._position = self._batch_begin = end.page_lsn // PAGE_BYTES * PAGE_DATA_BYTES
        self._forced_end = self._position
        """The end of the last record that was written, or is: the next batch may begin further on."""
        self._pieces: list[bytes] = []
        self._starts: list[int] = []
        self._started_page = -1
        self._records = 0
        self._in_flight: Batch | None = None
        self._writer = PageWriter(extents, opened.shadow, state.epoch, end.lsn, end.used_before, self._buffer_bytes)
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
            raise too_long(length)
        prefix = _prefix(length, type, flags, txn, prev_lsn)
        checksum = crc32(prefix)
        for part in parts:
            checksum = crc32(part, checksum)
        pieces = [prefix + checksum.to_bytes(4, "little"), *parts]
        with self._gather:
            start = self._position
            end = start + length
            if end > (self._limit_reserve if reserve else self._limit) or end + keep > self._limit_reserve:
                self._make_room(end, reserve, keep)
            page = start // PAGE_DATA_BYTES
            if page != self._started_page:
                self._started_page = page
                self._starts.append(start)
            # No call from here on: an interrupt finds the record appended or not
            self._pieces += pieces
            self._records += 1
            self._position = end
        return start + PAGE_HEADER_BYTES * (page + 1)

    def append_run(
        self,
        type: int,
        txn: int,
        prev_lsn: int,
        payloads: list[tuple[bytes, ...]],
        *,
        reserve: bool = False,
        keep: int = 0,
        flags: int = 0,
    ) -> list[int]:
        """Add records of one kind at once, as if by `append` one after the other; returns their LSNs.

        Those of a transaction are chained: each is the previous one of the next, and `prev_lsn` that of the first. All
        of them are added or, if one would enter the reserve, none: then append them one by one, as far as that goes.
        """
        with self._gather:
            start, started = self._position, self._started_page
            try:
                pieces, lsns, starts, end = build_run(type, flags, txn, prev_lsn, start, started, payloads)
            except OverflowError:
                raise too_long(max(sum(map(len, parts)) for parts in payloads)) from None
            if end > (self._limit_reserve if reserve else self._limit) or end + keep > self._limit_reserve:
                self._make_room(end, reserve, keep)
            if starts:
                started = starts[-1] // PAGE_DATA_BYTES
            count = len(lsns)
            # No call from here on: an interrupt finds all of them appended or none
            self._starts += starts
            self._started_page = started
            self._pieces += pieces
            self._records += count
            self._position = end
        return lsns

    def check_fits(self, length: int) -> None:
        """LogFull if records of so many bytes together would not fit in a log that holds nothing else."""
        with self._gather:
            space = self._space()
            end = lsn_of(self._position + length)
            if end - space.tail // self.config.extent_bytes * self.config.extent_bytes > space.limit_bytes:
                raise self._too_small(end - space.tail, space, space.limit_bytes)

    def _too_small(self, length: int, space: LogSpace, most: int) -> LogFull:
        """For a record that would not fit in a log that holds nothing else: to commit or to wait is of no use."""
        extent_bytes = self.config.extent_bytes
        # It may begin anywhere in an extent, and the part of the reserve grows with the log
        files = -(-(length + extent_bytes) * space.capacity_bytes // most // extent_bytes)
        return LogFull(
            f"{self.folder}: the log is too small for a record of {length} bytes, whatever is committed: its "
            f"{self._files_max()} files of {extent_bytes} bytes take {most} at a time. Send smaller messages, or ones "
            f"that are not persistent, or raise LogPrimaryFiles and LogSecondaryFiles to {files} together and restart",
            hopeless=True,
        )

    def _make_room(self, end: int, reserve: bool, keep: int) -> None:
        """Provide extents up to a stream position, or raise LogFull. Called with the gather lock held."""
        self._check_usable()
        space = self._space()
        last_lsn = lsn_of(end - 1)
        current = last_lsn // self.config.extent_bytes
        if self.config.linear and current >= (EXTENT_NUMBER_MAX if reserve else EXTENT_NUMBER_STOP):
            raise LogFull(
                f"{self.folder}: the log is at its end: extent numbers reach {EXTENT_NUMBER_MAX}, and the last of them "
                "are kept for ending work. End the queue manager and give it a new log"
            )
        used = last_lsn + 1 - (space.tail - space.used_bytes)
        most = space.capacity_bytes if reserve else space.limit_bytes
        if used > most or used + keep > space.capacity_bytes:
            needed = last_lsn + 1 - space.tail // self.config.extent_bytes * self.config.extent_bytes
            if needed > most:
                raise self._too_small(last_lsn + 1 - space.tail, space, most)
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
            remedy = "Let the process open more files" if error.errno in OUT_OF_FILES else "Free space on the disk"
            raise LogFull(
                f"{self.folder}: the log is full: its extents are in use and another could not be made: {error}. "
                f"{remedy}, or commit so that the oldest extent can be reused"
            ) from error
        finally:
            self._set_limits()

    def _files_max(self) -> int:
        """Extents the ring may have; never fewer than it has, or a lowered setting could leave restart no room."""
        return max(self.config.files_max, self._extents.end - self._extents.base)

    def _set_limits(self) -> None:
        """Up to which stream positions append needs no second look. Called with the gather lock held."""
        space = self._space()
        start = space.tail - space.used_bytes
        mapped = self._extents.end * self._extent_data
        self._limit_reserve = min(mapped, stream_of(start + space.capacity_bytes))
        self._limit = min(mapped, stream_of(start + space.limit_bytes))
        if self.config.linear:
            self._limit = min(self._limit, EXTENT_NUMBER_STOP * self._extent_data)
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
        elif lsn >= force.durable and lsn >= lsn_of(self._position):
            raise ValueError(f"LSN {lsn} is at or after the tail of the log, {self.tail}")
        force(lsn)

    def _write_batch(self) -> int:
        """Write and sync what is gathered; in one thread at a time. Returns the LSN up to which all is durable.

        An interrupt on the way (not an I/O error: those are final) leaves the batch in flight, and the next leader
        writes the same bytes to the same place again.
        """
        writer = self._writer
        extents = self._extents
        batch = self._in_flight
        if batch is None:
            with self._gather:
                if self._closed or self._force.failed is not None:
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
                self._started_page = -1
                self._records = 0
                self._forced_end = end
                self._position = self._batch_begin = next_begin
        if extents.broken is not None:
            raise self._fail(extents.broken)  # an interrupt came when that was to be noted
        try:
            if batch.end > self._mapped:
                self._write_control()
            started = elapsed()
            done = writer.write(batch)
        except OSError as error:
            raise self._fail(error) from error
        self._write_figures.note_write(
            batch.records,
            batch.end - batch.begin,
            done.size,
            done.writes,
            len(self._controls),
            elapsed() - started,
            done.number,
        )
        durable = lsn_of(batch.next_begin)
        latest = {done.lsn: done.image} if done.image else {}
        # Assignments only, again
        writer.last = done
        extents.latest = latest
        self._in_flight = None
        return durable

    def _fail(self, error: OSError) -> LogFailed:
        """Stop for good: what reached the disk is unknown, and the next sync may claim success for lost data."""
        failure = LogFailed(self._failure_text(error))
        failure.__cause__ = error
        self._force.failed = failure
        with self._gather:
            # Appends find out by their limit, which costs them no check of their own.
            self._limit = self._limit_reserve = 0
        return failure

    def _failure_text(self, error: OSError) -> str:
        folders = self._extents.folders
        if len(folders) == 1:
            return (
                f"{self.folder}: writing the log failed: {error}. The queue manager must end; correct the cause and "
                "start it again: everything that was acknowledged is on disk"
            )
        copy = self._extents.copy_of(error)
        return (
            f"{folders[copy]}: writing this copy of the log failed: {error}. The queue manager must end: it does not "
            "go on with one copy where two were asked for. Everything that was acknowledged is on disk in the other "
            f"copy, {folders[1 - copy]}. Correct the cause and start it again: this copy is then made good from the "
            "other. If its disk is lost, put an empty one in its place; a second copy may also get another folder "
            "(LogSecondPath), or be given up"
        )

    # ---- positions and space ----

    @property
    def tail(self) -> int:
        """The LSN just after the last record; the next one may lie further on, at the start of a page."""
        return lsn_of(self._position)

    @property
    def position(self) -> int:
        """The place of the next record, in the stream of records: the quickest way to see whether one was appended."""
        return self._position

    @staticmethod
    def position_at(lsn: int) -> int:
        """The first position that is at this LSN or behind it."""
        return stream_of(lsn)

    @property
    def end_of_records(self) -> int:
        """Where the last record ends, in the stream of records: as before only if none was appended since."""
        with self._gather:
            return self._forced_end if self._position == self._batch_begin else self._position

    @property
    def left_in_extent(self) -> int:
        """Bytes of records that the current extent still takes."""
        return self._extent_data - self._position % self._extent_data

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
        """How full the log is, at one moment."""
        with self._gather:
            return self._space()

    def _space(self) -> LogSpace:
        extent_bytes = self.config.extent_bytes
        head = self.head
        tail = lsn_of(self._position)
        capacity = self._files_max() * extent_bytes
        limit = capacity * (100 - RESERVE_PERCENT) // 100
        return LogSpace(head, tail, tail - head // extent_bytes * extent_bytes, capacity, limit)

    def set_head(self, lsn: int) -> None:
        """Nothing before `lsn` is needed any more, by no unit of work and no restart: its extents may be reused.

        In memory at once; in the control file before an extent is reused, or with the next checkpoint.
        """
        with self._gather:
            self._move_head(lsn, self.checkpoint)

    def _move_head(self, lsn: int, checkpoint: int) -> None:
        if lsn < self.head:
            raise ValueError(f"head LSN {lsn} is before the present one, {self.head}")
        if lsn > (checkpoint or self.durable):
            raise ValueError(f"head LSN {lsn} is after what a restart begins with, {checkpoint or self.durable}")
        self.head = lsn
        if isinstance(self._extents, LinearSequence):
            self._extents.retire(lsn // self.config.extent_bytes)
        self._set_limits()

    # ---- the control file ----

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
                    self._writer.last.durable,
                    extents.base,
                    extents.ring(),
                    self._archived.bound,
                    self._change + 1,
                    self._recorded.epoch_start,
                )
            payload = state.pack()
            failed = self._force.failed
            if failed is not None:
                raise LogFailed(str(failed)) from failed.__cause__
            for control in self._controls:
                try:
                    control.write(payload)
                except OSError as error:
                    # Assignments only: an interrupt must not make it forgotten.
                    extents.broken = error
                    if error.filename is None:
                        error.filename = control.path
                    raise
            self._change += 1
            self._recorded = state
            self._mapped = end * self._extent_data
            self._write_figures.control_writes += 1
