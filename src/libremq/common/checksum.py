"""The CRC-32 that log records, pages, stored messages and files carry.

Each byte of a persistent message goes through it several times. zlib-ng uses the processor's instructions for it where
there are some: 0.13 us for 2 KiB, where the library that comes with Python takes 2.8 us. Both give the same numbers.
"""

from __future__ import annotations

try:
    from zlib_ng.zlib_ng import crc32
except ImportError:  # no wheel for this machine
    from zlib import crc32

__all__ = ["crc32"]
