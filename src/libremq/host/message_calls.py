"""Puts and gets of whole messages, for a binding that has MQPUT and MQGET on structures: the embedded one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from libremq.host.binding import Binding, GetCall, GotItem, PutCall, PutItem, Received, with_ids
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_names import returned_name
from libremq.mqi import constants as C
from libremq.mqi.descriptor_bytes import EXPIRY_AT, EXPIRY_END, packed_integer, read_body
from libremq.mqi.errors import MQError
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQGMO, MQMD

if TYPE_CHECKING:
    # A client has no use for a queue manager: what these name is not loaded with it
    from libremq.kernel.verbs.plain_gets import Plain
    from libremq.mqi.structs import MQOD, MQPMO


class MessageCalls(Binding, Protocol):
    """`put_message`, `put1_message`, `put_messages`, `get_message` and `get_messages` by way of the verbs."""

    _receiving: int = 0
    """The message handle that receives the properties of gets."""

    def put_message(
        self,
        hobj: int,
        put: PutCall,
        data: bytes,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
        properties: Mapping[str, object] | None = None,
    ) -> bytes:
        md, pmo = with_ids(put.md, message_id, correlation_id), put.pmo.copy()
        if not properties:
            self.put(hobj, md, pmo, data)
        else:
            with PutProperties(self, pmo, properties):
                self.put(hobj, md, pmo, data)
        return md.MsgId

    def put1_message(
        self,
        od: MQOD,
        put: PutCall,
        data: bytes,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
        properties: Mapping[str, object] | None = None,
    ) -> bytes:
        md, pmo = with_ids(put.md, message_id, correlation_id), put.pmo.copy()
        if not properties:
            self.put1(od.copy(), md, pmo, data)
        else:
            with PutProperties(self, pmo, properties):
                self.put1(od.copy(), md, pmo, data)
        return md.MsgId

    def put_messages(
        self,
        hobj: int,
        puts: Sequence[tuple[PutCall, bytes]],
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
    ) -> list[bytes]:
        items = [PutItem(with_ids(put.md, message_id, correlation_id), put.pmo.copy(), data) for put, data in puts]
        self.put_many(hobj, items)
        return [item.md.MsgId for item in items]

    def get_message(
        self, hobj: int, get: GetCall, message_id: bytes | None = None, correlation_id: bytes | None = None
    ) -> Received:
        md, gmo = get.structures(message_id, correlation_id, self.receiving_handle())
        got = self.get(hobj, md, gmo, get.max_length)
        properties = self.properties(gmo.MsgHandle) if gmo.MsgHandle else {}
        if get.brings_properties:
            del gmo.MsgHandle
        return GotItem(md, gmo, got, properties)

    def get_messages(
        self,
        hobj: int,
        get: GetCall,
        count: int,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
    ) -> Sequence[Received]:
        found = self.get_many(hobj, *get.structures(message_id, correlation_id, self.receiving_handle()), count)
        if get.brings_properties:
            for item in found:
                del item.gmo.MsgHandle
        return found

    def receiving_handle(self) -> int:
        if not self._receiving:
            self._receiving = self.create_message_handle()
        return self._receiving


_NEVER = packed_integer(C.MQEI_UNLIMITED)


class PlainReceived:
    """A message as its bytes, taken apart when somebody asks."""

    __slots__ = ("_call", "_found", "_gmo", "_md", "_properties", "data", "queue")

    reason = C.MQRC_NONE
    """There is nothing to warn of."""

    def __init__(self, found: Plain, call: GetCall, queue: str) -> None:
        self._found = found
        self._call = call
        self._md: MQMD | None = None
        self._gmo: MQGMO | None = None
        self._properties: dict[str, PropertyValue] | None = None
        self.data = found.message.data
        self.queue = queue

    @property
    def length(self) -> int:
        return len(self.data)

    @property
    def expires(self) -> bool:
        return self._found.body[EXPIRY_AT:EXPIRY_END] != _NEVER

    @property
    def md(self) -> MQMD:
        if self._md is None:
            self._md = read_body(self._found.body)  # the queue has its own, which a backout needs
        return self._md

    @property
    def gmo(self) -> MQGMO:
        if self._gmo is None:
            self._gmo = gmo = self._call.gmo.copy()
            gmo.ResolvedQName, gmo.MsgToken, gmo.ReturnedLength = self.queue, self._found.token, self.length
        return self._gmo

    @property
    def properties(self) -> dict[str, PropertyValue]:
        found = self._properties
        if found is None:
            stored = Properties.decode(self._found.message.properties).as_dict()
            found = self._properties = {returned_name(name): value for name, value in stored.items()}
        return found


class PutProperties:
    """A message handle with the properties of one put."""

    def __init__(self, binding: Binding, pmo: MQPMO, properties: Mapping[str, object]) -> None:
        self._binding = binding
        self._pmo = pmo
        self._properties = properties

    def __enter__(self) -> None:
        self._hmsg = self._binding.create_message_handle()
        try:
            self._binding.set_properties(self._hmsg, self._properties)
        except BaseException:
            self._binding.delete_message_handle(self._hmsg)
            raise
        self._pmo.Version = C.MQPMO_VERSION_3
        self._pmo.NewMsgHandle = self._hmsg

    def __exit__(self, *exc: object) -> None:
        self._pmo.NewMsgHandle = C.MQHM_NONE
        try:
            self._binding.delete_message_handle(self._hmsg)
        except MQError:
            pass
