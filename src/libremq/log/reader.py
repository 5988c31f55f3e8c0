"""Reading the log: a walk over pages that decides where the log ends, records put together from them, one by LSN.

The walk accepts a page only if magic, log id, LSN and checksum are right and it continues the one before: it says how
many bytes of that one were in use, and has the same epoch, or a higher one in a page that says it begins it. Anything
else is where the log ends. Whether that is the true end or damage is told by what was promised: see `find_end`.

Records have checksums of their own. So pages whose checksum was right when the log was opened are not summed up again
when their records are read; where anything in them is not as it should be then, they are read as all others are.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

from libremq.common.checksum import crc32
from libremq.log.extents import Extents
from libremq.log.log_control_file import ControlState
from libremq.log.log_errors import LogDamaged, LogError
from libremq.log.pages import (
    BAD,
    EPOCH_START,
    FIRST_LSN,
    PAGE_BYTES,
    PAGE_DATA_BYTES,
    PAGE_HEADER,
    PAGE_HEADER_BYTES,
    PAGE_MAGIC,
    lsn_of,
    page_checksum,
    page_rank,
    stream_of,
)
from libremq.log.records import (
    RECORD_HEADER,
    RECORD_HEADER_BYTES,
    RECORD_PREFIX,
    Record,
    RecordFields,
    new_record,
    parse_record,
)

BLOCK_BYTES = 256 * 1024
_BLOCKS_CACHED_MAX = 16
_REREADS_MAX = 2
"""So often a page that cannot be used is read again: a bad read may be the only one, and the verdict ends a start."""
_DAMAGE_ACTION = (
    "Records that were on disk are gone. Restore the log folder and the queue manager's folder from a backup"
)

Page = tuple[int, int, int, bytes]
"""LSN, epoch, offset of the first record that starts here (0: none), the record bytes in use."""


class PageWalk:
    """Iterates over the good pages from a page on; then `end_lsn` is the first page it refused and `why` the reason."""

    __slots__ = (
        "_epoch_lowest",
        "_epoch_start",
        "_extents",
        "_limit",
        "_log_id",
        "_rereads",
        "_sums_up",
        "durable",
        "end_lsn",
        "epoch",
        "used",
        "why",
    )

    def __init__(
        self,
        extents: Extents,
        page_lsn: int,
        limit_lsn: int,
        epoch_start: int = 0,
        epoch_lowest: int = 0,
        *,
        sums_up: bool = True,
    ) -> None:
        """From LSN `epoch_start` on, pages of an epoch before `epoch_lowest` do not count.

        Not `sums_up`: the checksums of pages are not looked at.
        """
        assert page_lsn % PAGE_BYTES == 0
        self._sums_up = sums_up
        self._extents = extents
        self._log_id = extents.log_id
        self._limit = limit_lsn
        self._epoch_start = epoch_start
        self._epoch_lowest = epoch_lowest
        self.end_lsn = page_lsn
        self.epoch = 0
        self.used = 0
        self.durable = 0
        """What the last good page says was durable before it."""
        self.why = ""
        self._rereads = 0

    def __iter__(self) -> Iterator[Page]:
        lsn = self.end_lsn
        limit = self._limit
        sums_up = self._sums_up
        unpack = PAGE_HEADER.unpack_from
        while lsn < limit:
            block = self._extents.read(lsn, min(BLOCK_BYTES - lsn % BLOCK_BYTES, limit - lsn))
            if len(block) < PAGE_BYTES:
                self.why = "the ring of extents ends"
                return
            view = memoryview(block)
            for offset in range(0, len(block) - PAGE_BYTES + 1, PAGE_BYTES):
                magic, used, first, before, epoch, log_id, page_lsn, durable, checksum = unpack(block, offset)
                if page_lsn != lsn or magic != PAGE_MAGIC or log_id != self._log_id:
                    if self._is_read_otherwise(lsn, block[offset : offset + PAGE_BYTES]):
                        break
                    self.why = _strange_page(block[offset : offset + PAGE_BYTES], lsn, self._log_id)
                    return
                if sums_up and checksum != page_checksum(view, offset):
                    if self._is_read_otherwise(lsn, block[offset : offset + PAGE_BYTES]):
                        break
                    self.why = "checksum error"
                    return
                if epoch < self._epoch_lowest and lsn >= self._epoch_start:
                    self.why = f"the page is left over from epoch {epoch}, before epoch {self._epoch_lowest}"
                    return
                if epoch != self.epoch:
                    if epoch < self.epoch:
                        self.why = f"the page is left over from epoch {epoch}, before epoch {self.epoch}"
                        return
                    if self.epoch and not before & EPOCH_START:
                        self.why = f"the page belongs to epoch {epoch}, whose earlier pages are not there"
                        return
                    if self.epoch and before != EPOCH_START and before != EPOCH_START | self.used:
                        self.why = f"the page begins epoch {epoch} after a version of the page before that is not there"
                        return
                    self.epoch = epoch
                elif before != self.used:
                    self.why = "the page continues a version of the page before that is not there"
                    return
                self.used = used
                self.durable = durable
                self.end_lsn = lsn + PAGE_BYTES
                yield lsn, epoch, first, block[offset + PAGE_HEADER_BYTES : offset + used]
                lsn += PAGE_BYTES
        self.why = "end of the log"

    def _is_read_otherwise(self, lsn: int, page: bytes) -> bool:
        """Does a page that cannot be used come otherwise from the disk now? Then the walk goes on with a fresh read."""
        if self._rereads >= _REREADS_MAX or self._extents.read(lsn, PAGE_BYTES) == page:
            return False
        self._rereads += 1
        return True


def _strange_page(page: bytes, lsn: int, log_id: bytes) -> str:
    magic, _, _, _, _, found_id, found_lsn, _, _ = PAGE_HEADER.unpack_from(page)
    if not any(page):
        return "the page was never written"
    if magic != PAGE_MAGIC:
        return "the page has no log page header"
    if found_id != log_id:
        return "the page belongs to another log"
    return f"the page holds LSN {found_lsn}"


class RecordWalk:
    """Iterates over the records of a page walk from an LSN on; then `end_lsn` is just after the last whole one."""

    __slots__ = ("_checked_lsn", "_extents", "_limit", "_walk", "end_lsn")

    def __init__(self, extents: Extents, from_lsn: int, limit_lsn: int, checked_lsn: int = 0) -> None:
        """The pages before `checked_lsn` were found right before."""
        self._extents = extents
        self._limit = limit_lsn
        self._checked_lsn = min(checked_lsn, limit_lsn)
        self._walk = PageWalk(extents, from_lsn - from_lsn % PAGE_BYTES, limit_lsn)
        self.end_lsn = max(from_lsn, FIRST_LSN)

    @property
    def why(self) -> str:
        return self._walk.why

    @property
    def refused_lsn(self) -> int:
        """The page where the walk stopped."""
        return self._walk.end_lsn

    def __iter__(self) -> Iterator[Record]:
        for run in self.runs():
            yield from map(new_record, run)

    def runs(self) -> Iterator[list[RecordFields]]:
        """The records of a page at a time, those that end in it; `end_lsn` is after them."""
        page_lsn = self.end_lsn - self.end_lsn % PAGE_BYTES
        if page_lsn < self._checked_lsn:
            walk = PageWalk(self._extents, page_lsn, self._checked_lsn, sums_up=False)
            yield from self._runs(walk, trusting=True)
            # From the last whole record on, whatever stopped it: the end of these pages, or one that is not as it was
            self._walk = PageWalk(self._extents, self.end_lsn - self.end_lsn % PAGE_BYTES, self._limit)
        yield from self._runs(self._walk, trusting=False)

    def _runs(self, walk: PageWalk, *, trusting: bool) -> Iterator[list[RecordFields]]:
        """Trusting, it stops before whatever cannot be; else that is damage, or where the log ends."""
        unpack, header_bytes, prefix_bytes = RECORD_HEADER.unpack_from, RECORD_HEADER_BYTES, RECORD_PREFIX.size
        skip = max(0, self.end_lsn % PAGE_BYTES - PAGE_HEADER_BYTES)
        pieces: list[bytes] = []  # of a record that goes on in the next page
        have = need = 0
        start_lsn = 0
        last_epoch = 0
        for page_lsn, epoch, first, data in walk:
            data_lsn = page_lsn + PAGE_HEADER_BYTES
            position = 0
            if epoch != last_epoch:
                if trusting and last_epoch:
                    return
                # What an earlier incarnation left unfinished was never promised to anyone.
                pieces = []
                last_epoch = epoch
            if skip:
                position, skip = skip, 0
            elif not pieces and first != PAGE_HEADER_BYTES:
                if trusting:
                    return
                # The walk began inside a record that started before it; go on at the first that starts here.
                if first == 0:
                    continue
                position = first - PAGE_HEADER_BYTES
            if pieces:
                pieces.append(data)
                carried = have
                have += len(data)
                if have < need:
                    continue
                data = b"".join(pieces)
                length = int.from_bytes(data[:4], "little")
                if have < length:
                    pieces = [data]
                    need = length
                    continue
                pieces = []
                lsn = start_lsn
                data_lsn -= carried
            else:
                lsn = data_lsn + position
            size = len(data)
            last = size - header_bytes
            run: list[RecordFields] = []
            while position <= last:
                length, type_, flags, txn, prev_lsn, checksum = unpack(data, position)
                end = position + length
                if end > size:
                    break
                payload = data[position + header_bytes : end]
                if crc32(payload, crc32(data[position : position + prefix_bytes])) != checksum or length < header_bytes:
                    if run:
                        self.end_lsn = lsn
                        yield run
                    if trusting:
                        return
                    what = f"the record at LSN {lsn} has a wrong checksum in a page that has a right one"
                    raise LogDamaged(self._extents.path_of(lsn), what, _DAMAGE_ACTION)
                next_lsn = data_lsn + end
                if end == size and next_lsn % PAGE_BYTES == 0:
                    next_lsn += PAGE_HEADER_BYTES
                run.append((lsn, next_lsn, type_, flags, txn, prev_lsn, payload))
                position = end
                lsn = next_lsn
            if position < size:
                pieces = [data[position:]]
                have = size - position
                need = length if have >= RECORD_HEADER_BYTES else RECORD_HEADER_BYTES
                start_lsn = lsn
            if run:
                self.end_lsn = lsn
                yield run


class LogEnd(NamedTuple):
    """Where a log ends."""

    from_lsn: int
    """The page from which on all were checked to find it."""
    lsn: int
    """Just after the last whole record."""
    page_lsn: int
    """The first page after it, where the log goes on."""
    used_before: int
    """Bytes used in the page before that one, 0 if it cannot be read."""
    witnessed: int
    """Up to this LSN something written later, or the control file, says that the log was on disk."""
    epoch: int
    """The highest seen."""
    why: str

    @property
    def checked_lsn(self) -> int:
        """The page before which all were right when the log was opened, and nobody writes to them any more.

        Not the last one: nothing behind it says how much of it is in use.
        """
        return self.page_lsn - PAGE_BYTES

    @property
    def doubtful_lsn(self) -> int:
        """The first page that nothing says is on disk as it is; `page_lsn` if there is none."""
        used_end = self.page_lsn - PAGE_BYTES + self.used_before
        if stream_of(self.witnessed) >= stream_of(used_end):
            return self.page_lsn
        return self.witnessed - self.witnessed % PAGE_BYTES


def find_end(extents: Extents, state: ControlState) -> LogEnd:
    """Find the end of the log; changes nothing.

    The pages from the checkpoint on are checked, but records only since the last page in which a whole one starts.
    Raises LogDamaged if the log ends before what the control file, or any page, says was durable.
    """
    limit = extents.end * extents.extent_bytes
    from_lsn = state.checkpoint or state.head
    first_page = from_lsn - from_lsn % PAGE_BYTES
    walk = PageWalk(extents, first_page, limit, state.epoch_start, state.epoch)
    end = end_of_records(extents, walk, from_lsn)
    ahead = look_ahead(extents, walk.end_lsn, limit)
    promised_lsn = max(state.durable, ahead.durable, walk.durable)
    if stream_of(end) < stream_of(promised_lsn):
        what = f"the log stops at LSN {walk.end_lsn} ({walk.why}), but it was on disk up to {promised_lsn}"
        raise LogDamaged(extents.path_of(walk.end_lsn), what, _DAMAGE_ACTION)
    page_lsn = page_after(end)
    used_before = 0
    if page_lsn:
        before_lsn = page_lsn - PAGE_BYTES
        used_before = page_rank(extents.read(before_lsn, PAGE_BYTES), extents.log_id, before_lsn)[1]
    epoch = max(ahead.epoch, walk.epoch)
    return LogEnd(first_page, end, page_lsn, used_before, promised_lsn, epoch, walk.why)


def end_of_records(extents: Extents, walk: PageWalk, from_lsn: int) -> int:
    """Walk the pages to their end; returns the LSN just after the last record from `from_lsn` on that is whole."""
    end = max(from_lsn, FIRST_LSN)
    starts = [end]
    for page_lsn, _, first, _ in walk:
        if first and page_lsn + first > end:
            starts.append(page_lsn + first)
    found = False
    while starts and not found:
        # Where the last start is of a record that is not whole, the one before decides.
        for record in RecordWalk(extents, starts.pop(), walk.end_lsn):
            end = record.next_lsn
            found = True
    return end


def page_after(end_lsn: int) -> int:
    """The LSN of the first page after the end of the records."""
    return -(-stream_of(end_lsn) // PAGE_DATA_BYTES) * PAGE_BYTES


class Ahead(NamedTuple):
    """What good pages after some LSN tell, whatever lies between them."""

    epoch: int
    """The highest."""
    durable: int
    """The highest LSN up to which the log was on disk."""
    last_lsn: int
    """The last of them; 0 if there is none."""


def look_ahead(extents: Extents, lsn: int, limit: int) -> Ahead:
    """What the good pages at or after an LSN tell."""
    epoch_max = durable_max = last_lsn = 0
    while lsn < limit:
        block = extents.read(lsn, BLOCK_BYTES - lsn % BLOCK_BYTES)
        if not block:
            break
        for offset in range(0, len(block) - PAGE_BYTES + 1, PAGE_BYTES):
            if not block.startswith(PAGE_MAGIC, offset):
                continue
            page = block[offset : offset + PAGE_BYTES]
            if page_rank(page, extents.log_id, lsn + offset) != BAD:
                _, _, _, _, epoch, _, _, durable, _ = PAGE_HEADER.unpack_from(page)
                epoch_max = max(epoch_max, epoch)
                durable_max = max(durable_max, durable)
                last_lsn = lsn + offset
        lsn += len(block)
    return Ahead(epoch_max, durable_max, last_lsn)


class RecordReader:
    """Single records by LSN, for walking a transaction's chain backwards. Reads blocks and keeps the last few.

    A block is kept with the LSN up to which its pages were final when it was read: behind that there may be a page that
    is still being filled, or one left over from an earlier epoch.
    """

    __slots__ = ("_blocks", "_extents", "_guard", "_log_id")

    def __init__(self, extents: Extents) -> None:
        self._extents = extents
        self._log_id = extents.log_id
        self._blocks: dict[int, tuple[bytes, int]] = {}
        self._guard = threading.Lock()

    def read(self, lsn: int, durable: int) -> Record:
        """The record at an LSN before `durable`, up to where the log is on disk."""
        if lsn % PAGE_BYTES < PAGE_HEADER_BYTES:
            raise LogError(f"LSN {lsn} is in a page header: no record starts there")
        final = durable - durable % PAGE_BYTES
        with self._guard:
            data, epoch = self._page(lsn - lsn % PAGE_BYTES, final)
            data = data[lsn % PAGE_BYTES - PAGE_HEADER_BYTES :]
            if not data:
                raise LogError(f"no record starts at LSN {lsn}")
            if len(data) < RECORD_HEADER_BYTES:
                data += self._continued(lsn, epoch, 1, final)
            length = int.from_bytes(data[:4], "little")
            end = stream_of(lsn) + length
            if end > stream_of(durable):
                raise LogError(f"no record starts at LSN {lsn}")
            if len(data) < length:
                pieces = [data]
                have = len(data)
                page = -(-(stream_of(lsn) + have) // PAGE_DATA_BYTES) - stream_of(lsn) // PAGE_DATA_BYTES
                while have < length:
                    piece = self._continued(lsn, epoch, page, final)
                    pieces.append(piece)
                    have += len(piece)
                    page += 1
                data = b"".join(pieces)
        record = parse_record(lsn, lsn_of(end), data, 0, length) if length >= RECORD_HEADER_BYTES else None
        if record is None:
            raise LogError(f"no record starts at LSN {lsn}, or its checksum is wrong")
        return record

    def _continued(self, lsn: int, epoch: int, pages: int, final: int) -> bytes:
        """The bytes of the page so many after the one that holds `lsn`."""
        page_lsn = lsn - lsn % PAGE_BYTES + pages * PAGE_BYTES
        data, found = self._page(page_lsn, final)
        if found != epoch or not data:
            raise LogError(f"the record at LSN {lsn} was never finished")
        return data

    def _page(self, page_lsn: int, final: int) -> tuple[bytes, int]:
        """The record bytes and the epoch of a page."""
        block_lsn = page_lsn - page_lsn % BLOCK_BYTES
        block, block_final = self._blocks.get(block_lsn, (b"", 0))
        offset = page_lsn - block_lsn
        if page_lsn >= block_final or offset + PAGE_BYTES > len(block):
            if page_lsn < final:
                block = self._read_block(block_lsn, page_lsn, final)
            else:
                block = self._extents.read(page_lsn, PAGE_BYTES)
                offset = 0
        page = block[offset : offset + PAGE_BYTES]
        rereads = 0
        while page_rank(page, self._log_id, page_lsn) == BAD:
            if rereads < _REREADS_MAX:
                rereads += 1
                self._blocks.pop(block_lsn, None)  # what was read wrong must not stay there
                page = self._extents.read(page_lsn, PAGE_BYTES)
                continue
            what = f"the page at LSN {page_lsn} cannot be read, or its checksum is wrong"
            raise LogDamaged(self._extents.path_of(page_lsn), what, _DAMAGE_ACTION)
        _, used, _, _, epoch, _, _, _, _ = PAGE_HEADER.unpack_from(page)
        return page[PAGE_HEADER_BYTES:used], epoch

    def _read_block(self, block_lsn: int, page_lsn: int, final: int) -> bytes:
        # The block may begin in the extent before; extents are whole blocks only for some sizes.
        first = max(block_lsn, page_lsn - page_lsn % self._extents.extent_bytes)
        block = bytes(first - block_lsn) + self._extents.read(first, block_lsn + BLOCK_BYTES - first)
        self._blocks.pop(block_lsn, None)
        if len(self._blocks) >= _BLOCKS_CACHED_MAX:
            del self._blocks[next(iter(self._blocks))]
        self._blocks[block_lsn] = block, final
        return block
