"""A thread that syncs the files of the second copy while its caller syncs those of the first.

So a force waits for the slower of two disks, not for both in turn. The caller may be interrupted at any call: a job it
never waited for is finished all the same, before the next one, and its failure is not forgotten. A sync that failed
must not be followed by one that "works".
"""

from __future__ import annotations

import threading
from queue import SimpleQueue

from libremq.common.files import File


class SyncHelper:
    """Jobs are done in order; each is known by its ticket."""

    __slots__ = ("_done", "_failure", "_finished", "_folder", "_jobs", "_thread", "_ticket")

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._jobs: SimpleQueue[tuple[int, list[File]] | None] = SimpleQueue()
        self._done: SimpleQueue[None] = SimpleQueue()
        self._ticket = 0
        self._finished = 0
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="libremq-log-copy", daemon=True)
        self._thread.start()

    def start(self, files: list[File]) -> int:
        """Have files synced; returns the ticket to wait with."""
        ticket = self._ticket = self._ticket + 1
        self._jobs.put((ticket, files))
        return ticket

    def wait(self, ticket: int) -> None:
        """Return when the job is done. Raises if it failed, or if any before it did."""
        while self._finished < ticket:
            # An answer may be left over from a wait that was interrupted: then there is one more turn.
            self._done.get()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            ticket, files = job
            try:
                for file in files:
                    file.sync()
            except BaseException as error:  # whatever it is, it is the waiter's
                if isinstance(error, OSError) and error.filename is None:
                    error.filename = self._folder
                if self._failure is None:
                    self._failure = error
            self._finished = ticket
            self._done.put(None)
