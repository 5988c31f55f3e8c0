"""Waiting until a socket can be read, or written to: with poll, which takes any descriptor, else with select.

Windows has no poll. Its select takes sockets of any number; elsewhere it is blind beyond 1,023, so it is not the rule.
"""

from __future__ import annotations

import select
from typing import Protocol


class Poller(Protocol):
    def poll(self, timeout_ms: float) -> list[tuple[int, int]]:
        """Wait so long at most; empty if the time has passed."""


def readable(descriptor: int) -> Poller:
    """Waits for bytes, or for the end of the line."""
    return _polling(descriptor, select.POLLIN) if hasattr(select, "poll") else _Selecting(descriptor, writes=False)


def writable(descriptor: int) -> Poller:
    """Waits for room."""
    return _polling(descriptor, select.POLLOUT) if hasattr(select, "poll") else _Selecting(descriptor, writes=True)


def _polling(descriptor: int, events: int) -> Poller:
    poller = select.poll()
    poller.register(descriptor, events)
    return poller


class _Selecting:
    """select in the place of poll."""

    __slots__ = ("_reads", "_writes")

    def __init__(self, descriptor: int, *, writes: bool) -> None:
        self._reads = [] if writes else [descriptor]
        self._writes = [descriptor] if writes else []

    def poll(self, timeout_ms: float) -> list[tuple[int, int]]:
        try:
            ready = select.select(self._reads, self._writes, [], timeout_ms / 1000)
        except (OSError, ValueError):
            return [(-1, 0)]  # it was closed: as with poll, the next read or write says so
        return [(descriptor, 0) for descriptor in (*ready[0], *ready[1])]
