"""Requests as bytes, made once for each handle and its options: what differs from call to call is placed between.

A put differs from the one before in its ids, its properties and its data, a get in its ids. All else, from the header
of the segment to the options, is the same, and was checked when it was made.
"""

from __future__ import annotations

import struct

from libremq.client.remote import remote_calls as rc
from libremq.host.binding import GetCall, PutCall, with_ids
from libremq.kernel.properties.message_handles import MessageHandles
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.wire import calls
from libremq.wire.messages import BATCH
from libremq.wire.protocol import Type
from libremq.wire.segments import TSHM_BYTES, frame

_BATCH_BYTES = 16 << 20
_REQUESTS_MAX = 1024
_BATCHES_MAX = 64  # counts of `get_many` that are remembered
_LENGTH_END = 8  # of the header of a segment
_IDS_AT = TSHM_BYTES + calls.API_BYTES + 48  # MsgId and CorrelId
_IDS_END = _IDS_AT + 48
_AFTER_HANDLE = 8  # bytes of an MQPMO of version 3 behind its NewMsgHandle
_NO_ID = bytes(24)
_START = struct.Struct(">4sI").pack
_INT = struct.Struct("<i").pack
_LONG = struct.Struct("<q").pack
_RESPONSES = C.MQPMO_ASYNC_RESPONSE | C.MQPMO_SYNC_RESPONSE
_NEW_IDS = C.MQPMO_NEW_MSG_ID | C.MQPMO_NEW_CORREL_ID
_NO_HANDLES = MessageHandles(0)

_Parts = tuple[bytes, bytes, bytes]


class PutBytes:
    """MQPUT on one handle, or MQPUT1 to one queue."""

    __slots__ = (
        "_before", "_conversation", "_max_segment", "_od", "_plain", "_pmo", "_put", "_with_properties", "hobj",
        "options", "owner", "with_handles",
    )  # fmt: skip

    def __init__(
        self,
        owner: object,
        conversation: int,
        max_segment: int,
        hobj: int,
        put: PutCall,
        *,
        many: bool = False,
        od: MQOD | None = None,
    ) -> None:
        """`many`: for puts that are sent together and answered once; their ids are made here. `od`: for MQPUT1."""
        self.owner = owner
        self.hobj = hobj
        self.options = put.pmo.Options
        self._conversation = conversation
        self._max_segment = max_segment
        self._put = put
        self._od = od
        self._before = 0 if od is None else calls.OD_BYTES
        pmo = put.pmo
        self.with_handles = bool(pmo.Version >= C.MQPMO_VERSION_3 and (pmo.NewMsgHandle or pmo.OriginalMsgHandle))
        """Properties are in handles of the application: they may be others with each put."""
        if many:
            pmo = pmo.copy()
            pmo.Options = self.options & ~(C.MQPMO_SYNC_RESPONSE | _NEW_IDS) | C.MQPMO_ASYNC_RESPONSE
        self._pmo = pmo
        self._plain: _Parts = (b"", b"", b"") if self.with_handles else self._parts(pmo)
        self._with_properties: _Parts | None = None

    def _parts(self, pmo: MQPMO) -> _Parts:
        """What lies before the ids, the ids, and what lies between them and the length of the data."""
        if self._od is None:
            body = rc.put_request(_NO_HANDLES, self.hobj, self._put.md, pmo, b"")
        else:
            body = rc.put1_request(_NO_HANDLES, self._od, self._put.md, pmo, b"")
        whole = frame(self._kind, body, self._conversation)
        ids_at, ids_end = _IDS_AT + self._before, _IDS_END + self._before
        return whole[_LENGTH_END:ids_at], whole[ids_at:ids_end], whole[ids_end:-4]

    @property
    def _kind(self) -> int:
        return Type.MQPUT if self._od is None else Type.MQPUT1

    def is_for(self, owner: object, hobj: int) -> bool:
        return self.owner is owner and self.hobj == hobj

    def request(
        self, data: bytes, message_id: bytes | None = None, correlation_id: bytes | None = None,
        properties: bytes | None = None,
    ) -> bytes:  # fmt: skip
        """The segments of a put. `properties` are encoded; they go before the data."""
        before, ids, behind = self._plain if properties is None else self._parts_with_properties()
        if properties is not None:
            # Between two LibreMQs the field of the handle says how many bytes they have, plus one
            behind = behind[: -8 - _AFTER_HANDLE] + _LONG(len(properties) + 1) + behind[-_AFTER_HANDLE:]
            data = properties + data
        if message_id is not None:
            ids = message_id + (ids[24:] if correlation_id is None else correlation_id)
        elif correlation_id is not None:
            ids = ids[:24] + correlation_id
        length = len(data)
        total = _IDS_END + self._before + len(behind) + 4 + length
        request = b"".join((_START(b"TSHM", total), before, ids, behind, _INT(length), data))
        if total <= self._max_segment:
            return request
        return frame(self._kind, request[TSHM_BYTES:], self._conversation, max_segment=self._max_segment)

    def _parts_with_properties(self) -> _Parts:
        if self._with_properties is None:
            pmo = self._pmo.copy()
            pmo.Version = C.MQPMO_VERSION_3
            self._with_properties = self._parts(pmo)
        return self._with_properties

    def new_ids(self, message_id: bytes | None, correlation_id: bytes | None) -> tuple[bytes, bytes | None]:
        """Of one of many: what the queue manager would make of these is made here."""
        if message_id is None:
            message_id = self._plain[1][:24]
        if self.options & C.MQPMO_NEW_MSG_ID or message_id == _NO_ID:
            message_id = rc.new_message_id()
        return message_id, rc.new_message_id() if self.options & C.MQPMO_NEW_CORREL_ID else correlation_id

    def nobody_waits(self, *, by_default: bool) -> bool:
        """Is the put not answered? `by_default`: those on this handle are not, unless they ask for it."""
        response = self.options & _RESPONSES
        return response == C.MQPMO_ASYNC_RESPONSE or (not response and by_default)


class GetBytes:
    """MQGET on one handle, and REQUEST_MSGS for several messages."""

    __slots__ = ("_batches", "_conversation", "_get", "_request", "hobj", "owner", "wait_ms", "with_handle")

    def __init__(self, owner: object, conversation: int, hobj: int, get: GetCall) -> None:
        self.owner = owner
        self.hobj = hobj
        gmo = get.gmo
        self.wait_ms = gmo.WaitInterval if gmo.Options & C.MQGMO_WAIT else 0
        self.with_handle = bool(gmo.MsgHandle) and not get.brings_properties
        """Properties go to a handle of the application."""
        self._conversation = conversation
        self._get = get
        self._batches: dict[int, bytes] = {}
        self._request = frame(Type.MQGET, rc.get_body(hobj, get.md, self._sent(), get.max_length), conversation)

    def _sent(self) -> MQGMO:
        gmo = self._get.gmo
        if self._get.brings_properties or self.with_handle:
            gmo = gmo.copy()
            gmo.MsgHandle = 1
        return gmo

    def is_for(self, owner: object, hobj: int) -> bool:
        return self.owner is owner and self.hobj == hobj

    def request(self, message_id: bytes | None, correlation_id: bytes | None) -> bytes:
        request = self._request
        if message_id is None and correlation_id is None:
            return request
        ids = request[_IDS_AT:_IDS_END]
        return b"".join((request[:_IDS_AT], message_id or ids[:24], correlation_id or ids[24:], request[_IDS_END:]))

    def batch(self, count: int, message_id: bytes | None, correlation_id: bytes | None) -> bytes:
        """The request for up to so many messages."""
        if message_id is not None or correlation_id is not None:
            return self._batch(count, message_id, correlation_id)
        found = self._batches.get(count)
        if found is None:
            if len(self._batches) >= _BATCHES_MAX:
                self._batches.clear()
            found = self._batches[count] = self._batch(count, None, None)
        return found

    def _batch(self, count: int, message_id: bytes | None, correlation_id: bytes | None) -> bytes:
        md = with_ids(self._get.md, message_id, correlation_id)
        return batch_request(self._conversation, self.hobj, md, self._get.gmo, count)


def batch_request(conversation: int, hobj: int, md: MQMD, gmo: MQGMO, count: int) -> bytes:
    """For up to so many messages, which are answered together."""
    if not rc.is_batchable(gmo):
        raise mq_error(C.MQRC_MATCH_OPTIONS_ERROR, detail="get_many cannot match by message token")
    body = rc.batch_request(hobj, md, gmo, flags=BATCH, count=count, max_bytes=_BATCH_BYTES, max_length=None)
    return frame(Type.REQUEST_MSGS, body, conversation, 1)


class Requests:
    """What the verbs ask for, on one connection: a program fills the same structures again and again."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], PutBytes | GetBytes] = {}

    def put(
        self, owner: object, conversation: int, max_segment: int, hobj: int, md: MQMD, pmo: MQPMO, data: bytes
    ) -> bytes | None:
        """The segments of an MQPUT; None for one that has to be looked at: with handles, or something wrong."""
        if pmo.Version >= C.MQPMO_VERSION_3 and (pmo.NewMsgHandle or pmo.OriginalMsgHandle):
            return None
        ids = _ids(md)
        if ids is None or type(data) is not bytes:
            return None
        key = _key(hobj, md, tuple(pmo.__dict__.items()))
        try:
            made = self._made.get(key)
        except TypeError:  # a value that cannot be a key
            return None
        if made is None:
            made = PutBytes(owner, conversation, max_segment, hobj, PutCall(md.copy(), pmo.copy()))
            self._keep(key, made)
        assert isinstance(made, PutBytes)
        return made.request(data, *ids)

    def get(
        self, owner: object, conversation: int, hobj: int, md: MQMD, gmo: MQGMO, buffer_length: int | None
    ) -> bytes | None:
        """The segment of an MQGET; None for one that has to be looked at."""
        if gmo.Version >= C.MQGMO_VERSION_4 and gmo.MsgHandle:
            return None
        ids = _ids(md)
        if ids is None:
            return None
        key = _key(hobj, md, (buffer_length, buffer_length.__class__, *gmo.__dict__.items()))
        try:
            made = self._made.get(key)
        except TypeError:
            return None
        if made is None:
            call = GetCall(md.copy(), gmo.copy(), max_length=buffer_length, brings_properties=False)
            made = GetBytes(owner, conversation, hobj, call)
            self._keep(key, made)
        assert isinstance(made, GetBytes)
        return made.request(*ids)

    def _keep(self, key: tuple[object, ...], made: PutBytes | GetBytes) -> None:
        if len(self._made) >= _REQUESTS_MAX:
            self._made.clear()
        self._made[key] = made


def _key(hobj: int, md: MQMD, options: tuple[object, ...]) -> tuple[object, ...]:
    """All but the ids."""
    fields = md.__dict__.copy()
    fields.pop("MsgId", None)
    fields.pop("CorrelId", None)
    return hobj, hobj.__class__, tuple(fields.items()), options


def _ids(md: MQMD) -> tuple[bytes, bytes] | None:
    """MsgId and CorrelId, if they can be placed where others stood."""
    message_id, correlation_id = md.MsgId, md.CorrelId
    if type(message_id) is bytes and type(correlation_id) is bytes and len(message_id) == len(correlation_id) == 24:
        return message_id, correlation_id
    return None
