"""Segments: from a stream of bytes to whole flows, and from a flow to the bytes of its segments.

A reader is fed whatever the socket gave and returns the flows that are complete: it joins what was split over several
segments. It holds at most one flow's worth of bytes, whatever comes. Both ends use the same code. Who has others to
look after takes so many segments at a time: small ones cost far more than their bytes.

The unit of work that a header may name (LUWID) is read from headers without conversation ids only: message channels
have no others, and the calls of clients, which are many, have none.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from libremq.wire.protocol import CCSID, ENCODING, FIRST, LAST, WHOLE, ProtocolError, Status, Type

TSH_BYTES = 28
TSHM_BYTES = 36
ASYNC_HEADER_BYTES = 24  # repeated in each segment of an ASYNC_MESSAGE
NO_LUWID = bytes(8)
FLOW_OVERHEAD = 65536  # what structures may add to the data of the longest message
_BEGUN_BYTES = 1024  # what a flow costs that was begun, apart from its bytes
_PART_BYTES = 64  # what a segment of it costs at least: an empty one takes memory, too

_ASCII = b"TSH"
_EBCDIC = b"\xe3\xe2\xc8"
_MULTIPLEXED = (0x4D, 0xD4)  # M
_PLAIN = (0x20, 0x40, 0x43, 0xC3)  # blank and C
_LENGTH = struct.Struct(">I")
_IDS = struct.Struct(">III")
_TAIL = {False: struct.Struct("<IHH"), True: struct.Struct(">IHH")}
_HEAD = struct.Struct(">4sIII")
_EBCDIC_CCSIDS = {
    37: "cp037", 273: "cp273", 500: "cp500", 1026: "cp1026", 1140: "cp1140", 1148: "cp500",
    1047: "cp037",  # there is no codec of its own; letters, digits and what names consist of are the same
}  # fmt: skip
_EBCDIC_DEFAULT = 500
_LONG = (Type.MQPUT, Type.MQPUT1)
_IN_SEVERAL = (Type.ASYNC_MESSAGE, Type.MESSAGE_DATA)  # of the types below the calls: those that may be in segments


def header_bytes(segment: bytes) -> int:
    """The length of the header of a segment: conversation ids make it longer. Its type is 19 bytes before the end."""
    return TSHM_BYTES if segment[3:4] in (b"M", b"\xd4") else TSH_BYTES


class Flow:
    """One call, reply or message, put together from its segments."""

    __slots__ = ("big_endian", "body", "ccsid", "conversation", "encoding", "flags", "kind", "request", "shared")
    luwid = NO_LUWID
    flags2 = 0
    is_long = False
    """Is its body in pieces still?"""

    def __init__(
        self,
        kind: int,
        flags: int,
        conversation: int,
        request: int,
        body: bytes,
        *,
        big_endian: bool = False,
        shared: bool = True,
        encoding: int = ENCODING,
        ccsid: int = CCSID,
    ) -> None:
        self.kind = kind
        self.flags = flags
        self.conversation = conversation
        self.request = request
        self.body = body
        self.big_endian = big_endian
        self.shared = shared  # it came with conversation ids
        self.encoding = encoding
        self.ccsid = ccsid

    @property
    def length(self) -> int:
        """Of the body."""
        return len(self.body)

    @property
    def charset(self) -> str:
        """The codec of its text."""
        return _EBCDIC_CCSIDS.get(self.ccsid, "latin-1")

    def __repr__(self) -> str:
        try:
            name = Type(self.kind).name
        except ValueError:
            name = Type(self.kind - 0x10).name + "_REPLY" if self.kind - 0x10 in set(Type) else hex(self.kind)
        return f"<{name} flags {self.flags:#x} conversation {self.conversation} of {len(self.body)} bytes>"


class PlainFlow(Flow):
    """A flow that came without conversation ids: all of its header."""

    __slots__ = ("flags2", "luwid")

    def __init__(
        self,
        kind: int,
        flags: int,
        body: bytes,
        luwid: bytes = NO_LUWID,
        flags2: int = 0,
        *,
        big_endian: bool = False,
        encoding: int = ENCODING,
        ccsid: int = CCSID,
    ) -> None:
        super().__init__(kind, flags, 0, 0, body, big_endian=big_endian, shared=False, encoding=encoding, ccsid=ccsid)
        self.luwid = luwid
        self.flags2 = flags2


class LongFlow(Flow):
    """One of so many bytes that to join its segments takes long: `pieces` has their bodies, for a thread to join.

    Whoever asks for the body in one piece joins them.
    """

    __slots__ = ("_joined", "_length", "pieces")
    is_long = True

    def __init__(self, flow: Flow, pieces: list[bytes]) -> None:
        self.pieces = pieces
        self._length = sum(map(len, pieces))
        self._joined: bytes | None = None
        self.kind, self.flags, self.conversation, self.request = flow.kind, flow.flags, flow.conversation, flow.request
        self.big_endian, self.shared, self.encoding, self.ccsid = (
            flow.big_endian, flow.shared, flow.encoding, flow.ccsid,
        )  # fmt: skip

    @property
    def body(self) -> bytes:  # type: ignore[override]
        if self._joined is None:
            self._joined = b"".join(self.pieces)
        return self._joined

    @property
    def length(self) -> int:
        return self._length

    def front(self, count: int) -> bytes:
        """So many bytes of the body at least, if it has them."""
        found = b""
        for piece in self.pieces:
            found += piece
            if len(found) >= count:
                break
        return found

    def take_pieces(self) -> list[bytes]:
        """They are somebody's who needs the flow for its answer only."""
        pieces, self.pieces = self.pieces, self.pieces[:1]
        return pieces


class SegmentReader:
    """Takes the bytes of one direction of a connection apart."""

    __slots__ = (
        "_begun", "_complete", "_partial", "_partial_bytes", "_pending", "failed", "has_more", "long_bytes", "max_flow",
        "max_segment",
    )  # fmt: skip

    def __init__(self, max_segment: int, max_flow: int) -> None:
        self.max_segment = max_segment
        self.max_flow = max_flow  # bytes of one flow
        self.long_bytes = 0  # puts of so many bytes are left in pieces; 0: none
        self._pending = b""
        self._partial: dict[int, tuple[Flow, list[bytes], int]] = {}  # by conversation: its segments, and its number
        self._partial_bytes = 0
        self._begun = 0  # flows that came in several segments
        self._complete = 0  # flows that were returned
        self.has_more = False
        """The latest `feed` took as many segments as it might: another one goes on with the rest."""
        self.failed: ProtocolError | None = None
        """What was wrong behind the flows that the latest `feed` has returned."""

    @property
    def held_bytes(self) -> int:
        return len(self._pending) + self._partial_bytes

    @property
    def unfinished(self) -> tuple[int, int]:
        """Which flow came in part: the oldest of several segments, or the first of one. It changes with the flow."""
        return (next(iter(self._partial.values()))[2], 0) if self._partial else (0, self._complete)

    @property
    def is_between(self) -> bool:
        """Does what comes next begin a flow, or go on with the only segment of one?"""
        return not self._partial and self.failed is None

    def take_back(self) -> bytes:
        """What was kept and is not taken apart: for who knows what to do with it."""
        data, self._pending, self.has_more = self._pending, b"", False
        return data

    def note_taken(self, count: int) -> None:
        """So many flows were run without being taken apart."""
        self._complete += count

    def keep(self, data: bytes) -> None:
        """Bytes that are taken apart with the next `feed`."""
        self._pending += data
        self.has_more = bool(self._pending)

    def feed(self, data: bytes, most: int = 0) -> list[Flow]:
        """The flows that these bytes complete. ProtocolError if they are no segments, or too long.

        Flows before what is wrong are returned all the same, and `failed` is set; there is nothing after it. With
        `most`, so many segments are taken, and `has_more` tells whether there is a rest.
        """
        if self._pending:
            data = self._pending + data
        elif data[:4] == b"TSHM" and len(data) >= TSHM_BYTES and not self._partial and self.failed is None:
            # One call or reply, as nearly always
            length, conversation, request = _IDS.unpack_from(data, 4)
            flags = data[18]
            if length == len(data) <= self.max_segment and data[16] == 2 and flags & WHOLE == WHOLE:
                encoding, ccsid, _ = _TAIL[False].unpack_from(data, 28)
                self._complete += 1
                return [Flow(data[17], flags, conversation, request, data[36:], encoding=encoding, ccsid=ccsid)]
        if self.failed is not None:
            raise self.failed
        flows: list[Flow] = []
        self.has_more = False
        try:
            self._take_apart(data, flows, most)
        except ProtocolError as error:
            self.failed = error
            self._pending = b""
            if not flows:
                raise
        self._complete += len(flows)
        return flows

    def _take_apart(self, data: bytes, flows: list[Flow], most: int) -> None:
        offset, end, left = 0, len(data), most or -1
        while end - offset >= TSH_BYTES:
            if not left:
                self._pending, self.has_more = data[offset:], True
                return
            left -= 1
            (length,) = _LENGTH.unpack_from(data, offset + 4)
            if length > self.max_segment:
                self._check_start(data, offset)
                raise ProtocolError(
                    Status.PROTOCOL_LENGTH_ERROR, f"a segment of {length} bytes; {self.max_segment} were agreed"
                )
            start = data[offset : offset + 4]
            if start == b"TSHM" and length >= TSHM_BYTES:
                if end - offset < length:
                    break
                _, conversation, request = _IDS.unpack_from(data, offset + 4)
                shared, head = True, offset + 16
                ebcdic = False
            elif start == b"TSH " and length >= TSH_BYTES:
                if end - offset < length:
                    break
                conversation = request = 0
                shared, head = False, offset + 8
                ebcdic = False
            else:
                shared = self._check_start(data, offset)
                ebcdic = data[offset] == _EBCDIC[0]
                if length < (TSHM_BYTES if shared else TSH_BYTES):
                    raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"a segment of {length} bytes")
                if end - offset < length:
                    break
                conversation = request = 0
                head = offset + 8
                if shared:
                    _, conversation, request = _IDS.unpack_from(data, offset + 4)
                    head = offset + 16
            order = data[head]
            if order not in (1, 2):
                raise ProtocolError(Status.PROTOCOL_INVALID_DATA, f"byte order {order} is neither 1 nor 2")
            big_endian = order == 1
            kind, flags = data[head + 1], data[head + 2]
            encoding, ccsid, _ = _TAIL[big_endian].unpack_from(data, head + 12)
            if ebcdic and ccsid not in _EBCDIC_CCSIDS:
                ccsid = _EBCDIC_DEFAULT
            body = data[head + 20 : offset + length]
            offset += length
            flow: Flow | None
            if shared:
                flow = Flow(
                    kind, flags, conversation, request, body, big_endian=big_endian, encoding=encoding, ccsid=ccsid
                )
            else:
                flow = PlainFlow(
                    kind, flags, body, data[head + 4 : head + 12], data[head + 3],
                    big_endian=big_endian, encoding=encoding, ccsid=ccsid,
                )  # fmt: skip
            if flags & WHOLE == WHOLE or (kind < 0x80 and kind not in _IN_SEVERAL):
                if self._partial and conversation in self._partial:
                    raise ProtocolError(Status.PROTOCOL_GENERAL, "a flow began before the one before it was complete")
                flows.append(flow)
            else:
                flow = self._join(flow)
                if flow is not None:
                    flows.append(flow)
        self._pending = data[offset:] if offset < end else b""
        if self._pending:
            self._check_start(self._pending, 0)

    @staticmethod
    def _check_start(data: bytes, offset: int) -> bool:
        """Whether a header with conversation ids begins here. ProtocolError if none does; a prefix may be one."""
        start = data[offset : offset + 3]
        if start != _ASCII[: len(start)] and start != _EBCDIC[: len(start)]:
            raise ProtocolError(
                Status.PROTOCOL_INVALID_DATA, "no segment begins here: these are not the bytes of a channel"
            )
        if len(data) - offset < 4:
            return False
        letter = data[offset + 3]
        if letter in _MULTIPLEXED:
            return True
        if letter not in _PLAIN:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, f"no segment header ends in byte {letter:#x}")
        return False

    def _join(self, segment: Flow) -> Flow | None:
        """One segment of several. The flow, if it is the last."""
        conversation, body, flags = segment.conversation, segment.body, segment.flags
        held = self._partial.get(conversation)
        if flags & FIRST:
            if held is not None:
                raise ProtocolError(Status.PROTOCOL_GENERAL, "a flow began before the one before it was complete")
            segment.flags = flags | LAST
            self._begun += 1
            self._partial[conversation] = (segment, [body], self._begun)
            self._partial_bytes += _BEGUN_BYTES
        else:
            if held is None or held[0].kind != segment.kind:
                raise ProtocolError(Status.PROTOCOL_GENERAL, "a segment goes on with a flow that was not begun")
            if segment.kind == Type.ASYNC_MESSAGE:
                body = body[ASYNC_HEADER_BYTES:]
            elif segment.kind == Type.MESSAGE_DATA:
                _check_continues(held[0], segment)
            held[1].append(body)
        self._partial_bytes += max(len(body), _PART_BYTES)
        if self._partial_bytes > self.max_flow:
            raise ProtocolError(
                Status.MESSAGE_LENGTH_ERROR, f"a flow of over {self.max_flow} bytes; the channel takes no longer ones"
            )
        if not flags & LAST:
            return None
        flow, parts, _ = self._partial.pop(conversation)
        flow.flags |= flags
        self._partial_bytes -= _BEGUN_BYTES + sum(max(len(part), _PART_BYTES) for part in parts)
        if self.long_bytes and flow.kind in _LONG:
            long_flow = LongFlow(flow, parts)
            if long_flow.length >= self.long_bytes:
                return long_flow
        flow.body = b"".join(parts)
        return flow


def _check_continues(first: Flow, segment: Flow) -> None:
    """Each segment of a MESSAGE_DATA has numbers of its own to be read, and all belong to one unit of work."""
    if segment.luwid != first.luwid:
        raise ProtocolError(Status.PROTOCOL_SEGMENT_ERROR, "the segments of a message are of different units of work")
    if segment.big_endian is not first.big_endian or segment.flags2 != first.flags2:
        raise ProtocolError(
            Status.PROTOCOL_SEGMENT_ERROR, "the segments of a message differ in byte order or compression"
        )


_tail_cache: dict[tuple[int, int], bytes] = {}
"""The last twenty bytes of a header, which hardly ever change: by type and flags."""


def tail(kind: int, flags: int) -> bytes:
    key = (kind, flags)
    found = _tail_cache.get(key)
    if found is None:
        found = _tail_cache[key] = bytes((2, kind, flags, 0)) + bytes(8) + struct.pack("<IHH", ENCODING, CCSID, 0)
    return found


def frame(
    kind: int, body: bytes, conversation: int, request: int = 0, *, flags: int = WHOLE, max_segment: int = 0
) -> bytes:
    """A flow with conversation ids, in one segment, or in several if `max_segment` is given and asks for it."""
    length = TSHM_BYTES + len(body)
    if max_segment and length > max_segment:
        parts = _split(kind, body, max_segment - TSHM_BYTES)
        return b"".join(frame(kind, part, conversation, request, flags=bits) for bits, part in parts)
    return _HEAD.pack(b"TSHM", length, conversation, request) + tail(kind, flags) + body


def frame_plain(kind: int, body: bytes, *, flags: int = WHOLE, letter: bytes = b" ", max_segment: int = 0) -> bytes:
    """A flow without conversation ids: the first ones of a channel, those about the socket (`letter` C), and all of a
    channel whose conversations do not share sockets.
    """
    length = TSH_BYTES + len(body)
    if max_segment and length > max_segment:
        parts = _split(kind, body, max_segment - TSH_BYTES)
        return b"".join(frame_plain(kind, part, flags=bits, letter=letter) for bits, part in parts)
    return b"TSH" + letter + _LENGTH.pack(length) + tail(kind, flags) + body


def _split(kind: int, body: bytes, room: int) -> Iterator[tuple[int, bytes]]:
    """The flags and bodies of the segments of a flow that does not fit into one."""
    header, first_bytes = b"", 0
    if kind == Type.ASYNC_MESSAGE:
        header, body = body[:ASYNC_HEADER_BYTES], body[ASYNC_HEADER_BYTES:]
        room -= len(header)
        # What the first segment has before its data: the lengths in the headers count data only
        first_bytes = len(body) - _ASYNC_LENGTH.unpack_from(header, _ASYNC_LENGTH_AT)[0]
    for index, start in enumerate(range(0, len(body), room)):
        flags = (FIRST if start == 0 else 0) | (LAST if start + room >= len(body) else 0)
        part = body[start : start + room]
        if header:
            part = _async_header(header, index, len(part) - (first_bytes if start == 0 else 0)) + part
        yield flags, part


_ASYNC_LENGTH = struct.Struct("<I")
_ASYNC_LENGTH_AT = 16
_ASYNC_PIECE = struct.Struct("<IH")


def _async_header(header: bytes, index: int, length: int) -> bytes:
    """The header of each segment of a long ASYNC_MESSAGE: its number, and how much of the data it has."""
    return header[:_ASYNC_LENGTH_AT] + _ASYNC_PIECE.pack(length, min(index, 0xFFFF)) + header[22:]
