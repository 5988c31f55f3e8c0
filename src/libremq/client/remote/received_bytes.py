"""Messages as they came over a socket: bytes, which are taken apart when somebody asks for what is in them.

What has not the usual form (an MQMD of version 2 and an MQGMO of version 4, no group, no segment) is taken apart at
once, by the functions that know all forms.
"""

from __future__ import annotations

import struct

from libremq.client.remote import remote_calls as rc
from libremq.host.binding import GotItem, Received
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQGMO, MQMD
from libremq.wire import calls
from libremq.wire.descriptor import MD2_BYTES, unpack_md
from libremq.wire.messages import ASYNC_BYTES, FIRST_BYTES, Arrived
from libremq.wire.protocol import REPLY, Type
from libremq.wire.segments import Flow
from libremq.wire.wire_structures import GMO

_MD_2 = b"MD  \2\0\0\0"
_GMO_4 = b"GMO \4\0\0\0"
_UNLIMITED = b"\xff\xff\xff\xff"
_EXPIRY = slice(16, 20)  # of an MQMD

# The reply to an MQGET: API header, MQMD, MQGMO, length of the message, properties and data
_MD_AT = calls.API_BYTES
_GMO_AT = _MD_AT + MD2_BYTES
_NAME_AT = _GMO_AT + 24
_HANDLE_AT = _GMO_AT + 104
_DATA_AT = _GMO_AT + 116
_GET_REPLY = Type.MQGET + REPLY
_GET_END = struct.Struct("<qi")

# ASYNC_MESSAGE: two headers, the name of the queue, MQMD, properties and data
_FIRST = struct.Struct("<II4x16sHB")
_PROPERTIES = 0x20  # of its status: their length comes first
_LENGTH = struct.Struct("<I")


class ReceivedBytes:
    """The fixed part of a message, its data, and the bytes of its properties."""

    __slots__ = ("_block", "_gmo", "_head", "_md", "_md_at", "_properties", "data", "length", "reason")

    def __init__(self, head: bytes, md_at: int, block: bytes, data: bytes, length: int, reason: int) -> None:
        self._head = head
        self._md_at = md_at
        self._block = block
        self._md: MQMD | None = None
        self._gmo: MQGMO | None = None
        self._properties: dict[str, PropertyValue] | None = None
        self.data = data
        self.length = length
        self.reason = reason

    @property
    def expires(self) -> bool:
        at = self._md_at
        return self._head[at + _EXPIRY.start : at + _EXPIRY.stop] != _UNLIMITED

    @property
    def md(self) -> MQMD:
        md = self._md
        if md is None:
            md = self._md = unpack_md(self._head, self._md_at)[0]
        return md

    @property
    def properties(self) -> dict[str, PropertyValue]:
        found = self._properties
        if found is None:
            found = self._properties = rc.property_values(self._block) if self._block else {}
        return found


class GetReply(ReceivedBytes):
    """What an MQGET was answered with."""

    __slots__ = ()

    @property
    def queue(self) -> str:
        return self._head[_NAME_AT : _NAME_AT + 48].decode("latin-1").partition("\0")[0].rstrip(" ")

    @property
    def gmo(self) -> MQGMO:
        gmo = self._gmo
        if gmo is None:
            gmo = self._gmo = GMO.unpack(self._head, _GMO_AT)[0]
            gmo.__dict__.pop("MsgHandle", None)  # between two LibreMQs it is the length of the properties
        return gmo


class MessageOfMany(ReceivedBytes):
    """One of several that were asked for together."""

    __slots__ = ()

    @property
    def queue(self) -> str:
        start = ASYNC_BYTES + FIRST_BYTES
        return self._head[start : start + self._head[start - 1]].decode("latin-1")

    @property
    def gmo(self) -> MQGMO:
        gmo = self._gmo
        if gmo is None:
            token = self._head[ASYNC_BYTES + 12 : ASYNC_BYTES + 28]
            gmo = MQGMO(Version=4, ResolvedQName=self.queue, MsgToken=token, ReturnedLength=len(self.data))
            self._gmo = gmo
        return gmo


def got_message(flow: Flow, words: tuple[str, str] | None) -> GetReply | None:
    """The message in the reply to an MQGET; None if it has not the usual form. MQError if the get failed."""
    body = flow.body
    if flow.kind != _GET_REPLY or words is not None or body[4:12] != rc.SUCCEEDED:
        reason = rc.outcome(flow, Type.MQGET, words).reason
    else:
        reason = C.MQRC_NONE
    if body[_MD_AT : _MD_AT + 8] != _MD_2 or body[_GMO_AT : _GMO_AT + 8] != _GMO_4 or len(body) < _DATA_AT:
        return None
    if flow.big_endian:
        return None
    block_bytes, length = _GET_END.unpack_from(body, _HANDLE_AT)
    start = _DATA_AT + (block_bytes - 1 if block_bytes else 0)
    return GetReply(body[:_DATA_AT], _MD_AT, body[_DATA_AT:start], body[start:], length, reason)


def one_of_many(flow: Flow) -> Received:
    """One message of a batch."""
    body = flow.body
    if len(body) >= ASYNC_BYTES + FIRST_BYTES and not flow.big_endian:
        reason, length, _, status, name_bytes = _FIRST.unpack_from(body, ASYNC_BYTES)
        at = ASYNC_BYTES + FIRST_BYTES + name_bytes + -(3 + name_bytes) % 4
        data_at = at + MD2_BYTES
        if not status & ~_PROPERTIES and body[at : at + 8] == _MD_2 and len(body) >= data_at:
            if not status:
                return MessageOfMany(body[:data_at], at, b"", body[data_at:], length, reason)
            start = data_at + 4
            end = start + _LENGTH.unpack_from(body, data_at)[0] if start <= len(body) else start
            if end <= len(body):
                return MessageOfMany(body[:data_at], at, body[start:end], body[end:], length, reason)
    return in_structures(rc.arrived(flow))


def in_structures(arrived: Arrived) -> GotItem:
    comp_code = C.MQCC_WARNING if arrived.reason else C.MQCC_OK
    properties = rc.property_values(arrived.properties) if arrived.properties else {}
    return GotItem(arrived.md, arrived.gmo, Got(arrived.data, arrived.length, comp_code, arrived.reason), properties)
