"""One timer of the loop, for whoever has a next deadline: the channel initiator, and each agent of a message channel.

Deadlines are moments of the queue manager's clock, which a test may move by hand; the loop has a time of its own. So
whoever has a timer looks at its deadline once a second, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libremq.server.net.event_loop import EventLoop

_DELAY_MIN_S = 0.001


class DeadlineTimer:
    """All methods are for the loop's thread."""

    __slots__ = ("_deadline", "_event_loop", "_handle", "_ring")

    def __init__(self, event_loop: EventLoop, ring: Callable[[float], None]) -> None:
        """`ring` is called when a deadline has come, and how late that is, in seconds."""
        self._event_loop = event_loop
        self._ring = ring
        self._handle: asyncio.TimerHandle | None = None
        self._deadline = 0.0

    def set(self, deadline: float | None) -> None:
        """Ring by then. It may ring before: at an earlier deadline, which is no more."""
        if deadline is None or self.rings_by(deadline):
            return
        self.cancel()
        self._deadline = deadline
        delay = max(_DELAY_MIN_S, deadline - self._event_loop.manager.clock.monotonic())
        self._handle = self._event_loop.loop.call_later(delay, self._rings)

    def rings_by(self, deadline: float) -> bool:
        return self._handle is not None and self._deadline <= deadline

    @property
    def late_s(self) -> float:
        """How late it is: so long this process stood still, and could hear nobody."""
        return self._event_loop.loop.time() - self._handle.when() if self._handle is not None else 0.0

    def cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _rings(self) -> None:
        late_s, self._handle = self.late_s, None
        self._ring(late_s)
