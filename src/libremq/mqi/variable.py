"""Structures with a variable part: headers with strings or records, PCF strings and lists.

What they share is a StrucLength that covers a fixed and a variable part. A subclass says how its variable part
becomes bytes; the checks that it lies within the data are made here, once.
"""

from __future__ import annotations

import codecs
import struct
from abc import abstractmethod
from typing import Self

from libremq.mqi.layout import Buffer, Structure

_UTF16 = frozenset({1200, 13488, 17584})
_CODECS = {819: "latin-1", 1208: "utf-8", 912: "iso8859-2", 923: "iso8859-15", 5348: "cp1252"}


class VariableStructure(Structure):
    """A structure with a variable part behind its fixed part, and a StrucLength that covers both.

    Lengths, counts and offsets of the variable part are worked out by `pack`; after `unpack` they are what the
    bytes said. They never matter for equality.
    """

    def pack(
        self,
        *,
        version: int | None = None,
        big_endian: bool = False,
        charset: str = "latin-1",
        fill: bytes = b" ",
    ) -> bytes:
        fixed_length = self.size(self._version_number() if version is None else version)
        try:
            tail, computed = self._pack_tail(fixed_length, big_endian, charset, fill)
        except (ValueError, struct.error) as problem:
            raise self._invalid(str(problem)) from problem
        computed["StrucLength"] = fixed_length + len(tail)
        return self._pack_fixed(version, big_endian, charset, fill, computed) + tail

    @classmethod
    def unpack(cls, data: Buffer, offset: int = 0, *, big_endian: bool = False, charset: str = "latin-1") -> Self:
        new, start = cls._unpack_fixed(data, offset, big_endian, charset)
        length: int = new.StrucLength  # type: ignore[attr-defined]
        if length > len(data) - offset:
            raise cls._invalid(f"StrucLength is {length}, but only {len(data) - offset} bytes are left")
        try:
            new._unpack_tail(bytes(data[offset : offset + length]), start - offset, big_endian, charset)
        except (ValueError, struct.error) as problem:
            raise cls._invalid(str(problem)) from problem
        return new

    @abstractmethod
    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        """The bytes of the variable part, which begins at `start`, and the fixed fields that describe it."""

    @abstractmethod
    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        """Take the variable part from `data`, which is exactly this structure."""


def codec_of(ccsid: int, charset: str, big_endian: bool) -> str:
    """The Python codec for a coded character set id found in a structure; `charset` where it names none."""
    if ccsid in _UTF16:
        return "utf-16-be" if big_endian else "utf-16-le"
    if ccsid <= 0:
        return charset
    try:
        return codecs.lookup(_CODECS.get(ccsid) or f"cp{ccsid:03}").name
    except LookupError:
        return charset
