"""The files of a log as someone finds them who may only read: which file holds which LSNs, and what is in each page.

The control file's ring is believed where it can be read. Extents it does not name (the inactive ones of a linear log),
and all of them if it is lost, are placed by what their own pages say: a page carries its log and its LSN. Nothing
here raises for what the files hold; a page that cannot be used is a reason in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from libremq.common.files.file_layer import File, Files
from libremq.log.extents import extent_name, extent_number
from libremq.log.log_control_file import CONTROL_FILE, ControlState, open_control
from libremq.log.log_errors import LogDamaged, LogError
from libremq.log.pages import PAGE_BYTES, PAGE_HEADER, PAGE_HEADER_BYTES, PAGE_MAGIC, Rank, page_checksum
from libremq.log.shadow import SHADOW_FILE
from libremq.log.tail import TAIL_FILE

_BLOCK_BYTES = 256 * 1024
_CONTROL_TRIES = 3


class Page(NamedTuple):
    """A whole page of the log, in its place."""

    lsn: int
    first: int
    """Offset of the first record that starts in it; 0 if none does."""
    before: int
    """Bytes used in the page before, perhaps with EPOCH_START."""
    epoch: int
    durable: int
    data: bytes
    """The record bytes."""

    @property
    def used(self) -> int:
        return PAGE_HEADER_BYTES + len(self.data)

    @property
    def rank(self) -> Rank:
        """Of two versions of a page the one with the higher rank is the later."""
        return self.epoch, self.used


class BadPage(NamedTuple):
    """A page that is not what should be in its place."""

    why: str
    holds_lsn: int = 0
    """If it is a whole page of this log: the LSN it is for."""
    absent: bool = False
    """There is no file for it."""


class _Header(NamedTuple):
    used: int
    first: int
    before: int
    epoch: int
    log_id: bytes
    lsn: int
    durable: int


def _header(block: bytes, offset: int) -> _Header | None:
    """The header of a whole page of any log."""
    magic, used, first, before, epoch, log_id, lsn, durable, checksum = PAGE_HEADER.unpack_from(block, offset)
    if magic != PAGE_MAGIC or checksum != page_checksum(memoryview(block), offset):
        return None
    return _Header(used, first, before, epoch, log_id, lsn, durable)


class DumpSource:
    """A log folder, open for reading. LogError if there is nothing of a log in it."""

    def __init__(self, files: Files, folder: str) -> None:
        self._files = files
        self.folder = folder
        self.control: ControlState | None = None
        self.control_problem = ""
        self.log_id = b""
        self.extent_bytes = 0
        self.extents: dict[int, int] = {}
        """Extent number to file number, oldest first."""
        self._open_number = -1
        self._open_file: File | None = None
        self._block_lsn = 0
        self._block = b""
        self._copies: dict[int, Page] = {}
        self.survey()

    def close(self) -> None:
        self._block = b""
        self._open_number = -1
        if self._open_file is not None:
            self._open_file.close()
            self._open_file = None

    # ---- which file holds what ----

    def survey(self) -> None:
        """Look which extents there are now. A running queue manager changes that."""
        self.close()
        try:
            names = self._files.list(self.folder)
        except OSError as error:
            raise LogError(f"{self.folder}: no log can be read there: {error.strerror or error}") from error
        found = {number for name in names if (number := extent_number(name)) is not None}
        self._read_control()
        if not found and self.control is None:
            raise LogError(f"{self.folder}: there is no log in this folder: no {extent_name(0)}, no {CONTROL_FILE}")
        self._measure(found)
        placed: dict[int, int] = {}
        if self.control is not None:
            placed = {self.control.base + i: number for i, number in enumerate(self.control.ring)}
        for number in sorted(found - set(placed.values())):
            extent = self._extent_in(number)
            if extent is not None:
                placed.setdefault(extent, number)
        self.extents = dict(sorted(placed.items()))
        self._read_copies()

    def _read_control(self) -> None:
        """Its two slots are written one after the other: a reader that hits both moments tries again."""
        for _ in range(_CONTROL_TRIES):
            try:
                slots, state = open_control(self._files, self.folder)
                slots.close()
            except LogDamaged as error:
                self.control_problem = error.what
            except OSError as error:
                self.control_problem = f"it cannot be read: {error.strerror or error}"
            else:
                if state.config.file_pages < 1 or len(set(state.ring)) != len(state.ring):
                    self.control_problem = "its content makes no sense"
                    break
                self.control, self.control_problem = state, ""
                return
        self.control = None

    def _measure(self, found: set[int]) -> None:
        """The log's id and the size of its extents: from the control file, else what most of the extents say."""
        if self.control is not None:
            self.log_id = self.control.log_id
            self.extent_bytes = self.control.config.extent_bytes
            return
        sizes: Counter[int] = Counter()
        ids: Counter[bytes] = Counter()
        for number in sorted(found):
            size, header = self._first_page(number)
            sizes[size - size % PAGE_BYTES] += 1
            if header is not None:
                ids[header.log_id] += 1
        self.extent_bytes = max(sizes.most_common(1)[0][0], PAGE_BYTES)
        self.log_id = ids.most_common(1)[0][0] if ids else b""

    def _first_page(self, number: int) -> tuple[int, _Header | None]:
        """The size of an extent file, and the header of the first whole page of some log in it."""
        try:
            file = self._files.open(self.path(number))
        except OSError:
            return 0, None
        try:
            size = file.size()
            for offset in range(0, size, _BLOCK_BYTES):
                block = file.read(offset, _BLOCK_BYTES)
                for position in range(0, len(block) - PAGE_BYTES + 1, PAGE_BYTES):
                    header = _header(block, position)
                    if header is not None:
                        return size, header
            return size, None
        except OSError:
            return 0, None
        finally:
            file.close()

    def _extent_in(self, number: int) -> int | None:
        """The extent that an extent file says it holds."""
        header = self._first_page(number)[1]
        if header is None or header.log_id != self.log_id:
            return None
        return header.lsn // self.extent_bytes

    def _read_copies(self) -> None:
        """The tail file and the shadow hold pages that stand in where the extent has none, or an earlier version."""
        self._copies = {}
        for name in (TAIL_FILE, SHADOW_FILE):
            try:
                file = self._files.open(f"{self.folder}/{name}")
            except OSError:
                continue
            try:
                for offset in range(0, file.size() - PAGE_BYTES + 1, PAGE_BYTES):
                    self._note_copy(file.read(offset, PAGE_BYTES))
            except OSError:
                pass
            finally:
                file.close()

    def _note_copy(self, data: bytes) -> None:
        header = _header(data, 0) if len(data) == PAGE_BYTES else None
        page = self._interpret(header.lsn, data, 0) if header is not None else None
        if isinstance(page, Page):
            known = self._copies.get(page.lsn)
            if known is None or page.rank > known.rank:
                self._copies[page.lsn] = page

    # ---- pages ----

    def path(self, number: int) -> str:
        return f"{self.folder}/{extent_name(number)}"

    def file_of(self, lsn: int) -> str:
        """The name of the file that holds an LSN; "" if none does."""
        number = self.extents.get(lsn // self.extent_bytes)
        return "" if number is None else extent_name(number)

    def page(self, lsn: int, *, fresh: bool = False) -> Page | BadPage:
        """The page at an LSN, or what is wrong with it; `fresh`: as it is at this moment."""
        if fresh:
            self._block = b""
        page = self._page_in_extent(lsn)
        copy = self._copies.get(lsn)
        if copy is not None and (isinstance(page, BadPage) or copy.rank > page.rank):
            return copy
        return page

    def _page_in_extent(self, lsn: int) -> Page | BadPage:
        if not self._block_lsn <= lsn < self._block_lsn + len(self._block):
            problem = self._read_block(lsn)
            if problem is not None:
                return problem
        return self._interpret(lsn, self._block, lsn - self._block_lsn)

    def _interpret(self, lsn: int, block: bytes, offset: int) -> Page | BadPage:
        if offset + PAGE_BYTES > len(block):
            return BadPage("the extent is cut off here")
        header = _header(block, offset)
        if header is None:
            page = block[offset : offset + PAGE_BYTES]
            if not any(page):
                return BadPage("the page was never written")
            return BadPage("checksum error" if page.startswith(PAGE_MAGIC) else "the page has no log page header")
        if header.log_id != self.log_id:
            return BadPage("the page belongs to another log")
        if header.lsn != lsn:
            return BadPage(f"the page holds LSN {header.lsn}", header.lsn)
        used, first = header.used, header.first
        if not PAGE_HEADER_BYTES <= used <= PAGE_BYTES or (first and not PAGE_HEADER_BYTES <= first < used):
            return BadPage(f"the page header makes no sense (used {used}, first record at {first})")
        data = block[offset + PAGE_HEADER_BYTES : offset + used]
        return Page(lsn, first, header.before, header.epoch, header.durable, data)

    def _read_block(self, lsn: int) -> BadPage | None:
        """Read the block that begins with the page at an LSN; returns what went wrong."""
        extent, offset = divmod(lsn, self.extent_bytes)
        self._block = b""
        number = self.extents.get(extent)
        if number is None:
            last = extent > max(self.extents, default=-1)
            return BadPage("the last extent ends here" if last else f"no file holds extent {extent}", absent=True)
        try:
            file = self._opened(number)
        except FileNotFoundError:
            return BadPage(f"extent file {extent_name(number)} is missing", absent=True)
        except OSError as error:
            why = f"extent file {extent_name(number)} cannot be opened: {error.strerror or error}"
            return BadPage(why, absent=True)
        length = min(_BLOCK_BYTES - offset % _BLOCK_BYTES, self.extent_bytes - offset)
        try:
            block = file.read(offset, length)
        except OSError:
            try:
                # Perhaps a single sector: take what can be had, page by page.
                block = file.read(offset, PAGE_BYTES)
            except OSError as error:
                return BadPage(f"the page cannot be read: {error.strerror or error}")
        self._block_lsn, self._block = lsn, block
        return None

    def _opened(self, number: int) -> File:
        if self._open_file is None or self._open_number != number:
            self.close()
            self._open_file = self._files.open(self.path(number))
            self._open_number = number
        return self._open_file

    def good_pages(self, lsn: int) -> Iterator[Page]:
        """The usable pages from an LSN on, whatever lies between them."""
        for extent in [number for number in self.extents if (number + 1) * self.extent_bytes > lsn]:
            start = max(lsn, extent * self.extent_bytes)
            for page_lsn in range(start, (extent + 1) * self.extent_bytes, PAGE_BYTES):
                page = self.page(page_lsn)
                if isinstance(page, Page):
                    yield page
                elif page.absent:
                    break  # its other pages are not there either
