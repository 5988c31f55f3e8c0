"""Consumers of a connection that reconnects: registered again on the new one, and started again if they were started.

The thread that calls them goes on with that, once the function it may be in has returned: a function never runs twice
at a time. What was delivered under syncpoint by the lost connection is back on its queue, and comes again.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from libremq.client.reconnect.reconnect_attempts import Unwanted
from libremq.client.reconnect.reconnect_cursor import BROWSES
from libremq.client.reconnect.reconnect_handles import OpenObject
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQCBC, MQCBD, MQGMO, MQMD

if TYPE_CHECKING:
    from libremq.client.remote.remote_connection import RemoteConnection

_T = TypeVar("_T")


class ReconnectedConsumer:
    """A function and how it wants its messages."""

    def __init__(
        self, opened: OpenObject | None, cbd: MQCBD, function: Callable[..., Any], md: MQMD, gmo: MQGMO
    ) -> None:
        self.opened = opened  # None: the event handler
        self.cbd = cbd.copy()
        self.function = function
        self.md = md.copy()
        self.gmo = gmo.copy()
        self.suspended = False
        self.was_started = False  # the next start call is one that it had before

    def tell(self, cbc: MQCBC) -> None:
        """Call the function without a message."""
        cbc.Hobj = self.opened.number if self.opened is not None else 0
        try:
            self.function(None, None, None, cbc)
        except Exception:
            traceback.print_exc(file=sys.stderr)


class ReconnectingConsumers:
    """MQCB and MQCTL."""

    _current: RemoteConnection
    _unit: bool

    def __init__(self) -> None:
        self._consumers: dict[int, ReconnectedConsumer] = {}  # by the application's hobj; 0 is the event handler
        self._started = 0  # MQOP_START or MQOP_START_WAIT
        self._suspended = False
        self._starts = 0  # counts starts and stops: a start that is out of date is not done
        self._starting = threading.Lock()
        self._dispatching: RemoteConnection | None = None  # the one whose thread calls

    # What a connection has

    def _drive(self, call: Callable[[RemoteConnection], _T]) -> _T:
        raise AssertionError("a connection does that")

    def _object(self, hobj: int) -> OpenObject:
        raise AssertionError("a connection does that")

    def _place(self, opened: OpenObject, current: RemoteConnection) -> int:
        raise AssertionError("a connection does that")

    def _ready(self) -> RemoteConnection:
        raise AssertionError("a connection does that")

    def _recover(self, lost: RemoteConnection, wanted: Callable[[], bool]) -> None:
        raise AssertionError("a connection does that")

    def _note_loss(self, lost: RemoteConnection) -> None:
        raise AssertionError("a connection does that")

    def _is_noted(self, lost: RemoteConnection) -> bool:
        raise AssertionError("a connection does that")

    def _is_recovering(self) -> bool:
        raise AssertionError("a connection does that")

    def _rouse(self) -> None:
        raise AssertionError("a connection does that")

    # MQCB

    def callback(
        self,
        operation: int,
        cbd: MQCBD,
        function: Callable[..., Any] | None,
        hobj: int = 0,
        md: MQMD | None = None,
        gmo: MQGMO | None = None,
        area: object = None,
    ) -> None:
        """MQCB. The function is called as function(md, gmo, data, cbc) from the connection's own thread."""
        opened = self._object(hobj) if hobj else None
        md, gmo = md or MQMD(), gmo or MQGMO()
        consumer: ReconnectedConsumer | None = None
        if operation & C.MQOP_REGISTER and callable(function):
            consumer = ReconnectedConsumer(opened, cbd, function, md, gmo)

        def call(current: RemoteConnection) -> None:
            there = self._place(opened, current) if opened is not None else 0
            given = self._caller(consumer, current) if consumer is not None else function
            current.callback(operation, cbd, given, there, md, gmo, area)

        self._drive(call)
        if consumer is not None:
            self._consumers[hobj] = consumer
        elif operation & C.MQOP_DEREGISTER:
            self._consumers.pop(hobj, None)
        known = self._consumers.get(hobj)
        if known is not None and operation & C.MQOP_SUSPEND:
            known.suspended = True
        elif known is not None and operation & C.MQOP_RESUME:
            known.suspended = False

    def _caller(self, consumer: ReconnectedConsumer, connection: RemoteConnection) -> Callable[..., None]:
        """What is registered with one connection."""

        def call(md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
            cbc.Hobj = consumer.opened.number if consumer.opened is not None else 0
            if cbc.CallType == C.MQCBCT_START_CALL and consumer.was_started:
                consumer.was_started = False
                return
            if cbc.State in (C.MQCS_SUSPENDED, C.MQCS_SUSPENDED_USER_ACTION):
                consumer.suspended = True
            if md is not None and gmo is not None and not self._takes(consumer, connection, md, gmo, cbc):
                return
            consumer.function(md, gmo, data, cbc)

        return call

    def _takes(
        self, consumer: ReconnectedConsumer, connection: RemoteConnection, md: MQMD, gmo: MQGMO, cbc: MQCBC
    ) -> bool:
        """Is the function to have this message? Not if its unit of work is lost already: it will come again."""
        options = consumer.gmo.Options
        if options & BROWSES:
            opened = consumer.opened
            if opened is not None and opened.cursor is not None and cbc.Reason != C.MQRC_TRUNCATED_MSG_FAILED:
                opened.cursor.note(md, gmo, self._browse_options(consumer))
            return True
        if cbc.CallType != C.MQCBCT_MSG_REMOVED:
            return True
        persistent = md.Persistence == C.MQPER_PERSISTENT
        if options & C.MQGMO_SYNCPOINT or (options & C.MQGMO_SYNCPOINT_IF_PERSISTENT and persistent):
            if connection.lost or connection is not self._current:
                return False
            self._unit = True
            if self._is_noted(connection):
                self._unit = False
                return False
        return True

    @staticmethod
    def _browse_options(consumer: ReconnectedConsumer) -> int:
        """A consumer that browses the first message goes on with the next."""
        options = consumer.gmo.Options
        cursor = consumer.opened.cursor if consumer.opened is not None else None
        if options & C.MQGMO_BROWSE_FIRST and cursor is not None and cursor.moved:
            return options & ~C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT
        return options

    # MQCTL

    def control(self, operation: int) -> None:
        """MQCTL. MQOP_START_WAIT calls the consumers in this thread until one of them stops the connection."""
        if operation == C.MQOP_START:
            self._start()
        elif operation == C.MQOP_START_WAIT:
            self._start_here()
        elif operation == C.MQOP_STOP:
            self._stop()
        else:
            self._drive(lambda current: current.control(operation))
            if operation in (C.MQOP_SUSPEND, C.MQOP_RESUME):
                self._suspended = operation == C.MQOP_SUSPEND

    def _start(self) -> None:
        if self._started:
            raise mq_error(C.MQRC_HCONN_ASYNC_ACTIVE, self._current.qmgr_name, "the consumers are started already")

        def call(current: RemoteConnection) -> None:
            with self._starting:
                before = current.on_lost
                # The thread that calls may meet a lost connection before the start has returned
                self._started, self._suspended = C.MQOP_START, False
                self._starts += 1
                current.on_lost = lambda error: self._dispatcher_lost(current)
                try:
                    current.control(C.MQOP_START)
                except MQError:
                    self._started, current.on_lost = 0, before
                    raise
                self._dispatching = current

        self._drive(call)

    def _start_here(self) -> None:
        while True:
            current = self._ready()
            current.on_lost = lambda error: True
            before, self._started = self._started, C.MQOP_START_WAIT
            try:
                current.control(C.MQOP_START_WAIT)
            except MQError as error:
                self._started = before
                if not current.broken_by(error):
                    raise
            else:
                if not (current.lost and self._started):
                    self._started = 0
                    return
            self._note_loss(current)
            for consumer in self._consumers.values():
                consumer.was_started = bool(consumer.cbd.Options & C.MQCBDO_START_CALL)

    def _stop(self) -> None:
        self._starts += 1
        self._started, self._suspended = 0, False
        self._rouse()
        current = self._current
        try:
            current.control(C.MQOP_STOP)
        except MQError as error:
            if not (current.lost or current.broken_by(error)):
                raise
            # With the connection its deliveries have stopped
        if self._dispatching is not None and not self._is_recovering():
            self._dispatching.wait_for_consumers()

    # A lost connection

    def _dispatcher_lost(self, lost: RemoteConnection) -> bool:
        """For the thread that calls the consumers: get a new connection and go on there. False if it is not lost."""
        if not lost.lost:
            return False
        starts = self._starts

        def wanted() -> bool:
            return bool(self._started) and self._starts == starts

        try:
            while wanted():
                self._note_loss(lost)
                self._recover(lost, wanted)
                fresh = self._current
                try:
                    self._start_again(fresh, wanted)
                    break
                except MQError as error:
                    if not fresh.broken_by(error):
                        raise
                lost = fresh
        except Unwanted:
            pass
        except MQError as error:
            if wanted():
                self._started = 0
                self._tell_failure(error)
        return True

    def _start_again(self, fresh: RemoteConnection, wanted: Callable[[], bool]) -> None:
        with self._starting:
            if not wanted():
                return
            running = {hobj: one for hobj, one in self._consumers.items() if hobj and not one.suspended}
            for consumer in self._consumers.values():
                consumer.was_started = bool(consumer.cbd.Options & C.MQCBDO_START_CALL)
            if self._suspended:  # nothing must be delivered between the start and the suspension
                self._each(fresh, running, C.MQOP_SUSPEND)
            fresh.on_lost = lambda error: self._dispatcher_lost(fresh)
            fresh.control(C.MQOP_START)
            self._dispatching = fresh
            if self._suspended:
                fresh.control(C.MQOP_SUSPEND)
                self._each(fresh, running, C.MQOP_RESUME)

    def _each(self, fresh: RemoteConnection, consumers: dict[int, ReconnectedConsumer], operation: int) -> None:
        for consumer in consumers.values():
            if consumer.opened is not None and consumer.opened.connection is fresh:
                fresh.callback(operation, MQCBD(), None, consumer.opened.hobj)

    def _register_again(self, fresh: RemoteConnection) -> list[tuple[ReconnectedConsumer, MQError]]:
        """Those that the new connection does not take, and why."""
        refused: list[tuple[ReconnectedConsumer, MQError]] = []
        for consumer in list(self._consumers.values()):
            opened = consumer.opened
            if opened is not None and opened.connection is not fresh:
                if opened.problem is not None:
                    refused.append((consumer, opened.problem))
                continue
            cbd, gmo = consumer.cbd.copy(), consumer.gmo.copy()
            cbd.Options &= ~C.MQCBDO_REGISTER_CALL
            gmo.Options = self._browse_options(consumer)
            operation = C.MQOP_REGISTER | (C.MQOP_SUSPEND if consumer.suspended else 0)
            hobj = opened.hobj if opened is not None else 0
            try:
                fresh.callback(operation, cbd, self._caller(consumer, fresh), hobj, consumer.md, gmo)
            except MQError as error:
                if fresh.lost:
                    raise
                refused.append((consumer, error))
        return refused

    # Events

    def _tell_event(self, reason: int, comp_code: int) -> None:
        """The event handler hears what becomes of the connection."""
        handler = self._consumers.get(0)
        if handler is not None:
            handler.tell(MQCBC(CallType=C.MQCBCT_EVENT_CALL, CompCode=comp_code, Reason=reason))

    def _tell_refused(self, consumer: ReconnectedConsumer, error: MQError) -> None:
        """A consumer gets no messages any more: it is told, whoever else may be."""
        consumer.suspended = True
        consumer.tell(
            MQCBC(
                CallType=C.MQCBCT_EVENT_CALL, CompCode=C.MQCC_FAILED, Reason=error.reason,
                State=C.MQCS_SUSPENDED_USER_ACTION,
            )
        )  # fmt: skip

    def _tell_failure(self, error: MQError) -> None:
        """There is no connection any more. The event handler knows; without one each consumer is told."""
        if 0 in self._consumers:
            return
        for consumer in list(self._consumers.values()):
            consumer.tell(
                MQCBC(
                    CallType=C.MQCBCT_EVENT_CALL, CompCode=C.MQCC_FAILED, Reason=error.reason, State=C.MQCS_STOPPED
                )
            )  # fmt: skip
