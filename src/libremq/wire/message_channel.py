"""What flows between the two ends of a message channel, apart from initial data.

A message travels as it lay on the transmission queue. Each of its segments has a header (MSH) with the sequence number
of the message, the bytes of this segment and of the whole message; the header in front of it (TSH) names the unit of
work of the batch (LUWID). A message outside of batches (NPMSPEED FAST) has neither number nor unit of work: one without
the other is refused, since nobody could tell when it is safe.

Functions that make something return complete segments, little-endian. Those that read something take a flow in either
byte order, and raise ProtocolError with the status for the other end.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from libremq.wire.protocol import (
    CCSID,
    CLOSE_CHANNEL,
    COMPRESSED,
    CONFIRM_REQUEST,
    DLQ_USED,
    ENCODING,
    ERROR,
    FIRST,
    LAST,
    REQUEST_ACCEPTED,
    REQUEST_CLOSE,
    WHOLE,
    ProtocolError,
    Status,
    Type,
)
from libremq.wire.segments import FLOW_OVERHEAD, NO_LUWID, TSH_BYTES, Flow

MSH_BYTES = 20
LUWID_BYTES = 8
SEGMENT_OVERHEAD = TSH_BYTES + MSH_BYTES  # what a segment of a message has besides the message
PING_OVERHEAD = TSH_BYTES + 4

_TSH = struct.Struct(">4sIBBBB8s")
_ENDS = struct.Struct("<IHH")
_TSH_END = _ENDS.pack(ENCODING, CCSID, 0)
_LITTLE_ENDIAN = 2
_MSH_NAMES = (b"MSH ", "MSH ".encode("cp500"))
_MSH = {False: struct.Struct("<4s4I"), True: struct.Struct(">4s4I")}
_RESYNC = {False: struct.Struct("<II8sI8s"), True: struct.Struct(">II8sI8s")}
NONCE_BYTES = 16
NO_NONCE = bytes(NONCE_BYTES)
_WORD = {False: struct.Struct("<I"), True: struct.Struct(">I")}
_WORDS = {False: struct.Struct("<II"), True: struct.Struct(">II")}
_WORDS_3 = {False: struct.Struct("<III"), True: struct.Struct(">III")}


def flow_limit(max_message: int, max_segment: int) -> int:
    """The bytes of the longest message with the headers of its segments, of which send exits may make twice as many."""
    room = max(64, max_segment // 2 - SEGMENT_OVERHEAD)
    return max_message + FLOW_OVERHEAD + MSH_BYTES * (max_message // room + 1)


def _segment(kind: Type, body: bytes = b"", *, luwid: bytes = NO_LUWID, flags: int = 0) -> bytes:
    """A flow in one segment."""
    _check_luwid(luwid)
    head = _TSH.pack(b"TSH ", TSH_BYTES + len(body), _LITTLE_ENDIAN, kind, WHOLE | flags, 0, luwid)
    return head + _TSH_END + body


def _check_luwid(luwid: bytes) -> None:
    if len(luwid) != LUWID_BYTES:
        raise ValueError(f"a LUWID has {LUWID_BYTES} bytes, not {len(luwid)}")


def _expect(flow: Flow, kind: Type) -> None:
    if flow.kind != kind:
        raise ProtocolError(Status.PROTOCOL_SEGMENT_TYPE, f"{flow!r} where {kind.name} was to come")
    if flow.flags2 & COMPRESSED and kind != Type.MESSAGE_DATA:
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, f"{flow!r} is compressed; only messages may be")


# MESSAGE_DATA


@dataclass(slots=True)  # not frozen: that would cost more than the rest of it
class MessageData:
    """A message that came over a channel."""

    sequence: int
    luwid: bytes
    data: bytes
    compressed: int = 0
    """HEADER_COMPRESSED, MESSAGE_COMPRESSED: what `data` still is."""

    confirm: bool = False
    """The batch ends with it. Our sender asks with STATUS_DATA instead."""

    encoding: int = ENCODING
    ccsid: int = CCSID
    """Of the transmission header at the beginning of `data`."""

    @property
    def fast(self) -> bool:
        """Is it outside of batches?"""
        return not self.sequence


def pack_message(
    data: bytes,
    *,
    sequence: int,
    luwid: bytes,
    max_segment: int,
    compressed: int = 0,
    encoding: int = ENCODING,
    ccsid: int = CCSID,
) -> list[bytes]:
    """The segments of a message; sequence number 0 and NO_LUWID if it is outside of batches.

    `compressed` says which parts of `data` are: lengths on the wire are those of what travels. `encoding` and `ccsid`
    are those of the transmission header in `data`.
    """
    _check_luwid(luwid)
    if (sequence == 0) is not (luwid == NO_LUWID):
        raise ValueError(f"sequence number {sequence} with LUWID {luwid.hex()}: a message has both or none")
    tsh_end = _ENDS.pack(encoding, ccsid, 0) if encoding != ENCODING or ccsid != CCSID else _TSH_END
    length = len(data)
    room = max_segment - SEGMENT_OVERHEAD
    if room <= 0:
        raise ValueError(f"no message fits into segments of {max_segment} bytes")
    if length <= room:
        head = _TSH.pack(
            b"TSH ", SEGMENT_OVERHEAD + length, _LITTLE_ENDIAN, Type.MESSAGE_DATA, WHOLE, compressed, luwid
        )
        return [b"".join((head, tsh_end, _MSH[False].pack(b"MSH ", sequence, length, 0, length), data))]
    view = memoryview(data)
    segments = []
    for start in range(0, length, room):
        piece = view[start : start + room]
        flags = (FIRST if start == 0 else 0) | (LAST if start + room >= length else 0)
        head = _TSH.pack(
            b"TSH ", SEGMENT_OVERHEAD + len(piece), _LITTLE_ENDIAN, Type.MESSAGE_DATA, flags, compressed, luwid
        )
        segments.append(b"".join((head, tsh_end, _MSH[False].pack(b"MSH ", sequence, len(piece), 0, length), piece)))
    return segments


def unpack_message(flow: Flow, *, compression: int = 0) -> MessageData:
    """The message of a flow, which has a header for each segment. `compression`: what was agreed to be compressed."""
    _expect(flow, Type.MESSAGE_DATA)
    compressed = flow.flags2 & COMPRESSED
    if compressed & ~compression:
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a message is compressed; that was not agreed")
    body, layout = flow.body, _MSH[flow.big_endian]
    if len(body) > MSH_BYTES:
        found, sequence, length, _, total = layout.unpack_from(body)
        if (
            length == total == len(body) - MSH_BYTES
            and found in _MSH_NAMES
            and (sequence == 0) is (flow.luwid == NO_LUWID)
        ):
            # In one segment, and nothing is wrong with it
            confirm = flow.flags & CONFIRM_REQUEST != 0
            return MessageData(sequence, flow.luwid, body[MSH_BYTES:], compressed, confirm, flow.encoding, flow.ccsid)
    sequence = total = came = at = 0
    pieces: list[bytes] = []
    end = len(body)
    while at < end or not pieces:
        if end - at < MSH_BYTES:
            raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "the header of a message (MSH) is cut short")
        found, number, length, _, whole = layout.unpack_from(body, at)
        if found not in _MSH_NAMES:
            raise ProtocolError(Status.PROTOCOL_MSH_ERROR, "a segment of a message does not begin with an MSH")
        if not pieces:
            sequence, total = number, whole
        elif number != sequence:
            raise ProtocolError(
                Status.SEGMENT_NUMBER_ERROR, f"a segment of message {number} among those of message {sequence}"
            )
        at += MSH_BYTES
        came += length
        if length > end - at or whole != total or (not length and (total or pieces)):
            raise ProtocolError(
                Status.MESSAGE_LENGTH_ERROR,
                f"message {sequence} of {total} bytes: a segment says {length} bytes of {whole}, after {came - length}",
            )
        pieces.append(body[at : at + length])
        at += length
    if came != total:
        raise ProtocolError(Status.MESSAGE_LENGTH_ERROR, f"message {sequence} has {came} bytes; it was to have {total}")
    luwid = flow.luwid
    if (sequence == 0) is not (luwid == NO_LUWID):
        raise ProtocolError(
            Status.PROTOCOL_INVALID_DATA, f"message {sequence} of unit of work {luwid.hex()}: it must have both or none"
        )
    data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    return MessageData(sequence, luwid, data, compressed, bool(flow.flags & CONFIRM_REQUEST), flow.encoding, flow.ccsid)


# RESYNC_DATA and RESET_DATA: what both ends know of the last batch


@dataclass(frozen=True, slots=True)
class Resync:
    """The last batch that is committed at this end, and the one that is in doubt, if one is. The body is ours.

    With a nonce of this connection, if both ends know what that is: what was recorded of another one has the wrong one.
    """

    sequence: int
    luwid: bytes = NO_LUWID
    in_doubt_sequence: int = 0
    in_doubt_luwid: bytes = NO_LUWID
    nonce: bytes = NO_NONCE
    """What the other end is to say back."""
    heard: bytes = NO_NONCE
    """What the other end has said."""

    @property
    def has_nonce(self) -> bool:
        return (self.nonce, self.heard) != (NO_NONCE, NO_NONCE)

    @property
    def in_doubt(self) -> bool:
        return self.in_doubt_luwid != NO_LUWID

    def pack(self) -> bytes:
        _check_luwid(self.luwid)
        _check_luwid(self.in_doubt_luwid)
        if self.in_doubt_sequence and not self.in_doubt:
            raise ValueError(f"message {self.in_doubt_sequence} is in doubt in no unit of work")
        layout = _RESYNC[False]
        nonces = self.nonce + self.heard if self.has_nonce else b""
        length = layout.size + len(nonces)
        batches = layout.pack(length, self.sequence, self.luwid, self.in_doubt_sequence, self.in_doubt_luwid)
        return _segment(Type.RESYNC_DATA, batches + nonces)

    @classmethod
    def unpack(cls, flow: Flow) -> Resync:
        _expect(flow, Type.RESYNC_DATA)
        layout, body = _RESYNC[flow.big_endian], flow.body
        if len(body) not in (layout.size, layout.size + 2 * NONCE_BYTES):
            raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"RESYNC_DATA of {len(body)} bytes")
        length, *values = layout.unpack_from(body)
        if length != len(body):
            raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"RESYNC_DATA that says it has {length} bytes")
        if length > layout.size:
            values += [body[layout.size : layout.size + NONCE_BYTES], body[layout.size + NONCE_BYTES :]]
        found = cls(*values)
        if found.in_doubt_sequence and not found.in_doubt:
            raise ProtocolError(
                Status.PROTOCOL_INVALID_DATA, f"message {found.in_doubt_sequence} is in doubt in no unit of work"
            )
        return found


def pack_reset(sequence: int) -> bytes:
    """The number that the next message will have."""
    if sequence < 1:
        raise ValueError(f"no message has number {sequence}")
    return _segment(Type.RESET_DATA, _WORDS[False].pack(8, sequence))


def unpack_reset(flow: Flow) -> int:
    _expect(flow, Type.RESET_DATA)
    if len(flow.body) != 8:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"RESET_DATA of {len(flow.body)} bytes")
    length, sequence = _WORDS[flow.big_endian].unpack(flow.body)
    if length != 8:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"RESET_DATA that says it has {length} bytes")
    if not sequence:
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "no message can have number 0 in a batch")
    return int(sequence)


# STATUS_DATA: the end of a batch, its confirmation, and the end of the channel


@dataclass(frozen=True, slots=True)
class StatusData:
    """Without a code it is about a batch: the request to confirm it, or the confirmation."""

    code: int = 0
    value: int | None = None
    luwid: bytes = NO_LUWID
    confirm_request: bool = False
    accepted: bool = False
    dlq_used: bool = False
    request_close: bool = False
    close_channel: bool = False


def confirm_request(luwid: bytes) -> bytes:
    """The end of a batch: the other end commits it, and confirms."""
    if luwid == NO_LUWID:
        raise ValueError("a batch has a LUWID")
    return _segment(Type.STATUS_DATA, luwid=luwid, flags=CONFIRM_REQUEST)


def confirmed(luwid: bytes, *, dlq_used: bool = False) -> bytes:
    """The batch is committed; RESET_DATA, with NO_LUWID, was carried out."""
    return _segment(Type.STATUS_DATA, luwid=luwid, flags=REQUEST_ACCEPTED | (DLQ_USED if dlq_used else 0))


def status(code: int, value: int | None = None, *, flags: int = ERROR | CLOSE_CHANNEL) -> bytes:
    """Why the channel ends. The value of MSG_SEQUENCE_ERROR is the next number, as this end counts."""
    if code < 1:
        raise ValueError(f"{code} is no status")
    body = _WORDS[False].pack(8, code) if value is None else _WORDS_3[False].pack(12, code, value)
    return _segment(Type.STATUS_DATA, body, flags=flags)


def close_channel(code: int = Status.USER_CLOSED) -> bytes:
    """The channel ends, and nothing is wrong. From the end that sends messages."""
    return status(code, flags=CLOSE_CHANNEL)


def request_close(code: int = Status.USER_CLOSED) -> bytes:
    """From the end that receives messages: no batch after this one, please."""
    return status(code, flags=REQUEST_CLOSE)


def unpack_status(flow: Flow) -> StatusData:
    _expect(flow, Type.STATUS_DATA)
    body, flags = flow.body, flow.flags
    if body:
        if len(body) not in (8, 12):
            raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"STATUS_DATA of {len(body)} bytes")
        length, code = _WORDS[flow.big_endian].unpack_from(body)
        if length != len(body):
            raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"STATUS_DATA that says it has {length} bytes")
        if not code:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "status 0 is none")
        value = int(_WORD[flow.big_endian].unpack_from(body, 8)[0]) if length == 12 else None
        return StatusData(
            code,
            value,
            flow.luwid,
            request_close=bool(flags & REQUEST_CLOSE),
            close_channel=bool(flags & CLOSE_CHANNEL),
        )
    asked, accepted, dlq_used = bool(flags & CONFIRM_REQUEST), bool(flags & REQUEST_ACCEPTED), bool(flags & DLQ_USED)
    if flags & (ERROR | CLOSE_CHANNEL | REQUEST_CLOSE) or asked is accepted or (asked and dlq_used):
        raise ProtocolError(
            Status.PROTOCOL_INVALID_DATA,
            f"STATUS_DATA without code and with flags {flags:#x} asks and confirms nothing",
        )
    if asked and flow.luwid == NO_LUWID:
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "the end of a batch without its unit of work")
    return StatusData(luwid=flow.luwid, confirm_request=asked, accepted=accepted, dlq_used=dlq_used)


# HEARTBEAT and PING_DATA: both are answered


def heartbeat(*, reply: bool = False) -> bytes:
    return _segment(Type.HEARTBEAT, flags=0 if reply else CONFIRM_REQUEST)


def unpack_heartbeat(flow: Flow) -> bool:
    """Is it an answer?"""
    _expect(flow, Type.HEARTBEAT)
    if flow.body:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"a heartbeat of {len(flow.body)} bytes")
    return not flow.flags & CONFIRM_REQUEST


@dataclass(frozen=True, slots=True)
class Ping:
    data: bytes
    reply: bool = False


def ping(data: bytes, *, reply: bool = False) -> bytes:
    """Data to be sent back. With PING_OVERHEAD it must fit into a segment."""
    return _segment(Type.PING_DATA, _WORD[False].pack(len(data)) + data, flags=0 if reply else CONFIRM_REQUEST)


def unpack_ping(flow: Flow) -> Ping:
    _expect(flow, Type.PING_DATA)
    body = flow.body
    if len(body) < 4 or _WORD[flow.big_endian].unpack_from(body)[0] != len(body) - 4:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "PING_DATA has another length than it says")
    return Ping(body[4:], not flow.flags & CONFIRM_REQUEST)
