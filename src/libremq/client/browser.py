"""Browsing: an iterator over the messages of a queue with a cursor of its own."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from libremq.client import options as opt
from libremq.client.message import Message
from libremq.client.options import Match, Seconds
from libremq.mqi import constants as C
from libremq.mqi.errors import NoMessageAvailable, mq_error

if TYPE_CHECKING:
    from libremq.client.queue import Queue


class Browser:
    """Made by `Queue.browse`, for the thread that asked. Ends by itself with the last message, or with `close`."""

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
        self._options = C.MQGMO_FAIL_IF_QUIESCING
        if lock:
            self._options |= C.MQGMO_LOCK
        if mark:
            self._options |= C.MQGMO_UNMARKED_BROWSE_MSG | C.MQGMO_MARK_BROWSE_CO_OP
        self._first = True
        self._calls: dict[Hashable, object] = {}
        self._session = queue._usable_session()
        more = (queue._input_option() if take else 0) | (C.MQOO_CO_OP if mark else 0)
        if lock or mark or take:
            more |= C.MQOO_NO_READ_AHEAD  # the cursor stands where the program is
        self._hobj = queue._open(self._session, C.MQOO_BROWSE, more=more)

    def __iter__(self) -> Iterator[Message]:
        return self

    def __next__(self) -> Message:
        if not self._hobj:
            raise StopIteration
        direction = C.MQGMO_BROWSE_FIRST if self._first else C.MQGMO_BROWSE_NEXT
        try:
            message = self._get(self._options | direction, self._wait, self._match)
        except NoMessageAvailable:
            if not self._take:  # the one under the cursor may still be taken
                self.close()
            raise StopIteration from None
        self._first = False
        return message

    def take(self) -> Message:
        """Get the message under the cursor, in the transaction if there is one. NoMessageAvailable if it has gone."""
        if not self._hobj:
            raise mq_error(C.MQRC_NO_MSG_UNDER_CURSOR, self._queue.name, "the browser is closed")
        if not self._take:
            raise mq_error(
                C.MQRC_NOT_OPEN_FOR_INPUT, self._queue.name, "ask for it with browse(take=True) to take messages"
            )
        return self._get(C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_FAIL_IF_QUIESCING, None, {})

    def _get(self, options: int, wait: Seconds | None, match: Match) -> Message:
        session, queue = self._session, self._queue
        taking = options & C.MQGMO_MSG_UNDER_CURSOR
        get = opt.this_get(
            self._calls,
            queue.name,
            options=options,
            syncpoint=bool(taking) and session.syncpoint,
            wait=wait,
            match=match,
            convert=self._convert,
        )
        return Message(opt.checked(session.binding.get_message(self._hobj, *get), None), queue._manager)

    def close(self) -> None:
        """Give the cursor back, and the lock it holds."""
        hobj, self._hobj = self._hobj, 0
        if hobj:
            self._session.close_quietly(hobj)

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # Not closed here: a finalizer may run in the middle of a call. The next call of anyone closes it.
        hobj = getattr(self, "_hobj", 0)
        if hobj:
            self._queue._manager._orphans.append((self._session, hobj))
