"""A thread that makes the second copy durable while its caller does so with the first.

So a force waits for the slower of two disks, not for both in turn. The caller may be interrupted at any call: a job it
never waited for is finished all the same, before the next one, and its failure is not forgotten. A sync that failed
must not be followed by one that "works".
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue


class _Work:
    """What the thread and its owner share. The thread knows no more than this, so that the owner can be collected."""

    __slots__ = ("done", "failure", "finished", "folder", "jobs")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.jobs: SimpleQueue[tuple[int, Callable[[], None]] | None] = SimpleQueue()
        self.done: SimpleQueue[None] = SimpleQueue()
        self.finished = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        while True:
            job = self.jobs.get()
            if job is None:
                return
            ticket, work = job
            try:
                work()
            except BaseException as error:  # whatever it is, it is the waiter's
                if isinstance(error, OSError) and error.filename is None:
                    error.filename = self.folder
                if self.failure is None:
                    self.failure = error
            self.finished = ticket
            self.done.put(None)


class SyncHelper:
    """Jobs are done in order; each is known by its ticket. The thread ends with `close`, or with its owner."""

    __slots__ = ("__weakref__", "_thread", "_ticket", "_work")

    def __init__(self, folder: str) -> None:
        self._work = _Work(folder)
        self._ticket = 0
        self._thread = threading.Thread(target=self._work.run, name="libremq-log-copy", daemon=True)
        self._thread.start()
        weakref.finalize(self, self._work.jobs.put, None).atexit = False

    def start(self, work: Callable[[], None]) -> int:
        """Have this done; returns the ticket to wait with."""
        ticket = self._ticket = self._ticket + 1
        self._work.jobs.put((ticket, work))
        return ticket

    def wait_for_all(self) -> None:
        """Return when nothing is under way, be it of a caller who was interrupted. Raises if anything failed."""
        self.wait(self._ticket)

    def wait(self, ticket: int) -> None:
        """Return when the job is done. Raises if it failed, or if any before it did."""
        work = self._work
        while work.finished < ticket:
            # An answer may be left over from a wait that was interrupted: then there is one more turn.
            work.done.get()
        if work.failure is not None:
            raise work.failure

    def close(self) -> None:
        self._work.jobs.put(None)
        self._thread.join()
