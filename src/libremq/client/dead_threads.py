"""Ends the connections of threads that have ended: what they had not committed is backed out then, not some day.

That a thread has ended is noticed by a finalizer, which may run in the middle of any call and must not make one itself.
So it only leaves the session for a thread that does nothing else. There is one as soon as another thread than the main
one has a session: with that the process ends, too.
"""

from __future__ import annotations

import queue
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libremq.client.session import Session


class _Owner:
    """Lives as long as the thread that uses a session."""

    __slots__ = ("__weakref__",)


class DeadThreads:
    """Of one queue manager."""

    def __init__(self, name: str, end: Callable[[Session], None]) -> None:
        """`end`, a method, ends a session. Whose method it is may go before its threads do."""
        self._name = name
        self._end = weakref.WeakMethod(end)
        self._ended: queue.SimpleQueue[Session | None] = queue.SimpleQueue()
        self._local = threading.local()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        weakref.finalize(end.__self__, self._ended.put, None).atexit = False  # type: ignore[attr-defined]

    def own(self, session: Session) -> None:
        """The session is that of this thread, and ends with it."""
        owner = self._local.owner = _Owner()
        weakref.finalize(owner, self._ended.put, session).atexit = False
        if threading.current_thread() is not threading.main_thread():
            self._watch()

    def _watch(self) -> None:
        with self._guard:
            if self._thread is None or not self._thread.is_alive():  # a child of fork has no thread but its own
                self._thread = threading.Thread(
                    target=_serve, args=(self._ended, self._end), name=f"libremq-ends-{self._name}", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        """All sessions are ended by somebody else."""
        self._ended.put(None)


def _serve(ended: queue.SimpleQueue[Session | None], method: weakref.WeakMethod[Callable[[Session], None]]) -> None:
    """Hold nothing that is not needed: the queue manager's own end is noticed by nobody holding it."""
    while (session := ended.get()) is not None:
        end = method()
        if end is not None:
            end(session)
        else:
            session.end()
        del end, session
