"""The thread that takes the checkpoints of an embedded queue manager, while applications go on.

It also formats the next extents of a linear log ahead of need. The kernel asks for a checkpoint under its lock and goes
on; only a call that finds the log full waits for the one under way to end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from libremq.common.messages.amq_messages import amq
from libremq.host.giving_way import give_way
from libremq.kernel.manager import QueueManager


class Checkpointer:
    """Serves one queue manager. `lock` is the one under which its verbs run."""

    def __init__(self, manager: QueueManager, lock: threading.RLock) -> None:
        self._manager = manager
        self._lock = lock
        self._asked = threading.Condition(lock)
        self._ended = threading.Condition(lock)
        self._hurry = threading.Condition(lock)
        self._waiting = 0
        self._taking: set[threading.Thread] = set()
        self._wanted = False
        self._stopped = False
        manager.checkpoints = self
        self._thread = threading.Thread(target=self._serve, name=f"libremq-checkpoint-{manager.name}", daemon=True)
        self._thread.start()

    def request(self) -> None:
        """One is due. Called under the lock."""
        if not self._wanted:
            self._wanted = True
            self._asked.notify()

    def wait(self) -> bool:
        """Wait, with the lock let go, until none is under way; True if one was. Called under the lock."""
        waited = False
        self._waiting += 1
        self._hurry.notify_all()
        try:
            while self._manager.core.checkpoint is not None and self._manager.failure is None:
                waited = True
                self._ended.wait(1.0)
        finally:
            self._waiting -= 1
        return waited

    def take(self, pause: Callable[[], None] = lambda: None) -> None:
        """Take one now, in this thread. Called without the lock."""
        thread = threading.current_thread()
        with self._lock:
            self.wait()
            self._taking.add(thread)
        try:
            self._manager.run_checkpoint(self._lock, pause, give_way)
        finally:
            with self._lock:
                self._taking.discard(thread)
                self._ended.notify_all()

    def stop(self) -> None:
        """Called under the lock, which is let go until no thread takes a checkpoint any more.

        Also after a failure: what is still being written must not reach files that the next start has read.
        """
        self._stopped = True
        self._asked.notify_all()
        self.wait()
        while any(thread.is_alive() for thread in self._taking - {threading.current_thread()}):
            self._ended.wait(1.0)

    def join(self) -> None:
        """Called without the lock."""
        if self._thread is not threading.current_thread():
            self._thread.join(5)

    def _serve(self) -> None:
        while self._next():
            try:
                self.take(self._pause)
                self._format_ahead()
            except Exception as error:
                with self._lock:
                    self._manager.fail(f"a checkpoint failed: {error}")

    def _next(self) -> bool:
        with self._lock:
            while not self._wanted and not self._stopped and self._manager.failure is None:
                self._asked.wait(1.0)
            self._wanted = False
            return not self._stopped and self._manager.failure is None

    def _pause(self) -> None:
        """CheckPointDelay: leave the disk to others for a while, unless somebody waits or the log fills."""
        with self._lock:
            space = self._manager.core.log.space()
            if not (self._waiting or self._stopped or 2 * space.used_bytes > space.capacity_bytes):
                self._hurry.wait(self._manager.tuning.checkpoint_delay_ms / 1000)

    def _format_ahead(self) -> None:
        try:
            while not self._stopped and self._manager.core.log.prepare_next():
                pass
        except OSError as error:
            self._manager.say(amq(7483, self._manager.name, error))
