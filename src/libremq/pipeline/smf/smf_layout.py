"""What lies where in an SMF 115 or 116 record: typed access to `layout.json`.

The data file says, for each structure, its fields with offset and type, from which length or version on a field exists,
and which triplet of which subtype leads to it. Nothing here touches bytes. Everything is big-endian, text is EBCDIC.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

HEADER_LENGTH = 28
"""Bytes of SMF header, counted from the record descriptor word; the triplets follow."""

TRIPLET_LENGTH = 8
TRIPLETS_MAX = 12

MQ_RECORD_TYPES = (115, 116)

RELEASE_WITH_EXTENSION = 946
"""From this level on in the SMF header, a QWHX follows the header section and holds the real release."""

WIDTHS = {
    "uint8": 1,
    "int8": 1,
    "uint16": 2,
    "int16": 2,
    "uint32": 4,
    "int32": 4,
    "uint64": 8,
    "int64": 8,
    "stck": 8,
    "stckdur": 8,
    "usec64": 8,
}
"""Bytes of each type; text (`ebcdic`) and opaque data (`bytes`) have the length of their field."""

HEADER_STRUCTURES = ("qwhs", "qwhc")
"""Structures that come with the header section instead of a triplet of their own."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a structure, or a table of equal ones when it has dimensions (count and stride, outermost first)."""

    name: str
    offset: int
    type: str
    length: int
    dims: tuple[tuple[int, int], ...] = ()
    longer_than: int | None = None
    """There only if the structure says it is longer than this."""
    version: int | None = None
    """There only from this version of the structure on."""
    enum: str | None = None
    bits: Mapping[str, int] | None = None
    """Names of single bits, each with its mask."""
    unset: int | None = None
    """The value that says nothing was recorded."""
    only_if: tuple[str, int] | None = None
    """Meaningful only if that field has this bit on."""
    bytes_too: bool = False
    """Shown as text although it can hold anything: the bytes are kept beside it."""

    @property
    def end(self) -> int:
        return self.offset + self.length + sum((count - 1) * stride for count, stride in self.dims)


@dataclass(frozen=True, slots=True)
class Slots:
    """A structure that is a fixed table of slots, each of which makes a row when its name is filled in."""

    count: int
    stride: int
    name: str


@dataclass(frozen=True, slots=True)
class Structure:
    """One structure: its fields, and what is needed to recognise it and to know how much of it is there."""

    name: str
    subject: str
    length: int
    """Length at the newest level known."""
    minimum: int
    """A shorter section is damage."""
    fields: tuple[Field, ...]
    eyecatcher: str | None = None
    length_field: str | None = None
    version_field: str | None = None
    slots: Slots | None = None
    companion: str | None = None
    """The header structure whose fields its rows carry as well."""

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)


@dataclass(frozen=True, slots=True)
class Section:
    """What a triplet of a subtype points to."""

    triplet: int
    structure: str
    repeats: bool
    only_if_length: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    structures: Mapping[str, Structure]
    sections: Mapping[tuple[int, int], tuple[Section, ...]]
    """By record type and subtype. A subtype without sections is known, and internal."""
    enums: Mapping[str, Mapping[int, str]]


def _field(entry: Mapping[str, Any]) -> Field:
    return Field(
        name=entry["name"],
        offset=entry["offset"],
        type=entry["type"],
        length=entry["length"] if "length" in entry else WIDTHS[entry["type"]],
        dims=tuple((count, stride) for count, stride in entry.get("dims", ())),
        longer_than=entry.get("longer_than"),
        version=entry.get("version"),
        enum=entry.get("enum"),
        bits=entry.get("bits"),
        unset=entry.get("unset"),
        only_if=(entry["only_if"][0], entry["only_if"][1]) if "only_if" in entry else None,
        bytes_too=entry.get("bytes_too", False),
    )


def _structure(name: str, entry: Mapping[str, Any]) -> Structure:
    return Structure(
        name=name,
        subject=entry["subject"],
        length=entry["length"],
        minimum=entry["minimum"],
        fields=tuple(_field(field) for field in entry["fields"]),
        eyecatcher=entry.get("eyecatcher"),
        length_field=entry.get("length_field"),
        version_field=entry.get("version_field"),
        slots=Slots(**entry["slots"]) if "slots" in entry else None,
        companion=entry.get("with"),
    )


@cache
def layout() -> Layout:
    """The layout of all structures, read once. It is found in a zip archive too, where a cluster has it."""
    text = resources.files(__package__).joinpath("layout.json").read_text(encoding="ascii")
    data = json.loads(text)
    return Layout(
        structures={name: _structure(name, entry) for name, entry in data["structures"].items()},
        sections={
            (int(record_type), int(subtype)): tuple(Section(**section) for section in sections)
            for record_type, subtypes in data["record_types"].items()
            for subtype, sections in subtypes.items()
        },
        enums={name: {int(code): label for code, label in labels.items()} for name, labels in data["enums"].items()},
    )


def structure(name: str) -> Structure:
    """The structure of that name.

    >>> structure("qpst").subject
    'buffer pools'
    """
    try:
        return layout().structures[name]
    except KeyError:
        known = ", ".join(sorted(layout().structures))
        raise ValueError(f"no SMF structure {name!r}; there are {known}") from None
