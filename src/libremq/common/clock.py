"""Time, handed in: the kernel never asks the machine what time it is."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since 1970-01-01 UTC: for put dates and expiry. It may be set back."""

    def monotonic(self) -> float:
        """Seconds from some fixed moment on: for every wait in the kernel. It never goes back."""


class SystemClock:
    """The machine's clock."""

    __slots__ = ()

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


elapsed = time.perf_counter
"""Seconds from some fixed moment on, for measuring how long a thing took; never goes back."""
