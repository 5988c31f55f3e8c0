"""Log pages: 4096 bytes, a 40-byte header, then the stream of records cut in pieces of 4056 bytes.

Two kinds of position: an LSN counts every byte of every page, headers too, so that it says where to look on disk; a
*stream position* counts record bytes only, so that adding a length gives the next one. `lsn_of` and `stream_of` go
between them. LSN 40 is the first a record can have, hence 0 is free to mean "none".

A page also says how much of the page before it was in use, so that versions of a page that do not belong together are
never joined; and up to where the log was durable when the page was written. That tells a page that was lost after it
had been promised (damage) from one that was never promised (the end of the log): see docs/internals/log-format.md.
"""

from __future__ import annotations

import struct

from libremq.common.checksum import crc32

PAGE_BYTES = 4096
PAGE_HEADER_BYTES = 40
PAGE_DATA_BYTES = PAGE_BYTES - PAGE_HEADER_BYTES
FIRST_LSN = PAGE_HEADER_BYTES

PAGE_MAGIC = b"LMQ\x02"
"""Three letters and the version of the page format."""

PAGE_HEADER = struct.Struct("<4sHHHI6sQQI")
"""Magic, bytes used, offset of the first record that starts here, bytes used in the page before, epoch, log id, LSN,
durable LSN, CRC-32."""

PAGE_PREFIX = struct.Struct("<4sHHHI6sQQ")
"""The header without its checksum."""

EPOCH_START = 0x8000
"""Set in 'bytes used in the page before' where an epoch begins; the rest of it is 0 if that is not known."""

_PREFIX_BYTES = PAGE_PREFIX.size
_ZEROS = memoryview(bytes(PAGE_BYTES))
_pack_prefix = PAGE_PREFIX.pack


def lsn_of(position: int) -> int:
    """The LSN of a stream position."""
    return position + PAGE_HEADER_BYTES * (position // PAGE_DATA_BYTES + 1)


def stream_of(lsn: int) -> int:
    """The stream position of an LSN; one inside a page header counts as the first byte after the header."""
    page, offset = divmod(lsn, PAGE_BYTES)
    return page * PAGE_DATA_BYTES + max(0, offset - PAGE_HEADER_BYTES)


def page_end(position: int) -> int:
    """The stream position where the page that holds the byte before `position` ends."""
    return -(-position // PAGE_DATA_BYTES) * PAGE_DATA_BYTES


def fill_page(
    room: memoryview,
    at: int,
    log_id: bytes,
    epoch: int,
    durable: int,
    number: int,
    data: bytes | memoryview,
    first: int,
    before: int,
) -> None:
    """Make the page of this number in memory, at an offset of it, from the piece of the stream that it is to hold.

    `first`: where in the page the first record starts, 0 if none does; `before`: what the page says of the one before
    it. After the data it is filled up with zeros.
    """
    used = PAGE_HEADER_BYTES + len(data)
    start = at + PAGE_HEADER_BYTES
    end = at + PAGE_BYTES
    room[start : at + used] = data
    if used < PAGE_BYTES:
        room[at + used : end] = _ZEROS[used:]
    prefix = _pack_prefix(PAGE_MAGIC, used, first, before, epoch, log_id, number * PAGE_BYTES, durable)
    room[at:start] = prefix + crc32(room[start:end], crc32(prefix)).to_bytes(4, "little")


def page_checksum(block: memoryview, offset: int) -> int:
    """The checksum the page at `offset` of a block should carry."""
    prefix = crc32(block[offset : offset + _PREFIX_BYTES])
    return crc32(block[offset + PAGE_HEADER_BYTES : offset + PAGE_BYTES], prefix)


Rank = tuple[int, int]
"""Epoch and bytes used: of two whole pages with the same LSN the one with the higher rank is the later version."""

BAD: Rank = (0, 0)


def page_rank(page: bytes | memoryview, log_id: bytes, lsn: int) -> Rank:
    """How late a version of the page at `lsn` this is; BAD if it is not a whole page of this log and LSN."""
    if len(page) < PAGE_BYTES:
        return BAD
    magic, used, _, _, epoch, found_id, found_lsn, _, checksum = PAGE_HEADER.unpack_from(page)
    if magic != PAGE_MAGIC or found_id != log_id or found_lsn != lsn or checksum != page_checksum(memoryview(page), 0):
        return BAD
    return epoch, used


def first_start(page: bytes) -> int:
    """Where the first record that starts in a page does, as its header says; 0: none does."""
    return page[6] | page[7] << 8


assert PAGE_HEADER.size == PAGE_HEADER_BYTES
