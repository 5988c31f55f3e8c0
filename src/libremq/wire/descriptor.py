"""MQMD on the wire, fast: it is packed and unpacked in parts, and a part that was seen before costs one look.

Of the descriptors of a session only the ids and the time change. The rest, cut where that pays, is the same bytes again
and again.
"""

from __future__ import annotations

import struct
from typing import Any

from libremq.mqi.structs import MQMD
from libremq.wire.protocol import ProtocolError, Status

MD1_BYTES = 324
MD2_BYTES = 364
_REMEMBERED_MAX = 2048
_NO_ID = bytes(24)
_D = {name: getattr(MQMD, name) for name in (
    "Report", "MsgType", "Expiry", "Feedback", "Encoding", "CodedCharSetId", "Format", "Priority", "Persistence",
    "BackoutCount", "ReplyToQ", "ReplyToQMgr", "UserIdentifier", "AccountingToken", "ApplIdentityData", "PutApplType",
    "PutApplName", "PutDate", "PutTime", "ApplOriginData", "GroupId", "MsgSeqNumber", "Offset", "MsgFlags",
    "OriginalLength",
)}  # fmt: skip


class _Part:
    """A run of fields."""

    __slots__ = ("_fields", "_packed", "_struct", "_unpacked", "defaults", "length", "names")

    def __init__(self, fields: str) -> None:
        pairs = [item.split(":") for item in fields.split()]
        self._fields = [(name, code, _D[name]) for name, code in pairs]
        self.names = tuple(name for name, _, _ in self._fields)
        self.defaults = tuple(default for _, _, default in self._fields)
        self._struct = struct.Struct("<" + "".join(code for _, code, _ in self._fields))
        self.length = self._struct.size
        self._packed: dict[tuple[Any, ...], bytes] = {}
        self._unpacked: dict[bytes, dict[str, Any]] = {}

    def pack(self, values: tuple[Any, ...]) -> bytes:
        found = self._packed.get(values)
        if found is None:
            found = self._pack(values)
            if len(self._packed) >= _REMEMBERED_MAX:
                self._packed.clear()
            self._packed[values] = found
        return found

    def _pack(self, values: tuple[Any, ...]) -> bytes:
        given = []
        for (name, code, _), value in zip(self._fields, values):
            if code[-1] == "s":
                length = int(code[:-1])
                if isinstance(value, str):
                    value = value.encode("latin-1").ljust(length)
                    if len(value) > length:
                        value = value.rstrip(b" \0").ljust(length)
                if len(value) > length:
                    raise ValueError(f"{name} is longer than its field of {length} bytes")
            elif 1 << 31 <= value < 1 << 32:
                value -= 1 << 32  # a mask that is written without sign
            given.append(value)
        return self._struct.pack(*given)

    def unpack(self, raw: bytes) -> dict[str, Any]:
        found = self._unpacked.get(raw)
        if found is None:
            found = self._unpack(raw)
            if len(self._unpacked) >= _REMEMBERED_MAX:
                self._unpacked.clear()
            self._unpacked[raw] = found
        return found

    def _unpack(self, raw: bytes) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for (name, _, default), value in zip(self._fields, self._struct.unpack(raw)):
            if isinstance(default, str):
                value = value.decode("latin-1")
                nul = value.find("\0")
                value = (value if nul < 0 else value[:nul]).rstrip(" ")
                if value == default.rstrip(" "):
                    continue
            if value != default:
                found[name] = value
        return found


_HEAD = _Part("Report:i MsgType:i Expiry:i Feedback:i Encoding:i CodedCharSetId:i Format:8s Priority:i Persistence:i")
_MIDDLE = _Part(
    "BackoutCount:i ReplyToQ:48s ReplyToQMgr:48s UserIdentifier:12s AccountingToken:32s ApplIdentityData:32s "
    "PutApplType:i PutApplName:28s"
)
_TIME = _Part("PutDate:8s PutTime:8s ApplOriginData:4s")
_GROUP = _Part("GroupId:24s MsgSeqNumber:i Offset:i MsgFlags:i OriginalLength:i")
_START = struct.Struct("<4si")
_START_2 = _START.pack(b"MD  ", 2)
_VERSION_2 = b"MD  \x02\0\0\0"


def pack_md(md: MQMD) -> bytes:
    """The bytes of a descriptor. struct.error, ValueError or TypeError for a field that does not fit."""
    get = md.__dict__.get
    head = _HEAD.defaults
    middle = _MIDDLE.defaults
    parts = (
        _HEAD.pack(
            (
                get("Report", head[0]), get("MsgType", head[1]), get("Expiry", head[2]), get("Feedback", head[3]),
                get("Encoding", head[4]), get("CodedCharSetId", head[5]), get("Format", head[6]),
                get("Priority", head[7]), get("Persistence", head[8]),
            )
        ),
        _identifier("MsgId", get("MsgId", _NO_ID)),
        _identifier("CorrelId", get("CorrelId", _NO_ID)),
        _MIDDLE.pack(
            (
                get("BackoutCount", middle[0]), get("ReplyToQ", middle[1]), get("ReplyToQMgr", middle[2]),
                get("UserIdentifier", middle[3]), get("AccountingToken", middle[4]), get("ApplIdentityData", middle[5]),
                get("PutApplType", middle[6]), get("PutApplName", middle[7]),
            )
        ),
        _TIME.pack((get("PutDate", ""), get("PutTime", ""), get("ApplOriginData", ""))),
    )  # fmt: skip
    version = get("Version", 1)
    start = _START_2
    if version != 2 or "StrucId" in md.__dict__:
        start = _START.pack(md.StrucId.encode("latin-1").ljust(4)[:4], version)
        if version == 1:
            return start + b"".join(parts)
    group = _GROUP.defaults
    return start + b"".join(parts) + _GROUP.pack(
        (
            get("GroupId", group[0]), get("MsgSeqNumber", group[1]), get("Offset", group[2]),
            get("MsgFlags", group[3]), get("OriginalLength", group[4]),
        )
    )  # fmt: skip


def _identifier(name: str, value: bytes) -> bytes:
    if len(value) == 24 and type(value) is bytes:
        return value
    if len(value) > 24 or not isinstance(value, bytes | bytearray | memoryview):
        raise ValueError(f"{name} is longer than 24 bytes")
    return bytes(value).ljust(24, b"\0")


def unpack_md(body: bytes, offset: int, *, big_endian: bool = False, charset: str = "latin-1") -> tuple[MQMD, int]:
    """The descriptor at an offset, and the offset behind it."""
    start = body[offset : offset + 8]
    if start != _VERSION_2 or big_endian or charset != "latin-1":
        return _unpack_slowly(body, offset, start, big_endian, charset)
    end = offset + MD2_BYTES
    if len(body) < end:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "the MQMD is cut short")
    md = MQMD.__new__(MQMD)
    fields = md.__dict__
    fields["Version"] = 2
    fields.update(_HEAD.unpack(body[offset + 8 : offset + 48]))
    identifier = body[offset + 48 : offset + 72]
    if identifier != _NO_ID:
        fields["MsgId"] = identifier
    identifier = body[offset + 72 : offset + 96]
    if identifier != _NO_ID:
        fields["CorrelId"] = identifier
    fields.update(_MIDDLE.unpack(body[offset + 96 : offset + 304]))
    fields.update(_TIME.unpack(body[offset + 304 : offset + 324]))
    fields.update(_GROUP.unpack(body[offset + 324 : end]))
    return md, end


def _unpack_slowly(body: bytes, offset: int, start: bytes, big_endian: bool, charset: str) -> tuple[MQMD, int]:
    """Version 1, big-endian or EBCDIC descriptors; a version that is not known is for the queue manager to refuse."""
    if len(start) < 8:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "no room for the MQMD")
    order = "big" if big_endian else "little"
    version = int.from_bytes(start[4:8], order, signed=True)  # type: ignore[arg-type]
    layout = 1 if version == 1 else 2
    end = offset + (MD1_BYTES if layout == 1 else MD2_BYTES)
    if len(body) < end:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "the MQMD is cut short")
    known = "MD  ".encode(charset) + layout.to_bytes(4, order)  # type: ignore[arg-type]
    md = MQMD.unpack(known + body[offset + 8 : end], big_endian=big_endian, charset=charset)
    if version != 1:
        md.Version = version
    if start[:4] != known[:4]:
        md.StrucId = start[:4].decode(charset)
    return md, end
