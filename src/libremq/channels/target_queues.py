"""Where a receiving agent puts: queues held open from message to message, each under the authority that counts.

With PUTAUT(DEF) that is the agent's own. With PUTAUT(CTX) the user in the message must be allowed to put, while the
agent's user must be allowed to act for others and to set their context, as MQ has it. A queue is opened again when any
definition has changed since: the names may lead elsewhere.
"""

from __future__ import annotations

from contextlib import suppress

from libremq.kernel.manager import QueueManager
from libremq.kernel.messages.put_plan import PutPlan
from libremq.kernel.state.connection import Connection, Destination, ObjectHandle
from libremq.kernel.verbs import channel_messages
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQOD
from libremq.store.stored_message import Origin

OPEN_MAX = 100
"""Queues held open at a time."""
_BY_CONTEXT = (C.MQPA_CONTEXT, C.MQPA_ALTERNATE_OR_MCA)


class Target:
    """A queue that is open for puts."""

    __slots__ = ("destination", "handle", "is_open", "origin", "plan", "queue")

    def __init__(self, handle: ObjectHandle, destination: Destination, plan: PutPlan) -> None:
        self.handle = handle
        self.destination = destination
        self.queue = destination.queue
        self.plan = plan
        self.origin: Origin | None = None  # of messages that were put there
        self.is_open = True  # else whoever still knows it does not use it


class Targets:
    """The queues that one agent has open."""

    def __init__(self, manager: QueueManager, connection: Connection, put_authority: int) -> None:
        self._manager = manager
        self._connection = connection
        self.by_context = put_authority in _BY_CONTEXT
        if self.by_context:
            connection.trusted = False  # a privileged agent, too, wants to know what the user of the message may
        self._open: dict[tuple[str, str, str], Target] = {}

    def __len__(self) -> int:
        return len(self._open)

    def find(self, queue: str, qmgr: str, user: str) -> Target:
        """The queue of these names, open for a message of this user. MQError if it cannot be opened."""
        key = (queue, qmgr, user if self.by_context else "")
        target = self._open.get(key)
        if target is not None:
            if target.plan.version == self._manager.definitions_version and not target.queue.deleted:
                return target
            self._close(key)
        while len(self._open) >= OPEN_MAX:
            self._close(next(iter(self._open)))
        try:
            target = self._opened(queue, qmgr, user)
        except MQError as error:
            if error.reason != C.MQRC_HANDLE_NOT_AVAILABLE or not self._open:
                raise
            self.release()
            target = self._opened(queue, qmgr, user)
        self._open[key] = target
        return target

    def _opened(self, queue: str, qmgr: str, user: str) -> Target:
        manager = self._manager
        od = MQOD(ObjectName=queue, ObjectQMgrName=qmgr)
        options = C.MQOO_OUTPUT | C.MQOO_SET_ALL_CONTEXT
        channel_messages.check_names(manager, self._connection, od, by_context=self.by_context)
        if self.by_context:
            od.AlternateUserId = user
            options = C.MQOO_OUTPUT | C.MQOO_ALTERNATE_USER_AUTHORITY
        hobj = manager.open(self._connection.hconn, od, options)
        handle = manager.handle(self._connection.hconn, hobj)
        assert handle.destination is not None
        return Target(handle, handle.destination, channel_messages.plan_for(manager, handle.destination))

    def _close(self, key: tuple[str, str, str]) -> None:
        target = self._open.pop(key)
        target.is_open = False
        if self._connection.handles.get(target.handle.hobj) is target.handle:
            self._manager.close(self._connection.hconn, target.handle.hobj)

    def release(self) -> None:
        """Close them all. The connection may be gone already, and they with it."""
        for key in list(self._open):
            with suppress(MQError):
                self._close(key)
