"""MQI structures as the packages hand them over: bytes of the full C size, with addresses of this process inside.

The Version field says how much of the bytes counts. What comes back has the same size: the fields of that version as
the call left them, the rest untouched. Text goes back blank-padded, as MQ returns it. Strings of variable length are
read from, and written to, the memory they point at, which its owner keeps only as long as the call lasts.
"""

from __future__ import annotations

import ctypes
import struct
from typing import TypeVar

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.layout import MQCHARV, Structure
from libremq.mqi.structs import MQGMO, MQMD, MQPMO
from libremq.wire.descriptor import pack_md, unpack_md
from libremq.wire.wire_structures import GMO, WireStructure

_S = TypeVar("_S", bound=Structure)
_VSTRING_MAX = 1 << 20  # far above what MQ takes for a topic or a selector: a wrong length must not read all memory


class StructureError(Exception):
    """An argument is no MQI structure: the caller's mistake, not an outcome of the call."""


def check_size(data: object, structure: type[Structure], *sizes: int) -> bytes:
    """The argument as bytes, if it has one of the sizes (or that of the structure in C)."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"{structure.__name__} is bytes, not {type(data).__name__}")
    if len(data) not in (sizes or (structure.size(),)):
        raise StructureError(f"{structure.__name__} wrong size: given {len(data)}, expected {structure.size()}")
    return bytes(data)


# The structures of puts and gets, which come again and again alike: what was seen before costs one look. MQMD and MQGMO
# are in memory as they are on the wire; an MQPMO has longer addresses.

_PMO_FIELDS: list[tuple[str, str]] = [
    ("StrucId", "4s"), ("Version", "i"), ("Options", "i"), ("Timeout", "i"), ("Context", "i"), ("KnownDestCount", "i"),
    ("UnknownDestCount", "i"), ("InvalidDestCount", "i"), ("ResolvedQName", "48s"), ("ResolvedQMgrName", "48s"),
    ("RecsPresent", "i"), ("PutMsgRecFields", "i"), ("PutMsgRecOffset", "i"), ("ResponseRecOffset", "i"),
    ("PutMsgRecPtr", "Q"), ("ResponseRecPtr", "Q"), ("OriginalMsgHandle", "q"), ("NewMsgHandle", "q"),
    ("Action", "i"), ("PubLevel", "i"),
]  # fmt: skip
_PMO = WireStructure(MQPMO, _PMO_FIELDS, {1: "ResolvedQMgrName", 2: "ResponseRecPtr", 3: "PubLevel"})
_MD = b"MD  \1\0\0\0", b"MD  \2\0\0\0"
_OPTIONS = tuple(b"PMO " + bytes((version, 0, 0, 0)) for version in (1, 2, 3)) + tuple(
    b"GMO " + bytes((version, 0, 0, 0)) for version in (1, 2, 3, 4)
)


def _read_again(structure: type[_S], data: bytes) -> Structure | None:
    """A structure of the usual kind; None if it is of another."""
    start = data[:8]
    if structure is MQMD:
        return unpack_md(data, 0)[0] if start in _MD else None
    if start not in _OPTIONS:
        return None
    if structure is MQGMO:
        return GMO.unpack(data, 0)[0]
    return _PMO.unpack(data, 0)[0] if structure is MQPMO else None


def _packed_again(made: Structure) -> bytes | None:
    try:
        if isinstance(made, MQMD):
            return pack_md(made) if made.Version in (C.MQMD_VERSION_1, C.MQMD_VERSION_2) else None
        if isinstance(made, MQGMO):
            return GMO.pack(made)
        return _PMO.pack(made) if isinstance(made, MQPMO) else None
    except (struct.error, ValueError, TypeError, AttributeError):
        return None  # a field does not fit: what becomes of it is decided below


def read(structure: type[_S], data: bytes) -> _S:
    """The structure in the bytes, with its strings of variable length. MQError if it is not one."""
    again = _read_again(structure, data)
    if isinstance(again, structure):
        return again
    made = structure.unpack(data)
    for name, vstring in made.raw.items():
        setattr(made, name, text_at(vstring, structure))
    return made


def write(made: Structure, original: bytes) -> bytes:
    """The bytes again, with what the call changed. The version is the one that came in."""
    again = _packed_again(made)
    if again is not None:
        return again + original[len(again) :]
    version = getattr(made, "Version", None)
    for name, vstring in made.raw.items():
        _give_back(vstring, str(getattr(made, name, "")))
    try:
        packed = made.pack(version=version)
    except MQError:
        packed = _encodable(made).pack(version=version)
    return packed + original[len(packed) :]


def _encodable(made: Structure) -> Structure:
    """A copy whose text fits its fields: a name in another alphabet must not make a get fail that took a message."""
    copy = made.copy()
    for name, value in list(copy.__dict__.items()):
        if isinstance(value, str):
            setattr(copy, name, value.encode("latin-1", "replace").decode("latin-1"))
    return copy


def bytes_at(address: int, length: int) -> bytes:
    """What is in memory at an address that the caller gave; a null pointer is nothing."""
    return ctypes.string_at(address, length) if address and length > 0 else b""


def text_at(vstring: MQCHARV, structure: type[Structure]) -> str:
    """The text that an MQCHARV points at."""
    if not vstring.VSPtr:
        return ""
    length = vstring.VSLength
    if length == C.MQVS_NULL_TERMINATED:
        return ctypes.string_at(vstring.VSPtr).decode("utf-8", "replace")
    if not 0 <= length <= _VSTRING_MAX:
        raise mq_error(structure._error, detail=f"{structure.__name__}: a string of length {length}")
    return bytes_at(vstring.VSPtr, length).decode("utf-8", "replace")


def _give_back(vstring: MQCHARV, text: str) -> None:
    """Write a string into the buffer that its owner gave for it; VSLength says how long it really is."""
    if not (vstring.VSPtr and vstring.VSBufSize > 0):
        return
    data = text.encode()
    if bytes_at(vstring.VSPtr, min(vstring.VSLength, vstring.VSBufSize)) != data[: vstring.VSBufSize]:
        ctypes.memmove(vstring.VSPtr, data, min(len(data), vstring.VSBufSize))
    vstring.VSLength = len(data)


def text(value: object) -> str:
    """A name or a value of text: bytes as the packages send it, or a str."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode("utf-8", "replace")
    raise TypeError(f"bytes or str expected, not {type(value).__name__}")


def name_of(value: object) -> str:
    """A name without its padding."""
    return text(value).partition("\0")[0].strip(" ")


def check_numbers(*values: object) -> None:
    """Handles, options and lengths are ints."""
    for value in values:
        if not isinstance(value, int):
            raise TypeError(f"an int is required, not {type(value).__name__}")


def check_data(value: object) -> bytes:
    """The data of a message, or a value, as bytes."""
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError(f"bytes are required, not {type(value).__name__}")
    return bytes(value)
