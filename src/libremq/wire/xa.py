"""The calls of a transaction manager on the wire: their own header, then an XID.

The protocol's XID has a format id, a global id and a branch qualifier of at most 64 bytes each. An XID of LibreMQ is up
to 140 bytes without parts: all but its first 4 and last 64 bytes lie between; it is cut, and put together again.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from libremq.wire.protocol import ProtocolError, Status

_XA = {False: struct.Struct("<iII"), True: struct.Struct(">iII")}
_LENGTH = struct.Struct(">I")
_COUNT = {False: struct.Struct("<I"), True: struct.Struct(">I")}
HEADER_BYTES = 16
XID_MAX = 140
XIDS_MAX = 100_000
TM_ONE_PHASE = 0x40000000
_PART_MAX = 0xFF


def pack_xa(value: int, flags: int = 0, rest: bytes = b"") -> bytes:
    """`value` is the return value of a reply: here a reason code, negative as those of XA are."""
    return _LENGTH.pack(28 + HEADER_BYTES + len(rest)) + _XA[False].pack(value, flags, 1) + rest


def unpack_xa(body: bytes, big_endian: bool = False) -> tuple[int, int, bytes]:
    """Return value, flags, and what follows."""
    if len(body) < HEADER_BYTES:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a call of a transaction manager that is cut short")
    value, flags, _ = _XA[big_endian].unpack_from(body, 4)
    return value, flags, body[HEADER_BYTES:]


def pack_xid(xid: bytes) -> bytes:
    """Format id, two lengths, global id, branch qualifier, zeros to a multiple of four."""
    if not 1 <= len(xid) <= XID_MAX:
        raise ValueError(f"an XID has 1 to {XID_MAX} bytes, not {len(xid)}")
    parts = bytes((min(len(xid), 128), max(0, len(xid) - 128))) + xid
    block = b"LMQX" + parts
    return block + bytes(-len(block) % 4)


def unpack_xid(data: bytes, offset: int = 0) -> tuple[bytes, int]:
    """An XID, and the offset behind it. One of another product keeps its format id."""
    if len(data) < offset + 6:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "an XID that is cut short")
    lengths = data[offset + 4] + data[offset + 5]
    end = offset + 6 + lengths
    if len(data) < end or lengths > XID_MAX:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "an XID that is cut short")
    xid = data[offset + 6 : end]
    if data[offset : offset + 4] != b"LMQX":
        xid = data[offset : offset + 6] + xid
    return xid[:XID_MAX], end + -(end - offset) % 4


def pack_xids(xids: Sequence[bytes]) -> bytes:
    return _COUNT[False].pack(len(xids)) + b"".join(pack_xid(xid) for xid in xids)


def unpack_xids(data: bytes, big_endian: bool = False) -> list[bytes]:
    if len(data) < 4:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a list of XIDs that is cut short")
    (count,) = _COUNT[big_endian].unpack_from(data)
    found: list[bytes] = []
    offset = 4
    for _ in range(min(count, XIDS_MAX)):
        xid, offset = unpack_xid(data, offset)
        found.append(xid)
    return found
