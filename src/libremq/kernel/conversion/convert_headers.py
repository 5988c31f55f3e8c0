"""The MQ headers at the front of a message: their layouts, and how each is converted.

A layout is the order of integers, characters and bytes in a header, written as "c4 i2 b24": four characters, two
integers, 24 bytes. `HEADERS` maps a format name to the structure it announces. In every header that describes
what follows it, Encoding, CodedCharSetId and Format stand together, so one offset finds all three. Lengths and
offsets in a header come from whoever put the message: each is checked before it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from libremq.common.ccsid import codec
from libremq.kernel.conversion.convert_pcf import convert_pcf
from libremq.kernel.conversion.convert_text import NotConverted, Part
from libremq.mqi.constants import (
    MQPMRF_ACCOUNTING_TOKEN,
    MQPMRF_CORREL_ID,
    MQPMRF_FEEDBACK,
    MQPMRF_GROUP_ID,
    MQPMRF_MSG_ID,
    MQRC_FORMAT_ERROR,
)

_RUN = re.compile(r"([icb])(\d*)")


class Layout:
    """Runs of integers ("i"), characters ("c") and bytes ("b") in a structure of fixed length."""

    __slots__ = ("length", "runs")

    def __init__(self, text: str) -> None:
        self.runs: list[tuple[str, int, int]] = []  # kind, start, end
        at = 0
        for kind, number in _RUN.findall(text):
            length = int(number or 1) * (4 if kind == "i" else 1)
            self.runs.append((kind, at, at + length))
            at += length
        self.length = at

    def convert(self, part: Part, data: bytes) -> bytearray:
        """`data` converted; it may be cut short, and then a field that is not whole stays as it is."""
        new = bytearray(data)
        for kind, start, end in self.runs:
            if kind == "i":
                new[start:end] = part.integers(data[start:end])
            elif kind == "c" and end <= len(data):
                new[start:end] = part.text.field(data[start:end])
        return new


class Cut(NamedTuple):
    """A structure cut out of a message. `missing` counts its bytes that a truncated message lacks."""

    data: bytes
    missing: int


Tail = Callable[[Part, Cut, bytearray], bytes]
"""Converts what follows the fixed part. It may change lengths and offsets in the fixed part it is handed."""


@dataclass(frozen=True, slots=True)
class Header:
    """One kind of MQ header."""

    struc_id: str
    versions: dict[int, Layout]
    describes: int | None = None  # offset of Encoding, CodedCharSetId and Format of what follows
    has_length: bool = False  # StrucLength at offset 8
    tail: Tail | None = None
    version_is_text: bool = False
    # MQCIH and MQIIH have the fields, but MQ gives them no meaning: what follows is like the header itself.
    describes_format_only: bool = False

    def measure(self, part: Part, data: bytes, at: int, truncated: bool) -> tuple[Layout, Cut]:
        """Find the header at `at`; NotConverted if there is none."""
        if len(data) - at < 8:
            raise NotConverted(MQRC_FORMAT_ERROR)
        if part.text.read(data[at : at + 4]) != self.struc_id:
            raise NotConverted(MQRC_FORMAT_ERROR)
        layout = self.versions.get(self._version(part, data[at + 4 : at + 8]))
        if layout is None:
            raise NotConverted(MQRC_FORMAT_ERROR)
        length = layout.length
        if self.has_length and len(data) - at >= 12:
            length = part.read_integer(data, at + 8)
            if length < layout.length or (self.tail is None and length != layout.length):
                raise NotConverted(MQRC_FORMAT_ERROR)
        missing = max(0, at + length - len(data))
        if missing and not truncated:
            raise NotConverted(MQRC_FORMAT_ERROR)
        return layout, Cut(data[at : at + length], missing)

    def convert(self, part: Part, layout: Layout, cut: Cut) -> bytearray:
        new = layout.convert(part, cut.data[: layout.length])
        if self.tail is not None and len(cut.data) >= layout.length:
            tail = self.tail(part, cut, new)
            if self.has_length:
                new[8:12] = part.integer(layout.length + len(tail) + cut.missing)
            new += tail
        return new

    def _version(self, part: Part, data: bytes) -> int:
        if not self.version_is_text:
            return part.read_integer(data, 0)
        text = part.text.read(data).strip()
        return int(text) if text.isascii() and text.isdecimal() else 0


def _aligned(old: bytes, new: bytes, filler: bytes) -> bytes:
    """Keep what follows on a multiple of four where it was on one."""
    if len(old) % 4 or not len(new) % 4:
        return new
    return new + filler * (-len(new) % 4)


def _convert_rfh_tail(part: Part, cut: Cut, fixed: bytearray) -> bytes:
    """NameValueString: characters in the set of the header, as long as they need to be."""
    old = cut.data[len(fixed) :]
    if cut.missing:
        return part.text.head(old)
    new = part.text(old)
    return _aligned(old, new, part.text.pad(b"", 1)) if len(new) != len(old) else new


def _convert_rfh2_tail(part: Part, cut: Cut, fixed: bytearray) -> bytes:
    """Folders: their lengths are integers of the header; their text stays in NameValueCCSID.

    UTF-16 has the byte order of the header, so that text is turned round together with the integers.
    """
    data = cut.data
    at = len(fixed)
    names = codec(part.read_integer(data, 32))
    turn = part.swaps and names is not None and names.has_byte_order
    new = bytearray()
    while at < len(data):
        if at + 4 > len(data):
            if not cut.missing:
                raise NotConverted(MQRC_FORMAT_ERROR)
            new += data[at:]
            break
        length = part.read_integer(data, at)
        end = at + 4 + length
        if length < 0 or end > len(data) + cut.missing:
            raise NotConverted(MQRC_FORMAT_ERROR)
        new += part.integer(length)
        folder = data[at + 4 : end]
        new += _turn_pairs(folder) if turn else folder
        at = end
    return bytes(new)


def _turn_pairs(data: bytes) -> bytes:
    even = len(data) & ~1
    new = bytearray(data)
    new[0:even:2], new[1:even:2] = data[1:even:2], data[0:even:2]
    return bytes(new)


_RMH_STRINGS = (64, 72, 80, 88)  # SrcEnv, SrcName, DestEnv, DestName: a length and an offset each


def _convert_rmh_tail(part: Part, cut: Cut, fixed: bytearray) -> bytes:
    """The four strings, wherever their offsets say; what they leave between them is kept."""
    data = cut.data
    strings: list[tuple[int, int, int]] = []  # offset, length, where the header says so
    for place in _RMH_STRINGS:
        length = part.read_integer(data, place)
        offset = part.read_integer(data, place + 4)
        if length == 0:
            continue
        if length < 0 or offset < len(fixed) or offset + length > len(data) + cut.missing:
            raise NotConverted(MQRC_FORMAT_ERROR)
        strings.append((offset, length, place))
    new = bytearray()
    at = len(fixed)
    for offset, length, place in sorted(strings):
        if offset < at:
            raise NotConverted(MQRC_FORMAT_ERROR)  # two strings share bytes: no telling which would win
        new += data[at:offset]
        at = offset + length
        old = data[offset:at]
        text = part.text.head(old) if len(old) < length else part.text(old)
        fixed[place : place + 4] = part.integer(len(text) + length - len(old))
        fixed[place + 4 : place + 8] = part.integer(len(fixed) + len(new))
        new += text
    new += data[at:]
    tail = data[len(fixed) :]
    return _aligned(tail, bytes(new), b"\0") if len(new) != len(tail) else bytes(new)


_OBJECT_RECORD = Layout("c48 c48")
_PUT_MSG_RECORD_FIELDS = (
    (MQPMRF_MSG_ID, "b24"),
    (MQPMRF_CORREL_ID, "b24"),
    (MQPMRF_GROUP_ID, "b24"),
    (MQPMRF_FEEDBACK, "i"),
    (MQPMRF_ACCOUNTING_TOKEN, "b32"),
)
_PUT_MSG_RECORD_FLAGS = sum(flag for flag, _ in _PUT_MSG_RECORD_FIELDS)


def _convert_dh_tail(part: Part, cut: Cut, fixed: bytearray) -> bytes:
    """An array of MQOR, and one of MQPMR with the fields that PutMsgRecFields names."""
    fields, count, objects_at, records_at = (part.read_integer(cut.data, at) for at in (32, 36, 40, 44))
    if count < 0 or fields & ~_PUT_MSG_RECORD_FLAGS:
        raise NotConverted(MQRC_FORMAT_ERROR)
    record = Layout(" ".join(text for flag, text in _PUT_MSG_RECORD_FIELDS if fields & flag))
    new = bytearray(cut.data)
    end_max = len(cut.data) + cut.missing
    for layout, start in ((_OBJECT_RECORD, objects_at), (record, records_at)):
        if count == 0 or start == 0 or layout.length == 0:
            continue
        if start < len(fixed) or start + count * layout.length > end_max:
            raise NotConverted(MQRC_FORMAT_ERROR)
        for at in range(start, min(start + count * layout.length, len(cut.data)), layout.length):
            old = cut.data[at : at + layout.length]
            new[at : at + layout.length] = layout.convert(part, old)
    return bytes(new[len(fixed) :])


def _convert_eph_tail(part: Part, cut: Cut, fixed: bytearray) -> bytes:
    return convert_pcf(cut.data[len(fixed) :], part, truncated=cut.missing > 0)


_MQMD1 = "c4 i7 c8 i2 b24 b24 i c48 c48 c12 b32 c32 i c28 c8 c8 c4"
_MQCIH_1 = "c4 i4 c8 i12 b8 c4 c4 c8 c8 c8 c4 c4 c4 c4 c4 c4 c4 c4 c8 c8"
_MQTMC2_1 = "c4 c4 c48 c48 c64 c4 c256 c128 c128"

MQTM = Header("TM", {1: Layout("c4 i c48 c48 c64 i c256 c128 c128")})
MQTMC2 = Header("TMC", {1: Layout(_MQTMC2_1), 2: Layout(_MQTMC2_1 + " c48")}, version_is_text=True)

HEADERS: dict[str, Header] = {
    "MQDEAD": Header("DLH", {1: Layout("c4 i2 c48 c48 i2 c8 i c28 c8 c8")}, describes=108),
    "MQXMIT": Header("XQH", {1: Layout(f"c4 i c48 c48 {_MQMD1}")}, describes=128),
    "MQHMDE": Header("MDE", {2: Layout("c4 i4 c8 i b24 i4")}, describes=12, has_length=True),
    "MQHRF": Header("RFH", {1: Layout("c4 i4 c8 i")}, describes=12, has_length=True, tail=_convert_rfh_tail),
    "MQHRF2": Header("RFH", {2: Layout("c4 i4 c8 i2")}, describes=12, has_length=True, tail=_convert_rfh2_tail),
    "MQIMS": Header(
        "IIH",
        {1: Layout("c4 i4 c8 i c8 c8 c8 c8 b16 c c c c")},
        describes=12,
        has_length=True,
        describes_format_only=True,
    ),
    "MQCICS": Header(
        "CIH",
        {1: Layout(_MQCIH_1), 2: Layout(_MQCIH_1 + " i4")},
        describes=12,
        has_length=True,
        describes_format_only=True,
    ),
    "MQHWIH": Header("WIH", {1: Layout("c4 i4 c8 i c32 c8 b16 c32")}, describes=12, has_length=True),
    "MQHREF": Header(
        "RMH", {1: Layout("c4 i4 c8 i c8 b24 i11")}, describes=12, has_length=True, tail=_convert_rmh_tail
    ),
    "MQHDIST": Header("DH", {1: Layout("c4 i4 c8 i5")}, describes=12, has_length=True, tail=_convert_dh_tail),
    "MQHEPCF": Header("EPH", {1: Layout("c4 i4 c8 i")}, describes=12, has_length=True, tail=_convert_eph_tail),
}
