"""Log pages: 4096 bytes, a 40-byte header, then the stream of records cut in pieces of 4056 bytes.

Two kinds of position: an LSN counts every byte of every page, headers too, so that it says where to look on disk; a
*stream position* counts record bytes only, so that adding a length gives the next one. `lsn_of` and `stream_of` go
between them. LSN 40 is the first a record can have, hence 0 is free to mean "none".

A page also says up to where the log was durable when the page was written. That tells a page that was lost after it
had been promised (damage) from one that was never promised (the end of the log): see docs/internals/log-format.md.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from zlib import crc32

from libremq.common.files import Buffer

PAGE_BYTES = 4096
PAGE_HEADER_BYTES = 40
PAGE_DATA_BYTES = PAGE_BYTES - PAGE_HEADER_BYTES
FIRST_LSN = PAGE_HEADER_BYTES

PAGE_MAGIC = b"LMQ\x01"
"""Three letters and the version of the page format."""

PAGE_HEADER = struct.Struct("<4sHHI8sQQI")
"""Magic, bytes used, offset of the first record that starts here, epoch, log id, LSN, durable LSN, CRC-32."""

PAGE_PREFIX = struct.Struct("<4sHHI8sQQ")
"""The header without its checksum."""

_PREFIX_BYTES = PAGE_PREFIX.size
_ZEROS = memoryview(bytes(PAGE_DATA_BYTES))


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


def build_pages(
    log_id: bytes, epoch: int, durable: int, begin: int, end: int, pieces: Iterable[bytes], starts: Iterable[int]
) -> list[Buffer]:
    """The pages of a batch, as alternating headers and data for a gather-write.

    `begin` and `end` are the stream positions of the batch, which begins a page; `starts` the stream position of the
    first record to start in each page that has one. The last page is filled up with zeros. Pieces beyond `end` are of
    an append that was interrupted, and are left out.
    """
    assert begin % PAGE_DATA_BYTES == 0
    length = end - begin
    padding = _ZEROS[: -length % PAGE_DATA_BYTES]
    stream = b"".join((*pieces, padding))
    if len(stream) != length + len(padding):
        stream = stream[:length] + padding
    firsts = {start // PAGE_DATA_BYTES: start % PAGE_DATA_BYTES + PAGE_HEADER_BYTES for start in starts if start < end}
    view = memoryview(stream)
    page = begin // PAGE_DATA_BYTES
    buffers: list[Buffer] = []
    for offset in range(0, len(stream), PAGE_DATA_BYTES):
        data = view[offset : offset + PAGE_DATA_BYTES]
        used = PAGE_HEADER_BYTES + min(PAGE_DATA_BYTES, length - offset)
        first = firsts.get(page, 0)
        prefix = PAGE_PREFIX.pack(PAGE_MAGIC, used, first, epoch, log_id, page * PAGE_BYTES, durable)
        buffers.append(prefix + crc32(data, crc32(prefix)).to_bytes(4, "little"))
        buffers.append(data)
        page += 1
    return buffers


def page_checksum(block: memoryview, offset: int) -> int:
    """The checksum the page at `offset` of a block should carry."""
    prefix = crc32(block[offset : offset + _PREFIX_BYTES])
    return crc32(block[offset + PAGE_HEADER_BYTES : offset + PAGE_BYTES], prefix)
