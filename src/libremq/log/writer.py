"""Batches of records become pages on disk.

A force seldom ends at the end of a page. What happens to the rest of the page?

- *SingleWrite*: the next batch goes on in it, and the page is overwritten in place. A torn write would lose what was
  promised before, so this is for devices that write 4 KiB as a whole.
- *TripleWrite*: the next batch goes on in it if it can be expected to fit, and the page's versions go to its home and
  to the shadow (shadow.py) in turn. If it cannot, the page is left as it is and the next batch begins on a new one:
  then no page is written twice, the cheapest safety there is, and many committers share each force anyway.

Only when a batch turns out larger than any lately, begins in a page whose last version is at home, and does not fit,
the page goes to the shadow first and then, with the rest, home: two writes, one after the other.
"""

from __future__ import annotations

from typing import NamedTuple

from libremq.common.files import Buffer
from libremq.log.extents import Extents
from libremq.log.pages import (
    EPOCH_START,
    PAGE_BYTES,
    PAGE_DATA_BYTES,
    PAGE_HEADER_BYTES,
    build_pages,
    lsn_of,
    page_end,
)
from libremq.log.shadow import Shadow

_FORGET_SHIFT = 6
"""The size of a large batch is forgotten by a 64th with each that follows. With an eighth, ten committers had 17 % more
writes; with a 64th, under one percent."""


class Batch:
    """What a force takes from the buffer: records from one stream position to another."""

    __slots__ = ("begin", "end", "next_begin", "pieces", "records", "shadowed", "starts")

    def __init__(
        self, begin: int, end: int, next_begin: int, pieces: list[bytes], starts: list[int], records: int
    ) -> None:
        self.begin = begin
        self.end = end
        self.next_begin = next_begin
        """Where the batch after it begins: at its end, or at the start of the next page."""
        self.pieces = pieces
        self.starts = starts
        self.records = records
        self.shadowed = False


class Page(NamedTuple):
    """The page written last: what the batch that goes on in it, or behind it, must know."""

    durable: int
    """The exact LSN up to which all is on disk."""
    before: int
    """What the next page to be built says of the page before it."""
    data: bytes = b""
    """If the next batch goes on in this page: what it holds."""
    first: int = 0
    """Where the first record that starts in it does."""
    image: tuple[Buffer, ...] = ()
    lsn: int = 0
    in_shadow: bool = False
    """Its last version is in the shadow only."""


class Written(NamedTuple):
    """What became of a batch. It counts from when the caller has made it the writer's state."""

    page: Page
    latest: dict[int, bytes]
    """For readers: the page that is not at home in its last version, or will be written again."""
    number: int
    """Of the file that took the last page."""
    bytes: int
    """Written to each copy."""
    writes: int


class PageWriter:
    """Writes batches, one after the other.

    `write` changes nothing here: an interrupt may strike before its outcome is noted, and then the same batch is
    written again, to the same places.
    """

    __slots__ = ("_epoch", "_extents", "_recent_bytes", "_shadow", "page")

    def __init__(self, extents: Extents, shadow: Shadow | None, epoch: int, durable: int, used_before: int) -> None:
        """`shadow` is None for SingleWrite; `used_before` the bytes used in the page before the first, 0 if none."""
        self._extents = extents
        self._shadow = shadow
        self._epoch = epoch
        self._recent_bytes = 0
        self.page = Page(durable, EPOCH_START | used_before)

    def next_begin(self, begin: int, end: int) -> int:
        """Where the batch after one from `begin` to `end` is to begin. To be asked for each batch, in order."""
        if self._shadow is None:
            return end
        boundary = page_end(end)
        # The largest batch lately, forgotten slowly: going on in a page in vain costs a write, leaving it only space.
        self._recent_bytes = max(end - begin, self._recent_bytes - (self._recent_bytes >> _FORGET_SHIFT))
        if boundary - end < self._recent_bytes:
            return boundary
        # An extent's last page is never left in the shadow: once the log is in the next one, this one may go.
        return boundary if boundary // PAGE_DATA_BYTES * PAGE_BYTES % self._extents.extent_bytes == 0 else end

    def write(self, batch: Batch) -> Written:
        """Write a batch and make it durable."""
        extents = self._extents
        page = self.page
        inside = batch.begin % PAGE_DATA_BYTES
        begin = batch.begin - inside
        lsn = begin // PAGE_DATA_BYTES * PAGE_BYTES
        pieces = [page.data, *batch.pieces] if inside else batch.pieces
        first = page.first if inside else 0
        buffers = build_pages(
            extents.log_id, self._epoch, page.durable, begin, batch.end, pieces, batch.starts, page.before, first
        )
        pages = len(buffers) // 2
        writes = 1
        size = pages * PAGE_BYTES
        in_shadow = False
        shadow = self._shadow
        if shadow is not None and inside and not page.in_shadow:
            if not batch.shadowed:
                shadow.write(buffers[:2])
                batch.shadowed = True
            in_shadow = pages == 1
            if not in_shadow:
                writes += 1
                size += PAGE_BYTES
        if not in_shadow:
            home = buffers
            home_lsn = lsn
            if page.in_shadow and not inside:
                # The page before was left with its last version in the shadow: it goes home on the way.
                home = [*page.image, *buffers]
                home_lsn = page.lsn
                size += PAGE_BYTES
            touched = extents.write(home_lsn, home)
            writes += len(touched) - 1
            extents.sync(touched)
        last = _last_page(page, batch, lsn + (pages - 1) * PAGE_BYTES, buffers, in_shadow)
        latest = {last.lsn: b"".join(last.image)} if last.data or in_shadow else {}
        return Written(last, latest, extents.number_of(last.lsn), size, writes)

    def close(self) -> None:
        if self._shadow is not None:
            self._shadow.close()


def _last_page(page: Page, batch: Batch, lsn: int, buffers: list[Buffer], in_shadow: bool) -> Page:
    """The page at the end of a batch, for the one after it."""
    durable = lsn_of(batch.end)
    image = (buffers[-2], buffers[-1])
    used = (batch.end - 1) % PAGE_DATA_BYTES + 1
    if batch.next_begin % PAGE_DATA_BYTES == 0:
        return Page(durable, PAGE_HEADER_BYTES + used, image=image, lsn=lsn, in_shadow=in_shadow)
    one_page = len(buffers) == 2
    first = page.first if one_page and batch.begin % PAGE_DATA_BYTES else 0
    if not first:
        number = lsn // PAGE_BYTES
        starts = (start for start in batch.starts if start // PAGE_DATA_BYTES == number)
        first = next((start % PAGE_DATA_BYTES + PAGE_HEADER_BYTES for start in starts), 0)
    return Page(
        durable, page.before if one_page else PAGE_BYTES, bytes(buffers[-1][:used]), first, image, lsn, in_shadow
    )
