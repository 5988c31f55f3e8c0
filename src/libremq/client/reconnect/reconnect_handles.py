"""What an application has open on a connection that reconnects: each object by a number that stays the same.

An object is opened again as it was opened first. A dynamic queue keeps its name: if it was permanent it is still there,
and if it was temporary it is made again, empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from libremq.client.reconnect.reconnect_cursor import BrowseCursor
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQOD, MQOR

if TYPE_CHECKING:
    from libremq.client.remote.remote_connection import RemoteConnection

_HELD_BY_THE_LOST = (C.MQRC_OBJECT_IN_USE, C.MQRC_OBJECT_ALREADY_EXISTS)
"""Until the queue manager has noticed that the connection before is gone, its handles may be in the way."""

Pause = Callable[[], bool]
"""Wait a moment; False if it is not worth waiting any longer."""


class OpenObject:
    """hobj, as the application knows it."""

    __slots__ = (
        "_asked", "_made", "_options", "_records", "closed", "connection", "cursor", "group_broken", "hobj", "in_group",
        "number", "problem",
    )  # fmt: skip

    def __init__(self, number: int, asked: MQOD, options: int, records: Sequence[MQOR]) -> None:
        self.number = number
        self.hobj = 0
        self.connection: RemoteConnection | None = None
        """Where `hobj` counts."""
        self.problem: MQError | None = None
        """Why it is not open any more."""
        self.closed = False
        self.cursor = BrowseCursor() if options & C.MQOO_BROWSE else None
        self.in_group = False
        """A group is under way, in logical order and outside a unit of work."""
        self.group_broken = False
        self._asked = asked
        self._options = options
        self._records = [MQOR(ObjectName=record.ObjectName, ObjectQMgrName=record.ObjectQMgrName) for record in records]
        self._made = ""  # the name of the dynamic queue that was made

    @property
    def name(self) -> str:
        return self._made or self._asked.ObjectName

    def opened(self, connection: RemoteConnection, hobj: int, od: MQOD) -> None:
        """The first open has succeeded."""
        self.connection, self.hobj = connection, hobj
        if self._asked.ObjectType == C.MQOT_Q and od.ObjectName != self._asked.ObjectName:
            self._made = od.ObjectName

    def lose(self) -> None:
        """The connection is lost, and with it the place in a group."""
        self.group_broken = self.group_broken or self.in_group
        self.in_group = False

    # On a new connection

    def open_again(self, connection: RemoteConnection, pause: Pause) -> list[str]:
        """What could not be kept; MQError if it cannot be opened, or if this connection is lost too."""
        before, before_hobj = self.connection, self.hobj
        try:
            while True:
                try:
                    hobj, lost = self._open(connection)
                    break
                except MQError as error:
                    if error.reason not in _HELD_BY_THE_LOST or not pause():
                        raise
        except MQError as error:
            if not connection.lost:
                self.problem = error
            raise
        self.connection, self.hobj, self.problem = connection, hobj, None
        if before is not None:
            connection.take_over_read_ahead(hobj, before, before_hobj)
        if self.cursor is not None:
            lost += self.cursor.restore(connection, hobj)
        return lost

    def _open(self, connection: RemoteConnection) -> tuple[int, list[str]]:
        od = self._asked.copy()
        if not self._made:
            return connection.open(od, self._options, self._records), []
        od.DynamicQName = self._made
        try:
            return connection.open(od, self._options), ["it was made again, without the messages that were on it"]
        except MQError as error:
            if error.reason != C.MQRC_OBJECT_ALREADY_EXISTS or not self._is_permanent(connection):
                raise
        od.ObjectName = self._made
        return connection.open(od, self._options), []

    def _is_permanent(self, connection: RemoteConnection) -> bool:
        """Is the dynamic queue there because it outlives connections, or because the lost one is not noticed yet?"""
        try:
            hobj = connection.open(MQOD(ObjectName=self._made), C.MQOO_INQUIRE)
            try:
                return connection.inquire(hobj, [C.MQIA_DEFINITION_TYPE])[0] == [C.MQQDT_PERMANENT_DYNAMIC]
            finally:
                connection.close(hobj)
        except MQError:
            if connection.lost:
                raise
            return False

    def check_group(self, logical: bool) -> None:
        """A group that was under way cannot be carried over: nobody but the application knows how far it got."""
        if logical and self.group_broken:
            self.group_broken = False
            raise mq_error(
                C.MQRC_RECONNECT_INCOMPATIBLE,
                self.name,
                "the connection was lost in the middle of a group; go on without MQPMO_LOGICAL_ORDER or "
                "MQGMO_LOGICAL_ORDER, or begin it again; in a unit of work a group is whole or not there",
            )
