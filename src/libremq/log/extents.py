"""The extents of a log: files S0000000.LOG and so on, each holding one stretch of LSNs at a time, in one or two copies.

Extent number k covers the LSNs from k * extent_bytes on. Which file that is, and how the next one is found, is what
the two kinds of log differ in: see ring.py and sequence.py. With dual logging every file exists in two folders. What is
written goes to both (durable.py); a read compares them and takes, page by page, the whole one (or, while a log is
opened, the later one), so that damage to either copy is never seen by a reader.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from libremq.common.files.file_layer import File, Files
from libremq.log.durable import CopiedFile, DurableFolders
from libremq.log.log_errors import LogDamaged
from libremq.log.pages import BAD, PAGE_BYTES, PAGE_HEADER, PAGE_MAGIC, page_checksum, page_rank

FORMAT_BYTES = 1 << 20
RESTORE = "Restore the log folder from a backup, whole and of one moment"


def extent_name(number: int) -> str:
    return f"S{number:07}.LOG"


def extent_number(name: str) -> int | None:
    """The number in the name of an extent file; None if it is not one."""
    digits = name[1:8]
    if len(name) == 12 and name[0] == "S" and name[8:] == ".LOG" and digits.isascii() and digits.isdigit():
        return int(digits)
    return None


def format_extent(files: Files, folder: str, number: int, extent_bytes: int) -> File:
    """Make the file with zeros in every byte, so that what makes a later write durable has no metadata to write.

    They are written, not allocated: the first write to blocks that are only allocated changes metadata, too.
    """
    file = files.open(f"{folder}/{extent_name(number)}", create=True)
    zeros = bytes(min(FORMAT_BYTES, extent_bytes))
    for offset in range(0, extent_bytes, len(zeros)):
        file.write(offset, zeros[: extent_bytes - offset])
    file.truncate(extent_bytes)
    file.sync()
    return file


class _WrongExtent(LogDamaged):
    """The file is somebody's good data, so that not even a second copy is a reason to write over it."""


class Extent(CopiedFile):
    """One extent's file, in every copy; None in a copy that has not got it, which is so only while opening."""

    __slots__ = ("number",)

    def __init__(self, number: int, files: list[File | None]) -> None:
        super().__init__(files, extent_name(number))
        self.number = number


class Extents(DurableFolders):
    """The files, open. Extents `base` to `end` - 1 have one; a linear log can also read older ones.

    `_at` maps extent numbers to files, oldest first. What a force writes to is in it before and does not move, so that
    it may look there while an append provides the next one.
    """

    __slots__ = (
        "_at",
        "base",
        "candidates",
        "end",
        "extent_bytes",
        "latest",
        "log_id",
        "problems",
        "trusted",
    )

    def __init__(self, files: Files, folders: Sequence[str], log_id: bytes, extent_bytes: int) -> None:
        super().__init__(files, folders)
        self.log_id = log_id
        self.extent_bytes = extent_bytes
        self.base = 0
        self.end = 0
        """The first extent number that has no file yet."""
        self.candidates: dict[int, bytes] = {}
        """While opening: pages by LSN from the tail and shadow files that are later versions than the extents have."""
        self.latest: dict[int, bytes] = {}
        """Once open: the last version on disk of the page that is being filled, wherever it is on disk."""
        self.problems: list[str] = []
        """What was found wrong in one copy and is to be repaired from the other."""
        self.trusted = [True] * len(self.folders)
        """The copies whose files count; all of them once the log is open."""
        self._at: dict[int, Extent] = {}

    # ---- opening ----

    def open_all(self, base: int, ring: Sequence[int], trusted: Sequence[bool]) -> None:
        """Open every file and check that it is there, whole, of this log, and not newer than the control file.

        Copies that are not trusted are not looked at. What is wrong in one copy only is noted in `problems`.
        """
        self.base = self.end = base
        self.trusted = list(trusted)
        for number in ring:
            self._at[self.end] = self._open(number, self.end)
            self.end += 1

    def _open(self, number: int, extent: int) -> Extent:
        damage: list[LogDamaged] = []
        found: list[File | None] = []
        for folder, usable in zip(self.folders, self.trusted, strict=True):
            try:
                found.append(self._open_file(f"{folder}/{extent_name(number)}", extent) if usable else None)
            except _WrongExtent:
                Extent(number, found).close()
                raise
            except LogDamaged as error:
                damage.append(error)
                found.append(None)
        if not any(found):
            raise damage[0]
        self.problems += [f"{error.path}: {error.what}" for error in damage]
        return Extent(number, found)

    def _open_file(self, path: str, extent: int) -> File:
        try:
            file = self._files.open(path)
        except FileNotFoundError:
            raise LogDamaged(path, "this extent of the log is missing", RESTORE) from None
        try:
            size = file.size()
            if size != self.extent_bytes:
                raise LogDamaged(path, f"the extent has {size} bytes instead of {self.extent_bytes}", RESTORE)
            self._check_first_page(path, file.read(0, PAGE_BYTES), extent)
        except OSError as error:
            file.close()
            raise LogDamaged(path, f"the extent cannot be read: {error}", RESTORE) from error
        except LogDamaged:
            file.close()
            raise
        return file

    def _check_first_page(self, path: str, page: bytes, extent: int) -> None:
        magic, _, _, _, _, found_id, lsn, _, checksum = PAGE_HEADER.unpack_from(page)
        if magic != PAGE_MAGIC or checksum != page_checksum(memoryview(page), 0):
            return
        if found_id != self.log_id:
            what = f"the extent belongs to another log ({found_id.hex()}, not {self.log_id.hex()})"
            raise _WrongExtent(path, what, "Put back the extent of this log")
        if lsn // self.extent_bytes > extent:
            what = f"the extent holds LSN {lsn}, which the control file does not know of yet"
            raise _WrongExtent(path, what, f"The control file is older than the extents. {RESTORE}")

    # ---- which file ----

    def ring(self) -> tuple[int, ...]:
        """The file numbers in order, the oldest extent's first."""
        return tuple(extent.number for extent in tuple(self._at.values()))

    def entry(self, extent: int) -> Extent | None:
        """The files of an extent number."""
        return self._at.get(extent)

    def entries(self) -> list[tuple[int, Extent]]:
        """Extent numbers with their files, oldest first."""
        return list(self._at.items())

    def number_of(self, lsn: int) -> int:
        """The number of the file that holds an LSN."""
        return self._at[lsn // self.extent_bytes].number

    def path_of(self, lsn: int) -> str:
        """The file that holds an LSN, for messages."""
        entry = self.entry(lsn // self.extent_bytes)
        return f"{self.folders[0]}/{extent_name(entry.number)}" if entry is not None else self.folders[0]

    def _format(self, number: int) -> Extent:
        """Make an extent's files; leaves none behind if one cannot be made."""
        made: list[File | None] = []
        try:
            for folder in self.folders:
                made.append(format_extent(self._files, folder, number, self.extent_bytes))
                self._files.sync_folder(folder)
        except OSError:
            # Half an extent helps nobody and holds space the disk no longer has.
            Extent(number, made).close()
            for folder in self.folders:
                try:
                    self._files.remove(f"{folder}/{extent_name(number)}")
                except OSError:
                    pass
            raise
        return Extent(number, made)

    def remove_files(self, number: int) -> None:
        """Delete an extent's files, which nothing needs."""
        for folder in self.folders:
            try:
                self._files.remove(f"{folder}/{extent_name(number)}")
            except FileNotFoundError:
                continue
            self._files.sync_folder(folder)

    # ---- reading ----

    def read(self, lsn: int, length: int) -> bytes:
        """Whole pages from an LSN on, up to the end of its extent; none outside the log."""
        # Before the files: a page leaves this table only when its file has caught up with it.
        latest = self.latest
        extent, offset = divmod(lsn, self.extent_bytes)
        entry = self.entry(extent)
        if entry is None:
            return b""
        data = self._read_best(entry, lsn, offset, min(length, self.extent_bytes - offset))
        for page_lsn, page in latest.items():
            if lsn <= page_lsn < lsn + len(data):
                data = _spliced(data, page_lsn - lsn, page)
        for page_lsn, page in self.candidates.items():
            at = page_lsn - lsn
            if 0 <= at < len(data) and self._rank(page, page_lsn) > self._rank(data[at : at + PAGE_BYTES], page_lsn):
                data = _spliced(data, at, page)
        return data

    def _rank(self, page: bytes, lsn: int) -> tuple[int, int]:
        return page_rank(page, self.log_id, lsn)

    def _read_best(self, entry: Extent, lsn: int, offset: int, length: int) -> bytes:
        files = entry.files
        if len(files) == 1:
            file = files[0]
            assert file is not None
            return file.read(offset, length)
        blocks: list[bytes] = []
        failure: OSError | None = None
        for file in files:
            if file is not None:
                try:
                    blocks.append(file.read(offset, length))
                except OSError as error:
                    failure = error
        if not blocks:
            if failure is not None:
                raise failure
            return b""
        best = blocks[0]
        for block in blocks[1:]:
            if block != best:
                best = self._merged(best, block, lsn)
        return best

    def _merged(self, one: bytes, other: bytes, lsn: int) -> bytes:
        pages = []
        for at in range(0, max(len(one), len(other)), PAGE_BYTES):
            page, rival = one[at : at + PAGE_BYTES], other[at : at + PAGE_BYTES]
            if page != rival and self._rank(rival, lsn + at) > self._rank(page, lsn + at):
                page = rival
            pages.append(page)
        return b"".join(pages)

    def is_whole(self, page: bytes, lsn: int) -> bool:
        return self._rank(page, lsn) != BAD

    # ---- writing ----

    def write(self, lsn: int, pages: memoryview) -> int:
        """Write pages of one extent, in every copy; returns the file's number. Durable when settled."""
        extent_bytes = self.extent_bytes
        entry = self._at[lsn // extent_bytes]
        self.put(entry, lsn % extent_bytes, pages)
        return entry.number

    def close(self) -> None:
        super().close()
        for entry in self._at.values():
            entry.close()
        self._at.clear()


def _spliced(data: bytes, at: int, page: bytes) -> bytes:
    return data[:at] + page + data[at + PAGE_BYTES :]


class GrowingExtents(Extents, ABC):
    """Those of a log that is written."""

    __slots__ = ()

    @abstractmethod
    def provide(self, extent: int, head: int, files_max: int) -> None:
        """See to it that `extent` has a file. The caller has checked that head and number leave room for it."""
