"""What one thread has with a queue manager: a connection, the handles it opened, the transaction it is in."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING

from libremq.host.binding import Binding
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

if TYPE_CHECKING:
    from libremq.client.message import Message
    from libremq.client.queue_manager import QueueManager

MODES = (C.MQOO_OUTPUT, C.MQOO_INPUT_AS_Q_DEF, C.MQOO_BROWSE, C.MQOO_INQUIRE, C.MQOO_SET)


class Session:
    """One connection. Handles are kept by the serial number of the Queue object and what they are open for."""

    def __init__(self, binding: Binding) -> None:
        self.binding = binding
        self.handles: dict[tuple[int, int], tuple[int, str]] = {}  # -> hobj, name of the queue
        self._transaction: weakref.ref[object] | None = None
        self.branch: bytes | None = None  # the XA branch begun by this thread
        self._hmsg = 0

    @property
    def transaction(self) -> object | None:
        """The transaction that the thread is in.

        Held weakly: an interrupt may keep the end of a `with` block from being called. Then nobody else holds the
        transaction any more, and what it did is backed out, as the exception asked for.
        """
        if self._transaction is None:
            return None
        current = self._transaction()
        if current is None:
            self._transaction = None
            self.binding.backout()
        return current

    @transaction.setter
    def transaction(self, current: object | None) -> None:
        self._transaction = None if current is None else weakref.ref(current)

    @property
    def syncpoint(self) -> bool:
        """Whether puts and gets belong to a unit of work."""
        return self.transaction is not None or self.branch is not None

    @property
    def hmsg(self) -> int:
        """The message handle that receives the properties of every get of this session."""
        if not self._hmsg:
            self._hmsg = self.binding.create_message_handle()
        return self._hmsg

    # Messages

    def put(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, properties: Mapping[str, object] | None) -> None:
        if not properties:
            self.binding.put(hobj, md, pmo, data)
            return
        with PutProperties(self.binding, pmo, properties):
            self.binding.put(hobj, md, pmo, data)

    def put_message(
        self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, properties: Mapping[str, object] | None
    ) -> bytes:
        """Put, and return the message id; the structures are not filled otherwise."""
        if not properties:
            return self.binding.put_message(hobj, md, pmo, data)
        with PutProperties(self.binding, pmo, properties):
            return self.binding.put_message(hobj, md, pmo, data)

    def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes, properties: Mapping[str, object] | None) -> None:
        if not properties:
            self.binding.put1(od, md, pmo, data)
            return
        with PutProperties(self.binding, pmo, properties):
            self.binding.put1(od, md, pmo, data)

    def get(
        self, manager: QueueManager, hobj: int, md: MQMD, gmo: MQGMO, max_length: int | None, *, truncate: bool
    ) -> Message:
        if truncate:
            gmo.Options |= C.MQGMO_ACCEPT_TRUNCATED_MSG
        got = self.binding.get(hobj, md, gmo, max_length)
        if got.reason == C.MQRC_TRUNCATED_MSG_FAILED:
            raise mq_error(
                got.reason,
                gmo.ResolvedQName,
                f"the message has {got.length} bytes, more than max_length={max_length}; it is still on the queue",
                C.MQCC_WARNING,
            )
        return self.message(manager, got, md, gmo)

    def message(self, manager: QueueManager, got: Got, md: MQMD, gmo: MQGMO) -> Message:
        from libremq.client.message import Message

        properties = self.binding.properties(gmo.MsgHandle) if gmo.MsgHandle else {}
        return Message(got.data, md, gmo, properties, manager, length=got.length, warning=got.reason)

    # Handles

    def close_handles(self, serial: int) -> None:
        """Close what a Queue object opened here. From any thread."""
        for mode in MODES:
            found = self.handles.pop((serial, mode), None)
            if found is not None:
                self.close_quietly(found[0])

    def release(self, name: str) -> None:
        """Close the handles kept for a queue: they would be in the way of a command, and are opened again on use."""
        for key, (hobj, open_name) in list(self.handles.items()):
            if open_name == name:
                del self.handles[key]
                self.close_quietly(hobj)

    def close_quietly(self, hobj: int) -> None:
        try:
            self.binding.close(hobj)
        except MQError:
            pass  # closed already, or with its connection

    def end(self) -> None:
        """Back out what is not committed and disconnect."""
        self.handles.clear()
        try:
            self.binding.end_waits()
            self.binding.backout()
        except MQError:
            pass  # a branch of a transaction manager is rolled back by the disconnect; a broken connection is gone
        try:
            self.binding.disconnect()
        except MQError:
            pass


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
