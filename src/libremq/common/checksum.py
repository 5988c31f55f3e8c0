"""The CRC-32 that log records, pages, stored messages and files carry.

Each byte of a persistent message goes through it several times. zlib-ng uses the processor's instructions for it where
there are some: 0.13 us for 2 KiB, where the library that comes with Python takes 2.8 us. Both give the same numbers.
"""

from __future__ import annotations

try:
    from zlib_ng.zlib_ng import crc32
except ImportError:  # no wheel for this machine
    from zlib import crc32

__all__ = ["crc32", "crc32_joined"]

_POLYNOMIAL = 0xEDB88320


def crc32_joined(front: int, back: int, back_bytes: int) -> int:
    """The checksum of two pieces of data, one behind the other, from those of the pieces: nobody touches the data.

    A zero byte behind data is a linear map of its checksum, a matrix over GF(2): a row of 32 bits for each bit. That
    of many zero bytes is a product of those for one, two, four, ... of them.
    """
    zeros = [_POLYNOMIAL, *(1 << bit for bit in range(31))]  # of one zero bit
    for _ in range(3):
        zeros = _squared(zeros)
    while back_bytes:
        if back_bytes & 1:
            front = _times(zeros, front)
        back_bytes >>= 1
        if back_bytes:
            zeros = _squared(zeros)
    return front ^ back


def _times(matrix: list[int], vector: int) -> int:
    total = 0
    for row in matrix:
        if not vector:
            break
        if vector & 1:
            total ^= row
        vector >>= 1
    return total


def _squared(matrix: list[int]) -> list[int]:
    return [_times(matrix, row) for row in matrix]
