"""Events in simulated time: what happens next is the earliest of what was asked for, and no time is spent waiting.

Events of the same moment happen in the order in which they were asked for, or, with a seed, in any order. The latest of
them are kept in words, for whoever has to find out what led to a failure.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable

from libremq.testing.virtual_clock import VirtualClock

_REMEMBERED = 400


class EventLoop:
    """A clock and what is to happen at which moment of it.

    >>> events = EventLoop()
    >>> events.after(2.0, lambda: print("two"))
    >>> events.after(1.0, lambda: print("one"))
    >>> while events.step():
    ...     pass
    one
    two
    """

    __slots__ = ("_heap", "_numbers", "_start", "clock", "rng", "words")

    def __init__(self, clock: VirtualClock | None = None, *, rng: random.Random | None = None) -> None:
        """`rng`: who comes first of those that are due at the same moment."""
        self.clock = clock or VirtualClock()
        self.rng = rng
        self.words: deque[tuple[float, str]] = deque(maxlen=_REMEMBERED)
        self._start = self.clock.now()
        self._heap: list[tuple[float, float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    @property
    def elapsed_s(self) -> float:
        """How long the simulation has lasted, in its own time."""
        return self.clock.now() - self._start

    def after(self, delay_s: float, action: Callable[[], None]) -> None:
        first = self.rng.random() if self.rng is not None else 0.0
        heapq.heappush(self._heap, (self.clock.now() + delay_s, first, next(self._numbers), action))

    def next_time(self) -> float | None:
        """When the next event is due, by the clock."""
        return self._heap[0][0] if self._heap else None

    def step(self) -> bool:
        """Let the next event happen. False if there is none."""
        if not self._heap:
            return False
        when, _, _, action = heapq.heappop(self._heap)
        self.wait_until(when)
        action()
        return True

    def wait_until(self, when: float) -> None:
        if when > self.clock.now():
            self.clock.advance(when - self.clock.now())

    def note(self, words: str) -> None:
        """Remember that something happened."""
        self.words.append((self.elapsed_s, words))

    def story(self, count: int = 60) -> str:
        """The latest things that happened, oldest first, with their times in seconds."""
        return "\n".join(f"{when:12.6f}  {words}" for when, words in list(self.words)[-count:])
