"""The properties of one message: names, typed values and descriptors, in order, and their stored form.

Properties are kept apart from the message data and encoded compactly beside it, so that a selector reads them
without parsing anything. MQ allows two properties of one name (MQSMPO_APPEND_PROPERTY), hence a list with an
index on the first of each name instead of a plain mapping. How they reach an application that wants them as an
MQRFH2 is the business of `property_delivery`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from libremq.kernel.properties.property_names import canonical_name, check_length, check_name
from libremq.kernel.properties.property_types import FLOAT_TYPES, INTEGER_TYPES, check_value, infer_type, value_length
from libremq.mqi.constants import (
    MQCOPY_ALL,
    MQCOPY_DEFAULT,
    MQPD_NO_CONTEXT,
    MQPD_SUPPORT_OPTIONAL,
    MQRC_MIXED_CONTENT_NOT_ALLOWED,
    MQRC_PROPERTY_NOT_AVAILABLE,
    MQRC_UNEXPECTED_ERROR,
    MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING,
    MQTYPE_FLOAT32,
    MQTYPE_NULL,
    MQTYPE_STRING,
)
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.rfh2 import PropertyValue, is_element_name

STORED_VERSION = 1
PROPERTIES_MAX = 10_000
"""How many a message may have. What is read in one go must be bounded: a call is everybody's wait."""

_DESCRIPTOR = struct.Struct("<Iii")
_HAS_DESCRIPTOR = 0x80
_TYPE_CODES = {
    MQTYPE_NULL: 0,
    MQTYPE_BOOLEAN: 1,
    MQTYPE_BYTE_STRING: 2,
    MQTYPE_STRING: 3,
    **{mqtype: 4 + number for number, mqtype in enumerate(INTEGER_TYPES)},
    **{mqtype: 8 + number for number, mqtype in enumerate(FLOAT_TYPES)},
}
_TYPE_OF_CODE = {code: mqtype for mqtype, code in _TYPE_CODES.items()}
_NUMBERS = {mqtype: struct.Struct(f"<{code}") for mqtype, code in {**INTEGER_TYPES, **FLOAT_TYPES}.items()}
_BOOLEAN, _STRING = _TYPE_CODES[MQTYPE_BOOLEAN], _TYPE_CODES[MQTYPE_STRING]
_SIZES = {MQTYPE_NULL: 0, MQTYPE_BOOLEAN: 1, **{mqtype: number.size for mqtype, number in _NUMBERS.items()}}
_SIZE_OF_CODE = {code: _SIZES.get(mqtype, -1) for mqtype, code in _TYPE_CODES.items() if mqtype != MQTYPE_FLOAT32}
"""Of values; -1: it comes before the value. A float of four bytes is one of eight in between."""


@dataclass(slots=True, eq=False)
class Property:
    """One property. `name` is canonical; support, context and copy_options are the fields of MQPD."""

    name: str
    value: PropertyValue
    type: int
    support: int = MQPD_SUPPORT_OPTIONAL
    context: int = MQPD_NO_CONTEXT
    copy_options: int = MQCOPY_DEFAULT

    @property
    def has_descriptor(self) -> bool:
        """Whether the descriptor differs from the initial values of MQPD."""
        return (
            self.support != MQPD_SUPPORT_OPTIONAL
            or self.context != MQPD_NO_CONTEXT
            or self.copy_options != MQCOPY_DEFAULT
        )


class Properties:
    """The properties of a message, in order. Reads like a mapping of names to values."""

    __slots__ = ("_entries", "_index", "_unchecked")

    def __init__(self, values: Mapping[str, object] | None = None) -> None:
        self._entries: list[Property] = []
        self._index: dict[str, Property] = {}
        self._unchecked = False
        if values:
            for name, value in values.items():
                self.set(name, value)

    @classmethod
    def from_entries(cls, entries: list[Property]) -> Properties:
        """Properties read from elsewhere in one go, not checked one against the other."""
        properties = cls()
        properties._entries = entries
        properties._reindex()
        return properties

    # ---- reading

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and canonical_name(name) in self._index

    def __getitem__(self, name: str) -> PropertyValue:
        return self._index[canonical_name(name)].value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Properties) and self.encode() == other.encode()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Properties({self.as_dict()!r})"

    def get(self, name: str, default: PropertyValue = None) -> PropertyValue:
        entry = self._index.get(canonical_name(name))
        return default if entry is None else entry.value

    def value(self, canonical: str) -> PropertyValue:
        """The value of the first property of this canonical name, None if absent: the selectors' look-up."""
        entry = self._index.get(canonical)
        return None if entry is None else entry.value

    def find(self, name: str) -> Property | None:
        return self._index.get(canonical_name(name))

    def entries(self) -> list[Property]:
        """Every property in order, duplicates too. A new list of the live entries."""
        return list(self._entries)

    def as_dict(self) -> dict[str, PropertyValue]:
        return {name: entry.value for name, entry in self._index.items()}

    @property
    def data_length(self) -> int:
        """Bytes of names and values together: what MAXPROPL limits."""
        return sum(len(entry.name.encode()) + value_length(entry.value, entry.type) for entry in self._entries)

    # ---- changing

    def set(
        self,
        name: str,
        value: object,
        type: int | None = None,
        *,
        support: int = MQPD_SUPPORT_OPTIONAL,
        context: int = MQPD_NO_CONTEXT,
        copy_options: int = MQCOPY_DEFAULT,
        validate: bool = True,
    ) -> Property:
        """Change the first property of this name, or add one behind those of the same folder and group."""
        entry = make_property(
            name, value, type, support=support, context=context, copy_options=copy_options, validate=validate
        )
        existing = self._index.get(entry.name)
        if existing is not None:
            replace_contents(existing, entry)
            return existing
        self.add(entry)
        self._unchecked = self._unchecked or not validate
        return entry

    def __setitem__(self, name: str, value: object) -> None:
        self.set(name, value)

    def add(self, entry: Property) -> None:
        """Add a property behind those of the same folder and group, even if one of its name exists."""
        parent = entry.name.rpartition(".")[0]
        entries = self._entries
        if not entries or entries[-1].name.rpartition(".")[0] == parent:
            self._insert(len(entries), entry)
            return
        for position in range(len(entries) - 1, -1, -1):
            if entries[position].name.rpartition(".")[0] == parent:
                self._insert(position + 1, entry)
                return
        self._insert(len(entries), entry)

    def insert(self, beside: Property, entry: Property, *, after: bool) -> None:
        """Add a property right before or after another one."""
        self._insert(self._position(beside) + after, entry)

    def _insert(self, position: int, entry: Property) -> None:
        self._refuse_mixed_content(entry.name)
        self._entries.insert(position, entry)
        if position == len(self._entries) - 1:
            self._index.setdefault(entry.name, entry)
        else:
            self._reindex()

    def _refuse_mixed_content(self, name: str) -> None:
        if "." not in name or name in self._index:
            return
        inside = name + "."
        group = name.rpartition(".")[0]
        while "." in group:
            if group in self._index:
                raise _mixed_content(group, name)
            group = group.rpartition(".")[0]
        for other in self._index:
            if other.startswith(inside):
                raise _mixed_content(name, other)

    def remove(self, entry: Property) -> None:
        del self._entries[self._position(entry)]
        self._reindex()

    def __delitem__(self, name: str) -> None:
        entry = self.find(name)
        if entry is None:
            raise mq_error(MQRC_PROPERTY_NOT_AVAILABLE, object_name=name)
        self.remove(entry)

    def clear(self) -> None:
        self._entries.clear()
        self._index.clear()
        self._unchecked = False

    def note_unchecked(self) -> None:
        """Names came in without validation: `encode` has to look at them."""
        self._unchecked = True

    def contains_entry(self, entry: Property) -> bool:
        """Whether this very entry (not one like it) is still here."""
        return any(entry is other for other in self._entries)

    def _position(self, entry: Property) -> int:
        for position, other in enumerate(self._entries):
            if other is entry:
                return position
        raise mq_error(MQRC_PROPERTY_NOT_AVAILABLE, object_name=entry.name)

    def _reindex(self) -> None:
        self._index = {}
        for entry in self._entries:
            self._index.setdefault(entry.name, entry)

    # ---- copies

    def copy(self) -> Properties:
        copied = Properties.from_entries([replace(entry) for entry in self._entries])
        copied._unchecked = self._unchecked
        return copied

    def for_copy(self, copy_option: int) -> Properties:
        """What goes into a message made from this one: MQCOPY_FORWARD, _REPLY, _REPORT or _PUBLISH."""
        wanted = copy_option | MQCOPY_ALL
        copied = Properties.from_entries([replace(entry) for entry in self._entries if entry.copy_options & wanted])
        copied._unchecked = self._unchecked
        return copied

    def merged_over(self, lower: Properties) -> Properties:
        """These properties, and those of `lower` whose names are not among them."""
        merged = self.copy()
        merged._entries += [replace(entry) for entry in lower._entries if entry.name not in self._index]
        merged._unchecked = self._unchecked or lower._unchecked
        merged._reindex()
        return merged

    # ---- the stored form

    def encode(self) -> bytes:
        """The stored form: b'' without properties, else a version byte, a count, and each property.

        The names that MQCMHO_NO_VALIDATION let through are checked here at the latest, because a message
        that is on a queue must be deliverable in every form.
        """
        if not self._entries:
            return b""
        if self._unchecked:
            for entry in self._entries:
                if not all(is_element_name(part) for part in entry.name.split(".")):
                    check_name(entry.name)
        parts = [bytes((STORED_VERSION,)), _varint(len(self._entries))]
        for entry in self._entries:
            name = entry.name.encode()
            code = _TYPE_CODES[entry.type]
            has_descriptor = entry.has_descriptor
            parts.append(bytes((code | _HAS_DESCRIPTOR if has_descriptor else code,)))
            parts.append(_varint(len(name)))
            parts.append(name)
            if has_descriptor:
                parts.append(_DESCRIPTOR.pack(entry.support & 0xFFFFFFFF, entry.context, entry.copy_options))
            value = entry.value
            if isinstance(value, str):
                value = value.encode()
            if isinstance(value, bytes):
                parts.append(_varint(len(value)))
                parts.append(value)
            elif isinstance(value, bool):
                parts.append(b"\1" if value else b"\0")
            elif value is not None:
                parts.append(_NUMBERS[entry.type].pack(value))
        return b"".join(parts)

    @classmethod
    def decode(cls, data: bytes) -> Properties:
        """The properties of a stored form. Raises MQRC_UNEXPECTED_ERROR on bytes that `encode` never made."""
        if not data:
            return cls()
        if data[0] != STORED_VERSION:
            raise _damaged(f"version {data[0]} is not known here")
        try:
            return cls.from_entries(_decode_entries(data))
        except (IndexError, struct.error, UnicodeDecodeError, KeyError):
            raise _damaged("they end early or hold an unknown type") from None

    @staticmethod
    def decode_some(data: bytes, names: frozenset[bytes]) -> list[Property]:
        """Those of a stored form that have one of these names (in UTF-8); the others are passed over unread."""
        if data[0] != STORED_VERSION:
            raise _damaged(f"version {data[0]} is not known here")
        try:
            return _decode_entries(data, names)
        except (IndexError, struct.error, UnicodeDecodeError, KeyError):
            raise _damaged("they end early or hold an unknown type") from None


def make_property(
    name: str,
    value: object,
    type: int | None = None,
    *,
    support: int = MQPD_SUPPORT_OPTIONAL,
    context: int = MQPD_NO_CONTEXT,
    copy_options: int = MQCOPY_DEFAULT,
    validate: bool = True,
) -> Property:
    """A property, with its name and its value checked against the rules."""
    if validate:
        check_name(name)
    else:
        check_length(name)
    mqtype = infer_type(value) if type is None else type
    return Property(canonical_name(name), check_value(value, mqtype), mqtype, support, context, copy_options)


def replace_contents(entry: Property, source: Property) -> None:
    """Give `entry` the value, type and descriptor of `source`; its name and its place stay."""
    entry.value = source.value
    entry.type = source.type
    entry.support = source.support
    entry.context = source.context
    entry.copy_options = source.copy_options


def _mixed_content(group: str, inside: str) -> MQError:
    return mq_error(
        MQRC_MIXED_CONTENT_NOT_ALLOWED,
        object_name=inside[:100],
        detail=f"{group[:100]} cannot be a value and a group at once",
    )


def _damaged(detail: str) -> MQError:
    return mq_error(MQRC_UNEXPECTED_ERROR, detail=f"stored message properties are not readable: {detail}")


def _varint(number: int) -> bytes:
    if number < 0x80:
        return bytes((number,))
    parts = bytearray()
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def stored_count(data: bytes) -> int:
    """How many properties a stored form says to have."""
    return _read_varint(data, 1)[0] if len(data) > 1 else 0


def is_stored_form(data: bytes) -> bool:
    """Would `encode` make just these bytes of what `decode` reads in them? Told without making a property.

    No where that takes a closer look: with descriptors, with numbers that need not come back as they were.
    """
    try:
        count, position = _read_varint(data, 1)
        if data[0] != STORED_VERSION or not 0 < count <= PROPERTIES_MAX or data[1:position] != _varint(count):
            return False
        for _ in range(count):
            size = _SIZE_OF_CODE[data[position]]
            start = position + 2
            position = start + data[position + 1]
            if position - start >= 0x80 or not _is_text(data[start:position]):
                return False
            if size >= 0:
                position += size
                if data[start - 2] == _BOOLEAN and data[position - 1] > 1:
                    return False
                continue
            code, at = data[start - 2], position
            length, position = _read_varint(data, at)
            if data[at:position] != _varint(length):
                return False
            at, position = position, position + length
            if code == _STRING and not _is_text(data[at:position]):
                return False
    except (IndexError, KeyError):
        return False
    return position == len(data)


def _is_text(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    """A number, and the position behind it."""
    number = shift = 0
    while True:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7
        if shift > 35:
            raise IndexError


def _decode_entries(data: bytes, names: frozenset[bytes] | None = None) -> list[Property]:
    """All of them, or those with these names."""
    entries: list[Property] = []
    count, position = _read_varint(data, 1)
    for _ in range(count):
        code = data[position]
        mqtype = _TYPE_OF_CODE[code & ~_HAS_DESCRIPTOR]
        length = data[position + 1]
        if length < 0x80:
            position += 2
        else:
            length, position = _read_varint(data, position + 1)
        name = data[position : position + length]
        position += length
        described = position
        if code & _HAS_DESCRIPTOR:
            position += _DESCRIPTOR.size
        if mqtype in _SIZES:
            length = _SIZES[mqtype]
        else:
            length, position = _read_varint(data, position)
        value_at = position
        position += length
        if names is not None and name not in names:
            continue
        value = data[value_at:position]
        entry = Property(name.decode(), None, mqtype)
        if code & _HAS_DESCRIPTOR:
            entry.support, entry.context, entry.copy_options = _DESCRIPTOR.unpack_from(data, described)
        if mqtype == MQTYPE_STRING:
            entry.value = value.decode()
        elif mqtype == MQTYPE_BYTE_STRING:
            entry.value = value
        elif mqtype == MQTYPE_BOOLEAN:
            entry.value = value != b"\0"
        elif mqtype != MQTYPE_NULL:
            (entry.value,) = _NUMBERS[mqtype].unpack(value)
        entries.append(entry)
    if position != len(data):
        raise IndexError
    return entries
