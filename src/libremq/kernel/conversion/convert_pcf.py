"""Programmable command formats: a row of structures, each with its own type and length.

Integers change their byte order; strings become as long as they need to be, and the lengths around them follow.
A string names its own CCSID, or MQCCSI_DEFAULT for that of the message. Any structure that starts a PCF message
may follow at any point, since some senders put several into one message.
"""

from __future__ import annotations

from typing import NamedTuple

from libremq.kernel.conversion.convert_text import NotConverted, Part, Text
from libremq.mqi.constants import (
    MQCCSI_DEFAULT,
    MQCFH_STRUC_LENGTH,
    MQCFT_ACCOUNTING,
    MQCFT_APP_ACTIVITY,
    MQCFT_BYTE_STRING,
    MQCFT_BYTE_STRING_FILTER,
    MQCFT_COMMAND,
    MQCFT_COMMAND_XR,
    MQCFT_EVENT,
    MQCFT_GROUP,
    MQCFT_INTEGER,
    MQCFT_INTEGER64,
    MQCFT_INTEGER64_LIST,
    MQCFT_INTEGER_FILTER,
    MQCFT_INTEGER_LIST,
    MQCFT_REPORT,
    MQCFT_RESPONSE,
    MQCFT_STATISTICS,
    MQCFT_STATUS,
    MQCFT_STRING,
    MQCFT_STRING_FILTER,
    MQCFT_STRING_LIST,
    MQCFT_TRACE_ROUTE,
    MQCFT_USER,
    MQCFT_XR_ITEM,
    MQCFT_XR_MSG,
    MQCFT_XR_SUMMARY,
    MQRC_FORMAT_ERROR,
)


class _Shape(NamedTuple):
    """A PCF structure: `fixed` bytes of integers, then values of one kind.

    `count_at` and `length_at` are the offsets of the number of values and of the length of one; None where there is
    one value, or where its size follows from the kind. `ccsid_at` is the offset of the CCSID of a string.
    """

    fixed: int
    kind: str = ""  # "i", "q", "bytes", "text" or "" for nothing
    count_at: int | None = None
    length_at: int | None = None
    ccsid_at: int | None = None


_HEADER = _Shape(MQCFH_STRUC_LENGTH)
_SHAPES: dict[int, _Shape] = {
    MQCFT_COMMAND: _HEADER,
    MQCFT_RESPONSE: _HEADER,
    MQCFT_EVENT: _HEADER,
    MQCFT_USER: _HEADER,
    MQCFT_TRACE_ROUTE: _HEADER,
    MQCFT_REPORT: _HEADER,
    MQCFT_COMMAND_XR: _HEADER,
    MQCFT_XR_MSG: _HEADER,
    MQCFT_XR_ITEM: _HEADER,
    MQCFT_XR_SUMMARY: _HEADER,
    MQCFT_STATISTICS: _HEADER,
    MQCFT_ACCOUNTING: _HEADER,
    MQCFT_APP_ACTIVITY: _HEADER,
    MQCFT_STATUS: _HEADER,
    MQCFT_INTEGER: _Shape(16),
    MQCFT_GROUP: _Shape(16),
    MQCFT_INTEGER_FILTER: _Shape(20),
    MQCFT_INTEGER_LIST: _Shape(16, "i", count_at=12),
    MQCFT_INTEGER64: _Shape(16, "q"),
    MQCFT_INTEGER64_LIST: _Shape(16, "q", count_at=12),
    MQCFT_STRING: _Shape(20, "text", length_at=16, ccsid_at=12),
    MQCFT_STRING_LIST: _Shape(24, "text", count_at=16, length_at=20, ccsid_at=12),
    MQCFT_STRING_FILTER: _Shape(24, "text", length_at=20, ccsid_at=16),
    MQCFT_BYTE_STRING: _Shape(16, "bytes", length_at=12),
    MQCFT_BYTE_STRING_FILTER: _Shape(20, "bytes", length_at=16),
}
_SIZES = {"i": 4, "q": 8, "": 0}


def convert_pcf(data: bytes, part: Part, *, truncated: bool = False) -> bytes:
    """All structures of `data`. With `truncated` the last one may be cut: its whole integers are converted."""
    new = bytearray()
    at = 0
    while at < len(data):
        if len(data) - at < 8:
            if not truncated:
                raise NotConverted(MQRC_FORMAT_ERROR)
            new += part.integers(data[at:])
            break
        shape = _SHAPES.get(part.read_integer(data, at))
        length = part.read_integer(data, at + 4)
        if shape is None or length < shape.fixed:
            raise NotConverted(MQRC_FORMAT_ERROR)
        end = at + length
        if end > len(data):
            if not truncated:
                raise NotConverted(MQRC_FORMAT_ERROR)
            fixed_end = min(at + shape.fixed, len(data))
            new += part.integers(data[at:fixed_end]) + data[fixed_end:]
            break
        new += _convert_structure(data[at:end], shape, part)
        at = end
    return bytes(new)


def _convert_structure(data: bytes, shape: _Shape, part: Part) -> bytes:
    fixed = bytearray(part.integers(data[: shape.fixed]))
    count = part.read_integer(data, shape.count_at) if shape.count_at is not None else 1
    size = part.read_integer(data, shape.length_at) if shape.length_at is not None else _SIZES[shape.kind]
    end = shape.fixed + count * size
    if count < 0 or size < 0 or end > len(data):
        raise NotConverted(MQRC_FORMAT_ERROR)
    values = data[shape.fixed : end]
    padding = data[end:]
    if shape.kind == "text":
        values = _convert_strings(values, count, size, shape, fixed, data, part)
        if len(values) != end - shape.fixed:
            padding = bytes(-len(values) % 4)
            fixed[4:8] = part.integer(shape.fixed + len(values) + len(padding))
    elif shape.kind == "i":
        values = part.integers(values)
    elif shape.kind == "q":
        values = part.integers(values, "q", 8)
    return bytes(fixed) + values + padding


def _convert_strings(
    values: bytes, count: int, size: int, shape: _Shape, fixed: bytearray, data: bytes, part: Part
) -> bytes:
    """`count` strings of `size` bytes; in a list all get the length of the longest."""
    assert shape.ccsid_at is not None and shape.length_at is not None
    ccsid = part.read_integer(data, shape.ccsid_at)
    if not values:
        return values
    text: Text
    if ccsid == MQCCSI_DEFAULT:
        text = part.text
    else:
        text = part.text_of(ccsid)
        fixed[shape.ccsid_at : shape.ccsid_at + 4] = part.integer(part.target.ccsid)
    strings = [text(values[at : at + size]) for at in range(0, count * size, size)]
    longest = max(len(string) for string in strings)
    fixed[shape.length_at : shape.length_at + 4] = part.integer(longest)
    return b"".join(text.pad(string, longest) for string in strings)
