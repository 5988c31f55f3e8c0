"""The one clock of everything in a queue manager that waits for a time: gets, consumers, retries, scans.

Deadlines lie in a heap, so to add one costs a few comparisons and to ask for the next costs nothing. One that is no
longer wanted is only marked: most waits end long before their time, and it is cheaper to drop the mark when it comes
to the top. When more than half of the heap is such marks, they are all dropped at once, so it never holds more than
twice what waits.

Times are those of `Clock.monotonic`: setting the clock on the wall moves no wait.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count

_SMALL = 64  # marks that are not worth dropping


class Deadline:
    """A moment at which something is to be done, unless it is cancelled before."""

    __slots__ = ("at", "ring")

    def __init__(self, at: float, ring: Callable[[], object]) -> None:
        self.at = at
        self.ring: Callable[[], object] | None = ring  # None: it is over, or was cancelled


class WaitClock:
    """Deadlines, soonest first; of equals the one that was added first."""

    __slots__ = ("_cancelled", "_heap", "_numbers", "_told", "sooner")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Deadline]] = []
        self._numbers = count()
        self._cancelled = 0  # how many in the heap are
        self._told = math.inf  # what `next` said last: whoever watches the clock sleeps until then
        self.sooner: Callable[[], object] = _nobody_watches
        """Called when a deadline comes before the one that `next` said last."""

    def __len__(self) -> int:
        """How many there are to come."""
        return len(self._heap) - self._cancelled

    def add(self, at: float, ring: Callable[[], object]) -> Deadline:
        """Have `ring` called when it is that late."""
        deadline = Deadline(at, ring)
        heappush(self._heap, (at, next(self._numbers), deadline))
        if at < self._told:
            self._told = at
            self.sooner()
        return deadline

    def cancel(self, deadline: Deadline) -> None:
        """It is not wanted any more. One that has been rung or cancelled stays so."""
        if deadline.ring is None:
            return
        deadline.ring = None
        self._cancelled += 1
        if self._cancelled > _SMALL and 2 * self._cancelled > len(self._heap):
            self._heap = [entry for entry in self._heap if entry[2].ring is not None]
            heapify(self._heap)
            self._cancelled = 0

    def next(self) -> float:
        """The soonest one, for whoever watches the clock; infinity if there is none."""
        heap = self._heap
        while heap and heap[0][2].ring is None:
            heappop(heap)
            self._cancelled -= 1
        self._told = heap[0][0] if heap else math.inf
        return self._told

    def run(self, now: float) -> None:
        """Ring those that are due. If one fails, the rest is still there, and due.

        What is added meanwhile and due at once may have to wait for the next time, so that this comes to an end.
        """
        for _ in range(len(self._heap)):
            if not self._heap or self._heap[0][0] > now:
                break
            deadline = heappop(self._heap)[2]
            ring, deadline.ring = deadline.ring, None
            if ring is None:
                self._cancelled -= 1
            else:
                ring()


def _nobody_watches() -> None:
    """For a clock that is asked often enough without being told to."""
