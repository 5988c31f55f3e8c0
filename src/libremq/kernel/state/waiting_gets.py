"""Gets that wait: a pending result, completed by a put, a commit, a backout, the clock or a close.

A waiter is in one place at a time: on its queue's list while it waits, nowhere once it has a result or an error.
The binding gives it a `notify` to call, and does its own waiting for that (contract 1: the kernel has no threads).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from libremq.kernel.state.verb_result import UNSAID
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD

if TYPE_CHECKING:
    from libremq.kernel.state.connection import ObjectHandle
    from libremq.kernel.state.core import Core
    from libremq.kernel.state.queue_state import QueueState
    from libremq.kernel.state.wait_clock import Deadline


@dataclass(slots=True)
class Got:
    """What a get gives back besides the descriptor and options, which it fills in place."""

    data: bytes
    length: int  # of the whole message, also when `data` was cut
    comp_code: int = C.MQCC_OK
    reason: int = C.MQRC_NONE
    lsn: int = field(default=UNSAID, repr=False, compare=False)  # the log position that handing it out depends on


def no_message(queue: QueueState) -> MQError:
    return mq_error(C.MQRC_NO_MSG_AVAILABLE, queue.name, "no message that fits is available")


# Who is served first: browses, which take nothing away; gets that want certain messages; gets that take any
BROWSES = 0
SPECIFIC = 1
GENERAL = 2


class Waiter:
    """One waiting get."""

    lsn = 0  # nothing depends on the log before there is a result, which says on what it does

    __slots__ = (
        "_on_clock", "buffer_length", "core", "deadline", "error", "gmo", "handle", "interval_ms", "md", "notify",
        "queue", "rank", "result",
    )  # fmt: skip

    def __init__(
        self,
        core: Core,
        handle: ObjectHandle,
        queue: QueueState,
        md: MQMD,
        gmo: MQGMO,
        buffer_length: int | None,
        rank: int,
    ) -> None:
        self.core = core
        self.handle = handle
        self.queue = queue
        self.md = md
        self.gmo = gmo
        self.buffer_length = buffer_length
        self.rank = rank
        self.interval_ms = gmo.WaitInterval
        self.deadline: float | None = None  # None: unlimited
        self._on_clock: Deadline | None = None
        if gmo.WaitInterval != C.MQWI_UNLIMITED:
            self.deadline = core.clock.monotonic() + gmo.WaitInterval / 1000
            self._on_clock = core.wait_clock.add(self.deadline, self.give_up)
        self.result: Got | None = None
        self.error: MQError | None = None
        self.notify: Callable[[], None] | None = None
        queue.waiters.append(self)
        core.waiters.add(self)

    @property
    def done(self) -> bool:
        return self.result is not None or self.error is not None

    def complete(self, result: Got) -> None:
        assert result.lsn >= 0
        self.handle.connection.depend_on(result.lsn)
        self.result = result
        self._leave()

    def fail(self, error: MQError) -> None:
        self.error = error
        self._leave()

    def give_up(self) -> None:
        """No message has come in time, or the application does not wait any longer."""
        self.fail(no_message(self.queue))

    def _leave(self) -> None:
        if self._on_clock is not None:
            self.core.wait_clock.cancel(self._on_clock)
        if self in self.queue.waiters:  # it may have left already, if an interrupt came in between
            self.queue.waiters.remove(self)
        self.core.waiters.discard(self)
        if self.notify is not None:
            self.notify()


def in_turn(queue: QueueState) -> list[Waiter]:
    """Those who wait on the queue, in the order of their rank; of equals the latest first, so that one stays hot."""
    waiters = queue.waiters[::-1]
    waiters.sort(key=_rank)
    return waiters


def _rank(waiter: Waiter) -> int:
    return waiter.rank


def cancel_waits(handle: ObjectHandle) -> None:
    """The handle is closed: its waiting gets end."""
    queue = handle.queue
    if queue is None:
        return
    for waiter in [waiter for waiter in queue.waiters if waiter.handle is handle]:
        waiter.fail(mq_error(C.MQRC_HOBJ_ERROR, handle.object_name, "the handle was closed while it waited"))
