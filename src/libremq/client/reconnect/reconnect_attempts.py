"""Trying to reach a queue manager again: how often, how long, and when to give up.

After a failure all clients come back at once, so every pause is a bit different (jitter) and longer than the one
before, up to a limit. What the queue manager would refuse again and again is not tried again.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

_T = TypeVar("_T")

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 5.0
FINAL = frozenset(
    {
        C.MQRC_NOT_AUTHORIZED,
        C.MQRC_UNKNOWN_CHANNEL_NAME,
        C.MQRC_CHANNEL_CONFIG_ERROR,
        C.MQRC_SSL_INITIALIZATION_ERROR,
        C.MQRC_HCONN_ERROR,
    }
)
"""Trying again would not change these, if there is one address only."""


class Unwanted(Exception):
    """Nobody wants the connection any more."""


class Attempts:
    """The pauses between attempts, until time is over."""

    def __init__(self, timeout_s: float) -> None:
        self._deadline = time.monotonic() + timeout_s
        self._pause_s = FIRST_PAUSE_S
        self.count = 0

    @property
    def left_s(self) -> float:
        return self._deadline - time.monotonic()

    def pause(self, wake: threading.Event) -> None:
        """Wait before the next attempt. The event ends the pause."""
        if self.count == 0:
            pause_s = random.uniform(0, FIRST_PAUSE_S)  # one of many does not wait, and others share its socket
        else:
            pause_s = self._pause_s * random.uniform(0.5, 1)
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        self.count += 1
        wake.wait(max(0.0, min(pause_s, self.left_s)))
        wake.clear()


def keep_trying(
    work: Callable[[Attempts], _T],
    *,
    name: str,
    timeout_s: float,
    wake: threading.Event,
    wanted: Callable[[], bool] = lambda: True,
    alone: bool = True,
) -> _T:
    """Do something until it succeeds. `alone`: there is one address, so that a refusal counts.

    MQRC_RECONNECT_FAILED says what was wrong in the end; Unwanted is raised when `wanted` says so.
    """
    attempts = Attempts(timeout_s)
    last: MQError | None = None
    while True:
        attempts.pause(wake)
        if not wanted():
            raise Unwanted
        try:
            return work(attempts)
        except MQError as error:
            last = error
        if not wanted():
            raise Unwanted
        if (alone and last.reason in FINAL) or attempts.left_s <= 0:
            tried = f"{attempts.count} attempt{'s' if attempts.count != 1 else ''}"
            reason = last.detail or last.name
            raise mq_error(C.MQRC_RECONNECT_FAILED, name, f"no connection after {tried}: {reason}") from last
