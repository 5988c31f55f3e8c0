"""A linear log that another machine writes, as far as its extents were copied to a folder here: for a backup.

The live queue manager goes on while its last extent is copied, so that copy may hold a page as it was and a later one
as it became: a page that is empty, or an earlier version, before pages that are later. There such a copy simply ends;
a fuller one comes. Everywhere else the rule of a restart holds: what a later page says was on disk must be there, or
the extent is damaged, and it has to be shipped again. Nothing here writes, but for `adopt`, which makes a log for a
restart out of what is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from libremq.common.files.file_layer import File, Files
from libremq.log.extents import Extent, Extents, extent_name, extent_number
from libremq.log.log_control_file import open_control
from libremq.log.log_errors import LogDamaged, LogError
from libremq.log.pages import BAD, FIRST_LSN, PAGE_BYTES, PAGE_HEADER, PAGE_MAGIC, page_checksum, page_rank, stream_of
from libremq.log.reader import (
    BLOCK_BYTES,
    PageWalk,
    RecordReader,
    RecordWalk,
    end_of_records,
    look_ahead,
    page_after,
)
from libremq.log.records import Record, RecordFields, new_record
from libremq.log.tail import find_candidates, forget_pages

_OPEN_MAX = 8
_SHIP_AGAIN = (
    "Ship the extent again. If there is no better one, remove it and those after it: the log then ends where it begins"
)


class ShippedExtents(Extents):
    """The extents that are there; opened when they are read, a few at a time."""

    __slots__ = ("_open_files", "present")

    def __init__(self, files: Files, folder: str, log_id: bytes, extent_bytes: int) -> None:
        super().__init__(files, [folder], log_id, extent_bytes)
        self._open_files: dict[int, Extent] = {}
        self.present = sorted(number for number in map(extent_number, files.list(folder)) if number is not None)
        self.end = self.present[-1] + 1 if self.present else 0

    def path(self, extent: int) -> str:
        return f"{self.folders[0]}/{extent_name(extent)}"

    def path_of(self, lsn: int) -> str:
        return self.path(lsn // self.extent_bytes)

    def entry(self, extent: int) -> Extent | None:
        found = self._open_files.get(extent)
        if found is None and extent in self.present:
            found = Extent(extent, [self._open_shipped(extent)])
            self._open_files[extent] = found
            if len(self._open_files) > _OPEN_MAX:
                self._open_files.pop(next(iter(self._open_files))).close()
        return found

    def _open_shipped(self, extent: int) -> File:
        path = self.path(extent)
        try:
            file = self._files.open(path)
        except FileNotFoundError:
            raise LogError(f"{path}: the extent was there a moment ago and is gone. {_SHIP_AGAIN}") from None
        try:
            size = file.size()
            if size > self.extent_bytes or (size < self.extent_bytes and extent != self.present[-1]):
                what = f"the extent has {size} bytes instead of {self.extent_bytes}"
                raise LogDamaged(path, what, _SHIP_AGAIN)
            self._check_page(path, file.read(0, PAGE_BYTES), extent)
        except BaseException:
            file.close()
            raise
        return file

    def _check_page(self, path: str, page: bytes, extent: int) -> None:
        """The first page, if it is whole, must be this log's and this extent's."""
        if len(page) < PAGE_BYTES:
            return
        magic, _, _, _, _, found_id, lsn, _, checksum = PAGE_HEADER.unpack_from(page)
        if magic != PAGE_MAGIC or checksum != page_checksum(memoryview(page), 0):
            return
        if found_id != self.log_id:
            what = f"the extent belongs to another log ({found_id.hex()}, not {self.log_id.hex()})"
            raise LogDamaged(path, what, "Ship the extent of this log")
        if lsn != extent * self.extent_bytes:
            what = f"the extent holds LSN {lsn}, not {extent * self.extent_bytes}"
            raise LogDamaged(path, what, "Ship it under its own name; only a linear log can be shipped")

    def check_contiguous(self, first: int) -> None:
        """Every extent from one to the last must be there, and be one of this log."""
        present = set(self.present)
        for extent in range(first, self.end):
            if extent not in present:
                raise LogError(
                    f"{self.path(extent)}: this extent of the log is missing, but {extent_name(self.present[-1])} is "
                    "there. Ship it, or remove those after it"
                )
            self.entry(extent)

    def close(self) -> None:
        super().close()
        for entry in self._open_files.values():
            entry.close()
        self._open_files.clear()


class ShippedLog:
    """The log as far as it was shipped, for reading. Make one with `open`, and another one when more has come."""

    __slots__ = ("_extents", "_reader", "end_lsn", "end_reason", "epoch", "first_lsn", "folder", "proven_lsn")

    @classmethod
    def open(cls, files: Files, folder: str, log_id: bytes, extent_bytes: int, *, from_lsn: int = 0) -> ShippedLog:
        """Look at the extents in a folder from the one with `from_lsn` on (0: the oldest there is), and find the end.

        Raises LogError that names the extent if one is missing in between, LogDamaged if one is another log's, has the
        wrong size, or has a page that cannot be used though later pages say that it was on disk. `log_identity` tells
        id and extent size, if there is a copy of the control file.
        """
        try:
            extents = ShippedExtents(files, folder, log_id, extent_bytes)
        except OSError as error:
            raise LogError(f"{folder}: no log can be read there: {error.strerror or error}") from error
        try:
            return cls(files, folder, extents, from_lsn)
        except BaseException:
            extents.close()
            raise

    def __init__(self, files: Files, folder: str, extents: ShippedExtents, from_lsn: int) -> None:
        """Used by `open`."""
        self.folder = folder
        self._extents = extents
        self._reader = RecordReader(extents)
        size = extents.extent_bytes
        if not extents.present:
            raise LogError(f"{folder}: there is no extent of a log in this folder")
        if from_lsn == 0:
            from_lsn = extents.present[0] * size + FIRST_LSN
        first = from_lsn // size
        # At the start of the extent after the last: all that is there has been read, and no more has come.
        if first not in extents.present and not (first == extents.end and from_lsn % size <= FIRST_LSN):
            raise LogError(f"{extents.path(first)}: LSN {from_lsn} is in this extent, which is not there. Ship it")
        extents.check_contiguous(first)
        extents.candidates = find_candidates(files, [folder], extents)
        self.first_lsn = from_lsn
        limit = extents.end * size
        walk = PageWalk(extents, from_lsn - from_lsn % PAGE_BYTES, max(limit, from_lsn - from_lsn % PAGE_BYTES))
        self.end_lsn = end_of_records(extents, walk, from_lsn)
        """Just after the last record that is whole."""
        self.end_reason = walk.why
        ahead = look_ahead(extents, walk.end_lsn, limit)
        self.epoch = max(walk.epoch, ahead.epoch)
        """The highest seen: how many times the log was opened by whoever wrote it."""
        promised = max(walk.durable, ahead.durable)
        if stream_of(self.end_lsn) < stream_of(promised):
            self._check_unfinished_copy(walk, ahead.last_lsn, promised)
        self.proven_lsn = min(self.end_lsn, max(promised, self._control_durable(files)))
        """Records before it were on the live queue manager's disk. What comes after may be in its cache only, vanish
        in a power cut, and be written differently when it is started again."""

    def _check_unfinished_copy(self, walk: PageWalk, last_lsn: int, promised: int) -> None:
        """Take where the walk stopped for the end of a copy that was made while it was written to, or raise."""
        extents = self._extents
        lsn = walk.end_lsn
        page = extents.read(lsn, PAGE_BYTES)
        damaged = any(page) and page_rank(page, extents.log_id, lsn) == BAD
        if not damaged and lsn // extents.extent_bytes == last_lsn // extents.extent_bytes:
            return
        what = f"the page at LSN {lsn} cannot be used ({walk.why}), but the log was on disk up to {promised}"
        if not damaged:
            what += ": this copy is older than the extents after it"
        raise LogDamaged(extents.path_of(lsn), what, _SHIP_AGAIN)

    def _control_durable(self, files: Files) -> int:
        """What a copy of the control file says was on disk."""
        try:
            control, state = open_control(files, self.folder)
        except (LogError, OSError):
            return 0
        control.close()
        return state.durable if state.log_id == self._extents.log_id else 0

    def close(self) -> None:
        self._extents.close()

    def scan(self, from_lsn: int, *, proven_only: bool = False) -> Iterator[Record]:
        """The records from an LSN on, in order, up to `end_lsn`; with `proven_only` up to `proven_lsn`."""
        return map(new_record, chain.from_iterable(self.runs(from_lsn, proven_only=proven_only)))

    def runs(self, from_lsn: int, *, proven_only: bool = False) -> Iterator[list[RecordFields]]:
        """The same, the records of a page at a time."""
        self._check_there(from_lsn)
        return self._runs(from_lsn, self.proven_lsn if proven_only else self.end_lsn)

    def _runs(self, from_lsn: int, end_lsn: int) -> Iterator[list[RecordFields]]:
        limit = page_after(end_lsn)
        start = from_lsn - from_lsn % PAGE_BYTES
        walk = RecordWalk(self._extents, from_lsn, max(start, limit))
        for run in walk.runs():
            if stream_of(run[-1][1]) > stream_of(end_lsn):
                within = [fields for fields in run if stream_of(fields[1]) <= stream_of(end_lsn)]
                if within:
                    yield within
                return
            yield run
        if walk.refused_lsn < limit:
            what = f"the page at LSN {walk.refused_lsn} cannot be used ({walk.why}), but the log goes on after it"
            raise LogDamaged(self._extents.path_of(walk.refused_lsn), what, _SHIP_AGAIN)

    def read(self, lsn: int) -> Record:
        """The record at an LSN; extents before the one it was opened with are read too, if they are there."""
        self._check_there(lsn)
        if lsn >= self.end_lsn:
            raise LogError(f"LSN {lsn} is not in the log as far as it was shipped: it ends at {self.end_lsn}")
        try:
            return self._reader.read(lsn, self.end_lsn)
        except LogDamaged as error:
            raise LogDamaged(error.path, error.what, _SHIP_AGAIN) from error

    def _check_there(self, lsn: int) -> None:
        extents = self._extents
        extent = lsn // extents.extent_bytes
        if lsn < self.end_lsn and extent not in extents.present:
            raise LogError(f"{extents.path(extent)}: LSN {lsn} is in this extent, which is not there. Ship it")


def adopt(files: Files, folder: str, checkpoint_lsn: int, head_lsn: int, media_lsn: int | None) -> int:
    """See `Log.adopt_shipped`. The control file comes last: until then it can be done again."""
    if head_lsn > checkpoint_lsn:
        raise ValueError(f"head LSN {head_lsn} is after what a restart begins with, {checkpoint_lsn}")
    control, state = open_control(files, folder)
    try:
        if not state.config.linear:
            raise LogError(f"{folder}: the log is circular: its extents cannot be shipped")
        size = state.config.extent_bytes
        shipped = ShippedLog.open(files, folder, state.log_id, size, from_lsn=head_lsn)
        try:
            shipped.read(checkpoint_lsn)
            extents = shipped._extents
            page_lsn = page_after(shipped.end_lsn)
            _bring_home(extents, page_lsn)
            _clear_after(extents, page_lsn)
            _settle(files, extents, head_lsn // size)
            forget_pages(files, folder)
            base = head_lsn // size
            adopted = replace(
                state,
                # The folder of a second copy was one of the other machine.
                config=replace(state.config, second_folder=""),
                epoch=max(state.epoch, shipped.epoch),
                head=head_lsn,
                checkpoint=checkpoint_lsn,
                media=min(state.media, head_lsn) if media_lsn is None else media_lsn,
                durable=shipped.end_lsn,
                base=base,
                ring=tuple(range(base, extents.end)),
                change=state.change + 1,
                epoch_start=page_lsn,
            )
            control.write(adopted.pack())
            return shipped.end_lsn
        finally:
            shipped.close()
    finally:
        control.close()


def _file_at(extents: ShippedExtents, extent: int) -> File:
    entry = extents.entry(extent)
    assert entry is not None
    file = entry.files[0]
    assert file is not None
    return file


def _bring_home(extents: ShippedExtents, end_lsn: int) -> None:
    """Put pages in place of which the side file or the shadow has the later version."""
    for lsn, page in extents.candidates.items():
        if lsn < end_lsn:
            extent, offset = divmod(lsn, extents.extent_bytes)
            file = _file_at(extents, extent)
            file.write(offset, page)
            file.sync()


def _clear_after(extents: ShippedExtents, end_lsn: int) -> None:
    """Empty the pages after the end: they continue what did not come, and would bear witness against the log.

    From the last to the first, so that those which are left, if it is interrupted, bear no other witness than before.
    """
    size = extents.extent_bytes
    for extent in range(extents.end - 1, end_lsn // size - 1, -1):
        file = _file_at(extents, extent)
        first = max(0, end_lsn - extent * size)
        end = file.size() // PAGE_BYTES * PAGE_BYTES
        for offset in range(end - end % BLOCK_BYTES, first - first % BLOCK_BYTES - 1, -BLOCK_BYTES):
            start, stop = max(offset, first), min(offset + BLOCK_BYTES, end)
            if start < stop and any(file.read(start, stop - start)):
                if start == first and stop - start > PAGE_BYTES:
                    file.write(start + PAGE_BYTES, bytes(stop - start - PAGE_BYTES))
                    file.sync()
                    stop = start + PAGE_BYTES
                file.write(start, bytes(stop - start))
                file.sync()


def _settle(files: Files, extents: ShippedExtents, first: int) -> None:
    """Give the last extent its full size, and make sure that what was copied here is on disk."""
    last = _file_at(extents, extents.end - 1)
    size = last.size()
    if size < extents.extent_bytes:
        offset = size // PAGE_BYTES * PAGE_BYTES
        while offset < extents.extent_bytes:
            zeros = bytes(min(BLOCK_BYTES, extents.extent_bytes - offset))
            last.write(offset, zeros)
            offset += len(zeros)
    for extent in range(first, extents.end):
        _file_at(extents, extent).sync()
    files.sync_folder(extents.folders[0])
