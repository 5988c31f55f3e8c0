"""Log records: a 28-byte header and a payload that only the writer of the record understands.

The header chains the records of a transaction backwards (`prev_lsn`), so that undo needs no index. Layout, little
endian: length of the whole record u32, type u8, flags u8, two zero bytes, transaction u64, LSN of the transaction's
previous record u64 (0: none), CRC-32 u32 over the 24 bytes before it and the payload.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import IntEnum
from functools import partial
from typing import NamedTuple

from libremq.common.checksum import crc32
from libremq.log.log_errors import LogFull
from libremq.log.pages import PAGE_DATA_BYTES, PAGE_HEADER_BYTES
from libremq.speed import compiled

RECORD_HEADER_BYTES = 28

RECORD_HEADER = struct.Struct("<IBBxxQQI")
RECORD_PREFIX = struct.Struct("<IBBxxQQ")
"""The header without its checksum."""

RECORD_BYTES_MAX = (1 << 32) - 1


def too_long(length: int) -> LogFull:
    text = f"a log record of {length} bytes is more than any log takes; send smaller messages"
    return LogFull(text, hopeless=True)


class RecordType(IntEnum):
    """What a record says. The log itself acts on none of them; the numbers are part of the format."""

    PUT = 1
    GET = 2
    COMMIT = 3
    PREPARE = 4
    BACKOUT = 5
    COMPENSATION = 6
    OBJECT = 8
    CHECKPOINT = 9
    MEDIA_IMAGE = 11
    """Part of a media image of an object."""
    CHECKPOINT_START = 15
    """A fuzzy checkpoint begins: restart repeats the records from here on."""
    SOFT_IMAGE = 16
    """The operations of an unfinished unit of work once more, so that its older records are not needed."""
    FILLER = 17
    """Nothing: it fills what is left of an extent, so that the log goes on in the next one."""
    PUT_PART = 18
    """A part of the data of a long message, which a put behind it in the same unit of work names."""


RESERVED_TYPES = frozenset((0, 7, 10, 12, 13, 14))
"""Numbers that were given to types which no release has written; they are not given to others."""


class Record(NamedTuple):
    """A record read back. `next_lsn` is the position just after it, good to scan on from."""

    lsn: int
    next_lsn: int
    type: int
    flags: int
    txn: int
    prev_lsn: int
    payload: bytes


RecordFields = tuple[int, int, int, int, int, int, bytes]
"""A record without the names: made and taken apart in a fraction of the time, for whoever reads millions."""

new_record: Callable[[RecordFields], Record] = partial(tuple.__new__, Record)
"""The record with these fields."""


def parse_record(lsn: int, next_lsn: int, data: bytes, position: int, length: int) -> Record | None:
    """The record of `length` bytes at `position` of `data`; None if its checksum is wrong."""
    _, type_, flags, txn, prev_lsn, checksum = RECORD_HEADER.unpack_from(data, position)
    start = position + RECORD_HEADER_BYTES
    payload = data[start : position + length]
    if crc32(payload, crc32(data[position : start - 4])) != checksum:
        return None
    return Record(lsn, next_lsn, type_, flags, txn, prev_lsn, payload)


@compiled
def build_run(
    type: int,
    flags: int,
    txn: int,
    prev_lsn: int,
    position: int,
    started: int,
    payloads: list[tuple[bytes, ...]],
) -> tuple[list[bytes], list[int], list[int], int]:
    """The records with these payloads, each given in parts, from a stream position on.

    Returns their pieces, their LSNs, the positions of those that are the first to start in a page behind the page
    `started`, and where the last one ends. Those of a transaction are chained: each names the one before it, and the
    first `prev_lsn`.
    """
    pieces: list[bytes] = []
    lsns: list[int] = []
    starts: list[int] = []
    for parts in payloads:
        length = RECORD_HEADER_BYTES
        for part in parts:
            length += len(part)
        if length > RECORD_BYTES_MAX:
            raise OverflowError(f"a log record of {length} bytes")
        prefix = RECORD_PREFIX.pack(length, type, flags, txn, prev_lsn)
        checksum = crc32(prefix)
        for part in parts:
            checksum = crc32(part, checksum)
        pieces.append(prefix + checksum.to_bytes(4, "little"))
        pieces += parts
        page = position // PAGE_DATA_BYTES
        if page != started:
            started = page
            starts.append(position)
        lsn = position + PAGE_HEADER_BYTES * (page + 1)
        lsns.append(lsn)
        if txn:
            prev_lsn = lsn
        position += length
    return pieces, lsns, starts, position
