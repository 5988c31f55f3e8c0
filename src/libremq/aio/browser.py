"""Browsing with asyncio: an asynchronous iterator over the messages of a queue with a cursor of its own."""

from __future__ import annotations

from collections.abc import Hashable
from types import TracebackType
from typing import TYPE_CHECKING

from libremq.aio.descriptions import described_by
from libremq.aio.message import Message
from libremq.client import browser as client
from libremq.client import options as opt
from libremq.client.options import Match, Seconds
from libremq.mqi import constants as C
from libremq.mqi.errors import NoMessageAvailable, mq_error

if TYPE_CHECKING:
    from libremq.aio.queue import Queue
    from libremq.aio.sessions import Session, Unit


@described_by(client.Browser)
class Browser:
    """Made by `Queue.browse`. Ends by itself with the last message, or with `close`."""

    def __init__(
        self,
        queue: Queue,
        wait: Seconds | None,
        match: Match,
        *,
        lock: bool,
        mark: bool,
        take: bool,
        convert: bool | int,
    ) -> None:
        self._queue = queue
        self._wait = wait
        self._match = match
        self._convert = convert
        self._take = take
        self._mark = mark
        self._options = C.MQGMO_FAIL_IF_QUIESCING
        if lock:
            self._options |= C.MQGMO_LOCK
        if mark:
            self._options |= C.MQGMO_UNMARKED_BROWSE_MSG | C.MQGMO_MARK_BROWSE_CO_OP
        self._first = True
        self._calls: dict[Hashable, object] = {}
        self._ended = False
        self._session: Session | None = None
        self._unit: Unit | None = None  # the unit of work it was opened in
        self._hobj = 0

    def __aiter__(self) -> Browser:
        return self

    async def __anext__(self) -> Message:
        if self._ended:
            raise StopAsyncIteration
        direction = C.MQGMO_BROWSE_FIRST if self._first else C.MQGMO_BROWSE_NEXT
        try:
            message = await self._get(self._options | direction, self._wait, self._match)
        except NoMessageAvailable:
            if not self._take:  # the one under the cursor may still be taken
                await self.close()
            raise StopAsyncIteration from None
        self._first = False
        return message

    async def take(self) -> Message:
        """Cancelled, it takes the message or leaves it, as `Queue.get` does."""
        if self._ended or self._session is None:
            raise mq_error(C.MQRC_NO_MSG_UNDER_CURSOR, self._queue.name, "the browser is closed, or has not begun")
        if not self._take:
            raise mq_error(
                C.MQRC_NOT_OPEN_FOR_INPUT, self._queue.name, "ask for it with browse(take=True) to take messages"
            )
        if self._queue._sessions.unit() is not self._unit:
            raise mq_error(
                C.MQRC_UOW_NOT_AVAILABLE,
                self._queue.name,
                "the browser was begun outside this transaction: begin it inside to take messages in it",
            )
        return await self._get(C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_FAIL_IF_QUIESCING, None, {})

    async def _get(self, options: int, wait: Seconds | None, match: Match) -> Message:
        queue = self._queue
        if self._session is None:
            await self._open()
        session, unit = self._session, self._unit
        assert session is not None
        if unit is not None:
            await unit.lock.acquire()
        try:
            if not self._hobj or (unit is not None and not unit.active):
                raise mq_error(C.MQRC_HOBJ_ERROR, queue.name, "the browser ended with the transaction it was begun in")
            if not options & C.MQGMO_MSG_UNDER_CURSOR:
                options |= C.MQGMO_NO_SYNCPOINT
            get = queue._this_get(session, self._calls, options, wait, match, self._convert)
            came = await session.binding.get_message(self._hobj, *get)
            return Message(opt.checked(came, None), queue._manager)
        finally:
            if unit is not None:
                unit.lock.release()

    async def _open(self) -> None:
        """In a unit of work it shares the connection of that, else it has one to itself until it is closed."""
        queue = self._queue
        more = (queue._input_option() if self._take else 0) | (C.MQOO_CO_OP if self._mark else 0)
        session = await queue._enter(shared=False)
        try:
            self._hobj = await queue._open(session, C.MQOO_BROWSE, more)
        except BaseException:
            queue._sessions.leave(session)
            raise
        self._session, self._unit = session, session.unit
        if self._unit is not None:
            self._unit.cursors.append(self)
            queue._sessions.leave(session)

    def drop(self) -> None:
        """Close it without waiting: the transaction it was begun in ends."""
        self._ended = True
        hobj, self._hobj = self._hobj, 0
        if hobj and self._session is not None:
            self._session.binding.close_soon(hobj)

    async def close(self) -> None:
        self._ended = True
        hobj, self._hobj = self._hobj, 0
        if not hobj or self._session is None:
            return
        from libremq.aio.sessions import close_quietly

        try:
            if not self._queue._sessions.closed:
                await close_quietly(self._session, hobj)
        finally:
            if self._unit is None:
                self._queue._sessions.give_back(self._session)

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __del__(self) -> None:
        # Not closed here: a finalizer may run in the middle of a call. The next call of anyone closes it.
        if getattr(self, "_hobj", 0) and self._session is not None:
            self._queue._sessions.orphans.append((self._session, self._hobj, self._unit is None))
