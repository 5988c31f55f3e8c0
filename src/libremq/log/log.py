"""The log: append records, force them, read them back, let go of what nothing needs any more.

What is below has a file of its own: log_core.py gathers and forces, writer.py puts pages on disk, ring.py and
sequence.py say where, reader.py reads them back, log_opening.py puts it all together after whatever happened before,
management.py knows what becomes of the extents of a linear log, shipped.py reads a log that another machine writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from libremq.common.clock import Clock, SystemClock
from libremq.common.files.file_layer import Files
from libremq.log.config import CHANGEABLE, LogConfig
from libremq.log.copies import Say
from libremq.log.extents import extent_name
from libremq.log.log_core import LogCore
from libremq.log.log_errors import LogError
from libremq.log.log_opening import OpenedLog, create_files, open_files
from libremq.log.log_statistics import LogStatistics, SlowWrite
from libremq.log.management import Archiver, ExtentState, archive_extents, delete_extents, list_extents, number_in
from libremq.log.reader import RecordReader
from libremq.log.records import Record, RecordFields
from libremq.log.ring import Ring
from libremq.log.scan import LogScan
from libremq.log.sequence import Sequence
from libremq.log.shipped import adopt


def _silent(text: str) -> None:
    pass


class Log(LogCore):
    """An open log. Make one with `Log.create` or `Log.open`."""

    __slots__ = ("_checked_from", "_checked_lsn", "_reader")

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
        second_folder: str | None = None,
        clock: Clock | None = None,
        say: Say = _silent,
        parallel_sync: bool = True,
        **settings: int | str,
    ) -> Log:
        """Open the log of the folder and find its end. `settings`, of `LogConfig`, apply from now on.

        With a second copy, pass its folder: if the first is lost, nothing else tells where it is. "" ends dual
        logging, a new folder begins it. What was made good in one copy from the other is told through `say`.
        Raises LogDamaged, with nothing changed, if the files are not a whole log. Otherwise a new epoch begins.
        """
        if not settings.keys() <= CHANGEABLE:
            raise TypeError(f"{settings.keys() - CHANGEABLE} cannot be changed by opening a log")
        log = cls(files, folder, open_files(files, folder, settings, say, second_folder), clock or SystemClock())
        if parallel_sync:
            log._extents.sync_in_parallel()
        if log.config.direct_io == "AUTO":
            log._extents.write_directly()
        log._tell_missing(say)
        return log

    @staticmethod
    def adopt_shipped(
        files: Files, folder: str, *, checkpoint_lsn: int, head_lsn: int, media_lsn: int | None = None
    ) -> int:
        """Make a log of the extents that were shipped to a folder, for `Log.open`; returns the LSN where it ends.

        Restart will begin at the record at `checkpoint_lsn` and need nothing before `head_lsn`. Raises LogError, with
        nothing changed, if the extents from there on are not whole: see `ShippedLog`. Interrupted, it can be done
        again.
        """
        return adopt(files, folder, checkpoint_lsn, head_lsn, media_lsn)

    def __init__(self, files: Files, folder: str, opened: OpenedLog, clock: Clock) -> None:
        """Used by `open`."""
        super().__init__(files, folder, opened, clock)
        self._reader = RecordReader(opened.extents)
        self._checked_from = opened.end.from_lsn
        self._checked_lsn = opened.end.checked_lsn

    def _tell_missing(self, say: Say) -> None:
        if isinstance(self._extents, Sequence):
            missing = self._extents.missing_from(self.media // self.config.extent_bytes)
            if missing is not None:
                say(
                    f"{self.folder}/{extent_name(missing)}: this extent is needed for media recovery and is not there. "
                    "Put it back from the archive before recovering an object, or record new media images"
                )

    # ---- checkpoints ----

    def record_checkpoint(self, checkpoint_lsn: int, head_lsn: int) -> None:
        """Restart begins at `checkpoint_lsn` from now on and needs nothing before `head_lsn`. Durable on return.

        Extents that are not needed any more then leave: a secondary of a circular log that was long not used, and those
        of a linear log that LogManagement lets go.
        """
        self.force(checkpoint_lsn)
        leaving = None
        with self._control_guard:
            with self._gather:
                if checkpoint_lsn < self.checkpoint:
                    raise ValueError(f"checkpoint LSN {checkpoint_lsn} is before the last one, {self.checkpoint}")
                self._move_head(head_lsn, checkpoint_lsn)
                self.checkpoint = checkpoint_lsn
                if isinstance(self._extents, Ring):
                    size = self.config.extent_bytes
                    current = self.tail // size
                    # Later extents may get other files: not to be written to until the control file says so.
                    self._mapped = min(self._mapped, (current + 1) * self._extent_data)
                    leaving = self._extents.release(self.head // size, current, self.config.primary_files)
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

    def extent_name_of(self, lsn: int) -> str:
        """The name of the extent that holds a record."""
        return self._name_of(lsn)

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
        """Format one extent of a linear log ahead of need; True if that was done. For a thread that has time.

        If there is no room for it, that is for the append to tell that needs it.
        """
        extents = self._extents
        if not isinstance(extents, Sequence) or self._closed:
            return False
        current = self.tail // self.config.extent_bytes
        ahead = max(1, self.config.primary_files - (current - extents.base + 1))
        try:
            return extents.prepare_next(current, ahead)
        except OSError:
            return False

    def archive(self, to: Archiver) -> list[str]:
        """Archive the unneeded extents: copy them to a folder, or have a function do it, given each path."""
        self._check_linear()
        return archive_extents(self, self._files, to)

    def mark_archived(self, name: str) -> None:
        """Take note that somebody has archived an extent. In the control file with the next checkpoint."""
        self._check_linear()
        assert isinstance(self._extents, Sequence)
        number = number_in(name)
        inactive = self._extents.inactive()
        with self._gather:
            self._archived.note(number, inactive)

    def delete_extents(self, most: int | None = None) -> list[str]:
        """Delete the unneeded extents (with LogManagement=Archive the archived ones of them); returns their names.

        `most`: no more than so many, the oldest.
        """
        self._check_linear()
        if (self.head, self.media) != (self._recorded.head, self._recorded.media):
            # What is deleted must not be needed by what a restart will read.
            self._control_or_fail()
        recorded = self._recorded
        return delete_extents(self, recorded.head, recorded.media, most)

    def _check_linear(self) -> None:
        if not self.config.linear:
            raise LogError(f"{self.folder}: the log is circular: its extents are used again, not kept")

    # ---- reading ----

    def scan(self, from_lsn: int) -> LogScan:
        """The durable records from an LSN on, in order. Raises LogDamaged where they cannot be read."""
        self._check_in_log(from_lsn)
        checked_lsn = self._checked_lsn if from_lsn >= self._checked_from else 0
        return LogScan(self._extents, from_lsn, self.durable, checked_lsn, self._check_in_log)

    def runs(self, from_lsn: int) -> Iterator[list[RecordFields]]:
        """The same, the records of a page at a time."""
        return self.scan(from_lsn).runs()

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
        if isinstance(extents, Sequence):
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
        self._write_figures.set_trap(limit_us, trap)

    def statistics(self) -> LogStatistics:
        """The figures at this moment; those of a write that is being noted may be in it by half."""
        with self._gather:
            return self._figures()

    def _figures(self) -> LogStatistics:
        return self._write_figures.snapshot(
            forces=self._force.calls,
            forces_shared=self._force.shared,
            buffer_bytes=self.config.buffer_bytes,
            primary_files=self.config.primary_files,
            secondary_files=self.config.secondary_files,
            file_numbers=self._extents.ring(),
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
