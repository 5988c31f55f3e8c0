"""Puts and gets that are like one before, as bytes: where such calls differ, and where their answers do.

A program's puts differ in MsgId, CorrelId, data and properties, their answers in these ids, the time, and the length.
Its gets differ in the ids that they ask for, their answers in the descriptor, the message token, properties and data.
Properties are before the data, and where a message handle would stand is how long they are, plus one. Positions are
those in a segment with conversation ids, with an MQMD of version 2 and an MQPMO of version 3 or an MQGMO of version 4,
little endian: what clients of ours send. An MQPUT1 has an MQOD of version 1 before its MQMD, in call and answer: what
follows lies as many bytes further on.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from libremq.speed import compiled
from libremq.wire.calls import OD_BYTES
from libremq.wire.protocol import CCSID, ENCODING, REPLY, WHOLE, Type
from libremq.wire.segments import TSHM_BYTES, Flow, frame

HEAD_AT = 8
"""Conversation and request number, type, flags, encoding; then the header of the call, and its descriptor."""
IDS_AT = 100
IDS_END = 148
PUT_LENGTH_AT = 592
PUT_DATA_AT = 596
GET_BYTES = 532
KIND_AT = 17

_API_AT = TSHM_BYTES
_MD_AT = 52
_BODY_AT = 60
_STAMP_AT = 356
_STAMP_END = 372
_OPTIONS_AT = 416
_STATUS_AT = 492
_TOKEN_AT = 496
_HANDLE_AT = 520
_LENGTH_AT = 528
_OD_1 = b"OD  \1\0\0\0"
_MD_2 = b"MD  \2\0\0\0"
_PMO_3 = b"PMO \3\0\0\0"
_GMO_4 = b"GMO \4\0\0\0"
_NEW_HANDLE_AT = 576
_HANDLE_BYTES = 8
"""In a put: NewMsgHandle, which says how long the properties before the data are. OriginalMsgHandle lies before it."""
_NO_HANDLE = bytes(8)
_NEW_ACTION = bytes(4)
_NO_STATUS = b"    "
_NUMBERS = struct.Struct(">II")
_CODES = struct.Struct("<IHH")
_HEAD = struct.Struct(">4sIII")
_START = struct.Struct(">4sI")
_REPLY_LENGTH = struct.Struct(">I")
_RETURNED = struct.Struct("<iiqi")


def head_of(flow: Flow) -> bytes:
    """The header of a call that came in one segment, from its conversation on."""
    codes = _CODES.pack(flow.encoding, flow.ccsid, 0)
    return _NUMBERS.pack(flow.conversation, flow.request) + bytes((2, flow.kind, WHOLE, 0)) + bytes(8) + codes


def _is_usual(flow: Flow, options_at: int, options: bytes, before: int = 0) -> bool:
    body = flow.body[before:]
    return (
        flow.shared
        and not flow.big_endian
        and flow.encoding == ENCODING
        and flow.ccsid == CCSID
        and body[_MD_AT - TSHM_BYTES : _BODY_AT - TSHM_BYTES] == _MD_2
        and body[options_at : options_at + 8] == options
    )


class LikePut:
    """What all puts like one have in common, and the pieces of their answers."""

    __slots__ = (
        "_behind_handle", "_behind_stamp", "_between", "_front", "_handle_at", "before", "behind", "head",
        "is_answered", "with_properties",
    )  # fmt: skip

    def __init__(self, flow: Flow, reply: bytes, before: int = 0) -> None:
        """`reply` is the body of the answer; empty if nobody waits for one. `before`: bytes before the MQMD."""
        self.before = before
        self.head = head_of(flow) + flow.body[: IDS_AT - TSHM_BYTES + before]
        self.behind = flow.body[IDS_END - TSHM_BYTES + before : PUT_LENGTH_AT - TSHM_BYTES + before]
        self._handle_at = _NEW_HANDLE_AT + before
        handle_at = _NEW_HANDLE_AT - IDS_END
        self.with_properties = self.behind[handle_at : handle_at + _HANDLE_BYTES] != _NO_HANDLE
        """All like it have some."""
        self._behind_handle = self.behind[handle_at + _HANDLE_BYTES :]
        if self.with_properties:
            self.behind = self.behind[:handle_at]
        self.is_answered = bool(reply)
        whole = frame(flow.kind + REPLY, reply, flow.conversation, flow.request)
        self._front = whole[: IDS_AT + before]
        self._between = whole[IDS_END + before : _STAMP_AT + before]
        self._behind_stamp = whole[_STAMP_END + before : PUT_LENGTH_AT + before]

    def parse(self, data: bytes, start: int, length_max: int) -> tuple[bytes, bytes, bytes, int] | None:
        """The ids, properties and data of a put whose head is ours, and where it ends; None if the rest is not ours."""
        before = self.before
        at = start + PUT_DATA_AT + before
        length = int.from_bytes(data[at - 4 : at], "little")
        end = at + length
        if (
            length > length_max
            or end > len(data)
            or data[start : start + HEAD_AT] != _START.pack(b"TSHM", end - start)
            or not data.startswith(self.behind, start + IDS_END + before)
        ):
            return None
        content_at = at
        if self.with_properties:
            handle_at = start + self._handle_at
            handle_end = handle_at + _HANDLE_BYTES
            content_at += int.from_bytes(data[handle_at:handle_end], "little") - 1
            if not at < content_at <= end or not data.startswith(self._behind_handle, handle_end):
                return None
        return data[start + IDS_AT + before : start + IDS_END + before], data[at:content_at], data[content_at:end], end

    def answer(self, ids: bytes, stamp: bytes, length: int) -> bytes:
        return b"".join(
            (self._front, ids, self._between, stamp, self._behind_stamp, length.to_bytes(4, "little"))
        )  # fmt: skip

    def answers(self, ids: Sequence[bytes], stamp: bytes, data: Sequence[bytes]) -> bytes:
        """Of several."""
        front, behind = self._front, b"".join((self._between, stamp, self._behind_stamp))
        pieces: list[bytes] = []
        for both, content in zip(ids, data, strict=True):
            pieces += front, both, behind, len(content).to_bytes(4, "little")
        return b"".join(pieces)


@compiled
def parse_puts(
    data: bytes, start: int, end: int, head: bytes, behind: bytes, length_max: int, most: int, bytes_max: int
) -> tuple[list[bytes], list[bytes], list[int]]:
    """The puts that follow each other from `start` on, up to `end`, and are like one (its `head` and `behind`).

    Their ids, their data, and where each ends: so many at most, and none behind the one with which they are more than
    `bytes_max`.
    """
    ids: list[bytes] = []
    contents: list[bytes] = []
    ends: list[int] = []
    offset, size = start, -1
    front = back = b""
    last = start + bytes_max
    while offset <= last and len(ids) < most:
        if size < 0 or not data.startswith(front, offset):  # nearly always they are as long as the one before
            if end - offset < PUT_DATA_AT:
                break
            length = int.from_bytes(data[offset + PUT_LENGTH_AT : offset + PUT_DATA_AT], "little")
            size = PUT_DATA_AT + length
            if length > length_max:
                break
            front = b"TSHM" + size.to_bytes(4, "big") + head
            back = behind + length.to_bytes(4, "little")
            if not data.startswith(front, offset):
                break
        content_at, until = offset + PUT_DATA_AT, offset + size
        if until > end or not data.startswith(back, offset + IDS_END):
            break
        ids.append(data[offset + IDS_AT : offset + IDS_END])
        contents.append(data[content_at:until])
        ends.append(until)
        offset = until
    return ids, contents, ends


def like_put(flow: Flow, reply: bytes) -> LikePut | None:
    """After a put and its answer: what there is to know of others like it. None if it is laid out in another way."""
    if (
        _is_usual(flow, _OPTIONS_AT - TSHM_BYTES, _PMO_3)
        and _has_one_handle(flow)
        and len(reply) in (0, PUT_DATA_AT - TSHM_BYTES)
    ):
        return LikePut(flow, reply)
    return None


def _has_one_handle(flow: Flow, before: int = 0) -> bool:
    """At most: NewMsgHandle, of a message that goes on with no other one."""
    at = _NEW_HANDLE_AT - TSHM_BYTES + before
    original, action = flow.body[at - _HANDLE_BYTES : at], flow.body[at + _HANDLE_BYTES : at + _HANDLE_BYTES + 4]
    return original == _NO_HANDLE and (action == _NEW_ACTION or flow.body[at : at + _HANDLE_BYTES] == _NO_HANDLE)


def like_put1(flow: Flow, reply: bytes) -> LikePut | None:
    """The same of an MQPUT1, which is answered."""
    if (
        _is_usual(flow, _OPTIONS_AT - TSHM_BYTES, _PMO_3, OD_BYTES)
        and flow.body[_MD_AT - TSHM_BYTES : _BODY_AT - TSHM_BYTES] == _OD_1
        and _has_one_handle(flow, OD_BYTES)
        and len(reply) == PUT_DATA_AT - TSHM_BYTES + OD_BYTES
    ):
        return LikePut(flow, reply, OD_BYTES)
    return None


class LikeGet:
    """What the answers have in common to gets that differ in their ids."""

    __slots__ = ("_api", "_numbers", "_options", "_tail", "has_handle", "request")

    def __init__(self, flow: Flow, reply: bytes) -> None:
        body = flow.body
        self.request = head_of(flow) + body[: IDS_AT - TSHM_BYTES] + body[IDS_END - TSHM_BYTES :]
        """Without the ids."""
        self.has_handle = body[_HANDLE_AT - TSHM_BYTES : _LENGTH_AT - TSHM_BYTES] != _NO_HANDLE
        """Properties may come with a message."""
        whole = frame(flow.kind + REPLY, reply, flow.conversation, flow.request)
        self._numbers = flow.conversation, flow.request
        self._tail = whole[16:TSHM_BYTES]
        self._api = whole[_API_AT + 4 : _BODY_AT]
        self._options = whole[_OPTIONS_AT:_TOKEN_AT]

    def answer(self, descriptor: bytes, token: bytes, data: bytes, properties: bytes = b"") -> bytes:
        """The answer, in one segment."""
        size, block = len(data), len(properties)
        return b"".join(
            (
                _HEAD.pack(b"TSHM", GET_BYTES + block + size, *self._numbers), self._tail,
                _REPLY_LENGTH.pack(GET_BYTES - HEAD_AT + block + size), self._api, descriptor, self._options, token,
                _RETURNED.pack(size, 0, 1 + block if self.has_handle else 0, size), properties, data,
            )
        )  # fmt: skip


def like_get(flow: Flow, reply: bytes) -> LikeGet | None:
    """After a get and its answer: how others like it are answered. None if it is laid out in another way or special."""
    if (
        _is_usual(flow, _OPTIONS_AT - TSHM_BYTES, _GMO_4)
        and len(flow.body) == GET_BYTES - TSHM_BYTES
        and reply[_MD_AT - TSHM_BYTES : _BODY_AT - TSHM_BYTES] == _MD_2
        and reply[_STATUS_AT - TSHM_BYTES : _TOKEN_AT - TSHM_BYTES] == _NO_STATUS
    ):
        return LikeGet(flow, reply)
    return None


PUT_KIND, PUT1_KIND, GET_KIND = int(Type.MQPUT), int(Type.MQPUT1), int(Type.MQGET)
