"""Dumps whose blocks still have their descriptor words (RECFM VB copied as it lies): the words are taken out.

What is left is records with descriptor words, one after the other, and places in the dump are places in what is left. A
block whose word makes no sense is given on as it is, up to the next one that does: what cannot be read of it is told
as damage, like any other. Such a dump cannot be cut, since only a walk from its start knows where blocks begin.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

WORD_LENGTH = 4
BLOCK_BYTES_MAX = 1 << 20
"""More than any block has: 32,760 bytes, or 256 KiB with the extended word of large blocks."""

_READ_BYTES = 1 << 20
_RDW = struct.Struct(">HBB")
_EXTENDED = 0x8000_0000


def block_length(data: bytes | memoryview, place: int) -> int | None:
    """The length of the block that begins here, with its word; None if none does as far as its first record tells."""
    if place + WORD_LENGTH + _RDW.size > len(data):
        return None
    word: int = struct.unpack_from(">I", data, place)[0]
    if word & _EXTENDED:
        length = word & ~_EXTENDED
    elif word & 0xFFFF:
        return None
    else:
        length = word >> 16
    record, segment, zero = _RDW.unpack_from(data, place + WORD_LENGTH)
    if segment > 3 or zero or record <= _RDW.size or not WORD_LENGTH + record <= length <= BLOCK_BYTES_MAX:
        return None
    return length


def is_whole_block(data: bytes | memoryview, place: int) -> bool:
    """Is there a block here whose records fill it to the last byte?"""
    length = block_length(data, place)
    if length is None or place + length > len(data):
        return False
    at, end = place + WORD_LENGTH, place + length
    while at + _RDW.size <= end:
        record, segment, zero = _RDW.unpack_from(data, at)
        if segment > 3 or zero or record <= _RDW.size:
            return False
        at += record
    return at == end


class Deblocked:
    """Reads a stream without the words of its blocks."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._data = b""
        self._at = 0
        self._left = 0
        """Bytes of the block that are still to be given."""
        self._ended = False

    def read(self, size: int, /) -> bytes:
        parts: list[bytes] = []
        while size > 0:
            if not self._left and not self._next_block():
                break
            if self._at >= len(self._data) and not self._fill(1):
                break
            part = self._data[self._at : self._at + min(size, self._left)]
            parts.append(part)
            self._at += len(part)
            self._left -= len(part)
            size -= len(part)
        return b"".join(parts)

    def _fill(self, wanted: int) -> bool:
        """Have so many bytes at hand, if there are."""
        while len(self._data) - self._at < wanted and not self._ended:
            more = self._read(_READ_BYTES)
            self._ended = not more
            self._data = self._data[self._at :] + more
            self._at = 0
        return len(self._data) - self._at >= wanted

    def _next_block(self) -> bool:
        if not self._fill(WORD_LENGTH + _RDW.size):
            # Too little for a block: given as it is, and told as what is left over.
            self._left = len(self._data) - self._at
            return self._left > 0
        length = block_length(self._data, self._at)
        if length is not None:
            self._at += WORD_LENGTH
            self._left = length - WORD_LENGTH
            return True
        self._fill(2 * BLOCK_BYTES_MAX)
        last = len(self._data) if self._ended else len(self._data) - BLOCK_BYTES_MAX
        found = next((place for place in range(self._at + 1, last) if is_whole_block(self._data, place)), last)
        self._left = found - self._at
        return self._left > 0
