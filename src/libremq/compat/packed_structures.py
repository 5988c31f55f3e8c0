"""MQI structures as the packages hand them over: bytes of the full C size, with addresses of this process inside.

The Version field says how much of the bytes counts. What comes back has the same size: the fields of that version as
the call left them, the rest untouched. Text goes back blank-padded, as MQ returns it. Strings of variable length are
read from, and written to, the memory they point at, which its owner keeps only as long as the call lasts.
"""

from __future__ import annotations

import ctypes
from typing import TypeVar

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.layout import MQCHARV, Structure

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


def read(structure: type[_S], data: bytes) -> _S:
    """The structure in the bytes, with its strings of variable length. MQError if it is not one."""
    made = structure.unpack(data)
    for name, vstring in made.raw.items():
        setattr(made, name, text_at(vstring, structure))
    return made


def write(made: Structure, original: bytes) -> bytes:
    """The bytes again, with what the call changed. The version is the one that came in."""
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
