"""Asynchronous consumption: a coroutine function called with each message, in a task that belongs to the consumer.

A consumer has a connection of its own. While the function runs, everything it does with the queue manager goes through
that, so its puts are in one unit of work with the message it was given.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Hashable
from contextlib import nullcontext
from types import TracebackType
from typing import TYPE_CHECKING

from libremq.aio.descriptions import described_by
from libremq.aio.message import Message
from libremq.aio.pending_calls import Call, to_the_end
from libremq.aio.sessions import Session, outside_all_units
from libremq.aio.transaction import Transaction
from libremq.client import consumer as client
from libremq.client import options as opt
from libremq.client.options import Match, Seconds
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

if TYPE_CHECKING:
    from libremq.aio.queue import Queue


@described_by(client.Consumer)
class Consumer:
    """Made by `Queue.consume`. A context manager: the end of the block stops it and raises what its function raised."""

    def __init__(
        self,
        queue: Queue,
        callback: Callable[[Message], Awaitable[object]],
        *,
        transaction: bool,
        on_error: Callable[[BaseException, Message], Awaitable[object] | object] | None,
        convert: bool | int,
        match: Match,
    ) -> None:
        if not callable(callback):
            raise mq_error(C.MQRC_CALLBACK_ROUTINE_ERROR, queue.name, f"{callback!r} cannot be called")
        self.error: BaseException | None = None
        """What stopped it: the exception of its function, or an MQError if the queue could not be read any more."""
        self._queue = queue
        self._sessions = queue._sessions
        self._callback = callback
        self._on_error = on_error
        self._transaction = transaction
        self._convert = convert
        self._match = match
        self._calls: dict[Hashable, object] = {}
        self._session: Session | None = None
        self._hobj = 0
        self._task: asyncio.Task[None] | None = None
        self._getting = False
        self._stopping = False
        self._quiet = asyncio.Event()  # no message is waited for
        self._quiet.set()
        self._resumed = asyncio.Event()
        self._resumed.set()
        self._stopped = asyncio.Event()
        self._stopped.set()
        self._closed = False

    async def _opened(self, *, start: bool) -> Consumer:
        await self._connect()
        self._queue._manager._consumers.add(self)
        if start:
            self.start()
        return self

    async def _connect(self) -> None:
        """A connection, with the queue open; a new one if the last was lost."""
        if self._session is not None and self._session.binding.connected:
            return
        self._queue._usable()
        session = await self._sessions.lease()
        try:
            self._hobj = await self._queue._open(session, C.MQOO_INPUT_AS_Q_DEF)
        except BaseException:
            self._sessions.give_back(session)
            raise
        self._session = session

    @property
    def running(self) -> bool:
        return not self._stopped.is_set()

    def start(self) -> None:
        if self._closed:
            raise mq_error(C.MQRC_HCONN_ERROR, self._queue.name, "the consumer is closed")
        if self.running:
            raise mq_error(C.MQRC_HCONN_ASYNC_ACTIVE, self._queue.name, "the consumer is started already")
        self.error = None
        self._stopping = False
        self._resumed.set()
        self._stopped.clear()
        self._task = asyncio.create_task(self._run(), name=f"libremq-consumer-{self._queue.name}")

    async def suspend(self) -> None:
        """It returns when no message is waited for any more."""
        self._resumed.clear()
        self._interrupt_get()
        await self._quiet.wait()

    def resume(self) -> None:
        self._resumed.set()

    async def stop(self) -> None:
        self._stopping = True
        self._resumed.set()
        self._interrupt_get()
        task = self._task
        if task is not None and task is not asyncio.current_task() and not task.done():
            ended: Call[None] = Call(asyncio.get_running_loop())
            task.add_done_callback(lambda _: ended.succeed(None))
            await to_the_end(ended)

    def _interrupt_get(self) -> None:
        """If it waits for a message, it shall not; whether it has one already, it says itself."""
        if self._getting and self._task is not None and self._task is not asyncio.current_task():
            self._getting = False
            self._task.cancel()

    async def wait(self, timeout: Seconds | None = None) -> bool:
        milliseconds = None if timeout is None else opt.wait_interval(timeout, self._queue.name)
        limit = None if milliseconds is None or milliseconds < 0 else milliseconds / 1000
        try:
            async with asyncio.timeout(limit):
                await self._stopped.wait()
        except TimeoutError:
            return False
        if self.error is not None:
            raise self.error
        return True

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        await self.stop()
        self._queue._manager._consumers.discard(self)
        if self._task is not asyncio.current_task():
            self._give_back()

    def _give_back(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.binding.close_soon(self._hobj)
            self._sessions.give_back(session)

    async def __aenter__(self) -> Consumer:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
        if error is None and self.error is not None:
            raise self.error

    def __repr__(self) -> str:
        state = "closed" if self._closed else "running" if self.running else "stopped"
        return f"<Consumer of {self._queue.name}, {state}>"

    # The task

    async def _run(self) -> None:
        outside_all_units()  # whoever started it may be in a transaction
        try:
            await self._connect()
            while not self._stopping:
                await self._resumed.wait()
                if not self._stopping:
                    await self._one()
        except asyncio.CancelledError:
            pass  # the event loop ends, or somebody ended the task: what was not committed is backed out
        except Exception as error:
            self.error = error
        finally:
            self._stopped.set()
            if self._closed:  # from inside the function
                self._give_back()

    async def _one(self) -> None:
        """Get a message and call the function, in one transaction."""
        message: Message | None = None
        try:
            async with Transaction(self._sessions, self._session) if self._transaction else nullcontext():
                message = await self._get()
                if message is not None:
                    await self._callback(message)
        except Exception as error:
            await self._failed(error, message)

    async def _failed(self, error: Exception, message: Message | None) -> None:
        if self._on_error is None or message is None:
            raise error
        try:
            answer = self._on_error(error, message)
            if inspect.isawaitable(answer):
                await answer
        except Exception as later:
            if later is not error:
                later.__context__ = error
            raise

    async def _get(self) -> Message | None:
        """The next message; None if it was suspended or stopped before one came."""
        session, queue = self._session, self._queue
        assert session is not None
        options = C.MQGMO_FAIL_IF_QUIESCING
        get = queue._this_get(session, self._calls, options, float("inf"), self._match, self._convert)
        task = asyncio.current_task()
        assert task is not None
        self._getting = True
        self._quiet.clear()
        try:
            came = await session.binding.get_message(self._hobj, *get)
            return Message(opt.checked(came, None), queue._manager)
        except asyncio.CancelledError:
            if self._getting:
                raise
            return None
        finally:
            if not self._getting:
                task.uncancel()  # it was `stop` or `suspend`, and it has been heard
            self._getting = False
            self._quiet.set()
