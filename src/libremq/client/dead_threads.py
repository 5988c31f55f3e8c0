"""Ends the connections of threads that have ended: what they had not committed is backed out then, not some day.

That a thread has ended is noticed by a finalizer, which may run in the middle of any call and must not make one itself.
So it only leaves the session for a thread that does nothing else. There is one as soon as another thread than the main
one has a session: with that the process ends, too.
"""

from __future__ import annotations

import queue
import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libremq.client.session import Session


_PATIENCE_S = 10.0


class _Owner:
    """Lives as long as the thread that uses a session."""

    __slots__ = ("__weakref__",)


class _Work:
    """What is to be ended. It holds nothing that must go first: the end of the queue manager's object is one, too."""

    __slots__ = ("_end", "_ended", "_ending", "_is_ending", "_signals")

    def __init__(self, end: weakref.WeakMethod[Callable[[Session], None]]) -> None:
        self._end = end
        self._ended: deque[Session] = deque()
        self._signals: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._ending = threading.RLock()
        self._is_ending = False

    def add(self, session: Session) -> None:
        """From a finalizer."""
        self._ended.append(session)
        self._signals.put(True)

    def stop(self) -> None:
        self._signals.put(False)

    def serve(self) -> None:
        while self._signals.get():
            try:
                self.end_all()
            except Exception:
                pass  # whatever is wrong with its connection, whoever uses the queue manager hears of it

    def end_all(self) -> None:
        """Return when all are ended whose threads have, or when that takes too long for whoever only passes by."""
        if not (self._ended or self._is_ending) or not self._ending.acquire(timeout=_PATIENCE_S):
            return
        try:
            self._is_ending = True
            while self._ended:
                session, end = self._ended.popleft(), self._end()
                if end is not None:
                    end(session)
                else:
                    session.end()
        finally:
            self._is_ending = False
            self._ending.release()


class DeadThreads:
    """Of one queue manager."""

    def __init__(self, name: str, end: Callable[[Session], None]) -> None:
        """`end`, a method, ends a session. Whose method it is may go before its threads do."""
        self._name = name
        self._work = _Work(weakref.WeakMethod(end))
        self._local = threading.local()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        weakref.finalize(end.__self__, self._work.stop).atexit = False  # type: ignore[attr-defined]

    def own(self, session: Session) -> None:
        """The session is that of this thread, and ends with it."""
        owner = self._local.owner = _Owner()
        weakref.finalize(owner, self._work.add, session).atexit = False
        if threading.current_thread() is not threading.main_thread():
            self._watch()

    def _watch(self) -> None:
        with self._guard:
            if self._thread is None or not self._thread.is_alive():  # a child of fork has no thread but its own
                self._thread = threading.Thread(target=self._work.serve, name=f"libremq-ends-{self._name}", daemon=True)
                self._thread.start()

    def end_all(self) -> None:
        """A call is made: it finds nothing that a thread has left which is no more."""
        self._work.end_all()

    def stop(self) -> None:
        """All sessions are ended by somebody else."""
        self._work.stop()
