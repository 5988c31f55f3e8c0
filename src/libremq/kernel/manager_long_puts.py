"""A put of a long persistent message, in turns: begun, gone on with, put with what was begun (`manager.put`), ended.

The binding drives it, and has nobody else hold up its connection's calls meanwhile (`kernel.verbs.long_puts`).
"""

from __future__ import annotations

from libremq.kernel.manager_clock import ByTheClock
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.verb_calls import verb
from libremq.kernel.verbs import long_puts, opening
from libremq.kernel.verbs.long_puts import LongPut
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQMD, MQOD, MQPMO


class LongPuts(ByTheClock):
    """Connections and handles, and what is put through them in turns."""

    def connection(self, hconn: int) -> Connection:
        connection = self.core.connections.get(hconn)
        if connection is None:
            raise mq_error(C.MQRC_HCONN_ERROR, self.name, "the connection is not open, or was ended")
        return connection

    def _handle(self, hconn: int, hobj: int) -> tuple[Connection, ObjectHandle]:
        connection = self.core.connections.get(hconn)
        if connection is None:
            raise mq_error(C.MQRC_HCONN_ERROR, self.name, "the connection is not open, or was ended")
        handle = connection.handles.get(hobj)
        if handle is None:
            raise mq_error(C.MQRC_HOBJ_ERROR, self.name, "the object is not open, or was closed")
        return connection, handle

    def handle(self, hconn: int, hobj: int) -> ObjectHandle:
        """An open handle, for a binding that wants to know more of it."""
        return self._handle(hconn, hobj)[1]

    @property
    def long_bytes(self) -> int:
        """Data of so many bytes is put in turns."""
        return self.core.long_bytes

    @verb
    def begin_long_put(self, hconn: int, hobj: int, md: MQMD, pmo: MQPMO, data: bytes) -> LongPut | None:
        """None, with nothing done: it is to be put as any other."""
        connection = self.core.connections.get(hconn)
        handle = connection.handles.get(hobj) if connection is not None else None
        if len(data) < self.core.long_bytes or connection is None or handle is None or connection.is_lost:
            return None
        return long_puts.begin(self.core, connection, handle, md, pmo, data)

    @verb
    def begin_long_put1(self, hconn: int, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> LongPut | None:
        """The same for MQPUT1. MQError if that may not open the queue."""
        if len(data) < self.core.long_bytes:
            return None
        connection = self.connection(hconn)
        if connection.is_lost:
            return None
        try:
            opening.check_put1(self.core, od)
        except MQError:
            return None
        handle, _ = opening.open_object(self.core, connection, od.copy(), opening.put1_options(pmo))
        try:
            return long_puts.begin(self.core, connection, handle, md, pmo, data)
        finally:
            opening.close_object(self.core, connection, handle, C.MQCO_NONE)

    def go_on_with_put(self, long_put: LongPut) -> None:
        """Its next part. What goes wrong the put will tell."""
        try:
            self._log_part(long_put)
        except MQError as error:
            long_put.fail(error)

    @verb
    def _log_part(self, long_put: LongPut) -> None:
        long_put.go_on()

    @verb
    def end_long_put(self, long_put: LongPut) -> None:
        """It was put, or nobody goes on with it."""
        long_put.end()
