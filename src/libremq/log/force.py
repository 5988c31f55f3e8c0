"""Shared forces: of the threads that wait for the disk one leads, and serves all whose records it took along.

While a leader writes, others gather behind it. When it is done it wakes those it served, and exactly one of the rest
to lead the next write. No thread is woken in vain, and none that is served waits for the force after.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from libremq.log.errors import LogFailed


class _Waiter:
    __slots__ = ("leads", "lock", "lsn")

    def __init__(self, lsn: int) -> None:
        self.lsn = lsn
        self.leads = False
        self.lock = threading.Lock()
        self.lock.acquire()


class SharedForce:
    """Brings `durable` past the LSNs asked for by calling `write_batch`, never in two threads at once."""

    __slots__ = ("_guard", "_leading", "_waiters", "_write_batch", "calls", "durable", "failed", "shared")

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
        self._leading = False
        self._waiters: list[_Waiter] = []

    def __call__(self, lsn: int) -> None:
        """Return when the record at `lsn` is durable; raises LogFailed if it may not be."""
        if lsn < self.durable:
            return
        with self._guard:
            if lsn < self.durable:
                return
            if self.failed is not None:
                raise _again(self.failed)
            self.calls += 1
            waiter = _Waiter(lsn) if self._leading else None
            if waiter is None:
                self._leading = True
            else:
                self._waiters.append(waiter)
        if waiter is not None and not self._wait(waiter):
            return
        try:
            while self.durable <= lsn:
                self.durable = self._write_batch()
        finally:
            self._hand_over()

    def _wait(self, waiter: _Waiter) -> bool:
        """Wait to be served (False) or to lead (True)."""
        try:
            waiter.lock.acquire()
        except BaseException:
            # An interrupt in the waiting thread: leave without taking the lead along.
            with self._guard:
                leads = waiter.leads
                if waiter in self._waiters:
                    self._waiters.remove(waiter)
            if leads:
                self._hand_over()
            raise
        if waiter.leads:
            return True
        if waiter.lsn < self.durable:
            return False
        assert self.failed is not None
        raise _again(self.failed)

    def _hand_over(self) -> None:
        """Wake those who are served, or with a failed log all; let one of the rest lead."""
        with self._guard:
            if not self._waiters:
                self._leading = False
                return
            durable = self.durable
            done: list[_Waiter] = []
            rest: list[_Waiter] = []
            for waiter in self._waiters:
                (done if waiter.lsn < durable or self.failed is not None else rest).append(waiter)
            self.shared += len(done)
            if rest:
                leader = rest.pop(0)
                leader.leads = True
                leader.lock.release()
            else:
                self._leading = False
            self._waiters = rest
        for waiter in done:
            waiter.lock.release()


def _again(failure: LogFailed) -> LogFailed:
    """A fresh exception for each thread: one object raised in several would mix their tracebacks."""
    error = LogFailed(str(failure))
    error.__cause__ = failure.__cause__
    return error
