"""The ring of extents: files S0000000.LOG and so on, each holding one stretch of LSNs at a time.

Extent number k covers the LSNs from k * extent_bytes on. `ring[i]` is the file of extent `base + i`: first the extents
in use, oldest first, then the free ones. Going on to the next extent therefore is: take the next file in the ring; if
there is none, turn the ring while its oldest extent is no longer needed; if it is still needed, format a secondary and
put it between the newest extent and the oldest, which is the point of need.
"""

from __future__ import annotations

from libremq.common.files import Buffer, File, Files
from libremq.log.errors import LogDamaged
from libremq.log.pages import PAGE_BYTES, PAGE_HEADER, PAGE_HEADER_BYTES, PAGE_MAGIC, page_checksum

_FORMAT_BYTES = 1 << 20
_RESTORE = "Restore the log folder from a backup, whole and of one moment"


def extent_name(number: int) -> str:
    return f"S{number:07}.LOG"


def format_extent(files: Files, folder: str, number: int, extent_bytes: int) -> File:
    """Make the file with zeros in every byte, so that a later sync of data has no metadata to write."""
    file = files.open(f"{folder}/{extent_name(number)}", create=True)
    zeros = bytes(min(_FORMAT_BYTES, extent_bytes))
    for offset in range(0, extent_bytes, len(zeros)):
        file.write(offset, zeros[: extent_bytes - offset])
    file.truncate(extent_bytes)
    file.sync()
    return file


class Extents:
    """The files of the ring, open.

    `_at` maps extent numbers to files, oldest first. It changes one entry at a time and only at its ends, so that a
    force may look up the extents it writes to while an append turns the ring.
    """

    __slots__ = ("_at", "_files", "_folder", "base", "copies", "end", "extent_bytes")

    def __init__(self, files: Files, folder: str, extent_bytes: int) -> None:
        self._files = files
        self._folder = folder
        self.extent_bytes = extent_bytes
        self.base = 0
        self.end = 0
        """The first extent number that has no file yet."""
        self.copies: dict[int, bytes] = {}
        """Pages by LSN to be read instead of what is in the files: see tail.py. Empty once the log is open."""
        self._at: dict[int, tuple[int, File]] = {}

    def open_all(self, log_id: bytes, base: int, ring: tuple[int, ...]) -> None:
        """Open every file and check that it is there, whole, of this log, and not newer than the ring."""
        self.base = self.end = base
        for number in ring:
            path = self._path_of_file(number)
            try:
                file = self._files.open(path)
            except FileNotFoundError:
                raise LogDamaged(path, "this extent of the log is missing", _RESTORE) from None
            self._at[self.end] = number, file
            size = file.size()
            if size != self.extent_bytes:
                raise LogDamaged(path, f"the extent has {size} bytes instead of {self.extent_bytes}", _RESTORE)
            self._check_first_page(path, file.read(0, PAGE_BYTES), log_id, self.end)
            self.end += 1

    def _check_first_page(self, path: str, page: bytes, log_id: bytes, extent: int) -> None:
        magic, _, _, _, found_id, lsn, _, checksum = PAGE_HEADER.unpack_from(page)
        if magic != PAGE_MAGIC or checksum != page_checksum(memoryview(page), 0):
            return
        if found_id != log_id:
            what = f"the extent belongs to another log ({found_id.hex()}, not {log_id.hex()})"
            raise LogDamaged(path, what, "Put back the extent of this log")
        if lsn // self.extent_bytes > extent:
            what = f"the extent holds LSN {lsn}, which the control file does not know of yet"
            raise LogDamaged(path, what, f"The control file is older than the extents. {_RESTORE}")

    def ring(self) -> tuple[int, ...]:
        """The file numbers in ring order, the oldest extent's first."""
        return tuple(number for number, _ in self._at.values())

    def _path_of_file(self, number: int) -> str:
        return f"{self._folder}/{extent_name(number)}"

    def path_of(self, lsn: int) -> str:
        """The file that holds an LSN, for messages."""
        entry = self._at.get(lsn // self.extent_bytes)
        return self._path_of_file(entry[0]) if entry is not None else self._folder

    def number_of(self, lsn: int) -> int:
        """The number of the file that holds an LSN."""
        return self._at[lsn // self.extent_bytes][0]

    def read(self, lsn: int, length: int) -> bytes:
        """Bytes from an LSN on, up to the end of its extent; none outside the ring."""
        extent, offset = divmod(lsn, self.extent_bytes)
        entry = self._at.get(extent)
        if entry is None:
            return b""
        data = entry[1].read(offset, min(length, self.extent_bytes - offset))
        for page_lsn, page in self.copies.items():
            at = page_lsn - lsn
            if 0 <= at < len(data):
                data = data[:at] + page[: len(data) - at] + data[at + PAGE_BYTES :]
        return data

    def write(self, lsn: int, buffers: list[Buffer]) -> list[File]:
        """Write pages (alternating headers and data) from an LSN on: one gather-write an extent. Not synced."""
        extent, offset = divmod(lsn, self.extent_bytes)
        if len(buffers) // 2 * PAGE_BYTES <= self.extent_bytes - offset:
            file = self._at[extent][1]
            file.write_many(offset, buffers)
            return [file]
        files = []
        start = 0
        while start < len(buffers):
            extent, offset = divmod(lsn, self.extent_bytes)
            pages = min((len(buffers) - start) // 2, (self.extent_bytes - offset) // PAGE_BYTES)
            file = self._at[extent][1]
            end = start + 2 * pages
            file.write_many(offset, buffers[start:end])
            files.append(file)
            start = end
            lsn += pages * PAGE_BYTES
        return files

    def write_again(self, lsn: int, pages: bytes) -> None:
        """Write pages as they are, within one extent. Not synced."""
        extent, offset = divmod(lsn, self.extent_bytes)
        self._at[extent][1].write(offset, pages)

    def provide(self, extent: int, head: int, files_max: int) -> None:
        """See to it that `extent` has a file. The caller has checked that head and number leave room for it."""
        while extent >= self.end:
            if (self.base + 1) * self.extent_bytes <= head:
                self._at[self.end] = self._at.pop(self.base)
                self.base += 1
                self.end += 1
            else:
                assert self.end - self.base < files_max
                self._add_secondary()

    def _add_secondary(self) -> None:
        used = set(self.ring())
        number = next(n for n in range(len(used) + 1) if n not in used)
        try:
            file = format_extent(self._files, self._folder, number, self.extent_bytes)
            self._files.sync_folder(self._folder)
        except OSError:
            # Half an extent helps nobody and holds space the disk no longer has.
            try:
                self._files.remove(self._path_of_file(number))
            except OSError:
                pass
            raise
        self._at[self.end] = number, file
        self.end += 1

    def sync(self, first_lsn: int, end_lsn: int) -> None:
        """Sync the extents that hold a stretch of LSNs."""
        for extent in range(first_lsn // self.extent_bytes, end_lsn // self.extent_bytes + 1):
            entry = self._at.get(extent)
            if entry is not None:
                entry[1].sync()

    def close(self) -> None:
        for _, file in self._at.values():
            file.close()
        self._at.clear()


assert PAGE_HEADER.size == PAGE_HEADER_BYTES
