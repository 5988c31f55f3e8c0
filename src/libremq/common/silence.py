"""Silence on a line: when to ask whether the other end is still there, and when it counts as gone.

Nothing heard for an interval: a heartbeat asks. No answer to that for as long again (a minute at most, two seconds at
least): it is gone. Only time in which this end listened counts. A process that was stopped, or a machine that was
suspended, finds every clock run out when it goes on, while the answers still wait to be read: whoever looks later than
it should was away itself, and does not blame the other end for that. Nor is an end silent that takes what was sent to
it: on a slow line a long message goes on for minutes, and the answer is behind it.
"""

from __future__ import annotations

import sys

try:
    import fcntl
    import termios
except ImportError:  # on Windows, which cannot tell
    _CAN_TELL = False
else:
    _CAN_TELL = True

ANSWER_MIN_S = 2.0
"""For the answer to a heartbeat, however short the interval is."""
ANSWER_MAX_S = 60.0
LATE_S = 0.5
"""So much later than planned: this end was away."""
_LOOK_S = 1.0 + LATE_S  # whoever waits for an answer looks every second
_AWAY_COUNTS_S = 0.25  # an end that is late every time loses patience too, in the end


def patience(interval_s: float) -> float:
    """How long an answer may take."""
    return max(ANSWER_MIN_S, min(interval_s, ANSWER_MAX_S))


def unacknowledged(descriptor: int) -> int:
    """Bytes that were given to a socket, and have not arrived; 0 if it is closed, or the system cannot tell."""
    if not _CAN_TELL:
        return 0
    try:
        return int.from_bytes(fcntl.ioctl(descriptor, termios.TIOCOUTQ, bytes(4)), sys.byteorder)
    except (OSError, ValueError):
        return 0


class Silence:
    """What is known of one line. `heard` is set by whoever reads from it."""

    __slots__ = ("_asked", "_looked", "_untaken", "_waited", "heard")

    def __init__(self, now: float) -> None:
        self.heard = now
        self._asked = -1.0  # when a heartbeat was sent
        self._looked = now
        self._waited = 0.0  # for its answer
        self._untaken = 0  # bytes on their way, at the last look

    @property
    def is_asking(self) -> bool:
        return self._asked >= self.heard

    def ask(self, now: float) -> None:
        """A heartbeat goes out. One more, while the first has no answer, makes no difference."""
        if not self.is_asking:
            self._asked = self._looked = now
            self._waited = 0.0

    def note_untaken(self, count: int, now: float) -> None:
        """So many bytes have not arrived: if they get fewer, the other end is there."""
        if self.is_asking and count < self._untaken:
            self.heard = now
        self._untaken = count

    def is_gone(self, now: float, interval_s: float) -> bool:
        """Has a heartbeat had no answer for too long? To be asked every second as long as one has none."""
        passed, self._looked = now - self._looked, now
        if not self.is_asking:
            return False
        self._waited += passed if passed <= _LOOK_S else _AWAY_COUNTS_S
        return self._waited > patience(interval_s)
