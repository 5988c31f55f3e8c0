"""Characters and integers of one part of a message, from one representation to another.

A representation is what a message says about its data: the CCSID of its characters and the Encoding of its
numbers. A `Part` goes from one to the other. It looks at a CCSID or a byte order only when some data needs it, so
that a message without text converts although its CCSID means nothing. Between two single-byte sets a text is one
`bytes.translate` with a table made once.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import NamedTuple

from libremq.common import ebcdic_pages
from libremq.common.ccsid import Codec, Kind, characters_of, codec
from libremq.mqi.constants import (
    MQENC_INTEGER_MASK,
    MQENC_INTEGER_NORMAL,
    MQENC_INTEGER_REVERSED,
    MQRC_CONVERTED_STRING_TOO_BIG,
    MQRC_NOT_CONVERTED,
    MQRC_SOURCE_CCSID_ERROR,
    MQRC_SOURCE_INTEGER_ENC_ERROR,
    MQRC_TARGET_CCSID_ERROR,
    MQRC_TARGET_INTEGER_ENC_ERROR,
)


class NotConverted(Exception):
    """The data stays as it is, for this reason. It never leaves the conversion modules."""

    def __init__(self, reason: int) -> None:
        super().__init__(reason)
        self.reason = reason


class Representation(NamedTuple):
    """What a message says about its data."""

    ccsid: int
    encoding: int


def byte_order(encoding: int) -> str | None:
    """The `struct` prefix for the integers of an Encoding; None where it names no order we know."""
    integers = encoding & MQENC_INTEGER_MASK
    if integers == MQENC_INTEGER_NORMAL:
        return ">"
    return "<" if integers == MQENC_INTEGER_REVERSED else None


class Text:
    """Converts characters. `source` or `target` is None only where nothing changes anyway."""

    __slots__ = ("_convert", "_source_big", "_target_big", "same", "source", "target")

    def __init__(self, source: Codec | None, source_big: bool, target: Codec | None, target_big: bool) -> None:
        self.source = source
        self.target = target
        self._source_big = source_big
        self._target_big = target_big
        self.same = True
        self._convert: Callable[[bytes], bytes] = bytes
        if source is None or target is None:
            return
        if source.ccsid == target.ccsid and (source_big == target_big or not source.has_byte_order):
            return
        self.same = False
        if source.single_byte and target.single_byte:
            table = _translation(source, target)
            self._convert = lambda data: data.translate(table)
        else:
            self._convert = lambda data: self._encode(self._decode(data))

    def __call__(self, data: bytes) -> bytes:
        """All of the characters, in as many bytes as they need."""
        return self._convert(data)

    def head(self, data: bytes) -> bytes:
        """As `__call__`, for data cut at any byte: a character that is cut stays as it is at the end."""
        if self.same or self.source is None or self.source.single_byte:
            return self._convert(data)
        whole = complete_length(data, self.source, self._source_big)
        return self._convert(data[:whole]) + data[whole:]

    def field(self, data: bytes) -> bytes:
        """The characters of a field of fixed length, in the same length.

        Where they grow, trailing blanks and what follows a null give way; where that is not enough the text does
        not fit, and cutting a name would name something else.
        """
        if self.same or self.source is None or self.target is None:
            return data
        if self.source.single_byte and self.target.single_byte:
            return self._convert(data)
        try:
            text = self._decode(data)
        except NotConverted:
            if b"\0" not in data:
                raise
            text = self._decode(data.partition(b"\0")[0])  # whatever follows a null need not be text
        new = self._encode(text)
        if len(new) > len(data):
            new = self._encode(_significant(text))
            if len(new) > len(data):
                raise NotConverted(MQRC_CONVERTED_STRING_TOO_BIG)
        return self.pad(new, len(data))

    def significant(self, data: bytes) -> bytes:
        """As `__call__`, without trailing blanks and without what follows a null."""
        if self.source is None or self.target is None:
            return data
        return self._encode(_significant(self._decode(data)))

    def pad(self, data: bytes, length: int) -> bytes:
        """`data` in the target set, filled with blanks to `length`."""
        if len(data) >= length or self.target is None:
            return data
        blank = self.target.encode(" ", big_endian=self._target_big)
        return data + blank * ((length - len(data)) // len(blank))

    def read(self, data: bytes) -> str:
        """A name in the source set, such as a StrucId or a Format, without its padding."""
        if self.source is None or not self.source.fits_headers:
            raise NotConverted(MQRC_SOURCE_CCSID_ERROR)
        return self.source.decode(data, "replace").partition("\0")[0].rstrip(" ")

    def cut(self, data: bytes, length: int) -> bytes:
        """The characters of the target set that fit in `length` bytes."""
        if self.target is not None and self.target.kind is Kind.SHIFTED_EBCDIC:
            return ebcdic_pages.cut(data, length)
        data = data[:length]
        if self.target is None or self.target.single_byte:
            return data
        return data[: complete_length(data, self.target, self._target_big)]

    def _decode(self, data: bytes) -> str:
        assert self.source is not None and self.target is not None
        if self.source.single_byte:
            # A byte that stands for no character is one character lost, not a broken text.
            text = self.source.decode(data, "replace")
        else:
            try:
                text = self.source.decode(data, big_endian=self._source_big)
            except UnicodeDecodeError:
                raise NotConverted(MQRC_NOT_CONVERTED) from None
        return text.replace("\x85", "\n") if _newlines_change(self.source, self.target) else text

    def _encode(self, text: str) -> bytes:
        assert self.target is not None
        return self.target.encode_with_substitutes(text, big_endian=self._target_big)


def _significant(text: str) -> str:
    return text.partition("\0")[0].rstrip(" ")


def _newlines_change(source: Codec, target: Codec) -> bool:
    """MQ's default (ConvEBCDICNewline=NL_TO_LF): NL ends a line in EBCDIC, LF does so elsewhere."""
    return source.kind.is_ebcdic and not target.kind.is_ebcdic


def complete_length(data: bytes, character_set: Codec, big_endian: bool) -> int:
    """How many bytes of `data` are whole characters, when only its end may be cut. Broken data counts whole."""
    name = character_set.name if big_endian else character_set.name_little_endian
    decoder = codecs.getincrementaldecoder(name)()
    try:
        decoder.decode(data)
    except UnicodeDecodeError:
        return len(data)
    return len(data) - len(decoder.getstate()[0])


@lru_cache(maxsize=512)
def _translation(source: Codec, target: Codec) -> bytes:
    text = characters_of(source.ccsid).replace("\ufffe", "\ufffd")
    if _newlines_change(source, target):
        text = text.replace("\x85", "\n")
    return target.encode_with_substitutes(text)


@lru_cache(maxsize=512)
def text_between(source_ccsid: int, source_order: str | None, target_ccsid: int, target_order: str | None) -> Text:
    """The converter between two sets; NotConverted names the one that is unknown or lacks its byte order."""
    source = codec(source_ccsid)
    target = codec(target_ccsid)
    if source_ccsid == target_ccsid and (source is None or not source.has_byte_order or source_order == target_order):
        return Text(source, source_order == ">", target, target_order == ">")
    if source is None:
        raise NotConverted(MQRC_SOURCE_CCSID_ERROR)
    if target is None:
        raise NotConverted(MQRC_TARGET_CCSID_ERROR)
    if source.has_byte_order and source_order is None:
        raise NotConverted(MQRC_SOURCE_INTEGER_ENC_ERROR)
    if target.has_byte_order and target_order is None:
        raise NotConverted(MQRC_TARGET_INTEGER_ENC_ERROR)
    return Text(source, source_order == ">", target, target_order == ">")


class Part:
    """One part of a message on its way from `source` to `target`."""

    def __init__(self, source: Representation, target: Representation) -> None:
        self.source = source
        self.target = target
        self._source_order = byte_order(source.encoding)
        self._target_order = byte_order(target.encoding)

    @cached_property
    def text(self) -> Text:
        return self.text_of(self.source.ccsid)

    def text_of(self, ccsid: int) -> Text:
        """The converter for a string that has a CCSID of its own."""
        return text_between(ccsid, self._source_order, self.target.ccsid, self._target_order)

    @cached_property
    def swaps(self) -> bool:
        """Whether integers change their byte order."""
        return self.source_order != self.target_order

    @property
    def source_order(self) -> str:
        if self._source_order is None:
            raise NotConverted(MQRC_SOURCE_INTEGER_ENC_ERROR)
        return self._source_order

    @property
    def target_order(self) -> str:
        if self._target_order is None:
            raise NotConverted(MQRC_TARGET_INTEGER_ENC_ERROR)
        return self._target_order

    def read_integer(self, data: bytes, at: int) -> int:
        return int(struct.unpack_from(self.source_order + "i", data, at)[0])

    def integer(self, value: int) -> bytes:
        return struct.pack(self.target_order + "i", value)

    def integers(self, data: bytes, code: str = "i", size: int = 4) -> bytes:
        """An array of integers; what is left at the end and makes no whole one stays as it is."""
        if not self.swaps:
            return data
        count = len(data) // size
        values = struct.unpack_from(f"{self.source_order}{count}{code}", data)
        return struct.pack(f"{self.target_order}{count}{code}", *values) + data[count * size :]
