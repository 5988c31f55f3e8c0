"""What one thread has with a queue manager: a connection, the handles it opened, the transaction it is in."""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from libremq.host.binding import Binding
from libremq.host.message_calls import PutProperties
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQPMO

_QUEUES_MAX = 64  # to which calls of MQPUT1 are remembered
MODES = (C.MQOO_OUTPUT, C.MQOO_INPUT_AS_Q_DEF, C.MQOO_BROWSE, C.MQOO_INQUIRE, C.MQOO_SET)


class Handle(NamedTuple):
    """What a Queue object has open."""

    hobj: int
    name: str
    """Of the queue."""
    calls: dict[Hashable, Any]
    """The calls made on it, by what they differ in: see `options.this_put` and `options.this_get`."""


class Session:
    """One connection. Handles are kept by the serial number of the Queue object and what they are open for."""

    def __init__(self, binding: Binding) -> None:
        self.binding = binding
        self.handles: dict[tuple[int, int], Handle] = {}
        self._calls_to: dict[tuple[str, str], dict[Hashable, Any]] = {}
        self._transaction: weakref.ref[object] | None = None
        self.branch: bytes | None = None  # the XA branch begun by this thread

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

    # Messages

    def put(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, properties: Mapping[str, object] | None) -> None:
        if not properties:
            self.binding.put(hobj, md, pmo, data)
            return
        with PutProperties(self.binding, pmo, properties):
            self.binding.put(hobj, md, pmo, data)

    def calls_to(self, queue: str, manager: str) -> dict[Hashable, Any]:
        """The calls of MQPUT1 to a queue, like those of a handle."""
        found = self._calls_to.get((queue, manager))
        if found is None:
            if len(self._calls_to) >= _QUEUES_MAX:
                self._calls_to.clear()
            found = self._calls_to[queue, manager] = {}
        return found

    # Handles

    def close_handles(self, serial: int) -> None:
        """Close what a Queue object opened here. From any thread."""
        for mode in MODES:
            found = self.handles.pop((serial, mode), None)
            if found is not None:
                self.close_quietly(found.hobj)

    def release(self, name: str) -> None:
        """Close the handles kept for a queue: they would be in the way of a command, and are opened again on use."""
        for key, handle in list(self.handles.items()):
            if handle.name == name:
                del self.handles[key]
                self.close_quietly(handle.hobj)

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
