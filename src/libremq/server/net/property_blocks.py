"""Properties of a put on their way from a LibreMQ client: message handles live at the client, and travel as bytes.

The handle fields of the MQPMO say, plus one, how many bytes of encoded properties lie before the data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.kernel.properties.message_handles import check_count
from libremq.kernel.properties.message_properties import Properties, stored_count
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQPMO

if TYPE_CHECKING:
    from libremq.server.net.conversation import Conversation


def length_of_blocks(pmo: MQPMO) -> int:
    """How many bytes of properties lie before the data."""
    return sum(max(0, marked - 1) for marked in (pmo.OriginalMsgHandle, pmo.NewMsgHandle))


class PropertyBlocks:
    """The properties of a put, which came as bytes before its data, in message handles for the kernel to find."""

    __slots__ = ("_conversation", "_data", "_handles", "_pmo", "_rest")

    def __init__(self, conversation: Conversation, pmo: MQPMO, data: bytes, rest: bytes | None = None) -> None:
        """`rest`: what is behind the properties, if `data` is only these. May be entered again until it is left."""
        self._conversation = conversation
        self._pmo = pmo
        self._data = data
        self._handles: list[int] = []
        self._rest = rest

    def __enter__(self) -> bytes:
        if self._handles:
            assert self._rest is not None
            return self._rest
        try:
            data = self._unwrap()
            if self._rest is None:
                self._rest = data
            return self._rest
        except BaseException:
            self.__exit__()
            raise

    def _unwrap(self) -> bytes:
        connection = self._conversation.connection
        assert connection is not None
        pmo, data, start = self._pmo, self._data, 0
        if not (pmo.OriginalMsgHandle or pmo.NewMsgHandle):
            return data
        for field in ("OriginalMsgHandle", "NewMsgHandle"):
            marked = getattr(pmo, field)
            if not marked:
                continue
            end = start + marked - 1
            if not start <= end <= len(data):
                raise mq_error(C.MQRC_HMSG_ERROR, detail="the properties are longer than what came with the message")
            block = data[start:end]
            check_count(stored_count(block))
            properties = Properties.decode(block)
            start = end
            hmsg = connection.message_handles.create()
            self._handles.append(hmsg)
            connection.message_handles.get(hmsg).properties = properties
            setattr(pmo, field, hmsg)
        return data[start:]

    def __exit__(self, *exc: object) -> None:
        connection = self._conversation.connection
        if self._handles:
            self._pmo.OriginalMsgHandle = self._pmo.NewMsgHandle = 0
        if connection is not None:
            for hmsg in self._handles:
                connection.message_handles.delete(hmsg)
        self._handles.clear()
