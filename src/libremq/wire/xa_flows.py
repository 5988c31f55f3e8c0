"""The calls of a transaction manager on the wire: their own header, then an XID.

The protocol's XID has a format id, a global id and a branch qualifier. An XID of LibreMQ is up to 140 bytes without
parts: it travels with a format id of ours, cut after 128 bytes. One of another product is kept as it came.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from libremq.mqi import constants as C
from libremq.mqi.xid import XID_BYTES_MAX
from libremq.wire.protocol import ProtocolError, Status

_XA = {False: struct.Struct("<iII"), True: struct.Struct(">iII")}
_LENGTH = struct.Struct(">I")
_COUNT = {False: struct.Struct("<I"), True: struct.Struct(">I")}
HEADER_BYTES = 16
XIDS_MAX = 100_000
TM_ONE_PHASE = 0x40000000
XAER_RMERR = -3
XAER_NOTA = -4
XAER_PROTO = -6
XAER_DUPID = -8
XA_HEURRB = 6
XA_HEURCOM = 7
XA_RBROLLBACK = 100
_OURS = b"LMQX"  # as a format id: the rest is an XID of LibreMQ


def pack_xa(value: int, flags: int = 0, rest: bytes = b"") -> bytes:
    """`value` is the return value of a reply: here a reason code, negative as those of XA are."""
    return _LENGTH.pack(28 + HEADER_BYTES + len(rest)) + _XA[False].pack(value, flags, 1) + rest


def unpack_xa(body: bytes, big_endian: bool = False) -> tuple[int, int, bytes]:
    """Return value, flags, and what follows."""
    if len(body) < HEADER_BYTES:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a call of a transaction manager that is cut short")
    value, flags, _ = _XA[big_endian].unpack_from(body, 4)
    return value, flags, body[HEADER_BYTES:]


_RETURN_VALUES = {
    C.MQRC_UOW_NOT_AVAILABLE: XAER_NOTA,
    C.MQRC_UOW_IN_PROGRESS: XAER_PROTO,
    C.MQRC_BACKED_OUT: XA_RBROLLBACK,
}


# What errors of branches name in their text where the reason alone does not say it
_NAMED = {
    f"({name})": value
    for name, value in (
        ("XAER_NOTA", XAER_NOTA),
        ("XAER_PROTO", XAER_PROTO),
        ("XAER_DUPID", XAER_DUPID),
        ("XA_HEURRB", XA_HEURRB),
        ("XA_HEURCOM", XA_HEURCOM),
    )
}


def return_value(reason: int, detail: str = "") -> int:
    """What a transaction manager of another product is told instead of a reason code."""
    named = _NAMED.get(detail.rpartition(" ")[2])
    return named if named is not None else _RETURN_VALUES.get(reason, XAER_RMERR)


def pack_xid(xid: bytes) -> bytes:
    """Format id, two lengths, global id, branch qualifier, zeros to a multiple of four."""
    if not 1 <= len(xid) <= XID_BYTES_MAX:
        raise ValueError(f"an XID has 1 to {XID_BYTES_MAX} bytes, not {len(xid)}")
    parts = bytes((min(len(xid), 128), max(0, len(xid) - 128))) + xid
    block = _OURS + parts
    return block + bytes(-len(block) % 4)


def unpack_xid(data: bytes, offset: int = 0) -> tuple[bytes, int]:
    """An XID, and the offset behind it. One of another product keeps its format id."""
    if len(data) < offset + 6:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "an XID that is cut short")
    lengths = data[offset + 4] + data[offset + 5]
    end = offset + 6 + lengths
    # One of another product is kept with its format id and lengths
    if len(data) < end or lengths > (XID_BYTES_MAX if data[offset : offset + 4] == _OURS else XID_BYTES_MAX - 6):
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "an XID that is cut short")
    xid = data[offset + 6 : end]
    if data[offset : offset + 4] != _OURS:
        xid = data[offset : offset + 6] + xid
    return xid, end + -(end - offset) % 4


def pack_xids(xids: Sequence[bytes], *, ours: bool = True) -> bytes:
    """A transaction manager of another product finds its XIDs as it gave them."""
    pack = pack_xid if ours else _pack_as_given
    return _COUNT[False].pack(len(xids)) + b"".join(pack(xid) for xid in xids)


def _pack_as_given(xid: bytes) -> bytes:
    if len(xid) < 6 or len(xid) != 6 + xid[4] + xid[5]:
        return pack_xid(xid)
    return xid + bytes(-len(xid) % 4)


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
