"""A call under way, and what becomes of it when the task that waits is cancelled.

A call that was made cannot be unmade: it is waited for to its end, which is near, since a get that waits is asked to
end. If it came to nothing, the task is cancelled as it was asked to be. If it succeeded, its result is returned, so
that no message is ever lost between the queue and the program, and the task is cancelled again at its next await. If
somebody has taken the cancellation back by then, as `asyncio.timeout` does when its block ends, it is not.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

T = TypeVar("T")


class Call(Generic[T]):
    """The outcome of something that another end or another thread does."""

    __slots__ = ("_loop", "_value", "_waiter", "error", "settled")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiter: asyncio.Future[None] | None = None
        self._value: T | None = None
        self.error: BaseException | None = None
        self.settled = False

    def succeed(self, value: T) -> None:
        if not self.settled:
            self._value = value
            self._settle()

    def fail(self, error: BaseException) -> None:
        if not self.settled:
            self.error = error
            self._settle()

    def _settle(self) -> None:
        self.settled = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def wait(self) -> None:
        """Until it is settled. Cancelled, it raises at once, also if it is settled in the same moment."""
        if not self.settled:
            self._waiter = self._loop.create_future()
            await self._waiter

    def result(self) -> T:
        """Once: the error is let go of, since its traceback holds those who wait, and what they hold."""
        if self.error is not None:
            error, self.error = self.error, None
            try:
                raise error
            finally:
                del error
        return self._value  # type: ignore[return-value]


async def to_the_end(call: Call[T], give_up: Callable[[], None] | None = None) -> T:
    """The result of a call. Cancelled, it calls `give_up` and waits on.

    CancelledError means that the call has done nothing.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task is not None else 0
    interruption: asyncio.CancelledError | None = None
    while not call.settled:
        try:
            await call.wait()
        except asyncio.CancelledError as error:
            interruption = error
            if give_up is not None and not call.settled:
                give_up()
                give_up = None
    if interruption is not None:
        if call.error is not None and not _in_doubt(call.error):
            raise interruption
        again(task, before)
    return call.result()


def _in_doubt(error: BaseException) -> bool:
    """Nobody knows whether the call was done: whoever made it must hear that rather than of the cancellation."""
    return not isinstance(error, MQError) or error.reason in (C.MQRC_CONNECTION_BROKEN, C.MQRC_Q_MGR_STOPPING)


def again(task: asyncio.Task[Any] | None, before: int) -> None:
    """Cancel the task again at its next await, if by then more cancellations are asked for than before."""
    if task is not None and task.cancelling() > before:
        _put_off[task] = (task.get_loop().call_soon(_cancel_again, task, before), before)


def _cancel_again(task: asyncio.Task[Any], before: int) -> None:
    _put_off.pop(task, None)
    if not task.done() and task.cancelling() > before:
        task.uncancel()
        task.cancel()


def raise_put_off() -> None:
    """Between the calls of one operation: the cancellation that the call before has put off is raised now."""
    task = asyncio.current_task() if _put_off else None
    if task is not None and task in _put_off:
        handle, before = _put_off.pop(task)
        handle.cancel()
        if task.cancelling() > before:
            raise asyncio.CancelledError


_put_off: weakref.WeakKeyDictionary[asyncio.Task[Any], tuple[asyncio.Handle, int]] = weakref.WeakKeyDictionary()
