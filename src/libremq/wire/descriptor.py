"""MQMD on the wire, in its versions, byte orders and character sets. The usual one goes by parts, which is fast."""

from __future__ import annotations

import struct

from libremq.mqi.descriptor_parts import DescriptorParts
from libremq.mqi.structs import MQMD
from libremq.wire.protocol import ProtocolError, Status

MD1_BYTES = 324
MD2_BYTES = 364
_PARTS = DescriptorParts(b" ", exact=False)
_START = struct.Struct("<4si")
_VERSION_1 = _START.pack(b"MD  ", 1)
VERSION_2 = _START.pack(b"MD  ", 2)


def pack_md(md: MQMD) -> bytes:
    """The bytes of a descriptor. struct.error, ValueError or TypeError for a field that does not fit."""
    fields = md.__dict__
    version = fields.get("Version", 1)
    if version == 2 and "StrucId" not in fields:
        return VERSION_2 + _PARTS.pack(fields)
    start = _START.pack(md.StrucId.encode("latin-1").ljust(4)[:4], version)
    return start + _PARTS.pack(fields, version_1=version == 1)


def unpack_md(body: bytes, offset: int, *, big_endian: bool = False, charset: str = "latin-1") -> tuple[MQMD, int]:
    """The descriptor at an offset, and the offset behind it."""
    start = body[offset : offset + 8]
    is_1 = start == _VERSION_1
    if not (is_1 or start == VERSION_2) or big_endian or charset != "latin-1":
        return _unpack_slowly(body, offset, start, big_endian, charset)
    end = offset + (MD1_BYTES if is_1 else MD2_BYTES)
    if len(body) < end:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "the MQMD is cut short")
    md = MQMD.__new__(MQMD)
    if not is_1:
        md.__dict__["Version"] = 2
    _PARTS.unpack(body, offset + 8, md.__dict__, version_1=is_1)
    return md, end


def _unpack_slowly(body: bytes, offset: int, start: bytes, big_endian: bool, charset: str) -> tuple[MQMD, int]:
    """Big-endian or EBCDIC descriptors; a version that is not known is for the queue manager to refuse."""
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
