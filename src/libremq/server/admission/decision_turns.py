"""Threads for decisions that take long, in turns: first by address, then by socket.

A password costs time to check, by intent. Who sends thousands of guesses waits for his own: each address has its turn,
and of an address each socket, so a login from elsewhere waits for one guess of each and not for all of them. An IPv6
network is one address: whoever has one of it has them all.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any

from libremq.security.address_patterns import network

_Job = tuple["Future[Any]", Callable[[], Any]]


class Turns:
    """Everything may be called from any thread."""

    def __init__(self, threads: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._lock = threading.Lock()
        self._waiting: dict[str, dict[Hashable, deque[_Job]]] = {}  # by address and socket, whose turn it is first

    def submit(self, address: str, socket: Hashable, work: Callable[[], Any]) -> Future[Any]:
        """RuntimeError after `close`. What the work says is said of whom the caller speaks of."""
        future: Future[Any] = Future()
        job = future, partial(copy_context().run, work)
        with self._lock:
            self._pool.submit(self._next)  # one turn for each job, whosever it will be
            self._waiting.setdefault(network(address) or address, {}).setdefault(socket, deque()).append(job)
        return future

    def _next(self) -> None:
        future, work = self._take()
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    def _take(self) -> _Job:
        with self._lock:
            address = next(iter(self._waiting))
            sockets = self._waiting.pop(address)
            socket = next(iter(sockets))
            jobs = sockets.pop(socket)
            job = jobs.popleft()
            if jobs:
                sockets[socket] = jobs  # behind the others
            if sockets:
                self._waiting[address] = sockets
            return job

    def close(self) -> None:
        """Finish what has begun and cancel the rest."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        with self._lock:
            while self._waiting:
                _, sockets = self._waiting.popitem()
                for future, _ in (job for jobs in sockets.values() for job in jobs):
                    future.cancel()
