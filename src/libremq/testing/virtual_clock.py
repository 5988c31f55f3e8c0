"""A clock that moves only when told to: waits, expiry and intervals are tested without waiting."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable


class VirtualClock:
    """Time that stands still until `advance`.

    >>> clock = VirtualClock(1000.0)
    >>> clock.call_at(1005.0, lambda: print("due at", clock.now()))
    >>> clock.advance(10)
    due at 1005.0
    >>> clock.now()
    1010.0
    """

    __slots__ = ("_behind", "_numbers", "_time", "_timers", "_waiters")

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._time = float(start)
        self._behind = 0.0
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._waiters: list[Callable[[], None]] = []

    def now(self) -> float:
        return self._time - self._behind

    def monotonic(self) -> float:
        """The same time, unless the clock was set back: this one never is."""
        return self._time

    def set_back(self, seconds: float) -> None:
        """As an administrator does, or a machine that has lost its time. Timers are not concerned."""
        self._behind += seconds

    def advance(self, seconds: float) -> None:
        """Move on. Timers that fall due run in order, each at its own moment; then the waiters are told."""
        if seconds < 0:
            raise ValueError("time never goes back")
        end = self._time + seconds
        while self._timers and self._timers[0][0] <= end:
            when, _, callback = heapq.heappop(self._timers)
            self._time = max(self._time, when)
            callback()
        self._time = end
        for waiter in tuple(self._waiters):
            waiter()

    def call_at(self, when: float, callback: Callable[[], None]) -> None:
        """Call once when the clock reaches `when`; a moment already past is due at the next `advance`."""
        heapq.heappush(self._timers, (when, next(self._numbers), callback))

    def on_advance(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call after every `advance`; returns a function that ends it."""
        self._waiters.append(callback)

        def end() -> None:
            if callback in self._waiters:
                self._waiters.remove(callback)

        return end
