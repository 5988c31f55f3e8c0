"""The workload: threads that put, get, transfer, back out, browse, prepare and decide, each with its own ledger.

Every call has its intent in the ledger before it and its answer after it, and nothing in between.
"""

from __future__ import annotations

import threading
from pathlib import Path

from libremq import QueueManager
from soak.thread import Thread, Work
from soak.thread_kinds import Checkpointer, Consumer, Mixed, Producer

MIXED_THREADS = 4


class Workload:
    """All threads of one run."""

    def __init__(self, qm: QueueManager, folder: Path, run: int, seed: int, message_bytes_max: int) -> None:
        self._work = Work(qm, folder, run, seed, message_bytes_max)
        self._threads: list[threading.Thread] = []

    def start(self, branches: list[str]) -> None:
        """`branches`: what earlier runs left in doubt, for the first of the mixed threads to decide."""
        self._work.folder.mkdir(parents=True)
        kinds: list[type[Thread]] = [Producer, Consumer, *[Mixed] * MIXED_THREADS, Checkpointer]
        workers = [kind(self._work, index) for index, kind in enumerate(kinds)]
        next(worker for worker in workers if isinstance(worker, Mixed)).branches.extend(branches)
        self._threads = [threading.Thread(target=worker.work, daemon=True) for worker in workers]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let every thread finish what it is doing."""
        self._work.stopping.set()
        for thread in self._threads:
            thread.join()
