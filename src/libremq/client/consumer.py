"""Asynchronous consumption: a function called with each message, from a thread that belongs to the consumer.

A consumer has a connection of its own, so that the thread that made it can go on working. While the function runs,
everything it does with the queue manager goes through that connection, so its puts are in one unit of work with the
message it was given.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from libremq.client import options as opt
from libremq.client.message import Message
from libremq.client.options import Match, Seconds
from libremq.host.binding import GotItem
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQCBC, MQCBD, MQGMO, MQMD

if TYPE_CHECKING:
    from libremq.client.queue import Queue


class Consumer:
    """Made by `Queue.consume`. A context manager: the end of the block stops it and raises what its function raised."""

    def __init__(
        self,
        queue: Queue,
        callback: Callable[[Message], object],
        *,
        transaction: bool,
        on_error: Callable[[BaseException, Message], object] | None,
        start: bool,
        convert: bool | int,
        match: Match,
    ) -> None:
        if not callable(callback):
            raise mq_error(C.MQRC_CALLBACK_ROUTINE_ERROR, queue.name, f"{callback!r} cannot be called")
        self.error: BaseException | None = None
        """What stopped it: the exception of its function, or an MQError if the queue could not be read any more."""
        self._queue = queue
        self._manager = queue._manager
        self._callback = callback
        self._on_error = on_error
        self._transaction = transaction
        self._stopped = threading.Event()
        self._stopped.set()
        self._closed = False
        self._stopping = False  # the function called `stop`
        self._calling: threading.Thread | None = None  # the thread that is inside the function
        queue._usable_session()
        self._session = self._manager._private_session()
        try:
            self._hobj = queue._open(self._session, C.MQOO_INPUT_AS_Q_DEF)
            call, message_id, correlation_id = opt.this_get(
                {},
                queue.name,
                options=C.MQGMO_FAIL_IF_QUIESCING,
                syncpoint=transaction,
                wait=None,
                match=match,
                convert=convert,
            )
            hmsg = self._session.binding.create_message_handle()
            md, gmo = call.structures(message_id, correlation_id, hmsg)
            self._session.binding.callback(C.MQOP_REGISTER, MQCBD(), self._called, self._hobj, md, gmo)
        except BaseException:
            self._manager._end_private(self._session)
            raise
        self._manager._consumers.add(self)
        if start:
            self.start()

    @property
    def running(self) -> bool:
        """Started and not stopped; a suspended consumer runs."""
        return not self._stopped.is_set()

    def start(self) -> None:
        """Start deliveries, or start them again after a stop."""
        if self._closed:
            raise mq_error(C.MQRC_HCONN_ERROR, self._queue.name, "the consumer is closed")
        if self.running:
            raise mq_error(C.MQRC_HCONN_ASYNC_ACTIVE, self._queue.name, "the consumer is started already")
        self.error = None
        self._stopped.clear()
        try:
            binding = self._session.binding
            binding.callback(C.MQOP_RESUME, MQCBD(), None, self._hobj)  # an error may have suspended it
            binding.control(C.MQOP_START)
        except BaseException:
            self._stopped.set()
            raise

    def suspend(self) -> None:
        """Pause deliveries. A function that is running when this is called finishes."""
        self._session.binding.control(C.MQOP_SUSPEND)

    def resume(self) -> None:
        self._session.binding.control(C.MQOP_RESUME)

    def stop(self) -> None:
        """Stop deliveries; returns when the function is not running any more. The function may call it itself."""
        if not self._stopped.is_set():
            try:
                self._session.binding.control(C.MQOP_STOP)
            except MQError:
                pass  # the queue manager has failed: nothing is delivered any more
            if self._calling is not threading.current_thread():  # else it is stopped when the function returns
                self._stopped.set()
            else:
                self._stopping = True

    def wait(self, timeout: Seconds | None = None) -> bool:
        """Wait until it is stopped, by its function, by others or by an error, which is raised.

        False if the time ran out first.
        """
        seconds = None if timeout is None else opt.wait_interval(timeout, self._queue.name) / 1000
        if seconds is not None and seconds < 0:
            seconds = None  # float("inf")
        if not self._stopped.wait(seconds):
            return False
        if self.error is not None:
            raise self.error
        return True

    def close(self) -> None:
        """Stop for good and end the connection. An unfinished unit of work is backed out."""
        if self._closed:
            return
        self._closed = True
        self.stop()
        self._manager._consumers.discard(self)
        if self._calling is not threading.current_thread():
            self._manager._end_private(self._session)

    def __enter__(self) -> Consumer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is None and self.error is not None:
            raise self.error

    def __repr__(self) -> str:
        state = "closed" if self._closed else "running" if self.running else "stopped"
        return f"<Consumer of {self._queue.name}, {state}>"

    # What the binding calls, in the consumer's thread

    def _called(self, md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
        self._manager._use_session(self._session)
        if md is None or gmo is None or data is None:
            self._fail(mq_error(cbc.Reason, self._queue.name))
            return
        self._calling = threading.current_thread()
        message: Message | None = None
        losses = self._losses
        try:
            if self._transaction:
                self._session.transaction = self
            properties = self._session.binding.properties(gmo.MsgHandle) if gmo.MsgHandle else {}
            got = Got(data, cbc.DataLength, cbc.CompCode, cbc.Reason)
            message = Message(GotItem(md, gmo, got, properties), self._manager)
            self._callback(message)
            if self._transaction:
                self._session.binding.commit()
        except BaseException as error:
            if self._losses != losses and _is_lost_unit(error) and self._on_error is None:
                logging.getLogger(f"libremq.{self._manager.name}").warning(
                    "A consumer of %s goes on after a lost connection: %s", self._queue.name, error
                )
            else:
                self._handle_error(error, message)
        finally:
            self._session.transaction = None
            self._calling = None
            if self._closed:  # from inside the function
                self._manager._end_private(self._session)
            if self._stopping:
                self._stopping = False
                self._stopped.set()

    @property
    def _losses(self) -> int:
        """How often the connection was lost; one that reconnects counts that."""
        return int(getattr(self._session.binding, "losses", 0))

    def _handle_error(self, error: BaseException, message: Message | None) -> None:
        try:
            if self._transaction:
                self._session.binding.backout()
            if self._on_error is not None and message is not None:
                self._session.transaction = None
                self._on_error(error, message)
                return
        except BaseException as later:
            if later is not error:
                later.__context__ = error
            error = later
        self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self.error = error
        try:
            self._session.binding.control(C.MQOP_STOP)
        except MQError:
            pass
        self._stopped.set()


def _is_lost_unit(error: BaseException) -> bool:
    """Did a lost connection end the unit of work? Then the message comes again, or it was committed as a whole."""
    return isinstance(error, MQError) and error.reason in (C.MQRC_BACKED_OUT, C.MQRC_CALL_INTERRUPTED)
