"""Message handles of a remote connection: they live at the client, and need no call to the queue manager."""

from __future__ import annotations

from collections.abc import Mapping

from libremq.kernel.properties.message_handles import InquiredProperty, MessageHandles, PropertiesBuffer
from libremq.kernel.properties.property_names import returned_name
from libremq.kernel.properties.property_types import infer_type
from libremq.mqi import constants as C
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQBMHO, MQCMHO, MQDMHO, MQDMPO, MQIMPO, MQMD, MQMHBO, MQPD, MQSMPO


class RemoteMessageHandles:
    """The verbs on message handles."""

    def __init__(self, hconn: int) -> None:
        self._message_handles = MessageHandles(hconn)

    def _check(self) -> None:
        """Is the connection there, and may this thread use it?"""
        raise AssertionError("a connection says that")

    def _handles(self) -> MessageHandles:
        self._check()
        return self._message_handles

    def create_message_handle(self, cmho: MQCMHO | None = None) -> int:
        return self._handles().create(cmho)

    def delete_message_handle(self, hmsg: int, dmho: MQDMHO | None = None) -> None:
        self._handles().delete(hmsg, dmho)

    def set_property(
        self, hmsg: int, name: str, value: object, type: int, smpo: MQSMPO | None = None, pd: MQPD | None = None
    ) -> None:
        self._handles().set(hmsg, smpo, name, pd, type, value)

    def inquire_property(
        self,
        hmsg: int,
        name: str,
        impo: MQIMPO | None = None,
        pd: MQPD | None = None,
        type: int = C.MQTYPE_AS_SET,
        max_length: int | None = None,
    ) -> InquiredProperty:
        return self._handles().inquire(hmsg, impo, name, pd, type, max_length)

    def delete_property(self, hmsg: int, name: str, dmpo: MQDMPO | None = None) -> None:
        self._handles().delete_property(hmsg, dmpo, name)

    def buffer_to_handle(self, hmsg: int, md: MQMD, buffer: bytes, bmho: MQBMHO | None = None) -> tuple[MQMD, bytes]:
        return self._handles().buffer_to_handle(hmsg, bmho, md, buffer)

    def handle_to_buffer(
        self, hmsg: int, name: str, md: MQMD, mhbo: MQMHBO | None = None, buffer_length: int | None = None
    ) -> PropertiesBuffer:
        return self._handles().handle_to_buffer(hmsg, mhbo, name, md, buffer_length)

    def set_properties(self, hmsg: int, values: Mapping[str, object]) -> None:
        handles = self._handles()
        for name, value in values.items():
            handles.set(hmsg, None, name, None, infer_type(value), value)

    def properties(self, hmsg: int) -> dict[str, PropertyValue]:
        properties = self._message_handles.get(hmsg).properties
        if not properties:
            return {}
        return {returned_name(name): value for name, value in properties.as_dict().items()}
