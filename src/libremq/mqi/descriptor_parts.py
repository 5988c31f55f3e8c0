"""MQMD as bytes, fast: it is packed and unpacked in parts, and a part that was seen before costs one look.

Of the descriptors of a session, or of a queue, only the ids and the time change. The rest, cut where that pays, is the
same again and again. The parts make up all of a version 2 descriptor but StrucId and Version. Both the wire and the
images of stored messages are made of them; they differ in what fills a text, and in what a reader takes off it.
"""

from __future__ import annotations

import struct
from typing import Any

from libremq.mqi.structs import MQMD

REMEMBERED_MAX = 2048
BODY_BYTES = 356
"""Report to OriginalLength."""
_NO_ID = bytes(24)


class _Part:
    """A run of fields."""

    __slots__ = (
        "_charset", "_errors", "_exact", "_fields", "_fill", "_packed", "_struct", "_unpacked", "defaults", "length",
    )  # fmt: skip

    def __init__(self, fields: str, fill: bytes, exact: bool, order: str, charset: str, errors: str) -> None:
        pairs = [item.split(":") for item in fields.split()]
        self._fields: list[tuple[str, str, Any]] = [(name, code, getattr(MQMD, name)) for name, code in pairs]
        self.defaults = tuple(default for _, _, default in self._fields)
        self._struct = struct.Struct(order + "".join(code for _, code, _ in self._fields))
        self.length = self._struct.size
        self._fill = fill
        self._exact = exact
        self._charset = charset
        self._errors = errors
        self._packed: dict[tuple[Any, ...], bytes] = {}
        self._unpacked: dict[bytes, dict[str, Any]] = {}

    def pack(self, values: tuple[Any, ...]) -> bytes:
        try:
            found = self._packed.get(values)
        except TypeError:  # a value that cannot be a key, such as a bytearray
            return self._pack(values)
        if found is None:
            found = self._pack(values)
            if len(self._packed) >= REMEMBERED_MAX:
                self._packed.clear()
            self._packed[values] = found
        return found

    def _pack(self, values: tuple[Any, ...]) -> bytes:
        given = []
        for (name, code, _), value in zip(self._fields, values):
            if code[-1] == "s":
                length = int(code[:-1])
                if isinstance(value, str):
                    value = value.encode(self._charset, self._errors)
                    value = value.ljust(length, self._fill)
                    if len(value) > length:
                        value = value.rstrip(b" \0").ljust(length, self._fill)
                if len(value) > length:
                    raise ValueError(f"{name} is longer than its field of {length} bytes")
            elif 1 << 31 <= value < 1 << 32:
                value -= 1 << 32  # a mask that is written without sign
            given.append(value)
        return self._struct.pack(*given)

    def unpack(self, raw: bytes) -> dict[str, Any]:
        """The fields that are not as they are initially."""
        found = self._unpacked.get(raw)
        if found is None:
            found = self._unpack(raw)
            if len(self._unpacked) >= REMEMBERED_MAX:
                self._unpacked.clear()
            self._unpacked[raw] = found
        return found

    def _unpack(self, raw: bytes) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for (name, _, default), value in zip(self._fields, self._struct.unpack(raw)):
            if isinstance(default, str):
                if self._exact:
                    value = value.rstrip(b"\0").decode("latin-1")
                else:
                    value = value.decode(self._charset, "replace")
                    if not value.isascii():  # a descriptor holds ISO 8859-1
                        value = value.encode("latin-1", "replace").decode("latin-1")
                    nul = value.find("\0")
                    value = (value if nul < 0 else value[:nul]).rstrip(" ")
                    if value == default.rstrip(" "):
                        continue
            if value != default:
                found[name] = value
        return found


class DescriptorParts:
    """One way of writing descriptors. `exact`: a text comes back with the blanks it had.

    `order` is that of struct, `<` or `>`; `charset` is the Python name of a character set of single bytes, or UTF-8;
    `errors` says what becomes of a character that it does not have.
    """

    __slots__ = ("_group", "_head", "_middle", "_time")

    def __init__(
        self, fill: bytes, *, exact: bool, order: str = "<", charset: str = "latin-1", errors: str = "strict"
    ) -> None:
        self._head = _Part(
            "Report:i MsgType:i Expiry:i Feedback:i Encoding:i CodedCharSetId:i Format:8s Priority:i Persistence:i",
            fill, exact, order, charset, errors,
        )  # fmt: skip
        self._middle = _Part(
            "BackoutCount:i ReplyToQ:48s ReplyToQMgr:48s UserIdentifier:12s AccountingToken:32s ApplIdentityData:32s "
            "PutApplType:i PutApplName:28s",
            fill, exact, order, charset, errors,
        )  # fmt: skip
        self._time = _Part("PutDate:8s PutTime:8s ApplOriginData:4s", fill, exact, order, charset, errors)
        self._group = _Part(
            "GroupId:24s MsgSeqNumber:i Offset:i MsgFlags:i OriginalLength:i", fill, exact, order, charset, errors
        )

    def pack(self, fields: dict[str, Any], *, version_1: bool = False) -> bytes:
        """The body of a descriptor. struct.error, ValueError or TypeError for a field that does not fit."""
        get = fields.get
        head = self._head.defaults
        middle = self._middle.defaults
        packed = b"".join(
            (
                self._head.pack(
                    (
                        get("Report", head[0]), get("MsgType", head[1]), get("Expiry", head[2]),
                        get("Feedback", head[3]), get("Encoding", head[4]), get("CodedCharSetId", head[5]),
                        get("Format", head[6]), get("Priority", head[7]), get("Persistence", head[8]),
                    )
                ),
                _identifier("MsgId", get("MsgId", _NO_ID)),
                _identifier("CorrelId", get("CorrelId", _NO_ID)),
                self._middle.pack(
                    (
                        get("BackoutCount", middle[0]), get("ReplyToQ", middle[1]), get("ReplyToQMgr", middle[2]),
                        get("UserIdentifier", middle[3]), get("AccountingToken", middle[4]),
                        get("ApplIdentityData", middle[5]), get("PutApplType", middle[6]),
                        get("PutApplName", middle[7]),
                    )
                ),
                self._time.pack((get("PutDate", ""), get("PutTime", ""), get("ApplOriginData", ""))),
            )
        )  # fmt: skip
        if version_1:
            return packed
        group = self._group.defaults
        return packed + self._group.pack(
            (
                get("GroupId", group[0]), get("MsgSeqNumber", group[1]), get("Offset", group[2]),
                get("MsgFlags", group[3]), get("OriginalLength", group[4]),
            )
        )  # fmt: skip

    def unpack(self, body: bytes, offset: int, fields: dict[str, Any], *, version_1: bool = False) -> None:
        """Put the fields of the body at an offset, as far as they are not initial values, into a descriptor's dict."""
        fields.update(self._head.unpack(body[offset : offset + 40]))
        identifier = body[offset + 40 : offset + 64]
        if identifier != _NO_ID:
            fields["MsgId"] = identifier
        identifier = body[offset + 64 : offset + 88]
        if identifier != _NO_ID:
            fields["CorrelId"] = identifier
        fields.update(self._middle.unpack(body[offset + 88 : offset + 296]))
        fields.update(self._time.unpack(body[offset + 296 : offset + 316]))
        if not version_1:
            fields.update(self._group.unpack(body[offset + 316 : offset + 356]))

    def unpack_context(self, data: bytes, offset: int, fields: dict[str, Any]) -> None:
        """The same for BackoutCount to ApplOriginData alone, which are at the offset."""
        fields.update(self._middle.unpack(data[offset : offset + 208]))
        fields.update(self._time.unpack(data[offset + 208 : offset + 228]))


def _identifier(name: str, value: bytes) -> bytes:
    """An id of 24 bytes; ValueError if it is longer."""
    if len(value) == 24 and type(value) is bytes:
        return value
    if len(value) > 24 or not isinstance(value, bytes | bytearray | memoryview):
        raise ValueError(f"{name} is longer than 24 bytes")
    return bytes(value).ljust(24, b"\0")
