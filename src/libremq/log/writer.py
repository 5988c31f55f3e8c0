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

from libremq.common.files.direct_files import aligned_memory
from libremq.log.extents import Extents
from libremq.log.pages import (
    EPOCH_START,
    PAGE_BYTES,
    PAGE_DATA_BYTES,
    PAGE_HEADER_BYTES,
    fill_page,
    first_start,
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


class Written:
    """A batch on disk: what the next one must know of its last page, and what it took to get it there.

    It counts from when the caller has made it the writer's state, and is not changed.
    """

    __slots__ = ("before", "durable", "image", "in_shadow", "lsn", "number", "size", "writes")

    def __init__(
        self, durable: int, before: int, lsn: int, image: bytes, in_shadow: bool, number: int, size: int, writes: int
    ) -> None:
        self.durable = durable
        """The exact LSN up to which all is on disk."""
        self.before = before
        """What the next page to be built says of the page before it."""
        self.lsn = lsn
        """Of the last page."""
        self.image = image
        """The last page, if it is not at home in its last version or will be written again; else nothing."""
        self.in_shadow = in_shadow
        """Its last version is in the shadow only."""
        self.number = number
        """Of the file that it belongs to."""
        self.size = size
        """Bytes written to each copy."""
        self.writes = writes


class PageWriter:
    """Writes batches, one after the other.

    `write` changes nothing here: an interrupt may strike before its outcome is noted, and then the same batch is
    written again, to the same places.
    """

    __slots__ = ("_epoch", "_extents", "_recent_bytes", "_room", "_shadow", "last")

    def __init__(
        self, extents: Extents, shadow: Shadow | None, epoch: int, durable: int, used_before: int, buffer_bytes: int
    ) -> None:
        """`shadow` is None for SingleWrite; `used_before` the bytes used in the page before the first, 0 if none.

        Larger batches than `buffer_bytes` are written in pieces.
        """
        self._room = aligned_memory(buffer_bytes)
        self._extents = extents
        self._shadow = shadow
        self._epoch = epoch
        self._recent_bytes = 0
        self.last = Written(durable, EPOCH_START | used_before, 0, b"", False, 0, 0, 0)

    def next_begin(self, begin: int, end: int) -> int:
        """Where the batch after one from `begin` to `end` is to begin. To be asked for each batch, in order."""
        if self._shadow is None:
            return end
        boundary = -(-end // PAGE_DATA_BYTES) * PAGE_DATA_BYTES
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
        if extents.helper is not None:
            extents.helper.wait_for_all()
        room = self._room
        last = self.last
        before = last.before
        begin = batch.begin
        end = batch.end
        stream = b"".join(batch.pieces)
        length = end - begin
        if len(stream) != length:
            stream = stream[:length]  # the rest is of an append that was interrupted
        page = begin // PAGE_DATA_BYTES
        lsn = page * PAGE_BYTES
        at = 0
        first = 0
        shadow = None
        if inside := begin % PAGE_DATA_BYTES:
            image = last.image
            first = first_start(image)
            stream = image[PAGE_HEADER_BYTES : PAGE_HEADER_BYTES + inside] + stream
            length += inside
            if not last.in_shadow:
                shadow = self._shadow
        elif last.in_shadow:
            # The page before was left with its last version in the shadow: it goes home on the way.
            at = PAGE_BYTES
            room[:at] = last.image
            lsn -= at
        extent_bytes = extents.extent_bytes
        limit = min(len(room), extent_bytes - lsn % extent_bytes)
        starts = [start for start in batch.starts if start < end]
        data: bytes | memoryview = stream if length <= PAGE_DATA_BYTES else memoryview(stream)
        size = writes = done = 0
        in_shadow = False
        while True:
            if starts and starts[0] // PAGE_DATA_BYTES == page:
                start = starts.pop(0) % PAGE_DATA_BYTES + PAGE_HEADER_BYTES
                first = first or start
            piece = data[done : done + PAGE_DATA_BYTES]
            fill_page(room, at, extents.log_id, self._epoch, last.durable, page, piece, first, before)
            at += PAGE_BYTES
            done += PAGE_DATA_BYTES
            if shadow is not None:
                if not batch.shadowed:
                    shadow.write(room[:at])
                    batch.shadowed = True
                shadow = None
                writes = 1
                size = at
                if done >= length:
                    in_shadow = True
                    number = extents.number_of(lsn)
                    break
            if done >= length or at == limit:
                number = extents.write(lsn, room[:at])
                writes += 1
                size += at
                if done >= length:
                    break
                lsn += at
                limit = min(len(room), extent_bytes - lsn % extent_bytes)
                at = 0
            page += 1
            first = 0
            before = PAGE_BYTES
        if extents.unsettled:
            extents.settle()
        goes_on = batch.next_begin % PAGE_DATA_BYTES
        image = bytes(room[at - PAGE_BYTES : at]) if goes_on or in_shadow else b""
        if not goes_on:
            before = PAGE_HEADER_BYTES + (end - 1) % PAGE_DATA_BYTES + 1
        durable = end + PAGE_HEADER_BYTES * (end // PAGE_DATA_BYTES + 1)
        return Written(durable, before, page * PAGE_BYTES, image, in_shadow, number, size, writes)

    def close(self) -> None:
        if self._shadow is not None:
            self._shadow.close()
