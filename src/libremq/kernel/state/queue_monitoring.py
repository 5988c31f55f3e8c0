"""How long messages stay on a queue, as long as MONQ wants to know: QTIME.

When a message came is kept by slot, in memory: a message that was there before, or when the queue manager was started,
does not count. A slot that is used again has the time of the latest.
"""

from __future__ import annotations

from array import array

from libremq.common.indicator import Indicator

_UNKNOWN = 0.0


class QueueMonitoring:
    """Of one queue. Times are monotonic."""

    __slots__ = ("_came", "_stay")

    def __init__(self) -> None:
        self._came = array("d")
        self._stay = Indicator()

    def came(self, slot: int, now: float) -> None:
        came = self._came
        if slot >= len(came):
            came.extend([_UNKNOWN] * (slot + 1 - len(came)))
        came[slot] = now

    def left(self, slot: int, now: float) -> None:
        """It was got."""
        came = self._came[slot] if slot < len(self._came) else _UNKNOWN
        if came != _UNKNOWN:
            self._stay.add(1e6 * (now - came))

    def passed_through(self) -> None:
        """A message went from hand to hand, without having been on the queue."""
        self._stay.add(0.0)

    def stop(self) -> None:
        """Nobody wants to know from now on: what comes now will have no time."""
        if self._came:
            self._came = array("d")

    @property
    def times(self) -> tuple[int, ...]:
        """Microseconds, of late and over a longer time; nothing if no message has come and gone."""
        if not self._stay.samples:
            return ()
        return self._stay.shown
