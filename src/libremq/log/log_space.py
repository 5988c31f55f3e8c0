"""How full a log is."""

from __future__ import annotations

from dataclasses import dataclass

RESERVE_PERCENT = 20
"""Share of the log kept for ending work: commits, backouts, compensation, checkpoints."""


@dataclass(frozen=True, slots=True)
class LogSpace:
    """How full the log is. Used space counts from the start of the extent that holds the head: it is reused whole."""

    head: int
    tail: int
    used_bytes: int
    capacity_bytes: int
    limit_bytes: int
    """Where ordinary records stop; the rest is the reserve."""

    @property
    def active_bytes(self) -> int:
        """From head to tail."""
        return self.tail - self.head

    @property
    def used_fraction(self) -> float:
        return self.used_bytes / self.capacity_bytes
