"""Structures as bytes: field values in, one section out.

The one thing shared with the reading side is the layout file; this reads it by itself, so that a mistake in either code
shows as a difference instead of cancelling out. Values are plain: integers are written as they are (durations and
clocks in clock units), `datetime` and `timedelta` are turned into clock units, text into EBCDIC, tables are nested or
flat sequences, None is the field's own way to say that nothing was recorded.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from typing import Any, Final

from libremq.pipeline.generator.shapes import (
    BLOCK_IDS,
    NEWEST,
    SECTION_BYTES,
    VERB_EYECATCHERS,
    VERSIONS,
    by_release,
    release_of,
)

Value = int | str | bytes | datetime | timedelta | None | Sequence[Any]
Values = Mapping[str, Value]

CLOCK_UNITS_PER_MICROSECOND: Final = 4096
_EPOCH: Final = datetime(1900, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_FORMATS: Final = {
    "uint8": ">B",
    "int8": ">b",
    "uint16": ">H",
    "int16": ">h",
    "uint32": ">I",
    "int32": ">i",
    "uint64": ">Q",
    "int64": ">q",
    "stck": ">Q",
    "stckdur": ">Q",
    "usec64": ">Q",
}


def clock(moment: datetime) -> int:
    """The moment as a 64-bit clock value.

    >>> hex(clock(datetime(1970, 1, 1, tzinfo=UTC)))
    '0x7d91048bca000000'
    """
    return (moment - _EPOCH) // _MICROSECOND * CLOCK_UNITS_PER_MICROSECOND


def clock_units(microseconds: float) -> int:
    """A duration in clock units."""
    return round(microseconds * CLOCK_UNITS_PER_MICROSECOND)


def ebcdic(text: str, length: int) -> bytes:
    """Text in code page 037, padded with blanks."""
    encoded = text.encode("cp037")
    if len(encoded) > length:
        raise ValueError(f"{text!r} does not fit into {length} bytes")
    return encoded.ljust(length, b"\x40")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the elements of a field lie, and how one is packed (None for text and opaque bytes)."""

    name: str
    kind: str
    places: tuple[int, ...]
    length: int
    packer: struct.Struct | None
    longer_than: int
    version: int
    unset: int

    def write(self, target: bytearray, value: Value, base: int = 0) -> None:
        if len(self.places) == 1:
            self._put(target, base + self.places[0], value)
            return
        elements = list(_flat(value if isinstance(value, list | tuple) else [value]))
        if len(elements) > len(self.places):
            raise ValueError(f"{self.name} has {len(self.places)} elements, not {len(elements)}")
        for place, element in zip(self.places, elements):
            self._put(target, base + place, element)

    def _put(self, target: bytearray, place: int, value: Any) -> None:
        if self.packer is not None:
            if value.__class__ is not int:
                value = self._number(value)
            try:
                self.packer.pack_into(target, place, value)
            except struct.error as error:
                raise ValueError(f"{self.name} ({self.kind}) cannot hold {value!r}: {error}") from None
            return
        if isinstance(value, str):
            value = ebcdic(value, self.length)
        elif value is None:
            value = bytes(self.length)
        if len(value) != self.length:
            raise ValueError(f"{self.name} takes {self.length} bytes, not {len(value)}")
        target[place : place + self.length] = value

    def _number(self, value: Any) -> int:
        if value is None:
            return self.unset
        if isinstance(value, datetime):
            return clock(value)
        if isinstance(value, timedelta):
            return value // _MICROSECOND * CLOCK_UNITS_PER_MICROSECOND
        return int(value)


def _flat(value: Any) -> Iterable[Any]:
    for element in value:
        if isinstance(element, list | tuple):
            yield from _flat(element)
        else:
            yield element


def _place(entry: Mapping[str, Any]) -> _Place:
    pattern = _FORMATS.get(entry["type"])
    packer = struct.Struct(pattern) if pattern else None
    places = [entry["offset"]]
    for count, stride in entry.get("dims", ()):
        places = [place + index * stride for place in places for index in range(count)]
    return _Place(
        name=entry["name"],
        kind=entry["type"],
        places=tuple(places),
        length=packer.size if packer else entry["length"],
        packer=packer,
        longer_than=entry.get("longer_than", 0),
        version=entry.get("version", 0),
        unset=entry.get("unset", 0),
    )


@dataclass(frozen=True, slots=True)
class Block:
    """One structure of one release: what it holds before any value is written, and which fields it has room for."""

    name: str
    length: int
    blank: bytes
    fields: Mapping[str, _Place]
    absent: frozenset[str]
    slot_names: frozenset[str]
    slot_count: int
    slot_bytes: int

    def section(self, values: Values) -> bytes:
        """The section with these values. Fields that the release does not have are left out."""
        target = bytearray(self.blank)
        self._write(target, values, 0)
        return bytes(target)

    def table(self, rows: Iterable[Values]) -> bytes:
        """The section of a structure made of slots, one row each."""
        target = bytearray(self.blank)
        for number, row in enumerate(rows):
            if number >= self.slot_count:
                raise ValueError(f"{self.name} has {self.slot_count} slots")
            if not self.slot_names.issuperset(row):
                raise ValueError(f"not fields of a slot of {self.name}: {sorted(set(row) - self.slot_names)}")
            self._write(target, row, number * self.slot_bytes)
        return bytes(target)

    def _write(self, target: bytearray, values: Values, base: int) -> None:
        fields = self.fields
        for name, value in values.items():
            place = fields.get(name)
            if place is not None:
                place.write(target, value, base)
            elif name not in self.absent:
                raise ValueError(f"{self.name} has no field {name!r}")


@cache
def layout_data() -> dict[str, Any]:
    """The project's layout file as it stands."""
    text = resources.files("libremq.pipeline.smf").joinpath("layout.json").read_text(encoding="ascii")
    data: dict[str, Any] = json.loads(text)
    return data


@cache
def block(name: str, release: str = NEWEST, length: int | None = None, version: int | None = None) -> Block:
    """The structure as that release writes it, or with a length or version of one's own."""
    entry = layout_data()["structures"].get(name)
    if entry is None:
        raise ValueError(f"no SMF structure {name!r}")
    level = release_of(release)
    if length is None:
        length = by_release(SECTION_BYTES[name], level) if name in SECTION_BYTES else entry["length"]
    assert length is not None
    if version is None:
        version = by_release(VERSIONS[name], level) if name in VERSIONS else 0
    every = {place.name: place for place in map(_place, entry["fields"])}
    fields = {
        place.name: place
        for place in every.values()
        if place.places[-1] + place.length <= length
        and (not place.longer_than or length > place.longer_than)
        and version >= place.version
    }
    slots = entry.get("slots")
    first = every[slots["name"]].places[0] if slots else 0
    target = bytearray(length)
    for key, value in _constants(name, entry, length, version).items():
        if key in fields:
            fields[key].write(target, value)
    for place in fields.values():
        if place.unset:
            place.write(target, place.unset)
    return Block(
        name=name,
        length=length,
        blank=bytes(target),
        fields=fields,
        absent=frozenset(every) - frozenset(fields),
        slot_names=frozenset(key for key, place in fields.items() if slots and place.places[0] >= first),
        slot_count=slots["count"] if slots else 0,
        slot_bytes=slots["stride"] if slots else 0,
    )


def _constants(name: str, entry: Mapping[str, Any], length: int, version: int) -> dict[str, Value]:
    """Identifier, length, eyecatcher and version: the same in every section of this length and version."""
    found: dict[str, Value] = {}
    if name in BLOCK_IDS:
        first = entry["fields"][0]
        number = BLOCK_IDS[name]
        found[first["name"]] = number - 0x10000 if first["type"] == "int16" and number > 0x7FFF else number
    if "length_field" in entry:
        found[entry["length_field"]] = length
    if "eyecatcher" in entry:
        found[next(field["name"] for field in entry["fields"] if field["offset"] == 4)] = entry["eyecatcher"]
    if "version_field" in entry:
        found[entry["version_field"]] = version
    if name == "wq":
        found.update(VERB_EYECATCHERS)
    return found


def section(name: str, values: Values, release: str = NEWEST) -> bytes:
    """One section of a structure.

    >>> section("qpst", {"qpstpool": 2, "qpstnbuf": 50_000})[4:8].decode("cp037")
    'QPST'
    """
    return block(name, release).section(values)
