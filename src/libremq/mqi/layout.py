"""The machinery under the MQI structures: a class per structure, one declaration per field.

A structure declares its fields as annotated class attributes (`Priority: MQLONG = -1`) in C order, with the C
initial values. The annotation gives the byte layout, the class attribute the default; an instance keeps only
what was changed in its `__dict__`, so making one costs next to nothing and packing starts from the packed
defaults. Offsets follow the natural alignment of a 64-bit machine. Text is `str` without trailing blanks or
NULs; an MQCHARV field is a plain `str` too, and the address and lengths it has in bytes live in `raw`.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, dataclass_transform

from libremq.mqi.errors import MQError, mq_error

MQLONG: TypeAlias = int
MQINT64: TypeAlias = int
MQPTR: TypeAlias = int
MQCHAR: TypeAlias = str
MQCHAR4: TypeAlias = str
MQCHAR8: TypeAlias = str
MQCHAR12: TypeAlias = str
MQCHAR20: TypeAlias = str
MQCHAR28: TypeAlias = str
MQCHAR32: TypeAlias = str
MQCHAR48: TypeAlias = str
MQCHAR64: TypeAlias = str
MQCHAR128: TypeAlias = str
MQCHAR256: TypeAlias = str
MQCHAR264: TypeAlias = str
MQBYTE4: TypeAlias = bytes
MQBYTE8: TypeAlias = bytes
MQBYTE16: TypeAlias = bytes
MQBYTE24: TypeAlias = bytes
MQBYTE32: TypeAlias = bytes
MQBYTE40: TypeAlias = bytes
MQBYTE128: TypeAlias = bytes
MQLONGx2: TypeAlias = tuple[int, ...]
MQLONGx4: TypeAlias = tuple[int, ...]
MQLONGx16: TypeAlias = tuple[int, ...]
VSTRING: TypeAlias = str  # an MQCHARV in bytes

Buffer = bytes | bytearray | memoryview

_INT, _TEXT, _BYTES, _INTS, _VSTRING, _NESTED = range(6)
_INT_CODES = {"MQLONG": "i", "MQINT64": "q", "MQPTR": "Q"}
_SIZED_TYPE = re.compile(r"MQ(CHAR|BYTE|LONGx)(\d*)")
_VSTRING_DEFAULT = (0, 0, 0, 0, -3)  # VSPtr, VSOffset, VSBufSize, VSLength, VSCCSID = MQCCSI_APPL
_NO_RAW: Mapping[str, MQCHARV] = MappingProxyType({})


class _Field(NamedTuple):
    """One field: where it is in the values of `struct.Struct`, and how its bytes become a Python value."""

    name: str
    kind: int
    code: str  # struct code(s)
    length: int
    alignment: int
    slot: int
    slots: int
    default: Any
    blank: bool  # the C initial value is blanks, so blanks fill it whatever `fill` says
    nested: type[Structure] | None


class _Shape:
    """The layout of one version of a structure."""

    __slots__ = ("_defaults", "_structs", "by_slot", "fields", "format", "length", "size", "version_slot")

    def __init__(self, fields: list[_Field], length: int) -> None:
        self.fields = {field.name: field for field in fields}
        self.by_slot = [field for field in fields for _ in range(field.slots)]
        self.length = length
        self.version_slot = self.fields["Version"].slot if "Version" in self.fields else -1
        codes = []
        offset = 0
        for field in fields:
            gap = -offset % field.alignment
            codes.append(f"{gap}x{field.code}" if gap else field.code)
            offset += gap + field.length
        self.size = offset
        if length > offset:
            codes.append(f"{length - offset}x")
        self.format = "".join(codes)
        self._structs: dict[bool, struct.Struct] = {}
        self._defaults: dict[tuple[str, bytes, bool], list[Any]] = {}

    def struct(self, big_endian: bool) -> struct.Struct:
        compiled = self._structs.get(big_endian)
        if compiled is None:
            compiled = self._structs[big_endian] = struct.Struct((">" if big_endian else "<") + self.format)
        return compiled

    def defaults(self, charset: str, fill: bytes, big_endian: bool) -> list[Any]:
        """The values `struct.pack` takes for an untouched instance. Shared: copy before changing."""
        key = (charset, fill, big_endian)
        values = self._defaults.get(key)
        if values is None:
            values = []
            for field in self.fields.values():
                if field.kind == _TEXT:
                    values.append(_encode_text(field, field.default, charset, fill))
                elif field.kind == _INTS or field.kind == _VSTRING:
                    values.extend(_VSTRING_DEFAULT if field.kind == _VSTRING else field.default)
                elif field.nested is not None:
                    values.append(field.nested().pack(big_endian=big_endian, charset=charset, fill=fill))
                else:
                    values.append(field.default)
            self._defaults[key] = values
        return values


def _encode_text(field: _Field, value: str, charset: str, fill: bytes) -> bytes:
    data = value.encode(charset)
    length = field.length
    if len(data) > length:
        data = value.rstrip(" \0").encode(charset)
        if len(data) > length:
            raise ValueError(f"{field.name} is {len(data)} bytes long, but its field has {length}")
    return data.ljust(length, _fill_byte(charset, b" " if field.blank else fill))


@cache
def _fill_byte(charset: str, fill: bytes) -> bytes:
    """The fill character is named in ASCII and written in the charset: a blank is X'40' in EBCDIC."""
    return fill.decode("ascii").encode(charset)


def _decode_text(data: bytes, charset: str) -> str:
    text = data.decode(charset)
    nul = text.find("\0")
    return (text if nul < 0 else text[:nul]).rstrip(" ")


def _signed(values: list[Any], fields: list[_Field]) -> list[Any]:
    """The values again with masks such as MQRO_ACCEPT_UNSUP_MASK, which are written unsigned, as signed MQLONGs.

    Raises ValueError for the first integer that is out of range either way.
    """
    folded = list(values)
    for slot, (value, field) in enumerate(zip(values, fields)):
        if isinstance(value, int):
            pointer = field.code[0] == "Q" and slot == field.slot
            bits = 64 if pointer or field.code == "q" else 32
            if not (0 if pointer else -(1 << bits - 1)) <= value < 1 << bits:
                raise ValueError(f"{field.name} is {value}, which its field cannot hold")
            if not pointer and value >= 1 << bits - 1:
                folded[slot] = value - (1 << bits)
    return folded


def _plain(value: Any) -> Any:
    """A value as it is compared: fill characters and the kind of sequence do not count."""
    if isinstance(value, str):
        return value.rstrip(" \0")
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _copy_item(item: Any) -> Any:
    return item.copy() if isinstance(item, Structure) else item


class _Nested:
    """A structure inside a structure: made on first use, then an ordinary attribute of its owner."""

    def __init__(self, nested: type[Structure]) -> None:
        self.nested = nested
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, owner: Any, owner_type: type | None = None) -> Any:
        if owner is None:
            return self
        value = owner.__dict__[self.name] = self.nested()
        return value


def nested(structure: type[Structure]) -> Any:
    """The default of a field that is itself a structure."""
    return _Nested(structure)


@dataclass_transform(kw_only_default=True, eq_default=False)
class Structure:
    """The base of every MQI structure; see the module docstring for the idea.

    `versions` maps a version to its length in bytes and its last field. `error` is the reason code MQ gives for
    a structure of this kind that is not valid. `computed` names fields that `pack` works out itself.
    """

    # MQCHARV fields by name, as they stood in the bytes this instance was unpacked from.
    raw: Mapping[str, MQCHARV] = _NO_RAW

    _shapes: ClassVar[dict[int, _Shape]] = {}
    _current: ClassVar[_Shape]
    _error: ClassVar[int] = 0
    _names: ClassVar[frozenset[str]] = frozenset()
    _extra: ClassVar[frozenset[str]] = frozenset()
    _computed: ClassVar[frozenset[str]] = frozenset()
    _nested_names: ClassVar[tuple[str, ...]] = ()
    _version_field: ClassVar[tuple[int, int]] = (0, 0)  # offset, length
    _eyecatchers: ClassVar[dict[str, bytes]] = {}

    def __init_subclass__(
        cls,
        *,
        error: int = 0,
        versions: Mapping[int, tuple[int, str]] | None = None,
        extra: tuple[str, ...] = (),
        computed: tuple[str, ...] = (),
    ) -> None:
        super().__init_subclass__()
        if error == 0:
            return  # an abstract base, or a user's subclass of a complete structure
        cls._error = error
        fields = _read_fields(cls, extra)
        cls._names = frozenset(field.name for field in fields) | frozenset(extra)
        cls._extra = frozenset(extra)
        cls._computed = frozenset(computed)
        cls._nested_names = tuple(field.name for field in fields if field.kind == _NESTED)
        cls._eyecatchers = {}
        cls._shapes = {}
        if versions is None:
            cls._shapes[0] = cls._current = _Shape(fields, 0)
        else:
            position = {field.name: number for number, field in enumerate(fields, 1)}
            for version, (length, last) in versions.items():
                cls._current = cls._shapes[version] = _Shape(fields[: position[last]], length)
            before = fields[: position["Version"] - 1]
            cls._version_field = (_Shape(before, 0).size, fields[position["Version"] - 1].length)
        for field in fields:
            if field.kind != _NESTED:
                setattr(cls, field.name, field.default)

    def __init__(self, **fields: Any) -> None:
        if fields:
            if not self._names.issuperset(fields):
                unknown = ", ".join(sorted(fields.keys() - self._names))
                raise TypeError(f"{type(self).__name__} has no field {unknown}")
            self.__dict__.update(fields)

    # --- bytes -------------------------------------------------------------------------------------------

    @classmethod
    def size(cls, version: int | None = None) -> int:
        """The length in bytes of a version (the latest if none is named), without any variable part."""
        shape = cls._current if version is None else cls._shape_of(version)
        return shape.length or shape.size

    def pack(
        self,
        *,
        version: int | None = None,
        big_endian: bool = False,
        charset: str = "latin-1",
        fill: bytes = b" ",
    ) -> bytes:
        """The bytes of this structure.

        `version` asks for the layout of that version and writes its number; without it the Version field
        decides. Text is encoded in `charset` (any single-byte codec) and filled with `fill`, a blank or a NUL.
        """
        return self._pack_fixed(version, big_endian, charset, fill, None)

    def _pack_fixed(
        self,
        version: int | None,
        big_endian: bool,
        charset: str,
        fill: bytes,
        computed: Mapping[str, int] | None,
    ) -> bytes:
        shape = self._shape_of(self._version_number() if version is None else version)
        if computed is None and "StrucLength" in self._computed:
            computed = {"StrucLength": shape.length or shape.size}
        field: _Field | None = None
        try:
            values = shape.defaults(charset, fill, big_endian).copy()
            for name, value in self.__dict__.items():
                field = shape.fields.get(name)
                if field is None:
                    self._check_name(name)
                elif field.kind == _INT:
                    values[field.slot] = value
                elif field.kind == _TEXT:
                    values[field.slot] = _encode_text(field, value, charset, fill)
                elif field.kind == _BYTES:
                    if len(value) > field.length:
                        raise ValueError(f"{name} is {len(value)} bytes long, but its field has {field.length}")
                    values[field.slot] = value
                elif field.kind == _INTS:
                    if len(value) != field.slots:
                        raise ValueError(f"{name} takes {field.slots} integers, not {len(value)}")
                    values[field.slot : field.slot + field.slots] = value
                elif field.nested is not None:
                    values[field.slot] = value.pack(big_endian=big_endian, charset=charset, fill=fill)
            for name, vstring in self.raw.items():
                field = shape.fields.get(name)
                if field is not None:
                    values[field.slot : field.slot + 5] = vstring.as_tuple()
            if version is not None and version != self._version_number():
                slot = shape.version_slot
                values[slot] = (
                    _encode_text(shape.by_slot[slot], f"{version:4}", charset, fill)
                    if shape.by_slot[slot].kind == _TEXT
                    else version
                )
            if computed is not None:
                for name, number in computed.items():
                    values[shape.fields[name].slot] = number
            packer = shape.struct(big_endian)
            try:
                return packer.pack(*values)
            except struct.error:
                return packer.pack(*_signed(values, shape.by_slot))
        except (ValueError, struct.error) as problem:
            raise mq_error(self._error, detail=f"{type(self).__name__}: {problem}") from problem
        except (AttributeError, TypeError) as problem:
            if field is None:
                raise
            raise TypeError(f"{type(self).__name__}.{field.name}: {problem}") from problem

    @classmethod
    def unpack(cls, data: Buffer, offset: int = 0, *, big_endian: bool = False, charset: str = "latin-1") -> Self:
        """Read a structure from `data` at `offset`: the fields of the version found there, defaults for the rest.

        Raises MQError with the reason code of this kind of structure if the bytes are not one.
        """
        new, _ = cls._unpack_fixed(data, offset, big_endian, charset)
        return new

    @classmethod
    def _unpack_fixed(cls, data: Buffer, offset: int, big_endian: bool, charset: str) -> tuple[Self, int]:
        """The structure, and the offset behind its fixed part."""
        try:
            shape = cls._shape_at(data, offset, big_endian, charset)
            values = shape.struct(big_endian).unpack_from(data, offset)
            new = cls.__new__(cls)
            changed = new.__dict__
            defaults = shape.defaults(charset, b" ", big_endian)
            for slot, value in enumerate(values):
                if value != defaults[slot]:
                    field = shape.by_slot[slot]
                    if field.kind == _TEXT:
                        text = _decode_text(value, charset) if field.length > 1 else value.decode(charset)
                        if text != field.default:
                            changed[field.name] = text
                    elif field.kind == _INTS:
                        changed[field.name] = values[field.slot : field.slot + field.slots]
                    elif field.kind == _VSTRING:
                        if not new.raw:
                            new.raw = {}
                        vstring = MQCHARV.from_tuple(values[field.slot : field.slot + 5])
                        new.raw[field.name] = vstring  # type: ignore[index]
                    elif field.nested is not None:
                        changed[field.name] = field.nested.unpack(value, big_endian=big_endian, charset=charset)
                    else:
                        changed[field.name] = value
        except (ValueError, struct.error) as problem:
            raise cls._invalid(str(problem)) from problem
        length = shape.length or shape.size
        if "StrucLength" in cls._computed and new.StrucLength < length:  # type: ignore[attr-defined]
            raise cls._invalid(f"StrucLength is {new.StrucLength}, less than {length}")  # type: ignore[attr-defined]
        return new, offset + length

    # --- values ------------------------------------------------------------------------------------------

    def copy(self) -> Self:
        new = self.__class__.__new__(self.__class__)
        new.__dict__ = self.__dict__.copy()
        if self._nested_names or self._extra:
            self._copy_parts(new)
        return new

    def _copy_parts(self, new: Self) -> None:
        """Give the copy its own nested structures and lists."""
        for name in self._nested_names:
            if name in self.__dict__:
                new.__dict__[name] = self.__dict__[name].copy()
        for name in self._extra:
            if isinstance(value := self.__dict__.get(name), list | tuple):
                new.__dict__[name] = [_copy_item(item) for item in value]

    def __eq__(self, other: object) -> bool:
        if self.__class__ is not other.__class__:
            return NotImplemented
        mine, theirs = self.__dict__, other.__dict__
        if mine == theirs:
            return True
        for name in (mine.keys() | theirs.keys()) - self._computed:
            if _plain(getattr(self, name)) != _plain(getattr(other, name)):
                return False
        return True

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Only the fields that differ from their initial values, in the order of the structure."""
        changed = self.__dict__
        order = [*self._current.fields, *sorted(self._extra)]
        shown = [f"{name}={changed[name]!r}" for name in order if name in changed]
        return f"{type(self).__name__}({', '.join(shown)})"

    # --- helpers -----------------------------------------------------------------------------------------

    def _version_number(self) -> int:
        if 0 in self._shapes:
            return 0
        return int(self.Version)  # type: ignore[attr-defined]

    def _check_name(self, name: str) -> None:
        """Catch a misspelt field name that was set as an attribute."""
        if name not in self._names and name != "raw" and not name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no field {name}")

    @classmethod
    def _shape_of(cls, version: int) -> _Shape:
        shape = cls._shapes.get(version)
        if shape is None:
            known = ", ".join(str(number) for number in cls._shapes)
            raise cls._invalid(f"version {version} is not known (known: {known})")
        return shape

    @classmethod
    def _shape_at(cls, data: Buffer, offset: int, big_endian: bool, charset: str) -> _Shape:
        """The shape for the structure at `offset`, after a look at its StrucId and Version."""
        start, length = cls._version_field
        if len(data) < offset + (start + length or 4):
            raise cls._invalid(f"only {max(len(data) - offset, 0)} bytes are left")
        if "StrucId" in cls._names:
            eyecatcher = cls._eyecatchers.get(charset)
            if eyecatcher is None:
                field = cls._current.fields["StrucId"]
                eyecatcher = cls._eyecatchers[charset] = _encode_text(field, field.default, charset, b" ")
            found = bytes(data[offset : offset + 4])
            if found != eyecatcher:
                raise cls._invalid(f"the structure id is {found!r}, not {eyecatcher!r}")
        if 0 in cls._shapes:
            return cls._shapes[0]
        found = bytes(data[offset + start : offset + start + length])
        if cls._current.fields["Version"].kind == _TEXT:
            text = found.decode(charset).strip(" \0")
            version = int(text) if text.isdecimal() else 0
        else:
            version = int.from_bytes(found, "big" if big_endian else "little", signed=True)
        return cls._shape_of(version)

    @classmethod
    def _invalid(cls, problem: str) -> MQError:
        return mq_error(cls._error, detail=f"{cls.__name__}: {problem}")


def _read_fields(cls: type[Structure], extra: tuple[str, ...]) -> list[_Field]:
    """Turn the annotations of a structure class into fields, and its defaults into Python values."""
    fields: list[_Field] = []
    slot = 0
    for name, annotation in cls.__annotations__.items():
        if name in extra or annotation.startswith("ClassVar"):
            continue
        default = cls.__dict__[name]
        slots, blank, inner = 1, False, None
        if annotation in _INT_CODES:
            kind, code = _INT, _INT_CODES[annotation]
            length = alignment = struct.calcsize("<" + code)
        elif annotation == "VSTRING":
            kind, code, length, alignment, slots = _VSTRING, "Qiiii", 24, 8, 5
        elif isinstance(default, _Nested):
            inner = default.nested
            length = inner.size()
            kind, code, alignment = _NESTED, f"{length}s", 4
        else:
            match = _SIZED_TYPE.fullmatch(annotation)
            assert match is not None, f"{cls.__name__}.{name}: {annotation}"
            length = int(match[2] or 1)
            kind, code, alignment = _BYTES, f"{length}s", 1
            if match[1] == "CHAR":
                kind = _TEXT
                blank = default.endswith(" ")
                if length > 1:
                    default = default.rstrip(" ")
            elif match[1] == "LONGx":
                kind, code, slots, length, alignment = _INTS, f"{length}i", length, length * 4, 4
        name = sys.intern(name)
        fields.append(_Field(name, kind, code, length, alignment, slot, slots, default, blank, inner))
        slot += slots
    return fields


class MQCHARV(Structure, error=2142):
    """A reference to a string of variable length: an address or offset, and lengths, never the text itself."""

    VSPtr: MQPTR = 0
    VSOffset: MQLONG = 0
    VSBufSize: MQLONG = 0
    VSLength: MQLONG = 0
    VSCCSID: MQLONG = -3

    def as_tuple(self) -> tuple[int, int, int, int, int]:
        return self.VSPtr, self.VSOffset, self.VSBufSize, self.VSLength, self.VSCCSID

    @classmethod
    def from_tuple(cls, values: tuple[int, ...]) -> MQCHARV:
        return cls(**dict(zip(cls._current.fields, values)))
