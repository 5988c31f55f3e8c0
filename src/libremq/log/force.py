"""Shared forces: of the threads that wait for the disk one leads, and serves all whose records it took along.

While a leader writes, others gather behind it. When it is done it wakes those it served, and exactly one of the rest
to lead the next write. No thread is woken in vain, and none that is served waits for the force after.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from libremq.log.log_errors import LogFailed


class _Waiter:
    """A thread that asks for a force. It has a lock to sleep on unless it leads from the beginning."""

    lsn = 0
    awake = False
    lock: threading.Lock | None = None


class SharedForce:
    """Brings `durable` past the LSNs asked for by calling `write_batch`, never in two threads at once."""

    __slots__ = ("_guard", "_leader", "_to_wake", "_waiters", "_write_batch", "calls", "durable", "failed", "shared")

    def __init__(self, durable: int, write_batch: Callable[[], int]) -> None:
        """`write_batch` makes all that is gathered durable and returns the LSN up to which it is.

        Where it finds that it cannot, it sets `failed` and raises that.
        """
        self.durable = durable
        self.failed: LogFailed | None = None
        self.calls = 0
        self.shared = 0
        self._write_batch = write_batch
        self._guard = threading.Lock()
        self._leader: _Waiter | None = None
        self._waiters: list[_Waiter] = []
        self._to_wake: list[_Waiter] = []

    def __call__(self, lsn: int) -> None:
        """Return when the record at `lsn` is durable; raises LogFailed if it may not be."""
        if lsn < self.durable:
            return
        # Ctrl-C can strike the main thread at any call. Whatever it interrupts here, the lead must not be lost with
        # it: it is taken and handed on by plain assignments, between which no interrupt comes.
        waiter = _Waiter()
        waiter.lsn = lsn
        try:
            with self._guard:
                if lsn < self.durable:
                    return
                if self.failed is not None:
                    raise _again(self.failed)
                self.calls += 1
                if self._leader is None:
                    self._leader = waiter
                else:
                    lock = waiter.lock = threading.Lock()
                    lock.acquire()
                    self._waiters.append(waiter)
            if self._leader is not waiter:
                assert waiter.lock is not None
                waiter.lock.acquire()
                if self._leader is not waiter:
                    if lsn < self.durable:
                        return
                    assert self.failed is not None
                    raise _again(self.failed)
            while self.durable <= lsn:
                self.durable = self._write_batch()
        finally:
            # Written out here: even the call of a function of its own would be a point where an interrupt gets in
            interrupt = None
            while True:
                try:
                    self._hand_over(waiter)
                    break
                except KeyboardInterrupt as error:
                    interrupt = error
            if interrupt is not None:
                raise interrupt

    def _hand_over(self, waiter: _Waiter) -> None:
        """If it leads: wake those who are served, or with a failed log all, and let one of the rest lead."""
        if waiter.awake and self._leader is not waiter:
            return  # served: whoever woke it has taken it off the list
        with self._guard:
            if self._leader is waiter and not self._waiters and not self._to_wake:
                self._leader = None
                return
            if waiter in self._waiters:
                self._waiters.remove(waiter)
            if self._leader is waiter:
                durable = self.durable
                wake: list[_Waiter] = []
                rest: list[_Waiter] = []
                for other in self._waiters:
                    (wake if other.lsn < durable or self.failed is not None else rest).append(other)
                shared = self.shared + len(wake)
                leader = rest.pop(0) if rest else None
                if leader is not None:
                    wake.append(leader)
                wake += self._to_wake
                self.shared = shared
                self._waiters = rest
                self._to_wake = wake
                self._leader = leader
            while self._to_wake:
                other = self._to_wake[-1]
                if not other.awake:
                    assert other.lock is not None
                    other.awake = True
                    other.lock.release()
                self._to_wake.pop()


def _again(failure: LogFailed) -> LogFailed:
    """A fresh exception for each thread: one object raised in several would mix their tracebacks."""
    error = LogFailed(str(failure))
    error.__cause__ = failure.__cause__
    return error
