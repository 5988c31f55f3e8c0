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

from libremq.log.extents import Extents
from libremq.log.pages import (
    EPOCH_START,
    PAGE_BYTES,
    PAGE_DATA_BYTES,
    PAGE_HEADER_BYTES,
    build_pages,
    first_start,
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


class Written(NamedTuple):
    """A batch on disk: what the next one must know of its last page, and what it took to get it there.

    It counts from when the caller has made it the writer's state.
    """

    durable: int
    """The exact LSN up to which all is on disk."""
    before: int
    """What the next page to be built says of the page before it."""
    data: bytes
    """If the next batch goes on in the last page: what that page holds."""
    first: int
    """Where the first record that starts in it does."""
    lsn: int
    """Of the last page."""
    image: bytes
    in_shadow: bool
    """Its last version is in the shadow only."""
    number: int
    """Of the file that it belongs to."""
    size: int
    """Bytes written to each copy."""
    writes: int

    def latest(self) -> dict[int, bytes]:
        """For readers: the page that is not at home in its last version, or will be written again."""
        return {self.lsn: self.image} if self.data or self.in_shadow else {}


class PageWriter:
    """Writes batches, one after the other.

    `write` changes nothing here: an interrupt may strike before its outcome is noted, and then the same batch is
    written again, to the same places.
    """

    __slots__ = ("_epoch", "_extents", "_recent_bytes", "_shadow", "last")

    def __init__(self, extents: Extents, shadow: Shadow | None, epoch: int, durable: int, used_before: int) -> None:
        """`shadow` is None for SingleWrite; `used_before` the bytes used in the page before the first, 0 if none."""
        self._extents = extents
        self._shadow = shadow
        self._epoch = epoch
        self._recent_bytes = 0
        self.last = Written(durable, EPOCH_START | used_before, b"", 0, 0, b"", False, 0, 0, 0)

    def next_begin(self, begin: int, end: int) -> int:
        """Where the batch after one from `begin` to `end` is to begin. To be asked for each batch, in order."""
        if self._shadow is None:
            return end
        boundary = page_end(end)
        # The largest batch lately, forgotten slowly: going on in a page in vain costs a write, leaving it only space.
        recent = self._recent_bytes
        recent -= recent >> _FORGET_SHIFT
        if end - begin > recent:
            recent = end - begin
        self._recent_bytes = recent
        if boundary - end < recent:
            return boundary
        # An extent's last page is never left in the shadow: once the log is in the next one, this one may go.
        return boundary if boundary // PAGE_DATA_BYTES * PAGE_BYTES % self._extents.extent_bytes == 0 else end

    def write(self, batch: Batch) -> Written:
        """Write a batch and make it durable."""
        extents = self._extents
        last = self.last
        inside = batch.begin % PAGE_DATA_BYTES
        begin = batch.begin - inside
        lsn = begin // PAGE_DATA_BYTES * PAGE_BYTES
        pieces = batch.pieces
        first = 0
        if inside:
            pieces = [last.data, *pieces]
            first = last.first
        pages = build_pages(
            extents.log_id, self._epoch, last.durable, begin, batch.end, pieces, batch.starts, last.before, first
        )
        count = len(pages)
        writes = 1
        size = count * PAGE_BYTES
        in_shadow = False
        shadow = self._shadow
        if shadow is not None and inside and not last.in_shadow:
            if not batch.shadowed:
                shadow.write(pages[0])
                batch.shadowed = True
            in_shadow = count == 1
            if not in_shadow:
                writes += 1
                size += PAGE_BYTES
        if in_shadow:
            number = extents.number_of(lsn)
        elif last.in_shadow and not inside:
            # The page before was left with its last version in the shadow: it goes home on the way.
            size += PAGE_BYTES
            touched = extents.write(last.lsn, [last.image, *pages])
            writes += len(touched) - 1
            number = touched[-1].number
        else:
            touched = extents.write(lsn, pages)
            writes += len(touched) - 1
            number = touched[-1].number
        image = pages[-1]
        end = batch.end
        durable = lsn_of(end)
        used = PAGE_HEADER_BYTES + (end - 1) % PAGE_DATA_BYTES + 1
        lsn += (count - 1) * PAGE_BYTES
        if batch.next_begin % PAGE_DATA_BYTES == 0:
            return Written(durable, used, b"", 0, lsn, image, in_shadow, number, size, writes)
        before = last.before if count == 1 else PAGE_BYTES
        data = image[PAGE_HEADER_BYTES:used]
        return Written(durable, before, data, first_start(image), lsn, image, in_shadow, number, size, writes)

    def close(self) -> None:
        if self._shadow is not None:
            self._shadow.close()
