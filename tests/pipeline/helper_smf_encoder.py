"""A small writer of SMF records for tests, made apart from the package: values in, bytes and expected values out.

It packs number by number with `int.to_bytes`, so that it shares no arithmetic with the decoder it checks.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from libremq.pipeline.smf.smf_layout import Field, Structure, structure

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENT = datetime(2024, 5, 17, 12, 30, 0, 120000, tzinfo=UTC)


def stck(moment: datetime) -> int:
    """TOD clock stamp of a moment."""
    return 0x7D91048BCA000000 + ((moment - EPOCH) // timedelta(microseconds=1)) * 4096


def ebcdic(text: str, length: int) -> bytes:
    return text.ljust(length).encode("cp037")[:length]


def packed_date(moment: datetime) -> bytes:
    century, year = divmod(moment.year - 1900, 100)
    return bytes.fromhex(f"0{century}{year:02d}{moment.timetuple().tm_yday:03d}f")


@dataclass
class Header:
    """Who wrote a record and when. `zone` is what the system's local clock is ahead of UTC."""

    system: str = "SYSA"
    qmgr: str = "QM01"
    release: str = "930"
    moment: datetime = MOMENT
    zone: timedelta = timedelta(hours=-5)
    interval: timedelta = timedelta(seconds=1800)
    shape: str = "auto"
    group: str | None = None
    long_release: str = "100000"
    fields: dict[str, int] = field(default_factory=dict)


def header_section(kind: int, subtype: int, header: Header, triplets: int) -> bytes:
    local = header.moment + header.zone
    shape = header.shape
    if shape == "auto":
        shape = "stub" if (kind, subtype) in ((115, 5), (115, 6), (115, 7)) else "long"
        if kind == 116 and subtype != 10:
            shape = "short"
    extension = b""
    if header.group is not None:
        names = ebcdic(header.group, 4) + ebcdic(header.long_release, 6)
        extension = struct.pack(">hBB", 16, 0x10, 0) + names + bytes(2)
    if shape == "none":
        return bytes(4)
    if shape == "stub":
        return bytes.fromhex("00010180") + extension
    length = {"long": 52, "short": 36, "old": 36}[shape]
    flags = header.fields.get("flags", 0x40 if extension else 0)
    section = struct.pack(">hBBhBBI", length, 1, 0x1A, 7, triplets, 0x10, 0x01020304)
    section += ebcdic(header.qmgr, 4) + struct.pack(">QII", stck(header.moment), 11, 12) + bytes([flags, 2, 3, 4])
    if shape == "long":
        microseconds = header.interval // timedelta(microseconds=1)
        duration = microseconds * 4096 + 4095 if (kind, subtype) in ((115, 231), (116, 10)) else microseconds
        section += struct.pack(">QQ", stck(local - header.interval), duration)
    if shape == "short":
        section += struct.pack(">hBB", 92, 2, 0) + ebcdic("USERID", 8) + bytes(range(12)) + ebcdic("CONN", 8) + bytes(8)
        section += ebcdic("OPER", 8) + struct.pack(">I", 4) + bytes(range(100, 122)) + bytes(range(16)) + bytes(2)
    return section + extension


def record(
    kind: int, subtype: int, sections: dict[int, list[bytes]], header: Header | None = None, triplets: int | None = None
) -> bytes:
    """A record with its descriptor word. `sections` are by triplet number; header section last, or first as a stub."""
    header = header or Header()
    count = triplets or max([1, *sections]) + 1
    head = header_section(kind, subtype, header, header.fields.get("count", count))
    table: list[tuple[int, int, int]] = [(0, 0, 0)] * count
    body = b""
    start = 28 + 8 * count
    if len(head) in (4, 20):
        table[0] = (start, len(head), 1)
        body += head
    for number, parts in sorted(sections.items()):
        assert len({len(part) for part in parts}) == 1
        table[number] = (start + len(body), len(parts[0]), len(parts))
        body += b"".join(parts)
    if table[0] == (0, 0, 0):
        table[0] = (start + len(body), len(head), 1)
        body += head
    local = header.moment + header.zone
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    whole = struct.pack(">HH", start + len(body), 0)
    whole += bytes([0x5E, kind]) + struct.pack(">I", (local - midnight) // timedelta(milliseconds=10))
    whole += packed_date(local) + ebcdic(header.system, 4) + ebcdic(header.qmgr, 4) + struct.pack(">H", subtype)
    whole += ebcdic(header.release, 3) + b"\0"
    return whole + b"".join(struct.pack(">IHH", *entry) for entry in table) + body


def marker(kind: int) -> bytes:
    """The dump's first (2) or last (3) record."""
    return struct.pack(">HH", 18, 0) + bytes([0x1E, kind]) + bytes(4) + packed_date(MOMENT) + ebcdic("SYSA", 4)


def spanned(whole: bytes, *cuts: int) -> bytes:
    """The record as segments, cut at these places."""
    places = [4, *cuts, len(whole)]
    parts = [whole[first:last] for first, last in pairwise(places)]
    codes = [1, *[3] * (len(parts) - 2), 2]
    return b"".join(struct.pack(">HBB", len(part) + 4, code, 0) + part for part, code in zip(parts, codes))


def bare(whole: bytes) -> bytes:
    """The record without descriptor word."""
    return whole[4:]


def filled(
    name: str, source: random.Random, length: int | None = None, version: int = 99
) -> tuple[bytes, dict[str, Any]]:
    """A structure of that length with a different random value in each field, and the row that should come of it."""
    shape = structure(name)
    size = length or shape.length
    data = bytearray(source.randbytes(max(size, shape.length)))
    row: dict[str, Any] = {}
    raw: dict[str, int] = {}
    for entry in shape.fields:
        absent = entry.end > size or (entry.longer_than is not None and size <= entry.longer_than)
        absent |= entry.version is not None and version < entry.version
        given = {shape.length_field: size, shape.version_field: version}.get(entry.name)
        value = _table(entry, entry.dims, entry.offset, data, source, shape, given, raw)
        if entry.only_if is not None:
            data[shape.field(entry.only_if[0]).offset] |= entry.only_if[1]
        row[entry.name] = None if absent else value
        if entry.bytes_too:
            row[entry.name + "_bytes"] = bytes(data[entry.offset : entry.offset + entry.length])
        for bit, mask in (entry.bits or {}).items():
            row[bit] = None if absent else bool(raw[entry.name] & mask)
    _again_what_lies_in_two_fields(shape, data, row)
    return bytes(data[:size]), row


def _table(
    entry: Field, dims: Any, at: int, data: bytearray, source: random.Random, shape: Structure, given: Any, raw: Any
) -> Any:
    if dims:
        (count, stride), *inner = dims
        return [_table(entry, inner, at + n * stride, data, source, shape, given, raw) for n in range(count)]
    if entry.type == "ebcdic":
        alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789."
        text = "".join(source.choices(alphabet, k=source.randrange(1, entry.length + 1)))
        if shape.eyecatcher is not None and entry.offset == 4:
            text = shape.eyecatcher
        data[at : at + entry.length] = ebcdic(text, entry.length)
        return text
    if entry.type == "bytes":
        return bytes(data[at : at + entry.length])
    signed = entry.type.startswith("int")
    number = source.randrange(1, 256**entry.length) if given is None else given
    if entry.type == "stck":
        number = stck(MOMENT) + source.randrange(1 << 50)
    if entry.type == "usec64":
        number >>= 1
    if entry.only_if is None and entry.name == "qsphflags":
        number |= 0x20
    data[at : at + entry.length] = number.to_bytes(entry.length, "big")
    raw[entry.name] = number
    if entry.type == "stck":
        return EPOCH + timedelta(microseconds=(number - 0x7D91048BCA000000) // 4096)
    if entry.type == "stckdur":
        return number // 4096
    if entry.type == "uint64":
        return Decimal(number)
    return number - 256**entry.length if signed and number >= 256**entry.length // 2 else number


def _again_what_lies_in_two_fields(shape: Structure, data: bytearray, row: dict[str, Any]) -> None:
    """The task's correlator is three fields seen as one: it has the bytes they were given last."""
    if shape.name == "wtas":
        row["correl"] = bytes(data[8:24])
