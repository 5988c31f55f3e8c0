"""Ids whose CRC-32 is what one wishes, so that a hash index must tell apart what has the same hash."""

from __future__ import annotations

import zlib

_POLYNOMIAL = 0xEDB88320


def _table() -> list[int]:
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


_FORWARD = _table()
_BY_HIGH_BYTE = {value >> 24: index for index, value in enumerate(_FORWARD)}


def with_hash(start: bytes, wanted: int) -> bytes:
    """`start` (20 bytes) and four more, so that the CRC-32 of all 24 is `wanted`."""
    assert len(start) == 20
    # Go back from the wanted end through four unknown bytes: which table entries were used on the way
    register = wanted ^ 0xFFFFFFFF
    entries = []
    for _ in range(4):
        index = _BY_HIGH_BYTE[register >> 24]
        entries.append(index)
        register = (register ^ _FORWARD[index]) << 8 & 0xFFFFFFFF
    # Then forward from the start: each byte is what leads to its table entry
    register = zlib.crc32(start) ^ 0xFFFFFFFF
    tail = bytearray()
    for index in reversed(entries):
        tail.append((register ^ index) & 0xFF)
        register = register >> 8 ^ _FORWARD[index]
    made = start + bytes(tail)
    assert zlib.crc32(made) == wanted
    return made


def colliding(count: int, wanted: int = 0x12345678) -> list[bytes]:
    """Different ids of 24 bytes with the same hash."""
    return [with_hash(b"colliding id %07d" % number, wanted) for number in range(count)]
