"""Messages that are sent without a call each: batches, read ahead, consumers.

REQUEST_MSGS asks for messages of a handle, ASYNC_MESSAGE brings one, NOTIFICATION says what else happened. Between two
LibreMQs the status field of ASYNC_MESSAGE carries what MQGMO and MQCBC would say beyond the descriptor.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD
from libremq.speed import compiled
from libremq.wire.descriptor import pack_md, unpack_md
from libremq.wire.protocol import ProtocolError, Status, Type
from libremq.wire.segments import frame

_REQUEST = {False: struct.Struct("<IiIIiiiIII"), True: struct.Struct(">IiIIiiiIII")}
_SELECTION = {False: struct.Struct("<HHiiiii"), True: struct.Struct(">HHiiiii")}
_ASYNC = {False: struct.Struct("<IiIIIHH"), True: struct.Struct(">IiIIIHH")}
_FIRST = {False: struct.Struct("<III16sHB"), True: struct.Struct(">III16sHB")}
_NOTICE = {False: struct.Struct("<IiII"), True: struct.Struct(">IiII")}
REQUEST_BYTES = 40
ASYNC_BYTES = 24
FIRST_BYTES = 31
_INT = struct.Struct("<I")

# Flags of a request
SELECTION = 0x10
BATCH = 0x0100
"""Ours: up to `count` messages at once, then an end notice; the wait is for the first."""
STREAM = 0x0200
"""Ours: read ahead. Non-persistent messages as long as there is credit."""
NEXT_CALL = 0x0400
"""Ours: the consumers of this connection are ready for their next call."""

_GROUP_STATUS = (C.MQGS_NOT_IN_GROUP, C.MQGS_MSG_IN_GROUP, C.MQGS_LAST_MSG_IN_GROUP)
_SEGMENT_STATUS = (C.MQSS_NOT_A_SEGMENT, C.MQSS_SEGMENT, C.MQSS_LAST_SEGMENT)
_SEGMENTATION_ALLOWED = 0x10
_PROPERTIES = 0x20
_NOT_REMOVED = 0x40
_STATE_SHIFT = 7
_MD_2 = b"MD  \2\0\0\0"
_SIZE_AT, _INDEX_AT, _REPORTED_AT, _TOKEN_END = 4, 44, 64, 88
"""Where the numbers are in the frame of a message, with conversation ids, and its token behind the last of them."""
_COUNTED = struct.Struct("<III")
_REPORTED = struct.Struct("<II")
_FOREIGN_STATUS = 1  # what was seen on messages that are neither in a group nor segments


@dataclass(slots=True)
class Request:
    """REQUEST_MSGS."""

    hobj: int
    requested_bytes: int = 1
    received_bytes: int = 0
    max_length: int = -1
    options: int = 0
    wait_ms: int = 0
    flags: int = SELECTION
    count: int = 0
    """GlobalMsgIndex: of the last message that came; of a batch the number wanted."""
    md: MQMD | None = None
    match_options: int = 0
    selection_index: int = 1
    token: bytes = b""
    """To match; an MQMD has no field for it."""


def pack_request(request: Request) -> bytes:
    fixed = _REQUEST[False].pack(
        1, request.hobj, request.received_bytes, request.requested_bytes, request.max_length,
        request.options, request.wait_ms, 0, request.flags, request.count,
    )  # fmt: skip
    if not request.flags & SELECTION:
        return fixed
    md = request.md or MQMD()
    match = request.match_options
    block = _SELECTION[False].pack(
        request.selection_index, md.Version, md.CodedCharSetId, md.Encoding, md.MsgSeqNumber, md.Offset, match
    )
    if match & C.MQMO_MATCH_MSG_ID:
        block += md.MsgId.ljust(24, b"\0")
    if match & C.MQMO_MATCH_CORREL_ID:
        block += md.CorrelId.ljust(24, b"\0")
    if match & C.MQMO_MATCH_GROUP_ID:
        block += md.GroupId.ljust(24, b"\0")
    if match & C.MQMO_MATCH_MSG_TOKEN:
        block += request.token.ljust(16, b"\0")
    return fixed + block


def unpack_request(body: bytes, big_endian: bool = False) -> Request:
    if len(body) < REQUEST_BYTES:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a request for messages that is cut short")
    _, hobj, received, requested, max_length, options, wait_ms, _, flags, count = _REQUEST[big_endian].unpack_from(body)
    request = Request(hobj, requested, received, max_length, options, wait_ms, flags, count)
    if not flags & SELECTION:
        return request
    if len(body) < REQUEST_BYTES + 24:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a selection that is cut short")
    index, version, ccsid, encoding, sequence, offset, match = _SELECTION[big_endian].unpack_from(body, REQUEST_BYTES)
    md = MQMD(Version=2 if version != 1 else 1, CodedCharSetId=ccsid, Encoding=encoding)
    if sequence != 1:
        md.MsgSeqNumber = sequence
    if offset:
        md.Offset = offset
    position = REQUEST_BYTES + 24
    for bit, name, length in (
        (C.MQMO_MATCH_MSG_ID, "MsgId", 24),
        (C.MQMO_MATCH_CORREL_ID, "CorrelId", 24),
        (C.MQMO_MATCH_GROUP_ID, "GroupId", 24),
        (C.MQMO_MATCH_MSG_TOKEN, "token", 16),
    ):
        if match & bit:
            part = body[position : position + length]
            if len(part) < length:
                raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "an id to match that is cut short")
            setattr(request if name == "token" else md, name, part)
            position += length
    request.md, request.match_options, request.selection_index = md, match, index
    return request


def is_next_call(body: bytes, big_endian: bool = False) -> bool:
    """Is a REQUEST_MSGS about consumers, which get their calls also while a get waits?"""
    return unpack_request(body, big_endian).flags & NEXT_CALL != 0


class Arrived(NamedTuple):
    """One ASYNC_MESSAGE."""

    hobj: int
    number: int
    reason: int
    length: int  # of the whole message
    md: MQMD
    gmo: MQGMO
    properties: bytes
    data: bytes
    removed: bool
    state: int


def pack_message(
    hobj: int,
    index: int,
    md: MQMD,
    gmo: MQGMO,
    data: bytes,
    length: int,
    *,
    reason: int = 0,
    properties: bytes = b"",
    removed: bool = True,
    state: int = 0,
    selection_index: int = 1,
    foreign: bool = False,
) -> bytes:
    """One message for a stream, a batch or a consumer. For another product's client without our bits in its status."""
    status = state << _STATE_SHIFT
    if gmo.GroupStatus != C.MQGS_NOT_IN_GROUP:
        status |= _GROUP_STATUS.index(gmo.GroupStatus)
    if gmo.SegmentStatus != C.MQSS_NOT_A_SEGMENT:
        status |= _SEGMENT_STATUS.index(gmo.SegmentStatus) << 2
    if gmo.Segmentation == C.MQSEG_ALLOWED:
        status |= _SEGMENTATION_ALLOWED
    if not removed:
        status |= _NOT_REMOVED
    if properties:
        status |= _PROPERTIES
        data = _INT.pack(len(properties)) + properties + data
    if foreign:
        status = _FOREIGN_STATUS
    name = gmo.ResolvedQName.encode("latin-1")
    return b"".join(
        (
            _ASYNC[False].pack(1, hobj, index, index, len(data), 0, selection_index),
            _FIRST[False].pack(reason, length, len(data), gmo.MsgToken.ljust(16, b"\0"), status, len(name)),
            name, bytes(-(3 + len(name)) % 4), pack_md(md), data,
        )
    )  # fmt: skip


def pack_plain_message(
    hobj: int, index: int, descriptor: bytes, name: bytes, token: bytes, data: bytes, selection_index: int
) -> bytes:
    """A message about which there is nothing special to say; its descriptor as it is stored."""
    length = len(data)
    return b"".join(
        (
            _ASYNC[False].pack(1, hobj, index, index, length, 0, selection_index),
            _FIRST[False].pack(0, length, length, token, 0, len(name)),
            name, bytes(-(3 + len(name)) % 4), _MD_2, descriptor, data,
        )
    )  # fmt: skip


def frames_front(hobj: int, name: bytes, selection_index: int, conversation: int, request: int) -> bytes:
    """What `message_frames` wants to know of the frames of messages about which there is nothing special to say."""
    body = pack_plain_message(hobj, 0, b"", name, bytes(16), b"", selection_index)
    return frame(Type.ASYNC_MESSAGE, body, conversation, request)


@compiled
def message_frames(front: bytes, index: int, bodies: list[bytes], tokens: list[bytes], contents: list[bytes]) -> bytes:
    """`pack_plain_message` framed in one segment, for each of several messages, the first with this index."""
    pieces: list[bytes] = []
    for body, token, content in zip(bodies, tokens, contents, strict=True):
        length, index = len(content), index & 0xFFFFFFFF
        size = (len(front) + len(body) + length).to_bytes(4, "big")
        pieces += (
            front[:_SIZE_AT], size, front[_SIZE_AT + 4 : _INDEX_AT], _COUNTED.pack(index, index, length),
            front[_INDEX_AT + 12 : _REPORTED_AT], _REPORTED.pack(length, length), token, front[_TOKEN_END:],
            body, content,
        )  # fmt: skip
        index += 1
    return b"".join(pieces)


def unpack_message(body: bytes, big_endian: bool = False) -> Arrived:
    if len(body) < ASYNC_BYTES + FIRST_BYTES:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a message that is cut short")
    _, hobj, index, _, _, _, _ = _ASYNC[big_endian].unpack_from(body)
    reason, length, _, token, status, name_length = _FIRST[big_endian].unpack_from(body, ASYNC_BYTES)
    position = ASYNC_BYTES + FIRST_BYTES
    name = body[position : position + name_length].decode("latin-1")
    position += name_length + -(3 + name_length) % 4
    md, position = unpack_md(body, position, big_endian=big_endian)
    data = body[position:]
    properties = b""
    if status & _PROPERTIES:
        size = _INT.unpack_from(data)[0] if len(data) >= 4 else len(data)
        if size > len(data) - 4:
            raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a message whose properties are cut short")
        properties, data = data[4 : 4 + size], data[4 + size :]
    if status & 3 == 3 or status >> 2 & 3 == 3:
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, f"a message with status {status:#x}")
    gmo = MQGMO(Version=4, ResolvedQName=name, MsgToken=token, ReturnedLength=len(data))
    if status & 3:
        gmo.GroupStatus = _GROUP_STATUS[status & 3]
    if status >> 2 & 3:
        gmo.SegmentStatus = _SEGMENT_STATUS[status >> 2 & 3]
    if status & _SEGMENTATION_ALLOWED:
        gmo.Segmentation = C.MQSEG_ALLOWED
    return Arrived(
        hobj, index, reason, length, md, gmo, properties, data, not status & _NOT_REMOVED, status >> _STATE_SHIFT & 7
    )


class Notification(NamedTuple):
    hobj: int
    code: int
    value: int
    version: int


def pack_notification(hobj: int, code: int, value: int, version: int = 1) -> bytes:
    """`version` holds call type, completion code and state of a CONSUMER_CALL."""
    return _NOTICE[False].pack(version, hobj, code, value)


def unpack_notification(body: bytes, big_endian: bool = False) -> Notification:
    if len(body) < 16:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a notification that is cut short")
    version, hobj, code, value = _NOTICE[big_endian].unpack_from(body)
    return Notification(hobj, code, value, version)
