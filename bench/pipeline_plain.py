"""The yardstick: SMF records decoded by a plain loop in one process, as a script that someone writes for the purpose.

It reads the same layout, takes each record in turn, unpacks each section with one precompiled `struct` and makes a
dictionary of it: numbers, clock stamps as datetimes, text decoded. It writes nothing and copes with no damage.
"""

from __future__ import annotations

import struct
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from libremq.pipeline.smf.smf_layout import Field, Structure, layout

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_STCK = 0x7D91048BCA000000
_CODES = {
    "uint8": "B",
    "int8": "b",
    "uint16": "H",
    "int16": "h",
    "uint32": "I",
    "int32": "i",
    "uint64": "Q",
    "int64": "q",
    "stck": "Q",
    "stckdur": "Q",
    "usec64": "Q",
}


def _stamp(value: int) -> datetime | None:
    return _EPOCH + timedelta(microseconds=(value - _EPOCH_STCK) // 4096) if value else None


def _text(value: bytes) -> str:
    return value.decode("cp037").rstrip(" \0")


_CONVERT: dict[str, Callable[[Any], Any]] = {"stck": _stamp, "stckdur": lambda value: value // 4096, "ebcdic": _text}


class Unpacker:
    """One structure: a single struct for all of it, and what to do with the values that are not plain numbers."""

    def __init__(self, shape: Structure) -> None:
        every = ((place, field) for field in shape.fields for place in _places(field))
        places = sorted(every, key=lambda entry: entry[0])
        code, end = ">", 0
        self.names: list[str] = []
        self.convert: list[tuple[int, Callable[[Any], Any]]] = []
        for place, field in places:
            if place < end:
                continue
            code += f"{place - end}x" + _CODES.get(field.type, f"{field.length}s")
            end = place + field.length
            if field.type in _CONVERT:
                self.convert.append((len(self.names), _CONVERT[field.type]))
            self.names.append(f"{field.name}_{place}" if field.dims else field.name)
        self.struct = struct.Struct(code)
        self.slots = shape.slots

    def row(self, data: bytes, place: int, length: int) -> dict[str, Any]:
        if length < self.struct.size:
            data, place = data[place : place + length].ljust(self.struct.size, b"\0"), 0
        values = list(self.struct.unpack_from(data, place))
        for number, convert in self.convert:
            values[number] = convert(values[number])
        return dict(zip(self.names, values))


def _places(field: Field) -> list[int]:
    places = [field.offset]
    for count, stride in field.dims:
        places = [place + number * stride for place in places for number in range(count)]
    return places


def rows(data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """All rows of a dump with record descriptor words, whole records only."""
    known = layout()
    unpackers = {name: Unpacker(shape) for name, shape in known.structures.items()}
    header = struct.Struct(">HBBBBI4s4s4sH3s")
    triplet = struct.Struct(">IHH")
    position = 0
    while position < len(data):
        length, _, _, _, kind, hundredths, date, system, qmgr, subtype, release = header.unpack_from(data, position)
        sections = known.sections.get((kind, subtype), ())
        day = date.hex()
        local = datetime(1900 + int(day[1]) * 100 + int(day[2:4]), 1, 1) + timedelta(
            days=int(day[4:7]) - 1, seconds=hundredths / 100
        )
        common = {
            "smf_time": local,
            "system": _text(system),
            "qmgr": _text(qmgr),
            "release": _text(release),
            "record_type": kind,
            "subtype": subtype,
            "source_offset": position,
        }
        head, head_length, _ = triplet.unpack_from(data, position + 28)
        if head_length > 20:
            yield "qwhs", {**common, **unpackers["qwhs"].row(data, position + head, head_length)}
        lowest = head
        for section in sections:
            if 28 + 8 * section.triplet + 8 > lowest:
                continue
            offset, each, count = triplet.unpack_from(data, position + 28 + 8 * section.triplet)
            if not count:
                continue
            lowest = min(lowest, offset)
            unpacker = unpackers[section.structure]
            for number in range(count):
                place = position + offset + number * each
                yield section.structure, {**common, "section_index": number, **unpacker.row(data, place, each)}
        position += length


def measure(path: str, slice_bytes: int) -> tuple[int, int, float]:
    """Bytes and rows decoded, and the seconds that took, of the first part of a dump."""
    with open(path, "rb") as file:
        data = file.read(slice_bytes)
    end = position = 0
    while position + 4 <= len(data):
        end = position
        position += int.from_bytes(data[position : position + 2], "big")
    data = data[: position if position <= len(data) else end]
    started = time.perf_counter()
    found = sum(1 for _ in rows(data))
    return len(data), found, time.perf_counter() - started


if __name__ == "__main__":
    print(*measure(sys.argv[1], int(sys.argv[2])))
